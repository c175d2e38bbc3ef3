/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * set-property: settings of a unit at run time
 *
 * Values are sent unchanged: the manager parses them by the rules of unit
 * files, so there is only one parser.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "jobctl/names.h"
#include "jobctl/verbs.h"

/* NAME=VALUE as a member of a(sv). */
static int add_assignment(Jobctl *ctl, const char *word, json_t *assignments) {
        const char *equals = strchr(word, '=');
        cleanup_free_ char *name = equals ? strndup(word, (size_t) (equals - word)) : NULL;

        if (!equals || equals == word)
                return jobctl_misused(ctl, "'%s' is not an assignment, as in MemoryMax=1G.", word);
        if (!name)
                return -ENOMEM;
        return json_array_append_new(assignments, json_pack("[s{ss}]", name, "s", equals + 1)) < 0 ? -ENOMEM : 0;
}

int verb_set_property(Jobctl *ctl, char *const *words) {
        char *const unit[] = { words[0], NULL };
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *assignments = json_array(), *failures = json_array();
        cleanup_(strv_freep) char **names = NULL;
        int r;

        if (name_is_pattern(words[0]))
                return jobctl_misused(ctl, "'set-property' takes no patterns: '%s'.", words[0]);
        r = names_resolve(ctl, unit, ".service", &names);
        strv_foreach(word, words + 1)
                if (r == 0)
                        r = add_assignment(ctl, *word, assignments);
        if (r != 0)
                return r;
        r = jobctl_call(ctl, "SetUnitProperties", "sba(sv)",
                        json_pack("[sbO]", names[0], (int) ctl->options.runtime, assignments), NULL, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "set properties of %s", names[0]);
        return jobctl_finish(ctl, failures, EXIT_OK);
}
