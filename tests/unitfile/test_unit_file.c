/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From files to units: sections, relations, errors with their place.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "file_world.h"

Test(unit_file, a_service_is_read) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        world->options.no_default_dependencies = true;
        file_world_restart(world);
        file_write(world, "a/x.service",
                   "\xEF\xBB\xBF[Unit]\r\nDescription = The X of %p\r\nDocumentation=man:x(1) https://x\r\n"
                   "Requires=b.service \\\r\n  c.service\r\nAfter=b.service\r\nJobTimeoutSec=5\r\nJobPriority=-3\r\n"
                   "RestartOnDependency=yes\r\n[Service]\r\nExecStart=/bin/x 'a b' %n\r\n[Install]\r\nWantedBy=y.target\r\n");
        unit = file_load(world, "x.service");
        cr_assert(eq(int, unit->load_state, UNIT_LOADED));
        assert_string(unit->settings.description, "The X of x");
        assert_string(unit->settings.rare->documentation[1], "https://x");
        assert_string(unit->settings.rare->wanted_by[0], "y.target");
        cr_assert(eq(u64, unit->settings.job_timeout, 5 * USEC_PER_SEC));
        cr_assert(eq(u64, unit->settings.job_running_timeout, 5 * USEC_PER_SEC));
        cr_assert(eq(int, unit->settings.job_priority, -3));
        cr_assert(unit->settings.restart_on_dependency);
        assert_string(file_relations(unit, UNIT_REQUIRES), "b.service c.service");
        assert_string(file_origin(world, unit, UNIT_REQUIRES, "c.service"), "a/x.service:4");
        assert_string(file_origin(world, unit, UNIT_AFTER, "b.service"), "a/x.service:6");
        cr_assert(eq(int, unit_table_find(world->table, "b.service")->load_state, UNIT_NOT_FOUND));
        assert_string(failure_message(&unit_table_find(world->table, "b.service")->load_failure),
                      "Unit b.service not found.");
        assert_string(file_said(world), "");
}

Test(unit_file, a_unit_that_is_not_there_has_others_of_its_name) {
        static const struct {
                const char *name, *failure;
        } cases[] = {
                { "backup.service", "Unit backup.service not found (did you mean backup.flow?)." },
                { "x.path", "Unit x.path not found (did you mean x.service or x.timer?)." },
                { "many@one.service", "Unit many@one.service not found (did you mean many@one.flow?)." },
                { "other.service", "Unit other.service not found (did you mean other.flow?)." },
                { "masked.service", "Unit masked.service not found." },
                { "reboot.service", "Unit reboot.service not found (did you mean reboot.target?)." },
                { "gone.service", "Unit gone.service not found." },
                { "back.service", "Unit back.service not found." },
        };
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/backup.flow", "[Node a]\nExec=/bin/true\n");
        file_write(world, "a/many@.flow", "[Node a]\nExec=/bin/true\n");
        file_write(world, "b/x.timer", "[Timer]\nOnBootSec=1\n");
        file_write(world, "a/x.service", "[Service]\nExecStart=/bin/true\n");
        file_link(world, "a/other.flow", "backup.flow");
        file_link(world, "a/masked.flow", "/dev/null");
        file_link(world, "a/gone.flow", "nowhere.flow");
        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                assert_string(failure_message(&file_load(world, cases[i].name)->load_failure), cases[i].failure);
}

Test(unit_file, every_relation_of_unit_is_read) {
        static const struct {
                const char *directive;
                UnitRelationKind kind;
        } cases[] = {
                { "Requires", UNIT_REQUIRES }, { "Requisite", UNIT_REQUISITE }, { "Wants", UNIT_WANTS },
                { "BindsTo", UNIT_BINDS_TO }, { "PartOf", UNIT_PART_OF }, { "Upholds", UNIT_UPHOLDS },
                { "Conflicts", UNIT_CONFLICTS }, { "Before", UNIT_BEFORE }, { "After", UNIT_AFTER },
                { "OnFailure", UNIT_ON_FAILURE }, { "OnSuccess", UNIT_ON_SUCCESS },
                { "PropagatesReloadTo", UNIT_PROPAGATES_RELOAD_TO },
                { "ReloadPropagatedFrom", UNIT_RELOAD_PROPAGATED_FROM },
                { "PropagatesStopTo", UNIT_PROPAGATES_STOP_TO },
                { "StopPropagatedFrom", UNIT_STOP_PROPAGATED_FROM },
                { "JoinsNamespaceOf", UNIT_JOINS_NAMESPACE_OF },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_free_ char *text = NULL;

                world->options.no_default_dependencies = true;
                file_world_restart(world);
                cr_assert(eq(int, text_format(&text, "[Unit]\n%s=y.target\n%s=\n", cases[i].directive, cases[i].directive), 0));
                file_write(world, "a/x.target", text);
                cr_expect(eq(str, (char *) file_relations(file_load(world, "x.target"), cases[i].kind), (char *) "y.target"), "%s",
                          cases[i].directive);
        }
}

Test(unit_file, what_is_unknown_is_a_warning_with_a_suggestion) {
        static const struct {
                const char *text, *said;
        } cases[] = {
                { "[Unit]\nDescripton=x\n", "warning a/x.target:2 Descripton: Unknown directive in [Unit] (did you mean "
                                            "Description=?" },
                { "[Unit]\nZzzzzzzzzzzzzz=x\n", "a/x.target:2 Zzzzzzzzzzzzzz: Unknown directive" },
                { "[Unit]\nWantedBy=x.target\n", "WantedBy: This directive belongs to [Install]" },
                { "[Units]\nDescription=x\n", "a/x.target:1: Unknown section [Units] (did you mean [Unit]?)" },
                { "[Service]\nExecStart=x\n", "a/x.target:1: Unknown section [Service]" },
                { "Description=x\n", "a/x.target:1: The line is not in a section" },
                { "[Unit]\nDescription\n", "a/x.target:2: The line is neither a section header nor an assignment" },
                { "[Unit]\n=x\n", "a/x.target:2: The line has no name" },
                { "[Unit]\nAllowIsolate=maybe\n", "a/x.target:2 AllowIsolate: 'maybe' is neither 'yes' nor 'no'" },
                { "[Unit]\nJobTimeoutSec=soon\n", "a/x.target:2 JobTimeoutSec: 'soon' is not a time span" },
                { "[Unit]\nAfter=y\n", "a/x.target:2 After: 'y' is not a unit name (its type is missing" },
                { "[Unit]\nAfter=%z.target\n", "a/x.target:2 After: In '%z.target': unknown specifier '%z'" },
                { "[Unit]\nDescription=100%\n", "a/x.target:2 Description: In '100%': a single '%'" },
                { "[Unit]\nOnFailureJobMode=hard\n", "OnFailureJobMode: 'hard' is not a job mode" },
                { "[Unit]\nConditionPathExists=x\n", "ConditionPathExists: 'x' is not an absolute path" },
                { "[Unit]\nFailureAction=explode\n", "FailureAction: 'explode' is none of" },
                { "[Unit]\nSurviveFinalKillSignal=yes\n", "SurviveFinalKillSignal: This directive is not supported" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();

                file_write(world, "a/x.target", cases[i].text);
                cr_expect(eq(int, file_load(world, "x.target")->load_state, UNIT_LOADED));
                assert_said(world, cases[i].said);
        }
}

Test(unit_file, x_sections_and_directives_are_silent) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/x.target", "[Unit]\nX-Foo=1\n[X-Bar]\nwhatever\nFoo=1\n");
        file_load(world, "x.target");
        assert_string(file_said(world), "");
}

Test(unit_file, a_broken_file_is_refused_with_file_line_and_setting) {
        static const struct {
                const char *lines, *failure;
        } cases[] = {
                { "ExecStart=foo/bar", "a/x.service:2: ExecStart=: 'foo/bar' is neither an absolute path" },
                { "ExecStart=/bin/", "a/x.service:2: ExecStart=: '/bin/' is a directory" },
                { "ExecStart=/bin/x 'a", "a/x.service:2: ExecStart=: ''a' has an unclosed quote" },
                { "ExecStart=--/bin/x", "a/x.service:2: ExecStart=: The prefixes of" },
                { "ExecStart=@/bin/x", "a/x.service:2: ExecStart=: With '@' the program" },
                { "ExecStart=/a\nExecStart=/b", "a/x.service:3: ExecStart=: A second command is only possible" },
                { "Type=simple", "a/x.service: ExecStart=: The service has neither" },
                { "ExecStop=/bin/x\nType=simple", "ExecStart=: A service without ExecStart= must" },
                { "ExecStop=/bin/x\nType=oneshot", "must have RemainAfterExit=yes" },
                { "Type=fancy\nExecStart=/bin/x", "a/x.service:2: Type=: 'fancy' is not a type of service" },
                { "Type=dbus\nExecStart=/bin/x", "a/x.service: BusName=: This setting is missing: with Type=dbus" },
                { "NotifyFd=3\nType=simple\nExecStart=/bin/x", "NotifyFd=: This setting needs Type=notify" },
                { "NotifyFd=2\nExecStart=/bin/x", "a/x.service:2: NotifyFd=: '2' is not the number of a descriptor from 3" },
                { "ReadinessTCP=80\nReadinessExec=/bin/y\nExecStart=/bin/x",
                  "a/x.service:3: Only one of ReadinessExec=, ReadinessTCP= and ReadinessHTTP= is possible" },
                { "Type=oneshot\nLivenessTCP=80\nExecStart=/bin/x", "A service with Type=oneshot cannot have a probe" },
                { "LivenessTCP=host:\nExecStart=/bin/x", "'host:' is not of the form PORT or HOST:PORT" },
                { "LivenessTCP=70000\nExecStart=/bin/x", "'70000' is not of the form PORT or HOST:PORT" },
                { "LivenessHTTP=https://a/\nExecStart=/bin/x", "'https://a/' is not possible, only http:// is" },
                { "LivenessHTTP=localhost\nExecStart=/bin/x", "'localhost' is not a URL such as http://127.0.0.1:8080/health" },
                { "TimeoutStopFailureMode=slow\nExecStart=/bin/x", "a/x.service:2: TimeoutStopFailureMode=: 'slow' is none of" },
                { "RestartMode=quick\nExecStart=/bin/x", "a/x.service:2: RestartMode=: 'quick' is none of" },
                { "ReloadSignal=SIGX\nExecStart=/bin/x", "a/x.service:2: ReloadSignal=: 'SIGX' is not a signal" },
                { "Type=oneshot\nExitType=cgroup\nExecStart=/bin/x", "ExitType=: 'cgroup' is not possible with Type=oneshot" },
                { "Type=oneshot\nRestart=always\nExecStart=/bin/x", "Restart=: 'always' is not possible" },
                { "User=a:b\nExecStart=/bin/x", "a/x.service:2: User=: 'a:b' is not the name" },
                { "WorkingDirectory=x\nExecStart=/bin/x", "a/x.service:2: WorkingDirectory=: 'x' is not an absolute" },
                { "UMask=9\nExecStart=/bin/x", "UMask=: '9' is not a mode" },
                { "KillSignal=BANG\nExecStart=/bin/x", "KillSignal=: 'BANG' is not a signal" },
                { "StandardOutput=fd:x\nExecStart=/bin/x", "StandardOutput=: 'fd:x' is not supported" },
                { "RootImage=/x\nExecStart=/bin/x", "a/x.service:2: RootImage=: This directive is not supported" },
                { "PAMName=a/b\nExecStart=/bin/x", "a/x.service:2: PAMName=: 'a/b' is not the name of a PAM service" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_free_ char *text = NULL;
                Unit *unit;

                cr_assert(eq(int, text_format(&text, "[Service]\n%s\n", cases[i].lines), 0));
                file_write(world, "a/x.service", text);
                unit = file_load(world, "x.service");
                cr_expect(eq(int, unit->load_state, UNIT_BAD_SETTING), "case %zu", i);
                file_assert_contains(failure_message(&unit->load_failure), cases[i].failure);
                file_assert_contains(failure_message(&unit->load_failure), "daemon-reload");
                assert_string(unit->load_failure.name, "BadUnitSetting");
                assert_said(world, "error ");
        }
}

Test(unit_file, a_broken_unit_takes_no_other_with_it) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/bad.service", "[Service]\nExecStart=a/b\n");
        file_write(world, "a/x.target", "[Unit]\nWants=bad.service good.target\n");
        file_write(world, "a/good.target", "[Unit]\n");
        cr_assert(eq(int, file_load(world, "x.target")->load_state, UNIT_LOADED));
        cr_assert(eq(int, unit_table_find(world->table, "bad.service")->load_state, UNIT_BAD_SETTING));
        cr_assert(eq(int, unit_table_find(world->table, "good.target")->load_state, UNIT_LOADED));
}

Test(unit_file, a_section_header_without_its_end_is_a_bad_setting) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/x.target", "[Unit\nDescription=x\n");
        cr_assert(eq(int, file_load(world, "x.target")->load_state, UNIT_BAD_SETTING));
        assert_said(world, "a/x.target:1: The section header '[Unit' has no closing ']'");
}

Test(unit_file, what_is_no_text_is_a_bad_setting_with_its_line) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write_bytes(world, "a/nul.target", "[Unit]\nDesc\0x\n", 14);
        file_write(world, "a/utf.target", "[Unit]\nDescription=\xff\n");
        cr_assert(eq(int, file_load(world, "nul.target")->load_state, UNIT_BAD_SETTING));
        file_assert_contains(file_said(world), "a/nul.target:2");
        cr_assert(eq(int, file_load(world, "utf.target")->load_state, UNIT_BAD_SETTING));
        file_assert_contains(file_said(world), "a/utf.target:2");
}

Test(unit_file, lenient_directives_run_without_what_is_not_supported) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        world->options.lenient_directives = true;
        file_world_restart(world);
        file_service(file_load_service(world, "x.service", "PrivateBPF=yes\nPrivatePIDs=no\nType=exec"));
        assert_said(world, "warning a/x.service:3 PrivateBPF: This directive is not supported; the unit runs without it.");
}

Test(unit_file, a_refused_directive_can_be_taken_back) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/x.service.d/no.conf", "[Service]\nPrivateBPF=no\nSystemCallFilter=\n");
        file_service(file_load_service(world, "x.service", "PrivateBPF=yes\nSystemCallFilter=@system-service"));
}

Test(unit_file, a_type_without_a_vtable_is_an_error_only_if_it_has_a_file) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/x.automount", "[Automount]\nWhere=/x\n");
        cr_assert(eq(int, file_load(world, "x.automount")->load_state, UNIT_ERROR));
        file_assert_contains(failure_message(&unit_table_find(world->table, "x.automount")->load_failure),
                             "Unit type automount is not supported by this version.");
        cr_assert(eq(int, file_load(world, "y.automount")->load_state, UNIT_NOT_FOUND));
}

Test(unit_file, a_unit_that_appears_is_found_without_a_reload) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        cr_assert(eq(int, file_load(world, "x.target")->load_state, UNIT_NOT_FOUND));
        file_write(world, "b/x.target", "[Unit]\n");
        cr_assert(eq(int, file_load(world, "x.target")->load_state, UNIT_LOADED));
        file_write(world, "a/y.target", "[Unit]\n");
        cr_assert(eq(int, file_load(world, "y.target")->load_state, UNIT_LOADED));
}

Test(unit_file, built_in_units_are_there_unless_a_file_is) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = file_load(world, "basic.target");

        cr_assert(eq(int, unit->load_state, UNIT_LOADED));
        assert_string(unit->settings.fragment_path, "builtin:basic.target");
        file_assert_contains(file_origin(world, unit, UNIT_REQUIRES, "sysinit.target"), "builtin:basic.target:");
        assert_string(file_said(world), "");

        file_write(world, "b/basic.target", "[Unit]\nDescription=Mine\n");
        file_world_restart(world);
        assert_string(file_load(world, "basic.target")->settings.description, "Mine");
}

Test(unit_file, the_search_path_is_replaced_or_put_in_front) {
        char **path = NULL;

        unsetenv("JOBD_UNIT_PATH");
        cr_assert(eq(int, unit_file_search_path(false, false, "/x:/y", &path), 0));
        assert_string(path[1], "/y");
        assert_null(path[2]);
        strv_free(path);
        cr_assert(eq(int, unit_file_search_path(false, true, "/x:", &path), 0));
        assert_string(path[0], "/x");
        assert_string(path[1], "/etc/jobd/system.control");
        assert_string(path[3], "/etc/jobd/system");
        assert_string(path[7], "/etc/systemd/system.control");
        assert_string(path[9], "/etc/systemd/system");
        strv_free(path);
        setenv("JOBD_UNIT_PATH", "/z", 1);
        cr_assert(eq(int, unit_file_search_path(true, false, NULL, &path), 0));
        assert_string(path[0], "/z");
        assert_null(path[1]);
        strv_free(path);
}

Test(unit_file, a_scope_has_no_file_and_that_of_the_manager_needs_none) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/x.scope", "[Scope]\nTimeoutStopSec=1\n");
        cr_assert(eq(int, file_load(world, "x.scope")->load_state, UNIT_BAD_SETTING));
        assert_said(world, "A scope cannot have a unit file");
        cr_assert(eq(int, file_load(world, "y.scope")->load_state, UNIT_NOT_FOUND));
        cr_assert(eq(int, file_load(world, "init.scope")->load_state, UNIT_LOADED));
}
