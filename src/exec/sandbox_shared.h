/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Resources shared by the processes of a unit
 *
 * The resources are made with the first process of a run that needs them, and
 * removed with the run: folders for PrivateTmp=, namespaces for
 * PrivateNetwork= and the like. Units with JoinsNamespaceOf= share one object.
 */

#include "exec/sandbox.h"

struct SandboxShared {
        unsigned n_refs;
        uint64_t id;                    /* id of the holder */
        char *name;                     /* unit that it was made for; owned, as all strings */
        char *tmp;                      /* "/tmp/jobd-private-NAME-…", NULL: none; the process sees "tmp" in it */
        char *var_tmp;
        int network_fd;                 /* -1: none … */
        bool is_making_network;         /* … yet: a process on its way makes it */
        int ipc_fd;
        int user_fd;
        uid_t user_uid;                 /* the user in the user namespace */
        gid_t user_gid;
};

/* Makes an empty one with one reference. 0 or -ENOMEM. */
int sandbox_shared_new(const char *name, SandboxShared **ret_shared);
SandboxShared *sandbox_shared_ref(SandboxShared *shared);
/* The last reference closes the namespaces and starts a process that removes the folders. */
SandboxShared *sandbox_shared_unref(SandboxShared *shared);
DEFINE_CLEANUP(SandboxShared, sandbox_shared_unref)

/* Drops a reference without removing anything: the next core process continues with it. */
SandboxShared *sandbox_shared_abandon(SandboxShared *shared);

/* Returns true if the settings share something. @is_unprivileged: the unit runs in a user namespace. */
bool sandbox_shared_is_needed(const SandboxSettings *settings, bool is_unprivileged);

/* Makes a network namespace. 0, even if it exists; or < 0 with the result set. */
int sandbox_shared_make_network(SandboxShared *shared, bool is_unprivileged, ExecResult *result);

/*
 * Makes what is needed and missing, except for what a process makes on its way because it takes long: a network, and
 * the folders, which only get their names. @uid, @gid: of the user, UINT32_MAX: root.
 * 0; or < 0 with the result set; what was made so far stays.
 */
int sandbox_shared_make(SandboxShared *shared, const SandboxSettings *settings, bool is_unprivileged, uid_t uid,
                        gid_t gid, ExecResult *result);
