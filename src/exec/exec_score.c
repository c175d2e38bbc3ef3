/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The scores for the out-of-memory killer
 *
 * A child begins with the score that the manager has when the child is made,
 * and the kernel has one score for all that share a memory: as long as any
 * child does, the manager has the score of children.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/exec_score.h"

#define PATH "/proc/self/oom_score_adj"

typedef struct Scores {
        bool is_set;                    /* else both are what this process has */
        int own, of_children;
        unsigned n_sharing;             /* children in our memory */
        int fd;                         /* of the file, open for good; -1: the two do not differ */
} Scores;

static Scores scores = { .fd = -1 };

int exec_score_read(void) {
        int fd = open(PATH, O_RDONLY | O_CLOEXEC);
        char text[16] = "";
        ssize_t n;

        if (fd < 0)
                return 0;
        n = read(fd, text, sizeof(text) - 1);
        close(fd);
        return n > 0 ? atoi(text) : 0;
}

static int write_score(int fd, int score) {
        char text[16];
        int n = snprintf(text, sizeof(text), "%d", score);

        return pwrite(fd, text, (size_t) n, 0) == n ? 0 : -errno;
}

int exec_score_set(int own, int of_children) {
        const int before = exec_score_read();
        int fd, r;

        if (own == before && of_children == before) {
                scores = (Scores) { .is_set = true, .own = own, .of_children = own, .fd = -1 };
                return 0;
        }
        fd = open(PATH, O_WRONLY | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        r = write_score(fd, of_children);
        if (r == 0)
                r = write_score(fd, own);
        if (r < 0) {
                (void) write_score(fd, before);
                close(fd);
                return r;
        }
        if (scores.fd >= 0)
                close(scores.fd);
        if (own == of_children) {
                close(fd);
                fd = -1;
        }
        scores = (Scores) { .is_set = true, .own = own, .of_children = of_children, .fd = fd };
        return 0;
}

int exec_score_of_children(void) {
        return scores.is_set ? scores.of_children : exec_score_read();
}

bool exec_score_differs(void) {
        return scores.fd >= 0;
}

void exec_score_enter(void) {
        if (scores.n_sharing++ == 0 && scores.fd >= 0)
                (void) write_score(scores.fd, scores.of_children);
}

void exec_score_leave(void) {
        if (--scores.n_sharing == 0 && scores.fd >= 0)
                (void) write_score(scores.fd, scores.own);
}
