/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The other ends: connections, and who calls over them
 *
 * A private connection is one client; the connection to a message bus carries
 * many, told apart by their unique names. What a client holds (subscriptions,
 * references to units, the jobs it asked for) goes when it goes.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "basic/id_map.h"
#include "basic/usec.h"
#include "dbus/bus_loop.h"
#include "dbus/bus_output.h"
#include "dbus/bus_table.h"

typedef struct BusPeer BusPeer;

/*
 * A client that has left more unread than the first for longer than that time, or more than the second, is disconnected when
 * there is something new for it: it does not read. What one turn tells does not count, a transaction can be large. Users that
 * only may read get less of our memory; one answer may be larger.
 */
#define BUS_OUTGOING_MAX ((size_t) 64 * 1024 * 1024)
#define BUS_UNREAD_TIME (10 * USEC_PER_SEC)
#define BUS_UNREAD_MAX ((size_t) 256 * 1024 * 1024)
#define BUS_OUTGOING_OF_OTHERS_MAX ((size_t) 4 * 1024 * 1024)
#define BUS_OUTGOING_OF_OTHERS_TOTAL ((size_t) 32 * 1024 * 1024) /* on all connections of one user */
#define BUS_OUTGOING_SMALL ((size_t) 64 * 1024)                 /* not looked at for that total */
#define BUS_MESSAGE_MAX (4L * 1024L * 1024L)
/* Descriptors that one message may bring, or that wait to be read: standard streams of a few units. */
#define BUS_DESCRIPTORS_MAX 12
#define BUS_MATCHES_MAX 512U
#define BUS_MATCH_LENGTH_MAX 1024U
#define BUS_REFERENCES_MAX 4096U
#define BUS_CLIENTS_MAX 1024U
#define BUS_HELD_MAX 256U
#define BUS_HELD_BYTES_MAX (8L * 1024L * 1024L)         /* of all clients together */

typedef struct BusClient {
        BusPeer *peer;                          /* borrowed */
        char *name;                             /* owned; unique name */
        uid_t uid;                              /* (uid_t) -1: not known */
        pid_t pid;                              /* 0: not known */
        char *command;                          /* owned; of the process that it is; NULL: not known */
        bool is_known;                          /* uid and pid have been asked for */
        bool is_command_known;                  /* has been looked for */
        bool is_subscribed;
        bool uses_object_manager;
        IdMap jobs;                             /* anchors it asked for that have not ended */
        VECTOR(Unit *) references;              /* each holds one reference */
        VECTOR(DBusMessage *) held;             /* a reference each; calls that wait for the credentials */
        size_t held_bytes;
} BusClient;

typedef void (*BusPeerReceiver)(BusPeer *peer, DBusMessage *message);

struct BusPeer {
        unsigned n_references;
        Bus *bus;                               /* borrowed; NULL once it is closed */
        DBusConnection *connection;             /* owned; NULL once it is closed */
        BusLoop *loop;                          /* owned */
        BusPeerReceiver receiver;               /* of all messages that come in */
        BusOutput output;                       /* of a private connection */
        usec_t behind_since;                    /* since then more than BUS_OUTGOING_MAX is unread; 0: it is not */
        bool is_in_outbox;                      /* to be written at the end of the turn */
        bool is_message_bus;
        bool has_name;                          /* said Hello, or, of a message bus, was told its name */
        bool is_gone;                           /* to be closed at the next opportunity */
        uint8_t dialects;                       /* bits: those it hears */
        bool is_of_other_user;                  /* a private connection of somebody who may only read */
        char **matches;                         /* owned; of a private connection */
        VECTOR(BusClient *) clients;            /* owned; of a private connection exactly one */
};

/* Takes over the caller's reference to @connection, also if it fails. */
int bus_peer_new(BusPeer **ret_peer, Bus *bus, DBusConnection *connection, BusPeerReceiver receiver);
BusPeer *bus_peer_ref(BusPeer *peer);
BusPeer *bus_peer_unref(BusPeer *peer);
DEFINE_CLEANUP(BusPeer, bus_peer_unref)

/* Gives up what clients hold and closes. Not from inside a callback of its connection. */
void bus_peer_close(BusPeer *peer);

/* Has it closed as soon as that can be done. */
void bus_peer_drop(BusPeer *peer);

/* Puts a message into the turn's outbox. 0 or -ENOMEM. @message is borrowed, and not changed any more. */
int bus_peer_send(BusPeer *peer, DBusMessage *message);
int bus_peer_send_wire(BusPeer *peer, const BusWire *wire);

/* Is there a reason to tell it of changes? */
bool bus_peer_hears(const BusPeer *peer, const BusDialect *dialect);
bool bus_peer_hears_objects(const BusPeer *peer);

int bus_peer_add_client(BusPeer *peer, const char *name, BusClient **ret_client);
BusClient *bus_peer_find_client(const BusPeer *peer, const char *name);
void bus_peer_remove_client(BusPeer *peer, BusClient *client);

/* The name of the client's process, as it was at its first request here; NULL if that is not known. */
const char *bus_client_command(BusClient *client);

/* Does it hold anything that its departure would end? */
bool bus_client_is_idle(const BusClient *client);
int bus_client_add_job(BusClient *client, uint32_t id);
void bus_client_remove_job(BusClient *client, uint32_t id);
bool bus_client_has_job(const BusClient *client, uint32_t id);

/* 0, -E2BIG, -ENOMEM. */
int bus_client_add_reference(BusClient *client, Unit *unit);
bool bus_client_has_reference(const BusClient *client, const Unit *unit);
bool bus_client_remove_reference(BusClient *client, Unit *unit);
/* The unit goes, whatever refers to it: without touching it. */
void bus_client_forget_unit(BusClient *client, const Unit *unit);
