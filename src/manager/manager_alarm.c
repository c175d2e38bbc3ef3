/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Alarms
 *
 * A row is put when its alarm is raised and when it is acknowledged. Until a
 * batch has it, the alarm is marked; so a batch that could not be ended loses
 * none.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "basic/vector.h"
#include "manager/manager_alarm.h"

typedef struct Alarm {
        uint64_t id;
        ManagerAlarmKind kind;
        uint32_t run;
        char *unit, *node, *text; /* owned; .node: NULL: none */
        char *operator; /* owned: of the acknowledgement; NULL: not known */
        usec_t raised, acknowledged; /* wall clock; 0: it is open */
        bool is_new; /* no batch has its row as it is */
        bool is_put; /* … but the batch at hand does */
} Alarm;

struct ManagerAlarms {
        VECTOR(Alarm) all; /* those that are open, and acknowledged ones until a batch has that */
        uint64_t last;
        size_t n_new;
};

static const char *const alarm_names[_MANAGER_ALARM_MAX] = {
        [MANAGER_ALARM_PENDING] = "pending",
        [MANAGER_ALARM_SUSPENDED] = "suspended",
        [MANAGER_ALARM_QUEUE] = "queue-full",
        [MANAGER_ALARM_CALLBACK] = "callback",
};

DEFINE_STRING_TABLE(manager_alarm, ManagerAlarmKind, alarm_names);

static void deinit(Alarm *alarm) {
        free(alarm->unit);
        free(alarm->node);
        free(alarm->text);
        free(alarm->operator);
}

int manager_alarms_new(ManagerAlarms **ret_alarms) {
        *ret_alarms = calloc(1, sizeof(**ret_alarms));
        return *ret_alarms ? 0 : -ENOMEM;
}

ManagerAlarms *manager_alarms_free(ManagerAlarms *alarms) {
        if (!alarms)
                return NULL;
        for (size_t i = 0; i < alarms->all.n; i++)
                deinit(&alarms->all.items[i]);
        vector_deinit(&alarms->all);
        free(alarms);
        return NULL;
}

static void set_new(ManagerAlarms *alarms, Alarm *alarm, bool is_new) {
        alarms->n_new += (size_t) is_new - alarm->is_new;
        alarm->is_new = is_new;
}

static int add(ManagerAlarms *alarms, uint64_t id, const ManagerAlarmFacts *facts, Alarm **ret_alarm) {
        Alarm alarm = { .id = id, .kind = facts->kind, .run = facts->run, .raised = facts->raised };
        int r = text_copy(facts->unit, &alarm.unit);

        if (r == 0)
                r = text_copy(facts->node, &alarm.node);
        if (r == 0)
                r = text_copy(facts->text, &alarm.text);
        if (r == 0)
                r = vector_push(&alarms->all, alarm);
        if (r < 0) {
                deinit(&alarm);
                return r;
        }
        *ret_alarm = &vector_last(&alarms->all);
        return 0;
}

/*
 * One alarm says that the queue of a unit is full, however many submissions have met that, and one that callbacks of a
 * run are given up.
 */
static bool is_known(const ManagerAlarms *alarms, const ManagerAlarmFacts *facts) {
        if (facts->kind != MANAGER_ALARM_QUEUE && facts->kind != MANAGER_ALARM_CALLBACK)
                return false;
        for (size_t i = 0; i < alarms->all.n; i++)
                if (alarms->all.items[i].kind == facts->kind && alarms->all.items[i].acknowledged == 0 &&
                    alarms->all.items[i].run == facts->run && text_equal(alarms->all.items[i].unit, facts->unit))
                        return true;
        return false;
}

static Alarm *find_same(const ManagerAlarms *alarms, const ManagerAlarmFacts *facts) {
        for (size_t i = 0; i < alarms->all.n; i++) {
                Alarm *alarm = &alarms->all.items[i];

                if (alarm->kind == facts->kind && alarm->run == facts->run && alarm->acknowledged == 0 &&
                    text_equal(alarm->node, facts->node))
                        return alarm;
        }
        return NULL;
}

static int change(ManagerAlarms *alarms, Alarm *alarm, const char *text) {
        char *copy;

        if (text_copy(text, &copy) < 0)
                return -ENOMEM;
        free(alarm->text);
        alarm->text = copy;
        set_new(alarms, alarm, true);
        return 0;
}

int manager_alarms_raise(ManagerAlarms *alarms, const ManagerAlarmFacts *facts) {
        Alarm *alarm = facts->is_one ? find_same(alarms, facts) : NULL;
        int r;

        if (alarm)
                return change(alarms, alarm, facts->text);
        if (is_known(alarms, facts))
                return 0;
        r = add(alarms, alarms->last + 1, facts, &alarm);
        if (r < 0)
                return r;
        alarms->last++;
        set_new(alarms, alarm, true);
        return 0;
}

static Alarm *find(const ManagerAlarms *alarms, uint64_t id) {
        size_t from = 0, to = alarms->all.n;

        /* Alarms are in the order of their numbers. */
        while (from < to) {
                const size_t middle = from + (to - from) / 2;

                if (alarms->all.items[middle].id < id)
                        from = middle + 1;
                else
                        to = middle;
        }
        return from < alarms->all.n && alarms->all.items[from].id == id ? &alarms->all.items[from] : NULL;
}

int manager_alarms_acknowledge(ManagerAlarms *alarms, uint64_t id, const char *operator, usec_t now,
                               uint32_t *ret_run) {
        Alarm *alarm = find(alarms, id);
        char *copy;

        if (!alarm || alarm->acknowledged > 0)
                return -ENOENT;
        if (text_copy(operator, & copy) < 0)
                return -ENOMEM;
        alarm->operator= copy;
        alarm->acknowledged = MAX(now, (usec_t) 1);
        set_new(alarms, alarm, true);
        *ret_run = alarm->run;
        return 0;
}

int manager_alarms_note_end(ManagerAlarms *alarms, uint32_t run, const char *state) {
        char ended[64];

        snprintf(ended, sizeof(ended), " Run %" PRIu32 " has ended since:", run);
        for (size_t i = 0; i < alarms->all.n; i++) {
                Alarm *alarm = &alarms->all.items[i];
                const char *earlier;
                char *text;

                if (alarm->run != run || alarm->acknowledged > 0 || !alarm->text ||
                    (alarm->kind != MANAGER_ALARM_PENDING && alarm->kind != MANAGER_ALARM_SUSPENDED))
                        continue;
                /* A run that is retried ends again. */
                earlier = strstr(alarm->text, ended) ?: strchr(alarm->text, '\0');
                if (text_format(&text, "%.*s%s %s.", (int) (earlier - alarm->text), alarm->text, ended, state) < 0)
                        return -ENOMEM;
                if (text_equal(text, alarm->text)) {
                        free(text);
                        continue;
                }
                free(alarm->text);
                alarm->text = text;
                set_new(alarms, alarm, true);
        }
        return 0;
}

uint32_t manager_alarms_count(const ManagerAlarms *alarms) {
        uint32_t n = 0;

        for (size_t i = 0; i < alarms->all.n; i++)
                n += alarms->all.items[i].acknowledged == 0;
        return n;
}

/* — rows — */

bool manager_alarms_has_rows(const ManagerAlarms *alarms) {
        return alarms->n_new > 0;
}

static void put_delete(RecordWriter *writer, uint64_t id) {
        runstore_put_operation(writer, RUNSTORE_ALARM, RUNSTORE_DELETE, 1);
        runstore_put_integer(writer, ALARM_ID, (int64_t) id);
}

static void put_row(RecordWriter *writer, const Alarm *alarm) {
        runstore_put_operation(writer, RUNSTORE_ALARM, RUNSTORE_PUT, _ALARM_MAX);
        runstore_put_integer(writer, ALARM_ID, (int64_t) alarm->id);
        if (alarm->run > 0)
                runstore_put_integer(writer, ALARM_RUN, alarm->run);
        else
                runstore_put_null(writer, ALARM_RUN);
        runstore_put_text(writer, ALARM_NODE, alarm->node);
        runstore_put_text(writer, ALARM_KIND, manager_alarm_to_string(alarm->kind));
        runstore_put_text(writer, ALARM_TEXT, alarm->text);
        runstore_put_integer(writer, ALARM_RAISED, (int64_t) alarm->raised);
        runstore_put_integer(writer, ALARM_ACKNOWLEDGED, (int64_t) alarm->acknowledged);
        runstore_put_text(writer, ALARM_OPERATOR, alarm->operator);
        runstore_put_text(writer, ALARM_UNIT, alarm->unit);
}

static bool is_kept(const ManagerAlarms *alarms, uint64_t id) {
        return id + MANAGER_ALARMS_KEPT > alarms->last;
}

void manager_alarms_put(ManagerAlarms *alarms, RecordWriter *writer) {
        for (size_t i = 0; i < alarms->all.n && alarms->n_new > 0; i++) {
                Alarm *alarm = &alarms->all.items[i];

                if (!alarm->is_new || alarm->is_put)
                        continue;
                alarm->is_put = true;
                if (alarm->acknowledged > 0 && !is_kept(alarms, alarm->id))
                        put_delete(writer, alarm->id);
                else
                        put_row(writer, alarm);
                /* One that is not kept any more, unless it is open. */
                if (alarm->acknowledged == 0 && alarm->id > MANAGER_ALARMS_KEPT &&
                    !find(alarms, alarm->id - MANAGER_ALARMS_KEPT))
                        put_delete(writer, alarm->id - MANAGER_ALARMS_KEPT);
        }
}

void manager_alarms_end_batch(ManagerAlarms *alarms, bool is_taken) {
        size_t n = 0;

        if (alarms->n_new == 0)
                return;
        for (size_t i = 0; i < alarms->all.n; i++) {
                Alarm *alarm = &alarms->all.items[i];

                if (is_taken && alarm->is_put)
                        set_new(alarms, alarm, false);
                alarm->is_put = false;
                if (alarm->acknowledged > 0 && !alarm->is_new)
                        deinit(alarm);
                else
                        alarms->all.items[n++] = *alarm;
        }
        alarms->all.n = n;
}

void manager_alarms_put_all(ManagerAlarms *alarms) {
        for (size_t i = 0; i < alarms->all.n; i++)
                set_new(alarms, &alarms->all.items[i], true);
}

/* — restart — */

void manager_alarms_set_last(ManagerAlarms *alarms, uint64_t id) {
        alarms->last = MAX(alarms->last, id);
}

int manager_alarms_restore(ManagerAlarms *alarms, const ManagerRunValues *values) {
        const uint64_t id = manager_run_values_number(values, ALARM_ID);
        const int kind = manager_alarm_from_string(manager_run_values_text(values, ALARM_KIND));
        const char *node = manager_run_values_text(values, ALARM_NODE);
        const ManagerAlarmFacts facts = {
                .kind = (ManagerAlarmKind) kind,
                .run = (uint32_t) manager_run_values_number(values, ALARM_RUN),
                .unit = manager_run_values_text(values, ALARM_UNIT),
                .node = *node ? node : NULL,
                .text = manager_run_values_text(values, ALARM_TEXT),
                .raised = manager_run_values_number(values, ALARM_RAISED),
        };
        Alarm *alarm;

        /* Rows are read in the order of their numbers, before any is raised. */
        if (kind < 0 || (alarms->all.n > 0 && vector_last(&alarms->all).id >= id))
                return 0;
        return add(alarms, id, &facts, &alarm);
}
