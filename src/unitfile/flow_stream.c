/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What [Stream] has beside [Flow]: how elements get into groups, and how they are worked through
 */

#include "unitfile/flow_stream.h"

void flow_stream_init(FlowStream *stream) {
        *stream = (FlowStream) {
                .link_batch = FLOW_STREAM_LINK_BATCH,
                .max_backlog = FLOW_STREAM_MAX_BACKLOG,
                .keep_done = FLOW_STREAM_KEEP_DONE,
                .max_groups = FLOW_STREAM_MAX_GROUPS,
        };
}
