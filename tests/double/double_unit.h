/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units that do what the test says
 *
 * A world is a unit table, a clock and a host. Its units are loaded when
 * double_unit() makes them; a name that nobody made is not found when it is
 * loaded. Every type but device has a fake vtable; device has none, so that
 * "unsupported" can be had, too. The observer of the table is the test's to
 * set: unit_table_set_observer(world->table, …).
 *
 *      DoubleWorld *world = double_world_new();
 *      Unit *a = double_unit(world, "a.service", UNIT_INACTIVE);
 *      double_relate(world, "a.service", UNIT_REQUIRES, "b.service");
 *      … start it …
 *      double_unit_state(a, UNIT_ACTIVE, 0);
 *      cr_assert(eq(str, (char *) double_calls(world), "start a.service"));
 *
 * Memory that runs out aborts the test.
 */

#include "basic/text.h"
#include "basic/vector.h"
#include "double/double_clock.h"
#include "unit/unit_table.h"

typedef enum DoubleOperation {
        DOUBLE_START,
        DOUBLE_STOP,
        DOUBLE_RELOAD,
        _DOUBLE_OPERATION_MAX,
} DoubleOperation;

/*
 * What an operation answers: a UnitAnswer, or one of these. UNIT_UNDER_WAY, the default, publishes activating,
 * deactivating or reloading from inside the operation; the test ends it by double_unit_state().
 */
enum {
        DOUBLE_SILENT = _UNIT_ANSWER_MAX,       /* under way, and the state stays for now */
        DOUBLE_DONE,                            /* under way, and publishes active, inactive, active from inside */
        DOUBLE_FAIL,                            /* publishes failed from inside (reload: active, reload failed) */
};

typedef struct DoubleTimer {
        Unit *unit;                     /* borrowed */
        UnitPurpose purpose;
        usec_t deadline;
} DoubleTimer;

typedef struct DoubleWorld {
        UnitTable *table;               /* owned */
        DoubleClock clock;
        UnitHost host;
        VECTOR(DoubleTimer) timers;
        int answers[_DOUBLE_OPERATION_MAX];     /* of units without answers of their own */
        const char *state_directory;    /* borrowed: what the host says of it */
        bool will_stop;                 /* what the host says of any unit */
        UnitRuns runs;                  /* what the host says of any flow; what triggers one adds to .n_submitted */
        const struct MountEntry *mount; /* borrowed: the only mount, or NULL */
        const char *making;             /* borrowed: the name that double_unit() is at */
        Text calls;
        size_t n_calls;                 /* starts, stops and reloads since the world began */
} DoubleWorld;

DoubleWorld *double_world_new(void);
DoubleWorld *double_world_free(DoubleWorld *world);
DEFINE_CLEANUP(DoubleWorld, double_world_free)

/* Finds or makes the unit, loaded, and sets @state without calling the observer. */
Unit *double_unit(DoubleWorld *world, const char *name, UnitActiveState state);

/* Adds a relation as if declared by line __LINE__ of file "test"; makes missing units, inactive. */
#define double_relate(world, unit, kind, other) double_relate_at(world, unit, kind, other, __LINE__)
void double_relate_at(DoubleWorld *world, const char *unit, UnitRelationKind kind, const char *other, unsigned line);
/* The same between existing units; makes none. */
void double_relate_as_is(DoubleWorld *world, const char *unit, UnitRelationKind kind, const char *other);

/* The unit changes its state: publishes it. */
void double_unit_state(Unit *unit, UnitActiveState state, UnitChangeFlags flags);

/* What the operation answers from now on, and what it answers just the next time (these queue up, at most 8). */
void double_unit_answer(Unit *unit, DoubleOperation operation, int answer);
void double_unit_answer_next(Unit *unit, DoubleOperation operation, int answer);
void double_world_answer(DoubleWorld *world, DoubleOperation operation, int answer);     /* for units made later, too */

/* Whether the unit has the operation (start and stop: yes, reload: yes, unless told otherwise). */
void double_unit_allow(Unit *unit, DoubleOperation operation, bool can);
void double_unit_set_will_restart(Unit *unit, bool will_restart);
size_t double_unit_n_calls(const Unit *unit, DoubleOperation operation);

/*
 * All that units were told and asked for since the last double_calls_clear(), in order: "start a.service, stop b.service".
 * What a unit asks of its host is there, too: "spawn main a.service", "kill 12 15 a.service",
 * "request restart replace a.service", "submit x.flow for a.timer (KEY), NAME=VALUE"; a flow is told of what triggers
 * it: "trigger x.flow by failure a.service up".
 */
const char *double_calls(DoubleWorld *world);
void double_calls_clear(DoubleWorld *world);

/* The deadline of a timer that a unit has set, or USEC_INFINITY. */
usec_t double_timer(const DoubleWorld *world, const Unit *unit, UnitPurpose purpose);

/* Moves the clock and lets the unit timers that fall due elapse, in the order of their deadlines. */
void double_world_advance(DoubleWorld *world, usec_t span);
