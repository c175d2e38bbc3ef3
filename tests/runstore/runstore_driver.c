/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * runstore_driver SOCKET BATCHES [forget|each|all]
 *
 * A core that sends a series of batches, connects again whenever the store is
 * gone, and ends when all are durable. Batch n sets the round of run 1 to n,
 * replaces the event before it by event n, and adds attempt n; so a batch that
 * is missing, and one that is written after a later one, can both be seen.
 * "accepted N" and "durable N" are printed for each mark. With "forget" nothing is sent again:
 * after the loss of the link it is a new core that goes on with the next
 * batch. That is the control. For bench/runstore a batch waits until the one
 * before it is durable ("each"), or none waits ("all").
 */

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runstore/runstore_client.h"

#define LIMIT_SEC 60
#define TAIL_BYTES ((size_t) 4 * 1024 * 1024)

static bool is_welcome;

static void on_welcomed(void *userdata, const RunStoreWelcome *welcome, bool has_lost) {
        is_welcome = true;
        if (has_lost)
                exit(3);
}

static void on_accepted(void *userdata, uint64_t number) {
        printf("accepted %llu\n", (unsigned long long) number);
        fflush(stdout);
}

static void on_durable(void *userdata, uint64_t number) {
        printf("durable %llu\n", (unsigned long long) number);
        fflush(stdout);
}

static void on_refused(void *userdata, uint64_t number, const RunStoreRefusal *refusal) {
        fprintf(stderr, "refused %llu: %s\n", (unsigned long long) number, refusal->sentence);
        exit(4);
}

static void on_stored(void *userdata, uint64_t number, const uint8_t hash[static RUNSTORE_HASH_BYTES], uint64_t n) {
}

static void on_rows(void *userdata, uint64_t number, RunStorePage *page) {
}

static const RunStoreClientOps ops = { on_welcomed, on_accepted, on_durable, on_refused, on_stored, on_rows };

static void put_batch(RunStoreClient *client, int64_t n) {
        RecordWriter *writer;
        uint64_t number;

        if (runstore_client_begin(client, &writer) < 0)
                exit(5);
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 2);
        runstore_put_integer(writer, RUN_ROW_ID, 1);
        runstore_put_integer(writer, RUN_ROW_ROUND, n);
        runstore_put_operation(writer, RUNSTORE_EVENT, RUNSTORE_DELETE, 2);
        runstore_put_integer(writer, EVENT_RUN, 1);
        runstore_put_integer(writer, EVENT_ID, n - 1);
        runstore_put_operation(writer, RUNSTORE_EVENT, RUNSTORE_PUT, 2);
        runstore_put_integer(writer, EVENT_RUN, 1);
        runstore_put_integer(writer, EVENT_ID, n);
        runstore_put_operation(writer, RUNSTORE_ATTEMPT, RUNSTORE_PUT, 2);
        runstore_put_integer(writer, ATTEMPT_RUN, 1);
        runstore_put_integer(writer, ATTEMPT_ID, n);
        if (runstore_client_end(client, &number) < 0)
                exit(5);
}

static RunStoreClient *new_client(void) {
        static uint64_t instance = 100;
        RunStoreClient *client;

        is_welcome = false;
        if (runstore_client_new(&client, ++instance, &ops, NULL) < 0)
                exit(5);
        return client;
}

static void connect_to(RunStoreClient *client, const char *path) {
        int fd;

        if (runstore_connect(path, &fd) == 0) {
                if (runstore_client_attach(client, fd) < 0)
                        exit(5);
                return;
        }
        nanosleep(&(struct timespec) { .tv_nsec = 2000000 }, NULL);
}

int main(int argc, char *argv[]) {
        const int64_t n = argc > 2 ? atoll(argv[2]) : 0;
        const bool forgets = argc > 3 && strcmp(argv[3], "forget") == 0,
                   waits = argc > 3 && strcmp(argv[3], "each") == 0;
        const bool hastens = argc > 3 && strcmp(argv[3], "all") == 0;
        RunStoreClient *client = new_client();
        int64_t next = 1;

        alarm(LIMIT_SEC);
        while (!is_welcome || next <= n || runstore_client_bytes(client) > 0) {
                if (!runstore_client_is_attached(client)) {
                        connect_to(client, argv[1]);
                        continue;
                }
                if (is_welcome && next <= n && runstore_client_bytes(client) < (waits ? 1 : TAIL_BYTES))
                        put_batch(client, next++);
                (void) poll(
                        &(struct pollfd) { .fd = runstore_client_fd(client), .events = runstore_client_events(client) },
                        1,
                        waits || next > n || !is_welcome ? 1000
                        : hastens                        ? 0
                                                         : 1);
                if (runstore_client_serve(client) < 0 && forgets) {
                        runstore_client_free(client);
                        client = new_client();
                }
        }
        runstore_client_free(client);
        return EXIT_SUCCESS;
}
