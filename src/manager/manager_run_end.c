/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ends of runs, of which OnFailure= and OnSuccess= of their flows are told
 *
 * An end is told in the turn whose batch has it. Who was told, and of which
 * ends, is a part of the state of the manager until the batch is durable, and
 * that state is committed before the batch leaves. So a core that dies in
 * between is followed by one that knows: if the run has ended, its end was
 * told, and if it ends again, since the store did not get the batch, that is
 * not told twice. The same holds as long as a run goes on that had ended, since
 * a person compensates it.
 */

#include <errno.h>
#include <inttypes.h>

#include "basic/log.h"
#include "job/job_manager.h"
#include "manager/manager_run_end.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_table.h"
#include "manager/manager_section.h"

#define BATCH_OPEN UINT64_MAX /* that of this turn, which is not ended */

static ManagerToldEnd *find(const ManagerRuns *runs, uint32_t run, uint32_t round) {
        for (size_t i = 0; i < runs->told_ends.n; i++)
                if (runs->told_ends.items[i].run == run && runs->told_ends.items[i].round == round)
                        return &runs->told_ends.items[i];
        return NULL;
}

void manager_run_note_end(ManagerRuns *runs, ManagerRun *run, const RunRow *row) {
        const ManagerRunEnd end = {
                .unit = run->flow->unit,
                .end = {
                        .run = run->id,
                        .round = row->round,
                        .has_failed = row->state == RUN_FAILED || row->state == RUN_TIMEOUT,
                },
        };
        ManagerToldEnd *told = find(runs, run->id, row->round);

        /* A run that a person compensates later has told its end already. */
        if (run->told_round == row->round)
                return;
        run->told_round = row->round;
        if (told) {
                told->is_of_earlier = false;
                return;
        }
        if (row->state != RUN_CANCELLED && vector_push(&runs->ends, end) < 0)
                log_write(LOG_LEVEL_ERROR, run->flow->unit->id,
                          "Out of memory: nobody is told of the end of run %" PRIu32 ".", run->id);
}

void manager_run_note_reopened(ManagerRuns *runs, const ManagerRun *run, uint32_t round) {
        ManagerToldEnd *told = find(runs, run->id, round);
        int r = 0;

        if (run->told_round != round)
                return;
        if (told)
                told->is_of_earlier = true;
        else
                r = vector_push(&runs->told_ends, ((ManagerToldEnd) {
                                                          .run = run->id,
                                                          .round = round,
                                                          .batch = BATCH_OPEN,
                                                          .is_of_earlier = true,
                                                  }));
        if (r < 0)
                log_write(LOG_LEVEL_ERROR, run->flow->unit->id,
                          "Out of memory: the end of run %" PRIu32 " may be told twice.", run->id);
        manager_mark_triggers(runs->host.attempts.turn->state);
        runs->must_commit = true;
}

static bool has_listeners(const ManagerRunEnd *end) {
        return unit_relations(end->unit, end->end.has_failed ? UNIT_ON_FAILURE : UNIT_ON_SUCCESS).n > 0;
}

static void keep(ManagerRuns *runs, const ManagerRunEnd *end) {
        const ManagerToldEnd told = { .run = end->end.run, .round = end->end.round, .batch = BATCH_OPEN };

        if (vector_push(&runs->told_ends, told) < 0)
                log_write(LOG_LEVEL_ERROR, end->unit->id,
                          "Out of memory: the end of run %" PRIu32 " may be told twice.", end->end.run);
        manager_mark_triggers(runs->host.attempts.turn->state);
        runs->must_commit = true;
}

void manager_run_tell_ends(ManagerRuns *runs) {
        for (size_t i = 0; i < runs->ends.n; i++) {
                const ManagerRunEnd *end = &runs->ends.items[i];

                if (has_listeners(end))
                        keep(runs, end);
                job_manager_notify_run(runs->host.jobs->engine, end->unit, &end->end, runs->host.attempts.turn->now);
        }
        vector_clear(&runs->ends);
}

void manager_run_put_ends(ManagerRuns *runs) {
        for (size_t i = 0; i < runs->told_ends.n; i++) {
                ManagerToldEnd *told = &runs->told_ends.items[i];

                if (!told->is_of_earlier && told->batch == BATCH_OPEN)
                        told->batch = runs->batch;
        }
}

/* Of an earlier core, and the run does not live: the store has its end. */
static bool is_done(const ManagerRuns *runs, const ManagerToldEnd *told) {
        return told->is_of_earlier ? !manager_run_find(runs, told->run) : told->batch <= runs->durable;
}

void manager_run_forget_ends(ManagerRuns *runs) {
        size_t n = 0;

        for (size_t i = 0; i < runs->told_ends.n; i++)
                if (!is_done(runs, &runs->told_ends.items[i]))
                        runs->told_ends.items[n++] = runs->told_ends.items[i];
        if (n == runs->told_ends.n)
                return;
        runs->told_ends.n = n;
        manager_mark_triggers(runs->host.attempts.turn->state);
}

/* — records — */

void manager_run_write_ends(const ManagerRuns *runs, RecordWriter *writer) {
        record_put(writer, runs->told_ends.n);
        for (size_t i = 0; i < runs->told_ends.n; i++) {
                record_put(writer, runs->told_ends.items[i].run);
                record_put(writer, runs->told_ends.items[i].round);
        }
}

int manager_run_read_ends(ManagerRuns *runs, RecordReader *reader) {
        int r = 0;

        for (uint64_t n = record_get(reader); n > 0 && r == 0 && !reader->has_failed; n--) {
                ManagerToldEnd told = { .batch = BATCH_OPEN, .is_of_earlier = true };

                told.run = (uint32_t) record_get(reader);
                told.round = (uint32_t) record_get(reader);
                if (!reader->has_failed)
                        r = vector_push(&runs->told_ends, told);
        }
        return r == 0 && reader->has_failed ? -EBADMSG : r;
}
