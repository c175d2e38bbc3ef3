/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers that wait until the store has what was asked for
 */

#include <errno.h>

#include "manager/manager_run_answer.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_sub.h"
#include "manager/manager_run_trigger.h"

void manager_run_tell(ManagerRuns *runs, const ManagerRunAnswer *answer) {
        if (answer->ticket.a == MANAGER_RUN_OF_TRIGGER)
                manager_run_end_trigger(runs, answer->ticket.b, answer->failure);
        else if (answer->ticket.a == MANAGER_RUN_OF_PUSH)
                runs->answer_push(runs, answer);
        else if (answer->ticket.a == MANAGER_RUN_OF_SUB)
                runs->answer_sub(runs, answer);
        else
                runs->host.ops->answered(runs->host.userdata, answer);
}

void manager_run_answer(ManagerRuns *runs, ManagerRunTicket ticket, uint32_t run, const Failure *failure) {
        if (ticket.a == 0 && ticket.b == 0)
                return;
        manager_run_tell(runs,
             &(ManagerRunAnswer) { .ticket = ticket, .kind = MANAGER_RUN_DONE, .failure = failure, .run = run });
}

void manager_run_answer_failure(ManagerRuns *runs, ManagerRunTicket ticket, int code, const char *name,
                                const char *sentence) {
        cleanup_(failure_deinit) Failure failure = {};

        failure_set(&failure, code, name, "%s", sentence);
        manager_run_answer(runs, ticket, 0, &failure);
}

static void await(ManagerRuns *runs, ManagerAwaited awaited) {
        const ManagerRunTicket ticket = awaited.ticket;

        if (ticket.a == 0 && ticket.b == 0)
                return;
        if (vector_push(&runs->awaited, awaited) < 0)
                manager_run_answer_failure(runs, ticket, -ENOMEM, "NoMemory",
                                           "Out of memory; what was asked for is done.");
}

void manager_run_await(ManagerRuns *runs, ManagerRunTicket ticket, ManagerRunAnswerKind kind, uint32_t run) {
        await(runs, (ManagerAwaited) { .ticket = ticket, .kind = kind, .run = run });
}

void manager_run_await_count(ManagerRuns *runs, ManagerRunTicket ticket, uint32_t run, uint32_t n) {
        await(runs, (ManagerAwaited) { .ticket = ticket, .kind = MANAGER_RUN_COUNTED, .run = run, .n = n });
}

void manager_run_refuse_awaited(ManagerRuns *runs, const Failure *failure) {
        for (size_t i = 0; i < runs->awaited.n; i++)
                manager_run_answer(runs, runs->awaited.items[i].ticket, runs->awaited.items[i].run, failure);
        vector_clear(&runs->awaited);
}

void manager_run_answer_durable(ManagerRuns *runs) {
        size_t n = 0;

        for (size_t i = 0; i < runs->awaited.n; i++) {
                const ManagerAwaited awaited = runs->awaited.items[i];

                if (awaited.batch == 0 || awaited.batch > runs->durable)
                        runs->awaited.items[n++] = awaited;
                else
                        manager_run_tell(runs,
                             &(ManagerRunAnswer) { .ticket = awaited.ticket,
                                                   .kind = awaited.kind,
                                                   .run = awaited.run,
                                                   .n = awaited.n });
        }
        runs->awaited.n = n;
}
