/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A child's own copy of its request
 *
 * The strings lie in an arena, which the next child in the same place uses
 * again: many children are on their way at once, and strings of their own would
 * be many allocations that live long. Of the strings in the terms only the
 * search path is copied, because a message names it; exec_extra.h prepares the
 * others.
 *
 * Descriptors are duplicated because the child shares the manager's table until
 * it executes its program: if the manager closed a descriptor meanwhile, its
 * number could be another file when the child uses it.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "exec/exec_copy.h"

/* The strings of a request that the child or a message reads. */
#define N_STRINGS 16U

static void list_strings(ExecRequest *request, const char **slots[static N_STRINGS]) {
        const char **const all[] = {
                &request->path,
                &request->working_directory,
                &request->root_directory,
                &request->user,
                &request->group,
                &request->standard_input_file,
                &request->tty,
                &request->standard_output.path,
                &request->standard_output.header,
                &request->standard_error.path,
                &request->standard_error.header,
                &request->places[0],
                &request->places[1],
                &request->common_folder,
                &request->own_folder,
                &request->own_input,
        };

        static_assert(ELEMENTSOF(all) == N_STRINGS);
        memcpy(slots, all, sizeof(all));
}

static int copy_strings(ExecCopy *copy) {
        const char **slots[N_STRINGS];

        list_strings(&copy->request, slots);
        for (size_t i = 0; i < N_STRINGS; i++)
                if (*slots[i] && !(*slots[i] = arena_strdup(&copy->strings, *slots[i])))
                        return -ENOMEM;
        return 0;
}

static int copy_terms(ExecCopy *copy) {
        const ExecTerms *terms = copy->request.terms;
        int r = 0;

        copy->terms = *terms;
        copy->terms.search_path = NULL;
        copy->terms.numa_nodes = (ExecSet) {};
        copy->request.terms = &copy->terms;
        if (terms->search_path)
                r = strv_copy(terms->search_path, &copy->terms.search_path);
        if (r < 0 || terms->numa_nodes.n == 0)
                return r;
        copy->terms.numa_nodes.words = malloc(terms->numa_nodes.n * sizeof(*terms->numa_nodes.words));
        if (!copy->terms.numa_nodes.words)
                return -ENOMEM;
        memcpy(copy->terms.numa_nodes.words, terms->numa_nodes.words,
               terms->numa_nodes.n * sizeof(*terms->numa_nodes.words));
        copy->terms.numa_nodes.n = terms->numa_nodes.n;
        return 0;
}

int exec_copy_make(const ExecRequest *request, ExecCopy *copy) {
        int r;

        copy->request = *request;
        copy->fds = NULL;
        copy->n_fds = 0;
        r = copy_strings(copy);
        if (r == 0 && request->terms)
                r = copy_terms(copy);
        else
                copy->request.terms = NULL;
        if (r < 0)
                exec_copy_clear(copy);
        return r;
}

int exec_copy_own_strv(ExecCopy *copy, char *const *strv, char ***ret_strv) {
        const size_t n = strv_length(strv);
        char **own = arena_alloc(&copy->strings, (n + 1) * sizeof(*own));

        if (!own)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                if (!(own[i] = arena_strdup(&copy->strings, strv[i])))
                        return -ENOMEM;
        *ret_strv = own;
        return 0;
}

int exec_copy_own_places(ExecCopy *copy, ExecPlace *places, size_t n, int spared) {
        if (n == 0)
                return 0;
        copy->fds = malloc(n * sizeof(*copy->fds));
        if (!copy->fds)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++) {
                ExecPlace *place = &places[i];

                if (place->path && !(place->path = arena_strdup(&copy->strings, place->path)))
                        return -ENOMEM;
                if (place->path || place->fd < 0 || place->fd == spared)
                        continue;
                place->fd = fcntl(place->fd, F_DUPFD_CLOEXEC, EXEC_FIRST_FD);
                if (place->fd < 0)
                        return -errno;
                copy->fds[copy->n_fds++] = place->fd;
        }
        return 0;
}

/* Clears the pointers to what is not copied. */
void exec_copy_part(ExecCopy *copy) {
        ExecRequest *request = &copy->request;

        request->manager_environment = NULL;
        request->notify_socket = NULL;
        request->note_pid = NULL;
        request->cgroup = NULL;
        request->argv = NULL;
        request->own_environment = NULL;
        request->pass_environment = request->environment = NULL;
        request->environment_files = request->unset_environment = NULL;
        request->supplementary_groups = NULL;
        request->hidden_folders = request->writable_paths = NULL;
        request->secret_folder = request->unit = NULL;
        request->sandbox = NULL;
        request->shared = NULL;
        request->log_headers[0] = request->log_headers[1] = NULL;
        request->descriptors = NULL;
        request->n_descriptors = 0;
}

void exec_copy_clear(ExecCopy *copy) {
        for (size_t i = 0; i < copy->n_fds; i++)
                close(copy->fds[i]);
        free(copy->fds);
        if (copy->request.terms) {
                strv_free(copy->terms.search_path);
                free(copy->terms.numa_nodes.words);
        }
        copy->request = (ExecRequest) {};
        copy->fds = NULL;
        copy->n_fds = 0;
        arena_reset(&copy->strings);
}

void exec_copy_deinit(ExecCopy *copy) {
        exec_copy_clear(copy);
        arena_deinit(&copy->strings);
}
