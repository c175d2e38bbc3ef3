/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Sandbox settings of a unit: what its processes must not see or change
 *
 * Plain data: unitfile reads it, exec creates namespaces from it. A unit
 * without such a setting has none.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/macro.h"
#include "basic/string_table.h"
#include "basic/vector.h"

typedef enum ProtectSystem {
        PROTECT_SYSTEM_NO,
        PROTECT_SYSTEM_YES,             /* /usr, /boot and /efi are read-only */
        PROTECT_SYSTEM_FULL,            /* … and /etc */
        PROTECT_SYSTEM_STRICT,          /* everything but /dev, /proc and /sys */
        _PROTECT_SYSTEM_MAX,
} ProtectSystem;

typedef enum ProtectHome {
        PROTECT_HOME_NO,
        PROTECT_HOME_YES,               /* /home, /root and /run/user are inaccessible */
        PROTECT_HOME_READ_ONLY,
        PROTECT_HOME_TMPFS,             /* … are empty */
        _PROTECT_HOME_MAX,
} ProtectHome;

typedef enum ProtectProc {
        PROTECT_PROC_DEFAULT,
        PROTECT_PROC_NOACCESS,
        PROTECT_PROC_INVISIBLE,
        PROTECT_PROC_PTRACEABLE,
        _PROTECT_PROC_MAX,
} ProtectProc;

typedef enum ProcSubset {
        PROC_SUBSET_ALL,
        PROC_SUBSET_PID,
        _PROC_SUBSET_MAX,
} ProcSubset;

typedef enum SandboxPropagation {
        SANDBOX_PROPAGATION_DEFAULT,    /* shared */
        SANDBOX_PROPAGATION_SHARED,
        SANDBOX_PROPAGATION_SLAVE,
        SANDBOX_PROPAGATION_PRIVATE,
        _SANDBOX_PROPAGATION_MAX,
} SandboxPropagation;

typedef enum SandboxPathKind {
        SANDBOX_READ_WRITE,
        SANDBOX_READ_ONLY,
        SANDBOX_INACCESSIBLE,
        SANDBOX_EXEC,
        SANDBOX_NO_EXEC,
        SANDBOX_BIND,
        SANDBOX_BIND_READ_ONLY,
        SANDBOX_TEMPORARY,
        _SANDBOX_PATH_KIND_MAX,
} SandboxPathKind;

typedef struct SandboxPath {
        SandboxPathKind kind;
        char *path;                     /* owned, like the two below; absolute and simplified */
        char *source;                   /* bind mount: the path outside */
        char *options;                  /* mount options of a temporary file system; NULL: none */
        bool is_optional;               /* '-': a missing path is ignored */
        bool is_below_root;             /* '+': below RootDirectory= */
        bool is_alone;                  /* "norbind": without the mounts below the source */
} SandboxPath;

typedef struct SandboxSettings {
        VECTOR(SandboxPath) paths;      /* in the order of the unit file */
        char *network_namespace_path;   /* owned, NULL: none */
        char *ipc_namespace_path;
        ProtectSystem protect_system;
        ProtectHome protect_home;
        ProtectProc protect_proc;
        ProcSubset proc_subset;
        SandboxPropagation mount_flags;
        bool private_tmp;
        bool private_devices;
        bool private_network;
        bool private_ipc;
        bool private_users;
        bool private_mounts;
        bool protect_kernel_tunables;
        /* These three also remove capabilities and deny system calls. */
        bool protect_kernel_modules;
        bool protect_kernel_logs;
        bool protect_clock;
        bool protect_control_groups;
        bool protect_hostname;
        bool mount_api_vfs;             /* if never assigned, it follows from RootDirectory= */
        bool has_mount_api_vfs;
        bool is_lenient;                /* UnsupportedDirectives=warn: where namespaces are missing, run without them */
} SandboxSettings;

DECLARE_STRING_TABLE(protect_system, ProtectSystem);
DECLARE_STRING_TABLE(protect_home, ProtectHome);
DECLARE_STRING_TABLE(protect_proc, ProtectProc);
DECLARE_STRING_TABLE(proc_subset, ProcSubset);
DECLARE_STRING_TABLE(sandbox_propagation, SandboxPropagation);
DECLARE_STRING_TABLE(sandbox_path_kind, SandboxPathKind);        /* "ReadWritePaths", … */

/* Frees all members and sets them to zero, which means no setting. */
void sandbox_settings_deinit(SandboxSettings *settings);
SandboxSettings *sandbox_settings_free(SandboxSettings *settings);
DEFINE_CLEANUP(SandboxSettings, sandbox_settings_free)

/* Appends copies of the three strings (@source and @options may be NULL) and the flags of @path. 0 or -ENOMEM. */
int sandbox_settings_add_path(SandboxSettings *settings, const SandboxPath *path);
/* Removes all paths of @kind: the effect of an empty assignment. */
void sandbox_settings_drop_paths(SandboxSettings *settings, SandboxPathKind kind);

/* Returns true if the settings need a mount namespace. @has_root: RootDirectory= is set. */
bool sandbox_settings_need_mounts(const SandboxSettings *settings, bool has_root);
bool sandbox_settings_mount_api_vfs(const SandboxSettings *settings, bool has_root);
/* Returns true if any setting needs a namespace. */
bool sandbox_settings_need(const SandboxSettings *settings, bool has_root);
