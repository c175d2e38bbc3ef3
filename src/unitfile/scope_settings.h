/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The [Scope] section as data
 */

#include "basic/usec.h"
#include "unitfile/kill_settings.h"
#include "unitfile/resource_settings.h"

typedef struct ScopeSettings {
        KillSettings kill;
        ResourceSettings *resources;    /* owned; NULL: not set */
        usec_t runtime_max;             /* USEC_INFINITY: none */
        usec_t runtime_extra;           /* a random time up to this is added */
        usec_t timeout_stop;            /* 0: none */
} ScopeSettings;

void scope_settings_init(ScopeSettings *settings);       /* sets the defaults, which are systemd's */
void scope_settings_deinit(ScopeSettings *settings);
