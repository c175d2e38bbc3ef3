/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow, batch: verbs that show runs
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"
#include "jobctl/log_print.h"
#include "jobctl/names.h"
#include "jobctl/state.h"
#include "jobctl/table.h"
#include "time/timestamp.h"

#define RUNS_SHOWN 20U

TerminalColor flow_color_of_state(const char *state) {
        static const struct {
                const char *state;
                TerminalColor color;
        } colors[] = {
                { "RUNNING", COLOR_GREEN },    { "SUCCEEDED", COLOR_GREEN }, { "FAILED", COLOR_RED },
                { "TIMEOUT", COLOR_RED },      { "PENDING", COLOR_YELLOW },  { "SUSPENDED", COLOR_YELLOW },
                { "CANCELLED", COLOR_YELLOW }, { "PARTIAL", COLOR_YELLOW },  { "BLOCKED", COLOR_YELLOW },
                { "AWAITING", COLOR_YELLOW },
        };

        for (size_t i = 0; i < ELEMENTSOF(colors); i++)
                if (text_equal(colors[i].state, state))
                        return colors[i].color;
        return COLOR_NONE;
}

static int print_lines(Jobctl *ctl, const json_t *rows) {
        json_t *row;
        size_t i;
        int r = 0;

        json_array_foreach(rows, i, row) if (r == 0) r = jobctl_print_json_line(ctl, json_incref(row));
        return r;
}

/* How long it took, or takes. */
static void add_span(Table *table, const json_t *row) {
        const usec_t started = value_u64(row, "started"), ended = value_u64(row, "ended");
        char span[USEC_FORMAT_MAX];

        if (started == 0 || started == UINT64_MAX) {
                table_add(table, COLOR_NONE, "");
                return;
        }
        table_add(table, COLOR_NONE,
                  state_format_span(usec_sub(ended > 0 && ended != UINT64_MAX ? ended : clock_realtime(), started),
                                    span));
}

static void add_header(Table *table, const char *const *names) {
        for (size_t i = 0; table->has_header && i < table->n_columns; i++)
                table_add(table, COLOR_NONE, names[i]);
}

/* — list — */

static void add_run(Table *table, const json_t *run, usec_t now) {
        const char *state = value_string(run, "state"), *reason = value_string(run, "reason");
        const usec_t created = value_u64(run, "created");
        char span[USEC_FORMAT_MAX];

        table_addf(table, "%" PRIu64, value_u64(run, "id"));
        table_add(table, COLOR_NONE, value_string(run, "unit"));
        table_add(table, flow_color_of_state(state), state);
        table_addf(table, "%" PRIu64 "/%" PRIu64, value_u64(run, "done"), value_u64(run, "total"));
        table_addf(table, "%s ago", state_format_span(usec_sub(now, created), span));
        add_span(table, run);
        if (json_object_get(run, "deleted"))
                reason = "deleted";
        else if (!*reason)
                reason = value_string(run, "why");
        if (value_u64(run, "parent") > 0)
                table_addf(table, "%s%spart of %" PRIu64 "/%s", reason, *reason ? ", " : "", value_u64(run, "parent"),
                           value_string(run, "parent_node"));
        else
                table_add(table, COLOR_NONE, reason);
}

static int print_runs(Jobctl *ctl, const json_t *runs) {
        const char *const names[] = { "RUN",     "UNIT", "STATE", flow_is_batch(ctl) ? "ITEMS" : "NODES",
                                      "CREATED", "TOOK", "REASON" };
        cleanup_(table_deinit) Table table = { .n_columns = 7,
                                               .right_columns = 1U | 1U << 3,
                                               .whole_columns = TABLE_FIRST(4) | 1U << 4 | 1U << 5,
                                               .has_header = !ctl->options.no_legend,
                                               .is_full = ctl->options.full };
        const usec_t now = clock_realtime();
        json_t *run;
        size_t i;
        int r;

        if (json_array_size(runs) == 0) {
                if (!ctl->options.no_legend)
                        puts("No runs.");
                return 0;
        }
        add_header(&table, names);
        json_array_foreach(runs, i, run) add_run(&table, run, now);
        r = table_write(&table, &ctl->terminal, stdout);
        if (r == 0 && !ctl->options.no_legend)
                printf("\n%zu %s listed.\n", json_array_size(runs), json_array_size(runs) == 1 ? "run" : "runs");
        return r;
}

/* The filters whose values are words. */
static void add_text_filters(const Options *options, json_t *filters) {
        const struct {
                const char *key, *value;
        } texts[] = { { "name", options->name }, { "key", options->key }, { "namespace", options->namespace },
                      { "reqid", options->reqid },
                      {
                              "operator",
                              options->operator},
        };

        for (size_t i = 0; i < ELEMENTSOF(texts); i++)
                if (texts[i].value)
                        json_object_set_new(filters, texts[i].key, json_pack("{s:s}", "s", texts[i].value));
}

/* 0, or an exit status after a message. */
static int add_time_filter(Jobctl *ctl, const char *key, const char *text, json_t *filters) {
        usec_t time;
        int r = text ? timestamp_parse(text, clock_realtime(), &time) : 0;

        if (r < 0 && r != -ENOMEM)
                return jobctl_misused(ctl, "'%s' is not a time for '--%s'; try \"today\", \"5min ago\" or \"18:30\".",
                                      text, key);
        if (r == 0 && text)
                json_object_set_new(filters, key, json_pack("{s:I}", "t", (json_int_t) time));
        return r;
}

/* States in which runs can be; in any case of letters. 0, or an exit status after a message. */
static int add_state_filter(Jobctl *ctl, const char *state, json_t *filters) {
        static const char *const states[] = { "CREATED",  "QUEUED",   "RUNNING",   "PAUSING", "PAUSED", "SUSPENDED",
                                              "AWAITING", "STOPPING", "SUCCEEDED", "PARTIAL", "FAILED", "TIMEOUT",
                                              "CANCELLED" };
        cleanup_(text_deinit) Text list = {};

        for (size_t i = 0; i < ELEMENTSOF(states); i++) {
                if (strcasecmp(states[i], state) == 0)
                        return json_object_set_new(filters, "state", json_pack("{s:s}", "s", states[i])) < 0 ? -ENOMEM
                                                                                                             : 0;
                text_addf(&list, "%s%s", i == 0 ? "" : i + 1 < ELEMENTSOF(states) ? ", " : " and ", states[i]);
        }
        return list.error < 0 ? list.error
                              : jobctl_misused(ctl, "'%s' is not a state of runs; there are %s.", state, list.string);
}

/* Nothing is listed of a name that is wrong: 0 if there is such a unit, or an exit status after a message. */
static int require_flow(Jobctl *ctl, const char *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *state = NULL;
        cleanup_free_ char *other = NULL;
        int r = jobctl_unit_property(ctl, unit, "LoadState", &state, &error);
        const bool is_missing = r == 0 && text_equal(json_string_value(state), "not-found");

        if (is_missing)
                r = flow_find_other(ctl, unit, &other);
        if (r == 0 && other)
                return flow_refuse_unit(ctl, other);
        if (r == 0 && is_missing) {
                bus_error_set(&error, "org.jobd1.NoSuchUnit", "There is no %s, and the store has no run of it.", unit);
                r = -EREMOTEIO;
        }
        return r < 0 ? jobctl_fail(ctl, &error, "list runs of %s", unit) : 0;
}

static int make_filters(Jobctl *ctl, char *const *words, json_t **ret_filters) {
        cleanup_json_ json_t *filters = json_object();
        char *const *states = ctl->options.states, *const *types = ctl->options.types;
        cleanup_free_ char *unit = NULL;
        const char *word = flow_word(ctl);
        int r = words[0] ? name_mangle(words[0], flow_suffix(ctl), &unit) : 0;

        if (r == -EINVAL || (words[0] && words[1]))
                return jobctl_misused(ctl, "'%s list' takes one %s, or none.", word, word);
        if (states && states[1])
                return jobctl_misused(ctl, "'%s list' takes one state: --state=%s.", word, states[0]);
        if (r == 0 && unit)
                json_object_set_new(filters, "unit", json_pack("{s:s}", "s", unit));
        if (r == 0 && unit && !name_has_runs(unit))
                return jobctl_misused(ctl, "'%s' is not the name of a %s.", words[0], word);
        if (r == 0 && unit)
                r = flow_judge_unit(ctl, unit);
        if (r == 0 && states)
                r = add_state_filter(ctl, states[0], filters);
        add_text_filters(&ctl->options, filters);
        if (types && types[1])
                return jobctl_misused(ctl, "'flow list' takes one type: --type=%s.", types[0]);
        if (types && !text_equal(types[0], "flow") && !text_equal(types[0], "batch") && !text_equal(types[0], "stream"))
                return jobctl_misused(ctl, "'%s' is not a type of runs; there are flow, batch and stream.", types[0]);
        if (types && flow_is_batch(ctl) && !text_equal(types[0], "batch"))
                return jobctl_misused(ctl, "'batch list' lists runs of batches; 'jobctl flow list --type=%s' those of "
                                           "others.", types[0]);
        if (types || flow_is_batch(ctl))
                json_object_set_new(filters, "kind", json_pack("{s:s}", "s", types ? types[0] : "batch"));
        if (r == 0)
                r = add_time_filter(ctl, "since", ctl->options.since, filters);
        if (r == 0)
                r = add_time_filter(ctl, "until", ctl->options.until, filters);
        if (ctl->options.deleted)
                json_object_set_new(filters, "deleted", json_pack("{s:b}", "b", true));
        if (r == 0)
                *ret_filters = take_ptr(filters);
        return r;
}

int flow_list(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *runs = NULL;
        cleanup_json_ json_t *filters = NULL;
        uint32_t max = RUNS_SHOWN;
        int r;

        if (ctl->options.all)
                max = UINT32_MAX;
        if (ctl->options.lines && text_parse_u32(ctl->options.lines, &max) < 0)
                return jobctl_misused(ctl, "'%s' is not a number of runs.", ctl->options.lines);
        r = make_filters(ctl, words, &filters);
        if (r != 0)
                return r;
        r = flow_query(ctl, NULL, "ListRuns", json_incref(filters), max, &runs, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "list runs");
        if (words[0] && json_array_size(runs) == 0) {
                r = require_flow(ctl, value_string(json_object_get(filters, "unit"), "s"));
                if (r != 0)
                        return r;
        }
        while (json_array_size(runs) > max)
                json_array_remove(runs, json_array_size(runs) - 1);
        if (ctl->options.json)
                return print_lines(ctl, runs);
        r = print_runs(ctl, runs);
        if (r == 0 && !ctl->options.no_legend)
                r = flow_print_alarms(ctl, 0, &error);
        return r == -EREMOTEIO ? jobctl_fail(ctl, &error, "list alarms") : r;
}

/* — show — */

static bool follows(const Jobctl *ctl) {
        return ctl->options.follow || ctl->options.n_force > 0;
}

/* A word, and the sentence that the last attempt has failed by; @end: what the end of the run left nodes out for. */
static void add_reason(Table *table, const json_t *node, const char *end) {
        const char *reason = value_string(node, "reason"), *problem = value_string(node, "problem");
        const uint64_t attempts = value_u64(node, "attempts");
        const char *word = *reason ? reason : value_string(node, "why");

        /* A node with an attempt had its turn. */
        if (text_equal(reason, "ended") && !*problem && (attempts == 0 || attempts == UINT64_MAX))
                problem = end;

        table_addf(table, "%s%s%s", word, *word && *problem ? ": " : "", problem);
}

static void add_node(Table *table, const json_t *node, const char *end) {
        const char *state = value_string(node, "state");
        const uint64_t attempts = value_u64(node, "attempts");

        table_add(table, COLOR_NONE, value_string(node, "node"));
        table_add(table, flow_color_of_state(state), state);
        if (attempts > 0 && attempts != UINT64_MAX)
                table_addf(table, "%" PRIu64, attempts);
        else
                table_add(table, COLOR_NONE, "");
        add_span(table, node);
        if (json_object_get(node, "signal"))
                table_addf(table, "SIG%s", sigabbrev_np((int) value_u64(node, "signal")) ?: "?");
        else if (json_object_get(node, "exit"))
                table_addf(table, "%" PRIu64, value_u64(node, "exit"));
        else
                table_add(table, COLOR_NONE, "");
        add_reason(table, node, end);
}

/* A compensation of an earlier round: nothing is undone now. */
static bool is_idle_end(const json_t *node) {
        return strchr(value_string(node, "node"), '@') && text_equal(value_string(node, "state"), "WAITING");
}

static json_t *without_idle_ends(const json_t *nodes) {
        json_t *left = json_array(), *node;
        size_t i;

        json_array_foreach(nodes, i, node)
                if (!is_idle_end(node))
                        json_array_append(left, node);
        return left;
}

/* — the order of nodes — */

typedef struct PlacedNode {
        json_t *node; /* borrowed */
        usec_t began; /* USEC_INFINITY: it has not */
        size_t place; /* in the answer, where nodes are in the order of their names */
} PlacedNode;

static usec_t time_of_attempt(const json_t *node) {
        const usec_t started = value_u64(node, "started");

        return started > 0 ? started : USEC_INFINITY;
}

/* A node "scan" has no attempt if it has instances, "scan[0]", and has begun with the first of them. */
static usec_t time_of_begin(const json_t *nodes, size_t place) {
        const json_t *node = json_array_get(nodes, place), *other;
        const char *name = value_string(node, "node");
        const size_t n = strlen(name);
        usec_t began = time_of_attempt(node);

        if (began != USEC_INFINITY)
                return began;
        /* In the order of names they follow, if not at once. */
        for (size_t i = place + 1; (other = json_array_get(nodes, i)); i++) {
                if (strncmp(value_string(other, "node"), name, n) != 0)
                        break;
                if (value_string(other, "node")[n] == '[')
                        began = MIN(began, time_of_attempt(other));
        }
        return began;
}

static int compare_begins(const void *a, const void *b) {
        const PlacedNode *x = a, *y = b;

        if (x->began != y->began)
                return x->began < y->began ? -1 : 1;
        return x->place < y->place ? -1 : x->place > y->place;
}

/* The nodes in the order in which they began; behind them those that have not, by their names. NULL: no memory. */
static json_t *sort_by_begin(const json_t *nodes) {
        const size_t n = json_array_size(nodes);
        PlacedNode *placed = calloc(n + 1, sizeof(*placed));
        json_t *sorted = placed ? json_array() : NULL;

        for (size_t i = 0; sorted && i < n; i++)
                placed[i] = (PlacedNode) { json_array_get(nodes, i), time_of_begin(nodes, i), i };
        if (sorted)
                qsort(placed, n, sizeof(*placed), compare_begins);
        for (size_t i = 0; sorted && i < n; i++)
                json_array_append(sorted, placed[i].node);
        free(placed);
        return sorted;
}

static void print_time(const char *what, usec_t time) {
        const usec_t now = clock_realtime();
        char text[STATE_TIME_MAX], span[USEC_FORMAT_MAX];

        if (time == 0 || time == UINT64_MAX)
                return;
        if (time <= now)
                printf("%9s: %s\n", what, state_format_time(time, now, text));
        else
                printf("%9s: %s; %s left\n", what, state_format_date(time, text), state_format_span(time - now, span));
}

/* An object of JSON, as NAME=TEXT and NAME:=JSON. */
static void print_params(const char *params) {
        cleanup_json_ json_t *object = json_loads(params, JSON_DECODE_ANY, NULL);
        const char *name, *what = "Params";
        json_t *value;

        json_object_foreach(object, name, value) {
                cleanup_free_ char *json = NULL;

                if (!json_is_string(value))
                        json = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
                printf("%9s%c %s%s%s\n", what, *what ? ':' : ' ', name, json ? ":=" : "=",
                       json ? json : json_string_value(value));
                what = "";
        }
}

/* The trigger of the run, and the variables that its attempts get for it. */
static void print_trigger(const json_t *run) {
        const json_t *environment = json_object_get(run, "environment");
        const char *trigger = value_string(run, "trigger");
        json_t *variable;
        size_t i;

        if (*trigger)
                printf("  Trigger: %s\n", trigger);
        json_array_foreach(environment, i, variable) printf("%11s%s\n", "", json_string_value(variable));
}

static bool is_batch(const json_t *run) {
        return flow_unit_is_batch(value_string(run, "unit"));
}

/* The person and the process that have asked for the run, and what they have said of it. */
static void print_origin(const json_t *run) {
        static const struct {
                const char *label, *key;
        } texts[] = {
                { "Operator", "operator" },
                { "Client", "client" },
                { "Namespace", "namespace" },
                { "Request", "reqid" },
        };

        for (size_t i = 0; i < ELEMENTSOF(texts); i++)
                if (*value_string(run, texts[i].key))
                        printf("%9s: %s\n", texts[i].label, value_string(run, texts[i].key));
        if (json_object_get(run, "priority"))
                printf("%9s: %" PRIu64 "\n", "Priority", value_u64(run, "priority"));
}

static void print_run(Jobctl *ctl, const json_t *run) {
        const char *state = value_string(run, "state"), *reason = value_string(run, "reason");

        printf("%s\n", value_string(run, "name"));
        printf("     Unit: %s\n    State: ", value_string(run, "unit"));
        terminal_print(&ctl->terminal, flow_color_of_state(state), state);
        printf("%s%s%s\n", *reason ? " (" : "", reason, *reason ? ")" : "");
        if (value_u64(run, "parent") > 0)
                printf("  Part of: run %" PRIu64 ", node %s\n", value_u64(run, "parent"),
                       value_string(run, "parent_node"));
        print_trigger(run);
        print_origin(run);
        print_params(value_string(run, "params"));
        print_time("Created", value_u64(run, "created"));
        print_time("Started", value_u64(run, "started"));
        print_time("Ended", value_u64(run, "ended"));
        print_time("Deleted", value_u64(run, "deleted"));
        print_time("Deadline", value_u64(run, "deadline"));
        if (*value_string(run, "result"))
                printf("   Result: %s\n", value_string(run, "result"));
        if (value_u64(run, "round") > 1)
                printf("    Round: %" PRIu64 "\n", value_u64(run, "round"));
        if (is_batch(run))
                batch_print_items(run);
        else
                printf("    Nodes: %" PRIu64 " of %" PRIu64 " have ended, %" PRIu64 " failed\n\n",
                       value_u64(run, "done"), value_u64(run, "total"), value_u64(run, "failed"));
}

/* Why nodes had no turn that the end of the run has left out: the caller owns it. */
static int describe_end(const json_t *run, const json_t *nodes, char **ret_text) {
        const char *state = value_string(run, "state"), *failed = NULL;
        json_t *node;
        size_t i, n = 0;

        json_array_foreach(nodes, i, node)
                if (text_equal(value_string(node, "state"), "FAILED") ||
                    text_equal(value_string(node, "state"), "TIMEOUT")) {
                        failed = value_string(node, "node");
                        n++;
                }
        if (text_equal(state, "TIMEOUT") && text_equal(value_string(run, "reason"), "queue"))
                return text_copy("the run has waited too long for its turn (QueueTimeoutSec=)", ret_text);
        if (text_equal(state, "TIMEOUT"))
                return text_copy("the time of the run was over (RunTimeoutSec=)", ret_text);
        if (text_equal(state, "CANCELLED"))
                return text_copy("the run was cancelled before its turn", ret_text);
        if (!text_equal(state, "FAILED") || n != 1)
                return text_copy("the run was over before its turn", ret_text);
        /* Another node, with EndRun=failure, may have ended the run. */
        return text_format(ret_text, "the run had failed before its turn; the only node that has failed is %s", failed);
}

static int print_nodes(Jobctl *ctl, const json_t *run, const json_t *nodes) {
        static const char *const names[] = { "NODE", "STATE", "TRY", "TOOK", "EXIT", "REASON" };
        cleanup_(table_deinit) Table table = { .n_columns = 6,
                                               .right_columns = 1U << 2 | 1U << 4,
                                               .whole_columns = TABLE_FIRST(5),
                                               .has_header = !ctl->options.no_legend,
                                               .is_full = ctl->options.full };
        cleanup_free_ char *end = NULL;
        json_t *node;
        size_t i;
        int r = describe_end(run, nodes, &end);

        if (r < 0)
                return r;
        add_header(&table, names);
        json_array_foreach(nodes, i, node) add_node(&table, node, end);
        return table_write(&table, &ctl->terminal, stdout);
}

/* The items of a batch are no nodes, and the node that issues them says no more than the run. */
static json_t *without_items(const json_t *nodes) {
        json_t *left = json_array(), *node;
        size_t i;

        json_array_foreach(nodes, i, node)
                if (!text_equal(value_string(node, "node"), "items"))
                        json_array_append(left, node);
        return left;
}

static int print_run_and_nodes(Jobctl *ctl, const json_t *run, const json_t *nodes) {
        cleanup_json_ json_t *others = is_batch(run) ? without_items(nodes) : NULL;

        print_run(ctl, run);
        return is_batch(run) && json_array_size(others) == 0 ? 0 : print_nodes(ctl, run, others ? others : nodes);
}

/* A run and its nodes, as they are now. */
static int show_now(Jobctl *ctl, uint64_t id, json_t **ret_run, BusError *ret_error) {
        cleanup_json_ json_t *run = NULL, *rows = NULL, *busy = NULL, *nodes = NULL, *alarms = NULL;
        cleanup_free_ char *path = NULL;
        int r = text_format(&path, BUS_PATH "/run/%" PRIu64, id);

        if (r == 0)
                r = flow_get(ctl, id, &run, ret_error);
        if (r == 0)
                r = flow_query(ctl, path, "Nodes", json_object(), SIZE_MAX, &rows, ret_error);
        if (r == 0 && is_batch(run))
                r = batch_add_now(ctl, run, ret_error);
        if (r < 0)
                return r;
        busy = without_idle_ends(rows);
        nodes = sort_by_begin(busy);
        if (!nodes)
                return -ENOMEM;
        *ret_run = json_incref(run);
        if (!ctl->options.json) {
                r = print_run_and_nodes(ctl, run, nodes);
                return r < 0 ? r : flow_print_alarms(ctl, id, ret_error);
        }
        r = flow_get_alarms(ctl, id, &alarms, ret_error);
        if (r < 0)
                return r;
        json_object_set(run, "nodes", nodes);
        json_object_set(run, "alarms", alarms);
        return follows(ctl) ? jobctl_print_json_line(ctl, json_incref(run))
                            : jobctl_print_json(ctl, json_incref(run), EXIT_OK);
}

static void print_node(Jobctl *ctl, const json_t *run, const json_t *node) {
        const char *state = value_string(node, "state"), *reason = value_string(node, "reason"),
                   *result = value_string(node, "result"), *blob = value_string(node, "blob");
        const uint64_t attempts = value_u64(node, "attempts");

        printf("%s/%s\n      Run: %" PRIu64 " of %s\n    State: ", value_string(run, "name"),
               value_string(node, "node"), value_u64(run, "id"), value_string(run, "unit"));
        terminal_print(&ctl->terminal, flow_color_of_state(state), state);
        printf("%s%s%s\n", *reason ? " (" : "", reason, *reason ? ")" : "");
        if (attempts > 0 && attempts != UINT64_MAX)
                printf("    Tries: %" PRIu64 "\n", attempts);
        print_time("Started", value_u64(node, "started"));
        print_time("Ended", value_u64(node, "ended"));
        if (json_object_get(node, "exit"))
                printf("     Exit: %" PRIu64 "\n", value_u64(node, "exit"));
        if (*value_string(node, "problem"))
                printf("  Problem: %s\n", value_string(node, "problem"));
        if (*value_string(node, "cause"))
                printf("    Cause: %s\n", value_string(node, "cause"));
        if (*value_string(node, "source"))
                printf("   Source: %s\n", value_string(node, "source"));
        if (*result || *blob)
                printf("   Result: %s%s\n", *result ? result : "large, with the hash ", *result ? "" : blob);
}

/* One node: RUN/NODE. */
static int show_node(Jobctl *ctl, uint64_t id, const char *name, BusError *ret_error) {
        cleanup_json_ json_t *run = NULL, *node = NULL;
        int r = flow_get(ctl, id, &run, ret_error);

        if (r == 0)
                r = flow_get_node(ctl, id, name, &node, ret_error);
        if (r < 0)
                return r;
        if (ctl->options.json)
                return jobctl_print_json(ctl, take_ptr(node), EXIT_OK);
        print_node(ctl, run, node);
        return EXIT_OK;
}

int flow_show(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *run = NULL;
        cleanup_free_ char *node = NULL;
        uint64_t id;
        int r = flow_parse_subject(ctl, words[0], &id, &node);

        if (r != 0)
                return r;
        if (words[1] && flow_is_batch(ctl))
                return jobctl_misused(ctl, "'batch show' takes one run, or a batch for its last one.");
        if (words[1])
                return jobctl_misused(ctl, "'flow show' takes one run, or one node as RUN/NODE.");
        if (node && flow_is_batch(ctl))
                return jobctl_misused(ctl, "'batch show' is about a run, not about one of its items: 'jobctl batch "
                                           "logs %s' shows what its command has said.", words[0]);
        if (node && follows(ctl))
                return jobctl_misused(ctl, "'flow show' follows a run, not a node.");
        if (node) {
                r = show_node(ctl, id, node, &error);
                return r < 0 ? jobctl_fail(ctl, &error, "show %s", words[0]) : r;
        }
        if (follows(ctl))
                r = flow_watch(ctl, id, &error);
        if (r == 0)
                r = show_now(ctl, id, &run, &error);
        if (r == 0 && follows(ctl))
                r = fflush(stdout) < 0 ? -EPIPE
                    : is_batch(run)    ? batch_follow(ctl, run, &error)
                                       : flow_follow(ctl, run, &error);
        return r < 0 && r != -EPIPE ? jobctl_fail(ctl, &error, "show run %" PRIu64, id) : r;
}

/* — logs — */

static bool has_field(const char *extra, const char *name, const char *value) {
        const size_t n_name = strlen(name), n_value = strlen(value);

        for (const char *at = extra; at; at = (at = strchr(at, '\t')) ? at + 1 : NULL)
                if (strncmp(at, name, n_name) == 0 && at[n_name] == '=' &&
                    strncmp(at + n_name + 1, value, n_value) == 0 && strchr("\t", at[n_name + 1 + n_value]))
                        return true;
        return false;
}

/* The value of a field, at most @size - 1 bytes of it. */
static const char *field_of(const char *extra, const char *name, char *buffer, size_t size) {
        const size_t n_name = strlen(name);

        buffer[0] = '\0';
        for (const char *at = extra; at; at = (at = strchr(at, '\t')) ? at + 1 : NULL)
                if (strncmp(at, name, n_name) == 0 && at[n_name] == '=')
                        snprintf(buffer, size, "%.*s", (int) strcspn(at + n_name + 1, "\t"), at + n_name + 1);
        return buffer;
}

#define SOURCE_MAX 256

/* The item, or the node. */
static const char *name_of_source(const LogEntry *entry, char buffer[static SOURCE_MAX]) {
        return *field_of(entry->context.extra, "ITEM", buffer, SOURCE_MAX)
                       ? buffer
                       : field_of(entry->context.extra, "NODE", buffer, SOURCE_MAX);
}

typedef struct FlowLogs {
        const char *node; /* NULL: all */
        const char *item; /* of a batch; NULL: all */
        char run[24];
        LogFormat format;
} FlowLogs;

static int print_log(Jobctl *ctl, const FlowLogs *logs, LogInput *input) {
        LogEntry entry;
        int r;

        while ((r = log_input_next(input, &entry)) > 0) {
                char source[SOURCE_MAX];

                if (!has_field(entry.context.extra, "RUN", logs->run) ||
                    (logs->node && !has_field(entry.context.extra, "NODE", logs->node)) ||
                    (logs->item && !has_field(entry.context.extra, "ITEM", logs->item)))
                        continue;
                if (logs->format != LOG_FORMAT_JSON && !logs->node && !logs->item)
                        printf("[%s] ", name_of_source(&entry, source));
                r = log_print(&ctl->terminal, stdout, logs->format, &entry);
                if (r < 0 || ferror(stdout))
                        return r < 0 ? r : -EPIPE;
        }
        return r < 0 ? r : fflush(stdout) < 0 ? -EPIPE : 0;
}

static bool is_item(const json_t *run, const char *word) {
        uint64_t number;

        return text_parse_u64(word, &number) == 0 && number < value_u64(run, "total");
}

int flow_logs(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_(log_input_freep) LogInput *input = NULL;
        cleanup_json_ json_t *run = NULL, *row = NULL;
        cleanup_free_ char *node = NULL;
        const int format = log_format_from_string(ctl->options.output ?: "short");
        FlowLogs logs = { .format = ctl->options.json ? LOG_FORMAT_JSON : (LogFormat) MAX(format, 0) };
        LogFilter filter = { .priority_max = 7 };
        uint64_t id;
        int r = flow_parse_subject(ctl, words[0], &id, &node);

        if (r != 0)
                return r;
        logs.node = node;
        if (words[1] || format < 0)
                return jobctl_misused(ctl, "'%s logs' takes RUN or RUN/%s, and --output short, iso, cat or json.",
                                      flow_word(ctl), flow_is_batch(ctl) ? "ITEM" : "NODE");
        r = flow_get(ctl, id, &run, &error);
        if (r == 0 && node && is_batch(run) && is_item(run, node)) {
                logs.item = node;
                logs.node = NULL;
        } else if (r == 0 && node && flow_is_batch(ctl))
                return jobctl_misused(ctl, "'%s' is no item: run %" PRIu64 " has %" PRIu64 ", from 0 on.", node, id,
                                      value_u64(run, "total"));
        else if (r == 0 && node)
                r = flow_get_node(ctl, id, node, &row, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "show the logs of run %" PRIu64, id);
        snprintf(logs.run, sizeof(logs.run), "%" PRIu64, id);
        filter.since = value_u64(run, "created");
        r = log_input_open(ctl, &filter, false, &input);
        if (r == 0)
                r = log_input_add(input, value_string(run, "unit"), false);
        if (r == 0)
                r = print_log(ctl, &logs, input);
        while (r == 0 && follows(ctl)) {
                r = log_input_wait(input, USEC_INFINITY);
                if (r >= 0)
                        r = print_log(ctl, &logs, input);
        }
        return r == -EPIPE ? EXIT_OK : r;
}
