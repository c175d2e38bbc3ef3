/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Unit types of unit files
 *
 * A new type has a file with its row, which is listed in the table of
 * draft_type.c; a type without a row cannot be loaded.
 */

#include <string.h>

#include "unit/unit.h"
#include "unitfile/draft_section.h"
#include "unitfile/unit_file.h"

typedef struct DraftType {
        SettingsKind settings;
        bool has_settings;
        bool is_found_with_dropins; /* reads the drop-ins of a unit without a main file */
        bool has_defaults; /* some lines of its own section are defaults of its instances */
        bool ignores_isolate; /* IgnoreOnIsolate= defaults to yes */

        /* All may be NULL. */
        int (*note_text)(UnitDraft *draft, const char *text); /* of a file, before it is parsed. 0 or -ENOMEM */
        /*
         * Sections that those of the files ask for, in a text that is taken for one of @ret_file, which lives as long
         * as the draft. 1, 0 if there are no more, or -ENOMEM.
         */
        int (*imply)(UnitDraft *draft, const char **ret_file, char **ret_text);
        /* Would .imply give what the settings have? @settings: of a unit that is loaded. */
        bool (*is_current)(const UnitFileLoader *loader, const void *settings);
        bool (*can_reload)(const void *settings); /* do the settings say how? */
        /* The time limit of a start (or reload), or of a stop, as the simulator has it; NULL: the type has none. */
        usec_t (*limit)(const void *settings, bool is_stop);
        int (*check)(UnitDraft *draft); /* reports missing or contradicting settings: 0 or -ENOMEM */
        int (*add_defaults)(UnitDraft *draft); /* adds the default dependencies */
        int (*add_implied)(UnitDraft *draft); /* adds the other implied dependencies */

        /*
         * For a type with repeatable sections: moves the settings of draft->instances, which are complete, into the
         * type's own (DraftSection.own), from which the unit has them. 0 or -ENOMEM.
         */
        int (*take_instances)(UnitDraft *draft);

        /* If a unit of the draft's name exists without a file, fills in the draft: 1, 0 or -ENOMEM. NULL: never. */
        int (*find)(UnitDraft *draft);
        /* Returns true if a unit that was not found exists now, without a file. */
        bool (*is_there)(const UnitFileLoader *loader, const char *name);
        int (*relate)(Unit *unit); /* after a load: adds other units' relations to it. 0 or -ENOMEM */
} DraftType;

/* Of the sections [Node …] and [Policy …] of a flow. */
extern const SettingsKind flow_node_kind, flow_policy_kind;

static inline bool draft_section_is_node(const DraftSection *section) {
        return section->section && strcmp(section->section->name, "Node *") == 0;
}

extern const DraftType batch_draft_type, flow_draft_type, mount_draft_type, path_draft_type, scope_draft_type,
        service_draft_type, slice_draft_type, socket_draft_type, stream_draft_type, target_draft_type,
        timer_draft_type;

const DraftType *draft_type_of(UnitType type); /* NULL: the type cannot be loaded */

/* Settings for execution and killing: from the unit's files, or the defaults; NULL for types without them. */
const ExecSettings *draft_type_exec(const Unit *unit);
const KillSettings *draft_type_kill(const Unit *unit);
