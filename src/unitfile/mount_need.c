/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dependencies of units on mounts
 *
 * A unit that needs a path needs the mounts of that path and of all its
 * parents, as far as they are units. Existing mounts are found by their names
 * when the unit is read. A mount that appears later searches for the units
 * that need it: that is rarer, so no list of missing mounts is kept.
 *
 * A mount is required only if it has a file: one without a file cannot be
 * started, and is only ordered.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/sandbox_settings.h"
#include "unitfile/mount_option.h"
#include "unitfile/mount_settings.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

#define MOUNT_DEPENDENCY "mount needed"

static bool has_file(const UnitDraft *draft, const char *name) {
        const NameEntry *entry = name_map_find(draft->loader->names, name);

        return entry && entry->kind != NAME_MASK;
}

static bool is_loaded(const UnitDraft *draft, const char *name) {
        const Unit *unit = draft->loader->table ? unit_table_find(draft->loader->table, name) : NULL;

        return unit && unit->load_state == UNIT_LOADED && unit->type == UNIT_MOUNT;
}

static int add_mount(UnitDraft *draft, const char *path, UnitRelationKind need) {
        const char *file = draft->state->sources.fragment ? draft->state->sources.fragment : "";
        cleanup_free_ char *name = NULL;
        bool is_file;
        int r = mount_unit_name(path, &name);

        if (r < 0)
                return r == -EINVAL ? 0 : r;
        is_file = has_file(draft, name);
        if (!is_file && !is_loaded(draft, name))
                return 0;
        if (is_file)
                r = unit_draft_add_relation(draft, need, name, file, 0, MOUNT_DEPENDENCY);
        return r < 0 ? r : unit_draft_add_relation(draft, UNIT_AFTER, name, file, 0, MOUNT_DEPENDENCY);
}

int unit_draft_add_mounts(UnitDraft *draft, char *const *paths, UnitRelationKind need) {
        strv_foreach(path, paths) {
                cleanup_free_ char *prefix = strdup(*path);
                char *slash;
                int r = prefix ? add_mount(draft, prefix, need) : -ENOMEM;

                while (r == 0 && (slash = strrchr(prefix, '/')) && slash[1]) {
                        slash[slash == prefix ? 1 : 0] = '\0';
                        r = add_mount(draft, prefix, need);
                }
                if (r < 0)
                        return r;
        }
        return 0;
}

/* — paths in settings — */

int unit_draft_need_path(UnitDraft *draft, const char *path) {
        if (path[0] != '/' || strv_contains(draft->rare->requires_mounts_for, path))
                return 0;
        return strv_push(&draft->rare->requires_mounts_for, path);
}

static int need_directories(UnitDraft *draft, const DraftSection *section) {
        static const char *const bases[_EXEC_DIRECTORY_MAX] = {
                [EXEC_DIRECTORY_RUNTIME] = "/run",
                [EXEC_DIRECTORY_STATE] = "/var/lib",
                [EXEC_DIRECTORY_CACHE] = "/var/cache",
                [EXEC_DIRECTORY_LOGS] = "/var/log",
                [EXEC_DIRECTORY_CONFIGURATION] = "/etc",
        };
        int r = 0;

        for (size_t kind = 0; kind < _EXEC_DIRECTORY_MAX; kind++)
                strv_foreach(name, section->exec_terms.directories[kind].paths) {
                        cleanup_free_ char *path = NULL, *folder = strndup(*name, strcspn(*name, ":"));

                        r = folder ? text_join_path(bases[kind], folder, &path) : -ENOMEM;
                        if (r == 0)
                                r = unit_draft_need_path(draft, path);
                        if (r < 0)
                                return r;
                }
        return r;
}

static bool has_private_tmp(const DraftSection *section) {
        const SandboxSettings *sandbox = section->exec_rare.sandbox;

        return (sandbox && sandbox->private_tmp) || section->exec_terms.dynamic_user;
}

bool unit_draft_has_private_tmp(const UnitDraft *draft) {
        bool has = has_private_tmp(&draft->section);

        for (size_t i = 0; i < draft->instances.n; i++)
                has |= has_private_tmp(draft->instances.items[i]);
        return has;
}

static int need_paths(UnitDraft *draft, const DraftSection *section) {
        const ExecSettings *exec = section->exec;
        int r = 0;

        if (!exec)
                return 0;
        if (exec->working_directory && !exec->working_directory_optional)
                r = unit_draft_need_path(draft, exec->working_directory);
        if (r == 0 && section->exec_rare.root_directory)
                r = unit_draft_need_path(draft, section->exec_rare.root_directory);
        return r < 0 || draft->loader->options.is_user ? r : need_directories(draft, section);
}

int unit_draft_need_paths_of_exec(UnitDraft *draft) {
        int r;

        if (draft->is_broken)
                return 0;
        r = need_paths(draft, &draft->section);
        for (size_t i = 0; r == 0 && i < draft->instances.n; i++)
                r = need_paths(draft, draft->instances.items[i]);
        if (r < 0 || draft->loader->options.is_user || !unit_draft_has_private_tmp(draft))
                return r;
        /* Only wanted: a machine may do without a mount for /tmp. */
        if (!strv_contains(draft->rare->wants_mounts_for, "/tmp"))
                r = strv_push(&draft->rare->wants_mounts_for, "/tmp");
        return r < 0 ? r : unit_draft_need_path(draft, "/var/tmp");
}

/* — a mount that appears later — */

static bool needs(char *const *paths, const char *where) {
        strv_foreach(path, paths)
                if (mount_path_is_below(*path, where))
                        return true;
        return false;
}

static int relate(Unit *unit, UnitRelationKind kind, Unit *mount) {
        UnitOriginId origin;
        int r;

        if (unit_has_relation(unit, kind, mount))
                return 0;
        r = unit_table_origin(unit->table, unit->settings.fragment_path ? unit->settings.fragment_path : "", 0,
                              MOUNT_DEPENDENCY, &origin);
        return r < 0 ? r : unit_add_relation(unit, kind, mount, origin);
}

static int relate_one(Unit *unit, Unit *mount, const char *where) {
        const UnitRareSettings *rare = unit->settings.rare;
        bool is_required = needs(rare->requires_mounts_for, where), has_fragment = mount->settings.fragment_path;
        int r = 0;

        if (!is_required && !needs(rare->wants_mounts_for, where))
                return 0;
        if (has_fragment)
                r = relate(unit, is_required ? UNIT_REQUIRES : UNIT_WANTS, mount);
        return r < 0 ? r : relate(unit, UNIT_AFTER, mount);
}

int mount_need_relate(Unit *mount) {
        const MountSettings *settings = mount->type_settings;

        if (mount->load_state != UNIT_LOADED || !settings || !settings->where)
                return 0;
        unit_table_foreach(mount->table, unit) {
                const UnitRareSettings *rare = unit->settings.rare;
                int r;

                if (unit == mount || unit->load_state != UNIT_LOADED ||
                    (!rare->requires_mounts_for && !rare->wants_mounts_for))
                        continue;
                r = relate_one(unit, mount, settings->where);
                if (r < 0)
                        return r;
        }
        return 0;
}
