/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the parts of the bus layer share
 */

#include "dbus/bus.h"
#include "dbus/bus_link.h"
#include "dbus/bus_name.h"
#include "dbus/bus_peer.h"
#include "dbus/bus_server.h"
#include "dbus/bus_signal.h"

struct Bus {
        Manager *manager;                       /* borrowed */
        sd_event *event;                        /* a reference */
        uid_t owner;                            /* who the manager runs as */
        pid_t pid;                              /* our own */
        uint8_t dialects;                       /* bits: those offered */
        VECTOR(BusServer *) servers;            /* owned */
        char *booted_mark;                      /* owned; the folder that we made for sd_booted(), or NULL */
        VECTOR(BusPeer *) peers;                /* a reference each; also the one of .link */
        uint64_t last_peer;                     /* for the names of private connections */
        BusLink *link;                          /* owned, or NULL */
        BusNames names;
        sd_event_source *reaper;                /* owned; closes dropped peers */
        BusSignals signals;
        BusWire wire;                           /* the signal that is being written … */
        BusWire reply;                          /* … and the answer: its writing may cause signals */
};

#define bus_foreach_dialect(bus, dialect)                                                                  \
        for (const BusDialect *dialect = bus_dialects; dialect < bus_dialects + _BUS_DIALECT_MAX; dialect++) \
                if ((bus)->dialects & BUS_DIALECT_BIT(dialect->id))

int bus_add_peer(Bus *bus, BusPeer *peer);      /* takes a reference */
void bus_schedule_reaper(Bus *bus);
