/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The share of other users
 *
 * The loop of other users is one source of the manager's, of a lower priority
 * than all that root and the owner have, so that any number of clients takes
 * its turn as one. A turn is over after a few milliseconds, or with the call
 * that takes longer; a rest of the same length follows. So a client of root
 * that asks several things, one after the other, waits for one call of another
 * user, not for one with each question.
 */

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "basic/clock.h"
#include "dbus/peer/bus_others.h"
#include "manager/manager_priority.h"

#define TURN (2 * USEC_PER_MSEC)

struct BusOthers {
        sd_event *event;                /* owned: their own loop */
        sd_event_source *ready;         /* owned: their loop has work */
        sd_event_source *rest;          /* owned: until when it is not looked at; off: it is */
        usec_t spent;                   /* since the last rest */
};

static int others_rest(BusOthers *others) {
        usec_t end = usec_add(clock_monotonic(), others->spent);

        others->spent = 0;
        (void) sd_event_source_set_enabled(others->ready, SD_EVENT_OFF);
        (void) sd_event_source_set_time(others->rest, end);
        return sd_event_source_set_enabled(others->rest, SD_EVENT_ONESHOT);
}

/* Without a rest only if nothing is left to do. What their loop fails at is tried again after a rest. */
static void others_serve(BusOthers *others) {
        usec_t began = clock_monotonic(), spent = others->spent;
        int r;

        do {
                r = sd_event_run(others->event, 0);
                others->spent = usec_add(spent, usec_sub(clock_monotonic(), began));
        } while (r > 0 && others->spent < TURN);

        if (r < 0 && others->spent < TURN)
                others->spent = TURN;
        if (others->spent >= TURN)
                (void) others_rest(others);
}

static int on_ready(sd_event_source *source, int fd, uint32_t revents, void *userdata) {
        others_serve(userdata);
        return 0;
}

static int on_rested(sd_event_source *source, uint64_t usec, void *userdata) {
        BusOthers *others = userdata;

        (void) sd_event_source_set_enabled(others->ready, SD_EVENT_ON);
        others_serve(others);           /* its deferred sources do not make its descriptor readable */
        return 0;
}

static int others_attach(BusOthers *others, sd_event *event) {
        int r;

        r = sd_event_new(&others->event);
        if (r >= 0)
                r = sd_event_add_io(event, &others->ready, sd_event_get_fd(others->event), EPOLLIN, on_ready, others);
        if (r >= 0)
                r = sd_event_source_set_priority(others->ready, MANAGER_PRIORITY_OTHERS);
        if (r >= 0)
                r = sd_event_add_time(event, &others->rest, CLOCK_MONOTONIC, 0, 1, on_rested, others);
        if (r >= 0)
                r = sd_event_source_set_priority(others->rest, MANAGER_PRIORITY_OTHERS);
        return r < 0 ? r : sd_event_source_set_enabled(others->rest, SD_EVENT_OFF);
}

int bus_others_new(BusOthers **ret_others, sd_event *event) {
        cleanup_(bus_others_freep) BusOthers *others = calloc(1, sizeof(*others));
        int r;

        if (!others)
                return -ENOMEM;
        r = others_attach(others, event);
        if (r < 0)
                return r;
        *ret_others = take_ptr(others);
        return 0;
}

sd_event *bus_others_event(const BusOthers *others) {
        return others->event;
}

BusOthers *bus_others_free(BusOthers *others) {
        if (!others)
                return NULL;
        sd_event_source_disable_unref(others->ready);
        sd_event_source_disable_unref(others->rest);
        sd_event_unref(others->event);
        free(others);
        return NULL;
}
