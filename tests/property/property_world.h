/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A world that chance makes and moves
 *
 * All of it follows from the seed. What is done and what happens is written
 * into a log, so that two runs can be compared and a failure can be read.
 */

#include "basic/text.h"
#include "double/double_unit.h"
#include "job/job_manager_private.h"

#define PROPERTY_UNITS_MAX 10
#define PROPERTY_IDS_MAX 500000

typedef struct PropertyMirror PropertyMirror;

typedef struct PropertyWorld {
        uint64_t seed;
        uint64_t random;                /* state of the generator */
        unsigned step;
        DoubleWorld *units;             /* owned */
        JobManager *jobs;               /* owned */
        uint32_t n_units;
        Text log;
        bool has_failed;
        bool has_rules;                 /* BindsTo=, Upholds=, StopWhenUnneeded=: looked at anew after a restart */
        uint8_t *ids;                   /* owned: for each id, PropertyId */
        PropertyMirror *mirror;         /* owned */
        uint64_t n_restored;            /* ids that this manager was given by restore */
} PropertyWorld;

enum {
        PROPERTY_ID_NEW,
        PROPERTY_ID_WAITING,
        PROPERTY_ID_RUNNING,
        PROPERTY_ID_ENDED,
};

PropertyWorld *property_world_new(uint64_t seed);
PropertyWorld *property_world_free(PropertyWorld *world);
DEFINE_CLEANUP(PropertyWorld, property_world_free)

uint32_t property_below(PropertyWorld *world, uint32_t n);       /* 0 … n - 1 */
bool property_chance(PropertyWorld *world, uint32_t percent);

Unit *property_unit(PropertyWorld *world, uint32_t i);
Unit *property_any_unit(PropertyWorld *world);
void property_make_unit(PropertyWorld *world, uint32_t i);
void property_relate(PropertyWorld *world, Unit *unit);           /* one more relation of it */

/* The observer and the subscriber; a new manager needs the second. */
void property_subscribe(PropertyWorld *world);

#define property_log(world, ...) (text_addf(&(world)->log, __VA_ARGS__), text_add_char(&(world)->log, '\n'))

/* Prints seed, step, log and the failure, and ends the run. */
void property_fail(PropertyWorld *world, const char *format, ...) printf_(2, 3);
