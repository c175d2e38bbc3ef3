/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Verbs of a script about runs of flows: requests, questions, expectations
 *
 * A request that is refused is an answer. A run or node that is not there is
 * an error of the script, as a bad word is.
 */

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "basic/text.h"
#include "sim/sim_flow.h"
#include "sim/sim_launch.h"
#include "sim/sim_run_verb.h"

/* — words — */

int sim_split_node(const char *word, char **ret_run, const char **ret_node) {
        const char *slash = strchr(word, '/');

        *ret_run = strndup(word, slash ? (size_t) (slash - word) : strlen(word));
        *ret_node = slash ? slash + 1 : NULL;
        return *ret_run ? 0 : -ENOMEM;
}

int sim_parse_run(const char *word, uint32_t *ret_id, Failure *ret_failure) {
        const char *dash = strrchr(word, '-');

        if (text_parse_u32(dash ? dash + 1 : word, ret_id) < 0 || *ret_id == 0)
                return sim_bad(ret_failure, "run (its number, or a name such as nightly-7)", word);
        return 0;
}

int sim_find_node(const Sim *sim, uint32_t id, const char *node, SimRun **ret_run, uint32_t *ret_node,
                  Failure *ret_failure) {
        *ret_node = 0;
        *ret_run = sim_runs_find(sim, id);
        if (!*ret_run)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "there is no run %" PRIu32, id);
        if (!node)
                return 0;
        *ret_node = run_graph_find(flow_definition_graph((*ret_run)->definition), node);
        if (*ret_node == RUN_NODE_NONE)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "run %" PRIu32 " of %s has no node \"%s\"", id,
                                   (*ret_run)->flow->unit->id, node);
        return 0;
}

/* "RUN" or "RUN/NODE" of a line; @needs_node: the latter only. */
static int find(const Sim *sim, const char *word, bool needs_node, SimRun **ret_run, uint32_t *ret_node,
                bool *ret_has_node, Failure *ret_failure) {
        cleanup_free_ char *run = NULL;
        const char *node;
        uint32_t id;
        int r;

        if (sim_split_node(word, &run, &node) < 0)
                return -ENOMEM;
        if (needs_node && !node)
                return sim_bad(ret_failure, "node of a run (RUN/NODE)", word);
        r = sim_parse_run(run, &id, ret_failure);
        if (r < 0)
                return r;
        *ret_has_node = node;
        return sim_find_node(sim, id, node, ret_run, ret_node, ret_failure);
}

/* — requests — */

static void answer(Sim *sim, const char *verb, uint32_t run, int r, const Failure *failure) {
        json_t *event = sim_event_new(&sim->events, verb);

        if (r < 0) {
                sim_event_set_failure(&sim->events, event, failure);
        } else {
                sim_event_set(&sim->events, event, "ok", json_true());
                if (run > 0)
                        sim_event_set(&sim->events, event, "run", json_integer(run));
        }
        sim_event_emit(&sim->events, event);
}

/* The one who asks is told when it is durable. */
static int await(Sim *sim, const char *verb, uint32_t run) {
        const SimReply reply = { .verb = verb, .run = run };

        return vector_push(&sim->runs.replies, reply);
}

/* Equal words have equal keys, and no key is 0. */
static uint64_t key_of(const char *word) {
        uint64_t key = UINT64_C(14695981039346656037);

        for (; *word; word++)
                key = (key ^ (unsigned char) *word) * UINT64_C(1099511628211);
        return key | 1;
}

static int parse_submit(const SimLine *line, int *ret_busy, uint64_t *ret_key, Failure *ret_failure) {
        *ret_busy = -1;
        *ret_key = 0;
        for (size_t i = 2; i < line->n_words; i++) {
                const char *word = line->words[i];

                if (text_starts_with(word, "key=") && word[strlen("key=")])
                        *ret_key = key_of(word + strlen("key="));
                else if ((*ret_busy = flow_busy_from_string(word)) < 0)
                        return sim_bad(ret_failure, "option of submit (queue, reject, skip, replace, key=WORD)", word);
        }
        return 0;
}

int sim_verb_submit(Sim *sim, const SimLine *line, Failure *ret_failure) {
        cleanup_(failure_deinit) Failure failure = {};
        SimFlow *flow = NULL;
        uint32_t id = 0;
        uint64_t key;
        Unit *unit;
        int busy, r;

        r = parse_submit(line, &busy, &key, ret_failure);
        if (r < 0)
                return r;
        r = unit_table_load(sim->units, line->words[1], &unit);
        if (r == -EINVAL || (r == 0 && !sim_flow_is_of(unit)))
                return sim_bad(ret_failure, "name of a flow or batch", line->words[1]);
        if (r == 0 && unit->load_state != UNIT_LOADED)
                r = failure_copy(&failure, &unit->load_failure);
        else if (r == 0 && !sim->runs.is_loaded)
                r = failure_set(&failure, -EAGAIN, "StoreUnavailable", "The store of runs has not answered yet.");
        else if (r == 0 && !(flow = sim_runs_flow(sim, unit)))
                r = -ENOMEM;
        if (r == 0)
                r = sim_runs_submit(sim, flow, busy, key, &id, &failure);
        if (r == 0)
                r = await(sim, "submit", id);
        if (r < 0 && failure.code == 0)
                return r;
        answer(sim, "submit", id, r, &failure);
        return 0;
}

int sim_verb_answer(Sim *sim, const SimLine *line, Failure *ret_failure) {
        const int word = run_answer_from_string(line->words[2]);
        bool has_node;
        RunNodeRow row;
        uint32_t node;
        SimRun *run;
        RunWhy why;
        int r;

        if (word < 0)
                return sim_bad(ret_failure, "answer (READY, WAIT, NEVER, FAIL, PENDING, LOST)", line->words[2]);
        r = find(sim, line->words[1], true, &run, &node, &has_node, ret_failure);
        if (r == 0)
                r = run_engine_get_node(sim->runs.engine, run->id, node, &row, &why);
        if (r == 0)
                r = run_engine_answered(sim->runs.engine, run->id, node, row.generation, (RunAnswer) word);
        sim->runs.has_changed = true;
        return r == -ENOENT ? failure_set(ret_failure, -EINVAL, "InvalidArgs", "nobody was asked about %s",
                                          line->words[1])
                            : r;
}

static const struct {
        const char *word;
        RunVerb verb;
        bool takes_node, needs_node;
} flow_verbs[] = {
        { "pause", RUN_VERB_PAUSE, false, false },      { "resume", RUN_VERB_RESUME, false, false },
        { "stop", RUN_VERB_STOP, false, false },        { "cancel", RUN_VERB_CANCEL, false, false },
        { "retry", RUN_VERB_RETRY, true, false },       { "rerun", RUN_VERB_RERUN, true, true },
        { "resolve", RUN_VERB_AS_SUCCESS, true, true }, { "skip", RUN_VERB_SKIP, true, true },
        { "approve", RUN_VERB_APPROVE, true, true },    { "reject", RUN_VERB_REJECT, true, true },
        { "compensate", RUN_VERB_COMPENSATE, false, false }, { "unlock", RUN_VERB_UNLOCK, true, true },
};

static const struct {
        const char *word;
        RunVerb verb;
} resolutions[] = {
        { "--as=success", RUN_VERB_AS_SUCCESS },
        { "--as=failed", RUN_VERB_AS_FAILED },
        { "--as=retry", RUN_VERB_AS_RETRY },
        { "--as=skip", RUN_VERB_AS_SKIP },
};

/* The verb of a line, and its row in the table. */
static int parse_flow_verb(const SimLine *line, size_t *ret_row, RunVerb *ret_verb, Failure *ret_failure) {
        const char *as = line->n_words > 3 ? line->words[3] : NULL;
        size_t row = 0;

        while (row < ELEMENTSOF(flow_verbs) && !text_equal(flow_verbs[row].word, line->words[1]))
                row++;
        if (row == ELEMENTSOF(flow_verbs))
                return sim_bad(
                        ret_failure,
                        "verb of runs (pause, resume, stop, cancel, retry, rerun, resolve, skip, approve, reject, "
                        "compensate, unlock)",
                        line->words[1]);
        *ret_row = row;
        *ret_verb = flow_verbs[row].verb;
        if (!text_equal(flow_verbs[row].word, "resolve"))
                return as ? sim_bad(ret_failure, "word that follows here", as) : 0;
        for (size_t i = 0; i < ELEMENTSOF(resolutions); i++)
                if (as && text_equal(resolutions[i].word, as)) {
                        *ret_verb = resolutions[i].verb;
                        return 0;
                }
        return failure_set(ret_failure, -EINVAL, "InvalidArgs", "say how: --as=success, failed, retry or skip");
}

/* All nodes that have failed, or wait for a person. -EINVAL: there is none. */
static int retry_failed(Sim *sim, const SimRun *run) {
        RunNodeRow row;
        RunWhy why;
        int r = -EINVAL;

        for (uint32_t i = 0; run_engine_get_node(sim->runs.engine, run->id, i, &row, &why) == 0; i++)
                if ((row.state == RUN_NODE_FAILED || row.state == RUN_NODE_TIMEOUT || row.state == RUN_NODE_PENDING) &&
                    run_engine_verb(sim->runs.engine, run->id, RUN_VERB_RETRY, i) == 0)
                        r = 0;
        return r;
}

static int refuse(const Sim *sim, const SimRun *run, const char *word, const char *verb, bool has_node, uint32_t node,
                  Failure *ret_failure) {
        RunNodeRow node_row;
        RunRow row;
        RunWhy why;

        if (run_engine_get(sim->runs.engine, run->id, &row, &why) < 0 ||
            run_engine_get_node(sim->runs.engine, run->id, node, &node_row, &why) < 0)
                return -ENOENT;
        return failure_set(ret_failure, -EINVAL, "InvalidTransition", "%s %s is %s: '%s' does not apply to it.",
                           has_node ? "Node" : "Run", word,
                           has_node ? run_node_state_to_string(node_row.state) : run_state_to_string(row.state), verb);
}

/* The owner of a batch goes on with its launch. */
static int proceed(Sim *sim, const char *word, Failure *ret_failure) {
        cleanup_(failure_deinit) Failure failure = {};
        uint32_t node;
        bool has_node;
        SimRun *run;
        int r;

        r = find(sim, word, false, &run, &node, &has_node, ret_failure);
        if (r < 0)
                return r;
        if (sim_launch_proceed(sim, run->id) < 0)
                r = refuse(sim, run, word, "proceed", false, 0, &failure);
        answer(sim, "flow", run->id, r, &failure);
        return 0;
}

int sim_verb_flow(Sim *sim, const SimLine *line, Failure *ret_failure) {
        cleanup_(failure_deinit) Failure failure = {};
        const char *word = line->words[2];
        uint32_t node;
        bool has_node;
        RunVerb verb = RUN_VERB_PAUSE;
        size_t row = 0;
        SimRun *run;
        int r;

        if (text_equal(line->words[1], "proceed"))
                return proceed(sim, word, ret_failure);
        r = parse_flow_verb(line, &row, &verb, ret_failure);
        if (r == 0)
                r = find(sim, word, flow_verbs[row].needs_node, &run, &node, &has_node, ret_failure);
        if (r < 0)
                return r;
        if (has_node && !flow_verbs[row].takes_node)
                return sim_bad(ret_failure, "run: the verb is about all of it", word);
        if (verb == RUN_VERB_RETRY && !has_node)
                r = retry_failed(sim, run);
        else
                r = run_engine_verb(sim->runs.engine, run->id, verb, node);
        run->flow->is_news = true;
        if (r == 0)
                r = await(sim, flow_verbs[row].word, run->id);
        else
                r = refuse(sim, run, word, line->words[1], has_node, node, &failure);
        if (r < 0 && failure.code == 0)
                return r;
        answer(sim, "flow", run->id, r, &failure);
        return 0;
}

/* — questions — */

/* Nodes, or items of a batch: done, failed, running, all. */
static json_t *progress_json(const Sim *sim, uint32_t id, const uint32_t n[static _RUN_NODE_STATE_MAX]) {
        uint32_t total = 0, done = 0;
        RunRangeCounts counts;

        if (sim_launch_count(sim, id, &counts) == 0)
                return json_pack("[I,I,i,I]", (json_int_t) counts.over, (json_int_t) counts.errors, (int) counts.out,
                                 (json_int_t) counts.n);
        for (unsigned i = 0; i < _RUN_NODE_STATE_MAX; i++) {
                total += n[i];
                done += run_node_state_is_terminal((RunNodeState) i) ? n[i] : 0;
        }
        return json_pack("[i,i,i,i]", (int) done, (int) (n[RUN_NODE_FAILED] + n[RUN_NODE_TIMEOUT]),
                         (int) n[RUN_NODE_RUNNING], (int) total);
}

static json_t *run_json(const Sim *sim, const SimRun *run, const RunRow *row, RunWhy why,
                        const uint32_t n[static _RUN_NODE_STATE_MAX]) {
        cleanup_free_ char *name = NULL;

        if (text_format(&name, "%.*s-%" PRIu32, (int) (strrchr(run->flow->unit->id, '.') - run->flow->unit->id),
                        run->flow->unit->id, run->id) < 0)
                return NULL;
        return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:o}", "id", (int) run->id, "unit",
                         run->flow->unit->id, "name", name, "state", run_state_to_string(row->state), "reason",
                         run_reason_to_string(row->reason), "why", run_why_to_string(why), "held", row->is_held,
                         "round", (int) row->round, "progress",
                         progress_json(sim, run->id, n));
}

int sim_verb_runs(Sim *sim, const SimLine *line, Failure *ret_failure) {
        json_t *event = sim_event_new(&sim->events, "runs"), *list = json_array();
        int r = list ? 0 : -ENOMEM;

        for (uint32_t id = 1; r == 0 && id <= sim->runs.last_id; id++) {
                const SimRun *run = sim_runs_find(sim, id);
                uint32_t n[_RUN_NODE_STATE_MAX];
                RunRow row;
                RunWhy why;

                if (!run || (line->n_words > 1 && fnmatch(line->words[1], run->flow->unit->id, 0) != 0) ||
                    run_engine_get(sim->runs.engine, id, &row, &why) < 0 ||
                    run_engine_tally(sim->runs.engine, id, n) < 0)
                        continue;
                r = json_array_append_new(list, run_json(sim, run, &row, why, n)) < 0 ? -ENOMEM : 0;
        }
        sim_event_set(&sim->events, event, "runs", list);
        sim_event_emit(&sim->events, event);
        return r;
}

static json_t *node_json(const RunGraph *graph, const RunNodeRow *row, RunWhy why) {
        return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i}", "node", run_graph_name(graph, row->node), "state",
                         run_node_state_to_string(row->state), "reason", run_reason_to_string(row->reason), "why",
                         run_why_to_string(why), "generation", (int) row->generation, "attempts", (int) row->number);
}

int sim_verb_nodes(Sim *sim, const SimLine *line, Failure *ret_failure) {
        json_t *event, *list;
        RunNodeRow row;
        uint32_t id, node;
        SimRun *run;
        RunWhy why;
        int r;

        r = sim_parse_run(line->words[1], &id, ret_failure);
        if (r == 0)
                r = sim_find_node(sim, id, NULL, &run, &node, ret_failure);
        if (r < 0)
                return r;
        list = json_array();
        r = list ? 0 : -ENOMEM;
        for (uint32_t i = 0; r == 0 && run_engine_get_node(sim->runs.engine, id, i, &row, &why) == 0; i++)
                if (json_array_append_new(list, node_json(flow_definition_graph(run->definition), &row, why)) < 0)
                        r = -ENOMEM;
        event = sim_event_new(&sim->events, "nodes");
        sim_event_set(&sim->events, event, "run", json_integer(id));
        sim_event_set(&sim->events, event, "nodes", list);
        sim_event_emit(&sim->events, event);
        return r;
}

/* — expectations — */

/* "done=5": *ret_value points to what is counted. */
static int parse_count(const char *word, const RunRangeCounts *counts, uint64_t *ret_is, uint64_t *ret_wanted,
                       Failure *ret_failure) {
        const struct {
                const char *name;
                uint64_t value;
        } all[] = {
                { "done=", counts->over - counts->errors + counts->seconds },
                { "failed=", counts->errors },
                { "running=", counts->out },
                { "waiting=", counts->waiting },
                { "left=", counts->n - counts->over },
        };

        for (size_t i = 0; i < ELEMENTSOF(all); i++)
                if (text_starts_with(word, all[i].name) &&
                    text_parse_u64(word + strlen(all[i].name), ret_wanted) == 0) {
                        *ret_is = all[i].value;
                        return 0;
                }
        return sim_bad(ret_failure, "count of items (done=, failed=, running=, waiting=, left=)", word);
}

int sim_verb_expect_items(Sim *sim, const SimLine *line, Failure *ret_failure) {
        RunRangeCounts counts;
        uint32_t id, node;
        SimRun *run;
        int r;

        r = sim_parse_run(line->words[1], &id, ret_failure);
        if (r == 0)
                r = sim_find_node(sim, id, NULL, &run, &node, ret_failure);
        if (r < 0)
                return r;
        if (sim_launch_count(sim, id, &counts) < 0)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "run %" PRIu32 " of %s has no items", id,
                                   run->flow->unit->id);
        for (size_t i = 2; i < line->n_words; i++) {
                uint64_t is, wanted;

                r = parse_count(line->words[i], &counts, &is, &wanted, ret_failure);
                if (r < 0)
                        return r;
                if (is == wanted)
                        continue;
                failure_set(ret_failure, -EBADMSG, "Unexpected",
                            "run %" PRIu32 " has %" PRIu64 ", not %s; of %" PRIu64 " items %" PRIu64
                            " are over, %" PRIu64 " of them failed, %" PRIu32 " run",
                            id, is, line->words[i], counts.n, counts.over, counts.errors, counts.out);
                return SIM_E_UNEXPECTED;
        }
        return SIM_E_SUCCESS;
}

static int compare(const SimLine *line, const char *state, const char *reason, Failure *ret_failure) {
        const char *wanted = line->n_words > 3 ? line->words[3] : NULL;

        if (text_equal(line->words[2], state) && (!wanted || text_equal(wanted, reason)))
                return SIM_E_SUCCESS;
        failure_set(ret_failure, -EBADMSG, "Unexpected", "%s is %s%s%s%s, not %s%s%s%s", line->words[1], state,
                    *reason ? " (" : "", reason, *reason ? ")" : "", line->words[2], wanted ? " (" : "", wanted ?: "",
                    wanted ? ")" : "");
        return SIM_E_UNEXPECTED;
}

static int check_reason(const SimLine *line, Failure *ret_failure) {
        if (line->n_words > 3 && run_reason_from_string(line->words[3]) < 0)
                return sim_bad(ret_failure, "reason of a run or node", line->words[3]);
        return 0;
}

int sim_verb_expect_run(Sim *sim, const SimLine *line, Failure *ret_failure) {
        uint32_t id, node;
        SimRun *run;
        RunRow row;
        RunWhy why;
        int r;

        if (run_state_from_string(line->words[2]) < 0)
                return sim_bad(ret_failure, "state of a run", line->words[2]);
        r = check_reason(line, ret_failure);
        if (r == 0)
                r = sim_parse_run(line->words[1], &id, ret_failure);
        if (r == 0)
                r = sim_find_node(sim, id, NULL, &run, &node, ret_failure);
        if (r == 0)
                r = run_engine_get(sim->runs.engine, id, &row, &why);
        return r < 0 ? r : compare(line, run_state_to_string(row.state), run_reason_to_string(row.reason), ret_failure);
}

int sim_verb_expect_node(Sim *sim, const SimLine *line, Failure *ret_failure) {
        RunNodeRow row;
        bool has_node;
        uint32_t node;
        SimRun *run;
        RunWhy why;
        int r;

        if (run_node_state_from_string(line->words[2]) < 0)
                return sim_bad(ret_failure, "state of a node", line->words[2]);
        r = check_reason(line, ret_failure);
        if (r == 0)
                r = find(sim, line->words[1], true, &run, &node, &has_node, ret_failure);
        if (r == 0)
                r = run_engine_get_node(sim->runs.engine, run->id, node, &row, &why);
        return r < 0 ? r
                     : compare(line, run_node_state_to_string(row.state), run_reason_to_string(row.reason),
                               ret_failure);
}
