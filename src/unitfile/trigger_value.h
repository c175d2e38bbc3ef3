/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Unit=: the unit that a timer or path triggers
 */

#include "unitfile/directive_value.h"

/* Into a char * of the settings of its type. */
int directive_parse_triggered(const DirectiveLine *line, const char *value);

/* Gives *name the default, the service of the same name, if nothing was said. 0 or -ENOMEM. */
int trigger_settle(const UnitDraft *draft, char **name);

/* Default dependencies of one that @target stands for ("timers.target"). 0 or -ENOMEM. */
int trigger_add_defaults(UnitDraft *draft, const char *target);

/* The unit comes before what it triggers. 0 or -ENOMEM. */
int trigger_add_implied(UnitDraft *draft, const char *name);
