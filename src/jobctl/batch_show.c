/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * batch: how far a run has come, and the items that have failed
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/batch_progress.h"
#include "jobctl/flow_run.h"
#include "jobctl/names.h"
#include "jobctl/state.h"
#include "jobctl/table.h"

#define ERRORS_SHOWN 100U
/* Between two looks, and between two lines where none is drawn again. */
#define LOOK_EVERY (500 * USEC_PER_MSEC)
#define LINE_EVERY (5 * USEC_PER_SEC)

/* — the counts of a run that lives — */

/* The store has the counts of the last checkpoint; those of now are core's, with what the launch waits for. */
int batch_add_now(Jobctl *ctl, json_t *run, BusError *ret_error) {
        static const char *const keys[] = {
                "done", "failed", "running", "total", "launches", "open", "waits", "workers", "workers_started",
                "workers_died", "workers_refused", "workers_late", "answers_dropped", "workers_problem",
        };
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        const json_t *explanation;
        char number[24];
        int r;

        if (flow_state_is_end(value_string(run, "state")))
                return 0;
        snprintf(number, sizeof(number), "%" PRIu64, value_u64(run, "id"));
        r = jobctl_call(ctl, "ExplainRun", "s", json_pack("[s]", number), &reply, &error);
        /* The run may have ended meanwhile. */
        if (r < 0)
                return r == -EREMOTEIO ? 0 : r;
        explanation = json_array_get(reply, 0);
        for (size_t i = 0; i < ELEMENTSOF(keys); i++)
                if (json_object_get(explanation, keys[i]))
                        json_object_set(run, keys[i], json_object_get(explanation, keys[i]));
        if (!json_object_get(run, "waits") && *value_string(explanation, "text"))
                json_object_set(run, "waits", json_object_get(explanation, "text"));
        return 0;
}

/* Of a pool; @name: of a count. */
static void print_count(const json_t *run, const char *name, const char *what) {
        if (value_u64(run, name) > 0)
                printf(", %" PRIu64 " %s", value_u64(run, name), what);
}

static void print_workers(const json_t *run) {
        const json_t *workers = json_object_get(run, "workers"), *worker;
        size_t i;

        if (!workers)
                return;
        printf("  Workers: %zu of %" PRIu64 " started", json_array_size(workers), value_u64(run, "workers_started"));
        print_count(run, "workers_died", "died");
        print_count(run, "workers_refused", "broke the rules");
        print_count(run, "workers_late", "took too long");
        print_count(run, "answers_dropped", "answers dropped");
        putchar('\n');
        json_array_foreach(workers, i, worker)
                printf("           %" PRIu64 ": %" PRIu64 " done, %" PRIu64 " out%s\n", value_u64(worker, "number"),
                       value_u64(worker, "done"), value_u64(worker, "out"),
                       json_is_true(json_object_get(worker, "ready")) ? "" : ", not ready");
        if (*value_string(run, "workers_problem"))
                printf("           %s\n", value_string(run, "workers_problem"));
}

void batch_print_items(const json_t *run) {
        const uint64_t n_errors = value_u64(run, "failed"), n_launches = value_u64(run, "launches");

        printf("    Items: %" PRIu64 " of %" PRIu64 " %sare over, %" PRIu64 " %s", value_u64(run, "done"),
               value_u64(run, "total"), json_is_true(json_object_get(run, "open")) ? "that are known " : "", n_errors,
               n_errors == 1 ? "error" : "errors");
        if (flow_state_is_end(value_string(run, "state")))
                putchar('\n');
        else
                printf(", %" PRIu64 " out\n", value_u64(run, "running"));
        if (n_launches > 0 && n_launches != UINT64_MAX)
                printf(" Launches: %" PRIu64 "\n", n_launches);
        print_workers(run);
        if (*value_string(run, "waits"))
                printf("    Waits: %s\n", value_string(run, "waits"));
        putchar('\n');
}

/* — show --follow — */

typedef struct BatchFollow {
        uint64_t id;
        const char *name; /* borrowed */
        char *state; /* owned: the last one that was told */
        BatchProgress progress;
        usec_t next_line; /* CLOCK_MONOTONIC */
} BatchFollow;

static bool is_drawn(const Jobctl *ctl) {
        return ctl->terminal.is_out_terminal && ctl->terminal.is_err_terminal && !ctl->options.json;
}

static int get_properties(Jobctl *ctl, uint64_t id, json_t **ret_properties, BusError *ret_error) {
        cleanup_free_ char *path = NULL;
        int r = text_format(&path, BUS_PATH "/run/%" PRIu64, id);

        return r < 0 ? r : jobctl_properties(ctl, path, BUS_RUN, ret_properties, ret_error);
}

static int print_document(Jobctl *ctl, const BatchFollow *follow, const json_t *properties) {
        const BatchCounts *counts = &follow->progress.counts;
        const double rate = batch_progress_rate(&follow->progress);
        const usec_t left = batch_progress_left(&follow->progress);
        json_t *document = json_pack("{s:I, s:s, s:s, s:I, s:I, s:I, s:I}", "id", (json_int_t) follow->id, "name",
                                     follow->name, "state", value_string(properties, "State"), "done",
                                     (json_int_t) counts->over, "failed", (json_int_t) counts->errors, "running",
                                     (json_int_t) counts->out, "total", (json_int_t) counts->total);

        if (document && *value_string(properties, "Reason"))
                json_object_set(document, "reason", json_object_get(properties, "Reason"));
        if (document && rate >= 0)
                json_object_set_new(document, "rate", json_real(rate));
        if (document && left != USEC_INFINITY)
                json_object_set_new(document, "left", json_integer((json_int_t) left));
        return jobctl_print_json_line(ctl, document);
}

static int print_state(Jobctl *ctl, BatchFollow *follow, const json_t *properties) {
        const char *state = value_string(properties, "State"), *reason = value_string(properties, "Reason");

        free(follow->state);
        follow->state = strdup(state);
        if (!follow->state)
                return -ENOMEM;
        terminal_progress_clear(&ctl->terminal);
        printf("%s: %s%s%s%s\n", follow->name, state, *reason ? " (" : "", reason, *reason ? ")" : "");
        return fflush(stdout) < 0 ? -EPIPE : 0;
}

static int print_progress(Jobctl *ctl, const BatchFollow *follow, bool is_last) {
        cleanup_free_ char *line = NULL, *whole = NULL;
        int r = batch_progress_format(&follow->progress, &line);

        if (r == 0)
                r = text_format(&whole, "%s: %s", follow->name, line);
        if (r < 0)
                return r;
        if (is_drawn(ctl) && !is_last) {
                terminal_progress(&ctl->terminal, whole);
                return 0;
        }
        terminal_progress_clear(&ctl->terminal);
        puts(whole);
        return fflush(stdout) < 0 ? -EPIPE : 0;
}

static int tell(Jobctl *ctl, BatchFollow *follow, const json_t *properties) {
        const char *state = value_string(properties, "State");
        const json_t *counts = json_object_get(properties, "Progress");
        const bool is_other = !text_equal(follow->state, state), is_last = flow_state_is_end(state);
        const usec_t now = clock_monotonic();
        int r = 0;

        batch_progress_note(&follow->progress,
                            &(BatchCounts) { value_item_u64(counts, 0), value_item_u64(counts, 1),
                                             value_item_u64(counts, 2), value_item_u64(counts, 3) },
                            now);
        if (is_other && ctl->options.json) {
                free(follow->state);
                follow->state = strdup(state);
                r = follow->state ? 0 : -ENOMEM;
        }
        if (!is_other && !is_drawn(ctl) && now < follow->next_line)
                return 0;
        follow->next_line = now + LINE_EVERY;
        if (ctl->options.json)
                return r < 0 ? r : print_document(ctl, follow, properties);
        r = print_progress(ctl, follow, is_last);
        return r == 0 && is_other ? print_state(ctl, follow, properties) : r;
}

/* Whether the next look is due. A change of the run is one of its state, or a checkpoint, which are few. */
static int wait_for_change(Jobctl *ctl, uint64_t id, BusError *ret_error) {
        const usec_t deadline = clock_monotonic() + LOOK_EVERY;

        for (;;) {
                cleanup_(bus_signal_deinit) BusSignal signal = {};
                int r = bus_next_signal(ctl->bus, deadline, &signal);

                if (r == -ENOTCONN) {
                        r = jobctl_reconnect(ctl, ret_error);
                        return r < 0 ? r : flow_watch(ctl, id, ret_error);
                }
                if (r <= 0)
                        return r;
                if (value_item_u64(signal.args, 0) == id && (bus_signal_is(&signal, BUS_RUN, "RunChanged") ||
                                                            bus_signal_is(&signal, BUS_MANAGER, "RunEnded")))
                        return 0;
        }
}

int batch_follow(Jobctl *ctl, const json_t *run, BusError *ret_error) {
        BatchFollow follow = { .id = value_u64(run, "id"),
                               .name = value_string(run, "name"),
                               .state = strdup(value_string(run, "state")) };
        int r = follow.state ? 0 : -ENOMEM;

        bus_catch_interrupt(true);
        while (r == 0 && !flow_state_is_end(follow.state)) {
                cleanup_json_ json_t *properties = NULL;

                r = get_properties(ctl, follow.id, &properties, ret_error);
                if (r == 0)
                        r = tell(ctl, &follow, properties);
                if (r == 0 && !flow_state_is_end(follow.state))
                        r = wait_for_change(ctl, follow.id, ret_error);
        }
        bus_catch_interrupt(false);
        terminal_progress_clear(&ctl->terminal);
        free(follow.state);
        return r == -EINTR ? EXIT_INTERRUPTED : r == -EPIPE ? EXIT_OK : r;
}

/* — errors — */

static void add_error(Table *table, const json_t *row, bool has_texts, usec_t now) {
        char span[USEC_FORMAT_MAX];

        table_addf(table, "%" PRIu64, value_u64(row, "item"));
        table_addf(table, "%" PRIu64, value_u64(row, "tries"));
        if (json_object_get(row, "signal"))
                table_addf(table, "SIG%s", sigabbrev_np((int) value_u64(row, "signal")) ?: "?");
        else if (json_object_get(row, "exit"))
                table_addf(table, "%" PRIu64, value_u64(row, "exit"));
        else
                table_add(table, COLOR_NONE, "");
        table_addf(table, "%s ago", state_format_span(usec_sub(now, value_u64(row, "ended")), span));
        if (has_texts)
                table_add(table, COLOR_NONE, value_string(row, "text"));
        table_addf(table, "%s%s%s", value_string(row, "reason"), *value_string(row, "problem") ? ": " : "",
                   value_string(row, "problem"));
}

/* Items of ItemsFile= and ItemsCommand= have texts. */
static bool have_texts(const json_t *rows) {
        json_t *row;
        size_t i;

        json_array_foreach(rows, i, row)
                if (json_object_get(row, "text"))
                        return true;
        return false;
}

static int print_errors(Jobctl *ctl, const json_t *rows, bool has_more) {
        static const char *const with_texts[] = { "ITEM", "TRIES", "EXIT", "ENDED", "TEXT", "REASON" };
        static const char *const without[] = { "ITEM", "TRIES", "EXIT", "ENDED", "REASON" };
        const bool has_texts = have_texts(rows);
        const char *const *names = has_texts ? with_texts : without;
        const size_t n_names = has_texts ? ELEMENTSOF(with_texts) : ELEMENTSOF(without);
        cleanup_(table_deinit) Table table = { .n_columns = n_names,
                                               .right_columns = 1U | 1U << 1 | 1U << 2,
                                               .whole_columns = TABLE_FIRST(4),
                                               .has_header = !ctl->options.no_legend,
                                               .is_full = ctl->options.full };
        const usec_t now = clock_realtime();
        const size_t n = json_array_size(rows);
        json_t *row;
        size_t i;
        int r;

        if (n == 0) {
                if (!ctl->options.no_legend)
                        puts("No errors.");
                return 0;
        }
        for (i = 0; table.has_header && i < n_names; i++)
                table_add(&table, COLOR_NONE, names[i]);
        json_array_foreach(rows, i, row) add_error(&table, row, has_texts, now);
        r = table_write(&table, &ctl->terminal, stdout);
        if (r == 0 && !ctl->options.no_legend)
                printf("\n%zu %s listed%s.\n", n, n == 1 ? "error" : "errors",
                       has_more ? "; --all lists all of them" : "");
        return r;
}

static int query_errors(Jobctl *ctl, uint64_t id, size_t max, json_t **ret_rows, BusError *ret_error) {
        cleanup_free_ char *path = NULL;
        int r = text_format(&path, BUS_PATH "/run/%" PRIu64, id);

        return r < 0 ? r : flow_query(ctl, path, "Errors", json_object(), max, ret_rows, ret_error);
}

int batch_errors(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *run = NULL, *rows = NULL;
        cleanup_free_ char *node = NULL;
        uint32_t max = ERRORS_SHOWN;
        bool has_more = false;
        json_t *row;
        uint64_t id;
        size_t i;
        int r;

        if (ctl->options.all)
                max = UINT32_MAX;
        if (ctl->options.lines && text_parse_u32(ctl->options.lines, &max) < 0)
                return jobctl_misused(ctl, "'%s' is not a number of errors.", ctl->options.lines);
        r = flow_parse_subject(ctl, words[0], &id, &node);
        if (r != 0)
                return r;
        if (node || words[1])
                return jobctl_misused(ctl, "'batch errors' takes one run, or a batch for its last one.");
        r = flow_get(ctl, id, &run, &error);
        if (r == 0)
                r = query_errors(ctl, id, max < UINT32_MAX ? (size_t) max + 1 : max, &rows, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "list errors of run %" PRIu64, id);
        while (json_array_size(rows) > max) {
                has_more = true;
                json_array_remove(rows, json_array_size(rows) - 1);
        }
        if (!ctl->options.json)
                return print_errors(ctl, rows, has_more);
        json_array_foreach(rows, i, row) if (r == 0) r = jobctl_print_json_line(ctl, json_incref(row));
        return r;
}
