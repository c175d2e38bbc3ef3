/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The path of the manager's private socket
 *
 * In a container where /run is not writable, jobd uses another folder (see
 * core/runtime_directory.c), and so does jobctl. As anybody can create
 * folders in /tmp, both the socket and its folder must belong to the user.
 * For root only the usual place counts; for other users /run/jobd may have
 * been made for them.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/bus.h"

const char *bus_runtime_directory(char buffer[static 64]) {
        const char *directory = getenv("XDG_RUNTIME_DIR");

        if (directory && directory[0] == '/')
                return directory;
        snprintf(buffer, 64, "/run/user/%u", (unsigned) getuid());
        return buffer;
}

/* 1: the folder has a socket, and both belong to the user; 0: not so; or -ENOMEM. */
static int is_ours(const char *folder, char **ret_path) {
        cleanup_free_ char *path = NULL;
        struct stat status;

        if (lstat(folder, &status) < 0 || !S_ISDIR(status.st_mode) || status.st_uid != getuid())
                return 0;
        if (text_join_path(folder, "private", &path) < 0)
                return -ENOMEM;
        if (lstat(path, &status) < 0 || !S_ISSOCK(status.st_mode) || status.st_uid != getuid())
                return 0;
        *ret_path = take_ptr(path);
        return 1;
}

static int find_other(char **ret_path) {
        const char *directory = getenv("XDG_RUNTIME_DIR");
        cleanup_free_ char *of_user = NULL, *of_tmp = NULL;
        int r;

        if (text_format(&of_tmp, "/tmp/jobd-%u", (unsigned) getuid()) < 0 ||
            (directory && directory[0] == '/' && text_join_path(directory, "jobd", &of_user) < 0))
                return -ENOMEM;
        r = is_ours("/run/jobd", ret_path);
        if (r == 0 && of_user)
                r = is_ours(of_user, ret_path);
        return r != 0 ? r : is_ours(of_tmp, ret_path);
}

static int find_usual(bool is_user, char **ret_path) {
        char buffer[64];

        if (is_user)
                return text_format(ret_path, "%s/jobd/private", bus_runtime_directory(buffer));
        return text_format(ret_path, "/run/jobd/private");
}

int bus_socket_path(const BusAddress *address, char **ret_path) {
        cleanup_free_ char *usual = NULL;
        int r;

        if (address->socket)
                return text_format(ret_path, "%s",
                                   text_starts_with(address->socket, "unix:path=") ? address->socket + 10
                                                                                   : address->socket);
        r = find_usual(address->is_user, &usual);
        if (r == 0 && access(usual, F_OK) < 0) {
                r = find_other(ret_path);
                if (r > 0)
                        return 0;
        }
        if (r == 0)
                *ret_path = take_ptr(usual);
        return r;
}
