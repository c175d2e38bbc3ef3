/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The services for units: UnitHostOps
 *
 * Each entry in short, passed to the object that implements it.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_owner.h"
#include "manager/manager_parts.h"
#include "process/process_adopt.h"
#include "process/process_watch.h"

static Manager *manager_of(UnitHost *host) {
        return container_of(host, Manager, host);
}

static usec_t host_now(UnitHost *host) {
        return manager_of(host)->turn.now;
}

static usec_t host_now_realtime(UnitHost *host) {
        return manager_of(host)->turn.now_realtime;
}

static int host_set_timer(UnitHost *host, Unit *unit, UnitPurpose purpose, usec_t deadline) {
        return manager_set_timer(manager_of(host), unit, purpose, deadline);
}

static int host_spawn(UnitHost *host, Unit *unit, UnitPurpose purpose) {
        ProcessOwner *owner = manager_make_owner(manager_of(host), unit);

        return owner ? process_errands_spawn(manager_of(host)->errands, owner, purpose) : -ENOMEM;
}

static bool host_take_back(UnitHost *host, Unit *unit, UnitPurpose purpose, ExecResult *ret_result) {
        const ProcessOwner *owner = manager_find_owner(manager_of(host), unit);

        return owner && process_errands_take_back(manager_of(host)->errands, owner, purpose, ret_result);
}

static int host_watch_process(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid) {
        ProcessOwner *owner = manager_make_owner(manager_of(host), unit);

        return owner ? process_table_watch(manager_of(host)->processes, owner, purpose, pid) : -ENOMEM;
}

static void host_unwatch_process(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid) {
        const ProcessOwner *owner = manager_find_owner(manager_of(host), unit);

        if (owner)
                process_table_forget(manager_of(host)->processes, owner, pid);
}

static int host_watch_fd(UnitHost *host, Unit *unit, uint32_t index, int fd, uint32_t events) {
        ProcessOwner *owner = manager_make_owner(manager_of(host), unit);

        return owner ? process_watch_add(&manager_of(host)->process_host, owner, index, fd, events) : -ENOMEM;
}

static void host_unwatch_fd(UnitHost *host, Unit *unit, uint32_t index) {
        ProcessOwner *owner = manager_find_owner(manager_of(host), unit);

        if (owner)
                process_watch_remove(owner, index);
}

/* — descriptors kept by the keeper, under the unit's name — */

static int host_keep_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index, int fd) {
        return process_kept_store(&manager_of(host)->kept, unit->id, what, index, fd);
}

static int host_accept_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index, int listening) {
        return process_kept_accept(&manager_of(host)->kept, unit->id, what, index, listening);
}

static void host_drop_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index) {
        process_kept_drop(&manager_of(host)->kept, unit->id, what, index);
}

static int host_take_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index) {
        return process_kept_take(&manager_of(host)->kept, unit->id, what, index);
}

static void host_settle_fds(UnitHost *host) {
        process_kept_settle(&manager_of(host)->kept);
}

/* — jobs — */

static bool host_has_job(UnitHost *host, const Unit *unit) {
        return manager_jobs_has(&manager_of(host)->jobs, unit);
}

static int host_kill(UnitHost *host, Unit *unit, pid_t pid, int signal, bool is_group) {
        ProcessOwner *owner = manager_find_owner(manager_of(host), unit);

        return owner ? process_errands_kill(manager_of(host)->errands, owner, pid, signal, is_group) : -ESRCH;
}

static int host_kill_rest(UnitHost *host, Unit *unit, int signal, pid_t main_pid, pid_t control_pid) {
        ProcessOwner *owner = manager_make_owner(manager_of(host), unit);

        if (!owner)
                return -ENOMEM;
        return process_errands_kill_rest(manager_of(host)->errands, owner, signal, main_pid, control_pid);
}

static bool host_may_hide_rest(UnitHost *host, Unit *unit) {
        ProcessOwner *owner = manager_find_owner(manager_of(host), unit);

        return owner && process_rest_may_hide(manager_of(host)->rest, owner);
}

static int host_request_job(UnitHost *host, Unit *unit, JobType type, JobMode mode, const char *reason) {
        return manager_jobs_request(&manager_of(host)->jobs, unit, type, mode, reason);
}

static void host_request_action(UnitHost *host, Unit *unit, int action, int exit_status, const char *reason) {
        assert((unsigned) action < _UNIT_ACTION_MAX);

        manager_stages_request(&manager_of(host)->stages, unit, (UnitAction) action, exit_status, reason);
}

static void host_log(UnitHost *host, Unit *unit, int level, const char *message) {
        log_write((LogLevel) level, unit->id, "%s", message);
}

/* — its control group — */

static pid_t host_guess_main(UnitHost *host, const Unit *unit, pid_t except) {
        ProcessOwner *owner = manager_group_owner(manager_of(host), unit);

        return owner ? process_groups_guess_main(manager_of(host)->groups, owner, except) : 0;
}

static Unit *host_unit_of(UnitHost *host, pid_t pid) {
        return manager_unit_of_group(manager_of(host), pid);
}

static int host_group_path(UnitHost *host, const Unit *unit, char **ret_path) {
        ProcessOwner *owner = manager_group_owner(manager_of(host), unit);

        return owner ? process_groups_path(manager_of(host)->groups, owner, ret_path) : -ENOENT;
}

static int host_group_value(UnitHost *host, const Unit *unit, UnitGroupValue what, uint64_t *ret_value) {
        ProcessOwner *owner = manager_group_owner(manager_of(host), unit);

        return owner ? process_groups_value(manager_of(host)->groups, owner, what, ret_value) : -ENODATA;
}

static int host_list_unapplied(UnitHost *host, const Unit *unit, char ***ret_list) {
        Manager *manager = manager_of(host);
        ProcessOwner *owner = manager_group_owner(manager, unit);
        UnitGroup wanted = {};

        *ret_list = NULL;
        if (!process_groups_reason(manager->groups))
                return owner ? process_groups_list_unapplied(manager->groups, owner, ret_list) : 0;
        if (unit->vtable->group)
                unit->vtable->group(unit, &wanted);
        return process_groups_list_missing(manager->groups, wanted.resources, ret_list);
}

static int host_adopt(UnitHost *host, Unit *unit, const pid_t *pids, size_t n) {
        ProcessOwner *owner = manager_make_owner(manager_of(host), unit);
        int r = owner ? process_adopt(manager_of(host)->groups, owner, pids, n) : -ENOMEM;

        manager_invocations_note(&manager_of(host)->invocations, unit);
        return r;
}

static bool host_ignores_watchdogs(UnitHost *host) {
        return !manager_heeds_watchdogs(manager_of(host));
}

static uint32_t host_open_files(UnitHost *host) {
        return manager_open_files(manager_of(host));
}

static const struct ResourceDefaults *host_resource_defaults(UnitHost *host) {
        return process_groups_defaults(manager_of(host)->groups);
}

/* — the surroundings — */

static usec_t host_booted(UnitHost *host) {
        return manager_of(host)->options.is_container ? manager_of(host)->stages.started : 0;
}

static usec_t host_started(UnitHost *host) {
        return manager_of(host)->stages.started;
}

static void host_watch_clock(UnitHost *host) {
        manager_clock_watch(&manager_of(host)->clock);
}

static const struct MountEntry *host_find_mount(UnitHost *host, const char *where, bool is_fresh) {
        return manager_mounts_find(&manager_of(host)->mounts, where, is_fresh);
}

static int find_state_directory(const Manager *manager, char **ret_path) {
        const char *home = getenv("HOME"), *state = getenv("XDG_STATE_HOME");

        if (!manager->options.is_user)
                return (*ret_path = strdup("/var/lib/jobd")) ? 0 : -ENOMEM;
        if (state && *state == '/')
                return text_join_path(state, "jobd", ret_path);
        return home && *home == '/' ? text_join_path(home, ".local/state/jobd", ret_path) : -ENOENT;
}

static const char *host_state_directory(UnitHost *host) {
        Manager *manager = manager_of(host);

        if (!manager->state_directory && find_state_directory(manager, &manager->state_directory) < 0)
                return NULL;
        return manager->state_directory;
}

static bool waits_for_others(const Manager *manager, const Unit *unit) {
        return manager_has_timer(manager, unit, UNIT_PURPOSE_IDLE);
}

/* A unit that waits until nothing else runs does not count: it may wait for the asking unit. */
static bool host_is_busy(UnitHost *host, const Unit *unit) {
        const Manager *manager = manager_of(host);
        bool is_busy = job_manager_has_ready(manager->engine) || manager_jobs_has_requests(&manager->jobs);
        JobInfos jobs = {};

        /* Without memory no unit is kept waiting. */
        if (is_busy || job_manager_list(manager->engine, &jobs) < 0)
                return is_busy;
        for (size_t i = 0; i < jobs.n && !is_busy; i++)
                is_busy = jobs.items[i].state == JOB_RUNNING && jobs.items[i].unit && jobs.items[i].unit != unit &&
                          !waits_for_others(manager, jobs.items[i].unit);
        vector_deinit(&jobs);
        return is_busy;
}

static bool host_will_start(UnitHost *host, const Unit *unit) {
        return manager_jobs_will_start(&manager_of(host)->jobs, unit);
}

static bool host_will_stop(UnitHost *host, const Unit *unit) {
        return manager_jobs_is_stopping(&manager_of(host)->jobs, unit);
}

static bool host_is_awaited(UnitHost *host, const Unit *unit) {
        return manager_jobs_is_awaited(&manager_of(host)->jobs, unit);
}

static int host_watch_name(UnitHost *host, Unit *unit, const char *name) {
        return manager_names_watch(&manager_of(host)->names, unit, name);
}

static void host_ask_to_stop(UnitHost *host, Unit *unit) {
        manager_listeners_tell(&manager_of(host)->listeners, request_stop, unit);
        manager_of(host)->turn.has_news = true;
}

/* — runs — */

static int host_start_runs(UnitHost *host, Unit *unit) {
        return manager_runs_start_unit(manager_of(host)->runs, unit);
}

static void host_stop_runs(UnitHost *host, Unit *unit, bool interrupts) {
        manager_runs_stop_unit(manager_of(host)->runs, unit, interrupts);
}

static int host_submit_run(UnitHost *host, Unit *unit, const UnitRunRequest *request) {
        return manager_runs_trigger(manager_of(host)->runs, unit, request);
}

static void host_get_runs(UnitHost *host, const Unit *unit, UnitRuns *ret_runs) {
        manager_runs_get(manager_of(host)->runs, unit, ret_runs);
}

static void host_write_runs(UnitHost *host, const Unit *unit, Sink *sink) {
        manager_runs_write_live(manager_of(host)->runs, unit, sink);
}

const UnitHostOps manager_host_ops = {
        .adopt = host_adopt,
        .ask_to_stop = host_ask_to_stop,
        .now = host_now,
        .now_realtime = host_now_realtime,
        .set_timer = host_set_timer,
        .spawn = host_spawn,
        .take_back = host_take_back,
        .watch_process = host_watch_process,
        .unwatch_process = host_unwatch_process,
        .watch_fd = host_watch_fd,
        .unwatch_fd = host_unwatch_fd,
        .keep_fd = host_keep_fd,
        .accept_fd = host_accept_fd,
        .drop_fd = host_drop_fd,
        .take_fd = host_take_fd,
        .settle_fds = host_settle_fds,
        .has_job = host_has_job,
        .is_busy = host_is_busy,
        .will_start = host_will_start,
        .will_stop = host_will_stop,
        .is_awaited = host_is_awaited,
        .watch_name = host_watch_name,
        .kill = host_kill,
        .kill_rest = host_kill_rest,
        .may_hide_rest = host_may_hide_rest,
        .request_job = host_request_job,
        .request_action = host_request_action,
        .guess_main = host_guess_main,
        .unit_of = host_unit_of,
        .group_path = host_group_path,
        .group_value = host_group_value,
        .list_unapplied = host_list_unapplied,
        .booted = host_booted,
        .started = host_started,
        .watch_clock = host_watch_clock,
        .find_mount = host_find_mount,
        .state_directory = host_state_directory,
        .resource_defaults = host_resource_defaults,
        .ignores_watchdogs = host_ignores_watchdogs,
        .open_files = host_open_files,
        .start_runs = host_start_runs,
        .stop_runs = host_stop_runs,
        .get_runs = host_get_runs,
        .write_runs = host_write_runs,
        .submit_run = host_submit_run,
        .log = host_log,
};
