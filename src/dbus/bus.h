/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The manager on D-Bus
 *
 * Serves the objects of the manager on a private socket, so that no bus daemon
 * is needed, and on the session or system bus as soon as, and as long as, there
 * is one. Everything runs in the manager's event loop, and messages leave
 * through the manager's outbox.
 */

#include <stdbool.h>

#include "dbus/peer/bus_server.h"
#include "manager/manager.h"

typedef struct Bus Bus;

typedef struct BusOptions {
        bool is_user;                           /* session bus and the user's folders */
        bool systemd_compat;                    /* also as org.freedesktop.systemd1, where systemctl looks */
        bool no_bus;                            /* the private socket only */
        const char *runtime_directory;          /* of jobd, made if it is missing: the socket "private" is in it */
        const char *systemd_directory;          /* for systemd_compat; NULL: /run/systemd or $XDG_RUNTIME_DIR/systemd */
        const char *bus_address;                /* NULL: from the environment, or the usual place */
        bool has_fallen_back;                   /* the image is not that which the core before was to execute */
} BusOptions;

/*
 * Starts to serve. Options are copied; @manager is borrowed and must outlive the bus. -EADDRINUSE with @ret_failure if
 * another process serves the socket; a bus that cannot be reached is no failure.
 */
int bus_new(Bus **ret_bus, Manager *manager, const BusOptions *options, Failure *ret_failure);
Bus *bus_free(Bus *bus);
DEFINE_CLEANUP(Bus, bus_free)

/*
 * A client that has asked for a re-execution is answered by the next image, once it serves: bus_answer_reexec(). If
 * this one goes on because it could not execute itself, for @reason (a negative errno), that is the answer.
 */
void bus_answer_reexec(Bus *bus);
void bus_hand_reexec_on(Bus *bus);
void bus_give_up_reexec(Bus *bus, int reason);
