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

static Counts count_parents(const TrialNode *node, const TrialParent *parents) {
        const bool only_marked = node->readiness == TRIAL_NAMED || node->readiness == TRIAL_MUST;
        Counts c = {};

        for (unsigned i = 0; i < node->n_parents; i++) {
                if (only_marked && !node->is_marked[i])
                        continue;
                c.n++;
                c.s += parents[i] == TRIAL_PARENT_SUCCEEDED;
                c.f += parents[i] == TRIAL_PARENT_FAILED;
                c.k += parents[i] == TRIAL_PARENT_SKIPPED;
                c.p += parents[i] == TRIAL_PARENT_PENDING;
                c.u += parents[i] == TRIAL_PARENT_UNFINISHED;
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

TrialVerdict run_model_verdict(const TrialNode *node, const TrialParent *parents) {
        const Counts c = count_parents(node, parents);
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

/* What such a rule wants is no success, so that a failure is not what it lacks. */
static bool is_for_failures(TrialReadiness rule) {
        return rule == TRIAL_ONE_FAILED || rule == TRIAL_ALL_FAILED || rule == TRIAL_NONE_SKIPPED ||
               rule == TRIAL_ONE_DONE || rule == TRIAL_ALL_SKIPPED;
}

TrialReason run_model_skip_reason(const TrialNode *node, const TrialParent *parents) {
        if (count_parents(node, parents).f > 0 && !is_for_failures(node->readiness))
                return TRIAL_REASON_UPSTREAM_FAILED;
        return TRIAL_REASON_UPSTREAM;
}
