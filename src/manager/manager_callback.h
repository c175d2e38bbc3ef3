/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Callbacks: the commands that others are told by
 *
 * A callback is one try to deliver a row of the outbox of runs: an owner of
 * one process, which reads the row on its standard input. It has as much time
 * as MANAGER_CALLBACK_TIME, and is killed then; what its command leaves behind
 * is killed, too. Nothing of a run waits for it.
 *
 * Callbacks are recorded in the state of the manager. So after a death of core
 * one that runs goes on, and counts when it ends.
 */

#include "basic/failure.h"
#include "basic/record.h"
#include "manager/manager_attempt.h"

typedef struct ManagerCallbacks ManagerCallbacks;

#define MANAGER_CALLBACK_TIME (30 * USEC_PER_SEC)

typedef struct ManagerCallbackTerms {
        uint64_t id; /* of the row */
        uint32_t try; /* from 1 */
        const char *unit, *node, *event; /* borrowed, as all of it; .node: NULL: it is about the run */
        ExecCommand **command; /* what the callback takes leaves NULL here */
        const char *payload;
} ManagerCallbackTerms;

typedef enum ManagerCallbackEnd {
        MANAGER_CALLBACK_DELIVERED,
        MANAGER_CALLBACK_FAILED, /* a try is used */
        MANAGER_CALLBACK_DROPPED, /* it was not tried */
        _MANAGER_CALLBACK_END_MAX,
} ManagerCallbackEnd;

typedef struct ManagerCallbacksOps {
        int (*surround)(void *userdata, ExecRequest *request, ExecResult *result);
        ProcessOwner *(*owner_of)(void *userdata, Unit *unit); /* NULL: no memory */
        /* @problem: a sentence without its end; NULL: none. @node: NULL: none. */
        void (*ended)(void *userdata, uint64_t id, uint32_t try, ManagerCallbackEnd end, const char *problem);
} ManagerCallbacksOps;

/* Of @host its .ops are of no account. 0 or -ENOMEM. */
int manager_callbacks_new(ManagerCallbacks **ret_callbacks, const ManagerAttemptsHost *host, UnitTable *units,
                          const ManagerCallbacksOps *ops, void *userdata);
ManagerCallbacks *manager_callbacks_free(ManagerCallbacks *callbacks); /* the processes stay */

/* Asks for the process; its end is told by .ended. 0, -EINVAL with a sentence in @ret_failure, or -ENOMEM. */
int manager_callbacks_begin(ManagerCallbacks *callbacks, const ManagerCallbackTerms *terms, Failure *ret_failure);
size_t manager_callbacks_count(const ManagerCallbacks *callbacks); /* that are not told as ended */
/* The callback of @run, of which there is one at most, and its flow: false: there is none. */
bool manager_callbacks_find(const ManagerCallbacks *callbacks, uint32_t run, uint64_t *ret_id, const char **ret_unit);
/* Tells those that have ended, and forgets them: in a turn. */
void manager_callbacks_step(ManagerCallbacks *callbacks);

ProcessOwner *manager_callbacks_find_owner(const ManagerCallbacks *callbacks, const char *name);

/* — records: as those of attempts — */

void manager_callbacks_write(const ManagerCallbacks *callbacks, uint32_t number, RecordWriter *writer);
int manager_callbacks_next(const ManagerCallbacks *callbacks, uint32_t number, uint32_t *ret_number);
int manager_callbacks_read(ManagerCallbacks *callbacks, uint32_t number, RecordReader *reader, unsigned *n_processes);
int manager_callbacks_tell_lost(ManagerCallbacks *callbacks);
