/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NodesFile= of a run that is submitted
 *
 * A file of 100,000 nodes has some ten megabytes: it is read, checked and
 * hashed in parts, each in a turn of its own.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "basic/text.h"
#include "manager/manager_run_nodes.h"
#include "unitfile/file_text.h"
#include "unitfile/flow_nodes.h"

struct ManagerNodes {
        char *path; /* owned */
        FileReading file;
        SeenFile seen;
        struct stat begun; /* the file, when it was opened */
        Sha256 sum;
        size_t n_hashed; /* bytes of the text */
        bool is_whole; /* the text is */
};

ManagerNodes *manager_run_nodes_free(ManagerNodes *nodes) {
        if (!nodes)
                return NULL;
        file_reading_end(&nodes->file);
        free(nodes->path);
        free(nodes);
        return NULL;
}

static int refuse(const ManagerNodes *nodes, int r, const FileProblem *problem, Failure *ret_failure) {
        if (r == -ENOMEM)
                return r;
        if (r == -EBADMSG)
                return failure_set(ret_failure, -EINVAL, "BadUnitSetting", "%s:%u: %s", nodes->path, problem->line,
                                   problem->text);
        return failure_set(ret_failure, -EINVAL, "LoadFailed", "The file %s of NodesFile= cannot be read: %s.",
                           nodes->path, strerror(-r));
}

DEFINE_CLEANUP(ManagerNodes, manager_run_nodes_free)

static bool is_same_time(const struct timespec *a, const struct timespec *b) {
        return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Parts of a file that is written meanwhile are of no one file. One that another takes the place of stays as it was. */
static int check_unchanged(const ManagerNodes *nodes, Failure *ret_failure) {
        const struct stat *old = &nodes->begun;
        struct stat st;

        if (fstat(nodes->file.fd, &st) < 0)
                return refuse(nodes, -errno, NULL, ret_failure);
        if (!S_ISREG(old->st_mode))
                return 0;
        if (st.st_ino == old->st_ino && st.st_size == old->st_size && is_same_time(&st.st_mtim, &old->st_mtim) &&
            (st.st_nlink != old->st_nlink || is_same_time(&st.st_ctim, &old->st_ctim)))
                return 0;
        return failure_set(ret_failure, -EINVAL, "LoadFailed",
                           "The file %s of NodesFile= was written to while it was read. Start the run again; whoever "
                           "writes the file should write another one and rename it to that name.",
                           nodes->path);
}

int manager_run_nodes_begin(const char *path, ManagerNodes **ret_nodes, Failure *ret_failure) {
        cleanup_(manager_run_nodes_freep) ManagerNodes *nodes = calloc(1, sizeof(*nodes));
        FileProblem problem;
        struct stat st;
        int r;

        if (!nodes)
                return -ENOMEM;
        nodes->file.fd = -1;
        if (text_copy(path, &nodes->path) < 0)
                return -ENOMEM;
        r = file_reading_begin(&nodes->file, path, FLOW_NODES_FILE_MAX, "The file is larger than 256 MiB.", &st,
                               &problem);
        if (r < 0)
                return refuse(nodes, r, &problem, ret_failure);
        nodes->begun = st;
        /* A file that has changed just now may change again before it is read: it counts as another one next time. */
        nodes->seen = seen_file_make(0, &st, "");
        sha256_begin(&nodes->sum);
        *ret_nodes = take_ptr(nodes);
        return 0;
}

bool manager_run_nodes_is_of(const ManagerNodes *nodes, const char *path) {
        return strcmp(nodes->path, path) == 0;
}

int manager_run_nodes_go_on(ManagerNodes *nodes, size_t n, ManagerTexts *texts, char **ret_text, Failure *ret_failure) {
        FileProblem problem;
        size_t n_next;
        int r;

        if (!nodes->is_whole) {
                r = file_reading_go_on(&nodes->file, n, &problem);
                if (r < 0)
                        return refuse(nodes, r, &problem, ret_failure);
                nodes->is_whole = r == 0;
                r = nodes->is_whole ? check_unchanged(nodes, ret_failure) : 0;
                return r < 0 ? r : 1;
        }
        n_next = MIN(n, nodes->file.n - nodes->n_hashed);
        sha256_add(&nodes->sum, nodes->file.text + nodes->n_hashed, n_next);
        nodes->n_hashed += n_next;
        if (nodes->n_hashed < nodes->file.n)
                return 1;
        sha256_end(&nodes->sum, texts->nodes_hash);
        texts->nodes = nodes->seen;
        *ret_text = take_ptr(nodes->file.text);
        return 0;
}
