/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NodesFile= of a run that is submitted
 *
 * A file of 100,000 nodes has some ten megabytes: it is read, checked and
 * hashed in parts, each in a turn of its own. Whoever writes it meanwhile has
 * mostly ended soon: the pauses before it is read again grow, and are three
 * seconds in all.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "basic/text.h"
#include "manager/manager_run_nodes.h"
#include "unitfile/file_text.h"
#include "unitfile/flow_nodes.h"

#define AGAIN_MAX 5U /* times that a file is read again */
#define PAUSE_FIRST (100 * USEC_PER_MSEC)

struct ManagerNodes {
        char *path; /* owned */
        unsigned n_again; /* times that it is, or was, read again */
        bool must_open; /* again */
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
static bool has_changed(const ManagerNodes *nodes) {
        const struct stat *old = &nodes->begun;
        struct stat st;

        if (!S_ISREG(old->st_mode) || fstat(nodes->file.fd, &st) < 0)
                return false;
        return st.st_ino != old->st_ino || st.st_size != old->st_size || !is_same_time(&st.st_mtim, &old->st_mtim) ||
               (st.st_nlink == old->st_nlink && !is_same_time(&st.st_ctim, &old->st_ctim));
}

static int read_again(ManagerNodes *nodes, Failure *ret_failure) {
        file_reading_end(&nodes->file);
        nodes->must_open = true;
        if (nodes->n_again < AGAIN_MAX) {
                nodes->n_again++;
                return MANAGER_NODES_AGAIN;
        }
        return failure_set(ret_failure, -EINVAL, "LoadFailed",
                           "The file %s of NodesFile= was written to while it was read, %u times in a row. Start the "
                           "run again; whoever writes the file should write another one and rename it to that name.",
                           nodes->path, AGAIN_MAX + 1);
}

static int open_file(ManagerNodes *nodes, FileProblem *problem) {
        int r = file_reading_begin(&nodes->file, nodes->path, FLOW_NODES_FILE_MAX, "The file is larger than 256 MiB.",
                                   &nodes->begun, problem);

        if (r < 0)
                return r;
        /* A file that has changed just now may change again before it is read: it counts as another one next time. */
        nodes->seen = seen_file_make(0, &nodes->begun, "");
        sha256_begin(&nodes->sum);
        nodes->n_hashed = 0;
        nodes->is_whole = nodes->must_open = false;
        return 0;
}

int manager_run_nodes_begin(const char *path, ManagerNodes **ret_nodes, Failure *ret_failure) {
        cleanup_(manager_run_nodes_freep) ManagerNodes *nodes = calloc(1, sizeof(*nodes));
        FileProblem problem;
        int r;

        if (!nodes)
                return -ENOMEM;
        nodes->file.fd = -1;
        if (text_copy(path, &nodes->path) < 0)
                return -ENOMEM;
        r = open_file(nodes, &problem);
        if (r < 0)
                return refuse(nodes, r, &problem, ret_failure);
        *ret_nodes = take_ptr(nodes);
        return 0;
}

bool manager_run_nodes_is_of(const ManagerNodes *nodes, const char *path) {
        return strcmp(nodes->path, path) == 0;
}

usec_t manager_run_nodes_pause(const ManagerNodes *nodes) {
        return PAUSE_FIRST << (nodes->n_again - MIN(nodes->n_again, 1U));
}

static int read_part(ManagerNodes *nodes, size_t n, Failure *ret_failure) {
        FileProblem problem;
        int r = nodes->must_open ? open_file(nodes, &problem) : 0;

        if (r == 0)
                r = file_reading_go_on(&nodes->file, n, &problem);
        /* A file that is half written need not be a text, nor need it be there between two writes. */
        if (r <= 0 && r != -ENOMEM && (nodes->must_open ? nodes->n_again < AGAIN_MAX : has_changed(nodes)))
                return read_again(nodes, ret_failure);
        if (r < 0)
                return refuse(nodes, r, &problem, ret_failure);
        nodes->is_whole = r == 0;
        return MANAGER_NODES_MORE;
}

int manager_run_nodes_go_on(ManagerNodes *nodes, size_t n, ManagerTexts *texts, char **ret_text, Failure *ret_failure) {
        size_t n_next;

        if (!nodes->is_whole)
                return read_part(nodes, n, ret_failure);
        n_next = MIN(n, nodes->file.n - nodes->n_hashed);
        sha256_add(&nodes->sum, nodes->file.text + nodes->n_hashed, n_next);
        nodes->n_hashed += n_next;
        if (nodes->n_hashed < nodes->file.n)
                return MANAGER_NODES_MORE;
        sha256_end(&nodes->sum, texts->nodes_hash);
        texts->nodes = nodes->seen;
        *ret_text = take_ptr(nodes->file.text);
        return 0;
}
