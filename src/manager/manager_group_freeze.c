/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Freezing units
 *
 * That a unit is frozen is written down in the control group itself, where the
 * next core finds it. A unit that is to do anything else than to be there is
 * thawed first: frozen processes neither hear that they are to end, nor do
 * commands beside them run.
 */

#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "manager/manager_group_private.h"
#include "unit/unit_slice.h"

#define FREEZE_FILE "cgroup.freeze"

static bool is_frozen_now(const ManagerGroup *group) {
        uint64_t is_frozen = 0;

        return cgroup_read(group->cgroup, "cgroup.events", "frozen", &is_frozen) == 0 && is_frozen != 0;
}

void manager_group_find_frozen(ManagerGroup *group) {
        uint64_t is_frozen = 0;

        if (group->cgroup && group->groups->options->keeper.is_again)
                group->is_frozen = cgroup_read(group->cgroup, FREEZE_FILE, NULL, &is_frozen) == 0 && is_frozen != 0;
}

const char *manager_groups_freezer_state(ManagerGroups *groups, const Unit *unit) {
        const ManagerUnit *row = manager_units_of(groups->rows, unit);
        ManagerGroup *group = row ? row->group : NULL;

        if (!group && groups->options->keeper.is_again)
                group = manager_groups_find(groups, unit);
        if (!group || !group->cgroup || (!group->is_frozen && !group->is_thawing))
                return "running";
        if (group->is_frozen)
                return is_frozen_now(group) ? "frozen" : "freezing";
        group->is_thawing = is_frozen_now(group);
        return group->is_thawing ? "thawing" : "running";
}

/* The manager is in the root slice. */
bool manager_groups_can_freeze(const ManagerGroups *groups, const Unit *unit) {
        return groups->tree && unit->vtable->group && unit->type != UNIT_SOCKET && strcmp(unit->id, "-.slice") != 0;
}

static void tell(ManagerGroups *groups, Unit *unit) {
        groups->turn->has_news = true;
        manager_listeners_tell(groups->listeners, unit_changed, unit);
}

void manager_group_frozen_changed(ManagerGroup *group) {
        if (group->is_frozen || group->is_thawing)
                tell(group->groups, group->unit);
}

static int set_frozen(ManagerGroup *group, bool is_frozen) {
        int r = cgroup_write(group->cgroup, FREEZE_FILE, is_frozen ? "1" : "0");

        if (r < 0)
                return r;
        group->is_thawing = !is_frozen;
        group->is_frozen = is_frozen;
        manager_group_watch_events(group);
        return 0;
}

void manager_groups_thaw(ManagerGroups *groups, Unit *unit) {
        const ManagerUnit *row = manager_units_of(groups->rows, unit);
        ManagerGroup *group = row ? row->group : NULL;
        int r;

        if (!group && groups->options->keeper.is_again && !unit_state_is_inactive_or_failed(unit->active_state))
                group = manager_groups_find(groups, unit);
        if (!group || !group->is_frozen || !group->cgroup)
                return;
        log_write(LOG_LEVEL_INFO, unit->id, "It is thawed, since it is not to go on as it was.");
        r = set_frozen(group, false);
        if (r < 0)
                log_write(LOG_LEVEL_WARNING, unit->id, "It cannot be thawed: %s.", strerror(-r));
}

int manager_groups_check_freeze(ManagerGroups *groups, const Unit *unit, bool freeze, Failure *ret_failure) {
        if (unit->vtable->group && !groups->tree)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported",
                                   "%s cannot be frozen: there are no control groups (%s).", unit->id,
                                   groups->reason ? groups->reason : "not known why");
        if (!manager_groups_can_freeze(groups, unit))
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported", "%s cannot be frozen: %s.", unit->id,
                                   unit->type == UNIT_SLICE ? "the manager itself is in it"
                                                            : "units of its type have no processes for that");
        if (unit->load_state != UNIT_LOADED || (freeze && unit->active_state != UNIT_ACTIVE))
                return failure_set(ret_failure, -EHOSTDOWN, "UnitInactive",
                                   "%s is not active, so there is nothing to %s.",
                                   unit->id, freeze ? "freeze" : "thaw");
        return 0;
}

int manager_groups_freeze(ManagerGroups *groups, Unit *unit, bool freeze, Failure *ret_failure) {
        ManagerGroup *group = manager_groups_find(groups, unit);
        int r;

        if (!group || !group->cgroup)
                return failure_set(ret_failure, -EHOSTDOWN, "UnitInactive", "%s has no processes.", unit->id);
        r = set_frozen(group, freeze);
        if (r == -ENOENT)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported",
                                   "%s cannot be frozen: the kernel has no %s here.",
                                   unit->id, FREEZE_FILE);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot %s %s: %s.", freeze ? "freeze" : "thaw", unit->id,
                                   strerror(-r));
        tell(groups, unit);
        return 0;
}
