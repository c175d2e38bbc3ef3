/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units by the invocation id of their processes
 */

#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "manager/manager_invocation.h"

static uint32_t invocation_key(const uint8_t id[static 16]) {
        uint32_t key;

        memcpy(&key, id, sizeof(key));
        return key;
}

static void drop_key(ManagerInvocations *invocations, const Unit *unit, const ManagerUnit *row) {
        if (row->invocation != 0 && id_map_get(&invocations->units, row->invocation) == unit)
                id_map_remove(&invocations->units, row->invocation);
}

void manager_invocations_note(ManagerInvocations *invocations, Unit *unit) {
        ManagerUnit *row = manager_units_of(invocations->rows, unit);
        uint32_t key = invocation_key(unit->invocation_id);

        if (!row || key == 0 || row->invocation == key)
                return;
        manager_journal_add_unit(*invocations->log, unit);
        drop_key(invocations, unit, row);
        /* Without memory notifications of the unit's orphans are lost; nothing else depends on it. */
        row->invocation = id_map_put(&invocations->units, key, unit) < 0 ? 0 : key;
}

void manager_invocations_forget_unit(ManagerInvocations *invocations, const Unit *unit) {
        const ManagerUnit *row = manager_units_find(invocations->rows, unit);

        if (row)
                drop_key(invocations, unit, row);
}

static void close_file(FILE **file) {
        if (*file)
                fclose(*file);
}

static bool parse_invocation(const char *hex, uint8_t id[static 16]) {
        if (strlen(hex) != 32)
                return false;
        for (size_t i = 0; i < 16; i++) {
                unsigned byte;

                if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
                        return false;
                id[i] = (uint8_t) byte;
        }
        return true;
}

Unit *manager_invocations_find(const ManagerInvocations *invocations, pid_t pid) {
        static const char name[] = "INVOCATION_ID=";
        cleanup_(close_file) FILE *file = NULL;
        cleanup_free_ char *assignment = NULL;
        uint8_t id[16];
        char path[64];
        size_t size = 0;

        snprintf(path, sizeof(path), "/proc/%d/environ", (int) pid);
        file = fopen(path, "re");
        while (file && getdelim(&assignment, &size, '\0', file) > 0) {
                Unit *unit;

                if (strncmp(assignment, name, strlen(name)) != 0)
                        continue;
                if (!parse_invocation(assignment + strlen(name), id))
                        return NULL;
                unit = id_map_get(&invocations->units, invocation_key(id));
                return unit && memcmp(unit->invocation_id, id, sizeof(id)) == 0 ? unit : NULL;
        }
        return NULL;
}

void manager_invocations_deinit(ManagerInvocations *invocations) {
        id_map_deinit(&invocations->units);
}
