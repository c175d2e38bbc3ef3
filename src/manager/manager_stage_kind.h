/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The stages from the start of the manager to its end
 */

typedef enum ManagerStage {
        MANAGER_INITIALIZING,           /* before the default unit is requested */
        MANAGER_STARTING,               /* until no job is left for the first time */
        MANAGER_SERVING,
        MANAGER_STOPPING,               /* units are stopped in order */
        MANAGER_TERMINATING,            /* remaining processes got SIGTERM … */
        MANAGER_KILLING,                /* … and SIGKILL */
        MANAGER_GONE,                   /* the loop ends */
} ManagerStage;
