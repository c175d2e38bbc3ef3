/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules that units of several types share: the limit of starts, and the action at the end
 *
 * A service has its own: its exit status goes with the action, and it may be restarted.
 */

#include <stdlib.h>

#include "basic/macro.h"
#include "types/unit_ask.h"
#include "types/unit_rule.h"
#include "types/unit_say.h"

bool unit_is_within_start_limit(Unit *unit, RateLimit *starts, char **failure) {
        const UnitSettings *settings = &unit->settings;
        char span[USEC_FORMAT_MAX];

        if (rate_limit_allows(starts, settings->start_limit_interval, settings->start_limit_burst, unit_now(unit)))
                return true;
        free(take_ptr(*failure));
        unit_say_failure(unit, failure, "started %u times within %s, which is its limit", settings->start_limit_burst,
                         usec_format(settings->start_limit_interval, span));
        return false;
}

void unit_request_end_action(Unit *unit, bool has_failed, bool has_hit_limit) {
        const UnitRareSettings *rare = unit->settings.rare;
        UnitAction action = has_failed ? rare->failure_action : rare->success_action;
        UnitHost *host = unit_host(unit);

        if (has_hit_limit && action == UNIT_ACTION_NONE)
                action = rare->start_limit_action;
        if (action != UNIT_ACTION_NONE)
                host->ops->request_action(host, unit, action, -1, has_failed ? "unit failed" : "unit succeeded");
}
