/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Scope]
 */

#include "unitfile/directive_value.h"
#include "unitfile/resource_settings.h"
#include "unitfile/scope_settings.h"

#define SCOPE(name_, parse_, field_, ...)                                                                \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_TYPE,                                     \
          .offset = offsetof(ScopeSettings, field_), .own_size = sizeof(ScopeSettings), __VA_ARGS__ }

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
