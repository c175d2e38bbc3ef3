/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of [Service]
 *
 * Most of them are strict, and a bad value refuses the unit: a service must
 * run exactly as its file says.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/directive_service.h"
#include "unitfile/directive_value.h"
#include "unitfile/exit_name.h"
#include "unitfile/service_settings.h"
#include "unitfile/unit_draft.h"

int service_parse_type(const DirectiveLine *line, const char *value) {
        ServiceSettings *service = directive_base(line, DIRECTIVE_IN_TYPE);
        int type = service_type_from_string(value);

        if (type < 0)
                return directive_complain(line,
                                          "'%s' is not a type of service; use simple, exec, forking, oneshot, dbus, "
                                                "notify, notify-reload or idle", value);
        service->type = (ServiceType) type;
        service->has_type = true;
        return 0;
}

int service_parse_exit_type(const DirectiveLine *line, const char *value) {
        ServiceSettings *service = directive_base(line, DIRECTIVE_IN_TYPE);
        bool is_cgroup = strcmp(value, "cgroup") == 0;

        if (*value && strcmp(value, "main") != 0 && !is_cgroup)
                return directive_complain(line, "'%s' is neither 'main' nor 'cgroup'", value);
        service->exit_type_cgroup = is_cgroup;
        return 0;
}

int service_parse_notify_access(const DirectiveLine *line, const char *value) {
        ServiceSettings *service = directive_base(line, DIRECTIVE_IN_TYPE);

        service->has_notify_access = true;
        return directive_parse_enum(line, value);
}

/* A relative path is below /run. */
int service_parse_pid_file(const DirectiveLine *line, const char *value) {
        cleanup_free_ char *path = NULL;
        int r;

        if (!*value || *value == '/' || *value == '%')
                return directive_parse_path(line, value);
        r = text_format(&path, "%%t/%s", value);
        return r < 0 ? r : directive_parse_path(line, path);
}

static bool value_is_time(const char *value) {
        usec_t usec;

        return usec_parse(value, USEC_PER_SEC, &usec) >= 0;
}

int service_parse_timeout_start(const DirectiveLine *line, const char *value) {
        ServiceSettings *service = directive_base(line, DIRECTIVE_IN_TYPE);

        if (value_is_time(value))
                service->has_timeout_start = true;
        return directive_parse_time_limit(line, value);
}

/* The row's field is the stop timeout. */
int service_parse_timeout(const DirectiveLine *line, const char *value) {
        ServiceSettings *service = directive_base(line, DIRECTIVE_IN_TYPE);
        int r = directive_parse_time_limit(line, value);

        if (value_is_time(value)) {
                service->timeout_start = service->timeout_stop;
                service->has_timeout_start = true;
        }
        return r;
}

int service_parse_timeout_abort(const DirectiveLine *line, const char *value) {
        ServiceSettings *service = directive_base(line, DIRECTIVE_IN_TYPE);

        if (!*value || value_is_time(value))
                service->has_timeout_abort = *value != '\0';
        return *value ? directive_parse_time_limit(line, value) : 0;
}

int service_parse_watchdog(const DirectiveLine *line, const char *value) {
        usec_t *field = directive_field(line);
        int r = directive_parse_seconds(line, value);

        if (r == 0 && *field == USEC_INFINITY)
                *field = 0;
        return r;
}

/* Numbers and names of exit statuses; names of signals. */
int service_parse_exit_status(const DirectiveLine *line, const char *value) {
        ExitStatusSet *set = directive_field(line), parsed = *set;
        const char *at = value;

        if (!*value)
                parsed = (ExitStatusSet) {};
        for (;;) {
                cleanup_free_ char *word = NULL;
                int r = directive_next_word(line, &at, &word), code;

                if (r < 0)
                        return r == -EINVAL ? 0 : r;
                if (r == 0)
                        break;
                if ((code = exit_status_from_name(word)) >= 0)
                        parsed.statuses[code / 64] |= UINT64_C(1) << (code % 64);
                else if ((code = signal_from_name(word)) > 0)
                        parsed.signals[code / 64] |= UINT64_C(1) << (code % 64);
                else
                        return directive_complain(line, "'%s' is neither an exit status nor a signal", word);
        }
        *set = parsed;
        return 0;
}
