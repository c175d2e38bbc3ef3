/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Answers to calls
 */

#include "dbus/object/bus_tree.h"

/* Where an answer goes. */
typedef struct BusReply {
        const BusTree *tree;
        BusPeer *peer;
        const BusClient *client;
        const BusDialect *dialect;
        const char *sender;             /* on a private connection, where no bus daemon names it */
        uint32_t serial;                /* of the call */
        bool is_wanted;
} BusReply;

/*
 * Sends the body that is written in @wire, after what must not come behind it. A negative errno if it cannot be an
 * answer: the call is to be answered as failed then.
 */
int bus_reply_send(const BusReply *reply, BusWire *wire);

/* Sends an error; @failure may be of memory that ran out, and empty: then @code says what happened. */
void bus_reply_fail(const BusReply *reply, const Failure *failure, int code);
