/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Readiness and liveness probes of a service
 */

#include "basic/text.h"
#include "types/unit_process.h"
#include "unitfile/service_settings.h"

typedef struct ServiceProbing {
        UnitProcess process;
        int kind;                       /* ServiceProbeKind; -1: nothing is probed */
        uint32_t count;                 /* successes (readiness) or failures (liveness) in a row */
        usec_t begun;                   /* the last probe */
        char *message;                  /* owned: why the last one failed; NULL if it did not */
        bool is_ready;                  /* the readiness probe has succeeded */
} ServiceProbing;

typedef enum ServiceProbeOutcome {
        SERVICE_PROBE_NOTHING,          /* probing goes on, or is over without a result */
        SERVICE_PROBE_READY,
        SERVICE_PROBE_DEAD,             /* liveness has failed too often; the reason is noted */
} ServiceProbeOutcome;

bool service_awaits_probe(Unit *unit);          /* true: up but for its readiness probe, which is begun */
bool service_is_probing(const Unit *unit, ServiceProbeKind kind);
void service_begin_liveness(Unit *unit);
void service_stop_probe(Unit *unit);
ServiceProbeOutcome service_probe_elapsed(Unit *unit);
ServiceProbeOutcome service_probe_spawned(Unit *unit, UnitSpawn spawn, const ExecResult *result);
ServiceProbeOutcome service_probe_ended(Unit *unit, const UnitExit *exit);
void service_describe_probe(const Unit *unit, ServiceProbeKind kind, Text *text);
const char *service_probe_message(const Unit *unit);    /* NULL: the last one did not fail */
