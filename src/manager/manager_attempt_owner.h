/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * An attempt as an owner of processes (process_owner.h)
 *
 * The control group of an attempt is in that of its flow, which is as a slice
 * to it.
 */

#include "process/process_owner.h"

extern const ProcessOwnerOps manager_attempt_owner_ops;
