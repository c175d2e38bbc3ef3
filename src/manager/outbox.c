/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The outbox of a turn
 *
 * A plain list. An item may add others while it is sent (a process that could
 * not be started makes its unit say so on the bus): they leave in the same
 * flush, behind what was there before them.
 */

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "basic/vector.h"
#include "manager/outbox.h"

/* Room that is kept from one turn to the next; a burst gives back what it took beyond that. */
#define KEPT_ITEMS 256U

typedef struct OutboxItem {
        const OutboxItemOps *ops;
        void *item;                     /* owned */
} OutboxItem;

struct Outbox {
        VECTOR(OutboxItem) items;
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
        vector_deinit(&outbox->items);
        free(outbox);
        return NULL;
}

int outbox_add(Outbox *outbox, const OutboxItemOps *ops, void *item) {
        int r;

        assert(outbox);
        assert(ops && ops->send && ops->free);

        r = vector_push(&outbox->items, ((OutboxItem) { .ops = ops, .item = item }));
        if (r < 0)
                ops->free(item);
        return r;
}

static bool is_last_of_its_kind(const Outbox *outbox, const OutboxItemOps *ops) {
        return outbox->n_sent == outbox->items.n || outbox->items.items[outbox->n_sent].ops != ops;
}

void outbox_flush(Outbox *outbox) {
        assert(outbox);

        if (outbox->is_flushing)
                return;
        outbox->is_flushing = true;
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
        return outbox->items.n - outbox->n_sent;
}
