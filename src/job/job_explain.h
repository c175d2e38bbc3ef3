/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Why: answers about jobs, units and transactions
 *
 * Reads what jobs and the log keep; changes nothing. An answer is an a{sv}:
 *
 *   kind s           waiting, running, ended, idle (a unit without a job), refused, transaction
 *   summary s        the answer in one sentence
 *   id u, unit s, type s, run s, state s, result s, transaction t
 *   age t, running t, deadline-in t          µs; the last: till the job's time limit
 *   limit-in t       µs till a time limit of the unit's own ends what it does; of a running job
 *   causes aa{sv}    from the job to its anchor: unit, type, relation, declared, needed, text;
 *                    the last one says who asked: requester, command, uid, pid, reason, text
 *   also as          other causes that were merged in
 *   blockers aa{sv}  what must end first, and what that waits for: id, unit, type, run, state, relation,
 *                    declared, running, activity, activity-for, deadline-in, limit-in, text
 *   pause s, ends-when s
 *   held s           who holds the unit though no unit needs it
 *   requests as, jobs au, message s           of a transaction; its causes say who asked for it, and if a job that
 *                    was left out is asked for, the way to it
 *   dropped aa{sv}   as in a plan; and puller, relation, declared
 *
 * Keys that do not apply are left out.
 */

#include "basic/sink.h"
#include "job/job_entry.h"
#include "job/job_holder.h"
#include "job/job_log.h"
#include "job/job_table.h"

typedef struct JobExplain {
        const UnitTable *units;         /* borrowed, as are these */
        const JobTable *table;
        const JobLog *log;
        JobHolders holders;
        uint64_t now;
        Sink *sink;
} JobExplain;

#define JOB_EXPLAIN_WAIT_MAX 200        /* bytes */

/*
 * Describes in short what @job waits for at this moment: "it waited for job 5 (start b.service): /bin/sleep 60 (pid
 * 12)". 0, -ENOENT if the job waits for nothing but its turn, or -ENOMEM.
 */
int job_explain_wait(const JobExplain *explain, const Job *job, char **ret_text);

/* @what: a job id, a unit name, or "t12" for a transaction. 0, or -ENOENT if @what is unknown. */
int job_explain(const JobExplain *explain, const char *what);
