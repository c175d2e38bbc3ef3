/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * status: the state of a unit, for a person at a terminal
 *
 * The layout is that of systemctl, which people know; additional facts (the
 * reason of a failure, what a job waits for) have lines of their own.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/strv.h"
#include "jobctl/names.h"
#include "jobctl/property_text.h"
#include "jobctl/state.h"
#include "jobctl/status.h"
#include "jobctl/verbs.h"

static void print_heading(Jobctl *ctl, const json_t *unit) {
        const char *active = value_string(unit, "ActiveState"), *id = value_string(unit, "Id");
        const char *description = value_string(unit, "Description");

        terminal_print(&ctl->terminal, state_color(active), state_dot(&ctl->terminal, active));
        printf(" %s", id);
        if (*description && strcmp(description, id) != 0)
                printf(" - %s", description);
        putchar('\n');
}

static void print_loaded(Jobctl *ctl, const json_t *unit) {
        const char *load = value_string(unit, "LoadState"), *file_state = value_string(unit, "UnitFileState");
        const char *path = value_string(unit, "FragmentPath"), *preset = value_string(unit, "UnitFilePreset");
        const char *reason = value_item_string(json_object_get(unit, "LoadError"), 1);
        TerminalColor color = strcmp(load, "loaded") == 0 ? COLOR_NONE : state_color(load);

        if (!*path)
                path = value_string(unit, "SourcePath");
        if (value_bool(unit, "Transient"))
                preset = "";
        status_print_label("Loaded");
        terminal_print(&ctl->terminal, color, load);
        if (*reason)
                printf(" (Reason: %s)", reason);
        else if (*path)
                printf(" (%s%s%s%s%s)", path, *file_state ? "; " : "", file_state, *preset ? "; preset: " : "", preset);
        putchar('\n');
        if (value_bool(unit, "Transient")) {
                status_print_label("Transient");
                puts("yes");
        }
}

/* Groups drop-ins by folder: a folder, and its files below. */
static void print_dropins(Jobctl *ctl, const json_t *unit) {
        const char *branch = ctl->terminal.has_utf8 ? "└─" : "`-", *last = "";
        const json_t *paths = json_object_get(unit, "DropInPaths");
        size_t i, last_n = 0;
        json_t *item;

        json_array_foreach(paths, i, item) {
                const char *path = json_string_value(item) ?: "", *slash = strrchr(path, '/') ?: path;
                size_t n = (size_t) (slash - path);

                if (i > 0 && n == last_n && strncmp(path, last, n) == 0) {
                        printf(", %s", slash + 1);
                        continue;
                }
                if (i == 0)
                        status_print_label("Drop-In");
                else
                        printf("\n%*s", STATUS_LABEL_WIDTH + 2, "");
                printf("%.*s\n%*s%s%s", (int) n, path, STATUS_LABEL_WIDTH + 2, "", branch, slash + 1);
                last = path;
                last_n = n;
        }
        if (i > 0)
                putchar('\n');
}

/* The property with the time of entering this state. */
static const char *state_since(const char *active) {
        const char *key = "ActiveExitTimestamp";

        if (strcmp(active, "active") == 0 || strcmp(active, "reloading") == 0)
                key = "ActiveEnterTimestamp";
        else if (strcmp(active, "inactive") == 0 || strcmp(active, "failed") == 0)
                key = "InactiveEnterTimestamp";
        else if (strcmp(active, "activating") == 0)
                key = "InactiveExitTimestamp";
        return key;
}

/*
 * "Sun 2026-11-22 04:07:04 UTC; 9ms ago", or "" if it has not happened. The date is the time of the clock then; the age
 * is measured by the monotonic clock, which is never set.
 */
static const char *format_since(const json_t *unit, const char *key, char time[static STATE_TIME_MAX]) {
        const usec_t since = value_u64(unit, key);
        char name[64];

        if (since == 0 || since == USEC_INFINITY)
                return "";
        snprintf(name, sizeof(name), "%sMonotonic", key);
        return state_format_time(since, usec_add(since, usec_sub(clock_monotonic(), value_u64(unit, name))), time);
}

static void print_since(const json_t *unit, const char *key) {
        char buffer[STATE_TIME_MAX];
        const char *since = format_since(unit, key, buffer);

        if (*since)
                printf(" since %s", since);
}

static void print_active(Jobctl *ctl, const json_t *unit) {
        const char *active = value_string(unit, "ActiveState"), *sub = value_string(unit, "SubState");
        const char *result = value_string(unit, "Result"), *freezer = value_string(unit, "FreezerState");
        bool has_result = *result && strcmp(result, "success") != 0;

        status_print_label("Active");
        terminal_print(&ctl->terminal, state_color(active), active);
        if (*sub && strcmp(sub, active) != 0)
                printf(" (%s)", sub);
        if (has_result)
                printf(" (Result: %s)", result);
        if (*freezer && strcmp(freezer, "running") != 0)
                printf(" (%s)", freezer);
        print_since(unit, state_since(active));
        putchar('\n');
}

static void print_found(const json_t *unit) {
        if (value_bool(unit, "Found"))
                status_print_line("Found",
                                  "running after jobd had lost its records; how it was started is not known");
}

/* Prints the conditions, or assertions, that prevented a start. */
static void print_checks(const json_t *unit, const char *kind) {
        char keys[3][32], buffer[STATE_TIME_MAX];
        const char *since;
        json_t *check;
        size_t i;

        snprintf(keys[0], sizeof(keys[0]), "%sTimestamp", kind);
        snprintf(keys[1], sizeof(keys[1]), "%sResult", kind);
        snprintf(keys[2], sizeof(keys[2]), "%ss", kind);
        since = format_since(unit, keys[0], buffer);
        if (!*since || value_bool(unit, keys[1]))
                return;
        status_print_label(kind);
        printf("not met at the start of %s\n", since);
        json_array_foreach(json_object_get(unit, keys[2]), i, check)
                if (json_integer_value(json_array_get(check, 4)) < 0)
                        printf("%*s%s=%s%s%s was not met\n", STATUS_LABEL_WIDTH + 2, "", value_item_string(check, 0),
                               json_is_true(json_array_get(check, 1)) ? "|" : "",
                               json_is_true(json_array_get(check, 2)) ? "!" : "", value_item_string(check, 3));
}

/* Units with their state as a dot. */
static void print_units(Jobctl *ctl, const json_t *unit, const char *key, const char *label) {
        json_t *name;
        size_t i;

        json_array_foreach(json_object_get(unit, key), i, name) {
                cleanup_(bus_error_deinit) BusError error = {};
                cleanup_json_ json_t *state = NULL;
                const char *word;

                (void) jobctl_unit_property(ctl, json_string_value(name) ?: "", "ActiveState", &state, &error);
                word = json_string_value(state) ?: "inactive";
                if (i == 0)
                        status_print_label(label);
                else
                        printf("%*s", STATUS_LABEL_WIDTH + 2, "");
                terminal_print(&ctl->terminal, state_color(word), state_dot(&ctl->terminal, word));
                printf(" %s\n", json_string_value(name) ?: "");
        }
}

/* Prints the end of the allowed run time. */
static void print_until(const json_t *unit) {
        usec_t limit = json_object_get(unit, "RuntimeMaxUSec") ? value_u64(unit, "RuntimeMaxUSec") : USEC_INFINITY;
        usec_t since = value_u64(unit, "ActiveEnterTimestampMonotonic"), now = clock_monotonic();
        char date[STATE_TIME_MAX], span[USEC_FORMAT_MAX];
        usec_t left;

        if (limit == USEC_INFINITY || limit == 0 || since == 0 ||
            strcmp(value_string(unit, "ActiveState"), "active") != 0)
                return;
        left = usec_sub(usec_add(since, limit), now);
        status_print_label("Until");
        printf("%s; %s left\n", state_format_date(usec_add(clock_realtime(), left), date),
               state_format_span(left, span));
}

/* Prints the pending automatic restart. */
static void print_restart(const json_t *unit) {
        usec_t pause = value_u64(unit, json_object_get(unit, "RestartUSecNext") ? "RestartUSecNext" : "RestartUSec");
        usec_t at = value_u64(unit, "NextRestartUSecMonotonic");
        char span[USEC_FORMAT_MAX];

        if (!text_starts_with(value_string(unit, "SubState"), "auto-restart"))
                return;
        if (at == 0)
                at = usec_add(value_u64(unit, "StateChangeTimestampMonotonic"), pause);
        status_print_label("Restart");
        printf("in %s (%" PRIu64 " so far)\n", state_format_span(usec_sub(at, clock_monotonic()), span),
               value_u64(unit, "NRestarts"));
}

static void print_accepted(const json_t *unit) {
        status_print_label("Accepted");
        printf("%" PRIu64 "; Connected: %" PRIu64 "\n", value_u64(unit, "NAccepted"), value_u64(unit, "NConnections"));
}

/* (ss) of sockets and paths: address or path, and kind. */
static void print_listen(const json_t *unit, const char *key, const char *label) {
        json_t *item;
        size_t i;

        json_array_foreach(json_object_get(unit, key), i, item) {
                if (i == 0)
                        status_print_label(label);
                else
                        printf("%*s", STATUS_LABEL_WIDTH + 2, "");
                printf("%s (%s)\n", value_item_string(item, 1), value_item_string(item, 0));
        }
}

/* Prints the next elapse of a timer. */
static void print_next(const json_t *unit) {
        usec_t realtime = value_u64(unit, "NextElapseUSecRealtime");
        usec_t monotonic = value_u64(unit, "NextElapseUSecMonotonic");
        usec_t now = clock_realtime(), since_boot = clock_monotonic(), left = USEC_INFINITY;
        char date[STATE_TIME_MAX], span[USEC_FORMAT_MAX];

        if (!json_object_get(unit, "NextElapseUSecRealtime"))
                return;
        if (realtime > 0 && realtime != USEC_INFINITY)
                left = usec_sub(realtime, now);
        if (monotonic > 0 && monotonic != USEC_INFINITY)
                left = MIN(left, usec_sub(monotonic, since_boot));
        status_print_label("Trigger");
        if (left == USEC_INFINITY)
                puts("n/a");
        else
                printf("%s; %s left\n", state_format_date(usec_add(now, left), date), state_format_span(left, span));
}

/* — processes — */

static void print_command(const json_t *command, const char *label) {
        cleanup_(text_deinit) Text text = {};
        int code = (int) value_item_u64(command, EXEC_FIELD_CODE);
        uint64_t pid = value_item_u64(command, EXEC_FIELD_PID);

        if (pid == 0 || value_item_u64(command, EXEC_FIELD_EXIT_REALTIME) == 0)
                return;
        text_addf(&text, "%" PRIu64 " %s=", pid, label);
        property_add_strings(&text, json_array_get(command, EXEC_FIELD_ARGV), " ");
        text_addf(&text, " (code=%s, status=", property_exit_code(code));
        property_add_exit_status(&text, code, (int) value_item_u64(command, EXEC_FIELD_STATUS));
        text_add_char(&text, ')');
        status_print_line("Process", text.string ?: "");
}

static void print_commands(const json_t *unit, uint64_t main_pid) {
        static const char *const names[] = { "ExecCondition", "ExecStartPre", "ExecStart", "ExecStartPost",
                                             "ExecReload", "ExecStop", "ExecStopPost" };

        for (size_t n = 0; n < ELEMENTSOF(names); n++) {
                json_t *command;
                size_t i;

                json_array_foreach(json_object_get(unit, names[n]), i, command)
                        if (value_item_u64(command, EXEC_FIELD_PID) != main_pid)
                                print_command(command, names[n]);
        }
}

static void add_comm(Text *text, uint64_t pid) {
        char path[64], comm[64] = "";
        cleanup_free_ char *escaped = NULL;
        FILE *file;

        snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", pid);
        file = fopen(path, "re");
        if (!file)
                return;
        if (fgets(comm, sizeof(comm), file)) {
                comm[strcspn(comm, "\n")] = '\0';
                if (terminal_escape(comm, &escaped) == 0)
                        text_addf(text, " (%s)", escaped);
        }
        fclose(file);
}

static void print_main_pid(const json_t *unit) {
        uint64_t main_pid = value_u64(unit, "MainPID"), last = value_u64(unit, "ExecMainPID");
        int code = (int) value_u64(unit, "ExecMainCode");
        cleanup_(text_deinit) Text text = {};

        if (main_pid > 0) {
                text_addf(&text, "%" PRIu64, main_pid);
                add_comm(&text, main_pid);
        } else if (last > 0) {
                text_addf(&text, "%" PRIu64 " (code=%s, status=", last, property_exit_code(code));
                property_add_exit_status(&text, code, (int) value_u64(unit, "ExecMainStatus"));
                text_add_char(&text, ')');
        }
        status_print_line("Main PID", text.string ?: "");
}

static void print_control_pid(const json_t *unit) {
        uint64_t pid = value_u64(unit, "ControlPID");
        cleanup_(text_deinit) Text text = {};

        if (pid == 0)
                return;
        text_addf(&text, "%" PRIu64, pid);
        add_comm(&text, pid);
        status_print_line("Cntrl PID", text.string ?: "");
}

/* — jobs and words — */

/* Prints the unit's job, and the first sentence of "why". */
static void print_job(Jobctl *ctl, const json_t *unit) {
        uint64_t id = value_item_u64(json_object_get(unit, "Job"), 0);
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *jobs = NULL, *reply = NULL;
        cleanup_free_ char *subject = NULL;
        const json_t *job;

        if (id == 0 || text_format(&subject, "%" PRIu64, id) < 0)
                return;
        status_print_label("Job");
        printf("%s", subject);
        if (jobctl_query(ctl, "id", "u", json_integer((json_int_t) id), &jobs, &error) == 0 &&
            (job = json_array_get(jobs, 0)))
                printf(" (%s, %s)", value_string(job, "type"), value_string(job, "state"));
        bus_error_deinit(&error);
        if (jobctl_call(ctl, "Explain", "s", json_pack("[s]", subject), &reply, &error) == 0)
                printf(": %s", value_string(json_array_get(reply, 0), "summary"));
        putchar('\n');
}

/* Prints how its last job ended, where the unit itself has nothing to say about that. */
static void print_last_job(Jobctl *ctl, const json_t *unit) {
        static const char *const said[] = { "done", "skipped", "failed", "assert", "canceled" };
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        cleanup_free_ char *line = NULL;
        const char *result, *end;
        const json_t *last;

        if (!text_equal(value_string(unit, "ActiveState"), "inactive") ||
            jobctl_call(ctl, "Explain", "s", json_pack("[s]", value_string(unit, "Id")), &reply, &error) < 0)
                return;
        last = json_array_get(reply, 0);
        result = value_string(last, "result");
        end = value_string(last, "end");
        if (!text_equal(value_string(last, "kind"), "idle") || !*result)
                return;
        for (size_t i = 0; i < ELEMENTSOF(said); i++)
                if (text_equal(result, said[i]))
                        return;
        if (text_format(&line, "%" PRIu64 " (%s) ended %s%s%s", value_u64(last, "id"), value_string(last, "type"),
                        result, *end ? ": " : "", end) == 0)
                status_print_line("Last job", line);
}

static void print_documentation(const json_t *unit) {
        cleanup_(text_deinit) Text docs = {};

        property_add_strings(&docs, json_object_get(unit, "Documentation"), "\n             ");
        status_print_line("Docs", docs.string ?: "");
}

static void print_words(const json_t *unit) {
        const char *status = value_string(unit, "StatusText");

        if (*status) {
                status_print_label("Status");
                printf("\"%s\"\n", status);
        }
        if (value_u64(unit, "StatusErrno") > 0)
                status_print_line("Error", strerror((int) value_u64(unit, "StatusErrno")));
        status_print_line("Reason", value_string(unit, "FailureReason"));
}

static void print_unit(Jobctl *ctl, const json_t *unit) {
        uint64_t main_pid = MAX(value_u64(unit, "MainPID"), value_u64(unit, "ExecMainPID"));

        print_heading(ctl, unit);
        print_loaded(ctl, unit);
        print_dropins(ctl, unit);
        print_active(ctl, unit);
        print_found(unit);
        print_checks(unit, "Condition");
        print_checks(unit, "Assert");
        print_until(unit);
        print_restart(unit);
        print_next(unit);
        print_units(ctl, unit, "TriggeredBy", "TriggeredBy");
        print_units(ctl, unit, "Triggers", "Triggers");
        print_listen(unit, "Listen", "Listen");
        if (value_bool(unit, "Accept"))
                print_accepted(unit);
        print_listen(unit, "Paths", "Watches");
        status_print_line("Where", value_string(unit, "Where"));
        status_print_line("What", value_string(unit, "What"));
        print_documentation(unit);
        print_job(ctl, unit);
        print_last_job(ctl, unit);
        if (!text_starts_with(value_string(unit, "SubState"), "auto-restart"))
                status_print_line("Doing", value_string(unit, "Activity"));
        print_commands(unit, main_pid);
        print_main_pid(unit);
        print_control_pid(unit);
        print_words(unit);
        status_print_runs(ctl, unit);
        status_print_group(ctl, unit);
        if (value_bool(unit, "NeedDaemonReload"))
                jobctl_warn_outdated(value_string(unit, "Id"));
}

static int status_of(const json_t *unit) {
        const char *active = value_string(unit, "ActiveState");

        if (strcmp(value_string(unit, "LoadState"), "not-found") == 0 && strcmp(active, "inactive") == 0)
                return EXIT_UNKNOWN;
        return strcmp(active, "inactive") == 0 || strcmp(active, "failed") == 0 ? EXIT_INACTIVE : EXIT_OK;
}

/* — the verb — */

static int get_by_pid(Jobctl *ctl, uint32_t pid, json_t **ret_unit, BusError *ret_error) {
        cleanup_json_ json_t *reply = NULL;
        int r;

        r = jobctl_call(ctl, "GetUnitByPID", "u", json_pack("[I]", (json_int_t) pid), &reply, ret_error);
        return r < 0 ? r : jobctl_properties(ctl, value_item_string(reply, 0), NULL, ret_unit, ret_error);
}

static int status_unit(Jobctl *ctl, const char *word, bool is_first, json_t *documents) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *unit = NULL;
        const char *hint;
        uint32_t pid;
        int r, status, n;

        if (name_is_number(word, &pid))
                r = get_by_pid(ctl, pid, &unit, &error);
        else
                r = jobctl_unit_properties(ctl, word, NULL, &unit, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get the status of %s", word);
        status = status_of(unit);
        if (ctl->options.json) {
                r = status_add_processes(ctl, unit);
                if (r == 0)
                        r = status_add_runs(ctl, unit);
                return r < 0 || json_array_append(documents, unit) < 0 ? -ENOMEM : status;
        }
        if (status == EXIT_UNKNOWN) {
                hint = value_hint(unit, &n);
                terminal_say(stderr, "Unit %s could not be found%.*s.", word, n, hint);
                return status;
        }
        if (!is_first)
                putchar('\n');
        print_unit(ctl, unit);
        r = status_print_log(ctl, unit);
        return r != 0 ? r : status;
}

static int status_words(Jobctl *ctl, char *const *words, json_t *documents) {
        int status = EXIT_OK;

        strv_foreach(word, words) {
                char *one[] = { *word, NULL };
                cleanup_(strv_freep) char **names = NULL;
                uint32_t pid;
                int r;

                r = name_is_number(*word, &pid) ? strv_copy(one, &names) : names_resolve(ctl, one, ".service", &names);
                if (r != 0)
                        return r;
                strv_foreach(name, names) {
                        r = status_unit(ctl, *name, word == words && name == names, documents);
                        if (r < 0)
                                return r;
                        status = status == EXIT_OK ? r : status;
                }
        }
        return status;
}

int verb_status(Jobctl *ctl, char *const *words) {
        cleanup_json_ json_t *documents = json_array();
        int r;

        if (!words || !*words)
                return status_manager(ctl);
        r = status_words(ctl, words, documents);
        if (r < 0 || !ctl->options.json)
                return r;
        return jobctl_print_json(ctl, take_ptr(documents), r);
}
