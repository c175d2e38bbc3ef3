/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Nodes whose sub-run waits for a person
 *
 * Such a node is PENDING, so that its children are BLOCKED and its run may be
 * SUSPENDED. But its attempt goes on: it keeps its number, its time and its
 * locks, and what is done to the sub-run is what moves the node. Before
 * something ends the attempt, the node is RUNNING again.
 */

#include <errno.h>

#include "run/run_private.h"

void run_sub_go_on(Run *run, uint32_t node) {
        run_node_become(run, node, RUN_NODE_RUNNING, RUN_REASON_SUB_RUN);
        /* The node may have become unneeded meanwhile. */
        run_doubt(run, node);
        run_wake(run);
}

void run_sub_end(Run *run, uint32_t node) {
        const bool drains = run->row.result == RUN_TIMEOUT && run->settings.timeout_mode == RUN_TIMEOUT_DRAIN;

        run_sub_go_on(run, node);
        /* A person may never come. Otherwise whoever ends the run tells all that runs, or a stop passes down. */
        if (drains)
                run_attempt_tell(run, node, RUN_OUTCOME_DEADLINE);
        else if (run->row.result != RUN_TIMEOUT && run->row.result != RUN_CANCELLED)
                run_attempt_tell(run, node, RUN_OUTCOME_ENDED);
}

/* An attempt that is to end, or is needed no more, ends as it was told. */
static bool can_wait(const Run *run, uint32_t node) {
        const RunNode *entry = &run->nodes[node];

        return run_node_has_sub_run(run, node) && entry->state == RUN_NODE_RUNNING &&
               entry->outcome == RUN_OUTCOME_OPEN && entry->reason == RUN_REASON_SUB_RUN && run_is_open(run);
}

int run_engine_sub_waits(RunEngine *engine, const RunAttemptKey *attempt, bool waits) {
        Run *run = run_find_attempt(engine, attempt);

        if (!run)
                return -ENOENT;
        if (waits == run_node_waits_with_sub(&run->nodes[attempt->node]) || (waits && !can_wait(run, attempt->node)))
                return 0;
        if (waits)
                run_node_become(run, attempt->node, RUN_NODE_PENDING, RUN_REASON_SUB_RUN);
        else
                run_sub_go_on(run, attempt->node);
        run_settle(run);
        run_admit(run->flow);
        return 1;
}
