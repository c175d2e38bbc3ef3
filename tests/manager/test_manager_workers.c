/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Workers, with the test at the other end of their sockets
 *
 * S003-10
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "basic/clock.h"
#include "double/double_assert.h"
#include "manager/manager_workers.h"

#define WORKERS 16

TestSuite(manager_workers, .timeout = 60);

typedef struct Fixture {
        ManagerTurn turn;
        ManagerWorkers *workers;
        uint64_t n, next; /* items there are, and that were issued */
        uint32_t n_started;
        char story[1024]; /* what the owner was told */
        unsigned n_said; /* sentences for the log */
        bool has_told; /* workers to end */
        bool writes_on; /* at each answer, who has left worker 1 writes the next */
        int ours[WORKERS + 1], theirs[WORKERS + 1]; /* by number */
} Fixture;

static void tell(Fixture *f, const char *what, uint64_t index) {
        const size_t n = strlen(f->story);

        snprintf(f->story + n, sizeof(f->story) - n, "%s %llu. ", what, (unsigned long long) index);
}

static bool has_next(void *userdata) {
        const Fixture *f = userdata;

        return f->next < f->n;
}

static bool next(void *userdata, ManagerWorkerItem *ret_item) {
        Fixture *f = userdata;

        if (!has_next(f))
                return false;
        *ret_item = (ManagerWorkerItem) { .index = f->next++, .data = "data", .length = 4 };
        return true;
}

static void answered(void *userdata, const ManagerWorkerItem *item, uint8_t status, const char *result,
                     size_t length) {
        Fixture *f = userdata;

        if (f->writes_on)
                cr_assert(eq(int, (int) write(f->theirs[1], "1\t0\t0\n", 6), 6));
        tell(userdata, status == 0 ? "done" : "failed", item->index);
}

static void ended(void *userdata, const ManagerWorkerItem *item, ManagerWorkerEnd end) {
        tell(userdata, end == MANAGER_WORKER_DIED ? "died" : end == MANAGER_WORKER_LATE ? "late" : "returned",
             item->index);
}

static bool claim(void *userdata, uint64_t index) {
        tell(userdata, "claim", index);
        return true;
}

static int start(void *userdata, uint32_t *ret_number) {
        Fixture *f = userdata;

        *ret_number = ++f->n_started;
        tell(f, "start", f->n_started);
        return 0;
}

static bool end(void *userdata, uint32_t number) {
        tell(userdata, "end", number);
        return !((Fixture *) userdata)->has_told;
}

static bool settle(void *userdata) {
        return false;
}

static void say(void *userdata, const char *sentence) {
        ((Fixture *) userdata)->n_said++;
}

static const ManagerWorkersOps ops = { has_next, next, answered, ended, claim, start, end, settle, say };

static void set_up(Fixture *f, uint32_t n_max, uint64_t n, usec_t limit) {
        const ManagerWorkersSettings settings = {
                .n_max = n_max, .depth = 2, .idle = limit, .item_timeout = limit, .hello_timeout = limit, .end_timeout = limit
        };

        *f = (Fixture) { .n = n };
        cr_assert(eq(int, manager_turn_init(&f->turn), 0));
        cr_assert(eq(int, manager_workers_new(&f->workers, &f->turn, &settings, &ops, f), 0));
}

static void tear_down(Fixture *f) {
        manager_workers_free(f->workers);
        manager_turn_deinit(&f->turn);
}

static void connect_worker(Fixture *f, uint32_t number) {
        int ends[2];

        cr_assert(eq(int, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0));
        f->ours[number] = ends[0];
        f->theirs[number] = ends[1];
        manager_workers_connect(f->workers, number, ends[0]);
}

static void serve(Fixture *f) {
        while (sd_event_run(f->turn.event, 0) > 0)
                ;
}

static void write_line(Fixture *f, uint32_t number, const char *line) {
        cr_assert(eq(sz, (size_t) write(f->theirs[number], line, strlen(line)), strlen(line)));
        serve(f);
}

/* What the worker can read is that. */
static void expect_input(Fixture *f, uint32_t number, const char *wanted) {
        char bytes[256] = "";
        const ssize_t n = read(f->theirs[number], bytes, sizeof(bytes) - 1);

        bytes[n > 0 ? n : 0] = '\0';
        cr_assert(eq(str, bytes, (char *) wanted));
}

static void expect(Fixture *f, const char *story) {
        cr_assert(eq(str, f->story, (char *) story), "it was told: %s", f->story);
        f->story[0] = '\0';
}

/* Until the owner was told something: a time limit is over. */
static void await(Fixture *f) {
        while (f->story[0] == '\0')
                cr_assert(sd_event_run(f->turn.event, UINT64_MAX) >= 0);
}

Test(manager_workers, items_go_to_the_worker_that_has_the_fewest) {
        Fixture f;

        set_up(&f, 2, 8, USEC_INFINITY);
        manager_workers_feed(f.workers);
        expect(&f, "start 1. ");
        connect_worker(&f, 1);
        write_line(&f, 1, "hello\t1\t9\n");
        expect_input(&f, 1, "0\t4\ndata");
        expect(&f, "start 2. ");
        connect_worker(&f, 2);
        /* Until the other one has one there is no second item. */
        expect_input(&f, 1, "");
        write_line(&f, 2, "hello\t1\t1\n");
        expect_input(&f, 2, "1\t4\ndata");
        expect_input(&f, 1, "2\t4\ndata");
        write_line(&f, 1, "0\t0\t0\n2\t3\t2\n{}");
        expect(&f, "done 0. failed 2. ");
        expect_input(&f, 1, "3\t4\ndata4\t4\ndata");
        write_line(&f, 1, "2\t0\t0\n");
        expect(&f, "");
        manager_workers_note_gone(f.workers, 1, false);
        expect(&f, "died 3. returned 4. start 3. ");
        manager_workers_note_gone(f.workers, 2, true);
        expect(&f, "returned 1. ");
        tear_down(&f);
}

Test(manager_workers, no_hello_in_time) {
        Fixture f;

        set_up(&f, 2, 1, 10 * USEC_PER_MSEC);
        manager_workers_feed(f.workers);
        connect_worker(&f, 1);
        f.story[0] = '\0';
        await(&f);
        expect(&f, "end 1. start 2. ");
        write_line(&f, 1, "hello\t1\t1\n");
        expect_input(&f, 1, "");
        tear_down(&f);
}

Test(manager_workers, time_is_that_of_the_head) {
        Fixture f;

        set_up(&f, 1, 2, 20 * USEC_PER_MSEC);
        manager_workers_feed(f.workers);
        connect_worker(&f, 1);
        write_line(&f, 1, "hello\t1\t2\n");
        f.story[0] = '\0';
        await(&f);
        expect(&f, "end 1. ");
        /* Before the worker is gone nothing comes back; what it has done counts, but for what was late. */
        write_line(&f, 1, "0\t0\t0\n1\t0\t0\n");
        expect(&f, "done 1. ");
        manager_workers_note_gone(f.workers, 1, true);
        expect(&f, "late 0. ");
        tear_down(&f);
}

Test(manager_workers, what_was_said_before_the_end_counts) {
        Fixture f;

        set_up(&f, 1, 2, USEC_INFINITY);
        manager_workers_feed(f.workers);
        connect_worker(&f, 1);
        write_line(&f, 1, "hello\t1\t2\n");
        f.story[0] = '\0';
        cr_assert(eq(int, (int) write(f.theirs[1], "0\t0\t0\n1\t0", 9), 9));
        close(f.theirs[1]);
        manager_workers_note_gone(f.workers, 1, false);
        expect(&f, "done 0. died 1. ");
        tear_down(&f);
}

/* Who has left the tree of the worker has its socket. */
Test(manager_workers, what_is_written_after_the_end_does_not_count) {
        Fixture f;

        set_up(&f, 1, 2, USEC_INFINITY);
        manager_workers_feed(f.workers);
        connect_worker(&f, 1);
        write_line(&f, 1, "hello\t1\t2\n");
        f.story[0] = '\0';
        f.writes_on = true;
        cr_assert(eq(int, (int) write(f.theirs[1], "0\t0\t0\n", 6), 6));
        manager_workers_note_gone(f.workers, 1, false);
        expect(&f, "done 0. died 1. ");
        tear_down(&f);
}

static int find_fd(void *userdata, uint32_t number) {
        const Fixture *f = userdata;

        return f->ours[number];
}

Test(manager_workers, another_image_goes_on_in_the_middle_of_an_answer) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RecordReader reader;
        Fixture f, g;

        set_up(&f, 1, 2, USEC_INFINITY);
        manager_workers_feed(f.workers);
        connect_worker(&f, 1);
        write_line(&f, 1, "hello\t1\t2\n");
        write_line(&f, 1, "0\t0\t7\n{\"a");
        manager_workers_write(f.workers, &writer);
        set_up(&g, 1, 0, USEC_INFINITY);
        memcpy(g.ours, f.ours, sizeof(g.ours));
        memcpy(g.theirs, f.theirs, sizeof(g.theirs));
        tear_down(&f);
        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, manager_workers_read(g.workers, &reader, find_fd), 0));
        expect(&g, "claim 1. claim 0. ");
        write_line(&g, 1, "\":1}1\t0\t0\n");
        expect(&g, "done 0. done 1. ");
        /* Without a descriptor nothing of it is kept. */
        g.ours[1] = -1;
        record_reader_init(&reader, writer.bytes, writer.n);
        tear_down(&g);
        set_up(&g, 1, 0, USEC_INFINITY);
        g.ours[1] = -1;
        cr_assert(eq(int, manager_workers_read(g.workers, &reader, find_fd), 0));
        expect(&g, "");
        cr_assert(not(manager_workers_has(g.workers, 1)));
        tear_down(&g);
}

/* Of its process nobody could be told, for it was made while there were no workers. */
Test(manager_workers, another_image_finds_a_process_that_was_asked_for) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RecordReader reader;
        Fixture f, g;

        set_up(&f, 2, 1, USEC_INFINITY);
        manager_workers_feed(f.workers);
        manager_workers_write(f.workers, &writer);
        connect_worker(&f, 1);
        set_up(&g, 2, 1, USEC_INFINITY);
        memcpy(g.ours, f.ours, sizeof(g.ours));
        memcpy(g.theirs, f.theirs, sizeof(g.theirs));
        tear_down(&f);
        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, manager_workers_read(g.workers, &reader, find_fd), 0));
        manager_workers_feed(g.workers);
        write_line(&g, 1, "hello\t1\t1\n");
        expect_input(&g, 1, "0\t4\ndata");
        expect(&g, "");
        tear_down(&g);
        /* One that is still to be made, and one that is gone. */
        for (int answer = -EAGAIN; answer != 0; answer = answer == -EAGAIN ? -ENOENT : 0) {
                set_up(&g, 2, 1, USEC_INFINITY);
                g.ours[1] = answer;
                record_reader_init(&reader, writer.bytes, writer.n);
                cr_assert(eq(int, manager_workers_read(g.workers, &reader, find_fd), 0));
                cr_assert(eq(int, manager_workers_has(g.workers, 1), answer == -EAGAIN));
                tear_down(&g);
        }
}

Test(manager_workers, workers_of_no_use_are_not_started_for_ever) {
        ManagerWorkersCounts counts;
        Fixture f;

        set_up(&f, 2, 1, USEC_INFINITY);
        manager_workers_feed(f.workers);
        for (uint32_t i = 1; i <= MANAGER_WORKERS_FAILURES; i++) {
                f.story[0] = '\0';
                manager_workers_note_gone(f.workers, i, false);
                if (i < MANAGER_WORKERS_FAILURES)
                        await(&f);
        }
        cr_assert(manager_workers_has_failed(f.workers));
        manager_workers_count(f.workers, &counts);
        cr_assert(eq(u64, counts.deaths, MANAGER_WORKERS_FAILURES));
        cr_assert(eq(u64, counts.started, MANAGER_WORKERS_FAILURES));
        tear_down(&f);
}

/* Memory may be short for a while: those that are at work go on. */
Test(manager_workers, those_that_cannot_begin_are_no_reason_to_end_others) {
        Fixture f;

        set_up(&f, 2, 9, USEC_INFINITY);
        manager_workers_feed(f.workers);
        connect_worker(&f, 1);
        write_line(&f, 1, "hello\t1\t1\n");
        for (uint32_t i = 2; i <= MANAGER_WORKERS_FAILURES + 2; i++) {
                f.story[0] = '\0';
                manager_workers_note_gone(f.workers, i, false);
                await(&f);
        }
        cr_assert(not(manager_workers_has_failed(f.workers)));
        tear_down(&f);
}

/* More than are allowed to fail may be on their way. */
Test(manager_workers, many_beginners_that_fail_can_be_recorded) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        ManagerWorkersSettings settings = { .n_max = 100, .depth = 1, .idle = USEC_INFINITY, .hello_timeout = USEC_INFINITY,
                                            .item_timeout = USEC_INFINITY, .end_timeout = USEC_INFINITY };
        RecordReader reader;
        Fixture f;

        set_up(&f, 2, 100, USEC_INFINITY);
        manager_workers_free(f.workers);
        cr_assert(eq(int, manager_workers_new(&f.workers, &f.turn, &settings, &ops, &f), 0));
        manager_workers_feed(f.workers);
        for (uint32_t i = 1; i <= 8; i++) {
                connect_worker(&f, i);
                write_line(&f, i, "hello\t1\t1\n");
        }
        for (uint32_t i = 1; i <= 8; i++)
                manager_workers_note_gone(f.workers, i, true);
        f.n = f.next;
        for (uint32_t i = 9; i <= f.n_started; i++)
                manager_workers_note_gone(f.workers, i, false);
        cr_assert(manager_workers_has_failed(f.workers));
        manager_workers_write(f.workers, &writer);
        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, manager_workers_read(f.workers, &reader, find_fd), 0));
        tear_down(&f);
}

/* It guesses what it is asked. */
Test(manager_workers, one_that_does_not_read_gets_nothing_more) {
        ManagerWorkersCounts counts;
        Fixture f;
        char line[32];
        uint64_t i = 0;

        set_up(&f, 1, UINT64_MAX, USEC_INFINITY);
        manager_workers_feed(f.workers);
        connect_worker(&f, 1);
        write_line(&f, 1, "hello\t1\t2\n");
        do {
                f.story[0] = '\0';
                snprintf(line, sizeof(line), "%llu\t0\t0\n", (unsigned long long) i++);
                write_line(&f, 1, line);
                manager_workers_count(f.workers, &counts);
        } while (i < 100000 && counts.strange == 0);
        cr_assert(eq(u64, counts.strange, 1));
        /* What it reads makes room. */
        while (read(f.theirs[1], line, sizeof(line)) > 0)
                ;
        serve(&f);
        manager_workers_count(f.workers, &counts);
        cr_assert(eq(u32, counts.out, 2));
        tear_down(&f);
}

Test(manager_workers, answers_that_nobody_has_asked_for_have_a_limit) {
        ManagerWorkersCounts counts;
        Fixture f;

        set_up(&f, 1, 1, USEC_INFINITY);
        manager_workers_feed(f.workers);
        connect_worker(&f, 1);
        write_line(&f, 1, "hello\t1\t2\n");
        f.story[0] = '\0';
        for (unsigned i = 0; i < 99; i++)
                write_line(&f, 1, "7\t0\t0\n");
        expect(&f, "");
        write_line(&f, 1, "7\t0\t0\n0\t0\t0\n");
        expect(&f, "end 1. ");
        manager_workers_count(f.workers, &counts);
        cr_assert(eq(u64, counts.refused, 1));
        cr_assert(eq(u64, counts.strange, 100));
        tear_down(&f);
}

/* What it does then is no fault of its item. */
Test(manager_workers, one_that_the_owner_ends_may_be_late_and_say_what_it_likes) {
        ManagerWorkersCounts counts;
        Fixture f;

        for (unsigned i = 0; i < 3; i++) {
                set_up(&f, 1, 2, i == 0 ? 20 * USEC_PER_MSEC : USEC_INFINITY);
                manager_workers_feed(f.workers);
                connect_worker(&f, 1);
                write_line(&f, 1, "hello\t1\t2\n");
                f.has_told = true;
                f.story[0] = '\0';
                if (i == 0)
                        await(&f);
                else if (i == 1)
                        write_line(&f, 1, "what\n");
                else
                        cr_assert(eq(int, (int) write(f.theirs[1], "what\n", 5), 5));
                f.story[0] = '\0';
                manager_workers_note_gone(f.workers, 1, true);
                expect(&f, "returned 0. returned 1. ");
                manager_workers_count(f.workers, &counts);
                cr_assert(eq(u64, counts.late + counts.refused + counts.deaths, 0));
                tear_down(&f);
        }
}

/* Each that dies with its first item lets the next one wait longer; that the item is an error is for the owner to say. */
Test(manager_workers, deaths_with_items_have_pauses_too) {
        usec_t began = clock_boottime();
        Fixture f;

        set_up(&f, 1, 100, USEC_INFINITY);
        manager_workers_feed(f.workers);
        for (uint32_t i = 1; i <= 4; i++) {
                connect_worker(&f, i);
                write_line(&f, i, "hello\t1\t1\n");
                f.story[0] = '\0';
                manager_workers_note_gone(f.workers, i, false);
                f.story[0] = '\0';
                await(&f);
        }
        cr_assert(ge(u64, clock_boottime() - began, 300 * USEC_PER_MSEC));
        cr_assert(not(manager_workers_has_failed(f.workers)));
        tear_down(&f);
}

Test(manager_workers, the_log_gets_a_few_sentences_a_second) {
        Fixture f;

        set_up(&f, 1, 100, USEC_INFINITY);
        manager_workers_feed(f.workers);
        for (uint32_t i = 1; i <= 15; i++) {
                connect_worker(&f, i);
                write_line(&f, i, "hello\t1\t1\n");
                snprintf(f.story, sizeof(f.story), "%u\t0\t0\n", i - 1);
                write_line(&f, i, f.story);
                manager_workers_note_gone(f.workers, i, false);
        }
        cr_assert(le(u32, f.n_said, 12));
        tear_down(&f);
}
