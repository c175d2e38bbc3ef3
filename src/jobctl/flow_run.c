/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow, batch: verbs that change runs
 */

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"
#include "jobctl/names.h"

#define PAGE 500U

/* — questions — */

/* Of a call; 0: the default. */
static int timeout_of(const Jobctl *ctl) {
        usec_t left = usec_sub(ctl->ask_until, clock_monotonic());

        return ctl->ask_until == 0 ? 0 : (int) MAX(left / USEC_PER_MSEC, (usec_t) 1);
}

static int query_page(Jobctl *ctl, const char *path, const char *method, const json_t *filters, const char *cursor,
                      json_t **ret_reply, BusError *ret_error) {
        const BusCall call = {
                .path = path,
                .interface = path ? BUS_RUN : NULL,
                .method = method,
                .signature = "a{sv}us",
                .args = json_pack("[OIs]", filters, (json_int_t) PAGE, cursor),
                .timeout_msec = timeout_of(ctl),
        };

        return jobctl_send(ctl, &call, ret_reply, ret_error);
}

int flow_query(Jobctl *ctl, const char *path, const char *method, json_t *filters, size_t max, json_t **ret_rows,
               BusError *ret_error) {
        cleanup_json_ json_t *rows = json_array(), *owned = filters;
        cleanup_free_ char *cursor = strdup("");
        int r = 0;

        while (r == 0 && cursor && json_array_size(rows) < max) {
                cleanup_json_ json_t *reply = NULL;

                r = query_page(ctl, path, method, owned, cursor, &reply, ret_error);
                if (r < 0)
                        return r;
                if (json_array_extend(rows, json_array_get(reply, 0)) < 0)
                        return -ENOMEM;
                free(cursor);
                cursor = strdup(value_item_string(reply, 1));
                if (cursor && !*cursor)
                        break;
        }
        if (!cursor)
                return -ENOMEM;
        *ret_rows = take_ptr(rows);
        return 0;
}

int flow_get(Jobctl *ctl, uint64_t id, json_t **ret_row, BusError *ret_error) {
        cleanup_json_ json_t *rows = NULL;
        json_t *row;
        int r = flow_query(ctl, NULL, "ListRuns",
                           json_pack("{s:{s:I}, s:{s:b}}", "id", "t", (json_int_t) id, "deleted", "b", 1), 1, &rows,
                           ret_error);

        if (r < 0)
                return r;
        row = json_array_get(rows, 0);
        if (row && (!json_object_get(row, "deleted") || ctl->options.deleted)) {
                *ret_row = json_incref(row);
                return 0;
        }
        if (row)
                bus_error_set(ret_error, "org.jobd1.NoSuchRun", "Run %" PRIu64 " was deleted; --deleted shows it.", id);
        else
                bus_error_set(ret_error, "org.jobd1.NoSuchRun", "There is no run %" PRIu64 ".", id);
        return -EREMOTEIO;
}

int flow_query_nodes(Jobctl *ctl, uint64_t id, const char *key, const char *value, json_t **ret_rows,
                     BusError *ret_error) {
        json_t *filters = key ? json_pack("{s:{s:s}}", key, "s", value) : json_object();
        cleanup_free_ char *path = NULL;

        if (text_format(&path, BUS_PATH "/run/%" PRIu64, id) < 0) {
                json_decref(filters);
                return -ENOMEM;
        }
        return flow_query(ctl, path, "Nodes", filters, SIZE_MAX, ret_rows, ret_error);
}

int flow_get_node(Jobctl *ctl, uint64_t id, const char *name, json_t **ret_row, BusError *ret_error) {
        cleanup_json_ json_t *rows = NULL;
        json_t *row;
        size_t i;
        int r = flow_query_nodes(ctl, id, "node", name, &rows, ret_error);

        if (r < 0)
                return r;
        json_array_foreach(rows, i, row)
                if (text_equal(value_string(row, "node"), name)) {
                        *ret_row = json_incref(row);
                        return 0;
                }
        bus_error_set(ret_error, "org.jobd1.NoSuchNode", "Run %" PRIu64 " has no node %s.", id, name);
        return -EREMOTEIO;
}

/* The name is that of a flow: the sentence names the runs of it that can be meant. @rows: its runs. */
static void name_runs(const char *unit, const json_t *rows, BusError *error) {
        cleanup_free_ char *numbers = NULL;
        json_t *row;
        size_t i;
        Text text = {};

        json_array_foreach(rows, i, row)
                if (!json_object_get(row, "ended"))
                        text_addf(&text, "%s%" PRIu64, text.string ? ", " : "", value_u64(row, "id"));
        if (text_finish(&text, &numbers) < 0)
                return;
        if (*numbers)
                bus_error_set(error, "org.jobd1.NoSuchRun",
                              "%s is a %s, not a run; its runs that have not ended: %s.", unit, name_type_of(unit),
                              numbers);
        else if (json_array_size(rows) > 0)
                bus_error_set(error, "org.jobd1.NoSuchRun",
                              "%s is a %s, not a run; all of its runs have ended, the last is %" PRIu64 ".", unit,
                              name_type_of(unit), value_u64(json_array_get(rows, 0), "id"));
        else
                bus_error_set(error, "org.jobd1.NoSuchRun", "%s is a %s, not a run, and has no runs.", unit,
                              name_type_of(unit));
}

/* No run has the name: the runs of the flow, or batch, with the name, the last first. 0 or < 0. */
static int find_flow(Jobctl *ctl, const char *name, char **ret_unit, json_t **ret_rows, BusError *error) {
        if (name_mangle(name, flow_suffix(ctl), ret_unit) < 0 || !name_has_runs(*ret_unit))
                return 0;
        return flow_query(ctl, NULL, "ListRuns", json_pack("{s:{s:s}}", "unit", "s", *ret_unit), PAGE, ret_rows, error);
}

/* The run that has the name or, with @takes_flow, the last run of the flow that has it. */
static int find_name(Jobctl *ctl, const char *name, bool takes_flow, uint64_t *ret_id) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *rows = NULL, *of_flow = NULL;
        cleanup_free_ char *unit = NULL, *other = NULL;
        int r = flow_query(ctl, NULL, "ListRuns", json_pack("{s:{s:s}}", "name", "s", name), 1, &rows, &error);

        if (r == 0 && json_array_size(rows) > 0)
                r = flow_judge_unit(ctl, value_string(json_array_get(rows, 0), "unit"));
        else if (r == 0)
                r = flow_judge_unit(ctl, name);
        if (r > 0)
                return r;
        if (r == 0 && json_array_size(rows) == 0)
                r = find_flow(ctl, name, &unit, &of_flow, &error);
        if (r == 0 && unit && json_array_size(rows) == 0 && json_array_size(of_flow) == 0)
                r = flow_find_other(ctl, unit, &other);
        if (r == 0 && other)
                return flow_refuse_unit(ctl, other);
        if (r == 0 && json_array_size(rows) == 0 && (!takes_flow || json_array_size(of_flow) == 0)) {
                if (json_array_size(of_flow) > 0 || name_has_runs(name))
                        name_runs(unit ?: name, of_flow, &error);
                else
                        bus_error_set(&error, "org.jobd1.NoSuchRun",
                                      "No run has the name '%s'; 'jobctl %s list' shows runs and their numbers.",
                                      name, flow_word(ctl));
                r = -EREMOTEIO;
        }
        if (r < 0)
                return jobctl_fail(ctl, &error, "find the run");
        *ret_id = value_u64(json_array_get(json_array_size(rows) > 0 ? rows : of_flow, 0), "id");
        return 0;
}

static int parse_run(Jobctl *ctl, const char *word, bool takes_flow, uint64_t *ret_id) {
        cleanup_free_ char *unit = NULL;
        uint32_t id;
        int r = 0;

        if (!word || !*word)
                return jobctl_misused(ctl, "Name a run: its number, or a name such as %s-7; 'jobctl %s list' shows "
                                           "them.", flow_is_batch(ctl) ? "mails" : "nightly", flow_word(ctl));
        if (text_parse_u32(word, &id) < 0 || id == 0)
                return find_name(ctl, word, takes_flow, ret_id);
        *ret_id = id;
        if (flow_is_batch(ctl))
                r = flow_get_unit(ctl, id, &unit);
        return r == 0 && unit ? flow_judge_unit(ctl, unit) : r;
}

int flow_parse_run(Jobctl *ctl, const char *word, uint64_t *ret_id) {
        return parse_run(ctl, word, false, ret_id);
}

static int parse_node(Jobctl *ctl, const char *word, bool takes_flow, uint64_t *ret_id, char **ret_node) {
        const char *slash = word ? strchr(word, '/') : NULL;
        cleanup_free_ char *run = slash ? strndup(word, (size_t) (slash - word)) : NULL;
        cleanup_free_ char *node = slash ? strdup(slash + 1) : NULL;
        int r;

        if (slash && (!run || !node))
                return -ENOMEM;
        r = parse_run(ctl, slash ? run : word, takes_flow, ret_id);
        if (r == 0)
                *ret_node = take_ptr(node);
        return r;
}

int flow_parse_node(Jobctl *ctl, const char *word, uint64_t *ret_id, char **ret_node) {
        return parse_node(ctl, word, false, ret_id, ret_node);
}

int flow_parse_subject(Jobctl *ctl, const char *word, uint64_t *ret_id, char **ret_node) {
        return parse_node(ctl, word, true, ret_id, ret_node);
}

/* — start — */

static int status_of_state(const char *state) {
        static const struct {
                const char *state;
                int status;
        } states[] = {
                { "SUCCEEDED", EXIT_OK },
                { "PARTIAL", EXIT_RUN_PARTIAL },
                { "FAILED", EXIT_FAILED },
                { "TIMEOUT", EXIT_RUN_TIMEOUT },
                { "CANCELLED", EXIT_RUN_CANCELLED },
                { "SUSPENDED", EXIT_RUN_SUSPENDED },
        };

        for (size_t i = 0; i < ELEMENTSOF(states); i++)
                if (text_equal(states[i].state, state))
                        return states[i].status;
        return -1;
}

bool flow_state_is_end(const char *state) {
        const int status = status_of_state(state);

        return status >= 0 && status != EXIT_RUN_SUSPENDED;
}

/* The state in which the run has ended, or is SUSPENDED. */
static int wait_for(Jobctl *ctl, uint64_t id, char **ret_state, BusError *ret_error) {
        for (;;) {
                cleanup_json_ json_t *row = NULL;
                cleanup_(bus_signal_deinit) BusSignal signal = {};
                int r = flow_get(ctl, id, &row, ret_error);

                if (r < 0)
                        return r;
                if (status_of_state(value_string(row, "state")) >= 0) {
                        *ret_state = strdup(value_string(row, "state"));
                        return *ret_state ? 0 : -ENOMEM;
                }
                do {
                        bus_signal_deinit(&signal);
                        r = bus_next_signal(ctl->bus, USEC_INFINITY, &signal);
                } while (r > 0 && ((!bus_signal_is(&signal, BUS_MANAGER, "RunEnded") &&
                                    !bus_signal_is(&signal, BUS_MANAGER, "RunSuspended")) ||
                                   value_item_u64(signal.args, 0) != id));
                if (r == -ENOTCONN)
                        r = jobctl_reconnect(ctl, ret_error);
                if (r < 0)
                        return r;
        }
}

static int report_end(Jobctl *ctl, uint64_t id, const char *unit, const char *state) {
        if (ctl->options.json)
                return jobctl_print_json(
                        ctl, json_pack("{s:I, s:s, s:s}", "id", (json_int_t) id, "unit", unit, "state", state),
                        status_of_state(state));
        if (!ctl->options.quiet)
                printf("Run %" PRIu64 " of %s: %s.\n", id, unit, state);
        return status_of_state(state);
}

static int report_start(Jobctl *ctl, uint64_t id, const char *unit) {
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:I, s:s}", "id", (json_int_t) id, "unit", unit), EXIT_OK);
        if (id == 0)
                printf("No run of %s was made: another one has not ended (OnBusy=skip).\n", unit);
        else if (!ctl->options.quiet && ctl->options.create)
                printf("Run %" PRIu64 " of %s; 'jobctl %s %s %" PRIu64 "' starts it.\n", id, unit, flow_word(ctl),
                       flow_is_batch(ctl) ? "start" : "resume", id);
        else if (!ctl->options.quiet)
                printf("Run %" PRIu64 " of %s.\n", id, unit);
        return EXIT_OK;
}

/* "high", or a number: 0, or an exit status after a message. */
static int read_priority(Jobctl *ctl, json_t *options) {
        static const struct {
                const char *word;
                uint32_t priority;
        } words[] = { { "high", 192 }, { "medium", 128 }, { "low", 64 } };
        const char *text = ctl->options.priority;
        uint32_t number = UINT32_MAX;

        if (!text)
                return 0;
        for (size_t i = 0; i < ELEMENTSOF(words); i++)
                if (text_equal(words[i].word, text))
                        number = words[i].priority;
        if (number == UINT32_MAX && (text_parse_u32(text, &number) < 0 || number > 255))
                return jobctl_misused(ctl, "'%s' is not a number between 0 and 255, nor high, medium or low.", text);
        json_object_set_new(options, "priority", json_pack("{s:i}", "y", (int) number));
        return 0;
}

/* The name of the person who asks, for the record; NULL: it is not known. */
const char *flow_operator(const Jobctl *ctl) {
        const char *name = ctl->options.operator;
        const struct passwd *user;

        /* sudo tells which user has become root. */
        if (!name && getuid() == 0)
                name = getenv("SUDO_USER");
        if (name && *name)
                return name;
        user = getpwuid(getuid());
        return user ? user->pw_name : NULL;
}

static int read_first(Jobctl *ctl, json_t *options) {
        uint64_t first;

        if (text_parse_u64(ctl->options.first, &first) < 0 || first > INT64_MAX)
                return jobctl_misused(ctl, "'%s' is not the number of an item.", ctl->options.first);
        json_object_set_new(options, "first", json_pack("{s:I}", "t", (json_int_t) first));
        return 0;
}

/* The options of a run beside its parameters: 0, or an exit status after a message. */
static int make_options(Jobctl *ctl, const json_t *assignments, json_t **ret_options) {
        const Options *options = &ctl->options;
        const struct {
                const char *key, *value;
        } texts[] = {
                { "key", options->key },     { "name", options->name },          { "namespace", options->namespace },
                { "reqid", options->reqid }, { "operator", flow_operator(ctl) },
        };
        cleanup_json_ json_t *made = json_pack("{s:{s:O}}", "assign", "as", assignments);
        int r = read_priority(ctl, made);

        for (size_t i = 0; i < ELEMENTSOF(texts); i++)
                if (texts[i].value)
                        json_object_set_new(made, texts[i].key, json_pack("{s:s}", "s", texts[i].value));
        if (options->create)
                json_object_set_new(made, "create", json_pack("{s:b}", "b", 1));
        if (r == 0 && options->first)
                r = read_first(ctl, made);
        if (r == 0)
                *ret_options = take_ptr(made);
        return r;
}

int flow_identify(Jobctl *ctl, BusError *ret_error) {
        return jobctl_call(ctl, "Identify", "ss",
                           json_pack("[ss]", flow_operator(ctl) ?: "", ctl->options.reqid ?: ""), NULL, ret_error);
}

/* — batch start RUN — */

static int wait_and_report(Jobctl *ctl, uint64_t id, const char *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_free_ char *state = NULL;
        int r;

        bus_catch_interrupt(true);
        r = wait_for(ctl, id, &state, &error);
        bus_catch_interrupt(false);
        if (r == -EINTR)
                return EXIT_INTERRUPTED;
        return r < 0 ? jobctl_fail(ctl, &error, "wait for run %" PRIu64, id) : report_end(ctl, id, unit, state);
}

static int resume_run(Jobctl *ctl, uint64_t id, BusError *ret_error) {
        cleanup_free_ char *path = NULL;
        int r = text_format(&path, BUS_PATH "/run/%" PRIu64, id);

        if (r == 0 && ctl->options.wait)
                r = jobctl_subscribe(ctl, ret_error);
        if (r == 0)
                r = flow_identify(ctl, ret_error);
        if (r < 0)
                return r;
        return jobctl_send(ctl, &(BusCall) { path, BUS_RUN, "Resume", "", json_array() }, NULL, ret_error);
}

/* A run that was made with --create, or is paused. */
static int start_run(Jobctl *ctl, uint64_t id) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_free_ char *unit = NULL;
        int r;

        if (ctl->options.create || ctl->options.first || ctl->options.for_times || ctl->options.key ||
            ctl->options.name || ctl->options.priority)
                return jobctl_misused(ctl, "%" PRIu64 " is a run, which is there already: --create, --first, --for, "
                                           "--key, --name and --priority are for 'batch start BATCH'.", id);
        r = resume_run(ctl, id, &error);
        if (r == 0)
                r = flow_get_unit(ctl, id, &unit);
        if (r < 0)
                return jobctl_fail(ctl, &error, "start run %" PRIu64, id);
        return ctl->options.wait ? wait_and_report(ctl, id, unit ?: "") : report_start(ctl, id, unit ?: "");
}

/* The run that has the name of a unit that is not there: 0 if there is none, 1 with *ret_id, or < 0. */
static int find_run(Jobctl *ctl, const char *unit, uint64_t *ret_id, BusError *ret_error) {
        cleanup_json_ json_t *rows = NULL;
        cleanup_free_ char *name = NULL;
        int r = text_format(&name, "%.*s", (int) (strlen(unit) - strlen(flow_suffix(ctl))), unit);

        if (r == 0)
                r = flow_query(ctl, NULL, "ListRuns", json_pack("{s:{s:s}}", "name", "s", name), 1, &rows, ret_error);
        if (r < 0 || json_array_size(rows) == 0)
                return r;
        *ret_id = value_u64(json_array_get(rows, 0), "id");
        return 1;
}

/* The first word is the number of a run: it is started. */
static int start_by_number(Jobctl *ctl, char *const *words) {
        uint64_t id;
        int r;

        if (words[1])
                return jobctl_misused(ctl, "'%s' is one word too many: a run has its parameters already.", words[1]);
        r = flow_parse_run(ctl, words[0], &id);
        return r == 0 ? start_run(ctl, id) : r;
}

/* — start — */

/* The name may be meant as that of a unit of the other type, or of a run. */
static int fail_start(Jobctl *ctl, const char *unit, const BusError *error) {
        const bool is_unknown = bus_error_is(error, "NoSuchUnit");
        cleanup_(bus_error_deinit) BusError other_error = {};
        cleanup_free_ char *other = NULL;
        uint64_t id = 0;
        int r = is_unknown ? flow_find_other(ctl, unit, &other) : 0;

        if (r == 0 && is_unknown && !other && flow_is_batch(ctl) &&
            find_run(ctl, unit, &id, &other_error) > 0)
                return start_run(ctl, id);
        if (r < 0)
                return r;
        return other ? flow_refuse_unit(ctl, other) : jobctl_fail(ctl, error, "start %s", unit);
}

static int start_one(Jobctl *ctl, const char *unit, const json_t *wanted) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *options = json_deep_copy(wanted);
        cleanup_json_ json_t *reply = NULL;
        char token[JOBCTL_TOKEN_SIZE];
        uint64_t id;
        int r = jobctl_make_token(token);

        /* A call that is repeated makes no second run. */
        if (r == 0 && !json_object_get(options, "key") && !json_object_get(options, "timer"))
                json_object_set_new(options, "key", json_pack("{s:s}", "s", token));
        if (r == 0 && ctl->options.wait)
                r = jobctl_subscribe(ctl, &error);
        if (r == 0)
                r = jobctl_call(ctl, "StartRun", "sa{sv}a{sv}", json_pack("[s{}O]", unit, options), &reply, &error);
        if (r < 0)
                return fail_start(ctl, unit, &error);
        id = value_item_u64(reply, 0);
        return ctl->options.wait && id > 0 ? wait_and_report(ctl, id, unit) : report_start(ctl, id, unit);
}

int flow_start(Jobctl *ctl, char *const *words) {
        cleanup_json_ json_t *assignments = json_array(), *options = NULL;
        const char *word = flow_word(ctl);
        uint32_t number;
        int status;

        if (ctl->options.properties)
                return jobctl_misused(ctl, "A %s has parameters, not properties: write them as words, as in 'jobctl "
                                           "%s start nightly%s host=db1'.", word, word, flow_suffix(ctl));
        if (ctl->options.watch)
                return jobctl_misused(ctl, "'%s start --wait' waits for the end of the run, and '%s show --follow' "
                                           "shows what happens to it.", word, word);
        if (!words[0] || strchr(words[0], '='))
                return jobctl_misused(ctl, "Name a %s, as in 'jobctl %s start nightly%s'.", word, word,
                                      flow_suffix(ctl));
        if (flow_is_batch(ctl) && text_parse_u32(words[0], &number) == 0 && number > 0)
                return start_by_number(ctl, words);
        strv_foreach(assignment, words)
                if (strchr(*assignment, '='))
                        json_array_append_new(assignments, json_string(*assignment));
        if (ctl->options.create && ctl->options.wait)
                return jobctl_misused(ctl, "A run that is made with --create ends after it was started: leave --wait "
                                           "out.");
        if (ctl->options.for_times && (ctl->options.key || ctl->options.name))
                return jobctl_misused(ctl, "With --for= runs are known by their times: leave --key= and --name= out.");
        status = make_options(ctl, assignments, &options);
        if (status != EXIT_OK)
                return status;
        strv_foreach(name, words) {
                cleanup_free_ char *unit = NULL;
                int r;

                if (strchr(*name, '='))
                        continue;
                r = name_mangle(*name, flow_suffix(ctl), &unit);
                if (r == -EINVAL)
                        return jobctl_misused(ctl, "'%s' is not the name of a %s.", *name, word);
                if (r == 0)
                        r = flow_judge_unit(ctl, unit);
                if (r > 0)
                        return r;
                if (r == 0)
                        r = ctl->options.for_times ? flow_start_for(ctl, unit, options, start_one)
                                                   : start_one(ctl, unit, options);
                if (r < 0)
                        return r;
                status = status == EXIT_OK ? r : status;
        }
        return status;
}

/* — verbs — */

static const struct {
        const char *word, *method, *done;
        const char *signature;
        bool takes_node, needs_node;
} verbs[] = {
        { "pause", "Pause", "is paused: what runs goes on", "", false, false },
        { "resume", "Resume", "goes on", "", false, false },
        { "stop", "Stop", "begins nothing more; it is CANCELLED when what runs has ended", "", false, false },
        { "cancel", "Cancel", "is cancelled", "", false, false },
        { "proceed", "Proceed", "goes on", "", false, false },
        { "retry-errors", "RetryErrors", NULL, "a{sv}", false, false },
        { "delete", "Delete", "is deleted", "b", false, false },
        { "compensate", "Compensate", "undoes what has succeeded", "", false, false },
        { "retry", "Retry", "is tried again", "s", true, false },
        { "rerun", "Rerun", "is executed again", "s", true, true },
        { "resolve", "Resolve", "is resolved", "ss", true, true },
        { "skip", "Skip", "is skipped", "s", true, true },
        { "approve", "Approve", "is approved", "sbs", true, true },
};

static int make_arguments(Jobctl *ctl, size_t verb, const char *node, json_t **ret_arguments) {
        const char *as = ctl->options.as;

        if (text_equal(verbs[verb].word, "resolve")) {
                if (!as)
                        return jobctl_misused(ctl, "Say how: --as=success, failed, retry or skip.");
                *ret_arguments = json_pack("[ss]", node, as);
        } else if (text_equal(verbs[verb].word, "delete"))
                *ret_arguments = json_pack("[b]", ctl->options.stop);
        else if (text_equal(verbs[verb].word, "retry-errors"))
                *ret_arguments = json_pack("[{}]");
        else if (text_equal(verbs[verb].word, "approve"))
                *ret_arguments = json_pack("[sbs]", node, !ctl->options.reject,
                                           ctl->options.comment ? ctl->options.comment : "");
        else
                *ret_arguments = verbs[verb].takes_node ? json_pack("[s]", node ? node : "") : json_array();
        return *ret_arguments ? 0 : -ENOMEM;
}

static const char *done_of(const Jobctl *ctl, size_t verb, bool is_batch) {
        if (is_batch && text_equal(verbs[verb].word, "pause"))
                return "is paused when what is out has come back";
        return text_equal(verbs[verb].word, "approve") && ctl->options.reject ? "is rejected" : verbs[verb].done;
}

/* For what is said of a pause, which the caller may have asked for by "flow", too. */
static int is_of_batch(Jobctl *ctl, size_t verb, uint64_t id) {
        cleanup_free_ char *unit = NULL;
        int r = flow_is_batch(ctl) || !text_equal(verbs[verb].word, "pause") ? 0 : flow_get_unit(ctl, id, &unit);

        return r < 0 ? r : flow_is_batch(ctl) || (unit && flow_unit_is_batch(unit));
}

/* The flow has changed since the run was submitted, which keeps its definition. */
static int warn_outdated(Jobctl *ctl, uint64_t id, BusError *ret_error) {
        cleanup_json_ json_t *run = NULL, *needs_reload = NULL, *load_state = NULL;
        const char *unit;
        int r = flow_get(ctl, id, &run, ret_error);

        if (r < 0)
                return r;
        unit = value_string(run, "unit");
        r = jobctl_unit_property(ctl, unit, "LoadState", &load_state, ret_error);
        if (r == 0)
                r = jobctl_unit_property(ctl, unit, "NeedDaemonReload", &needs_reload, ret_error);
        if (r < 0)
                return r;
        printf("The files of %s have changed since it was submitted, and it goes on as they were then", unit);
        if (!text_equal(json_string_value(load_state) ?: "", "loaded")) {
                printf(".\n");
                return 0;
        }
        printf("; %s'jobctl flow start %s' makes a run of what they say now.\n",
               json_is_true(needs_reload) ? "after 'jobctl daemon-reload', " : "", unit);
        return 0;
}

/* A run that is paused stays so. */
static int report_errors(Jobctl *ctl, uint64_t id, uint64_t n) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *run = NULL;

        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:I, s:I}", "id", (json_int_t) id, "items", (json_int_t) n),
                                         EXIT_OK);
        if (ctl->options.quiet)
                return EXIT_OK;
        if (flow_get(ctl, id, &run, &error) == -ENOMEM)
                return -ENOMEM;
        printf("Run %" PRIu64 " issues %" PRIu64 " %s again that %s", id, n, n == 1 ? "item" : "items",
               n == 1 ? "is an error" : "are errors");
        if (run && text_equal(value_string(run, "state"), "PAUSED"))
                printf(" when it goes on: 'jobctl batch resume %" PRIu64 "'", id);
        puts(".");
        return EXIT_OK;
}

/* The result of the verb; @reply: a retry says whether the flow has changed since. */
static int report_change(Jobctl *ctl, size_t verb, uint64_t id, const char *node, const json_t *reply) {
        cleanup_(bus_error_deinit) BusError error = {};
        json_t *is_outdated = json_array_get(reply, 0);
        int is_batch;

        if (text_equal(verbs[verb].word, "retry-errors"))
                return report_errors(ctl, id, value_item_u64(reply, 0));
        if (ctl->options.json)
                return jobctl_print_json(ctl,
                                         json_pack("{s:I, s:s?, s:O*}", "id", (json_int_t) id, "node", node, "outdated",
                                                   is_outdated),
                                         EXIT_OK);
        if (ctl->options.quiet)
                return EXIT_OK;
        is_batch = is_of_batch(ctl, verb, id);
        if (is_batch < 0)
                return is_batch;
        if (node)
                printf("Node %s of run %" PRIu64 " %s.\n", node, id, done_of(ctl, verb, false));
        else
                printf("Run %" PRIu64 " %s.\n", id, done_of(ctl, verb, is_batch));
        if (json_is_true(is_outdated) && warn_outdated(ctl, id, &error) == -ENOMEM)
                return -ENOMEM;
        return EXIT_OK;
}

static int change(Jobctl *ctl, size_t verb, uint64_t id, const char *node) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        cleanup_free_ char *path = NULL;
        json_t *arguments = NULL;
        int r = make_arguments(ctl, verb, node, &arguments);

        if (r != 0)
                return r;
        r = text_format(&path, BUS_PATH "/run/%" PRIu64, id);
        if (r == 0)
                r = flow_identify(ctl, &error);
        if (r < 0) {
                json_decref(arguments);
                return r == -ENOMEM ? r : jobctl_fail(ctl, &error, "%s run %" PRIu64, verbs[verb].word, id);
        }
        r = jobctl_send(ctl,
                        &(BusCall) { .path = path,
                                    .interface = BUS_RUN,
                                    .method = verbs[verb].method,
                                    .signature = verbs[verb].signature,
                                    .args = arguments },
                        &reply, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "%s run %" PRIu64, verbs[verb].word, id);
        return report_change(ctl, verb, id, node, reply);
}

/* "7/pull" or "7 pull". */
static int change_by_words(Jobctl *ctl, size_t verb, char *const *words) {
        cleanup_free_ char *named = NULL;
        const char *node;
        uint64_t id;
        int r = flow_parse_node(ctl, words[0], &id, &named);

        if (r != 0)
                return r;
        node = named ? named : words[1];
        if (words[1] && (named || words[2] || !verbs[verb].takes_node))
                return jobctl_misused(ctl, "'%s' is one word too many.",
                                      words[named || !verbs[verb].takes_node ? 1 : 2]);
        if (node && !verbs[verb].takes_node)
                return jobctl_misused(ctl, "'%s %s' is about a run, not about one of its %s.", flow_word(ctl),
                                      verbs[verb].word, flow_is_batch(ctl) ? "items" : "nodes");
        if (!node && verbs[verb].needs_node)
                return jobctl_misused(ctl, "Name a node, as in 'jobctl flow %s %" PRIu64 "/NODE'.", verbs[verb].word,
                                      id);
        return change(ctl, verb, id, node);
}

/* All of a file, or with "-" of standard input. */
static int read_lines(const char *path, char **ret_text) {
        FILE *file = text_equal(path, "-") ? stdin : fopen(path, "re");
        char *text = NULL;
        size_t n = 0;
        ssize_t r;

        if (!file)
                return -errno;
        r = getdelim(&text, &n, '\0', file);
        if (file != stdin)
                fclose(file);
        if (r < 0) {
                free(text);
                text = strdup("");
        }
        *ret_text = text;
        return text ? 0 : -ENOMEM;
}

/* Calls a method of a run that takes two texts, for which NULL is "". */
static int call_run(Jobctl *ctl, uint64_t id, const char *method, const char *one, const char *other, BusError *error) {
        cleanup_free_ char *path = NULL;
        int r = text_format(&path, BUS_PATH "/run/%" PRIu64, id);

        if (r == 0)
                r = flow_identify(ctl, error);
        if (r < 0)
                return r;
        return jobctl_send(ctl,
                           &(BusCall) { .path = path,
                                       .interface = BUS_RUN,
                                       .method = method,
                                       .signature = "ss",
                                       .args = json_pack("[ss]", one ? one : "", other ? other : "") },
                           NULL, error);
}

static int add_nodes(Jobctl *ctl, uint64_t id, const char *below, const char *lines) {
        cleanup_(bus_error_deinit) BusError error = {};
        int r = call_run(ctl, id, "AddNodes", below, lines, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "add nodes to run %" PRIu64, id);
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:I, s:s?}", "id", (json_int_t) id, "below", below), EXIT_OK);
        if (!ctl->options.quiet)
                printf("Run %" PRIu64 " has the nodes.\n", id);
        return EXIT_OK;
}

/* RUN FILE or RUN/NODE FILE. */
int flow_add_nodes(Jobctl *ctl, char *const *words) {
        cleanup_free_ char *node = NULL, *lines = NULL;
        uint64_t id;
        int r;

        if (!words[0] || !words[1] || words[2])
                return jobctl_misused(ctl, "'flow add-nodes' takes a run, or a node as RUN/NODE, and a file, or '-'.");
        r = flow_parse_node(ctl, words[0], &id, &node);
        if (r != 0)
                return r;
        r = read_lines(words[1], &lines);
        if (r < 0)
                return jobctl_misused(ctl, "The file %s cannot be read: %s.", words[1], strerror(-r));
        return add_nodes(ctl, id, node, lines);
}

static int unlock(Jobctl *ctl, uint64_t id, const char *node, const char *lock) {
        cleanup_(bus_error_deinit) BusError error = {};
        int r = call_run(ctl, id, "Unlock", node, lock, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "unlock run %" PRIu64, id);
        if (ctl->options.json)
                return jobctl_print_json(
                        ctl, json_pack("{s:I, s:s?, s:s?}", "id", (json_int_t) id, "node", node, "lock", lock),
                        EXIT_OK);
        if (!ctl->options.quiet && node)
                printf("Node %s of run %" PRIu64 " has given up its locks.\n", node, id);
        else if (!ctl->options.quiet)
                printf("Nodes of run %" PRIu64 " have given up their locks.\n", id);
        return EXIT_OK;
}

/* RUN[/NODE] [LOCK]. */
int flow_unlock(Jobctl *ctl, char *const *words) {
        cleanup_free_ char *node = NULL;
        uint64_t id;
        int r;

        if (words[0] && words[1] && words[2])
                return jobctl_misused(ctl, "'%s' is one word too many: 'flow unlock' takes a run, or a node as "
                                           "RUN/NODE, and perhaps a lock.", words[2]);
        r = flow_parse_node(ctl, words[0], &id, &node);
        return r != 0 ? r : unlock(ctl, id, node, words[1]);
}

/* TOKEN [RESULT]; a command of the node has the token in its environment. */
int flow_complete(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        const char *token = words[0] ? words[0] : getenv("JOBD_TOKEN");
        const char *as = ctl->options.as ? ctl->options.as : "success", *result = words[0] ? words[1] : NULL;
        int r;

        if (!token)
                return jobctl_misused(ctl, "Write the token of the node, which its command has as $JOBD_TOKEN.");
        if (words[0] && words[1] && words[2])
                return jobctl_misused(ctl, "'%s' is one word too many; a result is one value of JSON, in quotes.",
                                      words[2]);
        r = flow_identify(ctl, &error);
        if (r == 0)
                r = jobctl_call(ctl, "CompleteNode", "sss", json_pack("[sss]", token, as, result ? result : ""), NULL,
                                &error);
        if (r < 0)
                return r == -ENOMEM ? r : jobctl_fail(ctl, &error, "complete the node");
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:s, s:s}", "token", token, "outcome", as), EXIT_OK);
        if (!ctl->options.quiet)
                printf("The node is completed as %s.\n", as);
        return EXIT_OK;
}

int flow_command(Jobctl *ctl, char *const *words) {
        for (size_t i = 0; i < ELEMENTSOF(verbs); i++)
                if (text_equal(verbs[i].word, words[0]))
                        return change_by_words(ctl, i, words + 1);
        return -EINVAL;
}
