/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The outbox of a turn
 *
 * Everything that leaves the process in a turn (processes, kills, replies,
 * signals) is queued here in order and sent at the end of the turn, after the
 * commit of the state. So nothing is reported that a crash could undo.
 *
 * An item may wait for a slower commit than that of the turn: it is behind a
 * gate, the number of that commit. Gates open in the order of their numbers.
 * Items behind a closed gate wait while others pass them; items of one gate
 * are sent in the order in which they were added.
 */

#include <stddef.h>
#include <stdint.h>

typedef struct Outbox Outbox;

typedef uint64_t OutboxGate;

#define OUTBOX_NO_GATE ((OutboxGate) 0)

/* Sends an item, or frees an unsent one. */
typedef struct OutboxItemOps {
        void (*send)(void *item);
        /*
         * NULL, or the second half of .send. Called with the last item of a sequence of this kind, before others
         * follow.
         */
        void (*settle)(void *item);
        void (*free)(void *item);       /* also called after send */
} OutboxItemOps;

int outbox_new(Outbox **ret_outbox);
Outbox *outbox_free(Outbox *outbox);

/* Appends an item; the outbox owns @item from here on, even on failure (-ENOMEM). */
int outbox_add(Outbox *outbox, const OutboxItemOps *ops, void *item);
/* The same for an item that is sent when @gate is open, possibly at once. */
int outbox_add_behind(Outbox *outbox, OutboxGate gate, const OutboxItemOps *ops, void *item);

/* Opens @gate and all gates with lower numbers: the next flush sends the items behind them. */
void outbox_open(Outbox *outbox, OutboxGate gate);

/* Sends all items that are not behind a closed gate, including those added meanwhile; each once, in order. */
void outbox_flush(Outbox *outbox);
size_t outbox_length(const Outbox *outbox);     /* number of items that a flush would send */
size_t outbox_waiting(const Outbox *outbox);    /* behind closed gates */
