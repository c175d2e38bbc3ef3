/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A flow from its text
 */

#include <errno.h>
#include <stdlib.h>

#include "basic/text.h"
#include "unitfile/flow_text.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"

struct FlowText {
        UnitFileLoader loader; /* a copy that tells nobody; what it refers to is borrowed */
        UnitDraft *draft; /* owned */
};

int flow_text_read(FlowText **ret_flow, const UnitFileLoader *loader, const char *name, const char *text,
                   Failure *ret_failure) {
        cleanup_(resource_settings_freep) ResourceSettings *resources = NULL;
        cleanup_(flow_text_freep) FlowText *flow = calloc(1, sizeof(*flow));
        cleanup_free_ char *path = NULL;
        int r;

        if (!flow)
                return -ENOMEM;
        flow->loader = *loader;
        flow->loader.options.receiver = NULL;
        flow->loader.options.is_judged = true;
        /* A path without a file, so that no file is read again for line numbers. */
        r = text_format(&path, "/%s", name);
        if (r == 0)
                r = unit_draft_read_text(&flow->loader, name, path, text, &flow->draft);
        if (r == 0 && flow->draft->load_state != UNIT_LOADED)
                return failure_copy(ret_failure, &flow->draft->failure) == -ENOMEM ? -ENOMEM : -EINVAL;
        if (r == 0)
                r = unit_draft_settle(flow->draft, &resources);
        if (r < 0)
                return r;
        *ret_flow = take_ptr(flow);
        return 0;
}

FlowText *flow_text_free(FlowText *flow) {
        if (!flow)
                return NULL;
        unit_draft_free(flow->draft);
        free(flow);
        return NULL;
}

const FlowSettings *flow_text_settings(const FlowText *flow) {
        return flow->draft->section.own;
}

UnitDraft *flow_text_draft(FlowText *flow) {
        return flow->draft;
}
