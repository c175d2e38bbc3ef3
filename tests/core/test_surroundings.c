/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Daemon, container or machine?
 */

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "core/surroundings.h"
#include "double/double_assert.h"

/* A machine as the kernel starts its init, with /proc and without. */
#define MACHINE .is_init = true, .has_kernel_threads = true, .is_first_pid_namespace = SURROUNDINGS_YES, \
                .is_first_user_namespace = SURROUNDINGS_YES
#define BARE_MACHINE .is_init = true, .has_kernel_threads = true

typedef struct Case {
        SurroundingsFacts facts;
        Surroundings answer;
} Case;

Test(surroundings, one_sign_of_a_container_is_enough) {
        static const Case cases[] = {
                { { MACHINE }, SURROUNDINGS_MACHINE },
                { { BARE_MACHINE }, SURROUNDINGS_MACHINE },
                { { MACHINE, .is_told_container = true }, SURROUNDINGS_CONTAINER },
                { { BARE_MACHINE, .is_told_container = true }, SURROUNDINGS_CONTAINER },
                { { MACHINE, .has_container_file = true }, SURROUNDINGS_CONTAINER },
                { { BARE_MACHINE, .is_first_pid_namespace = SURROUNDINGS_NO }, SURROUNDINGS_CONTAINER },
                { { BARE_MACHINE, .is_first_pid_namespace = SURROUNDINGS_YES,
                    .is_first_user_namespace = SURROUNDINGS_NO }, SURROUNDINGS_CONTAINER },
                { { .is_init = true }, SURROUNDINGS_CONTAINER },
                { { .is_init = true, .is_first_pid_namespace = SURROUNDINGS_YES }, SURROUNDINGS_MACHINE },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                cr_assert(eq(int, (int) surroundings_judge(&cases[i].facts), (int) cases[i].answer), "case %zu", i);
}

Test(surroundings, who_is_not_init_is_a_daemon) {
        const SurroundingsFacts facts[] = {
                { .has_kernel_threads = true, .is_first_pid_namespace = SURROUNDINGS_YES },
                { .is_told_container = true },
                { .has_container_file = true, .is_first_pid_namespace = SURROUNDINGS_NO },
        };

        for (size_t i = 0; i < ELEMENTSOF(facts); i++)
                cr_assert(eq(int, (int) surroundings_judge(&facts[i]), SURROUNDINGS_DAEMON), "case %zu", i);
        cr_assert(eq(int, (int) surroundings_find(false), SURROUNDINGS_DAEMON));
}

Test(surroundings, the_environment_tells) {
        SurroundingsFacts facts;

        unsetenv("container");
        surroundings_look(&facts, true, "");
        cr_assert(not(facts.is_told_container));
        setenv("container", "", 1);
        surroundings_look(&facts, true, "");
        cr_assert(not(facts.is_told_container));
        setenv("container", "podman", 1);
        surroundings_look(&facts, true, "");
        cr_assert(facts.is_told_container);
        cr_assert(eq(int, (int) surroundings_find(true), SURROUNDINGS_CONTAINER));
}

Test(surroundings, a_file_of_an_engine_tells) {
        static const char *const files[] = { "/.dockerenv", "/run/.containerenv" };
        char root[] = "/tmp/jobd-surroundings-XXXXXX", path[128];
        SurroundingsFacts facts;

        assert_not_null(mkdtemp(root));
        snprintf(path, sizeof(path), "%s/run", root);
        cr_assert(eq(int, mkdir(path, 0755), 0));
        surroundings_look(&facts, true, root);
        cr_assert(not(facts.has_container_file));
        cr_assert(eq(int, (int) facts.is_first_pid_namespace, SURROUNDINGS_UNKNOWN), "no /proc is mounted there");
        for (size_t i = 0; i < ELEMENTSOF(files); i++) {
                snprintf(path, sizeof(path), "%s%s", root, files[i]);
                close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
                surroundings_look(&facts, true, root);
                cr_assert(facts.has_container_file, "%s", files[i]);
                unlink(path);
        }
        snprintf(path, sizeof(path), "%s/run", root);
        rmdir(path);
        rmdir(root);
}

/*
 * The facts of the first process of a new pid namespace, whose /proc is still the outer one. A helper makes the
 * namespace.
 */
static Surroundings find_as_first_process(void) {
        pid_t helper = fork();
        int status = 0;

        if (helper == 0) {
                pid_t child;

                if (unshare(CLONE_NEWPID) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0)
                        _exit(_SURROUNDINGS_MAX);
                unsetenv("container");
                child = fork();
                if (child == 0)
                        _exit((int) surroundings_find(getpid() == 1));
                waitpid(child, &status, 0);
                _exit(WEXITSTATUS(status));
        }
        cr_assert(eq(int, waitpid(helper, &status, 0), helper));
        return (Surroundings) WEXITSTATUS(status);
}

Test(surroundings, the_first_process_of_a_namespace_is_in_a_container) {
        Surroundings found = find_as_first_process();

        if (found == _SURROUNDINGS_MAX)
                cr_skip_test("no pid namespace can be made here");
        cr_assert(eq(int, (int) found, SURROUNDINGS_CONTAINER));
}
