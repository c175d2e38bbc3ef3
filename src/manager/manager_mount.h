/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The mounts of the machine, for units that ask for them
 */

#include <stdbool.h>

#include "basic/vector.h"
#include "manager/manager_turn.h"
#include "unit/unit_table.h"
#include "unitfile/mount_table.h"

typedef struct ManagerMounts {
        ManagerTurn *turn;              /* borrowed */
        UnitTable *units;               /* borrowed */
        MountTable *table;              /* owned: as read last */
        VECTOR(char *) touched;         /* owned: mount points with changes that units were not told of */
        int fd;                         /* owned, with .has_begun: shows if .table is outdated; -1: none */
        sd_event_source *source;        /* owned */
        sd_event_source *retry;         /* owned; made early, before descriptors are scarce */
        bool has_begun;                 /* a unit has asked for a mount */
        bool is_outdated;               /* the table was not read since a reported change */
        bool is_every_one;              /* all mounts are units */
        bool has_failed;                /* mounts can't be seen */
} ManagerMounts;

void manager_mounts_deinit(ManagerMounts *mounts);

/*
 * The mount at @where, or NULL; @is_fresh: at this moment, rather than as last reported to units. Borrowed, until the
 * next turn.
 */
const MountEntry *manager_mounts_find(ManagerMounts *mounts, const char *where, bool is_fresh);
/* From now on every existing mount is a unit. */
void manager_mounts_follow(ManagerMounts *mounts);
/* Reports all changes up to now to units. */
void manager_mounts_refresh(ManagerMounts *mounts);
