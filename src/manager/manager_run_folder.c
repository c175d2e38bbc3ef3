/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Folders of runs
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/log.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "exec/exec_remove.h"
#include "manager/manager_run_folder.h"

int manager_run_folder_find_base(const char *path, char **ret_base) {
        const char *slash = strrchr(path, '/');

        return text_format(ret_base, "%.*s/runs", slash ? (int) (slash - path) : 1, slash ? path : ".");
}

int manager_run_folder_path(const char *base, uint32_t run, char **ret_path) {
        return text_format(ret_path, "%s/%" PRIu32, base, run);
}

void manager_run_folder_remove(const char *base, uint32_t run) {
        cleanup_fd_ int fd = base ? open(base, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
        char name[16];
        int r;

        if (fd < 0)
                return;
        snprintf(name, sizeof(name), "%" PRIu32, run);
        r = exec_remove_below(fd, name, EXEC_REMOVE_SOON);
        if (r < 0)
                log_warning("Cannot remove %s/%s: %s", base, name, strerror(-r));
}
