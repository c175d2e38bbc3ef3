/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Signals as messages
 *
 * A signal is written only if a peer hears it, once for each dialect, and a copy
 * goes to each peer that does.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "dbus/broadcast/bus_broadcast.h"
#include "dbus/object/bus_view.h"

/* A signal to be sent: its object, and the writer of its body. */
typedef struct BusEmission {
        const BusObject *object;
        const char *interface;          /* as BusInterface.name */
        const char *member;
        BusSignalWrite write;
        const void *data;
        bool for_objects;               /* only to users of ObjectManager */
        uint8_t flags;                  /* BUS_PROPERTY_OWN, BUS_PROPERTY_FOREIGN: only in that dialect */
} BusEmission;

static bool peer_hears(const BusPeer *peer, const BusDialect *dialect, const BusEmission *emission) {
        return bus_peer_hears(peer, dialect) && (!emission->for_objects || bus_peer_hears_objects(peer));
}

static bool is_heard(const BusPeers *peers, const BusDialect *dialect, const BusEmission *emission) {
        bus_foreach_peer(peers, peer)
                if (peer_hears(peer, dialect, emission))
                        return true;
        return false;
}

bool bus_broadcast_is_heard(const BusBroadcast *broadcast) {
        bus_foreach_peer(broadcast->tree->peers, peer)
                bus_foreach_dialect(broadcast->tree->dialects, dialect)
                        if (bus_peer_hears(peer, dialect))
                                return true;
        return false;
}

void bus_broadcast_drop_all(BusBroadcast *broadcast) {
        bus_foreach_peer(broadcast->tree->peers, peer)
                if (!peer->is_message_bus)
                        bus_peer_drop(peer);
}

/* @destination: NULL: all, or the other end. */
static int write_emission(BusBroadcast *broadcast, const BusDialect *dialect, const BusEmission *emission,
                          const char *destination) {
        BusView view = { broadcast->tree, dialect, emission->object };
        BusInterface of = { .name = emission->interface };
        char path[BUS_PATH_SIZE], interface[BUS_INTERFACE_NAME_SIZE];

        bus_wire_begin(&broadcast->wire);
        emission->write(&view, emission->data, &broadcast->wire.sink);
        return bus_wire_finish_signal(&broadcast->wire, bus_object_path(emission->object, dialect, path),
                                      bus_interface_full_name(&of, dialect, interface), emission->member,
                                      dialect->name, destination);
}

/* The clients of these peers would wait for the signal for ever. */
static void drop_hearers(const BusPeers *peers, const BusDialect *dialect, const BusEmission *emission) {
        bus_foreach_peer(peers, peer)
                if (!peer->is_message_bus && peer_hears(peer, dialect, emission))
                        bus_peer_drop(peer);
}

static void emit(BusBroadcast *broadcast, const BusEmission *emission) {
        const BusPeers *peers = broadcast->tree->peers;

        bus_foreach_dialect(broadcast->tree->dialects, dialect) {
                int r;

                if (!bus_row_is_of(emission->flags, dialect) || !is_heard(peers, dialect, emission))
                        continue;

                r = write_emission(broadcast, dialect, emission, NULL);
                if (r < 0) {
                        log_error("Cannot make the D-Bus signal %s: %s.", emission->member, strerror(-r));
                        drop_hearers(peers, dialect, emission);
                        continue;
                }
                bus_foreach_peer(peers, peer)
                        if (peer_hears(peer, dialect, emission) && bus_peer_send_wire(peer, &broadcast->wire) < 0)
                                log_error("Out of memory while sending the D-Bus signal %s.", emission->member);
        }
}

static void write_nothing(const BusView *view, const void *data, Sink *sink) {
}

void bus_broadcast_of_manager(BusBroadcast *broadcast, const char *member, BusSignalWrite write, const void *data,
                              uint8_t flags) {
        const BusObject manager = { .kind = broadcast->tree->root };

        emit(broadcast, &(BusEmission) {
                .object = &manager,
                .interface = "Manager",
                .member = member,
                .write = write ?: write_nothing,
                .data = data,
                .flags = flags,
        });
}

void bus_broadcast_of_object(BusBroadcast *broadcast, const BusObject *object, const char *interface,
                             const char *member) {
        emit(broadcast, &(BusEmission) {
                .object = object,
                .interface = interface,
                .member = member,
                .write = write_nothing,
        });
}

void bus_broadcast_to_client(BusBroadcast *broadcast, const BusClient *client, const BusObject *object,
                             const char *interface, const char *member, BusSignalWrite write, const void *data) {
        const BusEmission emission = {
                .object = object,
                .interface = interface,
                .member = member,
                .write = write,
                .data = data,
        };
        BusPeer *peer = client->peer;
        int r;

        if (peer->is_gone || peer->is_refused)
                return;
        bus_foreach_dialect(broadcast->tree->dialects, dialect) {
                if (!bus_row_is_of(BUS_PROPERTY_OWN, dialect))
                        continue;
                r = write_emission(broadcast, dialect, &emission, peer->is_message_bus ? client->name : NULL);
                if (r == 0)
                        r = bus_peer_send_wire(peer, &broadcast->wire);
                if (r >= 0)
                        continue;
                log_error("Cannot send the D-Bus signal %s: %s.", member, strerror(-r));
                if (!peer->is_message_bus)
                        bus_peer_drop(peer);
        }
}

typedef struct BusInterfaceChange {
        const BusInterface *interface;
        uint8_t flags;                  /* which properties */
} BusInterfaceChange;

static void write_changes(const BusView *view, const void *data, Sink *sink) {
        const BusInterfaceChange *change = data;

        bus_view_put_interface(view, change->interface, sink);
        bus_interface_write_changes(view, change->interface, change->flags, sink);
}

void bus_broadcast_changes(BusBroadcast *broadcast, const BusObject *object, uint8_t flags) {
        BusInterface interfaces[BUS_INTERFACES_MAX];
        size_t n = object->kind->interfaces(object, interfaces);

        for (size_t i = 0; i < n; i++) {
                const BusInterfaceChange change = { &interfaces[i], flags };

                if (!bus_interface_has_properties(&interfaces[i], flags))
                        continue;
                emit(broadcast, &(BusEmission) {
                        .object = object,
                        .interface = DBUS_INTERFACE_PROPERTIES,
                        .member = "PropertiesChanged",
                        .write = write_changes,
                        .data = &change,
                });
        }
}

static void write_notice(const BusView *view, const void *data, Sink *sink) {
        const BusNotice *notice = data;

        notice->of->write_notice(view, notice, sink);
}

/* The path of an object that came, with the interfaces of its kind. */
static void write_added(const BusView *view, const void *data, Sink *sink) {
        const BusObject *object = data;
        const BusView of = { view->tree, view->dialect, object };
        BusInterface interfaces[BUS_INTERFACES_MAX];
        char path[BUS_PATH_SIZE];

        sink_path(sink, bus_object_path(object, view->dialect, path));
        bus_view_put_interfaces(&of, interfaces, object->kind->interfaces(object, interfaces), sink);
}

static void write_removed(const BusView *view, const void *data, Sink *sink) {
        const BusNotice *notice = data;

        notice->of->write_gone(view, notice, sink);
}

/* Few peers use ObjectManager: for the others nothing is looked up. */
static bool is_heard_about_objects(const BusPeers *peers) {
        bus_foreach_peer(peers, peer)
                if (bus_peer_hears_objects(peer))
                        return true;
        return false;
}

static void emit_for_objects(BusBroadcast *broadcast, const char *member, BusSignalWrite write, const void *data) {
        const BusObject manager = { .kind = broadcast->tree->root };

        emit(broadcast, &(BusEmission) {
                .object = &manager,
                .interface = BUS_OBJECT_MANAGER_INTERFACE,
                .member = member,
                .write = write,
                .data = data,
                .for_objects = true,
        });
}

void bus_broadcast_notice(BusBroadcast *broadcast, const BusNotice *notice) {
        const bool came = notice->kind == BUS_NOTICE_CAME;
        const char *member = came ? notice->of->came : notice->of->went;
        BusObject object;

        assert(came || notice->kind == BUS_NOTICE_WENT);

        if (member)
                bus_broadcast_of_manager(broadcast, member, write_notice, notice, 0);
        if (!is_heard_about_objects(broadcast->tree->peers))
                return;
        if (!came)
                emit_for_objects(broadcast, "InterfacesRemoved", write_removed, notice);
        else if (notice->of->recall(broadcast->tree, notice, &object))
                emit_for_objects(broadcast, "InterfacesAdded", write_added, &object);
}

void bus_broadcast_replaced(BusBroadcast *broadcast, const BusNotice *notice) {
        bus_broadcast_of_manager(broadcast, notice->of->went, write_notice, notice, BUS_PROPERTY_FOREIGN);
        bus_broadcast_of_manager(broadcast, notice->of->came, write_notice, notice, BUS_PROPERTY_FOREIGN);
}
