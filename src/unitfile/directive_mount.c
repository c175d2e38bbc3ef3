/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Mount]
 *
 * The directives are strict: source, place and options of a mount must be
 * exactly those of the file.
 */

#include <stdlib.h>
#include <string.h>

#include "unitfile/directive_value.h"
#include "unitfile/mount_settings.h"
#include "unitfile/unit_draft.h"

/* Options and types are words of a command line: a blank in one is an error. */
static int parse_words(const DirectiveLine *line, const char *value) {
        if (line->directive->argument == ' ' && value[strcspn(value, " \t")])
                return directive_complain(line, "'%s' contains a blank, but there can be only one type", value);
        return directive_parse_string(line, value);
}

static int parse_mode(const DirectiveLine *line, const char *value) {
        size_t n = strspn(value, "01234567");

        if (n == 0 || n > 5 || value[n] || strtoul(value, NULL, 8) > 07777)
                return directive_complain(line, "'%s' is not a mode such as 0755", value);
        *(uint32_t *) directive_field(line) = (uint32_t) strtoul(value, NULL, 8);
        return 0;
}

#define MOUNT(name_, parse_, field_, ...)                                                                \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_TYPE,                                     \
          .offset = offsetof(MountSettings, field_), .own_size = sizeof(MountSettings), __VA_ARGS__ }

const Directive mount_directives[] = {
        MOUNT("DirectoryMode", parse_mode, directory_mode, .is_strict = true),
        MOUNT("ForceUnmount", directive_parse_bool, force_unmount),
        MOUNT("LazyUnmount", directive_parse_bool, lazy_unmount),
        MOUNT("Options", directive_parse_string, options, .is_strict = true),
        MOUNT("ReadWriteOnly", directive_parse_bool, read_write_only, .is_strict = true),
        MOUNT("SloppyOptions", directive_parse_bool, sloppy_options),
        DIRECTIVE_IGNORE("TimeoutCleanSec", "it only limits \"systemctl clean\""),
        MOUNT("TimeoutSec", directive_parse_time_limit, timeout, .is_strict = true),
        MOUNT("Type", parse_words, type, .argument = ' ', .is_strict = true),
        MOUNT("What", directive_parse_string, what, .is_strict = true),
        MOUNT("Where", directive_parse_path, where, .is_strict = true),
};

const size_t mount_directives_n = ELEMENTSOF(mount_directives);
