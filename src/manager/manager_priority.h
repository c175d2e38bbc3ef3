/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * sd-event priorities: the order in which ready sources are served
 */

enum {
        MANAGER_PRIORITY_CHILDREN = -50,
        MANAGER_PRIORITY_NOTIFY = -40,
        MANAGER_PRIORITY_SIGNALS = -30,
        MANAGER_PRIORITY_TIMERS = -20,
        MANAGER_PRIORITY_JOBS = -10,
        MANAGER_PRIORITY_BUS = 0,
        MANAGER_PRIORITY_OTHERS = 10,           /* clients who may only read */
        MANAGER_PRIORITY_IDLE = 50,
};
