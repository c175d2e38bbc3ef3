/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signals to the init of a machine
 *
 * Some the kernel sends: SIGINT for Ctrl-Alt-Del, SIGWINCH for a key of the
 * console, SIGPWR from what watches the power supply. The real-time ones have
 * the numbers that systemd gives them, for programs that know those. SIGTERM
 * says nothing of what shall become of the machine, so it does nothing.
 */

#include <signal.h>
#include <string.h>

#include "basic/log.h"
#include "manager/manager_private.h"

/* So many within this time: all is stuck, and somebody knows what he does. */
#define KEYS_MAX 7U
#define KEYS_TIME (2 * USEC_PER_SEC)

typedef struct MachineSignal {
        int signal;
        bool is_realtime;               /* .signal is counted from SIGRTMIN, which is no constant */
        const char *unit;               /* is started; NULL: see .action */
        const char *instead;            /* if there is no such unit */
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

static bool is_there(Manager *manager, const char *name) {
        Unit *unit;

        return unit_table_load(manager->units, name, &unit) >= 0 && unit->load_state == UNIT_LOADED;
}

static void start(Manager *manager, const MachineSignal *rule, pid_t sender) {
        const char *unit = is_there(manager, rule->unit) ? rule->unit : rule->instead;
        const JobRequester requester = { .reason = "signal", .pid = sender };
        const JobRequest request = { .unit = unit, .type = JOB_START };
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        int r;

        if (!unit)
                return;
        r = manager_exec_briefly(manager, &request, 1, rule->mode, &requester, &plan);
        if (r != JOB_MANAGER_E_SUCCESS)
                log_error("Cannot start %s: %s", unit, plan ? failure_message(&plan->failure) : strerror(-r));
}

/* Ctrl-Alt-Del again and again, since nothing comes of it. */
static bool is_out_of_patience(Manager *manager) {
        if (usec_add(manager->keys_since, KEYS_TIME) < manager->now) {
                manager->keys_since = manager->now;
                manager->n_keys = 0;
        }
        return ++manager->n_keys >= KEYS_MAX;
}

static int on_machine_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        Manager *manager = userdata;

        for (size_t i = 0; i < ELEMENTSOF(rules); i++) {
                const MachineSignal *rule = &rules[i];

                if (number_of(rule) != (int) info->ssi_signo)
                        continue;
                log_notice("Received signal %u (%s) from process %u.", info->ssi_signo,
                           rule->unit ?: rule->action != UNIT_ACTION_NONE ? unit_action_to_string(rule->action)
                                                                          : "without an effect on a machine",
                           info->ssi_pid);
                if (rule->signal == SIGINT && !rule->is_realtime && is_out_of_patience(manager))
                        manager_leave(manager, UNIT_ACTION_REBOOT_FORCE);
                else if (rule->unit)
                        start(manager, rule, (pid_t) info->ssi_pid);
                else if (rule->action != UNIT_ACTION_NONE)
                        manager_leave(manager, rule->action);
        }
        return 0;
}

void manager_block_machine_signals(sigset_t *set) {
        for (size_t i = 0; i < ELEMENTSOF(rules); i++)
                sigaddset(set, number_of(&rules[i]));
}

int manager_init_machine_signals(Manager *manager) {
        for (size_t i = 0; i < ELEMENTSOF(rules); i++) {
                cleanup_(sd_event_source_unrefp) sd_event_source *source = NULL;
                int r;

                r = sd_event_add_signal(manager->event, &source, number_of(&rules[i]), on_machine_signal, manager);
                if (r >= 0)
                        r = sd_event_source_set_priority(source, MANAGER_PRIORITY_SIGNALS);
                if (r >= 0)
                        r = sd_event_source_set_floating(source, 1);
                if (r < 0)
                        return r;
        }
        return 0;
}
