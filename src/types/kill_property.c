/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of units with processes: killing
 */

#include "basic/macro.h"
#include "types/kill_property.h"
#include "unitfile/draft_type.h"

#define GETTER(name, put, expression)                                            \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const KillSettings *settings = draft_type_kill(unit);            \
                                                                                 \
                put(sink, expression);                                           \
        }

GETTER(kill_mode, sink_string, kill_mode_to_string(settings->mode))
GETTER(kill_signal, sink_i32, settings->signal)
GETTER(restart_kill_signal, sink_i32,
       settings->restart_signal ? settings->restart_signal : settings->signal)
GETTER(final_kill_signal, sink_i32, settings->final_signal)
GETTER(send_sigkill, sink_bool, settings->send_sigkill)
GETTER(send_sighup, sink_bool, settings->send_sighup)
GETTER(watchdog_signal, sink_i32, settings->watchdog_signal)

#define C UNIT_PROPERTY_CONST

static const UnitProperty rows[] = {
        { "KillMode", "s", C, get_kill_mode, "Which of its processes are signalled at a stop." },
        { "KillSignal", "i", C, get_kill_signal, "The signal that tells it to end." },
        { "RestartKillSignal", "i", C, get_restart_kill_signal, "The signal that tells it to end for a restart." },
        { "FinalKillSignal", "i", C, get_final_kill_signal, "The signal that ends it after the time limit." },
        { "SendSIGKILL", "b", C, get_send_sigkill, "Whether it is killed after the time limit." },
        { "SendSIGHUP", "b", C, get_send_sighup, "Whether it also gets SIGHUP at a stop." },
        { "WatchdogSignal", "i", C, get_watchdog_signal, "The signal that ends it after a missed watchdog." },
};

const UnitPropertyTable kill_properties = { rows, ELEMENTSOF(rows) };
