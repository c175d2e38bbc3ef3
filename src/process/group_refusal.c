/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settings of a control group that are without effect
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "process/group_refusal.h"

void group_refusals_clear(GroupRefusals *refusals) {
        refusals->lines = strv_free(refusals->lines);
}

static int add_line(GroupRefusals *refusals, const char *line) {
        return strv_contains(refusals->lines, line) ? 0 : strv_push(&refusals->lines, line);
}

void group_refusals_note(GroupRefusals *refusals, const char *directive, const char *what, int error) {
        cleanup_free_ char *line = NULL;

        if (error == -EOPNOTSUPP
                    ? text_format(&line, "%s= (no %s controller in %s)", directive, what, refusals->folder)
                    : text_format(&line, "%s= (%s: %s)", directive, what, strerror(-error)))
                return;
        (void) add_line(refusals, line);
}

int group_refusals_add(GroupRefusals *refusals, const char *directive, const char *reason) {
        cleanup_free_ char *line = NULL;
        int r = text_format(&line, "%s= (%s)", directive, reason);

        return r < 0 ? r : add_line(refusals, line);
}
