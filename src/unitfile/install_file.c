/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mask, unmask, link, revert, add-wants, set-default
 *
 * Operations on unit files that do not depend on their content.
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
#include "unitfile/builtin_unit.h"
#include "unitfile/install_private.h"

#define DEFAULT_TARGET "default.target"

int installer_state(Installer *installer, const char *name, const char **ret_state) {
        return unit_file_state(installer->loader, name, ret_state);
}

int installer_find(Installer *installer, const char *name, char **ret_path) {
        const NameMap *names = installer->loader->names;
        const NameEntry *entry = name_map_find(names, name);

        if (!entry)
                return -ENOENT;
        return text_join_path(name_map_folder(names, entry) + strlen(installer->root), name, ret_path);
}

int installer_list(Installer *installer, char ***ret_names) {
        return unit_file_list(installer->loader, ret_names);
}

/* — masks — */

int installer_mask(Installer *installer, char *const *names, unsigned flags, InstallReport *report,
                   Failure *ret_failure) {
        cleanup_(install_report_deinit) InstallReport plan = {};
        const char *folder;
        int r = installer_config_folder(installer, flags, &folder, ret_failure);

        strv_foreach(name, names) {
                cleanup_free_ char *path = NULL;

                if (r == 0)
                        r = installer_check_name(*name, ret_failure);
                if (r == 0)
                        r = text_join_path(folder, *name, &path);
                if (r == 0)
                        r = installer_plan_link(installer, path, "/dev/null", flags & INSTALL_FORCE, &plan,
                                                ret_failure);
        }
        return r < 0 ? r : installer_apply(installer, &plan, flags, report, ret_failure);
}

static int plan_unmask(const Installer *installer, const char *folder, const char *name, InstallReport *plan) {
        cleanup_free_ char *target = NULL, *path = NULL;
        int fd, r;

        if (folder_open(installer->root, folder, false, &fd) < 0)
                return 0;
        r = folder_read_link(fd, name, &target);
        close(fd);
        if (r < 0 || strcmp(target, "/dev/null") != 0)
                return r == -ENOMEM ? r : 0;
        r = text_join_path(folder, name, &path);
        return r < 0 ? r : install_report_add(plan, INSTALL_UNLINK, path, "");
}

int installer_unmask(Installer *installer, char *const *names, unsigned flags, InstallReport *report,
                     Failure *ret_failure) {
        cleanup_(install_report_deinit) InstallReport plan = {};
        const char *folder;
        int r = installer_config_folder(installer, flags, &folder, ret_failure);

        strv_foreach(name, names) {
                if (r == 0)
                        r = installer_check_name(*name, ret_failure);
                strv_foreach(candidate, installer->folders)
                        if (r == 0 && installer_is_config_folder(installer, *candidate, flags))
                                r = plan_unmask(installer, *candidate, *name, &plan);
        }
        return r < 0 ? r : installer_apply(installer, &plan, flags, report, ret_failure);
}

/* — links — */

static bool is_on_search_path(const Installer *installer, const char *file) {
        const char *slash = strrchr(file, '/');

        strv_foreach(folder, installer->folders)
                if (strlen(*folder) == (size_t) (slash - file) && strncmp(*folder, file, (size_t) (slash - file)) == 0)
                        return true;
        return false;
}

static int check_file(const Installer *installer, const char *file, Failure *ret_failure) {
        cleanup_free_ char *real = NULL;
        struct stat st;
        int r;

        if (file[0] != '/')
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "'%s' is not an absolute path.", file);
        r = installer_check_name(strrchr(file, '/') + 1, ret_failure);
        if (r == 0)
                r = installer_real_path(installer, file, &real);
        if (r < 0)
                return r;
        if (stat(real, &st) < 0)
                return failure_set(ret_failure, -errno, "NoSuchUnit", "There is no file %s: %s.", file,
                                   strerror(errno));
        if (!S_ISREG(st.st_mode))
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s is not a regular file.", file);
        return 0;
}

int installer_link(Installer *installer, char *const *files, unsigned flags, InstallReport *report,
                   Failure *ret_failure) {
        cleanup_(install_report_deinit) InstallReport plan = {};
        const char *folder;
        int r = installer_config_folder(installer, flags, &folder, ret_failure);

        strv_foreach(file, files) {
                cleanup_free_ char *path = NULL;

                if (r == 0)
                        r = check_file(installer, *file, ret_failure);
                if (r < 0)
                        return r;
                if (is_on_search_path(installer, *file))
                        continue;
                r = text_join_path(folder, strrchr(*file, '/') + 1, &path);
                if (r == 0)
                        r = installer_plan_link(installer, path, *file, flags & INSTALL_FORCE, &plan, ret_failure);
        }
        return r < 0 ? r : installer_apply(installer, &plan, flags, report, ret_failure);
}

/* — revert — */

/* Plans the removal of a folder's drop-ins, and of the folder if nothing else is in it. */
static int plan_dropins(const Installer *installer, const char *folder, InstallReport *plan) {
        const struct dirent *item;
        DIR *dir;
        int r = folder_list(installer->root, folder, &dir);

        if (r < 0 || !dir)
                return r;
        while (r == 0 && (item = readdir(dir))) {
                cleanup_free_ char *path = NULL;

                if (!text_ends_with(item->d_name, ".conf"))
                        continue;
                r = text_join_path(folder, item->d_name, &path);
                if (r == 0)
                        r = install_report_add(plan, INSTALL_UNLINK, path, "");
        }
        closedir(dir);
        return r;
}

static bool folder_has(const Installer *installer, const char *folder, const char *name) {
        struct stat st;
        bool has;
        int fd;

        if (folder_open(installer->root, folder, false, &fd) < 0)
                return false;
        has = fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode));
        close(fd);
        return has;
}

/* Returns true if revert removes files from @folder. */
static bool is_reverted(const Installer *installer, const char *folder) {
        const FolderKind kind = folder_kind(folder, installer->loader->runtime_directory);

        return kind == FOLDER_CONTROL || kind == FOLDER_CONTROL_RUNTIME ||
               installer_is_config_folder(installer, folder, 0) ||
               installer_is_config_folder(installer, folder, INSTALL_RUNTIME);
}

static int plan_revert(const Installer *installer, const char *name, InstallReport *plan) {
        bool is_shipped = builtin_unit_find(name);
        int r = 0;

        strv_foreach(folder, installer->folders)
                is_shipped = is_shipped || (!is_reverted(installer, *folder) && folder_has(installer, *folder, name));
        strv_foreach(folder, installer->folders) {
                cleanup_free_ char *path = NULL, *dropins = NULL;

                if (r < 0 || !is_reverted(installer, *folder))
                        continue;
                r = text_join_path(*folder, name, &path);
                if (r == 0 && is_shipped && folder_has(installer, *folder, name))
                        r = install_report_add(plan, INSTALL_UNLINK, path, "");
                if (r == 0)
                        r = text_format(&dropins, "%s.d", path);
                if (r == 0)
                        r = plan_dropins(installer, dropins, plan);
        }
        return r;
}

int installer_revert(Installer *installer, char *const *names, InstallReport *report, Failure *ret_failure) {
        cleanup_(install_report_deinit) InstallReport plan = {};
        int r = 0;

        strv_foreach(name, names) {
                if (r == 0)
                        r = installer_check_name(*name, ret_failure);
                if (r == 0)
                        r = plan_revert(installer, *name, &plan);
        }
        return r < 0 ? r : installer_apply(installer, &plan, 0, report, ret_failure);
}

/* — dependencies and the default — */

int installer_add_dependency(Installer *installer, char *const *names, const char *destination, const char *suffix,
                             unsigned flags, InstallReport *report, Failure *ret_failure) {
        cleanup_(install_report_deinit) InstallReport plan = {};
        cleanup_(unit_draft_freep) UnitDraft *wanting = NULL;
        const char *folder;
        int r = installer_config_folder(installer, flags, &folder, ret_failure);

        if (r == 0)
                r = installer_read(installer, destination, &wanting, ret_failure);
        strv_foreach(name, names) {
                cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
                cleanup_free_ char *path = NULL, *target = NULL;

                if (r == 0)
                        r = installer_read(installer, *name, &draft, ret_failure);
                if (r == 0 && unit_name_is_template(draft->name))
                        r = failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s is a template: name an instance.",
                                        *name);
                if (r == 0)
                        r = installer_target_of(draft, true, installer, &target);
                if (r == 0)
                        r = text_format(&path, "%s/%s%s/%s", folder, wanting->name, suffix, draft->name);
                if (r == 0)
                        r = installer_plan_link(installer, path, target, flags & INSTALL_FORCE, &plan, ret_failure);
        }
        return r < 0 ? r : installer_apply(installer, &plan, flags, report, ret_failure);
}

int installer_set_default(Installer *installer, const char *name, unsigned flags, InstallReport *report,
                          Failure *ret_failure) {
        cleanup_(install_report_deinit) InstallReport plan = {};
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        cleanup_free_ char *path = NULL, *target = NULL;
        const char *folder;
        int r;

        if (unit_name_type(name) != UNIT_TARGET || strcmp(name, DEFAULT_TARGET) == 0)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "'%s' cannot be the default, which must be a target "
                                   "other than " DEFAULT_TARGET ".", name);
        r = installer_config_folder(installer, flags, &folder, ret_failure);
        if (r == 0)
                r = installer_read(installer, name, &draft, ret_failure);
        if (r == 0)
                r = installer_target_of(draft, false, installer, &target);
        if (r == 0)
                r = text_join_path(folder, DEFAULT_TARGET, &path);
        if (r == 0)
                r = installer_plan_link(installer, path, target, flags & INSTALL_FORCE, &plan, ret_failure);
        return r < 0 ? r : installer_apply(installer, &plan, flags, report, ret_failure);
}

int installer_get_default(Installer *installer, char **ret_name) {
        cleanup_(name_lookup_deinit) NameLookup lookup = {};
        int r = name_map_lookup(installer->loader->names, DEFAULT_TARGET, &lookup);

        return r < 0 ? r : text_format(ret_name, "%s", lookup.id);
}
