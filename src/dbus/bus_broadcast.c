/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Signals as messages
 *
 * A signal is written only if somebody hears it, once for each dialect, and a
 * copy goes to all who do.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "dbus/bus_broadcast.h"
#include "dbus/bus_internal.h"
#include "dbus/bus_view.h"

/* A signal to be: of what object, and who writes its body. */
typedef struct BusEmission {
        const BusObject *object;        /* unit and job where the body needs them */
        const char *interface;          /* as BusInterface.name */
        const char *member;
        void (*write)(const BusView *view, const void *data, Sink *sink);
        const void *data;
        bool for_objects;               /* only to those who use ObjectManager */
} BusEmission;

static bool peer_hears(const BusPeer *peer, const BusDialect *dialect, const BusEmission *emission) {
        return bus_peer_hears(peer, dialect) && (!emission->for_objects || bus_peer_hears_objects(peer));
}

static bool is_heard(const Bus *bus, const BusDialect *dialect, const BusEmission *emission) {
        for (size_t i = 0; i < bus->peers.n; i++)
                if (peer_hears(bus->peers.items[i], dialect, emission))
                        return true;
        return false;
}

static const char *path_of_object(const BusDialect *dialect, const BusObject *object,
                                  char buffer[static BUS_PATH_SIZE]) {
        switch (object->kind) {
        case BUS_OBJECT_UNIT:
                return bus_path_of_unit(dialect, object->unit->id, buffer);
        case BUS_OBJECT_JOB:
                return bus_path_of_job(dialect, object->job.id, buffer);
        case BUS_OBJECT_MANAGER:
        case BUS_OBJECT_NODE:
        case BUS_OBJECT_DRIVER:
                break;
        }
        return dialect->root;
}

/* Writes it into bus->wire. */
static int write_emission(Bus *bus, const BusDialect *dialect, const BusEmission *emission) {
        BusView view = { bus, dialect, emission->object };
        BusInterface of = { .name = emission->interface };
        char path[BUS_PATH_SIZE], interface[BUS_INTERFACE_NAME_SIZE];

        bus_wire_begin(&bus->wire);
        emission->write(&view, emission->data, &bus->wire.sink);
        return bus_wire_finish_signal(&bus->wire, path_of_object(dialect, emission->object, path),
                                      bus_interface_full_name(&of, dialect, interface), emission->member,
                                      dialect->name);
}

/* They would wait for it. */
static void drop_hearers(Bus *bus, const BusDialect *dialect, const BusEmission *emission) {
        for (size_t i = 0; i < bus->peers.n; i++)
                if (!bus->peers.items[i]->is_message_bus && peer_hears(bus->peers.items[i], dialect, emission))
                        bus_peer_drop(bus->peers.items[i]);
}

static void broadcast(Bus *bus, const BusEmission *emission) {
        bus_foreach_dialect(bus, dialect) {
                int r;

                if (!is_heard(bus, dialect, emission))
                        continue;

                r = write_emission(bus, dialect, emission);
                if (r < 0) {
                        log_error("Cannot make the D-Bus signal %s: %s.", emission->member, strerror(-r));
                        drop_hearers(bus, dialect, emission);
                        continue;
                }
                for (size_t i = 0; i < bus->peers.n; i++)
                        if (peer_hears(bus->peers.items[i], dialect, emission) &&
                            bus_peer_send_wire(bus->peers.items[i], &bus->wire) < 0)
                                log_error("Out of memory while sending the D-Bus signal %s.", emission->member);
        }
}

static void write_nothing(const BusView *view, const void *data, Sink *sink) {
}

static void write_unit(const BusView *view, const void *data, Sink *sink) {
        const struct BusNotice *notice = data;

        sink_string(sink, notice->unit);
        bus_view_put_unit_path(view, notice->unit, sink);
}

static void write_job(const BusView *view, const void *data, Sink *sink) {
        const struct BusNotice *notice = data;

        sink_u32(sink, notice->id);
        bus_view_put_job_path(view, notice->id, sink);
        sink_string(sink, notice->unit);
        if (notice->kind == BUS_NOTICE_JOB_REMOVED)
                sink_string(sink, job_result_to_string(notice->result));
}

static void write_reloading(const BusView *view, const void *data, Sink *sink) {
        const struct BusNotice *notice = data;

        sink_bool(sink, notice->is_active);
}

/* Firmware, loader, kernel and initrd are not ours to measure: 0. */
static void write_startup_finished(const BusView *view, const void *data, Sink *sink) {
        const Manager *manager = view->bus->manager;
        usec_t took = usec_sub(manager_finished_at(manager, NULL), manager_started_at(manager, NULL));

        for (unsigned i = 0; i < 4; i++)
                sink_u64(sink, 0);
        sink_u64(sink, took);
        sink_u64(sink, took);
}

typedef struct BusInterfaceChange {
        const BusInterface *interface;
        uint8_t flags;                  /* which properties */
} BusInterfaceChange;

static void write_interface_name(const BusView *view, const BusInterface *interface, Sink *sink) {
        char name[BUS_INTERFACE_NAME_SIZE];

        sink_string(sink, bus_interface_full_name(interface, view->dialect, name));
}

static void write_changes(const BusView *view, const void *data, Sink *sink) {
        const BusInterfaceChange *change = data;

        write_interface_name(view, change->interface, sink);
        sink_open(sink, 'a', "{sv}");
        bus_interface_write_properties(view, change->interface, change->flags, sink);
        sink_close(sink);
        sink_strv(sink, NULL);
}

static void write_job_dictionary(const BusView *view, const void *data, Sink *sink) {
        const JobInfo *job = data;

        sink_u32(sink, job->id);
        job_manager_write_job(manager_jobs(view->bus->manager), job, sink);
}

/* The path of what came or went, with the interfaces of its own. */
static void write_object_added(const BusView *view, const void *data, Sink *sink) {
        const BusObject *object = data;
        BusInterface interfaces[2] = { object->kind == BUS_OBJECT_UNIT ? bus_unit_interface : bus_job_interface };
        BusView of = { view->bus, view->dialect, object };

        if (object->kind == BUS_OBJECT_UNIT) {
                bus_view_put_unit_path(view, object->unit->id, sink);
                interfaces[1] = bus_type_interface(object->unit->vtable);
        } else
                bus_view_put_job_path(view, object->job.id, sink);

        sink_open(sink, 'a', "{sa{sv}}");
        for (size_t i = 0; i < ELEMENTSOF(interfaces) && interfaces[i].name; i++) {
                sink_open(sink, 'e', "sa{sv}");
                write_interface_name(view, &interfaces[i], sink);
                sink_open(sink, 'a', "{sv}");
                bus_interface_write_properties(&of, &interfaces[i], 0, sink);
                sink_close(sink);
                sink_close(sink);
        }
        sink_close(sink);
}

static void write_object_removed(const BusView *view, const void *data, Sink *sink) {
        const struct BusNotice *notice = data;
        bool is_unit = notice->kind == BUS_NOTICE_UNIT_REMOVED;

        if (is_unit)
                bus_view_put_unit_path(view, notice->unit, sink);
        else
                bus_view_put_job_path(view, notice->id, sink);
        sink_open(sink, 'a', "s");
        write_interface_name(view, is_unit ? &bus_unit_interface : &bus_job_interface, sink);
        if (notice->interface)
                write_interface_name(view, &(BusInterface) { .name = notice->interface }, sink);
        sink_close(sink);
}

static const BusObject manager_object = { .kind = BUS_OBJECT_MANAGER };

static void broadcast_of_manager(Bus *bus, const char *member,
                                 void (*write)(const BusView *view, const void *data, Sink *sink), const void *data) {
        BusEmission emission = {
                .object = &manager_object,
                .interface = "Manager",
                .member = member,
                .write = write,
                .data = data,
        };

        broadcast(bus, &emission);
}

static void broadcast_object(Bus *bus, const char *member,
                             void (*write)(const BusView *view, const void *data, Sink *sink), const void *data) {
        BusEmission emission = {
                .object = &manager_object,
                .interface = bus_object_manager_interface.name,
                .member = member,
                .write = write,
                .data = data,
                .for_objects = true,
        };

        broadcast(bus, &emission);
}

/* Few do: what would be told them need not be looked up. */
static bool somebody_hears_objects(const Bus *bus) {
        for (size_t i = 0; i < bus->peers.n; i++)
                if (bus_peer_hears_objects(bus->peers.items[i]))
                        return true;
        return false;
}

static void broadcast_unit_added(Bus *bus, const struct BusNotice *notice) {
        BusObject object = { .kind = BUS_OBJECT_UNIT };

        if (!somebody_hears_objects(bus))
                return;
        object.unit = manager_find_unit(bus->manager, notice->unit);
        if (object.unit)
                broadcast_object(bus, "InterfacesAdded", write_object_added, &object);
}

static void broadcast_job_added(Bus *bus, const struct BusNotice *notice) {
        BusObject object = { .kind = BUS_OBJECT_JOB };

        if (somebody_hears_objects(bus) && job_manager_find(manager_jobs(bus->manager), notice->id, &object.job))
                broadcast_object(bus, "InterfacesAdded", write_object_added, &object);
}

static void broadcast_request_stop(Bus *bus, const struct BusNotice *notice) {
        BusObject object = { .kind = BUS_OBJECT_UNIT, .unit = manager_find_unit(bus->manager, notice->unit) };
        BusEmission emission = {
                .object = &object,
                .interface = object.unit ? object.unit->vtable->interface : NULL,
                .member = "RequestStop",
                .write = write_nothing,
        };

        if (object.unit)
                broadcast(bus, &emission);
}

void bus_broadcast_notice(Bus *bus, const struct BusNotice *notice) {
        switch (notice->kind) {
        case BUS_NOTICE_NONE:
                return;
        case BUS_NOTICE_UNIT_NEW:
                broadcast_of_manager(bus, "UnitNew", write_unit, notice);
                broadcast_unit_added(bus, notice);
                return;
        case BUS_NOTICE_UNIT_REMOVED:
                broadcast_of_manager(bus, "UnitRemoved", write_unit, notice);
                broadcast_object(bus, "InterfacesRemoved", write_object_removed, notice);
                return;
        case BUS_NOTICE_JOB_NEW:
                broadcast_of_manager(bus, "JobNew", write_job, notice);
                broadcast_job_added(bus, notice);
                return;
        case BUS_NOTICE_JOB_REMOVED:
                broadcast_of_manager(bus, "JobRemoved", write_job, notice);
                broadcast_object(bus, "InterfacesRemoved", write_object_removed, notice);
                return;
        case BUS_NOTICE_RELOADING:
                broadcast_of_manager(bus, "Reloading", write_reloading, notice);
                return;
        case BUS_NOTICE_UNIT_FILES_CHANGED:
                broadcast_of_manager(bus, "UnitFilesChanged", write_nothing, notice);
                return;
        case BUS_NOTICE_STARTUP_FINISHED:
                broadcast_of_manager(bus, "StartupFinished", write_startup_finished, notice);
                return;
        case BUS_NOTICE_REQUEST_STOP:
                broadcast_request_stop(bus, notice);
                return;
        }
}

static void broadcast_changes(Bus *bus, const BusObject *object, const BusInterface *interface, uint8_t flags) {
        BusInterfaceChange change = { interface, flags };
        BusEmission emission = {
                .object = object,
                .interface = bus_properties_interface.name,
                .member = "PropertiesChanged",
                .write = write_changes,
                .data = &change,
        };

        broadcast(bus, &emission);
}

void bus_broadcast_unit_changes(Bus *bus, Unit *unit, bool only_job) {
        BusObject object = { .kind = BUS_OBJECT_UNIT, .unit = unit };
        BusInterface type = bus_type_interface(unit->vtable);

        if (only_job) {
                broadcast_changes(bus, &object, &bus_unit_interface, BUS_PROPERTY_OF_JOB);
                return;
        }
        if (type.name && bus_interface_has_properties(&type, BUS_PROPERTY_EMITS_CHANGE))
                broadcast_changes(bus, &object, &type, BUS_PROPERTY_EMITS_CHANGE);
        broadcast_changes(bus, &object, &bus_unit_interface, BUS_PROPERTY_EMITS_CHANGE);
}

void bus_broadcast_job_changes(Bus *bus, const JobInfo *job) {
        BusObject object = { .kind = BUS_OBJECT_JOB, .job = *job, .unit = job->unit };

        broadcast_changes(bus, &object, &bus_job_interface, BUS_PROPERTY_EMITS_CHANGE);
        broadcast_of_manager(bus, "JobChanged", write_job_dictionary, job);
}
