/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of unit types
 */

#include <stddef.h>

#include "types/unit_types.h"

const UnitVTable *const unit_types[] = {
        &batch_vtable,
        &flow_vtable,
        &mount_vtable,
        &path_vtable,
        &scope_vtable,
        &service_vtable,
        &slice_vtable,
        &socket_vtable,
        &stream_vtable,
        &target_vtable,
        &timer_vtable,
        NULL,
};
