/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What can be asked about the stream of a run
 */

#include <errno.h>

#include "manager/manager_attempt.h"
#include "manager/manager_run_private.h"
#include "manager/manager_stream_private.h"

bool manager_stream_is_of(const ManagerRun *run) {
        return run->flow->unit->type == UNIT_STREAM;
}

int manager_stream_find_element(void *userdata, const RunAttemptKey *key, uint64_t element,
                                RunStreamBegin *ret_element) {
        const ManagerRun *run = manager_run_find(userdata, key->run);

        if (!run || !manager_stream_is_open(run->stream))
                return -ENOENT;
        return run_stream_find_begin(run->stream->engine, element, ret_element);
}

bool manager_stream_is_settling(const ManagerRuns *runs, const ManagerRun *run) {
        return run->stream && manager_attempts_count_kept(runs->attempts, run->id) > 0;
}

int manager_stream_count(const ManagerRuns *runs, uint32_t id, RunStreamCounts *ret_counts) {
        const ManagerRun *run = manager_run_find(runs, id);

        if (!run || !manager_stream_is_open(run->stream))
                return -ENOENT;
        run_stream_count(run->stream->engine, ret_counts);
        return 0;
}
