/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: what each checks, and how several count.
 */

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "basic/macro.h"
#include "file_world.h"
#include "unitfile/condition_compare.h"

static UnitAnswer check(const char *lines) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        cleanup_free_ char *text = NULL;
        Unit *unit;

        cr_assert(eq(int, text_format(&text, "[Unit]\n%s\n", lines), 0));
        file_write(world, "a/x.target", text);
        unit = file_load(world, "x.target");
        cr_expect(eq(sz, world->said.n, 0), "%s", world->said.string);
        return unit_file_check_conditions(unit);
}

Test(condition, tables_of_lines_and_answers) {
        static const struct {
                const char *lines;
                UnitAnswer answer;
        } cases[] = {
                { "", UNIT_UNDER_WAY },
                { "ConditionPathExists=/bin", UNIT_UNDER_WAY },
                { "ConditionPathExists=!/bin", UNIT_CONDITION_UNMET },
                { "ConditionPathExists=/nonexistent", UNIT_CONDITION_UNMET },
                { "ConditionPathExists=!/nonexistent", UNIT_UNDER_WAY },
                { "AssertPathExists=/nonexistent", UNIT_ASSERT_UNMET },
                { "ConditionPathExists=/nonexistent\nConditionPathExists=", UNIT_UNDER_WAY },
                { "ConditionPathExists=/nonexistent\nConditionUser=", UNIT_UNDER_WAY },
                { "AssertPathExists=/nonexistent\nConditionUser=", UNIT_ASSERT_UNMET },
                { "ConditionPathExists=|/nonexistent\nConditionPathExists=|/bin", UNIT_UNDER_WAY },
                { "ConditionPathExists=|/nonexistent\nConditionPathExists=|!/bin", UNIT_CONDITION_UNMET },
                { "ConditionPathExists=|/bin\nConditionPathExists=/nonexistent", UNIT_CONDITION_UNMET },
                { "ConditionPathExistsGlob=/bi*", UNIT_UNDER_WAY },
                { "ConditionPathExistsGlob=/zz*", UNIT_CONDITION_UNMET },
                { "ConditionPathIsDirectory=/usr", UNIT_UNDER_WAY },
                { "ConditionPathIsDirectory=/etc/passwd", UNIT_CONDITION_UNMET },
                { "ConditionPathIsSymbolicLink=/proc/self", UNIT_UNDER_WAY },
                { "ConditionPathIsMountPoint=/proc", UNIT_UNDER_WAY },
                { "ConditionPathIsReadWrite=/tmp", UNIT_UNDER_WAY },
                { "ConditionPathIsEncrypted=/nonexistent", UNIT_CONDITION_UNMET },
                { "ConditionDirectoryNotEmpty=/etc", UNIT_UNDER_WAY },
                { "ConditionDirectoryNotEmpty=/nonexistent", UNIT_CONDITION_UNMET },
                { "ConditionFileNotEmpty=/etc/passwd", UNIT_UNDER_WAY },
                { "ConditionFileNotEmpty=/dev/null", UNIT_CONDITION_UNMET },
                { "ConditionFileIsExecutable=/bin/sh", UNIT_UNDER_WAY },
                { "ConditionFileIsExecutable=/etc/passwd", UNIT_CONDITION_UNMET },
                { "ConditionUser=!4294967", UNIT_UNDER_WAY },
                { "ConditionGroup=!nonexistent", UNIT_UNDER_WAY },
                { "ConditionHost=*", UNIT_UNDER_WAY },
                { "ConditionHost=nonexistent", UNIT_CONDITION_UNMET },
                { "ConditionKernelVersion=>= 2.6", UNIT_UNDER_WAY },
                { "ConditionKernelVersion=>2.6 <2.7", UNIT_CONDITION_UNMET },
                { "ConditionKernelVersion=*", UNIT_UNDER_WAY },
                { "ConditionVersion=glibc >= 2.17", UNIT_UNDER_WAY },
                { "ConditionKernelCommandLine=!nonexistent", UNIT_UNDER_WAY },
                { "ConditionKernelModuleLoaded=!nonexistent", UNIT_UNDER_WAY },
                { "ConditionArchitecture=native", UNIT_UNDER_WAY },
                { "ConditionArchitecture=vax", UNIT_CONDITION_UNMET },
                { "ConditionVirtualization=!nonexistent", UNIT_UNDER_WAY },
                { "ConditionFirstBoot=no", UNIT_UNDER_WAY },
                { "ConditionEnvironment=HOME", UNIT_UNDER_WAY },
                { "ConditionEnvironment=HOME=/here", UNIT_UNDER_WAY },
                { "ConditionEnvironment=HOME=/there", UNIT_CONDITION_UNMET },
                { "ConditionACPower=yes", UNIT_UNDER_WAY },
                { "ConditionCapability=!CAP_NONSENSE", UNIT_CONDITION_UNMET },
                { "ConditionCapability=!62", UNIT_UNDER_WAY },
                { "ConditionSecurity=!nonexistent", UNIT_UNDER_WAY },
                { "ConditionCredential=foo", UNIT_CONDITION_UNMET },
                { "ConditionControlGroupController=nonexistent", UNIT_CONDITION_UNMET },
                { "ConditionMemory=1M", UNIT_UNDER_WAY },
                { "ConditionMemory=<1M", UNIT_CONDITION_UNMET },
                { "ConditionMemory=lots", UNIT_CONDITION_UNMET },
                { "ConditionCPUs=>=1", UNIT_UNDER_WAY },
                { "ConditionCPUs=>100000", UNIT_CONDITION_UNMET },
                { "ConditionCPUFeature=nonexistent", UNIT_CONDITION_UNMET },
                { "ConditionOSRelease=ID=nonexistent", UNIT_CONDITION_UNMET },
                { "ConditionOSRelease=ID!=nonexistent", UNIT_UNDER_WAY },
                { "ConditionMemoryPressure=100%", UNIT_UNDER_WAY },
                { "ConditionCPUPressure=100%/1min", UNIT_UNDER_WAY },
                { "ConditionIOPressure=x", UNIT_CONDITION_UNMET },
                { "ConditionNeedsUpdate=/nonsense", UNIT_CONDITION_UNMET },
        };

        setenv("HOME", "/here", 1);
        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                cr_expect(eq(int, check(cases[i].lines), cases[i].answer), "%s", cases[i].lines);
}

static void write_below_sys(const char *folder, const char *name, const char *text) {
        cleanup_free_ char *path = NULL;
        FILE *file;

        for (size_t i = strlen("/sys/"); folder[i - 1]; i++)
                if (folder[i] == '/' || !folder[i]) {
                        cleanup_free_ char *parent = strndup(folder, i);

                        cr_assert(mkdir(parent, 0755) == 0 || errno == EEXIST, "%s", parent);
                }
        cr_assert(eq(int, text_format(&path, "%s/%s", folder, name), 0));
        file = fopen(path, "we");
        cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

/* AppArmor is asked itself: securityfs may not be mounted. */
Test(condition, security_modules_are_asked) {
        if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
            mount("test", "/sys", "tmpfs", 0, NULL) < 0)
                cr_skip_test("no mount namespace can be made here");
        cr_expect(eq(int, check("ConditionSecurity=apparmor"), UNIT_CONDITION_UNMET));
        write_below_sys("/sys/module/apparmor/parameters", "enabled", "N\n");
        write_below_sys("/sys/kernel/security", "lsm", "lockdown,apparmor,selinux");
        cr_expect(eq(int, check("ConditionSecurity=apparmor"), UNIT_CONDITION_UNMET));
        cr_expect(eq(int, check("ConditionSecurity=selinux"), UNIT_CONDITION_UNMET));
        cr_expect(eq(int, check("ConditionSecurity=lockdown"), UNIT_UNDER_WAY));
        cr_expect(eq(int, check("ConditionSecurity=tomoyo"), UNIT_CONDITION_UNMET));
        cr_assert(eq(int, unlink("/sys/kernel/security/lsm"), 0));
        write_below_sys("/sys/module/apparmor/parameters", "enabled", "Y\n");
        cr_expect(eq(int, check("ConditionSecurity=apparmor"), UNIT_UNDER_WAY));
}

/* As any user: a user without an entry in /etc/passwd has no name. */
Test(condition, users_and_groups_by_name) {
        const struct passwd *user = getpwuid(getuid());
        const struct group *group = getgrgid(getgid());
        cleanup_free_ char *lines = NULL;

        cr_assert(eq(int, check("ConditionUser=sys"), UNIT_CONDITION_UNMET));
        cr_assert(eq(int, check("ConditionUser=no-such-user"), UNIT_CONDITION_UNMET));
        cr_assert(eq(int, check("ConditionGroup=no-such-group"), UNIT_CONDITION_UNMET));
        if (!user || !group)
                return;
        cr_assert(eq(int, text_format(&lines, "ConditionUser=%s\nConditionGroup=%s", user->pw_name, group->gr_name), 0));
        cr_assert(eq(int, check(lines), UNIT_UNDER_WAY));
}

Test(condition, results_are_kept_and_looking_stops_at_the_first_that_fails) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const UnitCondition *condition;
        Unit *unit;

        file_write(world, "a/x.target",
                   "[Unit]\nConditionPathExists=/bin\nConditionPathExists=!/bin\nConditionPathExists=/usr\nAssertPathExists=/x\n");
        unit = file_load(world, "x.target");
        cr_assert(eq(int, unit_file_check_conditions(unit), UNIT_CONDITION_UNMET));
        cr_assert(eq(int, unit->condition_result, -1));
        cr_assert(eq(int, unit->assert_result, 0));
        condition = unit->settings.rare->conditions;
        assert_string(condition->directive, "ConditionPathExists");
        cr_assert(eq(uint, condition->line, 2));
        cr_assert(eq(int, condition->result, 1));
        cr_assert(eq(int, condition->next->result, -1));
        cr_assert(eq(int, condition->next->next->result, 0));
}

/* "1 -1 0": the result of each, and of all; then those of the assertions. */
static void write_results(const Unit *unit, Text *text) {
        for (const UnitCondition *check = unit->settings.rare->conditions; check; check = check->next)
                text_addf(text, "%d ", check->result);
        text_addf(text, "all %d, assertions %d", unit->condition_result, unit->assert_result);
}

Test(condition, results_are_restored_from_the_list_of_the_unmet) {
        static const struct {
                const char *lines, *unmet;
        } cases[] = {
                { "ConditionPathExists=/bin\nConditionPathExists=/no\nConditionPathExists=/usr", "ConditionPathExists=/no" },
                { "ConditionPathExists=|/no/xy\nConditionPathExists=|/no/x",
                  "ConditionPathExists=|/no/xy, ConditionPathExists=|/no/x" },
                { "ConditionPathExists=|/no/x\nConditionPathExists=|/no/xy",
                  "ConditionPathExists=|/no/x, ConditionPathExists=|/no/xy" },
                { "ConditionPathExists=!/bin", "ConditionPathExists=!/bin" },
                { "ConditionPathExists=/bin\nAssertPathExists=/bin\nAssertPathExists=/no", "AssertPathExists=/no" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_(text_deinit) Text text = {}, before = {}, after = {};
                UnitAnswer answer;
                char unmet[256];
                Unit *unit;

                text_addf(&text, "[Unit]\n%s\n", cases[i].lines);
                file_write(world, "a/x.target", text.string);
                unit = file_load(world, "x.target");
                answer = unit_file_check_conditions(unit);
                assert_string(unit_list_unmet(unit, unmet, sizeof(unmet)), cases[i].unmet);
                write_results(unit, &before);
                file_world_restart(world);
                unit = file_load(world, "x.target");
                assert_null(unit_list_unmet(unit, unmet, sizeof(unmet)));
                cr_assert(unit_restore_unmet(unit, answer, cases[i].unmet, (UnitTimestamp) { 1, 2 }));
                write_results(unit, &after);
                assert_string(after.string, before.string);
                assert_string(unit_list_unmet(unit, unmet, sizeof(unmet)), cases[i].unmet);
        }
}

Test(condition, results_of_other_conditions_are_not_restored) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "a/x.target", "[Unit]\nConditionPathExists=/no/x\n");
        unit = file_load(world, "x.target");
        cr_assert(not(unit_restore_unmet(unit, UNIT_CONDITION_UNMET, "ConditionPathExists=/no/xy",
                                         (UnitTimestamp) { 1, 2 })));
        cr_assert(not(unit_restore_unmet(unit, UNIT_ASSERT_UNMET, "ConditionPathExists=/no/x",
                                         (UnitTimestamp) { 1, 2 })));
        cr_assert(eq(int, unit->condition_result, 0));
        cr_assert(eq(u64, unit->conditions_checked.monotonic, 0));
}

Test(condition, versions_are_compared_as_people_do) {
        static const struct {
                const char *a, *b;
                int order;
        } cases[] = {
                { "1", "1", 0 }, { "1.2", "1.10", -1 }, { "1.0", "1", 1 }, { "6.1.0-rc1", "6.1.0-1", -1 },
                { "1~rc1", "1", -1 }, { "1-2", "1.2", -1 }, { "1^1", "1", 1 }, { "010", "10", 0 }, { "a", "1", -1 },
                { "5.10.0-8-amd64", "5.10.0-10-amd64", -1 },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                int order = compare_versions(cases[i].a, cases[i].b);

                cr_expect(eq(int, (order > 0) - (order < 0), cases[i].order), "%s %s", cases[i].a, cases[i].b);
                order = compare_versions(cases[i].b, cases[i].a);
                cr_expect(eq(int, (order > 0) - (order < 0), -cases[i].order));
        }
}
