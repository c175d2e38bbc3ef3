/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program of the running core, to fall back to
 */

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "keeper/keeper.h"

/* Above all descriptors that the child gets by number. */
#define IMAGE_FD_MIN 10

void keeper_note_image(Keeper *keeper) {
        char path[64];
        int fd, high;

        snprintf(path, sizeof(path), "/proc/%d/exe", (int) keeper->core);
        fd = open(path, O_PATH | O_CLOEXEC);
        high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, IMAGE_FD_MIN);
        if (fd >= 0)
                close(fd);
        /* An earlier program that was ready is better than none. */
        if (high < 0)
                return;
        if (keeper->image >= 0)
                close(keeper->image);
        keeper->image = high;
}
