/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A slice: a control group with other units in it
 *
 * The host makes and removes the group when the slice becomes active and inactive. Without control groups a slice is
 * only a name. The root slice and the default slices of units always exist.
 */

#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "types/foreign_property.h"
#include "types/group_property.h"
#include "types/unit_types.h"
#include "unit/unit_slice.h"

static int slice_init(Unit *unit) {
        return 0;
}

static void slice_deinit(Unit *unit) {
}

static int slice_verify(Unit *unit, Failure *ret_failure) {
        if (unit_slice_is_valid(unit->id))
                return 0;
        return failure_set(ret_failure, -EINVAL, "BadUnitSetting",
                           "%s: A slice's name says which slice it is in, as 'a-b.slice' is in 'a.slice'; this one has "
                           "a dash too many, or an instance.",
                           unit->id);
}

/* "a-b.slice" → "Slice /a/b" */
static char *describe_place(const char *id) {
        char *text = NULL;

        if (text_format(&text, "Slice /%.*s", (int) (strlen(id) - strlen(".slice")), id) < 0)
                return NULL;
        for (char *dash = text; (dash = strchr(dash, '-')); dash++)
                *dash = '/';
        return text;
}

/* Most slices have no file. Without memory the name stands for itself. */
static void describe(Unit *unit) {
        if (unit->settings.description)
                return;
        if (text_equal(unit->id, UNIT_ROOT_SLICE))
                unit->settings.description = strdup("Root Slice");
        else if (text_equal(unit->id, "system.slice"))
                unit->settings.description = strdup("System Slice");
        else
                unit->settings.description = describe_place(unit->id);
}

static void slice_loaded(Unit *unit) {
        describe(unit);
        if (!unit_slice_is_always_there(unit->id))
                return;
        unit->settings.is_perpetual = true;
        if (unit->active_state != UNIT_ACTIVE)
                unit_publish(unit, UNIT_ACTIVE, 0);
}

static UnitAnswer slice_start(Unit *unit) {
        unit_publish(unit, UNIT_ACTIVE, 0);
        return UNIT_UNDER_WAY;
}

static UnitAnswer slice_stop(Unit *unit) {
        unit_publish(unit, UNIT_INACTIVE, 0);
        return UNIT_UNDER_WAY;
}

static int slice_found(Unit *unit, uid_t owner) {
        if (unit->active_state != UNIT_ACTIVE)
                unit_publish(unit, UNIT_ACTIVE, 0);
        return 0;
}

static const char *slice_sub_state(const Unit *unit) {
        return unit->active_state == UNIT_ACTIVE ? "active" : "dead";
}

static void slice_group(const Unit *unit, UnitGroup *ret_group) {
        *ret_group = (UnitGroup) { .resources = unit->type_settings, .is_slice = true, .is_begun = true };
}

static const UnitPropertyTable *const slice_properties[] = {
        &group_properties, &foreign_group_properties, NULL,
};

const UnitVTable slice_vtable = {
        .type = UNIT_SLICE,
        .interface = "Slice",
        .properties = slice_properties,
        .holds_units = true,
        .can_freeze = true,
        .init = slice_init,
        .deinit = slice_deinit,
        .verify = slice_verify,
        .loaded = slice_loaded,
        .start = slice_start,
        .stop = slice_stop,
        .sub_state = slice_sub_state,
        .group = slice_group,
        .found = slice_found,
};
