/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What is mounted: the kernel's table, for units that ask for it
 */

#include <stdbool.h>

#include "basic/vector.h"
#include "manager/manager_turn.h"
#include "unit/unit_table.h"
#include "unitfile/mount_table.h"

typedef struct ManagerMounts {
        ManagerTurn *turn;              /* borrowed */
        UnitTable *units;               /* borrowed */
        MountTable *table;              /* owned: the last that was read */
        VECTOR(char *) touched;         /* owned: places where something has changed that units were not told of */
        int fd;                         /* owned, if .has_begun: is .table out of date? -1: there is none */
        sd_event_source *source;        /* owned */
        sd_event_source *retry;         /* owned; made before there are too few descriptors for it */
        bool has_begun;                 /* something has asked for a mount */
        bool is_outdated;               /* a change was told, and the table has not been read since */
        bool is_every_one;              /* all of them are units */
        bool has_failed;                /* they can't be seen */
} ManagerMounts;

void manager_mounts_deinit(ManagerMounts *mounts);

/* What is mounted at @where, or NULL; @is_fresh: now, not when units were told last. Borrowed, until the next turn. */
const MountEntry *manager_mounts_find(ManagerMounts *mounts, const char *where, bool is_fresh);
/* Every mount that is there is a unit, from now on. */
void manager_mounts_follow(ManagerMounts *mounts);
/* Tells units of what has changed up to now. */
void manager_mounts_refresh(ManagerMounts *mounts);
