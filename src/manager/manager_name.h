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

/* Follows a name from then on, and says at once whether it has an owner: manager_name_owned(). -EOPNOTSUPP: no bus. */
typedef struct ManagerNameOps {
        int (*watch)(void *userdata, const char *name);
        void (*unwatch)(void *userdata, const char *name);
} ManagerNameOps;

/* A name, and the unit that follows it. */
typedef struct ManagerName {
        char *name;                     /* owned */
        uint32_t unit;                  /* its index */
} ManagerName;

typedef struct ManagerNames {
        ManagerTurn *turn;              /* borrowed */
        VECTOR(ManagerName) wanted;
        bool is_known;                  /* whether there is a bus layer, and .ops says so */
        const ManagerNameOps *ops;
        void *userdata;                 /* borrowed */
} ManagerNames;

void manager_names_deinit(ManagerNames *names);

/* In place of the one that the unit has followed; NULL: none. 0 or -errno. */
int manager_names_watch(ManagerNames *names, const Unit *unit, const char *name);
void manager_names_forget_unit(ManagerNames *names, const Unit *unit);

/* The bus layer says what it can do; NULL: nothing. */
void manager_names_set_ops(ManagerNames *names, const ManagerNameOps *ops, void *userdata /* borrowed */);
/* The name has an owner now, a process (0: not known), or none. */
void manager_names_owned(ManagerNames *names, UnitTable *units, const char *name, bool is_owned, pid_t pid);
