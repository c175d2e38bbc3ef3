/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Types and what merging them means: each table, and the algebra over all of it
 */

#include "job_world.h"

#define X _JOB_TYPE_INVALID

#define for_each_state(state) \
        for (UnitActiveState state = 0; state < _UNIT_ACTIVE_STATE_MAX; state++)
#define for_each_type(type, max) \
        for (JobType type = 0; (int) type < (int) (max); type++)

/* A conflict stays a conflict. */
static JobType combine(JobType a, JobType b, UnitActiveState state) {
        JobType merged = a < 0 || b < 0 ? X : job_type_merge(a, b);

        return merged < 0 ? merged : job_type_collapse(merged, state, false);
}

Test(job_type, merge_follows_the_table) {
        static const int table[_JOB_TYPE_MAX_IN_TABLE][_JOB_TYPE_MAX_IN_TABLE] = {
                { JOB_START, JOB_START, X, JOB_RELOAD_OR_START, JOB_RESTART, X },
                { JOB_START, JOB_VERIFY_ACTIVE, X, JOB_RELOAD, JOB_RESTART, X },
                { X, X, JOB_STOP, X, X, X },
                { JOB_RELOAD_OR_START, JOB_RELOAD, X, JOB_RELOAD, JOB_RESTART, X },
                { JOB_RESTART, JOB_RESTART, X, JOB_RESTART, JOB_RESTART, X },
                { X, X, X, X, X, JOB_NOP },
        };

        for_each_type(a, _JOB_TYPE_MAX_IN_TABLE)
                for_each_type(b, _JOB_TYPE_MAX_IN_TABLE)
                        cr_assert(job_type_merge(a, b) == (JobType) table[a][b], "%s + %s", job_type_to_string(a),
                                  job_type_to_string(b));
}

Test(job_type, composite_types_merge_with_nothing) {
        for_each_type(a, _JOB_TYPE_MAX)
                for (JobType b = _JOB_TYPE_MAX_IN_TABLE; b < _JOB_TYPE_MAX; b++) {
                        cr_assert(eq(int, job_type_merge(a, b), X));
                        cr_assert(eq(int, job_type_merge(b, a), X));
                }
}

Test(job_type, merging_and_collapsing_is_commutative) {
        for_each_state(state)
                for_each_type(a, _JOB_TYPE_MAX_MERGING)
                        for_each_type(b, _JOB_TYPE_MAX_MERGING)
                                cr_assert(eq(int, combine(a, b, state), combine(b, a, state)));
}

Test(job_type, merging_and_collapsing_is_associative) {
        for_each_state(state)
                for_each_type(a, _JOB_TYPE_MAX_MERGING)
                        for_each_type(b, _JOB_TYPE_MAX_MERGING)
                                for_each_type(c, _JOB_TYPE_MAX_MERGING)
                                        cr_assert(combine(combine(a, b, state), c, state) ==
                                                          combine(a, combine(b, c, state), state),
                                                  "%s, %s, %s", job_type_to_string(a), job_type_to_string(b),
                                                  job_type_to_string(c));
}

Test(job_type, merging_with_itself_changes_nothing) {
        for_each_type(a, _JOB_TYPE_MAX_IN_TABLE)
                cr_assert(eq(int, job_type_merge(a, a), a));
}

Test(job_type, what_merges_with_one_merges_with_what_that_merges_with) {
        for_each_type(a, _JOB_TYPE_MAX_MERGING)
                for_each_type(b, _JOB_TYPE_MAX_MERGING)
                        for_each_type(c, _JOB_TYPE_MAX_MERGING)
                                if (job_type_merge(a, b) >= 0 && job_type_merge(b, c) >= 0)
                                        cr_assert(job_type_merge(a, c) >= 0);
}

Test(job_type, what_conflicts_with_the_merged_conflicts_with_both) {
        for_each_state(state)
                for_each_type(a, _JOB_TYPE_MAX_MERGING)
                        for_each_type(b, _JOB_TYPE_MAX_MERGING)
                                for_each_type(c, _JOB_TYPE_MAX_MERGING) {
                                        JobType merged = combine(a, b, state);

                                        if (merged >= 0 && job_type_conflicts(merged, c))
                                                cr_assert(job_type_conflicts(a, c) && job_type_conflicts(b, c));
                                }
}

Test(job_type, only_a_stop_conflicts_with_all_but_stop_and_nop) {
        for_each_type(a, _JOB_TYPE_MAX_IN_TABLE)
                for_each_type(b, _JOB_TYPE_MAX_IN_TABLE) {
                        bool expected = (a == JOB_STOP) != (b == JOB_STOP) && a != JOB_NOP && b != JOB_NOP;

                        cr_assert(job_type_conflicts(a, b) == expected, "%s and %s", job_type_to_string(a),
                                  job_type_to_string(b));
                }
}

Test(job_type, composite_types_collapse_by_the_state_of_the_unit) {
        static const struct {
                JobType try_restart, try_reload, reload_or_start;
        } table[_UNIT_ACTIVE_STATE_MAX] = {
                [UNIT_INACTIVE] = { JOB_NOP, JOB_NOP, JOB_START },
                [UNIT_FAILED] = { JOB_NOP, JOB_NOP, JOB_START },
                [UNIT_ACTIVATING] = { JOB_RESTART, JOB_NOP, JOB_START },
                [UNIT_ACTIVE] = { JOB_RESTART, JOB_RELOAD, JOB_RELOAD },
                [UNIT_RELOADING] = { JOB_RESTART, JOB_RELOAD, JOB_RELOAD },
                [UNIT_DEACTIVATING] = { JOB_NOP, JOB_NOP, JOB_START },
                [UNIT_MAINTENANCE] = { JOB_NOP, JOB_NOP, JOB_START },
        };

        for_each_state(state) {
                cr_assert(eq(int, job_type_collapse(JOB_TRY_RESTART, state, false), table[state].try_restart));
                cr_assert(eq(int, job_type_collapse(JOB_TRY_RELOAD, state, false), table[state].try_reload));
                cr_assert(eq(int, job_type_collapse(JOB_RELOAD_OR_START, state, false), table[state].reload_or_start));
        }
}

Test(job_type, what_tries_becomes_a_nop_beside_an_installed_stop) {
        for_each_state(state) {
                cr_assert(eq(int, job_type_collapse(JOB_TRY_RESTART, state, true), JOB_NOP));
                cr_assert(eq(int, job_type_collapse(JOB_TRY_RELOAD, state, true), JOB_NOP));
                cr_assert(eq(int, job_type_collapse(JOB_RELOAD_OR_START, state, true),
                             job_type_collapse(JOB_RELOAD_OR_START, state, false)));
        }
}

Test(job_type, other_types_do_not_collapse) {
        for_each_state(state)
                for_each_type(type, _JOB_TYPE_MAX_IN_TABLE)
                        cr_assert(eq(int, job_type_collapse(type, state, true), type));
        cr_assert(eq(int, job_type_collapse(_JOB_TYPE_INVALID, UNIT_ACTIVE, false), _JOB_TYPE_INVALID));
}

Test(job_type, collapsing_gives_what_may_be_in_a_table) {
        for_each_state(state)
                for_each_type(type, _JOB_TYPE_MAX)
                        cr_assert(lt(int, job_type_collapse(type, state, false), _JOB_TYPE_MAX_IN_TABLE));
}

Test(job_type, redundant_is_what_leads_where_the_unit_is) {
        for_each_state(state) {
                bool is_there = state == UNIT_ACTIVE || state == UNIT_RELOADING;
                bool is_gone = state == UNIT_INACTIVE || state == UNIT_FAILED;

                cr_assert(eq(int, job_type_is_redundant(JOB_START, state), is_there));
                cr_assert(eq(int, job_type_is_redundant(JOB_VERIFY_ACTIVE, state), is_there));
                cr_assert(eq(int, job_type_is_redundant(JOB_STOP, state), is_gone));
                cr_assert(eq(int, job_type_is_redundant(JOB_RELOAD, state), false));
                cr_assert(eq(int, job_type_is_redundant(JOB_RESTART, state), false));
                cr_assert(eq(int, job_type_is_redundant(JOB_NOP, state), true));
                cr_assert(eq(int, job_type_is_redundant(JOB_TRY_RESTART, state), false));
                cr_assert(eq(int, job_type_is_redundant(_JOB_TYPE_INVALID, state), false));
        }
}

Test(job_type, applicable_is_what_the_unit_can_do) {
        /* can start, can stop, can reload, is perpetual → start, verify, stop, reload, restart, nop, try-restart, try-reload, reload-or-start */
        static const struct {
                bool start, stop, reload, perpetual;
                bool expected[_JOB_TYPE_MAX];
        } table[] = {
                { true, true, true, false, { 1, 1, 1, 1, 1, 1, 1, 1, 1 } },
                { false, true, true, false, { 1, 1, 1, 1, 0, 1, 0, 1, 0 } },
                { true, false, true, false, { 1, 1, 1, 1, 0, 1, 0, 1, 1 } },
                { true, true, false, false, { 1, 1, 1, 0, 1, 1, 1, 0, 0 } },
                { true, true, true, true, { 1, 1, 0, 1, 0, 1, 0, 1, 1 } },
                { false, false, false, false, { 1, 1, 1, 0, 0, 1, 0, 0, 0 } },
        };
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Unit *unit = double_unit(w->units, "a.service", UNIT_INACTIVE);

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                double_unit_allow(unit, DOUBLE_START, table[i].start);
                double_unit_allow(unit, DOUBLE_STOP, table[i].stop);
                double_unit_allow(unit, DOUBLE_RELOAD, table[i].reload);
                unit->settings.is_perpetual = table[i].perpetual;
                for_each_type(type, _JOB_TYPE_MAX)
                        cr_assert(job_type_is_applicable(type, unit) == table[i].expected[type], "row %zu, %s", i,
                                  job_type_to_string(type));
                cr_assert(not(job_type_is_applicable(_JOB_TYPE_INVALID, unit)));
        }
}

Test(job_type, reload_is_applicable_to_what_only_passes_it_on) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.target", UNIT_PROPAGATES_RELOAD_TO, "b.service");
        double_unit_allow(job_world_unit(w, "a.target"), DOUBLE_RELOAD, false);
        cr_assert(job_type_is_applicable(JOB_RELOAD, job_world_unit(w, "a.target")));
}

Test(job_type, a_restart_runs_as_a_stop_first) {
        for_each_type(type, _JOB_TYPE_MAX_IN_TABLE)
                cr_assert(eq(int, job_type_first_run(type), type == JOB_RESTART ? JOB_STOP : type));
}

Test(job_type, covered_is_what_is_still_to_come_of_the_triggered) {
        /* type, run → of start, verify, stop, reload, restart, nop those that are covered */
        static const struct {
                JobType type, run;
                bool expected[_JOB_TYPE_MAX_IN_TABLE];
        } table[] = {
                { JOB_START, JOB_START, { 1, 1, 0, 0, 0, 0 } },
                { JOB_RESTART, JOB_START, { 1, 1, 0, 0, 0, 0 } },
                { JOB_RESTART, JOB_STOP, { 1, 1, 0, 1, 1, 0 } },
                { JOB_STOP, JOB_STOP, { 0, 0, 1, 0, 0, 0 } },
                { JOB_VERIFY_ACTIVE, JOB_VERIFY_ACTIVE, { 0, 1, 0, 0, 0, 0 } },
                { JOB_RELOAD, JOB_RELOAD, { 0, 0, 0, 0, 0, 0 } },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                for_each_type(wanted, _JOB_TYPE_MAX_IN_TABLE)
                        cr_assert(job_type_covers(table[i].type, table[i].run, wanted) == table[i].expected[wanted],
                                  "row %zu, %s", i, job_type_to_string(wanted));
}

Test(job_type, only_a_stop_goes_before_what_it_is_ordered_after) {
        for_each_type(type, _JOB_TYPE_MAX_IN_TABLE)
                cr_assert(eq(int, job_type_second_goes_first(type), type == JOB_STOP));
}

#define assert_words(name, max, ...)                                                                    \
        do {                                                                                            \
                static const char *const words_[] = { __VA_ARGS__ };                                    \
                                                                                                        \
                cr_assert(eq(sz, ELEMENTSOF(words_), (size_t) (max)));                                  \
                for (int i = 0; i < (int) (max); i++) {                                                 \
                        assert_string(name##_to_string(i), words_[i]);                                  \
                        cr_assert(eq(int, name##_from_string(words_[i]), i));                           \
                }                                                                                       \
                cr_assert(eq(ptr, (void *) name##_to_string(max), NULL));                               \
                cr_assert(eq(ptr, (void *) name##_to_string(-22), NULL));                               \
                cr_assert(eq(int, name##_from_string("no such word"), -EINVAL));                        \
                cr_assert(eq(int, name##_from_string(NULL), -EINVAL));                                  \
        } while (0)

Test(job_type, types_have_words) {
        assert_words(job_type, _JOB_TYPE_MAX, "start", "verify-active", "stop", "reload", "restart", "nop",
                     "try-restart", "try-reload", "reload-or-start");
}

Test(job_type, modes_have_words) {
        assert_words(job_mode, _JOB_MODE_MAX, "replace", "fail", "replace-irreversibly", "isolate", "flush",
                     "ignore-dependencies", "ignore-requirements", "triggering", "restart-dependencies", "lenient");
}

Test(job_type, states_have_words) {
        assert_words(job_state, _JOB_STATE_MAX, "waiting", "running");
}

Test(job_type, results_have_words) {
        assert_words(job_result, _JOB_RESULT_MAX, "done", "canceled", "timeout", "failed", "dependency", "skipped",
                     "invalid", "assert", "unsupported", "collected", "once", "merged");
}

Test(job_type, plan_actions_have_words) {
        assert_words(job_plan_action, _JOB_PLAN_ACTION_MAX, "new", "merge", "cover", "turn");
}

Test(job_type, drop_rules_have_words) {
        assert_words(job_drop_rule, _JOB_DROP_RULE_MAX, "cannot-load", "not-applicable", "requirement-failed",
                     "minimize-impact", "conflict", "redundant", "cycle", "verify-against-stop", "needs-dropped",
                     "unreached");
}

Test(job_type, requests_know_softened_restarts) {
        static const struct {
                const char *word;
                int type;
                bool reload_if_possible;
        } table[] = {
                { "start", JOB_START, false },
                { "verify-active", JOB_VERIFY_ACTIVE, false },
                { "try-restart", JOB_TRY_RESTART, false },
                { "reload-or-start", JOB_RELOAD_OR_START, false },
                { "reload-or-restart", JOB_RESTART, true },
                { "reload-or-try-restart", JOB_TRY_RESTART, true },
                { "try-reload-or-restart", JOB_TRY_RESTART, true },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                bool reload_if_possible;
                JobType type;

                cr_assert(eq(int, job_type_from_request(table[i].word, &type, &reload_if_possible), 0));
                cr_assert(eq(int, type, table[i].type));
                cr_assert(eq(int, reload_if_possible, table[i].reload_if_possible));
        }
}

Test(job_type, unknown_request_is_an_error) {
        bool reload_if_possible;
        JobType type;

        cr_assert(eq(int, job_type_from_request("begin", &type, &reload_if_possible), -EINVAL));
        cr_assert(eq(int, job_type_from_request("", &type, &reload_if_possible), -EINVAL));
        cr_assert(eq(int, job_type_from_request(NULL, &type, &reload_if_possible), -EINVAL));
}
