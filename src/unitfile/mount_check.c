/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks and implied dependencies of mount units
 *
 * The rules and the implied dependencies are systemd's, except for devices:
 * there are no device units, so a mount waits only for what mount(8) itself
 * waits for.
 *
 * A mount unit needs no file: every mounted file system is a unit, named after
 * its mount point.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/mount_option.h"
#include "unitfile/mount_settings.h"
#include "unitfile/mount_table.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

#define ROOT "/"

/* "srv-a.mount" → "/srv/a" */
static int find_place(const UnitDraft *draft, char **ret_where) {
        cleanup_free_ char *escaped = strndup(draft->name, strlen(draft->name) - strlen(".mount"));

        return escaped ? unit_name_unescape_path(escaped, ret_where) : -ENOMEM;
}

static int settle_place(UnitDraft *draft) {
        MountSettings *settings = draft->section.own;
        int r;

        if (settings->where)
                return 0;
        r = find_place(draft, &settings->where);
        if (r != -EINVAL)
                return r;
        return unit_draft_refuse(draft, draft->state->sources.fragment, 0, "Where",
                                 "This setting is missing, and the unit's name does not stand for a path.");
}

static int check_place(UnitDraft *draft) {
        const MountSettings *settings = draft->section.own;
        const char *fragment = draft->state->sources.fragment;
        cleanup_free_ char *name = NULL;
        int r = mount_unit_name(settings->where, &name);

        if (r == -EINVAL)
                return unit_draft_refuse(draft, fragment, 0, "Where", "'%s' is too long for a unit name.",
                                         settings->where);
        if (r < 0)
                return r;
        if (strcmp(name, draft->name) != 0)
                return unit_draft_refuse(draft, fragment, 0, "Where",
                                         "The unit for '%s' must be named %s.",
                                         settings->where, name);
        if (mount_place_is_reserved(settings->where))
                return unit_draft_refuse(draft, fragment, 0, "Where",
                                         "'%s' is mounted by the system before any unit.",
                                         settings->where);
        return 0;
}

/* Like RequiresMountsFor= for the parent folder, and for the source if that is a path. */
static int add_paths(UnitDraft *draft) {
        const MountSettings *settings = draft->section.own;
        bool has_source = settings->what && settings->what[0] == '/' &&
                !mount_is_network(settings->type, settings->options);
        cleanup_free_ char *parent = strdup(settings->where);
        int r = 0;

        if (!parent)
                return -ENOMEM;
        if (strcmp(parent, ROOT) != 0) {
                char *slash = strrchr(parent, '/');

                slash[slash == parent] = '\0';
                r = unit_draft_need_path(draft, parent);
        }
        return r == 0 && has_source ? unit_draft_need_path(draft, settings->what) : r;
}

/* For mounts with and without a file. */
static int settle(UnitDraft *draft) {
        const MountSettings *settings = draft->section.own;

        if (!draft->settings.description)
                draft->settings.description = strdup(settings->where);
        if (!draft->settings.description)
                return -ENOMEM;
        if (strcmp(settings->where, ROOT) == 0) {
                draft->settings.is_perpetual = true;
                draft->settings.default_dependencies = false;
        }
        return add_paths(draft);
}

static int check(UnitDraft *draft) {
        const MountSettings *settings = draft->section.own;
        int r;

        /* The unit was refused already, and a second message would hide the first. */
        if (draft->is_broken)
                return 0;
        r = settle_place(draft);
        if (r == 0 && !draft->is_broken)
                r = check_place(draft);
        if (r < 0 || draft->is_broken)
                return r;
        /* One without a file is settled since it was found; it only has drop-ins. */
        if (!draft->state->sources.fragment)
                return 0;
        if (!settings->what && strcmp(settings->where, ROOT) != 0)
                return unit_draft_refuse(draft, draft->state->sources.fragment, 0, "What",
                                         "This setting is missing: there is nothing to mount.");
        return settle(draft);
}

/* Finds the file system mounted at the unit's path. */
static int find(UnitDraft *draft) {
        const UnitFileOptions *options = &draft->loader->options;
        MountSettings *settings = draft->section.own;
        const MountEntry *entry;
        int r;

        if (!options->find_mount)
                return 0;
        r = find_place(draft, &settings->where);
        if (r < 0)
                return r == -EINVAL ? 0 : r;
        entry = mount_place_is_reserved(settings->where) ? NULL :
                options->find_mount(options->userdata, settings->where);
        if (!entry)
                return 0;
        draft->rare->source_path = strdup("/proc/self/mountinfo");
        r = draft->rare->source_path ? settle(draft) : -ENOMEM;
        return r < 0 ? r : 1;
}

static bool is_there(const UnitFileLoader *loader, const char *name) {
        cleanup_free_ char *escaped = strndup(name, strlen(name) - strlen(".mount")), *where = NULL;

        return loader->options.find_mount && escaped && unit_name_unescape_path(escaped, &where) == 0 &&
               !mount_place_is_reserved(where) && loader->options.find_mount(loader->options.userdata, where);
}

/* — dependencies — */

/* The mount as its file describes it or, without a file, as it is mounted. */
static MountEntry describe(const UnitDraft *draft) {
        const MountSettings *settings = draft->section.own;
        const UnitFileOptions *options = &draft->loader->options;
        const MountEntry *entry = NULL;

        if (!settings->what && options->find_mount)
                entry = options->find_mount(options->userdata, settings->where);
        if (entry)
                return *entry;
        return (MountEntry) {
                .where = settings->where, .what = settings->what, .type = settings->type,
                .options = settings->options };
}

static int add_network(UnitDraft *draft) {
        static const ImpliedRelation of_network[] = {
                { UNIT_AFTER, "remote-fs-pre.target" },         { UNIT_AFTER, "network.target" },
                { UNIT_WANTS, "network-online.target" },        { UNIT_AFTER, "network-online.target" },
        };

        return unit_draft_add_defaults(draft, of_network, ELEMENTSOF(of_network));
}

static int add_defaults(UnitDraft *draft) {
        static const ImpliedRelation of_all[] = {
                { UNIT_CONFLICTS, "umount.target" },    { UNIT_BEFORE, "umount.target" },
        };
        static const ImpliedRelation of_local = { UNIT_AFTER, "local-fs-pre.target" };
        MountEntry entry = draft->load_state == UNIT_LOADED && !draft->is_broken ? describe(draft) : (MountEntry) {};
        bool is_network, is_found = !draft->state->sources.fragment;
        ImpliedRelation before;
        int r;

        if (!entry.where || draft->loader->options.is_user || mount_place_is_basic(entry.where, entry.options))
                return 0;
        is_network = mount_is_network(entry.type, entry.options);
        before = (ImpliedRelation) { UNIT_BEFORE, is_network ? "remote-fs.target" : "local-fs.target" };
        r = is_network ? add_network(draft) : unit_draft_add_defaults(draft, &of_local, 1);
        if (r == 0 && (is_found || !mount_options_choose(entry.options, "nofail", "fail")))
                r = unit_draft_add_defaults(draft, &before, 1);
        return r < 0 ? r : unit_draft_add_defaults(draft, of_all, ELEMENTSOF(of_all));
}

DEFINE_SETTINGS_INIT(MountSettings, mount_settings)

static bool can_reload(const void *settings) {
        return ((const MountSettings *) settings)->what;
}

static usec_t limit(const void *settings, bool is_stop) {
        return ((const MountSettings *) settings)->timeout;
}

const DraftType mount_draft_type = {
        .has_settings = true,
        .settings = {
                .make = make_mount_settings,
                .size = sizeof(MountSettings),
                .release = release_mount_settings,
                .exec = offsetof(MountSettings, exec),
                .kill = offsetof(MountSettings, kill),
                .resources = offsetof(MountSettings, resources),
        },
        .ignores_isolate = true,
        .is_found_with_dropins = true,
        .can_reload = can_reload,
        .limit = limit,
        .check = check,
        .add_defaults = add_defaults,
        .find = find,
        .is_there = is_there,
        .relate = mount_need_relate,
};
