/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units as owners of processes, timers and control groups
 *
 * The tables of src/process know owners; this file implements the owner that
 * represents a unit and passes the results of requests on to the unit's type.
 * Most units never make a request, so an owner is made when it is first
 * needed.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/exec_kill.h"
#include "manager/manager_owner.h"
#include "manager/manager_parts.h"
#include "manager/manager_section.h"
#include "process/process_watch.h"

typedef struct UnitOwner {
        ProcessOwner owner;
        Manager *manager; /* borrowed */
        Unit *unit; /* borrowed */
} UnitOwner;

static UnitOwner *of(ProcessOwner *owner) {
        return container_of(owner, UnitOwner, owner);
}

static void owner_changed(ProcessOwner *owner) {
        manager_turn_mark(&of(owner)->manager->turn, of(owner)->unit);
}

static void owner_released(ProcessOwner *owner) {
        manager_unloading_consider(&of(owner)->manager->unloading, of(owner)->unit);
}

/* Must be called before the unit's type is told of an event. */
static Unit *wake(ProcessOwner *owner) {
        manager_turn_enter(&of(owner)->manager->turn, of(owner)->unit);
        return of(owner)->unit;
}

int manager_surround(void *userdata, ExecRequest *request, ExecResult *result) {
        Manager *manager = userdata;

        if (manager->stages.stage >= MANAGER_KILLING) {
                exec_result_set(result, EXEC_STEP_RESOURCES, ECANCELED, "the manager ends, and all with it");
                return -ESHUTDOWN;
        }
        request->manager_environment = manager->environment.all;
        request->notify_socket = manager->notify.path;
        request->is_user_manager = manager->options.is_user;
        request->manager_pid = manager->options.keeper.pid > 0 ? manager->options.keeper.pid : getpid();
        request->open_files_limit = manager->limitations.open_files;
        return 0;
}

ProcessOwner *manager_owner_of(void *userdata, Unit *unit) {
        return manager_make_owner(userdata, unit);
}

/* The unit provides the command; the manager the control group and the output. */
static int owner_prepare(ProcessOwner *owner, UnitPurpose purpose, ExecRequest *request, ExecResult *result) {
        Manager *manager = of(owner)->manager;
        Unit *unit = of(owner)->unit;
        int r;

        if (!unit->vtable->prepare_spawn)
                return -ECANCELED;
        r = manager_surround(manager, request, result);
        if (r < 0)
                return r;
        r = unit->vtable->prepare_spawn(unit, purpose, request);
        if (r < 0 && r != -ECANCELED)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot prepare the command: %s", strerror(-r));
        if (r >= 0)
                r = process_groups_enter(manager->groups, owner, purpose, &request->cgroup, result);
        if (r < 0)
                return r;
        manager_invocations_note(&manager->invocations, unit);
        manager_log_prepare(manager->log, unit, request);
        return 0;
}

static void owner_spawned(ProcessOwner *owner, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        Unit *unit = wake(owner);

        manager_invocations_note(&of(owner)->manager->invocations, unit);
        if (unit->vtable->spawned)
                unit->vtable->spawned(unit, purpose, pid, result);
}

static void owner_exited(ProcessOwner *owner, const UnitExit *exit) {
        Unit *unit = wake(owner);

        if (unit->vtable->child_exited)
                unit->vtable->child_exited(unit, exit);
}

static void owner_elapsed(ProcessOwner *owner, UnitPurpose purpose) {
        Unit *unit = wake(owner);

        if (unit->vtable->timer_elapsed)
                unit->vtable->timer_elapsed(unit, purpose);
}

static void owner_fd_ready(ProcessOwner *owner, uint32_t index, uint32_t events) {
        Unit *unit = wake(owner);

        if (unit->vtable->fd_ready)
                unit->vtable->fd_ready(unit, index, events);
}

static int owner_count_group(ProcessOwner *owner, pid_t main_pid, pid_t control_pid) {
        return process_groups_count(of(owner)->manager->groups, owner, main_pid, control_pid);
}

static int owner_signal_group(ProcessOwner *owner, int signal, pid_t main_pid, pid_t control_pid) {
        return process_groups_signal(of(owner)->manager->groups, owner, signal, main_pid, control_pid);
}

static void owner_describe_rest(ProcessOwner *owner, ExecRest *rest) {
        const Unit *unit = of(owner)->unit;

        rest->invocation_id = unit->invocation_id;
        if (unit->vtable->last_main)
                rest->session = unit->vtable->last_main(unit, &rest->session_until);
}

/* — its control group — */

static bool owner_describe_group(ProcessOwner *owner, ProcessGroupTerms *terms) {
        const Unit *unit = of(owner)->unit;
        UnitGroup wanted = {};

        if (!unit->vtable->group)
                return false;
        unit->vtable->group(unit, &wanted);
        *terms = (ProcessGroupTerms) {
                .resources = wanted.resources,
                .is_slice = wanted.is_slice,
                .is_begun = wanted.is_begun,
                .keeps_leftovers = wanted.keeps_leftovers,
                .is_over = unit_state_is_inactive_or_failed(unit->active_state),
        };
        return true;
}

static const Unit *slice_of(const Unit *unit) {
        UnitRelations slices = unit_relations(unit, UNIT_IN_SLICE);

        return slices.n > 0 ? unit_table_at(unit->table, slices.items[0].other) : NULL;
}

static size_t owner_list_slices(ProcessOwner *owner, ProcessSlice slices[static PROCESS_SLICES_MAX]) {
        size_t n = 0;

        for (const Unit *slice = slice_of(of(owner)->unit); slice && n < PROCESS_SLICES_MAX; slice = slice_of(slice))
                slices[n++] = (ProcessSlice) {
                        .name = slice->id,
                        .resources = slice->vtable->holds_units ? slice->type_settings : NULL,
                        .owner = manager_find_owner(of(owner)->manager, slice),
                };
        return n;
}

static void owner_group_emptied(ProcessOwner *owner) {
        Unit *unit = wake(owner);

        if (unit->vtable->group_emptied)
                unit->vtable->group_emptied(unit);
}

static void owner_group_out_of_memory(ProcessOwner *owner) {
        Unit *unit = wake(owner);

        if (unit->vtable->group_out_of_memory)
                unit->vtable->group_out_of_memory(unit);
}

static void owner_freezer_changed(ProcessOwner *owner) {
        of(owner)->manager->turn.has_news = true;
        manager_listeners_tell(&of(owner)->manager->listeners, unit_changed, of(owner)->unit);
}

static const ProcessOwnerOps unit_owner_ops = {
        .prepare = owner_prepare,
        .spawned = owner_spawned,
        .exited = owner_exited,
        .elapsed = owner_elapsed,
        .fd_ready = owner_fd_ready,
        .count_group = owner_count_group,
        .signal_group = owner_signal_group,
        .describe_rest = owner_describe_rest,
        .describe_group = owner_describe_group,
        .list_slices = owner_list_slices,
        .group_emptied = owner_group_emptied,
        .group_out_of_memory = owner_group_out_of_memory,
        .freezer_changed = owner_freezer_changed,
        .changed = owner_changed,
        .released = owner_released,
};

ProcessOwner *manager_find_owner(const Manager *manager, const Unit *unit) {
        const ManagerUnit *row = manager_units_find(&manager->rows, unit);

        return row ? row->owner : NULL;
}

ProcessOwner *manager_make_owner(Manager *manager, Unit *unit) {
        ManagerUnit *row = manager_units_of(&manager->rows, unit);
        UnitOwner *owner;

        if (!row || row->owner)
                return row ? row->owner : NULL;
        owner = calloc(1, sizeof(*owner));
        if (!owner)
                return NULL;
        *owner = (UnitOwner) {
                .owner = { .ops = &unit_owner_ops, .name = unit->id },
                .manager = manager,
                .unit = unit,
        };
        row->owner = &owner->owner;
        return row->owner;
}

Unit *manager_unit_of_owner(const ProcessOwner *owner) {
        return owner->ops == &unit_owner_ops ? ((const UnitOwner *) owner)->unit : NULL;
}

void manager_drop_owner(Manager *manager, Unit *unit) {
        ProcessOwner *owner = manager_find_owner(manager, unit);

        if (!owner)
                return;
        process_timers_forget_owner(manager->timers, owner);
        process_table_forget_owner(manager->processes, owner);
        process_errands_forget_owner(manager->errands, owner);
        process_watch_forget_owner(owner);
        process_groups_forget_owner(owner);
        manager_units_of(&manager->rows, unit)->owner = NULL;
        free(of(owner));
}

int manager_set_timer(Manager *manager, Unit *unit, UnitPurpose purpose, usec_t deadline) {
        ProcessOwner *owner = deadline == USEC_INFINITY ? manager_find_owner(manager, unit)
                                                        : manager_make_owner(manager, unit);

        if (!owner)
                return deadline == USEC_INFINITY ? 0 : -ENOMEM;
        return process_timers_set(manager->timers, owner, purpose, deadline);
}

bool manager_has_timer(const Manager *manager, const Unit *unit, UnitPurpose purpose) {
        const ProcessOwner *owner = manager_find_owner(manager, unit);

        return owner && process_timers_has(owner, purpose);
}

const Process *manager_unit_process_list(const Manager *manager, const Unit *unit) {
        const ProcessOwner *owner = manager_find_owner(manager, unit);

        return owner ? owner->processes : NULL;
}

/* — control groups — */

ProcessOwner *manager_group_owner(Manager *manager, const Unit *unit) {
        ProcessOwner *owner = manager_find_owner(manager, unit);

        if (owner || !unit->vtable->group || unit_state_is_inactive_or_failed(unit->active_state) ||
            process_groups_reason(manager->groups))
                return owner;
        return manager_make_owner(manager, (Unit *) unit);
}

Unit *manager_unit_of_group(const Manager *manager, pid_t pid) {
        cleanup_free_ char *name = NULL;

        return process_groups_find_name(manager->groups, pid, &name) < 0 ? NULL : unit_table_find(manager->units, name);
}

void manager_follow_group(Manager *manager, Unit *unit) {
        ProcessOwner *owner = unit->vtable->group ? manager_group_owner(manager, unit) : NULL;

        if (owner)
                process_groups_follow(manager->groups, owner, unit->active_state == UNIT_ACTIVE);
}

static void apply_group(Manager *manager, const Unit *unit) {
        ProcessOwner *owner = manager_group_owner(manager, unit);

        if (owner)
                process_groups_apply(manager->groups, owner);
}

void manager_apply_groups(Manager *manager) {
        unit_table_foreach(manager->units, unit)
                apply_group(manager, unit);
}

/* — services for the tables — */

/* Above the kernel's limit of queued datagrams for a socket (net.unix.max_dgram_qlen). */
#define NOTIFICATIONS_BEFORE_EXITS 1024U

static usec_t host_now(void *userdata) {
        return ((const Manager *) userdata)->turn.now;
}

static ProcessOwner *host_find_owner(void *userdata, const char *name) {
        Manager *manager = userdata;
        Unit *unit = unit_table_find(manager->units, name);
        ProcessOwner *owner;

        if (unit)
                return manager_make_owner(manager, unit);
        owner = manager_attempts_find_owner(manager_runs_attempts(manager->runs), name);
        return owner ? owner : manager_callbacks_find_owner(manager_runs_callbacks(manager->runs), name);
}

static Journal *host_journal(void *userdata) {
        return state_journal(((const Manager *) userdata)->turn.state);
}

static uint64_t host_number_errand(void *userdata) {
        return state_number_errand(((const Manager *) userdata)->turn.state);
}

static void host_commit(void *userdata) {
        (void) state_commit(((const Manager *) userdata)->turn.state);
}

static void host_exits_changed(void *userdata) {
        manager_mark_queues(((const Manager *) userdata)->turn.state);
}

static void host_errand_changed(void *userdata, uint32_t number) {
        manager_mark_errand(((const Manager *) userdata)->turn.state, number);
}

/* A process of no owner may be one that an owner has not told us of yet. */
static bool may_have_told(const Manager *manager, const UnitExit *exits, size_t n) {
        for (size_t i = 0; i < n; i++) {
                const Process *process = process_table_find(manager->processes, exits[i].pid);

                if (!process || !process->owner->ops->is_silent)
                        return true;
        }
        return false;
}

static void host_before_exits(void *userdata, const UnitExit *exits, size_t n) {
        Manager *manager = userdata;

        process_errands_collect(manager->errands);
        process_rest_forget(manager->rest);
        if (may_have_told(manager, exits, n))
                manager_notify_read(&manager->notify, NOTIFICATIONS_BEFORE_EXITS);
}

static bool host_is_own(void *userdata, pid_t pid) {
        const Manager *manager = userdata;

        return manager_log_is_daemon(manager->log, pid) || manager_runs_is_daemon(manager->runs, pid);
}

static void host_begun(void *userdata, const ExecRequest *request, UnitPurpose purpose, pid_t pid) {
        manager_log_note_pid(((const Manager *) userdata)->log, request, purpose, pid);
}

static void host_settled(void *userdata, const ExecRequest *request) {
        manager_log_spawned(((const Manager *) userdata)->log, request);
}

static void host_no_process(void *userdata) {
        manager_limitations_note_no_process(&((Manager *) userdata)->limitations);
}

static void host_slices_made(void *userdata) {
        Manager *manager = userdata;

        unit_table_foreach(manager->units, unit)
                if (unit->vtable->holds_units)
                        apply_group(manager, unit);
}

static int host_spare_pidfd(void *userdata, int pidfd) {
        return manager_limitations_spare_pidfd(&((Manager *) userdata)->limitations, pidfd);
}

const ProcessHostOps manager_process_host_ops = {
        .now = host_now,
        .find_owner = host_find_owner,
        .journal = host_journal,
        .number_errand = host_number_errand,
        .commit = host_commit,
        .exits_changed = host_exits_changed,
        .errand_changed = host_errand_changed,
        .before_exits = host_before_exits,
        .is_own = host_is_own,
        .begun = host_begun,
        .settled = host_settled,
        .no_process = host_no_process,
        .slices_made = host_slices_made,
        .spare_pidfd = host_spare_pidfd,
};
