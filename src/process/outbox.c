/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The outbox of a turn
 *
 * A plain list. An item may add others while it is sent (if a process could
 * not be started, its unit reports that on the bus): they are sent in the same
 * flush, after the existing ones.
 *
 * Items behind closed gates are in a separate list, and are moved when their
 * gate opens.
 */

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "basic/vector.h"
#include "process/outbox.h"

/* Items for which memory is kept between turns; memory for more is freed. */
#define KEPT_ITEMS 256U

typedef struct OutboxItem {
        const OutboxItemOps *ops;
        void *item;                     /* owned */
        OutboxGate gate;
} OutboxItem;

struct Outbox {
        VECTOR(OutboxItem) items;
        VECTOR(OutboxItem) waiting;     /* behind closed gates */
        OutboxGate open;                /* the highest open gate */
        /* Number of .waiting behind open gates, which could not be moved for lack of memory. */
        size_t n_passing;
        size_t n_sent;                  /* of .items, during a flush */
        bool is_flushing;
};

int outbox_new(Outbox **ret_outbox) {
        Outbox *outbox;

        assert(ret_outbox);

        outbox = calloc(1, sizeof(*outbox));
        if (!outbox)
                return -ENOMEM;
        *ret_outbox = outbox;
        return 0;
}

Outbox *outbox_free(Outbox *outbox) {
        if (!outbox)
                return NULL;

        assert(!outbox->is_flushing);
        for (size_t i = 0; i < outbox->items.n; i++)
                outbox->items.items[i].ops->free(outbox->items.items[i].item);
        for (size_t i = 0; i < outbox->waiting.n; i++)
                outbox->waiting.items[i].ops->free(outbox->waiting.items[i].item);
        vector_deinit(&outbox->items);
        vector_deinit(&outbox->waiting);
        free(outbox);
        return NULL;
}

int outbox_add(Outbox *outbox, const OutboxItemOps *ops, void *item) {
        return outbox_add_behind(outbox, OUTBOX_NO_GATE, ops, item);
}

int outbox_add_behind(Outbox *outbox, OutboxGate gate, const OutboxItemOps *ops, void *item) {
        const OutboxItem added = { .ops = ops, .item = item, .gate = gate };
        int r;

        assert(outbox);
        assert(ops && ops->send && ops->free);

        if (gate <= outbox->open && (gate == OUTBOX_NO_GATE || outbox->n_passing == 0)) {
                r = vector_push(&outbox->items, added);
        } else {
                r = vector_push(&outbox->waiting, added);
                if (r == 0 && gate <= outbox->open)
                        outbox->n_passing++;
        }
        if (r < 0)
                ops->free(item);
        return r;
}

/* Without memory for an item, it and the following ones wait for the next flush, to keep the order. */
static void let_pass(Outbox *outbox) {
        size_t n = 0;
        bool has_room = true;

        outbox->n_passing = 0;
        for (size_t i = 0; i < outbox->waiting.n; i++) {
                const OutboxItem item = outbox->waiting.items[i];
                bool may_pass = item.gate <= outbox->open;

                has_room = has_room && (!may_pass || vector_push(&outbox->items, item) == 0);
                if (may_pass && has_room)
                        continue;
                outbox->n_passing += may_pass;
                outbox->waiting.items[n++] = item;
        }
        outbox->waiting.n = n;
        if (n == 0)
                vector_deinit(&outbox->waiting);
}

void outbox_open(Outbox *outbox, OutboxGate gate) {
        assert(outbox);

        if (gate <= outbox->open)
                return;
        outbox->open = gate;
        let_pass(outbox);
}

static bool is_last_of_its_kind(const Outbox *outbox, const OutboxItemOps *ops) {
        return outbox->n_sent == outbox->items.n || outbox->items.items[outbox->n_sent].ops != ops;
}

void outbox_flush(Outbox *outbox) {
        assert(outbox);

        if (outbox->is_flushing)
                return;
        outbox->is_flushing = true;
        if (outbox->n_passing > 0)
                let_pass(outbox);
        while (outbox->n_sent < outbox->items.n) {
                OutboxItem sent = outbox->items.items[outbox->n_sent++];

                sent.ops->send(sent.item);
                if (sent.ops->settle && is_last_of_its_kind(outbox, sent.ops))
                        sent.ops->settle(sent.item);
                sent.ops->free(sent.item);
        }
        outbox->is_flushing = false;
        outbox->n_sent = 0;
        vector_clear(&outbox->items);
        if (outbox->items.allocated > KEPT_ITEMS)
                vector_deinit(&outbox->items);
}

size_t outbox_length(const Outbox *outbox) {
        return outbox->items.n - outbox->n_sent + outbox->n_passing;
}

size_t outbox_waiting(const Outbox *outbox) {
        return outbox->waiting.n - outbox->n_passing;
}
