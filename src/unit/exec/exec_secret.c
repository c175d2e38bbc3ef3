/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Credentials that a process is given as files
 *
 * What has no path is looked for among the manager's own credentials and in
 * the credential stores; if it is nowhere the process goes without, as it may
 * do without, and SetCredential= is what it gets then. The files lie on the
 * tmpfs of /run, in a folder that only the unit's user can enter; the child
 * makes it, with the first process of the unit, and it goes when the unit has
 * ended.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/exec/exec_directory.h"
#include "unit/exec/exec_secret.h"

#define SECRET_MAX_BYTES (1024U * 1024)

static bool has_any(const ExecRequest *request) {
        return request->terms && request->unit && (request->terms->load_credentials || request->terms->set_credentials);
}

static int find_base(const ExecRequest *request, char **ret_base) {
        cleanup_free_ char *base = NULL;
        int r = exec_directory_base(EXEC_DIRECTORY_RUNTIME, request->is_user_manager, &base);

        return r < 0 ? r : text_format(ret_base, "%s/credentials", base);
}

int exec_secret_folder(const ExecRequest *request, char **ret_folder) {
        cleanup_free_ char *base = NULL;
        int r;

        *ret_folder = NULL;
        if (!has_any(request))
                return 0;
        r = find_base(request, &base);
        return r < 0 ? r : text_format(ret_folder, "%s/%s", base, request->unit);
}

/* A regular file, whole: 0 or -errno. */
static int read_file(const char *path, char **ret_data, size_t *ret_size) {
        cleanup_free_ char *data = NULL;
        struct stat status = {};
        size_t size = 0;
        ssize_t n = 0;
        int fd, r = 0;

        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (fd < 0)
                return -errno;
        if (fstat(fd, &status) < 0)
                r = -errno;
        else if (!S_ISREG(status.st_mode))
                r = -EBADF;
        else if (status.st_size > (off_t) SECRET_MAX_BYTES)
                r = -E2BIG;
        data = r == 0 ? malloc((size_t) status.st_size + 1) : NULL;
        if (r == 0 && !data)
                r = -ENOMEM;
        while (r == 0 && size < (size_t) status.st_size && (n = read(fd, data + size, (size_t) status.st_size - size)) > 0)
                size += (size_t) n;
        if (r == 0 && n < 0)
                r = -errno;
        close(fd);
        if (r < 0)
                return r;
        *ret_data = take_ptr(data);
        *ret_size = size;
        return 0;
}

/* By its name, in the places that there are for it: 0, -ENOENT, or another -errno. */
static int read_from_stores(const ExecRequest *request, const char *name, char **ret_data, size_t *ret_size) {
        const char *own = getenv("CREDENTIALS_DIRECTORY");
        const char *const stores[] = { own ? own : "/etc/credstore", "/etc/credstore", "/run/credstore",
                                       "/usr/local/lib/credstore", "/usr/lib/credstore" };
        int r = -ENOENT;

        for (size_t i = 0; i < ELEMENTSOF(stores) && r == -ENOENT; i++) {
                cleanup_free_ char *path = NULL;

                r = text_join_path(stores[i], name, &path);
                if (r == 0)
                        r = read_file(path, ret_data, ret_size);
        }
        return r;
}

static ExecSecret *find(const ExecExtra *extra, const char *name, size_t n) {
        for (size_t i = 0; i < extra->n_secrets; i++)
                if (strncmp(extra->secrets[i].name, name, n) == 0 && !extra->secrets[i].name[n])
                        return &extra->secrets[i];
        return NULL;
}

/* @data is taken over. */
static int add(ExecExtra *extra, const char *name, size_t n, char *data, size_t size) {
        ExecSecret *grown = reallocarray(extra->secrets, extra->n_secrets + 1, sizeof(*grown));
        char *copy = strndup(name, n);

        if (grown)
                extra->secrets = grown;
        if (!grown || !copy || !data) {
                free(copy);
                free(data);
                return -ENOMEM;
        }
        extra->secrets[extra->n_secrets++] = (ExecSecret) { .name = copy, .data = data, .size = size };
        return 0;
}

static bool is_set(const ExecTerms *terms, const char *entry) {
        size_t n = strcspn(entry, ":") + 1;

        strv_foreach(other, terms->set_credentials)
                if (strncmp(*other, entry, n) == 0)
                        return true;
        return false;
}

static int load_one(const ExecRequest *request, ExecExtra *extra, const char *entry, ExecResult *result) {
        size_t n = strcspn(entry, ":"), size = 0;
        const char *path = entry + n + 1;
        char *data = NULL;
        int r;

        r = path[0] == '/' ? read_file(path, &data, &size) : read_from_stores(request, path, &data, &size);
        if (r == 0)
                return add(extra, entry, n, data, size);
        if (r == -ENOENT && (path[0] != '/' || is_set(request->terms, entry)))
                return 0;
        if (r == -EBADF)
                exec_result_set(result, EXEC_STEP_CREDENTIALS, r, "%s is no regular file", path);
        else
                exec_result_set(result, EXEC_STEP_CREDENTIALS, r, "cannot read %s", path);
        return r;
}

static int add_text(ExecExtra *extra, const char *entry) {
        size_t n = strcspn(entry, ":");

        if (find(extra, entry, n))
                return 0;
        return add(extra, entry, n, strdup(entry + n + 1), strlen(entry + n + 1));
}

int exec_secret_load(const ExecRequest *request, ExecExtra *extra, ExecResult *result) {
        int r = 0;

        if (!has_any(request))
                return 0;
        strv_foreach(entry, request->terms->load_credentials)
                if (r == 0)
                        r = load_one(request, extra, *entry, result);
        strv_foreach(entry, request->terms->set_credentials)
                if (r == 0)
                        r = add_text(extra, *entry);
        if (r == 0)
                r = find_base(request, &extra->secret_base);
        if (r == 0)
                r = text_format(&extra->secret_folder, "%s", request->unit);
        if (r == 0)
                r = text_format(&extra->secret_draft, ".#%s", request->unit);
        return r;
}
