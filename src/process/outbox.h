/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The outbox of a turn
 *
 * Everything that leaves the process in a turn (processes, kills, replies,
 * signals) is put here in order and leaves when the turn ends. So a commit of
 * state can stand in front of it, and nothing is told that did not happen.
 *
 * An item may wait for a slower commit than that of the turn: it stands behind
 * a gate, the number of that commit. Gates open in the order of their numbers.
 * Items behind a closed gate stay, all others pass them; items of one gate
 * leave in the order in which they were added.
 */

#include <stddef.h>
#include <stdint.h>

typedef struct Outbox Outbox;

typedef uint64_t OutboxGate;

#define OUTBOX_NO_GATE ((OutboxGate) 0)

/* What an item does when it leaves, and how it is given up if it never does. */
typedef struct OutboxItemOps {
        void (*send)(void *item);
        /*
         * NULL, or: .send only began it. Called with the last of a stretch of items of this kind, before others
         * follow.
         */
        void (*settle)(void *item);
        void (*free)(void *item);       /* after send too */
} OutboxItemOps;

int outbox_new(Outbox **ret_outbox);
Outbox *outbox_free(Outbox *outbox);

/* Appends; the outbox owns @item from here, also if it fails (-ENOMEM). */
int outbox_add(Outbox *outbox, const OutboxItemOps *ops, void *item);
/* The same for an item that leaves when @gate is open, at once if it is open already. */
int outbox_add_behind(Outbox *outbox, OutboxGate gate, const OutboxItemOps *ops, void *item);

/* Opens @gate and all gates of lower numbers: the items behind them leave with the next flush. */
void outbox_open(Outbox *outbox, OutboxGate gate);

/* Sends all that is behind no closed gate, also what is added meanwhile; each once, in order. */
void outbox_flush(Outbox *outbox);
size_t outbox_length(const Outbox *outbox);     /* of what a flush would send */
size_t outbox_waiting(const Outbox *outbox);    /* behind closed gates */
