/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * status: the last lines of a unit's log
 */

#include <string.h>

#include "basic/text.h"
#include "jobctl/log_print.h"
#include "jobctl/status.h"

#define LINES_DEFAULT 10U

int status_print_log(Jobctl *ctl, const json_t *unit) {
        const char *lines = ctl->options.lines;
        uint32_t n = LINES_DEFAULT;

        if (lines && text_parse_u32(lines, &n) < 0)
                return jobctl_misused(ctl, "'%s' is not a number of lines.", lines);
        /* The lines of this run or the last one; a unit that never ran has none that matter. */
        if (value_u64(unit, "InactiveExitTimestamp") == 0)
                return 0;
        return log_print_last(ctl, stdout, &(LogLast) {
                .unit = value_string(unit, "Id"), .since = value_u64(unit, "InactiveExitTimestamp"), .n = n,
                .heading = "" });
}
