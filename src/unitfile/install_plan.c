/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plans of changes, and their execution
 *
 * A plan is made from the existing links without changing any. A link is
 * removed if its name or its target matches, so links made by hand are removed
 * like those made by enable; if a removed link was an alias, the links to that
 * alias are removed, too.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/install_private.h"

const char *install_change_kind_to_string(InstallChangeKind kind) {
        static const char *const names[_INSTALL_CHANGE_KIND_MAX] = {
                [INSTALL_SYMLINK] = "symlink",
                [INSTALL_UNLINK] = "unlink",
                [INSTALL_MASKED] = "masked",
                [INSTALL_AUXILIARY_MISSING] = "auxiliary unit failed",
                [INSTALL_DESTINATION_MISSING] = "destination not present",
        };

        return names[kind];
}

static void install_change_deinit(InstallChange *change) {
        free(change->path);
        free(change->target);
}

void install_report_deinit(InstallReport *report) {
        for (size_t i = 0; i < report->changes.n; i++)
                install_change_deinit(&report->changes.items[i]);
        vector_deinit(&report->changes);
}

int install_report_add(InstallReport *report, InstallChangeKind kind, const char *path, const char *target) {
        InstallChange change = { .kind = kind, .path = strdup(path), .target = strdup(target) };
        int r = change.path && change.target ? vector_push(&report->changes, change) : -ENOMEM;

        if (r < 0)
                install_change_deinit(&change);
        return r;
}

static bool plan_has(const InstallReport *plan, InstallChangeKind kind, const char *path) {
        for (size_t i = 0; i < plan->changes.n; i++)
                if (plan->changes.items[i].kind == kind && strcmp(plan->changes.items[i].path, path) == 0)
                        return true;
        return false;
}

/* — links to be made — */

/* Splits "folder/name". The name is borrowed from @path. */
static int split_path(const char *path, char **ret_folder, const char **ret_name) {
        const char *slash = strrchr(path, '/');

        *ret_folder = strndup(path, (size_t) (slash - path));
        *ret_name = slash + 1;
        return *ret_folder ? 0 : -ENOMEM;
}

static int absolute_target(const char *folder, const char *target, char **ret_path) {
        return target[0] == '/' ? text_format(ret_path, "%s", target) : text_join_path(folder, target, ret_path);
}

/* Returns true if both lead to the same file, perhaps by different paths (/lib and /usr/lib). */
static bool targets_are_equal(const Installer *installer, const char *folder, const char *a, const char *b) {
        cleanup_free_ char *path_a = NULL, *path_b = NULL, *real_a = NULL, *real_b = NULL;
        struct stat st_a, st_b;

        if (strcmp(a, b) == 0)
                return true;
        if (absolute_target(folder, a, &path_a) < 0 || absolute_target(folder, b, &path_b) < 0 ||
            installer_real_path(installer, path_a, &real_a) < 0 || installer_real_path(installer, path_b, &real_b) < 0)
                return false;
        if (lstat(real_a, &st_a) < 0 || lstat(real_b, &st_b) < 0)
                return strcmp(real_a, real_b) == 0;
        return st_a.st_dev == st_b.st_dev && st_a.st_ino == st_b.st_ino;
}

/* Reads the link at @path: 0, with *ret_target NULL if nothing is there, or -EINVAL if it is no link. */
static int look_at(const Installer *installer, const char *path, char **ret_target) {
        cleanup_free_ char *folder = NULL;
        const char *name;
        int fd, r = split_path(path, &folder, &name);

        *ret_target = NULL;
        if (r < 0)
                return r;
        r = folder_open(installer->root, folder, false, &fd);
        if (r < 0)
                return r == -ENOENT ? 0 : r;
        r = folder_read_link(fd, name, ret_target);
        close(fd);
        return r == -ENOENT ? 0 : r;
}

int installer_plan_link(Installer *installer, const char *path, const char *target, bool force, InstallReport *plan,
                        Failure *ret_failure) {
        cleanup_free_ char *present = NULL, *folder = NULL;
        const char *name;
        int r;

        if (plan_has(plan, INSTALL_SYMLINK, path))
                return 0;
        r = look_at(installer, path, &present);
        if (r == -EINVAL)
                return failure_set(ret_failure, -EEXIST, "UnitExists",
                                   "File %s already exists and is not a link.", path);
        if (r == 0)
                r = split_path(path, &folder, &name);
        if (r < 0)
                return r == -ENOMEM ? r : failure_set(ret_failure, r, "Failed", "Cannot look at %s: %s.", path,
                                                      strerror(-r));
        if (present && targets_are_equal(installer, folder, present, target))
                return 0;
        if (present && !force && !plan_has(plan, INSTALL_UNLINK, path))
                return failure_set(ret_failure, -EEXIST, "UnitExists",
                                   "File %s already exists and is a link to %s. With --force it is replaced.", path,
                                   present);
        r = present && !plan_has(plan, INSTALL_UNLINK, path) ? install_report_add(plan, INSTALL_UNLINK, path, "") : 0;
        return r < 0 ? r : install_report_add(plan, INSTALL_SYMLINK, path, target);
}

/* — links to be removed — */

typedef struct Removal {
        const Installer *installer;
        char **names;                   /* owned: names of the links, or of their targets */
        InstallReport *plan;
        bool has_grown;
} Removal;

static const char *name_of_path(const char *path) {
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}

static int removal_consider(Removal *removal, const char *folder, bool is_subfolder, int fd, const char *name) {
        cleanup_free_ char *target = NULL, *path = NULL;
        int r;

        if (!unit_name_is_valid(name))
                return 0;
        r = folder_read_link(fd, name, &target);
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        if (strcmp(target, "/dev/null") == 0)
                return 0;
        if (!strv_contains(removal->names, name) && !strv_contains(removal->names, name_of_path(target)))
                return 0;
        r = text_join_path(folder, name, &path);
        if (r < 0 || plan_has(removal->plan, INSTALL_UNLINK, path))
                return r;
        r = install_report_add(removal->plan, INSTALL_UNLINK, path, "");
        if (r == 0 && !is_subfolder && !strv_contains(removal->names, name)) {
                removal->has_grown = true;
                r = strv_push(&removal->names, name);
        }
        return r;
}

static bool is_link_folder(const char *name) {
        return text_ends_with(name, ".wants") || text_ends_with(name, ".requires") || text_ends_with(name, ".upholds");
}

/* Scans one folder; the names of folders of links in it are added to @subfolders (NULL: it is one). */
static int removal_scan(Removal *removal, const char *folder, char ***subfolders) {
        const struct dirent *item;
        DIR *dir;
        int r = folder_list(removal->installer->root, folder, &dir);

        if (r < 0 || !dir)
                return r;
        while (r == 0 && (item = readdir(dir)))
                if (subfolders && is_link_folder(item->d_name))
                        r = strv_push(subfolders, item->d_name);
                else
                        r = removal_consider(removal, folder, !subfolders, dirfd(dir), item->d_name);
        closedir(dir);
        return r;
}

static int removal_scan_all(Removal *removal, const char *folder) {
        cleanup_(strv_freep) char **subfolders = NULL;
        int r = removal_scan(removal, folder, &subfolders);

        strv_foreach(subfolder, subfolders) {
                cleanup_free_ char *path = NULL;

                if (r == 0)
                        r = text_join_path(folder, *subfolder, &path);
                if (r == 0)
                        r = removal_scan(removal, path, NULL);
        }
        return r;
}

static int change_compare(const void *a, const void *b) {
        return strcmp(((const InstallChange *) a)->path, ((const InstallChange *) b)->path);
}

int installer_plan_removal(Installer *installer, char *const *names, unsigned flags, InstallReport *plan) {
        Removal removal = { .installer = installer, .plan = plan };
        size_t first = plan->changes.n;
        int r = strv_copy(names, &removal.names);

        do {
                removal.has_grown = false;
                strv_foreach(folder, installer->folders)
                        if (r == 0 && installer_is_config_folder(installer, *folder, flags))
                                r = removal_scan_all(&removal, *folder);
        } while (r == 0 && removal.has_grown);
        strv_free(removal.names);
        if (plan->changes.n > first)
                qsort(plan->changes.items + first, plan->changes.n - first, sizeof(InstallChange), change_compare);
        return r;
}

/* — execution — */

/* Removes a folder of links when its last link is gone. */
static void remove_if_empty(const Installer *installer, const char *folder) {
        cleanup_free_ char *parent = NULL;
        const char *name;
        int fd;

        if ((!is_link_folder(folder) && !text_ends_with(folder, ".d")) || split_path(folder, &parent, &name) < 0 ||
            folder_open(installer->root, parent, false, &fd) < 0)
                return;
        (void) unlinkat(fd, name, AT_REMOVEDIR);
        close(fd);
}

static int apply_change(const Installer *installer, const InstallChange *change, Failure *ret_failure) {
        bool is_link = change->kind == INSTALL_SYMLINK;
        cleanup_free_ char *folder = NULL;
        const char *name;
        int fd, r;

        if (!is_link && change->kind != INSTALL_UNLINK)
                return 0;
        r = split_path(change->path, &folder, &name);
        if (r < 0)
                return r;
        r = folder_open(installer->root, folder, is_link, &fd);
        if (r == 0) {
                if (is_link)
                        r = folder_make_link(fd, name, change->target);
                else if (unlinkat(fd, name, 0) < 0)
                        r = -errno;
                close(fd);
        }
        if (r < 0)
                return r == -ENOMEM ? r : failure_set(ret_failure, r, r == -EACCES ? "AccessDenied" : "Failed",
                                                      "Cannot %s %s: %s.", is_link ? "make the link" : "remove",
                                                      change->path, strerror(-r));
        if (!is_link)
                remove_if_empty(installer, folder);
        return 0;
}

int installer_apply(Installer *installer, InstallReport *plan, unsigned flags, InstallReport *report,
                    Failure *ret_failure) {
        int r = vector_reserve(&report->changes, plan->changes.n);
        size_t done = 0;

        for (; r == 0 && done < plan->changes.n; done++) {
                if (!(flags & INSTALL_DRY_RUN))
                        r = apply_change(installer, &plan->changes.items[done], ret_failure);
                if (r < 0)
                        break;
                report->changes.items[report->changes.n++] = plan->changes.items[done];
        }
        for (size_t i = done; i < plan->changes.n; i++)
                install_change_deinit(&plan->changes.items[i]);
        vector_clear(&plan->changes);
        if (r == 0 && done > 0)
                r = name_map_refresh(installer->loader->names);
        return r < 0 ? r : 0;
}
