/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A sandbox: what of the machine a process finds
 *
 * The parent makes a plan of it, without a look at any file system but /run
 * and /proc; the child carries it out by plain system calls, so a file system
 * that does not answer holds up nobody but the child. What is in the plan
 * belongs to the child while it runs.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/vector.h"
#include "exec/exec.h"
#include "unit/sandbox_settings.h"

/* Of several at one path the first of these is made; what the others say of attributes holds for it, too. */
typedef enum SandboxMountKind {
        SANDBOX_MOUNT_INACCESSIBLE,
        SANDBOX_MOUNT_BIND,
        SANDBOX_MOUNT_DEVICES,          /* a /dev with nothing that is hardware */
        SANDBOX_MOUNT_PROC,
        SANDBOX_MOUNT_MQUEUE,
        SANDBOX_MOUNT_SELF,             /* what is there, with other attributes */
        SANDBOX_MOUNT_TMPFS,
        SANDBOX_MOUNT_IMPLICIT,         /* as SELF, but nobody asked for it */
        _SANDBOX_MOUNT_MAX,
} SandboxMountKind;

typedef struct SandboxMount {
        SandboxMountKind kind;
        const char *label;              /* static: the directive, for messages */
        const char *path;               /* below the root, absolute; the child makes it one without symlinks */
        const char *source;             /* of BIND: outside */
        const char *options;            /* of a file system: "a=b,c" */
        bool is_optional;               /* what is not there need not be */
        bool is_alone;                  /* BIND: without what is mounted below the source */
        bool is_read_only, stays_writable;
        bool is_no_exec, stays_executable;

        /* The child's own. */
        bool is_dropped;
        bool must_lock;                 /* read-only, once all is mounted */
        size_t outer;                   /* the one that it lies in */
        int tree;                       /* of it; -1: none */
        int pristine;                   /* what stands at its path, without attributes of ours; -1: nobody can say */
} SandboxMount;

typedef struct SandboxPlan {
        VECTOR(SandboxMount) mounts;    /* the first is "/" */
        char **strings;                 /* owned: what the mounts point to */
        const char *root;               /* borrowed: the root directory, "/" */
        unsigned long propagation;      /* MS_SHARED … */
        bool has_mounts;                /* a mount namespace is to be made */
        bool has_own_name;              /* … and one for the host name */
        bool is_lenient;                /* where it may make none it goes on without */
        int network_fd, ipc_fd, user_fd;        /* namespaces to enter, -1: none; closed with the plan if owned */
        bool owns_network, owns_ipc;
        struct SandboxShared *shared;   /* a reference: its namespaces are there as long as the child may enter them */
        /* The child makes .network_fd for this one; borrowed. NULL: it does not. */
        struct SandboxShared *makes_network_for;
        bool enters_user_first;         /* only there it may make the others */

        /* The child's: room for paths, and where it is. */
        char *room;
        size_t room_left;
        const SandboxMount *volatile at;        /* NULL: nothing at a path */
        const char *volatile what;              /* static: "cannot …" */
        volatile int missing;                   /* errno of what it went on without, 0: nothing */
} SandboxPlan;

/* What the processes of a unit share, and those of units that join it: see sandbox_shared.h. */
typedef struct SandboxShared SandboxShared;

/*
 * The plan for @request, which has a sandbox. @uid and @gid: of the process, if they change (else UINT32_MAX).
 * @has_own_memory: what the child opens it opens for itself. 0; or < 0 with the result set. Free it once the child is
 * gone.
 */
int sandbox_plan_new(const ExecRequest *request, bool has_own_memory, uid_t uid, gid_t gid, SandboxPlan **ret_plan,
                     ExecResult *ret_result);
/* The child has left our memory: what it has made there for others is theirs. */
void sandbox_plan_settle(SandboxPlan *plan);
/* Does a process that is on its way make something that the one of @request needs? That one has to be waited for. */
bool sandbox_is_being_made(const ExecRequest *request);
SandboxPlan *sandbox_plan_free(SandboxPlan *plan);
DEFINE_CLEANUP(SandboxPlan, sandbox_plan_free)

/* Appends a mount; all strings but the label are copied. For those that fill in the plan. 0 or -ENOMEM. */
int sandbox_plan_add(SandboxPlan *plan, const SandboxMount *mount);

/* The paths that ProtectSystem= & co are about. */
int sandbox_plan_add_protection(SandboxPlan *plan, const SandboxSettings *settings);
int sandbox_plan_add_root(SandboxPlan *plan, const SandboxSettings *settings, bool has_root);

/* In the child, each 0 or a negative errno. The last one makes the mount namespace and ends in its root. */
int sandbox_child_enter_network(SandboxPlan *plan);
int sandbox_child_enter_ipc(SandboxPlan *plan);
int sandbox_child_enter_user(SandboxPlan *plan);
int sandbox_child_mount(SandboxPlan *plan);

/* Is that what the kernel, or who has put us here, lets nobody do? */
bool sandbox_is_no_privilege(int error);

/* Says in words why the plan failed with @error. */
void sandbox_describe(const SandboxPlan *plan, ExecStep step, int error, ExecResult *result);
