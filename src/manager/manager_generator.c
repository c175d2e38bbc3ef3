/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit files generated from other files
 *
 * For the init of a machine the lines of /etc/fstab are units. $JOBD_FSTAB
 * names another such file, and enables this for any system manager.
 */

#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_generator.h"
#include "unitfile/fstab.h"

#define FSTAB_PATH "/etc/fstab"

static const char *fstab_path(const ManagerGenerator *generator) {
        const char *path = getenv("JOBD_FSTAB");

        if (generator->is_user)
                return NULL;
        if (path && *path)
                return path;
        return generator->is_machine ? FSTAB_PATH : NULL;
}

bool manager_generator_is_on(const ManagerGenerator *generator) {
        return fstab_path(generator);
}

static int generator_folder(const ManagerGenerator *generator, char **ret_folder) {
        return text_join_path(generator->runtime_directory, "generator", ret_folder);
}

static bool is_package_folder(const char *path) {
        return text_starts_with(path, "/usr/") || text_starts_with(path, "/lib/");
}

/* After the administrator's folders, before those of packages. */
int manager_generator_add_folder(const ManagerGenerator *generator, char ***path) {
        cleanup_(strv_freep) char **result = NULL;
        cleanup_free_ char *folder = NULL;
        bool is_in = false;
        int r = 0;

        if (!fstab_path(generator))
                return 0;
        r = generator_folder(generator, &folder);
        for (size_t i = 0; r == 0 && *path && (*path)[i]; i++) {
                if (!is_in && is_package_folder((*path)[i])) {
                        is_in = true;
                        r = strv_push(&result, folder);
                }
                if (r == 0)
                        r = strv_push(&result, (*path)[i]);
        }
        if (r == 0 && !is_in)
                r = strv_push(&result, folder);
        if (r < 0)
                return r;
        strv_free(*path);
        *path = take_ptr(result);
        return 0;
}

void manager_generator_run(const ManagerGenerator *generator) {
        const char *path = fstab_path(generator);
        cleanup_free_ char *folder = NULL;
        int r;

        if (!path)
                return;
        r = generator_folder(generator, &folder);
        if (r == 0)
                r = fstab_write_units(&(FstabOptions) {
                        .path = path,
                        .folder = folder,
                        .is_machine = generator->is_machine,
                        .receiver = generator->receiver,
                        .userdata = generator->userdata,
                });
        if (r < 0)
                log_error("Cannot make units from %s: %s.", path, strerror(-r));
}
