/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The outbox: order, once each, and no item left behind.
 */

#include <stdlib.h>

#include "basic/text.h"
#include "double/double_assert.h"
#include "process/outbox.h"

typedef struct Letter {
        Outbox *outbox;
        Text *log;
        char name;
        unsigned n_answers;             /* number of items that it adds when it is sent */
} Letter;

static void letter_free(void *item) {
        Letter *letter = item;

        text_addf(letter->log, "-%c", letter->name);
        free(letter);
}

static void letter_send(void *item);

static const OutboxItemOps letter_ops = { .send = letter_send, .free = letter_free };

static void add(Outbox *outbox, Text *log, char name, unsigned n_answers) {
        Letter *letter = malloc(sizeof(*letter));

        *letter = (Letter) { .outbox = outbox, .log = log, .name = name, .n_answers = n_answers };
        cr_assert(eq(int, outbox_add(outbox, &letter_ops, letter), 0));
}

static void letter_send(void *item) {
        Letter *letter = item;

        text_add_char(letter->log, letter->name);
        for (unsigned i = 0; i < letter->n_answers; i++)
                add(letter->outbox, letter->log, 'z', 0);
        outbox_flush(letter->outbox);           /* does nothing: a flush is under way */
}

Test(outbox, sends_in_order_and_frees_each) {
        Outbox *outbox = NULL;
        Text log = {};

        cr_assert(eq(int, outbox_new(&outbox), 0));
        add(outbox, &log, 'a', 0);
        add(outbox, &log, 'b', 0);
        cr_assert(eq(sz, outbox_length(outbox), 2));
        outbox_flush(outbox);
        assert_string(log.string, "a-ab-b");
        cr_assert(eq(sz, outbox_length(outbox), 0));
        outbox_flush(outbox);
        assert_string(log.string, "a-ab-b");
        outbox_free(outbox);
        text_deinit(&log);
}

Test(outbox, what_is_added_during_a_flush_leaves_behind_the_rest) {
        Outbox *outbox = NULL;
        Text log = {};

        cr_assert(eq(int, outbox_new(&outbox), 0));
        add(outbox, &log, 'a', 2);
        add(outbox, &log, 'b', 0);
        outbox_flush(outbox);
        assert_string(log.string, "a-ab-bz-zz-z");
        outbox_free(outbox);
        text_deinit(&log);
}

Test(outbox, what_was_never_sent_is_freed) {
        Outbox *outbox = NULL;
        Text log = {};

        cr_assert(eq(int, outbox_new(&outbox), 0));
        add(outbox, &log, 'a', 0);
        outbox_free(outbox);
        assert_string(log.string, "-a");
        text_deinit(&log);
}

static void letter_settle(void *item) {
        const Letter *letter = item;

        text_addf(letter->log, "!%c", letter->name);
}

static const OutboxItemOps slow_ops = { .send = letter_send, .settle = letter_settle, .free = letter_free };

Test(outbox, stretch_of_one_kind_is_settled_before_another_follows) {
        static const char names[] = "abCD";
        Outbox *outbox = NULL;
        Text log = {};

        cr_assert(eq(int, outbox_new(&outbox), 0));
        for (size_t i = 0; i < 4; i++) {
                Letter *letter = malloc(sizeof(*letter));

                *letter = (Letter) { .outbox = outbox, .log = &log, .name = names[i], .n_answers = names[i] == 'D' };
                cr_assert(eq(int, outbox_add(outbox, i < 2 ? &slow_ops : &letter_ops, letter), 0));
        }
        outbox_flush(outbox);
        assert_string(log.string, "a-ab!b-bC-CD-Dz-z");
        text_deinit(&log);
        log = (Text) {};
        for (size_t i = 0; i < 2; i++) {
                Letter *letter = malloc(sizeof(*letter));

                *letter = (Letter) { .outbox = outbox, .log = &log, .name = names[i] };
                cr_assert(eq(int, outbox_add(outbox, &slow_ops, letter), 0));
        }
        outbox_flush(outbox);
        assert_string(log.string, "a-ab!b-b");
        outbox_free(outbox);
        text_deinit(&log);
}

Test(outbox, ten_thousand_items_leave_in_order) {
        Outbox *outbox = NULL;
        Text log = {};

        cr_assert(eq(int, outbox_new(&outbox), 0));
        for (unsigned i = 0; i < 10000; i++)
                add(outbox, &log, (char) ('a' + i % 26), 0);
        outbox_flush(outbox);
        for (unsigned i = 0; i < 10000; i++)
                cr_assert(eq(chr, log.string[3 * i], (char) ('a' + i % 26)));
        outbox_free(outbox);
        text_deinit(&log);
}

/* — gates — */

static void add_behind(Outbox *outbox, OutboxGate gate, Text *log, char name) {
        Letter *letter = malloc(sizeof(*letter));

        *letter = (Letter) { .outbox = outbox, .log = log, .name = name };
        cr_assert(eq(int, outbox_add_behind(outbox, gate, &letter_ops, letter), 0));
}

Test(outbox, what_is_behind_a_closed_gate_stays_and_others_pass) {
        Outbox *outbox = NULL;
        Text log = {};

        cr_assert(eq(int, outbox_new(&outbox), 0));
        add_behind(outbox, 1, &log, 'a');
        add(outbox, &log, 'b', 0);
        cr_assert(eq(sz, outbox_length(outbox), 1));
        cr_assert(eq(sz, outbox_waiting(outbox), 1));
        outbox_flush(outbox);
        assert_string(log.string, "b-b");
        cr_assert(eq(sz, outbox_length(outbox), 0));
        cr_assert(eq(sz, outbox_waiting(outbox), 1));
        outbox_open(outbox, 1);
        cr_assert(eq(sz, outbox_length(outbox), 1));
        assert_string(log.string, "b-b");       /* it is sent by a flush */
        outbox_flush(outbox);
        assert_string(log.string, "b-ba-a");
        cr_assert(eq(sz, outbox_waiting(outbox), 0));
        outbox_free(outbox);
        text_deinit(&log);
}

Test(outbox, items_of_one_gate_keep_their_order) {
        Outbox *outbox = NULL;
        Text log = {};

        cr_assert(eq(int, outbox_new(&outbox), 0));
        add_behind(outbox, 7, &log, 'a');
        add_behind(outbox, 8, &log, 'x');
        add_behind(outbox, 7, &log, 'b');
        add_behind(outbox, 8, &log, 'y');
        outbox_open(outbox, 7);
        add_behind(outbox, 7, &log, 'c');
        outbox_flush(outbox);
        assert_string(log.string, "a-ab-bc-c");
        add_behind(outbox, 7, &log, 'd');
        outbox_open(outbox, 8);
        outbox_flush(outbox);
        assert_string(log.string, "a-ab-bc-cd-dx-xy-y");
        outbox_free(outbox);
        text_deinit(&log);
}

Test(outbox, a_gate_opens_those_of_lower_numbers) {
        Outbox *outbox = NULL;
        Text log = {};

        cr_assert(eq(int, outbox_new(&outbox), 0));
        add_behind(outbox, 3, &log, 'c');
        add_behind(outbox, 1, &log, 'a');
        add_behind(outbox, 4, &log, 'd');
        outbox_open(outbox, 3);
        outbox_open(outbox, 2);                 /* is open already */
        outbox_flush(outbox);
        assert_string(log.string, "c-ca-a");
        cr_assert(eq(sz, outbox_waiting(outbox), 1));
        outbox_free(outbox);
        assert_string(log.string, "c-ca-a-d");  /* given up, not sent */
        text_deinit(&log);
}

typedef struct Opener {
        Outbox *outbox;
        OutboxGate gate;
} Opener;

static void opener_send(void *item) {
        const Opener *opener = item;

        outbox_open(opener->outbox, opener->gate);
}

static void opener_free(void *item) {
}

Test(outbox, what_a_gate_lets_pass_during_a_flush_leaves_with_it) {
        static const OutboxItemOps opener_ops = { .send = opener_send, .free = opener_free };
        Outbox *outbox = NULL;
        Opener opener = { .gate = 5 };
        Text log = {};

        cr_assert(eq(int, outbox_new(&outbox), 0));
        opener.outbox = outbox;
        add_behind(outbox, 5, &log, 'a');
        cr_assert(eq(int, outbox_add(outbox, &opener_ops, &opener), 0));
        add(outbox, &log, 'b', 0);
        outbox_flush(outbox);
        assert_string(log.string, "b-ba-a");
        outbox_free(outbox);
        text_deinit(&log);
}
