/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Times at which a timer should have elapsed
 *
 * While the machine is off, suspended, or without jobd, a calendar goes on. A
 * unit is started once for all that was missed; a flow may have a run for each
 * of the last ones (CatchUp=).
 */

#include "basic/macro.h"
#include "types/flow_trigger.h"
#include "types/timer.h"

bool timer_has_stamp(const Unit *unit) {
        switch (flow_catch_up(timer_triggered(unit))) {
        case FLOW_CATCH_UP_NONE:
                return false;
        case FLOW_CATCH_UP_LAST:
        case FLOW_CATCH_UP_ALL:
                return true;
        case FLOW_CATCH_UP_UNSET:
        case _FLOW_CATCH_UP_MAX:
                break;
        }
        return timer_settings(unit)->persistent;
}

/* The first time of any calendar after @base; USEC_INFINITY: there is none. */
static usec_t find_next(const TimerSettings *settings, usec_t base) {
        usec_t first = USEC_INFINITY, next;

        for (size_t i = 0; i < settings->values.n; i++)
                if (settings->values.items[i].base == TIMER_ON_CALENDAR &&
                    calendar_next(settings->values.items[i].calendar, base, &next) == 0)
                        first = MIN(first, next);
        return first;
}

/* How many times are after @base, up to @until; at most @max. */
static size_t count(const TimerSettings *settings, usec_t base, usec_t until, size_t max) {
        size_t n = 0;

        while (n < max && (base = find_next(settings, base)) <= until)
                n++;
        return n;
}

/* A window that ends with @until and has more than @max times, if there are so many after @base; else from there on. */
static usec_t find_window(const TimerSettings *settings, usec_t base, usec_t until, size_t max) {
        for (usec_t span = USEC_PER_SEC; span < until - base; span *= 2)
                if (count(settings, until - span, until, max + 1) > max)
                        return until - span;
        return base;
}

size_t timer_list_missed(const Unit *unit, size_t max, usec_t *times, bool *ret_has_more) {
        const TimerSettings *settings = timer_settings(unit);
        const usec_t base = timer_find_base(unit);
        const usec_t until = usec_sub(unit_timestamp(unit).realtime, timer_of(unit)->delay);
        usec_t window, time;
        size_t n = 0;

        *ret_has_more = false;
        if (base >= until)
                return 0;
        window = find_window(settings, base, until, max);
        /* The last ones, in their order. */
        for (time = find_next(settings, window); time <= until; time = find_next(settings, time)) {
                if (n == max) {
                        for (size_t i = 1; i < max; i++)
                                times[i - 1] = times[i];
                        n--;
                        *ret_has_more = true;
                }
                times[n++] = time;
        }
        *ret_has_more |= window > base && find_next(settings, base) < times[0];
        return n;
}
