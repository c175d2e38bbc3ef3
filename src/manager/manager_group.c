/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control groups of units
 *
 * A group is made when the first process of a unit leaves, and removed as soon
 * as it is found empty: the attempt is the look, and for most services it is
 * the only one. If one with processes is waited for, the kernel tells when the
 * last has gone.
 *
 * Groups are known by the names of their units, so a manager that follows on
 * another finds them again when it needs them.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/cgroup_find.h"
#include "exec/cgroup_process.h"
#include "manager/manager_group_private.h"
#include "process/process_owner.h"
#include "process/process_table.h"
#include "types/resource_attribute.h"
#include "unit/unit_slice.h"
#include "unitfile/resource_settings.h"

static void init_resource_defaults(ManagerGroups *groups);

static void unwatch(ManagerGroupWatch *watch) {
        if (watch->source)
                close(watch->fd);
        watch->source = sd_event_source_disable_unref(watch->source);
}

static void free_group(ManagerGroup *group) {
        if (!group)
                return;
        unwatch(&group->events);
        unwatch(&group->memory);
        cgroup_free(group->control);
        if (!group->is_slice)
                cgroup_free(group->cgroup);
        strv_free(group->unapplied);
        free(group);
}

static void drop_group(ManagerGroups *groups, const Unit *unit) {
        ManagerUnit *row = manager_units_of(groups->rows, unit);

        if (row)
                free_group(take_ptr(row->group));
}

void manager_groups_forget_unit(ManagerGroups *groups, Unit *unit) {
        drop_group(groups, unit);
}

/* — is there anything of the kind? — */

/*
 * A PID 1 owns all that it can see; else there must be no process but the manager and its keeper.
 */
static int open_tree(ManagerGroups *groups, Failure *ret_failure) {
        cleanup_(cgroup_place_deinit) CgroupPlace place = {};
        pid_t keeper = groups->options->keeper.ops ? getppid() : 0;
        int r;

        r = cgroup_find(getpid() == 1 || keeper == 1, keeper, &place, ret_failure);
        if (r < 0)
                return r;
        r = cgroup_tree_new(place.folder, place.path, &groups->tree);
        if (r >= 0)
                r = cgroup_tree_move_manager(groups->tree);
        if (r < 0)
                return failure_set(ret_failure, r, "NoControlGroups", "%s cannot be used: %s", place.folder,
                                   strerror(-r));
        return 0;
}

void manager_groups_init(ManagerGroups *groups) {
        cleanup_(failure_deinit) Failure failure = {};
        int r = open_tree(groups, &failure);

        init_resource_defaults(groups);
        if (r >= 0) {
                cgroup_tree_sweep(groups->tree);
                log_info("Control groups of units are in %s.", cgroup_tree_folder(groups->tree));
                return;
        }
        groups->tree = cgroup_tree_free(groups->tree);
        groups->defaults.tasks_max = (ResourceLimit) {};
        groups->reason = strdup(failure_message(&failure));
        manager_limitations_note(groups->limitations, LOG_LEVEL_INFO, "Units have no control groups: %s.",
                                 failure_message(&failure));
}

void manager_groups_deinit(ManagerGroups *groups) {
        if (groups->tree)
                cgroup_tree_remove_slices(groups->tree);
        groups->tree = cgroup_tree_free(groups->tree);
        free(take_ptr(groups->reason));
}

/* — events — */

static void tell_emptied(ManagerGroup *group) {
        ManagerGroups *groups = group->groups;
        Unit *unit = group->unit;

        unwatch(&group->events);
        if (unit_state_is_inactive_or_failed(unit->active_state)) {
                manager_groups_follow(groups, unit, unit->active_state);
                return;
        }
        manager_turn_enter(groups->turn, unit);
        if (unit->vtable->group_emptied)
                unit->vtable->group_emptied(unit);
}

static int on_events(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        manager_group_frozen_changed(userdata);
        if (cgroup_is_populated(fd) <= 0)
                tell_emptied(userdata);
        return 0;
}

static int on_memory_events(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        ManagerGroup *group = userdata;
        uint64_t kills = 0;
        char rest[16];

        /* Reading the file arms the watch again. */
        (void) !pread(fd, rest, sizeof(rest), 0);
        if (cgroup_read(group->cgroup, "memory.events", "oom_kill", &kills) < 0 || kills <= group->oom_kills)
                return 0;
        unwatch(&group->memory);
        manager_turn_enter(group->groups->turn, group->unit);
        if (group->unit->vtable->group_out_of_memory)
                group->unit->vtable->group_out_of_memory(group->unit);
        return 0;
}

/* Owns @fd. Where it cannot be watched (a file that plays one), units find out by looking. */
static void watch(ManagerGroup *group, ManagerGroupWatch *watch_, int fd, sd_event_io_handler_t handler) {
        char rest[16];

        if (fd < 0 || sd_event_add_io(group->groups->turn->event, &watch_->source, fd, EPOLLPRI, handler, group) < 0) {
                watch_->source = NULL;
                if (fd >= 0)
                        close(fd);
                return;
        }
        watch_->fd = fd;
        (void) !pread(fd, rest, sizeof(rest), 0);
        /* Exits first: a unit that waits for its last process is to know how it ended. */
        sd_event_source_set_priority(watch_->source, MANAGER_PRIORITY_NOTIFY);
}

void manager_group_watch_events(ManagerGroup *group) {
        if (group->events.source || !group->cgroup)
                return;
        watch(group, &group->events, cgroup_open_events(group->cgroup), on_events);
        /* The last process went in between: the loop is made to look, as for any other. */
        if (group->events.source && cgroup_is_populated(group->events.fd) == 0)
                sd_event_source_set_io_events(group->events.source, EPOLLIN | EPOLLPRI);
}

static void watch_memory(ManagerGroup *group) {
        (void) cgroup_read(group->cgroup, "memory.events", "oom_kill", &group->oom_kills);
        if (!group->memory.source)
                watch(group, &group->memory, cgroup_open_file(group->cgroup, "memory.events"), on_memory_events);
}

/* — settings — */

void manager_group_note_unapplied(ManagerGroup *group, const char *directive, const char *what, int error) {
        cleanup_free_ char *line = NULL;

        if (error == -EOPNOTSUPP
                    ? text_format(&line, "%s= (no %s controller in %s)", directive, what,
                                  cgroup_tree_folder(group->groups->tree))
                    : text_format(&line, "%s= (%s: %s)", directive, what, strerror(-error)))
                return;
        if (!strv_contains(group->unapplied, line))
                (void) strv_push(&group->unapplied, line);
}

static void tell_unapplied(ManagerGroup *group) {
        ManagerUnit *row = manager_units_of(group->groups->rows, group->unit);
        cleanup_free_ char *list = NULL;

        if (!group->unapplied || !row || row->told_unapplied)
                return;
        row->told_unapplied = true;
        if (strv_join(group->unapplied, ", ", &list) == 0)
                log_write(LOG_LEVEL_WARNING, group->unit->id, "Resource limits not applied: %s.", list);
}

static void apply_controllers(ManagerGroup *group, const ResourceSettings *resources) {
        uint8_t wanted = resource_wanted_controllers(resources);

        for (unsigned i = 0; i < _CGROUP_CONTROLLER_MAX; i++) {
                CgroupController controller = (CgroupController) i;
                int r = wanted >> i & 1 ? cgroup_enable(group->cgroup, controller) : 0;

                if (r < 0 && !(resources->delegate && r == -EOPNOTSUPP))
                        manager_group_note_unapplied(group, resource_wanting_directive(resources, controller),
                                       cgroup_controller_to_string(controller), r);
        }
}

static void apply_attribute(ManagerGroup *group, const CgroupAttribute *attribute, bool with_defaults) {
        int r = attribute->error;

        if (attribute->is_default) {
                if (with_defaults && cgroup_is_enabled(group->cgroup, attribute->controller))
                        (void) cgroup_set(group->cgroup, attribute);
                return;
        }
        if (r == 0)
                r = cgroup_set(group->cgroup, attribute);
        if (r < 0)
                manager_group_note_unapplied(group, attribute->directive,
                                            r == -EOPNOTSUPP ? cgroup_controller_to_string(attribute->controller)
                                                             : attribute->file, r);
}

static void apply_limits(ManagerGroup *group, const ResourceSettings *resources, bool with_defaults) {
        ResourceDefaults defaults = group->groups->defaults;
        CgroupAttribute attributes[RESOURCE_ATTRIBUTES_MAX];
        size_t n;

        if (group->is_slice)
                defaults.tasks_max = (ResourceLimit) {};
        if (!resources && !with_defaults && !defaults.tasks_max.is_set)
                return;
        if (with_defaults) {
                cgroup_reset_devices(group->cgroup, "io.weight");
                cgroup_reset_devices(group->cgroup, "io.latency");
                cgroup_reset_devices(group->cgroup, "io.max");
        }
        n = resource_list_attributes(resources, &defaults, attributes);
        for (size_t i = 0; i < n; i++)
                apply_attribute(group, &attributes[i], with_defaults);
        if (resources && resources->delegate && !group->is_slice)
                cgroup_set_delegated(group->cgroup);
        if (resources)
                apply_controllers(group, resources);
        if (!group->is_slice && cgroup_is_enabled(group->cgroup, CGROUP_MEMORY))
                watch_memory(group);
}

/*
 * @with_defaults: what was set before and is not any more is taken back. 0; or < 0 with the result set: nothing may
 * begin in there.
 */
static int apply(ManagerGroup *group, const ResourceSettings *resources, bool with_defaults, ExecResult *result) {
        int r;

        group->unapplied = strv_free(group->unapplied);
        r = manager_group_apply_filters(group, resources, with_defaults, result);
        apply_limits(group, resources, with_defaults);
        tell_unapplied(group);
        return r;
}

void manager_groups_apply(ManagerGroups *groups) {
        if (!groups->tree)
                return;
        unit_table_foreach(groups->units, unit) {
                ManagerGroup *group = manager_groups_find(groups, unit);
                UnitGroup wanted = {};

                if (!group || !group->cgroup)
                        continue;
                unit->vtable->group(unit, &wanted);
                (void) apply(group, wanted.resources, true, &(ExecResult) {});
        }
}

static bool is_startup(const ManagerGroups *groups) {
        return *groups->stage != MANAGER_SERVING;
}

void manager_groups_follow_startup(ManagerGroups *groups) {
        if (groups->defaults.is_startup == is_startup(groups))
                return;
        groups->defaults.is_startup = is_startup(groups);
        unit_table_foreach(groups->units, unit) {
                const ManagerUnit *row = manager_units_of(groups->rows, unit);
                UnitGroup wanted = {};

                if (!row || !row->group || !row->group->cgroup)
                        continue;
                unit->vtable->group(unit, &wanted);
                if (resource_has_startup(wanted.resources))
                        (void) apply(row->group, wanted.resources, true, &(ExecResult) {});
        }
}

/* The default limit of tasks is set only where that is possible; where it is not, no setting is missing. */
static void init_resource_defaults(ManagerGroups *groups) {
        const ResourceLimit fallback = { .is_set = true, .is_part = true, .amount = 1500 };
        const ResourceLimit *given = groups->options->default_tasks_max;
        const ResourceLimit *wanted = given && given->is_set ? given : &fallback;

        groups->defaults = (ResourceDefaults) { .is_user = groups->options->is_user, .is_startup = true };
        if (groups->tree && cgroup_tree_has(groups->tree, CGROUP_PIDS))
                groups->defaults.tasks_max =
                        (ResourceLimit) { .is_set = true, .amount = MAX(resource_count_tasks(wanted), UINT64_C(1)) };
}

/* — making and finding — */

static int slice_of(ManagerGroups *groups, const Unit *unit, const UnitGroup *wanted, Cgroup **ret_slice) {
        cleanup_free_ char *own = NULL;
        const char *name = wanted->resources ? wanted->resources->slice : NULL;
        int r = 0;

        if (wanted->is_slice)
                name = unit->id;
        if (!name) {
                r = unit_slice_default(unit->id, groups->options->is_user, &own);
                name = own;
        }
        return r < 0 ? r : cgroup_tree_slice(groups->tree, name, ret_slice);
}

static const Process *processes_of(const ManagerGroups *groups, const Unit *unit) {
        const ManagerUnit *row = manager_units_find(groups->rows, unit);

        return row && row->owner ? row->owner->processes : NULL;
}

/* A unit stays in the slice that it was started in until it has stopped, also if its files name another by now. */
static int open_where_it_runs(ManagerGroups *groups, const Unit *unit, Cgroup **ret_cgroup) {
        int r = -ENOENT;

        for (const Process *at = processes_of(groups, unit); at && r == -ENOENT; at = at->next) {
                cleanup_free_ char *name = NULL;
                Cgroup *slice;

                if (!at->is_reaped && !at->is_lost)
                        r = cgroup_tree_find_slice_of(groups->tree, at->pid, unit->id, &name);
                if (r == 0)
                        r = cgroup_tree_slice(groups->tree, name, &slice);
                if (r == 0)
                        r = cgroup_open(slice, unit->id, ret_cgroup);
        }
        return r;
}

/* 0, 1 if it was there, or -errno. @only_existing: none is made. */
static int open_cgroup(ManagerGroups *groups, const Unit *unit, const UnitGroup *wanted, bool only_existing,
                       Cgroup **ret_cgroup) {
        Cgroup *slice;
        int r = slice_of(groups, unit, wanted, &slice);

        if (r < 0 || wanted->is_slice) {
                *ret_cgroup = slice;
                return r;
        }
        r = only_existing ? cgroup_open(slice, unit->id, ret_cgroup) : cgroup_make(slice, unit->id, ret_cgroup);
        return r == -ENOENT && only_existing ? open_where_it_runs(groups, unit, ret_cgroup) : r;
}

static int make_group(ManagerGroups *groups, const Unit *unit, const UnitGroup *wanted, bool only_existing,
                      ManagerGroup **ret_group) {
        ManagerUnit *row = manager_units_of(groups->rows, unit);
        cleanup_free_ ManagerGroup *group = NULL;
        int r;

        group = row ? calloc(1, sizeof(*group)) : NULL;
        if (!group)
                return -ENOMEM;
        r = open_cgroup(groups, unit, wanted, only_existing, &group->cgroup);
        if (r < 0)
                return r;
        group->groups = groups;
        group->unit = (Unit *) unit;
        group->is_slice = wanted->is_slice;
        if (r > 0 || only_existing || wanted->is_slice)
                manager_group_find_frozen(group);
        free_group(row->group);
        row->group = *ret_group = take_ptr(group);
        return r;
}

/* Of a unit that may have processes one may be there though we have not made it. */
ManagerGroup *manager_groups_find(ManagerGroups *groups, const Unit *unit) {
        ManagerUnit *row = manager_units_of(groups->rows, unit);
        ManagerGroup *group = row ? row->group : NULL;
        UnitGroup wanted = {};

        if (group || !groups->tree || !row || !unit->vtable->group ||
            unit_state_is_inactive_or_failed(unit->active_state))
                return group;
        unit->vtable->group(unit, &wanted);
        if (!wanted.is_begun || make_group(groups, unit, &wanted, true, &group) < 0)
                return NULL;
        return group;
}

static void clean_leftovers(ManagerGroup *group, const UnitGroup *wanted) {
        const char *id = group->unit->id;
        int n = cgroup_count(group->cgroup, &(CgroupSpared) {});

        if (n <= 0)
                return;
        if (wanted->keeps_leftovers) {
                log_write(LOG_LEVEL_WARNING, id, "%d processes of an earlier run are still there.", n);
                return;
        }
        log_write(LOG_LEVEL_WARNING, id, "%d processes of an earlier run are still there: they are killed.", n);
        cgroup_signal(group->cgroup, SIGKILL, &(CgroupSpared) {});
}

static const Cgroup *choose_cgroup(ManagerGroup *group, const UnitGroup *wanted, UnitPurpose purpose) {
        if (purpose != UNIT_PURPOSE_CONTROL || !wanted->resources || !wanted->resources->delegate)
                return group->cgroup;
        if (!group->control && cgroup_make_control(group->cgroup, &group->control) < 0)
                return group->cgroup;
        return group->control;
}

/* The slice of the unit was removed by another program. Settings of slices have to be set again. */
static int make_group_and_slices(ManagerGroups *groups, const Unit *unit, const UnitGroup *wanted,
                                 ManagerGroup **ret_group) {
        int r = cgroup_tree_mend(groups->tree);

        if (r <= 0)
                return r < 0 ? r : -ENOENT;
        log_write(LOG_LEVEL_WARNING, unit->id, "Control groups of slices are gone: they are made again.");
        unit_table_foreach(groups->units, other) {
                ManagerGroup *group = other->type == UNIT_SLICE ? manager_groups_find(groups, other) : NULL;

                if (group && group->cgroup)
                        (void) apply(group, other->type_settings, true, &(ExecResult) {});
        }
        r = manager_groups_check_slices(groups, unit, &(ExecResult) {});
        return r < 0 ? r : make_group(groups, unit, wanted, false, ret_group);
}

int manager_groups_enter(ManagerGroups *groups, Unit *unit, UnitPurpose purpose, const Cgroup **ret_group,
                         ExecResult *result) {
        ManagerUnit *row = manager_units_of(groups->rows, unit);
        ManagerGroup *group = row ? row->group : NULL;
        UnitGroup wanted = {};
        int r;

        *ret_group = NULL;
        if (!groups->tree || !row || !unit->vtable->group)
                return 0;
        r = manager_groups_check_slices(groups, unit, result);
        if (r < 0)
                return r;
        unit->vtable->group(unit, &wanted);
        if (group && group->cgroup && wanted.is_begun) {
                r = group->is_unfiltered ? apply(group, wanted.resources, true, result) : 0;
                if (r == 0)
                        *ret_group = choose_cgroup(group, &wanted, purpose);
                return r;
        }
        r = make_group(groups, unit, &wanted, false, &group);
        if (r == -ENOENT)
                r = make_group_and_slices(groups, unit, &wanted, &group);
        if (r < 0) {
                exec_result_set(result, EXEC_STEP_CGROUP, r, "cannot make it");
                return r;
        }
        if (r > 0 && !wanted.is_begun)
                clean_leftovers(group, &wanted);
        r = apply(group, wanted.resources, r > 0, result);
        if (r < 0)
                return r;
        *ret_group = choose_cgroup(group, &wanted, purpose);
        return 0;
}

/* — the end — */

/* Processes that are still in the group keep it; it goes with the last of them. */
static void leave_group(ManagerGroups *groups, Unit *unit, ManagerGroup *group) {
        unwatch(&group->memory);
        if (group->cgroup && cgroup_remove(group->cgroup) == -EBUSY) {
                manager_group_watch_events(group);
                if (group->events.source)
                        return;
        }
        drop_group(groups, unit);
        manager_unloading_consider(groups->unloading, unit);
}

static void leave_slice(ManagerGroups *groups, Unit *unit) {
        drop_group(groups, unit);
        (void) cgroup_tree_remove_slice(groups->tree, unit->id);
}

static void enter_slice(ManagerGroups *groups, Unit *unit, const UnitGroup *wanted) {
        ManagerGroup *group;
        int r = make_group(groups, unit, wanted, false, &group);

        if (r < 0)
                log_write(LOG_LEVEL_WARNING, unit->id, "It has no control group: %s.", strerror(-r));
        else
                (void) apply(group, wanted->resources, true, &(ExecResult) {});
}

void manager_groups_follow(ManagerGroups *groups, Unit *unit, UnitActiveState state) {
        ManagerUnit *row;
        UnitGroup wanted = {};

        if (!groups->tree || !unit->vtable->group)
                return;
        if (state != UNIT_ACTIVE)
                manager_groups_thaw(groups, unit);
        row = manager_units_of(groups->rows, unit);
        if (!row || (!row->group && unit->type != UNIT_SLICE))
                return;
        if (unit->type != UNIT_SLICE) {
                if (unit_state_is_inactive_or_failed(state))
                        leave_group(groups, unit, row->group);
                return;
        }
        unit->vtable->group(unit, &wanted);
        if (unit_state_is_inactive_or_failed(state))
                leave_slice(groups, unit);
        else if (!row->group)
                enter_slice(groups, unit, &wanted);
}

/* — processes — */

int manager_groups_count(ManagerGroups *groups, Unit *unit, pid_t main_pid, pid_t control_pid) {
        ManagerGroup *group = manager_groups_find(groups, unit);
        int n;

        if (!group)
                return -ENOENT;
        if (!group->cgroup)
                return 0;
        if (main_pid <= 0 && control_pid <= 0 && cgroup_remove(group->cgroup) == 0) {
                unwatch(&group->events);
                unwatch(&group->memory);
                group->control = cgroup_free(group->control);
                group->cgroup = cgroup_free(group->cgroup);
                return 0;
        }
        n = cgroup_count(group->cgroup, &(CgroupSpared) { .main_pid = main_pid, .control_pid = control_pid });
        if (n > 0)
                manager_group_watch_events(group);
        return n < 0 ? -ENOENT : n;
}

int manager_groups_signal(ManagerGroups *groups, Unit *unit, int signal, pid_t main_pid, pid_t control_pid) {
        const ManagerGroup *group = manager_groups_find(groups, unit);
        const CgroupSpared spared = { .main_pid = main_pid, .control_pid = control_pid, .with_groups = true };

        if (!group)
                return -ENOENT;
        return group->cgroup && cgroup_signal(group->cgroup, signal, &spared) < 0 ? -ENOENT : 0;
}

int manager_groups_list(ManagerGroups *groups, Unit *unit, ExecPids *pids) {
        const ManagerGroup *group = manager_groups_find(groups, unit);
        int r;

        if (!group)
                return 0;
        vector_clear(pids);
        r = group->cgroup && !group->is_slice ? cgroup_list_processes(group->cgroup, pids) : 0;
        return r == -ENOMEM ? r : r == 0;
}

pid_t manager_groups_guess_main(ManagerGroups *groups, const Unit *unit, pid_t except) {
        const ManagerGroup *group = manager_groups_find(groups, unit);
        pid_t found = 0;
        ExecPids pids = {};

        if (group && group->cgroup && cgroup_list_processes(group->cgroup, &pids) < 0)
                vector_clear(&pids);
        for (size_t i = 0; i < pids.n && found >= 0; i++) {
                ExecProcess process;

                if (pids.items[i] == except || exec_process_read(pids.items[i], &process) < 0 || process.state == 'Z' ||
                    (process.parent != getpid() && process.parent != exec_process_keeper()))
                        continue;
                found = found == 0 ? pids.items[i] : -1;
        }
        vector_deinit(&pids);
        return MAX(found, 0);
}

Unit *manager_groups_find_unit(ManagerGroups *groups, pid_t pid) {
        cleanup_free_ char *name = NULL;

        if (!groups->tree || cgroup_tree_find_unit(groups->tree, pid, &name) < 0)
                return NULL;
        return unit_table_find(groups->units, name);
}
