/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The search path of unit files
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/unit_file.h"

static const char *const system_folders[] = {
        "/etc/jobd/system.control",
        "/run/jobd/system.control",
        "/etc/jobd/system",
        "/run/jobd/system",
        "/usr/local/lib/jobd/system",
        "/usr/lib/jobd/system",
        NULL,
};

static const char *const systemd_system_folders[] = {
        "/etc/systemd/system.control",
        "/run/systemd/system.control",
        "/etc/systemd/system",
        "/run/systemd/system",
        "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system",
        "/lib/systemd/system",
        NULL,
};

/* "XDG_CONFIG_HOME|.config/jobd/user": a folder below the variable's value or, if it is not set, below the home. */
typedef struct UserFolder {
        const char *variable;           /* NULL: the path is absolute */
        const char *default_below_home; /* NULL: none without the variable */
        const char *path;
} UserFolder;

static const UserFolder user_folders[] = {
        { "XDG_CONFIG_HOME", ".config", "jobd/user.control" },
        { "XDG_RUNTIME_DIR", NULL, "jobd/user.control" },
        { "XDG_CONFIG_HOME", ".config", "jobd/user" },
        { "XDG_RUNTIME_DIR", NULL, "jobd/user" },
        { "XDG_DATA_HOME", ".local/share", "jobd/user" },
        { NULL, NULL, "/etc/jobd/user" },
        { NULL, NULL, "/usr/lib/jobd/user" },
};

static const UserFolder systemd_user_folders[] = {
        { "XDG_CONFIG_HOME", ".config", "systemd/user.control" },
        { "XDG_RUNTIME_DIR", NULL, "systemd/user.control" },
        { "XDG_CONFIG_HOME", ".config", "systemd/user" },
        { NULL, NULL, "/etc/systemd/user" },
        { "XDG_RUNTIME_DIR", NULL, "systemd/user" },
        { NULL, NULL, "/run/systemd/user" },
        { "XDG_DATA_HOME", ".local/share", "systemd/user" },
        { NULL, NULL, "/usr/local/lib/systemd/user" },
        { NULL, NULL, "/usr/lib/systemd/user" },
};

static int path_add_all(const char *const *folders, char ***path) {
        for (; *folders; folders++) {
                int r = strv_push(path, *folders);

                if (r < 0)
                        return r;
        }
        return 0;
}

static int path_add_user(const UserFolder *folders, size_t n, char ***path) {
        for (size_t i = 0; i < n; i++) {
                const char *base = folders[i].variable ? getenv(folders[i].variable) : NULL, *home = getenv("HOME");
                char *folder = NULL;
                int r = 0;

                if (!folders[i].variable)
                        r = text_format(&folder, "%s", folders[i].path);
                else if (base && base[0] == '/')
                        r = text_format(&folder, "%s/%s", base, folders[i].path);
                else if (folders[i].default_below_home && home && home[0] == '/')
                        r = text_format(&folder, "%s/%s/%s", home, folders[i].default_below_home, folders[i].path);
                if (r == 0 && folder)
                        r = strv_consume(path, folder);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int path_add_defaults(bool is_user, char ***path) {
        if (is_user)
                return path_add_user(user_folders, ELEMENTSOF(user_folders), path);
        return path_add_all(system_folders, path);
}

const char *const *unit_file_systemd_folders(void) {
        return systemd_system_folders;
}

int unit_file_search_path(bool is_user, bool with_systemd, const char *override, char ***ret_path) {
        cleanup_(strv_freep) char **path = NULL;
        int r = 0;

        assert(ret_path);

        if (!override || !*override)
                override = getenv("JOBD_UNIT_PATH");
        if (override && *override)
                r = strv_split(override, ":", &path);
        if (r == 0 && (!override || !*override || text_ends_with(override, ":")))
                r = path_add_defaults(is_user, &path);
        if (r == 0 && with_systemd)
                r = is_user ? path_add_user(systemd_user_folders, ELEMENTSOF(systemd_user_folders), &path)
                            : path_add_all(systemd_system_folders, &path);
        if (r < 0)
                return r;
        *ret_path = take_ptr(path);
        return 0;
}
