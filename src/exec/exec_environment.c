/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The environment of a process
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
#include "basic/vector.h"
#include "exec/exec_descriptor.h"
#include "exec/exec_environment.h"
#include "exec/exec_extra.h"

/* A file that is larger is not meant as an environment (which is limited to 2 MiB by the kernel). */
#define FILE_MAX_BYTES (4U * 1024 * 1024)

bool exec_environment_name_is_valid(const char *name, size_t n) {
        if (n == 0 || (name[0] >= '0' && name[0] <= '9'))
                return false;
        for (size_t i = 0; i < n; i++) {
                char c = name[i];

                if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
                        return false;
        }
        return true;
}

static char *const *find_assignment(char *const *environment, const char *name, size_t n) {
        strv_foreach(assignment, environment)
                if (strncmp(*assignment, name, n) == 0 && (*assignment)[n] == '=')
                        return assignment;
        return NULL;
}

const char *exec_environment_get(char *const *environment, const char *name, size_t n) {
        char *const *assignment = find_assignment(environment, name, n);

        return assignment ? *assignment + n + 1 : NULL;
}

int exec_environment_set(char ***environment, const char *assignment) {
        const char *equals = strchr(assignment, '=');
        char *const *old;
        char *copy;

        if (!equals || !exec_environment_name_is_valid(assignment, (size_t) (equals - assignment)))
                return 0;
        old = find_assignment(*environment, assignment, (size_t) (equals - assignment));
        if (!old)
                return strv_push(environment, assignment);

        copy = strdup(assignment);
        if (!copy)
                return -ENOMEM;
        free(*old);
        (*environment)[old - *environment] = copy;
        return 0;
}

/* One of many: a stretch of equal names, in the order of their places, says who wins. */
typedef struct Candidate {
        const char *text;               /* borrowed */
        size_t n_name;
        size_t place;
} Candidate;

typedef VECTOR(Candidate) CandidateList;

static int add_candidates(CandidateList *list, char *const *assignments) {
        strv_foreach(assignment, assignments) {
                Candidate candidate = { *assignment, strcspn(*assignment, "="), list->n };

                if ((*assignment)[candidate.n_name] == '=' &&
                    exec_environment_name_is_valid(*assignment, candidate.n_name) && vector_push(list, candidate) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int compare_names(const Candidate *a, const Candidate *b) {
        int order = memcmp(a->text, b->text, MIN(a->n_name, b->n_name));

        return order != 0 ? order : (a->n_name > b->n_name) - (a->n_name < b->n_name);
}

static int compare_candidates(const void *a, const void *b) {
        const Candidate *first = a, *second = b;
        int order = compare_names(first, second);

        return order != 0 ? order : (first->place > second->place) - (first->place < second->place);
}

/* The last of each name, at the place of the first. */
static int choose_candidates(CandidateList *list, char ***ret_chosen) {
        cleanup_free_ const char **winners = calloc(list->n + 1, sizeof(*winners));
        cleanup_(strv_freep) char **chosen = NULL;
        size_t first = 0, n = 0, room = 2;

        while (room <= list->n)
                room *= 2;
        chosen = calloc(room, sizeof(*chosen));         /* so much is there if strv_push() had made it */
        if (!winners || !chosen)
                return -ENOMEM;
        qsort(list->items, list->n, sizeof(*list->items), compare_candidates);
        for (size_t i = 0; i < list->n; i++) {
                if (compare_names(&list->items[first], &list->items[i]) != 0)
                        first = i;
                winners[list->items[first].place] = list->items[i].text;
        }
        for (size_t i = 0; i < list->n; i++)
                if (winners[i] && !(chosen[n++] = strdup(winners[i])))
                        return -ENOMEM;
        *ret_chosen = take_ptr(chosen);
        return 0;
}

int exec_environment_merge(char ***environment, char *const *assignments) {
        CandidateList list = {};
        char **merged = NULL;
        int r;

        assert(environment);

        if (!assignments)
                return 0;
        r = add_candidates(&list, *environment);
        if (r == 0)
                r = add_candidates(&list, assignments);
        if (r == 0 && list.n > 0)
                r = choose_candidates(&list, &merged);
        vector_deinit(&list);
        if (r < 0)
                return r;
        strv_free(*environment);
        *environment = merged;
        return 0;
}

static int set_value(char ***environment, const char *name, const char *value) {
        cleanup_free_ char *assignment = NULL;

        if (!value)
                return 0;
        if (text_format(&assignment, "%s=%s", name, value) < 0)
                return -ENOMEM;
        return exec_environment_set(environment, assignment);
}

/* One word of UnsetEnvironment=: a name, or a whole assignment that must match. */
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

/* In pieces, since files in /proc have no size. */
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

        /* O_NONBLOCK: a FIFO under that name must not stop the manager. */
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

/* One EnvironmentFile= setting: "-" in front forgives a file that can't be read, and the path may be a pattern. */
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
