/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Settings of a control group that are without effect, each with the reason
 */

typedef struct GroupRefusals {
        const char *folder;             /* borrowed: of the tree of groups */
        char **lines;                   /* owned: "MemoryMax= (…)", none twice; NULL: there are none */
} GroupRefusals;

void group_refusals_clear(GroupRefusals *refusals);

/* A setting that the kernel did not take: @what is the controller or file, @error a negative errno. */
void group_refusals_note(GroupRefusals *refusals, const char *directive, const char *what, int error);
/* A setting that nothing was tried for. 0 or -ENOMEM. */
int group_refusals_add(GroupRefusals *refusals, const char *directive, const char *reason);
