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
#include "types/resource_attribute.h"
#include "unit/unit_slice.h"
#include "unitfile/resource_settings.h"

static void init_resource_defaults(Manager *manager);

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

static void drop_group(Manager *manager, const Unit *unit) {
        ManagerUnit *of_unit = manager_of_unit(manager, unit);

        if (of_unit)
                free_group(take_ptr(of_unit->group));
}

void manager_forget_group(Manager *manager, Unit *unit) {
        drop_group(manager, unit);
}

/* — is there anything of the kind? — */

/*
 * Whoever is PID 1 owns all that it can see; else there must be nobody but us and our keeper.
 */
static int open_tree(Manager *manager, Failure *ret_failure) {
        cleanup_(cgroup_place_deinit) CgroupPlace place = {};
        pid_t keeper = manager->options.keeper.ops ? getppid() : 0;
        int r;

        r = cgroup_find(getpid() == 1 || keeper == 1, keeper, &place, ret_failure);
        if (r < 0)
                return r;
        r = cgroup_tree_new(place.folder, place.path, &manager->groups);
        if (r >= 0)
                r = cgroup_tree_move_manager(manager->groups);
        if (r < 0)
                return failure_set(ret_failure, r, "NoControlGroups", "%s cannot be used: %s", place.folder, strerror(-r));
        return 0;
}

void manager_init_groups(Manager *manager) {
        cleanup_(failure_deinit) Failure failure = {};
        int r = open_tree(manager, &failure);

        init_resource_defaults(manager);
        if (r >= 0) {
                cgroup_tree_sweep(manager->groups);
                log_info("Control groups of units are in %s.", cgroup_tree_folder(manager->groups));
                return;
        }
        manager->groups = cgroup_tree_free(manager->groups);
        manager->resource_defaults.tasks_max = (ResourceLimit) {};
        manager->no_groups = strdup(failure_message(&failure));
        manager_note_limitation(manager, LOG_LEVEL_INFO, "Units have no control groups: %s.", failure_message(&failure));
}

void manager_free_groups(Manager *manager) {
        if (manager->groups)
                cgroup_tree_remove_slices(manager->groups);
        manager->groups = cgroup_tree_free(manager->groups);
        free(take_ptr(manager->no_groups));
}

/* — events — */

static void tell_emptied(ManagerGroup *group) {
        Manager *manager = group->manager;
        Unit *unit = group->unit;

        unwatch(&group->events);
        if (unit_state_is_inactive_or_failed(unit->active_state)) {
                manager_follow_group(manager, unit, unit->active_state);
                return;
        }
        manager->has_news = true;
        manager_mark_unit(manager, unit);
        if (unit->vtable->group_emptied)
                unit->vtable->group_emptied(unit);
}

static int on_events(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        manager_frozen_changed(userdata);
        if (cgroup_is_populated(fd) <= 0)
                tell_emptied(userdata);
        return 0;
}

static int on_memory_events(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        ManagerGroup *group = userdata;
        uint64_t kills = 0;
        char rest[16];

        /* It is armed again by being read. */
        (void) !pread(fd, rest, sizeof(rest), 0);
        if (cgroup_read(group->cgroup, "memory.events", "oom_kill", &kills) < 0 || kills <= group->oom_kills)
                return 0;
        unwatch(&group->memory);
        group->manager->has_news = true;
        manager_mark_unit(group->manager, group->unit);
        if (group->unit->vtable->group_out_of_memory)
                group->unit->vtable->group_out_of_memory(group->unit);
        return 0;
}

/* Owns @fd. Where it cannot be watched (a file that plays one), units find out by looking. */
static void watch(ManagerGroup *group, ManagerGroupWatch *watch_, int fd, sd_event_io_handler_t handler) {
        char rest[16];

        if (fd < 0 || sd_event_add_io(group->manager->event, &watch_->source, fd, EPOLLPRI, handler, group) < 0) {
                watch_->source = NULL;
                if (fd >= 0)
                        close(fd);
                return;
        }
        watch_->fd = fd;
        (void) !pread(fd, rest, sizeof(rest), 0);
        /* Exits first: whoever waits for the last process wants to know how it ended. */
        sd_event_source_set_priority(watch_->source, MANAGER_PRIORITY_NOTIFY);
}

void manager_watch_events(ManagerGroup *group) {
        if (group->events.source || !group->cgroup)
                return;
        watch(group, &group->events, cgroup_open_events(group->cgroup), on_events);
        /* It went in between: the look that says so comes by the loop, as any other. */
        if (group->events.source && cgroup_is_populated(group->events.fd) == 0)
                sd_event_source_set_io_events(group->events.source, EPOLLIN | EPOLLPRI);
}

static void watch_memory(ManagerGroup *group) {
        (void) cgroup_read(group->cgroup, "memory.events", "oom_kill", &group->oom_kills);
        if (!group->memory.source)
                watch(group, &group->memory, cgroup_open_file(group->cgroup, "memory.events"), on_memory_events);
}

/* — settings — */

void manager_note_unapplied(ManagerGroup *group, const char *directive, const char *what, int error) {
        cleanup_free_ char *line = NULL;

        if (error == -EOPNOTSUPP
                    ? text_format(&line, "%s= (no %s controller in %s)", directive, what,
                                  cgroup_tree_folder(group->manager->groups))
                    : text_format(&line, "%s= (%s: %s)", directive, what, strerror(-error)))
                return;
        if (!strv_contains(group->unapplied, line))
                (void) strv_push(&group->unapplied, line);
}

static void tell_unapplied(ManagerGroup *group) {
        ManagerUnit *of_unit = manager_of_unit(group->manager, group->unit);
        cleanup_free_ char *list = NULL;

        if (!group->unapplied || !of_unit || of_unit->told_unapplied)
                return;
        of_unit->told_unapplied = true;
        if (strv_join(group->unapplied, ", ", &list) == 0)
                log_write(LOG_LEVEL_WARNING, group->unit->id, "Resource limits not applied: %s.", list);
}

static void apply_controllers(ManagerGroup *group, const ResourceSettings *resources) {
        uint8_t wanted = resource_wanted_controllers(resources);

        for (unsigned i = 0; i < _CGROUP_CONTROLLER_MAX; i++) {
                CgroupController controller = (CgroupController) i;
                int r = wanted >> i & 1 ? cgroup_enable(group->cgroup, controller) : 0;

                if (r < 0 && !(resources->delegate && r == -EOPNOTSUPP))
                        manager_note_unapplied(group, resource_wanting_directive(resources, controller),
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
                manager_note_unapplied(group, attribute->directive,
                               r == -EOPNOTSUPP ? cgroup_controller_to_string(attribute->controller) : attribute->file, r);
}

static void apply_limits(ManagerGroup *group, const ResourceSettings *resources, bool with_defaults) {
        ResourceDefaults defaults = *manager_resource_defaults(group->manager);
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
 * @with_defaults: what was set before and is not any more is taken back. 0; or < 0 with the result set: nothing may begin
 * in there.
 */
static int apply(ManagerGroup *group, const ResourceSettings *resources, bool with_defaults, ExecResult *result) {
        int r;

        group->unapplied = strv_free(group->unapplied);
        r = manager_apply_filters(group, resources, with_defaults, result);
        apply_limits(group, resources, with_defaults);
        tell_unapplied(group);
        return r;
}

void manager_apply_groups(Manager *manager) {
        if (!manager->groups)
                return;
        unit_table_foreach(manager->units, unit) {
                ManagerGroup *group = manager_find_group(manager, unit);
                UnitGroup wanted = {};

                if (!group || !group->cgroup)
                        continue;
                unit->vtable->group(unit, &wanted);
                (void) apply(group, wanted.resources, true, &(ExecResult) {});
        }
}

static bool is_startup(const Manager *manager) {
        return manager->stage != MANAGER_SERVING;
}

const ResourceDefaults *manager_resource_defaults(Manager *manager) {
        return &manager->resource_defaults;
}

void manager_follow_startup(Manager *manager) {
        if (manager->resource_defaults.is_startup == is_startup(manager))
                return;
        manager->resource_defaults.is_startup = is_startup(manager);
        unit_table_foreach(manager->units, unit) {
                const ManagerUnit *of_unit = manager_of_unit(manager, unit);
                UnitGroup wanted = {};

                if (!of_unit || !of_unit->group || !of_unit->group->cgroup)
                        continue;
                unit->vtable->group(unit, &wanted);
                if (resource_has_startup(wanted.resources))
                        (void) apply(of_unit->group, wanted.resources, true, &(ExecResult) {});
        }
}

/* A limit of tasks that nobody asked for is set only where that is possible, and where it is not nobody misses it. */
static void init_resource_defaults(Manager *manager) {
        const ResourceLimit fallback = { .is_set = true, .is_part = true, .amount = 1500 };
        const ResourceLimit *wanted = manager->options.default_tasks_max.is_set ? &manager->options.default_tasks_max
                                                                                : &fallback;

        manager->resource_defaults = (ResourceDefaults) { .is_user = manager->options.is_user, .is_startup = true };
        if (manager->groups && cgroup_tree_has(manager->groups, CGROUP_PIDS))
                manager->resource_defaults.tasks_max =
                        (ResourceLimit) { .is_set = true, .amount = MAX(resource_count_tasks(wanted), UINT64_C(1)) };
}

/* — making and finding — */

static int slice_of(Manager *manager, const Unit *unit, const UnitGroup *wanted, Cgroup **ret_slice) {
        cleanup_free_ char *own = NULL;
        const char *name = wanted->resources ? wanted->resources->slice : NULL;
        int r = 0;

        if (wanted->is_slice)
                name = unit->id;
        if (!name) {
                r = unit_slice_default(unit->id, manager->options.is_user, &own);
                name = own;
        }
        return r < 0 ? r : cgroup_tree_slice(manager->groups, name, ret_slice);
}

/* Its files may name another slice by now than the one that it was started in: it stays there until it has stopped. */
static int open_where_it_runs(Manager *manager, const Unit *unit, Cgroup **ret_cgroup) {
        int r = -ENOENT;

        for (const Process *at = manager_unit_process_list(manager, unit); at && r == -ENOENT; at = at->next) {
                cleanup_free_ char *name = NULL;
                Cgroup *slice;

                if (!at->is_reaped && !at->is_lost)
                        r = cgroup_tree_find_slice_of(manager->groups, at->pid, unit->id, &name);
                if (r == 0)
                        r = cgroup_tree_slice(manager->groups, name, &slice);
                if (r == 0)
                        r = cgroup_open(slice, unit->id, ret_cgroup);
        }
        return r;
}

/* 0, 1 if it was there, or -errno. @only_existing: none is made. */
static int open_cgroup(Manager *manager, const Unit *unit, const UnitGroup *wanted, bool only_existing,
                       Cgroup **ret_cgroup) {
        Cgroup *slice;
        int r = slice_of(manager, unit, wanted, &slice);

        if (r < 0 || wanted->is_slice) {
                *ret_cgroup = slice;
                return r;
        }
        r = only_existing ? cgroup_open(slice, unit->id, ret_cgroup) : cgroup_make(slice, unit->id, ret_cgroup);
        return r == -ENOENT && only_existing ? open_where_it_runs(manager, unit, ret_cgroup) : r;
}

static int make_group(Manager *manager, const Unit *unit, const UnitGroup *wanted, bool only_existing,
                      ManagerGroup **ret_group) {
        ManagerUnit *of_unit = manager_of_unit(manager, unit);
        cleanup_free_ ManagerGroup *group = NULL;
        int r;

        group = of_unit ? calloc(1, sizeof(*group)) : NULL;
        if (!group)
                return -ENOMEM;
        r = open_cgroup(manager, unit, wanted, only_existing, &group->cgroup);
        if (r < 0)
                return r;
        group->manager = manager;
        group->unit = (Unit *) unit;
        group->is_slice = wanted->is_slice;
        if (r > 0 || only_existing || wanted->is_slice)
                manager_find_frozen(group);
        free_group(of_unit->group);
        of_unit->group = *ret_group = take_ptr(group);
        return r;
}

/* Of a unit that may have processes one may be there though we have not made it. */
ManagerGroup *manager_find_group(Manager *manager, const Unit *unit) {
        ManagerUnit *of_unit = manager_of_unit(manager, unit);
        ManagerGroup *group = of_unit ? of_unit->group : NULL;
        UnitGroup wanted = {};

        if (group || !manager->groups || !of_unit || !unit->vtable->group ||
            unit_state_is_inactive_or_failed(unit->active_state))
                return group;
        unit->vtable->group(unit, &wanted);
        if (!wanted.is_begun || make_group(manager, unit, &wanted, true, &group) < 0)
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

/* Somebody has removed the slice that it belongs into. What is set for slices has to be set again. */
static int make_group_and_slices(Manager *manager, const Unit *unit, const UnitGroup *wanted, ManagerGroup **ret_group) {
        int r = cgroup_tree_mend(manager->groups);

        if (r <= 0)
                return r < 0 ? r : -ENOENT;
        log_write(LOG_LEVEL_WARNING, unit->id, "Control groups of slices are gone: they are made again.");
        unit_table_foreach(manager->units, other) {
                ManagerGroup *group = other->type == UNIT_SLICE ? manager_find_group(manager, other) : NULL;

                if (group && group->cgroup)
                        (void) apply(group, other->type_settings, true, &(ExecResult) {});
        }
        r = manager_check_slices(manager, unit, &(ExecResult) {});
        return r < 0 ? r : make_group(manager, unit, wanted, false, ret_group);
}

int manager_enter_group(Manager *manager, Unit *unit, UnitPurpose purpose, const Cgroup **ret_group, ExecResult *result) {
        ManagerUnit *of_unit = manager_of_unit(manager, unit);
        ManagerGroup *group = of_unit ? of_unit->group : NULL;
        UnitGroup wanted = {};
        int r;

        *ret_group = NULL;
        if (!manager->groups || !of_unit || !unit->vtable->group)
                return 0;
        r = manager_check_slices(manager, unit, result);
        if (r < 0)
                return r;
        unit->vtable->group(unit, &wanted);
        if (group && group->cgroup && wanted.is_begun) {
                r = group->is_unfiltered ? apply(group, wanted.resources, true, result) : 0;
                if (r == 0)
                        *ret_group = choose_cgroup(group, &wanted, purpose);
                return r;
        }
        r = make_group(manager, unit, &wanted, false, &group);
        if (r == -ENOENT)
                r = make_group_and_slices(manager, unit, &wanted, &group);
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

/* What is still in there keeps it; then it goes when that has gone. */
static void leave_group(Manager *manager, Unit *unit, ManagerGroup *group) {
        unwatch(&group->memory);
        if (group->cgroup && cgroup_remove(group->cgroup) == -EBUSY) {
                manager_watch_events(group);
                if (group->events.source)
                        return;
        }
        drop_group(manager, unit);
        manager_consider_unloading(manager, unit);
}

static void leave_slice(Manager *manager, Unit *unit) {
        drop_group(manager, unit);
        (void) cgroup_tree_remove_slice(manager->groups, unit->id);
}

static void enter_slice(Manager *manager, Unit *unit, const UnitGroup *wanted) {
        ManagerGroup *group;
        int r = make_group(manager, unit, wanted, false, &group);

        if (r < 0)
                log_write(LOG_LEVEL_WARNING, unit->id, "It has no control group: %s.", strerror(-r));
        else
                (void) apply(group, wanted->resources, true, &(ExecResult) {});
}

void manager_follow_group(Manager *manager, Unit *unit, UnitActiveState state) {
        ManagerUnit *of_unit;
        UnitGroup wanted = {};

        if (!manager->groups || !unit->vtable->group)
                return;
        if (state != UNIT_ACTIVE)
                manager_thaw_group(manager, unit);
        of_unit = manager_of_unit(manager, unit);
        if (!of_unit || (!of_unit->group && unit->type != UNIT_SLICE))
                return;
        if (unit->type != UNIT_SLICE) {
                if (unit_state_is_inactive_or_failed(state))
                        leave_group(manager, unit, of_unit->group);
                return;
        }
        unit->vtable->group(unit, &wanted);
        if (unit_state_is_inactive_or_failed(state))
                leave_slice(manager, unit);
        else if (!of_unit->group)
                enter_slice(manager, unit, &wanted);
}

/* — processes — */

int manager_count_group(Manager *manager, Unit *unit, pid_t main_pid, pid_t control_pid) {
        ManagerGroup *group = manager_find_group(manager, unit);
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
                manager_watch_events(group);
        return n < 0 ? -ENOENT : n;
}

int manager_signal_group(Manager *manager, Unit *unit, int signal, pid_t main_pid, pid_t control_pid) {
        const ManagerGroup *group = manager_find_group(manager, unit);
        const CgroupSpared spared = { .main_pid = main_pid, .control_pid = control_pid, .with_groups = true };

        if (!group)
                return -ENOENT;
        return group->cgroup && cgroup_signal(group->cgroup, signal, &spared) < 0 ? -ENOENT : 0;
}

int manager_list_group(Manager *manager, Unit *unit, ExecPids *pids) {
        const ManagerGroup *group = manager_find_group(manager, unit);
        int r;

        if (!group)
                return 0;
        vector_clear(pids);
        r = group->cgroup && !group->is_slice ? cgroup_list_processes(group->cgroup, pids) : 0;
        return r == -ENOMEM ? r : r == 0;
}

pid_t manager_guess_main(Manager *manager, const Unit *unit, pid_t except) {
        const ManagerGroup *group = manager_find_group(manager, unit);
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

Unit *manager_unit_of_group(Manager *manager, pid_t pid) {
        cleanup_free_ char *name = NULL;

        if (!manager->groups || cgroup_tree_find_unit(manager->groups, pid, &name) < 0)
                return NULL;
        return unit_table_find(manager->units, name);
}
