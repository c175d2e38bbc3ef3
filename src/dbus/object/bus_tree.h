/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Objects as a tree of paths
 *
 * Each kind of object is a row: the label that its paths have below the root,
 * how one is found, listed and described, who may call it, and the signals that
 * announce that one came or went. The tree is made of the rows that it is given;
 * nothing else names a kind.
 */

#include "dbus/object/bus_table.h"
#include "dbus/peer/bus_peer.h"

typedef struct BusKind BusKind;
typedef struct BusQuestions BusQuestions;

struct BusObject {
        const BusKind *kind;
        const char *path; /* borrowed from the message, or NULL */
        const BusDialect *dialect; /* of the path, or NULL */
        const BusKind *below; /* of a folder: whose objects lie in it; NULL: it leads to a root */
        Unit *unit; /* borrowed; of a unit, or of the job */
        JobInfo job;
        uint64_t id; /* of what has a number */
        const struct ManagerRunView *run; /* borrowed; of a run whose values were asked for; NULL: it lives */
};

typedef enum BusNoticeKind {
        BUS_NOTICE_NONE, /* taken back */
        BUS_NOTICE_CAME,
        BUS_NOTICE_WENT,
        BUS_NOTICE_REREAD, /* a unit whose files say something else */
        BUS_NOTICE_RELOADING,
        BUS_NOTICE_UNIT_FILES_CHANGED,
        BUS_NOTICE_STARTUP_FINISHED,
        BUS_NOTICE_REQUEST_STOP,
} BusNoticeKind;

/* Something that is to be announced; its object may be gone by then. */
typedef struct BusNotice {
        BusNoticeKind kind;
        const BusKind *of; /* of CAME and WENT */
        bool is_active; /* of RELOADING */
        JobResult result;
        const char *interface; /* static; of a unit that WENT: that of its type, or NULL */
        const char *unit; /* its name, or ""; in BusSignals.names */
        uint32_t index; /* of the unit, while that is there */
        uint64_t id; /* of what has a number */
} BusNotice;

typedef int (*BusVisitor)(void *userdata, const BusObject *object);

/* One kind of objects. One without a label is not found below the root; members that it does not need are NULL. */
struct BusKind {
        const char *label; /* its objects are ROOT/LABEL/NAME */
        uint8_t flags; /* BUS_PROPERTY_OWN: they are in that dialect alone */

        /* Sets the members of the object that are particular to its name: 0, -ENOENT with @ret_failure, or -ENOMEM. */
        int (*find)(const BusTree *tree, const char *name, pid_t caller, BusObject *object, Failure *ret_failure);
        /* Visits all, until the visitor fails. */
        int (*visit)(const BusTree *tree, BusVisitor visitor, void *userdata);
        /* The one object of the kind, which has no label, outside the root of a dialect; NULL: none. */
        const char *fixed_path;
        /* Returns @buffer. NULL: the root of the dialect. */
        const char *(*path)(const BusObject *object, const BusDialect *dialect, char buffer[static BUS_PATH_SIZE]);
        /* Interfaces of the kind, at most BUS_INTERFACES_MAX - 3; returns how many. GetAll() of all has this order. */
        size_t (*interfaces)(const BusObject *object, BusInterface *ret_interfaces);

        /* Returns true if a client has that right on this object, beyond the table of bus_access.h. NULL: no. */
        bool (*grants)(const BusTree *tree, const BusObject *object, BusVerb verb, const BusClient *client);

        /*
         * Get() and GetAll() of an object whose values have to be asked for: keeps the call and returns BUS_CALL_LATER;
         * 0: the values are here; negative with call->failure. @property: NULL: all. NULL: they always are.
         */
        int (*ask)(BusCall *call, const BusProperty *property);

        /* Signals of the manager when one came or went, and their body. NULL: none. */
        const char *came, *went;
        void (*write_notice)(const BusView *view, const BusNotice *notice, Sink *sink);
        /* The object of a notice, if it is still there. */
        bool (*recall)(const BusTree *tree, const BusNotice *notice, BusObject *ret_object);
        /* Writes the path and the names of the interfaces (oas) of one that went. */
        void (*write_gone)(const BusView *view, const BusNotice *notice, Sink *sink);
};

struct BusTree {
        Manager *manager; /* borrowed */
        BusPeers *peers; /* borrowed */
        uint8_t dialects; /* bits: those of its paths */

        const BusKind *root; /* of the object at the root of each dialect */
        const BusKind *driver; /* of the object of a bus daemon, on a private socket */
        const BusKind *const *kinds; /* of objects below the root; ends with NULL */
        const BusKind *beside; /* of an object with a path of its own, in systemd's dialect; NULL: none */
        const BusInterface *const *common; /* interfaces of every object; ends with NULL */

        BusQuestions *questions; /* borrowed; to polkit; NULL: it is not asked */

        void (*before_reply)(void *userdata); /* sends signals that must come before a reply, or NULL */
        void *userdata; /* of before_reply() */

        struct BusReexec *reexec; /* borrowed; who waits for the next image */
        struct BusRuns *runs; /* borrowed; answers calls about runs */

        uint32_t n_installed_jobs; /* since the start */
        uint32_t n_failed_jobs;
};

/*
 * Finds what @path (borrowed by the object) names; a unit with a valid name is loaded. Its dialect is set even if
 * nothing is found, the own one if the path has none. @caller: the process whose unit is called "self". 0, -ENOENT with
 * @ret_failure, or -ENOMEM.
 */
int bus_tree_find(const BusTree *tree, const char *path, pid_t caller, BusObject *ret_object, Failure *ret_failure);

/* Names of the objects right below, as labels of a path. */
int bus_tree_children(const BusTree *tree, const BusObject *object, char ***ret_labels);

/* All interfaces of an object: how many. */
size_t bus_object_interfaces(const BusTree *tree, const BusObject *object,
                             BusInterface ret_interfaces[static BUS_INTERFACES_MAX]);
const char *bus_object_path(const BusObject *object, const BusDialect *dialect, char buffer[static BUS_PATH_SIZE]);
