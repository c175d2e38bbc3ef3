/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Connections
 */

#include <stdbool.h>
#include <sys/types.h>

#include "basic/failure.h"
#include "basic/usec.h"
#include "dbus/peer/bus_client.h"
#include "dbus/peer/bus_loop.h"
#include "dbus/peer/bus_others.h"
#include "dbus/peer/bus_output.h"
#include "dbus/peer/bus_stream.h"

/*
 * A client that leaves more than the first unread for longer than that time, or more than the second at all, does not
 * read: it is disconnected with the next message for it. Messages of the current turn do not count, since a transaction
 * can be large. Users who may only read get less memory; one answer may be larger.
 */
#define BUS_OUTGOING_MAX ((size_t) 64 * 1024 * 1024)
#define BUS_UNREAD_TIME (10 * USEC_PER_SEC)
#define BUS_UNREAD_MAX ((size_t) 256 * 1024 * 1024)
#define BUS_OUTGOING_OF_OTHERS_MAX ((size_t) 4 * 1024 * 1024)
#define BUS_OUTGOING_OF_OTHERS_TOTAL ((size_t) 32 * 1024 * 1024) /* on all connections of one user */
#define BUS_OUTGOING_SMALL ((size_t) 64 * 1024)                 /* not checked against that total */
#define BUS_MESSAGE_MAX (4L * 1024L * 1024L)
/* Descriptors that one message may bring, or that wait to be read: standard streams of a few units. */
#define BUS_DESCRIPTORS_MAX 12
#define BUS_AUTHENTICATION_TIME (30 * USEC_PER_SEC)
#define BUS_MATCHES_MAX 512U
#define BUS_MATCH_LENGTH_MAX 1024U
#define BUS_CLIENTS_MAX 1024U
#define BUS_HELD_MAX 256U
#define BUS_HELD_BYTES_MAX (8L * 1024L * 1024L)         /* of all clients together */
#define BUS_HELD_DESCRIPTORS_MAX 64U                    /* likewise */

/*
 * Receives calls. The credentials of the client are known when .call() is called; .refuse() answers a call with a
 * failure; .gone() is called before a client is freed.
 */
typedef struct BusReceiverOps {
        void (*call)(BusClient *client, DBusMessage *message, void *userdata);
        void (*gone)(const BusClient *client, void *userdata);
        void (*refuse)(BusClient *client, DBusMessage *message, const Failure *failure, void *userdata);
} BusReceiverOps;

/* All connections. */
typedef struct BusPeers {
        Manager *manager;                       /* borrowed */
        sd_event *event;                        /* a reference */
        BusOthers *others;                      /* owned: loop of the connections of other users */
        uid_t owner;                            /* the user that the manager runs as */
        const BusReceiverOps *receiver;
        void *userdata;                         /* of the receiver */
        VECTOR(BusPeer *) items;                /* a reference each */
        uint64_t last_id;
        uint64_t last_later;                    /* number of the last call that is answered later */
        sd_event_source *reaper;                /* owned; closes dropped peers */
        usec_t authentication_time;             /* that a new private connection has; BUS_AUTHENTICATION_TIME */
} BusPeers;

/* Events of one connection: a message has come; it is about to be closed (may be NULL). */
typedef struct BusPeerOps {
        void (*message)(BusPeer *peer, DBusMessage *message, void *userdata);
        void (*closed)(BusPeer *peer, void *userdata);
} BusPeerOps;

struct BusPeer {
        unsigned n_references;
        uint64_t id;                            /* among all connections since the start */
        BusPeers *peers;                        /* borrowed; NULL once it is closed */
        DBusConnection *connection;             /* owned; NULL once it is closed */
        BusLoop *loop;                          /* owned */
        const BusPeerOps *ops;
        void *userdata;                         /* of .ops */
        sd_event_source *deadline;              /* owned; of authentication; NULL once it has passed */
        const char *server_id;                  /* borrowed from the server; of a private connection */
        BusStream *stream;                      /* owned; of a message bus, whose socket libdbus does not have */
        BusOutput output;
        usec_t behind_since;                    /* since then more than BUS_OUTGOING_MAX is unread; 0: it is not */
        bool is_in_outbox;                      /* to be written at the end of the turn */
        bool is_message_bus;
        bool has_name;                          /* Hello was said by a client, or answered by a message bus */
        bool is_gone;                           /* to be closed at the next opportunity */
        uint8_t dialects;                       /* bits: those it hears */
        uid_t uid;                              /* of a private connection */
        bool is_of_other_user;                  /* a private connection of a user who may only read */
        bool is_refused;                        /* a private connection beyond the limits: its calls are refused */
        char **matches;                         /* owned; of a private connection */
        VECTOR(BusClient *) clients;            /* owned; of a private connection exactly one */
};

/*
 * @uid: of the other end of a private connection; that of a message bus is served as the owner's. Takes over the
 * caller's reference to @connection, also if it fails.
 */
int bus_peer_new(BusPeer **ret_peer, BusPeers *peers, DBusConnection *connection, uid_t uid, const BusPeerOps *ops,
                 void *userdata);
BusPeer *bus_peer_unref(BusPeer *peer);
DEFINE_CLEANUP(BusPeer, bus_peer_unref)

/* Lets the reaper close it. */
void bus_peer_drop(BusPeer *peer);

/* Drops it after the peers' time for that, unless it is authenticated and not refused by then. 0 or negative errno. */
int bus_peer_limit_authentication(BusPeer *peer);

/* Puts a message into the turn's outbox. 0 or -ENOMEM. @message is borrowed, and not changed any more. */
int bus_peer_send(BusPeer *peer, DBusMessage *message);
int bus_peer_send_wire(BusPeer *peer, const BusWire *wire);

/*
 * On a message bus a call is remembered for the next core until its answer is written, and so is what its client waits
 * for. A call that was begun is not repeated. Nothing of this concerns a private connection.
 */
void bus_peer_note_stage(BusPeer *peer, const BusClient *client, uint32_t serial, BusLedgerStage stage);
void bus_peer_note_answered(BusPeer *peer, const BusClient *client, uint32_t serial);

/* The size of a message in bytes, SIZE_MAX without memory, and the number of its descriptors. */
size_t bus_peer_measure(DBusMessage *message, unsigned *ret_descriptors);

/* Returns true if the client gets signals. */
bool bus_peer_hears(const BusPeer *peer, const BusDialect *dialect);
bool bus_peer_hears_objects(const BusPeer *peer);

int bus_peer_add_client(BusPeer *peer, const char *name, BusClient **ret_client);
BusClient *bus_peer_find_client(const BusPeer *peer, const char *name);
void bus_peer_remove_client(BusPeer *peer, BusClient *client);

/* Neither root nor the user that the manager runs as: one who may only read. */
bool bus_peers_is_other_user(const BusPeers *peers, uid_t uid);

int bus_peers_init(BusPeers *peers, Manager *manager, const BusReceiverOps *receiver, void *userdata);
/* Closes all. */
void bus_peers_deinit(BusPeers *peers);
int bus_peers_add(BusPeers *peers, BusPeer *peer);              /* takes a reference */
BusPeer *bus_peers_find(const BusPeers *peers, uint64_t id);

#define bus_foreach_peer(peers, peer)                                                                            \
        for (BusPeer **peer##_at = (peers)->items.items, *peer;                                                  \
             peer##_at < (peers)->items.items + (peers)->items.n && ((peer = *peer##_at), true); peer##_at++)
#define bus_foreach_client(peer, client)                                                                         \
        for (BusClient **client##_at = (peer)->clients.items, *client;                                           \
             client##_at < (peer)->clients.items + (peer)->clients.n && ((client = *client##_at), true); client##_at++)
