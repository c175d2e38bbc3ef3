/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What unit files know of a unit type: a row for each that has settings of its own
 *
 * A new type has a file with its row, and stands in the table of draft_type.c.
 */

#include <stddef.h>

#include "unit/unit.h"
#include "unitfile/exec_settings.h"
#include "unitfile/kill_settings.h"

typedef struct UnitDraft UnitDraft;

#define DRAFT_TYPE_HAS_NOT ((size_t) -1)

typedef struct DraftType {
        int (*make)(void **ret_settings);       /* with the defaults: 0 or -ENOMEM */
        void (*release)(void *settings);
        /* Where in the settings these are, or DRAFT_TYPE_HAS_NOT: ExecSettings, KillSettings, pointer to ResourceSettings. */
        size_t exec, kill, resources;
        int (*check)(UnitDraft *draft);         /* Is it complete, do its settings fit together? Says so if not. May be NULL */
        int (*add_defaults)(UnitDraft *draft);  /* what DefaultDependencies= is about; may be NULL */
        int (*add_implied)(UnitDraft *draft);   /* dependencies that no line says, in any case; may be NULL */
} DraftType;

extern const DraftType service_draft_type, timer_draft_type, path_draft_type, socket_draft_type, scope_draft_type,
        mount_draft_type;

const DraftType *draft_type_of(UnitType type);   /* NULL: it has no settings, or others than these */

/* How processes of @unit are run and ended: what its files say, or the defaults; NULL for types that have none. */
const ExecSettings *draft_type_exec(const Unit *unit);
const KillSettings *draft_type_kill(const Unit *unit);
