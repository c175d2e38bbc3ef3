/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stream: verbs about streams, their groups and elements
 *
 * A stream has one run that lives, so people name the stream. What is done to
 * that run is done by the verbs of flow.
 */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"
#include "jobctl/names.h"
#include "jobctl/state.h"
#include "jobctl/stream_push.h"
#include "jobctl/table.h"

#define ROWS_SHOWN 100U

/* The run of the stream that lives or, if there is none, the last one. 0, an exit status after a message, or < 0. */
static int find_run(Jobctl *ctl, const char *unit, json_t **ret_run) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *rows = NULL;
        json_t *row, *found = NULL;
        size_t i;
        int r = flow_query(ctl, NULL, "ListRuns", json_pack("{s:{s:s}}", "unit", "s", unit), ROWS_SHOWN, &rows, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "find the run of %s", unit);
        json_array_foreach(rows, i, row)
                if (!found || (flow_state_is_end(value_string(found, "state")) &&
                               !flow_state_is_end(value_string(row, "state"))))
                        found = row;
        if (!found) {
                bus_error_set(&error, "org.jobd1.NoSuchRun",
                              "%s has no run: a push makes one, or 'jobctl start %s'.", unit, unit);
                return jobctl_fail(ctl, &error, "find the run of %s", unit);
        }
        *ret_run = json_incref(found);
        return 0;
}

/* At most @max rows, and whether there are more. */
static int query(Jobctl *ctl, const char *method, json_t *filters, json_t **ret_rows, bool *ret_has_more,
                 BusError *error) {
        uint32_t max = ctl->options.all ? UINT32_MAX : ROWS_SHOWN;
        int r;

        if (ctl->options.lines && text_parse_u32(ctl->options.lines, &max) < 0) {
                json_decref(filters);
                return jobctl_misused(ctl, "'%s' is not a number of rows.", ctl->options.lines);
        }
        r = flow_query(ctl, NULL, method, filters, (size_t) max + 1, ret_rows, error);
        if (r < 0)
                return r;
        *ret_has_more = json_array_size(*ret_rows) > max;
        while (json_array_size(*ret_rows) > max)
                json_array_remove(*ret_rows, json_array_size(*ret_rows) - 1);
        return 0;
}

static const char *const group_states[] = { "IDLE", "AT-WORK", "PENDING", NULL };
static const char *const element_states[] = { "UNLINKED", "WAITING",   "READY",  "RUNNING", "PENDING",
                                              "SUCCEEDED", "FAILED", "SKIPPED", NULL };

static bool has_word(const char *const *words, const char *word) {
        for (; *words; words++)
                if (text_equal(*words, word))
                        return true;
        return false;
}

/*
 * Filters for the rows of the stream's run, the one that lives or the last, with --state= if it is given: one of
 * @known. 0, an exit status after a message, or < 0.
 */
static int make_filters(Jobctl *ctl, const char *unit, const char *const *known, json_t **ret_filters) {
        char *const *states = ctl->options.states;
        cleanup_json_ json_t *run = NULL;
        int r;

        if (states && states[0] && states[1])
                return jobctl_misused(ctl, "'stream' takes one state with --state=.");
        if (states && !has_word(known, states[0]))
                return jobctl_misused(ctl, "'%s' is not a state of %s, such as PENDING.", states[0],
                                      known == group_states ? "groups" : "elements");
        r = find_run(ctl, unit, &run);
        if (r != 0)
                return r;
        *ret_filters = json_pack("{s:{s:I}}", "run", "t", (json_int_t) value_u64(run, "id"));
        if (states)
                json_object_set_new(*ret_filters, "state", json_pack("{s:s}", "s", states[0]));
        return 0;
}

static int print_lines(Jobctl *ctl, const json_t *rows) {
        json_t *row;
        size_t i;
        int r = 0;

        json_array_foreach((json_t *) rows, i, row)
                if (r == 0)
                        r = jobctl_print_json_line(ctl, json_incref(row));
        return r;
}

static int finish_table(Jobctl *ctl, const Table *table, size_t n, const char *what, bool has_more) {
        int r = table_write(table, &ctl->terminal, stdout);

        if (r == 0 && !ctl->options.no_legend)
                printf("\n%zu %s%s listed%s.\n", n, what, n == 1 ? "" : "s",
                       has_more ? "; --all lists all of them" : "");
        return r;
}

static TerminalColor color_of(const char *state) {
        if (text_equal(state, "PENDING"))
                return COLOR_YELLOW;
        return flow_color_of_state(state);
}

/* The empty name is the default group. */
static void add_name(Table *table, const char *name) {
        table_add(table, COLOR_NONE, *name ? name : "\"\"");
}

/* — groups — */

static int print_groups(Jobctl *ctl, const json_t *rows, bool has_more) {
        static const char *const names[] = { "GROUP", "STATE", "WAITING", "DONE", "FAILED", "HEAD" };
        cleanup_(table_deinit) Table table = { .n_columns = ELEMENTSOF(names),
                                               .right_columns = 1U << 2 | 1U << 3 | 1U << 4 | 1U << 5,
                                               .whole_columns = TABLE_FIRST(6),
                                               .has_header = !ctl->options.no_legend,
                                               .is_full = ctl->options.full };
        json_t *row;
        size_t i;

        if (json_array_size(rows) == 0) {
                if (!ctl->options.no_legend)
                        puts("No groups.");
                return 0;
        }
        for (i = 0; table.has_header && i < ELEMENTSOF(names); i++)
                table_add(&table, COLOR_NONE, names[i]);
        json_array_foreach((json_t *) rows, i, row) {
                const char *state = value_string(row, "state");

                add_name(&table, value_string(row, "group"));
                table_add(&table, color_of(state), state);
                table_addf(&table, "%" PRIu64, value_u64(row, "waiting"));
                table_addf(&table, "%" PRIu64, value_u64(row, "done"));
                table_addf(&table, "%" PRIu64, value_u64(row, "failed"));
                if (value_u64(row, "head") > 0 && !text_equal(state, "IDLE"))
                        table_addf(&table, "%" PRIu64, value_u64(row, "head"));
                else
                        table_add(&table, COLOR_NONE, "");
        }
        return finish_table(ctl, &table, json_array_size(rows), "group", has_more);
}

static int list_groups(Jobctl *ctl, const char *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *rows = NULL;
        json_t *filters = NULL;
        bool has_more;
        int r = make_filters(ctl, unit, group_states, &filters);

        if (r != 0)
                return r;
        r = query(ctl, "ListGroups", filters, &rows, &has_more, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "list groups of %s", unit);
        if (r > 0)
                return r;
        return ctl->options.json ? print_lines(ctl, rows) : print_groups(ctl, rows, has_more);
}

/* — streams — */

static int print_streams(Jobctl *ctl, const json_t *runs) {
        static const char *const names[] = { "RUN", "UNIT", "STATE", "CREATED", "REASON" };
        cleanup_(table_deinit) Table table = { .n_columns = ELEMENTSOF(names),
                                               .right_columns = 1U,
                                               .whole_columns = TABLE_FIRST(4),
                                               .has_header = !ctl->options.no_legend,
                                               .is_full = ctl->options.full };
        const usec_t now = clock_realtime();
        json_t *run;
        size_t i;

        if (json_array_size(runs) == 0) {
                if (!ctl->options.no_legend)
                        puts("No streams have runs.");
                return 0;
        }
        for (i = 0; table.has_header && i < ELEMENTSOF(names); i++)
                table_add(&table, COLOR_NONE, names[i]);
        json_array_foreach((json_t *) runs, i, run) {
                char span[USEC_FORMAT_MAX];

                table_addf(&table, "%" PRIu64, value_u64(run, "id"));
                table_add(&table, COLOR_NONE, value_string(run, "unit"));
                table_add(&table, flow_color_of_state(value_string(run, "state")), value_string(run, "state"));
                table_addf(&table, "%s ago", state_format_span(usec_sub(now, value_u64(run, "created")), span));
                table_add(&table, COLOR_NONE, value_string(run, "reason"));
        }
        return finish_table(ctl, &table, json_array_size(runs), "run", false);
}

/* Without --all those that live. */
static int list_streams(Jobctl *ctl) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *rows = NULL;
        int r = flow_query(ctl, NULL, "ListRuns", json_pack("{s:{s:s}}", "kind", "s", "stream"), SIZE_MAX, &rows,
                           &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "list streams");
        for (size_t i = json_array_size(rows); !ctl->options.all && i-- > 0;)
                if (flow_state_is_end(value_string(json_array_get(rows, i), "state")))
                        json_array_remove(rows, i);
        return ctl->options.json ? print_lines(ctl, rows) : print_streams(ctl, rows);
}

static int stream_list(Jobctl *ctl, char *const *words) {
        cleanup_free_ char *unit = NULL;
        int r;

        if (!words[0])
                return list_streams(ctl);
        if (words[1])
                return jobctl_misused(ctl, "'stream list' takes a stream, whose groups it lists, or none.");
        r = stream_parse_unit(ctl, words[0], &unit);
        return r != 0 ? r : list_groups(ctl, unit);
}

/* — elements — */

static void add_time(Table *table, const json_t *row, const char *key, usec_t now) {
        char span[USEC_FORMAT_MAX];

        if (value_u64(row, key) > 0 && json_object_get(row, key))
                table_addf(table, "%s ago", state_format_span(usec_sub(now, value_u64(row, key)), span));
        else
                table_add(table, COLOR_NONE, "");
}

static void add_element(Table *table, const json_t *row, usec_t now) {
        const char *state = value_string(row, "state"), *reason = value_string(row, "reason");

        table_addf(table, "%" PRIu64, value_u64(row, "sequence"));
        table_add(table, color_of(state), state);
        table_addf(table, "%" PRIu64, json_object_get(row, "tries") ? value_u64(row, "tries") : 0);
        if (json_object_get(row, "signal"))
                table_addf(table, "SIG%s", sigabbrev_np((int) value_u64(row, "signal")) ?: "?");
        else if (json_object_get(row, "exit"))
                table_addf(table, "%" PRIu64, value_u64(row, "exit"));
        else
                table_add(table, COLOR_NONE, "");
        add_time(table, row, "pushed", now);
        add_time(table, row, "ended", now);
        table_add(table, COLOR_NONE, value_string(row, "key"));
        table_addf(table, "%s%s%s", reason, *value_string(row, "problem") ? ": " : "", value_string(row, "problem"));
}

static int print_elements(Jobctl *ctl, const json_t *rows, bool has_more) {
        static const char *const names[] = { "ELEMENT", "STATE", "TRIES", "EXIT", "PUSHED", "ENDED", "KEY", "REASON" };
        cleanup_(table_deinit) Table table = { .n_columns = ELEMENTSOF(names),
                                               .right_columns = 1U | 1U << 2 | 1U << 3,
                                               .whole_columns = TABLE_FIRST(7),
                                               .has_header = !ctl->options.no_legend,
                                               .is_full = ctl->options.full };
        const usec_t now = clock_realtime();
        json_t *row;
        size_t i;

        if (json_array_size(rows) == 0) {
                if (!ctl->options.no_legend)
                        puts("No elements.");
                return 0;
        }
        for (i = 0; table.has_header && i < ELEMENTSOF(names); i++)
                table_add(&table, COLOR_NONE, names[i]);
        json_array_foreach((json_t *) rows, i, row) add_element(&table, row, now);
        return finish_table(ctl, &table, json_array_size(rows), "element", has_more);
}

static int show_group(Jobctl *ctl, const char *unit, const char *group) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *rows = NULL;
        json_t *filters = NULL, *name = json_pack("{s:s}", "s", group);
        bool has_more;
        int r = name ? make_filters(ctl, unit, element_states, &filters)
                     : jobctl_misused(ctl, "The name of the group is not UTF-8.");

        if (r != 0) {
                json_decref(name);
                return r;
        }
        json_object_set_new(filters, "group", name);
        if (ctl->options.key)
                json_object_set_new(filters, "key", json_pack("{s:s}", "s", ctl->options.key));
        r = query(ctl, "ListElements", filters, &rows, &has_more, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "list elements of %s", unit);
        if (r > 0)
                return r;
        return ctl->options.json ? print_lines(ctl, rows) : print_elements(ctl, rows, has_more);
}

/* The groups that somebody should look at, or that are at work. */
static int print_work(Jobctl *ctl, const char *unit) {
        static const char *const states[] = { "PENDING", "AT-WORK" };
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *all = json_array();
        bool has_more = false;

        for (size_t i = 0; i < ELEMENTSOF(states); i++) {
                cleanup_json_ json_t *rows = NULL;
                bool has_more_of_state;
                int r = query(ctl, "ListGroups",
                              json_pack("{s:{s:s}, s:{s:s}}", "stream", "s", unit, "state", "s", states[i]), &rows,
                              &has_more_of_state, &error);

                if (r < 0)
                        return jobctl_fail(ctl, &error, "list groups of %s", unit);
                if (r > 0)
                        return r;
                json_array_extend(all, rows);
                has_more |= has_more_of_state;
        }
        if (json_array_size(all) > 0)
                return print_groups(ctl, all, has_more);
        puts("No group has anything to do.");
        return 0;
}

static int show_stream(Jobctl *ctl, const char *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *run = NULL;
        char span[USEC_FORMAT_MAX];
        const char *state, *reason;
        int r = find_run(ctl, unit, &run);

        if (r == 0)
                r = batch_add_now(ctl, run, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "show %s", unit);
        if (r > 0)
                return r;
        if (ctl->options.json)
                return jobctl_print_json_line(ctl, json_incref(run));
        state = value_string(run, "state");
        reason = value_string(run, "reason");
        printf("   Stream: %s, run %" PRIu64 "\n", unit, value_u64(run, "id"));
        printf("    State: %s%s%s%s, created %s ago\n", state, *reason ? " (" : "", reason, *reason ? ")" : "",
               state_format_span(usec_sub(clock_realtime(), value_u64(run, "created")), span));
        if (*value_string(run, "waits"))
                printf("    Waits: %s\n", value_string(run, "waits"));
        putchar('\n');
        return flow_state_is_end(state) ? 0 : print_work(ctl, unit);
}

static int stream_show(Jobctl *ctl, char *const *words) {
        cleanup_free_ char *unit = NULL;
        int r;

        if (!words[0] || (words[1] && words[2]))
                return jobctl_misused(ctl, "'stream show' takes a stream and, for its elements, a group: 'jobctl "
                                           "stream show orders anna'; the default group is ''.");
        r = stream_parse_unit(ctl, words[0], &unit);
        if (r != 0)
                return r;
        return words[1] ? show_group(ctl, unit, words[1]) : show_stream(ctl, unit);
}

/* — what people do — */

/* STREAM GROUP [SEQUENCE] */
static int stream_resolve(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_free_ char *unit = NULL;
        uint64_t sequence = 0;
        int r;

        if (!words[0] || !words[1] || (words[2] && words[3]))
                return jobctl_misused(ctl, "'stream resolve' takes a stream, a group and, if you like, the number of "
                                           "the element: 'jobctl stream resolve orders anna --as=retry'.");
        if (words[2] && (text_parse_u64(words[2], &sequence) < 0 || sequence == 0))
                return jobctl_misused(ctl, "'%s' is not the number of an element.", words[2]);
        if (!ctl->options.as)
                return jobctl_misused(ctl, "Say how: --as=success, failed, retry or skip.");
        r = stream_parse_unit(ctl, words[0], &unit);
        if (r != 0)
                return r;
        r = flow_identify(ctl, &error);
        if (r == 0)
                r = jobctl_call(ctl, "ResolveElement", "sstsay",
                                json_pack("[ssIso]", unit, words[1], (json_int_t) sequence, ctl->options.as,
                                          json_string("")),
                                NULL, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "resolve group '%s' of %s", words[1], unit);
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:s, s:s, s:s}", "stream", unit, "group", words[1], "outcome",
                                                        ctl->options.as),
                                         EXIT_OK);
        if (!ctl->options.quiet)
                printf("Group '%s' of %s goes on.\n", words[1], unit);
        return EXIT_OK;
}

/* pause, resume, cancel, why: a word before the stream is the verb of flow. */
static int of_run(Jobctl *ctl, char *const *words, int (*verb)(Jobctl *ctl, char *const *words), bool keeps_word) {
        cleanup_json_ json_t *run = NULL;
        cleanup_free_ char *unit = NULL;
        char number[24];
        int r;

        if (!words[1] || words[2])
                return jobctl_misused(ctl, "'stream %s' takes one stream.", words[0]);
        r = stream_parse_unit(ctl, words[1], &unit);
        if (r == 0)
                r = find_run(ctl, unit, &run);
        if (r != 0)
                return r;
        snprintf(number, sizeof(number), "%" PRIu64, value_u64(run, "id"));
        return keeps_word ? verb(ctl, (char *const[]) { words[0], number, NULL })
                          : verb(ctl, (char *const[]) { number, NULL });
}

static int stream_command(Jobctl *ctl, char *const *words) {
        return of_run(ctl, words, flow_command, true);
}

static int stream_why(Jobctl *ctl, char *const *words) {
        return of_run(ctl, words, flow_why, false);
}

static const struct {
        const char *word;
        int (*run)(Jobctl *ctl, char *const *words);
        bool keeps_word;
} stream_verbs[] = {
        { "push", stream_push, false },       { "list", stream_list, false },      { "show", stream_show, false },
        { "why", stream_why, true },          { "resolve", stream_resolve, false }, { "pause", stream_command, true },
        { "resume", stream_command, true },   { "cancel", stream_command, true },
};

int verb_stream(Jobctl *ctl, char *const *words) {
        int r;

        ctl->subverb = words[0];
        for (size_t i = 0; i < ELEMENTSOF(stream_verbs); i++) {
                if (!text_equal(stream_verbs[i].word, words[0]))
                        continue;
                jobctl_choose_manager(ctl);
                r = jobctl_connect(ctl);
                return r != 0 ? r : stream_verbs[i].run(ctl, words + !stream_verbs[i].keeps_word);
        }
        if (text_equal(words[0], "start") || text_equal(words[0], "stop"))
                return jobctl_misused(ctl, "A push starts a stream; 'jobctl %s STREAM' is as for any unit.", words[0]);
        if (text_equal(words[0], "lint") || text_equal(words[0], "verify"))
                return jobctl_misused(ctl, "'jobctl verify FILE' checks streams, too.");
        if (text_equal(words[0], "logs"))
                return jobctl_misused(ctl, "'jobctl logs STREAM' shows the output of its commands.");
        return jobctl_misused(ctl, "There is no 'stream %s'; 'stream' has push, list, show, why, resolve, pause, "
                                   "resume and cancel.", words[0]);
}
