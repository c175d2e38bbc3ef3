/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Holders of units
 *
 * A unit that no unit needs may be held by something else, such as the attempt
 * of a run: it counts as needed until it is let go.
 */

#include <stddef.h>

#include "unit/unit.h"

typedef struct JobHolders {
        /* The holder in words, "run 17, node x", valid until the next call; NULL: none. Must not call back. */
        const char *(*find)(void *userdata, const Unit *unit); /* NULL: nothing is held */
        void *userdata; /* borrowed */
} JobHolders;

static inline const char *job_holders_find(const JobHolders *holders, const Unit *unit) {
        return holders->find ? holders->find(holders->userdata, unit) : NULL;
}
