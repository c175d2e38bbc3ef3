/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The mounts of a plan
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "exec/sandbox.h"

#define MOUNTS_MAX 2048U

static int keep_string(SandboxPlan *plan, const char **string) {
        char *copy;

        if (!*string)
                return 0;
        copy = strdup(*string);
        if (!copy)
                return -ENOMEM;
        *string = copy;
        return strv_consume(&plan->strings, copy);
}

int sandbox_plan_add(SandboxPlan *plan, const SandboxMount *mount) {
        SandboxMount copy = *mount;
        int r;

        if (plan->mounts.n >= MOUNTS_MAX)
                return -E2BIG;
        copy.outer = 0;
        copy.tree = copy.pristine = -1;
        r = keep_string(plan, &copy.path);
        if (r == 0)
                r = keep_string(plan, &copy.source);
        if (r == 0)
                r = keep_string(plan, &copy.options);
        return r < 0 ? r : vector_push(&plan->mounts, copy);
}
