/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is a service complete?
 *
 * What no single line can tell: rules between settings, and defaults that
 * hang on other settings. They are systemd's.
 */

#include <errno.h>

#include "unit/file/unit_draft.h"

static int check_commands(UnitDraft *draft) {
        const ServiceSettings *service = unit_draft_service(draft);
        const ExecCommand *start = service->commands[SERVICE_EXEC_START];
        const char *fragment = draft->state->sources.fragment;

        if (!start && !service->commands[SERVICE_EXEC_STOP])
                return unit_draft_refuse(draft, fragment, 0, "ExecStart", "The service has neither this nor ExecStop=.");
        if (!start && service->type != SERVICE_ONESHOT)
                return unit_draft_refuse(draft, fragment, 0, "ExecStart",
                                         "The service has none, which is only possible with Type=oneshot.");
        if (!start && !service->remain_after_exit)
                return unit_draft_refuse(draft, fragment, 0, "ExecStart",
                                         "The service has none, which is only possible with RemainAfterExit=yes.");
        if (start && start->next && service->type != SERVICE_ONESHOT)
                return unit_draft_refuse(draft, start->next->file, start->next->line, "ExecStart",
                                         "This is a second one, which is only possible with Type=oneshot.");
        return 0;
}

static int check_restart(UnitDraft *draft) {
        const ServiceSettings *service = unit_draft_service(draft);

        if (service->type != SERVICE_ONESHOT)
                return 0;
        if (service->restart == SERVICE_RESTART_ALWAYS || service->restart == SERVICE_RESTART_ON_SUCCESS)
                return unit_draft_refuse(draft, draft->state->sources.fragment, 0, "Restart",
                                         "'%s' is not possible with Type=oneshot, which would never end.",
                                         service_restart_to_string(service->restart));
        return 0;
}

static void settle_defaults(UnitDraft *draft) {
        ServiceSettings *service = unit_draft_service(draft);

        if (!draft->has_service_type && !service->commands[SERVICE_EXEC_START])
                service->type = SERVICE_ONESHOT;
        if (service->type == SERVICE_ONESHOT && !service->has_timeout_start)
                service->timeout_start = USEC_INFINITY;
        if (!service->has_timeout_abort)
                service->timeout_abort = service->timeout_stop;
        if ((service->type == SERVICE_NOTIFY || service->watchdog > 0) &&
            (!service->has_notify_access || service->notify_access == SERVICE_NOTIFY_NONE))
                service->notify_access = SERVICE_NOTIFY_MAIN;
        if (service->kill.mode == KILL_MODE_NONE)
                unit_draft_report(draft, UNIT_FILE_WARNING, draft->state->sources.fragment, 0, "KillMode",
                                  "'none' leaves processes behind that nobody looks after.");
}

static int check(UnitDraft *draft) {
        int r;

        settle_defaults(draft);
        /* What was refused already has its reason; another would only hide it. */
        if (draft->is_broken)
                return 0;
        r = check_commands(draft);
        return r < 0 || draft->is_broken ? r : check_restart(draft);
}

static int make(void **ret_settings) {
        ServiceSettings *settings = NULL;
        int r = service_settings_new(&settings);

        *ret_settings = settings;
        return r;
}

static void release(void *settings) {
        service_settings_free(settings);
}

const DraftType service_draft_type = {
        .make = make,
        .release = release,
        .exec = offsetof(ServiceSettings, exec),
        .kill = offsetof(ServiceSettings, kill),
        .resources = offsetof(ServiceSettings, resources),
        .check = check,
        .add_defaults = unit_draft_add_usual_defaults,
};
