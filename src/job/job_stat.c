/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Counters: written as one dictionary
 */

#include "job/job_stat.h"

void job_stat_write(const JobStat *stat, uint64_t n_jobs, uint64_t n_ready, Sink *sink) {
        sink_entry_u64(sink, "jobs", n_jobs);
        sink_entry_u64(sink, "ready", n_ready);
        sink_entry_u64(sink, "transactions-committed", stat->n_committed);
        sink_entry_u64(sink, "transactions-refused", stat->n_refused);
        sink_entry_u64(sink, "transactions-planned", stat->n_planned);
        sink_entry_u64(sink, "installed", stat->n_installed);
        sink_entry_u64(sink, "joined", stat->n_joined);
        sink_entry_u64(sink, "triggered", stat->n_triggered);
        sink_entry_u64(sink, "interrupted", stat->n_interrupted);
        sink_entry_u64(sink, "follow-ups", stat->n_follow_ups);
        sink_entry_u64(sink, "cycles-broken", stat->n_cycles_broken);

        sink_entry_open(sink, "by-type", "a{st}");
        sink_open(sink, 'a', "{st}");
        for (int type = 0; type < _JOB_TYPE_MAX_IN_TABLE; type++) {
                sink_open(sink, 'e', "st");
                sink_string(sink, job_type_to_string(type));
                sink_u64(sink, stat->n_by_type[type]);
                sink_close(sink);
        }
        sink_close(sink);
        sink_entry_close(sink);

        sink_entry_open(sink, "by-result", "a{st}");
        sink_open(sink, 'a', "{st}");
        for (int result = 0; result < _JOB_RESULT_MAX; result++) {
                sink_open(sink, 'e', "st");
                sink_string(sink, job_result_to_string(result));
                sink_u64(sink, stat->n_by_result[result]);
                sink_close(sink);
        }
        sink_close(sink);
        sink_entry_close(sink);
}
