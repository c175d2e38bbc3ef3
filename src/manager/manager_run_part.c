/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts: which runs are those of nodes with Flow=, and what can be said of them
 */

#include "manager/manager_run_part.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_table.h"

bool manager_run_is_below(const ManagerRuns *runs, const ManagerRun *run, uint32_t other) {
        while (run && run->facts.parent != other)
                run = run->facts.parent > 0 ? manager_run_find(runs, run->facts.parent) : NULL;
        return run;
}

const ManagerRun *manager_run_find_live_part(const ManagerRuns *runs, uint32_t id) {
        for (const ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                for (const ManagerRun *part = flow->first; part; part = part->next)
                        if (part->facts.parent == id && !part->is_over)
                                return part;
        return NULL;
}

const ManagerRun *manager_run_find_waiting_sub(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row) {
        const RunAttemptKey key = { run->id, row->node, row->generation, row->number };
        const ManagerSub *sub = row->state == RUN_NODE_PENDING && row->reason == RUN_REASON_SUB_RUN
                                        ? manager_attempts_get_sub(runs->attempts, &key)
                                        : NULL;

        const ManagerRun *part = sub && sub->run > 0 ? manager_run_find(runs, sub->run) : NULL;

        const ManagerRun *live = sub && sub->run > 0 && (!part || part->is_over)
                                         ? manager_run_find_live_part(runs, sub->run)
                                         : NULL;

        return live ? live : part;
}
