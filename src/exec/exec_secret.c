/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Credentials passed to a process as files
 *
 * A credential without a path is looked up among the manager's own credentials
 * and in the credential stores. If it is missing everywhere, the process gets
 * the data of SetCredential= or goes without it. The files are on the tmpfs of
 * /run, in a folder that only the unit's user can enter. The child of the
 * unit's first process makes the folder, which is removed when the unit has
 * ended. The child also reads the sources, so a file system that does not
 * answer blocks only the child.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_directory.h"
#include "exec/exec_secret.h"

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

static ExecSecret *find(const ExecExtra *extra, const char *name, size_t n) {
        for (size_t i = 0; i < extra->n_secrets; i++)
                if (strncmp(extra->secrets[i].name, name, n) == 0 && !extra->secrets[i].name[n])
                        return &extra->secrets[i];
        return NULL;
}

/* Takes over the pointers in @secret, even on failure. */
static int add(ExecExtra *extra, ExecSecret secret) {
        ExecSecret *grown = reallocarray(extra->secrets, extra->n_secrets + 1, sizeof(*grown));

        if (grown)
                extra->secrets = grown;
        if (!grown || !secret.name) {
                free(secret.name);
                strv_free(secret.sources);
                free(secret.data);
                return -ENOMEM;
        }
        extra->secrets[extra->n_secrets++] = secret;
        return 0;
}

/* Lists the sources: an absolute path, or the name in each of the possible folders. */
static int list_sources(const char *path, char ***ret_sources) {
        const char *own = getenv("CREDENTIALS_DIRECTORY");
        const char *const stores[] = { own ? own : "/etc/credstore", "/etc/credstore", "/run/credstore",
                                       "/usr/local/lib/credstore", "/usr/lib/credstore" };
        int r = 0;

        if (path[0] == '/')
                return strv_push(ret_sources, path);
        for (size_t i = 0; i < ELEMENTSOF(stores) && r == 0; i++) {
                char *source = NULL;

                r = text_join_path(stores[i], path, &source);
                if (r == 0)
                        r = strv_consume(ret_sources, source);
        }
        return r;
}

static int set_text(ExecSecret *secret, const char *text) {
        secret->data = strdup(text);
        secret->size = strlen(text);
        return secret->data ? 0 : -ENOMEM;
}

static int add_file(ExecExtra *extra, const char *entry) {
        size_t n = strcspn(entry, ":");
        ExecSecret secret = { .name = strndup(entry, n), .is_optional = entry[n + 1] != '/' };
        int r = list_sources(entry + n + 1, &secret.sources);

        if (r < 0) {
                free(secret.name);
                strv_free(secret.sources);
                return r;
        }
        return add(extra, secret);
}

/* Adds the data of SetCredential=. */
static int add_text(ExecExtra *extra, const char *entry) {
        size_t n = strcspn(entry, ":");
        ExecSecret *listed = find(extra, entry, n);
        ExecSecret secret = {};

        if (listed)
                return listed->data ? 0 : set_text(listed, entry + n + 1);
        if (set_text(&secret, entry + n + 1) < 0)
                return -ENOMEM;
        secret.name = strndup(entry, n);
        return add(extra, secret);
}

int exec_secret_list(const ExecRequest *request, ExecExtra *extra) {
        int r = 0;

        if (!has_any(request))
                return 0;
        strv_foreach(entry, request->terms->load_credentials)
                if (r == 0)
                        r = add_file(extra, *entry);
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
