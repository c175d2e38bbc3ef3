/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of resource directives
 *
 * As the rows of the table say, a bad limit refuses the unit, which could use
 * more than intended without it; a bad preference (weights, protections) is
 * ignored with a warning.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "basic/text.h"
#include "unit/unit_slice.h"
#include "unitfile/directive_resource.h"
#include "unitfile/directive_value.h"
#include "unitfile/resource_settings.h"
#include "unitfile/unit_draft.h"

#define WEIGHT_MAX 10000U
#define PARTS 10000U                    /* hundredths of a percent in 100% */

/* Parses "12.5%" to 1250: 0 or -EINVAL. @most is in percent. */
static int parse_percent(const char *value, uint64_t most, uint64_t *ret_parts) {
        size_t n = strspn(value, "0123456789");
        const char *rest = value + n;
        uint64_t whole = 0, part = 0;

        if (n == 0 || n > 12)
                return -EINVAL;
        for (size_t i = 0; i < n; i++)
                whole = whole * 10 + (uint64_t) (value[i] - '0');
        if (*rest == '.') {
                size_t digits = strspn(rest + 1, "0123456789");

                if (digits == 0 || digits > 2)
                        return -EINVAL;
                part = (uint64_t) (rest[1] - '0') * 10 + (digits == 2 ? (uint64_t) (rest[2] - '0') : 0);
                rest += 1 + digits;
        }
        if (strcmp(rest, "%") != 0 || whole > most || (whole == most && part > 0))
                return -EINVAL;
        *ret_parts = whole * 100 + part;
        return 0;
}

int resource_read_size(const char *value, unsigned base, uint64_t *ret_size) {
        static const char units[] = "BKMGTPE";
        const size_t n = strspn(value, "0123456789.");
        const char *rest = value + n, *unit;
        double number;

        if (n == 0 || n > 20 || value[0] == '.')
                return -EINVAL;
        if (text_parse_u64(value, ret_size) == 0)
                return 0;
        number = strtod(value, NULL);
        rest += strspn(rest, " ");
        unit = *rest ? strchr(units, *rest) : units;
        if (!unit || (*rest && rest[1] != '\0') || (!*rest && !memchr(value, '.', n)))
                return -EINVAL;
        for (; unit > units; unit--)
                number *= base;
        if (number >= 18446744073709551615.0)
                return -ERANGE;
        *ret_size = (uint64_t) number;
        return 0;
}

static int parse_size(const char *value, uint64_t *ret_size) {
        return resource_read_size(value, 1024, ret_size);
}

static int read_limit(const char *value, int (*parse)(const char *value, uint64_t *ret), ResourceLimit *ret_limit) {
        ResourceLimit limit = { .is_set = true };

        if (strcmp(value, "infinity") == 0)
                limit.amount = RESOURCE_INFINITY;
        else if (parse_percent(value, 100, &limit.amount) == 0)
                limit.is_part = true;
        else if (parse(value, &limit.amount) < 0)
                return -EINVAL;
        *ret_limit = limit;
        return 0;
}

int resource_limit_parse(const char *value, ResourceLimit *ret_limit) {
        ResourceLimit limit;
        int r = read_limit(value, text_parse_u64, &limit);

        if (r < 0 || limit.amount == 0)
                return -EINVAL;
        *ret_limit = limit;
        return 0;
}

static int parse_limit(const DirectiveLine *line, const char *value, int (*parse)(const char *value, uint64_t *ret),
                       const char *example) {
        ResourceLimit *field = directive_field(line), limit;

        if (!*value) {
                *field = (ResourceLimit) {};
                return 0;
        }
        if (read_limit(value, parse, &limit) < 0)
                return directive_complain(line, "'%s' is not a limit: a number such as '%s', a share such as '20%%', "
                                                "or 'infinity'", value, example);
        *field = limit;
        return 0;
}

int resource_parse_memory(const DirectiveLine *line, const char *value) {
        ResourceLimit *field = directive_field(line), before = *field;
        int r = parse_limit(line, value, parse_size, "512M");

        if (r == 0 && line->directive->argument && field->is_set && field->amount == 0) {
                *field = before;
                return directive_complain(line, "A limit of 0 would leave no memory for processes");
        }
        return r;
}

int resource_parse_tasks(const DirectiveLine *line, const char *value) {
        ResourceLimit *field = directive_field(line), before = *field;
        int r = parse_limit(line, value, text_parse_u64, "512");

        if (r == 0 && line->directive->argument && field->is_set && field->amount == 0) {
                *field = before;
                return directive_complain(line, "A limit of 0 would allow no processes");
        }
        return r;
}

int resource_parse_weight(const DirectiveLine *line, const char *value) {
        uint32_t *field = directive_field(line), weight = 0;

        if (line->directive->argument && strcmp(value, "idle") == 0)
                weight = RESOURCE_WEIGHT_IDLE;
        else if (*value && (text_parse_u32(value, &weight) < 0 || weight < 1 || weight > WEIGHT_MAX))
                return directive_complain(line, "'%s' is not a whole number between 1 and %u%s", value, WEIGHT_MAX,
                                          line->directive->argument ? ", or 'idle'" : "");
        *field = weight;
        return 0;
}

/* A share of one processor; more than 100% means several processors. */
int resource_parse_cpu_quota(const DirectiveLine *line, const char *value) {
        usec_t *field = directive_field(line);
        uint64_t parts = 0;

        if (*value && (parse_percent(value, 1000000, &parts) < 0 || parts == 0))
                return directive_complain(line, "'%s' is not a share of a processor's time such as '20%%'", value);
        *field = parts * USEC_PER_SEC / PARTS;
        return 0;
}

static bool parse_node(const char **at, uint32_t *ret_node) {
        size_t n = strspn(*at, "0123456789");

        *ret_node = 0;
        if (n == 0 || n > 5)
                return false;
        for (; n > 0; n--, (*at)++)
                *ret_node = *ret_node * 10 + (uint32_t) (**at - '0');
        return *ret_node <= RESOURCE_NODE_MAX;
}

/* Converts "0-3,5 7" to "0-3,5,7": 0, -EINVAL or -ENOMEM. */
static int parse_nodes(const char *value, char **ret_list) {
        cleanup_(text_deinit) Text list = {};

        for (const char *at = value + strspn(value, ", \t"); *at; at += strspn(at, ", \t")) {
                uint32_t first, last;

                if (!parse_node(&at, &first))
                        return -EINVAL;
                last = first;
                if (*at == '-' && (at++, !parse_node(&at, &last)))
                        return -EINVAL;
                if (last < first || (*at && !strchr(", \t", *at)))
                        return -EINVAL;
                text_addf(&list, list.n > 0 ? ",%" PRIu32 : "%" PRIu32, first);
                if (last > first)
                        text_addf(&list, "-%" PRIu32, last);
        }
        return text_finish(&list, ret_list);
}

/* Several lines add up; an empty value resets the list. */
int resource_parse_nodes(const DirectiveLine *line, const char *value) {
        char **field = directive_field(line), *list = NULL;
        cleanup_free_ char *fresh = NULL;
        int r = parse_nodes(value, &fresh);

        if (r == -EINVAL)
                return directive_complain(line, "'%s' is not a list of numbers and ranges such as '0-3,5'", value);
        if (r < 0)
                return r;
        if (*fresh && *field)
                r = text_format(&list, "%s,%s", *field, fresh);
        else if (*fresh)
                list = take_ptr(fresh);
        if (r < 0)
                return r;
        free(*field);
        *field = list;
        return 0;
}

int resource_parse_slice(const DirectiveLine *line, const char *value) {
        char **field = directive_field(line);
        cleanup_free_ char *slice = NULL;
        int r = 1;

        if (*value)
                r = directive_expand(line, value, &slice);
        if (r <= 0)
                return r;
        if (slice && !unit_slice_is_valid(slice))
                return directive_complain(line, "'%s' is not the name of a slice such as 'a.slice' or "
                                                "'a-b.slice'", slice);
        free(*field);
        *field = take_ptr(slice);
        return 0;
}

/* Parses "yes", "no", or a list of controllers. */
int resource_parse_delegate(const DirectiveLine *line, const char *value) {
        ResourceSettings *settings = directive_base(line, DIRECTIVE_IN_RESOURCES);
        const uint8_t all = (1U << _RESOURCE_KIND_MAX) - 1;
        int is_yes = *value ? text_parse_bool(value) : -EINVAL;
        uint8_t delegated = is_yes > 0 ? all : 0;

        for (const char *at = value + strspn(value, " \t"); is_yes < 0 && *at; at += strspn(at, " \t")) {
                size_t n = strcspn(at, " \t");
                int kind = 0;

                while (kind < _RESOURCE_KIND_MAX && (strlen(resource_kind_to_string((ResourceKind) kind)) != n ||
                                                     strncmp(resource_kind_to_string((ResourceKind) kind), at, n) != 0))
                        kind++;
                if (kind == _RESOURCE_KIND_MAX)
                        directive_note(line, UNIT_FILE_WARNING, "'%.*s' is not a controller; it is ignored.",
                                       (int) n, at);
                else
                        delegated |= (uint8_t) (1U << kind);
                at += n;
        }
        settings->delegate = is_yes != 0;
        settings->delegated = is_yes < 0 && *value ? settings->delegated | delegated : delegated;
        return 0;
}
