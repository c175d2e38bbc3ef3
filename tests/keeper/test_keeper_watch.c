/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether core still serves: the steps of the keeper, at times that the test makes up
 *
 * The process of core is a child of the test, with the processor time that it really uses.
 */

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "keeper/keeper.h"

/* µs; so short that core uses a quarter of it soon */
#define LIMIT UINT64_C(4000)

static Keeper keeper;

static void stop_core(void) {
        if (keeper.core <= 0)
                return;
        kill(keeper.core, SIGKILL);
        waitpid(keeper.core, NULL, 0);
}

static void start_core(bool loops) {
        keeper = (Keeper) { .core = fork(), .is_ready = true, .link = -1 };
        if (keeper.core == 0) {
                prctl(PR_SET_PDEATHSIG, (unsigned long) SIGKILL);
                for (volatile unsigned i = 0;; i++)
                        if (!loops)
                                pause();
        }
        cr_assert(lt(int, 0, keeper.core));
        keeper_watch_set(&keeper, LIMIT, 1000);
}

TestSuite(keeper_watch, .fini = stop_core);

/* The signal that core has ended by; 0: by none. */
static int end_of_core(void) {
        int status = 0;

        return waitpid(keeper.core, &status, 0) == keeper.core && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void step(uint64_t late) {
        keeper_watch_step(&keeper, keeper.watch.next + late);
}

/* Lets core use @usec of processor time. */
static void let_core_work(uint64_t usec) {
        struct timespec first, now;
        clockid_t clock;

        cr_assert(eq(int, clock_getcpuclockid(keeper.core, &clock), 0));
        clock_gettime(clock, &first);
        do
                clock_gettime(clock, &now);
        while ((uint64_t) (now.tv_sec - first.tv_sec) * 1000000 + (uint64_t) now.tv_nsec / 1000 <
               (uint64_t) first.tv_nsec / 1000 + usec);
}

Test(keeper_watch, asks_after_half_of_the_limit_and_not_again_once_there_is_an_answer) {
        start_core(false);
        cr_assert(eq(u64, keeper_watch_next(&keeper), 1000 + LIMIT / 2));
        keeper_watch_step(&keeper, keeper.watch.next - 1);
        cr_expect(not(keeper.watch.wants_answer));
        step(0);
        cr_expect(keeper.watch.wants_answer);
        keeper_watch_heard(&keeper, 7000);
        cr_expect(not(keeper.watch.wants_answer));
        cr_expect(eq(u64, keeper_watch_next(&keeper), 7000 + LIMIT / 2));
}

Test(keeper_watch, one_that_waits_for_something_is_ended) {
        start_core(false);
        step(0);
        while (keeper.watch.stage != KEEPER_WATCH_ENDS)
                step(0);
        cr_expect(eq(int, end_of_core(), SIGABRT));
}

Test(keeper_watch, one_that_loops_is_ended) {
        start_core(true);
        step(0);
        step(0);
        let_core_work(LIMIT / 4);
        step(0);
        cr_assert(eq(int, (int) keeper.watch.stage, (int) KEEPER_WATCH_ENDS));
        cr_expect(eq(int, end_of_core(), SIGABRT));
}

/* The keeper had no processor, or was frozen with core: that says nothing about core. */
Test(keeper_watch, nothing_is_concluded_if_the_keeper_is_late) {
        start_core(true);
        step(0);
        for (int i = 0; i < 3; i++) {
                step(LIMIT);
                let_core_work(LIMIT / 4);
        }
        cr_assert(eq(int, (int) keeper.watch.stage, KEEPER_WATCH_DOUBTS));
        cr_assert(eq(int, waitpid(keeper.core, NULL, WNOHANG), 0));
        keeper_watch_heard(&keeper, keeper.watch.next);
        cr_assert(eq(int, (int) keeper.watch.stage, KEEPER_WATCH_RESTS));
}

Test(keeper_watch, one_that_does_not_end_is_killed) {
        start_core(false);
        keeper.watch.stage = KEEPER_WATCH_ENDS;
        step(0);
        cr_expect(eq(int, end_of_core(), SIGKILL));
        cr_expect(eq(u64, keeper_watch_next(&keeper), KEEPER_NEVER));
}

Test(keeper_watch, nobody_is_watched_who_is_not_ready_or_does_not_want_to_be) {
        start_core(false);
        keeper.is_ready = false;
        cr_expect(eq(u64, keeper_watch_next(&keeper), KEEPER_NEVER));
        keeper.is_ready = true;
        keeper_watch_set(&keeper, 0, 1000);
        cr_expect(eq(u64, keeper_watch_next(&keeper), KEEPER_NEVER));
        keeper_watch_step(&keeper, 1000000);
        cr_expect(eq(int, (int) keeper.watch.stage, KEEPER_WATCH_RESTS));
}

/* A busy machine gives little time, and one that is too busy none at all. */
Test(keeper_watch, lacking_a_processor_is_not_hanging) {
        static const struct {
                uint64_t used;
                char state;
                bool is_hung;
        } cases[] = {
                { 0, 'S', true },   { 0, 'D', true },   { 0, 'T', true },    { 0, '?', true },    { 0, 'R', false },
                { 0, 't', false },  { 1, 'R', false },  { 1, 'S', false },   { 240, 'R', false }, { 240, 'D', false },
                { 250, 'R', true }, { 900, 'R', true }, { 1000, 'S', true },
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
                cr_expect(eq(int, keeper_watch_is_hung(cases[i].used, 1000, cases[i].state), cases[i].is_hung),
                          "%zu", i);
}
