/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A flow from its text alone, whatever its files say by now
 */

#include "basic/failure.h"
#include "basic/macro.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_draft.h"

typedef struct FlowText FlowText;

/*
 * @text: FlowSettings.text of the unit @name, which was judged when it was loaded, so nothing is reported again.
 * 0, -EINVAL with @ret_failure if it makes no flow, or -ENOMEM. @loader must outlive it.
 */
int flow_text_read(FlowText **ret_flow, const UnitFileLoader *loader, const char *name, const char *text,
                   Failure *ret_failure);
FlowText *flow_text_free(FlowText *flow);
DEFINE_CLEANUP(FlowText, flow_text_free)

const FlowSettings *flow_text_settings(const FlowText *flow);
/* For nodes of NodesFile= (flow_nodes.h), whose errors are in its failure. */
UnitDraft *flow_text_draft(FlowText *flow);
