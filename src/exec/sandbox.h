/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A sandbox: the part of the machine that a process can see
 *
 * The parent makes a plan without access to any file system but /run and
 * /proc; the child carries it out by plain system calls, so a file system that
 * does not answer blocks only the child. The plan belongs to the child while
 * the child runs.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/vector.h"
#include "exec/exec.h"
#include "unit/sandbox_settings.h"

/* Of several mounts at one path the first kind in this order is made; the attributes of the others apply to it, too. */
typedef enum SandboxMountKind {
        SANDBOX_MOUNT_INACCESSIBLE,
        SANDBOX_MOUNT_BIND,
        SANDBOX_MOUNT_DEVICES,          /* a /dev without hardware */
        SANDBOX_MOUNT_PROC,
        SANDBOX_MOUNT_MQUEUE,
        SANDBOX_MOUNT_SELF,             /* the existing tree, with other attributes */
        SANDBOX_MOUNT_TMPFS,
        SANDBOX_MOUNT_IMPLICIT,         /* as SELF, but not requested by a directive */
        _SANDBOX_MOUNT_MAX,
} SandboxMountKind;

typedef struct SandboxMount {
        SandboxMountKind kind;
        const char *label;              /* static: the directive, for messages */
        const char *path;               /* below the root, absolute; the child resolves its symlinks */
        const char *source;             /* of BIND: outside */
        const char *options;            /* of a file system: "a=b,c" */
        bool is_optional;               /* a missing path is ignored */
        bool is_alone;                  /* BIND: without the mounts below the source */
        bool is_read_only, stays_writable;
        bool is_no_exec, stays_executable;

        /* Written by the child. */
        bool is_dropped;
        bool must_lock;                 /* to be made read-only after all mounts */
        size_t outer;                   /* index of the mount that contains it */
        int tree;                       /* of the mount; -1: none */
        int pristine;                   /* the tree at its path without our attributes; -1: unknown */
} SandboxMount;

typedef struct SandboxPlan {
        VECTOR(SandboxMount) mounts;    /* sorted; the first is "/" */
        char **strings;                 /* owned: the strings of the mounts */
        const char *root;               /* borrowed: the root directory, "/" */
        unsigned long propagation;      /* MS_SHARED … */
        bool has_mounts;                /* make a mount namespace */
        bool has_own_name;              /* make a namespace for the host name */
        bool is_lenient;                /* continue without namespaces that cannot be made */
        int network_fd, ipc_fd, user_fd;        /* namespaces to enter, -1: none; closed with the plan if owned */
        bool owns_network, owns_ipc;
        struct SandboxShared *shared;   /* a reference: its namespaces are there as long as the child may enter them */
        /* The child makes .network_fd for this one; borrowed. NULL: it does not. */
        struct SandboxShared *makes_network_for;
        const char *folders[2];         /* for PrivateTmp=, made if they are missing; borrowed, or NULL */
        bool enters_user_first;         /* before the other namespaces, for the privilege to make them */

        /* Written by the child: memory for paths, and its progress. */
        char *room;
        size_t room_left;
        const SandboxMount *volatile at;        /* NULL: not at a path */
        const char *volatile what;              /* static: "cannot …" */
        volatile int missing;                   /* errno of a namespace that is missing, 0: none */
} SandboxPlan;

/* Shared by the processes of a unit, and by units that join it: see sandbox_shared.h. */
typedef struct SandboxShared SandboxShared;

/*
 * Makes the plan for @request, which has a sandbox. @uid and @gid: of the process, if they change (else UINT32_MAX).
 * @has_own_memory: the child's descriptors are not the manager's. 0; or < 0 with the result set. To be freed after the
 * child has left.
 */
int sandbox_plan_new(const ExecRequest *request, bool has_own_memory, uid_t uid, gid_t gid, SandboxPlan **ret_plan,
                     ExecResult *ret_result);
/*
 * To be called after the child has left the manager's memory: hands what it has made for other processes to their
 * owner.
 */
void sandbox_plan_settle(SandboxPlan *plan);
/* Returns true if a process on its way makes something that @request needs, so that the process must be waited for. */
bool sandbox_is_being_made(const ExecRequest *request);
SandboxPlan *sandbox_plan_free(SandboxPlan *plan);
DEFINE_CLEANUP(SandboxPlan, sandbox_plan_free)

/* For functions that fill in the plan: appends a mount, copying all strings but the label. 0 or -ENOMEM. */
int sandbox_plan_add(SandboxPlan *plan, const SandboxMount *mount);

/* Adds the paths of ProtectSystem= and the like. */
int sandbox_plan_add_protection(SandboxPlan *plan, const SandboxSettings *settings);
int sandbox_plan_add_root(SandboxPlan *plan, const SandboxSettings *settings, bool has_root);

/* In the child, each returns 0 or a negative errno. The last one makes the mount namespace and enters its root. */
int sandbox_child_enter_network(SandboxPlan *plan);
int sandbox_child_enter_ipc(SandboxPlan *plan);
int sandbox_child_enter_user(SandboxPlan *plan);
int sandbox_child_mount(SandboxPlan *plan);

/* Returns true if @error means that the kernel or the container forbids the operation. */
bool sandbox_is_no_privilege(int error);

/* Describes why the plan failed with @error. */
void sandbox_describe(const SandboxPlan *plan, ExecStep step, int error, ExecResult *result);
