/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the surroundings do not allow, and the limit of descriptors
 */

#include <stdint.h>

#include "basic/log.h"
#include "basic/macro.h"

typedef struct ManagerLimitations {
        char **texts;                   /* owned: what has been said, a sentence each */
        int pidfds_end;                 /* descriptors from this number on are not for processes */
        uint32_t open_files;            /* limit for processes: the one we were started with; 0: as ours */
} ManagerLimitations;

/* Looks at the surroundings, and takes as many descriptors as are allowed. */
void manager_limitations_init(ManagerLimitations *limitations);
void manager_limitations_deinit(ManagerLimitations *limitations);

/* A sentence; each is said once. */
void manager_limitations_note(ManagerLimitations *limitations, LogLevel level, const char *format, ...) printf_(3, 4);
void manager_limitations_note_no_process(ManagerLimitations *limitations);      /* fork has failed with EAGAIN */
/* The descriptor, or -1, and it is closed, if there are too few. */
int manager_limitations_spare_pidfd(ManagerLimitations *limitations, int pidfd);

/* Before another program is executed in our place, and if that failed. */
void manager_limitations_lower_open_files(ManagerLimitations *limitations);
void manager_limitations_raise_open_files(ManagerLimitations *limitations);
