/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Alarms of runs: what a person should look at
 *
 * An alarm is a row of the store that is put with the change that raises it,
 * and stays until somebody acknowledges it, also when its run has ended, which
 * its text says then, or is gone. Those that are open are in memory, too. Numbers rise; of alarms that
 * were acknowledged the store keeps those among the last MANAGER_ALARMS_KEPT
 * numbers.
 */

#include "manager/manager_run_row.h"

typedef struct ManagerAlarms ManagerAlarms;

#define MANAGER_ALARMS_KEPT 1000U

typedef enum ManagerAlarmKind {
        MANAGER_ALARM_PENDING, /* a node waits for a person */
        MANAGER_ALARM_SUSPENDED, /* a run can do nothing before a person has decided */
        MANAGER_ALARM_QUEUE, /* MaxQueued= is exceeded: the unit has one such alarm at a time */
        MANAGER_ALARM_CALLBACK, /* a callback was given up: the run has one such alarm at a time */
        _MANAGER_ALARM_MAX,
} ManagerAlarmKind;

DECLARE_STRING_TABLE(manager_alarm, ManagerAlarmKind);

typedef struct ManagerAlarmFacts {
        ManagerAlarmKind kind;
        uint32_t run; /* 0: it is about the unit */
        const char *unit, *node; /* .node: NULL: it is about the run */
        const char *text; /* a sentence */
        usec_t raised; /* wall clock */
        bool is_one; /* an open one of the kind, the run and the node gets the text instead */
} ManagerAlarmFacts;

int manager_alarms_new(ManagerAlarms **ret_alarms);
ManagerAlarms *manager_alarms_free(ManagerAlarms *alarms);

/* Raises an alarm; @facts is copied. 0 or -ENOMEM. */
int manager_alarms_raise(ManagerAlarms *alarms, const ManagerAlarmFacts *facts);
/* 0, or -ENOENT: none that is open has the number. *@ret_run: 0: of no run. */
int manager_alarms_acknowledge(ManagerAlarms *alarms, uint64_t id, const char *operator, usec_t now, uint32_t *ret_run);
/* The run is over: open alarms that ask for a decision about it say so, with its state by now. 0 or -ENOMEM. */
int manager_alarms_note_end(ManagerAlarms *alarms, uint32_t run, const char *state);
uint32_t manager_alarms_count(const ManagerAlarms *alarms); /* that are open */

/* — rows — */

bool manager_alarms_has_rows(const ManagerAlarms *alarms); /* that no batch has */
void manager_alarms_put(ManagerAlarms *alarms, RecordWriter *writer);
/* The rows that were put last are in a batch; if not, they are put again. */
void manager_alarms_end_batch(ManagerAlarms *alarms, bool is_taken);
void manager_alarms_put_all(ManagerAlarms *alarms); /* the store has lost them */

/* — restart — */

void manager_alarms_set_last(ManagerAlarms *alarms, uint64_t id);
/* An alarm that is open, by its row. 0 or -ENOMEM; rows that are known or cannot be read are left out. */
int manager_alarms_restore(ManagerAlarms *alarms, const ManagerRunValues *values);
