/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The verbs of a script
 *
 * One table: verb, number of words, function. A verb with an answer emits one
 * event named after it, last, so that expect sees it. A wrong word is an
 * error of the script (-EINVAL); a refusal of the engine is an answer.
 *
 * With --auto ready jobs run before the next verb that could tell the
 * difference. They do not run before verbs that set something up: a script
 * may check the answer to exec, or set the outcome of an operation, before
 * anything runs.
 */

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "sim/sim.h"
#include "sim/sim_expect.h"
#include "sim/sim_graph.h"
#include "sim/sim_run_verb.h"
#include "sim/sim_script.h"
#include "sim/sim_unit.h"

/* This many deadlines at one time mean that the engine does not clear them. */
#define SIM_STILL_MAX 100000U

typedef int (*SimVerb)(Sim *sim, const SimLine *line, Failure *ret_failure);
typedef int (*SimAsk)(JobManager *manager, const JobRequest *requests, size_t n, const JobOptions *options,
                      JobPlan **ret_plan);
typedef VECTOR(JobRequest) SimRequests;

static void sim_infos_deinit(JobInfos *infos) {
        vector_deinit(infos);
}

static void sim_requests_deinit(SimRequests *requests) {
        vector_deinit(requests);
}

static const JobRequester sim_requester = { .name = "jobd-sim" };

static int sim_find_unit(Sim *sim, const char *name, Unit **ret_unit, Failure *ret_failure) {
        usec_t began = clock_monotonic(), cpu = clock_processor();
        int r;

        r = unit_table_load(sim->units, name, ret_unit);
        sim->times.load += clock_monotonic() - began;
        sim->times.cpu_load += clock_processor() - cpu;
        return r == -EINVAL ? sim_bad(ret_failure, "name of a unit", name) : r;
}

/* — exec, plan — */

static int sim_parse_request(Sim *sim, const char *word, JobRequest *ret_request, Failure *ret_failure) {
        cleanup_free_ char *type = NULL;
        const char *colon = strchr(word, ':');
        Unit *unit;

        if (!colon)
                return sim_bad(ret_failure, "request (TYPE:UNIT)", word);
        type = strndup(word, (size_t) (colon - word));
        if (!type)
                return -ENOMEM;
        *ret_request = (JobRequest) { .unit = colon + 1, .is_manual = true };
        if (job_type_from_request(type, &ret_request->type, &ret_request->reload_if_possible) < 0)
                return sim_bad(ret_failure, "job type", type);

        /* Loaded here rather than in the engine, so that --time measures the two separately. */
        return sim_find_unit(sim, colon + 1, &unit, ret_failure);
}

static int sim_parse_requests(Sim *sim, const SimLine *line, size_t first, SimRequests *requests,
                              Failure *ret_failure) {
        for (size_t i = first; i < line->n_words; i++) {
                JobRequest request;
                int r;

                r = sim_parse_request(sim, line->words[i], &request, ret_failure);
                if (r < 0)
                        return r;
                if (vector_push(requests, request) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static void sim_emit_plan(Sim *sim, const char *name, const JobPlan *plan) {
        json_t *event = sim_event_new(&sim->events, name);
        JsonSink sink;

        if (!event)
                return;
        json_sink_init(&sink);
        job_plan_write(plan, &sink.sink);
        sim_event_merge(&sim->events, event, &sink);
        json_sink_deinit(&sink);
        sim_event_emit(&sim->events, event);
}

static int sim_ask(Sim *sim, const SimLine *line, SimAsk ask, Failure *ret_failure) {
        cleanup_(sim_requests_deinit) SimRequests requests = {};
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        JobOptions options = {
                .requester = &sim_requester,
                .now = sim->now,
                .wants_anchors_only = !sim->events.is_needed,
        };
        const bool has_mode = !strchr(line->words[1], ':');
        int mode = has_mode ? job_mode_from_string(line->words[1]) : JOB_REPLACE;
        usec_t began, cpu;
        int r;

        if (mode < 0)
                return sim_bad(ret_failure, "job mode", line->words[1]);
        if (has_mode && line->n_words < 3)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "\"%s\" needs a request (TYPE:UNIT)",
                                   line->words[0]);
        options.mode = mode;
        r = sim_parse_requests(sim, line, has_mode ? 2 : 1, &requests, ret_failure);
        if (r < 0)
                return r;

        began = clock_monotonic();
        cpu = clock_processor();
        r = ask(sim->jobs, requests.items, requests.n, &options, &plan);
        sim->times.exec += clock_monotonic() - began;
        sim->times.cpu_exec += clock_processor() - cpu;
        if (r < 0)
                return r;
        sim_emit_plan(sim, line->words[0], plan);
        return 0;
}

static int sim_verb_exec(Sim *sim, const SimLine *line, Failure *ret_failure) {
        return sim_ask(sim, line, job_manager_exec, ret_failure);
}

static int sim_verb_plan(Sim *sim, const SimLine *line, Failure *ret_failure) {
        return sim_ask(sim, line, job_manager_plan, ret_failure);
}

/* — running, states and time — */

static int sim_verb_run(Sim *sim, const SimLine *line, Failure *ret_failure) {
        uint32_t budget = UINT_MAX;

        if (line->n_words > 1 && text_parse_u32(line->words[1], &budget) < 0)
                return sim_bad(ret_failure, "number of jobs", line->words[1]);
        return sim_run(sim, sim->is_auto ? UINT_MAX : budget, ret_failure);
}

static int sim_parse_state(const SimLine *line, UnitActiveState *ret_state, Failure *ret_failure) {
        int state = unit_active_state_from_string(line->words[2]);

        if (state < 0)
                return sim_bad(ret_failure, "state of a unit", line->words[2]);
        *ret_state = state;
        return 0;
}

static int sim_parse_state_flags(const SimLine *line, UnitChangeFlags *ret_flags, Failure *ret_failure) {
        UnitChangeFlags flags = 0;

        for (size_t i = 3; i < line->n_words; i++)
                if (text_equal(line->words[i], "reload-failed"))
                        flags |= UNIT_CHANGE_RELOAD_FAILED;
                else if (text_equal(line->words[i], "auto-restart"))
                        flags |= UNIT_CHANGE_WILL_RESTART;
                else if (text_equal(line->words[i], "skipped"))
                        flags |= UNIT_CHANGE_SKIPPED;
                else
                        return sim_bad(ret_failure, "flag of a change (reload-failed, auto-restart, skipped)",
                                       line->words[i]);
        *ret_flags = flags;
        return 0;
}

static int sim_verb_state(Sim *sim, const SimLine *line, Failure *ret_failure) {
        UnitActiveState state;
        UnitChangeFlags flags;
        Unit *unit;
        int r;

        r = sim_parse_state(line, &state, ret_failure);
        if (r < 0)
                return r;
        r = sim_parse_state_flags(line, &flags, ret_failure);
        if (r < 0)
                return r;
        r = sim_find_unit(sim, line->words[1], &unit, ret_failure);
        if (r < 0)
                return r;
        sim_unit_end_hanging(unit);
        unit_publish(unit, state, flags);
        return 0;
}

static int sim_verb_set(Sim *sim, const SimLine *line, Failure *ret_failure) {
        UnitActiveState state;
        Unit *unit;
        int r;

        r = sim_parse_state(line, &state, ret_failure);
        if (r < 0)
                return r;
        r = sim_find_unit(sim, line->words[1], &unit, ret_failure);
        if (r < 0)
                return r;
        unit->active_state = state;
        sim_unit_end_hanging(unit);
        sim_unit_set_will_restart(unit, false);
        return 0;
}

static int sim_verb_ready(Sim *sim, const SimLine *line, Failure *ret_failure) {
        Unit *unit;
        int r;

        r = sim_find_unit(sim, line->words[1], &unit, ret_failure);
        if (r < 0)
                return r;
        unit_publish_ready(unit);
        return 0;
}

static int sim_verb_result(Sim *sim, const SimLine *line, Failure *ret_failure) {
        int operation = sim_operation_from_string(line->words[2]);
        int outcome = sim_outcome_from_string(line->words[3]);
        Unit *unit;
        int r;

        if (operation < 0)
                return sim_bad(ret_failure, "operation (start, stop, reload)", line->words[2]);
        if (outcome < 0)
                return sim_bad(ret_failure, "outcome of an operation", line->words[3]);
        r = sim_find_unit(sim, line->words[1], &unit, ret_failure);
        if (r < 0)
                return r;
        sim_unit_set_outcome(unit, operation, outcome);
        return 0;
}

static int sim_parse_duration(const SimLine *line, usec_t *ret_duration, Failure *ret_failure) {
        cleanup_free_ char *text = NULL;

        if (strv_join(line->words + 1, " ", &text) < 0)
                return -ENOMEM;
        if (usec_parse(text, USEC_PER_SEC, ret_duration) < 0 || *ret_duration == USEC_INFINITY)
                return sim_bad(ret_failure, "span of time", text);
        return 0;
}

/* While core is down nobody keeps the time limits of jobs and units. */
static usec_t sim_next_deadline(const Sim *sim) {
        usec_t next = sim_runs_next(sim);

        if (sim->runs.is_down)
                return next;
        return MIN(next, MIN(job_manager_next_deadline(sim->jobs), sim_units_next_deadline(sim)));
}

/* Deadlines expire one by one, each at its own time, so that the effects of one come before the next. */
static int sim_verb_advance(Sim *sim, const SimLine *line, Failure *ret_failure) {
        usec_t duration, end, next;
        unsigned n_still = 0;
        int r;

        r = sim_parse_duration(line, &duration, ret_failure);
        if (r < 0)
                return r;
        end = usec_add(sim->now, duration);

        r = sim_run(sim, sim->is_auto ? UINT_MAX : 0, ret_failure);
        if (r < 0)
                return r;
        while ((next = sim_next_deadline(sim)) <= end) {
                n_still = next > sim->now ? 0 : n_still + 1;
                if (n_still > SIM_STILL_MAX)
                        return failure_set(ret_failure, -EINVAL, "LimitsExceeded",
                                           "the clock does not advance past %" PRIu64 " µs", sim->now);
                sim->now = MAX(sim->now, next);
                if (!sim->runs.is_down) {
                        job_manager_expire(sim->jobs, sim->now);
                        sim_units_expire(sim);
                }
                r = sim_run(sim, sim->is_auto ? UINT_MAX : 0, ret_failure);
                if (r < 0)
                        return r;
        }
        sim->now = end;
        return sim_run(sim, sim->is_auto ? UINT_MAX : 0, ret_failure);
}

/* — jobs — */

/* "cancel" or "detach" */
static int sim_verb_cancel(Sim *sim, const SimLine *line, Failure *ret_failure) {
        cleanup_(failure_deinit) Failure failure = {};
        json_t *event;
        uint32_t id;
        int r;

        if (text_parse_u32(line->words[1], &id) < 0)
                return sim_bad(ret_failure, "job id", line->words[1]);
        if (text_equal(line->words[0], "detach"))
                r = job_manager_detach(sim->jobs, id, &sim_requester, sim->now, &failure);
        else
                r = job_manager_cancel(sim->jobs, id, &sim_requester, sim->now, &failure);
        if (r < 0)
                return r;
        event = sim_event_new(&sim->events, line->words[0]);
        if (r == JOB_MANAGER_E_SUCCESS)
                sim_event_set(&sim->events, event, "ok", json_true());
        else
                sim_event_set_failure(&sim->events, event, &failure);
        sim_event_emit(&sim->events, event);
        return 0;
}

static int sim_verb_clear(Sim *sim, const SimLine *line, Failure *ret_failure) {
        size_t n = job_manager_cancel_all(sim->jobs, &sim_requester, sim->now);
        json_t *event = sim_event_new(&sim->events, "clear");

        sim_event_set(&sim->events, event, "canceled", json_integer((json_int_t) n));
        sim_event_emit(&sim->events, event);
        return 0;
}

/* A filter is KEY=VALUE (unit, type, state), or a pattern for the unit's name. */
static bool sim_job_matches(const JobInfo *job, const char *filter) {
        if (text_starts_with(filter, "type="))
                return text_equal(job_type_to_string(job->type), filter + strlen("type="));
        if (text_starts_with(filter, "state="))
                return text_equal(job_state_to_string(job->state), filter + strlen("state="));
        if (text_starts_with(filter, "unit="))
                filter += strlen("unit=");
        return fnmatch(filter, job->unit->id, 0) == 0;
}

static bool sim_job_matches_all(const JobInfo *job, const SimLine *line) {
        for (size_t i = 1; i < line->n_words; i++)
                if (!sim_job_matches(job, line->words[i]))
                        return false;
        return true;
}

static int sim_verb_jobs(Sim *sim, const SimLine *line, Failure *ret_failure) {
        cleanup_(sim_infos_deinit) JobInfos jobs = {};
        json_t *event = sim_event_new(&sim->events, "jobs");
        JsonSink sink;
        int r;

        r = job_manager_list(sim->jobs, &jobs);
        if (r < 0) {
                json_decref(event);
                return r;
        }
        json_sink_init(&sink);
        sink_open(&sink.sink, 'a', "{sv}");
        sink_entry_open(&sink.sink, "jobs", "aa{sv}");
        sink_open(&sink.sink, 'a', "a{sv}");
        for (size_t i = 0; i < jobs.n; i++)
                if (sim_job_matches_all(&jobs.items[i], line))
                        job_manager_write_job(sim->jobs, &jobs.items[i], &sink.sink);
        sink_close(&sink.sink);
        sink_entry_close(&sink.sink);
        sink_close(&sink.sink);
        sim_event_merge(&sim->events, event, &sink);
        json_sink_deinit(&sink);
        sim_event_emit(&sim->events, event);
        return 0;
}

static int sim_verb_why(Sim *sim, const SimLine *line, Failure *ret_failure) {
        cleanup_(failure_deinit) Failure failure = {};
        json_t *event = sim_event_new(&sim->events, "why");
        JsonSink sink;
        int r;

        json_sink_init(&sink);
        r = job_manager_explain(sim->jobs, line->words[1], sim->now, &sink.sink);
        if (r == 0) {
                sim_event_merge(&sim->events, event, &sink);
        } else if (r == -ENOENT) {
                failure_set(&failure, r, "NoSuchJob", "Nothing is known of a job, unit or transaction \"%s\".",
                            line->words[1]);
                sim_event_set_failure(&sim->events, event, &failure);
                r = 0;
        }
        json_sink_deinit(&sink);
        sim_event_emit(&sim->events, event);
        return r;
}

static int sim_verb_stats(Sim *sim, const SimLine *line, Failure *ret_failure) {
        json_t *event = sim_event_new(&sim->events, "stats");
        JsonSink sink;

        json_sink_init(&sink);
        job_manager_write_stats(sim->jobs, &sink.sink);
        sim_event_merge(&sim->events, event, &sink);
        json_sink_deinit(&sink);
        sim_event_emit(&sim->events, event);
        return 0;
}

/* — units — */

static int sim_unit_compare(const void *a, const void *b) {
        return strcmp((*(Unit *const *) a)->id, (*(Unit *const *) b)->id);
}

static json_t *sim_unit_json(const Unit *unit) {
        return json_pack("{s:s, s:s, s:s}", "unit", unit->id, "state", unit_active_state_to_string(unit->active_state),
                         "load", unit_load_state_to_string(unit->load_state));
}

static int sim_verb_units(Sim *sim, const SimLine *line, Failure *ret_failure) {
        VECTOR(Unit *) units = {};
        json_t *list = json_array();
        json_t *event = sim_event_new(&sim->events, "units");
        int r = list ? 0 : -ENOMEM;

        unit_table_foreach(sim->units, unit)
                if (r == 0 && (line->n_words < 2 || fnmatch(line->words[1], unit->id, 0) == 0))
                        r = vector_push(&units, unit);
        if (units.n > 0)
                qsort(units.items, units.n, sizeof(*units.items), sim_unit_compare);
        for (size_t i = 0; r == 0 && i < units.n; i++)
                r = json_array_append_new(list, sim_unit_json(units.items[i])) < 0 ? -ENOMEM : 0;
        vector_deinit(&units);
        sim_event_set(&sim->events, event, "units", list);
        sim_event_emit(&sim->events, event);
        return r;
}

typedef struct SimReload {
        Sim *sim;
        json_t *changed;        /* borrowed array */
} SimReload;

static void sim_note_changed(void *userdata, Unit *unit, const char *difference) {
        SimReload *reload = userdata;

        if (json_array_append_new(reload->changed, json_pack("{s:s, s:s}", "unit", unit->id, "change", difference)) < 0)
                reload->sim->events.error = -ENOMEM;
}

static int sim_verb_reload(Sim *sim, const SimLine *line, Failure *ret_failure) {
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_(json_decrefp) json_t *changed = json_array();
        SimReload reload = { .sim = sim, .changed = changed };
        json_t *event;
        int r;

        if (line->n_words > 1 && !text_equal(line->words[1], "force"))
                return sim_bad(ret_failure, "option of reload (force)", line->words[1]);
        r = unit_file_reload(sim->loader, sim->units, line->n_words > 1, sim_note_changed, &reload, &failure);
        if (r < 0 && r != -EBADMSG)
                return r;
        if (r == 0)
                job_manager_graph_changed(sim->jobs, sim->now);
        event = sim_event_new(&sim->events, "reload");
        if (r == 0) {
                sim_event_set(&sim->events, event, "ok", json_true());
                sim_event_set(&sim->events, event, "changed", json_incref(changed));
        } else {
                sim_event_set_failure(&sim->events, event, &failure);
        }
        sim_event_emit(&sim->events, event);
        return 0;
}

/* — expectations — */

static int sim_verb_expect_state(Sim *sim, const SimLine *line, Failure *ret_failure) {
        UnitActiveState state;
        Unit *unit;
        int r;

        r = sim_parse_state(line, &state, ret_failure);
        if (r < 0)
                return r;
        r = sim_find_unit(sim, line->words[1], &unit, ret_failure);
        if (r < 0)
                return r;
        if (unit->active_state == state)
                return SIM_E_SUCCESS;
        failure_set(ret_failure, -EBADMSG, "Unexpected", "%s is %s, not %s", unit->id,
                    unit_active_state_to_string(unit->active_state), line->words[2]);
        return SIM_E_UNEXPECTED;
}

static int sim_verb_quit(Sim *sim, const SimLine *line, Failure *ret_failure) {
        return SIM_E_QUIT;
}

/* — the table — */

typedef struct SimVerbRow {
        const char *name;
        unsigned min, max;      /* words after it; a JSON object does not count */
        SimVerb run;
        const char *usage;
        enum {
                SETS_UP = 1 << 0,       /* with --auto: no job runs before it */
                QUESTION = 1 << 1,      /* a question about the events of the command before it */
                ALWAYS = 1 << 2,        /* also while core is down */
        } flags;
} SimVerbRow;

static const SimVerbRow sim_verbs[] = {
        { "exec", 1, UINT_MAX, sim_verb_exec, "[MODE] TYPE:UNIT...", 0 },
        { "plan", 1, UINT_MAX, sim_verb_plan, "[MODE] TYPE:UNIT...", 0 },
        { "run", 0, 1, sim_verb_run, "[BUDGET]", SETS_UP | ALWAYS },
        { "state", 2, 5, sim_verb_state, "UNIT STATE [reload-failed] [auto-restart] [skipped]", 0 },
        { "set", 2, 2, sim_verb_set, "UNIT STATE", SETS_UP },
        { "ready", 1, 1, sim_verb_ready, "UNIT", 0 },
        { "result", 3, 3, sim_verb_result, "UNIT start|stop|reload OUTCOME", SETS_UP },
        { "cancel", 1, 1, sim_verb_cancel, "ID", 0 },
        { "detach", 1, 1, sim_verb_cancel, "ID", 0 },
        { "clear", 0, 0, sim_verb_clear, "", 0 },
        { "advance", 1, UINT_MAX, sim_verb_advance, "DURATION", ALWAYS },
        { "jobs", 0, UINT_MAX, sim_verb_jobs, "[FILTER...]", 0 },
        { "units", 0, 1, sim_verb_units, "[PATTERN]", 0 },
        { "why", 1, 1, sim_verb_why, "ID|UNIT", 0 },
        { "stats", 0, 0, sim_verb_stats, "", 0 },
        { "reload", 0, 1, sim_verb_reload, "[force]", 0 },
        { "relate", 1, UINT_MAX, sim_verb_relate, "UNIT [RELATION=UNIT...]", 0 },
        { "reloaded", 1, 1, sim_verb_reloaded, "UNIT", 0 },
        { "restart", 0, 0, sim_verb_restart, "", 0 },
        { "submit", 1, 3, sim_verb_submit, "FLOW|BATCH [queue|reject|skip|replace] [key=WORD]", 0 },
        { "flow", 2, 3, sim_verb_flow, "VERB RUN[/NODE] [--as=OUTCOME]", 0 },
        { "runs", 0, 1, sim_verb_runs, "[PATTERN]", 0 },
        { "nodes", 1, 1, sim_verb_nodes, "RUN", 0 },
        { "attempt", 2, 8, sim_verb_attempt, "RUN/NODE|FLOW/NODE END [after TIME] [ignores-sigterm] [tries N]",
          SETS_UP | ALWAYS },
        { "auto-attempts", 1, 5, sim_verb_auto_attempts, "END [after TIME|FILE] [ignores-sigterm]", SETS_UP | ALWAYS },
        { "answer", 2, 2, sim_verb_answer, "RUN/NODE READY|WAIT|NEVER|FAIL|PENDING|LOST", 0 },
        { "lose", 1, 1, sim_verb_lose, "RUN/NODE", ALWAYS },
        { "crash", 1, 3, sim_verb_crash, "core|store|power, or: crash core at POINT", SETS_UP | ALWAYS },
        { "store", 1, 2, sim_verb_store, "slow TIME|hang|full|ok", SETS_UP | ALWAYS },
        { "boot", 0, 1, sim_verb_boot, "[UNIT]", ALWAYS },
        { "quit", 0, 0, sim_verb_quit, "", ALWAYS },
        { "expect", 0, 0, sim_verb_expect, "JSON", SETS_UP | QUESTION | ALWAYS },
        { "expect-event", 0, 0, sim_verb_expect_event, "JSON", QUESTION | ALWAYS },
        { "expect-no-event", 0, 0, sim_verb_expect_no_event, "JSON", QUESTION | ALWAYS },
        { "expect-state", 2, 2, sim_verb_expect_state, "UNIT STATE", QUESTION | ALWAYS },
        { "expect-order", 1, UINT_MAX, sim_verb_expect_order, "[TYPE:]UNIT|RUN/NODE...", QUESTION | ALWAYS },
        { "expect-run", 2, 3, sim_verb_expect_run, "RUN STATE [REASON]", QUESTION },
        { "expect-items", 2, UINT_MAX, sim_verb_expect_items, "RUN done=N|failed=N|running=N|waiting=N|left=N...",
          QUESTION },
        { "expect-node", 2, 3, sim_verb_expect_node, "RUN/NODE STATE [REASON]", QUESTION },
};

static int sim_find_verb(const SimLine *line, const SimVerbRow **ret_verb, Failure *ret_failure) {
        for (size_t i = 0; i < ELEMENTSOF(sim_verbs); i++) {
                const SimVerbRow *verb = &sim_verbs[i];
                size_t n = line->n_words - 1;

                if (!text_equal(verb->name, line->words[0]))
                        continue;
                if (n < verb->min || n > verb->max) {
                        failure_set(ret_failure, -EINVAL, "InvalidArgs", "it is: %s %s", verb->name, verb->usage);
                        return -EINVAL;
                }
                *ret_verb = verb;
                return 0;
        }
        return sim_bad(ret_failure, "command", line->words[0]);
}

static int sim_execute(Sim *sim, const SimLine *line, Failure *ret_failure) {
        const SimVerbRow *verb;
        int r;

        r = sim_find_verb(line, &verb, ret_failure);
        if (r < 0)
                return r;
        if (sim->is_auto && !(verb->flags & SETS_UP)) {
                r = sim_run(sim, UINT_MAX, ret_failure);
                if (r < 0)
                        return r;
        }
        if (sim->runs.is_down && !(verb->flags & ALWAYS))
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "core is down: 'boot' starts it again");
        if (!(verb->flags & QUESTION))
                sim_events_begin(&sim->events);
        r = verb->run(sim, line, ret_failure);
        return r < 0 ? r : sim->events.error ?: r;
}

int sim_execute_line(Sim *sim, const char *text, Failure *ret_failure) {
        cleanup_(sim_line_deinit) SimLine line = {};
        SimTimes before = sim->times, *times = &sim->times;
        usec_t began = clock_monotonic(), cpu = clock_processor();
        int r;

        r = sim_line_parse(&line, text, ret_failure);
        if (r == 0 && line.n_words > 0)
                r = sim_execute(sim, &line, ret_failure);
        times->other += usec_sub(clock_monotonic() - began,
                                 times->load + times->exec + times->run - before.load - before.exec - before.run);
        times->cpu_other += usec_sub(clock_processor() - cpu,
                                     times->cpu_load + times->cpu_exec + times->cpu_run - before.cpu_load -
                                             before.cpu_exec - before.cpu_run);
        return r;
}
