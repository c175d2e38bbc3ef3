/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * One run of jobctl
 *
 * The state that all verbs use: options, terminal and connection. Verbs
 * return an exit status (exit_status.h) or a negative errno, which main()
 * reports.
 */

#include "jobctl/bus.h"
#include "jobctl/exit_status.h"
#include "jobctl/options.h"
#include "jobctl/terminal.h"

typedef struct Verb Verb;
typedef struct VerbTable VerbTable;
typedef struct Installer Installer;

typedef struct Jobctl {
        Options options;
        Terminal terminal;
        BusAddress address;
        Bus *bus;               /* owned; NULL if the verb needs none, or if it was lost for good */
        bool is_subscribed;     /* signals are subscribed */
        json_t *kept_units;     /* owned; names of units that must stay loaded; NULL: none */
        unsigned n_connections; /* how often the connection was restored */
        const VerbTable *verbs; /* static */
        const Verb *verb;       /* static; the running verb */
        const char *subverb;    /* borrowed: the second word of a verb that has two; or NULL */
        Installer *installer;   /* owned; works on unit files without a manager; or NULL */
        usec_t ask_until;       /* CLOCK_MONOTONIC: the store of runs has so long for answers; 0: as long as it needs */
} Jobctl;

/* Chooses the manager to connect to, by the options. */
void jobctl_choose_manager(Jobctl *ctl);

/* Connects, or reports why not: 0, EXIT_UNREACHABLE or < 0. */
int jobctl_connect(Jobctl *ctl);

/*
 * Connects again after -ENOTCONN, and restores subscriptions and references to units. 0, -ENOTCONN with @ret_error
 * after 10 s without jobd, -EINTR (only while that is caught), -ENOMEM.
 */
int jobctl_reconnect(Jobctl *ctl, BusError *ret_error);

/* As bus_call(); connects again and repeats calls that can be repeated. */
int jobctl_send(Jobctl *ctl, const BusCall *call, json_t **ret_reply, BusError *ret_error);

/* A token by which jobd recognizes a repeated request after a lost connection. 0 or -errno. */
#define JOBCTL_TOKEN_SIZE 33
int jobctl_make_token(char token[static JOBCTL_TOKEN_SIZE]);

/* As bus_subscribe(), for this connection and later ones; -ENOTCONN also if the connection was lost for good. */
int jobctl_subscribe(Jobctl *ctl, BusError *ret_error);

/* Calls a method of the manager; as jobctl_send(). */
int jobctl_call(Jobctl *ctl, const char *method, const char *signature, json_t *args /* taken over */,
                json_t **ret_reply, BusError *ret_error);

/* All properties of an object as a JSON object; NULL @interface: of all its interfaces. */
int jobctl_properties(Jobctl *ctl, const char *path, const char *interface, json_t **ret_properties,
                      BusError *ret_error);
int jobctl_unit_properties(Jobctl *ctl, const char *unit, const char *interface, json_t **ret_properties,
                           BusError *ret_error);

/* One property of the interface Unit. */
int jobctl_unit_property(Jobctl *ctl, const char *unit, const char *name, json_t **ret_value, BusError *ret_error);

/* The jobs that Query finds by one key (NULL: all): an array of objects. @type is the D-Bus type of @value. */
int jobctl_query(Jobctl *ctl, const char *key, const char *type, json_t *value /* taken over */, json_t **ret_jobs,
                 BusError *ret_error);

/* Prints "Failed to <what>: <message>" (or JSON) and returns the exit status. */
int jobctl_fail(Jobctl *ctl, const BusError *error, const char *what, ...) __attribute__((format(printf, 3, 4)));

/*
 * The same for one of several words. With JSON the failure is added to @failures, an array, for jobctl_finish(). An
 * exit status, or -ENOMEM.
 */
int jobctl_fail_word(Jobctl *ctl, json_t *failures, const char *word, const BusError *error, const char *what);

/* For a verb without output on success: prints a document if JSON is wanted, and returns @status. */
int jobctl_finish(Jobctl *ctl, json_t *failures, int status);

/* Warns that the files of a unit have changed since jobd read them. */
void jobctl_warn_outdated(const char *unit);

/* Reports an error in the command line and returns EXIT_USAGE. */
int jobctl_misused(Jobctl *ctl, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints one JSON document and returns @status; < 0 if @document is NULL. */
int jobctl_print_json(Jobctl *ctl, json_t *document /* taken over */, int status);

/* Prints one JSON document in one line, at once. */
int jobctl_print_json_line(Jobctl *ctl, json_t *document /* taken over */);
