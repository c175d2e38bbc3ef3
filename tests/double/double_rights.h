/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Tests that need a right which not every place gives: they are skipped by name where it is lacking
 */

#include <criterion/criterion.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#define DOUBLE_NOBODY 65534

/* Skips the test unless its processes may become those of other users. */
static inline void need_users(void) {
        int status = -1;
        pid_t pid = fork();

        if (pid == 0)
                _exit(setgid(DOUBLE_NOBODY) < 0 || setuid(DOUBLE_NOBODY) < 0);
        cr_assert(pid > 0 && waitpid(pid, &status, 0) == pid);
        if (status != 0)
                cr_skip_test("only root may be others");
}

/* Skips the test where no user namespace can be made: in a chroot, in many a container. */
static inline void need_user_namespaces(void) {
        int status = -1;
        pid_t pid = fork();

        if (pid == 0)
                _exit(unshare(CLONE_NEWUSER) < 0);
        cr_assert(pid > 0 && waitpid(pid, &status, 0) == pid);
        if (status != 0)
                cr_skip_test("no user namespace can be made here");
}
