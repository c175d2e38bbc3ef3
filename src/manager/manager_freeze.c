/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Freezing units, and cleaning them
 *
 * What is frozen is written down in the control group itself, where the core
 * after us finds it. A unit that is to do anything else than to be there is
 * thawed first: frozen processes neither hear that they are to end, nor do
 * commands beside them run.
 */

#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "manager/manager_group_private.h"
#include "unit/unit_clean.h"
#include "unit/unit_slice.h"

#define FREEZE_FILE "cgroup.freeze"

static bool is_frozen_now(const ManagerGroup *group) {
        uint64_t is_frozen = 0;

        return cgroup_read(group->cgroup, "cgroup.events", "frozen", &is_frozen) == 0 && is_frozen != 0;
}

void manager_find_frozen(ManagerGroup *group) {
        uint64_t is_frozen = 0;

        if (group->cgroup && manager_is_again(group->manager))
                group->is_frozen = cgroup_read(group->cgroup, FREEZE_FILE, NULL, &is_frozen) == 0 && is_frozen != 0;
}

const char *manager_freezer_state(Manager *manager, const Unit *unit) {
        const ManagerUnit *of_unit = manager_of_unit(manager, unit);
        ManagerGroup *group = of_unit ? of_unit->group : NULL;

        if (!group && manager_is_again(manager))
                group = manager_find_group(manager, unit);
        if (!group || !group->cgroup || (!group->is_frozen && !group->is_thawing))
                return "running";
        if (group->is_frozen)
                return is_frozen_now(group) ? "frozen" : "freezing";
        group->is_thawing = is_frozen_now(group);
        return group->is_thawing ? "thawing" : "running";
}

/* The root slice has ourselves in it. */
bool manager_can_freeze(Manager *manager, const Unit *unit) {
        return manager->groups && unit->vtable->group && unit->type != UNIT_SOCKET && strcmp(unit->id, "-.slice") != 0;
}

static void tell(Manager *manager, Unit *unit) {
        manager->has_news = true;
        manager_tell(manager, unit_changed, unit);
}

void manager_frozen_changed(ManagerGroup *group) {
        if (group->is_frozen || group->is_thawing)
                tell(group->manager, group->unit);
}

static int set_frozen(ManagerGroup *group, bool is_frozen) {
        int r = cgroup_write(group->cgroup, FREEZE_FILE, is_frozen ? "1" : "0");

        if (r < 0)
                return r;
        group->is_thawing = !is_frozen;
        group->is_frozen = is_frozen;
        manager_watch_events(group);
        return 0;
}

void manager_thaw_group(Manager *manager, Unit *unit) {
        const ManagerUnit *of_unit = manager_of_unit(manager, unit);
        ManagerGroup *group = of_unit ? of_unit->group : NULL;
        int r;

        if (!group && manager_is_again(manager) && !unit_state_is_inactive_or_failed(unit->active_state))
                group = manager_find_group(manager, unit);
        if (!group || !group->is_frozen || !group->cgroup)
                return;
        log_write(LOG_LEVEL_INFO, unit->id, "It is thawed, since it is not to go on as it was.");
        r = set_frozen(group, false);
        if (r < 0)
                log_write(LOG_LEVEL_WARNING, unit->id, "It cannot be thawed: %s.", strerror(-r));
}

static int check_freeze(Manager *manager, const Unit *unit, bool freeze, Failure *ret_failure) {
        if (unit->vtable->group && !manager->groups)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported",
                                   "%s cannot be frozen: there are no control groups (%s).", unit->id,
                                   manager->no_groups ? manager->no_groups : "not known why");
        if (!manager_can_freeze(manager, unit))
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported", "%s cannot be frozen: %s.", unit->id,
                                   unit->type == UNIT_SLICE ? "the manager itself is in it"
                                                            : "units of its type have no processes for that");
        if (unit->load_state != UNIT_LOADED || (freeze && unit->active_state != UNIT_ACTIVE))
                return failure_set(ret_failure, -EHOSTDOWN, "UnitInactive", "%s is not active, so there is nothing to %s.",
                                   unit->id, freeze ? "freeze" : "thaw");
        if (manager_has_job(manager, unit))
                return failure_set(ret_failure, -EBUSY, "UnitBusy", "%s has a job, which has to end first.", unit->id);
        return 0;
}

int manager_freeze_unit(Manager *manager, Unit *unit, bool freeze, Failure *ret_failure) {
        int r = check_freeze(manager, unit, freeze, ret_failure);
        ManagerGroup *group;

        if (r < 0)
                return r;
        group = manager_find_group(manager, unit);
        if (!group || !group->cgroup)
                return failure_set(ret_failure, -EHOSTDOWN, "UnitInactive", "%s has no processes.", unit->id);
        r = set_frozen(group, freeze);
        if (r == -ENOENT)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported", "%s cannot be frozen: the kernel has no %s here.",
                                   unit->id, FREEZE_FILE);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot %s %s: %s.", freeze ? "freeze" : "thaw", unit->id,
                                   strerror(-r));
        tell(manager, unit);
        return 0;
}

unsigned manager_can_clean(const Unit *unit) {
        return unit->load_state == UNIT_LOADED && unit->vtable->can_clean ? unit->vtable->can_clean(unit) : 0;
}

int manager_clean_unit(Manager *manager, Unit *unit, unsigned kinds, Failure *ret_failure) {
        if (!unit->vtable->clean)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported", "%s: a %s keeps nothing that could be cleaned.",
                                   unit->id, unit_type_to_string(unit->type));
        if (unit->load_state != UNIT_LOADED)
                return failure_set(ret_failure, -EBUSY, "UnitBusy", "%s cannot be cleaned: it is not loaded.", unit->id);
        if (unit->active_state != UNIT_INACTIVE || manager_has_job(manager, unit))
                return failure_set(ret_failure, -EBUSY, "UnitBusy", "%s cannot be cleaned: it is %s%s.", unit->id,
                                   unit_active_state_to_string(unit->active_state),
                                   manager_has_job(manager, unit) ? " and has a job" : ", and must be inactive");
        manager_mark_unit(manager, unit);
        return unit->vtable->clean(unit, kinds, ret_failure);
}
