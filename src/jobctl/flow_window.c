/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow start --for: runs for times of a timer that are over
 *
 * Each run is that of the timer for that time: it has the same key, so that no
 * time has two runs, whoever has made the first one.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "jobctl/flow_run.h"
#include "jobctl/names.h"
#include "time/calendar.h"
#include "time/timestamp.h"

#define RUNS_MAX 100U /* unless --max= says otherwise */

typedef VECTOR(Calendar *) Calendars;

typedef struct Window {
        char *timer; /* owned */
        usec_t from, until; /* of a single time: the same */
        uint32_t max;
        Calendars calendars; /* owned */
} Window;

static void window_deinit(Window *window) {
        for (size_t i = 0; i < window->calendars.n; i++)
                calendar_free(window->calendars.items[i]);
        vector_deinit(&window->calendars);
        free(window->timer);
}

/* "TIME", "TIME..TIME": 0, or an exit status after a message. */
static int read_times(Jobctl *ctl, Window *window) {
        cleanup_free_ char *first = strdup(ctl->options.for_times);
        char *dots = first ? strstr(first, "..") : NULL;
        const usec_t now = clock_realtime();

        if (!first)
                return -ENOMEM;
        if (dots)
                *dots = '\0';
        if (timestamp_parse(first, now, &window->from) < 0 || window->from == 0)
                return jobctl_misused(ctl, "'%s' is not a time; 'jobctl timestamp' shows how times are read.", first);
        window->until = window->from;
        if (dots && timestamp_parse(dots + 2, now, &window->until) < 0)
                return jobctl_misused(ctl, "'%s' is not a time; 'jobctl timestamp' shows how times are read.",
                                      dots + 2);
        if (dots && window->until <= window->from)
                return jobctl_misused(ctl, "The window %s ends before it begins.", ctl->options.for_times);
        window->max = RUNS_MAX;
        if (ctl->options.max_runs && (text_parse_u32(ctl->options.max_runs, &window->max) < 0 || window->max == 0))
                return jobctl_misused(ctl, "'%s' is not a number of runs above 0.", ctl->options.max_runs);
        return 0;
}

/* The timer that triggers the flow, unless one is named: 0, or an exit status after a message. */
static int find_timer(Jobctl *ctl, const char *unit, Window *window) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *triggers = NULL;
        const char *found = NULL;
        json_t *name;
        size_t i;
        int r;

        if (ctl->options.timer) {
                r = name_mangle(ctl->options.timer, ".timer", &window->timer);
                return r == -EINVAL ? jobctl_misused(ctl, "'%s' is not the name of a timer.", ctl->options.timer) : r;
        }
        r = jobctl_unit_property(ctl, unit, "TriggeredBy", &triggers, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "find the timer of %s", unit);
        json_array_foreach(triggers, i, name) {
                if (!text_ends_with(json_string_value(name), ".timer"))
                        continue;
                if (found)
                        return jobctl_misused(ctl, "%s has several timers: choose one with --timer=.", unit);
                found = json_string_value(name);
        }
        if (!found)
                return jobctl_misused(ctl, "No timer that is loaded triggers %s: name one with --timer=.", unit);
        return text_copy(found, &window->timer);
}

static int read_calendars(Jobctl *ctl, Window *window) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *properties = NULL;
        json_t *row;
        size_t i;
        int r = jobctl_unit_properties(ctl, window->timer, NULL, &properties, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "read the times of %s", window->timer);
        json_array_foreach(json_object_get(properties, "TimersCalendar"), i, row) {
                Calendar *calendar = NULL;
                CalendarFault fault;

                r = calendar_parse(value_item_string(row, 1), &calendar, &fault);
                if (r == 0)
                        r = vector_push(&window->calendars, calendar);
                if (r < 0) {
                        calendar_free(calendar);
                        return r;
                }
        }
        return 0;
}

/* The first time of any calendar after @base; USEC_INFINITY: there is none. */
static usec_t find_next(const Window *window, usec_t base) {
        usec_t first = USEC_INFINITY, next;

        for (size_t i = 0; i < window->calendars.n; i++)
                if (calendar_next(window->calendars.items[i], base, &next) == 0)
                        first = MIN(first, next);
        return first;
}

static int start_for(Jobctl *ctl, const char *unit, const Window *window, usec_t time, json_t *options,
                     FlowStart *start) {
        json_object_set_new(options, "timer", json_pack("{s:s}", "s", window->timer));
        json_object_set_new(options, "time", json_pack("{s:I}", "t", (json_int_t) time));
        return start(ctl, unit, options);
}

static int start_all(Jobctl *ctl, const char *unit, const Window *window, json_t *options, FlowStart *start) {
        int status = EXIT_OK;
        uint32_t n = 0;

        for (usec_t time = find_next(window, window->from - 1); time < window->until; time = find_next(window, time)) {
                int r;

                if (n++ == window->max) {
                        fprintf(stderr, "There are more times than %" PRIu32 ": for the others say --max=.\n",
                                window->max);
                        break;
                }
                r = start_for(ctl, unit, window, time, options, start);
                if (r < 0)
                        return r;
                status = exit_status_worse(status, r);
                /* A refusal holds for the times that follow, too. */
                if (exit_status_worse(EXIT_FAILED, r) != EXIT_FAILED)
                        break;
        }
        if (n == 0 && !ctl->options.quiet)
                fprintf(stderr, "%s does not elapse in %s.\n", window->timer, ctl->options.for_times);
        return status;
}

/* A day is as a time its midnight, which surprises people who mean the time of the timer on that day. */
static void warn_of_time(const Jobctl *ctl, const Window *window) {
        if (ctl->options.quiet || window->calendars.n == 0 || find_next(window, window->from - 1) == window->from)
                return;
        fprintf(stderr, "%s does not elapse at that time; the run is made all the same. For the times of a day name "
                        "both ends, as in --for=yesterday..today.\n", window->timer);
}

int flow_start_for(Jobctl *ctl, const char *unit, json_t *options, FlowStart *start) {
        cleanup_(window_deinit) Window window = {};
        int r = read_times(ctl, &window);

        if (r == 0)
                r = find_timer(ctl, unit, &window);
        if (r == 0)
                r = read_calendars(ctl, &window);
        if (r == 0 && window.from == window.until) {
                warn_of_time(ctl, &window);
                return start_for(ctl, unit, &window, window.from, options, start);
        }
        if (r == 0 && window.calendars.n == 0)
                return jobctl_misused(ctl, "%s has no OnCalendar=, so that it has no times before now.", window.timer);
        return r != 0 ? r : start_all(ctl, unit, &window, options, start);
}
