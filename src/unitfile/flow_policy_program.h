/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Policies that are programs in the unit path, without a section
 */

#include "unitfile/unit_draft.h"

/*
 * DraftType.imply: of the first node that is judged by a policy without a
 * section, [Policy NAME] with the executable policies/NAME of the first folder
 * of the unit path that has that name. The section is in the text of the flow,
 * from which runs are made; such a text is never completed.
 */
int flow_imply_policy(UnitDraft *draft, const char **ret_file, char **ret_text);

/* DraftType.is_current: are the programs of policies still those of the unit path? */
bool flow_policies_are_current(const UnitFileLoader *loader, const void *settings);
