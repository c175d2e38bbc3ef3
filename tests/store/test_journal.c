/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The journal: its content after its writer was killed
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "store/journal.h"

/* Sanitizers take several times as long, and find what they look for in a part of the rounds. */
#ifdef __SANITIZE_ADDRESS__
#define ROUNDS 25
#else
#define ROUNDS 100
#endif
#define CHILDREN 100

typedef struct World {
        char folder[32], path[64];
        Journal *journal;
        Failure failure;
} World;

static World world;

static void start(void) {
        strcpy(world.folder, "/tmp/test-journal-XXXXXX");
        cr_assert(mkdtemp(world.folder) != NULL);
        snprintf(world.path, sizeof(world.path), "%s/journal", world.folder);
        cr_assert(eq(int, journal_open(&world.journal, world.path, &world.failure), 0));
}

static void end(void) {
        journal_close(world.journal);
        unlink(world.path);
        cr_assert(eq(int, rmdir(world.folder), 0));
        failure_deinit(&world.failure);
}

TestSuite(journal, .init = start, .fini = end);

static void open_again(void) {
        world.journal = journal_close(world.journal);
        cr_assert(eq(int, journal_open(&world.journal, world.path, &world.failure), 0));
}

static void put_exit(pid_t pid) {
        siginfo_t *slot = journal_next_exit(world.journal);

        cr_assert(slot != NULL);
        slot->si_pid = pid;
}

Test(journal, says_the_same_to_who_opens_it_next) {
        journal_begin(world.journal, 7);
        put_exit(20);
        put_exit(21);
        *journal_begin_spawn(world.journal, 3) = 30;
        *journal_begin_spawn(world.journal, 5) = 50;
        (void) journal_begin_spawn(world.journal, 6);
        *journal_begin_spawn(world.journal, 6) = 60;            /* by the next one, for the same errand */
        (void) journal_begin_spawn(world.journal, 7);
        journal_note_sent(world.journal, 5);
        open_again();
        cr_expect(eq(u64, journal_commit(world.journal), 7));
        cr_expect(eq(int, journal_exit_at(world.journal, 0)->si_pid, 20));
        cr_expect(eq(int, journal_exit_at(world.journal, 1)->si_pid, 21));
        cr_expect(eq(ptr, (void *) journal_exit_at(world.journal, 2), NULL));
        cr_expect(eq(int, journal_find_spawn(world.journal, 3), 30));
        cr_expect(eq(int, journal_find_spawn(world.journal, 5), 50));
        cr_expect(eq(int, journal_find_spawn(world.journal, 6), 60));
        cr_expect(eq(int, journal_find_spawn(world.journal, 7), 0));
        cr_expect(eq(int, journal_find_spawn(world.journal, 4), 0));
        cr_expect(eq(u64, journal_last_sent(world.journal), 5));
        put_exit(22);
        cr_expect(eq(int, journal_exit_at(world.journal, 2)->si_pid, 22));
}

Test(journal, begins_anew_with_each_commit) {
        put_exit(20);
        *journal_begin_spawn(world.journal, 3) = 30;
        journal_note_sent(world.journal, 3);
        journal_begin(world.journal, 8);
        cr_expect(eq(ptr, (void *) journal_exit_at(world.journal, 0), NULL));
        cr_expect(eq(int, journal_find_spawn(world.journal, 3), 0));
        cr_expect(eq(u64, journal_last_sent(world.journal), 0));
        cr_expect(eq(sz, journal_room_for_exits(world.journal), JOURNAL_EXITS_MAX));
        open_again();
        cr_expect(eq(u64, journal_commit(world.journal), 8));
        cr_expect(eq(sz, journal_room_for_exits(world.journal), JOURNAL_EXITS_MAX));
}

Test(journal, says_when_it_is_full) {
        for (unsigned i = 1; i <= JOURNAL_EXITS_MAX; i++) {
                cr_assert(eq(sz, journal_room_for_exits(world.journal), JOURNAL_EXITS_MAX + 1 - i));
                put_exit((pid_t) i);
        }
        cr_expect(eq(sz, journal_room_for_exits(world.journal), 0));
        cr_expect(eq(ptr, journal_next_exit(world.journal), NULL));
        for (unsigned i = 1; i <= JOURNAL_SPAWNS_MAX; i++)
                cr_assert(journal_begin_spawn(world.journal, i) != NULL);
        cr_expect(eq(ptr, journal_begin_spawn(world.journal, 1000), NULL));
        open_again();
        cr_expect(eq(ptr, journal_next_exit(world.journal), NULL));
        cr_expect(eq(ptr, journal_begin_spawn(world.journal, 1000), NULL));
        journal_begin(world.journal, 1);
        cr_expect(journal_next_exit(world.journal) != NULL && journal_begin_spawn(world.journal, 1000) != NULL);
}

Test(journal, a_file_of_another_kind_is_replaced) {
        static const char *const contents[] = { "", "x", "nothing of the kind, but some bytes longer" };

        for (size_t i = 0; i < ELEMENTSOF(contents); i++) {
                FILE *file = fopen(world.path, "we");

                cr_assert(file != NULL);
                fputs(contents[i], file);
                fclose(file);
                open_again();
                put_exit(1);
        }
        cr_assert(eq(int, unlink(world.path), 0));
        cr_assert(eq(int, symlink("/etc/passwd", world.path), 0));
        open_again();
        put_exit(1);
        cr_assert(eq(int, unlink(world.path), 0));
        cr_assert(eq(int, mkfifo(world.path, 0600), 0));
        open_again();
        put_exit(1);
}

Test(journal, what_cannot_be_made_is_said) {
        Journal *journal = NULL;

        cr_assert(lt(int, journal_open(&journal, "/proc/journal", &world.failure), 0));
        cr_assert(strstr(failure_message(&world.failure), "/proc/journal") != NULL);
}

/* — who writes it is killed — */

static pid_t make_child(Journal *journal, uint64_t errand) {
        pid_t *slot = journal_begin_spawn(journal, errand);
        pid_t pid = (pid_t) syscall(SYS_clone, CLONE_PARENT_SETTID | SIGCHLD, NULL, slot, NULL, NULL);

        if (pid == 0)
                _exit((int) (errand % 100));
        return pid;
}

static _Noreturn void make_and_reap(void) {
        for (uint64_t errand = 1; errand <= CHILDREN; errand++) {
                make_child(world.journal, errand);
                if (errand % 3 > 0)
                        waitid(P_ALL, 0, journal_next_exit(world.journal), WEXITED | WNOHANG);
        }
        for (;;)
                if (waitid(P_ALL, 0, journal_next_exit(world.journal), WEXITED) < 0)
                        pause();
}

/* The number of exits of @pid in the journal and in the list. */
static unsigned count_exits(pid_t pid, const siginfo_t *orphans, unsigned n_orphans, int status) {
        unsigned n = 0;

        for (size_t i = 0; journal_exit_at(world.journal, i); i++)
                n += journal_exit_at(world.journal, i)->si_pid == pid && journal_exit_at(world.journal, i)->si_status == status;
        for (unsigned i = 0; i < n_orphans; i++)
                n += orphans[i].si_pid == pid && orphans[i].si_status == status;
        return n;
}

static unsigned check_round(pid_t writer, unsigned round) {
        siginfo_t orphans[CHILDREN + 1] = {}, info = {};
        unsigned n_orphans = 0, n_spawns = 0, n_exits = 0;

        while (waitid(P_ALL, 0, &info, WEXITED) == 0)
                if (info.si_pid != writer)
                        orphans[n_orphans++] = info;
        open_again();
        for (uint64_t errand = 1; errand <= CHILDREN; errand++) {
                pid_t pid = journal_find_spawn(world.journal, errand);

                if (pid == 0)
                        continue;
                n_spawns++;
                cr_assert(eq(uint, count_exits(pid, orphans, n_orphans, (int) (errand % 100)), 1), "round %u, errand %u", round,
                          (unsigned) errand);
        }
        while (journal_exit_at(world.journal, n_exits))
                n_exits++;
        cr_assert(eq(uint, n_spawns, n_exits + n_orphans), "a child that nobody has written down");
        return n_spawns;
}

Test(journal, no_child_and_no_exit_is_unknown_whenever_it_is_killed) {
        unsigned all = 0, n_cut = 0;

        cr_assert(eq(int, prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0));
        srand(1);
        for (unsigned round = 0; round < ROUNDS; round++) {
                unsigned at = (unsigned) rand() % CHILDREN, n;
                pid_t writer;

                journal_begin(world.journal, round + 1);
                writer = fork();
                if (writer == 0)
                        make_and_reap();
                /* Numbers near that child. */
                while (journal_find_spawn(world.journal, at) == 0 && at > 0)
                        open_again();
                for (volatile int i = rand() % 20000; i > 0; i--)
                        ;
                kill(writer, SIGKILL);
                n = check_round(writer, round);
                all += n;
                n_cut += n < CHILDREN;
        }
        cr_log_info("%u children, %u of %u rounds were cut short", all, n_cut, ROUNDS);
        cr_assert(lt(uint, 0, n_cut));
}
