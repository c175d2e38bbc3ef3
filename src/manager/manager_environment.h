/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The environment that every process gets, and the log level: what clients can set
 */

#include <stdbool.h>

#include "basic/failure.h"
#include "basic/record.h"
#include "state/state.h"

typedef struct ManagerEnvironment {
        State *state;                   /* borrowed */
        bool hands_on_all;              /* processes get all of ours, as from the manager of a user */
        char **all;                     /* owned: what every process gets: … */
        char **inherited;               /* owned: … this, without what … */
        char **set;                     /* owned: … clients have set, and that */
        int log_level;                  /* that a client has set; 0: none has */
} ManagerEnvironment;

/* Takes over variables of our own. 0 or -ENOMEM. */
int manager_environment_build(ManagerEnvironment *environment);
void manager_environment_deinit(ManagerEnvironment *environment);

/* As manager_change_environment() and manager_set_log_level(). */
int manager_environment_change(ManagerEnvironment *environment, char *const *unset, char *const *set,
                               Failure *ret_failure);
void manager_environment_set_log_level(ManagerEnvironment *environment, int level);

/* The variables that clients have set, in the record of the manager itself. Reading: 0, -EBADMSG or -ENOMEM. */
void manager_environment_write(const ManagerEnvironment *environment, RecordWriter *writer);
int manager_environment_read(ManagerEnvironment *environment, RecordReader *reader);
