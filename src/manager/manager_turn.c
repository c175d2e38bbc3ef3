/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The current turn
 *
 * The clock is read once, before anything else, so that everything in the turn
 * happens at one time. The processor's clock takes a system call, so it is
 * read only if work on jobs begins. Sources that the manager arms itself are
 * deferred ones: off, or served once.
 */

#include "basic/clock.h"
#include "manager/manager_turn.h"
#include "manager/manager_priority.h"

#define SPENT_AGE_MAX USEC_PER_MSEC
#define LATER_TIME USEC_PER_SEC

void manager_turn_arm(sd_event_source *source) {
        sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

int manager_turn_add_source(ManagerTurn *turn, sd_event_source **ret_source, sd_event_handler_t handler,
                            int64_t priority, void *userdata) {
        int r;

        r = sd_event_add_defer(turn->event, ret_source, handler, userdata);
        if (r >= 0)
                r = sd_event_source_set_enabled(*ret_source, SD_EVENT_OFF);
        return r < 0 ? r : sd_event_source_set_priority(*ret_source, priority);
}

static int on_idle(sd_event_source *source, void *userdata) {
        return 0;                       /* the work is done at the end of the turn */
}

static int on_later(sd_event_source *source, uint64_t usec, void *userdata) {
        const ManagerTurn *turn = userdata;

        if (turn->state)
                state_hasten(turn->state);
        return 0;
}

static int add_later_source(ManagerTurn *turn) {
        int r = sd_event_add_time(turn->event, &turn->later_source, CLOCK_MONOTONIC, USEC_INFINITY, 0, on_later, turn);

        return r < 0 ? r : sd_event_source_set_enabled(turn->later_source, SD_EVENT_OFF);
}

int manager_turn_init(ManagerTurn *turn) {
        int r = sd_event_new(&turn->event);

        if (r >= 0)
                r = manager_turn_add_source(turn, &turn->idle_source, on_idle, MANAGER_PRIORITY_IDLE, NULL);
        return r < 0 ? r : add_later_source(turn);
}

void manager_turn_deinit(ManagerTurn *turn) {
        sd_event_source_disable_unref(turn->later_source);
        sd_event_source_disable_unref(turn->idle_source);
        sd_event_unref(turn->event);
        state_free(turn->state);
        *turn = (ManagerTurn) {};
}

void manager_turn_read_clock(ManagerTurn *turn) {
        turn->now = clock_monotonic();
        turn->now_realtime = clock_realtime();
        turn->spent = 0;
}

static void note_length(ManagerTurn *turn, usec_t end) {
        if (turn->is_on)
                turn->longest = MAX(turn->longest, usec_sub(end, turn->begun));
        turn->is_on = false;
}

/* One that follows at once ends the turn before it. */
void manager_turn_begin(ManagerTurn *turn) {
        manager_turn_read_clock(turn);
        note_length(turn, turn->now);
        turn->begun = turn->now;
        turn->is_on = true;
}

void manager_turn_end(ManagerTurn *turn) {
        if (turn->is_on)
                note_length(turn, clock_monotonic());
}

/* Reading the processor time is a system call, so a value of at most this age is taken again. */
void manager_turn_note_work(ManagerTurn *turn) {
        if (turn->spent > 0)
                return;
        if (turn->spent_read == 0 || usec_sub(turn->now, turn->spent_read_in) >= SPENT_AGE_MAX) {
                turn->spent_read = clock_processor();
                turn->spent_read_in = turn->now;
        }
        turn->spent = turn->spent_read;
}

void manager_turn_wake(ManagerTurn *turn) {
        manager_turn_arm(turn->idle_source);
}

/* The timer stays as it is when a commit comes first: setting it for each mark would cost system calls. */
void manager_turn_mark_later(const ManagerTurn *turn, StoreSpace space, uint32_t number) {
        int enabled;

        state_mark_later(turn->state, space, number);
        if (sd_event_source_get_enabled(turn->later_source, &enabled) > 0)
                return;
        if (sd_event_source_set_time_relative(turn->later_source, LATER_TIME) < 0 ||
            sd_event_source_set_enabled(turn->later_source, SD_EVENT_ONESHOT) < 0)
                state_hasten(turn->state);
}
