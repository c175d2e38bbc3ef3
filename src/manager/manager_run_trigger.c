/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs that units trigger
 *
 * A trigger is a part of the state of the manager until its run is durable, or
 * refused: the next core submits it again, and its key keeps it from having
 * two runs. It is submitted in a later step of the turn, since what triggers
 * may be called by the engine of jobs, inside of which no unit is loaded.
 */

#include <errno.h>
#include <stdlib.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_run_end.h"
#include "manager/manager_run_hold.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_trigger.h"
#include "manager/manager_section.h"

struct ManagerTrigger {
        ManagerTrigger *next;
        uint64_t number; /* of its ticket */
        char *unit, *key, *by; /* owned; the flow, its run's key, and what has triggered */
        char **environment; /* owned */
        bool is_submitted;
};

static ManagerTrigger *free_trigger(ManagerTrigger *trigger) {
        if (!trigger)
                return NULL;
        free(trigger->unit);
        free(trigger->key);
        free(trigger->by);
        strv_free(trigger->environment);
        free(trigger);
        return NULL;
}

DEFINE_CLEANUP(ManagerTrigger, free_trigger)

static void note_change(ManagerRuns *runs) {
        manager_run_note_work(runs);
        manager_mark_triggers(runs->host.attempts.turn->state);
}

static void append(ManagerRuns *runs, ManagerTrigger *trigger) {
        ManagerTrigger **last = &runs->triggers;

        while (*last)
                last = &(*last)->next;
        trigger->number = ++runs->last_trigger;
        *last = trigger;
}

int manager_runs_trigger(ManagerRuns *runs, const Unit *unit, const UnitRunRequest *request) {
        cleanup_(free_triggerp) ManagerTrigger *trigger = calloc(1, sizeof(*trigger));

        if (!trigger || text_copy(unit->id, &trigger->unit) < 0 || text_copy(request->key, &trigger->key) < 0 ||
            text_copy(request->trigger, &trigger->by) < 0 ||
            strv_copy(request->environment, &trigger->environment) < 0)
                return -ENOMEM;
        append(runs, take_ptr(trigger));
        note_change(runs);
        return 0;
}

void manager_run_end_trigger(ManagerRuns *runs, uint64_t number, const Failure *failure) {
        ManagerTrigger **place = &runs->triggers, *trigger;

        while (*place && (*place)->number != number)
                place = &(*place)->next;
        trigger = *place;
        if (!trigger)
                return;
        if (failure)
                log_write(LOG_LEVEL_WARNING, trigger->unit, "No run is made for %s: %s", trigger->by,
                          failure_message(failure));
        *place = trigger->next;
        free_trigger(trigger);
        note_change(runs);
}

bool manager_run_next_trigger(ManagerRuns *runs, ManagerRunRequest *ret_request) {
        ManagerTrigger *trigger = runs->triggers;

        while (trigger && trigger->is_submitted)
                trigger = trigger->next;
        if (!trigger)
                return false;
        trigger->is_submitted = true;
        *ret_request = (ManagerRunRequest) {
                .unit = trigger->unit,
                .key = trigger->key,
                .trigger = trigger->by,
                .environment = trigger->environment,
                .ticket = { .a = MANAGER_RUN_OF_TRIGGER, .b = trigger->number },
        };
        return true;
}

uint32_t manager_run_count_triggers(const ManagerRuns *runs, const Unit *unit) {
        uint32_t n = 0;

        for (const ManagerTrigger *trigger = runs->triggers; trigger; trigger = trigger->next)
                n += unit_has_name(unit, trigger->unit);
        return n;
}

void manager_run_drop_triggers(ManagerRuns *runs) {
        while (runs->triggers) {
                ManagerTrigger *trigger = runs->triggers;

                runs->triggers = trigger->next;
                free_trigger(trigger);
        }
}

/* — records — */

void manager_runs_write_triggers(const ManagerRuns *runs, RecordWriter *writer) {
        uint64_t n = 0;

        for (const ManagerTrigger *trigger = runs->triggers; trigger; trigger = trigger->next)
                n++;
        if (n == 0 && runs->told_ends.n == 0 && !manager_run_has_holds(runs))
                return;
        record_put(writer, n);
        for (const ManagerTrigger *trigger = runs->triggers; trigger; trigger = trigger->next) {
                record_put_string(writer, trigger->unit);
                record_put_string(writer, trigger->key);
                record_put_string(writer, trigger->by);
                record_put(writer, strv_length(trigger->environment));
                strv_foreach(variable, trigger->environment)
                        record_put_string(writer, *variable);
        }
        manager_run_write_ends(runs, writer);
        manager_run_write_holds(runs, writer);
}

static int read_one(ManagerRuns *runs, RecordReader *reader) {
        cleanup_(free_triggerp) ManagerTrigger *trigger = calloc(1, sizeof(*trigger));

        if (!trigger)
                return -ENOMEM;
        trigger->unit = record_get_string_copy(reader);
        trigger->key = record_get_string_copy(reader);
        trigger->by = record_get_string_copy(reader);
        for (uint64_t n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                const char *variable = record_get_string(reader);

                if (!reader->has_failed && variable && strv_push(&trigger->environment, variable) < 0)
                        return -ENOMEM;
        }
        if (reader->has_failed || !trigger->unit || !trigger->key || !trigger->by)
                return -EBADMSG;
        append(runs, take_ptr(trigger));
        return 0;
}

int manager_runs_read_triggers(ManagerRuns *runs, RecordReader *reader) {
        int r = 0;

        for (uint64_t n = record_get(reader); n > 0 && r == 0; n--)
                r = read_one(runs, reader);
        /* Earlier versions did not write ends, or holds. */
        if (r == 0 && !reader->has_failed && !record_is_at_end(reader))
                r = manager_run_read_ends(runs, reader);
        if (r == 0 && !reader->has_failed && !record_is_at_end(reader))
                r = manager_run_read_holds(runs, reader);
        return r == 0 && reader->has_failed ? -EBADMSG : r;
}
