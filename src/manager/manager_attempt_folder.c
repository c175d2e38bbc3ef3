/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Folders of attempts
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/log.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "exec/exec_credentials.h"
#include "exec/exec_remove.h"
#include "manager/manager_attempt_folder.h"

int manager_attempt_folder_path(const char *base, const char *name, char **ret_path) {
        return text_format(ret_path, "%s/attempts/%s", base, name);
}

int manager_attempt_folder_result_path(const char *base, const char *name, char **ret_path) {
        return text_format(ret_path, "%s/results/%s", base, name);
}

/* "attempts" is passed through by users of attempts; "results" is our own. */
static int make_below(const char *base, const char *below, mode_t mode) {
        cleanup_free_ char *path = NULL;
        int r = text_join_path(base, below, &path);

        if (r == 0 && mkdir(path, mode) < 0 && errno != EEXIST)
                r = -errno;
        return r;
}

int manager_attempt_folder_make_results(const char *base) {
        int r = make_below(base, "attempts", 0711);

        return r < 0 ? r : make_below(base, "results", 0700);
}

int manager_attempt_folder_make(const char *base, const char *path) {
        int r;

        if (mkdir(path, 0700) == 0)
                return 0;
        if (errno == EEXIST)
                r = exec_remove_tree(path);
        else if (errno == ENOENT)
                r = manager_attempt_folder_make_results(base);
        else
                r = -errno;
        return r == 0 && mkdir(path, 0700) < 0 ? -errno : r;
}

int manager_attempt_folder_write(const char *path, const char *file, const char *text) {
        cleanup_free_ char *whole = NULL;
        cleanup_fd_ int fd = -1;
        int r = text_join_path(path, file, &whole);

        if (r < 0)
                return r;
        fd = open(whole, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);
        if (fd < 0)
                return -errno;
        for (size_t n = strlen(text); n > 0;) {
                const ssize_t written = write(fd, text, n);

                if (written < 0)
                        return -errno;
                text += written;
                n -= (size_t) written;
        }
        return 0;
}

int manager_attempt_folder_give(const char *path, const ExecRequest *request, ExecResult *result) {
        ExecCredentials credentials = {};
        int r = exec_credentials_resolve(request, &credentials, result);

        if (r == 0 && credentials.owner != UINT32_MAX && lchown(path, credentials.owner, credentials.owner_group) < 0) {
                r = -errno;
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot give %s to its user: %s", path, strerror(-r));
        }
        exec_credentials_deinit(&credentials);
        return r;
}

bool manager_attempt_folder_has_input(const char *path) {
        cleanup_free_ char *input = NULL;
        struct stat status;

        return text_join_path(path, "input", &input) == 0 && lstat(input, &status) == 0 && status.st_size > 0;
}

/* Nobody but us changes what is above the folder; what its user has put into it is not followed. */
bool manager_attempt_folder_remove_unused(const char *path) {
        cleanup_free_ char *input = NULL;

        if (text_join_path(path, "input", &input) == 0)
                (void) unlink(input);
        return rmdir(path) == 0 || errno == ENOENT;
}

void manager_attempt_folder_remove(const char *path) {
        const int r = manager_attempt_folder_remove_unused(path) ? 0 : exec_remove_tree(path);

        if (r < 0)
                log_warning("Cannot remove %s: %s", path, strerror(-r));
}

void manager_attempt_folder_sweep(const char *base, const char *below,
                                  bool (*is_used)(const void *userdata, const char *name), const void *userdata) {
        cleanup_free_ char *folder = NULL;
        struct dirent *entry;
        DIR *names;

        if (text_join_path(base, below, &folder) < 0)
                return;
        names = opendir(folder);
        while (names && (entry = readdir(names))) {
                cleanup_free_ char *path = NULL;

                if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                    !is_used(userdata, entry->d_name) && text_join_path(folder, entry->d_name, &path) == 0)
                        manager_attempt_folder_remove(path);
        }
        if (names)
                closedir(names);
}
