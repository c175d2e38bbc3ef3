/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks of service units
 *
 * Rules between settings, and defaults that depend on other settings. They are
 * systemd's.
 */

#include <errno.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/unit_draft.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

static int check_commands(UnitDraft *draft) {
        const ServiceSettings *service = unit_draft_service(draft);
        const ExecCommand *start = service->commands[SERVICE_EXEC_START];
        const char *fragment = draft->state->sources.fragment;

        /* A unit whose only purpose is to shut the machine down when it is reached. */
        if (!start && draft->rare->success_action != UNIT_ACTION_NONE && service->type == SERVICE_ONESHOT)
                return 0;
        if (!start && !service->commands[SERVICE_EXEC_STOP])
                return unit_draft_refuse(draft, fragment, 0, "ExecStart",
                                         "The service has neither ExecStart= nor ExecStop=.");
        if (!start && service->type != SERVICE_ONESHOT)
                return unit_draft_refuse(draft, fragment, 0, "ExecStart",
                                         "A service without ExecStart= must have Type=oneshot.");
        if (!start && !service->remain_after_exit)
                return unit_draft_refuse(draft, fragment, 0, "ExecStart",
                                         "A service without ExecStart= must have RemainAfterExit=yes.");
        if (start && start->next && service->type != SERVICE_ONESHOT)
                return unit_draft_refuse(draft, start->next->file, start->next->line, "ExecStart",
                                         "A second command is only possible with Type=oneshot.");
        return 0;
}

static int check_restart(UnitDraft *draft) {
        const ServiceSettings *service = unit_draft_service(draft);

        if (service->type != SERVICE_ONESHOT)
                return 0;
        if (service->exit_type_cgroup)
                return unit_draft_refuse(draft, draft->state->sources.fragment, 0, "ExitType",
                                         "'cgroup' is not possible with Type=oneshot.");
        if (service->restart == SERVICE_RESTART_ALWAYS || service->restart == SERVICE_RESTART_ON_SUCCESS)
                return unit_draft_refuse(draft, draft->state->sources.fragment, 0, "Restart",
                                         "'%s' is not possible with Type=oneshot, which would never end.",
                                         service_restart_to_string(service->restart));
        return 0;
}

static int check_dbus(UnitDraft *draft) {
        const ServiceSettings *service = unit_draft_service(draft);

        if (service->type != SERVICE_DBUS || service_settings_rare(service)->bus_name)
                return 0;
        return unit_draft_refuse(draft, draft->state->sources.fragment, 0, "BusName",
                                 "This setting is missing: with Type=dbus the service is active once it owns this "
                                 "name.");
}

static int check_notify_fd(UnitDraft *draft) {
        const ServiceSettings *service = unit_draft_service(draft);

        if (service_settings_rare(service)->notify_fd == 0 || service->type == SERVICE_NOTIFY ||
            service->type == SERVICE_NOTIFY_RELOAD)
                return 0;
        return unit_draft_refuse(draft, draft->state->sources.fragment, 0, "NotifyFd",
                                 "This setting needs Type=notify or notify-reload, not '%s'.",
                                 service_type_to_string(service->type));
}

static int check_probe(UnitDraft *draft, const ServiceProbe *probe, const char *kind) {
        const ServiceSettings *service = unit_draft_service(draft);

        if (!probe->command)
                return 0;
        if (probe->command->next)
                return unit_draft_refuse(draft, probe->command->next->file, probe->command->next->line, NULL,
                                         "Only one of %sExec=, %sTCP= and %sHTTP= is possible.", kind, kind, kind);
        if (service->type == SERVICE_ONESHOT)
                return unit_draft_refuse(draft, probe->command->file, probe->command->line, NULL,
                                         "A service with Type=oneshot cannot have a probe (%s…=).", kind);
        return 0;
}

static int check_rare(UnitDraft *draft) {
        const ServiceRareSettings *rare = service_settings_rare(unit_draft_service(draft));
        int r = check_dbus(draft);

        if (r == 0 && !draft->is_broken)
                r = check_notify_fd(draft);
        if (r == 0 && !draft->is_broken)
                r = check_probe(draft, &rare->probes[SERVICE_PROBE_READINESS], "Readiness");
        if (r == 0 && !draft->is_broken)
                r = check_probe(draft, &rare->probes[SERVICE_PROBE_LIVENESS], "Liveness");
        return r;
}

/* Warns about settings without effect. */
static void tell_useless(const UnitDraft *draft) {
        const ServiceSettings *service = unit_draft_service(draft);
        const ServiceRareSettings *rare = service_settings_rare(service);
        const char *file = draft->state->sources.fragment;

        if (rare->restart_max_delay > 0 && rare->restart_steps == 0)
                unit_draft_report(draft, UNIT_FILE_WARNING, file, 0, "RestartMaxDelaySec",
                                  "This setting has no effect without RestartSteps=.");
        else if (rare->restart_steps > 0 && rare->restart_max_delay == 0)
                unit_draft_report(draft, UNIT_FILE_WARNING, file, 0, "RestartSteps",
                                  "This setting has no effect without RestartMaxDelaySec=.");
        else if (rare->restart_max_delay > 0 && rare->restart_max_delay < service->restart_usec)
                unit_draft_report(draft, UNIT_FILE_WARNING, file, 0, "RestartMaxDelaySec",
                                  "The value is less than RestartSec=; the setting has no effect.");
        if (service->type == SERVICE_ONESHOT && service->runtime_max != USEC_INFINITY)
                unit_draft_report(draft, UNIT_FILE_WARNING, file, 0, "RuntimeMaxSec",
                                  "This setting has no effect with Type=oneshot; use TimeoutStartSec=.");
}

static bool needs_to_be_heard(const UnitDraft *draft) {
        const ServiceSettings *service = unit_draft_service(draft);

        return service->type == SERVICE_NOTIFY || service->type == SERVICE_NOTIFY_RELOAD || service->watchdog > 0 ||
               draft->service_rare.fd_store_max > 0;
}

/* Sets Type= if no file does. */
static void settle_type(UnitDraft *draft) {
        ServiceSettings *service = unit_draft_service(draft);

        if (service->has_type)
                return;
        if (draft->service_rare.bus_name)
                service->type = SERVICE_DBUS;
        else if (!service->commands[SERVICE_EXEC_START])
                service->type = SERVICE_ONESHOT;
        else if (draft->service_rare.notify_fd > 0)
                service->type = SERVICE_NOTIFY;
}

static void settle_defaults(UnitDraft *draft) {
        ServiceSettings *service = unit_draft_service(draft);

        settle_type(draft);
        if (service->type == SERVICE_ONESHOT && !service->has_timeout_start)
                service->timeout_start = USEC_INFINITY;
        if (!service->has_timeout_abort)
                service->timeout_abort = service->timeout_stop;
        if (needs_to_be_heard(draft) &&
            (!service->has_notify_access || service->notify_access == SERVICE_NOTIFY_NONE))
                service->notify_access = SERVICE_NOTIFY_MAIN;
        if (service->kill.mode == KILL_MODE_NONE)
                unit_draft_report(draft, UNIT_FILE_WARNING, draft->state->sources.fragment, 0, "KillMode",
                                  "'none' leaves processes behind that jobd does not manage.");
}

static int check(UnitDraft *draft) {
        int r;

        settle_defaults(draft);
        r = service_rare_settings_take(&draft->service_rare, &unit_draft_service(draft)->rare);
        if (r < 0)
                return r;
        tell_useless(draft);
        /* The unit was refused already, and a second message would hide the first. */
        if (draft->is_broken)
                return 0;
        r = check_commands(draft);
        if (r == 0 && !draft->is_broken)
                r = check_restart(draft);
        return r < 0 || draft->is_broken ? r : check_rare(draft);
}

/* A bus that is no unit here (a session's, or one of systemd's) is not waited for. */
static int add_implied(UnitDraft *draft) {
        static const char bus[] = "dbus.socket";
        const char *file = draft->state->sources.fragment ? draft->state->sources.fragment : "";
        int r = 0;

        if (unit_draft_service(draft)->type != SERVICE_DBUS)
                return 0;
        if (name_map_find(draft->loader->names, bus))
                r = unit_draft_add_relation(draft, UNIT_REQUIRES, bus, file, 0, "Type=dbus");
        return r < 0 ? r : unit_draft_add_relation(draft, UNIT_AFTER, bus, file, 0, "Type=dbus");
}

DEFINE_SETTINGS_NEW(ServiceSettings, service_settings)

static bool can_reload(const void *settings) {
        return service_settings_can_reload(settings);
}

static usec_t limit(const void *settings, bool is_stop) {
        const ServiceSettings *service = settings;

        return is_stop ? service->timeout_stop : service->timeout_start;
}

const DraftType service_draft_type = {
        .has_settings = true,
        .settings = {
                .make = make_service_settings,
                .size = sizeof(ServiceSettings),
                .release = release_service_settings,
                .exec = offsetof(ServiceSettings, exec),
                .kill = offsetof(ServiceSettings, kill),
                .resources = offsetof(ServiceSettings, resources),
        },
        .can_reload = can_reload,
        .limit = limit,
        .check = check,
        .add_defaults = unit_draft_add_usual_defaults,
        .add_implied = add_implied,
};
