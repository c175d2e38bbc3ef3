/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: cleaning and freezing of units
 *
 * Methods of the manager, and the same ones of the unit.
 */

#include <errno.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_manager.h"
#include "unit/unit_clean.h"

/*
 * "all" is each of them. An unknown word, perhaps of a later systemd, is an error: else less would be removed than was
 * meant.
 */
static int parse_kinds(BusCall *call, char *const *words, unsigned *ret_kinds) {
        strv_foreach(word, words) {
                int kind = unit_clean_from_string(*word);

                if (kind < 0 && !text_equal(*word, "all"))
                        return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                             "'%s' is none of runtime, state, cache, logs, configuration and all.",
                                             *word);
                *ret_kinds |= kind < 0 ? UNIT_CLEAN_ALL : 1U << kind;
        }
        return 0;
}

static int clean(BusCall *call, Unit *unit) {
        cleanup_(strv_freep) char **words = NULL;
        unsigned kinds = 0;
        int r = bus_call_strv(call, &words);

        if (r >= 0)
                r = parse_kinds(call, words, &kinds);
        return r < 0 ? r : manager_clean_unit(call->tree->manager, unit, kinds, &call->failure);
}

int bus_manager_clean_unit(BusCall *call) {
        const char *name = bus_call_string(call);
        Unit *unit;
        int r = bus_call_load_unit(call, name, &unit);

        return r < 0 ? r : clean(call, unit);
}

int bus_unit_clean(BusCall *call) {
        return clean(call, call->object->unit);
}

static int freeze_by_name(BusCall *call, bool freeze) {
        Unit *unit;
        int r = bus_call_find_unit(call, bus_call_string(call), &unit);

        return r < 0 ? r : manager_freeze_unit(call->tree->manager, unit, freeze, &call->failure);
}

int bus_manager_freeze_unit(BusCall *call) {
        return freeze_by_name(call, true);
}

int bus_manager_thaw_unit(BusCall *call) {
        return freeze_by_name(call, false);
}

int bus_unit_freeze(BusCall *call) {
        return manager_freeze_unit(call->tree->manager, call->object->unit, true, &call->failure);
}

int bus_unit_thaw(BusCall *call) {
        return manager_freeze_unit(call->tree->manager, call->object->unit, false, &call->failure);
}
