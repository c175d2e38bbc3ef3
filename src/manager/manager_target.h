/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Targets of callbacks, as rows of the outbox have them
 *
 * A row has all of its target, so that it can be told when the unit says
 * something else by then. JSON: of a command its flags, its path and its
 * words; ["signal", NAME, UID]; ["unit", NAME, MODE].
 */

#include "unitfile/flow_target.h"

typedef struct ManagerTarget {
        FlowTargetKind kind;
        ExecCommand *command; /* owned: of a command */
        char *name; /* owned: of a signal, or a unit */
        JobMode mode; /* of the unit's job */
        uint32_t uid; /* of the run: who may read a signal, beside root and the owner of the manager */
} ManagerTarget;

void manager_target_deinit(ManagerTarget *target);

/* 0 or -ENOMEM. */
int manager_target_write(const FlowTarget *target, uint32_t uid, char **ret_text);
/* 0; -EINVAL: nobody has written it so; -ENOMEM. */
int manager_target_read(const char *text, ManagerTarget *ret_target);
