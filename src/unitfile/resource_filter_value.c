/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values for access to devices and network addresses
 *
 * A bad value refuses the unit: without it the unit would have more, or less,
 * access than intended.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/directive_resource.h"
#include "unitfile/directive_value.h"
#include "unitfile/unit_draft.h"

static bool is_device(const char *name) {
        return text_starts_with(name, "/dev/") || text_starts_with(name, "/run/jobd/inaccessible/") ||
               text_starts_with(name, "char-") || text_starts_with(name, "block-");
}

static bool is_access(const char *text) {
        return *text && strspn(text, "rwm") == strlen(text);
}

/* Parses "/dev/sda1 r" or "char-pts rw"; without the second word it is "rwm". */
int resource_parse_device_allow(const DirectiveLine *line, const char *value) {
        char ***list = directive_field(line);
        cleanup_free_ char *device = NULL, *access = NULL;
        const char *at = value;
        char *entry;
        int r;

        if (!*value) {
                *list = strv_free(*list);
                return 0;
        }
        r = directive_next_word(line, &at, &device);
        if (r > 0)
                r = directive_next_word(line, &at, &access);
        if (r < 0)
                return r == -EINVAL ? 0 : r;
        if (!is_device(device))
                return directive_complain(line,
                                          "'%s' is not a device: a path below /dev, char-NAME or block-NAME",
                                          device);
        if ((access && !is_access(access)) || *at)
                return directive_complain(line, "'%s' is not an access mode: a combination of r, w and m", access);
        r = text_format(&entry, "%s %s", device, access ? access : "rwm");
        return r < 0 ? r : strv_consume(list, entry);
}

static int add_prefix(IpPrefix **list, size_t *n, const IpPrefix *prefix) {
        IpPrefix *grown;

        for (size_t i = 0; i < *n; i++)
                if (ip_prefix_equal(&(*list)[i], prefix))
                        return 0;
        grown = realloc(*list, (*n + 1) * sizeof(**list));
        if (!grown)
                return -ENOMEM;
        grown[(*n)++] = *prefix;
        *list = grown;
        return 0;
}

static int parse_addresses(const DirectiveLine *line, const char *value, IpPrefix **list, size_t *n) {
        const char *at = value;

        if (!*value) {
                free(*list);
                *list = NULL;
                *n = 0;
        }
        for (;;) {
                cleanup_free_ char *word = NULL;
                IpPrefix prefixes[IP_PREFIXES_MAX];
                int r = directive_next_word(line, &at, &word), found;

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                found = ip_prefixes_parse(word, prefixes);
                if (found < 0)
                        return directive_complain(line,
                                                  "'%s' is neither an address such as 10.0.0.1 or 10.0.0.0/24, nor "
                                                  "any, localhost, link-local or multicast", word);
                for (int i = 0; i < found; i++)
                        if (add_prefix(list, n, &prefixes[i]) < 0)
                                return -ENOMEM;
        }
}

int resource_parse_ip_allow(const DirectiveLine *line, const char *value) {
        ResourceSettings *resources = directive_base(line, DIRECTIVE_IN_RESOURCES);

        return parse_addresses(line, value, &resources->ip_allow, &resources->n_ip_allow);
}

int resource_parse_ip_deny(const DirectiveLine *line, const char *value) {
        ResourceSettings *resources = directive_base(line, DIRECTIVE_IN_RESOURCES);

        return parse_addresses(line, value, &resources->ip_deny, &resources->n_ip_deny);
}
