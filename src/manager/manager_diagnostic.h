/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the log says of unit files
 */

#include "basic/id_map.h"
#include "unitfile/unit_file.h"

typedef struct ManagerDiagnostics {
        IdMap said;                     /* hashes of what was said since unit files were last reloaded */
} ManagerDiagnostics;

/* A UnitFileReceiver. */
void manager_diagnostics_take(void *userdata, const UnitFileDiagnostic *diagnostic);
void manager_diagnostics_forget(ManagerDiagnostics *diagnostics);       /* from here on they are news again */
