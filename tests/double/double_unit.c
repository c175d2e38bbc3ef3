/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Units whose behaviour the test sets
 *
 * One vtable, copied for each type. The table's loader knows only the name
 * that double_unit() is at, so that the way into the table is the same as for
 * units from files.
 */

#include <assert.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "double/double_unit.h"

#define ANSWERS_NEXT_MAX 8

typedef struct DoubleOperationState {
        int next[ANSWERS_NEXT_MAX];
        size_t n_next;
        int answer;
        bool has_answer;
        bool is_forbidden;
        size_t n_calls;
} DoubleOperationState;

typedef struct DoubleUnit {
        DoubleOperationState operations[_DOUBLE_OPERATION_MAX];
        bool will_restart;
} DoubleUnit;

static const char *const operation_names[_DOUBLE_OPERATION_MAX] = { "start", "stop", "reload" };

static const char *const purpose_names[_UNIT_PURPOSE_MAX] = {
        [UNIT_PURPOSE_MAIN] = "main",
        [UNIT_PURPOSE_CONTROL] = "control",
        [UNIT_PURPOSE_STATE_LIMIT] = "state-limit",
        [UNIT_PURPOSE_RESTART] = "restart",
        [UNIT_PURPOSE_RUNTIME_LIMIT] = "runtime-limit",
        [UNIT_PURPOSE_WATCHDOG] = "watchdog",
        [UNIT_PURPOSE_PIDFILE] = "pidfile",
        [UNIT_PURPOSE_ELAPSE] = "elapse",
        [UNIT_PURPOSE_PROBE] = "probe",
        [UNIT_PURPOSE_IDLE] = "idle",
        [UNIT_PURPOSE_HEALTHY] = "healthy",
};

static DoubleOperationState *double_operation(const Unit *unit, DoubleOperation operation) {
        DoubleUnit *state = unit->state_of_type;

        assert(state);
        return &state->operations[operation];
}

static DoubleWorld *double_world_of(const Unit *unit) {
        return container_of(unit_table_host(unit->table), DoubleWorld, host);
}

#define double_record(world, ...)                            \
        do {                                                 \
                Text *calls_ = &(world)->calls;              \
                if (calls_->n > 0)                           \
                        text_add(calls_, ", ");              \
                text_addf(calls_, __VA_ARGS__);              \
                assert(calls_->error == 0);                  \
        } while (0)

static int double_take_answer(Unit *unit, DoubleOperation operation) {
        DoubleOperationState *state = double_operation(unit, operation);
        int answer;

        if (state->n_next == 0)
                return state->has_answer ? state->answer : double_world_of(unit)->answers[operation];

        answer = state->next[0];
        state->n_next--;
        memmove(state->next, state->next + 1, state->n_next * sizeof(*state->next));
        return answer;
}

static UnitAnswer double_operate(Unit *unit, DoubleOperation operation) {
        static const UnitActiveState under_way[] = { UNIT_ACTIVATING, UNIT_DEACTIVATING, UNIT_RELOADING };
        static const UnitActiveState done[] = { UNIT_ACTIVE, UNIT_INACTIVE, UNIT_ACTIVE };
        DoubleWorld *world = double_world_of(unit);
        int answer;

        double_record(world, "%s %s", operation_names[operation], unit->id);
        double_operation(unit, operation)->n_calls++;
        world->n_calls++;

        answer = double_take_answer(unit, operation);
        switch (answer) {
        case UNIT_UNDER_WAY:
                unit_publish(unit, under_way[operation], 0);
                return UNIT_UNDER_WAY;
        case DOUBLE_SILENT:
                return UNIT_UNDER_WAY;
        case DOUBLE_DONE:
                unit_publish(unit, done[operation], 0);
                return UNIT_UNDER_WAY;
        case DOUBLE_FAIL:
                if (operation == DOUBLE_RELOAD)
                        unit_publish(unit, UNIT_ACTIVE, UNIT_CHANGE_RELOAD_FAILED);
                else
                        unit_publish(unit, UNIT_FAILED, 0);
                return UNIT_UNDER_WAY;
        default:
                return (UnitAnswer) answer;
        }
}

static UnitAnswer double_start(Unit *unit) {
        return double_operate(unit, DOUBLE_START);
}

static UnitAnswer double_stop(Unit *unit) {
        return double_operate(unit, DOUBLE_STOP);
}

static UnitAnswer double_reload(Unit *unit) {
        return double_operate(unit, DOUBLE_RELOAD);
}

static bool double_can_start(const Unit *unit) {
        return !double_operation(unit, DOUBLE_START)->is_forbidden;
}

static bool double_can_stop(const Unit *unit) {
        return !double_operation(unit, DOUBLE_STOP)->is_forbidden;
}

static bool double_can_reload(const Unit *unit) {
        return !double_operation(unit, DOUBLE_RELOAD)->is_forbidden;
}

static bool double_will_restart(const Unit *unit) {
        const DoubleUnit *state = unit->state_of_type;

        return state->will_restart;
}

static int double_init(Unit *unit) {
        unit->state_of_type = calloc(1, sizeof(DoubleUnit));
        return unit->state_of_type ? 0 : -ENOMEM;
}

static void double_deinit(Unit *unit) {
        free(unit->state_of_type);
}

static void double_timer_elapsed(Unit *unit, UnitPurpose purpose) {
        double_record(double_world_of(unit), "elapsed %s %s", purpose_names[purpose], unit->id);
}

static void double_triggered(Unit *unit, const UnitTrigger *trigger) {
        static const char *const kinds[_UNIT_TRIGGER_KIND_MAX] = { "event", "failure", "success" };

        double_world_of(unit)->runs.n_submitted++;
        if (trigger->run > 0)
                double_record(double_world_of(unit), "trigger %s by %s %s run %u.%u", unit->id, kinds[trigger->kind],
                              trigger->by->id, trigger->run, trigger->round);
        else
                double_record(double_world_of(unit), "trigger %s by %s %s%s", unit->id, kinds[trigger->kind],
                              trigger->by->id, trigger->job > 0 ? " job" : trigger->was_up ? " up" : "");
}

#define DOUBLE_VTABLE_WITH(t, name, ...)                     \
        [t] = {                                              \
                .type = (t),                                 \
                .interface = (name),                         \
                .init = double_init,                         \
                .deinit = double_deinit,                     \
                .can_start = double_can_start,               \
                .can_stop = double_can_stop,                 \
                .can_reload = double_can_reload,             \
                .start = double_start,                       \
                .stop = double_stop,                         \
                .reload = double_reload,                     \
                .will_restart = double_will_restart,         \
                __VA_ARGS__                                  \
        }
#define DOUBLE_VTABLE(t, name) DOUBLE_VTABLE_WITH(t, name, .timer_elapsed = double_timer_elapsed)
#define DOUBLE_VTABLE_WITH_RUNS(t, name) DOUBLE_VTABLE_WITH(t, name, .triggered = double_triggered)

static const UnitVTable double_vtables[_UNIT_TYPE_MAX] = {
        DOUBLE_VTABLE(UNIT_SERVICE, "Service"),
        DOUBLE_VTABLE(UNIT_SOCKET, "Socket"),
        DOUBLE_VTABLE(UNIT_TARGET, "Target"),
        [UNIT_DEVICE] = {},
        DOUBLE_VTABLE(UNIT_MOUNT, "Mount"),
        DOUBLE_VTABLE(UNIT_AUTOMOUNT, "Automount"),
        DOUBLE_VTABLE(UNIT_SWAP, "Swap"),
        DOUBLE_VTABLE(UNIT_TIMER, "Timer"),
        DOUBLE_VTABLE(UNIT_PATH, "Path"),
        DOUBLE_VTABLE(UNIT_SLICE, "Slice"),
        DOUBLE_VTABLE(UNIT_SCOPE, "Scope"),
        DOUBLE_VTABLE_WITH_RUNS(UNIT_FLOW, "Flow"),
        DOUBLE_VTABLE_WITH_RUNS(UNIT_BATCH, "Batch"),
        DOUBLE_VTABLE_WITH_RUNS(UNIT_STREAM, "Stream"),
};

static usec_t host_now(UnitHost *host) {
        return container_of(host, DoubleWorld, host)->clock.now;
}

static usec_t host_now_realtime(UnitHost *host) {
        return double_clock_realtime(&container_of(host, DoubleWorld, host)->clock);
}

static int host_set_timer(UnitHost *host, Unit *unit, UnitPurpose purpose, usec_t deadline) {
        DoubleWorld *world = container_of(host, DoubleWorld, host);

        for (size_t i = 0; i < world->timers.n; i++)
                if (world->timers.items[i].unit == unit && world->timers.items[i].purpose == purpose) {
                        world->timers.items[i] = vector_last(&world->timers);
                        world->timers.n--;
                        break;
                }
        if (deadline == USEC_INFINITY)
                return 0;
        return vector_push(&world->timers, ((DoubleTimer) { unit, purpose, deadline }));
}

static int host_spawn(UnitHost *host, Unit *unit, UnitPurpose purpose) {
        double_record(container_of(host, DoubleWorld, host), "spawn %s %s", purpose_names[purpose], unit->id);
        return 0;
}

static int host_watch_process(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid) {
        double_record(container_of(host, DoubleWorld, host), "watch %s %d %s", purpose_names[purpose], (int) pid,
                      unit->id);
        return 0;
}

static void host_unwatch_process(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid) {
        double_record(container_of(host, DoubleWorld, host), "unwatch %s %d %s", purpose_names[purpose], (int) pid,
                      unit->id);
}

static int host_kill(UnitHost *host, Unit *unit, pid_t pid, int signal, bool is_group) {
        double_record(container_of(host, DoubleWorld, host), "kill%s %d %d %s", is_group ? " group" : "", (int) pid,
                      signal, unit->id);
        return 0;
}

static int host_kill_rest(UnitHost *host, Unit *unit, int signal, pid_t main_pid, pid_t control_pid) {
        double_record(container_of(host, DoubleWorld, host), "kill rest %d %s", signal, unit->id);
        return 0;
}

static int host_request_job(UnitHost *host, Unit *unit, JobType type, JobMode mode, const char *reason) {
        double_record(container_of(host, DoubleWorld, host), "request %s %s %s", job_type_to_string(type),
                      job_mode_to_string(mode), unit->id);
        return 0;
}

static void host_request_action(UnitHost *host, Unit *unit, int action, int exit_status, const char *reason) {
        double_record(container_of(host, DoubleWorld, host), "action %s %s",
                      unit_action_to_string((UnitAction) action), unit->id);
}

static const char *host_state_directory(UnitHost *host) {
        return container_of(host, DoubleWorld, host)->state_directory;
}

/* A test with a mount uses a single mount point. */
static const struct MountEntry *host_find_mount(UnitHost *host, const char *where, bool is_fresh) {
        return container_of(host, DoubleWorld, host)->mount;
}

static usec_t host_started(UnitHost *host) {
        return DOUBLE_CLOCK_START;
}

static int host_submit_run(UnitHost *host, Unit *unit, const UnitRunRequest *request) {
        DoubleWorld *world = container_of(host, DoubleWorld, host);

        double_record(world, "submit %s for %s (%s)", unit->id, request->trigger, request->key);
        strv_foreach(variable, request->environment)
                double_record(world, "%s", *variable);
        return 0;
}

static void host_stop_runs(UnitHost *host, Unit *unit, bool interrupts) {
        double_record(container_of(host, DoubleWorld, host), "%s runs %s", interrupts ? "interrupt" : "stop", unit->id);
}

static void host_get_runs(UnitHost *host, const Unit *unit, UnitRuns *ret_runs) {
        *ret_runs = container_of(host, DoubleWorld, host)->runs;
}

static bool host_will_stop(UnitHost *host, const Unit *unit) {
        return container_of(host, DoubleWorld, host)->will_stop;
}

static void host_log(UnitHost *host, Unit *unit, int level, const char *message) {
}

static const UnitHostOps double_host_ops = {
        .now = host_now,
        .now_realtime = host_now_realtime,
        .started = host_started,
        .state_directory = host_state_directory,
        .find_mount = host_find_mount,
        .set_timer = host_set_timer,
        .spawn = host_spawn,
        .watch_process = host_watch_process,
        .unwatch_process = host_unwatch_process,
        .kill = host_kill,
        .kill_rest = host_kill_rest,
        .request_job = host_request_job,
        .request_action = host_request_action,
        .will_stop = host_will_stop,
        .submit_run = host_submit_run,
        .stop_runs = host_stop_runs,
        .get_runs = host_get_runs,
        .log = host_log,
};

static bool double_is_made(const DoubleWorld *world, const Unit *unit) {
        return world->making && unit_has_name(unit, world->making);
}

static int double_load(void *userdata, Unit *unit) {
        if (double_is_made(userdata, unit)) {
                unit->load_state = UNIT_LOADED;
                return 0;
        }

        unit->load_state = UNIT_NOT_FOUND;
        failure_set(&unit->load_failure, -ENOENT, "NoSuchUnit", "Unit %s not found.", unit->id);
        return 0;
}

static bool double_may_exist_now(void *userdata, const Unit *unit) {
        return double_is_made(userdata, unit);
}

static const UnitLoaderOps double_loader_ops = {
        .load = double_load,
        .may_exist_now = double_may_exist_now,
};

DoubleWorld *double_world_new(void) {
        DoubleWorld *world = calloc(1, sizeof(*world));
        int r;

        assert(world);
        r = unit_table_new(&world->table);
        assert(r == 0);
        (void) r;

        double_clock_init(&world->clock);
        world->host.ops = &double_host_ops;
        unit_table_set_host(world->table, &world->host);
        unit_table_set_loader(world->table, &double_loader_ops, world);
        for (size_t i = 0; i < ELEMENTSOF(double_vtables); i++)
                if (double_vtables[i].init)
                        unit_table_set_type(world->table, &double_vtables[i]);
        return world;
}

DoubleWorld *double_world_free(DoubleWorld *world) {
        if (!world)
                return NULL;

        unit_table_free(world->table);
        vector_deinit(&world->timers);
        text_deinit(&world->calls);
        free(world);
        return NULL;
}

Unit *double_unit(DoubleWorld *world, const char *name, UnitActiveState state) {
        Unit *unit = unit_table_find(world->table, name);
        int r;

        if (!unit || unit->load_state == UNIT_STUB || unit->load_state == UNIT_NOT_FOUND) {
                world->making = name;
                r = unit_table_load(world->table, name, &unit);
                world->making = NULL;
                assert(r == 0);
                (void) r;
        }

        unit->active_state = state;
        return unit;
}

static Unit *double_find_or_make(DoubleWorld *world, const char *name) {
        Unit *unit = unit_table_find(world->table, name);

        return unit && unit->load_state == UNIT_LOADED ? unit : double_unit(world, name, UNIT_INACTIVE);
}

static void double_relate_units(DoubleWorld *world, Unit *a, UnitRelationKind kind, Unit *b, unsigned line) {
        UnitOriginId origin;
        int r;

        r = unit_table_origin(world->table, "test", line, NULL, &origin);
        assert(r == 0);
        r = unit_add_relation(a, kind, b, origin);
        assert(r == 0);
        (void) r;
}

void double_relate_at(DoubleWorld *world, const char *unit, UnitRelationKind kind, const char *other, unsigned line) {
        Unit *a = double_find_or_make(world, unit), *b = double_find_or_make(world, other);

        double_relate_units(world, a, kind, b, line);
}

void double_relate_as_is(DoubleWorld *world, const char *unit, UnitRelationKind kind, const char *other) {
        Unit *a = unit_table_find(world->table, unit), *b = unit_table_find(world->table, other);

        assert(a && b);
        double_relate_units(world, a, kind, b, 1);
}

void double_unit_state(Unit *unit, UnitActiveState state, UnitChangeFlags flags) {
        unit_publish(unit, state, flags);
}

void double_unit_answer(Unit *unit, DoubleOperation operation, int answer) {
        DoubleOperationState *state = double_operation(unit, operation);

        state->answer = answer;
        state->has_answer = true;
}

void double_unit_answer_next(Unit *unit, DoubleOperation operation, int answer) {
        DoubleOperationState *state = double_operation(unit, operation);

        assert(state->n_next < ANSWERS_NEXT_MAX);
        state->next[state->n_next++] = answer;
}

void double_world_answer(DoubleWorld *world, DoubleOperation operation, int answer) {
        world->answers[operation] = answer;
}

void double_unit_allow(Unit *unit, DoubleOperation operation, bool can) {
        double_operation(unit, operation)->is_forbidden = !can;
}

void double_unit_set_will_restart(Unit *unit, bool will_restart) {
        DoubleUnit *state = unit->state_of_type;

        state->will_restart = will_restart;
}

size_t double_unit_n_calls(const Unit *unit, DoubleOperation operation) {
        return double_operation(unit, operation)->n_calls;
}

const char *double_calls(DoubleWorld *world) {
        text_add(&world->calls, "");
        assert(world->calls.error == 0);
        return world->calls.string;
}

void double_calls_clear(DoubleWorld *world) {
        text_deinit(&world->calls);
}

usec_t double_timer(const DoubleWorld *world, const Unit *unit, UnitPurpose purpose) {
        for (size_t i = 0; i < world->timers.n; i++)
                if (world->timers.items[i].unit == unit && world->timers.items[i].purpose == purpose)
                        return world->timers.items[i].deadline;
        return USEC_INFINITY;
}

static const DoubleTimer *double_first_timer(const DoubleWorld *world) {
        const DoubleTimer *first = NULL;

        for (size_t i = 0; i < world->timers.n; i++)
                if (!first || world->timers.items[i].deadline < first->deadline)
                        first = &world->timers.items[i];
        return first;
}

void double_world_advance(DoubleWorld *world, usec_t span) {
        usec_t until = usec_add(world->clock.now, span);

        for (;;) {
                const DoubleTimer *first = double_first_timer(world);
                DoubleTimer timer;

                if (!first || first->deadline > until)
                        break;
                timer = *first;
                world->clock.now = MAX(world->clock.now, timer.deadline);
                host_set_timer(&world->host, timer.unit, timer.purpose, USEC_INFINITY);
                timer.unit->vtable->timer_elapsed(timer.unit, timer.purpose);
        }
        world->clock.now = until;
}
