/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * show: properties, for programs that read lines
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/strv.h"
#include "jobctl/names.h"
#include "jobctl/property_text.h"
#include "jobctl/verbs.h"

static bool is_wanted(const Options *options, const char *name) {
        return !options->properties || strv_contains(options->properties, name);
}

static int print_line(Jobctl *ctl, const char *name, const json_t *value) {
        bool shows_empty = ctl->options.all || ctl->options.properties;
        cleanup_free_ char *text = NULL;
        int r;

        r = property_format(name, value, &text);
        if (r < 0)
                return r;
        if (!*text && !shows_empty)
                return 0;
        if (ctl->options.value)
                puts(text);
        else
                printf("%s=%s\n", name, text);
        return 0;
}

static int print_property(Jobctl *ctl, const char *name, const json_t *value) {
        json_t *item;
        size_t i;
        int r = 0;

        if (!is_wanted(&ctl->options, name))
                return 0;
        if (!property_has_lines(name, value))
                return print_line(ctl, name, value);
        json_array_foreach(value, i, item) {
                cleanup_json_ json_t *one = json_pack("[O]", item);

                if (r == 0)
                        r = one ? print_line(ctl, name, one) : -ENOMEM;
        }
        return r;
}

static int filter_json(Jobctl *ctl, const json_t *properties, json_t *documents) {
        json_t *document = json_object();
        const char *name;
        json_t *value;
        int r = 0;

        json_object_foreach((json_t *) properties, name, value)
                if (is_wanted(&ctl->options, name) && json_object_set(document, name, value) < 0)
                        r = -ENOMEM;
        return json_array_append_new(documents, document) < 0 ? -ENOMEM : r;
}

static int show_properties(Jobctl *ctl, const char *path, bool is_first, json_t *documents) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *properties = NULL;
        const char *name;
        json_t *value;
        int r;

        r = jobctl_properties(ctl, path, NULL, &properties, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get properties");
        if (ctl->options.json)
                return filter_json(ctl, properties, documents);
        if (!is_first)
                putchar('\n');
        json_object_foreach(properties, name, value) {
                r = print_property(ctl, name, value);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int show_word(Jobctl *ctl, const char *word, bool is_first, json_t *documents) {
        cleanup_free_ char *path = NULL;
        uint32_t id;
        int r;

        if (name_is_number(word, &id))
                r = text_format(&path, BUS_PATH "/job/%" PRIu32, id);
        else
                r = bus_unit_path(word, &path);
        return r < 0 ? r : show_properties(ctl, path, is_first, documents);
}

/* Numbers are jobs and stay unchanged; other words are units. */
static int resolve(Jobctl *ctl, char *const *words, char ***ret_names) {
        cleanup_(strv_freep) char **all = NULL;

        strv_foreach(word, words) {
                char *one[] = { *word, NULL };
                cleanup_(strv_freep) char **names = NULL;
                uint32_t id;
                int r;

                r = name_is_number(*word, &id) ? strv_copy(one, &names) : names_resolve(ctl, one, ".service", &names);
                strv_foreach(name, names)
                        if (r == 0)
                                r = strv_push(&all, *name);
                if (r != 0)
                        return r;
        }
        *ret_names = take_ptr(all);
        return 0;
}

int verb_show(Jobctl *ctl, char *const *words) {
        cleanup_(strv_freep) char **names = NULL;
        cleanup_json_ json_t *documents = json_array();
        int r;

        r = resolve(ctl, words, &names);
        if (r == 0 && (!words || !*words))
                r = show_properties(ctl, BUS_PATH, true, documents);
        strv_foreach(name, names)
                if (r == 0)
                        r = show_word(ctl, *name, name == names, documents);
        if (r != 0 || !ctl->options.json)
                return r;
        return jobctl_print_json(ctl, json_array_size(documents) == 1 ? json_incref(json_array_get(documents, 0))
                                                                      : json_incref(documents), EXIT_OK);
}
