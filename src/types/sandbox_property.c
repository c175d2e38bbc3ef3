/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of units that run commands: sandbox
 */

#include <sys/mount.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "types/sandbox_property.h"
#include "unit/sandbox_settings.h"
#include "unitfile/draft_type.h"

static const SandboxSettings *settings_of(const Unit *unit) {
        static const SandboxSettings nothing;
        const SandboxSettings *settings = exec_settings_rare(draft_type_exec(unit))->sandbox;

        return settings ? settings : &nothing;
}

#define GETTER(name, put, expression)                                            \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const SandboxSettings *settings = settings_of(unit);             \
                                                                                 \
                put(sink, expression);                                           \
        }
#define BOOL_GETTER(name) GETTER(name, sink_bool, settings->name)
#define ENUM_GETTER(name) GETTER(name, sink_string, name##_to_string(settings->name))

BOOL_GETTER(private_tmp)
BOOL_GETTER(private_devices)
BOOL_GETTER(private_network)
BOOL_GETTER(private_ipc)
BOOL_GETTER(private_users)
BOOL_GETTER(private_mounts)
BOOL_GETTER(protect_kernel_tunables)
BOOL_GETTER(protect_kernel_modules)
BOOL_GETTER(protect_kernel_logs)
BOOL_GETTER(protect_clock)
BOOL_GETTER(protect_control_groups)
BOOL_GETTER(protect_hostname)
ENUM_GETTER(protect_system)
ENUM_GETTER(protect_home)
ENUM_GETTER(protect_proc)
ENUM_GETTER(proc_subset)
GETTER(network_namespace_path, sink_string, settings->network_namespace_path)
GETTER(ipc_namespace_path, sink_string, settings->ipc_namespace_path)

static void get_mount_api_vfs(const Unit *unit, Sink *sink) {
        bool has_root = exec_settings_rare(draft_type_exec(unit))->root_directory;

        sink_bool(sink, sandbox_settings_mount_api_vfs(settings_of(unit), has_root));
}

static void get_mount_flags(const Unit *unit, Sink *sink) {
        static const unsigned long flags[_SANDBOX_PROPAGATION_MAX] = { 0, MS_SHARED, MS_SLAVE, MS_PRIVATE };

        sink_u64(sink, flags[settings_of(unit)->mount_flags]);
}

static void put_paths(const Unit *unit, SandboxPathKind kind, Sink *sink) {
        const SandboxSettings *settings = settings_of(unit);

        sink_open(sink, 'a', "s");
        for (size_t i = 0; i < settings->paths.n; i++) {
                const SandboxPath *path = &settings->paths.items[i];
                cleanup_free_ char *text = NULL;

                if (path->kind == kind && text_format(&text, "%s%s%s", path->is_optional ? "-" : "",
                                                      path->is_below_root ? "+" : "", path->path) == 0)
                        sink_string(sink, text);
        }
        sink_close(sink);
}

#define PATHS_GETTER(name, kind)                                                 \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                put_paths(unit, kind, sink);                                     \
        }

PATHS_GETTER(read_write, SANDBOX_READ_WRITE)
PATHS_GETTER(read_only, SANDBOX_READ_ONLY)
PATHS_GETTER(inaccessible, SANDBOX_INACCESSIBLE)
PATHS_GETTER(executable, SANDBOX_EXEC)
PATHS_GETTER(no_exec, SANDBOX_NO_EXEC)

static void put_binds(const Unit *unit, SandboxPathKind kind, Sink *sink) {
        const SandboxSettings *settings = settings_of(unit);

        sink_open(sink, 'a', "(ssbt)");
        for (size_t i = 0; i < settings->paths.n; i++) {
                const SandboxPath *path = &settings->paths.items[i];

                if (path->kind != kind)
                        continue;
                sink_open(sink, 'r', "ssbt");
                sink_string(sink, path->source);
                sink_string(sink, path->path);
                sink_bool(sink, path->is_optional);
                sink_u64(sink, path->is_alone ? 0 : MS_REC);
                sink_close(sink);
        }
        sink_close(sink);
}

static void get_binds(const Unit *unit, Sink *sink) {
        put_binds(unit, SANDBOX_BIND, sink);
}

static void get_read_only_binds(const Unit *unit, Sink *sink) {
        put_binds(unit, SANDBOX_BIND_READ_ONLY, sink);
}

static void get_temporary(const Unit *unit, Sink *sink) {
        const SandboxSettings *settings = settings_of(unit);

        sink_open(sink, 'a', "(ss)");
        for (size_t i = 0; i < settings->paths.n; i++) {
                const SandboxPath *path = &settings->paths.items[i];

                if (path->kind != SANDBOX_TEMPORARY)
                        continue;
                sink_open(sink, 'r', "ss");
                sink_string(sink, path->path);
                sink_string(sink, path->options ? path->options : "");
                sink_close(sink);
        }
        sink_close(sink);
}

#define C UNIT_PROPERTY_CONST

static const UnitProperty rows[] = {
        { "PrivateTmp", "b", C, get_private_tmp, "Whether /tmp and /var/tmp are its own." },
        { "PrivateDevices", "b", C, get_private_devices, "Whether it sees no hardware in /dev." },
        { "PrivateNetwork", "b", C, get_private_network, "Whether it has a network of its own, with a loopback only." },
        { "PrivateIPC", "b", C, get_private_ipc, "Whether System V objects and message queues are its own." },
        { "PrivateUsers", "b", C, get_private_users, "Whether it has a user namespace with root and its user alone." },
        { "PrivateMounts", "b", C, get_private_mounts, "Whether its mounts are invisible to others." },
        { "ProtectSystem", "s", C, get_protect_system, "How much of the system it can't write to." },
        { "ProtectHome", "s", C, get_protect_home, "Whether it sees users' homes." },
        { "ProtectProc", "s", C, get_protect_proc, "Whether it sees other users' processes." },
        { "ProcSubset", "s", C, get_proc_subset, "How much of /proc it sees." },
        { "ProtectKernelTunables", "b", C, get_protect_kernel_tunables,
          "Whether it can't change the kernel's settings." },
        { "ProtectKernelModules", "b", C, get_protect_kernel_modules, "Whether it sees no kernel modules." },
        { "ProtectKernelLogs", "b", C, get_protect_kernel_logs, "Whether it can't read the kernel's log." },
        { "ProtectClock", "b", C, get_protect_clock, "Whether it can't set the clock." },
        { "ProtectControlGroups", "b", C, get_protect_control_groups, "Whether it can't change control groups." },
        { "ProtectHostname", "b", C, get_protect_hostname, "Whether it can't change the host name." },
        { "MountAPIVFS", "b", C, get_mount_api_vfs, "Whether /proc, /sys, /dev and /run are mounted below its root." },
        { "MountFlags", "t", C, get_mount_flags, "How mounts spread, as a flag of mount(2)." },
        { "NetworkNamespacePath", "s", C, get_network_namespace_path, "The network namespace that it is in." },
        { "IPCNamespacePath", "s", C, get_ipc_namespace_path, "The IPC namespace that it is in." },
        { "ReadWritePaths", "as", C, get_read_write, "Writable paths below paths that are not." },
        { "ReadOnlyPaths", "as", C, get_read_only, "Paths that it can't write to." },
        { "InaccessiblePaths", "as", C, get_inaccessible, "Paths that it does not see." },
        { "ExecPaths", "as", C, get_executable, "Paths of executable files below paths where there are none." },
        { "NoExecPaths", "as", C, get_no_exec, "Paths that it can't run programs from." },
        { "BindPaths", "a(ssbt)", C, get_binds,
          "Paths that it sees at other places: source, place, may be missing, flags." },
        { "BindReadOnlyPaths", "a(ssbt)", C, get_read_only_binds, "The same, read-only." },
        { "TemporaryFileSystem", "a(ss)", C, get_temporary, "Places of file systems in memory, and their options." },
};

const UnitPropertyTable sandbox_properties = { rows, ELEMENTSOF(rows) };
