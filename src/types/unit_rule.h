/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Rules that units of several types share: the limit of starts, and the action at the end
 */

#include "basic/rate_limit.h"
#include "unit/unit.h"

/* StartLimitBurst=: counts this start. False: it exceeds the limit, which replaces *failure (owned). */
bool unit_is_within_start_limit(Unit *unit, RateLimit *starts, char **failure);

/* FailureAction=, SuccessAction= or (@has_hit_limit, if there is no FailureAction=) StartLimitAction=, at an end. */
void unit_request_end_action(Unit *unit, bool has_failed, bool has_hit_limit);
