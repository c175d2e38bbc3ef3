/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Mounts that have no file, and units that need a mount which comes later
 */

#include "unitfile/mount_table.h"
#include "unitfile/unit_draft.h"

/* A draft without files: is something mounted there? Then it is that: 1, 0 or -ENOMEM. */
int mount_draft_find(UnitDraft *draft);
/* Would it? @name is a mount's. */
bool mount_draft_is_there(const UnitFileLoader *loader, const char *name);

/*
 * A mount is there that was not when units were read that need a path in it: they come after it and, if it has a file,
 * require it. 0 or -ENOMEM.
 */
int mount_file_relate(Unit *mount);
