/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A case, step by step, on the engine and on the model
 *
 * Each step is done as jobd-sim would do the line that is written down for it.
 */

#include <assert.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/text.h"
#include "fuzz_player.h"
#include "fuzz_statistics.h"
#include "job/job_manager_private.h"

#define RUN_BUDGET 64
#define RUN_TRACE 4096                  /* events of one step; with more the units trigger each other for ever */

void fuzz_add(FuzzText *text, const char *format, ...) {
        size_t left = sizeof(text->string) - text->n;
        va_list args;
        int n;

        va_start(args, format);
        n = vsnprintf(text->string + text->n, left, format, args);
        va_end(args);
        text->n += MIN((size_t) MAX(n, 0), left - 1);
}

#define write_line(player, ...) ((player)->is_known ? (void) 0 : fuzz_add(&(player)->outcome->script, __VA_ARGS__))

/* Loads the unit in engine and model; returns its index. */
static int load(FuzzPlayer *player, int unit) {
        uint32_t index = fuzz_world_unit(player->world, unit)->index;

        fuzz_world_show(player->world, &player->model);
        return (int) index;
}

static void write_word(FuzzPlayer *player, const ModelRequest *request) {
        const char *word = job_type_to_string(request->type);

        if (request->reload_if_possible)
                word = request->type == JOB_RESTART ? "reload-or-restart" : "reload-or-try-restart";
        write_line(player, " %s:%s", word, fuzz_unit_name(request->unit));
}

static void check_plan(FuzzPlayer *player, const JobPlan *planned, const JobPlan *done, int plan_result, int result) {
        bool is_same = plan_result == result && text_equal(planned->failure.name, done->failure.name) &&
                       planned->jobs.n == done->jobs.n && planned->dropped.n == done->dropped.n &&
                       planned->canceled.n == done->canceled.n && planned->cycles.n == done->cycles.n;

        for (size_t i = 0; is_same && i < planned->jobs.n; i++)
                is_same = planned->jobs.items[i].type == done->jobs.items[i].type &&
                          planned->jobs.items[i].action == done->jobs.items[i].action &&
                          text_equal(planned->jobs.items[i].unit, done->jobs.items[i].unit);
        if (!is_same)
                fuzz_differ(player, "what was planned is not what was done");
}

static void count_exec(const FuzzStep *step, const JobPlan *done, const char *error) {
        if (!fuzz_statistics)
                return;
        for (unsigned i = 0; i < step->n_requests; i++)
                if (error)
                        fuzz_statistics->refused[step->mode][step->requests[i].type]++;
                else
                        fuzz_statistics->accepted[step->mode][step->requests[i].type]++;
        if (error)
                fuzz_count_error(&fuzz_statistics->errors, error);
        for (size_t i = 0; i < done->dropped.n; i++)
                fuzz_statistics->dropped[step->mode][done->dropped.items[i].rule]++;
        for (size_t i = 0; i < done->jobs.n && !error; i++)
                fuzz_statistics->actions[step->mode][done->jobs.items[i].action]++;
}

static void play_exec(FuzzPlayer *player, const FuzzStep *step) {
        static const JobRequester requester = { .name = "fuzz" };
        JobOptions options = { .mode = step->mode, .requester = &requester, .now = player->world->now };
        cleanup_(job_plan_freep) JobPlan *planned = NULL;
        cleanup_(job_plan_freep) JobPlan *done = NULL;
        static Model before;
        JobRequest requests[MODEL_REQUESTS_MAX] = {};
        ModelRequest of_model[MODEL_REQUESTS_MAX];
        uint32_t anchors[MODEL_REQUESTS_MAX] = {};
        const char *error;
        int plan_result, result;
        bool is_unchanged;
        uint32_t last_id;

        write_line(player, "exec %s", job_mode_to_string(step->mode));
        for (unsigned i = 0; i < step->n_requests; i++) {
                of_model[i] = step->requests[i];
                of_model[i].unit = load(player, step->requests[i].unit);
                requests[i] = (JobRequest) {
                        .unit = fuzz_unit_name(step->requests[i].unit),
                        .type = of_model[i].type,
                        .reload_if_possible = of_model[i].reload_if_possible,
                        .is_manual = of_model[i].is_manual,
                };
                write_word(player, &step->requests[i]);
        }
        write_line(player, "\n");

        before = player->model;
        error = model_exec(&player->model, of_model, step->n_requests, step->mode, anchors);
        if (player->is_known) {
                (void) job_manager_exec(player->world->jobs, requests, step->n_requests, &options, NULL);
                return;
        }
        last_id = player->world->jobs->table.alloc.cursor;
        plan_result = job_manager_plan(player->world->jobs, requests, step->n_requests, &options, &planned);
        fuzz_check_properties(player, &before, step, requests, of_model, planned);
        is_unchanged = player->world->jobs->table.alloc.cursor == last_id;
        result = job_manager_exec(player->world->jobs, requests, step->n_requests, &options, &done);
        is_unchanged &= result == 0 || player->world->jobs->table.alloc.cursor == last_id;
        if (!is_unchanged)
                fuzz_differ(player, "a plan or a refused request has taken ids");
        assert(result >= 0 && plan_result >= 0);
        count_exec(step, done, error);
        check_plan(player, planned, done, plan_result, result);
        fuzz_compare_exec(player, result, done, error, anchors);
}

static void play_run(FuzzPlayer *player, const FuzzStep *step) {
        bool engine = true, model = true;

        if (step->budget > 0) {
                write_line(player, "run %u\n", step->budget);
                (void) job_manager_run(player->world->jobs, step->budget, player->world->now);
                (void) model_run(&player->model, step->budget);
                return;
        }
        write_line(player, "run\n");
        while ((engine || model) && player->model_trace.n < RUN_TRACE && player->engine_trace.n < RUN_TRACE) {
                engine = job_manager_run(player->world->jobs, RUN_BUDGET, player->world->now);
                model = model_run(&player->model, RUN_BUDGET);
        }
        player->is_endless = engine || model;
        if (player->is_endless)
                fuzz_differ(player, "the units keep each other going for ever");
}

static void play_state(FuzzPlayer *player, const FuzzStep *step) {
        int u = load(player, step->unit);

        write_line(player, "state %s %s%s%s%s\n", fuzz_unit_name(step->unit), unit_active_state_to_string(step->state),
                   step->flags & UNIT_CHANGE_RELOAD_FAILED ? " reload-failed" : "",
                   step->flags & UNIT_CHANGE_WILL_RESTART ? " auto-restart" : "",
                   step->flags & UNIT_CHANGE_SKIPPED ? " skipped" : "");
        model_report(&player->model, u, step->state, step->flags);
        unit_publish(unit_table_at(player->world->units, (uint32_t) u), step->state, step->flags);
}

/* Chooses a unit with a running job, as the step says, and the state that it reports. */
static bool make_state(const FuzzPlayer *player, const FuzzStep *step, FuzzStep *ret_state) {
        static const UnitActiveState states[][3] = {
                [FUZZ_SUCCEEDS] = { UNIT_ACTIVE, UNIT_INACTIVE, UNIT_ACTIVE },
                [FUZZ_FAILS] = { UNIT_FAILED, UNIT_FAILED, UNIT_ACTIVE },
                [FUZZ_GETS_UNDER_WAY] = { UNIT_ACTIVATING, UNIT_DEACTIVATING, UNIT_RELOADING },
        };
        const Model *m = &player->model;
        int running[MODEL_UNITS_MAX], n = 0, u, column;
        JobType run;

        for (int i = 0; i < m->n_units; i++)
                if (m->units[i].triggered.id)
                        running[n++] = i;
        if (n == 0)
                return false;
        u = running[step->pick % (unsigned) n];
        run = m->units[u].triggered.run;
        column = run == JOB_START ? 0 : run == JOB_STOP ? 1 : 2;
        *ret_state = (FuzzStep) {
                .kind = FUZZ_STATE,
                .unit = fuzz_unit_find(m->units[u].name),
                .state = states[step->course][column],
                .flags = run == JOB_RELOAD && step->course == FUZZ_FAILS ? UNIT_CHANGE_RELOAD_FAILED : 0,
        };
        return true;
}

static void play_result(FuzzPlayer *player, const FuzzStep *step) {
        static const char *const operations[_MODEL_OPERATION_MAX] = { "start", "stop", "reload" };
        static const char *const outcomes[_MODEL_OUTCOME_MAX] = {
                [MODEL_UNDER_WAY] = "under-way",
                [MODEL_DONE] = "done",
                [MODEL_FAIL] = "fail",
                [MODEL_AGAIN] = "again",
                [MODEL_SKIP] = "skip",
                [MODEL_ASSERT] = "assert",
                [MODEL_UNSUPPORTED] = "unsupported",
        };
        int u = load(player, step->unit);

        write_line(player, "result %s %s %s\n", fuzz_unit_name(step->unit), operations[step->operation],
                   outcomes[step->outcome]);
        player->model.units[u].outcomes[step->operation] = step->outcome;
        fuzz_world_set_outcome(player->world, step->unit, step->operation, step->outcome);
}

static void play_cancel(FuzzPlayer *player, const FuzzStep *step) {
        const ModelUnit *unit = &player->model.units[load(player, step->unit)];
        const ModelJob *const jobs[] = { &unit->pending, &unit->triggered, &unit->nop };
        cleanup_(failure_deinit) Failure failure = {};
        uint32_t id = step->pick < 3 ? jobs[step->pick]->id : 0;
        const char *error;

        for (int i = 0; i < 2 && step->pick == 3; i++)
                if (jobs[i]->n_aliases > 0)
                        id = jobs[i]->aliases[0];
        if (id == 0)
                id = player->model.last_id + 1;
        write_line(player, "%s %u\n", step->detaches ? "detach" : "cancel", id);
        error = model_cancel(&player->model, id, step->detaches);
        fuzz_count(cancels[!error ? 0 : strcmp(error, "NoSuchJob") == 0 ? 1 : 2]);
        (void) (step->detaches ? job_manager_detach : job_manager_cancel)(player->world->jobs, id, NULL,
                                                                          player->world->now, &failure);
        if (text_equal(error, failure.name))
                return;
        fuzz_differ(player, "cancel: engine: %s; model: %s", failure.name ? failure.name : "done", error ? error : "done");
        fuzz_add(&player->expected, "expect {\"ok\":%s}\n", error ? "false" : "true");
}

static void play_clear(FuzzPlayer *player) {
        size_t engine;
        unsigned model;

        write_line(player, "clear\n");
        model = model_cancel_all(&player->model);
        engine = job_manager_cancel_all(player->world->jobs, NULL, player->world->now);
        if (engine != model)
                fuzz_differ(player, "clear: engine: %zu; model: %u", engine, model);
}

static void play_ready(FuzzPlayer *player, const FuzzStep *step) {
        int u = load(player, step->unit);

        write_line(player, "ready %s\n", fuzz_unit_name(step->unit));
        model_resume(&player->model, u);
        unit_publish_ready(unit_table_at(player->world->units, (uint32_t) u));
}

static void play_advance(FuzzPlayer *player, const FuzzStep *step) {
        FuzzWorld *world = player->world;
        uint64_t end = world->now + step->seconds * USEC_PER_SEC, next;

        write_line(player, "advance %us\n", step->seconds);
        for (int i = 0; i < 1000 && (next = model_next_deadline(&player->model)) <= end; i++) {
                world->now = player->model.now = MAX(world->now, next);
                if (job_manager_next_deadline(world->jobs) != next)
                        break;
                model_expire(&player->model);
                job_manager_expire(world->jobs, world->now);
        }
        if (job_manager_next_deadline(world->jobs) != model_next_deadline(&player->model))
                return;
        world->now = player->model.now = end;
}

static void play_relate(FuzzPlayer *player, const FuzzStep *step) {
        (void) load(player, step->unit);
        fuzz_count(relates[job_manager_count(player->world->jobs) > 0]);
        write_line(player, "relate %s", fuzz_unit_name(step->unit));
        for (unsigned i = 0; i < step->n_relations; i++)
                write_line(player, " %s=%s", unit_relation_to_string(step->relations[i].kind),
                           fuzz_unit_name(step->relations[i].other));
        write_line(player, "\n");
        fuzz_world_relate(player->world, step->unit, step->relations, step->n_relations);
        fuzz_world_show(player->world, &player->model);
        model_graph_changed(&player->model);
}

static void play_restart(FuzzPlayer *player) {
        write_line(player, "restart\n");
        fuzz_count(restarts[job_manager_count(player->world->jobs) > 0]);
        fuzz_world_restart(player->world);
        model_restart(&player->model);
}

static void play_reloaded(FuzzPlayer *player, const FuzzStep *step) {
        int u = load(player, step->unit);

        write_line(player, "reloaded %s\n", fuzz_unit_name(step->unit));
        model_reloaded_itself(&player->model, u, JOB_FAIL);
        unit_publish_reloaded_itself(unit_table_at(player->world->units, (uint32_t) u));
}

void fuzz_player_step(FuzzPlayer *player, const FuzzStep *step) {
        switch (step->kind) {
        case FUZZ_EXEC:
                play_exec(player, step);
                break;
        case FUZZ_RUN:
                play_run(player, step);
                break;
        case FUZZ_STATE:
                play_state(player, step);
                break;
        case FUZZ_RESULT:
                play_result(player, step);
                break;
        case FUZZ_CANCEL:
                play_cancel(player, step);
                break;
        case FUZZ_CLEAR:
                play_clear(player);
                break;
        case FUZZ_READY:
                play_ready(player, step);
                break;
        case FUZZ_ADVANCE:
                play_advance(player, step);
                break;
        case FUZZ_RELOADED:
                play_reloaded(player, step);
                break;
        case FUZZ_RELATE:
                play_relate(player, step);
                break;
        case FUZZ_RESTART:
                play_restart(player);
                break;
        case FUZZ_FINISH:
                break;
        }
        player->outcome->concrete.steps[player->outcome->concrete.n_steps++] = *step;
}

static void set_states(FuzzPlayer *player, const FuzzCase *fuzz) {
        for (int i = 0; i < FUZZ_UNITS_MAX; i++) {
                int u;

                if (!fuzz->units[i].is_there || fuzz->units[i].state == UNIT_INACTIVE)
                        continue;
                u = load(player, i);
                write_line(player, "set %s %s\n", fuzz_unit_name(i), unit_active_state_to_string(fuzz->units[i].state));
                unit_table_at(player->world->units, (uint32_t) u)->active_state = fuzz->units[i].state;
                player->model.units[u].state = fuzz->units[i].state;
        }
}

static void play_all(FuzzPlayer *player, const FuzzCase *fuzz) {
        for (unsigned i = 0; i < fuzz->n_steps && !player->outcome->differs && !player->is_endless; i++) {
                FuzzStep step = fuzz->steps[i];

                if (step.kind == FUZZ_FINISH && !make_state(player, &step, &step))
                        continue;
                fuzz_player_step(player, &step);
                fuzz_compare(player);
                if (step.kind == FUZZ_RUN && step.budget == 0)
                        fuzz_compare_rest(player);
        }
}

void fuzz_player_begin(FuzzPlayer *player, const FuzzCase *fuzz, FuzzOutcome *outcome) {
        memset(outcome->concrete.steps, 0, outcome->concrete.n_steps * sizeof(*outcome->concrete.steps));
        memcpy(&outcome->concrete, fuzz, offsetof(FuzzCase, steps));
        outcome->concrete.n_steps = 0;
        outcome->differs = player->is_known = player->is_endless = false;
        outcome->text.n = outcome->script.n = player->expected.n = 0;
        outcome->text.string[0] = outcome->script.string[0] = player->expected.string[0] = '\0';
        player->outcome = outcome;
        player->engine_trace.n = player->model_trace.n = 0;
        memset(&player->model, 0, sizeof(player->model));
        player->model.trace = &player->model_trace;
        player->model.counters = fuzz_statistics ? &fuzz_statistics->model : NULL;
        player->world = fuzz_world_new(fuzz, &player->engine_trace);
        set_states(player, fuzz);
}

void fuzz_player_end(FuzzPlayer *player) {
        fuzz_add(&player->outcome->script, "%s", player->expected.string);
        player->world = fuzz_world_free(player->world);
}

static void count_case(const FuzzCase *fuzz) {
        bool has[_UNIT_RELATION_MAX] = {};

        fuzz_statistics->n_cases++;
        for (unsigned i = 0; i < fuzz->n_relations; i++)
                has[fuzz->relations[i].kind] = true;
        for (int kind = 0; kind < _UNIT_RELATION_MAX; kind++)
                fuzz_statistics->relations[kind] += has[kind];
        for (int i = 0; i < FUZZ_UNITS_MAX; i++)
                if (fuzz->units[i].is_there)
                        fuzz_statistics->loads[fuzz->units[i].load]++;
}

void fuzz_play(const FuzzCase *fuzz, FuzzOutcome *ret_outcome) {
        static FuzzPlayer player;

        fuzz_player_begin(&player, fuzz, ret_outcome);
        if (fuzz_statistics)
                count_case(fuzz);
        play_all(&player, fuzz);
        if (fuzz_statistics) {
                fuzz_statistics->n_steps += ret_outcome->concrete.n_steps;
                fuzz_statistics->n_endless += player.is_endless;
        }
        fuzz_player_end(&player);
}

void fuzz_play_apart(const FuzzCase *fuzz, FuzzOutcome *ret_outcome) {
        static FuzzOutcome *shared;
        int status = 0;
        pid_t child;

        if (!shared)
                shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert(shared != MAP_FAILED);
        child = fork();
        assert(child >= 0);
        if (child == 0) {
                (void) !freopen("/dev/null", "w", stderr);
                (void) setitimer(ITIMER_PROF, &(struct itimerval) { .it_value.tv_sec = 10 }, NULL);
                fuzz_play(fuzz, shared);
                exit(0);
        }
        while (waitpid(child, &status, 0) < 0)
                ;
        *ret_outcome = *shared;
        if (status == 0)
                return;
        ret_outcome->differs = true;
        if (WIFSIGNALED(status))
                fuzz_add(&ret_outcome->text, "the engine died: %s\n", strsignal(WTERMSIG(status)));
        else
                fuzz_add(&ret_outcome->text, "the engine died with status %d\n", WEXITSTATUS(status));
}
