/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Implied dependencies
 *
 * Services are ordered after the basic system and before shutdown, and after
 * what prepares their log and folders; a unit that needs a path is ordered
 * after its mount, and a unit in a slice after the slice. The order of a target
 * after the units that it pulls in can be added only when both are loaded,
 * because it does not apply if the other unit has DefaultDependencies=no or is
 * ordered after the target. So it is added when the later of the two is loaded.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unit/unit_slice.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

#define DEFAULT_DEPENDENCY "default dependency"
#define DEFAULT_ORDER "default order"
#define SLICE_DEPENDENCY "slice it is in"

int unit_draft_add_defaults(UnitDraft *draft, const ImpliedRelation *relations, size_t n) {
        for (size_t i = 0; i < n; i++) {
                const char *file = draft->state->sources.fragment ? draft->state->sources.fragment : "";
                int r = unit_draft_add_relation(draft, relations[i].kind, relations[i].name, file, 0,
                                                DEFAULT_DEPENDENCY);

                if (r < 0)
                        return r;
        }
        return 0;
}

int unit_draft_add_usual_defaults(UnitDraft *draft) {
        static const ImpliedRelation of_system_service[] = {
                { UNIT_REQUIRES, "sysinit.target" },    { UNIT_AFTER, "sysinit.target" },
                { UNIT_AFTER, "basic.target" },         { UNIT_CONFLICTS, "shutdown.target" },
                { UNIT_BEFORE, "shutdown.target" },
        };
        static const ImpliedRelation of_user_service[] = {
                { UNIT_REQUIRES, "basic.target" },      { UNIT_AFTER, "basic.target" },
                { UNIT_CONFLICTS, "shutdown.target" },  { UNIT_BEFORE, "shutdown.target" },
        };

        if (draft->loader->options.is_user)
                return unit_draft_add_defaults(draft, of_user_service, ELEMENTSOF(of_user_service));
        return unit_draft_add_defaults(draft, of_system_service, ELEMENTSOF(of_system_service));
}

/* — what commands need — */

/* Only if the machine has that unit: most managers are no init. */
static int order_after(UnitDraft *draft, const char *name, const char *implied) {
        const char *file = draft->state->sources.fragment ? draft->state->sources.fragment : "";
        const NameEntry *entry = name_map_find(draft->loader->names, name);

        if (!entry || entry->kind == NAME_MASK)
                return 0;
        return unit_draft_add_relation(draft, UNIT_AFTER, name, file, 0, implied);
}

static bool output_is_log(const ExecSettings *exec, ExecOutput output) {
        if (output == EXEC_OUTPUT_DEFAULT)
                return exec->tty == EXEC_TTY_NONE && !exec->standard_input_is_socket;
        return output == EXEC_OUTPUT_JOURNAL || output == EXEC_OUTPUT_JOURNAL_CONSOLE ||
               output == EXEC_OUTPUT_KMSG || output == EXEC_OUTPUT_KMSG_CONSOLE;
}

/*
 * Services of the system that log come after the socket of the log, and those that write to folders that the machine
 * prepares after that. A mount is left out: the folders of the log may be in it.
 */
static int implied_order_exec(UnitDraft *draft) {
        const ExecSettings *exec = draft->section.exec;
        const ExecDirectories *directories = draft->section.exec_terms.directories;
        int r = 0;

        if (!exec || draft->type != UNIT_SERVICE || draft->loader->options.is_user || draft->is_broken)
                return 0;
        if (output_is_log(exec, exec->standard_output) || output_is_log(exec, exec->standard_error))
                r = order_after(draft, "systemd-journald.socket", "its output is logged");
        if (r == 0 && (directories[EXEC_DIRECTORY_STATE].paths || directories[EXEC_DIRECTORY_CACHE].paths ||
                       directories[EXEC_DIRECTORY_LOGS].paths))
                r = order_after(draft, "systemd-remount-fs.service", "folder below /var");
        if (r == 0 && unit_draft_has_private_tmp(draft))
                r = order_after(draft, "systemd-tmpfiles-setup.service", "PrivateTmp=");
        return r;
}

/* — the slice — */

/*
 * The unit's slice. A perpetual slice need not be started, so it is returned only if it has a file or drop-ins with
 * limits, or is named in the unit's file.
 */
static int implied_find_slice(const UnitDraft *draft, char **ret_slice) {
        const char *usual = draft->loader->options.is_user ? "app.slice" : "system.slice";
        bool is_named = draft->section.resources.slice;
        int r = 1;

        /* The common case, without a look-up. */
        if (!is_named && draft->type != UNIT_SLICE && !unit_name_is_instance(draft->name))
                r = unit_sources_has_slice(draft->loader->names, usual);
        if (r <= 0)
                return r;
        if (is_named)
                r = (*ret_slice = strdup(draft->section.resources.slice)) ? 0 : -ENOMEM;
        else if (draft->type == UNIT_SLICE)
                r = unit_slice_parent(draft->name, ret_slice);
        else
                r = unit_slice_default(draft->name, draft->loader->options.is_user, ret_slice);
        if (r < 0 || !*ret_slice || is_named || !unit_slice_is_always_there(*ret_slice))
                return r == -EINVAL ? 0 : r;
        r = unit_sources_has_slice(draft->loader->names, *ret_slice);
        if (r == 0)
                free(take_ptr(*ret_slice));
        return MIN(r, 0);
}

static int implied_add_slice(UnitDraft *draft) {
        static const UnitRelationKind kinds[] = { UNIT_IN_SLICE, UNIT_REQUIRES, UNIT_AFTER };
        const char *file = draft->state->sources.fragment ? draft->state->sources.fragment : "";
        cleanup_free_ char *slice = NULL;
        int r = 0;

        if (settings_kind_has_resources(draft->section.kind))
                r = implied_find_slice(draft, &slice);
        if (!slice || strcmp(slice, UNIT_ROOT_SLICE) == 0)
                return r;
        for (size_t i = 0; r == 0 && i < ELEMENTSOF(kinds); i++)
                r = unit_draft_add_relation(draft, kinds[i], slice, file, 0, SLICE_DEPENDENCY);
        return r;
}

int unit_draft_add_implied(UnitDraft *draft) {
        int r = 0;

        if (draft->loader->options.no_default_dependencies)
                draft->settings.default_dependencies = false;
        if (draft->settings.default_dependencies)
                r = draft->draft_type && draft->draft_type->add_defaults ? draft->draft_type->add_defaults(draft) : 0;
        if (r == 0 && draft->draft_type && draft->draft_type->add_implied)
                r = draft->draft_type->add_implied(draft);
        if (r == 0)
                r = unit_draft_need_paths_of_exec(draft);
        if (r == 0)
                r = implied_order_exec(draft);
        if (r == 0)
                r = unit_draft_add_mounts(draft, draft->settings.rare->requires_mounts_for, UNIT_REQUIRES);
        if (r == 0)
                r = unit_draft_add_mounts(draft, draft->settings.rare->wants_mounts_for, UNIT_WANTS);
        if (r == 0)
                r = implied_add_slice(draft);
        return r;
}

/* — targets and the units that they pull in — */

/* The origin of the order: the line that pulls @other in, if there is one. */
static int order_origin(Unit *target, const UnitRelation *pull, UnitOriginId *ret_origin) {
        UnitOriginId id = pull->here != UNIT_ORIGIN_NONE ? pull->here : pull->there;
        UnitOrigin pulled = unit_table_origin_at(target->table, id);

        if (pulled.line > 0)
                return unit_table_origin(target->table, pulled.file, pulled.line, "order implied", ret_origin);
        return unit_table_origin(target->table, target->settings.fragment_path ? target->settings.fragment_path : "", 0,
                                 DEFAULT_ORDER, ret_origin);
}

static int order_target(Unit *target, Unit *other, const UnitRelation *pull) {
        UnitOriginId origin;
        int r;

        if (target->type != UNIT_TARGET || target == other || target->load_state != UNIT_LOADED ||
            other->load_state != UNIT_LOADED || !target->settings.default_dependencies ||
            !other->settings.default_dependencies)
                return 0;
        if (unit_has_relation(target, UNIT_BEFORE, other) || unit_has_relation(target, UNIT_AFTER, other))
                return 0;
        r = order_origin(target, pull, &origin);
        return r < 0 ? r : unit_add_relation(target, UNIT_AFTER, other, origin);
}

int unit_file_order_targets(Unit *unit) {
        static const UnitRelationKind pulls[] = { UNIT_REQUIRES, UNIT_REQUISITE, UNIT_WANTS, UNIT_BINDS_TO,
                                                  UNIT_UPHOLDS };
        int r = 0;

        assert(unit);

        if (!unit->settings.default_dependencies)
                return 0;
        for (size_t k = 0; k < ELEMENTSOF(pulls); k++) {
                for (size_t i = 0; r == 0 && unit->type == UNIT_TARGET && i < unit_relations(unit, pulls[k]).n; i++) {
                        UnitRelation pull = unit_relations(unit, pulls[k]).items[i];

                        r = order_target(unit, unit_table_at(unit->table, pull.other), &pull);
                }
                for (size_t i = 0; r == 0 && i < unit_relations(unit, unit_relation_inverse(pulls[k])).n; i++) {
                        UnitRelation pull = unit_relations(unit, unit_relation_inverse(pulls[k])).items[i];

                        r = order_target(unit_table_at(unit->table, pull.other), unit, &pull);
                }
        }
        return r;
}
