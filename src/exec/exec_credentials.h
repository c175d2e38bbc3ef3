/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The user and the groups that a process runs as
 */

#include "exec/exec.h"

typedef struct ExecCredentials {
        bool has_uid, has_gid, has_groups;      /* the ids to change */
        uid_t uid;
        gid_t gid;
        uid_t owner;                            /* of the unit's directories; UINT32_MAX: no specific user */
        gid_t owner_group;
        gid_t *groups;                          /* owned; all supplementary groups */
        size_t n_groups;

        char *user_name;                        /* owned, like the two below; NULL without a user */
        char *home;                             /* NULL if it is missing or "/" */
        char *shell;
} ExecCredentials;

void exec_credentials_deinit(ExecCredentials *credentials);

/*
 * Resolves user and groups. 0, or a negative errno with @ret_result set. @ret_credentials must be deinitialized in both
 * cases.
 */
int exec_credentials_resolve(const ExecRequest *request, ExecCredentials *ret_credentials, ExecResult *ret_result);
