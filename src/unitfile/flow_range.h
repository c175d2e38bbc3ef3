/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What [Batch] has beside [Flow]: the items, and how they are worked through
 *
 * A batch is a flow of one node, "items" (decision 0047). What is known of an
 * item (its command, its tries, its time) is in that node; the rest is here.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/string_table.h"
#include "basic/usec.h"

#define FLOW_RANGE_NODE "items"
#define FLOW_RANGE_ITEMS_MAX (UINT64_C(1) << 63)
#define FLOW_RANGE_WINDOW_MAX (UINT32_C(1) << 20)
#define FLOW_RANGE_RETRY 3U
#define FLOW_RANGE_DEPTH 8U /* with FLOW_ITEM_POOL */
#define FLOW_RANGE_DEPTH_MAX 1024U
#define FLOW_RANGE_WORKER_IDLE USEC_PER_MINUTE
#define FLOW_RANGE_PREPARE_TIMEOUT (30 * USEC_PER_MINUTE)
#define FLOW_RANGE_SYNC USEC_PER_SEC
#define FLOW_RANGE_SYNC_ITEMS 5000U

/* How an item gets to the command. */
typedef enum FlowItemMode {
        FLOW_ITEM_EXEC, /* a process for each item */
        FLOW_ITEM_POOL, /* processes that take one after the other */
        _FLOW_ITEM_MODE_MAX,
} FlowItemMode;

/* The way of items that are out when the error budget is spent. */
typedef enum FlowErrorBudget {
        FLOW_ERROR_BUDGET_DRAIN,
        FLOW_ERROR_BUDGET_KILL,
        _FLOW_ERROR_BUDGET_MAX,
} FlowErrorBudget;

DECLARE_STRING_TABLE(flow_item_mode, FlowItemMode);
DECLARE_STRING_TABLE(flow_error_budget, FlowErrorBudget);

struct ExecCommand;

typedef struct FlowRange {
        uint64_t items; /* Items=; 0: one of the following is set */
        char *items_file; /* owned: path of a file with an item a line; NULL: none */
        struct ExecCommand *items_command; /* owned list, of one: prints items; NULL: none */
        char *source; /* owned: for callbacks; NULL: none */
        FlowItemMode item_mode;
        FlowErrorBudget on_error_budget;
        uint32_t parallel; /* processes; 0: one for each CPU */
        uint32_t depth; /* items that a worker has at a time; 0: not set */
        uint32_t worker_max_items; /* 0: any number */
        usec_t worker_idle; /* after which a worker ends; USEC_INFINITY: never; 0: not set */
        uint32_t rate; /* items in .rate_period; 0: no limit */
        usec_t rate_period;
        uint32_t burst; /* 0: a twentieth of a second's, at least 1 */
        uint32_t window; /* 0: see flow_range_window() */
        uint64_t max_errors, max_errors_total; /* of a launch, of the run; 0: no limit */
        uint32_t max_error_percent; /* of a launch; 0: no limit */
        struct ExecCommand *exec_check, *exec_prepare; /* owned lists, of one; NULL: none */
        usec_t prepare_timeout; /* USEC_INFINITY: none */
        bool manual_start; /* a run waits until somebody starts it */
        usec_t sync; /* between two checkpoints … */
        uint32_t sync_items; /* … or so many items that are over */
        usec_t pause_timeout; /* after which items that are out are ended; USEC_INFINITY: never */
} FlowRange;

void flow_range_init(FlowRange *range); /* the defaults */
void flow_range_deinit(FlowRange *range);

/* Items that a process has at a time: at least 1. */
uint32_t flow_range_depth(const FlowRange *range);
usec_t flow_range_worker_idle(const FlowRange *range);
/* Parallel × Depth, the items that may be out at a time: at least 1, at most FLOW_RANGE_WINDOW_MAX. */
uint32_t flow_range_slots(const FlowRange *range, uint32_t n_processors);
/* Window=, or ten times what Rate= issues in a second; never below flow_range_slots(). */
uint32_t flow_range_window(const FlowRange *range, uint32_t n_processors);
