/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests of clients, of core, and by signals
 *
 * Each request is checked here and passed to the object that it concerns.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_dynamic_user.h"
#include "exec/exec_process.h"
#include "exec/exec_score.h"
#include "manager/manager_owner.h"
#include "manager/manager_parent.h"
#include "manager/manager_parts.h"
#include "process/process_adopt.h"
#include "unit/exec_terms.h"
#include "unit/unit_clean.h"
#include "unit/unit_slice.h"
#include "unitfile/draft_type.h"
#include "unitfile/unit_file_hint.h"

/* Limit on the generations from a process up to a known one. */
#define ANCESTORS_MAX 256U

#define PROCESSES_MAX 100000U

/* — jobs — */

static int exec(Manager *manager, const JobRequest *requests, size_t n, JobOptions *options, JobPlan **ret_plan) {
        options->now = manager->turn.now;
        return manager_jobs_exec(&manager->jobs, requests, n, options, ret_plan);
}

int manager_exec(Manager *manager, const JobRequest *requests, size_t n, JobMode mode, const JobRequester *requester,
                 JobPlan **ret_plan) {
        return exec(manager, requests, n, &(JobOptions) { .mode = mode, .requester = requester }, ret_plan);
}

int manager_exec_briefly(Manager *manager, const JobRequest *requests, size_t n, JobMode mode,
                         const JobRequester *requester, JobPlan **ret_plan) {
        return exec(manager, requests, n,
                    &(JobOptions) { .mode = mode, .requester = requester, .wants_anchors_only = true }, ret_plan);
}

int manager_plan(Manager *manager, const JobRequest *requests, size_t n, JobMode mode, const JobRequester *requester,
                 bool wants_edges, JobPlan **ret_plan) {
        const JobOptions options = {
                .mode = mode,
                .requester = requester,
                .now = manager->turn.now,
                .wants_edges = wants_edges,
        };

        return job_manager_plan(manager->engine, requests, n, &options, ret_plan);
}

int manager_cancel_job(Manager *manager, uint32_t id, const JobRequester *requester, Failure *ret_failure) {
        int r = job_manager_cancel(manager->engine, id, requester, manager->turn.now, ret_failure);

        manager_jobs_arm(&manager->jobs);
        return r;
}

int manager_detach_job(Manager *manager, uint32_t id, const JobRequester *requester, Failure *ret_failure) {
        int r = job_manager_detach(manager->engine, id, requester, manager->turn.now, ret_failure);

        manager_jobs_arm(&manager->jobs);
        return r;
}

size_t manager_detach_all_jobs(Manager *manager, const JobRequester *requester) {
        size_t n = job_manager_detach_all(manager->engine, requester, manager->turn.now);

        manager_jobs_arm(&manager->jobs);
        return n;
}

size_t manager_cancel_all_jobs(Manager *manager, const JobRequester *requester) {
        size_t n = job_manager_cancel_all(manager->engine, requester, manager->turn.now);

        manager_jobs_arm(&manager->jobs);
        return n;
}

/* — units — */

int manager_load_unit(Manager *manager, const char *name, Unit **ret_unit, Failure *ret_failure) {
        Unit *unit;
        int r;

        assert(manager);
        assert(name);
        assert(ret_unit);

        r = unit_table_load(manager->units, name, &unit);
        if (r == -EINVAL && unit_name_is_template(name))
                return failure_set(ret_failure, r, "InvalidArgs",
                                   "%s is a template: put an instance between '@' and the last dot.", name);
        if (r == -EINVAL)
                return failure_set(ret_failure, r, "InvalidArgs", "'%.300s' is not a valid unit name.", name);
        if (r < 0)
                return failure_set(ret_failure, r, "NoMemory", "No memory to load %s.", name);
        manager_unloading_consider(&manager->unloading, unit);
        *ret_unit = unit;
        return 0;
}

Unit *manager_find_unit(Manager *manager, const char *name) {
        return unit_table_find(manager->units, name);
}

int manager_hint_unit(const Manager *manager, const char *name, char **ret_hint) {
        return unit_file_hint(manager->loader, name, ret_hint);
}

Unit *manager_unit_by_pid(Manager *manager, pid_t pid) {
        const pid_t self = getpid();

        for (unsigned i = 0; i < ANCESTORS_MAX && pid > 0 && pid != self && pid != exec_process_keeper(); i++) {
                const ProcessOwner *known = process_errands_owner_of(manager->errands, pid);
                ExecProcess process;

                if (known)
                        return manager_unit_of_owner(known);
                if (i == 0) {
                        Unit *unit = manager_unit_of_group(manager, pid);

                        if (unit)
                                return unit;
                }
                if (exec_process_read(pid, &process) < 0)
                        return NULL;
                if (process.parent == self || process.parent == exec_process_keeper())
                        return manager_invocations_find(&manager->invocations, pid);
                pid = process.parent;
        }
        return NULL;
}

int manager_kill_unit(Manager *manager, Unit *unit, const char *who, int signal, Failure *ret_failure) {
        assert(manager);
        assert(unit);

        if (!unit->vtable->kill)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported", "%s: a %s has no processes to signal.",
                                   unit->id, unit_type_to_string(unit->type));
        manager_turn_enter(&manager->turn, unit);
        return unit->vtable->kill(unit, who, signal, ret_failure);
}

void manager_reset_failed(Manager *manager, Unit *unit) {
        if (unit) {
                manager_turn_enter(&manager->turn, unit);
                if (unit->vtable->reset_failed)
                        unit->vtable->reset_failed(unit);
                manager_unloading_consider(&manager->unloading, unit);
                return;
        }
        unit_table_foreach(manager->units, each)
                manager_reset_failed(manager, each);
}

static int add_once(ExecPids *pids, pid_t pid) {
        for (size_t i = 0; i < pids->n; i++)
                if (pids->items[i] == pid)
                        return 0;
        return vector_push(pids, pid);
}

/* Any client may ask for this repeatedly, so the wait is short. */
static int add_orphans(Manager *manager, const Unit *unit, ExecPids *pids) {
        ExecPatience patience = { .n_pauses = 50 };
        ExecPids children = {};
        int r;

        r = exec_process_list_own(&children);
        for (size_t i = 0; r == 0 && i < children.n; i++)
                if (!process_table_find(manager->processes, children.items[i]) &&
                    exec_process_check_invocation(children.items[i], unit->invocation_id, &patience) > 0)
                        r = add_once(pids, children.items[i]);
        vector_deinit(&children);
        return r;
}

int manager_unit_processes(Manager *manager, Unit *unit, pid_t **ret_pids, size_t *ret_n) {
        ProcessOwner *owner = manager_group_owner(manager, unit);
        const ManagerUnit *row = manager_units_of(&manager->rows, unit);
        ExecPids pids = {};
        bool is_complete = false;
        int r = row ? 0 : -ENOMEM;

        for (const Process *at = manager_unit_process_list(manager, unit); r == 0 && at; at = at->next)
                r = add_once(&pids, at->pid);
        if (r == 0 && owner) {
                int listed = process_groups_list(manager->groups, owner, &pids);

                is_complete = listed > 0;
                r = MIN(listed, 0);
        }
        if (r == 0 && !is_complete && row->invocation != 0)
                r = add_orphans(manager, unit, &pids);
        for (size_t i = 0; r == 0 && !is_complete && i < pids.n && pids.n < PROCESSES_MAX; i++)
                r = exec_process_list_children(pids.items[i], &pids);
        if (r < 0) {
                vector_deinit(&pids);
                return r;
        }
        *ret_pids = pids.items;
        *ret_n = pids.n;
        return 0;
}

bool manager_has_groups(const Manager *manager) {
        return !process_groups_reason(manager->groups);
}

/* The manager is in the root slice. */
bool manager_can_freeze(Manager *manager, const Unit *unit) {
        return manager_has_groups(manager) && unit->vtable->can_freeze &&
               strcmp(unit->id, UNIT_ROOT_SLICE) != 0;
}

static int check_freeze(Manager *manager, const Unit *unit, bool freeze, Failure *ret_failure) {
        const char *missing = process_groups_reason(manager->groups);

        if (unit->vtable->group && missing)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported",
                                   "%s cannot be frozen: there are no control groups (%s).", unit->id, missing);
        if (!manager_can_freeze(manager, unit))
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported", "%s cannot be frozen: %s.", unit->id,
                                   unit->vtable->can_freeze ? "the manager itself is in it"
                                                            : "units of its type have no processes for that");
        if (unit->load_state != UNIT_LOADED || (freeze && unit->active_state != UNIT_ACTIVE))
                return failure_set(ret_failure, -EHOSTDOWN, "UnitInactive",
                                   "%s is not active, so there is nothing to %s.",
                                   unit->id, freeze ? "freeze" : "thaw");
        if (manager_jobs_has(&manager->jobs, unit))
                return failure_set(ret_failure, -EBUSY, "UnitBusy", "%s has a job, which has to end first.", unit->id);
        return 0;
}

int manager_freeze_unit(Manager *manager, Unit *unit, bool freeze, Failure *ret_failure) {
        int r = check_freeze(manager, unit, freeze, ret_failure);
        ProcessOwner *owner;

        if (r < 0)
                return r;
        owner = manager_group_owner(manager, unit);
        if (!owner)
                return failure_set(ret_failure, -EHOSTDOWN, "UnitInactive", "%s has no processes.", unit->id);
        return process_groups_freeze(manager->groups, owner, freeze, ret_failure);
}

const char *manager_freezer_state(Manager *manager, const Unit *unit) {
        ProcessOwner *owner = manager_group_owner(manager, unit);

        return owner ? process_groups_freezer_state(manager->groups, owner) : "running";
}

unsigned manager_can_clean(const Unit *unit) {
        return unit->load_state == UNIT_LOADED && unit->vtable->can_clean ? unit->vtable->can_clean(unit) : 0;
}

int manager_clean_unit(Manager *manager, Unit *unit, unsigned kinds, Failure *ret_failure) {
        if (!unit->vtable->clean)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported",
                                   "%s: a %s keeps nothing that could be cleaned.",
                                   unit->id, unit_type_to_string(unit->type));
        if (unit->load_state != UNIT_LOADED)
                return failure_set(ret_failure, -EBUSY, "UnitBusy", "%s cannot be cleaned: it is not loaded.",
                                   unit->id);
        if (unit->active_state != UNIT_INACTIVE || manager_jobs_has(&manager->jobs, unit))
                return failure_set(ret_failure, -EBUSY, "UnitBusy", "%s cannot be cleaned: it is %s%s.", unit->id,
                                   unit_active_state_to_string(unit->active_state),
                                   manager_jobs_has(&manager->jobs, unit) ? " and has a job"
                                                                          : ", and must be inactive");
        manager_turn_enter(&manager->turn, unit);
        return unit->vtable->clean(unit, kinds, ret_failure);
}

int manager_pin(Manager *manager, Unit *unit) {
        assert(manager);
        assert(unit);

        return manager_pins_add(&manager->pins, unit);
}

void manager_unpin(Manager *manager, Unit *unit) {
        manager_pins_remove(&manager->pins, unit);
}

void manager_consider_unloading(Manager *manager, Unit *unit) {
        manager_unloading_consider(&manager->unloading, unit);
}

/* — transient units, and processes for them — */

int manager_make_transient(Manager *manager, const char *name, const char *text, Unit **ret_unit,
                           Failure *ret_failure) {
        Unit *unit;
        int r;

        assert(manager);
        assert(name);

        manager_transients_settle_one(&manager->transients, name);
        r = manager_load_unit(manager, name, &unit, ret_failure);
        if (r < 0)
                return r;
        r = manager_transients_make(&manager->transients, &unit, text, ret_failure);
        manager_unloading_consider(&manager->unloading, unit);
        *ret_unit = unit;
        return r;
}

static int attach(Manager *manager, Unit *unit, const pid_t *pids, size_t n, Failure *ret_failure) {
        ProcessOwner *owner;

        if (!unit->vtable->group || unit->vtable->holds_units)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "Unit type of %s does not support processes being attached to it.", unit->id);
        if (unit_state_is_inactive_or_failed(unit->active_state))
                return failure_set(ret_failure, -ESRCH, "InvalidArgs", "Unit %s is not active, refusing.", unit->id);
        owner = manager_make_owner(manager, unit);
        if (owner && process_adopt(manager->groups, owner, pids, n) > 0)
                return 0;
        return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported",
                           "Processes cannot be put into a control group of %s.",
                           unit->id);
}

int manager_give_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n, uid_t uid, const char *controller,
                           Failure *ret_failure) {
        int r;

        assert(manager);
        assert(unit);
        assert(unit->vtable->give_processes);

        r = process_adopt_check(pids, n, uid, manager->options.keeper.pid, ret_failure);
        if (r < 0)
                return r;
        manager_turn_enter(&manager->turn, unit);
        return unit->vtable->give_processes(unit, pids, n, controller, ret_failure);
}

int manager_attach_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n, uid_t uid,
                             Failure *ret_failure) {
        int r;

        assert(manager);
        assert(unit);

        r = process_adopt_check(pids, n, uid, manager->options.keeper.pid, ret_failure);
        if (r < 0)
                return r;
        manager_turn_enter(&manager->turn, unit);
        return attach(manager, unit, pids, n, ret_failure);
}

int manager_abandon_unit(Manager *manager, Unit *unit, Failure *ret_failure) {
        manager_turn_enter(&manager->turn, unit);
        if (unit->vtable->abandon)
                return unit->vtable->abandon(unit, ret_failure);
        return failure_set(ret_failure, -EINVAL, "InvalidArgs", "Unit %s is no scope: only a scope can be abandoned.",
                           unit->id);
}

/* — reload — */

typedef struct Differences {
        Manager *manager;
        char **lines;                   /* owned */
} Differences;

static void note_change(void *userdata, Unit *unit, const char *difference) {
        Manager *manager = userdata;

        manager->turn.has_news = true;
        manager_listeners_tell(&manager->listeners, unit_changed, unit);
        log_info("%s: %s", unit->id, difference);
}

static void note_difference(void *userdata, Unit *unit, const char *difference) {
        Differences *differences = userdata;
        cleanup_free_ char *line = NULL;

        manager_listeners_tell(&differences->manager->listeners, unit_reread, unit);
        note_change(differences->manager, unit, difference);
        if (text_format(&line, "%s: %s", unit->id, difference) == 0)
                (void) strv_push(&differences->lines, line);
}

/* Units have other settings and relations. */
static void settle_reload(Manager *manager) {
        job_manager_graph_changed(manager->engine, manager->turn.now);
        manager_apply_groups(manager);
        unit_table_foreach(manager->units, unit) {
                /* The unit may not recover with another any more. */
                manager_records_mark_awaiting(manager, unit);
                manager_unloading_consider(&manager->unloading, unit);
        }
}

int manager_reload_unit(Manager *manager, Unit *unit, Failure *ret_failure) {
        int r;

        assert(manager);
        assert(unit);

        r = unit_file_reload_unit(manager->loader, unit, note_change, manager, ret_failure);
        if (r >= 0)
                settle_reload(manager);
        manager_jobs_arm(&manager->jobs);
        return r;
}

void manager_note_unit_files_changed(Manager *manager) {
        assert(manager);

        manager_listeners_tell(&manager->listeners, unit_files_changed);
        manager->turn.has_news = true;
}

int manager_reload(Manager *manager, bool force, char ***ret_differences, Failure *ret_failure) {
        Differences differences = { .manager = manager };
        int r;

        assert(manager);

        log_info("Reading unit files again.");
        manager_parent_tell(&manager->options.keeper, "RELOADING=1");
        manager_listeners_tell(&manager->listeners, reloading, true);
        manager_diagnostics_forget(&manager->diagnostics);
        manager_generator_run(&manager->generator);
        r = unit_file_reload(manager->loader, manager->units, force, note_difference, &differences, ret_failure);
        if (r >= 0) {
                settle_reload(manager);
                manager_listeners_tell(&manager->listeners, unit_files_changed);
        }
        manager->turn.has_news = true;
        manager_listeners_tell(&manager->listeners, reloading, false);
        manager_parent_tell(&manager->options.keeper, "READY=1");
        manager_jobs_arm(&manager->jobs);

        if (r >= 0 && ret_differences)
                *ret_differences = take_ptr(differences.lines);
        strv_free(differences.lines);
        return r < 0 ? r : 0;
}

/* — the manager itself — */

int manager_change_environment(Manager *manager, char *const *unset, char *const *set, Failure *ret_failure) {
        return manager_environment_change(&manager->environment, unset, set, ret_failure);
}

void manager_set_log_level(Manager *manager, int level) {
        manager_environment_set_log_level(&manager->environment, level);
}

void manager_heed_watchdogs(Manager *manager, bool heeds) {
        manager_environment_heed_watchdogs(&manager->environment, heeds);
}

bool manager_heeds_watchdogs(const Manager *manager) {
        return !manager->environment.ignores_watchdogs;
}

int manager_find_dynamic_user(const char *name, uid_t *ret_uid) {
        return exec_dynamic_user_find(name, ret_uid);
}

const char *manager_dynamic_user_of(const Unit *unit, uid_t *ret_uid) {
        const ExecSettings *settings = unit->load_state == UNIT_LOADED ? draft_type_exec(unit) : NULL;
        const ExecTerms *terms = settings ? exec_settings_rare(settings)->terms : NULL;

        return terms && terms->dynamic_user && settings->user && exec_dynamic_user_find(settings->user, ret_uid) == 0 ?
                       settings->user : NULL;
}

uint32_t manager_open_files(const Manager *manager) {
        return manager->limitations.open_files;
}

int manager_default_oom_score(const Manager *manager) {
        return exec_score_of_children();
}

void manager_exit(Manager *manager, int status, bool orderly) {
        assert(manager);

        manager_stages_exit(&manager->stages, status, orderly);
}

void manager_leave(Manager *manager, UnitAction action) {
        assert(manager);

        manager_stages_leave(&manager->stages, action);
}

int manager_set_exit_status(Manager *manager, int status) {
        assert(manager);

        return manager_stages_set_exit_status(&manager->stages, status);
}

int manager_listen(Manager *manager, const ManagerListenerOps *ops, void *userdata) {
        assert(manager);
        assert(ops);

        return vector_push(&manager->listeners.all, ((ManagerListener) { .ops = ops, .userdata = userdata }));
}

void manager_unlisten(Manager *manager, const void *userdata) {
        manager_listeners_remove(&manager->listeners, userdata);
}

void manager_set_name_ops(Manager *manager, const ManagerNameOps *ops, void *userdata) {
        assert(manager);

        manager_names_set_ops(&manager->names, ops, userdata);
}

void manager_name_owned(Manager *manager, const char *name, bool is_owned, pid_t pid) {
        assert(manager);

        manager_names_owned(&manager->names, manager->units, name, is_owned, pid);
}

/* — the keeper — */

int manager_store_fd(Manager *manager, const char *name, int fd) {
        return process_keeper_store_fd(&manager->options.keeper, name, fd);
}

int manager_take_fd(Manager *manager, const char *name) {
        return process_keeper_take_fd(&manager->options.keeper, name);
}

int manager_drop_fd(Manager *manager, const char *name) {
        return process_keeper_drop_fd(&manager->options.keeper, name);
}

bool manager_is_kept(const Manager *manager) {
        return manager->options.keeper.ops;
}

bool manager_leaves_sockets(const Manager *manager) {
        return manager->options.keeper.ops && manager->stages.stage != MANAGER_GONE;
}

void manager_tell_parent(Manager *manager, const char *text) {
        manager_parent_tell(&manager->options.keeper, text);
}

void manager_take_kept_exits(Manager *manager, const UnitExit *exits, size_t n) {
        process_table_take_kept_exits(manager->processes, exits, n);
}

/* Commits the state, because changes would be lost with the process. 0, or the error of writing. */
static int write_all(Manager *manager) {
        state_hasten(manager->turn.state);
        return state_commit(manager->turn.state);
}

int manager_ask_reexec(Manager *manager, Failure *ret_failure) {
        int r;

        if (!manager->options.keeper.ops)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported", "This manager has no keeper, which would "
                                   "start the old image again if the new one failed. Start it as jobd.");
        if (manager->stages.stage >= MANAGER_STOPPING)
                return failure_set(ret_failure, -EBUSY, "ShuttingDown", "The manager is about to end.");
        r = write_all(manager);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed",
                                   "The state cannot be written to %s (%s): the next image would not "
                                   "know of the latest changes.", state_path(manager->turn.state), strerror(-r));
        log_notice("Re-execution was requested.");
        manager->wants_reexec = true;
        return 0;
}

bool manager_wants_reexec(const Manager *manager) {
        return manager->wants_reexec;
}

int manager_prepare_reexec(Manager *manager) {
        int r;

        manager_attempts_hand_over(manager_runs_attempts(manager->runs), true);
        r = write_all(manager);
        manager_limitations_lower_open_files(&manager->limitations);
        return r;
}

void manager_give_up_reexec(Manager *manager) {
        manager->wants_reexec = false;
        manager_attempts_hand_over(manager_runs_attempts(manager->runs), false);
        manager_limitations_raise_open_files(&manager->limitations);
}

/* — signals — */

static void signal_children(void *userdata) {
        process_table_reap_now(((Manager *) userdata)->processes);
}

static void signal_end(void *userdata, int signal, bool is_repeated) {
        Manager *manager = userdata;

        manager_stages_exit(&manager->stages, manager->options.has_signal_status ? 128 + signal : 0, !is_repeated);
}

static void signal_reload(void *userdata) {
        cleanup_(failure_deinit) Failure failure = {};

        if (manager_reload(userdata, false, NULL, &failure) < 0)
                log_error("Cannot reload: %s", failure_message(&failure));
}

static void signal_log_jobs(void *userdata) {
        const Manager *manager = userdata;
        JobInfos jobs = {};

        if (job_manager_list(manager->engine, &jobs) < 0)
                return;
        log_notice("%zu jobs.", jobs.n);
        for (size_t i = 0; i < jobs.n; i++)
                log_notice("Job %u: %s of %s, %s.", jobs.items[i].id, job_type_to_string(jobs.items[i].run_type),
                           jobs.items[i].unit ? jobs.items[i].unit->id : "?",
                           job_state_to_string(jobs.items[i].state));
        vector_deinit(&jobs);
}

static void signal_log_counts(void *userdata) {
        const Manager *manager = userdata;

        log_notice("%s: %u units, %u failed; %zu jobs; %zu processes; %zu timers.",
                   manager_stages_name(&manager->stages), unit_table_count(manager->units), manager->rows.n_failed,
                   job_manager_count(manager->engine), process_table_count(manager->processes),
                   process_timers_count(manager->timers));
}

static void signal_start(void *userdata, const char *unit, const char *instead, JobMode mode, pid_t sender) {
        const JobRequester requester = { .reason = "signal", .pid = sender };
        Manager *manager = userdata;
        Unit *loaded;

        if (unit_table_load(manager->units, unit, &loaded) < 0 || loaded->load_state != UNIT_LOADED)
                unit = instead;
        if (unit)
                (void) manager_jobs_start(&manager->jobs, unit, mode, &requester);
}

static void signal_leave(void *userdata, UnitAction action) {
        manager_stages_leave(&((Manager *) userdata)->stages, action);
}

const ManagerSignalOps manager_signal_ops = {
        .children = signal_children,
        .end = signal_end,
        .reload = signal_reload,
        .log_jobs = signal_log_jobs,
        .log_counts = signal_log_counts,
        .start = signal_start,
        .leave = signal_leave,
};
