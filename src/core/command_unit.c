/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A unit made of a command line
 *
 * The unit is a file like any other, in a folder of the runtime directory: it
 * can be looked at, all settings of a service hold for it, and a core that is
 * started again finds it. The program is looked for here, in jobd's own $PATH
 * and from its working directory, as a shell would.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "core/command_unit.h"

#define UNIT_NAME "run.service"
#define FOLDER "command"           /* not that of transient units, which a new manager removes */

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

/* 0, -ENOENT or -EACCES. */
static int check_program(const char *path) {
        struct stat status;

        if (stat(path, &status) < 0)
                return errno == EACCES ? -EACCES : -ENOENT;
        return S_ISREG(status.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

static int find_in_path(const char *name, char **ret_path) {
        cleanup_(strv_freep) char **folders = NULL;
        int r, result = -ENOENT;

        r = strv_split(getenv("PATH") ?: "/usr/local/bin:/usr/bin:/bin", ":", &folders);
        if (r < 0)
                return r;
        strv_foreach(folder, folders) {
                cleanup_free_ char *path = NULL;

                if (text_join_path(*folder, name, &path) < 0)
                        return -ENOMEM;
                r = check_program(path);
                if (r == 0) {
                        *ret_path = take_ptr(path);
                        return 0;
                }
                if (r == -EACCES)
                        result = r;
        }
        return result;
}

static int find_program(const char *word, const char *here, char **ret_path) {
        cleanup_free_ char *path = NULL, *found = NULL;
        int r;

        if (!strchr(word, '/')) {
                r = find_in_path(word, &found);
                if (r < 0)
                        return r;
        }
        if ((found ?: word)[0] == '/')
                path = strdup(found ?: word);
        else if (text_join_path(here, found ?: word, &path) < 0)
                return -ENOMEM;
        if (!path)
                return -ENOMEM;
        r = check_program(path);
        if (r == 0)
                *ret_path = take_ptr(path);
        return r;
}

/* Specifiers are resolved after the quotes; each character that is no plain letter is written as its number. */
static void add_quoted(Text *text, const char *word) {
        text_add(text, " \"");
        for (const char *c = word; *c; c++) {
                if (*c == '%')
                        text_add(text, "%%");
                else if ((unsigned char) *c < ' ' || (unsigned char) *c > '~' || *c == '"' || *c == '\\')
                        text_addf(text, "\\x%02x", (unsigned char) *c);
                else
                        text_add_char(text, *c);
        }
        text_add_char(text, '"');
}

int command_unit_quote(char *const *words, char **ret_setting) {
        cleanup_(text_deinit) Text text = {};

        strv_foreach(word, words)
                add_quoted(&text, *word);
        return text_finish(&text, ret_setting);
}

/* In a path '%' alone has a meaning; a line break would end the setting. */
static int quote_path(const char *path, char **ret_quoted) {
        cleanup_(text_deinit) Text text = {};

        for (const char *c = path; *c; c++)
                text_add(&text, *c == '%' ? "%%" : (char[]) { *c, '\0' });
        return text_finish(&text, ret_quoted);
}

/*
 * '@': the program is told the name that was typed. ':': nothing is expanded. A stop signals the command alone;
 * processes that the command has started are left to it, and are ended by the manager only after it.
 */
static int write_text(char *const *command, const char *program, const char *here, char **ret_text) {
        char *const path[] = { (char *) program, NULL };
        cleanup_free_ char *quoted_program = NULL, *arguments = NULL, *folder = NULL;

        if (command_unit_quote(path, &quoted_program) < 0 || command_unit_quote(command, &arguments) < 0 ||
            quote_path(here, &folder) < 0)
                return -ENOMEM;
        return text_format(ret_text,
                           "# The command line of 'jobd run'.\n"
                           "[Unit]\n"
                           "Description=Command of jobd run\n"
                           "DefaultDependencies=no\n"
                           "[Service]\n"
                           "Type=exec\n"
                           "ExecStart=\"@:%s%s\n"
                           "WorkingDirectory=%s\n"
                           "StandardInput=inherit\n"
                           "StandardOutput=inherit\n"
                           "StandardError=inherit\n"
                           "KillMode=mixed\n",
                           quoted_program + strlen(" \""), arguments, strchr(folder, '\n') ? "/" : folder);
}

static int write_file(const char *path, const char *text) {
        cleanup_fd_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
        size_t n = strlen(text);
        ssize_t written = 0;

        if (fd < 0)
                return -errno;
        for (size_t done = 0; done < n; done += (size_t) written) {
                written = write(fd, text + done, n - done);
                if (written < 0)
                        return -errno;
        }
        return 0;
}

static int write_unit(const char *folder, const char *text) {
        cleanup_free_ char *path = NULL;

        if (text_join_path(folder, UNIT_NAME, &path) < 0)
                return -ENOMEM;
        if (mkdir(folder, 0755) < 0 && errno != EEXIST)
                return -errno;
        return write_file(path, text);
}

/* In front of the present path; a ':' at the end stands for the usual folders. */
static int add_folder(CoreOptions *options, const char *folder) {
        const char *rest = options->unit_path && *options->unit_path ? options->unit_path : getenv("JOBD_UNIT_PATH");
        char *path;
        int r;

        r = text_format(&path, "%s:%s", folder, rest ?: "");
        if (r < 0)
                return r;
        free(options->unit_path);
        options->unit_path = path;
        return core_options_add_exit_on(options, UNIT_NAME);
}

static int complain_program(const char *word, int r, Failure *ret_failure) {
        if (r == -ENOENT && !strchr(word, '/'))
                return failure_set(ret_failure, r, "NoSuchCommand", "There is no command '%s' in $PATH.", word);
        if (r == -ENOENT)
                return failure_set(ret_failure, r, "NoSuchCommand", "There is no command '%s'.", word);
        return failure_set(ret_failure, r, "AccessDenied", "'%s' cannot be executed: %s", word, strerror(-r));
}

int command_unit_add(CoreOptions *options, const char *runtime_directory, Failure *ret_failure) {
        cleanup_free_ char *here = get_current_dir_name(), *program = NULL, *text = NULL, *folder = NULL;
        int r;

        assert(options && options->command && options->command[0]);

        r = find_program(options->command[0], here ?: "/", &program);
        if (r < 0)
                return complain_program(options->command[0], r, ret_failure);
        r = write_text(options->command, program, here ?: "/", &text);
        if (r == 0)
                r = text_join_path(runtime_directory, FOLDER, &folder);
        if (r == 0)
                r = write_unit(folder, text);
        if (r == 0)
                r = add_folder(options, folder);
        if (r < 0)
                return failure_set(ret_failure, r == -EACCES ? -EPERM : r, "Failed", "Cannot write %s/%s: %s",
                                   folder ?: runtime_directory, UNIT_NAME, strerror(-r));
        return 0;
}

void command_unit_remove(const char *runtime_directory) {
        cleanup_free_ char *folder = NULL, *path = NULL;

        if (text_join_path(runtime_directory, FOLDER, &folder) < 0 || text_join_path(folder, UNIT_NAME, &path) < 0)
                return;
        unlink(path);
        rmdir(folder);
}

int command_unit_exit_status(int r) {
        return r == -ENOENT ? EXIT_NOT_FOUND : r == -EACCES ? EXIT_NOT_EXECUTABLE : EXIT_FAILURE;
}
