/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The programs of jobd that core starts
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "core/core_program.h"

void core_find_program(const char *name, char ret_path[static PATH_MAX]) {
        ssize_t n = readlink("/proc/self/exe", ret_path, PATH_MAX - strlen(name) - 1);
        char *slash;

        ret_path[MAX(n, 0)] = '\0';
        slash = strrchr(ret_path, '/');
        if (slash) {
                strcpy(slash + 1, name);
                if (access(ret_path, X_OK) == 0)
                        return;
        }
        snprintf(ret_path, PATH_MAX, JOBD_PROGRAM_FOLDER "/%s", name);
}
