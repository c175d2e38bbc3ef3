/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Dependencies that no line says
 */

#include "unitfile/unit_draft.h"

/* All that the draft implies. 0 or -ENOMEM. */
int unit_draft_add_implied(UnitDraft *draft);

/* A dependency that no line says. */
typedef struct ImpliedRelation {
        UnitRelationKind kind;
        const char *name;
} ImpliedRelation;

/* Adds them as default dependencies. 0 or -ENOMEM. */
int unit_draft_add_defaults(UnitDraft *draft, const ImpliedRelation *relations, size_t n);

/* The mounts that @paths and all folders above them are on, as far as they are units: mount_need.c. 0 or -ENOMEM. */
int unit_draft_add_mounts(UnitDraft *draft, char *const *paths, UnitRelationKind need);
/*
 * A mount is there that was not when units were read that need a path in it: they come after it and, if it has a file,
 * require it. 0 or -ENOMEM.
 */
int mount_need_relate(Unit *mount);
/* As if RequiresMountsFor= said it; what is no absolute path is left out. 0 or -ENOMEM. */
int unit_draft_need_path(UnitDraft *draft, const char *path);
/* The paths that its processes have settings of. 0 or -ENOMEM. */
int unit_draft_need_paths_of_exec(UnitDraft *draft);

/* What every unit of the system (or of a user) that runs processes has: after the basic things, gone at shutdown. */
int unit_draft_add_usual_defaults(UnitDraft *draft);

/* What is to be done once both ends of a relation are known: a target comes after what it pulls in. 0 or -ENOMEM. */
int unit_file_order_targets(Unit *unit);
