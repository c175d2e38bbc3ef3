/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units that clients keep loaded
 *
 * Who waits for the end of a unit refers to it, so that it is still there to
 * tell how it has ended. When core dies such a client has to connect again, and
 * the unit may end before it has. So how often a unit is referred to is in its
 * record, and the next core refers to it as often, in place of those clients:
 * until each of them has said so again, or had the time to.
 */

#include <assert.h>

#include "basic/log.h"
#include "manager/manager_private.h"

/* As long as jobctl tries to find who answers. */
#define RETURN_TIME (90 * USEC_PER_SEC)

/* Whatever is above that is as good as that. */
#define PINS_MAX UINT8_MAX

/* Takes over the place of one that a client had before. */
static bool take_held(Manager *manager, const Unit *unit) {
        for (size_t i = 0; i < manager->held.n; i++)
                if (manager->held.items[i] == unit) {
                        manager->held.items[i] = vector_last(&manager->held);
                        manager->held.n--;
                        return true;
                }
        return false;
}

static int add_pin(Manager *manager, Unit *unit) {
        ManagerUnit *of_unit = manager_of_unit(manager, unit);

        if (!of_unit)
                return -ENOMEM;
        unit_ref(unit);
        if (of_unit->n_pins < PINS_MAX)
                of_unit->n_pins++;
        manager_mark_unit(manager, unit);
        return 0;
}

int manager_pin(Manager *manager, Unit *unit) {
        assert(manager);
        assert(unit);

        return take_held(manager, unit) ? 0 : add_pin(manager, unit);
}

void manager_unpin(Manager *manager, Unit *unit) {
        ManagerUnit *of_unit = manager_of_unit(manager, unit);

        assert(of_unit && of_unit->n_pins > 0);

        unit_unref(unit);
        if (of_unit->n_pins < PINS_MAX)
                of_unit->n_pins--;
        manager_mark_unit(manager, unit);
        manager_consider_unloading(manager, unit);
}

void manager_write_pins(Manager *manager, const Unit *unit, RecordWriter *writer) {
        const ManagerUnit *of_unit = manager_of_unit(manager, unit);

        if (of_unit && of_unit->n_pins > 0)
                record_put(writer, of_unit->n_pins);
}

int manager_read_pins(Manager *manager, Unit *unit, RecordReader *reader) {
        uint64_t n = reader->at == reader->end ? 0 : record_get_below(reader, PINS_MAX + 1);
        int r = 0;

        for (; unit && n > 0 && r == 0 && !reader->has_failed; n--) {
                r = vector_push(&manager->held, unit);
                if (r == 0 && (r = add_pin(manager, unit)) < 0)
                        manager->held.n--;
        }
        return r;
}

static void let_go(Manager *manager) {
        while (manager->held.n > 0)
                manager_unpin(manager, vector_pop(&manager->held));
        vector_deinit(&manager->held);
}

static int on_time(sd_event_source *source, uint64_t usec, void *userdata) {
        let_go(userdata);
        return 0;
}

void manager_hold_pins(Manager *manager) {
        if (manager->held.n == 0)
                return;
        if (sd_event_add_time_relative(manager->event, &manager->held_source, CLOCK_MONOTONIC, RETURN_TIME, USEC_PER_SEC,
                                       on_time, manager) >= 0)
                return;
        log_warning("What clients wait for is not kept until they come again.");
        let_go(manager);
}

void manager_drop_pins(Manager *manager) {
        sd_event_source_disable_unref(manager->held_source);
        let_go(manager);
}
