/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * From a message to its handler, and back
 */

#include "dbus/object/bus_question.h"

typedef struct BusDispatch {
        const BusTree *tree;            /* borrowed */
        BusWire wire;                   /* the answer that is being written */
} BusDispatch;

/* Receives calls for the objects of a tree; its userdata is the BusDispatch. */
extern const BusReceiverOps bus_dispatch_receiver;

/* Runs a call that polkit was asked about; its userdata is the BusDispatch, too. See BusResume. */
void bus_dispatch_resume(BusClient *client, DBusMessage *message, BusConsent *consent, void *userdata);

void bus_dispatch_deinit(BusDispatch *dispatch);
