/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: unit files, and the manager itself
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_manager.h"
#include "dbus/bus_reexec.h"

/* The path of a unit file on the search path; NULL if there is none. */
static int path_of_file(char *const *search_path, const char *name, char **ret_path) {
        strv_foreach(folder, search_path) {
                cleanup_free_ char *path = NULL;
                int r;

                r = text_format(&path, "%s/%s", *folder, name);
                if (r < 0)
                        return r;
                if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
                        *ret_path = take_ptr(path);
                        return 0;
                }
        }
        *ret_path = NULL;
        return 0;
}

static int put_unit_file(BusCall *call, const char *name, char *const *states) {
        UnitFileLoader *loader = manager_loader(call->tree->manager);
        cleanup_free_ char *path = NULL;
        const char *state;
        int r;

        r = unit_file_state(loader, name, &state);
        if (r == -ENOENT || (r >= 0 && states && !strv_contains(states, state)))
                return 0;
        if (r >= 0)
                r = path_of_file(unit_file_loader_search_path(loader), name, &path);
        if (r < 0)
                return r;

        sink_open(call->reply, 'r', "ss");
        sink_string(call->reply, path ?: name);
        sink_string(call->reply, state);
        sink_close(call->reply);
        return 0;
}

static int put_unit_files(BusCall *call, char *const *states, char *const *patterns) {
        cleanup_(strv_freep) char **names = NULL;
        int r;

        r = unit_file_list(manager_loader(call->tree->manager), &names);
        if (r < 0)
                return r;

        sink_open(call->reply, 'a', "(ss)");
        strv_foreach(name, names) {
                if (!strv_matches(patterns, *name))
                        continue;
                r = put_unit_file(call, *name, states);
                if (r < 0)
                        return r;
        }
        sink_close(call->reply);
        return 0;
}

int bus_manager_list_unit_files(BusCall *call) {
        return put_unit_files(call, NULL, NULL);
}

int bus_manager_list_unit_files_by_patterns(BusCall *call) {
        cleanup_(strv_freep) char **states = NULL, **patterns = NULL;
        int r;

        r = bus_call_strv(call, &states);
        if (r >= 0)
                r = bus_call_strv(call, &patterns);
        return r < 0 ? r : put_unit_files(call, states, patterns);
}

int bus_manager_get_unit_file_state(BusCall *call) {
        const char *name = bus_call_string(call);
        cleanup_free_ char *hint = NULL;
        const char *state;
        int r;

        if (!unit_name_is_valid(name))
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "Unit name %s is not valid.", name);

        r = unit_file_state(manager_loader(call->tree->manager), name, &state);
        if (r == -ENOENT && manager_hint_unit(call->tree->manager, name, &hint) < 0)
                return -ENOMEM;
        if (r == -ENOENT)
                return bus_call_fail(call, -ENOENT, "FileNotFound", "Unit file %s does not exist%s.", name, hint);
        if (r >= 0)
                sink_string(call->reply, state);
        return r;
}

int bus_manager_reload(BusCall *call) {
        bool force = bus_call_is_compatible(call);

        return manager_reload(call->tree->manager, force, NULL, &call->failure);
}

int bus_manager_reexecute(BusCall *call) {
        return bus_reexec_ask(call->tree->reexec, call);
}

int bus_manager_reload_units(BusCall *call) {
        cleanup_(strv_freep) char **differences = NULL;
        int r;

        r = manager_reload(call->tree->manager, bus_call_bool(call), &differences, &call->failure);
        if (r >= 0)
                sink_strv(call->reply, differences);
        return r;
}

int bus_manager_subscribe(BusCall *call) {
        if (call->client->is_subscribed)
                return bus_call_fail(call, -EALREADY, "AlreadySubscribed", "The client is subscribed already.");

        call->client->is_subscribed = true;
        return 0;
}

int bus_manager_unsubscribe(BusCall *call) {
        if (!call->client->is_subscribed)
                return bus_call_fail(call, -ENOENT, "NotSubscribed", "The client is not subscribed.");

        call->client->is_subscribed = false;
        return 0;
}

int bus_manager_exit(BusCall *call) {
        manager_exit(call->tree->manager, manager_exit_status(call->tree->manager), true);
        return 0;
}

int bus_manager_set_exit_code(BusCall *call) {
        uint8_t status = bus_call_byte(call);

        if (manager_options(call->tree->manager)->is_machine)
                return bus_call_fail(call, -EOPNOTSUPP, "NotSupported",
                                     "This manager is the init of a machine: nobody takes its exit status.");
        if (manager_set_exit_status(call->tree->manager, status) < 0)
                return bus_call_fail(call, -EBUSY, "ShuttingDown", "The manager is about to end.");
        return 0;
}

int bus_manager_end(BusCall *call) {
        static const struct {
                const char *method;
                UnitAction action;
        } ends[] = {
                { "PowerOff", UNIT_ACTION_POWEROFF_FORCE },
                { "Reboot", UNIT_ACTION_REBOOT_FORCE },
                { "Halt", UNIT_ACTION_HALT_FORCE },
                { "KExec", UNIT_ACTION_KEXEC_FORCE },
        };
        const ManagerOptions *options = manager_options(call->tree->manager);

        if (!options->is_machine && !options->is_container)
                return bus_call_fail(call, -EOPNOTSUPP, "NotSupported",
                                     "This manager is the init of neither a machine nor a container.");
        for (size_t i = 0; i < ELEMENTSOF(ends); i++)
                if (strcmp(ends[i].method, call->method->name) == 0)
                        manager_leave(call->tree->manager, ends[i].action);
        return 0;
}
