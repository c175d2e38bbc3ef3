/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Answers to calls
 */

#include "dbus/object/bus_tree.h"

/* The destination of an answer. */
typedef struct BusReply {
        const BusTree *tree;
        BusPeer *peer;
        const BusClient *client;
        const BusDialect *dialect;
        const char *sender;             /* static; used on a private connection only */
        uint32_t serial;                /* of the call */
        bool is_wanted;
} BusReply;

/*
 * Sends the body that is written in @wire, behind the signals that must come first. A negative errno if the body cannot
 * be sent: then the caller answers with a failure.
 */
int bus_reply_send(const BusReply *reply, BusWire *wire);

/* Sets the fields of @message by which the caller knows its answer: 0 or -ENOMEM. */
int bus_reply_address(const BusReply *reply, DBusMessage *message);

/* Sends an error; without a name and message in @failure it is that of @code. */
void bus_reply_fail(const BusReply *reply, const Failure *failure, int code);
