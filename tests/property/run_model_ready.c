/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * When a node may run, as a table of what its parents count as
 *
 * Each rule has a line for READY, one for NEVER and one for BLOCKED, looked at
 * in this order; all else is WAIT. For named parents, and must ones beside
 * optional ones, only the marked parents are counted. Airflow's rules that
 * want no success have failed nowhere if they can't be met: a failure is not
 * what is in their way, so that they are skipped like behind a skip.
 */

#include "run_model_private.h"

typedef struct Counts {
        unsigned n;                     /* parents */
        unsigned s, f, k;               /* succeeded, failed, skipped */
        unsigned p, u;                  /* pending or blocked, unfinished */
} Counts;

/* @many: what a parent of an unknown number counts as. */
static Counts count_parents(const TrialNode *node, const TrialFamily *family, unsigned many) {
        const bool only_marked = node->readiness == TRIAL_NAMED || node->readiness == TRIAL_MUST;
        Counts c = {};

        for (unsigned i = 0; i < family->n; i++) {
                const unsigned weight = family->is_many[i] ? many : 1;

                if (only_marked && !family->is_marked[i])
                        continue;
                c.n += weight;
                c.s += family->as[i] == TRIAL_PARENT_SUCCEEDED ? weight : 0;
                c.f += family->as[i] == TRIAL_PARENT_FAILED ? weight : 0;
                c.k += family->as[i] == TRIAL_PARENT_SKIPPED ? weight : 0;
                c.p += family->as[i] == TRIAL_PARENT_PENDING ? weight : 0;
                c.u += family->as[i] == TRIAL_PARENT_UNFINISHED ? weight : 0;
        }
        return c;
}

static TrialVerdict decide(bool is_ready, bool is_never, bool is_blocked) {
        if (is_ready)
                return TRIAL_READY;
        if (is_never)
                return TRIAL_NEVER_READY;
        return is_blocked ? TRIAL_BLOCKED : TRIAL_WAIT;
}

static TrialVerdict at_least(Counts c, unsigned wanted) {
        return decide(c.s >= wanted, c.s + c.u + c.p < wanted, c.s + c.u < wanted);
}

static TrialVerdict judge_counts(const TrialNode *node, Counts c) {
        const bool all_finished = c.u == 0 && c.p == 0;

        switch (node->readiness) {
        case TRIAL_ALL_SUCCEEDED:
        case TRIAL_NAMED:
        case TRIAL_MUST:
                return decide(c.s == c.n, c.f + c.k > 0, c.p > 0);
        case TRIAL_ALL_FINISHED:
                return decide(all_finished, false, c.p > 0);
        case TRIAL_AT_LEAST:
                return at_least(c, node->amount);
        case TRIAL_AT_LEAST_PERCENT:
                return at_least(c, (node->amount * c.n + 99) / 100);
        case TRIAL_ANY:
        case TRIAL_OPTIONAL:
        case TRIAL_ONE_SUCCESS:
                return at_least(c, 1);
        case TRIAL_NONE_FAILED:
                return decide(all_finished && c.f == 0, c.f > 0, c.p > 0);
        case TRIAL_ONE_FAILED:
                return decide(c.f >= 1, c.f + c.u + c.p == 0, c.f + c.u == 0);
        case TRIAL_ALL_FAILED:
                return decide(c.f == c.n, c.s + c.k > 0, c.p > 0);
        case TRIAL_ALWAYS:
                return TRIAL_READY;
        case TRIAL_NONE_SKIPPED:
                return decide(all_finished && c.k == 0, c.k > 0, c.p > 0);
        case TRIAL_ONE_DONE:
                return decide(c.s + c.f >= 1, c.s + c.f + c.u + c.p == 0, c.s + c.f + c.u == 0);
        case TRIAL_ALL_SKIPPED:
                return decide(c.k == c.n, c.s + c.f > 0, c.p > 0);
        case TRIAL_NONE_FAILED_MIN_ONE:
                return decide(all_finished && c.f == 0 && c.s >= 1, c.f > 0 || c.s + c.u + c.p == 0, c.p > 0);
        case _TRIAL_READINESS_MAX:
                break;
        }
        return TRIAL_WAIT;
}

/*
 * A node with Foreach= whose list is not known is some parents, but nobody knows how many: it is READY or NEVER if it
 * would be with all numbers of them. Else it waits for what it would with most of them.
 */
TrialVerdict run_model_judge(const TrialNode *node, const TrialFamily *family) {
        static const unsigned numbers[] = { 1, 2, 3, 100, 10000 };
        TrialVerdict first, verdict;
        bool is_open = false;

        for (unsigned i = 0; i < family->n; i++)
                is_open = is_open || family->is_many[i];
        if (!is_open)
                return judge_counts(node, count_parents(node, family, 1));
        first = verdict = judge_counts(node, count_parents(node, family, numbers[0]));
        for (unsigned i = 1; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
                verdict = judge_counts(node, count_parents(node, family, numbers[i]));
                if (verdict != first && (verdict == TRIAL_READY || verdict == TRIAL_NEVER_READY))
                        verdict = TRIAL_WAIT;
        }
        return verdict;
}

/* Parents none of which has instances. */
static TrialFamily family_of(const TrialNode *node, const TrialParent *parents) {
        TrialFamily family = { .n = node->n_parents };

        memcpy(family.as, parents, node->n_parents * sizeof(*parents));
        memcpy(family.is_marked, node->is_marked, node->n_parents * sizeof(bool));
        return family;
}

TrialVerdict run_model_verdict(const TrialNode *node, const TrialParent *parents) {
        const TrialFamily family = family_of(node, parents);

        return run_model_judge(node, &family);
}

/* What such a rule wants is no success, so that a failure is not what it lacks. */
static bool is_for_failures(TrialReadiness rule) {
        return rule == TRIAL_ONE_FAILED || rule == TRIAL_ALL_FAILED || rule == TRIAL_NONE_SKIPPED ||
               rule == TRIAL_ONE_DONE || rule == TRIAL_ALL_SKIPPED;
}

TrialReason run_model_reason_of_skip(const TrialNode *node, const TrialFamily *family) {
        if (count_parents(node, family, 1).f > 0 && !is_for_failures(node->readiness))
                return TRIAL_REASON_UPSTREAM_FAILED;
        return TRIAL_REASON_UPSTREAM;
}

TrialReason run_model_skip_reason(const TrialNode *node, const TrialParent *parents) {
        const TrialFamily family = family_of(node, parents);

        return run_model_reason_of_skip(node, &family);
}
