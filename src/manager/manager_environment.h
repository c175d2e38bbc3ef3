/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The environment of all processes, and the log level: settings that clients
 * can change
 */

#include <stdbool.h>

#include "basic/failure.h"
#include "basic/record.h"
#include "state/state.h"

typedef struct ManagerEnvironment {
        State *state;                   /* borrowed */
        bool hands_on_all;              /* pass all own variables on, like a user manager */
        char **all;                     /* owned: the result: … */
        char **inherited;               /* owned: … these, without … */
        char **set;                     /* owned: … those that clients have set, and these */
        int log_level;                  /* set by a client; 0: not set */
        bool ignores_watchdogs;         /* of services; set by a client */
} ManagerEnvironment;

/* Takes over the manager's own variables. 0 or -ENOMEM. */
int manager_environment_build(ManagerEnvironment *environment);
void manager_environment_deinit(ManagerEnvironment *environment);

/* As manager_change_environment() and manager_set_log_level(). */
int manager_environment_change(ManagerEnvironment *environment, char *const *unset, char *const *set,
                               Failure *ret_failure);
void manager_environment_set_log_level(ManagerEnvironment *environment, int level);
void manager_environment_heed_watchdogs(ManagerEnvironment *environment, bool heeds);

/* The variables set by clients, as a part of the manager's record. Reading: 0, -EBADMSG or -ENOMEM. */
void manager_environment_write(const ManagerEnvironment *environment, RecordWriter *writer);
int manager_environment_read(ManagerEnvironment *environment, RecordReader *reader);
