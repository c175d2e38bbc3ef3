/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages about unit files in the log: each one once
 */

#include <stdio.h>

#include "basic/hash.h"
#include "basic/log.h"
#include "manager/manager_diagnostic.h"

/* Limit on remembered messages; above it all are forgotten. */
#define DIAGNOSTICS_MAX 20000U

/* An unneeded unit is unloaded, and read again at the next request: its messages are not repeated then. */
static bool is_said(ManagerDiagnostics *diagnostics, const UnitFileDiagnostic *diagnostic) {
        uint64_t hash = HASH_BEGIN ^ diagnostic->line;
        uint32_t key;

        /* Without the unit's name: a template may have any number of instances. */
        hash = hash_add(hash, diagnostic->file ?: diagnostic->unit ?: "");
        hash = hash_add(hash, diagnostic->setting ?: "");
        hash = hash_add(hash, diagnostic->message);
        key = (uint32_t) (hash ^ hash >> 32) ?: 1;

        if (id_map_get(&diagnostics->said, key))
                return true;
        if (diagnostics->said.n >= DIAGNOSTICS_MAX)
                manager_diagnostics_forget(diagnostics);
        /* Without memory the message may be logged again. */
        (void) id_map_put(&diagnostics->said, key, diagnostics);
        return false;
}

void manager_diagnostics_forget(ManagerDiagnostics *diagnostics) {
        id_map_deinit(&diagnostics->said);
}

void manager_diagnostics_take(void *userdata, const UnitFileDiagnostic *diagnostic) {
        static const LogLevel levels[] = {
                [UNIT_FILE_NOTE] = LOG_LEVEL_DEBUG,
                [UNIT_FILE_WARNING] = LOG_LEVEL_WARNING,
                [UNIT_FILE_ERROR] = LOG_LEVEL_ERROR,
        };
        const char *setting = diagnostic->setting;
        char place[24] = "";

        if (is_said(userdata, diagnostic))
                return;
        if (diagnostic->line > 0)
                snprintf(place, sizeof(place), ":%u", diagnostic->line);
        log_write(levels[diagnostic->severity], NULL, "%s%s: %s%s%s", diagnostic->file ?: diagnostic->unit ?: "units",
                  place, setting ?: "", setting ? ": " : "", diagnostic->message);
}
