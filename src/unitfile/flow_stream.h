/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What [Stream] has beside [Flow]: how elements get into groups, and how they are worked through
 *
 * A stream is a flow of one node, "elements" (decision 0048). What is known of
 * an element (its command, its tries, its time) is in that node; the rest is
 * here.
 */

#include <stdint.h>

#include "basic/usec.h"

#define FLOW_STREAM_NODE "elements"
#define FLOW_STREAM_RETRY 5U
#define FLOW_STREAM_LINK_BATCH 100U
#define FLOW_STREAM_LINK_BATCH_MAX 10000U
#define FLOW_STREAM_MAX_BACKLOG UINT64_C(1000000)
#define FLOW_STREAM_KEEP_DONE 1000U
#define FLOW_STREAM_MAX_GROUPS 64U
#define FLOW_STREAM_MAX_GROUPS_MAX 65536U

typedef struct FlowStream {
        uint32_t link_batch; /* elements of a group that are linked at a time */
        usec_t link_delay; /* from a push to that */
        uint64_t max_backlog; /* elements that are not over */
        uint32_t keep_done; /* elements of a group that are over and kept */
        uint32_t max_groups; /* that are at work at a time */
} FlowStream;

void flow_stream_init(FlowStream *stream); /* the defaults */
