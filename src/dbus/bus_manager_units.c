/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: units
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_manager.h"
#include "dbus/peer/bus_process.h"
#include "unit/unit_slice.h"

#define ROOT_SLICE "-.slice"

static int answer_path_of(BusCall *call, int r, const Unit *unit) {
        if (r >= 0)
                bus_call_put_unit_path(call, unit->id);
        return r;
}

int bus_manager_get_unit(BusCall *call) {
        Unit *unit = NULL;
        int r;

        r = bus_call_find_unit(call, bus_call_string(call), &unit);
        return answer_path_of(call, r, unit);
}

int bus_manager_load_unit(BusCall *call) {
        Unit *unit = NULL;
        int r;

        r = bus_call_load_unit(call, bus_call_string(call), &unit);
        return answer_path_of(call, r, unit);
}

/* An empty id stands for the unit of the caller. */
int bus_manager_get_unit_by_invocation_id(BusCall *call) {
        UnitTable *table = manager_units(call->tree->manager);
        DBusMessageIter bytes;
        const uint8_t *id = NULL;
        int n = 0;

        dbus_message_iter_recurse(&call->arguments, &bytes);
        dbus_message_iter_get_fixed_array(&bytes, &id, &n);
        if (n == 0) {
                Unit *own = manager_unit_by_pid(call->tree->manager, call->client->pid);

                return own ? answer_path_of(call, 0, own) :
                       bus_call_fail(call, -ENOENT, "NoUnitForInvocationID", "The client is not of any unit.");
        }
        if (n != 16)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "An invocation id has 16 bytes, not %d.", n);
        unit_table_foreach(table, unit)
                if (memcmp(unit->invocation_id, id, 16) == 0)
                        return answer_path_of(call, 0, unit);
        return bus_call_fail(call, -ENOENT, "NoUnitForInvocationID", "No loaded unit has had this invocation id last.");
}

static size_t length_of_group(const Unit *unit, const char *path) {
        UnitHost *host = unit_table_host(unit->table);
        cleanup_free_ char *group = NULL;
        size_t n;

        if (!unit->vtable->group || !host->ops->group_path || host->ops->group_path(host, unit, &group) < 0 || !group)
                return 0;
        n = strlen(group);
        return n > 1 && strncmp(path, group, n) == 0 && (!path[n] || path[n] == '/') ? n : 0;
}

/* The unit of the deepest group that is the given one, or has it below. */
int bus_manager_get_unit_by_control_group(BusCall *call) {
        const char *path = bus_call_string(call);
        UnitTable *table = manager_units(call->tree->manager);
        const Unit *found = NULL;
        size_t longest = 0;

        unit_table_foreach(table, unit) {
                size_t n = length_of_group(unit, path);

                if (n > longest) {
                        longest = n;
                        found = unit;
                }
        }
        return found ? answer_path_of(call, 0, found) :
               bus_call_fail(call, -ENOENT, "NoSuchUnit", "Control group '%s' does not belong to any loaded unit.",
                             path);
}

int bus_manager_get_unit_by_pid(BusCall *call) {
        uint32_t pid = bus_call_u32(call) ?: (uint32_t) call->client->pid;
        Manager *manager = call->tree->manager;
        Unit *unit;
        int r;

        if ((pid_t) pid == getpid() || (pid_t) pid == manager_options(manager)->keeper.pid) {
                r = manager_load_unit(manager, UNIT_OWN_SCOPE, &unit, &call->failure);
                if (r < 0)
                        return r;
        } else
                unit = manager_unit_by_pid(manager, (pid_t) pid);
        if (!unit)
                return bus_call_fail(call, -ENOENT, "NoUnitForPID", "PID %u does not belong to any loaded unit.", pid);

        bus_call_put_unit_path(call, unit->id);
        return 0;
}

/* — lists — */

static void put_unit(BusCall *call, const Unit *unit) {
        JobInfo job = {};
        bool has_job = job_manager_unit_job(manager_jobs(call->tree->manager), unit, &job);

        sink_open(call->reply, 'r', "ssssssouso");
        sink_string(call->reply, unit->id);
        sink_string(call->reply, unit_description(unit));
        sink_string(call->reply, unit_load_state_to_string(unit->load_state));
        sink_string(call->reply, unit_active_state_to_string(unit->active_state));
        sink_string(call->reply, unit_sub_state(unit));
        sink_string(call->reply, "");
        bus_call_put_unit_path(call, unit->id);
        sink_u32(call->reply, has_job ? job.id : 0);
        sink_string(call->reply, has_job ? job_type_to_string(job.type) : "");
        bus_call_put_job_path(call, has_job ? job.id : JOB_ID_NONE);
        sink_close(call->reply);
}

static bool has_state(const Unit *unit, char *const *states) {
        return !states ||
               strv_contains(states, unit_load_state_to_string(unit->load_state)) ||
               strv_contains(states, unit_active_state_to_string(unit->active_state)) ||
               strv_contains(states, unit_sub_state(unit));
}

static int put_units(BusCall *call, char *const *states, char *const *patterns) {
        UnitTable *table = manager_units(call->tree->manager);

        sink_open(call->reply, 'a', "(ssssssouso)");
        unit_table_foreach(table, unit)
                if (unit->load_state != UNIT_STUB && has_state(unit, states) && strv_matches(patterns, unit->id))
                        put_unit(call, unit);
        sink_close(call->reply);
        return 0;
}

int bus_manager_list_units(BusCall *call) {
        return put_units(call, NULL, NULL);
}

int bus_manager_list_units_filtered(BusCall *call) {
        cleanup_(strv_freep) char **states = NULL;
        int r;

        r = bus_call_strv(call, &states);
        return r < 0 ? r : put_units(call, states, NULL);
}

int bus_manager_list_units_by_patterns(BusCall *call) {
        cleanup_(strv_freep) char **states = NULL, **patterns = NULL;
        int r;

        r = bus_call_strv(call, &states);
        if (r >= 0)
                r = bus_call_strv(call, &patterns);
        return r < 0 ? r : put_units(call, states, patterns);
}

/* Invalid names are passed over, since the other units of the list are still wanted. */
int bus_manager_list_units_by_names(BusCall *call) {
        cleanup_(strv_freep) char **names = NULL;
        int r;

        r = bus_call_strv(call, &names);
        if (r < 0)
                return r;

        sink_open(call->reply, 'a', "(ssssssouso)");
        strv_foreach(name, names) {
                Unit *unit;

                if (!unit_name_is_valid(*name) || unit_name_is_template(*name))
                        continue;
                r = bus_call_load_unit(call, *name, &unit);
                if (r < 0)
                        return r;
                put_unit(call, unit);
        }
        sink_close(call->reply);
        return 0;
}

/* — processes — */

/* The group of a process says nothing about its unit if units have no groups. */
static const char *read_group(const BusCall *call, pid_t pid, char *buffer, size_t size) {
        char *path;

        if (!manager_has_groups(call->tree->manager))
                return "";
        (void) bus_process_read(pid, "cgroup", buffer, size);
        path = strstr(buffer, "0::/");
        if (!path)
                return "/";
        path += strlen("0::");
        path[strcspn(path, "\n")] = '\0';
        return path;
}

/*
 * The name of a process, not its command line: the kernel reads that from memory of the process, and may block.
 * @slice: only a process in this group; NULL: any.
 */
static void put_process(BusCall *call, pid_t pid, const char *slice) {
        cleanup_free_ char *name = NULL;
        char buffer[4096] = "";
        const char *path = read_group(call, pid, buffer, sizeof(buffer));

        if (slice && (!text_starts_with(path, slice) || path[strlen(slice)] != '/'))
                return;
        (void) bus_process_name(pid, &name);

        sink_open(call->reply, 'r', "sus");
        sink_string(call->reply, path);
        sink_u32(call->reply, (uint32_t) pid);
        sink_string(call->reply, name ?: "");
        sink_close(call->reply);
}

/* @slice: only those whose group is below this one; NULL: all. */
static int put_processes(BusCall *call, Unit *unit, const char *slice) {
        cleanup_free_ pid_t *pids = NULL;
        size_t n = 0;
        int r;

        r = manager_unit_processes(call->tree->manager, unit, &pids, &n);
        for (size_t i = 0; r >= 0 && i < n; i++)
                put_process(call, pids[i], slice);
        return r;
}

static int put_all_processes(BusCall *call, const char *slice) {
        int r = 0;

        unit_table_foreach(manager_units(call->tree->manager), unit)
                if (r >= 0)
                        r = put_processes(call, unit, slice);
        return r;
}

/*
 * A slice has the processes of the units in it, those of other slices in it among them. The root slice stands for all
 * units, even without control groups.
 */
static int put_processes_of(BusCall *call, Unit *unit) {
        UnitHost *host = unit_table_host(unit->table);
        cleanup_free_ char *group = NULL;
        int r;

        if (!unit->vtable->holds_units)
                return put_processes(call, unit, NULL);
        if (text_equal(unit->id, ROOT_SLICE))
                return put_all_processes(call, NULL);
        r = host->ops->group_path ? host->ops->group_path(host, unit, &group) : -ENOENT;
        if (r == -ENOMEM)
                return r;
        return group ? put_all_processes(call, group) : 0;
}

int bus_manager_get_unit_processes(BusCall *call) {
        const char *name = bus_call_string(call);
        Unit *unit = NULL;
        int r = 0;

        if (!text_equal(name, ROOT_SLICE)) {
                r = bus_call_find_unit(call, name, &unit);
                if (r < 0)
                        return r;
        }

        sink_open(call->reply, 'a', "(sus)");
        r = unit ? put_processes_of(call, unit) : put_all_processes(call, NULL);
        if (r >= 0)
                sink_close(call->reply);
        return r;
}

int bus_unit_get_processes(BusCall *call) {
        int r;

        sink_open(call->reply, 'a', "(sus)");
        r = put_processes_of(call, call->object->unit);
        if (r >= 0)
                sink_close(call->reply);
        return r;
}

/* — changes — */

int bus_manager_kill_unit(BusCall *call) {
        const char *name = bus_call_string(call);
        const char *who = bus_call_string(call);
        Unit *unit;
        int r;

        r = bus_call_find_unit(call, name, &unit);
        return r < 0 ? r : bus_call_kill(call, unit, who, bus_call_i32(call));
}

int bus_manager_reset_failed_unit(BusCall *call) {
        Unit *unit;
        int r;

        r = bus_call_find_unit(call, bus_call_string(call), &unit);
        if (r >= 0)
                manager_reset_failed(call->tree->manager, unit);
        return r;
}

int bus_manager_reset_failed(BusCall *call) {
        manager_reset_failed(call->tree->manager, NULL);
        return 0;
}

int bus_manager_ref_unit(BusCall *call) {
        Unit *unit;
        int r;

        r = bus_call_load_unit(call, bus_call_string(call), &unit);
        return r < 0 ? r : bus_call_reference(call, unit);
}

int bus_manager_unref_unit(BusCall *call) {
        Unit *unit;
        int r;

        r = bus_call_find_unit(call, bus_call_string(call), &unit);
        return r < 0 ? r : bus_call_unreference(call, unit);
}
