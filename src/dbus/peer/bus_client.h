/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Clients: the callers at the other end of a connection
 *
 * A private connection is one client; the connection to a message bus carries
 * many, told apart by their unique names. What a client holds (subscriptions,
 * references to units, jobs that it asked for, calls that are not answered yet)
 * goes when the client goes.
 */

#include <stdbool.h>
#include <sys/types.h>

#include <dbus/dbus.h>

#include "basic/id_map.h"
#include "basic/vector.h"
#include "dbus/peer/bus_path.h"
#include "manager/manager.h"

typedef struct BusPeer BusPeer;

#define BUS_REFERENCES_MAX 4096U
#define BUS_LATER_MAX 64U
#define BUS_WATCHES_MAX 256U

/* A call that is answered later: see bus_later.h. */
typedef struct BusLaterCall {
        uint64_t number; /* among those of all clients */
        uint32_t serial; /* of the call */
        bool wants_reply;
        const BusDialect *dialect;
        const char *sender; /* static: of the answer */
} BusLaterCall;

typedef struct BusClient {
        BusPeer *peer; /* borrowed */
        Manager *manager; /* borrowed */
        char *name; /* owned; unique name */
        uid_t uid; /* (uid_t) -1: not known */
        pid_t pid; /* 0: not known */
        uint64_t started; /* that process, as bus_process_start(); 0: not known */
        char *command; /* owned; name of its process; NULL: not known */
        char *operator, * reqid; /* owned; who asks, for which request, as the client says; or NULL */
        bool is_known; /* uid and pid have been asked for */
        bool is_command_known; /* .command has been looked up */
        bool is_subscribed;
        bool uses_object_manager;
        bool listens; /* it has waited for a job when core was another process */
        IdMap jobs; /* anchors that it requested and that have not ended */
        VECTOR(Unit *) references; /* each holds one reference */
        VECTOR(uint32_t) watches; /* runs whose nodes it wants to hear of */
        VECTOR(BusLaterCall) later; /* by number */
        VECTOR(DBusMessage *) held; /* a reference each; calls that wait for the credentials */
        size_t held_bytes;
        unsigned held_descriptors;
} BusClient;

int bus_client_new(BusClient **ret_client, BusPeer *peer, Manager *manager, const char *name);
BusClient *bus_client_free(BusClient *client);

/* The name of the client's process, as it was at its first request here; NULL if that is not known. */
const char *bus_client_command(BusClient *client);

/* Empty words: nothing is said. 0 or -ENOMEM. */
int bus_client_identify(BusClient *client, const char *operator, const char * reqid);

/* Returns true if the client holds nothing that would end with its connection. */
bool bus_client_is_idle(const BusClient *client);
int bus_client_add_job(BusClient *client, uint32_t id);
void bus_client_remove_job(BusClient *client, uint32_t id);
bool bus_client_has_job(const BusClient *client, uint32_t id);

/* Whether it wants to hear of the nodes of a run: 0, -E2BIG, -ENOMEM. */
int bus_client_set_watch(BusClient *client, uint32_t run, bool watches);
bool bus_client_watches(const BusClient *client, uint32_t run);

/* 0, -E2BIG, -ENOMEM. */
int bus_client_add_reference(BusClient *client, Unit *unit);
bool bus_client_has_reference(const BusClient *client, const Unit *unit);
bool bus_client_remove_reference(BusClient *client, Unit *unit);
/* Forgets all references to a unit that is unloaded, without touching the unit. */
void bus_client_forget_unit(BusClient *client, const Unit *unit);
