/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RemoveIPC= and DynamicUser=, for the last unit that runs as a user
 *
 * IPC objects belong to users, not to units: they may belong to any other unit that runs as the same user. All units
 * are asked for their users at the end of a run. RemoveIPC= is rare, so no register is kept for it.
 */

#include <errno.h>

#include "basic/text.h"
#include "exec/exec_dynamic_user.h"
#include "exec/exec_ipc.h"
#include "types/exec_owner.h"
#include "types/unit_say.h"
#include "unit/exec_terms.h"
#include "unit/unit_table.h"
#include "unitfile/draft_type.h"

/* Returns true if DynamicUser= makes a user @name for the unit. */
static bool has_dynamic_user(const Unit *unit, const char *name) {
        const ExecSettings *settings = draft_type_exec(unit);
        const ExecTerms *terms = settings ? exec_settings_rare(settings)->terms : NULL;

        return name && terms && terms->dynamic_user && text_equal(settings->user, name);
}

/*
 * While a process is on its way its user is not known: then a unit with the dynamic user @dynamic (NULL: none) counts.
 */
static bool runs_as(const Unit *unit, uid_t uid, gid_t gid, const char *dynamic, bool *ret_is_group) {
        uid_t own_uid = (uid_t) -1;
        gid_t own_gid = (gid_t) -1;

        if (unit_state_is_inactive_or_failed(unit->active_state) || !unit->state_of_type)
                return false;
        if (unit->vtable->runs_as)
                unit->vtable->runs_as(unit, &own_uid, &own_gid);
        if (own_uid == (uid_t) -1 && has_dynamic_user(unit, dynamic)) {
                *ret_is_group = true;
                return true;
        }
        *ret_is_group = *ret_is_group || (own_gid != (gid_t) -1 && own_gid == gid);
        return own_uid != (uid_t) -1 && own_uid == uid;
}

/* A user may have been allocated without any process that ran as it. */
static uid_t find_dynamic(const Unit *unit) {
        const char *name = draft_type_exec(unit)->user;
        uid_t uid = (uid_t) -1;

        return name && exec_dynamic_user_find(name, &uid) == 0 ? uid : (uid_t) -1;
}

void exec_owner_left(Unit *unit, const ExecTerms *terms, uid_t uid, gid_t gid) {
        const char *dynamic = terms && terms->dynamic_user ? draft_type_exec(unit)->user : NULL;
        bool has_user = false, has_group = false;
        unsigned n;

        if (terms && terms->dynamic_user && uid == (uid_t) -1)
                uid = find_dynamic(unit);
        if (!terms || !(terms->removes_ipc || terms->dynamic_user) || (uid == (uid_t) -1 && gid == (gid_t) -1))
                return;
        unit_table_foreach(unit->table, other)
                if (other != unit && runs_as(other, uid, gid, dynamic, &has_group))
                        has_user = true;
        n = exec_ipc_remove(has_user ? (uid_t) -1 : uid, has_group ? (gid_t) -1 : gid);
        if (n > 0)
                unit_say(unit, LOG_LEVEL_INFO, "%u IPC objects of its user were left, and are removed.", n);
        if (terms->dynamic_user && !has_user)
                exec_dynamic_user_release(uid);
}
