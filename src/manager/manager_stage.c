/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stages of the manager, from start to end
 *
 * The end has stages, each with a time limit: units are stopped in order;
 * remaining processes get SIGTERM, then SIGKILL; then the loop ends. The first
 * request to end counts, whatever its source: a unit that fails because of a
 * shutdown does not turn it into another one. Nothing here waits: each turn
 * checks whether the stage is over.
 */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "manager/manager_parent.h"
#include "manager/manager_section.h"
#include "manager/manager_stage.h"
#include "exec/exec_kill.h"

#define SHUTDOWN_TIMEOUT_DEFAULT (3 * USEC_PER_MINUTE)
#define TERMINATE_TIMEOUT (5 * USEC_PER_SEC)
#define KILL_TIMEOUT (2 * USEC_PER_SEC)

typedef enum ActionWay {
        WAY_ORDERLY,                    /* units are stopped */
        WAY_FORCE,                      /* processes are ended */
        WAY_IMMEDIATE,                  /* on a machine: neither of the two */
} ActionWay;

typedef struct ActionRule {
        const char *target;             /* target that stops everything */
        ActionWay way;
} ActionRule;

static const ActionRule rules[_UNIT_ACTION_MAX] = {
        [UNIT_ACTION_REBOOT] = { "reboot.target", WAY_ORDERLY },
        [UNIT_ACTION_REBOOT_FORCE] = { "reboot.target", WAY_FORCE },
        [UNIT_ACTION_REBOOT_IMMEDIATE] = { "reboot.target", WAY_IMMEDIATE },
        [UNIT_ACTION_POWEROFF] = { "poweroff.target", WAY_ORDERLY },
        [UNIT_ACTION_POWEROFF_FORCE] = { "poweroff.target", WAY_FORCE },
        [UNIT_ACTION_POWEROFF_IMMEDIATE] = { "poweroff.target", WAY_IMMEDIATE },
        [UNIT_ACTION_EXIT] = { "exit.target", WAY_ORDERLY },
        [UNIT_ACTION_EXIT_FORCE] = { "exit.target", WAY_FORCE },
        [UNIT_ACTION_HALT] = { "halt.target", WAY_ORDERLY },
        [UNIT_ACTION_HALT_FORCE] = { "halt.target", WAY_FORCE },
        [UNIT_ACTION_HALT_IMMEDIATE] = { "halt.target", WAY_IMMEDIATE },
        [UNIT_ACTION_KEXEC] = { "kexec.target", WAY_ORDERLY },
        [UNIT_ACTION_KEXEC_FORCE] = { "kexec.target", WAY_FORCE },
};

static void set_stage(ManagerStages *stages, ManagerStage stage) {
        stages->stage = stage;
        manager_mark_self(stages->turn->state);
}

static void set_action(ManagerStages *stages, UnitAction action) {
        stages->action = action;
        manager_mark_self(stages->turn->state);
        manager_jobs_wake(stages->jobs);
}

/* — start — */

static bool start_unit(ManagerStages *stages, const char *name) {
        const JobRequester requester = { .reason = "startup" };

        return manager_jobs_start(stages->jobs, name, JOB_REPLACE, &requester);
}

/* If a machine does not start, the user needs at least a shell. */
static void start_instead(ManagerStages *stages) {
        static const char *const units[] = { "rescue.target", "emergency.target" };

        for (size_t i = 0; i < ELEMENTSOF(units); i++) {
                log_error("Starting %s instead.", units[i]);
                if (start_unit(stages, units[i]))
                        return;
        }
}

/* Each unit separately: the manager of a machine continues without its default unit, so that it can be controlled. */
static void start_default_unit(ManagerStages *stages) {
        const char *default_unit = manager_contract_default_unit(stages->contract);
        bool is_started = true, is_possible;

        if (stages->stage != MANAGER_INITIALIZING)
                return;
        set_stage(stages, MANAGER_STARTING);
        if (manager_contract_take(stages->contract) < 0) {
                log_error("Out of memory: nothing is started.");
                manager_stages_exit(stages, EXIT_FAILURE, true);
                return;
        }
        if (stages->options->keeper.is_again)
                return;
        if (*default_unit)
                is_started = start_unit(stages, default_unit);
        if (!is_started && stages->options->is_machine)
                start_instead(stages);
        is_possible = is_started || !stages->options->is_container;
        strv_foreach(name, stages->options->exit_on)
                is_possible = start_unit(stages, *name) && is_possible;
        if (!is_possible)
                manager_stages_exit(stages, EXIT_FAILURE, true);
}

static void finish_startup(ManagerStages *stages) {
        char took[USEC_FORMAT_MAX];

        set_stage(stages, MANAGER_SERVING);
        stages->finished = stages->turn->now;
        stages->finished_realtime = stages->turn->now_realtime;
        log_info("Startup finished in %s.", usec_format(usec_sub(stages->turn->now, stages->started), took));
        manager_listeners_tell(stages->listeners, startup_finished);
}

/* — stopping everything — */

static int exec_all(ManagerStages *stages, const JobRequest *requests, size_t n) {
        static const JobRequester requester = { .reason = "shutdown" };
        const JobOptions options = {
                .mode = JOB_REPLACE_IRREVERSIBLY,
                .requester = &requester,
                .now = stages->turn->now,
                .wants_anchors_only = true,
        };
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        int r;

        r = manager_jobs_exec(stages->jobs, requests, n, &options, &plan);
        if (r > 0)
                log_warning("Shutdown: %s", plan ? failure_message(&plan->failure) : "refused");
        return r;
}

static bool start_target(ManagerStages *stages, const char *name) {
        const JobRequest request = { .unit = name, .type = JOB_START };
        Unit *unit;

        if (unit_table_load(stages->units, name, &unit) < 0 || unit->load_state != UNIT_LOADED)
                return false;
        return exec_all(stages, &request, 1) == JOB_MANAGER_E_SUCCESS;
}

/* Returns true if the shutdown transaction does not include the unit. */
static bool must_be_stopped(ManagerStages *stages, const Unit *unit) {
        JobInfo job;
        bool has_job = job_manager_unit_job(stages->engine, unit, &job);

        if (job_manager_unit_has_type(stages->engine, unit, JOB_STOP) || (has_job && job.is_irreversible))
                return false;
        if (!has_job && unit_state_is_inactive_or_failed(unit->active_state))
                return false;
        /* Other mounts may be inside of it. An init unmounts by umount.target, and the rest at its end. */
        if (!has_job && unit->vtable->is_stopped_in_order)
                return false;
        return !unit->settings.is_perpetual && unit_can_stop(unit);
}

/* Units without default dependencies do not conflict with shutdown.target: their stops are requested one by one. */
static int stop_the_rest(ManagerStages *stages) {
        VECTOR(JobRequest) requests = {};
        int r = 0;

        unit_table_foreach(stages->units, unit)
                if (r == 0 && must_be_stopped(stages, unit))
                        r = vector_push(&requests, ((JobRequest) { .unit = unit->id, .type = JOB_STOP }));
        if (r == 0 && requests.n > 0 && exec_all(stages, requests.items, requests.n) != JOB_MANAGER_E_SUCCESS)
                for (size_t i = 0; i < requests.n; i++)
                        (void) exec_all(stages, &requests.items[i], 1);
        vector_deinit(&requests);
        return r;
}

static void stop_everything(ManagerStages *stages, const char *target) {
        if (!start_target(stages, target) && strcmp(target, "shutdown.target") != 0)
                start_target(stages, "shutdown.target");
        if (stop_the_rest(stages) < 0)
                log_error("Out of memory: not all units are stopped in order.");
}

static void enter_stage(ManagerStages *stages, ManagerStage stage, usec_t timeout) {
        set_stage(stages, stage);
        stages->deadline = usec_add(stages->turn->now, timeout);
}

static void terminate(ManagerStages *stages) {
        enter_stage(stages, MANAGER_TERMINATING, TERMINATE_TIMEOUT);
        exec_kill_descendants(SIGTERM);
        exec_kill_descendants(SIGCONT);
}

static void leave_by_force(ManagerStages *stages) {
        enter_stage(stages, MANAGER_KILLING, KILL_TIMEOUT);
        exec_kill_descendants(SIGKILL);
}

static void leave(ManagerStages *stages, int status, const char *target) {
        manager_parent_tell(&stages->options->keeper, "STOPPING=1");
        stages->exit_status = status;
        manager_mark_self(stages->turn->state);
        if (!target) {
                leave_by_force(stages);
                return;
        }
        log_notice("Stopping all units.");
        enter_stage(stages, MANAGER_STOPPING, stages->options->shutdown_timeout ?: SHUTDOWN_TIMEOUT_DEFAULT);
        stop_everything(stages, target);
}

void manager_stages_exit(ManagerStages *stages, int status, bool orderly) {
        assert(stages);

        if (stages->stage >= MANAGER_KILLING || (orderly && stages->stage >= MANAGER_STOPPING))
                return;
        if (stages->stage >= MANAGER_STOPPING)
                status = stages->exit_status;
        leave(stages, status, orderly ? (stages->options->is_user ? "exit.target" : "shutdown.target") : NULL);
        manager_turn_wake(stages->turn);
}

/* — actions requested by units — */

void manager_stages_request(ManagerStages *stages, const Unit *unit, UnitAction action, int exit_status,
                            const char *reason) {
        if (action == UNIT_ACTION_NONE)
                return;
        if (stages->action != UNIT_ACTION_NONE || stages->stage >= MANAGER_STOPPING) {
                log_write(LOG_LEVEL_NOTICE, unit->id, "Asks for '%s' (%s): ignored, since a shutdown is under way.",
                          unit_action_to_string(action), reason);
                return;
        }
        log_write(LOG_LEVEL_WARNING, unit->id, "Asks for '%s': %s.", unit_action_to_string(action), reason);
        if (exit_status >= 0)
                stages->action_status = exit_status;
        set_action(stages, action);
}

/* Called for each target that is started, so the first character is compared first. */
static bool is_orderly_way_to(const ActionRule *rule, const char *target) {
        return rule->way == WAY_ORDERLY && rule->target && rule->target[0] == target[0] &&
               strcmp(rule->target, target) == 0;
}

void manager_stages_watch(ManagerStages *stages, const JobEvent *event) {
        if (event->kind != JOB_EVENT_INSTALLED || event->job.type != JOB_START || !event->job.unit ||
            !event->job.unit->vtable->is_milestone || stages->action != UNIT_ACTION_NONE ||
            stages->stage >= MANAGER_STOPPING)
                return;
        for (size_t i = 0; i < ELEMENTSOF(rules); i++)
                if (is_orderly_way_to(&rules[i], event->job.unit->id))
                        set_action(stages, (UnitAction) i);
}

void manager_stages_leave(ManagerStages *stages, UnitAction action) {
        assert(stages);
        assert(action != UNIT_ACTION_NONE && (unsigned) action < _UNIT_ACTION_MAX);

        if (stages->stage >= MANAGER_KILLING ||
            (rules[action].way == WAY_ORDERLY &&
             (stages->stage >= MANAGER_STOPPING || stages->action != UNIT_ACTION_NONE)))
                return;
        stages->is_acting = false;
        set_action(stages, action);
}

static void act(ManagerStages *stages) {
        const ActionRule *rule = &rules[stages->action];

        if (!rule->target || stages->is_acting || (stages->stage >= MANAGER_STOPPING && rule->way == WAY_ORDERLY))
                return;
        stages->is_acting = true;
        manager_turn_wake(stages->turn);
        /* Core will kill processes then, which must not look like services that stop by themselves. */
        if (rule->way != WAY_ORDERLY && stages->options->is_machine)
                enter_stage(stages, MANAGER_GONE, USEC_INFINITY);
        else
                leave(stages, stages->action_status, rule->way == WAY_ORDERLY ? rule->target : NULL);
}

void manager_stages_begin(ManagerStages *stages) {
        start_default_unit(stages);
        act(stages);
}

int manager_stages_set_exit_status(ManagerStages *stages, int status) {
        if (stages->action != UNIT_ACTION_NONE || stages->stage >= MANAGER_STOPPING)
                return -EBUSY;
        stages->action_status = status;
        manager_mark_self(stages->turn->state);
        return 0;
}

/* — ending — */

void manager_stages_step(ManagerStages *stages) {
        bool is_late;
        int status;

        if ((stages->stage == MANAGER_STARTING || stages->stage == MANAGER_SERVING) &&
            manager_contract_is_over(stages->contract, &status))
                manager_stages_exit(stages, status, true);
        is_late = stages->deadline <= stages->turn->now;
        switch (stages->stage) {
        case MANAGER_STARTING:
                if (job_manager_count(stages->engine) == 0)
                        finish_startup(stages);
                break;
        case MANAGER_STOPPING:
                if (job_manager_count(stages->engine) > 0 && !is_late)
                        break;
                if (is_late)
                        log_warning("Not all units were stopped in time; their processes are terminated.");
                terminate(stages);
                if (!exec_has_children())
                        enter_stage(stages, MANAGER_GONE, USEC_INFINITY);
                break;
        case MANAGER_TERMINATING:
                if (!exec_has_children()) {
                        enter_stage(stages, MANAGER_GONE, USEC_INFINITY);
                } else if (is_late) {
                        leave_by_force(stages);
                }
                break;
        case MANAGER_KILLING:
                if (is_late || !exec_has_children())
                        enter_stage(stages, MANAGER_GONE, USEC_INFINITY);
                else
                        exec_kill_descendants(SIGKILL);      /* also processes forked in the meantime */
                break;
        case MANAGER_INITIALIZING:
        case MANAGER_SERVING:
        case MANAGER_GONE:
                break;
        }
}

/* — a part of the manager's record — */

void manager_stages_write(const ManagerStages *stages, RecordWriter *writer) {
        record_put(writer, stages->stage);
        record_put(writer, stages->deadline);
        record_put(writer, stages->action);
        record_put_signed(writer, stages->action_status);
        record_put_signed(writer, stages->exit_status);
        record_put(writer, stages->started);
        record_put(writer, stages->started_realtime);
}

void manager_stages_read(ManagerStages *stages, RecordReader *reader) {
        stages->stage = (ManagerStage) record_get_below(reader, MANAGER_GONE + 1);
        stages->deadline = record_get(reader);
        stages->action = (UnitAction) record_get_below(reader, _UNIT_ACTION_MAX);
        stages->action_status = (int) record_get_signed(reader);
        stages->exit_status = (int) record_get_signed(reader);
        stages->started = record_get(reader);
        stages->started_realtime = record_get(reader);
}

void manager_stages_write_finished(const ManagerStages *stages, RecordWriter *writer) {
        record_put(writer, stages->finished);
        record_put(writer, stages->finished_realtime);
}

void manager_stages_read_finished(ManagerStages *stages, RecordReader *reader) {
        stages->finished = record_get(reader);
        stages->finished_realtime = record_get(reader);
}

const char *manager_stages_name(const ManagerStages *stages) {
        switch (stages->stage) {
        case MANAGER_INITIALIZING:
                return "initializing";
        case MANAGER_STARTING:
                return "starting";
        case MANAGER_SERVING:
                return stages->rows->n_failed > 0 ? "degraded" : "running";
        case MANAGER_STOPPING:
        case MANAGER_TERMINATING:
        case MANAGER_KILLING:
        case MANAGER_GONE:
                return "stopping";
        }
        return "unknown";
}
