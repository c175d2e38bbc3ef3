/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service and its control group
 *
 * The host makes it, and removes it when the service is down. What the service
 * learns by it, it could also learn later by looking (it polls where there is
 * no group); here it is told.
 */

#include <signal.h>
#include <sys/wait.h>

#include "types/service.h"
#include "unitfile/resource_settings.h"

/* Is the command that is about to run the first of this start? */
static bool is_first(const Unit *unit, const ServiceProcess *process) {
        if (!process->is_wanted || process->index > 0 || process->kind > SERVICE_EXEC_START)
                return false;
        for (int kind = 0; kind < (int) process->kind; kind++)
                if (service_has_command(unit, (ServiceExec) kind))
                        return false;
        return true;
}

void service_group(const Unit *unit, UnitGroup *ret_group) {
        const Service *service = service_of(unit);
        const ServiceSettings *settings = service_settings(unit);

        *ret_group = (UnitGroup) {
                .resources = settings->resources,
                .is_begun = !is_first(unit, &service->main) && !is_first(unit, &service->control),
                .keeps_leftovers = settings->kill.mode == KILL_MODE_PROCESS || settings->kill.mode == KILL_MODE_NONE,
        };
}

/* While a main or control process is known its exit is what counts; it comes, if it has not come yet. */
void service_group_emptied(Unit *unit) {
        const Service *service = service_of(unit);

        if (service->main.pid == 0 && service->control.pid == 0 && !service->main.is_wanted && !service->control.is_wanted)
                service_look_again(unit);
}

static ResourceOomPolicy oom_policy(const Unit *unit) {
        const ResourceSettings *resources = service_settings(unit)->resources;

        return resources ? resources->oom_policy : RESOURCE_OOM_STOP;
}

void service_group_out_of_memory(Unit *unit) {
        const Service *service = service_of(unit);

        if (oom_policy(unit) == RESOURCE_OOM_CONTINUE) {
                service_log(unit, 4, "The kernel has killed a process of it for lack of memory; it goes on.");
                return;
        }
        switch (service->state) {
        case SERVICE_STATE_CONDITION:
        case SERVICE_STATE_START_PRE:
        case SERVICE_STATE_START:
        case SERVICE_STATE_START_POST:
        case SERVICE_STATE_STOP:
                service_note_failure(unit, "a process was killed for lack of memory");
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_OOM_KILL);
                break;
        case SERVICE_STATE_RUNNING:
        case SERVICE_STATE_EXITED:
        case SERVICE_STATE_RELOAD:
                service_note_failure(unit, "a process was killed for lack of memory");
                service_enter_stop(unit, SERVICE_RESULT_OOM_KILL);
                break;
        case SERVICE_STATE_STOP_WATCHDOG:
        case SERVICE_STATE_STOP_SIGTERM:
        case SERVICE_STATE_STOP_SIGKILL:
        case SERVICE_STATE_STOP_POST:
        case SERVICE_STATE_FINAL_WATCHDOG:
        case SERVICE_STATE_FINAL_SIGTERM:
        case SERVICE_STATE_FINAL_SIGKILL:
                service_note_result(unit, SERVICE_RESULT_OOM_KILL);
                break;
        case SERVICE_STATE_DEAD:
        case SERVICE_STATE_FAILED:
        case SERVICE_STATE_AUTO_RESTART:
        case SERVICE_STATE_CLEANING:
        case _SERVICE_STATE_MAX:
                break;
        }
}

/* Was it the kernel, rather than somebody who sent SIGKILL? */
bool service_ran_out_of_memory(const Unit *unit, const UnitExit *exit) {
        UnitHost *host = service_host(unit);
        uint64_t kills = 0;

        if (exit->code != CLD_KILLED || exit->status != SIGKILL || !host->ops->group_value)
                return false;
        return host->ops->group_value(host, unit, UNIT_GROUP_OOM_KILLS, &kills) == 0 && kills > 0;
}
