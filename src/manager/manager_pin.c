/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units that clients keep loaded
 *
 * A client that waits for the end of a unit holds a reference to it, so that
 * the unit's result can still be read. When core dies the client must connect
 * again, and the unit may end before that. So the number of references is in
 * the unit's record, and the next core holds as many references in place of
 * the clients, until each client has renewed its own, or has had the time to.
 */

#include <assert.h>

#include "basic/log.h"
#include "manager/manager_pin.h"

/* jobctl tries to connect for this long. */
#define RETURN_TIME (90 * USEC_PER_SEC)

/* Higher numbers make no difference. */
#define PINS_MAX UINT8_MAX

/* Takes over a reference that was held for a client of the earlier core. */
static bool take_held(ManagerPins *pins, const Unit *unit) {
        for (size_t i = 0; i < pins->held.n; i++)
                if (pins->held.items[i] == unit) {
                        pins->held.items[i] = vector_last(&pins->held);
                        pins->held.n--;
                        return true;
                }
        return false;
}

static int add_pin(ManagerPins *pins, Unit *unit) {
        ManagerUnit *row = manager_units_of(pins->rows, unit);

        if (!row)
                return -ENOMEM;
        unit_ref(unit);
        if (row->n_pins < PINS_MAX)
                row->n_pins++;
        manager_turn_mark(pins->turn, unit);
        return 0;
}

int manager_pins_add(ManagerPins *pins, Unit *unit) {
        assert(pins);
        assert(unit);

        return take_held(pins, unit) ? 0 : add_pin(pins, unit);
}

void manager_pins_remove(ManagerPins *pins, Unit *unit) {
        ManagerUnit *row = manager_units_of(pins->rows, unit);

        assert(row && row->n_pins > 0);

        unit_unref(unit);
        if (row->n_pins < PINS_MAX)
                row->n_pins--;
        manager_turn_mark(pins->turn, unit);
        manager_unloading_consider(pins->unloading, unit);
}

void manager_pins_write(const ManagerPins *pins, const Unit *unit, RecordWriter *writer) {
        const ManagerUnit *row = manager_units_find(pins->rows, unit);

        if (row && row->n_pins > 0)
                record_put(writer, row->n_pins);
}

int manager_pins_read(ManagerPins *pins, Unit *unit, RecordReader *reader) {
        uint64_t n = reader->at == reader->end ? 0 : record_get_below(reader, PINS_MAX + 1);
        int r = 0;

        for (; unit && n > 0 && r == 0 && !reader->has_failed; n--) {
                r = vector_push(&pins->held, unit);
                if (r == 0 && (r = add_pin(pins, unit)) < 0)
                        pins->held.n--;
        }
        return r;
}

static void let_go(ManagerPins *pins) {
        while (pins->held.n > 0)
                manager_pins_remove(pins, vector_pop(&pins->held));
        vector_deinit(&pins->held);
}

static int on_time(sd_event_source *source, uint64_t usec, void *userdata) {
        let_go(userdata);
        return 0;
}

void manager_pins_hold(ManagerPins *pins) {
        if (pins->held.n == 0)
                return;
        if (sd_event_add_time_relative(pins->turn->event, &pins->held_source, CLOCK_MONOTONIC, RETURN_TIME,
                                       USEC_PER_SEC, on_time, pins) >= 0)
                return;
        log_warning("Units that clients wait for may be unloaded before these connect again.");
        let_go(pins);
}

void manager_pins_drop(ManagerPins *pins) {
        sd_event_source_disable_unref(pins->held_source);
        let_go(pins);
}
