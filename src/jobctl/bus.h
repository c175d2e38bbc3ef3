/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The connection to jobd
 *
 * The private socket if there is one, otherwise the bus on which org.jobd1 is
 * owned. Calls block; signals that arrive meanwhile are kept for
 * bus_next_signal(), so no event after bus_subscribe() is missed.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "basic/macro.h"
#include "basic/usec.h"
#include "jobctl/value.h"

#define BUS_NAME "org.jobd1"
#define BUS_PATH "/org/jobd1"
#define BUS_MANAGER "org.jobd1.Manager"
#define BUS_UNIT "org.jobd1.Unit"
#define BUS_FLOW "org.jobd1.Flow"
#define BUS_BATCH "org.jobd1.Batch"
#define BUS_RUN "org.jobd1.Run"
#define BUS_PROPERTIES "org.freedesktop.DBus.Properties"

typedef struct Bus Bus;

/* Why a call failed. */
typedef struct BusError {
        char *name;             /* owned; "org.jobd1.NoSuchUnit"; NULL if memory ran out */
        char *message;          /* owned */
} BusError;

void bus_error_deinit(BusError *error);
void bus_error_set(BusError *error, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *bus_error_word(const BusError *error);       /* the last part of the name: "NoSuchUnit"; never NULL */
const char *bus_error_message(const BusError *error);    /* never NULL */
bool bus_error_is(const BusError *error, const char *word);

typedef struct BusAddress {
        const char *socket;     /* NULL: the usual place */
        bool is_user;
        bool escape;            /* escape control characters in received strings */
} BusAddress;

/* The path of the private socket that was given, or the usual one of the system's or user's manager. 0 or -ENOMEM. */
int bus_socket_path(const BusAddress *address, char **ret_path);

/*
 * Sockets that belong to the caller, in the order in which jobd chooses a folder where the usual one cannot be written.
 * They may be those of a user's manager. 0 or -ENOMEM.
 */
int bus_other_socket_paths(char ***ret_paths);

/* $XDG_RUNTIME_DIR or its usual value, in @buffer. */
const char *bus_runtime_directory(char buffer[static 64]);

/* 0, -ENOMEM, or -ENOTCONN with the addresses that were tried in @ret_error. */
int bus_open(Bus **ret_bus, const BusAddress *address, BusError *ret_error);
Bus *bus_close(Bus *bus);
DEFINE_CLEANUP(Bus, bus_close)

/* A method call; NULL path and interface mean the manager. */
typedef struct BusCall {
        const char *path;
        const char *interface;
        const char *method;
        const char *signature;  /* of the arguments, "" or NULL for none */
        json_t *args;           /* taken over; an array for value_append() */
        int timeout_msec;       /* 0: the default, 90 s */
        bool may_ask;           /* polkit may ask for a password */
} BusCall;

/*
 * Calls and waits for the answer: *ret_reply (may be NULL) is an array of its arguments. On failure @ret_error is set:
 * -EREMOTEIO (jobd answered with an error), -ENOTCONN, -ETIMEDOUT, -EINVAL, -ENOMEM.
 */
int bus_call(Bus *bus, const BusCall *call, json_t **ret_reply, BusError *ret_error);

/* Checks that jobd answers. As bus_call(). */
int bus_ping(Bus *bus, int timeout_msec, BusError *ret_error);

/* Subscribes to all signals of jobd. */
int bus_subscribe(Bus *bus, BusError *ret_error);

typedef struct BusSignal {
        char *path;
        char *interface;
        char *member;
        json_t *args;
} BusSignal;

void bus_signal_deinit(BusSignal *signal);
bool bus_signal_is(const BusSignal *signal, const char *interface, const char *member);

/*
 * The next signal: 1; 0 if none came before @deadline (CLOCK_MONOTONIC µs, USEC_INFINITY: none); -EINTR after
 * bus_catch_interrupt() and a SIGINT or SIGTERM; -ENOTCONN if jobd is gone (then @bus may be NULL); -ENOMEM.
 */
int bus_next_signal(Bus *bus, usec_t deadline, BusSignal *ret_signal);

/*
 * While @is_caught, SIGINT and SIGTERM end bus_next_signal() instead of the program, so nothing slow should be called
 * then; false restores their effect.
 */
void bus_catch_interrupt(bool is_caught);
bool bus_was_interrupted(void);

/* Sleeps for @span µs: 0, or -EINTR if it was interrupted. */
int bus_pause(usec_t span);

/* "/org/jobd1/unit/" and the escaped name. 0 or -ENOMEM. */
int bus_unit_path(const char *unit, char **ret_path);
