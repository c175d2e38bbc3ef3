/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Unit types as unit files see them
 *
 * A new type has a file with its row, which stands in the table of
 * draft_type.c; a type that has none cannot be loaded.
 */

#include "unit/unit.h"
#include "unitfile/draft_section.h"
#include "unitfile/unit_file.h"

typedef struct DraftType {
        SettingsKind settings;
        bool has_settings;
        bool is_found_with_dropins;     /* the drop-ins of a unit without a file are read */
        bool ignores_isolate;           /* IgnoreOnIsolate= is yes unless a file says otherwise */

        /* All may be NULL. */
        bool (*can_reload)(const void *settings);       /* do the settings say how? */
        int (*check)(UnitDraft *draft);         /* says what is missing or does not fit together: 0 or -ENOMEM */
        int (*add_defaults)(UnitDraft *draft);  /* what DefaultDependencies= is about */
        int (*add_implied)(UnitDraft *draft);   /* dependencies that no line says, in any case */

        /* Is there a unit of the draft's name without a file? 1, and the draft is that, 0 or -ENOMEM. NULL: never. */
        int (*find)(UnitDraft *draft);
        /* Has a unit of that name come to be without a file since it was not found? */
        bool (*is_there)(const UnitFileLoader *loader, const char *name);
        int (*relate)(Unit *unit);      /* a unit was loaded: adds relations of other units to it. 0 or -ENOMEM */
} DraftType;

extern const DraftType mount_draft_type, path_draft_type, scope_draft_type, service_draft_type, slice_draft_type,
        socket_draft_type, target_draft_type, timer_draft_type;

const DraftType *draft_type_of(UnitType type);   /* NULL: there are no such units */

/* How processes of @unit are run and ended: what its files say, or the defaults; NULL for types that have none. */
const ExecSettings *draft_type_exec(const Unit *unit);
const KillSettings *draft_type_kill(const Unit *unit);
