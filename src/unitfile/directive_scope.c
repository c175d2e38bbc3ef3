/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The [Scope] section, and who may write one
 *
 * A scope is made of processes that are there. So a file cannot make one: only
 * who names the processes can, and what he says lies where the manager puts it.
 */

#include <errno.h>
#include <stdlib.h>

#include "unitfile/directive_value.h"
#include "unitfile/scope_settings.h"
#include "unitfile/transient_file.h"
#include "unitfile/unit_draft.h"

#define SCOPE(name_, parse_, field_, ...)                                                                \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_TYPE,                                     \
          .offset = offsetof(ScopeSettings, field_), __VA_ARGS__ }

const Directive scope_directives[] = {
        { .name = "OOMPolicy", .parse = directive_parse_enum, .base = DIRECTIVE_IN_RESOURCES,
          .offset = offsetof(ResourceSettings, oom_policy), .from_string = resource_oom_policy_from_string },
        SCOPE("RuntimeMaxSec", directive_parse_seconds, runtime_max, .is_strict = true),
        SCOPE("RuntimeRandomizedExtraSec", directive_parse_seconds, runtime_extra),
        SCOPE("TimeoutStopSec", directive_parse_time_limit, timeout_stop, .is_strict = true),
};

const size_t scope_directives_n = ELEMENTSOF(scope_directives);

void scope_settings_init(ScopeSettings *settings) {
        *settings = (ScopeSettings) { .runtime_max = USEC_INFINITY, .timeout_stop = 90 * USEC_PER_SEC };
        kill_settings_init(&settings->kill);
}

void scope_settings_deinit(ScopeSettings *settings) {
        resource_settings_free(settings->resources);
}

static int check(UnitDraft *draft) {
        const char *fragment = draft->state->sources.fragment;

        if (transient_file_is_path(fragment))
                return 0;
        return unit_draft_refuse(draft, fragment, 0, NULL, "A scope has no file: it is made of processes that are there, by "
                                                            "'jobctl run --scope' or StartTransientUnit.");
}

static int add_defaults(UnitDraft *draft) {
        static const ImpliedRelation relations[] = {
                { UNIT_CONFLICTS, "shutdown.target" },
                { UNIT_BEFORE, "shutdown.target" },
        };

        return unit_draft_add_defaults(draft, relations, ELEMENTSOF(relations));
}

static int make(void **ret_settings) {
        ScopeSettings *settings = malloc(sizeof(*settings));

        if (!settings)
                return -ENOMEM;
        scope_settings_init(settings);
        *ret_settings = settings;
        return 0;
}

static void release(void *settings) {
        if (settings)
                scope_settings_deinit(settings);
        free(settings);
}

const DraftType scope_draft_type = {
        .make = make,
        .release = release,
        .exec = DRAFT_TYPE_HAS_NOT,
        .kill = offsetof(ScopeSettings, kill),
        .resources = offsetof(ScopeSettings, resources),
        .check = check,
        .add_defaults = add_defaults,
};
