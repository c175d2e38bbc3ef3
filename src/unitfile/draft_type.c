/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit types of unit files
 */

#include "basic/macro.h"
#include "unitfile/draft_type.h"

const DraftType *draft_type_of(UnitType type) {
        static const DraftType *const types[_UNIT_TYPE_MAX] = {
                [UNIT_SERVICE] = &service_draft_type,
                [UNIT_TIMER] = &timer_draft_type,
                [UNIT_PATH] = &path_draft_type,
                [UNIT_SOCKET] = &socket_draft_type,
                [UNIT_SCOPE] = &scope_draft_type,
                [UNIT_MOUNT] = &mount_draft_type,
                [UNIT_SLICE] = &slice_draft_type,
                [UNIT_FLOW] = &flow_draft_type,
                [UNIT_BATCH] = &batch_draft_type,
                [UNIT_STREAM] = &stream_draft_type,
                [UNIT_TARGET] = &target_draft_type,
        };

        return type >= 0 && type < _UNIT_TYPE_MAX ? types[type] : NULL;
}

const ExecSettings *draft_type_exec(const Unit *unit) {
        static ExecSettings defaults;
        const DraftType *type = draft_type_of(unit->type);

        if (!type || !type->has_settings || type->settings.exec == SETTINGS_HAVE_NOT)
                return NULL;
        if (unit->type_settings)
                return (const ExecSettings *) ((const char *) unit->type_settings + type->settings.exec);
        exec_settings_init(&defaults);
        return &defaults;
}

const KillSettings *draft_type_kill(const Unit *unit) {
        static KillSettings defaults;
        const DraftType *type = draft_type_of(unit->type);

        if (!type || !type->has_settings || type->settings.kill == SETTINGS_HAVE_NOT)
                return NULL;
        if (unit->type_settings)
                return (const KillSettings *) ((const char *) unit->type_settings + type->settings.kill);
        kill_settings_init(&defaults);
        return &defaults;
}
