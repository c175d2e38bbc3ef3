/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Questions and news of attempts to their runs
 */

#include "manager/manager_run_get.h"

extern const ManagerAttemptsOps manager_run_attempts_ops; /* its userdata are the runs */
