/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories of a unit
 *
 * The child creates them (exec_child_directory.c). The manager removes them
 * when no process of the unit is left (exec_remove.c).
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_directory.h"
#include "exec/exec_remove.h"

static const struct {
        const char *system, *variable, *fallback;       /* .fallback is relative to the user's home */
} bases[_EXEC_DIRECTORY_MAX] = {
        [EXEC_DIRECTORY_RUNTIME] = { "/run", "XDG_RUNTIME_DIR", NULL },
        [EXEC_DIRECTORY_STATE] = { "/var/lib", "XDG_STATE_HOME", ".local/state" },
        [EXEC_DIRECTORY_CACHE] = { "/var/cache", "XDG_CACHE_HOME", ".cache" },
        [EXEC_DIRECTORY_LOGS] = { "/var/log", "XDG_STATE_HOME", ".local/state" },
        [EXEC_DIRECTORY_CONFIGURATION] = { "/etc", "XDG_CONFIG_HOME", ".config" },
};

int exec_directory_base(ExecDirectoryKind kind, bool is_user, char **ret_base) {
        const char *variable = getenv(bases[kind].variable), *home = getenv("HOME");

        if (!is_user)
                return text_format(ret_base, "%s", bases[kind].system);
        if (variable && variable[0] == '/')
                return text_format(ret_base, "%s%s", variable, kind == EXEC_DIRECTORY_LOGS ? "/log" : "");
        if (!bases[kind].fallback)
                return text_format(ret_base, "/run/user/%u", (unsigned) geteuid());
        if (!home || home[0] != '/')
                return -ENOENT;
        return text_format(ret_base, "%s/%s%s", home, bases[kind].fallback, kind == EXEC_DIRECTORY_LOGS ? "/log" : "");
}

/* Configuration, and directories that are removed with the unit, can be at their usual place. */
bool exec_directory_is_private(const ExecTerms *terms, ExecDirectoryKind kind) {
        if (!terms->dynamic_user || kind == EXEC_DIRECTORY_CONFIGURATION)
                return false;
        return kind != EXEC_DIRECTORY_RUNTIME || terms->preserve != EXEC_PRESERVE_NO;
}

int exec_directory_list(const ExecTerms *terms, ExecDirectoryKind kind, bool is_user, char **ret_list) {
        const char *private = exec_directory_is_private(terms, kind) ? EXEC_PRIVATE_FOLDER "/" : "";
        cleanup_free_ char *base = NULL;
        Text list = {};
        int r;

        *ret_list = NULL;
        if (!terms->directories[kind].paths)
                return 0;
        r = exec_directory_base(kind, is_user, &base);
        if (r < 0)
                return r;
        strv_foreach(path, terms->directories[kind].paths)
                text_addf(&list, "%s%s/%s%.*s", list.n > 0 ? ":" : "", base, private, (int) strcspn(*path, ":"), *path);
        return text_finish(&list, ret_list);
}

int exec_directory_remove_below(const char *base, const char *path, bool is_link) {
        int fd = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC), r;

        if (fd < 0)
                return errno == ENOENT ? 0 : -errno;
        r = exec_remove_below(fd, path, is_link ? EXEC_REMOVE_LINK : EXEC_REMOVE_ALL);
        close(fd);
        return r;
}

static int remove_private(int base, const char *name) {
        cleanup_free_ char *path = NULL;
        int r = text_format(&path, EXEC_PRIVATE_FOLDER "/%s", name);

        return r < 0 ? r : exec_remove_below(base, path, EXEC_REMOVE_SOON);
}

int exec_directory_remove(const ExecTerms *terms, ExecDirectoryKind kind, bool is_user) {
        cleanup_free_ char *base = NULL;
        int r, fd, error = 0;

        if (!terms->directories[kind].paths)
                return 0;
        r = exec_directory_base(kind, is_user, &base);
        if (r < 0)
                return r;
        fd = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return errno == ENOENT ? 0 : -errno;
        strv_foreach(entry, terms->directories[kind].paths) {
                const char *colon = strchr(*entry, ':');
                cleanup_free_ char *path = strndup(*entry, strcspn(*entry, ":"));

                r = path ? exec_remove_below(fd, path, EXEC_REMOVE_SOON) : -ENOMEM;
                if (r == 0 && colon)
                        r = exec_remove_below(fd, colon + 1, EXEC_REMOVE_LINK);
                if (r == 0 && exec_directory_is_private(terms, kind))
                        r = remove_private(fd, path);
                error = error < 0 ? error : r;
        }
        close(fd);
        return error;
}

static bool is_users_manager;

void exec_directory_set_user(bool is_user) {
        cleanup_free_ char *base = NULL;

        is_users_manager = is_user;
        if (exec_directory_base(EXEC_DIRECTORY_RUNTIME, is_user, &base) == 0)
                exec_remove_leftovers(base);
}

bool exec_directory_is_user(void) {
        return is_users_manager;
}

void exec_directory_drop_secrets(const ExecTerms *terms, const char *unit) {
        cleanup_free_ char *base = NULL;
        cleanup_free_ char *secrets = NULL;
        int fd;

        if (!terms || (!terms->load_credentials && !terms->set_credentials))
                return;
        if (exec_directory_base(EXEC_DIRECTORY_RUNTIME, is_users_manager, &base) < 0 ||
            text_format(&secrets, "credentials/%s", unit) < 0)
                return;
        fd = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return;
        (void) exec_remove_below(fd, secrets, EXEC_REMOVE_SOON);
        close(fd);
}

void exec_directory_leave(const ExecTerms *terms, const char *unit, bool restarts) {
        if (terms->preserve == EXEC_PRESERVE_NO || (terms->preserve == EXEC_PRESERVE_RESTART && !restarts))
                (void) exec_directory_remove(terms, EXEC_DIRECTORY_RUNTIME, is_users_manager);
        exec_directory_drop_secrets(terms, unit);
}
