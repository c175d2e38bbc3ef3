/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Interfaces as tables
 *
 * One table describes an interface. Dispatch, access, introspection and the API
 * text are made of it, in each dialect. Tables of rows end with a NULL name.
 */

#include <stddef.h>
#include <stdint.h>

#include <dbus/dbus.h>

#include "basic/sink.h"
#include "dbus/peer/bus_path.h"
#include "job/job_manager.h"
#include "unit/unit.h"

typedef struct BusCall BusCall;
typedef struct BusObject BusObject;
typedef struct BusTree BusTree;

/* The right that a method needs; bus_access.h defines who has which. */
typedef enum BusVerb {
        BUS_VERB_READ,                  /* questions, and subscription to changes */
        BUS_VERB_PLAN,                  /* questions that take long: what a request would do, all objects at once */
        BUS_VERB_ENQUEUE,               /* jobs */
        BUS_VERB_CANCEL,                /* jobs */
        BUS_VERB_SUBMIT,                /* runs of a flow */
        BUS_VERB_CONTROL_RUN,
        BUS_VERB_KILL,
        BUS_VERB_RESET,
        BUS_VERB_PIN,                   /* keep a unit loaded */
        BUS_VERB_RELOAD,
        BUS_VERB_SET,                   /* settings of a unit, also of a new one */
        BUS_VERB_INSTALL,               /* links to unit files */
        BUS_VERB_ENVIRONMENT,           /* variables of all processes */
        BUS_VERB_EXIT,
        BUS_VERB_CONTROL,               /* what polkit is never asked about */
        _BUS_VERB_MAX,
} BusVerb;

/* The object that a property is read from. */
typedef struct BusView {
        const BusTree *tree;
        const BusDialect *dialect;
        const BusObject *object;        /* NULL: it may be gone */
} BusView;

typedef enum BusPropertyFlags {
        BUS_PROPERTY_CONST = UNIT_PROPERTY_CONST,
        BUS_PROPERTY_EMITS_CHANGE = UNIT_PROPERTY_EMITS_CHANGE,
        BUS_PROPERTY_INVALIDATES = UNIT_PROPERTY_INVALIDATES,
        BUS_PROPERTY_OWN = UNIT_PROPERTY_OWN,
        BUS_PROPERTY_FOREIGN = UNIT_PROPERTY_FOREIGN,
        BUS_PROPERTY_OF_JOB = 1 << 7,   /* of a unit: changes with its job */
} BusPropertyFlags;

typedef struct BusProperty {
        const char *name;
        const char *signature;
        uint8_t flags;
        uint32_t parameter;             /* for getters that serve several rows */
        /* Writes exactly one value; NULL: sink_nothing(). */
        void (*get)(const BusView *view, uint32_t parameter, Sink *sink);
        const char *description;
        int (*set)(BusCall *call, DBusMessageIter *value);      /* checks and sets it; NULL: read-only */
        BusVerb set_verb;
        /* With BUS_PROPERTY_INVALIDATES: false for an object whose value never changes; NULL: it may always change. */
        bool (*may_change)(const BusView *view, uint32_t parameter);
} BusProperty;

/* The action of a call on one unit. */
typedef struct BusDetail {
        const char *unit;               /* borrowed; its main name */
        const char *word;               /* borrowed; "start" */
} BusDetail;

/* The @at-th detail of a call: 1; 0 if there are no more; negative if it cannot be known: the call is refused then. */
typedef int (*BusDescribe)(const BusCall *call, size_t at, BusDetail *ret_detail);

/* @in_names and @out_names: one for each complete type of the signature, with spaces between. */
typedef struct BusMethod {
        const char *name;
        const char *in, *in_names;
        const char *out, *out_names;
        BusVerb verb;
        /* BUS_CALL_LATER (see bus_later.h), negative with call->failure, or another value with the reply written */
        int (*handler)(BusCall *call);
        const char *description;
        /*
         * For a method that names the object that it is about: finds that by the arguments, to ask its kind for grants,
         * too; false if there is none. NULL: it is about the object that is called.
         */
        bool (*find_subject)(const BusCall *call, BusObject *ret_subject);
        uint8_t flags;                  /* BUS_PROPERTY_OWN, BUS_PROPERTY_FOREIGN: in which dialect it is there */
        /*
         * What polkit is told of the call (see bus_question.h): what happens to its unit, or a function if arguments
         * say that. Both NULL: it is about no unit in particular.
         */
        const char *word;
        BusDescribe describe;
} BusMethod;

typedef struct BusSignal {
        const char *name;
        const char *signature, *names;
        const char *description;
        uint8_t flags;                  /* the same */
} BusSignal;

typedef struct BusInterface {
        const char *name;               /* "Manager": the dialect goes in front; with a dot in it: whole */
        const char *description;
        const BusMethod *methods;
        const BusSignal *signals;
        const BusProperty *properties;
        const UnitPropertyTable *const *unit_properties;        /* instead, for a type of units */
} BusInterface;

#define BUS_INTERFACES_MAX 8

#define BUS_OBJECT_MANAGER_INTERFACE "org.freedesktop.DBus.ObjectManager"

/* A property, whichever kind of row it is. */
typedef struct BusPropertyRow {
        const char *name, *signature, *description;
        uint8_t flags;
        const BusProperty *property;            /* one of the two */
        const UnitProperty *unit_property;
} BusPropertyRow;

/* Whether a row with these flags is there in the dialect; NULL: in any. */
bool bus_row_is_of(uint8_t flags, const BusDialect *dialect);

bool bus_interface_property(const BusInterface *interface, size_t at, BusPropertyRow *ret_row);
bool bus_interface_find_property(const BusInterface *interface, const char *name, const BusDialect *dialect,
                                 BusPropertyRow *ret_row);
const BusMethod *bus_interface_find_method(const BusInterface *interface, const char *name, const BusDialect *dialect);
void bus_property_write(const BusView *view, const BusPropertyRow *row, Sink *sink);

/* Writes the entries of an open a{sv}: the properties that have all of @flags. Returns true if there are any. */
bool bus_interface_has_properties(const BusInterface *interface, uint8_t flags);
void bus_interface_write_properties(const BusView *view, const BusInterface *interface, uint8_t flags, Sink *sink);
/*
 * Writes the contents of PropertiesChanged in one pass over the interface: "a{sv}" with the properties that have all
 * of @flags, and "as" with those that are announced without a value, empty unless @flags is BUS_PROPERTY_EMITS_CHANGE.
 */
#define BUS_INVALIDATED_MAX 64
void bus_interface_write_changes(const BusView *view, const BusInterface *interface, uint8_t flags, Sink *sink);

/* The whole name in a dialect: the interface's own string, or written into @buffer. */
#define BUS_INTERFACE_NAME_SIZE 256
const char *bus_interface_full_name(const BusInterface *interface, const BusDialect *dialect,
                                    char buffer[static BUS_INTERFACE_NAME_SIZE]);
bool bus_interface_is_named(const BusInterface *interface, const BusDialect *dialect, const char *full_name);
