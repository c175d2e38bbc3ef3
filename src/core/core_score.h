/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The score of core for the out-of-memory killer, and that of services
 */

#include "core/core_options.h"

/* Sets both. @is_kept: there is a keeper, which has told with what score jobd was started. */
void core_score_set(const CoreOptions *options, bool is_kept);
