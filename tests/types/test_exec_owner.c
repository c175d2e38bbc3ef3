/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects that units leave behind, and the users that own them
 */

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec_directory.h"
#include "exec/exec_dynamic_user.h"
#include "service_world.h"
#include "types/exec_owner.h"
#include "types/service_state.h"
#include "unit/exec_terms.h"

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *place) {
        return remove(path);
}

/* Sets DynamicUser= for the unit that was loaded last. */
static const ExecTerms *make_dynamic(World *world, const char *user) {
        ExecSettings *exec = &world->settings->exec;

        exec->user = strdup(user);
        exec->rare = calloc(1, sizeof(*exec->rare));
        assert_not_null(exec->rare);
        exec->rare->terms = calloc(1, sizeof(*exec->rare->terms));
        assert_not_null(exec->rare->terms);
        exec->rare->terms->dynamic_user = true;
        return exec->rare->terms;
}

/* The process may run already, before the unit is told. */
Test(exec_owner, a_user_stays_for_a_unit_that_starts_as_it) {
        char folder[] = "/tmp/test-owner-XXXXXX";
        const ExecTerms *terms;
        uid_t uid = 0, found = 0;
        Unit *other;
        WORLD(SERVICE_SIMPLE);

        cr_assert(mkdtemp(folder) != NULL && setenv("XDG_RUNTIME_DIR", folder, true) == 0);
        exec_directory_set_user(true);
        terms = make_dynamic(world, "shared");
        cr_assert(eq(int, unit_table_load(world->table, "y.service", &other), 0));
        make_dynamic(world, "shared");
        cr_assert(eq(int, exec_dynamic_user_take("shared", &uid), 0));

        other->active_state = UNIT_ACTIVATING;
        exec_owner_left(world->unit, terms, uid, uid);
        cr_assert(eq(int, exec_dynamic_user_find("shared", &found), 0));
        cr_assert(eq(u32, found, uid));
        other->active_state = UNIT_INACTIVE;
        exec_owner_left(world->unit, terms, (uid_t) -1, (gid_t) -1);
        cr_assert(eq(int, exec_dynamic_user_find("shared", &found), -ESRCH));
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
