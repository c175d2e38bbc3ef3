/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the processes of a unit have in common
 *
 * Made with the first process of a run that needs it, and gone with the run:
 * folders for PrivateTmp=, namespaces for PrivateNetwork= and the like. Units
 * that are joined (JoinsNamespaceOf=) hold the same one.
 */

#include "exec/sandbox.h"

struct SandboxShared {
        unsigned n_refs;
        uint64_t id;                    /* its holder's */
        char *name;                     /* of the unit that it was made for; owned, as all */
        char *tmp;                      /* "/tmp/jobd-private-NAME-XXXXXX", NULL: none; what is seen is "tmp" in it */
        char *var_tmp;
        int network_fd;                 /* -1: none … */
        bool is_making_network;         /* … yet: a process that begins makes it */
        int ipc_fd;
        int user_fd;
        uid_t user_uid;                 /* whom the user namespace is for */
        gid_t user_gid;
};

/* An empty one with one reference. 0 or -ENOMEM. */
int sandbox_shared_new(const char *name, SandboxShared **ret_shared);
SandboxShared *sandbox_shared_ref(SandboxShared *shared);
/* With the last reference it closes the namespaces, and a process of ours removes the folders. */
SandboxShared *sandbox_shared_unref(SandboxShared *shared);
DEFINE_CLEANUP(SandboxShared, sandbox_shared_unref)

/* Gives up a reference and leaves everything where it is: the core after us goes on with it. */
SandboxShared *sandbox_shared_abandon(SandboxShared *shared);

/* Does a unit with these settings have something to share? @is_unprivileged: it is in namespaces of its user. */
bool sandbox_shared_is_needed(const SandboxSettings *settings, bool is_unprivileged);

/* Makes a network, in which nobody is yet. 0, also if it is there; or < 0 with the result set. */
int sandbox_shared_make_network(SandboxShared *shared, bool is_unprivileged, ExecResult *result);

/*
 * Makes what is needed and not there, but a network: that takes long. @uid, @gid: of the user, UINT32_MAX: root. 0; or
 * < 0 with the result set, and what was made so far stays.
 */
int sandbox_shared_make(SandboxShared *shared, const SandboxSettings *settings, bool is_unprivileged, uid_t uid,
                        gid_t gid, ExecResult *result);
