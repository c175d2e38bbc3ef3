/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Limitations of the environment, and the limit of descriptors
 */

#include <stdint.h>

#include "basic/log.h"
#include "basic/macro.h"

typedef struct ManagerLimitations {
        char **texts;                   /* owned: the limitations, one sentence each */
        int pidfds_end;                 /* descriptors from this number on are not used for processes */
        uint32_t open_files;            /* soft limit for processes; 0: inherited */
} ManagerLimitations;

/* Examines the environment, and raises the limit of descriptors. */
void manager_limitations_init(ManagerLimitations *limitations);
void manager_limitations_deinit(ManagerLimitations *limitations);

/* Adds a sentence; each is logged once. */
void manager_limitations_note(ManagerLimitations *limitations, LogLevel level, const char *format, ...) printf_(3, 4);
void manager_limitations_note_no_process(ManagerLimitations *limitations);      /* fork failed with EAGAIN */
/* Returns the descriptor or, if there are too few, closes it and returns -1. */
int manager_limitations_spare_pidfd(ManagerLimitations *limitations, int pidfd);

/* Before another program is executed in place of this one, and after a failure of that. */
void manager_limitations_lower_open_files(ManagerLimitations *limitations);
void manager_limitations_raise_open_files(ManagerLimitations *limitations);
