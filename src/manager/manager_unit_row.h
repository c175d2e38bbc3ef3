/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Data that the objects of the manager keep for each unit: a row, by the
 * unit's index
 *
 * One table for all objects: a commit of many units then reads one row for
 * each. The comment of a member names its object.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/usec.h"
#include "basic/vector.h"
#include "unit/unit_table.h"

typedef struct ManagerUnit {
        struct ProcessOwner *owner;     /* owned by manager_owner: of processes, timers, a group; NULL: it has none */

        usec_t told_end_at;             /* manager_message: the turn of .told_end */
        uint32_t told_job;              /* … the last job that was logged … */
        int8_t told_run;                /* … and its run type … */
        int8_t told_end;                /* … the last JobResult that was logged */

        uint8_t n_pins;                 /* manager_pin */
        uint32_t invocation;            /* manager_invocation: its key, or 0 */

        uint32_t walk;                  /* manager_unload: the last search for references that visited the unit */
        uint32_t kept_by;               /* … the unit in use that refers to it, perhaps indirectly */
        uint64_t kept_since;            /* … unit_table_withdrawals() + 1 when .kept_by was found; 0: never */
        bool is_candidate : 1;          /* … on the list of candidates */

        bool is_failed : 1;             /* counted as failed */
        bool is_awaiting : 1;           /* manager_record: its record may say that it recovers with another */
        bool is_read : 1;               /* … its record was read */
        bool is_unread : 1;             /* … its record cannot be read: its processes are looked for */
} ManagerUnit;

typedef struct ManagerUnits {
        VECTOR(ManagerUnit) rows;
        uint32_t n_failed;              /* number of failed units */
} ManagerUnits;

ManagerUnit *manager_units_add_row(ManagerUnits *units, const Unit *unit);      /* for manager_units_of() */

/* The row of a unit, made of zeros at the first call; valid until the next call. NULL without memory. */
static inline ManagerUnit *manager_units_of(ManagerUnits *units, const Unit *unit) {
        return unit->index < units->rows.n ? &units->rows.items[unit->index] : manager_units_add_row(units, unit);
}

/* NULL: the unit has no row yet. */
static inline const ManagerUnit *manager_units_find(const ManagerUnits *units, const Unit *unit) {
        return unit->index < units->rows.n ? &units->rows.items[unit->index] : NULL;
}

/* Makes a row empty, but the unit stays on the list of candidates for unloading: its index will be reused. */
void manager_units_forget(ManagerUnits *units, const Unit *unit);
void manager_units_count_failed(ManagerUnits *units, const Unit *unit, bool is_failed);
