/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Verbs of a script about what is around runs: attempts, the store, death
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/text.h"
#include "sim/sim_graph.h"
#include "sim/sim_run_verb.h"
#include "unitfile/exit_name.h"

/* — how attempts end — */

/* "exit N", "signal NAME" or "never", from word *@at on, which is moved behind it. */
static int parse_end(const SimLine *line, size_t *at, SimRule *rule, Failure *ret_failure) {
        const char *word = line->words[(*at)++], *value = NULL;
        int number;

        rule->kind = RUN_END_EXITED;
        if (text_equal(word, "never")) {
                rule->after = USEC_INFINITY;
                return 0;
        }
        if (!text_equal(word, "exit") && !text_equal(word, "signal"))
                return sim_bad(ret_failure, "end of attempts (exit STATUS, signal NAME, never)", word);
        if (*at < line->n_words)
                value = line->words[(*at)++];
        number = !value ? -EINVAL : text_equal(word, "exit") ? exit_status_from_name(value) : signal_from_name(value);
        if (number < 0)
                return sim_bad(ret_failure, text_equal(word, "exit") ? "exit status" : "signal", value ?: "");
        rule->end = (uint16_t) (text_equal(word, "exit") ? (unsigned) number : RUN_END_BY_SIGNAL((unsigned) number));
        return 0;
}

/* A file stands where the script does. */
static int read_durations(const Sim *sim, const char *path, SimRule *rule, Failure *ret_failure) {
        cleanup_free_ char *joined = NULL;

        if (path[0] != '/' && sim->folder && text_join_path(sim->folder, path, &joined) < 0)
                return -ENOMEM;
        return sim_durations_read(&rule->durations, joined ?: path, ret_failure);
}

/* "after TIME|FILE" and "ignores-sigterm". */
static int parse_how(const Sim *sim, const SimLine *line, size_t at, bool takes_file, SimRule *rule,
                     Failure *ret_failure) {
        for (; at < line->n_words; at++) {
                const char *word = line->words[at], *value = at + 1 < line->n_words ? line->words[at + 1] : "";
                int r;

                if (text_equal(word, "ignores-sigterm")) {
                        rule->ignores_term = true;
                        continue;
                }
                if (text_equal(word, "tries") && !takes_file) {
                        at++;
                        if (text_parse_u32(value, &rule->tries) < 0 || rule->tries == 0)
                                return sim_bad(ret_failure, "number of tries", value);
                        continue;
                }
                if (!text_equal(word, "after") || rule->after == USEC_INFINITY)
                        return sim_bad(ret_failure, "option of attempts (after, ignores-sigterm, tries)", word);
                at++;
                if (usec_parse(value, USEC_PER_SEC, &rule->after) == 0 && rule->after != USEC_INFINITY)
                        continue;
                rule->after = 0;
                if (!takes_file || !*value)
                        return sim_bad(ret_failure, "span of time", value);
                r = read_durations(sim, value, rule, ret_failure);
                if (r < 0)
                        return r;
        }
        return 0;
}

static bool flow_has_node(const Unit *unit, const char *node) {
        const FlowSettings *settings = unit->type_settings;

        if (!settings || settings->nodes_file)
                return settings;
        for (size_t i = 0; i < settings->nodes.n; i++)
                if (text_equal(settings->nodes.items[i].name, node))
                        return true;
        return false;
}

/* "17", "10-19", or "items", of a batch. */
static int check_items(const FlowSettings *settings, const char *word, Failure *ret_failure) {
        uint64_t first, last;

        if (text_equal(word, FLOW_RANGE_NODE))
                return 0;
        if (sim_attempt_parse_items(word, &first, &last) < 0)
                return sim_bad(ret_failure, "item of a batch (17, 10-19, items)", word);
        if (settings && last >= settings->range.items)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "there is no item %" PRIu64 ": Items=%" PRIu64 ", and they are counted from 0", last,
                                   settings->range.items);
        return 0;
}

/* *ret_where: of a rule, owned by the caller: the number of the run, or the id of the flow. */
static int find_place(Sim *sim, const char *run, const char *node, char **ret_where, bool *ret_is_of_batch,
                      Failure *ret_failure) {
        uint32_t id, at;
        SimRun *found;
        Unit *unit;
        int r;

        if (text_ends_with(run, ".flow") || text_ends_with(run, ".batch")) {
                r = unit_table_load(sim->units, run, &unit);
                if (r < 0)
                        return r == -EINVAL ? sim_bad(ret_failure, "name of a flow or batch", run) : r;
                *ret_is_of_batch = unit->type == UNIT_BATCH;
                if (*ret_is_of_batch) {
                        r = check_items(unit->type_settings, node, ret_failure);
                        return r < 0 ? r : text_copy(unit->id, ret_where);
                }
                if (!flow_has_node(unit, node))
                        return failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s has no node \"%s\"", unit->id,
                                           node);
                return text_copy(unit->id, ret_where);
        }
        *ret_is_of_batch = true;
        r = sim_parse_run(run, &id, ret_failure);
        /* A core that is down knows no runs, but their attempts are there. */
        if (r == 0 && !sim->runs.is_down) {
                found = sim_runs_find(sim, id);
                *ret_is_of_batch = found && found->flow->unit->type == UNIT_BATCH;
                if (*ret_is_of_batch)
                        r = check_items(flow_definition_settings(found->definition), node, ret_failure);
                else
                        r = sim_find_node(sim, id, node, &found, &at, ret_failure);
        }
        return r < 0 ? r : text_format(ret_where, "%" PRIu32, id);
}

int sim_verb_attempt(Sim *sim, const SimLine *line, Failure *ret_failure) {
        cleanup_free_ char *run = NULL, *where = NULL;
        cleanup_(sim_rule_deinit) SimRule rule = {};
        const char *node;
        SimRule taken;
        bool is_of_batch;
        size_t at = 2;
        int r;

        if (sim_split_node(line->words[1], &run, &node) < 0)
                return -ENOMEM;
        if (!node)
                return sim_bad(ret_failure, "node of a run or a flow (RUN/NODE, FLOW/NODE)", line->words[1]);
        r = find_place(sim, run, node, &where, &is_of_batch, ret_failure);
        if (r == 0)
                r = parse_end(line, &at, &rule, ret_failure);
        if (r == 0)
                r = parse_how(sim, line, at, false, &rule, ret_failure);
        if (r == 0 && rule.tries > 0 && !is_of_batch)
                r = failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                "tries is about items of a batch, and %s is a node", line->words[1]);
        if (r < 0)
                return r;
        taken = rule;
        rule = (SimRule) {};
        return sim_attempts_set_rule(&sim->runs.attempts, where, node, &taken);
}

int sim_verb_auto_attempts(Sim *sim, const SimLine *line, Failure *ret_failure) {
        cleanup_(sim_rule_deinit) SimRule rule = {};
        SimRule taken;
        size_t at = 1;
        int r;

        r = parse_end(line, &at, &rule, ret_failure);
        if (r == 0)
                r = parse_how(sim, line, at, true, &rule, ret_failure);
        if (r < 0)
                return r;
        taken = rule;
        rule = (SimRule) {};
        sim_attempts_set_every(&sim->runs.attempts, &taken);
        return 0;
}

int sim_verb_lose(Sim *sim, const SimLine *line, Failure *ret_failure) {
        SimAttempts *attempts = &sim->runs.attempts;
        cleanup_free_ char *run = NULL;
        SimAttempt *attempt;
        const char *node;
        uint32_t id;
        int r;

        if (sim_split_node(line->words[1], &run, &node) < 0)
                return -ENOMEM;
        if (!node)
                return sim_bad(ret_failure, "node of a run (RUN/NODE)", line->words[1]);
        r = sim_parse_run(run, &id, ret_failure);
        if (r < 0)
                return r;
        attempt = sim_attempts_running(attempts, id, node);
        if (!attempt)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "no attempt of %s runs", line->words[1]);
        sim_attempt_end(attempts, attempt, RUN_END_LOST, 0);
        sim_runs_emit_attempt(sim, attempt, "ended");
        return 0;
}

/* — death — */

static int parse_crash_at(Sim *sim, const SimLine *line, Failure *ret_failure) {
        int point = line->n_words == 4 ? sim_crash_from_string(line->words[3]) : -EINVAL;

        if (!text_equal(line->words[2], "at") || !text_equal(line->words[1], "core"))
                return sim_bad(ret_failure, "option of crash (core at POINT)", line->words[2]);
        if (point <= SIM_CRASH_NOWHERE)
                return sim_bad(ret_failure, "point of death (sent, accepted, durable, asked, started, ended)",
                               line->n_words == 4 ? line->words[3] : "");
        sim->runs.crash_at = (SimCrash) point;
        return 0;
}

int sim_verb_crash(Sim *sim, const SimLine *line, Failure *ret_failure) {
        const char *what = line->words[1];
        JobManager *jobs;
        int r;

        if (sim->runs.is_down && !text_equal(what, "store") && !text_equal(what, "power"))
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "core is down already");
        if (line->n_words > 2)
                return parse_crash_at(sim, line, ret_failure);
        if (text_equal(what, "core")) {
                sim_runs_die(sim);
                return 0;
        }
        if (text_equal(what, "store")) {
                sim_runs_lose_store(sim);
                return 0;
        }
        if (!text_equal(what, "power"))
                return sim_bad(ret_failure, "thing that dies (core, store, power)", what);
        r = sim_new_jobs(sim, &jobs);
        if (r == 0)
                sim_runs_lose_power(sim, jobs);
        return r;
}

int sim_verb_store(Sim *sim, const SimLine *line, Failure *ret_failure) {
        static const char *const modes[] = { [SIM_STORE_OK] = "ok",
                                            [SIM_STORE_SLOW] = "slow",
                                            [SIM_STORE_HANG] = "hang",
                                            [SIM_STORE_FULL] = "full" };
        SimStore *store = &sim->runs.store;
        size_t mode = 0;
        usec_t delay = 0;

        while (mode < ELEMENTSOF(modes) && !text_equal(modes[mode], line->words[1]))
                mode++;
        if (mode == ELEMENTSOF(modes) || (line->n_words > 2) != (mode == SIM_STORE_SLOW))
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "it is: store slow TIME|hang|full|ok");
        if (mode == SIM_STORE_SLOW && (usec_parse(line->words[2], USEC_PER_SEC, &delay) < 0 || delay == USEC_INFINITY))
                return sim_bad(ret_failure, "span of time", line->words[2]);
        store->mode = (SimStoreMode) mode;
        store->delay = delay;
        return 0;
}

static int request_boot(Sim *sim, const char *name, Failure *ret_failure) {
        const JobRequest request = { .unit = name, .type = JOB_START };
        const JobRequester requester = { .reason = "boot" };
        const JobOptions options = { .mode = JOB_REPLACE, .requester = &requester, .now = sim->now };
        JobInfo job;
        Unit *unit;
        int r;

        r = unit_table_load(sim->units, name, &unit);
        if (r < 0)
                return r == -EINVAL ? sim_bad(ret_failure, "name of a unit", name) : r;
        r = job_manager_exec(sim->jobs, &request, 1, &options, NULL);
        if (r == JOB_MANAGER_E_SUCCESS && job_manager_unit_job(sim->jobs, unit, &job))
                sim->runs.boot_job = job.id;
        return MIN(r, 0);
}

int sim_verb_boot(Sim *sim, const SimLine *line, Failure *ret_failure) {
        int r;

        if (!sim->runs.is_down)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "core is not down: let it crash first");
        r = sim_verb_restart(sim, line, ret_failure);
        if (r == 0)
                r = sim_runs_boot(sim);
        if (r == 0 && line->n_words > 1)
                r = request_boot(sim, line->words[1], ret_failure);
        return r;
}
