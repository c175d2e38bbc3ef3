/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The clients that have asked for the re-execution
 *
 * Whether it has succeeded only the next image knows, or the one before it,
 * which the keeper has started again: the call is handed on to it with its
 * connection, and answered by it.
 */

#include "dbus/object/bus_later.h"

#define BUS_REEXEC_CALLERS 16U          /* further ones find that the connection has ended */

typedef struct BusReexecCaller {
        int socket, answers;            /* owned: its connection, and what it may be told; -1: none */
} BusReexecCaller;

typedef struct BusReexec {
        const BusTree *tree;            /* borrowed */
        VECTOR(BusLater) waiting;
        BusReexecCaller left[BUS_REEXEC_CALLERS];       /* by the core before */
        bool has_fallen_back;
} BusReexec;

/* Takes what the core before has left. @has_fallen_back: this is not the image that was asked for. */
void bus_reexec_init(BusReexec *reexec, const BusTree *tree, bool has_fallen_back);
void bus_reexec_deinit(BusReexec *reexec);

/* The handler of the call that asks for it: BUS_CALL_LATER, or a negative errno with the failure of the call. */
int bus_reexec_ask(BusReexec *reexec, BusCall *call);

/* Before core executes itself. */
void bus_reexec_hand_on(BusReexec *reexec);
/* Core could not, for that reason, a negative errno. */
void bus_reexec_give_up(BusReexec *reexec, int reason);

/* Core serves: those on private connections are answered; the link to a message bus does that for its own. */
void bus_reexec_answer(BusReexec *reexec);
