/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow why, batch why: what a run, or a node of it, waits for, and how one has ended
 *
 * jobd knows what lives; how a run has ended, and what each attempt has failed
 * by, is in the rows of the store.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"
#include "jobctl/names.h"

/* Nodes of a kind that are named when a run has ended. */
#define NODES_SHOWN 20U

/* — words — */

/* A sentence for the reason of a node or run, to stand behind its state; "": the reason says no more. */
static const char *sentence_of(const char *reason) {
        static const struct {
                const char *reason, *sentence;
        } sentences[] = {
                { "status", "its exit status asks for a person" },
                { "lost", "nobody knows how its attempt has ended" },
                { "interrupted", "its attempt was interrupted by a stop of the flow or a shutdown" },
                { "poison", "its attempts were lost three times, and it may be what brings the machine down" },
                { "failed", "all of its attempts have failed" },
                { "upstream", "a node that it depends on was skipped or cancelled" },
                { "upstream-failed", "a node that it depends on has failed" },
                { "ended", "the run was over before its turn" },
                { "operator", "a person has decided that" },
                { "unneeded", "nothing needs it any more" },
                { "deadline", "the time of the run was over (RunTimeoutSec=)" },
                { "unit", "its unit was stopped" },
                { "dependency", "its unit could not be started" },
                { "queue", "it has waited too long for its turn" },
                { "short-circuit", "its command has said that nothing below is needed" },
                { "when", "its condition (When=) is false" },
                { "expression", "its condition (When=) has no value" },
                { "policy", "so says the command that judges it (Policy=)" },
                { "gate", "a person has to approve it" },
                { "rejected", "a person has rejected it" },
                { "deadlock", "it waits for what waits for its own run" },
                { "result-invalid", "what it has left as its result is not JSON" },
                { "result-too-large", "its result is larger than ResultMax=" },
                { "output-missing", "its result lacks a key of Outputs=" },
                { "input-missing", "nobody has given what it needs" },
                { "job", "its job was cancelled" },
                { "sub-run", "its run was cancelled" },
                { "refused", "it must not be done" },
                { "callback", "whoever has its token has said so" },
                { "error-budget", "more of its items are errors than MaxErrors= or MaxErrorPercent= allows" },
                { "prepare", "its command ExecPrepare= has failed" },
                { "items", "its items cannot be read" },
        };

        for (size_t i = 0; i < ELEMENTSOF(sentences); i++)
                if (text_equal(sentences[i].reason, reason))
                        return sentences[i].sentence;
        return "";
}

static void add_clause(Text *text, const char *clause) {
        if (*clause)
                text_addf(text, "%s%s", text->string && *text->string ? "; " : "", clause);
}

/* "exit status 3, in attempt 2": of the last attempt, if one has ended. */
static void add_end(const json_t *node, Text *text) {
        const uint64_t attempts = value_u64(node, "attempts");
        char clause[128] = "";

        if (attempts == 0 || attempts == UINT64_MAX)
                return;
        if (json_object_get(node, "signal"))
                snprintf(clause, sizeof(clause), "SIG%s has ended attempt %" PRIu64,
                         sigabbrev_np((int) value_u64(node, "signal")) ?: "?", attempts);
        else if (json_object_get(node, "exit"))
                snprintf(clause, sizeof(clause), "attempt %" PRIu64 " has ended with exit status %" PRIu64, attempts,
                         value_u64(node, "exit"));
        add_clause(text, clause);
}

/* The node above that has failed first. */
static void add_cause(const json_t *node, Text *text) {
        cleanup_json_ json_t *cause = json_loads(value_string(node, "cause"), 0, NULL);
        cleanup_free_ char *clause = NULL;
        const char *name = value_string(cause, "node");

        if (*name && !text_equal(name, value_string(node, "node")) &&
            text_format(&clause, "the first one that has failed is %s", name) == 0)
                add_clause(text, clause);
}

/* A problem is a sentence of its own, and becomes a clause. */
static void add_problem(const json_t *node, Text *text) {
        cleanup_free_ char *problem = strdup(value_string(node, "problem"));
        const size_t n = problem ? strlen(problem) : 0;

        if (n > 0 && problem[n - 1] == '.')
                problem[n - 1] = '\0';
        if (problem && (strncmp(problem, "A ", 2) == 0 || strncmp(problem, "The ", 4) == 0))
                problem[0] = (char) (problem[0] | 0x20);
        if (n > 0)
                add_clause(text, problem);
}

/* The end of the run has met a node that had its turn. */
static bool is_met(const json_t *node) {
        const uint64_t attempts = value_u64(node, "attempts");

        return attempts > 0 && attempts != UINT64_MAX && text_equal(value_string(node, "reason"), "ended");
}

/* … it was PENDING or DEFERRED then: one that ran is CANCELLED. */
static bool is_left(const json_t *node) {
        return is_met(node) && text_equal(value_string(node, "state"), "SKIPPED");
}

/* How a node has come into its state, by its row: the caller owns it. @run: the same of its run; NULL: it lives. */
static int describe_node(const json_t *run, const json_t *node, char **ret_text) {
        const char *state = value_string(node, "state");
        const bool is_late = text_equal(value_string(run, "state"), "TIMEOUT") &&
                             !text_equal(value_string(run, "reason"), "queue");
        Text text = {};

        if (is_left(node) && is_late)
                add_clause(&text, "the time of the run was over (RunTimeoutSec=) while it waited for a retry or a "
                                  "person");
        else if (is_left(node))
                add_clause(&text, "the run was over while it waited for a retry or a person");
        else if (is_met(node))
                add_clause(&text, "the run was over");
        else
                add_clause(&text, sentence_of(value_string(node, "reason")));
        if (text_equal(state, "TIMEOUT") && !*value_string(node, "reason"))
                add_clause(&text, "its time was over");
        if (!text_equal(state, "SKIPPED") || is_left(node))
                add_end(node, &text);
        add_problem(node, &text);
        add_cause(node, &text);
        return text_finish(&text, ret_text);
}

/* — printing — */

/* "Node pull of run nightly-7 is FAILED (reason): text." */
static void print_reason(Jobctl *ctl, const char *subject, const json_t *what, const char *indent) {
        const char *state = value_string(what, "state"), *reason = value_string(what, "reason"),
                   *text = value_string(what, "text");

        printf("%s%s is ", indent, subject);
        terminal_print(&ctl->terminal, flow_color_of_state(state), state);
        printf("%s%s%s%s%s.\n", *reason ? " (" : "", reason, *reason ? ")" : "", *text ? ": " : "", text);
}

static void print_explanation(Jobctl *ctl, const json_t *explanation) {
        const char *node = value_string(explanation, "node");
        json_t *nodes = json_object_get(explanation, "nodes"), *item;
        cleanup_free_ char *subject = NULL;
        size_t i;
        int r = *node ? text_format(&subject, "Node %s of run %s", node, value_string(explanation, "name"))
                      : text_format(&subject, "Run %s", value_string(explanation, "name"));

        if (r < 0)
                return;
        print_reason(ctl, subject, explanation, "");
        json_array_foreach(nodes, i, item) {
                cleanup_free_ char *name = NULL;

                /* The node that issues items does what the run does. */
                if (flow_unit_is_batch(value_string(explanation, "unit")) &&
                    text_equal(value_string(item, "node"), "items"))
                        continue;

                if (text_format(&name, "Node %s", value_string(item, "node")) == 0)
                        print_reason(ctl, name, item, "  ");
        }
}

static int print(Jobctl *ctl, const json_t *explanation) {
        if (ctl->options.json)
                return jobctl_print_json_line(ctl, json_incref((json_t *) explanation));
        print_explanation(ctl, explanation);
        return EXIT_OK;
}

/* — what the store has — */

/* Adds how the last attempt of a node of a run that lives has ended, if it waits behind that, or is over. */
static int add_last_end(Jobctl *ctl, uint64_t id, json_t *item, BusError *ret_error) {
        static const char *const states[] = { "FAILED", "TIMEOUT", "SUCCEEDED", "SKIPPED", "CANCELLED", "PENDING",
                                              "DEFERRED" };
        const char *state = value_string(item, "state");
        const bool waits = text_equal(state, "PENDING") || text_equal(state, "DEFERRED");
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_free_ char *end = NULL, *text = NULL;
        cleanup_json_ json_t *row = NULL;
        bool is_told = false;
        int r;

        for (size_t i = 0; i < ELEMENTSOF(states); i++)
                is_told |= text_equal(states[i], state);
        if (!is_told)
                return 0;
        /* The explanation of core is an answer without the row of the store, too. */
        if (flow_get_node(ctl, id, value_string(item, "node"), &row, &error) < 0 ||
            !text_equal(value_string(row, "state"), state))
                return 0;
        r = describe_node(NULL, row, &end);
        if (r == 0 && *end && waits)
                r = text_format(&text, "%s; %s", value_string(item, "text"), end);
        else if (r == 0 && (*end || !waits))
                r = text_copy(end, &text);
        if (r == 0 && text)
                json_object_set_new(item, "text", json_string(text));
        if (r == 0 && *value_string(row, "problem"))
                json_object_set(item, "problem", json_object_get(row, "problem"));
        return r;
}

static json_t *copy_keys(const json_t *row, const char *const *keys, size_t n) {
        json_t *copy = json_object();

        for (size_t i = 0; i < n; i++)
                if (json_object_get(row, keys[i]))
                        json_object_set(copy, keys[i], json_object_get(row, keys[i]));
        return copy;
}

/* The end of a node, for people and as JSON. */
static int make_node(const json_t *run, const json_t *row, json_t **ret_node) {
        static const char *const keys[] = { "node", "state", "reason", "attempts", "exit", "signal", "problem",
                                            "cause", "ended" };
        cleanup_free_ char *text = NULL;
        int r = describe_node(run, row, &text);

        if (r < 0)
                return r;
        *ret_node = copy_keys(row, keys, ELEMENTSOF(keys));
        json_object_set_new(*ret_node, "text", json_string(text));
        return 0;
}

static int compare_ends(const void *a, const void *b) {
        json_t *const *first = a, *const *second = b;
        const uint64_t x = value_u64(*first, "ended"), y = value_u64(*second, "ended");

        return x < y ? -1 : x > y;
}

/* Nodes that ended earlier come first. */
static json_t *sort_by_end(const json_t *rows) {
        const size_t n = json_array_size(rows);
        json_t **items = calloc(n + 1, sizeof(*items)), *sorted = json_array();

        for (size_t i = 0; items && i < n; i++)
                items[i] = json_array_get(rows, i);
        if (items)
                qsort(items, n, sizeof(*items), compare_ends);
        for (size_t i = 0; items && i < n; i++)
                json_array_append(sorted, items[i]);
        free(items);
        return sorted;
}

/* Adds the nodes of a run that have @value for @key, and had their turn if it was left. */
static int gather_nodes(Jobctl *ctl, const json_t *run, const char *key, const char *value, json_t *all,
                        BusError *ret_error) {
        const bool wants_left = text_equal(key, "reason");
        cleanup_json_ json_t *rows = NULL;
        json_t *row;
        size_t i;
        int r = flow_query_nodes(ctl, value_u64(run, "id"), key, value, &rows, ret_error);

        json_array_foreach(rows, i, row)
                if (text_equal(value_string(row, key), value) && (!wants_left || is_left(row)))
                        json_array_append(all, row);
        return r;
}

/* Appends the first of @all to @nodes, of which a run may have many; @ret_n: how many there are. */
static int add_nodes(const json_t *run, const json_t *all, json_t *nodes, size_t *ret_n) {
        cleanup_json_ json_t *sorted = sort_by_end(all);
        int r = 0;

        *ret_n = json_array_size(sorted);
        for (size_t i = 0; r == 0 && i < *ret_n && i < NODES_SHOWN; i++) {
                json_t *node;

                r = make_node(run, json_array_get(sorted, i), &node);
                if (r == 0)
                        json_array_append_new(nodes, node);
        }
        return r;
}

/* The nodes by which a run has not succeeded: those that failed, then those whose wait its time limit has ended. */
typedef struct Faults {
        json_t *nodes; /* owned: the first ones of both */
        size_t n_failed, n_left;
} Faults;

static void faults_deinit(Faults *faults) {
        json_decref(faults->nodes);
}

static int find_faults(Jobctl *ctl, const json_t *run, Faults *faults, BusError *ret_error) {
        cleanup_json_ json_t *failed = json_array(), *left = json_array();
        int r = gather_nodes(ctl, run, "state", "FAILED", failed, ret_error);

        faults->nodes = json_array();
        if (r == 0)
                r = gather_nodes(ctl, run, "state", "TIMEOUT", failed, ret_error);
        if (r == 0 && text_equal(value_string(run, "state"), "TIMEOUT"))
                r = gather_nodes(ctl, run, "reason", "ended", left, ret_error);
        if (r == 0)
                r = add_nodes(run, failed, faults->nodes, &faults->n_failed);
        return r < 0 ? r : add_nodes(run, left, faults->nodes, &faults->n_left);
}

/* "2 nodes waited for a retry or a person" */
static int add_waits(const Faults *faults, Text *text) {
        const char *first = value_string(json_array_get(faults->nodes, MIN(faults->n_failed, NODES_SHOWN)), "node");
        cleanup_free_ char *clause = NULL;
        int r = 0;

        if (faults->n_left == 1)
                r = text_format(&clause, "node %s waited for a retry or a person", first);
        else if (faults->n_left > 1)
                r = text_format(&clause, "%zu nodes waited for a retry or a person, of which one is %s", faults->n_left,
                                first);
        if (r == 0 && clause)
                add_clause(text, clause);
        return r;
}

/* "100 of 100 items are over, 3 of them as errors" */
static int describe_items(const json_t *run, char **ret_text) {
        const uint64_t n_errors = value_u64(run, "failed");
        Text text = {};

        text_addf(&text, "%" PRIu64 " of %" PRIu64 " items are over, ", value_u64(run, "done"),
                  value_u64(run, "total"));
        if (n_errors == 0)
                text_add(&text, "none is an error");
        else
                text_addf(&text, "%" PRIu64 " of them as %s", n_errors, n_errors == 1 ? "an error" : "errors");
        return text_finish(&text, ret_text);
}

/* "2 of 4 nodes have failed; the first is verify" */
static int describe_run(const json_t *run, const Faults *faults, char **ret_text) {
        const size_t n_failed = faults->n_failed;
        const uint64_t total = value_u64(run, "total");
        cleanup_free_ char *clause = NULL;
        Text text = {};
        int r = 0;

        add_clause(&text, sentence_of(value_string(run, "reason")));
        if (text_equal(value_string(run, "state"), "TIMEOUT") && !*value_string(run, "reason"))
                add_clause(&text, sentence_of("deadline"));
        if (flow_unit_is_batch(value_string(run, "unit")))
                r = describe_items(run, &clause);
        else if (n_failed > 0)
                r = text_format(&clause, "%zu of %" PRIu64 " nodes %s failed%s%s", n_failed, total,
                                n_failed == 1 ? "has" : "have", n_failed == 1 ? "" : "; the first is ",
                                n_failed == 1 ? "" : value_string(json_array_get(faults->nodes, 0), "node"));
        else
                r = text_format(&clause, "%" PRIu64 " of %" PRIu64 " nodes have ended, none has failed",
                                value_u64(run, "done"), total);
        if (r == 0)
                add_clause(&text, clause);
        if (r == 0)
                r = add_waits(faults, &text);
        return text_finish(&text, ret_text) ?: r;
}

/* The commands that help with nodes that have failed. */
static void print_remedy(uint64_t id, const Faults *faults) {
        const bool is_one = faults->n_failed == 1;

        printf("'jobctl flow logs %" PRIu64 "/%s' shows what %s has said, 'jobctl flow retry %" PRIu64 "' executes %s "
               "again.\n", id, value_string(json_array_get(faults->nodes, 0), "node"), is_one ? "it" : "the first", id,
               is_one ? "it" : "them");
}

static void print_items_remedy(Jobctl *ctl, const json_t *run) {
        const uint64_t id = value_u64(run, "id");

        if (value_u64(run, "failed") > 0 && !ctl->options.quiet)
                printf("'jobctl batch errors %" PRIu64 "' lists the items that have failed, 'jobctl batch logs %" PRIu64
                       "/ITEM' shows what the command has said of one.\n", id, id);
}

static int explain_ended_run(Jobctl *ctl, const json_t *run, BusError *ret_error) {
        static const char *const keys[] = { "id", "unit", "name", "state", "reason", "ended" };
        const uint64_t id = value_u64(run, "id");
        cleanup_json_ json_t *explanation = copy_keys(run, keys, ELEMENTSOF(keys));
        cleanup_(faults_deinit) Faults faults = {};
        cleanup_free_ char *text = NULL;
        int r = find_faults(ctl, run, &faults, ret_error);

        if (r == 0)
                r = describe_run(run, &faults, &text);
        if (r < 0)
                return r;
        json_object_set_new(explanation, "text", json_string(text));
        json_object_set(explanation, "nodes", faults.nodes);
        r = print(ctl, explanation);
        if (r != 0 || ctl->options.json)
                return r;
        if (flow_unit_is_batch(value_string(run, "unit"))) {
                print_items_remedy(ctl, run);
                return EXIT_OK;
        }
        if (faults.n_failed > NODES_SHOWN)
                printf("  And %zu more: 'jobctl flow show %" PRIu64 "' lists all.\n", faults.n_failed - NODES_SHOWN,
                       id);
        if (faults.n_failed > 0 && !ctl->options.quiet)
                print_remedy(id, &faults);
        return EXIT_OK;
}

/*
 * The only failure in a run that was over before the turn of the node. Another node, with EndRun=failure, may have
 * ended the run.
 */
static int add_ender(Jobctl *ctl, const json_t *run, json_t *node, BusError *ret_error) {
        cleanup_json_ json_t *failed = json_array();
        cleanup_free_ char *text = NULL;
        int r;

        if (!text_equal(value_string(node, "reason"), "ended") || is_met(node) ||
            !text_equal(value_string(run, "state"), "FAILED") || value_u64(run, "failed") != 1)
                return 0;
        r = gather_nodes(ctl, run, "state", "FAILED", failed, ret_error);
        if (r == 0)
                r = gather_nodes(ctl, run, "state", "TIMEOUT", failed, ret_error);
        if (r < 0 || json_array_size(failed) != 1)
                return r;
        r = text_format(&text, "%s; the only node that has failed is %s", value_string(node, "text"),
                        value_string(json_array_get(failed, 0), "node"));
        if (r == 0)
                json_object_set_new(node, "text", json_string(text));
        return r;
}

static int explain_ended_node(Jobctl *ctl, const json_t *run, const char *name, BusError *ret_error) {
        static const char *const keys[] = { "id", "unit", "name" };
        cleanup_json_ json_t *row = NULL, *node = NULL, *explanation = copy_keys(run, keys, ELEMENTSOF(keys));
        int r = flow_get_node(ctl, value_u64(run, "id"), name, &row, ret_error);

        if (r == 0)
                r = make_node(run, row, &node);
        if (r == 0)
                r = add_ender(ctl, run, node, ret_error);
        if (r < 0)
                return r;
        json_object_update(explanation, node);
        return print(ctl, explanation);
}

static int explain_ended(Jobctl *ctl, uint64_t id, const char *node, BusError *ret_error) {
        cleanup_json_ json_t *run = NULL;
        int r = flow_get(ctl, id, &run, ret_error);

        if (r < 0)
                return r;
        return node ? explain_ended_node(ctl, run, node, ret_error) : explain_ended_run(ctl, run, ret_error);
}

/* — what lives — */

static int explain_live(Jobctl *ctl, json_t *explanation, BusError *ret_error) {
        const uint64_t id = value_u64(explanation, "id");
        json_t *nodes = json_object_get(explanation, "nodes"), *item;
        size_t i;
        int r = flow_judge_unit(ctl, value_string(explanation, "unit"));

        if (r != 0)
                return r;
        r = *value_string(explanation, "node") ? add_last_end(ctl, id, explanation, ret_error) : 0;

        json_array_foreach(nodes, i, item)
                if (r == 0)
                        r = add_last_end(ctl, id, item, ret_error);
        return r < 0 ? r : print(ctl, explanation);
}

/* @ret_is_other: none lives of that number or name. An exit status, or < 0. */
static int explain_live_run(Jobctl *ctl, const char *what, bool *ret_is_other, BusError *ret_error) {
        cleanup_json_ json_t *reply = NULL;
        int r = jobctl_call(ctl, "ExplainRun", "s", json_pack("[s]", what), &reply, ret_error);

        *ret_is_other = r < 0 && bus_error_is(ret_error, "NoSuchRun");
        return r < 0 ? r : explain_live(ctl, json_array_get(reply, 0), ret_error);
}

/* All runs of a flow that live, and without one the last that has ended. */
static int explain_unit(Jobctl *ctl, const char *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *runs = NULL;
        json_t *run;
        size_t i, n = 0;
        int r = flow_query(ctl, NULL, "ListRuns", json_pack("{s:{s:s}}", "unit", "s", unit), SIZE_MAX, &runs, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "explain runs of %s", unit);
        json_array_foreach(runs, i, run) {
                bool has_ended = false;
                char number[24];

                /* An ended run has a time at which it did. */
                if (json_object_get(run, "ended"))
                        continue;
                snprintf(number, sizeof(number), "%" PRIu64, value_u64(run, "id"));
                r = explain_live_run(ctl, number, &has_ended, &error);
                if (has_ended) {
                        bus_error_deinit(&error);
                        error = (BusError) {};
                        continue;
                }
                if (r != 0)
                        return r < 0 && r != -EPIPE ? jobctl_fail(ctl, &error, "explain run %s", number) : r;
                n++;
        }
        if (n > 0)
                return EXIT_OK;
        if (!ctl->options.json && !ctl->options.quiet)
                printf("%s has no run that lives%s\n", unit, json_array_size(runs) > 0 ? ". Its last one:" : ".");
        if (json_array_size(runs) == 0)
                return EXIT_OK;
        r = explain_ended_run(ctl, json_array_get(runs, 0), &error);
        return r < 0 && r != -EPIPE ? jobctl_fail(ctl, &error, "explain runs of %s", unit) : r;
}

/* A run by its number or name, or a node of it, which may have ended; and else a flow without its suffix. */
static int explain_other(Jobctl *ctl, const char *what) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *runs = NULL, *of_unit = NULL;
        cleanup_free_ char *node = NULL, *unit = NULL;
        uint32_t number;
        uint64_t id;
        const bool is_name = !strchr(what, '/') && text_parse_u32(what, &number) < 0;
        int r = is_name ? name_mangle(what, flow_suffix(ctl), &unit) : 0;

        if (r == 0 && unit)
                r = flow_query(ctl, NULL, "ListRuns", json_pack("{s:{s:s}}", "name", "s", what), 1, &runs, &error);
        if (r == 0 && unit && json_array_size(runs) == 0 && name_has_runs(unit))
                r = flow_query(ctl, NULL, "ListRuns", json_pack("{s:{s:s}}", "unit", "s", unit), 1, &of_unit, &error) ?:
                    json_array_size(of_unit) > 0 ? 1 : 0;
        if (r > 0)
                return explain_unit(ctl, unit);
        if (r == 0 || r == -EINVAL) {
                r = flow_parse_node(ctl, what, &id, &node);
                if (r != 0)
                        return r;
                r = explain_ended(ctl, id, node, &error);
        }
        return r < 0 && r != -EPIPE ? jobctl_fail(ctl, &error, "explain run %s", what) : r;
}

int flow_why(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        bool is_other = false;
        int r;

        if ((!words[0] || words[1]) && flow_is_batch(ctl))
                return jobctl_misused(ctl, "'batch why' takes a run, or a batch.");
        if (!words[0] || words[1])
                return jobctl_misused(ctl, "'flow why' takes a run, a node as RUN/NODE, or a flow.");
        if (flow_is_batch(ctl) && strchr(words[0], '/'))
                return jobctl_misused(ctl, "'batch why' is about a run: an item waits for nothing of its own.");
        r = flow_judge_unit(ctl, words[0]);
        if (r != 0)
                return r;
        if (name_has_runs(words[0]))
                return explain_unit(ctl, words[0]);
        r = explain_live_run(ctl, words[0], &is_other, &error);
        if (is_other)
                return explain_other(ctl, words[0]);
        return r < 0 && r != -EPIPE ? jobctl_fail(ctl, &error, "explain run %s", words[0]) : r;
}
