/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Messages that a message bus has handed over, in memory that outlives core
 *
 * A call that core has read from the connection to a message bus is written
 * down here until its answer has been written there. A core that takes the
 * connection over finds the calls that its predecessor has left, and the
 * clients that it has known. The keeper holds the memory, as a descriptor.
 */

#include <stdbool.h>

#include "dbus/peer/bus_header.h"

typedef struct BusLedger BusLedger;

/* Further calls and clients are not written down; nor is more of a long call than its sender. */
#define BUS_LEDGER_CALLS 1024U
#define BUS_LEDGER_CLIENTS 1024U
#define BUS_LEDGER_MESSAGE_MAX 3800U

typedef enum BusLedgerStage {
        BUS_LEDGER_FREE,
        BUS_LEDGER_WAITS,               /* nothing has been done for it yet, or it does nothing */
        BUS_LEDGER_WAITS_AGAIN,         /* likewise, and core has died once while it waited */
        BUS_LEDGER_BEGUN,
        BUS_LEDGER_REEXECUTES,          /* it asked for the image that reads this */
} BusLedgerStage;

typedef enum BusLedgerClientFlags {
        BUS_LEDGER_CLIENT_KNOWN = 1 << 0,       /* there is a match rule for its end */
        BUS_LEDGER_CLIENT_SUBSCRIBED = 1 << 1,
        BUS_LEDGER_CLIENT_LISTENS = 1 << 2,     /* it waits for signals without having subscribed */
} BusLedgerClientFlags;

/*
 * Takes @fd over: that of a ledger before, or -1 for a new one. -EPROTO for what is not a ledger of this version;
 * -ESTALE if the connection was left in the middle of a message.
 */
int bus_ledger_new(BusLedger **ret_ledger, int fd);
BusLedger *bus_ledger_free(BusLedger *ledger);
DEFINE_CLEANUP(BusLedger, bus_ledger_free)
int bus_ledger_fd(const BusLedger *ledger);

/* A call that is about to be read: false if it is there already. */
bool bus_ledger_add(BusLedger *ledger, const BusHeader *header, const uint8_t *bytes, size_t n);
void bus_ledger_mark(BusLedger *ledger, const char *sender, uint32_t serial, BusLedgerStage stage);
/* The call is answered once the output is written: then bus_ledger_settle() removes it. */
void bus_ledger_answer(BusLedger *ledger, const char *sender, uint32_t serial);
void bus_ledger_settle(BusLedger *ledger);

/* Messages are read, or written, in part: the connection cannot be taken over as long as this is so. */
void bus_ledger_note_torn(BusLedger *ledger, bool is_reading, bool is_writing);

/* @flags: BusLedgerClientFlags; 0: the client has gone, and its calls with it. */
void bus_ledger_note_client(BusLedger *ledger, const char *name, uint32_t flags);

/* A call that was left behind, in the order in which they came. */
typedef struct BusLedgerCall {
        BusLedgerStage stage;
        uint32_t serial;
        const char *sender;             /* borrowed */
        bool wants_reply;
        size_t n;                       /* bytes of the message; 0: it cannot be repeated */
        uint8_t bytes[BUS_LEDGER_MESSAGE_MAX];
} BusLedgerCall;

/* The next one from *@order on, which is 0 at first; false: there are no more. */
bool bus_ledger_next_call(const BusLedger *ledger, uint64_t *order, BusLedgerCall *ret_call);
/* The next client from *i on, which is 0 at first, and its flags; NULL: there are no more. */
const char *bus_ledger_next_client(const BusLedger *ledger, size_t *i, uint32_t *ret_flags);
