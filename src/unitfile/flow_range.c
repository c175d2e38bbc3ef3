/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What [Batch] has beside [Flow]: the items, and how they are worked through
 */

#include <stdlib.h>

#include "basic/macro.h"
#include "unitfile/flow_range.h"
#include "unitfile/service_settings.h"

static const char *const flow_item_modes[_FLOW_ITEM_MODE_MAX] = {
        [FLOW_ITEM_EXEC] = "exec",
        [FLOW_ITEM_POOL] = "pool",
};

static const char *const flow_error_budgets[_FLOW_ERROR_BUDGET_MAX] = {
        [FLOW_ERROR_BUDGET_DRAIN] = "drain",
        [FLOW_ERROR_BUDGET_KILL] = "kill",
};

DEFINE_STRING_TABLE(flow_item_mode, FlowItemMode, flow_item_modes)
DEFINE_STRING_TABLE(flow_error_budget, FlowErrorBudget, flow_error_budgets)

void flow_range_init(FlowRange *range) {
        *range = (FlowRange) {
                .rate_period = USEC_PER_SEC,
                .prepare_timeout = FLOW_RANGE_PREPARE_TIMEOUT,
                .sync = FLOW_RANGE_SYNC,
                .sync_items = FLOW_RANGE_SYNC_ITEMS,
                .pause_timeout = USEC_INFINITY,
        };
}

void flow_range_deinit(FlowRange *range) {
        free(range->items_file);
        exec_command_free_all(range->items_command);
        free(range->source);
        exec_command_free_all(range->exec_check);
        exec_command_free_all(range->exec_prepare);
}

uint32_t flow_range_depth(const FlowRange *range) {
        if (range->item_mode != FLOW_ITEM_POOL)
                return 1;
        return range->depth > 0 ? range->depth : FLOW_RANGE_DEPTH;
}

usec_t flow_range_worker_idle(const FlowRange *range) {
        return range->worker_idle > 0 ? range->worker_idle : FLOW_RANGE_WORKER_IDLE;
}

uint32_t flow_range_slots(const FlowRange *range, uint32_t n_processors) {
        const uint32_t parallel = range->parallel > 0 ? range->parallel : MAX(n_processors, 1U);
        const uint64_t slots = (uint64_t) parallel * flow_range_depth(range);

        return (uint32_t) MIN(slots, range->window > 0 ? range->window : FLOW_RANGE_WINDOW_MAX);
}

uint32_t flow_range_window(const FlowRange *range, uint32_t n_processors) {
        const uint32_t slots = flow_range_slots(range, n_processors);
        uint64_t issued;

        if (range->window > 0)
                return range->window;
        issued = (uint64_t) range->rate * (10 * USEC_PER_SEC) / range->rate_period;
        return (uint32_t) MIN(MAX(issued, slots), FLOW_RANGE_WINDOW_MAX);
}
