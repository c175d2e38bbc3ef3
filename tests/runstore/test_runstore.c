/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobd-runstore: what is durable, what is told, and files that it cannot use
 *
 * S000-40, S004-8, S004-19, S004-28, S004-40, S004-41
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "runstore/runstore_world.h"

TestSuite(runstore, .init = world_begin, .fini = world_end, .timeout = 120);

static WorldCore *start(void) {
        WorldCore *core;

        world_start_store();
        core = world_core_new(11);
        world_wait(core, core->seen.n_welcomed == 1);
        return core;
}

#define TAIL_BYTES (256U * 1024U) /* as core's BufferMax= */

static uint64_t put_large(WorldCore *core, int64_t id) {
        static char large[8192];
        RecordWriter *writer;
        uint64_t number;

        memset(large, 'x', sizeof(large) - 1);
        cr_assert(eq(int, runstore_client_begin(core->client, &writer), 0));
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 2);
        runstore_put_integer(writer, RUN_ROW_ID, id);
        runstore_put_text(writer, RUN_ROW_RESULT, large);
        cr_assert(eq(int, runstore_client_end(core->client, &number), 0));
        return number;
}

/* — batches — */

Test(runstore, batch_is_accepted_and_then_durable) {
        WorldCore *core = start();
        uint64_t number = world_put_run(core, 1, "one");

        cr_assert(eq(u64, number, 1));
        cr_assert(lt(sz, 0, runstore_client_bytes(core->client)));
        world_wait_durable(core, number);
        cr_assert(eq(u64, core->seen.accepted, 1));
        cr_assert(eq(sz, runstore_client_bytes(core->client), 0));
        cr_assert(eq(i64, world_ask("SELECT id FROM run WHERE name = 'one' AND state = 'RUNNING'"), 1));
        world_core_free(core);
}

Test(runstore, put_changes_the_columns_that_are_given) {
        WorldCore *core = start();
        RecordWriter *writer;
        uint64_t number;

        world_put_run(core, 1, "one");
        cr_assert(eq(int, runstore_client_begin(core->client, &writer), 0));
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 3);
        runstore_put_integer(writer, RUN_ROW_ID, 1);
        runstore_put_text(writer, RUN_ROW_STATE, NULL);
        runstore_put_integer(writer, RUN_ROW_ENDED, -5);
        cr_assert(eq(int, runstore_client_end(core->client, &number), 0));
        world_wait_durable(core, number);
        cr_assert(eq(i64, world_ask("SELECT ended FROM run WHERE name = 'one' AND state IS NULL"), -5));
        world_core_free(core);
}

Test(runstore, delete_removes_rows_by_the_first_columns_of_the_key) {
        WorldCore *core = start();
        RecordWriter *writer;
        uint64_t number;

        cr_assert(eq(int, runstore_client_begin(core->client, &writer), 0));
        for (int i = 0; i < 6; i++) {
                runstore_put_operation(writer, RUNSTORE_NODE, RUNSTORE_PUT, 2);
                runstore_put_integer(writer, NODE_RUN, i / 3);
                runstore_put_text(writer, NODE_NAME, i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c");
        }
        runstore_put_operation(writer, RUNSTORE_NODE, RUNSTORE_DELETE, 1);
        runstore_put_integer(writer, NODE_RUN, 0);
        runstore_put_operation(writer, RUNSTORE_NODE, RUNSTORE_DELETE, 2);
        runstore_put_integer(writer, NODE_RUN, 1);
        runstore_put_text(writer, NODE_NAME, "b");
        cr_assert(eq(int, runstore_client_end(core->client, &number), 0));
        world_wait_durable(core, number);
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM node"), 2));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM node WHERE run = 1 AND name IN ('a', 'c')"), 2));
        world_core_free(core);
}

/* As core puts a definition: an edge is known by both of its ends, a node by its number. */
Test(runstore, nodes_and_edges_of_a_definition_are_rows) {
        static const uint8_t hash[RUNSTORE_HASH_BYTES] = { 1, 2, 3 };
        static const struct {
                int64_t child, parent;
                const char *kind;
        } edges[] = { { 1, 0, "DependsOn" }, { 2, 0, "OptionalDependsOn" }, { 2, 1, "DependsOn" } };
        static const char *const names[] = { "a", "b", "c" };
        RunStoreQuery query = { .table = RUNSTORE_DEF_EDGE,
                                .n_filters = 2,
                                .filters = { { .column = DEF_EDGE_HASH,
                                               .value = { .type = RUNSTORE_BYTES, .bytes = hash, .n = sizeof(hash) } },
                                             { .column = DEF_EDGE_CHILD,
                                               .value = { .type = RUNSTORE_INTEGER, .integer = 2 } } } };
        WorldCore *core = start();
        RecordWriter *writer;
        uint64_t number;

        /* Twice, as after a death of core. */
        for (int i = 0; i < 2; i++) {
                cr_assert(eq(int, runstore_client_begin(core->client, &writer), 0));
                for (size_t k = 0; k < ELEMENTSOF(edges); k++) {
                        runstore_put_operation(writer, RUNSTORE_DEF_EDGE, RUNSTORE_PUT, 4);
                        runstore_put_bytes(writer, DEF_EDGE_HASH, hash, sizeof(hash));
                        runstore_put_integer(writer, DEF_EDGE_CHILD, edges[k].child);
                        runstore_put_integer(writer, DEF_EDGE_PARENT, edges[k].parent);
                        runstore_put_text(writer, DEF_EDGE_KIND, edges[k].kind);
                }
                for (size_t k = 0; k < ELEMENTSOF(names); k++) {
                        runstore_put_operation(writer, RUNSTORE_DEF_NODE, RUNSTORE_PUT, 4);
                        runstore_put_bytes(writer, DEF_NODE_HASH, hash, sizeof(hash));
                        runstore_put_integer(writer, DEF_NODE_NUMBER, (int64_t) k);
                        runstore_put_text(writer, DEF_NODE_NAME, names[k]);
                        runstore_put_text(writer, DEF_NODE_SETTINGS, "{}");
                }
                cr_assert(eq(int, runstore_client_end(core->client, &number), 0));
                world_wait_durable(core, number);
        }
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM def_node"), 3));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM def_edge"), 3));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM def_edge e JOIN def_node p ON p.hash = e.hash AND p.number = "
                                    "e.parent JOIN def_node c ON c.hash = e.hash AND c.number = e.child WHERE c.name = "
                                    "'c' AND p.name = 'a' AND e.kind = 'OptionalDependsOn'"), 1));
        cr_assert(eq(int, runstore_client_query(core->client, &query, &number), 0));
        world_wait(core, core->seen.n_rows == 1);
        cr_assert(eq(u64, core->seen.n_page, 2));
        world_core_free(core);
}

Test(runstore, batch_that_breaks_a_constraint_is_refused_by_itself) {
        WorldCore *core = start();
        uint64_t first = world_put_run(core, 1, "same"), second = world_put_run(core, 2, "same"),
                 third = world_put_run(core, 3, "other");

        world_wait_durable(core, third);
        cr_assert(eq(u64, core->seen.n_refused, 1));
        cr_assert(eq(u64, core->seen.refused_number, second));
        cr_assert(eq(int, core->seen.reason, RUNSTORE_REFUSED_CONSTRAINT));
        cr_assert(strstr(core->seen.sentence, "run.name") != NULL, "%s", core->seen.sentence);
        cr_assert(eq(i64, world_ask("SELECT sum(id) FROM run"), 4));
        cr_assert(lt(u64, first, second));
        world_core_free(core);
}

Test(runstore, core_that_only_reads_may_not_write) {
        WorldCore *core;
        RecordWriter *writer;

        world_start_store();
        core = world_core_new(0);
        world_wait(core, core->seen.n_welcomed == 1);
        cr_assert(eq(int, runstore_client_begin(core->client, &writer), -EROFS));
        world_core_free(core);
}

Test(runstore, nothing_is_written_before_the_numbers_are_known) {
        WorldCore *core = world_core_new(3);
        RecordWriter *writer;
        uint64_t number;

        cr_assert(eq(int, runstore_client_begin(core->client, &writer), -ENOTCONN));
        cr_assert(eq(int, runstore_client_query(core->client, &(RunStoreQuery) { .table = RUNSTORE_RUN }, &number),
                     -ENOTCONN));
        world_core_free(core);
}

/* — deaths — */

static RecordWriter *begin_element(WorldCore *core, const char *name, int64_t run) {
        RecordWriter *writer;

        cr_assert(eq(int, runstore_client_begin(core->client, &writer), 0));
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 3);
        runstore_put_integer(writer, RUN_ROW_ID, run);
        runstore_put_text(writer, RUN_ROW_NAME, name);
        runstore_put_integer(writer, RUN_ROW_VALID, 1);
        return writer;
}

/* A row of a run, and of an element, which changes one that an earlier batch has put. */
static uint64_t put_element(WorldCore *core, const char *name, int64_t run, int64_t sequence, const char *state) {
        RecordWriter *writer = begin_element(core, name, run);
        uint64_t number = 0;

        runstore_client_put_after(core->client);
        runstore_put_operation(writer, RUNSTORE_ELEMENT, RUNSTORE_PUT, 3);
        runstore_put_integer(writer, ELEMENT_RUN, 1);
        runstore_put_integer(writer, ELEMENT_SEQUENCE, sequence);
        runstore_put_text(writer, ELEMENT_STATE, state);
        cr_assert(eq(int, runstore_client_end(core->client, &number), 0));
        return number;
}

Test(runstore, rows_of_streams_that_stand_behind_a_refused_batch_are_left_out) {
        WorldCore *core = start();
        uint64_t refused, number;

        put_element(core, "same", 1, 1, "UNLINKED");
        refused = put_element(core, "same", 2, 2, "UNLINKED");
        put_element(core, "other", 3, 2, "WAITING");
        number = put_element(core, "another", 4, 1, "WAITING");
        world_wait_durable(core, number);
        cr_assert(eq(u64, core->seen.n_refused, 1));
        cr_assert(eq(u64, core->seen.refused_number, refused));
        cr_assert(eq(i64, world_ask("SELECT sum(id) FROM run"), 8), "other rows are there");
        cr_assert(eq(i64, world_ask("SELECT sum(sequence) FROM element"), 1));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM element WHERE state = 'UNLINKED'"), 1));
        /* Core knows it now, and goes on, also with the next store. */
        world_kill_store(SIGKILL);
        world_start_store();
        world_wait_durable(core, put_element(core, "last", 5, 2, "UNLINKED"));
        cr_assert(eq(i64, world_ask("SELECT sum(sequence) FROM element"), 3));
        cr_assert(eq(u64, core->seen.n_refused, 1));
        world_core_free(core);
}

Test(runstore, next_store_leaves_out_what_stands_behind_a_batch_that_the_one_before_has_refused) {
        WorldCore *core = start();
        uint64_t number;

        put_element(core, "same", 1, 1, "UNLINKED");
        number = put_element(core, "same", 2, 2, "UNLINKED");
        while (runstore_client_events(core->client) != POLLIN)
                cr_assert(eq(int, runstore_client_send(core->client), 0));
        while (world_ask("SELECT value FROM schema WHERE name = 'number'") < (int64_t) number)
                ;
        number = put_element(core, "other", 3, 2, "WAITING");
        world_kill_store(SIGKILL);
        world_start_store();
        world_connect(core);
        world_wait_durable(core, number);
        cr_assert(eq(i64, world_ask("SELECT sum(sequence) FROM element"), 1));
        cr_assert(eq(i64, world_ask("SELECT max(id) FROM run"), 3));
        world_core_free(core);
}

/* Refused, and told over a link that core does not read any more: by that store, or by the next one. */
static void lose_refusal(bool store_dies) {
        WorldCore *core = start();
        uint64_t refused, last;

        put_element(core, "same", 1, 1, "UNLINKED");
        refused = put_element(core, "same", 2, 2, "UNLINKED");
        last = put_element(core, "other", 3, 3, "UNLINKED");
        while (runstore_client_events(core->client) != POLLIN)
                cr_assert(eq(int, runstore_client_send(core->client), 0));
        while (world_ask("SELECT value FROM schema WHERE name = 'number'") < (int64_t) last)
                ;
        cr_assert(eq(u64, core->seen.n_refused, 0));
        if (store_dies) {
                world_kill_store(SIGKILL);
                world_start_store();
        }
        world_connect(core);
        world_wait(core, core->seen.n_welcomed == 2);
        cr_assert(eq(u64, core->seen.n_refused, 1));
        cr_assert(eq(u64, core->seen.refused_number, refused));
        cr_assert(eq(int, core->seen.reason, RUNSTORE_REFUSED_CONSTRAINT));
        world_wait_durable(core, put_element(core, "last", 4, 2, "UNLINKED"));
        world_connect(core);
        world_wait(core, core->seen.n_welcomed == 3);
        cr_assert(eq(u64, core->seen.n_refused, 1), "told once");
        cr_assert(eq(i64, world_ask("SELECT sum(sequence) FROM element"), 3));
        world_core_free(core);
}

Test(runstore, refusal_that_was_told_over_a_lost_link_is_told_again) {
        lose_refusal(false);
}

Test(runstore, refusal_of_a_store_that_has_died_is_told_by_the_next_one) {
        lose_refusal(true);
}

Test(runstore, what_is_not_durable_is_sent_again_to_the_next_store) {
        WorldCore *core = start();
        uint64_t number = 0;

        for (int i = 1; i <= 200; i++) {
                char name[24];

                snprintf(name, sizeof(name), "r%d", i);
                number = world_put_run(core, i, name);
                if (i % 50 == 0) {
                        (void) world_serve(core);
                        world_kill_store(SIGKILL);
                        world_start_store();
                }
        }
        world_wait_durable(core, number);
        cr_assert(eq(u64, number, 200));
        cr_assert(eq(i64, world_ask("SELECT count(*) * 1000 + count(DISTINCT name) FROM run"), 200200));
        cr_assert(eq(u64, core->seen.n_lost, 0));
        cr_assert(eq(u64, core->seen.n_refused, 0), "%s", core->seen.sentence);
        world_core_free(core);
}

Test(runstore, successor_of_a_core_finds_what_was_sent_before_its_death) {
        WorldCore *core = start(), *next;
        uint64_t number = 0;

        kill(world.store, SIGSTOP);
        for (int i = 1; i <= 20; i++)
                number = world_put_run(core, i, NULL);
        while (runstore_client_events(core->client) != POLLIN)
                (void) world_serve(core);
        /* Dies with everything sent and nothing read; the next one connects meanwhile. */
        world_core_free(core);
        next = world_core_new(12);
        (void) world_serve(next);
        kill(world.store, SIGCONT);
        world_wait(next, next->seen.n_welcomed == 1);
        cr_assert(eq(u64, next->seen.welcome.accepted, number));
        cr_assert(eq(u64, next->seen.welcome.durable, number));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM run"), 20));
        cr_assert(eq(u64, world_put_run(next, 21, NULL), number + 1));
        world_core_free(next);
}

/* More than the store reads at once, so that it sees the HELLO of the successor before the end of the link before. */
Test(runstore, link_before_is_read_to_its_end_before_another_is_welcomed) {
        const int n = 500, n_buffer = 16 * 1024 * 1024;
        WorldCore *core = start(), *next;
        uint64_t number = 0;

        if (setsockopt(runstore_client_fd(core->client), SOL_SOCKET, SO_SNDBUFFORCE, &n_buffer, sizeof(n_buffer)) < 0)
                cr_skip_test("the socket can have no larger buffer here");
        kill(world.store, SIGSTOP);
        for (int i = 1; i <= n; i++)
                number = put_large(core, i);
        while (runstore_client_events(core->client) != POLLIN)
                (void) world_serve(core);
        world_core_free(core);
        next = world_core_new(12);
        (void) world_serve(next);
        kill(world.store, SIGCONT);
        world_wait(next, next->seen.n_welcomed == 1);
        cr_assert(eq(u64, next->seen.welcome.durable, number));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM run"), n));
        world_core_free(next);
}

Test(runstore, torn_frame_of_a_dead_core_is_dropped) {
        static const uint8_t torn[] = { 200, 0, 0, 0, RUNSTORE_BATCH, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1 };
        WorldCore *core = start(), *next;
        uint64_t number = world_put_run(core, 1, "whole");

        world_wait_durable(core, number);
        cr_assert(eq(int, (int) send(runstore_client_fd(core->client), torn, sizeof(torn), 0), (int) sizeof(torn)));
        world_core_free(core);
        next = world_core_new(12);
        world_wait(next, next->seen.n_welcomed == 1);
        cr_assert(eq(u64, next->seen.welcome.accepted, number));
        cr_assert(eq(u64, next->seen.n_refused, 0));
        world_core_free(next);
}

Test(runstore, core_that_another_has_followed_is_fenced) {
        WorldCore *core = start(), *next;

        world_wait_durable(core, world_put_run(core, 1, "one"));
        next = world_core_new(12);
        world_wait(next, next->seen.n_welcomed == 1);
        world_wait_durable(next, world_put_run(next, 2, "two"));
        world_put_run(core, 3, "late");
        world_wait(core, core->seen.n_refused > 0);
        cr_assert(eq(int, core->seen.reason, RUNSTORE_REFUSED_FENCED));
        world_wait_durable(next, world_put_run(next, 4, "four"));
        cr_assert(eq(i64, world_ask("SELECT sum(id) FROM run"), 7));
        world_core_free(core);
        world_core_free(next);
}

Test(runstore, store_that_is_told_to_end_writes_what_it_has_read) {
        WorldCore *core = start();
        int status;

        for (int i = 1; i <= 50; i++)
                world_put_run(core, i, NULL);
        world_wait(core, runstore_client_events(core->client) == POLLIN);
        kill(world.store, SIGTERM);
        cr_assert(eq(int, waitpid(world.store, &status, 0), world.store));
        world.store = 0;
        cr_assert(eq(int, status, 0));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM run"), 50));
        world_core_free(core);
}

Test(runstore, second_store_leaves_the_first_alone) {
        WorldCore *core = start();
        pid_t pid = fork();
        int status;

        if (pid == 0) {
                char argument[128];

                snprintf(argument, sizeof(argument), "--socket=%s", world.socket);
                execl(JOBD_RUNSTORE_PROGRAM, "jobd-runstore", argument, world.file, NULL);
                _exit(127);
        }
        cr_assert(eq(int, waitpid(pid, &status, 0), pid));
        cr_assert(eq(int, status, 0));
        world_wait_durable(core, world_put_run(core, 1, "one"));
        world_core_free(core);
}

/* — frames that are wrong — */

static int connect_raw(void) {
        int fd = -1;

        cr_assert(eq(int, runstore_connect(world.socket, &fd), 0));
        cr_assert(eq(int, fcntl(fd, F_SETFL, 0), 0));
        return fd;
}

/* The reason of the last refusal before the store closes the link; -1: none. */
static int read_refusal(int fd) {
        uint8_t bytes[4096];
        size_t n = 0, at = 0, missing;
        RunStoreRefusal refusal;
        RunStoreFrame frame;
        int reason = -1;

        for (ssize_t got; (got = read(fd, bytes + n, sizeof(bytes) - n)) > 0;)
                n += (size_t) got;
        for (ssize_t got; at < n && (got = runstore_frame_read(bytes + at, n - at, &frame, &missing)) > 0;
             at += (size_t) got)
                if (frame.kind == RUNSTORE_REFUSED && runstore_get_refusal(&frame, &refusal) == 0)
                        reason = (int) refusal.reason;
        close(fd);
        return reason;
}

static void send_hello(int fd) {
        RecordWriter writer = {};

        runstore_frame_begin(&writer, RUNSTORE_HELLO, 0);
        runstore_put_hello(&writer, &(RunStoreHello) { .instance = 99 });
        cr_assert(eq(int, runstore_frame_end(&writer), 0));
        cr_assert(eq(int, (int) write(fd, writer.bytes, writer.n), (int) writer.n));
        record_writer_deinit(&writer);
}

/* A welcome of a known size is read away; its epoch. */
static uint64_t read_welcome(int fd) {
        RunStoreWelcome welcome;
        RunStoreFrame frame;
        uint8_t bytes[256];
        size_t n = 0, missing = sizeof(RunStoreHeader);

        while (runstore_frame_read(bytes, n, &frame, &missing) == 0) {
                ssize_t got = read(fd, bytes + n, missing);

                cr_assert(lt(int, 0, (int) got));
                n += (size_t) got;
        }
        cr_assert(eq(int, runstore_get_welcome(&frame, &welcome), 0));
        return welcome.epoch;
}

typedef enum Wrong {
        GARBAGE,
        VERSION,
        OVERSIZED,
        BEFORE_HELLO,
        SECOND_HELLO,
        ANSWER,
        OPERATION,
        EPOCH,
        GAP,
        _WRONG_MAX
} Wrong;

static void send_wrong(int fd, Wrong wrong, uint64_t epoch) {
        RecordWriter writer = {};
        RunStoreHeader header = { .kind = wrong == GARBAGE ? 999 : RUNSTORE_BATCH,
                                  .version = wrong == VERSION ? 7 : 1,
                                  .length = wrong == OVERSIZED ? UINT32_MAX : 0 };

        if (wrong <= OVERSIZED) {
                cr_assert(eq(int, (int) write(fd, &header, sizeof(header)), (int) sizeof(header)));
                return;
        }
        if (wrong == SECOND_HELLO) {
                send_hello(fd);
                return;
        }
        runstore_frame_begin(&writer, wrong == ANSWER ? RUNSTORE_DURABLE : RUNSTORE_BATCH, wrong == GAP ? 2 : 1);
        if (wrong != ANSWER)
                record_put_time(&writer, epoch + (wrong == EPOCH));
        if (wrong == OPERATION)
                record_put(&writer, 12345);
        cr_assert(eq(int, runstore_frame_end(&writer), 0));
        cr_assert(eq(int, (int) write(fd, writer.bytes, writer.n), (int) writer.n));
        record_writer_deinit(&writer);
}

Test(runstore, each_wrong_frame_is_refused_and_ends_its_link_alone) {
        static const RunStoreReason reasons[_WRONG_MAX] = {
                [VERSION] = RUNSTORE_REFUSED_VERSION,
                [EPOCH] = RUNSTORE_REFUSED_FENCED,
                [GAP] = RUNSTORE_REFUSED_ORDER,
        };
        WorldCore *core;

        world_start_store();
        for (Wrong wrong = 0; wrong < _WRONG_MAX; wrong++) {
                int fd = connect_raw();
                uint64_t epoch = 0;

                if (wrong >= SECOND_HELLO) {
                        send_hello(fd);
                        epoch = read_welcome(fd);
                }
                send_wrong(fd, wrong, epoch);
                cr_assert(eq(int, read_refusal(fd), (int) reasons[wrong]), "case %d", (int) wrong);
        }
        core = world_core_new(12);
        world_wait(core, core->seen.n_welcomed == 1);
        cr_assert(eq(u64, core->seen.welcome.accepted, 0));
        world_wait_durable(core, world_put_run(core, 1, "one"));
        world_core_free(core);
}

Test(runstore, batch_that_comes_again_is_no_fault) {
        RecordWriter writer = {};
        uint64_t epoch;
        int fd;

        world_start_store();
        fd = connect_raw();
        send_hello(fd);
        epoch = read_welcome(fd);
        runstore_frame_begin(&writer, RUNSTORE_BATCH, 1);
        record_put_time(&writer, epoch);
        cr_assert(eq(int, runstore_frame_end(&writer), 0));
        for (int i = 0; i < 3; i++)
                cr_assert(eq(int, (int) write(fd, writer.bytes, writer.n), (int) writer.n));
        record_writer_deinit(&writer);
        /* Refused is only what ends the link. */
        send_wrong(fd, VERSION, epoch);
        cr_assert(eq(int, read_refusal(fd), RUNSTORE_REFUSED_VERSION));
}

/* — results — */

static int make_file(const char *text, size_t times) {
        char path[128];
        int fd;

        snprintf(path, sizeof(path), "%s/result", world.folder);
        fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        for (size_t i = 0; i < times; i++)
                cr_assert(eq(int, (int) write(fd, text, strlen(text)), (int) strlen(text)));
        return fd;
}

Test(runstore, result_is_stored_by_its_hash_in_chunks) {
        static const uint8_t begin[] = { 0xba, 0x78, 0x16, 0xbf };
        WorldCore *core = start();
        int fd = make_file("abc", 1);
        uint64_t number;

        cr_assert(eq(int, runstore_client_collect(core->client, fd, 100, 1, &number), 0));
        close(fd);
        world_wait_durable(core, number);
        cr_assert(eq(u64, core->seen.stored_number, number));
        cr_assert(eq(u64, core->seen.stored_bytes, 3));
        cr_assert(eq(int, memcmp(core->seen.hash, begin, sizeof(begin)), 0));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM blob WHERE bytes = CAST('abc' AS BLOB)"), 1));
        fd = make_file("0123456789abcdef", 160 * 1024);
        cr_assert(eq(int, runstore_client_collect(core->client, fd, UINT64_MAX, 1, &number), 0));
        close(fd);
        world_wait_durable(core, number);
        cr_assert(eq(u64, core->seen.stored_bytes, 2560 * 1024));
        cr_assert(eq(i64, world_ask("SELECT count(*) * 10 + max(chunk) FROM blob WHERE length(bytes) > 3"), 32));
        world_core_free(core);
}

static void put_run(WorldCore *core, int64_t id, const char *definition) {
        RecordWriter *writer;
        uint64_t number;

        cr_assert(eq(int, runstore_client_begin(core->client, &writer), 0));
        runstore_put_operation(writer, RUNSTORE_DEF, RUNSTORE_PUT, 1);
        runstore_put_bytes(writer, DEF_HASH, definition, strlen(definition));
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 2);
        runstore_put_integer(writer, RUN_ROW_ID, id);
        runstore_put_bytes(writer, RUN_ROW_DEFINITION, definition, strlen(definition));
        cr_assert(eq(int, runstore_client_end(core->client, &number), 0));
        world_wait_durable(core, number);
}

static void delete_run(WorldCore *core, int64_t id) {
        RecordWriter *writer;
        uint64_t number;

        cr_assert(eq(int, runstore_client_begin(core->client, &writer), 0));
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_DELETE, 1);
        runstore_put_integer(writer, RUN_ROW_ID, id);
        cr_assert(eq(int, runstore_client_end(core->client, &number), 0));
        world_wait_durable(core, number);
}

static void collect(WorldCore *core, const char *text, uint32_t run) {
        int fd = make_file(text, 1);
        uint64_t number;

        cr_assert(eq(int, runstore_client_collect(core->client, fd, 100, run, &number), 0));
        close(fd);
        world_wait_durable(core, number);
}

Test(runstore, result_goes_with_the_last_run_that_has_it) {
        WorldCore *core = start();

        put_run(core, 1, "a");
        put_run(core, 2, "a");
        collect(core, "both", 1);
        collect(core, "both", 2);
        collect(core, "own", 1);
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM blob"), 2));
        delete_run(core, 1);
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM blob WHERE bytes = CAST('both' AS BLOB)"), 1));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM blob"), 1));
        delete_run(core, 2);
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM blob"), 0));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM blob_use"), 0));
        world_core_free(core);
}

Test(runstore, result_that_is_too_large_or_no_file_is_refused) {
        WorldCore *core = start();
        uint64_t number;
        int fd = make_file("abc", 1), pipes[2];

        cr_assert(eq(int, runstore_client_collect(core->client, fd, 2, 1, &number), 0));
        world_wait_durable(core, number);
        cr_assert(eq(int, core->seen.reason, RUNSTORE_REFUSED_TOO_LARGE));
        cr_assert(eq(u64, core->seen.refused_number, number));
        cr_assert(eq(int, pipe(pipes), 0));
        cr_assert(eq(int, runstore_client_collect(core->client, pipes[0], 2, 1, &number), 0));
        world_wait_durable(core, number);
        cr_assert(eq(int, core->seen.reason, RUNSTORE_REFUSED_FILE));
        cr_assert(eq(u64, core->seen.n_stored, 0));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM blob"), 0));
        close(fd);
        world_core_free(core);
}

/* — queries — */

static void ask(WorldCore *core, const RunStoreQuery *query) {
        unsigned before = core->seen.n_rows;
        uint64_t number;

        cr_assert(eq(int, runstore_client_query(core->client, query, &number), 0));
        world_wait(core, core->seen.n_rows > before);
}

Test(runstore, query_sees_every_batch_sent_before_it) {
        WorldCore *core = start();

        for (int i = 1; i <= 5; i++)
                world_put_run(core, i, NULL);
        while (core->seen.accepted < 5)
                (void) world_serve(core);
        ask(core, &(RunStoreQuery) { .table = RUNSTORE_RUN });
        cr_assert(eq(u64, core->seen.n_page, 5));
        cr_assert(not(core->seen.has_more));
        world_core_free(core);
}

Test(runstore, pages_go_on_behind_the_last_row_in_both_orders) {
        WorldCore *core = start();

        for (int i = 1; i <= 25; i++)
                world_put_run(core, i, NULL);
        world_wait_durable(core, 25);
        for (int descending = 0; descending < 2; descending++) {
                RunStoreQuery query = {
                        .table = RUNSTORE_RUN, .limit = 10, .is_descending = descending, .columns = 1 << RUN_ROW_STATE
                };

                for (int page = 0; page < 3; page++) {
                        ask(core, &query);
                        cr_assert(eq(u64, core->seen.n_page, page < 2 ? 10 : 5));
                        cr_assert(eq(int, core->seen.has_more, page < 2));
                        for (int i = 0; i < (int) core->seen.n_page; i++)
                                cr_assert(eq(i64, core->seen.ids[i],
                                             descending ? 25 - page * 10 - i : 1 + page * 10 + i));
                        query.n_cursor = 1;
                        query.cursor[0] = core->seen.cursor[0];
                }
        }
        world_core_free(core);
}

Test(runstore, filters_choose_rows) {
        WorldCore *core = start();
        RunStoreQuery query = { .table = RUNSTORE_RUN, .n_filters = 2 };

        for (int i = 1; i <= 9; i++) {
                char name[24];

                snprintf(name, sizeof(name), "n%d", i);
                world_put_run(core, i, name);
        }
        world_wait_durable(core, 9);
        query.filters[0] = (RunStoreFilter) { RUN_ROW_ID, RUNSTORE_GREATER, { .type = RUNSTORE_INTEGER, .integer = 3 } };
        query.filters[1] = (RunStoreFilter) { RUN_ROW_ID, RUNSTORE_AT_MOST, { .type = RUNSTORE_INTEGER, .integer = 5 } };
        ask(core, &query);
        cr_assert(eq(u64, core->seen.n_page, 2));
        cr_assert(eq(i64, core->seen.ids[0], 4));
        query.n_filters = 1;
        query.filters[0] = (RunStoreFilter) { RUN_ROW_NAME,
                                             RUNSTORE_EQUAL,
                                             { .type = RUNSTORE_TEXT, .bytes = "n7", .n = 2 } };
        ask(core, &query);
        cr_assert(eq(u64, core->seen.n_page, 1));
        cr_assert(eq(i64, core->seen.ids[0], 7));
        query.filters[0].value = (RunStoreValue) { .type = RUNSTORE_TEXT, .bytes = "'; DROP TABLE run; --", .n = 21 };
        ask(core, &query);
        cr_assert(eq(u64, core->seen.n_page, 0));
        world_core_free(core);
}

/* CPU time of the store for some pages, in seconds: unlike the time that passes, it does not depend on the load. */
static double cost_of(WorldCore *core, const RunStoreQuery *query) {
        struct timespec before, after;
        clockid_t clock;

        cr_assert(eq(int, clock_getcpuclockid(world.store, &clock), 0));
        ask(core, query); /* what is read from the disk for the first time */
        clock_gettime(clock, &before);
        for (int i = 0; i < 20; i++)
                ask(core, query);
        clock_gettime(clock, &after);
        return (double) (after.tv_sec - before.tv_sec) + (double) (after.tv_nsec - before.tv_nsec) / 1e9;
}

static void make_runs(int n) {
        char sql[512];
        sqlite3 *db;

        snprintf(sql, sizeof(sql),
                 "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
                 "INSERT INTO run (id, unit, name, state, why) SELECT i, 'u' || (i %% 10), 'r' || i, "
                 "CASE i %% 100000 WHEN 0 THEN 'FAILED' ELSE 'SUCCEEDED' END, 'w' || i FROM n",
                 n);
        cr_assert(eq(int, sqlite3_open(world.file, &db), SQLITE_OK));
        cr_assert(eq(int, sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA cache_size = -200000", NULL, NULL, NULL),
                     SQLITE_OK));
        cr_assert(eq(int, sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK), "%s", sqlite3_errmsg(db));
        sqlite3_close(db);
}

/* The control is a filter without an index, which looks at every run. */
Test(runstore, page_of_a_million_runs_costs_the_same_wherever_it_is) {
        const int n = 1000000;
        RunStoreQuery query = { .table = RUNSTORE_RUN,
                                .is_descending = true,
                                .limit = 50,
                                .columns = 1 << RUN_ROW_NAME | 1 << RUN_ROW_STATE };
        double first, last, by_state, by_unit, scanned;
        WorldCore *core = start();

        make_runs(n);
        first = cost_of(core, &query);
        cr_assert(eq(i64, core->seen.ids[0], n));
        query.n_cursor = 1;
        query.cursor[0] = (RunStoreValue) { .type = RUNSTORE_INTEGER, .integer = 51 };
        last = cost_of(core, &query);
        cr_assert(eq(i64, core->seen.ids[49], 1));
        cr_assert(not(core->seen.has_more));
        query.cursor[0].integer = n / 2;
        query.n_filters = 1;
        query.filters[0] = (RunStoreFilter) { RUN_ROW_STATE,
                                             RUNSTORE_EQUAL,
                                             { .type = RUNSTORE_TEXT, .bytes = "FAILED", .n = 6 } };
        by_state = cost_of(core, &query);
        cr_assert(eq(u64, core->seen.n_page, 4));
        query.filters[0] = (RunStoreFilter) { RUN_ROW_UNIT,
                                             RUNSTORE_EQUAL,
                                             { .type = RUNSTORE_TEXT, .bytes = "u7", .n = 2 } };
        by_unit = cost_of(core, &query);
        cr_assert(eq(u64, core->seen.n_page, 50));
        query.filters[0] = (RunStoreFilter) { RUN_ROW_WHY,
                                             RUNSTORE_EQUAL,
                                             { .type = RUNSTORE_TEXT, .bytes = "none", .n = 4 } };
        scanned = cost_of(core, &query);
        cr_assert(lt(dbl, last, 3 * first), "the first page %f s, the last %f s", first, last);
        cr_assert(lt(dbl, by_state, 3 * first), "a page %f s, by state %f s", first, by_state);
        cr_assert(lt(dbl, by_unit, 3 * first), "a page %f s, by unit %f s", first, by_unit);
        cr_assert(lt(dbl, 3 * first, scanned), "a page %f s, without an index %f s", first, scanned);
        world_core_free(core);
}

/* — files — */

static void write_file(const char *text, size_t n) {
        int fd = open(world.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        cr_assert(eq(int, (int) write(fd, text, n), (int) n));
        close(fd);
}

Test(runstore, damaged_file_is_set_aside_by_name) {
        char aside[128];
        WorldCore *core;

        write_file("This is no database, although it is long enough for its header: one hundred bytes are what that "
                   "has, at least.",
                   110);
        core = start();
        world_wait_durable(core, world_put_run(core, 1, "one"));
        snprintf(aside, sizeof(aside), "%s.damaged-1", world.file);
        cr_assert(eq(int, access(aside, F_OK), 0));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM run"), 1));
        world_core_free(core);
}

/* Pages behind the first, while the store has the file open: what was durable is lost, and core is told so. */
Test(runstore, file_that_is_damaged_while_it_is_used_is_replaced_and_core_is_told) {
        WorldCore *core = start();
        char path[128];
        uint8_t bytes[4096];
        struct stat status;
        int fd;

        for (int i = 1; i <= 500; i++)
                world_put_run(core, i, NULL);
        world_wait_durable(core, 500);
        world_kill_store(SIGTERM);
        cr_assert(eq(int, stat(world.file, &status), 0));
        memset(bytes, 0x5a, sizeof(bytes));
        fd = open(world.file, O_WRONLY | O_CLOEXEC);
        for (off_t at = 4096 * 3; at < status.st_size; at += 4096)
                cr_assert(eq(int, (int) pwrite(fd, bytes, sizeof(bytes), at), (int) sizeof(bytes)));
        close(fd);
        world_start_store();
        world_wait_durable(core, world_put_run(core, 501, "next"));
        snprintf(path, sizeof(path), "%s.damaged-1", world.file);
        cr_assert(eq(int, access(path, F_OK), 0));
        world_wait(core, core->seen.n_lost == 1);
        cr_assert(eq(i64, world_ask("SELECT id FROM run WHERE name = 'next'"), 501));
        world_core_free(core);
}

/* A page that the store itself does not change. */
Test(runstore, damage_that_a_query_meets_is_found_once) {
        WorldCore *core = start();
        uint8_t bytes[4096];
        char path[128];
        uint64_t number;
        off_t page;
        int fd;

        world_wait_durable(core, world_put_run(core, 1, "one"));
        page = (off_t) world_ask("SELECT rootpage FROM sqlite_schema WHERE name = 'attempt'");
        world_kill_store(SIGTERM);
        memset(bytes, 0x5a, sizeof(bytes));
        fd = open(world.file, O_WRONLY | O_CLOEXEC);
        cr_assert(eq(int, (int) pwrite(fd, bytes, sizeof(bytes), (page - 1) * 4096), (int) sizeof(bytes)));
        close(fd);
        world_start_store();
        world_wait_durable(core, world_put_run(core, 2, "two"));
        for (int i = 0; i < 3; i++)
                cr_assert(eq(int,
                             runstore_client_query(core->client, &(RunStoreQuery) { .table = RUNSTORE_ATTEMPT },
                                                   &number),
                             0));
        world_wait(core, core->seen.n_lost == 1);
        /* All three were of the same file: the next one is not replaced. */
        ask(core, &(RunStoreQuery) { .table = RUNSTORE_ATTEMPT });
        world_wait_durable(core, world_put_run(core, 3, "three"));
        cr_assert(eq(uint, core->seen.n_lost, 1));
        snprintf(path, sizeof(path), "%s.damaged-1", world.file);
        cr_assert(eq(int, access(path, F_OK), 0));
        snprintf(path, sizeof(path), "%s.damaged-2", world.file);
        cr_assert(eq(int, access(path, F_OK), -1));
        cr_assert(eq(i64, world_ask("SELECT id FROM run"), 3));
        world_core_free(core);
}

Test(runstore, file_that_lacks_a_column_gets_it_and_keeps_its_rows) {
        WorldCore *core = start();
        sqlite3 *db;

        world_wait_durable(core, world_put_run(core, 1, "one"));
        world_kill_store(SIGTERM);
        cr_assert(eq(int, sqlite3_open(world.file, &db), SQLITE_OK));
        cr_assert(eq(int, sqlite3_exec(db, "ALTER TABLE run DROP COLUMN launches", NULL, NULL, NULL), SQLITE_OK));
        sqlite3_close(db);
        world_core_free(core);
        world_start_store();
        core = world_core_new(12);
        world_wait(core, core->seen.n_welcomed > 0);
        world_wait_durable(core, world_put_run(core, 2, "two"));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM run WHERE launches IS NULL"), 2));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM pragma_table_info('run') WHERE type = 'BLOB'"), 3));
        world_core_free(core);
}

/* It is known from the nodes which runs have large results. */
Test(runstore, file_of_before_results_were_deleted_gets_what_it_lacks) {
        WorldCore *core = start();
        sqlite3 *db;

        put_run(core, 1, "a");
        collect(core, "one", 1);
        world_kill_store(SIGTERM);
        cr_assert(eq(int, sqlite3_open(world.file, &db), SQLITE_OK));
        cr_assert(eq(int, sqlite3_exec(db, "INSERT INTO node (run, name, blob) SELECT 1, 'n', hash FROM blob;"
                                           "DROP TABLE blob_use; DROP TRIGGER run_deleted;",
                                       NULL, NULL, NULL), SQLITE_OK));
        sqlite3_close(db);
        world_core_free(core);
        world_start_store();
        core = world_core_new(12);
        world_wait(core, core->seen.n_welcomed > 0);
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM blob_use WHERE run = 1"), 1));
        delete_run(core, 1);
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM blob"), 0));
        world_core_free(core);
}

/* A batch of more than the socket takes is still on its way when it is asked for. */
Test(runstore, question_behind_batches_sees_them) {
        enum { N = 8 };
        WorldCore *core = start();
        uint64_t number;

        for (int64_t id = 1; id <= N; id++) {
                static char text[512 * 1024];
                RecordWriter *writer;

                memset(text, 'x', sizeof(text) - 1);
                cr_assert(eq(int, runstore_client_begin(core->client, &writer), 0));
                runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 2);
                runstore_put_integer(writer, RUN_ROW_ID, id);
                runstore_put_text(writer, RUN_ROW_PARAMS, text);
                cr_assert(eq(int, runstore_client_end(core->client, &number), 0));
        }
        cr_assert(eq(int,
                     runstore_client_query(core->client,
                                           &(RunStoreQuery) { .table = RUNSTORE_RUN,
                                                              .columns = 1,
                                                              .is_behind = true },
                                           &number),
                     0));
        world_wait(core, core->seen.n_rows > 0);
        cr_assert(eq(u64, core->seen.n_page, N));
        world_core_free(core);
}

Test(runstore, file_of_before_streams_gets_their_tables) {
        WorldCore *core = start();
        RecordWriter *writer;
        uint64_t number;
        sqlite3 *db;

        put_run(core, 1, "a");
        world_kill_store(SIGTERM);
        cr_assert(eq(int, sqlite3_open(world.file, &db), SQLITE_OK));
        cr_assert(eq(int, sqlite3_exec(db, "DROP TABLE element; DROP TABLE stream_group; DROP TABLE stream_key;", NULL,
                                       NULL, NULL), SQLITE_OK));
        sqlite3_close(db);
        world_core_free(core);
        world_start_store();
        core = world_core_new(12);
        world_wait(core, core->seen.n_welcomed > 0);
        cr_assert(eq(int, runstore_client_begin(core->client, &writer), 0));
        runstore_put_operation(writer, RUNSTORE_ELEMENT, RUNSTORE_PUT, 3);
        runstore_put_integer(writer, ELEMENT_RUN, 1);
        runstore_put_integer(writer, ELEMENT_SEQUENCE, 7);
        runstore_put_text(writer, ELEMENT_GROUP, "");
        runstore_put_operation(writer, RUNSTORE_STREAM_GROUP, RUNSTORE_PUT, 2);
        runstore_put_integer(writer, STREAM_GROUP_RUN, 1);
        runstore_put_text(writer, STREAM_GROUP_NAME, "");
        runstore_put_operation(writer, RUNSTORE_STREAM_KEY, RUNSTORE_PUT, 2);
        runstore_put_integer(writer, STREAM_KEY_RUN, 1);
        runstore_put_text(writer, STREAM_KEY_KEY, "k");
        cr_assert(eq(int, runstore_client_end(core->client, &number), 0));
        world_wait_durable(core, number);
        cr_assert(eq(i64, world_ask("SELECT sequence FROM element JOIN stream_group USING (run) "
                                    "WHERE name = \"group\" AND run IN (SELECT run FROM stream_key)"), 7));
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM sqlite_schema WHERE name = 'element_group'"), 1));
        world_core_free(core);
}

Test(runstore, file_of_a_later_format_is_refused_by_name_and_untouched) {
        WorldCore *core = start();
        struct stat before, after;
        sqlite3 *db;

        world_wait_durable(core, world_put_run(core, 1, "one"));
        world_kill_store(SIGTERM);
        cr_assert(eq(int, sqlite3_open(world.file, &db), SQLITE_OK));
        cr_assert(eq(int,
                     sqlite3_exec(db, "PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL),
                     SQLITE_OK));
        sqlite3_close(db);
        cr_assert(eq(int, stat(world.file, &before), 0));
        world_core_free(core);
        world_start_store();
        core = world_core_new(12);
        world_wait(core, core->seen.n_refused > 0);
        cr_assert(eq(int, core->seen.reason, RUNSTORE_REFUSED_UNAVAILABLE));
        cr_assert(strstr(core->seen.sentence, world.file) && strstr(core->seen.sentence, "format 2"), "%s",
                  core->seen.sentence);
        cr_assert(eq(u64, core->seen.n_welcomed, 0));
        cr_assert(eq(int, stat(world.file, &after), 0));
        cr_assert(eq(i64, after.st_mtim.tv_sec, before.st_mtim.tv_sec));
        cr_assert(eq(i64, after.st_mtim.tv_nsec, before.st_mtim.tv_nsec));
        cr_assert(eq(i64, (int64_t) after.st_size, (int64_t) before.st_size));
        world_core_free(core);
}

/* A file system of its own over the folder. */
static void mount_small(const char *options) {
        cr_assert(eq(int, mount("small", world.folder, "tmpfs", 0, options), 0), "%m");
}

static void unmount_small(void) {
        world_kill_store(SIGKILL);
        cr_assert(eq(int, umount(world.folder), 0));
}

Test(runstore, file_system_that_is_read_only_is_told_and_used_once_it_is_not) {
        WorldCore *core;

        mount_small("size=4m");
        cr_assert(eq(int, mount("small", world.folder, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0));
        snprintf(world.socket, sizeof(world.socket), "%s-socket", world.folder);
        world_start_store();
        core = world_core_new(12);
        world_wait(core, core->seen.n_refused > 0);
        cr_assert(eq(int, core->seen.reason, RUNSTORE_REFUSED_UNAVAILABLE));
        cr_assert(strstr(core->seen.sentence, "Read-only") != NULL, "%s", core->seen.sentence);
        cr_assert(eq(int, mount("small", world.folder, NULL, MS_REMOUNT, NULL), 0));
        world_wait(core, core->seen.n_welcomed == 1);
        world_wait_durable(core, world_put_run(core, 1, "one"));
        world_core_free(core);
        unmount_small();
        unlink(world.socket);
}

Test(runstore, full_disk_gives_up_the_ballast_and_loses_nothing) {
        uint64_t number = 0, sent = 0;
        WorldCore *core;
        char filler[128], ballast[128];

        mount_small("size=12m");
        world.ballast = "--ballast=512K";
        core = start();
        snprintf(ballast, sizeof(ballast), "%s.ballast", world.file);
        cr_assert(eq(int, access(ballast, F_OK), 0));
        snprintf(filler, sizeof(filler), "%s/filler", world.folder);
        {
                int fd = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

                cr_assert(eq(int, posix_fallocate(fd, 0, 8 * 1024 * 1024), 0));
                close(fd);
        }
        while (core->seen.n_refused == 0) {
                if (runstore_client_bytes(core->client) < TAIL_BYTES)
                        number = put_large(core, (int64_t) ++sent);
                (void) world_serve(core);
        }
        cr_assert(eq(int, core->seen.reason, RUNSTORE_REFUSED_FULL));
        cr_assert(eq(int, access(ballast, F_OK), -1));
        cr_assert(strstr(core->seen.sentence, "reserve") != NULL, "%s", core->seen.sentence);
        /* On, until the room of the ballast is used, too. */
        while (core->seen.n_refused == 1) {
                if (runstore_client_bytes(core->client) < TAIL_BYTES)
                        number = put_large(core, (int64_t) ++sent);
                (void) world_serve(core);
        }
        cr_assert(eq(int, core->seen.reason, RUNSTORE_REFUSED_FULL));
        cr_assert(lt(u64, core->seen.durable, number));
        cr_assert(eq(int, unlink(filler), 0));
        world_wait_durable(core, number);
        cr_assert(eq(i64, world_ask("SELECT count(*) FROM run WHERE length(result) = 8191"), (int64_t) sent));
        world_core_free(core);
        unmount_small();
}

Test(runstore, disk_that_has_room_again_is_told) {
        WorldCore *core;
        char filler[128];
        int fd;

        mount_small("size=8m");
        core = start();
        snprintf(filler, sizeof(filler), "%s/filler", world.folder);
        fd = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        for (off_t at = 0; posix_fallocate(fd, at, 4096) == 0; at += 4096)
                ;
        close(fd);
        for (int i = 1; core->seen.n_refused == 0; i++) {
                put_large(core, i);
                (void) world_serve(core);
        }
        cr_assert(eq(int, unlink(filler), 0));
        world_wait(core, core->seen.reason == RUNSTORE_REFUSED_NONE);
        world_core_free(core);
        unmount_small();
}
