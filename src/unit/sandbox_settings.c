/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sandbox settings of a unit, as data
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit/sandbox_settings.h"

static const char *const protect_system_table[] = {
        [PROTECT_SYSTEM_NO] = "no",
        [PROTECT_SYSTEM_YES] = "yes",
        [PROTECT_SYSTEM_FULL] = "full",
        [PROTECT_SYSTEM_STRICT] = "strict",
};

DEFINE_STRING_TABLE(protect_system, ProtectSystem, protect_system_table)

static const char *const protect_home_table[] = {
        [PROTECT_HOME_NO] = "no",
        [PROTECT_HOME_YES] = "yes",
        [PROTECT_HOME_READ_ONLY] = "read-only",
        [PROTECT_HOME_TMPFS] = "tmpfs",
};

DEFINE_STRING_TABLE(protect_home, ProtectHome, protect_home_table)

static const char *const protect_proc_table[] = {
        [PROTECT_PROC_DEFAULT] = "default",
        [PROTECT_PROC_NOACCESS] = "noaccess",
        [PROTECT_PROC_INVISIBLE] = "invisible",
        [PROTECT_PROC_PTRACEABLE] = "ptraceable",
};

DEFINE_STRING_TABLE(protect_proc, ProtectProc, protect_proc_table)

static const char *const proc_subset_table[] = {
        [PROC_SUBSET_ALL] = "all",
        [PROC_SUBSET_PID] = "pid",
};

DEFINE_STRING_TABLE(proc_subset, ProcSubset, proc_subset_table)

static const char *const sandbox_propagation_table[] = {
        [SANDBOX_PROPAGATION_DEFAULT] = "",
        [SANDBOX_PROPAGATION_SHARED] = "shared",
        [SANDBOX_PROPAGATION_SLAVE] = "slave",
        [SANDBOX_PROPAGATION_PRIVATE] = "private",
};

DEFINE_STRING_TABLE(sandbox_propagation, SandboxPropagation, sandbox_propagation_table)

static const char *const sandbox_path_kind_table[] = {
        [SANDBOX_READ_WRITE] = "ReadWritePaths",
        [SANDBOX_READ_ONLY] = "ReadOnlyPaths",
        [SANDBOX_INACCESSIBLE] = "InaccessiblePaths",
        [SANDBOX_EXEC] = "ExecPaths",
        [SANDBOX_NO_EXEC] = "NoExecPaths",
        [SANDBOX_BIND] = "BindPaths",
        [SANDBOX_BIND_READ_ONLY] = "BindReadOnlyPaths",
        [SANDBOX_TEMPORARY] = "TemporaryFileSystem",
};

DEFINE_STRING_TABLE(sandbox_path_kind, SandboxPathKind, sandbox_path_kind_table)

static void free_path(SandboxPath *path) {
        free(path->path);
        free(path->source);
        free(path->options);
}

void sandbox_settings_deinit(SandboxSettings *settings) {
        for (size_t i = 0; i < settings->paths.n; i++)
                free_path(&settings->paths.items[i]);
        vector_deinit(&settings->paths);
        free(settings->network_namespace_path);
        free(settings->ipc_namespace_path);
        *settings = (SandboxSettings) {};
}

SandboxSettings *sandbox_settings_free(SandboxSettings *settings) {
        if (settings)
                sandbox_settings_deinit(settings);
        free(settings);
        return NULL;
}

int sandbox_settings_add_path(SandboxSettings *settings, const SandboxPath *path) {
        SandboxPath copy = *path;

        copy.path = strdup(path->path);
        copy.source = path->source ? strdup(path->source) : NULL;
        copy.options = path->options ? strdup(path->options) : NULL;
        if (!copy.path || !copy.source != !path->source || !copy.options != !path->options ||
            vector_push(&settings->paths, copy) < 0) {
                free_path(&copy);
                return -ENOMEM;
        }
        return 0;
}

void sandbox_settings_drop_paths(SandboxSettings *settings, SandboxPathKind kind) {
        size_t n = 0;

        for (size_t i = 0; i < settings->paths.n; i++)
                if (settings->paths.items[i].kind == kind)
                        free_path(&settings->paths.items[i]);
                else
                        settings->paths.items[n++] = settings->paths.items[i];
        settings->paths.n = n;
}

bool sandbox_settings_mount_api_vfs(const SandboxSettings *settings, bool has_root) {
        return settings->has_mount_api_vfs ? settings->mount_api_vfs : has_root;
}

bool sandbox_settings_need_mounts(const SandboxSettings *settings, bool has_root) {
        return settings->paths.n > 0 || settings->protect_system != PROTECT_SYSTEM_NO ||
               settings->protect_home != PROTECT_HOME_NO || settings->protect_proc != PROTECT_PROC_DEFAULT ||
               settings->proc_subset != PROC_SUBSET_ALL || settings->private_tmp || settings->private_devices ||
               settings->private_ipc || settings->ipc_namespace_path || settings->private_mounts ||
               settings->protect_kernel_tunables || settings->protect_kernel_modules ||
               settings->protect_kernel_logs || settings->protect_clock || settings->protect_control_groups ||
               settings->mount_flags > SANDBOX_PROPAGATION_SHARED ||
               sandbox_settings_mount_api_vfs(settings, has_root);
}

bool sandbox_settings_need(const SandboxSettings *settings, bool has_root) {
        return sandbox_settings_need_mounts(settings, has_root) || settings->private_network ||
               settings->network_namespace_path || settings->private_users || settings->protect_hostname;
}
