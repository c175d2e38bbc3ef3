/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs of a flow that other units trigger
 *
 * The key of a run says what it is for, so that a trigger that is told twice
 * has one run: an elapse of a timer is known by its time, the end of a unit by
 * the invocation that has ended. What attempts learn of the trigger is read
 * now, since the unit may have begun anew when they run.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/log.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "types/flow_trigger.h"
#include "types/unit_ask.h"
#include "types/unit_process.h"
#include "types/unit_say.h"

static int make_key(const Unit *unit, const UnitTrigger *trigger, char **ret_key) {
        const char *word = trigger->kind == UNIT_TRIGGER_FAILURE ? "failure" : "success";
        const usec_t time = trigger->time > 0 ? trigger->time : unit_timestamp(unit).realtime;
        cleanup_free_ char *invocation = NULL;
        int r = 0;

        if (trigger->kind == UNIT_TRIGGER_EVENT)
                return text_format(ret_key, "%s %" PRIu64, trigger->by->id, time);
        if (trigger->job > 0)
                return text_format(ret_key, "%s %s job %" PRIu32 " %" PRIu64, trigger->by->id, word, trigger->job,
                                   time);
        if (trigger->run > 0)
                return text_format(ret_key, "%s %s run %" PRIu32 " %" PRIu32, trigger->by->id, word, trigger->run,
                                   trigger->round);
        if (trigger->was_up)
                r = unit_process_format_invocation(trigger->by, &invocation);
        if (r < 0)
                return r;
        return invocation ? text_format(ret_key, "%s %s %s", trigger->by->id, word, invocation)
                          : text_format(ret_key, "%s %s %" PRIu64, trigger->by->id, word, time);
}

static int add_event(const UnitTrigger *trigger, char ***environment) {
        const Unit *by = trigger->by;
        int r = by->vtable->trigger_environment ? by->vtable->trigger_environment(by, environment) : 0;

        if (r >= 0 && trigger->time > 0)
                r = unit_process_add_variable(environment, UNIT_RUN_TIME "%" PRIu64, trigger->time);
        if (r >= 0 && trigger->is_made_up)
                r = unit_process_add_variable(environment, "%s", UNIT_RUN_CATCHES_UP);
        return r < 0 ? r : unit_process_add_variable(environment, "TRIGGER_UNIT=%s", by->id);
}

static int add_result(const UnitTrigger *trigger, char ***environment) {
        const Unit *by = trigger->by;
        cleanup_(strv_freep) char **result = NULL;
        cleanup_free_ char *invocation = NULL;
        int r = unit_process_add_variable(environment, "MONITOR_UNIT=%s", by->id);

        if (r == 0 && trigger->run > 0)
                return unit_process_add_variable(environment, "MONITOR_RUN=%" PRIu32, trigger->run);
        /* A job that has failed says nothing of the unit. */
        if (r == 0 && trigger->job == 0 && by->vtable->result_environment)
                r = by->vtable->result_environment(by, &result);
        strv_foreach(variable, result)
                if (r == 0)
                        r = unit_process_add_variable(environment, "MONITOR_%s", *variable);
        if (r == 0 && trigger->job == 0)
                r = unit_process_format_invocation(by, &invocation);
        return r < 0 || !invocation ? MIN(r, 0)
                                    : unit_process_add_variable(environment, "MONITOR_INVOCATION_ID=%s", invocation);
}

static int submit(Unit *unit, const UnitTrigger *trigger) {
        UnitHost *host = unit_host(unit);
        cleanup_(strv_freep) char **environment = NULL;
        cleanup_free_ char *key = NULL;
        int r = make_key(unit, trigger, &key);

        if (r == 0)
                r = trigger->kind == UNIT_TRIGGER_EVENT ? add_event(trigger, &environment)
                                                        : add_result(trigger, &environment);
        if (r < 0)
                return r;
        if (!host->ops->submit_run)
                return -EOPNOTSUPP;
        return host->ops->submit_run(host, unit,
                                     &(UnitRunRequest) { .key = key,
                                                         .trigger = trigger->by->id,
                                                         .environment = environment });
}

FlowCatchUp flow_catch_up(const Unit *unit) {
        const FlowSettings *settings = unit && unit_type_has_runs(unit->type) ? unit->type_settings : NULL;

        return settings ? settings->catch_up : FLOW_CATCH_UP_UNSET;
}

void flow_triggered(Unit *unit, const UnitTrigger *trigger) {
        int r;

        /* As a start would. */
        if (unit_will_stop(unit)) {
                unit_say(unit, LOG_LEVEL_INFO, "%s has triggered it while it is being stopped: there will be no run.",
                         trigger->by->id);
                return;
        }
        r = submit(unit, trigger);
        if (r < 0)
                unit_say(unit, LOG_LEVEL_ERROR, "No run is submitted for %s: %s.", trigger->by->id, strerror(-r));
}
