/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Implied dependencies: those that no line of a file declares
 */

#include "unitfile/unit_draft.h"

/* Adds all dependencies that the draft implies. 0 or -ENOMEM. */
int unit_draft_add_implied(UnitDraft *draft);

/* An implied dependency. */
typedef struct ImpliedRelation {
        UnitRelationKind kind;
        const char *name;
} ImpliedRelation;

/* Adds them as default dependencies. 0 or -ENOMEM. */
int unit_draft_add_defaults(UnitDraft *draft, const ImpliedRelation *relations, size_t n);

/* Adds relations to the mounts of @paths and of all their parents, as far as these are units. 0 or -ENOMEM. */
int unit_draft_add_mounts(UnitDraft *draft, char *const *paths, UnitRelationKind need);
/*
 * For a mount that appeared after units that need a path in it were read: orders these units after it and, if it has a
 * file, makes them require it. 0 or -ENOMEM.
 */
int mount_need_relate(Unit *mount);
/* Like RequiresMountsFor= for @path, unless it is relative. 0 or -ENOMEM. */
int unit_draft_need_path(UnitDraft *draft, const char *path);
/* The same for the paths in the execution settings. 0 or -ENOMEM. */
int unit_draft_need_paths_of_exec(UnitDraft *draft);

/* Does the unit have a /tmp of its own, also by DynamicUser=? */
bool unit_draft_has_private_tmp(const UnitDraft *draft);

/* The default dependencies of units with processes: after the basic system, stopped at shutdown. */
int unit_draft_add_usual_defaults(UnitDraft *draft);

/* Orders targets after the units that they pull in, once both are loaded. 0 or -ENOMEM. */
int unit_file_order_targets(Unit *unit);
