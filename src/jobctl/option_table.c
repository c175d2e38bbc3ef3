/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Options as a table
 *
 * getopt_long() would do most of this, but it prints its own messages for a
 * wrong option and cannot suggest the right one; and the help text would be a
 * second list.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/option_table.h"
#include "jobctl/terminal.h"

#define NAMES_MAX 128

static const Option *find_long(const OptionTable *table, const char *name, size_t n) {
        for (size_t i = 0; i < table->n; i++) {
                const char *candidate = table->rows[i].name;

                if (candidate && strncmp(candidate, name, n) == 0 && candidate[n] == '\0')
                        return &table->rows[i];
        }
        return NULL;
}

static const Option *find_letter(const OptionTable *table, char letter) {
        for (size_t i = 0; i < table->n; i++)
                if (table->rows[i].letter == letter)
                        return &table->rows[i];
        return NULL;
}

static int complain_unknown(const OptionTable *table, const char *word, const char *name, size_t n,
                            char **ret_complaint) {
        const char *names[NAMES_MAX];
        cleanup_free_ char *copy = strndup(name, n);
        const char *nearest;
        size_t n_names = 0;
        int r;

        if (!copy)
                return -ENOMEM;
        for (size_t i = 0; i < table->n && n_names < NAMES_MAX; i++)
                if (table->rows[i].name)
                        names[n_names++] = table->rows[i].name;
        nearest = text_nearest(copy, names, n_names);
        r = nearest ? text_format(ret_complaint, "Unknown option '%s'. Did you mean '--%s'?", word, nearest)
                    : text_format(ret_complaint, "Unknown option '%s'. See '%s'.", word, table->help);
        return r < 0 ? r : -EINVAL;
}

static int complain(char **ret_complaint, const char *format, const char *name) {
        int r = text_format(ret_complaint, format, name);

        return r < 0 ? r : -EINVAL;
}

static int store_list(char ***list, const char *value) {
        cleanup_(strv_freep) char **items = NULL;
        int r = strv_split(value, ",", &items);

        if (r < 0)
                return r;
        strv_foreach(item, items) {
                r = strv_push(list, *item);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int store_prefixed(char ***list, const Option *option, const char *value) {
        char *whole;
        int r = text_format(&whole, "%s%s", option->prefix ? option->prefix : "", value);

        return r < 0 ? r : strv_consume(list, whole);
}

static int store(void *options, const Option *option, const char *value) {
        void *slot = (char *) options + option->offset;

        if (option->with > 0)
                *((bool *) options + option->with) = true;
        switch (option->kind) {
        case OPTION_FLAG:
                *(bool *) slot = true;
                return 0;
        case OPTION_COUNT:
                ++*(unsigned *) slot;
                return 0;
        case OPTION_STRING:
                *(const char **) slot = value;
                return 0;
        case OPTION_LIST:
                return store_list(slot, value);
        case OPTION_ARRAY:
                return store_prefixed(slot, option, value);
        }
        return 0;
}

static bool takes_value(const Option *option) {
        return option->kind != OPTION_FLAG && option->kind != OPTION_COUNT;
}

/* "--name", "--name=value" or "--name value". Returns the number of further words that were used, or < 0. */
static int parse_long(const OptionTable *table, void *options, char *const *argv, char **ret_complaint) {
        const char *name = argv[0] + 2;
        size_t n = strcspn(name, "=");
        const char *value = name[n] ? name + n + 1 : NULL;
        const Option *option = find_long(table, name, n);
        int used = 0, r;

        if (!option)
                return complain_unknown(table, argv[0], name, n, ret_complaint);
        if (!takes_value(option) && value)
                return complain(ret_complaint, "Option '--%s' takes no value.", option->name);
        if (takes_value(option) && !value) {
                value = argv[1];
                used = 1;
        }
        if (takes_value(option) && !value)
                return complain(ret_complaint, "Option '--%s' needs a value.", option->name);
        r = store(options, option, value);
        return r < 0 ? r : used;
}

/* "-q", "-qa", "-tservice" or "-t service". */
static int parse_letters(const OptionTable *table, void *options, char *const *argv, char **ret_complaint) {
        for (const char *c = argv[0] + 1; *c; c++) {
                const Option *option = find_letter(table, *c);
                const char *value;
                int r;

                if (!option)
                        return complain_unknown(table, argv[0], c, 1, ret_complaint);
                if (!takes_value(option)) {
                        (void) store(options, option, NULL);
                        continue;
                }
                value = c[1] ? c + 1 : argv[1];
                if (!value)
                        return complain(ret_complaint, "Option '%s' needs a value.", argv[0]);
                r = store(options, option, value);
                return r < 0 ? r : c[1] == '\0';
        }
        return 0;
}

static int parse_one(const OptionTable *table, void *options, char *const *argv, char ***words, char **ret_complaint) {
        if (argv[0][0] != '-' || argv[0][1] == '\0')
                return strv_push(words, argv[0]);
        if (argv[0][1] == '-')
                return parse_long(table, options, argv, ret_complaint);
        return parse_letters(table, options, argv, ret_complaint);
}

static bool is_own_affair(const OptionTable *table, char *const *words) {
        if (!words || !words[0])
                return false;
        return table->stops_at_word || (table->raw_after && strcmp(words[0], table->raw_after) == 0);
}

int option_table_parse(const OptionTable *table, void *options, char *const *argv, char ***ret_words,
                       char **ret_complaint) {
        cleanup_(strv_freep) char **words = NULL;
        bool is_over = false;

        for (; *argv; argv++) {
                int r;

                if (!is_over && strcmp(*argv, "--") == 0) {
                        is_over = true;
                        continue;
                }
                r = is_over ? strv_push(&words, *argv) : parse_one(table, options, argv, &words, ret_complaint);
                if (r < 0)
                        return r;
                argv += r;
                is_over = is_over || is_own_affair(table, words);
        }
        *ret_words = take_ptr(words);
        return 0;
}

void option_table_print_help(const OptionTable *table, FILE *stream) {
        for (size_t i = 0; i < table->n; i++) {
                const Option *option = &table->rows[i];
                char left[64];

                if (!option->help)
                        continue;
                snprintf(left, sizeof(left), "%c%c%s --%s%s%s", option->letter ? '-' : ' ',
                         option->letter ?: ' ', option->letter ? "," : " ", option->name, option->argument ? "=" : "",
                         option->argument ?: "");
                fprintf(stream, "  %s%*s %s\n", left, MAX(0, 27 - (int) terminal_text_width(left)), "", option->help);
        }
}
