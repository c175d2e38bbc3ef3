/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The share of other users, beside the sources of root and the owner, of a
 * higher priority, and what has a lower one
 */

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "basic/clock.h"
#include "dbus/peer/bus_others.h"
#include "double/double_assert.h"
#include "manager/manager_priority.h"

#define CALLS_OF_ROOT 100U
/* Of others, while something else waits that is never reached without a rest. */
#define CALLS_MAX 200U
#define LONG_CALL (5 * USEC_PER_MSEC)

static sd_event *event;
static BusOthers *others;
static sd_event_source *ready;
static int work;
static unsigned n_of_root, n_of_others, n_idle;

/* A client who always has one more question: of another user, and of root. */
static int on_other(sd_event_source *source, int fd, uint32_t revents, void *userdata) {
        const usec_t *takes = userdata, end = clock_monotonic() + *takes;

        n_of_others++;
        while (clock_monotonic() < end)
                ;
        return 0;
}

static int on_root(sd_event_source *source, int fd, uint32_t revents, void *userdata) {
        if (++n_of_root == CALLS_OF_ROOT)
                sd_event_source_set_enabled(source, SD_EVENT_OFF);
        return 0;
}

static int on_idle(sd_event_source *source, void *userdata) {
        n_idle++;
        return 0;
}

static void set_up(void) {
        cr_assert(ge(int, sd_event_new(&event), 0));
        cr_assert(eq(int, bus_others_new(&others, event), 0));
        work = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        cr_assert(ge(int, work, 0));
}

static void tear_down(void) {
        sd_event_source_disable_unref(ready);
        others = bus_others_free(others);
        sd_event_unref(event);
        close(work);
}

TestSuite(bus_others, .init = set_up, .fini = tear_down);

static void run_once(void) {
        cr_assert(ge(int, sd_event_run(event, USEC_PER_MINUTE), 0));
}

static void ask_for_ever(usec_t *takes) {
        cr_assert(ge(int, sd_event_add_io(bus_others_event(others), &ready, work, EPOLLIN, on_other, takes), 0));
}

Test(bus_others, root_is_served_first) {
        sd_event_source *source;
        usec_t takes = 0;

        cr_assert(ge(int, sd_event_add_io(event, &source, work, EPOLLIN, on_root, NULL), 0));
        cr_assert(ge(int, sd_event_source_set_priority(source, MANAGER_PRIORITY_BUS), 0));
        ask_for_ever(&takes);
        while (n_of_root < CALLS_OF_ROOT) {
                run_once();
                cr_assert(eq(int, (int) n_of_others, 0), "after %u calls of root", n_of_root);
        }
        while (n_of_others == 0)
                run_once();
        sd_event_source_disable_unref(source);
}

/* Others do not always have the loop, as long as each of their calls may take. */
Test(bus_others, what_has_a_lower_priority_is_reached_while_others_rest) {
        sd_event_source *source;
        usec_t takes = LONG_CALL;

        cr_assert(ge(int, sd_event_add_defer(event, &source, on_idle, NULL), 0));
        cr_assert(ge(int, sd_event_source_set_priority(source, MANAGER_PRIORITY_IDLE), 0));
        cr_assert(ge(int, sd_event_source_set_enabled(source, SD_EVENT_ON), 0));
        ask_for_ever(&takes);
        while (n_idle == 0 && n_of_others < CALLS_MAX)
                run_once();
        cr_assert(ge(int, (int) n_idle, 1), "%u calls of others", n_of_others);
        cr_assert(ge(int, (int) n_of_others, 1));
        sd_event_source_disable_unref(source);
}

/* One of their many calls is not a turn; and one that takes long is not followed by another. */
Test(bus_others, a_turn_has_many_short_calls_or_a_long_one) {
        usec_t takes = LONG_CALL;

        ask_for_ever(&takes);
        while (n_of_others == 0)
                run_once();
        cr_assert(eq(int, (int) n_of_others, 1));
        takes = 0;
        while (n_of_others == 1)
                run_once();
        cr_assert(ge(int, (int) n_of_others, 3), "%u calls", n_of_others - 1);
}
