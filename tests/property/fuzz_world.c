/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The engine under test, over units that react as those of jobd-sim
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "double/double_snapshot.h"
#include "fuzz_statistics.h"
#include "fuzz_world.h"

/* Unit.state_of_type */
typedef struct FuzzUnitState {
        ModelOutcome outcomes[_MODEL_OPERATION_MAX];
        bool will_restart;
} FuzzUnitState;

static FuzzWorld *world_of(const Unit *unit) {
        return container_of(unit_table_host(unit->table), FuzzWorld, host);
}

static const FuzzUnit *case_of(const Unit *unit) {
        FuzzWorld *world = world_of(unit);

        assert(unit->index < MODEL_UNITS_MAX);
        if (world->numbers[unit->index] == 0)
                world->numbers[unit->index] = 1 + fuzz_unit_find(unit->id);
        return world->numbers[unit->index] == 0 ? NULL : &world->fuzz->units[world->numbers[unit->index] - 1];
}

/* — the unit type — */

static int fuzz_unit_init(Unit *unit) {
        unit->state_of_type = calloc(1, sizeof(FuzzUnitState));
        return unit->state_of_type ? 0 : -ENOMEM;
}

static void fuzz_unit_deinit(Unit *unit) {
        free(unit->state_of_type);
}

static UnitAnswer fuzz_unit_succeed(Unit *unit, ModelOperation operation) {
        if (operation == MODEL_RELOAD)
                unit_publish(unit, UNIT_RELOADING, 0);
        unit_publish(unit, operation == MODEL_STOP ? UNIT_INACTIVE : UNIT_ACTIVE, 0);
        return UNIT_UNDER_WAY;
}

static UnitAnswer fuzz_unit_fail(Unit *unit, ModelOperation operation) {
        if (operation == MODEL_STOP)
                return UNIT_OPERATION_FAILED;
        if (operation == MODEL_START) {
                unit_publish(unit, UNIT_FAILED, 0);
                return UNIT_UNDER_WAY;
        }
        unit_publish(unit, UNIT_RELOADING, 0);
        unit_publish(unit, UNIT_ACTIVE, UNIT_CHANGE_RELOAD_FAILED);
        return UNIT_UNDER_WAY;
}

static UnitAnswer fuzz_unit_operate(Unit *unit, ModelOperation operation) {
        FuzzUnitState *state = unit->state_of_type;
        ModelOutcome outcome = state->outcomes[operation];

        state->outcomes[operation] = MODEL_UNDER_WAY;
        switch (outcome) {
        case MODEL_UNDER_WAY:
                return UNIT_UNDER_WAY;
        case MODEL_DONE:
                return fuzz_unit_succeed(unit, operation);
        case MODEL_FAIL:
                return fuzz_unit_fail(unit, operation);
        case MODEL_AGAIN:
                return UNIT_NOT_NOW;
        case MODEL_SKIP:
                return UNIT_CONDITION_UNMET;
        case MODEL_ASSERT:
                return UNIT_ASSERT_UNMET;
        case MODEL_UNSUPPORTED:
                return UNIT_UNSUPPORTED;
        case _MODEL_OUTCOME_MAX:
                break;
        }
        return UNIT_OPERATION_FAILED;
}

static UnitAnswer fuzz_unit_start(Unit *unit) {
        return fuzz_unit_operate(unit, MODEL_START);
}

static UnitAnswer fuzz_unit_stop(Unit *unit) {
        return fuzz_unit_operate(unit, MODEL_STOP);
}

static UnitAnswer fuzz_unit_reload(Unit *unit) {
        return fuzz_unit_operate(unit, MODEL_RELOAD);
}

static bool fuzz_unit_can_reload(const Unit *unit) {
        const FuzzUnit *fuzz = case_of(unit);

        return unit->load_state == UNIT_LOADED && fuzz && fuzz->can_reload;
}

static bool fuzz_unit_will_restart(const Unit *unit) {
        const FuzzUnitState *state = unit->state_of_type;

        return state->will_restart;
}

static const UnitVTable fuzz_vtable = {
        .type = UNIT_SERVICE,
        .init = fuzz_unit_init,
        .deinit = fuzz_unit_deinit,
        .can_reload = fuzz_unit_can_reload,
        .start = fuzz_unit_start,
        .stop = fuzz_unit_stop,
        .reload = fuzz_unit_reload,
        .will_restart = fuzz_unit_will_restart,
};

/* — the loader — */

static void settle(UnitSettings *settings, const FuzzUnit *fuzz) {
        settings->allow_isolate = fuzz->allows_isolate;
        settings->ignore_on_isolate = fuzz->ignores_isolate;
        settings->is_perpetual = fuzz->is_perpetual;
        settings->stop_when_unneeded = fuzz->stops_when_unneeded;
        settings->restart_on_dependency = fuzz->restarts_on_dependency;
        settings->refuse_manual_start = fuzz->refuses_start;
        settings->refuse_manual_stop = fuzz->refuses_stop;
        settings->job_priority = fuzz->priority;
        if (fuzz->timeout > 0)
                settings->job_timeout = fuzz->timeout * USEC_PER_SEC;
        if (fuzz->running_timeout > 0) {
                settings->job_running_timeout = fuzz->running_timeout * USEC_PER_SEC;
                settings->has_job_running_timeout = true;
        }
        unit_settings_own_rare(settings)->on_failure_job_mode = fuzz->on_failure_mode;
        unit_settings_own_rare(settings)->on_success_job_mode = fuzz->on_success_mode;
}

static void relate(Unit *unit, const FuzzRelation *relation, unsigned line) {
        UnitOriginId origin;
        Unit *other;
        int r;

        r = unit_table_name(unit->table, fuzz_unit_name(relation->other), &other);
        assert(r == 0);
        r = unit_table_origin(unit->table, unit->id, line, NULL, &origin);
        assert(r == 0);
        r = unit_add_relation(unit, relation->kind, other, origin);
        assert(r == 0);
        (void) r;
}

static int fuzz_load(void *userdata, Unit *unit) {
        const FuzzWorld *world = userdata;
        const FuzzUnit *fuzz = case_of(unit);

        unit->load_state = fuzz && fuzz->is_there ? fuzz->load : UNIT_NOT_FOUND;
        if (unit->load_state != UNIT_LOADED)
                return 0;
        settle(&unit->settings, fuzz);
        for (unsigned i = 0; i < world->fuzz->n_relations; i++)
                if (&world->fuzz->units[world->fuzz->relations[i].unit] == fuzz)
                        relate(unit, &world->fuzz->relations[i], 2 + i);
        return 0;
}

static const UnitLoaderOps fuzz_loader_ops = { .load = fuzz_load };

/* — host and observers — */

static usec_t host_now(UnitHost *host) {
        return container_of(host, FuzzWorld, host)->now;
}

static const UnitHostOps fuzz_host_ops = { .now = host_now, .now_realtime = host_now };

static void take_change(void *userdata, Unit *unit, UnitActiveState old, UnitActiveState new, UnitChangeFlags flags) {
        FuzzWorld *world = userdata;
        FuzzUnitState *state = unit->state_of_type;

        state->will_restart = flags & UNIT_CHANGE_WILL_RESTART;
        job_manager_finish(world->jobs, unit, old, new, flags, world->now);
}

static void take_ready(void *userdata, Unit *unit) {
        FuzzWorld *world = userdata;

        job_manager_resume(world->jobs, unit);
}

static void take_reload(void *userdata, Unit *unit) {
        FuzzWorld *world = userdata;

        job_manager_notify_reload(world->jobs, unit, JOB_FAIL, world->now);
}

static const UnitObserverOps fuzz_observer_ops = {
        .changed = take_change,
        .ready = take_ready,
        .reloaded_itself = take_reload,
};

static void tell(FuzzWorld *world, ModelTraceKind kind, uint32_t id, int detail, const char *error) {
        assert(world->trace->n < MODEL_TRACE_MAX);
        world->trace->items[world->trace->n++] = (ModelTrace) { kind, id, detail, error };
}

static void open_id(FuzzWorld *world, uint32_t id, bool is_to_open) {
        bool *is_open = &world->is_open[id % FUZZ_IDS_MAX];

        if (*is_open == is_to_open) {
                world->wrong_id = world->wrong_id ?: id;
                return;
        }
        *is_open = is_to_open;
        world->n_open += is_to_open ? 1 : UINT32_MAX;
}

static void take_event(const JobEvent *event, void *userdata) {
        FuzzWorld *world = userdata;
        uint32_t *running = &world->running[event->job.id % FUZZ_IDS_MAX];
        uint32_t is_running = event->job.state == JOB_RUNNING ? 1 + (uint32_t) event->job.run_type : 0;

        switch (event->kind) {
        case JOB_EVENT_INSTALLED:
                *running = 0;
                open_id(world, event->job.id, true);
                break;
        case JOB_EVENT_CHANGED:
                if (!world->is_open[event->job.id % FUZZ_IDS_MAX])
                        world->wrong_id = event->job.id;
                if (is_running && is_running != *running)
                        tell(world, MODEL_TRACE_TRIGGER, event->job.id, event->job.run_type, NULL);
                *running = is_running;
                break;
        case JOB_EVENT_FINISHED:
                tell(world, MODEL_TRACE_END, event->job.id, event->job.result, NULL);
                open_id(world, event->job.id, false);
                fuzz_count(ended[event->job.result][event->end ? event->end->code : JOB_END_UNSAID]);
                break;
        case JOB_EVENT_REFUSED:
                tell(world, MODEL_TRACE_REFUSED, 0, 0, event->failure->name);
                if (fuzz_statistics)
                        fuzz_count_error(&fuzz_statistics->follow_ups, event->failure->name);
                break;
        case JOB_EVENT_CYCLE_BROKEN:
                fuzz_count(n_cycles_broken);
                break;
        }
}

static void make_manager(FuzzWorld *world) {
        int r;

        r = job_manager_new(&world->jobs, world->units);
        assert(r == 0);
        r = job_manager_subscribe(world->jobs, take_event, world);
        assert(r == 0);
        (void) r;
}

FuzzWorld *fuzz_world_new(const FuzzCase *fuzz, ModelTraces *trace) {
        FuzzWorld *world = calloc(1, sizeof(*world));
        int r;

        assert(world);
        world->fuzz = fuzz;
        world->trace = trace;
        world->host.ops = &fuzz_host_ops;
        world->now = FUZZ_EPOCH;
        r = unit_table_new(&world->units);
        assert(r == 0);
        (void) r;
        unit_table_set_host(world->units, &world->host);
        unit_table_set_type(world->units, &fuzz_vtable);
        unit_table_set_loader(world->units, &fuzz_loader_ops, world);
        unit_table_set_observer(world->units, &fuzz_observer_ops, world);
        make_manager(world);
        return world;
}

FuzzWorld *fuzz_world_free(FuzzWorld *world) {
        if (!world)
                return NULL;

        job_manager_free(world->jobs);
        unit_table_free(world->units);
        free(world);
        return NULL;
}

Unit *fuzz_world_unit(FuzzWorld *world, int unit) {
        Unit *loaded;
        int r;

        r = unit_table_load(world->units, fuzz_unit_name(unit), &loaded);
        assert(r == 0);
        (void) r;
        return loaded;
}

void fuzz_world_set_outcome(FuzzWorld *world, int unit, ModelOperation operation, ModelOutcome outcome) {
        FuzzUnitState *state = fuzz_world_unit(world, unit)->state_of_type;

        state->outcomes[operation] = outcome;
}

void fuzz_world_relate(FuzzWorld *world, int unit, const FuzzRelation *relations, unsigned n) {
        Unit *changed = fuzz_world_unit(world, unit);

        unit_withdraw_relations(changed);
        for (unsigned i = 0; i < n; i++)
                relate(changed, &relations[i], 100 + i);
        (void) unit_table_load_queued(world->units);
        job_manager_graph_changed(world->jobs, world->now);
}

void fuzz_world_rename(FuzzWorld *world, const uint32_t *places) {
        const char *ids[MODEL_UNITS_MAX];
        size_t n = unit_table_size(world->units);

        assert(n <= MODEL_UNITS_MAX);
        for (uint32_t i = 0; i < n; i++) {
                (void) case_of(unit_table_at(world->units, i));
                ids[i] = unit_table_at(world->units, i)->id;
        }
        for (uint32_t i = 0; i < n; i++)
                unit_table_at(world->units, i)->id = ids[places[i]];
}

void fuzz_world_restart(FuzzWorld *world) {
        JobSnapshot snapshot;
        int r;

        r = job_manager_save(world->jobs, &snapshot);
        assert(r == 0);
        double_snapshot_through_bytes(&snapshot);
        world->jobs = job_manager_free(world->jobs);
        make_manager(world);
        r = job_manager_restore(world->jobs, &snapshot, world->now);
        assert(r == 0);
        (void) r;
        job_snapshot_deinit(&snapshot);
}

/* — for the model — */

static void show_settings(const Unit *unit, ModelUnit *model) {
        const UnitSettings *settings = &unit->settings;
        usec_t running = settings->has_job_running_timeout ? settings->job_running_timeout : settings->job_timeout;

        model->load = unit->load_state;
        model->can_reload = fuzz_unit_can_reload(unit);
        model->is_perpetual = settings->is_perpetual;
        model->allows_isolate = settings->allow_isolate;
        model->ignores_isolate = settings->ignore_on_isolate;
        model->stops_when_unneeded = settings->stop_when_unneeded;
        model->restarts_on_dependency = settings->restart_on_dependency;
        model->refuses_start = settings->refuse_manual_start;
        model->refuses_stop = settings->refuse_manual_stop;
        model->priority = settings->job_priority;
        model->timeout = settings->job_timeout == USEC_INFINITY ? MODEL_NEVER : settings->job_timeout;
        model->running_timeout = running == USEC_INFINITY ? MODEL_NEVER : running;
        model->on_failure_mode = settings->rare->on_failure_job_mode;
        model->on_success_mode = settings->rare->on_success_job_mode;
}

static void show_relations(const Unit *unit, ModelUnit *model) {
        for (int kind = 0; kind < _UNIT_RELATION_MAX; kind++) {
                UnitRelations relations = unit_relations(unit, kind);

                assert(relations.n <= MODEL_UNITS_MAX);
                model->n_related[kind] = (unsigned) relations.n;
                for (size_t i = 0; i < relations.n; i++)
                        model->related[kind][i] = (uint8_t) relations.items[i].other;
        }
}

void fuzz_world_show(const FuzzWorld *world, Model *model) {
        assert(unit_table_size(world->units) <= MODEL_UNITS_MAX);
        model->now = world->now;
        for (; model->n_units < (int) unit_table_size(world->units); model->n_units++) {
                const Unit *unit = unit_table_at(world->units, (uint32_t) model->n_units);
                ModelUnit *new = &model->units[model->n_units];
                int at = model->n_units;

                *new = (ModelUnit) { .is_known = true, .state = unit->active_state, .waits_for = MODEL_NOBODY };
                strcpy(new->name, unit->id);
                for (; at > 0 && strcmp(model->units[model->by_name[at - 1]].name, new->name) > 0; at--)
                        model->by_name[at] = model->by_name[at - 1];
                model->by_name[at] = model->n_units;
        }
        for (int i = 0; i < model->n_units; i++) {
                show_settings(unit_table_at(world->units, (uint32_t) i), &model->units[i]);
                show_relations(unit_table_at(world->units, (uint32_t) i), &model->units[i]);
        }
}
