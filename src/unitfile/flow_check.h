/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A node's settings on their own, common to sections and NodesFile=, and those of runs, common to flows, batches and
 * streams
 */

#include "unitfile/flow_settings.h"
#include "unitfile/unit_draft.h"

/* Fills in the name and place of the node in @section. 0 or -ENOMEM. */
int flow_complete_node(UnitDraft *draft, DraftSection *section);

/* Reports settings that contradict each other. 0 or -ENOMEM. */
int flow_check_node(UnitDraft *draft, const DraftSection *section);

/* Reports values of the run that words of @command, of @setting, name and that are not there. 0 or -ENOMEM. */
int flow_check_words(UnitDraft *draft, const FlowNode *node, const ExecCommand *command, const char *setting);

/* Reports settings of runs that are not possible: the name of a run, its last command. 0 or -ENOMEM. */
int flow_check_runs(UnitDraft *draft);

/* As DraftType.note_text and .limit. */
int flow_note_text(UnitDraft *draft, const char *text);
usec_t flow_limit(const void *settings, bool is_stop);

/* Gives a node what was read of lines of its own about its processes; others have the flow's. 0 or -ENOMEM. */
int flow_take_process(DraftSection *section);
