/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The outbox of a turn
 *
 * Everything that leaves the process in a turn (processes, kills, replies,
 * signals) is put here in order and leaves when the turn ends. So a commit of
 * state can stand in front of it, and nothing is told that did not happen.
 */

#include <stddef.h>

typedef struct Outbox Outbox;

/* What an item does when it leaves, and how it is given up if it never does. */
typedef struct OutboxItemOps {
        void (*send)(void *item);
        /* NULL, or: .send only began it. Called with the last of a stretch of items of this kind, before others follow. */
        void (*settle)(void *item);
        void (*free)(void *item);       /* after send too */
} OutboxItemOps;

int outbox_new(Outbox **ret_outbox);
Outbox *outbox_free(Outbox *outbox);

/* Appends; the outbox owns @item from here, also if it fails (-ENOMEM). */
int outbox_add(Outbox *outbox, const OutboxItemOps *ops, void *item);

/* Sends all, also what is added meanwhile; each once, in order. */
void outbox_flush(Outbox *outbox);
size_t outbox_length(const Outbox *outbox);
