/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resources shared by the processes of a unit
 *
 * Each folder is inside one that only root can enter, so the world-writable
 * sticky folder cannot be reached from outside. This file only chooses the
 * names. A process that needs the folders makes those that are missing before
 * it executes its program, because making them can take long.
 *
 * Removing the files of a service may take long, and the service determines
 * what is there. A forked copy of the manager (which may use the C library)
 * removes them and never follows a symlink. It is reaped like an orphan.
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "exec/exec_remove.h"
#include "exec/sandbox_namespace.h"
#include "exec/sandbox_shared.h"

#define NAME_PART 160

int sandbox_shared_new(const char *name, SandboxShared **ret_shared) {
        SandboxShared *shared = calloc(1, sizeof(*shared));

        if (!shared)
                return -ENOMEM;
        *shared = (SandboxShared) { .n_refs = 1, .network_fd = -1, .ipc_fd = -1, .user_fd = -1 };
        shared->name = strdup(name);
        if (!shared->name) {
                free(shared);
                return -ENOMEM;
        }
        *ret_shared = shared;
        return 0;
}

SandboxShared *sandbox_shared_ref(SandboxShared *shared) {
        if (shared)
                shared->n_refs++;
        return shared;
}

/* Removes the folders in a process of its own, or at once if there can be none. */
static void remove_folders(const SandboxShared *shared) {
        pid_t pid;

        if (!shared->tmp && !shared->var_tmp)
                return;
        pid = fork();
        if (pid > 0)
                return;
        if (pid == 0)
                (void) close_range(STDERR_FILENO + 1, ~0U, 0);
        if (shared->tmp)
                (void) exec_remove_tree(shared->tmp);
        if (shared->var_tmp)
                (void) exec_remove_tree(shared->var_tmp);
        if (pid == 0)
                _exit(EXIT_SUCCESS);
}

SandboxShared *sandbox_shared_abandon(SandboxShared *shared) {
        if (!shared || --shared->n_refs > 0)
                return NULL;
        fd_close(shared->network_fd);
        fd_close(shared->ipc_fd);
        fd_close(shared->user_fd);
        free(shared->name);
        free(shared->tmp);
        free(shared->var_tmp);
        free(shared);
        return NULL;
}

SandboxShared *sandbox_shared_unref(SandboxShared *shared) {
        if (shared && shared->n_refs == 1)
                remove_folders(shared);
        return sandbox_shared_abandon(shared);
}

bool sandbox_shared_is_needed(const SandboxSettings *settings, bool is_unprivileged) {
        return settings->private_tmp || settings->private_network || settings->private_ipc ||
               settings->private_users || is_unprivileged;
}

/* Chooses "@folder/jobd-private-NAME-RANDOM"; the folder is not made. */
static int choose_folder(const SandboxShared *shared, const char *folder, char **ret_path, ExecResult *result) {
        uint64_t number;
        int r = 0;

        /* The number need not be unpredictable, as the child rejects a folder of another user. */
        if (getrandom(&number, sizeof(number), GRND_INSECURE) < 0)
                r = -errno;
        if (r == 0)
                r = text_format(ret_path, "%s/jobd-private-%.*s-%016" PRIx64, folder, NAME_PART, shared->name, number);
        if (r < 0)
                exec_result_set(result, EXEC_STEP_NAMESPACE, r, "PrivateTmp=: cannot choose a folder in %s", folder);
        return r;
}

static int make_user(SandboxShared *shared, uid_t uid, gid_t gid, ExecResult *result) {
        int fd;

        if (shared->user_fd >= 0 && shared->user_uid == uid && shared->user_gid == gid)
                return 0;
        fd = sandbox_namespace_make_user(uid, gid);
        if (fd < 0) {
                exec_result_set(result, EXEC_STEP_USER, fd, "PrivateUsers=: cannot make a user namespace");
                return fd;
        }
        fd_close(shared->user_fd);
        shared->user_fd = fd;
        shared->user_uid = uid;
        shared->user_gid = gid;
        return 0;
}

int sandbox_shared_make_network(SandboxShared *shared, bool is_unprivileged, ExecResult *result) {
        if (shared->network_fd < 0)
                shared->network_fd = sandbox_namespace_make(CLONE_NEWNET, is_unprivileged ? shared->user_fd : -1);
        if (shared->network_fd < 0)
                exec_result_set(result, EXEC_STEP_NETWORK, shared->network_fd,
                                "PrivateNetwork=: cannot make a network namespace");
        return MIN(shared->network_fd, 0);
}

static int make_ipc(SandboxShared *shared, bool is_unprivileged, ExecResult *result) {
        if (shared->ipc_fd < 0)
                shared->ipc_fd = sandbox_namespace_make(CLONE_NEWIPC, is_unprivileged ? shared->user_fd : -1);
        if (shared->ipc_fd < 0)
                exec_result_set(result, EXEC_STEP_NAMESPACE, shared->ipc_fd,
                                "PrivateIPC=: cannot make an IPC namespace");
        return MIN(shared->ipc_fd, 0);
}

int sandbox_shared_make(SandboxShared *shared, const SandboxSettings *settings, bool is_unprivileged, uid_t uid,
                        gid_t gid, ExecResult *result) {
        int r = 0;

        assert(shared);

        if (settings->private_users || is_unprivileged)
                r = make_user(shared, uid, gid, result);
        if (r == 0 && settings->private_ipc && !settings->ipc_namespace_path)
                r = make_ipc(shared, is_unprivileged, result);
        if (r == 0 && settings->private_tmp && !shared->tmp)
                r = choose_folder(shared, "/tmp", &shared->tmp, result);
        if (r == 0 && settings->private_tmp && !shared->var_tmp)
                r = choose_folder(shared, "/var/tmp", &shared->var_tmp, result);
        return r;
}
