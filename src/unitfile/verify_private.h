/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Parts of verify; what they find they say to the receiver of the draft's loader
 */

#include "unitfile/unit_draft.h"

#define VERIFY_INSTANCE "instance"      /* that a template is looked at by */

/* Programs, users and files that the unit names, and this machine has not. */
void verify_machine(const UnitDraft *draft);

/*
 * Reports an ordering cycle that the unit is part of, among the units that it pulls in. @quiet: a loader without a
 * receiver, by which the other units are read. 0 or -ENOMEM.
 */
int verify_cycle(const UnitDraft *draft, const UnitFileLoader *quiet);
