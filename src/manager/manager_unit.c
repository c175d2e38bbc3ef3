/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What clients ask of one unit
 */

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "exec/exec_process.h"
#include "manager/manager_group.h"
#include "manager/manager_private.h"

/* Generations from a process up to one that is known. */
#define ANCESTORS_MAX 256U

#define PROCESSES_MAX 100000U

int manager_load_unit(Manager *manager, const char *name, Unit **ret_unit, Failure *ret_failure) {
        Unit *unit;
        int r;

        assert(manager);
        assert(name);
        assert(ret_unit);

        r = unit_table_load(manager->units, name, &unit);
        if (r == -EINVAL && unit_name_is_template(name))
                return failure_set(ret_failure, r, "InvalidArgs",
                                   "%s is a template: put an instance between '@' and the last dot.", name);
        if (r == -EINVAL)
                return failure_set(ret_failure, r, "InvalidArgs", "'%.300s' is no valid unit name.", name);
        if (r < 0)
                return failure_set(ret_failure, r, "NoMemory", "No memory to load %s.", name);
        manager_consider_unloading(manager, unit);
        *ret_unit = unit;
        return 0;
}

Unit *manager_find_unit(Manager *manager, const char *name) {
        return unit_table_find(manager->units, name);
}

static uint32_t invocation_key(const uint8_t id[static 16]) {
        uint32_t key;

        memcpy(&key, id, sizeof(key));
        return key;
}

void manager_note_invocation(Manager *manager, Unit *unit) {
        ManagerUnit *of_unit = manager_of_unit(manager, unit);
        uint32_t key = invocation_key(unit->invocation_id);

        if (!of_unit || key == 0 || of_unit->invocation == key)
                return;
        manager_journal_add_unit(manager, unit);
        if (of_unit->invocation != 0 && id_map_get(&manager->by_invocation, of_unit->invocation) == unit)
                id_map_remove(&manager->by_invocation, of_unit->invocation);
        /* Without memory its orphans are nobody's when they notify; nothing else depends on it. */
        of_unit->invocation = id_map_put(&manager->by_invocation, key, unit) < 0 ? 0 : key;
}

static void close_file(FILE **file) {
        if (*file)
                fclose(*file);
}

static bool parse_invocation(const char *hex, uint8_t id[static 16]) {
        if (strlen(hex) != 32)
                return false;
        for (size_t i = 0; i < 16; i++) {
                unsigned byte;

                if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
                        return false;
                id[i] = (uint8_t) byte;
        }
        return true;
}

/* By the INVOCATION_ID that it was started with. */
static Unit *find_by_environment(Manager *manager, pid_t pid) {
        static const char name[] = "INVOCATION_ID=";
        cleanup_(close_file) FILE *file = NULL;
        cleanup_free_ char *assignment = NULL;
        uint8_t id[16];
        char path[64];
        size_t size = 0;

        snprintf(path, sizeof(path), "/proc/%d/environ", (int) pid);
        file = fopen(path, "re");
        while (file && getdelim(&assignment, &size, '\0', file) > 0) {
                Unit *unit;

                if (strncmp(assignment, name, strlen(name)) != 0)
                        continue;
                if (!parse_invocation(assignment + strlen(name), id))
                        return NULL;
                unit = id_map_get(&manager->by_invocation, invocation_key(id));
                return unit && memcmp(unit->invocation_id, id, sizeof(id)) == 0 ? unit : NULL;
        }
        return NULL;
}

Unit *manager_unit_by_pid(Manager *manager, pid_t pid) {
        const pid_t self = getpid();

        for (unsigned i = 0; i < ANCESTORS_MAX && pid > 0 && pid != self && pid != exec_process_keeper(); i++) {
                const Process *known = process_table_find(manager->processes, pid);
                ExecProcess process;

                if (known)
                        return manager_unit_of_owner(known->owner);
                if (i == 0) {
                        Unit *unit = manager_unit_of_group(manager, pid);

                        if (unit)
                                return unit;
                }
                if (exec_process_read(pid, &process) < 0)
                        return NULL;
                if (process.parent == self || process.parent == exec_process_keeper())
                        return find_by_environment(manager, pid);
                pid = process.parent;
        }
        return NULL;
}

int manager_kill_unit(Manager *manager, Unit *unit, const char *who, int signal, Failure *ret_failure) {
        assert(manager);
        assert(unit);

        if (!unit->vtable->kill)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported", "%s: a %s has no processes to signal.",
                                   unit->id, unit_type_to_string(unit->type));
        manager_mark_unit(manager, unit);
        return unit->vtable->kill(unit, who, signal, ret_failure);
}

void manager_reset_failed(Manager *manager, Unit *unit) {
        if (unit) {
                manager_mark_unit(manager, unit);
                if (unit->vtable->reset_failed)
                        unit->vtable->reset_failed(unit);
                manager_consider_unloading(manager, unit);
                return;
        }
        unit_table_foreach(manager->units, each)
                manager_reset_failed(manager, each);
}

static int add_once(ExecPids *pids, pid_t pid) {
        for (size_t i = 0; i < pids->n; i++)
                if (pids->items[i] == pid)
                        return 0;
        return vector_push(pids, pid);
}

/* Anyone may ask for them, again and again: little patience. */
static int add_orphans(Manager *manager, const Unit *unit, ExecPids *pids) {
        ExecPatience patience = { .n_pauses = 50 };
        ExecPids children = {};
        int r;

        r = exec_process_list_own(&children);
        for (size_t i = 0; r == 0 && i < children.n; i++)
                if (!process_table_find(manager->processes, children.items[i]) &&
                    exec_process_check_invocation(children.items[i], unit->invocation_id, &patience) > 0)
                        r = add_once(pids, children.items[i]);
        vector_deinit(&children);
        return r;
}

int manager_unit_processes(Manager *manager, Unit *unit, pid_t **ret_pids, size_t *ret_n) {
        const ManagerUnit *of_unit = manager_of_unit(manager, unit);
        ExecPids pids = {};
        bool is_complete = false;
        int r = of_unit ? 0 : -ENOMEM;

        for (const Process *process = manager_unit_process_list(manager, unit); r == 0 && process; process = process->next)
                r = add_once(&pids, process->pid);
        if (r == 0) {
                int listed = manager_list_group(manager, unit, &pids);

                is_complete = listed > 0;
                r = MIN(listed, 0);
        }
        if (r == 0 && !is_complete && of_unit->invocation != 0)
                r = add_orphans(manager, unit, &pids);
        for (size_t i = 0; r == 0 && !is_complete && i < pids.n && pids.n < PROCESSES_MAX; i++)
                r = exec_process_list_children(pids.items[i], &pids);
        if (r < 0) {
                vector_deinit(&pids);
                return r;
        }
        *ret_pids = pids.items;
        *ret_n = pids.n;
        return 0;
}
