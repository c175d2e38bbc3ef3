/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The process that started jobd, and waits to be told how far it is
 */

#include "process/process_keeper.h"

/* @text in sd_notify()'s form. The parent listens to the keeper only, if there is one. */
void manager_parent_tell(const ProcessKeeper *keeper, const char *text);
