/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A scope: processes that the manager has not started
 *
 *      dead → running → (abandoned) → stop-sigterm → stop-sigkill → dead
 *
 * A scope is made with processes, and ends with the last one in its control
 * group. Without control groups it ends with the last of the processes that it
 * was made with and of their descendants; descendants that have lost their
 * parent, and those started by other processes, cannot be found then.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/random.h"
#include "types/foreign_property.h"
#include "types/group_property.h"
#include "types/kill_property.h"
#include "types/scope.h"
#include "types/unit_types.h"
#include "unit/unit_slice.h"

/* The polling interval, where nothing reports that the last process has ended. */
#define LOOK_EVERY (500 * USEC_PER_MSEC)

static const UnitActiveState active_states[_SCOPE_STATE_MAX] = {
        [SCOPE_DEAD] = UNIT_INACTIVE,
        [SCOPE_RUNNING] = UNIT_ACTIVE,
        [SCOPE_ABANDONED] = UNIT_ACTIVE,
        [SCOPE_STOP_SIGTERM] = UNIT_DEACTIVATING,
        [SCOPE_STOP_SIGKILL] = UNIT_DEACTIVATING,
        [SCOPE_FAILED] = UNIT_FAILED,
};

static void set_timer(Unit *unit, UnitPurpose purpose, usec_t deadline) {
        if (unit_set_timer(unit, purpose, deadline) < 0 && deadline != USEC_INFINITY)
                unit_say(unit, LOG_LEVEL_WARNING, "Cannot set a timer.");
}

static bool is_stopping(ScopeState state) {
        return state == SCOPE_STOP_SIGTERM || state == SCOPE_STOP_SIGKILL;
}

static bool is_there(ScopeState state) {
        return state == SCOPE_RUNNING || state == SCOPE_ABANDONED;
}

/* — processes — */

static void forget_processes(Unit *unit) {
        Scope *scope = scope_of(unit);

        for (size_t i = 0; i < scope->pids.n; i++)
                unit_host(unit)->ops->unwatch_process(unit_host(unit), unit, UNIT_PURPOSE_MAIN, scope->pids.items[i]);
        vector_clear(&scope->pids);
}

/* Sends a signal to all processes: their number. */
static int send_signal(Unit *unit, int signal) {
        const Scope *scope = scope_of(unit);
        UnitHost *host = unit_host(unit);
        pid_t first = scope->pids.n > 0 ? scope->pids.items[0] : 0;
        int n = 0, r;

        for (size_t i = 0; i < scope->pids.n; i++, n++)
                if (signal > 0)
                        (void) host->ops->kill(host, unit, scope->pids.items[i], signal, false);
        r = host->ops->kill_rest(host, unit, signal, first, 0);
        return n + MAX(r, 0);
}

/* — states — */

static void set_state(Unit *unit, ScopeState state) {
        Scope *scope = scope_of(unit);

        if (!is_stopping(state)) {
                scope->stop_deadline = USEC_INFINITY;
                set_timer(unit, UNIT_PURPOSE_STATE_LIMIT, USEC_INFINITY);
        }
        if (!is_there(state)) {
                scope->runtime_deadline = USEC_INFINITY;
                set_timer(unit, UNIT_PURPOSE_RUNTIME_LIMIT, USEC_INFINITY);
        }
        if (state == SCOPE_DEAD || state == SCOPE_FAILED) {
                set_timer(unit, UNIT_PURPOSE_PIDFILE, USEC_INFINITY);
                forget_processes(unit);
        }
        scope->state = state;
        unit_publish(unit, active_states[state], 0);
}

static void note_result(Unit *unit, ScopeResult result) {
        if (scope_of(unit)->result == SCOPE_SUCCESS)
                scope_of(unit)->result = result;
}

static void enter_end(Unit *unit, ScopeResult result) {
        note_result(unit, result);
        set_state(unit, scope_of(unit)->result == SCOPE_SUCCESS ? SCOPE_DEAD : SCOPE_FAILED);
}

/* The manager's own: its processes are there as long as anybody asks, and their group is the manager's affair. */
static bool is_managers(const Unit *unit) {
        return strcmp(unit->id, UNIT_OWN_SCOPE) == 0;
}

static void scope_loaded(Unit *unit) {
        Scope *scope = scope_of(unit);

        if (!is_managers(unit) || scope->state == SCOPE_RUNNING)
                return;
        unit->settings.is_perpetual = true;
        scope->was_started = scope->is_grouped = true;
        set_state(unit, SCOPE_RUNNING);
}

/* Ends the scope if no process is left. Otherwise waits for the host's report, or polls. */
static void look(Unit *unit) {
        Scope *scope = scope_of(unit);

        if (is_managers(unit))
                return;
        if (!is_there(scope->state) && !is_stopping(scope->state))
                return;
        if (send_signal(unit, 0) == 0)
                enter_end(unit, SCOPE_SUCCESS);
        else if (!scope->is_grouped && scope->pids.n == 0)
                set_timer(unit, UNIT_PURPOSE_PIDFILE, usec_add(unit_now(unit), LOOK_EVERY));
}

/* Asks the scope's controller to end it; false if there is none. */
static bool ask_controller(Unit *unit) {
        UnitHost *host = unit_host(unit);

        if (!scope_of(unit)->controller || !host->ops->ask_to_stop)
                return false;
        host->ops->ask_to_stop(host, unit);
        return true;
}

static int signal_all(Unit *unit, ScopeState state) {
        const KillSettings *settings = &scope_settings(unit)->kill;
        int signal = state == SCOPE_STOP_SIGKILL ? settings->final_signal : settings->signal, n;

        if (state == SCOPE_STOP_SIGTERM && ask_controller(unit))
                return 1;
        if (settings->mode != KILL_MODE_CONTROL_GROUP &&
            (settings->mode != KILL_MODE_MIXED || state == SCOPE_STOP_SIGTERM))
                return 0;
        n = send_signal(unit, signal);
        if (n > 0 && state == SCOPE_STOP_SIGTERM) {
                if (settings->send_sighup && signal != SIGHUP)
                        send_signal(unit, SIGHUP);
                if (signal != SIGKILL && signal != SIGCONT)
                        send_signal(unit, SIGCONT);
        }
        return n;
}

static void enter_signal(Unit *unit, ScopeState state, ScopeResult result) {
        const ScopeSettings *settings = scope_settings(unit);
        Scope *scope = scope_of(unit);

        int n;

        note_result(unit, result);
        n = signal_all(unit, state);
        if (n == 0 && settings->kill.mode == KILL_MODE_MIXED && state == SCOPE_STOP_SIGTERM) {
                state = SCOPE_STOP_SIGKILL;
                n = signal_all(unit, state);
        }
        if (n == 0) {
                enter_end(unit, SCOPE_SUCCESS);
                return;
        }
        scope->stop_deadline = settings->timeout_stop == 0 || settings->timeout_stop == USEC_INFINITY ? USEC_INFINITY :
                               usec_add(unit_now(unit), settings->timeout_stop);
        set_state(unit, state);
        set_timer(unit, UNIT_PURPOSE_STATE_LIMIT, scope->stop_deadline);
}

/* — operations — */

static int scope_init(Unit *unit) {
        Scope *scope = calloc(1, sizeof(*scope));

        if (!scope)
                return -ENOMEM;
        scope->runtime_deadline = scope->stop_deadline = USEC_INFINITY;
        unit->state_of_type = scope;
        return 0;
}

static void scope_deinit(Unit *unit) {
        Scope *scope = scope_of(unit);

        if (scope) {
                vector_deinit(&scope->pids);
                free(scope->controller);
        }
        free(scope);
}

/* Replaces the processes that were given before. */
static int scope_give_processes(Unit *unit, const pid_t *pids, size_t n, const char *controller, Failure *ret_failure) {
        UnitHost *host = unit_host(unit);
        Scope *scope = scope_of(unit);

        forget_processes(unit);
        free(take_ptr(scope->controller));
        scope->shares = false;
        for (size_t i = 0; i < n; i++) {
                int r = host->ops->watch_process(host, unit, UNIT_PURPOSE_MAIN, pids[i]);

                /* A login is the main process of its getty. The group, which it is moved to, tells the scope's end. */
                scope->shares |= r == -EEXIST;
                if (r >= 0 || r == -EEXIST)
                        r = vector_push(&scope->pids, pids[i]);
                if (r < 0) {
                        forget_processes(unit);
                        return failure_set(ret_failure, r, "Failed", "Process %d cannot be part of %s: %s.",
                                           (int) pids[i], unit->id, strerror(-r));
                }
        }
        if (controller && *controller) {
                scope->controller = strdup(controller);
                if (!scope->controller)
                        return -ENOMEM;
                if (host->ops->watch_name)
                        (void) host->ops->watch_name(host, unit, controller);
        }
        /* The scope has a state to be recorded from here on. */
        unit_publish(unit, active_states[scope->state], 0);
        return 0;
}

static void scope_name_owned(Unit *unit, bool is_owned, pid_t pid) {
        if (!is_owned)
                free(take_ptr(scope_of(unit)->controller));
}

static void limit_runtime(Unit *unit) {
        const ScopeSettings *settings = scope_settings(unit);
        Scope *scope = scope_of(unit);
        uint64_t random = 0;

        if (settings->runtime_max == USEC_INFINITY || settings->runtime_max == 0)
                return;
        if (settings->runtime_extra > 0 && settings->runtime_extra != USEC_INFINITY &&
            random_bytes(&random, sizeof(random)) == 0)
                random %= settings->runtime_extra;
        scope->runtime_deadline = usec_add(usec_add(unit_now(unit), settings->runtime_max), random);
        set_timer(unit, UNIT_PURPOSE_RUNTIME_LIMIT, scope->runtime_deadline);
}

static UnitAnswer scope_start(Unit *unit) {
        UnitHost *host = unit_host(unit);
        Scope *scope = scope_of(unit);
        int r;

        if (scope->was_started)
                return UNIT_ONCE;
        if (is_stopping(scope->state))
                return UNIT_NOT_NOW;
        (void) random_bytes(unit->invocation_id, sizeof(unit->invocation_id));
        r = host->ops->adopt ? host->ops->adopt(host, unit, scope->pids.items, scope->pids.n) : 0;
        scope->was_started = true;
        scope->result = SCOPE_SUCCESS;
        scope->is_grouped = r > 0;
        if (scope->is_grouped)
                forget_processes(unit);
        if (r < 0 || (!scope->is_grouped && (scope->shares || scope->pids.n == 0))) {
                if (r >= 0)
                        unit_say(unit, LOG_LEVEL_ERROR, "%s", scope->shares ?
                                 "Another unit watches over a process of it: that needs control groups." :
                                 "None of its processes is there any more.");
                enter_end(unit, SCOPE_FAILURE_RESOURCES);
                return UNIT_UNDER_WAY;
        }
        set_state(unit, SCOPE_RUNNING);
        limit_runtime(unit);
        /* The group may be empty already, before the host watches it. */
        if (scope->is_grouped)
                set_timer(unit, UNIT_PURPOSE_PIDFILE, unit_now(unit));
        return UNIT_UNDER_WAY;
}

static UnitAnswer scope_stop(Unit *unit) {
        if (!is_stopping(scope_of(unit)->state))
                enter_signal(unit, SCOPE_STOP_SIGTERM, SCOPE_SUCCESS);
        return UNIT_UNDER_WAY;
}

static const char *scope_sub_state(const Unit *unit) {
        return scope_state_to_string(scope_of(unit)->state);
}

static usec_t scope_limit(const Unit *unit) {
        return MIN(scope_of(unit)->stop_deadline, scope_of(unit)->runtime_deadline);
}

static void scope_reset_failed(Unit *unit) {
        scope_of(unit)->result = SCOPE_SUCCESS;
        if (scope_of(unit)->state == SCOPE_FAILED)
                set_state(unit, SCOPE_DEAD);
}

static int scope_abandon(Unit *unit, Failure *ret_failure) {
        Scope *scope = scope_of(unit);

        if (!is_there(scope->state) || is_managers(unit))
                return failure_set(ret_failure, -ESTALE, "ScopeNotRunning", "Scope %s is not running, cannot abandon.",
                                   unit->id);
        free(take_ptr(scope->controller));
        if (scope->state != SCOPE_ABANDONED)
                set_state(unit, SCOPE_ABANDONED);
        return 0;
}

static int scope_kill(Unit *unit, const char *who, int signal, Failure *ret_failure) {
        if (strcmp(who, "all") != 0 && strcmp(who, "all-fail") != 0)
                return failure_set(ret_failure, -ESRCH, "NoSuchProcess",
                                   "%s has no %s process to signal: a scope has none.",
                                   unit->id, who);
        if (send_signal(unit, signal) == 0 && strcmp(who, "all-fail") == 0)
                return failure_set(ret_failure, -ESRCH, "NoSuchProcess", "%s has no process to signal.", unit->id);
        return 0;
}

/* — events — */

static void scope_child_exited(Unit *unit, const UnitExit *exit) {
        Scope *scope = scope_of(unit);

        for (size_t i = 0; i < scope->pids.n; i++)
                if (scope->pids.items[i] == exit->pid) {
                        memmove(&scope->pids.items[i], &scope->pids.items[i + 1],
                                (scope->pids.n - i - 1) * sizeof(*scope->pids.items));
                        scope->pids.n--;
                        break;
                }
        if (scope->pids.n == 0 && scope->was_started)
                look(unit);
}

static void scope_timer_elapsed(Unit *unit, UnitPurpose purpose) {
        const KillSettings *settings = &scope_settings(unit)->kill;
        Scope *scope = scope_of(unit);

        if (purpose == UNIT_PURPOSE_PIDFILE)
                look(unit);
        else if (purpose == UNIT_PURPOSE_RUNTIME_LIMIT && is_there(scope->state)) {
                unit_say(unit, LOG_LEVEL_WARNING, "It has been there as long as RuntimeMaxSec= allows: it is stopped.");
                enter_signal(unit, SCOPE_STOP_SIGTERM, SCOPE_FAILURE_TIMEOUT);
        } else if (purpose == UNIT_PURPOSE_STATE_LIMIT && scope->state == SCOPE_STOP_SIGTERM &&
                   settings->send_sigkill) {
                unit_say(unit, LOG_LEVEL_WARNING, "Its processes have not ended in time: they are killed.");
                enter_signal(unit, SCOPE_STOP_SIGKILL, SCOPE_FAILURE_TIMEOUT);
        } else if (purpose == UNIT_PURPOSE_STATE_LIMIT && is_stopping(scope->state)) {
                unit_say(unit, LOG_LEVEL_WARNING, "Its processes have not ended in time; they are left alone.");
                enter_end(unit, SCOPE_FAILURE_TIMEOUT);
        }
}

static void scope_group(const Unit *unit, UnitGroup *ret_group) {
        ScopeState state = scope_of(unit)->state;

        *ret_group = (UnitGroup) {
                .resources = scope_settings(unit)->resources,
                .is_begun = !is_managers(unit) && (is_there(state) || is_stopping(state)),
        };
}

static void scope_group_emptied(Unit *unit) {
        look(unit);
}

static void scope_group_out_of_memory(Unit *unit) {
        const ResourceOomPolicy policy = resource_settings_oom_policy(scope_settings(unit)->resources);

        if (!is_there(scope_of(unit)->state))
                return;
        if (policy == RESOURCE_OOM_CONTINUE)
                unit_say(unit, LOG_LEVEL_WARNING,
                         "The kernel has killed a process of it for lack of memory; it goes on.");
        else
                enter_signal(unit, policy == RESOURCE_OOM_KILL ? SCOPE_STOP_SIGKILL : SCOPE_STOP_SIGTERM,
                             SCOPE_FAILURE_OOM_KILL);
}

/* The groups of the core before this one exist, but are not watched. */
static void scope_resume(Unit *unit) {
        const Scope *scope = scope_of(unit);
        UnitHost *host = unit_host(unit);

        if (scope->controller && host->ops->watch_name)
                (void) host->ops->watch_name(host, unit, scope->controller);
        if (is_there(scope->state) || is_stopping(scope->state))
                set_timer(unit, UNIT_PURPOSE_PIDFILE, unit_now(unit));
}

static int scope_found(Unit *unit, uid_t owner) {
        Scope *scope = scope_of(unit);

        if (scope->state != SCOPE_DEAD)
                return -EALREADY;
        if (owner != (uid_t) -1)
                return -EPERM;
        scope->was_started = scope->is_grouped = true;
        set_state(unit, SCOPE_RUNNING);
        set_timer(unit, UNIT_PURPOSE_PIDFILE, unit_now(unit));
        return 0;
}

static const UnitPropertyTable *const all_properties[] = {
        &scope_properties, &kill_properties, &group_properties, &foreign_group_properties, NULL,
};

const UnitVTable scope_vtable = {
        .type = UNIT_SCOPE,
        .interface = "Scope",
        .properties = all_properties,
        .can_freeze = true,
        .init = scope_init,
        .deinit = scope_deinit,
        .loaded = scope_loaded,
        .start = scope_start,
        .stop = scope_stop,
        .sub_state = scope_sub_state,
        .limit = scope_limit,
        .reset_failed = scope_reset_failed,
        .give_processes = scope_give_processes,
        .abandon = scope_abandon,
        .kill = scope_kill,
        .name_owned = scope_name_owned,
        .child_exited = scope_child_exited,
        .timer_elapsed = scope_timer_elapsed,
        .group = scope_group,
        .group_emptied = scope_group_emptied,
        .group_out_of_memory = scope_group_out_of_memory,
        .found = scope_found,
        .save = scope_save,
        .record = scope_record,
        .restore = scope_restore,
        .resume = scope_resume,
};
