/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Unit=: the unit that a timer or path triggers
 */

#include "unitfile/directive_value.h"

/* Stores into a char * of the type's settings. */
int directive_parse_triggered(const DirectiveLine *line, const char *value);

/* Sets *name to its default, the service of the same name, if it is not set. 0 or -ENOMEM. */
int trigger_settle(const UnitDraft *draft, char **name);

/* Adds the default dependencies of a unit that belongs to @target ("timers.target"). 0 or -ENOMEM. */
int trigger_add_defaults(UnitDraft *draft, const char *target);

/* Orders the unit before the triggered one. 0 or -ENOMEM. */
int trigger_add_implied(UnitDraft *draft, const char *name);
