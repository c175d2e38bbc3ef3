/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The environment of a process, layer by layer
 *
 * The layers, each overriding those before it, are systemd's: what the manager
 * gives to all; what describes this process (INVOCATION_ID, MAINPID, …) and
 * its user; PassEnvironment=; Environment=; EnvironmentFile=. In the end
 * UnsetEnvironment= takes away.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_descriptor.h"
#include "exec/exec_environment.h"
#include "exec/exec_extra.h"

/* A larger file is not meant as an environment, which the kernel limits to 2 MiB. */
#define FILE_MAX_BYTES (4U * 1024 * 1024)

static int set_value(char ***environment, const char *name, const char *value) {
        cleanup_free_ char *assignment = NULL;

        if (!value)
                return 0;
        if (text_format(&assignment, "%s=%s", name, value) < 0)
                return -ENOMEM;
        return exec_environment_set(environment, assignment);
}

/* Applies one word of UnsetEnvironment=: a name, or a whole assignment that must match. */
static void unset_one(char **environment, const char *word) {
        bool is_name = !strchr(word, '=');
        size_t n = strlen(word), kept = 0;

        for (size_t i = 0; environment[i]; i++) {
                bool matches = is_name ? strncmp(environment[i], word, n) == 0 && environment[i][n] == '='
                                       : strcmp(environment[i], word) == 0;

                if (matches)
                        free(environment[i]);
                else
                        environment[kept++] = environment[i];
        }
        environment[kept] = NULL;
}

/* In pieces, because files in /proc have no size. */
static int read_all(int fd, Text *text) {
        char piece[4096];

        for (;;) {
                ssize_t n = read(fd, piece, sizeof(piece));

                if (n < 0)
                        return -errno;
                if (n == 0)
                        return text->error;
                if (text->n + (size_t) n > FILE_MAX_BYTES)
                        return -EFBIG;
                text_add_n(text, piece, (size_t) n);
        }
}

int exec_environment_read(char ***environment, const char *path) {
        cleanup_(text_deinit) Text text = {};
        struct stat status;
        int fd, r;

        /* O_NONBLOCK: opening a FIFO must not block the manager. */
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (fd < 0)
                return -errno;
        if (fstat(fd, &status) < 0)
                r = -errno;
        else if (!S_ISREG(status.st_mode))
                r = S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
        else
                r = read_all(fd, &text);
        close(fd);
        if (r < 0)
                return r;
        return text.n == 0 ? 0 : exec_environment_parse(environment, text.string, text.n);
}

static int find_files(const char *pattern, glob_t *found) {
        switch (glob(pattern, 0, NULL, found)) {
        case 0:
                return 0;
        case GLOB_NOSPACE:
                return -ENOMEM;
        case GLOB_NOMATCH:
                return -ENOENT;
        default:
                return -EIO;
        }
}

static void tell_unreadable(ExecResult *result, const char *path, int error) {
        if (error == -EINVAL)
                exec_result_set(result, EXEC_STEP_ENVIRONMENT, error,
                                "%s is no regular file, or its text is not valid UTF-8", path);
        else
                exec_result_set(result, EXEC_STEP_ENVIRONMENT, error, "cannot read %s", path);
}

/*
 * Reads one EnvironmentFile= setting: "-" in front ignores a file that cannot be read, and the path may be a pattern.
 */
static int read_setting(char ***environment, const char *setting, ExecResult *result) {
        bool is_optional = setting[0] == '-';
        const char *path = setting + is_optional;
        glob_t found = {};
        int r;

        r = find_files(path, &found);
        for (size_t i = 0; r == 0 && i < found.gl_pathc; i++) {
                r = exec_environment_read(environment, found.gl_pathv[i]);
                if (r < 0 && r != -ENOMEM && is_optional)
                        r = 0;
                else if (r < 0)
                        tell_unreadable(result, found.gl_pathv[i], r);
        }
        if (found.gl_pathc == 0) {
                if (r != -ENOMEM && is_optional)
                        r = 0;
                else
                        exec_result_set(result, EXEC_STEP_ENVIRONMENT, r, "cannot read %s", path);
        }
        globfree(&found);
        return r;
}

static int set_user(char ***environment, const ExecCredentials *credentials) {
        int r = set_value(environment, "HOME", credentials->home);

        if (r == 0)
                r = set_value(environment, "LOGNAME", credentials->user_name);
        if (r == 0)
                r = set_value(environment, "USER", credentials->user_name);
        if (r == 0)
                r = set_value(environment, "SHELL", credentials->shell);
        return r;
}

static int set_passed(char ***environment, char *const *names) {
        strv_foreach(name, names) {
                int r = set_value(environment, *name, getenv(*name));

                if (r < 0)
                        return r;
        }
        return 0;
}

static int set_files(char ***environment, char *const *settings, ExecResult *result) {
        strv_foreach(setting, settings) {
                int r = read_setting(environment, *setting, result);

                if (r < 0)
                        return r;
        }
        return 0;
}

int exec_environment_build(const ExecRequest *request, const ExecCredentials *credentials, char ***ret_environment,
                           ExecResult *ret_result) {
        cleanup_(strv_freep) char **environment = NULL;
        int r;

        assert(request);

        r = exec_environment_set(&environment, "PATH=" EXEC_DEFAULT_PATH);
        if (r == 0)
                r = exec_environment_merge(&environment, request->manager_environment);
        if (r == 0)
                r = set_user(&environment, credentials);
        if (r == 0)
                r = exec_environment_merge(&environment, request->own_environment);
        if (r == 0)
                r = exec_environment_set(&environment, "SYSTEMD_EXEC_PID=" EXEC_PID_PLACE);
        if (r == 0)
                r = exec_extra_set_environment(request, &environment);
        if (r == 0)
                r = exec_descriptor_set_environment(request, &environment);
        if (r == 0)
                r = set_passed(&environment, request->pass_environment);
        if (r == 0)
                r = exec_environment_merge(&environment, request->environment);
        if (r < 0) {
                exec_result_set(ret_result, EXEC_STEP_RESOURCES, r, "cannot build the environment");
                return r;
        }
        r = set_files(&environment, request->environment_files, ret_result);
        if (r < 0)
                return r;
        strv_foreach(word, request->unset_environment)
                unset_one(environment, *word);

        *ret_environment = take_ptr(environment);
        return 0;
}
