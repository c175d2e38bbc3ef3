/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions and asserts
 *
 * Each kind is one row: name and test. They are evaluated when the unit is
 * about to start, in the order of the file, and only as far as needed: the
 * rest stays "untested". Tests of paths are here, tests of the machine in
 * condition_host.c.
 */

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "basic/macro.h"
#include "unitfile/condition.h"
#include "unitfile/condition_host.h"
#include "unitfile/unit_file.h"

static int path_exists(const char *path) {
        return access(path, F_OK) == 0;
}

static int path_glob(const char *pattern) {
        glob_t found = {};
        int r = glob(pattern, GLOB_NOSORT | GLOB_BRACE, NULL, &found);

        globfree(&found);
        return r == GLOB_NOSPACE ? -ENOMEM : r == 0;
}

static int path_is_directory(const char *path) {
        struct stat st;

        return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int path_is_symlink(const char *path) {
        struct stat st;

        return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static int path_is_mount_point(const char *path) {
        struct statx stx = {};

        if (statx(AT_FDCWD, path, AT_NO_AUTOMOUNT, STATX_TYPE, &stx) < 0)
                return 0;
        return (stx.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

static int path_is_read_write(const char *path) {
        struct statvfs vfs;

        return statvfs(path, &vfs) == 0 && !(vfs.f_flag & ST_RDONLY);
}

static int path_directory_not_empty(const char *path) {
        DIR *dir = opendir(path);
        const struct dirent *item;
        int found = 0;

        while (dir && !found && (item = readdir(dir)))
                found = strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
        if (dir)
                closedir(dir);
        return found;
}

static int path_file_not_empty(const char *path) {
        struct stat st;

        return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

static int path_file_is_executable(const char *path) {
        struct stat st;

        return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111) != 0;
}

typedef struct ConditionKind {
        const char *name;               /* after "Condition" or "Assert" */
        int (*test)(const char *parameter);
        bool takes_path;
} ConditionKind;

static const ConditionKind kinds[] = {
        { "PathExists", path_exists, true },
        { "PathExistsGlob", path_glob, true },
        { "PathIsDirectory", path_is_directory, true },
        { "PathIsSymbolicLink", path_is_symlink, true },
        { "PathIsMountPoint", path_is_mount_point, true },
        { "PathIsReadWrite", path_is_read_write, true },
        { "PathIsEncrypted", condition_path_is_encrypted, true },
        { "DirectoryNotEmpty", path_directory_not_empty, true },
        { "FileNotEmpty", path_file_not_empty, true },
        { "FileIsExecutable", path_file_is_executable, true },
        { "User", condition_user, false },
        { "Group", condition_group, false },
        { "Host", condition_host, false },
        { "KernelVersion", condition_kernel_version, false },
        { "Version", condition_version, false },
        { "KernelCommandLine", condition_kernel_command_line, false },
        { "KernelModuleLoaded", condition_kernel_module, false },
        { "Architecture", condition_architecture, false },
        { "Virtualization", condition_virtualization, false },
        { "Firmware", condition_firmware, false },
        { "FirstBoot", condition_first_boot, false },
        { "NeedsUpdate", condition_needs_update, false },
        { "Environment", condition_environment, false },
        { "ACPower", condition_ac_power, false },
        { "Capability", condition_capability, false },
        { "Security", condition_security, false },
        { "Credential", condition_credential, false },
        { "ControlGroupController", condition_controller, false },
        { "Memory", condition_memory, false },
        { "CPUs", condition_cpus, false },
        { "CPUFeature", condition_cpu_feature, false },
        { "OSRelease", condition_os_release, false },
        { "MemoryPressure", condition_memory_pressure, false },
        { "CPUPressure", condition_cpu_pressure, false },
        { "IOPressure", condition_io_pressure, false },
};

static const ConditionKind *condition_kind(const char *directive) {
        const char *name = directive + (directive[0] == 'A' ? strlen("Assert") : strlen("Condition"));

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                if (strcmp(kinds[i].name, name) == 0)
                        return &kinds[i];
        return NULL;
}

bool condition_takes_path(const char *directive) {
        const ConditionKind *kind = condition_kind(directive);

        return kind && kind->takes_path;
}

/* 1 if the condition, negation included, is met, 0 if not, or a negative errno if it cannot be evaluated. */
static int condition_test(const UnitCondition *condition) {
        const ConditionKind *kind = condition_kind(condition->directive);
        int r;

        assert(kind);

        r = kind->test(condition->parameter);
        return r < 0 ? r : (r > 0) != condition->is_negated;
}

/* All conditions that are no triggers must be met and, if there are triggers, one of them. */
static bool conditions_are_met(UnitCondition *list, bool asserts) {
        bool has_trigger = false, is_triggered = false;

        for (UnitCondition *condition = list; condition; condition = condition->next) {
                if (condition->is_assert != asserts || (condition->is_trigger && is_triggered))
                        continue;
                condition->result = condition_test(condition) > 0 ? 1 : -1;
                if (!condition->is_trigger && condition->result < 0)
                        return false;
                has_trigger |= condition->is_trigger;
                is_triggered |= condition->is_trigger && condition->result > 0;
        }
        return !has_trigger || is_triggered;
}

UnitAnswer unit_file_check_conditions(Unit *unit) {
        UnitCondition *list;

        assert(unit);

        list = unit->settings.rare->conditions;
        for (UnitCondition *condition = list; condition; condition = condition->next)
                condition->result = 0;
        unit->assert_result = 0;
        unit->condition_result = conditions_are_met(list, false) ? 1 : -1;
        if (unit->condition_result < 0)
                return UNIT_CONDITION_UNMET;
        unit->assert_result = conditions_are_met(list, true) ? 1 : -1;
        return unit->assert_result < 0 ? UNIT_ASSERT_UNMET : UNIT_UNDER_WAY;
}
