/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * why: the explanation of a job, a unit or a transaction; stats
 *
 * The manager explains in sentences; here they are printed in an order that
 * can be read from top to bottom: the answer, possible remedies, then the two
 * chains that the answer is based on, each step below the step that it
 * explains.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/names.h"
#include "jobctl/plan.h"
#include "jobctl/state.h"
#include "jobctl/table.h"
#include "jobctl/verbs.h"

static bool is_transaction(const char *word) {
        uint32_t number;

        return word[0] == 't' && name_is_number(word + 1, &number);
}

/* "12", "t12", or a unit. */
static int explain_subject(Jobctl *ctl, const char *word, char **ret_subject) {
        uint32_t number;
        int r;

        if (name_is_number(word, &number) || is_transaction(word))
                return text_format(ret_subject, "%s", word);
        r = name_mangle(word, ".service", ret_subject);
        if (r == -EINVAL)
                return jobctl_misused(ctl, "'%s' is not a job, transaction or unit.", word);
        return r;
}

static void add_span(Text *text, const json_t *step, const char *key, const char *format) {
        char span[USEC_FORMAT_MAX];
        usec_t value = value_u64(step, key);

        if (!json_object_get(step, key) || value == USEC_INFINITY)
                return;
        text_addf(text, format, state_format_span(value, span));
}

/* The sentence of a step; composed here if the manager sent none. */
static void add_sentence(Text *text, const json_t *step) {
        const char *sentence = value_string(step, "text");

        if (*sentence) {
                text_add(text, sentence);
                return;
        }
        text_addf(text, "%s %s", value_string(step, "type"), value_string(step, "unit"));
        if (*value_string(step, "relation"))
                text_addf(text, " (%s=", value_string(step, "relation"));
        if (*value_string(step, "declared"))
                text_addf(text, " in %s", value_string(step, "declared"));
        if (*value_string(step, "relation"))
                text_add(text, ")");
        if (*value_string(step, "requester"))
                text_addf(text, ", requested by %s",
                          value_string(step, *value_string(step, "command") ? "command" : "requester"));
}

/* Details that the sentence does not have. */
static void add_details(Text *text, const json_t *step, const char *margin) {
        const char *sentence = value_string(step, "text");
        const char *activity = value_string(step, "activity"), *declared = value_string(step, "declared");

        if (*activity && !strstr(sentence, activity)) {
                text_addf(text, "\n%s%s", margin, activity);
                add_span(text, step, "activity-for", ", for %s");
        }
        if (*declared && *sentence && !strstr(sentence, declared))
                text_addf(text, "\n%s%s= in %s", margin, value_string(step, "relation"), declared);
        add_span(text, step, "deadline-in", "; time limit in %s");
        add_span(text, step, "limit-in", "; the unit's own time limit in %s");
}

static int print_step(const json_t *step, const char *first, const char *margin) {
        cleanup_(text_deinit) Text text = {};

        text_add(&text, first);
        add_sentence(&text, step);
        add_details(&text, step, margin);
        if (text.error < 0)
                return text.error;
        puts(text.string);
        return 0;
}

/* Prints each step below the previous one and further to the right. */
static int print_chain(Jobctl *ctl, const char *heading, const json_t *steps) {
        const char *branch = ctl->terminal.has_utf8 ? "└─ " : "`- ";
        json_t *step;
        size_t i;
        int r = 0;

        if (json_array_size(steps) > 0)
                printf("\n%s\n", heading);
        json_array_foreach(steps, i, step) {
                int indent = 2 + 3 * (int) MIN(i, (size_t) 15);
                cleanup_free_ char *first = NULL;
                cleanup_free_ char *next = NULL;

                if (text_format(&first, "%*s%s", i == 0 ? 2 : indent - 3, "", i == 0 ? "" : branch) < 0 ||
                    text_format(&next, "%*s", indent + 3, "") < 0)
                        return -ENOMEM;
                r = print_step(step, first, next);
                if (r < 0)
                        return r;
        }
        return r;
}

static void print_strings(const char *heading, const json_t *strings) {
        json_t *string;
        size_t i;

        if (json_array_size(strings) > 0)
                printf("\n%s\n", heading);
        json_array_foreach(strings, i, string)
                printf("  %s\n", json_string_value(string) ?: "");
}

static void print_transaction(const json_t *explanation) {
        const json_t *jobs = json_object_get(explanation, "jobs");
        json_t *job;
        size_t i;

        print_strings("Asked for:", json_object_get(explanation, "requests"));
        if (json_array_size(jobs) > 0)
                printf("\nJobs:");
        json_array_foreach(jobs, i, job)
                printf(" %" JSON_INTEGER_FORMAT, json_integer_value(job));
        if (json_array_size(jobs) > 0)
                putchar('\n');
}

/* Prints the command that ends a running job. A shell would remove the backslash of an escaped name. */
static void print_remedy(const json_t *job, const char *prefix) {
        const char *unit = value_string(job, "unit"), *quote = strchr(unit, '\\') ? "'" : "";
        bool stops = strcmp(value_string(job, "run"), "stop") == 0;

        if (strcmp(value_string(job, "state"), "running") == 0)
                printf("%sjobctl %s %s%s%s", prefix, stops ? "kill --signal=SIGKILL" : "stop", quote, unit, quote);
}

static void print_remedies(const json_t *explanation) {
        const json_t *blockers = json_object_get(explanation, "blockers");
        size_t n = json_array_size(blockers);

        if (strcmp(value_string(explanation, "state"), "waiting") == 0)
                printf("By hand:   jobctl cancel %" PRIu64, value_u64(explanation, "id"));
        else
                print_remedy(explanation, "By hand:   ");
        if (n > 0)
                print_remedy(json_array_get(blockers, n - 1), ", or ");
        putchar('\n');
}

/* The last run of a flow, if that has ended; without a store there is none. */
static void print_last_run(Jobctl *ctl, const char *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        const json_t *run;

        if (jobctl_call(ctl, "ListRuns", "a{sv}us", json_pack("[{s:{s:s}}, i, s]", "unit", "s", unit, 1, ""), &reply,
                        &error) < 0)
                return;
        run = json_array_get(json_array_get(reply, 0), 0);
        if (run && json_object_get(run, "ended"))
                printf("  The last one, %s, has ended: %s. See 'jobctl flow why %" PRIu64 "'.\n",
                       value_string(run, "name"), value_string(run, "state"), value_u64(run, "id"));
}

/* Of a flow. */
static void print_runs(Jobctl *ctl, const json_t *explanation) {
        const json_t *runs = json_object_get(explanation, "runs");
        json_t *run;
        size_t i;

        if (runs)
                printf("\nRuns:%s\n", json_array_size(runs) == 0 ? " none lives." : "");
        if (runs && json_array_size(runs) == 0)
                print_last_run(ctl, value_string(explanation, "unit"));
        json_array_foreach(runs, i, run)
                printf("  %s is %s: %s.\n", value_string(run, "name"), value_string(run, "state"),
                       value_string(run, "text"));
}

static int print_explanation(Jobctl *ctl, const json_t *explanation, bool is_of_transaction) {
        const char *pause = value_string(explanation, "pause");
        const char *end = value_string(explanation, "ends-when");
        const char *message = value_string(explanation, "message");
        int r;

        terminal_print(&ctl->terminal, COLOR_BOLD, value_string(explanation, "summary"));
        putchar('\n');
        if (*message && !strstr(value_string(explanation, "summary"), message))
                printf("%s\n", message);
        if (*pause)
                printf("Paused: %s\n", pause);
        if (*end) {
                printf("Ends when: %s\n", end);
                print_remedies(explanation);
        }
        print_transaction(explanation);
        r = print_chain(ctl, "Why it is there:", json_object_get(explanation, "causes"));
        print_strings("Also:", json_object_get(explanation, "also"));
        if (r == 0)
                r = print_chain(ctl, "What it waits for:", json_object_get(explanation, "blockers"));
        if (*value_string(explanation, "held"))
                printf("\nHeld by: %s\n", value_string(explanation, "held"));
        print_runs(ctl, explanation);
        is_of_transaction |= strcmp(value_string(explanation, "kind"), "refused") == 0;
        return r < 0 || !is_of_transaction ? r : plan_print_dropped(ctl, json_object_get(explanation, "dropped"));
}

/* Explains each live run: what it waits for. */
static int add_runs(Jobctl *ctl, const char *subject, json_t *explanation, BusError *ret_error) {
        cleanup_json_ json_t *properties = NULL;
        json_t *runs = json_array(), *run;
        size_t i;
        int r;

        r = jobctl_unit_properties(ctl, subject, text_ends_with(subject, ".batch") ? BUS_BATCH : BUS_FLOW, &properties,
                                   ret_error);
        json_array_foreach(json_object_get(properties, "Runs"), i, run)
                json_array_append_new(runs, json_pack("{s:O, s:O, s:O, s:O}", "id", json_array_get(run, 0), "name",
                                                      json_array_get(run, 1), "state", json_array_get(run, 2),
                                                      "text", json_array_get(run, 3)));
        return json_object_set_new(explanation, "runs", runs) < 0 && r == 0 ? -ENOMEM : r;
}

static int explain(Jobctl *ctl, const char *word, json_t **ret_explanation) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_free_ char *subject = NULL;
        cleanup_json_ json_t *reply = NULL;
        int r;

        r = explain_subject(ctl, word, &subject);
        if (r != 0)
                return r;
        r = jobctl_call(ctl, "Explain", "s", json_pack("[s]", subject), &reply, &error);
        if (r == 0 && name_has_runs(subject))
                r = add_runs(ctl, subject, json_array_get(reply, 0), &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "explain %s", subject);
        *ret_explanation = json_incref(json_array_get(reply, 0));
        return 0;
}

int verb_why(Jobctl *ctl, char *const *words) {
        cleanup_json_ json_t *all = json_array();

        strv_foreach(word, words) {
                cleanup_json_ json_t *explanation = NULL;
                int r = explain(ctl, *word, &explanation);

                if (r == 0 && ctl->options.json)
                        r = json_array_append(all, explanation) < 0 ? -ENOMEM : 0;
                else if (r == 0) {
                        if (word != words)
                                putchar('\n');
                        r = print_explanation(ctl, explanation, is_transaction(*word));
                }
                if (r != 0)
                        return r;
        }
        if (!ctl->options.json)
                return EXIT_OK;
        return jobctl_print_json(ctl, json_incref(json_array_size(all) == 1 ? json_array_get(all, 0) : all), EXIT_OK);
}

/* — statistics — */

static int add_statistic(Table *table, const char *prefix, const char *key, const json_t *value) {
        cleanup_free_ char *name = NULL;
        cleanup_free_ char *text = NULL;
        const char *inner_key;
        json_t *inner;
        int r;

        r = text_format(&name, "%s%s%s", prefix, *prefix ? "." : "", key);
        if (r < 0)
                return r;
        if (json_is_object(value) && !*prefix) {
                json_object_foreach((json_t *) value, inner_key, inner)
                        if (r == 0)
                                r = add_statistic(table, name, inner_key, inner);
                return r;
        }
        text = json_is_string(value) ? strdup(json_string_value(value))
                                     : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        if (!text)
                return -ENOMEM;
        table_add(table, COLOR_NONE, name);
        table_add(table, COLOR_NONE, text);
        return 0;
}

int verb_stats(Jobctl *ctl, char *const *words) {
        cleanup_(table_deinit) Table table = { .n_columns = 2, .right_columns = 1U << 1 };
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        const char *key;
        json_t *value;
        int r;

        r = jobctl_call(ctl, "Stats", NULL, NULL, &reply, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get the statistics");
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_incref(json_array_get(reply, 0)), EXIT_OK);
        json_object_foreach(json_array_get(reply, 0), key, value) {
                r = add_statistic(&table, "", key, value);
                if (r < 0)
                        return r;
        }
        return table_write(&table, &ctl->terminal, stdout);
}
