/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The user and the groups that a process runs as
 *
 * Names are looked up in /etc/passwd and /etc/group and nowhere else: a name
 * service may ask the network, and the caller is the manager's only thread.
 */

#include "exec/exec.h"

typedef struct ExecCredentials {
        bool has_uid, has_gid, has_groups;      /* what is to be changed */
        uid_t uid;
        gid_t gid;
        uid_t owner;                            /* of the unit's directories, UINT32_MAX: nobody in particular */
        gid_t owner_group;
        gid_t *groups;                          /* owned; all supplementary groups */
        size_t n_groups;

        char *user_name;                        /* owned, as are the next two; NULL without a user */
        char *home;                             /* NULL if there is none worth naming */
        char *shell;
} ExecCredentials;

void exec_credentials_deinit(ExecCredentials *credentials);

/* 0, or a negative errno with @ret_result set. @ret_credentials is to be deinitialized in both cases. */
int exec_credentials_resolve(const ExecRequest *request, ExecCredentials *ret_credentials, ExecResult *ret_result);

/* A name or number; 0, -ESRCH if /etc/passwd (/etc/group) has none, or -errno. */
int exec_user_find(const char *name, uid_t *ret_uid);
int exec_group_find(const char *name, gid_t *ret_gid);
/* Is it a user's or a group's there? Also if that cannot be told. */
bool exec_number_is_known(const char *number);
