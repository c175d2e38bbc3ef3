/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The loader's data, for the files of this folder
 */

#include "unitfile/name_map.h"
#include "unitfile/unit_draft.h"
#include "unitfile/unit_file.h"

struct UnitFileLoader {
        UnitFileOptions options;        /* search_path and runtime_directory are the copies below */
        char **search_path;             /* owned */
        char *runtime_directory;        /* owned, or NULL */
        NameMap *names;                 /* owned */
        UnitTable *table;               /* borrowed, or NULL */
        VECTOR(UnitDraft *) prepared;   /* owned: read by a reload, not yet applied; sorted by name */
};

/* Returns true if units of @type can be loaded; without a table, those of a jobd manager. */
bool unit_file_loader_has_type(const UnitFileLoader *loader, const Unit *unit, UnitType type);
