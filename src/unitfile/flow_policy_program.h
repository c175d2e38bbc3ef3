/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Policies that are programs in the unit path, without a section
 */

#include "unitfile/unit_draft.h"

/*
 * DraftType.imply: of the first node that is judged by a policy without a
 * section, [Policy NAME] with the executable policies/NAME of the first folder
 * of the unit path that has one. The section is in the text of the flow, from
 * which runs are made.
 */
int flow_imply_policy(UnitDraft *draft, const char **ret_file, char **ret_text);
