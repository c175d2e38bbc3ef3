/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The score for the out-of-memory killer
 *
 * The keeper is small, and without it core ends, too. Core and what core starts
 * begin with the score that jobd was started with.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keeper/keeper.h"

#define PATH "/proc/self/oom_score_adj"
#define LOWEST "-1000"

static bool write_score(const char *score) {
        int fd = open(PATH, O_WRONLY | O_CLOEXEC);
        bool is_written = fd >= 0 && write(fd, score, strlen(score)) > 0;

        if (fd >= 0)
                close(fd);
        return is_written;
}

void keeper_score_lower(Keeper *keeper) {
        char score[sizeof(keeper->score)];
        int fd = open(PATH, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, score, sizeof(score) - 1);

        if (fd >= 0)
                close(fd);
        if (n <= 0)
                return;
        score[n] = '\0';
        score[strcspn(score, "\n")] = '\0';
        (void) setenv(KEEPER_SCORE_VARIABLE, score, 1);
        if (write_score(LOWEST))
                strcpy(keeper->score, score);
}

void keeper_score_restore(const Keeper *keeper) {
        if (keeper->score[0] != '\0')
                (void) write_score(keeper->score);
}
