/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The paths of ProtectSystem= and the like
 *
 * Missing paths are ignored.
 */

#include <errno.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/sandbox.h"

typedef struct Row {
        const char *path;
        SandboxMountKind kind;
        bool is_read_only;
        bool stays_writable;
} Row;

#define READ_ONLY(path_) { .path = path_, .kind = SANDBOX_MOUNT_SELF, .is_read_only = true }
#define HIDDEN(path_) { .path = path_, .kind = SANDBOX_MOUNT_INACCESSIBLE }
#define WRITABLE(path_) { .path = path_, .kind = SANDBOX_MOUNT_IMPLICIT, .stays_writable = true }
#define EMPTY(path_) { .path = path_, .kind = SANDBOX_MOUNT_TMPFS, .is_read_only = true }

static const Row system_yes[] = { READ_ONLY("/usr"), READ_ONLY("/boot"), READ_ONLY("/efi") };
static const Row system_full[] = { READ_ONLY("/usr"), READ_ONLY("/boot"), READ_ONLY("/efi"), READ_ONLY("/etc") };
static const Row system_strict[] = {
        READ_ONLY("/"), WRITABLE("/dev"), WRITABLE("/proc"), WRITABLE("/sys"), WRITABLE("/home"), WRITABLE("/root"),
        WRITABLE("/run/user"),
};

static const Row home_yes[] = { HIDDEN("/home"), HIDDEN("/root"), HIDDEN("/run/user") };
static const Row home_read_only[] = { READ_ONLY("/home"), READ_ONLY("/root"), READ_ONLY("/run/user") };
static const Row home_tmpfs[] = { EMPTY("/home"), EMPTY("/root"), EMPTY("/run/user") };

static const Row kernel_tunables[] = {
        READ_ONLY("/proc/acpi"),         READ_ONLY("/proc/apm"),       READ_ONLY("/proc/asound"),
        READ_ONLY("/proc/bus"),          READ_ONLY("/proc/fs"),        READ_ONLY("/proc/irq"),
        HIDDEN("/proc/kallsyms"),        HIDDEN("/proc/kcore"),        READ_ONLY("/proc/latency_stats"),
        READ_ONLY("/proc/mtrr"),         READ_ONLY("/proc/scsi"),      READ_ONLY("/proc/sys"),
        READ_ONLY("/proc/sysrq-trigger"), READ_ONLY("/proc/timer_stats"),
        READ_ONLY("/sys"),               READ_ONLY("/sys/fs/bpf"),     WRITABLE("/sys/fs/cgroup"),
        WRITABLE("/sys/fs/selinux"),     READ_ONLY("/sys/kernel/debug"), READ_ONLY("/sys/kernel/tracing"),
};
static const Row kernel_modules[] = { HIDDEN("/lib/modules"), HIDDEN("/usr/lib/modules") };
static const Row kernel_logs[] = { HIDDEN("/proc/kmsg"), HIDDEN("/dev/kmsg") };
static const Row control_groups[] = { READ_ONLY("/sys/fs/cgroup") };
static const Row clocks[] = { HIDDEN("/dev/rtc"), HIDDEN("/dev/rtc0"), HIDDEN("/dev/rtc1") };

static int add_rows(SandboxPlan *plan, const char *label, const Row *rows, size_t n) {
        int r = 0;

        for (size_t i = 0; i < n && r == 0; i++) {
                const SandboxMount mount = {
                        .kind = rows[i].kind,
                        .label = label,
                        .path = rows[i].path,
                        .options = rows[i].kind == SANDBOX_MOUNT_TMPFS ? "mode=0755,size=4m,nr_inodes=1k" : NULL,
                        .is_optional = true,
                        .is_read_only = rows[i].is_read_only,
                        .stays_writable = rows[i].stays_writable,
                };

                r = sandbox_plan_add(plan, &mount);
        }
        return r;
}

#define ADD(plan, label, rows) add_rows(plan, label, rows, ELEMENTSOF(rows))

static int add_system(SandboxPlan *plan, ProtectSystem how) {
        switch (how) {
        case PROTECT_SYSTEM_YES:
                return ADD(plan, "ProtectSystem", system_yes);
        case PROTECT_SYSTEM_FULL:
                return ADD(plan, "ProtectSystem", system_full);
        case PROTECT_SYSTEM_STRICT:
                return ADD(plan, "ProtectSystem", system_strict);
        case PROTECT_SYSTEM_NO:
        case _PROTECT_SYSTEM_MAX:
                break;
        }
        return 0;
}

static int add_home(SandboxPlan *plan, ProtectHome how) {
        switch (how) {
        case PROTECT_HOME_YES:
                return ADD(plan, "ProtectHome", home_yes);
        case PROTECT_HOME_READ_ONLY:
                return ADD(plan, "ProtectHome", home_read_only);
        case PROTECT_HOME_TMPFS:
                return ADD(plan, "ProtectHome", home_tmpfs);
        case PROTECT_HOME_NO:
        case _PROTECT_HOME_MAX:
                break;
        }
        return 0;
}

int sandbox_plan_add_protection(SandboxPlan *plan, const SandboxSettings *settings) {
        int r = add_system(plan, settings->protect_system);

        if (r == 0)
                r = add_home(plan, settings->protect_home);
        if (r == 0 && settings->protect_kernel_tunables)
                r = ADD(plan, "ProtectKernelTunables", kernel_tunables);
        if (r == 0 && settings->protect_kernel_modules)
                r = ADD(plan, "ProtectKernelModules", kernel_modules);
        if (r == 0 && settings->protect_kernel_logs)
                r = ADD(plan, "ProtectKernelLogs", kernel_logs);
        if (r == 0 && settings->protect_control_groups)
                r = ADD(plan, "ProtectControlGroups", control_groups);
        if (r == 0 && settings->protect_clock)
                r = ADD(plan, "ProtectClock", clocks);
        return r;
}

/* Returns true if a file system or bind mount of the unit is at @path. */
static bool is_taken(const SandboxPlan *plan, const char *path) {
        for (size_t i = 0; i < plan->mounts.n; i++) {
                const SandboxMount *mount = &plan->mounts.items[i];

                if (mount->kind != SANDBOX_MOUNT_SELF && mount->kind != SANDBOX_MOUNT_IMPLICIT &&
                    text_equal(mount->path, path))
                        return true;
        }
        return false;
}

/* Adds /proc, /sys, /dev and /run; last, so that other settings for these paths take precedence. */
int sandbox_plan_add_root(SandboxPlan *plan, const SandboxSettings *settings, bool has_root) {
        const SandboxMount mounts[] = {
                { .kind = SANDBOX_MOUNT_BIND, .label = "MountAPIVFS", .path = "/proc", .source = "/proc" },
                { .kind = SANDBOX_MOUNT_BIND, .label = "MountAPIVFS", .path = "/sys", .source = "/sys" },
                { .kind = SANDBOX_MOUNT_BIND, .label = "MountAPIVFS", .path = "/dev", .source = "/dev" },
                { .kind = SANDBOX_MOUNT_TMPFS, .label = "MountAPIVFS", .path = "/run",
                  .options = "mode=0755,size=20%,nr_inodes=800k" },
        };
        int r = 0;

        if (!has_root || !sandbox_settings_mount_api_vfs(settings, has_root))
                return 0;
        for (size_t i = 0; i < ELEMENTSOF(mounts) && r == 0; i++)
                if (!is_taken(plan, mounts[i].path))
                        r = sandbox_plan_add(plan, &mounts[i]);
        return r;
}
