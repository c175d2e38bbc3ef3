/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A node's settings on their own: common to sections and NodesFile=
 */

#include "unitfile/unit_draft.h"

/* Fills in the name and place of the node in @section. 0 or -ENOMEM. */
int flow_complete_node(UnitDraft *draft, DraftSection *section);

/* Reports settings that contradict each other. 0 or -ENOMEM. */
int flow_check_node(UnitDraft *draft, const DraftSection *section);

/* Gives a node what was read of lines of its own about its processes; others have the flow's. 0 or -ENOMEM. */
int flow_take_process(DraftSection *section);
