/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a unit's sandbox settings to the mounts of its child
 *
 * A path without '+' is a path outside of a root directory; it is used as far
 * as it leads into that directory.
 */

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/sandbox_namespace.h"
#include "exec/sandbox_order.h"
#include "exec/sandbox_shared.h"

#define ROOM_SIZE ((size_t) 256 * 1024)

#define DEVICE_OPTIONS "mode=0755,size=4m,nr_inodes=64k"
#define TEMPORARY_OPTIONS "mode=0755,size=10%,nr_inodes=400k"

/* The part of @path below @root, or NULL if it is elsewhere. */
static const char *path_below(const char *path, const char *root) {
        size_t n = strlen(root);

        if (n == 1)
                return path;
        if (!sandbox_is_below(path, root))
                return NULL;
        return path[n] ? path + n : "/";
}

static int add_path(SandboxPlan *plan, const SandboxPath *path) {
        SandboxMount mount = {
                .kind = SANDBOX_MOUNT_SELF,
                .label = sandbox_path_kind_to_string(path->kind),
                .path = path->path,
                .source = path->source,
                .options = path->options,
                .is_optional = path->is_optional,
                .is_alone = path->is_alone,
        };

        switch (path->kind) {
        case SANDBOX_READ_WRITE:
                mount.stays_writable = true;
                break;
        case SANDBOX_READ_ONLY:
                mount.is_read_only = true;
                break;
        case SANDBOX_INACCESSIBLE:
                mount.kind = SANDBOX_MOUNT_INACCESSIBLE;
                break;
        case SANDBOX_EXEC:
                mount.stays_executable = true;
                break;
        case SANDBOX_NO_EXEC:
                mount.is_no_exec = true;
                break;
        case SANDBOX_BIND_READ_ONLY:
                mount.is_read_only = true;
                mount.kind = SANDBOX_MOUNT_BIND;
                return sandbox_plan_add(plan, &mount);
        case SANDBOX_BIND:
                mount.kind = SANDBOX_MOUNT_BIND;
                return sandbox_plan_add(plan, &mount);
        case SANDBOX_TEMPORARY:
        case _SANDBOX_PATH_KIND_MAX:
                return 0;
        }
        if (!path->is_below_root)
                mount.path = path_below(path->path, plan->root);
        return mount.path ? sandbox_plan_add(plan, &mount) : 0;
}

/* The mount sets "ro" and "noexec" itself; the other options go to the file system, which rejects unknown ones. */
static int add_temporary(SandboxPlan *plan, const SandboxPath *path) {
        SandboxMount mount = {
                .kind = SANDBOX_MOUNT_TMPFS,
                .label = sandbox_path_kind_to_string(path->kind),
                .path = path->path,
        };
        cleanup_(strv_freep) char **words = NULL;
        cleanup_free_ char *options = NULL;
        Text text = {};
        int r;

        r = strv_split(path->options ? path->options : "", ",", &words);
        if (r < 0)
                return r;
        text_add(&text, TEMPORARY_OPTIONS);
        strv_foreach(word, words) {
                if (strcmp(*word, "ro") == 0)
                        mount.is_read_only = true;
                else if (strcmp(*word, "noexec") == 0)
                        mount.is_no_exec = true;
                /* These are the defaults. */
                else if (!strv_contains((char *const[]) { (char *) "rw", (char *) "nodev", (char *) "nosuid",
                                                          (char *) "exec", (char *) "relatime", NULL }, *word))
                        text_addf(&text, ",%s", *word);
        }
        r = text_finish(&text, &options);
        mount.options = options;
        return r < 0 ? r : sandbox_plan_add(plan, &mount);
}

static int add_bind(SandboxPlan *plan, const char *label, const char *path, const char *source, bool is_optional) {
        const SandboxMount mount = {
                .kind = SANDBOX_MOUNT_BIND, .label = label, .path = path, .source = source, .is_optional = is_optional,
        };

        return sandbox_plan_add(plan, &mount);
}

static int add_temporary_folders(SandboxPlan *plan, const SandboxShared *shared) {
        cleanup_free_ char *tmp = NULL, *var_tmp = NULL;
        int r;

        plan->folders[0] = shared->tmp;
        plan->folders[1] = shared->var_tmp;
        r = text_join_path(shared->tmp, "tmp", &tmp);
        if (r == 0)
                r = text_join_path(shared->var_tmp, "tmp", &var_tmp);
        if (r == 0)
                r = add_bind(plan, "PrivateTmp", "/tmp", tmp, false);
        return r < 0 ? r : add_bind(plan, "PrivateTmp", "/var/tmp", var_tmp, false);
}

static int add_file_systems(SandboxPlan *plan, const SandboxSettings *settings) {
        static const char *const hidden[] = {
                [PROTECT_PROC_DEFAULT] = "", [PROTECT_PROC_NOACCESS] = "hidepid=1",
                [PROTECT_PROC_INVISIBLE] = "hidepid=2", [PROTECT_PROC_PTRACEABLE] = "hidepid=4",
        };
        SandboxMount mount = { .kind = SANDBOX_MOUNT_PROC, .label = "ProtectProc", .path = "/proc" };
        bool is_subset = settings->proc_subset == PROC_SUBSET_PID;
        cleanup_free_ char *options = NULL;
        int r = 0;

        if (settings->protect_proc != PROTECT_PROC_DEFAULT || is_subset) {
                r = text_format(&options, "%s%s%s", hidden[settings->protect_proc],
                                is_subset && settings->protect_proc != PROTECT_PROC_DEFAULT ? "," : "",
                                is_subset ? "subset=pid" : "");
                mount.options = options;
                if (r == 0)
                        r = sandbox_plan_add(plan, &mount);
        }
        if (r == 0 && settings->private_devices) {
                mount = (SandboxMount) {
                        .kind = SANDBOX_MOUNT_DEVICES, .label = "PrivateDevices", .path = "/dev",
                        .options = DEVICE_OPTIONS, .is_read_only = true, .is_no_exec = true,
                };
                r = sandbox_plan_add(plan, &mount);
        }
        if (r == 0 && (settings->private_ipc || settings->ipc_namespace_path)) {
                mount = (SandboxMount) {
                        .kind = SANDBOX_MOUNT_MQUEUE, .label = "PrivateIPC", .path = "/dev/mqueue", .is_optional = true,
                };
                r = sandbox_plan_add(plan, &mount);
        }
        return r;
}

/* Hides all credentials but the unit's own. */
static int add_secrets(SandboxPlan *plan, const char *folder) {
        SandboxMount hidden = {
                .kind = SANDBOX_MOUNT_INACCESSIBLE,
                .label = "LoadCredential",
                .path = "/run/credentials",
                .is_optional = true,
        };
        SandboxMount own = {
                .kind = SANDBOX_MOUNT_BIND,
                .label = "LoadCredential",
                .path = folder,
                .source = folder,
                .is_read_only = true,
        };
        cleanup_free_ char *base = NULL;
        int r;

        if (!folder)
                return sandbox_plan_add(plan, &hidden);
        base = strndup(folder, (size_t) (strrchr(folder, '/') - folder));
        if (!base)
                return -ENOMEM;
        hidden.kind = SANDBOX_MOUNT_TMPFS;
        hidden.path = base;
        hidden.options = "mode=0755,size=64k,nr_inodes=16";
        hidden.is_read_only = true;
        r = sandbox_plan_add(plan, &hidden);
        return r < 0 ? r : sandbox_plan_add(plan, &own);
}

static int add_hidden(SandboxPlan *plan, const ExecRequest *request) {
        int r = 0;

        strv_foreach(folder, request->hidden_folders) {
                const SandboxMount mount = {
                        .kind = SANDBOX_MOUNT_TMPFS, .label = "DynamicUser", .path = *folder,
                        .options = "mode=0755,size=64k,nr_inodes=1k", .is_read_only = true,
                };

                r = r < 0 ? r : sandbox_plan_add(plan, &mount);
        }
        return r;
}

/* Returns true if a mount of the plan covers @path. */
static bool is_covered(const SandboxPlan *plan, const char *path) {
        for (size_t i = 0; i < plan->mounts.n; i++) {
                const SandboxMount *mount = &plan->mounts.items[i];

                if ((mount->kind == SANDBOX_MOUNT_TMPFS || mount->kind == SANDBOX_MOUNT_BIND) &&
                    sandbox_is_below(path, mount->path))
                        return true;
        }
        return false;
}

/* Adds the unit's own directories and the notify socket. */
static int add_own(SandboxPlan *plan, const ExecRequest *request) {
        bool has_root = plan->root[1];
        int r = 0;

        strv_foreach(path, request->writable_paths) {
                const SandboxMount mount = {
                        .kind = SANDBOX_MOUNT_IMPLICIT, .label = "directories", .path = *path, .is_optional = true,
                        .stays_writable = true,
                };

                r = has_root || is_covered(plan, *path) ? add_bind(plan, "directories", *path, *path, true)
                                                        : sandbox_plan_add(plan, &mount);
                if (r < 0)
                        return r;
        }
        if (has_root && request->notify_socket && request->notify_socket[0] == '/')
                r = add_bind(plan, "NotifyAccess", request->notify_socket, request->notify_socket, true);
        return r;
}

static int add_all(SandboxPlan *plan, const ExecRequest *request) {
        static const SandboxMount root = { .kind = SANDBOX_MOUNT_IMPLICIT, .label = "RootDirectory", .path = "/" };
        const SandboxSettings *settings = request->sandbox;
        int r;

        r = sandbox_plan_add(plan, &root);
        if (r == 0)
                r = add_file_systems(plan, settings);
        for (size_t i = 0; i < settings->paths.n && r == 0; i++) {
                const SandboxPath *path = &settings->paths.items[i];

                r = path->kind == SANDBOX_TEMPORARY ? add_temporary(plan, path) : add_path(plan, path);
        }
        if (r == 0 && settings->private_tmp)
                r = add_temporary_folders(plan, request->shared);
        if (r == 0)
                r = sandbox_plan_add_protection(plan, settings);
        if (r == 0)
                r = sandbox_plan_add_root(plan, settings, plan->root[1]);
        if (r == 0)
                r = add_secrets(plan, request->secret_folder);
        if (r == 0)
                r = add_hidden(plan, request);
        if (r == 0)
                r = add_own(plan, request);
        if (r < 0)
                return r;
        plan->room = malloc(ROOM_SIZE);
        plan->room_left = ROOM_SIZE;
        return plan->room ? strv_consume(&plan->strings, plan->room) : -ENOMEM;
}

static unsigned long propagation_flag(SandboxPropagation propagation) {
        switch (propagation) {
        case SANDBOX_PROPAGATION_SLAVE:
                return MS_SLAVE;
        case SANDBOX_PROPAGATION_PRIVATE:
                return MS_PRIVATE;
        case SANDBOX_PROPAGATION_DEFAULT:
        case SANDBOX_PROPAGATION_SHARED:
        case _SANDBOX_PROPAGATION_MAX:
                break;
        }
        return MS_SHARED;
}

static int open_namespace(const char *label, const char *path, ExecStep step, int kind, int *ret_fd,
                          ExecResult *result) {
        *ret_fd = sandbox_namespace_open(path, kind);
        if (*ret_fd < 0)
                exec_result_set(result, step, *ret_fd, "%s=%s", label, path);
        return MIN(*ret_fd, 0);
}

/* Uses existing namespaces: given by path, or made with the first process of the unit. */
static int choose_namespaces(SandboxPlan *plan, const ExecRequest *request, ExecResult *result) {
        const SandboxSettings *settings = request->sandbox;
        const SandboxShared *shared = request->shared;
        int r = 0;

        if (settings->network_namespace_path) {
                plan->owns_network = true;
                r = open_namespace("NetworkNamespacePath", settings->network_namespace_path, EXEC_STEP_NETWORK,
                                   CLONE_NEWNET, &plan->network_fd, result);
        } else if (settings->private_network && plan->makes_network_for == NULL)
                plan->network_fd = shared->network_fd;
        if (plan->enters_user_first)
                plan->user_fd = shared->user_fd;
        if (r < 0)
                return r;
        if (settings->private_users && !(request->flags & EXEC_REQUEST_NETWORK_ONLY))
                plan->user_fd = shared->user_fd;
        if (settings->ipc_namespace_path) {
                plan->owns_ipc = true;
                r = open_namespace("IPCNamespacePath", settings->ipc_namespace_path, EXEC_STEP_NAMESPACE, CLONE_NEWIPC,
                                   &plan->ipc_fd, result);
        } else if (settings->private_ipc)
                plan->ipc_fd = shared->ipc_fd;
        return r;
}

/*
 * Returns true if the settings put other content at a path: without the sandbox the unit would work on the wrong files.
 */
static bool insists(const SandboxSettings *settings) {
        for (size_t i = 0; i < settings->paths.n; i++)
                if (settings->paths.items[i].kind >= SANDBOX_BIND)
                        return true;
        return false;
}

/* Making a network takes long, so the first process in it makes it, unless that process has a memory of its own. */
static int share_network(const ExecRequest *request, bool has_own_memory, SandboxPlan *plan, ExecResult *result) {
        SandboxShared *shared = request->shared;

        if (!request->sandbox->private_network || request->sandbox->network_namespace_path || shared->network_fd >= 0)
                return 0;
        if (has_own_memory)
                return sandbox_shared_make_network(shared, plan->enters_user_first, result);
        shared->is_making_network = true;
        plan->makes_network_for = shared;
        return 0;
}

static int share(const ExecRequest *request, bool has_own_memory, SandboxPlan *plan, uid_t uid, gid_t gid,
                 ExecResult *result) {
        int r;

        if (!sandbox_shared_is_needed(request->sandbox, plan->enters_user_first))
                return 0;
        if (!request->shared) {
                exec_result_set(result, EXEC_STEP_NAMESPACE, EINVAL, "the unit has nowhere to keep what it shares");
                return -EINVAL;
        }
        r = sandbox_shared_make(request->shared, request->sandbox, plan->enters_user_first, uid, gid, result);
        if (r == 0)
                r = share_network(request, has_own_memory, plan, result);
        if (plan->is_lenient && sandbox_is_no_privilege(r)) {
                *result = (ExecResult) {};
                plan->missing = -r;
                r = 0;
        }
        return r;
}

int sandbox_plan_new(const ExecRequest *request, bool has_own_memory, uid_t uid, gid_t gid, SandboxPlan **ret_plan,
                     ExecResult *ret_result) {
        cleanup_(sandbox_plan_freep) SandboxPlan *plan = calloc(1, sizeof(*plan));
        const SandboxSettings *settings = request->sandbox;
        bool has_root = request->root_directory && strcmp(request->root_directory, "/") != 0;
        bool is_whole = !(request->flags & EXEC_REQUEST_NETWORK_ONLY);
        int r = -ENOMEM;

        assert(settings);

        if (plan) {
                *plan = (SandboxPlan) {
                        .root = has_root ? request->root_directory : "/",
                        .propagation = propagation_flag(settings->mount_flags),
                        .has_mounts = is_whole && sandbox_settings_need_mounts(settings, has_root),
                        .has_own_name = is_whole && settings->protect_hostname,
                        .is_lenient = settings->is_lenient && !insists(settings),
                        .network_fd = -1, .ipc_fd = -1, .user_fd = -1,
                        .enters_user_first = request->is_user_manager && geteuid() != 0,
                        .shared = sandbox_shared_ref(request->shared),
                };
                r = share(request, has_own_memory, plan, uid, gid, ret_result);
                if (r == 0 && plan->missing == 0)
                        r = choose_namespaces(plan, request, ret_result);
                if (r == 0 && plan->missing == 0 && plan->has_mounts)
                        r = add_all(plan, request);
        }
        if (r < 0 && ret_result->step == EXEC_STEP_NONE)
                exec_result_set(ret_result, EXEC_STEP_RESOURCES, r, "cannot prepare the sandbox");
        if (r == 0)
                *ret_plan = take_ptr(plan);
        return r;
}

bool sandbox_is_being_made(const ExecRequest *request) {
        return request->shared && request->shared->is_making_network;
}

void sandbox_plan_settle(SandboxPlan *plan) {
        SandboxShared *shared = plan->makes_network_for;

        if (!shared)
                return;
        shared->network_fd = plan->network_fd;
        shared->is_making_network = false;
        plan->makes_network_for = NULL;
}

SandboxPlan *sandbox_plan_free(SandboxPlan *plan) {
        if (!plan)
                return NULL;
        sandbox_plan_settle(plan);
        if (plan->owns_network && plan->network_fd >= 0)
                close(plan->network_fd);
        if (plan->owns_ipc && plan->ipc_fd >= 0)
                close(plan->ipc_fd);
        sandbox_shared_unref(plan->shared);
        vector_deinit(&plan->mounts);
        strv_free(plan->strings);
        free(plan);
        return NULL;
}

void sandbox_describe(const SandboxPlan *plan, ExecStep step, int error, ExecResult *result) {
        const SandboxMount *at = plan->at;
        const char *what = plan->what;

        if (at)
                exec_result_set(result, step, error, "%s=%s%s%s%s%s", at->label, at->source ? at->source : "",
                                at->source ? ":" : "", at->path, what ? ": " : "", what ? what : "");
        else
                exec_result_set(result, step, error, "%s", what ? what : "cannot enter a namespace");
}
