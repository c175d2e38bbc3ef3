/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the files of the child share
 *
 * The rules at the top of exec_child.c hold for all of them. A step returns 0
 * or a negative errno.
 */

#include "unit/exec/exec_child.h"
#include "unit/exec/exec_syscall.h"

/* Frames of a function that never returns would stay poisoned on a stack that is used again. */
#define child_ __attribute__((no_sanitize("address", "undefined")))
