/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When a timer elapses
 *
 * The next time follows from the settings, from the last trigger, and from the state of the triggered unit; so it is
 * computed anew whenever one of these changes, and only the random delay is stored.
 *
 * Timers that elapse at nearly the same time should wake the machine once: within AccuracySec= a timer elapses at the
 * same offset within a minute, 10 s, a second or 250 ms. The offset differs between machines, so that many of them do
 * not ask one server at the same moment.
 */

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "basic/hash.h"
#include "basic/macro.h"
#include "basic/random.h"
#include "types/timer.h"

#define MACHINE_ID "/etc/machine-id"

static usec_t realtime_of(const Unit *unit) {
        return unit_timestamp(unit).realtime;
}

static usec_t started_of(const Unit *unit) {
        return unit_host(unit)->ops->started ? unit_host(unit)->ops->started(unit_host(unit)) : 0;
}

static usec_t booted_of(const Unit *unit) {
        return unit_host(unit)->ops->booted ? unit_host(unit)->ops->booted(unit_host(unit)) : 0;
}

/* — settings — */

/* When this run of the timer began. */
static UnitTimestamp find_start(const Unit *unit) {
        if (unit->active_state == UNIT_ACTIVE)
                return unit->inactive_exit;
        return (UnitTimestamp) { .realtime = realtime_of(unit), .monotonic = unit_now(unit) };
}

usec_t timer_find_base(const Unit *unit) {
        const usec_t last = timer_of(unit)->last_trigger.realtime;

        return last > 0 ? last : find_start(unit).realtime;
}

static int find_calendar(const Unit *unit, const TimerValue *value, usec_t *ret_next) {
        usec_t earliest;
        int r;

        r = calendar_next(value->calendar, timer_find_base(unit), ret_next);
        if (r < 0)
                return r;
        /* A time that was missed before the manager started counts as due at its start, delay included. */
        earliest = usec_sub(realtime_of(unit), usec_sub(unit_now(unit), started_of(unit)));
        *ret_next = MAX(*ret_next, earliest);
        return 0;
}

/* The moment that the span of @value is counted from: 0 if it has not come yet. */
static usec_t find_base(const Unit *unit, const TimerValue *value, bool *ret_is_once) {
        const Unit *triggered = timer_triggered(unit);
        usec_t last = timer_of(unit)->last_trigger.monotonic;

        *ret_is_once = true;
        switch (value->base) {
        case TIMER_ON_ACTIVE:
                return find_start(unit).monotonic;
        case TIMER_ON_BOOT:
                return booted_of(unit);
        case TIMER_ON_STARTUP:
                return started_of(unit);
        case TIMER_ON_UNIT_ACTIVE:
                *ret_is_once = false;
                return triggered ? MAX(triggered->inactive_exit.monotonic, last) : 0;
        case TIMER_ON_UNIT_INACTIVE:
                *ret_is_once = false;
                return triggered ? MAX(triggered->inactive_enter.monotonic, last) : 0;
        case TIMER_ON_CALENDAR:
        case _TIMER_BASE_MAX:
                break;
        }
        return 0;
}

/*
 * Is a time that comes once in a run of the timer over? It is if it has triggered (or it would trigger again and
 * again), and if it came while the triggered unit ran; not if the timer still waits for it, even if core comes late. A
 * trigger that only the stamp tells of belongs to another run.
 */
static bool is_over(const Unit *unit, usec_t next) {
        const Timer *timer = timer_of(unit);
        bool is_awaited = timer->state == TIMER_WAITING && timer->next_monotonic > 0 &&
                          usec_add(next, timer->delay) >= timer->next_monotonic;

        if (timer->last_trigger.monotonic == 0)
                return false;
        return next <= timer->last_trigger.monotonic || (next < unit_now(unit) && !is_awaited);
}

int timer_value_next(const Unit *unit, const TimerValue *value, usec_t *ret_next) {
        bool is_once;
        usec_t base;

        if (value->base == TIMER_ON_CALENDAR)
                return find_calendar(unit, value, ret_next);
        base = find_base(unit, value, &is_once);
        if (!is_once && base == 0)
                return -ENOENT;
        *ret_next = MAX(usec_add(base, value->span), 1U);
        if (*ret_next == USEC_INFINITY)
                return -ENOENT;
        return is_once && is_over(unit, *ret_next) ? -ENOENT : 0;
}

static usec_t earlier(usec_t a, usec_t b) {
        return a == 0 ? b : MIN(a, b);
}

bool timer_compute_next(const Unit *unit, usec_t *ret_realtime, usec_t *ret_monotonic, bool *ret_is_bound) {
        const TimerSettings *settings = timer_settings(unit);
        usec_t realtime = 0, monotonic = 0;

        *ret_is_bound = false;
        for (size_t i = 0; i < settings->values.n; i++) {
                const TimerValue *value = &settings->values.items[i];
                usec_t next;

                if (value->base == TIMER_ON_UNIT_ACTIVE || value->base == TIMER_ON_UNIT_INACTIVE)
                        *ret_is_bound = true;
                if (timer_value_next(unit, value, &next) < 0)
                        continue;
                if (value->base == TIMER_ON_CALENDAR)
                        realtime = earlier(realtime, next);
                else
                        monotonic = earlier(monotonic, next);
        }
        *ret_realtime = realtime > 0 ? usec_add(realtime, timer_of(unit)->delay) : 0;
        *ret_monotonic = monotonic > 0 ? usec_add(monotonic, timer_of(unit)->delay) : 0;
        return realtime > 0 || monotonic > 0 || settings->on_clock_change || settings->on_timezone_change;
}

/* — random delay — */

/* The same as long as the machine has its id. */
static uint64_t machine_hash(void) {
        static uint64_t hash;
        char id[64] = "";
        FILE *file;

        if (hash != 0)
                return hash;
        file = fopen(MACHINE_ID, "re");
        if (file) {
                if (!fgets(id, sizeof(id), file))
                        id[0] = '\0';
                fclose(file);
        }
        hash = hash_add(HASH_BEGIN, id);
        return hash;
}

/* Makes very different hashes from similar ones. */
static uint64_t mix(uint64_t hash) {
        hash = (hash ^ (hash >> 33)) * UINT64_C(0xff51afd7ed558ccd);
        hash = (hash ^ (hash >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
        return hash ^ (hash >> 33);
}

usec_t timer_draw_delay(const Unit *unit) {
        const TimerSettings *settings = timer_settings(unit);
        uint64_t number;

        if (settings->randomized_delay == 0)
                return 0;
        if (settings->fixed_random_delay) {
                char uid[32];

                snprintf(uid, sizeof(uid), "%u", (unsigned) getuid());
                number = mix(hash_add(hash_add(machine_hash(), uid), unit->id));
        } else if (random_bytes(&number, sizeof(number)) < 0)
                number = mix(machine_hash() ^ unit_now(unit));
        return settings->randomized_delay == USEC_INFINITY ? 0 : number % settings->randomized_delay;
}

/* — wake-up — */

/* The moment from @least to @most at which other timers wake up, too. */
static usec_t choose_moment(usec_t least, usec_t most) {
        static const usec_t steps[] = { USEC_PER_MINUTE, 10 * USEC_PER_SEC, USEC_PER_SEC, 250 * USEC_PER_MSEC };
        usec_t offset = mix(machine_hash()) % USEC_PER_MINUTE;

        for (size_t i = 0; i < ELEMENTSOF(steps); i++) {
                usec_t moment = most / steps[i] * steps[i] + offset % steps[i];

                if (moment > most)
                        moment = usec_sub(moment, steps[i]);
                if (moment >= least && moment <= most)
                        return moment;
        }
        return most;
}

usec_t timer_find_deadline(const Unit *unit) {
        const Timer *timer = timer_of(unit);
        usec_t now = unit_now(unit), deadline = USEC_INFINITY, accuracy = timer_settings(unit)->accuracy;

        if (timer->next_monotonic > 0)
                deadline = timer->next_monotonic;
        if (timer->next_realtime > 0)
                deadline = MIN(deadline, usec_add(now, usec_sub(timer->next_realtime, realtime_of(unit))));
        if (deadline <= now || deadline == USEC_INFINITY)
                return deadline;
        return choose_moment(deadline, MIN(usec_add(deadline, accuracy), USEC_INFINITY - 1));
}
