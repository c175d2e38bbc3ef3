/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Users that exist while a unit runs: the allocation of their numbers
 */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/hash.h"
#include "basic/macro.h"
#include "double/double_assert.h"
#include "exec/exec_directory.h"
#include "exec/exec_dynamic_user.h"

#define N_UIDS (EXEC_DYNAMIC_UID_LAST - EXEC_DYNAMIC_UID_FIRST + 1)

typedef struct World {
        char folder[32];                /* in place of /run */
} World;

static void world_start(World *world) {
        *world = (World) { .folder = "/tmp/test-users-XXXXXX" };
        cr_assert(mkdtemp(world->folder) != NULL);
        cr_assert(setenv("XDG_RUNTIME_DIR", world->folder, true) == 0);
        exec_directory_set_user(true);
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *place) {
        return remove(path);
}

static void world_stop(World *world) {
        nftw(world->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

#define WORLD                                   \
        cleanup_(world_stop) World world;       \
        world_start(&world)

static uid_t take(const char *name) {
        uid_t uid = 0;

        cr_assert(eq(int, exec_dynamic_user_take(name, &uid), 0));
        cr_assert(uid >= EXEC_DYNAMIC_UID_FIRST && uid <= EXEC_DYNAMIC_UID_LAST);
        return uid;
}

static uid_t find(const char *name) {
        uid_t uid = 0;

        cr_assert(eq(int, exec_dynamic_user_find(name, &uid), 0));
        return uid;
}

/* Finds another name whose first candidate is the same number. */
static void name_rival(uid_t uid, char name[static 32]) {
        for (unsigned i = 0; i == 0 || hash_add(HASH_BEGIN, name) % N_UIDS != uid - EXEC_DYNAMIC_UID_FIRST; i++)
                snprintf(name, 32, "rival-%u", i);
}

Test(exec_dynamic_user, has_its_number_until_it_is_released) {
        uid_t uid, other = 0;
        char rival[32];
        WORLD;

        uid = take("a");
        name_rival(uid, rival);
        cr_assert(eq(u32, take("a"), uid));
        cr_assert(ne(u32, take(rival), uid));
        cr_assert(eq(u32, find("a"), uid));
        exec_dynamic_user_release(uid);
        cr_assert(eq(int, exec_dynamic_user_find("a", &other), -ESRCH));
        cr_assert(eq(u32, take("a"), uid));
}

/* File and draft both exist, as if the manager had been killed in between. */
Test(exec_dynamic_user, a_draft_that_was_left_is_not_written_to) {
        char rival[32], file[96], draft[96];
        uid_t uid;
        WORLD;

        uid = take("a");
        snprintf(file, sizeof(file), "%s/jobd/dynamic-users/%u", world.folder, uid);
        snprintf(draft, sizeof(draft), "%s/jobd/dynamic-users/.%u", world.folder, uid);
        cr_assert(eq(int, link(file, draft), 0));
        name_rival(uid, rival);
        cr_assert(ne(u32, take(rival), uid));
        cr_assert(eq(u32, find("a"), uid));
        cr_assert(ne(u32, find(rival), uid));
}

/* The file with its number cannot be read then, and no second number may be assigned. */
Test(exec_dynamic_user, who_cannot_look_gets_none) {
        struct rlimit old, few;
        uid_t uid, again = 0;
        int lowest, r;
        WORLD;

        uid = take("a");
        lowest = dup(STDOUT_FILENO);
        cr_assert(lowest >= 0 && close(lowest) == 0);
        cr_assert(eq(int, getrlimit(RLIMIT_NOFILE, &old), 0));
        few = old;
        few.rlim_cur = (rlim_t) lowest + 2;
        cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &few), 0));
        r = exec_dynamic_user_take("a", &again);
        cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &old), 0));
        cr_assert(eq(int, r, -EMFILE), "%u is not %u", again, uid);
        cr_assert(eq(u32, find("a"), uid));
}
