/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Timer]
 *
 * An empty assignment to any On…= removes all of them, and a line that cannot
 * be parsed is ignored with a warning, as in systemd; a timer without any time
 * left is refused.
 */

#include <errno.h>

#include "basic/text.h"
#include "unitfile/timer_settings.h"
#include "unitfile/trigger_value.h"
#include "unitfile/unit_draft.h"

#define TIMER_VALUES_MAX 4096

static int add_value(const DirectiveLine *line, const TimerValue *value) {
        TimerSettings *timer = directive_base(line, DIRECTIVE_IN_TYPE);

        if (timer->values.n >= TIMER_VALUES_MAX) {
                calendar_free(value->calendar);
                free(value->text);
                return directive_complain(line, "There are too many On…= lines");
        }
        if (vector_push(&timer->values, *value) == 0)
                return 0;
        calendar_free(value->calendar);
        free(value->text);
        return -ENOMEM;
}

/* An empty value clears the list: 0. Otherwise as directive_expand(). */
static int begin_value(const DirectiveLine *line, const char *value, char **ret_expanded) {
        if (*value)
                return directive_expand(line, value, ret_expanded);
        timer_settings_clear_values(directive_base(line, DIRECTIVE_IN_TYPE));
        return 0;
}

static int parse_calendar(const DirectiveLine *line, const char *value) {
        cleanup_(calendar_freep) Calendar *calendar = NULL;
        cleanup_free_ char *expanded = NULL, *text = NULL;
        CalendarFault fault;
        int r;

        r = begin_value(line, value, &expanded);
        if (r <= 0)
                return r;
        r = calendar_parse(expanded, &calendar, &fault);
        if (r == -EINVAL)
                return directive_complain(line, "'%s' is not a calendar expression: at '%s', %s", expanded,
                                          expanded[fault.at] ? expanded + fault.at : "the end", fault.message);
        if (r == 0)
                r = calendar_format(calendar, &text);
        return r < 0 ? r : add_value(line, &(TimerValue) { .base = TIMER_ON_CALENDAR, .calendar = take_ptr(calendar),
                                                           .text = take_ptr(text) });
}

static int parse_span(const DirectiveLine *line, const char *value) {
        cleanup_free_ char *expanded = NULL;
        usec_t span;
        int r;

        r = begin_value(line, value, &expanded);
        if (r <= 0)
                return r;
        if (usec_parse(expanded, USEC_PER_SEC, &span) < 0)
                return directive_complain(line, "'%s' is not a time span such as '90', '1min 30s' or "
                                                "'infinity'", expanded);
        return add_value(line, &(TimerValue) { .base = (TimerBase) line->directive->argument, .span = span });
}

static int parse_wake_system(const DirectiveLine *line, const char *value) {
        int r = directive_parse_bool(line, value);

        if (r == 0 && ((const TimerSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->wake_system)
                directive_note(line, UNIT_FILE_WARNING, "jobd does not wake the machine up; the timer elapses when "
                                                        "the machine is awake.");
        return r;
}

#define TIMER(name_, parse_, field_, ...)                                                                \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_TYPE,                                     \
          .offset = offsetof(TimerSettings, field_), .own_size = sizeof(TimerSettings), __VA_ARGS__ }
#define SPAN(name_, base_) \
        { .name = name_, .parse = parse_span, .argument = base_, .base = DIRECTIVE_IN_TYPE,                      \
          .own_size = sizeof(TimerSettings) }

const Directive timer_directives[] = {
        TIMER("AccuracySec", directive_parse_seconds, accuracy),
        TIMER("FixedRandomDelay", directive_parse_bool, fixed_random_delay),
        SPAN("OnActiveSec", TIMER_ON_ACTIVE),
        SPAN("OnBootSec", TIMER_ON_BOOT),
        { .name = "OnCalendar", .parse = parse_calendar, .base = DIRECTIVE_IN_TYPE,
          .own_size = sizeof(TimerSettings) },
        TIMER("OnClockChange", directive_parse_bool, on_clock_change),
        SPAN("OnStartupSec", TIMER_ON_STARTUP),
        TIMER("OnTimezoneChange", directive_parse_bool, on_timezone_change),
        SPAN("OnUnitActiveSec", TIMER_ON_UNIT_ACTIVE),
        SPAN("OnUnitInactiveSec", TIMER_ON_UNIT_INACTIVE),
        TIMER("Persistent", directive_parse_bool, persistent),
        TIMER("RandomizedDelaySec", directive_parse_seconds, randomized_delay),
        TIMER("RemainAfterElapse", directive_parse_bool, remain_after_elapse),
        TIMER("Unit", directive_parse_triggered, unit, .is_strict = true),
        TIMER("WakeSystem", parse_wake_system, wake_system, .status = DIRECTIVE_IGNORED,
              .reason = "jobd does not wake the machine up; the timer elapses when the machine is awake"),
};

const size_t timer_directives_n = ELEMENTSOF(timer_directives);
