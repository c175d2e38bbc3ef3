/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Killing: directives shared by [Service], [Socket], [Mount] and [Scope]
 */

#include "basic/macro.h"
#include "unitfile/directive_value.h"
#include "unitfile/kill_settings.h"

#define DIRECTIVE_KILL(name_, parse_, field_, ...)                                                       \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_KILL, .offset = offsetof(KillSettings, field_), \
          __VA_ARGS__ }

const Directive kill_directives[] = {
        DIRECTIVE_KILL("FinalKillSignal", directive_parse_signal, final_signal, .is_strict = true),
        DIRECTIVE_KILL("KillMode", directive_parse_enum, mode, .from_string = kill_mode_from_string,
                          .is_strict = true),
        DIRECTIVE_KILL("KillSignal", directive_parse_signal, signal, .is_strict = true),
        DIRECTIVE_KILL("RestartKillSignal", directive_parse_signal, restart_signal, .is_strict = true),
        DIRECTIVE_KILL("SendSIGHUP", directive_parse_bool, send_sighup),
        DIRECTIVE_KILL("SendSIGKILL", directive_parse_bool, send_sigkill),
        DIRECTIVE_KILL("WatchdogSignal", directive_parse_signal, watchdog_signal, .is_strict = true),
};

const size_t kill_directives_n = ELEMENTSOF(kill_directives);
