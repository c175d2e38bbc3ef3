/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The connection to jobd
 *
 * The private socket if there is one, else the bus where org.jobd1 is owned.
 * Calls block; signals that come in meanwhile wait for bus_next_signal(), so
 * nothing that happens after bus_subscribe() is missed.
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
        bool escape;            /* make control characters in what is received visible */
} BusAddress;

/*
 * The path of the private socket of a system or user manager; where there is none, of the one that jobd has had to put
 * elsewhere, if that is ours. 0 or -ENOMEM.
 */
int bus_socket_path(const BusAddress *address, char **ret_path);

/* $XDG_RUNTIME_DIR, or what it should be, in @buffer. */
const char *bus_runtime_directory(char buffer[static 64]);

/* 0, -ENOMEM, or -ENOTCONN with @ret_error saying what was tried. */
int bus_open(Bus **ret_bus, const BusAddress *address, BusError *ret_error);
Bus *bus_close(Bus *bus);
DEFINE_CLEANUP(Bus, bus_close)

/* What is called; NULL path and interface mean the manager. */
typedef struct BusCall {
        const char *path;
        const char *interface;
        const char *method;
        const char *signature;  /* of the arguments, "" or NULL for none */
        json_t *args;           /* taken over; an array as value_append() has it */
        int timeout_msec;       /* 0: the usual one, 90 s */
} BusCall;

/*
 * Calls and waits for the answer: *ret_reply (may be NULL) is an array of its arguments. Below 0 the error is filled
 * in: -EREMOTEIO (an error came back), -ENOTCONN, -ETIMEDOUT, -EINVAL, -ENOMEM.
 */
int bus_call(Bus *bus, const BusCall *call, json_t **ret_reply, BusError *ret_error);

/* Is there somebody who answers? As bus_call(). */
int bus_ping(Bus *bus, int timeout_msec, BusError *ret_error);

/* Asks for all signals of jobd. */
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
 * The next signal: 1, or 0 if none came before @deadline (CLOCK_MONOTONIC µs, USEC_INFINITY for none), -EINTR after
 * bus_catch_interrupt() and a SIGINT or SIGTERM, -ENOTCONN if jobd has gone (@bus may be NULL then), -ENOMEM.
 */
int bus_next_signal(Bus *bus, usec_t deadline, BusSignal *ret_signal);

/*
 * From now on SIGINT and SIGTERM end bus_next_signal() instead of the program; or do what they did before. While they are
 * caught nothing should be called that can take long.
 */
void bus_catch_interrupt(bool is_caught);
bool bus_was_interrupted(void);

/* Sleeps for @span µs: 0, or -EINTR if it was interrupted. */
int bus_pause(usec_t span);

/* "/org/jobd1/unit/" and the escaped name. 0 or -ENOMEM. */
int bus_unit_path(const char *unit, char **ret_path);
