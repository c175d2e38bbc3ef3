/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A manager in a folder of its own
 *
 * Unit files are what the test writes; nothing is started by itself. With
 * world_fake_services() a service does nothing but note what it is told, in
 * words: "exit 12 0 a.service".
 */

#include "basic/text.h"
#include "double/double_assert.h"
#include "manager/manager_owner.h"
#include "manager/manager_parts.h"

typedef struct World {
        Manager *manager;
        char folder[64];                /* unit files */
        char runtime[80];
        bool is_machine;
        const char *default_unit;       /* borrowed */
        int kept_fd;                    /* the notify socket, over all managers */
        Text calls;
        unsigned n_turns;
} World;

World *world_new(void);
World *world_new_with(const char *default_unit);
World *world_new_machine(const char *default_unit);     /* with a manager that runs as the init of a machine */
/* Replaces the manager by another one, without a commit. Fakes are forgotten. */
void world_restart(World *world);
void world_begin(World *world);         /* the same, but the new manager is not told of the one before */
World *world_free(World *world);
DEFINE_CLEANUP(World, world_free)

void world_write(World *world, const char *name, const char *text);
void world_remove(World *world, const char *name);

/* Services are fakes from here on. Call it before any is loaded. */
void world_fake_services(World *world);
const char *world_calls(World *world);
void world_clear_calls(World *world);

Unit *world_load(World *world, const char *name);
/* "start:a.service": asserts that it is accepted. */
void world_exec(World *world, JobMode mode, const char *request);

/* Turns until @is_there, at most 20 s. */
typedef bool (*WorldQuestion)(World *world, const void *argument);
void world_wait(World *world, WorldQuestion is_there, const void *argument);
/* Runs one turn, for which it waits for an event. */
void world_turn(World *world);
/* Runs turns as long as there is something to do. */
void world_settle(World *world);

bool world_is_active(World *world, const void *unit);           /* by name, also the next two */
bool world_is_failed(World *world, const void *unit);
bool world_is_gone_or_inactive(World *world, const void *unit);
bool world_has_calls(World *world, const void *text);

/* Adds a process to the table, like the unit's host. */
int world_add_process(World *world, Unit *unit, UnitPurpose purpose, pid_t pid, int pidfd, usec_t since);
int world_watch_process(World *world, Unit *unit, UnitPurpose purpose, pid_t pid);
void world_forget_process(World *world, Unit *unit, pid_t pid);
/* The number of exits that no owner has asked for. *ret_last (or NULL) gets the newest. */
size_t world_strays(World *world, UnitExit *ret_last);
