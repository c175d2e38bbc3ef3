/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control groups of owners
 *
 * A group is made with the first process of its owner. When a process has ended,
 * the group is removed by rmdir(2), which fails if there are others: so the usual
 * service, which has no others, needs no further look. While an owner waits for
 * other processes, cgroup.events tells when the last one has ended.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "exec/cgroup_control.h"
#include "exec/cgroup_find.h"
#include "exec/cgroup_process.h"
#include "process/group_filter.h"
#include "process/group_freezer.h"
#include "process/group_limit.h"
#include "process/group_refusal.h"
#include "process/group_value.h"
#include "process/group_watch.h"
#include "process/process_group.h"
#include "process/process_keeper.h"
#include "process/process_table.h"
#include "process/resource_attribute.h"
#include "unit/unit_slice.h"
#include "unitfile/resource_count.h"

typedef struct ProcessGroup {
        ProcessGroups *groups; /* borrowed */
        ProcessOwner *owner; /* borrowed */
        struct ProcessGroup *previous, *next; /* in .groups */
        Cgroup *cgroup; /* owned, unless of a slice; NULL: empty and removed */
        Cgroup *control; /* owned: in .cgroup if that is delegated; made when needed */
        bool is_slice;
        bool is_unfiltered; /* lacks a filter that the machine supports */
        GroupFreezer freezer;
        uint64_t oom_kills; /* kills that the owner was told of, or that came before this run */
        GroupWatch events; /* cgroup.events, watched while the owner waits for it */
        GroupWatch memory; /* memory.events: kills for lack of memory */
        GroupRefusals refusals; /* settings that the kernel refused */
} ProcessGroup;

struct ProcessGroups {
        const ProcessHost *host; /* borrowed */
        bool is_user;
        CgroupTree *tree; /* owned; NULL: no control groups … */
        char *reason; /* owned: … and this is why */
        bool has_unfiltered_slices; /* some slice lacked a filter at some time */
        ResourceDefaults defaults;
        ProcessGroup *first; /* each one belongs to its owner */
};

static void link_group(ProcessGroups *groups, ProcessGroup *group) {
        group->next = groups->first;
        if (group->next)
                group->next->previous = group;
        groups->first = group;
}

static void unlink_group(ProcessGroup *group) {
        if (group->previous)
                group->previous->next = group->next;
        else
                group->groups->first = group->next;
        if (group->next)
                group->next->previous = group->previous;
}

static void drop_group(ProcessOwner *owner) {
        ProcessGroup *group = take_ptr(owner->group);

        if (!group)
                return;
        unlink_group(group);
        group_watch_stop(&group->events);
        group_watch_stop(&group->memory);
        cgroup_free(group->control);
        if (!group->is_slice)
                cgroup_free(group->cgroup);
        group_refusals_clear(&group->refusals);
        free(group);
}

void process_groups_forget_owner(ProcessOwner *owner) {
        drop_group(owner);
}

static bool describe(ProcessOwner *owner, ProcessGroupTerms *terms) {
        *terms = (ProcessGroupTerms) {};
        return owner->ops->describe_group && owner->ops->describe_group(owner, terms);
}

static size_t list_slices(ProcessOwner *owner, ProcessSlice slices[static PROCESS_SLICES_MAX]) {
        return owner->ops->list_slices ? owner->ops->list_slices(owner, slices) : 0;
}

size_t process_slices_below(ProcessOwner *above, const char *name, const struct ResourceSettings *resources,
                            ProcessSlice slices[static PROCESS_SLICES_MAX]) {
        ProcessSlice others[PROCESS_SLICES_MAX];
        size_t n, n_others;

        if (!above)
                return 0;
        n_others = MIN(list_slices(above, others), PROCESS_SLICES_MAX - 1);
        slices[0] = (ProcessSlice) { .name = name, .resources = resources, .owner = above };
        for (n = 0; n < n_others; n++)
                slices[n + 1] = others[n];
        return n + 1;
}

/* — the tree — */

/* PID 1 owns the whole tree. Another program owns its group if no process but itself and its keeper is in it. */
int process_groups_find_tree(const ProcessHost *host, bool is_user, CgroupTree **ret_tree, Failure *ret_failure) {
        cleanup_(cgroup_place_deinit) CgroupPlace place = {};
        cleanup_(cgroup_tree_freep) CgroupTree *tree = NULL;
        pid_t keeper = host->keeper->ops ? getppid() : 0;
        int r;

        r = cgroup_find(getpid() == 1 || keeper == 1, is_user, keeper, &place, ret_failure);
        if (r < 0)
                return r;
        r = cgroup_tree_new(place.folder, place.path, &tree);
        if (r >= 0)
                r = cgroup_tree_move_manager(tree);
        if (r < 0)
                return failure_set(ret_failure, r, "NoControlGroups", "%s cannot be used: %s", place.folder,
                                   strerror(-r));
        cgroup_tree_sweep(tree);
        *ret_tree = take_ptr(tree);
        return 0;
}

/* The default limit of tasks is set only where possible; elsewhere it is not reported as missing. */
static ResourceDefaults make_defaults(bool is_user, const ResourceLimit *tasks_max, const CgroupTree *tree) {
        const ResourceLimit fallback = { .is_set = true, .is_part = true, .amount = 1500 };
        const ResourceLimit *wanted = tasks_max && tasks_max->is_set ? tasks_max : &fallback;
        ResourceDefaults defaults = { .is_user = is_user, .is_startup = true };

        if (tree && cgroup_tree_has(tree, CGROUP_PIDS))
                defaults.tasks_max = (ResourceLimit) { .is_set = true,
                                                      .amount = MAX(resource_count_tasks(wanted), UINT64_C(1)) };
        return defaults;
}

int process_groups_new(ProcessGroups **ret_groups, const ProcessHost *host, bool is_user,
                       const ResourceLimit *tasks_max, CgroupTree *tree, const char *reason) {
        ProcessGroups *groups = calloc(1, sizeof(*groups));

        if (groups && !tree)
                groups->reason = strdup(reason);
        if (!groups || (!tree && !groups->reason)) {
                cgroup_tree_free(tree);
                free(groups);
                return -ENOMEM;
        }
        groups->host = host;
        groups->is_user = is_user;
        groups->tree = tree;
        groups->defaults = make_defaults(is_user, tasks_max, tree);
        *ret_groups = groups;
        return 0;
}

ProcessGroups *process_groups_free(ProcessGroups *groups) {
        if (!groups)
                return NULL;
        if (groups->tree)
                cgroup_tree_remove_slices(groups->tree);
        cgroup_tree_free(groups->tree);
        free(groups->reason);
        free(groups);
        return NULL;
}

const char *process_groups_reason(const ProcessGroups *groups) {
        return groups->reason;
}

const ResourceDefaults *process_groups_defaults(const ProcessGroups *groups) {
        return &groups->defaults;
}

/* — events — */

static void tell_emptied(ProcessGroup *group) {
        ProcessOwner *owner = group->owner;
        ProcessGroupTerms terms;

        group_watch_stop(&group->events);
        if (describe(owner, &terms) && terms.is_over)
                process_groups_follow(group->groups, owner, false);
        else if (owner->ops->group_emptied)
                owner->ops->group_emptied(owner);
}

static void tell_freezer(ProcessOwner *owner) {
        if (owner->ops->freezer_changed)
                owner->ops->freezer_changed(owner);
}

static int on_events(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        ProcessGroup *group = userdata;

        if (group->freezer.is_frozen || group->freezer.is_thawing)
                tell_freezer(group->owner);
        if (cgroup_is_populated(fd) <= 0)
                tell_emptied(group);
        return 0;
}

static int on_memory_events(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        ProcessGroup *group = userdata;
        uint64_t kills = 0;
        char rest[16];

        /* Reading the file arms the watch again. */
        (void) !pread(fd, rest, sizeof(rest), 0);
        if (cgroup_read(group->cgroup, "memory.events", "oom_kill", &kills) < 0 || kills <= group->oom_kills)
                return 0;
        group_watch_stop(&group->memory);
        if (group->owner->ops->group_out_of_memory)
                group->owner->ops->group_out_of_memory(group->owner);
        return 0;
}

/* Watches whether the group has processes, and whether they are frozen. */
static void watch_events(ProcessGroup *group) {
        if (group->events.source || !group->cgroup)
                return;
        group_watch_start(&group->events, group->groups->host, cgroup_open_events(group->cgroup), on_events, group);
        /* If the last process ended before the watch began, the handler is called as for any other event. */
        if (group->events.source && cgroup_is_populated(group->events.fd) == 0)
                sd_event_source_set_io_events(group->events.source, EPOLLIN | EPOLLPRI);
}

static void watch_memory(ProcessGroup *group) {
        (void) cgroup_read(group->cgroup, "memory.events", "oom_kill", &group->oom_kills);
        if (!group->memory.source)
                group_watch_start(&group->memory, group->groups->host, cgroup_open_file(group->cgroup, "memory.events"),
                                  on_memory_events, group);
}

/* — settings — */

static void tell_refusals(ProcessGroup *group) {
        cleanup_free_ char *list = NULL;

        if (!group->refusals.lines || group->owner->told_refusals)
                return;
        group->owner->told_refusals = true;
        if (strv_join(group->refusals.lines, ", ", &list) == 0)
                log_write(LOG_LEVEL_WARNING, group->owner->name, "Resource limits not applied: %s.", list);
}

static int apply_filter(ProcessGroup *group, const ResourceSettings *resources, bool with_defaults,
                        ExecResult *result) {
        ProcessSlice slices[PROCESS_SLICES_MAX];
        const GroupFilter filter = {
                .own = resources,
                .is_slice = group->is_slice,
                .with_defaults = with_defaults,
                .slices = slices,
                .n_slices = group->is_slice ? 0 : list_slices(group->owner, slices),
        };
        int r = group_filter_apply(&filter, group->cgroup, &group->refusals, result);

        group->is_unfiltered = r < 0;
        if (r < 0 && group->is_slice)
                group->groups->has_unfiltered_slices = true;
        return r;
}

/*
 * @with_defaults: settings that were removed are reset. 0; or < 0 with the result set: no process may start in the
 * group.
 */
static int apply(ProcessGroup *group, const ResourceSettings *resources, bool with_defaults, ExecResult *result) {
        const GroupLimits limits = {
                .settings = resources,
                .defaults = group->groups->defaults,
                .is_slice = group->is_slice,
                .with_defaults = with_defaults,
        };
        int r;

        group_refusals_clear(&group->refusals);
        r = apply_filter(group, resources, with_defaults, result);
        if (group_limits_apply(&limits, group->cgroup, &group->refusals) && !group->is_slice &&
            cgroup_is_enabled(group->cgroup, CGROUP_MEMORY))
                watch_memory(group);
        tell_refusals(group);
        return r;
}

/* Checks that the slices of the owner have their filters. 0; or < 0 with the result set. */
static int check_slices(const ProcessGroups *groups, ProcessOwner *owner, ExecResult *result) {
        ProcessSlice slices[PROCESS_SLICES_MAX];
        size_t n = groups->has_unfiltered_slices ? list_slices(owner, slices) : 0;

        for (size_t i = 0; i < n; i++) {
                if (!slices[i].owner || !slices[i].owner->group || !slices[i].owner->group->is_unfiltered)
                        continue;
                exec_result_set(result, EXEC_STEP_CGROUP, 0, "what %s says of devices has no effect", slices[i].name);
                return -EPERM;
        }
        return 0;
}

/* — making and finding — */

static ProcessGroup *find_group(ProcessGroups *groups, ProcessOwner *owner);

static int cgroup_of(ProcessGroups *groups, ProcessOwner *owner, Cgroup **ret_cgroup) {
        const ProcessGroup *group = find_group(groups, owner);

        if (!group || !group->cgroup)
                return -ENOENT;
        *ret_cgroup = group->cgroup;
        return 0;
}

static int slice_of(ProcessGroups *groups, const ProcessOwner *owner, const ProcessGroupTerms *terms,
                    Cgroup **ret_slice) {
        cleanup_free_ char *own = NULL;
        const char *name = terms->resources ? terms->resources->slice : NULL;
        int r = 0;

        if (terms->parent)
                return cgroup_of(groups, terms->parent, ret_slice);
        if (terms->is_slice)
                name = owner->name;
        if (!name) {
                r = unit_slice_default(owner->name, groups->is_user, &own);
                name = own;
        }
        return r < 0 ? r : cgroup_tree_slice(groups->tree, name, ret_slice);
}

/* An owner stays in the slice that it was started in until it has stopped, also if its files name another by now. */
static int open_where_it_runs(ProcessGroups *groups, const ProcessOwner *owner, Cgroup **ret_cgroup) {
        int r = -ENOENT;

        for (const Process *at = owner->processes; at && r == -ENOENT; at = at->next) {
                cleanup_free_ char *name = NULL;
                Cgroup *slice;

                if (!at->is_reaped && !at->is_lost)
                        r = cgroup_tree_find_slice_of(groups->tree, at->pid, owner->name, &name);
                if (r == 0)
                        r = cgroup_tree_slice(groups->tree, name, &slice);
                if (r == 0)
                        r = cgroup_open(slice, owner->name, ret_cgroup);
        }
        return r;
}

/* 0, 1 if the group existed, or -errno. @only_existing: does not make one. */
static int open_cgroup(ProcessGroups *groups, const ProcessOwner *owner, const ProcessGroupTerms *terms,
                       bool only_existing, Cgroup **ret_cgroup) {
        Cgroup *slice;
        int r = slice_of(groups, owner, terms, &slice);

        if (r < 0 || terms->is_slice) {
                *ret_cgroup = slice;
                return r;
        }
        r = only_existing ? cgroup_open(slice, owner->name, ret_cgroup) : cgroup_make(slice, owner->name, ret_cgroup);
        return r == -ENOENT && only_existing ? open_where_it_runs(groups, owner, ret_cgroup) : r;
}

static int make_group(ProcessGroups *groups, ProcessOwner *owner, const ProcessGroupTerms *terms, bool only_existing) {
        cleanup_free_ ProcessGroup *group = calloc(1, sizeof(*group));
        int r;

        if (!group)
                return -ENOMEM;
        r = open_cgroup(groups, owner, terms, only_existing, &group->cgroup);
        if (r < 0)
                return r;
        group->groups = groups;
        group->owner = owner;
        group->is_slice = terms->is_slice;
        group->refusals.folder = cgroup_tree_folder(groups->tree);
        if (groups->host->keeper->is_again && (r > 0 || only_existing || terms->is_slice))
                group_freezer_find(&group->freezer, group->cgroup);
        drop_group(owner);
        link_group(groups, group);
        owner->group = take_ptr(group);
        return r;
}

/* Also finds a group that an earlier core has made. NULL: there is none. */
static ProcessGroup *find_group(ProcessGroups *groups, ProcessOwner *owner) {
        ProcessGroupTerms terms;

        if (!owner->group && groups->tree && describe(owner, &terms) && !terms.is_over && terms.is_begun)
                (void) make_group(groups, owner, &terms, true);
        return owner->group;
}

void process_groups_apply(ProcessGroups *groups, ProcessOwner *owner) {
        const ProcessGroup *group = find_group(groups, owner);
        ProcessGroupTerms terms;

        if (group && group->cgroup && describe(owner, &terms))
                (void) apply(owner->group, terms.resources, true, &(ExecResult) {});
}

void process_groups_follow_startup(ProcessGroups *groups, bool is_startup) {
        if (groups->defaults.is_startup == is_startup)
                return;
        groups->defaults.is_startup = is_startup;
        for (ProcessGroup *group = groups->first; group; group = group->next) {
                ProcessGroupTerms terms;

                if (group->cgroup && describe(group->owner, &terms) && resource_has_startup(terms.resources))
                        (void) apply(group, terms.resources, true, &(ExecResult) {});
        }
}

static void clean_leftovers(const ProcessGroup *group, const ProcessGroupTerms *terms) {
        const char *name = group->owner->name;
        int n = cgroup_count(group->cgroup, &(CgroupSpared) {});

        if (n <= 0)
                return;
        if (terms->keeps_leftovers) {
                log_write(LOG_LEVEL_WARNING, name, "%d processes of an earlier run are still there.", n);
                return;
        }
        log_write(LOG_LEVEL_WARNING, name, "%d processes of an earlier run are still there: they are killed.", n);
        cgroup_signal(group->cgroup, SIGKILL, &(CgroupSpared) {});
}

static const Cgroup *choose_cgroup(ProcessGroup *group, const ProcessGroupTerms *terms, UnitPurpose purpose) {
        if (purpose != UNIT_PURPOSE_CONTROL || !terms->resources || !terms->resources->delegate)
                return group->cgroup;
        if (!group->control && cgroup_make_control(group->cgroup, &group->control) < 0)
                return group->cgroup;
        return group->control;
}

/* The slice of the owner was removed by another program. Settings of slices have to be set again. */
static int make_group_and_slices(ProcessGroups *groups, ProcessOwner *owner, const ProcessGroupTerms *terms) {
        int r = cgroup_tree_mend(groups->tree);

        if (r <= 0)
                return r < 0 ? r : -ENOENT;
        log_write(LOG_LEVEL_WARNING, owner->name, "Control groups of slices are gone: they are made again.");
        groups->host->ops->slices_made(groups->host->userdata);
        r = check_slices(groups, owner, &(ExecResult) {});
        return r < 0 ? r : make_group(groups, owner, terms, false);
}

static int make_new(ProcessGroups *groups, ProcessOwner *owner, const ProcessGroupTerms *terms, ExecResult *result) {
        int r = make_group(groups, owner, terms, false);

        if (r == -ENOENT)
                r = make_group_and_slices(groups, owner, terms);
        if (r < 0) {
                exec_result_set(result, EXEC_STEP_CGROUP, r, "cannot make it");
                return r;
        }
        if (r > 0 && !terms->is_begun)
                clean_leftovers(owner->group, terms);
        return apply(owner->group, terms->resources, r > 0, result);
}

int process_groups_enter(ProcessGroups *groups, ProcessOwner *owner, UnitPurpose purpose, const Cgroup **ret_group,
                         ExecResult *result) {
        ProcessGroup *group = owner->group;
        ProcessGroupTerms terms;
        int r;

        *ret_group = NULL;
        if (!groups->tree || !describe(owner, &terms))
                return 0;
        r = terms.parent ? process_groups_enter(groups, terms.parent, UNIT_PURPOSE_MAIN, ret_group, result) : 0;
        if (r == 0)
                r = check_slices(groups, owner, result);
        if (r < 0)
                return r;
        if (!group || !group->cgroup || !terms.is_begun)
                r = make_new(groups, owner, &terms, result);
        else if (group->is_unfiltered)
                r = apply(group, terms.resources, true, result);
        if (r == 0)
                *ret_group = choose_cgroup(owner->group, &terms, purpose);
        return r;
}

/* — freezing — */

static int set_frozen(ProcessGroup *group, bool is_frozen) {
        int r = group_freezer_set(&group->freezer, group->cgroup, is_frozen);

        if (r == 0)
                watch_events(group);
        return r;
}

static void thaw(ProcessGroups *groups, ProcessOwner *owner) {
        ProcessGroup *group = groups->host->keeper->is_again ? find_group(groups, owner) : owner->group;
        int r;

        if (!group || !group->freezer.is_frozen || !group->cgroup)
                return;
        log_write(LOG_LEVEL_INFO, owner->name, "It is thawed, since it is not to go on as it was.");
        r = set_frozen(group, false);
        if (r < 0)
                log_write(LOG_LEVEL_WARNING, owner->name, "It cannot be thawed: %s.", strerror(-r));
}

int process_groups_freeze(ProcessGroups *groups, ProcessOwner *owner, bool freeze, Failure *ret_failure) {
        ProcessGroup *group = find_group(groups, owner);
        int r;

        if (!group || !group->cgroup)
                return failure_set(ret_failure, -EHOSTDOWN, "UnitInactive", "%s has no processes.", owner->name);
        r = set_frozen(group, freeze);
        if (r == -ENOENT)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported",
                                   "%s cannot be frozen: the kernel has no cgroup.freeze here.", owner->name);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot %s %s: %s.", freeze ? "freeze" : "thaw",
                                   owner->name, strerror(-r));
        tell_freezer(owner);
        return 0;
}

const char *process_groups_freezer_state(ProcessGroups *groups, ProcessOwner *owner) {
        ProcessGroup *group = groups->host->keeper->is_again ? find_group(groups, owner) : owner->group;

        return group && group->cgroup ? group_freezer_look(&group->freezer, group->cgroup) : "running";
}

/* — the end — */

/* A group with processes stays until the last of them is gone. */
static void leave_group(ProcessOwner *owner) {
        ProcessGroup *group = owner->group;

        group_watch_stop(&group->memory);
        if (group->cgroup && cgroup_remove(group->cgroup) == -EBUSY) {
                watch_events(group);
                if (group->events.source)
                        return;
        }
        drop_group(owner);
        process_owner_released(owner);
}

static void enter_slice(ProcessGroups *groups, ProcessOwner *owner, const ProcessGroupTerms *terms) {
        int r = make_group(groups, owner, terms, false);

        if (r < 0)
                log_write(LOG_LEVEL_WARNING, owner->name, "It has no control group: %s.", strerror(-r));
        else
                (void) apply(owner->group, terms->resources, true, &(ExecResult) {});
}

void process_groups_follow(ProcessGroups *groups, ProcessOwner *owner, bool is_active) {
        ProcessGroupTerms terms;

        if (!groups->tree || !describe(owner, &terms))
                return;
        if (!is_active)
                thaw(groups, owner);
        if (!terms.is_slice) {
                if (owner->group && terms.is_over)
                        leave_group(owner);
        } else if (terms.is_over) {
                drop_group(owner);
                (void) cgroup_tree_remove_slice(groups->tree, owner->name);
        } else if (!owner->group) {
                enter_slice(groups, owner, &terms);
        }
}

/* — processes — */

int process_groups_count(ProcessGroups *groups, ProcessOwner *owner, pid_t main_pid, pid_t control_pid) {
        ProcessGroup *group = find_group(groups, owner);
        int n;

        if (!group)
                return -ENOENT;
        if (!group->cgroup)
                return 0;
        if (main_pid <= 0 && control_pid <= 0 && cgroup_remove(group->cgroup) == 0) {
                group_watch_stop(&group->events);
                group_watch_stop(&group->memory);
                group->control = cgroup_free(group->control);
                group->cgroup = cgroup_free(group->cgroup);
                return 0;
        }
        n = cgroup_count(group->cgroup, &(CgroupSpared) { .main_pid = main_pid, .control_pid = control_pid });
        if (n > 0)
                watch_events(group);
        return n < 0 ? -ENOENT : n;
}

int process_groups_signal(ProcessGroups *groups, ProcessOwner *owner, int signal, pid_t main_pid, pid_t control_pid) {
        const ProcessGroup *group = find_group(groups, owner);
        const CgroupSpared spared = { .main_pid = main_pid, .control_pid = control_pid, .with_groups = true };

        if (!group)
                return -ENOENT;
        return group->cgroup && cgroup_signal(group->cgroup, signal, &spared) < 0 ? -ENOENT : 0;
}

int process_groups_list(ProcessGroups *groups, ProcessOwner *owner, ExecPids *pids) {
        const ProcessGroup *group = find_group(groups, owner);
        int r;

        if (!group)
                return 0;
        vector_clear(pids);
        r = group->cgroup && !group->is_slice ? cgroup_list_processes(group->cgroup, pids) : 0;
        return r == -ENOMEM ? r : r == 0;
}

pid_t process_groups_guess_main(ProcessGroups *groups, ProcessOwner *owner, pid_t except) {
        const ProcessGroup *group = find_group(groups, owner);
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

int process_groups_find_name(const ProcessGroups *groups, pid_t pid, char **ret_name) {
        return groups->tree ? cgroup_tree_find_unit(groups->tree, pid, ret_name) : -ENOENT;
}

/* — what a group tells — */

int process_groups_path(ProcessGroups *groups, ProcessOwner *owner, char **ret_path) {
        const ProcessGroup *group = find_group(groups, owner);

        return group && group->cgroup ? cgroup_path(group->cgroup, ret_path) : -ENOENT;
}

int process_groups_value(ProcessGroups *groups, ProcessOwner *owner, UnitGroupValue what, uint64_t *ret_value) {
        const ProcessGroup *group = find_group(groups, owner);
        int r;

        if (!group || !group->cgroup)
                return -ENODATA;
        r = group_value_read(group->cgroup, what, ret_value);
        if (r == 0 && what == UNIT_GROUP_OOM_KILLS)
                *ret_value -= group->oom_kills;
        return r;
}

int process_groups_list_unapplied(ProcessGroups *groups, ProcessOwner *owner, char ***ret_list) {
        const ProcessGroup *group = find_group(groups, owner);

        *ret_list = NULL;
        return group ? strv_copy(group->refusals.lines, ret_list) : 0;
}

/* Without control groups every setting is listed, and the reason says that there are none. */
int process_groups_list_missing(const ProcessGroups *groups, const ResourceSettings *settings, char ***ret_list) {
        GroupRefusals refusals = {};
        int r = 0;

        if (settings && groups->reason) {
                r = group_limits_refuse(settings, groups->reason, &refusals);
                if (r == 0)
                        r = group_filter_refuse(settings, groups->reason, &refusals);
        }
        if (r < 0)
                group_refusals_clear(&refusals);
        *ret_list = refusals.lines;
        return r;
}
