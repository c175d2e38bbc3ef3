/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * monitor: events as they happen
 *
 * Each signal becomes an event with the signal's name and stable keys,
 * printed as a JSON line or as a sentence. Signals that concern neither jobs
 * nor states of units are left out. The first event tells that no later one
 * is missed, so a script knows when to go on.
 */

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "basic/clock.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/monitor.h"
#include "jobctl/names.h"
#include "jobctl/state.h"
#include "jobctl/verbs.h"

static const char *path_name(const char *path) {
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}

/* The inverse of bus_unit_path(). */
static int unit_of_path(const char *path, char **ret_unit) {
        cleanup_(text_deinit) Text unit = {};

        for (const char *c = path_name(path); *c; c++) {
                unsigned byte;

                if (*c == '_' && sscanf(c + 1, "%2x", &byte) == 1) {
                        text_add_char(&unit, (char) byte);
                        c += 2;
                } else
                        text_add_char(&unit, *c);
        }
        return text_finish(&unit, ret_unit);
}

static json_t *event_of_properties(const BusSignal *signal) {
        const json_t *changed = json_array_get(signal->args, 1);
        const char *active = value_string(changed, "ActiveState");
        cleanup_free_ char *unit = NULL;

        if (strcmp(value_item_string(signal->args, 0), BUS_UNIT) != 0 || !*active ||
            unit_of_path(signal->path, &unit) < 0)
                return NULL;
        return json_pack("{s:s, s:s, s:s, s:s}", "event", "UnitChanged", "unit", unit, "active-state", active,
                         "sub-state", value_string(changed, "SubState"));
}

static json_t *event_of_job_changed(const BusSignal *signal) {
        json_int_t id = (json_int_t) value_item_u64(signal->args, 0);
        json_t *event = json_pack("{s:s, s:I}", "event", "JobChanged", "id", id);

        if (event && json_object_update_missing(event, json_array_get(signal->args, 1)) < 0) {
                json_decref(event);
                return NULL;
        }
        return event;
}

json_t *monitor_event(const BusSignal *signal) {
        json_int_t id = (json_int_t) value_item_u64(signal->args, 0);
        const char *first = value_item_string(signal->args, 0);

        if (bus_signal_is(signal, BUS_MANAGER, "JobNew"))
                return json_pack("{s:s, s:I, s:s}", "event", "JobNew", "id", id, "unit",
                                 value_item_string(signal->args, 2));
        if (bus_signal_is(signal, BUS_MANAGER, "JobRemoved"))
                return json_pack("{s:s, s:I, s:s, s:s}", "event", "JobRemoved", "id", id, "unit",
                                 value_item_string(signal->args, 2), "result", value_item_string(signal->args, 3));
        if (bus_signal_is(signal, BUS_MANAGER, "JobChanged"))
                return event_of_job_changed(signal);
        if (bus_signal_is(signal, BUS_MANAGER, "UnitNew"))
                return json_pack("{s:s, s:s}", "event", "UnitNew", "unit", first);
        if (bus_signal_is(signal, BUS_MANAGER, "UnitRemoved"))
                return json_pack("{s:s, s:s}", "event", "UnitRemoved", "unit", first);
        if (bus_signal_is(signal, BUS_MANAGER, "Reloading"))
                return json_pack("{s:s, s:b}", "event", "Reloading", "active",
                                 json_is_true(json_array_get(signal->args, 0)));
        if (bus_signal_is(signal, BUS_MANAGER, "UnitFilesChanged"))
                return json_pack("{s:s}", "event", "UnitFilesChanged");
        if (bus_signal_is(signal, BUS_PROPERTIES, "PropertiesChanged"))
                return event_of_properties(signal);
        return NULL;
}

static void add_job_change(Text *text, const json_t *event) {
        const char *cause = value_string(event, "cause");
        uint64_t blocker = value_u64(event, "blocker");

        text_addf(text, "%s, %s", value_string(event, "type"), value_string(event, "state"));
        if (*value_string(event, "run") && strcmp(value_string(event, "run"), value_string(event, "type")) != 0)
                text_addf(text, " as %s", value_string(event, "run"));
        if (value_bool(event, "paused"))
                text_add(text, ", paused");
        if (blocker > 0)
                text_addf(text, ", behind job %" PRIu64, blocker);
        if (*cause)
                text_addf(text, " (%s)", cause);
}

int monitor_format(const json_t *event, char **ret_line) {
        cleanup_(text_deinit) Text text = {};
        const char *kind = value_string(event, "event"), *unit = value_string(event, "unit");

        if (text_starts_with(kind, "Job"))
                text_addf(&text, "job %" PRIu64 " %s: ", value_u64(event, "id"), unit);
        else if (*unit)
                text_addf(&text, "%s: ", unit);
        if (strcmp(kind, "JobNew") == 0)
                text_add(&text, "new");
        else if (strcmp(kind, "JobRemoved") == 0)
                text_addf(&text, "ended, %s", value_string(event, "result"));
        else if (strcmp(kind, "JobChanged") == 0)
                add_job_change(&text, event);
        else if (strcmp(kind, "UnitNew") == 0)
                text_add(&text, "loaded");
        else if (strcmp(kind, "UnitRemoved") == 0)
                text_add(&text, "unloaded");
        else if (strcmp(kind, "UnitChanged") == 0)
                text_addf(&text, "%s (%s)", value_string(event, "active-state"), value_string(event, "sub-state"));
        else if (strcmp(kind, "UnitFilesChanged") == 0)
                text_add(&text, "unit files have changed");
        else
                text_add(&text, value_bool(event, "active") ? "reading unit files …" : "unit files read");
        return text_finish(&text, ret_line);
}

static TerminalColor color_of(const json_t *event) {
        const char *result = value_string(event, "result");

        if (*result)
                return exit_status_of_result(result) == EXIT_OK ? COLOR_NONE : COLOR_RED;
        return state_color(value_string(event, "active-state"));
}

static int print_event(Jobctl *ctl, const json_t *event, usec_t now) {
        time_t seconds = (time_t) (now / USEC_PER_SEC);
        cleanup_free_ char *line = NULL;
        struct tm parts;
        char clock[16];
        int r;

        r = monitor_format(event, &line);
        if (r < 0)
                return r;
        localtime_r(&seconds, &parts);
        strftime(clock, sizeof(clock), "%H:%M:%S", &parts);
        printf("%s.%03u  ", clock, (unsigned) (now % USEC_PER_SEC / USEC_PER_MSEC));
        terminal_print(&ctl->terminal, color_of(event), line);
        putchar('\n');
        fflush(stdout);
        return 0;
}

static bool is_wanted(const json_t *event, char *const *words) {
        const char *unit = value_string(event, "unit");

        if (!words || !*words)
                return true;
        strv_foreach(word, words) {
                cleanup_free_ char *pattern = NULL;

                if (name_mangle(*word, ".service", &pattern) == 0 && fnmatch(pattern, unit, FNM_NOESCAPE) == 0)
                        return true;
        }
        return false;
}

static int print_signal(Jobctl *ctl, const BusSignal *signal, char *const *words) {
        cleanup_json_ json_t *event = monitor_event(signal);
        usec_t now = clock_realtime();

        if (!event || !is_wanted(event, words))
                return 0;
        if (!ctl->options.json)
                return print_event(ctl, event, now);
        if (json_object_set_new(event, "time", json_integer((json_int_t) now)) < 0)
                return -ENOMEM;
        return jobctl_print_json_line(ctl, take_ptr(event));
}

static int print_ready(Jobctl *ctl) {
        if (ctl->options.json)
                return jobctl_print_json_line(ctl, json_pack("{s:s, s:I}", "event", "Listening", "time",
                                                             (json_int_t) clock_realtime()));
        if (!ctl->options.quiet)
                terminal_say(stderr, "Listening; end with Ctrl-C.");
        return 0;
}

static int print_lost(Jobctl *ctl) {
        if (ctl->options.json)
                return jobctl_print_json_line(ctl, json_pack("{s:s, s:I}", "event", "Lost", "time",
                                                             (json_int_t) clock_realtime()));
        terminal_say(stderr, "The connection to jobd was lost: what happens now is not shown.");
        return 0;
}

static int listen_again(Jobctl *ctl, BusError *error) {
        int r = print_lost(ctl);

        if (r == 0)
                r = jobctl_reconnect(ctl, error);
        return r < 0 ? r : print_ready(ctl);
}

int verb_monitor(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        int r = jobctl_subscribe(ctl, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "listen to the manager");
        bus_catch_interrupt(true);
        r = print_ready(ctl);
        while (r >= 0) {
                cleanup_(bus_signal_deinit) BusSignal signal = {};

                r = bus_next_signal(ctl->bus, USEC_INFINITY, &signal);
                if (r > 0)
                        r = print_signal(ctl, &signal, words);
                if (r == -ENOTCONN)
                        r = listen_again(ctl, &error);
                if (r == -EINTR)
                        return EXIT_OK;
                if (r == -ENOTCONN)
                        return jobctl_fail(ctl, &error, NULL);
        }
        return r;
}
