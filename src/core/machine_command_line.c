/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's command line
 *
 * Words are split as the kernel does it (next_arg() in lib/cmdline.c): white
 * space ends a word unless an odd number of double quotes stands before it,
 * and quotes around a whole word or a whole value are not part of it. Words
 * without a value that sysvinit and systemd know mean the same here.
 */

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "core/machine_command_line.h"
#include "unit/unit_name.h"

/* The largest COMMAND_LINE_SIZE of any architecture. */
#define COMMAND_LINE_MAX 65536

static const struct {
        const char *word;
        const char *unit;
} modes[] = {
        { "-b", "emergency.target" },
        { "emergency", "emergency.target" },
        { "rescue", "rescue.target" },
        { "single", "rescue.target" },
        { "s", "rescue.target" },
        { "S", "rescue.target" },
        { "1", "rescue.target" },
        { "2", "multi-user.target" },
        { "3", "multi-user.target" },
        { "4", "multi-user.target" },
        { "5", "graphical.target" },
};

static const struct {
        const char *word;
        LogLevel level;
} levels[] = {
        { "quiet", LOG_LEVEL_WARNING },
        { "debug", LOG_LEVEL_DEBUG },
};

static int replace(char **slot, const char *value) {
        char *copy = strdup(value);

        if (!copy)
                return -ENOMEM;
        free(*slot);
        *slot = copy;
        return 0;
}

static int take_unit(MachineCommandLine *line, const char *value) {
        return replace(unit_name_is_valid(value) ? &line->unit : &line->wrong_unit, value);
}

static int take_log_level(MachineCommandLine *line, const char *value) {
        int level = log_level_from_string(value);

        if (level < 0)
                return 0;
        line->has_log_level = true;
        line->log_level = (LogLevel) level;
        return 0;
}

static const struct {
        const char *key;
        int (*take)(MachineCommandLine *line, const char *value);
} keys[] = {
        { "jobd.unit", take_unit },
        { "systemd.unit", take_unit },
        { "jobd.log_level", take_log_level },
};

static int take_word(MachineCommandLine *line, const char *word) {
        for (size_t i = 0; i < ELEMENTSOF(modes); i++)
                if (strcmp(modes[i].word, word) == 0)
                        return replace(&line->unit, modes[i].unit);
        /* A level that is named wins over "quiet", wherever that stands. */
        for (size_t i = 0; i < ELEMENTSOF(levels); i++)
                if (strcmp(levels[i].word, word) == 0 && !line->has_log_level)
                        line->log_level = levels[i].level;
        return 0;
}

static int take_value(MachineCommandLine *line, const char *key, const char *value) {
        for (size_t i = 0; i < ELEMENTSOF(keys); i++)
                if (strcmp(keys[i].key, key) == 0)
                        return keys[i].take(line, value);
        return 0;
}

/* Without the quotes around it, if there are any. */
static char *unquote(char *text) {
        size_t n = strlen(text);

        if (text[0] != '"')
                return text;
        if (n > 1 && text[n - 1] == '"')
                text[n - 1] = '\0';
        return text + 1;
}

/* Cuts the next word off; NULL at the end. */
static char *next_word(char **at) {
        bool is_quoted = false;
        char *word;

        while (isspace((unsigned char) **at))
                (*at)++;
        word = *at;
        while (**at && (is_quoted || !isspace((unsigned char) **at))) {
                is_quoted ^= **at == '"';
                (*at)++;
        }
        if (**at)
                *(*at)++ = '\0';
        return *word ? word : NULL;
}

static int take(MachineCommandLine *line, char *word) {
        char *text = unquote(word), *equals = strchr(text, '=');

        if (!equals)
                return take_word(line, text);
        *equals = '\0';
        return take_value(line, text, unquote(equals + 1));
}

int machine_command_line_parse(MachineCommandLine *ret_line, const char *text) {
        cleanup_(machine_command_line_deinit) MachineCommandLine line = { .log_level = LOG_LEVEL_INFO };
        cleanup_free_ char *copy = strdup(text);
        char *at = copy, *word;

        assert(ret_line);

        if (!copy)
                return -ENOMEM;
        while ((word = next_word(&at))) {
                int r = take(&line, word);

                if (r < 0)
                        return r;
        }
        line.has_log_level = line.has_log_level || line.log_level != LOG_LEVEL_INFO;
        *ret_line = line;
        line = (MachineCommandLine) {};
        return 0;
}

int machine_command_line_read(MachineCommandLine *ret_line) {
        cleanup_free_ char *text = calloc(1, COMMAND_LINE_MAX);
        FILE *file = fopen("/proc/cmdline", "re");
        bool has_failed;
        size_t n = 0;
        int error;

        if (!file)
                return -errno;
        if (text)
                n = fread(text, 1, COMMAND_LINE_MAX - 1, file);
        has_failed = ferror(file);
        error = errno;
        fclose(file);
        if (!text)
                return -ENOMEM;
        text[n] = '\0';
        return has_failed ? -error : machine_command_line_parse(ret_line, text);
}

void machine_command_line_deinit(MachineCommandLine *line) {
        free(line->unit);
        free(line->wrong_unit);
}
