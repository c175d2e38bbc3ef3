/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The paths of the manager's private socket
 *
 * In a container where /run is not writable, jobd uses another folder (see
 * core/runtime_directory.c), and so does jobctl. As anybody can create
 * folders in /tmp, both the socket and its folder must belong to the user.
 * For other users than root /run/jobd may have been made for them.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/bus.h"

const char *bus_runtime_directory(char buffer[static 64]) {
        const char *directory = getenv("XDG_RUNTIME_DIR");

        if (directory && directory[0] == '/')
                return directory;
        snprintf(buffer, 64, "/run/user/%u", (unsigned) getuid());
        return buffer;
}

/* Adds the socket of the folder, if it has one and both belong to the user. */
static int add_ours(const char *folder, char ***paths) {
        cleanup_free_ char *path = NULL;
        struct stat status;

        if (lstat(folder, &status) < 0 || !S_ISDIR(status.st_mode) || status.st_uid != getuid())
                return 0;
        if (text_join_path(folder, "private", &path) < 0)
                return -ENOMEM;
        if (lstat(path, &status) < 0 || !S_ISSOCK(status.st_mode) || status.st_uid != getuid())
                return 0;
        return strv_push(paths, path);
}

int bus_other_socket_paths(char ***ret_paths) {
        const char *directory = getenv("XDG_RUNTIME_DIR");
        cleanup_free_ char *of_user = NULL, *of_tmp = NULL;
        cleanup_(strv_freep) char **paths = NULL;
        int r;

        if (text_format(&of_tmp, "/tmp/jobd-%u", (unsigned) getuid()) < 0 ||
            (directory && directory[0] == '/' && text_join_path(directory, "jobd", &of_user) < 0))
                return -ENOMEM;
        r = add_ours("/run/jobd", &paths);
        if (r == 0 && of_user)
                r = add_ours(of_user, &paths);
        if (r == 0)
                r = add_ours(of_tmp, &paths);
        if (r == 0)
                *ret_paths = take_ptr(paths);
        return r;
}

int bus_socket_path(const BusAddress *address, char **ret_path) {
        char buffer[64];

        if (address->socket)
                return text_format(ret_path, "%s",
                                   text_starts_with(address->socket, "unix:path=") ? address->socket + 10
                                                                                   : address->socket);
        if (address->is_user)
                return text_format(ret_path, "%s/jobd/private", bus_runtime_directory(buffer));
        return text_format(ret_path, "/run/jobd/private");
}
