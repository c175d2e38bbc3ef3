/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sandbox directives: what they take, and that a value that they don't take refuses the unit
 */

#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "file_world.h"
#include "unit/sandbox_settings.h"

static const SandboxSettings *load(FileWorld *world, const char *lines) {
        return file_service(file_load_service(world, "x.service", lines))->exec.rare->sandbox;
}

Test(sandbox_value, nothing_is_kept_of_nothing) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        cr_assert(file_service(file_load_service(world, "x.service", "Nice=1"))->exec.rare == NULL);
}

Test(sandbox_value, switches_and_choices) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const SandboxSettings *settings = load(world,
                "PrivateTmp=yes\nPrivateDevices=on\nPrivateNetwork=1\nPrivateIPC=true\nPrivateUsers=yes\nPrivateMounts=yes\n"
                "ProtectSystem=strict\nProtectHome=tmpfs\nProtectProc=invisible\nProcSubset=pid\nMountFlags=slave\n"
                "ProtectKernelTunables=yes\nProtectKernelModules=yes\nProtectKernelLogs=yes\nProtectClock=yes\n"
                "ProtectControlGroups=yes\nProtectHostname=yes\nMountAPIVFS=no\nNetworkNamespacePath=/run//netns/%n\n"
                "IPCNamespacePath=/run/ipc");

        cr_assert(settings->private_tmp && settings->private_devices && settings->private_network &&
                  settings->private_ipc && settings->private_users && settings->private_mounts &&
                  settings->protect_kernel_tunables && settings->protect_kernel_modules &&
                  settings->protect_kernel_logs && settings->protect_clock && settings->protect_control_groups &&
                  settings->protect_hostname && settings->has_mount_api_vfs && !settings->mount_api_vfs);
        cr_assert(eq(int, settings->protect_system, PROTECT_SYSTEM_STRICT));
        cr_assert(eq(int, settings->protect_home, PROTECT_HOME_TMPFS));
        cr_assert(eq(int, settings->protect_proc, PROTECT_PROC_INVISIBLE));
        cr_assert(eq(int, settings->proc_subset, PROC_SUBSET_PID));
        cr_assert(eq(int, settings->mount_flags, SANDBOX_PROPAGATION_SLAVE));
        assert_string(settings->network_namespace_path, "/run/netns/x.service");
        assert_string(settings->ipc_namespace_path, "/run/ipc");
        cr_assert(eq(int, settings->is_lenient, false));
}

Test(sandbox_value, choices_are_booleans_too) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const SandboxSettings *settings = load(world, "ProtectSystem=true\nProtectHome=1\nPrivateTmp=yes\nPrivateTmp=");

        cr_assert(eq(int, settings->protect_system, PROTECT_SYSTEM_YES));
        cr_assert(eq(int, settings->protect_home, PROTECT_HOME_YES));
        cr_assert(eq(int, settings->private_tmp, false));
        file_world_restart(world);
        settings = load(world, "ProtectSystem=full\nProtectSystem=off\nProtectHome=read-only");
        cr_assert(eq(int, settings->protect_system, PROTECT_SYSTEM_NO));
        cr_assert(eq(int, settings->protect_home, PROTECT_HOME_READ_ONLY));
}

Test(sandbox_value, paths) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const SandboxSettings *settings = load(world,
                "ReadOnlyPaths=/gone\nReadWritePaths=-/a//b/ \"/with blank\" -+/c\nReadOnlyPaths=\nInaccessibleDirectories=/d");

        cr_assert(eq(sz, settings->paths.n, 4));
        assert_string(settings->paths.items[0].path, "/a/b");
        cr_assert(settings->paths.items[0].is_optional && !settings->paths.items[0].is_below_root);
        assert_string(settings->paths.items[1].path, "/with blank");
        cr_assert(settings->paths.items[2].is_optional && settings->paths.items[2].is_below_root);
        cr_assert(eq(int, settings->paths.items[2].kind, SANDBOX_READ_WRITE));
        cr_assert(eq(int, settings->paths.items[3].kind, SANDBOX_INACCESSIBLE));
}

Test(sandbox_value, binds_and_file_systems) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const SandboxSettings *settings = load(world,
                "BindPaths=/same -/from:/to:norbind\nBindReadOnlyPaths=/a\\:b:/c:rbind\n"
                "TemporaryFileSystem=/var:ro,mode=%i700 /tmp");

        cr_assert(eq(sz, settings->paths.n, 5));
        assert_string(settings->paths.items[0].source, "/same");
        assert_string(settings->paths.items[0].path, "/same");
        assert_string(settings->paths.items[1].source, "/from");
        assert_string(settings->paths.items[1].path, "/to");
        cr_assert(settings->paths.items[1].is_alone && settings->paths.items[1].is_optional);
        assert_string(settings->paths.items[2].source, "/a:b");
        assert_string(settings->paths.items[3].options, "ro,mode=700");
        cr_assert(settings->paths.items[4].options == NULL);
}

Test(sandbox_value, what_is_no_value_refuses_the_unit) {
        static const struct {
                const char *line, *said;
        } cases[] = {
                { "PrivateTmp=maybe", "PrivateTmp=: 'maybe' is neither 'yes' nor 'no'" },
                { "PrivateDevices=2", "PrivateDevices=: '2' is neither" },
                { "PrivateNetwork=x", "PrivateNetwork=: 'x' is neither" },
                { "PrivateIPC=x", "PrivateIPC=: 'x' is neither" },
                { "PrivateUsers=x", "PrivateUsers=: 'x' is neither" },
                { "PrivateMounts=x", "PrivateMounts=: 'x' is neither" },
                { "ProtectSystem=most", "ProtectSystem=: 'most' is none of" },
                { "ProtectHome=none", "ProtectHome=: 'none' is none of" },
                { "ProtectProc=yes", "ProtectProc=: 'yes' is none of" },
                { "ProcSubset=self", "ProcSubset=: 'self' is none of" },
                { "MountFlags=rshared", "MountFlags=: 'rshared' is none of" },
                { "ProtectKernelTunables=x", "ProtectKernelTunables=: 'x' is neither" },
                { "ProtectKernelModules=x", "ProtectKernelModules=: 'x' is neither" },
                { "ProtectKernelLogs=x", "ProtectKernelLogs=: 'x' is neither" },
                { "ProtectClock=x", "ProtectClock=: 'x' is neither" },
                { "ProtectControlGroups=x", "ProtectControlGroups=: 'x' is neither" },
                { "ProtectHostname=x", "ProtectHostname=: 'x' is neither" },
                { "MountAPIVFS=x", "MountAPIVFS=: 'x' is neither" },
                { "ReadWritePaths=a", "ReadWritePaths=: 'a' is not an absolute path" },
                { "ReadOnlyPaths=/a/../b", "ReadOnlyPaths=: The path '/a/../b' contains '..'" },
                { "InaccessiblePaths=- /a", "InaccessiblePaths=: '' is not an absolute path" },
                { "ExecPaths=\"/a", "ExecPaths=: '\"/a' has an unclosed quote" },
                { "NoExecPaths=+a", "NoExecPaths=: 'a' is not an absolute path" },
                { "BindPaths=/a:b", "BindPaths=: 'b' is not an absolute path" },
                { "BindPaths=/a:/b:rbind:x", "BindPaths=: 'x' is not an option" },
                { "BindReadOnlyPaths=/a:/b:ro", "BindReadOnlyPaths=: 'ro' is not an option" },
                { "TemporaryFileSystem=tmp:ro", "TemporaryFileSystem=: 'tmp' is not an absolute path" },
                { "NetworkNamespacePath=netns", "NetworkNamespacePath=: 'netns' is not an absolute path" },
                { "IPCNamespacePath=ipc", "IPCNamespacePath=: 'ipc' is not an absolute path" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                char text[256];
                Unit *unit;

                snprintf(text, sizeof(text), "[Service]\nExecStart=/bin/true\n%s\n", cases[i].line);
                file_write(world, "a/x.service", text);
                unit = file_load(world, "x.service");
                cr_expect(eq(int, unit->load_state, UNIT_BAD_SETTING), "%s", cases[i].line);
                file_assert_contains(failure_message(&unit->load_failure), cases[i].said);
        }
}
