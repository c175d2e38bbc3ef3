/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Every pair of a state and an event
 *
 * S000-6, S000-9, S000-18, S000-41, S002-19, S002-20, S004-4, S004-13,
 * S004-37, S004-43
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "run/run_type.h"

#define S(state) (1U << (state))

/* Rows are states, columns events: '.' is refused, letters are the states to go to, '=' stays. */
static const char *const run_pairs[_RUN_STATE_MAX] = {
        /*             A Q F C T a p P H D R S V s c d e O x r R u */
        [RUN_CREATED] =   "yyyy....=.=..yy.......",
        [RUN_QUEUED] =    "y.y.y...=.=..yy.......",
        [RUN_RUNNING] =   ".....y.yy..y=yyyyy....",
        [RUN_AWAITING] =  "......yyy...=yyyyy....",
        [RUN_PAUSING] =   "........yyy.=yyyyy....",
        [RUN_PAUSED] =    "........=.y.=yyyy.....",
        [RUN_SUSPENDED] = "........=.=.yyyyy.....",
        [RUN_STOPPING] =  "........=.=y.===..y...",
        [RUN_SUCCEEDED] = "............y......yyy",
        [RUN_PARTIAL] =   "............y......yyy",
        [RUN_FAILED] =    "............y......yyy",
        [RUN_TIMEOUT] =   "............y......yyy",
        [RUN_CANCELLED] = "............y......yyy",
};

static const char *const node_pairs[_RUN_NODE_STATE_MAX] = {
        /*                    F W B N D S F L I G D B s f r K g A R U E T R */
        [RUN_NODE_WAITING] =   "y=yy...........y.....yy.",
        [RUN_NODE_BLOCKED] =   "yy=y...........y.....yy.",
        [RUN_NODE_READY] =     "....y..........yy..y.yy.",
        [RUN_NODE_RUNNING] =   ".....yyyyy.........y.==.",
        [RUN_NODE_DEFERRED] =  "..........yy...y...y.yy.",
        [RUN_NODE_PENDING] =   "............yyyy.yyyyyy.",
        [RUN_NODE_SUCCEEDED] = ".......................y",
        [RUN_NODE_FAILED] =    "............y..........y",
        [RUN_NODE_TIMEOUT] =   "............y..........y",
        [RUN_NODE_CANCELLED] = ".......................y",
        [RUN_NODE_SKIPPED] =   ".......................y",
};

static const char *const attempt_pairs[_RUN_ATTEMPT_STATE_MAX] = {
        [RUN_ATTEMPT_STARTING] =    "yyyyyy",
        [RUN_ATTEMPT_RUNNING] =     ".y.yyy",
        [RUN_ATTEMPT_DONE] =        "......",
        [RUN_ATTEMPT_LOST] =        "......",
        [RUN_ATTEMPT_INTERRUPTED] = "......",
        [RUN_ATTEMPT_ABANDONED] =   ".=.=..",
};

static char kind_of(uint32_t after, unsigned state) {
        return after == 0 ? '.' : after == S(state) ? '=' : 'y';
}

static void check_sentence(int r, char *sentence, const char *state, const char *event) {
        cr_assert(eq(int, r, 0));
        cr_assert(strstr(sentence, state) && strstr(sentence, event), "%s", sentence);
        cr_assert(eq(int, sentence[strlen(sentence) - 1], '.'));
        free(sentence);
}

Test(run_type, every_pair_of_a_run) {
        for (unsigned s = 0; s < _RUN_STATE_MAX; s++)
                for (unsigned e = 0; e < _RUN_EVENT_MAX; e++) {
                        const uint32_t after = run_state_after(s, e);
                        char *sentence = NULL;
                        int r;

                        cr_assert(eq(sz, strlen(run_pairs[s]), _RUN_EVENT_MAX));
                        cr_assert(eq(int, kind_of(after, s), run_pairs[s][e]), "%s, %s", run_state_to_string(s),
                                  run_event_to_string(e));
                        cr_assert(eq(u32, after & ~(S(_RUN_STATE_MAX) - 1), 0));
                        if (after)
                                continue;
                        r = run_state_refuse(s, e, &sentence);
                        check_sentence(r, sentence, run_state_to_string(s), run_event_to_string(e));
                }
}

Test(run_type, every_pair_of_a_node) {
        for (unsigned s = 0; s < _RUN_NODE_STATE_MAX; s++)
                for (unsigned e = 0; e < _RUN_NODE_EVENT_MAX; e++) {
                        const uint32_t after = run_node_state_after(s, e);
                        char *sentence = NULL;
                        int r;

                        cr_assert(eq(sz, strlen(node_pairs[s]), _RUN_NODE_EVENT_MAX));
                        cr_assert(eq(int, kind_of(after, s), node_pairs[s][e]), "%s, %s", run_node_state_to_string(s),
                                  run_node_event_to_string(e));
                        if (after)
                                continue;
                        r = run_node_state_refuse(s, e, &sentence);
                        check_sentence(r, sentence, run_node_state_to_string(s), run_node_event_to_string(e));
                }
}

Test(run_type, every_pair_of_an_attempt) {
        for (unsigned s = 0; s < _RUN_ATTEMPT_STATE_MAX; s++)
                for (unsigned e = 0; e < _RUN_ATTEMPT_EVENT_MAX; e++) {
                        const uint32_t after = run_attempt_state_after(s, e);
                        char *sentence = NULL;
                        int r;

                        cr_assert(eq(int, kind_of(after, s), attempt_pairs[s][e]), "%s, %s",
                                  run_attempt_state_to_string(s), run_attempt_event_to_string(e));
                        if (after)
                                continue;
                        r = run_attempt_state_refuse(s, e, &sentence);
                        check_sentence(r, sentence, run_attempt_state_to_string(s), run_attempt_event_to_string(e));
                }
}

/* What ends stays ended, but for a next round. */
Test(run_type, terminal_states) {
        for (unsigned s = 0; s < _RUN_STATE_MAX; s++)
                for (unsigned e = 0; e < _RUN_EVENT_MAX; e++)
                        if (run_state_is_terminal(s) && run_state_after(s, e))
                                cr_assert(eq(u32, run_state_after(s, e),
                                             e == RUN_EVENT_COMPENSATE ? S(RUN_STOPPING) : S(RUN_CREATED)));
        for (unsigned s = 0; s < _RUN_NODE_STATE_MAX; s++)
                cr_assert(eq(int, run_node_state_is_terminal(s), s >= RUN_NODE_SUCCEEDED));
        for (unsigned s = 0; s < _RUN_ATTEMPT_STATE_MAX; s++)
                cr_assert(eq(int, run_attempt_state_is_terminal(s), s >= RUN_ATTEMPT_DONE));
        for (unsigned s = 0; s < _RUN_STATE_MAX; s++)
                cr_assert(eq(int, run_state_is_terminal(s), s >= RUN_SUCCEEDED));
}

/* A fixed outcome is no end: a node that runs is left as it is by an end of its run. */
Test(run_type, running_nodes_outlive_the_outcome) {
        cr_assert(eq(u32, run_node_state_after(RUN_NODE_RUNNING, RUN_NODE_EVENT_END), S(RUN_NODE_RUNNING)));
        cr_assert(eq(u32, run_node_state_after(RUN_NODE_RUNNING, RUN_NODE_EVENT_DEADLINE), S(RUN_NODE_RUNNING)));
        cr_assert(eq(u32, run_state_after(RUN_RUNNING, RUN_EVENT_DONE), S(RUN_STOPPING)));
        cr_assert(eq(u32, run_state_after(RUN_CREATED, RUN_EVENT_CANCEL), S(RUN_STOPPING)));
}
