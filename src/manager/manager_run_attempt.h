/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What attempts ask of their runs, and tell them
 */

#include "manager/manager_run_get.h"

extern const ManagerAttemptsOps manager_run_attempts_ops; /* its userdata are the runs */
