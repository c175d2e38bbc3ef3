/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Users that units run as, and what these leave behind
 */

#include "unit/unit.h"

struct ExecTerms;

/* The run of @unit as these is over ((uid_t) -1: as ours): with RemoveIPC=, if no other unit that is up runs as them. */
void exec_owner_left(Unit *unit, const struct ExecTerms *terms /* NULL: says nothing */, uid_t uid, gid_t gid);
