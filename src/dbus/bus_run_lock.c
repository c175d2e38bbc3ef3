/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The manager's interface: locks and resources of runs
 *
 * Locks are in memory, so a question about them is answered at once. The cursor is how many
 * entries were answered before: what comes or goes meanwhile moves the others.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "basic/text.h"
#include "dbus/bus_run.h"

#define LIMIT_MAX 1000U

static bool read_text(DBusMessageIter *variant, const char **text) {
        if (dbus_message_iter_get_arg_type(variant) != DBUS_TYPE_STRING)
                return false;
        dbus_message_iter_get_basic(variant, text);
        return true;
}

static bool read_run(DBusMessageIter *variant, uint32_t *run) {
        dbus_uint64_t number;

        if (dbus_message_iter_get_arg_type(variant) != DBUS_TYPE_UINT64)
                return false;
        dbus_message_iter_get_basic(variant, &number);
        *run = number > UINT32_MAX ? UINT32_MAX : (uint32_t) number;
        return true;
}

static int read_filters(BusCall *call, ManagerLockFilter *filter) {
        DBusMessageIter entries, entry, variant;

        dbus_message_iter_recurse(&call->arguments, &entries);
        for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
                const char *key;
                bool is_known;

                dbus_message_iter_recurse(&entries, &entry);
                dbus_message_iter_get_basic(&entry, &key);
                dbus_message_iter_next(&entry);
                dbus_message_iter_recurse(&entry, &variant);
                if (text_equal(key, "run"))
                        is_known = read_run(&variant, &filter->run);
                else if (text_equal(key, "lock"))
                        is_known = read_text(&variant, &filter->lock);
                else
                        is_known = text_equal(key, "kind") && read_text(&variant, &filter->kind);
                if (!is_known)
                        return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                             "There is no filter '%s', or it has another type.", key);
        }
        dbus_message_iter_next(&call->arguments);
        return 0;
}

int bus_manager_list_locks(BusCall *call) {
        ManagerLockFilter filter = {};
        char cursor[16] = "";
        const char *from;
        int r = read_filters(call, &filter);

        if (r < 0)
                return r;
        filter.limit = bus_call_u32(call);
        if (filter.limit == 0 || filter.limit > LIMIT_MAX)
                filter.limit = LIMIT_MAX;
        from = bus_call_string(call);
        if (*from && text_parse_u32(from, &filter.skip) < 0)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "'%s' is not a cursor of an answer.", from);
        if (filter.skip > UINT32_MAX - LIMIT_MAX)
                filter.skip = UINT32_MAX - LIMIT_MAX;
        if (manager_runs_write_locks(manager_runs(call->tree->manager), &filter, call->reply))
                snprintf(cursor, sizeof(cursor), "%" PRIu32, filter.skip + filter.limit);
        sink_string(call->reply, cursor);
        return 0;
}
