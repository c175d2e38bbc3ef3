/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signals to the init of a machine
 *
 * The kernel sends SIGINT for Ctrl-Alt-Del and SIGWINCH for a key of the
 * console; programs that watch the power supply send SIGPWR. The real-time
 * signals have the numbers that systemd uses, for programs that know those.
 * SIGTERM does not say what the machine should do, so it does nothing.
 */

#include <signal.h>

#include "basic/log.h"
#include "manager/manager_priority.h"
#include "manager/manager_signal.h"

/* So many presses within this time mean that the shutdown hangs and the user insists. */
#define KEYS_MAX 7U
#define KEYS_TIME (2 * USEC_PER_SEC)

typedef struct MachineSignal {
        int signal;
        bool is_realtime;               /* .signal is counted from SIGRTMIN, which is not a constant */
        const char *unit;               /* unit to start; NULL: see .action */
        const char *instead;            /* if .unit does not exist */
        JobMode mode;
        UnitAction action;
} MachineSignal;

static const MachineSignal rules[] = {
        { SIGTERM },
        { SIGINT, false, "ctrl-alt-del.target", "reboot.target", JOB_REPLACE_IRREVERSIBLY },
        { SIGPWR, false, "sigpwr.target", "poweroff.target", JOB_REPLACE },
        { SIGWINCH, false, "kbrequest.target", NULL, JOB_REPLACE },
        { 0, true, "default.target", NULL, JOB_ISOLATE },
        { 1, true, "rescue.target", NULL, JOB_ISOLATE },
        { 2, true, "emergency.target", NULL, JOB_ISOLATE },
        { 3, true, "halt.target", NULL, JOB_REPLACE_IRREVERSIBLY },
        { 4, true, "poweroff.target", NULL, JOB_REPLACE_IRREVERSIBLY },
        { 5, true, "reboot.target", NULL, JOB_REPLACE_IRREVERSIBLY },
        { 6, true, "kexec.target", NULL, JOB_REPLACE_IRREVERSIBLY },
        { 13, true, .action = UNIT_ACTION_HALT_FORCE },
        { 14, true, .action = UNIT_ACTION_POWEROFF_FORCE },
        { 15, true, .action = UNIT_ACTION_REBOOT_FORCE },
        { 16, true, .action = UNIT_ACTION_KEXEC_FORCE },
};

static int number_of(const MachineSignal *rule) {
        return rule->is_realtime ? SIGRTMIN + rule->signal : rule->signal;
}

/* Counts presses of Ctrl-Alt-Del; true if there were too many in a short time. */
static bool is_out_of_patience(ManagerSignals *signals) {
        if (usec_add(signals->keys_since, KEYS_TIME) < signals->turn->now) {
                signals->keys_since = signals->turn->now;
                signals->n_keys = 0;
        }
        return ++signals->n_keys >= KEYS_MAX;
}

static int on_machine_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        ManagerSignals *signals = userdata;

        for (size_t i = 0; i < ELEMENTSOF(rules); i++) {
                const MachineSignal *rule = &rules[i];

                if (number_of(rule) != (int) info->ssi_signo)
                        continue;
                log_notice("Received signal %u (%s) from process %u.", info->ssi_signo,
                           rule->unit ?: rule->action != UNIT_ACTION_NONE ? unit_action_to_string(rule->action)
                                                                          : "without an effect on a machine",
                           info->ssi_pid);
                if (rule->signal == SIGINT && !rule->is_realtime && is_out_of_patience(signals))
                        signals->ops->leave(signals->userdata, UNIT_ACTION_REBOOT_FORCE);
                else if (rule->unit)
                        signals->ops->start(signals->userdata, rule->unit, rule->instead, rule->mode,
                                            (pid_t) info->ssi_pid);
                else if (rule->action != UNIT_ACTION_NONE)
                        signals->ops->leave(signals->userdata, rule->action);
        }
        return 0;
}

void manager_signals_add_machine(sigset_t *set) {
        for (size_t i = 0; i < ELEMENTSOF(rules); i++)
                sigaddset(set, number_of(&rules[i]));
}

int manager_signals_init_machine(ManagerSignals *signals) {
        for (size_t i = 0; i < ELEMENTSOF(rules); i++) {
                cleanup_(sd_event_source_unrefp) sd_event_source *source = NULL;
                int r;

                r = sd_event_add_signal(signals->turn->event, &source, number_of(&rules[i]), on_machine_signal,
                                        signals);
                if (r >= 0)
                        r = sd_event_source_set_priority(source, MANAGER_PRIORITY_SIGNALS);
                if (r >= 0)
                        r = sd_event_source_set_floating(source, 1);
                if (r < 0)
                        return r;
        }
        return 0;
}
