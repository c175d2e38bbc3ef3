/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * OpenFile=: PATH[:NAME[:OPTION,…]]
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/directive_service.h"
#include "unitfile/directive_value.h"
#include "unitfile/service_rare_settings.h"

static bool name_is_valid(const char *name) {
        size_t n = strlen(name);

        for (const char *at = name; *at; at++)
                if (*at < ' ' || *at == 0x7f)
                        return false;
        return n > 0 && n <= 255;
}

/* 1, 0 if a word is no option (reported), or -ENOMEM. */
static int read_options(const DirectiveLine *line, const char *text, uint32_t *ret_flags) {
        static const char *const words[] = { "read-only", "append", "truncate", "graceful" };
        cleanup_(strv_freep) char **options = NULL;
        uint32_t ways;
        int r = strv_split(text, ",", &options);

        if (r < 0)
                return r;
        strv_foreach(option, options) {
                size_t i = 0;

                while (i < ELEMENTSOF(words) && !text_equal(words[i], *option))
                        i++;
                if (i == ELEMENTSOF(words))
                        return directive_complain(line, "'%s' is none of read-only, append, truncate and graceful",
                                                  *option);
                *ret_flags |= 1U << i;
        }
        ways = *ret_flags & (SERVICE_OPEN_READ_ONLY | SERVICE_OPEN_APPEND | SERVICE_OPEN_TRUNCATE);
        if ((ways & (ways - 1)) != 0)
                return directive_complain(line, "Only one of read-only, append and truncate is possible");
        return 1;
}

static int add(const DirectiveLine *line, ServiceOpenFile file) {
        ServiceOpenFile **end = directive_field(line), *made;

        made = malloc(sizeof(*made));
        if (!made || !file.path || !file.name) {
                free(file.path);
                free(file.name);
                free(made);
                return -ENOMEM;
        }
        *made = file;
        while (*end)
                end = &(*end)->next;
        *end = made;
        return 0;
}

int service_parse_open_file(const DirectiveLine *line, const char *value) {
        ServiceOpenFile **list = directive_field(line), file = {};
        cleanup_free_ char *text = NULL;
        char *name, *options;
        int r;

        if (!*value) {
                *list = service_open_file_free_all(*list);
                return 0;
        }
        r = directive_expand(line, value, &text);
        if (r <= 0)
                return r;
        name = strchr(text, ':');
        options = name ? strchr(name + 1, ':') : NULL;
        if (name)
                *name++ = '\0';
        if (options)
                *options++ = '\0';
        if (text[0] != '/' || text_ends_with(text, "/"))
                return directive_complain(line, "'%s' is not the absolute path of a file", text);
        if (!name || !*name)
                name = strrchr(text, '/') + 1;
        if (!name_is_valid(name))
                return directive_complain(line, "'%s' cannot be the name of a descriptor", name);
        r = options ? read_options(line, options, &file.flags) : 1;
        if (r <= 0)
                return r;
        file.path = strdup(text);
        file.name = strdup(name);
        return add(line, file);
}
