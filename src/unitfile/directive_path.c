/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Path]
 *
 * An empty assignment to any of the paths removes all paths, as in systemd.
 */

#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "unitfile/path_settings.h"
#include "unitfile/trigger_value.h"
#include "unitfile/unit_draft.h"

#define PATH_VALUES_MAX 1024

static int parse_path(const DirectiveLine *line, const char *value) {
        PathSettings *settings = directive_base(line, DIRECTIVE_IN_TYPE);
        PathValue path = { .kind = (PathKind) line->directive->argument };
        int r;

        if (!*value) {
                path_settings_clear_values(settings);
                return 0;
        }
        if (settings->values.n >= PATH_VALUES_MAX)
                return directive_complain(line, "There are too many paths");
        r = directive_expand_path(line, value, &path.path);
        if (r <= 0)
                return r;
        r = vector_push(&settings->values, path);
        if (r < 0)
                free(path.path);
        return r;
}

static int parse_mode(const DirectiveLine *line, const char *value) {
        size_t n = strlen(value);

        if (n == 0 || n > 5 || value[strspn(value, "01234567")] != '\0' || strtoul(value, NULL, 8) > 07777)
                return directive_complain(line, "'%s' is not a mode such as 0755", value);
        *(mode_t *) directive_field(line) = (mode_t) strtoul(value, NULL, 8);
        return 0;
}

#define PATH(name_, parse_, field_, ...)                                                                 \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_TYPE,                                     \
          .offset = offsetof(PathSettings, field_), .own_size = sizeof(PathSettings), __VA_ARGS__ }

const Directive path_directives[] = {
        PATH("DirectoryMode", parse_mode, directory_mode, .is_strict = true),
        PATH("DirectoryNotEmpty", parse_path, values, .argument = PATH_DIRECTORY_NOT_EMPTY),
        PATH("MakeDirectory", directive_parse_bool, make_directory),
        PATH("PathChanged", parse_path, values, .argument = PATH_CHANGED),
        PATH("PathExists", parse_path, values, .argument = PATH_EXISTS),
        PATH("PathExistsGlob", parse_path, values, .argument = PATH_EXISTS_GLOB),
        PATH("PathModified", parse_path, values, .argument = PATH_MODIFIED),
        PATH("TriggerLimitBurst", directive_parse_u32, limit_burst),
        PATH("TriggerLimitIntervalSec", directive_parse_seconds, limit_interval),
        PATH("Unit", directive_parse_triggered, unit, .is_strict = true),
};

const size_t path_directives_n = ELEMENTSOF(path_directives);
