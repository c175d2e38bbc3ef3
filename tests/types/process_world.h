/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * One service with real processes, timers and signals: the smallest host that works
 */

#include "double/double_assert.h"
#include "unit/unit_table.h"
#include "unitfile/service_settings.h"

typedef struct ProcessWorld {
        UnitTable *table;               /* owned */
        UnitHost host;
        Unit *unit;                     /* borrowed */
        ServiceSettings *settings;      /* owned by the unit */
        usec_t timers[_UNIT_PURPOSE_MAX];
        UnitPurpose outbox[16];
        size_t n_outbox;
        bool wants_start;               /* a job was requested */
        pid_t watched[_UNIT_PURPOSE_MAX];
        char folder[32];
} ProcessWorld;

ProcessWorld *process_world_new(ServiceType type);
ProcessWorld *process_world_free(ProcessWorld *world);
DEFINE_CLEANUP(ProcessWorld, process_world_free)

/* /bin/sh -c @script, in which $D is the folder. */
void process_world_script(ProcessWorld *world, ServiceExec kind, const char *script);

/* Serves the service until it is in @sub_state, which it does not leave by itself. */
void process_world_await(ProcessWorld *world, const char *sub_state);

/* Serves the service until the property has that value. */
void process_world_await_property(ProcessWorld *world, const char *name, const char *value);

/* Serves the service until the file has that many bytes or more; returns its text, static. */
const char *process_world_await_file(ProcessWorld *world, const char *name, size_t size);

const char *process_world_property(const ProcessWorld *world, const char *name);
