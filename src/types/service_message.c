/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages of a service (the sd_notify protocol): the right to send them, and their assignments
 */

#include <stdarg.h>
#include <string.h>

#include "basic/rate_limit.h"
#include "basic/strv.h"
#include "types/service_message.h"
#include "types/service_state.h"

#define COMPLAINTS_MAX 20U
#define COMPLAINTS_USEC (10 * USEC_PER_SEC)

/* Processes can send any number of messages, so the warnings about them are limited, for all services together. */
void service_complain(Unit *unit, const char *format, ...) {
        static RateLimit complaints;
        va_list arguments;

        if (!rate_limit_allows(&complaints, COMPLAINTS_USEC, COMPLAINTS_MAX, unit_now(unit)))
                return;
        va_start(arguments, format);
        unit_say_list(unit, LOG_LEVEL_WARNING, format, arguments);
        va_end(arguments);
}

ServiceNotifyAccess service_notify_access(const Unit *unit) {
        const ServiceSettings *settings = service_settings(unit);

        if (service_is_notify(unit) && settings->notify_access == SERVICE_NOTIFY_NONE)
                return SERVICE_NOTIFY_MAIN;
        return settings->notify_access;
}

bool service_may_notify(const Unit *unit, pid_t sender) {
        const Service *service = service_of(unit);

        switch (service_notify_access(unit)) {
        case SERVICE_NOTIFY_MAIN:
                return sender > 0 && sender == service->main.pid;
        case SERVICE_NOTIFY_EXEC:
                return sender > 0 && (sender == service->main.pid || sender == service->control.pid);
        case SERVICE_NOTIFY_ALL:
                return true;
        case SERVICE_NOTIFY_NONE:
        case _SERVICE_NOTIFY_ACCESS_MAX:
                return false;
        }
        return false;
}

const char *service_find_assignment(char *const *assignments, const char *name) {
        size_t n = strlen(name);

        strv_foreach(assignment, assignments)
                if (strncmp(*assignment, name, n) == 0 && (*assignment)[n] == '=')
                        return *assignment + n + 1;
        return NULL;
}

bool service_says(char *const *assignments, const char *name) {
        const char *value = service_find_assignment(assignments, name);

        return value && strcmp(value, "1") == 0;
}
