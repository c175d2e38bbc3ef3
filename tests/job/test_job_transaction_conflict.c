/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Which of two that conflict goes, under any names
 */

#include <stdio.h>

#include "job_world.h"

/* Units of a test are letters; @order says which name each gets: "cab" makes a c.service, b a.service. */
typedef struct Letters {
        JobWorld *w;
        const char *order;
} Letters;

static const char *const orders[] = { "abcd", "dcba", "badc", "cdab", "bcda", "cadb" };

static const char *name_of(const Letters *letters, char letter, char name[static 16]) {
        snprintf(name, 16, "%c.service", letters->order[letter - 'a']);
        return name;
}

static void relate(const Letters *letters, const char *relations) {
        static const struct {
                char sign;
                UnitRelationKind kind;
        } kinds[] = {
                { '>', UNIT_WANTS }, { '!', UNIT_CONFLICTS }, { '=', UNIT_REQUIRES }, { '/', UNIT_PART_OF },
                { '<', UNIT_AFTER },
        };
        char unit[16], other[16];

        for (const char *r = relations; *r; r += r[3] ? 4 : 3)
                for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                        if (kinds[i].sign == r[1])
                                double_relate(letters->w->units, name_of(letters, r[0], unit), kinds[i].kind,
                                              name_of(letters, r[2], other));
}

static void want(const Letters *letters, const char *wanted) {
        char unit[16];

        for (; *wanted; wanted++)
                double_relate(letters->w->units, "t.target", UNIT_WANTS, name_of(letters, *wanted, unit));
}

/* A start of t.target, which wants @wanted, starts these and no other. */
static void assert_started(const char *wanted, const char *active, const char *relations, const char *started) {
        for (size_t i = 0; i < ELEMENTSOF(orders); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();
                Letters letters = { w, orders[i] };
                char unit[16];

                for (const char *letter = "abcd"; *letter; letter++)
                        double_unit(w->units, name_of(&letters, *letter, unit),
                                    strchr(active, *letter) ? UNIT_ACTIVE : UNIT_INACTIVE);
                relate(&letters, relations);
                want(&letters, wanted);
                job_world_accept(w, JOB_REPLACE, "start:t.target");
                for (const char *letter = "abcd"; *letter; letter++) {
                        bool is_started = false;

                        for (size_t k = 0; k < w->plan->jobs.n; k++)
                                is_started |= w->plan->jobs.items[k].type == JOB_START &&
                                              strcmp(w->plan->jobs.items[k].unit, name_of(&letters, *letter, unit)) == 0;
                        cr_assert(eq(int, is_started, strchr(started, *letter) != NULL), "%s as %s: %c", relations,
                                  orders[i], *letter);
                }
        }
}

Test(job_transaction_conflict, a_stop_that_stops_nothing_is_passed_on_to_nobody) {
        assert_started("ab", "", "a!c b/c", "ab");
        assert_started("ab", "", "a!c b/d d=c", "ab");
        assert_started("ab", "", "a!c c/d d/c b/d", "ab");
        /* The conflict would stop a running unit: it loses to a start that is wanted. */
        assert_started("ab", "c", "a!c b/c", "b");
}

Test(job_transaction_conflict, the_one_that_declares_it_wins_under_any_names) {
        assert_started("ab", "", "a!b", "a");
        assert_started("ab", "", "a!c b=c", "a");
        assert_started("ab", "", "a!c b=d d=c", "a");
        assert_started("ab", "bc", "a!c b=c", "a");
        assert_started("abc", "c", "a!c b=c", "a");
        assert_started("ab", "b", "a!b", "a");
        /* A job needs a puller. */
        assert_started("b", "", "a!b b>a", "b");
        assert_started("bc", "", "a!b a!c b>a c>a", "bc");
        assert_started("b", "", "a!c b>c c>a", "bc");
}

Test(job_transaction_conflict, none_is_lost_to_one_that_is_lost) {
        assert_started("abc", "", "c!b b!a", "ac");
        assert_started("abcd", "", "d!c c!b b!a", "bd");
        assert_started("abc", "", "c!b b!a b=d", "ac");
        assert_started("abc", "", "c!d b=d b!a", "ac");
        /* a is pulled in by b only, and b is dropped. */
        assert_started("bcd", "", "c!b b>a a!d", "cd");
        /* b runs, so its start pulls in nothing. */
        assert_started("bd", "b", "b>a a!d", "d");
        /* b is dropped for a cycle with d, which c needs, too. */
        assert_started("abc", "", "b!a b<d d<b c=d", "acd");
}

Test(job_transaction_conflict, what_wins_in_a_ring_is_started) {
        static const char *const relations[] = { "a!b b!a", "a!b b!c c!a", "a!b b!c c!d d!a", "a!b b!a b!c c!b" };

        for (size_t i = 0; i < ELEMENTSOF(relations); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();
                Letters letters = { w, "abcd" };

                for (const char *letter = "abcd"; *letter; letter++) {
                        char unit[16];

                        double_unit(w->units, name_of(&letters, *letter, unit), UNIT_INACTIVE);
                }
                relate(&letters, relations[i]);
                want(&letters, "abcd");
                job_world_accept(w, JOB_REPLACE, "start:t.target");
                /* t, one of two neighbours, and d where it is in no ring. */
                cr_assert(ge(sz, w->plan->jobs.n, 2), "%s", relations[i]);
                for (size_t a = 1; a < w->plan->jobs.n; a++)
                        for (size_t b = 1; b < w->plan->jobs.n; b++) {
                                const char pair[] = { w->plan->jobs.items[a].unit[0], '!', w->plan->jobs.items[b].unit[0],
                                                      '\0' };

                                cr_assert(strstr(relations[i], pair) == NULL, "%s: %s", relations[i], pair);
                        }
        }
}

Test(job_transaction_conflict, why_tells_of_each_that_was_left_out) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Letters letters = { w, "abcd" };

        for (const char *letter = "abcd"; *letter; letter++) {
                char unit[16];

                double_unit(w->units, name_of(&letters, *letter, unit), UNIT_INACTIVE);
        }
        relate(&letters, "b!a b<d d<b c=d");
        want(&letters, "abc");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        cr_assert(eq(sz, w->plan->cycles.n, 1));
        assert_contains(w->plan->cycles.items[0], "start b.service is left out");
        assert_contains(job_world_dropped(w), "start b.service: cycle");
        cr_assert(strstr(job_world_dropped(w), "start a.service") == NULL);
}
