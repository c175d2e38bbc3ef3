/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What units may ask for
 *
 * The units' side of the manager: each entry of UnitHostOps, in short.
 */

#include <assert.h>
#include <errno.h>

#include "basic/log.h"
#include "manager/manager_group.h"
#include "manager/manager_private.h"

static Manager *manager_of(UnitHost *host) {
        return container_of(host, Manager, host);
}

static usec_t host_now(UnitHost *host) {
        return manager_of(host)->now;
}

static usec_t host_now_realtime(UnitHost *host) {
        return manager_of(host)->now_realtime;
}

static int host_set_timer(UnitHost *host, Unit *unit, UnitPurpose purpose, usec_t deadline) {
        return manager_set_timer(manager_of(host), unit, purpose, deadline);
}

static int host_spawn(UnitHost *host, Unit *unit, UnitPurpose purpose) {
        ProcessOwner *owner = manager_make_owner(manager_of(host), unit);

        return owner ? process_errands_spawn(manager_of(host)->errands, owner, purpose) : -ENOMEM;
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

static int host_keep_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index, int fd) {
        return manager_keep_unit_fd(manager_of(host), unit, what, index, fd);
}

static int host_accept_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index, int listening) {
        return manager_accept_unit_fd(manager_of(host), unit, what, index, listening);
}

static void host_drop_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index) {
        manager_drop_unit_fd(manager_of(host), unit, what, index);
}

static int host_take_fd(UnitHost *host, const Unit *unit, const char *what, uint32_t index) {
        return manager_take_unit_fd(manager_of(host), unit, what, index);
}

static void host_settle_fds(UnitHost *host) {
        manager_settle_fds(manager_of(host));
}

static bool host_has_job(UnitHost *host, const Unit *unit) {
        return manager_has_job(manager_of(host), unit);
}

static int host_kill(UnitHost *host, Unit *unit, pid_t pid, int signal, bool is_group) {
        ProcessOwner *owner = manager_find_owner(manager_of(host), unit);

        return owner ? process_errands_kill(manager_of(host)->errands, owner, pid, signal, is_group) : -ESRCH;
}

static int host_kill_rest(UnitHost *host, Unit *unit, int signal, pid_t main_pid, pid_t control_pid) {
        ProcessOwner *owner = manager_make_owner(manager_of(host), unit);

        return owner ? process_errands_kill_rest(manager_of(host)->errands, owner, signal, main_pid, control_pid) : -ENOMEM;
}

static int host_request_job(UnitHost *host, Unit *unit, JobType type, JobMode mode, const char *reason) {
        return manager_request_job(manager_of(host), unit, type, mode, reason);
}

static void host_request_action(UnitHost *host, Unit *unit, int action, int exit_status, const char *reason) {
        assert((unsigned) action < _UNIT_ACTION_MAX);

        manager_request_action(manager_of(host), unit, (UnitAction) action, exit_status, reason);
}

static void host_log(UnitHost *host, Unit *unit, int level, const char *message) {
        log_write((LogLevel) level, unit->id, "%s", message);
}

static pid_t host_guess_main(UnitHost *host, const Unit *unit, pid_t except) {
        return manager_guess_main(manager_of(host), unit, except);
}

static Unit *host_unit_of(UnitHost *host, pid_t pid) {
        return manager_unit_of_group(manager_of(host), pid);
}

static int host_group_path(UnitHost *host, const Unit *unit, char **ret_path) {
        return manager_group_path(manager_of(host), unit, ret_path);
}

static int host_group_value(UnitHost *host, const Unit *unit, UnitGroupValue what, uint64_t *ret_value) {
        return manager_group_value(manager_of(host), unit, what, ret_value);
}

static int host_list_unapplied(UnitHost *host, const Unit *unit, char ***ret_list) {
        return manager_list_unapplied(manager_of(host), unit, ret_list);
}

static usec_t host_booted(UnitHost *host) {
        return manager_booted_at(manager_of(host));
}

static usec_t host_started(UnitHost *host) {
        return manager_started_at(manager_of(host), NULL);
}

static void host_watch_clock(UnitHost *host) {
        manager_watch_clock(manager_of(host));
}

static const struct MountEntry *host_find_mount(UnitHost *host, const char *where, bool is_fresh) {
        return manager_find_mount(manager_of(host), where, is_fresh);
}

static const char *host_state_directory(UnitHost *host) {
        return manager_state_directory(manager_of(host));
}

static const struct ResourceDefaults *host_resource_defaults(UnitHost *host) {
        return manager_resource_defaults(manager_of(host));
}

static bool host_is_busy(UnitHost *host, const Unit *unit) {
        return manager_is_busy(manager_of(host), unit);
}

static bool host_will_start(UnitHost *host, const Unit *unit) {
        return manager_will_start(manager_of(host), unit);
}

static bool host_will_stop(UnitHost *host, const Unit *unit) {
        return manager_will_stop(manager_of(host), unit);
}

static bool host_is_awaited(UnitHost *host, const Unit *unit) {
        return manager_is_awaited(manager_of(host), unit);
}

static int host_watch_name(UnitHost *host, Unit *unit, const char *name) {
        return manager_watch_name(manager_of(host), unit, name);
}

static int host_adopt(UnitHost *host, Unit *unit, const pid_t *pids, size_t n) {
        return manager_adopt_processes(manager_of(host), unit, pids, n);
}

static void host_ask_to_stop(UnitHost *host, Unit *unit) {
        manager_tell(manager_of(host), request_stop, unit);
        manager_of(host)->has_news = true;
}

const UnitHostOps manager_host_ops = {
        .adopt = host_adopt,
        .ask_to_stop = host_ask_to_stop,
        .now = host_now,
        .now_realtime = host_now_realtime,
        .set_timer = host_set_timer,
        .spawn = host_spawn,
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
        .log = host_log,
};
