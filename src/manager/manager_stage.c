/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the start of the manager to its end
 *
 * The end has stages, each with a time limit: units are stopped in order; what
 * is left then gets SIGTERM, then SIGKILL; then the loop ends. The first
 * request to leave wins, whoever made it: a shutdown under way is not turned
 * into another by a unit that fails because of it. Nothing here waits: each
 * turn looks whether the stage is over.
 */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "exec/exec_kill.h"
#include "manager/manager_group.h"
#include "manager/manager_private.h"

#define SHUTDOWN_TIMEOUT_DEFAULT (3 * USEC_PER_MINUTE)
#define TERMINATE_TIMEOUT (5 * USEC_PER_SEC)
#define KILL_TIMEOUT (2 * USEC_PER_SEC)

typedef enum ActionWay {
        WAY_ORDERLY,                    /* units are stopped */
        WAY_FORCE,                      /* processes are ended */
        WAY_IMMEDIATE,                  /* on a machine, nothing of that */
} ActionWay;

typedef struct ActionRule {
        const char *target;             /* that stops everything */
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

/* — the beginning — */

static bool start_unit(Manager *manager, const char *name) {
        const JobRequester requester = { .reason = "startup" };
        const JobRequest request = { .unit = name, .type = JOB_START };
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        int r;

        r = manager_exec_briefly(manager, &request, 1, JOB_REPLACE, &requester, &plan);
        if (r != JOB_MANAGER_E_SUCCESS)
                log_error("Cannot start %s: %s", name, plan ? failure_message(&plan->failure) : strerror(-r));
        return r == JOB_MANAGER_E_SUCCESS;
}

/* Somebody stands before a machine that does not start: he shall at least get a shell. */
static void start_instead(Manager *manager) {
        static const char *const units[] = { "rescue.target", "emergency.target" };

        for (size_t i = 0; i < ELEMENTSOF(units); i++) {
                log_error("Starting %s instead.", units[i]);
                if (start_unit(manager, units[i]))
                        return;
        }
}

/* Each by itself: the manager of a machine goes on without its default unit, so there is somebody to ask. */
void manager_start_default_unit(Manager *manager) {
        const char *default_unit = manager->options.default_unit ?: "default.target";
        bool is_started = true, is_possible;

        if (manager->stage != MANAGER_INITIALIZING)
                return;
        manager->stage = MANAGER_STARTING;
        manager_mark_self(manager);
        if (manager_take_contract(manager, manager->options.exit_on, default_unit) < 0) {
                log_error("Out of memory: nothing is started.");
                manager_exit(manager, EXIT_FAILURE, true);
                return;
        }
        if (manager_is_again(manager))
                return;
        if (*default_unit)
                is_started = start_unit(manager, default_unit);
        if (!is_started && manager->options.is_machine)
                start_instead(manager);
        is_possible = is_started || !manager->options.is_container;
        strv_foreach(name, manager->options.exit_on)
                is_possible = start_unit(manager, *name) && is_possible;
        if (!is_possible)
                manager_exit(manager, EXIT_FAILURE, true);
}

static void finish_startup(Manager *manager) {
        char took[USEC_FORMAT_MAX];

        manager->stage = MANAGER_SERVING;
        manager->finished = manager->now;
        manager->finished_realtime = manager->now_realtime;
        manager_mark_self(manager);
        log_info("Startup finished in %s.", usec_format(usec_sub(manager->now, manager->started), took));
        manager_tell(manager, startup_finished);
}

/* — stopping everything — */

static const JobRequester shutdown_requester = { .reason = "shutdown" };

static int exec_all(Manager *manager, const JobRequest *requests, size_t n) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        int r;

        r = manager_exec_briefly(manager, requests, n, JOB_REPLACE_IRREVERSIBLY, &shutdown_requester, &plan);
        if (r > 0)
                log_warning("Shutdown: %s", plan ? failure_message(&plan->failure) : "refused");
        return r;
}

static bool start_target(Manager *manager, const char *name) {
        const JobRequest request = { .unit = name, .type = JOB_START };
        Unit *unit;

        if (unit_table_load(manager->units, name, &unit) < 0 || unit->load_state != UNIT_LOADED)
                return false;
        return exec_all(manager, &request, 1) == JOB_MANAGER_E_SUCCESS;
}

/* Has the shutdown nothing to do with it so far? */
static bool must_be_stopped(Manager *manager, const Unit *unit) {
        JobInfo job;
        bool has_job = job_manager_unit_job(manager->jobs, unit, &job);

        if (job_manager_unit_has_type(manager->jobs, unit, JOB_STOP) || (has_job && job.is_irreversible))
                return false;
        if (!has_job && unit_state_is_inactive_or_failed(unit->active_state))
                return false;
        /* Others may be on it. An init takes them away by umount.target, and the rest at its end. */
        if (!has_job && unit->type == UNIT_MOUNT)
                return false;
        return !unit->settings.is_perpetual && unit_can_stop(unit);
}

/* Units without default dependencies do not conflict with shutdown.target: they are asked for one by one. */
static int stop_the_rest(Manager *manager) {
        VECTOR(JobRequest) requests = {};
        int r = 0;

        unit_table_foreach(manager->units, unit)
                if (r == 0 && must_be_stopped(manager, unit))
                        r = vector_push(&requests, ((JobRequest) { .unit = unit->id, .type = JOB_STOP }));
        if (r == 0 && requests.n > 0 && exec_all(manager, requests.items, requests.n) != JOB_MANAGER_E_SUCCESS)
                for (size_t i = 0; i < requests.n; i++)
                        (void) exec_all(manager, &requests.items[i], 1);
        vector_deinit(&requests);
        return r;
}

static void stop_everything(Manager *manager, const char *target) {
        if (!start_target(manager, target) && strcmp(target, "shutdown.target") != 0)
                start_target(manager, "shutdown.target");
        if (stop_the_rest(manager) < 0)
                log_error("Out of memory: not all units are stopped in order.");
}

static void enter_stage(Manager *manager, ManagerStage stage, usec_t timeout) {
        manager->stage = stage;
        manager->stage_deadline = usec_add(manager->now, timeout);
        manager_mark_self(manager);
}

static void terminate(Manager *manager) {
        enter_stage(manager, MANAGER_TERMINATING, TERMINATE_TIMEOUT);
        exec_kill_descendants(SIGTERM);
        exec_kill_descendants(SIGCONT);
}

static void leave_by_force(Manager *manager) {
        enter_stage(manager, MANAGER_KILLING, KILL_TIMEOUT);
        exec_kill_descendants(SIGKILL);
}

static void leave(Manager *manager, int status, const char *target) {
        manager_tell_parent(manager, "STOPPING=1");
        manager->exit_status = status;
        manager_mark_self(manager);
        if (!target) {
                leave_by_force(manager);
                return;
        }
        log_notice("Stopping all units.");
        enter_stage(manager, MANAGER_STOPPING, manager->options.shutdown_timeout ?: SHUTDOWN_TIMEOUT_DEFAULT);
        stop_everything(manager, target);
}

void manager_exit(Manager *manager, int status, bool orderly) {
        assert(manager);

        if (manager->stage >= MANAGER_KILLING || (orderly && manager->stage >= MANAGER_STOPPING))
                return;
        if (manager->stage >= MANAGER_STOPPING)
                status = manager->exit_status;
        leave(manager, status, orderly ? (manager->options.is_user ? "exit.target" : "shutdown.target") : NULL);
        manager_arm(manager->idle_source);
}

/* — actions that units ask for — */

void manager_request_action(Manager *manager, Unit *unit, UnitAction action, int exit_status, const char *reason) {
        if (action == UNIT_ACTION_NONE)
                return;
        if (manager->action != UNIT_ACTION_NONE || manager->stage >= MANAGER_STOPPING) {
                log_write(LOG_LEVEL_NOTICE, unit->id, "Asks for '%s' (%s): ignored, since a shutdown is under way.",
                          unit_action_to_string(action), reason);
                return;
        }
        log_write(LOG_LEVEL_WARNING, unit->id, "Asks for '%s': %s.", unit_action_to_string(action), reason);
        manager->action = action;
        if (exit_status >= 0)
                manager->action_status = exit_status;
        manager_mark_self(manager);
        manager_arm(manager->job_source);
}

/* Asked of each target that is started: hardly any begins as one of these. */
static bool is_orderly_way_to(const ActionRule *rule, const char *target) {
        return rule->way == WAY_ORDERLY && rule->target && rule->target[0] == target[0] && strcmp(rule->target, target) == 0;
}

/* Whoever has such a target started asks for what it stands for. */
void manager_watch_targets(Manager *manager, const JobEvent *event) {
        if (event->kind != JOB_EVENT_INSTALLED || event->job.type != JOB_START || !event->job.unit ||
            event->job.unit->type != UNIT_TARGET || manager->action != UNIT_ACTION_NONE ||
            manager->stage >= MANAGER_STOPPING)
                return;
        for (size_t i = 0; i < ELEMENTSOF(rules); i++)
                if (is_orderly_way_to(&rules[i], event->job.unit->id)) {
                        manager->action = (UnitAction) i;
                        manager_mark_self(manager);
                        manager_arm(manager->job_source);
                }
}

void manager_leave(Manager *manager, UnitAction action) {
        assert(manager);
        assert(action != UNIT_ACTION_NONE && (unsigned) action < _UNIT_ACTION_MAX);

        if (manager->stage >= MANAGER_KILLING ||
            (rules[action].way == WAY_ORDERLY &&
             (manager->stage >= MANAGER_STOPPING || manager->action != UNIT_ACTION_NONE)))
                return;
        manager->action = action;
        manager->is_acting = false;
        manager_mark_self(manager);
        manager_arm(manager->job_source);
}

void manager_act(Manager *manager) {
        const ActionRule *rule = &rules[manager->action];

        if (!rule->target || manager->is_acting || (manager->stage >= MANAGER_STOPPING && rule->way == WAY_ORDERLY))
                return;
        manager->is_acting = true;
        manager_arm(manager->idle_source);
        /* Core ends processes then, which we would take for services that have stopped by themselves. */
        if (rule->way != WAY_ORDERLY && manager->options.is_machine)
                enter_stage(manager, MANAGER_GONE, USEC_INFINITY);
        else
                leave(manager, manager->action_status, rule->way == WAY_ORDERLY ? rule->target : NULL);
}

UnitAction manager_action(const Manager *manager) {
        return manager->action;
}

int manager_set_exit_status(Manager *manager, int status) {
        assert(manager);

        if (manager->action != UNIT_ACTION_NONE || manager->stage >= MANAGER_STOPPING)
                return -EBUSY;
        manager->action_status = status;
        manager_mark_self(manager);
        return 0;
}

int manager_exit_status(const Manager *manager) {
        return manager->action_status;
}

/* — the turns of the end — */

void manager_step_stage(Manager *manager) {
        bool is_late;

        manager_follow_startup(manager);
        if (manager->stage == MANAGER_STARTING || manager->stage == MANAGER_SERVING)
                manager_check_contract(manager);
        is_late = manager->stage_deadline <= manager->now;
        switch (manager->stage) {
        case MANAGER_STARTING:
                if (job_manager_count(manager->jobs) == 0)
                        finish_startup(manager);
                break;
        case MANAGER_STOPPING:
                if (job_manager_count(manager->jobs) > 0 && !is_late)
                        break;
                if (is_late)
                        log_warning("Not all units were stopped in time; their processes are terminated.");
                terminate(manager);
                if (!exec_has_children())
                        enter_stage(manager, MANAGER_GONE, USEC_INFINITY);
                break;
        case MANAGER_TERMINATING:
                if (!exec_has_children()) {
                        enter_stage(manager, MANAGER_GONE, USEC_INFINITY);
                } else if (is_late) {
                        leave_by_force(manager);
                }
                break;
        case MANAGER_KILLING:
                if (is_late || !exec_has_children())
                        enter_stage(manager, MANAGER_GONE, USEC_INFINITY);
                else
                        exec_kill_descendants(SIGKILL);      /* also what was forked while we looked */
                break;
        case MANAGER_INITIALIZING:
        case MANAGER_SERVING:
        case MANAGER_GONE:
                break;
        }
}

/* — as a part of the manager's record — */

void manager_write_stage(const Manager *manager, RecordWriter *writer) {
        record_put(writer, manager->stage);
        record_put(writer, manager->stage_deadline);
        record_put(writer, manager->action);
        record_put_signed(writer, manager->action_status);
        record_put_signed(writer, manager->exit_status);
        record_put(writer, manager->started);
        record_put(writer, manager->started_realtime);
}

void manager_read_stage(Manager *manager, RecordReader *reader) {
        manager->stage = (ManagerStage) record_get_below(reader, MANAGER_GONE + 1);
        manager->stage_deadline = record_get(reader);
        manager->action = (UnitAction) record_get_below(reader, _UNIT_ACTION_MAX);
        manager->action_status = (int) record_get_signed(reader);
        manager->exit_status = (int) record_get_signed(reader);
        manager->started = record_get(reader);
        manager->started_realtime = record_get(reader);
}

const char *manager_system_state(const Manager *manager) {
        switch (manager->stage) {
        case MANAGER_INITIALIZING:
                return "initializing";
        case MANAGER_STARTING:
                return "starting";
        case MANAGER_SERVING:
                return manager->n_failed > 0 ? "degraded" : "running";
        case MANAGER_STOPPING:
        case MANAGER_TERMINATING:
        case MANAGER_KILLING:
        case MANAGER_GONE:
                return "stopping";
        }
        return "unknown";
}
