/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Settings of a control group that are without effect, each with the reason
 */

typedef struct GroupRefusals {
        const char *folder;             /* borrowed: folder of the tree of groups */
        char **lines;                   /* owned: "MemoryMax= (…)", each once; NULL: none */
} GroupRefusals;

void group_refusals_clear(GroupRefusals *refusals);

/* Notes a setting that the kernel refused: @what is the controller or file, @error a negative errno. */
void group_refusals_note(GroupRefusals *refusals, const char *directive, const char *what, int error);
/* Notes a setting that was not tried, with the reason. 0 or -ENOMEM. */
int group_refusals_add(GroupRefusals *refusals, const char *directive, const char *reason);
