/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names and object paths, in each of the dialects
 *
 * The same objects are offered as org.jobd1 and, if asked for, as
 * org.freedesktop.systemd1: a dialect is the bus name, the prefix of
 * interfaces and errors, and the root of the paths.
 */

#include <stdint.h>

typedef enum BusDialectId {
        BUS_DIALECT_OWN,
        BUS_DIALECT_SYSTEMD,
        _BUS_DIALECT_MAX,
} BusDialectId;

typedef struct BusDialect {
        BusDialectId id;
        const char *name; /* bus name, prefix of interfaces and errors */
        const char *root; /* path of the manager */
} BusDialect;

extern const BusDialect bus_dialects[_BUS_DIALECT_MAX];

#define BUS_DIALECT_BIT(id) (1U << (id))

#define bus_foreach_dialect(bits, dialect) \
        for (const BusDialect *dialect = bus_dialects; dialect < bus_dialects + _BUS_DIALECT_MAX; dialect++) \
                if ((bits) &BUS_DIALECT_BIT(dialect->id))

/* A label of a path: letters and digits stay, a first digit and all else becomes _xx, an empty label "_". */
int bus_path_escape(const char *label, char **ret_escaped);

/* The inverse: -EINVAL for a text that bus_path_escape() never makes, so that an object has one path. */
int bus_path_unescape(const char *escaped, char **ret_label);

/* Large enough for any unit: each byte of its name may take three. */
#define BUS_PATH_SIZE 1024

/* Each returns @buffer. @unit has a valid name. */
const char *bus_path_of_unit(const BusDialect *dialect, const char *unit, char buffer[static BUS_PATH_SIZE]);
const char *bus_path_of_job(const BusDialect *dialect, uint32_t id, char buffer[static BUS_PATH_SIZE]);
const char *bus_path_of_run(const BusDialect *dialect, uint32_t id, char buffer[static BUS_PATH_SIZE]);
