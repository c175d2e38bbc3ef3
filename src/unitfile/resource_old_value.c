/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of resource directives with the names of control groups v1
 *
 * An old name sets what the present one sets, and does not override it: a file
 * for old and new versions has both. Weights had another scale; the defaults
 * of both scales mean the same.
 */

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/directive_resource.h"
#include "unitfile/directive_value.h"

#define WEIGHT_DEFAULT 100U
#define WEIGHT_MAX 10000U

typedef struct Scale {
        uint32_t least, most, usual;
} Scale;

static const Scale cpu_shares = { 2, 262144, 1024 }, block_io_weight = { 10, 1000, 500 };

/* 1, 0 if @value is no weight on this scale (reported), or -ENOMEM. */
static int read_weight(const DirectiveLine *line, const Scale *scale, const char *value, uint32_t *ret_old) {
        uint32_t old;

        if (text_parse_u32(value, &old) < 0 || old < scale->least || old > scale->most)
                return directive_complain(line, "'%s' is not a whole number between %u and %u", value, scale->least,
                                          scale->most);
        *ret_old = old;
        return 1;
}

static uint32_t convert_weight(const Scale *scale, uint32_t old) {
        return MIN(MAX(old * WEIGHT_DEFAULT / scale->usual, 1U), WEIGHT_MAX);
}

/* Does the present name hold? @is_set: the field has a value. */
static bool is_overridden(const DirectiveLine *line, bool is_set) {
        ResourceSettings *settings = directive_base(line, DIRECTIVE_IN_RESOURCES);
        uint8_t bit = (uint8_t) (1U << line->directive->argument);

        if (is_set && !(settings->by_old_name & bit)) {
                directive_note(line, UNIT_FILE_NOTE, "%s= is set as well and holds.", line->directive->renamed_to);
                return true;
        }
        settings->by_old_name |= bit;
        return false;
}

int resource_parse_old_weight(const DirectiveLine *line, const char *value) {
        bool is_io = line->directive->argument == RESOURCE_OLD_BLOCK_IO_WEIGHT ||
                     line->directive->argument == RESOURCE_OLD_STARTUP_BLOCK_IO_WEIGHT;
        const Scale *scale = is_io ? &block_io_weight : &cpu_shares;
        ResourceSettings *settings = directive_base(line, DIRECTIVE_IN_RESOURCES);
        uint32_t *field = directive_field(line), old = 0;
        int r = *value ? read_weight(line, scale, value, &old) : 1;

        if (r <= 0)
                return r;
        settings->old_weights[line->directive->argument] = old;
        if (!is_overridden(line, *field > 0))
                *field = old > 0 ? convert_weight(scale, old) : 0;
        return 0;
}

int resource_parse_old_limit(const DirectiveLine *line, const char *value) {
        ResourceSettings *settings = directive_base(line, DIRECTIVE_IN_RESOURCES);
        ResourceLimit *field = directive_field(line), before = *field;
        int r;

        *field = (ResourceLimit) {};
        r = resource_parse_memory(line, value);
        settings->old_memory_limit = *field;
        if (is_overridden(line, before.is_set))
                *field = before;
        return r;
}

int resource_parse_old_device_weight(const DirectiveLine *line, const char *value) {
        cleanup_free_ char *converted = NULL;
        size_t path = strcspn(value, " \t");
        const char *number = value + path + strspn(value + path, " \t");
        uint32_t old;
        int r;

        /* Without a number the other one says what is missing. */
        if (!*number)
                return resource_parse_device_weight(line, value);
        r = read_weight(line, &block_io_weight, number, &old);
        if (r > 0)
                r = text_format(&converted, "%.*s %u", (int) path, value, convert_weight(&block_io_weight, old));
        return r < 0 || !converted ? r : resource_parse_device_weight(line, converted);
}
