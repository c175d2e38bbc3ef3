/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names on the message bus that units wait for
 */

#include <stdbool.h>
#include <sys/types.h>

#include "basic/vector.h"
#include "unit/unit_table.h"

typedef struct ManagerTurn ManagerTurn;

/* Follows a name, and reports at once whether it has an owner: manager_name_owned(). -EOPNOTSUPP: no bus. */
typedef struct ManagerNameOps {
        int (*watch)(void *userdata, const char *name);
        void (*unwatch)(void *userdata, const char *name);
} ManagerNameOps;

/* A name, and the unit that follows it. */
typedef struct ManagerName {
        char *name;                     /* owned */
        uint32_t unit;                  /* index of the unit */
} ManagerName;

typedef struct ManagerNames {
        ManagerTurn *turn;              /* borrowed */
        VECTOR(ManagerName) wanted;
        bool is_known;                  /* the bus layer has set .ops, perhaps to NULL */
        const ManagerNameOps *ops;
        void *userdata;                 /* borrowed */
} ManagerNames;

void manager_names_deinit(ManagerNames *names);

/* Replaces the name that the unit follows; NULL: none. 0 or -errno. */
int manager_names_watch(ManagerNames *names, const Unit *unit, const char *name);
void manager_names_forget_unit(ManagerNames *names, const Unit *unit);

/* Sets the operations of the bus layer; NULL: none. */
void manager_names_set_ops(ManagerNames *names, const ManagerNameOps *ops, void *userdata /* borrowed */);
/* The name has got an owner, a process (0: unknown), or lost it. */
void manager_names_owned(ManagerNames *names, UnitTable *units, const char *name, bool is_owned, pid_t pid);
