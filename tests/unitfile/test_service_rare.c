/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What few services say in [Service], and that the others have none of it
 */

#include <signal.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "file_world.h"

static const ServiceRareSettings *load(FileWorld *world, const char *name, const char *lines) {
        const ServiceSettings *service = file_service(file_load_service(world, name, lines));

        cr_assert(service != NULL, "%s", lines);
        return service_settings_rare(service);
}

Test(service_rare, plain_service_pays_nothing) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        assert_null(file_service(file_load_service(world, "a.service", "Restart=always"))->rare);
        assert_null(file_service(file_load_service(world, "b.service", "RestartSteps=0"))->rare);
        assert_not_null(file_service(file_load_service(world, "c.service", "RestartSteps=1"))->rare);
}

Test(service_rare, restart) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ServiceRareSettings *rare;

        rare = load(world, "a.service", "RestartSteps=5\nRestartMaxDelaySec=1min\nRestartJitter=20%\nRestartResetSec=1h\n"
                                        "RestartMode=direct");
        cr_assert(eq(u32, rare->restart_steps, 5));
        cr_assert(eq(u64, rare->restart_max_delay, 60 * USEC_PER_SEC));
        cr_assert(eq(u32, rare->restart_jitter_percent, 20));
        cr_assert(eq(u64, rare->restart_reset, 3600 * USEC_PER_SEC));
        cr_assert(eq(int, rare->restart_mode, SERVICE_RESTART_DIRECT));
        rare = load(world, "b.service", "RestartJitter=20%\nRestartJitter=3");
        cr_assert(eq(u32, rare->restart_jitter_percent, 0));
        cr_assert(eq(u64, rare->restart_jitter, 3 * USEC_PER_SEC));
        load(world, "c.service", "RestartJitter=120%");
        assert_said(world, "RestartJitter: '120%' is not a share between 0% and 100%");
        load(world, "d.service", "RestartSteps=5");
        assert_said(world, "RestartSteps: This setting has no effect without RestartMaxDelaySec=.");
        load(world, "e.service", "RestartMaxDelaySec=5");
        assert_said(world, "RestartMaxDelaySec: This setting has no effect without RestartSteps=.");
        load(world, "f.service", "RestartMaxDelaySec=5\nRestartSteps=3\nRestartSec=10");
        assert_said(world, "RestartMaxDelaySec: The value is less than RestartSec=; the setting has no effect.");
}

Test(service_rare, time_limits) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ServiceRareSettings *rare;

        rare = load(world, "a.service", "TimeoutStartFailureMode=abort\nTimeoutStopFailureMode=kill\n"
                                        "RuntimeRandomizedExtraSec=5\nReloadSignal=SIGUSR1\nReloadLimitIntervalSec=10\n"
                                        "ReloadLimitBurst=2");
        cr_assert(eq(int, rare->timeout_start_mode, SERVICE_TIMEOUT_ABORT));
        cr_assert(eq(int, rare->timeout_stop_mode, SERVICE_TIMEOUT_KILL));
        cr_assert(eq(u64, rare->runtime_extra, 5 * USEC_PER_SEC));
        cr_assert(eq(int, rare->reload_signal, SIGUSR1));
        cr_assert(eq(u64, rare->reload_limit_interval, 10 * USEC_PER_SEC));
        cr_assert(eq(u32, rare->reload_limit_burst, 2));
        load(world, "b.service", "Type=oneshot\nRuntimeMaxSec=5");
        assert_said(world, "RuntimeMaxSec: This setting has no effect with Type=oneshot");
}

Test(service_rare, stored_descriptors) {
        static const struct {
                const char *value;
                ServiceFdPreserve preserve;
        } cases[] = {
                { "yes", SERVICE_FDS_YES },
                { "true", SERVICE_FDS_YES },
                { "no", SERVICE_FDS_NO },
                { "restart", SERVICE_FDS_RESTART },
                { "", SERVICE_FDS_RESTART },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_free_ char *lines = NULL;
                const ServiceRareSettings *rare;

                cr_assert(eq(int, text_format(&lines, "FileDescriptorStoreMax=7\nFileDescriptorStorePreserve=%s",
                                              cases[i].value), 0));
                rare = load(world, "a.service", lines);
                cr_assert(eq(u32, rare->fd_store_max, 7));
                cr_assert(eq(int, rare->fd_store_preserve, cases[i].preserve));
        }
}

Test(service_rare, probes) {
        static const struct {
                const char *lines, *command, *target;
        } cases[] = {
                { "ReadinessExec=/bin/x a", "/bin/x a", NULL },
                { "ReadinessTCP=80", "jobd-probe tcp 127.0.0.1 80", "TCP 127.0.0.1:80" },
                { "ReadinessTCP=:80", "jobd-probe tcp 127.0.0.1 80", "TCP 127.0.0.1:80" },
                { "ReadinessTCP=localhost:80", "jobd-probe tcp localhost 80", "TCP localhost:80" },
                { "ReadinessTCP=[::1]:80", "jobd-probe tcp ::1 80", "TCP [::1]:80" },
                { "ReadinessHTTP=http://localhost", "jobd-probe http localhost 80 /", "HTTP http://localhost" },
                { "ReadinessHTTP=http://[::1]:8080/a?b=c", "jobd-probe http ::1 8080 /a?b=c",
                  "HTTP http://[::1]:8080/a?b=c" },
                { "ReadinessTCP=80\nReadinessTCP=\nReadinessTCP=81", "jobd-probe tcp 127.0.0.1 81", "TCP 127.0.0.1:81" },
                { "ReadinessTCP=80\nReadinessExec=\nReadinessExec=/bin/x", "/bin/x", NULL },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_free_ char *command = NULL;
                const ServiceProbe *probe = &load(world, "a.service", cases[i].lines)->probes[SERVICE_PROBE_READINESS];

                assert_not_null(probe->command);
                cr_assert(eq(int, strv_join(probe->command->argv, " ", &command), 0));
                assert_string(command, cases[i].command);
                cr_assert(text_equal(probe->target, cases[i].target), "%s", probe->target);
                cr_assert(eq(u64, service_probe_interval(probe, SERVICE_PROBE_READINESS), USEC_PER_SEC));
        }
}

Test(service_rare, times_of_probes) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ServiceProbe *probe;

        probe = &load(world, "a.service", "LivenessTCP=1\nLivenessIntervalSec=1\nLivenessTimeoutSec=2\n"
                                          "LivenessStartPeriodSec=3\nLivenessThreshold=4")->probes[SERVICE_PROBE_LIVENESS];
        cr_assert(eq(u64, service_probe_interval(probe, SERVICE_PROBE_LIVENESS), USEC_PER_SEC));
        cr_assert(eq(u64, service_probe_timeout(probe), 2 * USEC_PER_SEC));
        cr_assert(eq(u64, probe->start_period, 3 * USEC_PER_SEC));
        cr_assert(eq(u32, service_probe_threshold(probe, SERVICE_PROBE_LIVENESS), 4));
}

Test(service_rare, bus_names) {
        static const char *const good[] = { "a.b", "org.example.A-b_c9" };
        static const char *const bad[] = { "a", ".a.b", "a..b", "a.b.", "a.9", ":1.2", "a.b c" };

        for (size_t i = 0; i < ELEMENTSOF(good); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_free_ char *lines = NULL;

                cr_assert(eq(int, text_format(&lines, "BusName=%s", good[i]), 0));
                assert_string(load(world, "a.service", lines)->bus_name, good[i]);
        }
        for (size_t i = 0; i < ELEMENTSOF(bad); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_free_ char *lines = NULL;

                cr_assert(eq(int, text_format(&lines, "BusName=%s", bad[i]), 0));
                assert_null(load(world, "a.service", lines)->bus_name);
                assert_said(world, "is not a name on a message bus such as org.example.Thing");
        }
}

Test(service_rare, bus_is_required_where_it_is_a_unit) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        cleanup_(file_world_freep) FileWorld *without = file_world_new();
        Unit *unit;

        file_write(world, "a/dbus.socket", "[Socket]\nListenStream=/run/bus\n");
        unit = file_load_service(world, "x.service", "Type=dbus\nBusName=a.b");
        cr_assert(strstr(file_relations(unit, UNIT_REQUIRES), "dbus.socket") != NULL);
        cr_assert(strstr(file_relations(unit, UNIT_AFTER), "dbus.socket") != NULL);
        unit = file_load_service(without, "x.service", "Type=dbus\nBusName=a.b");
        cr_assert(strstr(file_relations(unit, UNIT_REQUIRES), "dbus.socket") == NULL);
        cr_assert(strstr(file_relations(unit, UNIT_AFTER), "dbus.socket") != NULL);
}
