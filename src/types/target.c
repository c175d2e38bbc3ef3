/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A target: a name for a state of the system
 *
 * A target does nothing itself; its relations define it. So it is active as
 * soon as it is started, and inactive as soon as it is stopped.
 */

#include "types/unit_types.h"

static int target_init(Unit *unit) {
        return 0;
}

static void target_deinit(Unit *unit) {
}

static UnitAnswer target_start(Unit *unit) {
        unit_publish(unit, UNIT_ACTIVE, 0);
        return UNIT_UNDER_WAY;
}

static UnitAnswer target_stop(Unit *unit) {
        unit_publish(unit, UNIT_INACTIVE, 0);
        return UNIT_UNDER_WAY;
}

static const char *target_sub_state(const Unit *unit) {
        return unit->active_state == UNIT_ACTIVE ? "active" : "dead";
}

static const UnitPropertyTable *const target_properties[] = { NULL };

const UnitVTable target_vtable = {
        .type = UNIT_TARGET,
        .interface = "Target",
        .properties = target_properties,
        .is_milestone = true,
        .init = target_init,
        .deinit = target_deinit,
        .start = target_start,
        .stop = target_stop,
        .sub_state = target_sub_state,
};
