/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: its environment and log level
 */

#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_manager.h"

static int change(BusCall *call, char *const *unset, char *const *set) {
        return manager_change_environment(call->tree->manager, unset, set, &call->failure);
}

int bus_manager_set_environment(BusCall *call) {
        cleanup_(strv_freep) char **set = NULL;
        int r = bus_call_strv(call, &set);

        return r < 0 ? r : change(call, NULL, set);
}

int bus_manager_unset_environment(BusCall *call) {
        cleanup_(strv_freep) char **unset = NULL;
        int r = bus_call_strv(call, &unset);

        return r < 0 ? r : change(call, unset, NULL);
}

int bus_manager_unset_and_set_environment(BusCall *call) {
        cleanup_(strv_freep) char **unset = NULL, **set = NULL;
        int r = bus_call_strv(call, &unset);

        if (r >= 0)
                r = bus_call_strv(call, &set);
        return r < 0 ? r : change(call, unset, set);
}

int bus_manager_set_log_level(BusCall *call, DBusMessageIter *value) {
        const char *word;
        int level;

        if (dbus_message_iter_get_arg_type(value) != DBUS_TYPE_STRING)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "LogLevel is a string.");
        dbus_message_iter_get_basic(value, &word);
        level = log_level_from_string(word);
        if (level < LOG_LEVEL_ERROR)
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "There is no log level '%s': err, warning, notice, info or debug.", word);
        manager_set_log_level(call->tree->manager, level);
        return 0;
}
