/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The watchdog of runs: once a minute, while runs live, a slice in each turn
 *
 * A run that can move and does not is an error of jobd. It is repaired, and told
 * with run and node, since nothing else would show it.
 */

#include <inttypes.h>

#include "basic/log.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_watch.h"

#define SLICE 4096U /* nodes, and parents of those that wait */

usec_t manager_run_watch_pause(void) {
        return USEC_PER_MINUTE;
}

static void tell(void *userdata, uint32_t id, uint32_t node, RunOversight oversight) {
        const ManagerRuns *runs = userdata;
        const ManagerRun *run = manager_run_find(runs, id);
        const bool is_node = run && node != RUN_NODE_NONE;

        log_write(LOG_LEVEL_ERROR, run ? run->facts.unit : NULL, "Run %" PRIu32 "%s%s: %s%s.", id,
                  is_node ? ", node " : "", is_node ? run_graph_name(run->graph, node) : "",
                  run_oversight_to_string(oversight),
                  oversight == RUN_OVERSIGHT_STUCK ? "; 'jobctl flow cancel' ends it"
                                                   : "; it goes on now, but that is an error of jobd");
}

static bool has_live(const ManagerRuns *runs) {
        for (const ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                for (const ManagerRun *run = flow->first; run; run = run->next)
                        if (!run->is_over)
                                return true;
        return false;
}

bool manager_run_watch(ManagerRuns *runs) {
        if (runs->watch_at == USEC_INFINITY && has_live(runs))
                runs->watch_at = usec_add(runs->now, runs->watch_pause);
        if (runs->now >= runs->watch_at && !runs->is_watching) {
                runs->is_watching = true;
                run_engine_watch_begin(runs->engine);
        }
        if (!runs->is_watching)
                return false;
        runs->is_watching = run_engine_watch(runs->engine, SLICE, tell, runs);
        if (!runs->is_watching)
                runs->watch_at = has_live(runs) ? usec_add(runs->now, runs->watch_pause) : USEC_INFINITY;
        return runs->is_watching;
}
