/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results that are read back from the store: for a client, into a descriptor
 * that it has given
 *
 * The descriptor must be one of memory (memfd_create(2)): whatever else a client
 * could give might keep the manager waiting. The store has all that has ended,
 * whether the run lives or not. A run may be removed between two chunks: where
 * they end without a short one, the store is asked whether the last one is still
 * there, so that nobody takes the part that was read for the whole.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/fd_write.h"
#include "basic/text.h"
#include "manager/manager_run_answer.h"
#include "manager/manager_run_blob.h"
#include "manager/manager_run_private.h"

#define READINGS_MAX 16U /* at a time: each may be of 64 MiB */

typedef enum ReadingPhase {
        READING_RUN,
        READING_NODE,
        READING_BLOB,
        READING_END, /* whether the blob has ended behind a chunk that is full */
} ReadingPhase;

struct ManagerReading {
        ManagerReading *next;
        ReadingPhase phase;
        uint64_t query; /* under way */
        uint32_t run, uid;
        bool is_other; /* may read results of runs of .uid only */
        char *node; /* owned */
        int fd; /* owned */
        uint8_t hash[RUNSTORE_HASH_BYTES];
        uint32_t chunk;
        uint64_t n;
        char source[16];
        ManagerRunTicket ticket;
};

void manager_run_blob_query(RunStoreQuery *ret_query, const uint8_t hash[static RUNSTORE_HASH_BYTES],
                            uint32_t chunk) {
        *ret_query = (RunStoreQuery) {
                .table = RUNSTORE_BLOB,
                .limit = 1,
                .n_filters = 2,
                .filters = {
                        { .column = BLOB_HASH,
                          .compare = RUNSTORE_EQUAL,
                          .value = { .type = RUNSTORE_BYTES, .bytes = hash, .n = RUNSTORE_HASH_BYTES } },
                        { .column = BLOB_CHUNK,
                          .compare = RUNSTORE_EQUAL,
                          .value = { .type = RUNSTORE_INTEGER, .integer = chunk } },
                },
        };
}

int manager_run_blob_write(RunStorePage *page, int fd) {
        ManagerRunValues values;
        int r = manager_run_values_next(page, &values);

        if (r <= 0)
                return r;
        if (values.values[BLOB_BYTES].type != RUNSTORE_BYTES)
                return -EBADMSG;
        r = fd_write_all(fd, values.values[BLOB_BYTES].bytes, values.values[BLOB_BYTES].n);
        return r < 0 ? r : values.values[BLOB_BYTES].n == RUNSTORE_CHUNK_BYTES;
}

/* — for clients — */

static void free_reading(ManagerReading *reading) {
        fd_close(reading->fd);
        free(reading->node);
        free(reading);
}

/* Takes it out of the list. */
static void drop(ManagerRuns *runs, ManagerReading *reading) {
        ManagerReading **at = &runs->readings;

        while (*at != reading)
                at = &(*at)->next;
        *at = reading->next;
        free_reading(reading);
}

void manager_run_drop_readings(ManagerRuns *runs) {
        while (runs->readings)
                drop(runs, runs->readings);
}

static void fail(ManagerRuns *runs, ManagerReading *reading, const Failure *failure) {
        const ManagerRunTicket ticket = reading->ticket;

        drop(runs, reading);
        manager_run_answer(runs, ticket, 0, failure);
}

static void succeed(ManagerRuns *runs, ManagerReading *reading) {
        const ManagerRunResult result = { .n = reading->n, .source = reading->source };
        const ManagerRunAnswer answer = { .ticket = reading->ticket,
                                          .kind = MANAGER_RUN_RESULT,
                                          .run = reading->run,
                                          .result = &result };

        runs->host.ops->answered(runs->host.userdata, &answer);
        drop(runs, reading);
}

static void describe(const ManagerReading *reading, RunStoreQuery *query) {
        switch (reading->phase) {
        case READING_RUN:
                *query = (RunStoreQuery) { .table = RUNSTORE_RUN,
                                           .columns = UINT64_C(1) << RUN_ROW_UID,
                                           .limit = 1,
                                           .n_filters = 1 };
                query->filters[0].column = RUN_ROW_ID;
                break;
        case READING_NODE:
                *query = (RunStoreQuery) { .table = RUNSTORE_NODE, .limit = 1, .n_filters = 2 };
                query->filters[0].column = NODE_RUN;
                query->filters[1].column = NODE_NAME;
                query->filters[1].value = (RunStoreValue) { .type = RUNSTORE_TEXT,
                                                            .bytes = reading->node,
                                                            .n = strlen(reading->node) };
                break;
        case READING_BLOB:
                manager_run_blob_query(query, reading->hash, reading->chunk);
                return;
        case READING_END:
                manager_run_blob_query(query, reading->hash, reading->chunk - 1);
                query->columns = UINT64_C(1) << BLOB_HASH | UINT64_C(1) << BLOB_CHUNK;
                query->limit = 2;
                query->filters[1].compare = RUNSTORE_AT_LEAST;
                return;
        }
        query->filters[0].value = (RunStoreValue) { .type = RUNSTORE_INTEGER, .integer = reading->run };
}

static int ask(ManagerRuns *runs, ManagerReading *reading, Failure *ret_failure) {
        RunStoreQuery query;
        int r;

        describe(reading, &query);
        r = manager_run_link_query(runs->link, &query, &reading->query);
        if (r == -ENOTCONN)
                return failure_set(ret_failure, r, "StoreUnavailable",
                                   "The store of runs cannot be asked yet; try again.");
        return r < 0 ? failure_set(ret_failure, r, "NoMemory", "Out of memory.") : 0;
}

static int refuse_node(const ManagerReading *reading, Failure *ret_failure) {
        return failure_set(ret_failure, -ENOENT, "NoSuchNode", "Run %" PRIu32 " has no node %s, or it has not begun.",
                           reading->run, reading->node);
}

/* Each takes a page: 0 with the next query to be made, 1 at the end, or -errno with @ret_failure. */
static int take_run(ManagerReading *reading, RunStorePage *page, Failure *ret_failure) {
        ManagerRunValues values;
        int r = manager_run_values_next(page, &values);

        if (r <= 0)
                return failure_set(ret_failure, -ENOENT, "NoSuchRun", "There is no run %" PRIu32 ".", reading->run);
        if (reading->is_other && manager_run_values_number(&values, RUN_ROW_UID) != reading->uid)
                return failure_set(ret_failure, -EACCES, "AccessDenied",
                                   "Results are for who has submitted the run, and for who owns the manager.");
        reading->phase = READING_NODE;
        return 0;
}

static int take_node(ManagerReading *reading, RunStorePage *page, Failure *ret_failure) {
        const RunStoreValue *blob;
        ManagerRunValues values;
        const char *text, *word;
        int state, r = manager_run_values_next(page, &values);

        if (r <= 0)
                return refuse_node(reading, ret_failure);
        blob = &values.values[NODE_BLOB];
        text = manager_run_values_text(&values, NODE_RESULT);
        word = manager_run_values_text(&values, NODE_STATE);
        state = run_node_state_from_string(word);
        if (state < 0 || !run_node_state_is_terminal((RunNodeState) state))
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Node %s of run %" PRIu32 " is %s: it has no result before it has ended.",
                                   reading->node, reading->run, word);
        strncpy(reading->source, manager_run_values_text(&values, NODE_SOURCE), sizeof(reading->source) - 1);
        if (blob->type == RUNSTORE_BYTES && blob->n == RUNSTORE_HASH_BYTES) {
                memcpy(reading->hash, blob->bytes, blob->n);
                reading->phase = READING_BLOB;
                return 0;
        }
        reading->n = strlen(text);
        r = fd_write_all(reading->fd, text, reading->n);
        return r < 0 ? failure_set(ret_failure, r, "Failed", "The result cannot be written: %s", strerror(-r)) : 1;
}

static int refuse_rest(const ManagerReading *reading, Failure *ret_failure) {
        return failure_set(ret_failure, -ENOENT, "Failed",
                           "The store does not have all of the result of node %s: run %" PRIu32 " was removed "
                           "meanwhile, or the file of the store is damaged.",
                           reading->node, reading->run);
}

static int take_chunk(ManagerReading *reading, RunStorePage *page, Failure *ret_failure) {
        const bool is_there = page->n_rows > 0;
        int r = manager_run_blob_write(page, reading->fd);

        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "The result cannot be written: %s", strerror(-r));
        if (!is_there && reading->chunk == 0)
                return refuse_rest(reading, ret_failure);
        if (!is_there) {
                reading->phase = READING_END;
                return 0;
        }
        reading->chunk++;
        reading->n = (uint64_t) MAX(lseek(reading->fd, 0, SEEK_CUR), 0);
        return r == 0;
}

/* The last chunk that was read, and a later one: there is one if another run has left the same result meanwhile. */
static int take_end(ManagerReading *reading, RunStorePage *page, Failure *ret_failure) {
        uint64_t chunk = reading->chunk - 1;
        ManagerRunValues values;
        uint32_t n = 0;

        for (; manager_run_values_next(page, &values) > 0; n++, chunk++)
                if (manager_run_values_number(&values, BLOB_CHUNK) != chunk)
                        return refuse_rest(reading, ret_failure);
        reading->phase = READING_BLOB;
        return n == 0 ? refuse_rest(reading, ret_failure) : n == 1;
}

bool manager_run_reading_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page) {
        static int (*const takes[])(ManagerReading * reading, RunStorePage * page, Failure * ret_failure) = {
                [READING_RUN] = take_run,
                [READING_NODE] = take_node,
                [READING_BLOB] = take_chunk,
                [READING_END] = take_end,
        };
        cleanup_(failure_deinit) Failure failure = {};
        ManagerReading *reading = runs->readings;
        int r;

        while (reading && reading->query != query)
                reading = reading->next;
        if (!reading)
                return false;
        r = takes[reading->phase](reading, page, &failure);
        if (r == 0)
                r = ask(runs, reading, &failure);
        if (r < 0)
                fail(runs, reading, &failure);
        else if (r > 0)
                succeed(runs, reading);
        return true;
}

bool manager_run_reading_refused(ManagerRuns *runs, uint64_t query, const RunStoreRefusal *refusal) {
        cleanup_(failure_deinit) Failure failure = {};
        ManagerReading *reading = runs->readings;

        while (reading && reading->query != query)
                reading = reading->next;
        if (!reading)
                return false;
        failure_set(&failure, -EHOSTDOWN, "StoreUnavailable", "%s", refusal->sentence);
        fail(runs, reading, &failure);
        return true;
}

static int make_reading(const ManagerRunResultRequest *request, ManagerReading **ret_reading) {
        ManagerReading *reading = calloc(1, sizeof(*reading));

        if (!reading)
                return -ENOMEM;
        *reading = (ManagerReading) {
                .run = request->run,
                .uid = request->uid,
                .is_other = request->is_other,
                .fd = fcntl(request->fd, F_DUPFD_CLOEXEC, 3),
                .ticket = request->ticket,
        };
        if (reading->fd < 0 || text_copy(request->node, &reading->node) < 0) {
                free_reading(reading);
                return -ENOMEM;
        }
        *ret_reading = reading;
        return 0;
}

int manager_runs_read_result(ManagerRuns *runs, const ManagerRunResultRequest *request, Failure *ret_failure) {
        ManagerReading *reading;
        unsigned n = 0;
        int r = manager_run_link_require(runs->link, ret_failure);

        if (r < 0)
                return r;
        for (reading = runs->readings; reading; reading = reading->next)
                n++;
        if (n >= READINGS_MAX)
                return failure_set(ret_failure, -EBUSY, "Busy", "%u results are being read already; try again.", n);
        /* Only a file in memory can be sealed. */
        if (fcntl(request->fd, F_GET_SEALS) < 0)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "The descriptor is none of a file in memory, as memfd_create(2) makes it.");
        r = make_reading(request, &reading);
        if (r < 0)
                return failure_set(ret_failure, r, "NoMemory", "Out of memory.");
        r = ask(runs, reading, ret_failure);
        if (r < 0) {
                free_reading(reading);
                return r;
        }
        reading->next = runs->readings;
        runs->readings = reading;
        return 0;
}
