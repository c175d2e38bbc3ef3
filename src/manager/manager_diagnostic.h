/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Messages about unit files in the log
 */

#include "basic/id_map.h"
#include "unitfile/unit_file.h"

typedef struct ManagerDiagnostics {
        IdMap said;                     /* hashes of messages logged since the last reload */
} ManagerDiagnostics;

/* A UnitFileReceiver. */
void manager_diagnostics_take(void *userdata, const UnitFileDiagnostic *diagnostic);
void manager_diagnostics_forget(ManagerDiagnostics *diagnostics);       /* after a reload */
