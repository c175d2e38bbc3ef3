/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Users that units run as, and the objects that these leave behind
 */

#include "unit/unit.h"

struct ExecTerms;

/*
 * The run of @unit as @uid and @gid ((uid_t) -1: as the manager) is over: RemoveIPC= and DynamicUser= remove what is
 * left, if no other unit that is up runs as them.
 */
void exec_owner_left(Unit *unit, const struct ExecTerms *terms /* may be NULL */, uid_t uid, gid_t gid);
