/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * One service among fakes: virtual time, and processes that the test ends
 *
 * Requests of the service are noted. Pids are above any that the kernel assigns, so a look into /proc finds none of
 * them. With WORLD_RENEWS in the environment the service is recorded, thrown away and restored at the end of each turn:
 * whatever a test expects must hold then, too.
 *
 *      WORLD(SERVICE_SIMPLE);
 *      world_command(world, SERVICE_EXEC_START, "/bin/a");
 *      world_start(world);
 *      world_exit(world, world_main(world), 1);
 *      assert_string(world_states(world), "start running failed");
 */

#include "basic/text.h"
#include "double/double_assert.h"
#include "exec/exec.h"
#include "unit/unit_table.h"
#include "unitfile/service_settings.h"

#define FIRST_PID 5000001

typedef struct World {
        UnitTable *table;               /* owned */
        UnitHost host;
        Unit *unit;                     /* borrowed */
        ServiceSettings *settings;      /* owned by the unit */
        usec_t now;
        usec_t timers[_UNIT_PURPOSE_MAX];
        UnitPurpose outbox[16];         /* spawns that are wanted */
        size_t n_outbox;
        pid_t next_pid;
        UnitChangeFlags flags;          /* all that were published since world_clear() */
        size_t n_self_reloads;

        int rest;                       /* the number of further processes of the service */
        bool may_hide_rest;             /* and whether there may be more */
        int spawn_error;                /* the host's answer to the next wish */
        int timer_error;                /* the same for a timer that is set */
        int watch_error;
        uid_t uid;                      /* user and group of the next process; -1: the manager's */
        ExecStep fail_step;             /* the next spawn fails there, once */
        bool is_busy;                   /* other jobs run */
        bool will_start;                /* a job will start it again */
        bool is_awaited;                /* a job runs until it is up */
        int name_error;                 /* the host's answer when a name is to be watched */
        Text name;                      /* the name that is watched */
        int kept[8];                    /* the keeper's copies, by their number; -1: none */
        int channel_kept;               /* the descriptor of NotifyFd= */
        uint32_t watched;               /* bits: descriptors that are watched, by their index */
        pid_t probe;                    /* the last one */
        size_t n_given;                 /* descriptors that the last process got */
        int given[8];                   /* copies of them */
        char given_names[128];

        Text states;                    /* the sub-states that it went through */
        const char *last_state;
        Text calls;                     /* its requests: "run /bin/a, kill 5000001 TERM group, …" */
        Text environment;               /* of the last process */
        UnitActiveState active;         /* as published last */
} World;

World *world_new(ServiceType type);
World *world_free(World *world);
DEFINE_CLEANUP(World, world_free)

#define WORLD(type) cleanup_(world_freep) World *world = world_new(type)

/* Adds a command; "-" in front of it as in a unit file. */
void world_command(World *world, ServiceExec kind, const char *line);

/* Each calls the operation, and then starts all processes that the service has requested. */
UnitAnswer world_start(World *world);
UnitAnswer world_stop(World *world);
UnitAnswer world_reload(World *world);
void world_flush(World *world);

void world_exit(World *world, pid_t pid, int status);
void world_die(World *world, pid_t pid, int signal, bool is_dumped);
void world_notify(World *world, pid_t sender, const char *line);        /* one datagram; '|' separates its lines */
/* The same with descriptors; each is closed unless it is taken. */
void world_pass(World *world, pid_t sender, const char *line, int *fds, size_t n);
void world_own_name(World *world, bool is_owned, pid_t pid);            /* the name on the bus */
void world_fd_ready(World *world, uint32_t index);
ServiceRareSettings *world_rare(World *world);                          /* to be changed */
void world_advance(World *world, usec_t span);                          /* timers fire in their order */

pid_t world_main(const World *world);
pid_t world_control(const World *world);
const char *world_states(const World *world);
const char *world_calls(const World *world);
void world_clear(World *world);

/* A property, printed. Static. */
const char *world_property(const World *world, const char *name);
