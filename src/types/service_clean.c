/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removing the directories of a service
 *
 * A control process removes them, and the state of the service is "cleaning" until it has ended. A stop, or a time
 * limit, kills it at once. The result has a field of its own, since the service does not run.
 */

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "basic/strv.h"
#include "exec/exec_clean.h"
#include "types/service_clean.h"
#include "types/service_kill.h"
#include "types/service_limit.h"
#include "types/service_step.h"
#include "types/unit_cleaning.h"

static const ExecTerms *terms_of(const Unit *unit) {
        return exec_settings_rare(&service_settings(unit)->exec)->terms;
}

unsigned service_can_clean(const Unit *unit) {
        return exec_clean_kinds(terms_of(unit));
}

int service_clean(Unit *unit, unsigned kinds, Failure *ret_failure) {
        ServiceExtra *extra = service_own_extra(unit);
        int r;

        if (!extra)
                return failure_set(ret_failure, -ENOMEM, "Failed", "Cannot clean %s: %s.", unit->id, strerror(ENOMEM));
        r = unit_cleaning_begin(unit, &(UnitCleaning) {
                .terms = terms_of(unit),
                .control = &service_of(unit)->control,
                .kind = SERVICE_EXEC_STOP_POST,
                .argv = &extra->clean_argv,
                .set_limit = service_set_limit,
        }, kinds, ret_failure);
        if (r < 0)
                return r;
        extra->clean_result = SERVICE_RESULT_SUCCESS;
        service_set_state(unit, SERVICE_STATE_CLEANING);
        return 0;
}

static void end(Unit *unit, ServiceResult result) {
        ServiceExtra *extra = service_of(unit)->extra;

        service_of(unit)->control = (UnitProcess) {};
        if (extra) {
                if (extra->clean_result == SERVICE_RESULT_SUCCESS)
                        extra->clean_result = result;
                extra->clean_argv = strv_free(extra->clean_argv);
        }
        service_set_state(unit, SERVICE_STATE_DEAD);
}

void service_clean_spawned(Unit *unit, UnitSpawn spawn, const ExecResult *result) {
        if (spawn == UNIT_SPAWN_RUNNING) {
                service_republish(unit);
                return;
        }
        unit_cleaning_tell_failed(unit, result);
        end(unit, SERVICE_RESULT_RESOURCES);
}

void service_clean_ended(Unit *unit, const UnitExit *exit) {
        bool is_exited = exit->code == CLD_EXITED;

        unit_cleaning_tell_ended(unit, exit);
        end(unit, !is_exited ? SERVICE_RESULT_SIGNAL : exit->status == 0 ? SERVICE_RESULT_SUCCESS
            : SERVICE_RESULT_EXIT_CODE);
}

/* The exit of the process ends it; if the process hangs in the kernel the time limit does. */
void service_stop_cleaning(Unit *unit, ServiceResult result) {
        Service *service = service_of(unit);

        if (service->control.pid <= 0) {
                end(unit, result);
                return;
        }
        if (service->extra && service->extra->clean_result == SERVICE_RESULT_SUCCESS)
                service->extra->clean_result = result;
        service_kill_control(unit);
        (void) service_set_limit(unit, service_stop_limit(unit, SERVICE_STATE_STOP_SIGKILL));
}

void service_clean_timed_out(Unit *unit) {
        const ServiceExtra *extra = service_extra(unit);

        unit_say(unit, LOG_LEVEL_WARNING, "Cleaning it takes too long.");
        if (extra->clean_result == SERVICE_RESULT_SUCCESS)
                service_stop_cleaning(unit, SERVICE_RESULT_TIMEOUT);
        else
                end(unit, SERVICE_RESULT_TIMEOUT);
}
