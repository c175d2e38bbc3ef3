/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Settings of control groups that are lists
 *
 * The drop-in of such a setting holds the items of all calls since the list was
 * cleared, each once: so it does not grow with each call, and its contents are
 * the list that systemd would have in memory.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/setting/bus_setting_list.h"

#define BLANKS " \t"

static const struct ListSetting {
        const char *directive;
        bool is_by_word;                /* items differ by their first word, a device */
} lists[] = {
        { "BlockIODeviceWeight", true },
        { "BlockIOReadBandwidth", true },
        { "BlockIOWriteBandwidth", true },
        { "DeviceAllow", true },
        { "IODeviceLatencyTargetSec", true },
        { "IODeviceWeight", true },
        { "IOReadBandwidthMax", true },
        { "IOReadIOPSMax", true },
        { "IOWriteBandwidthMax", true },
        { "IOWriteIOPSMax", true },
        { "IPAddressAllow", false },
        { "IPAddressDeny", false },
};

static const struct ListSetting *find_list(const char *directive) {
        for (size_t i = 0; i < ELEMENTSOF(lists); i++)
                if (strcmp(lists[i].directive, directive) == 0)
                        return &lists[i];
        return NULL;
}

bool bus_setting_is_list(const char *directive) {
        return find_list(directive);
}

/* The value of the line, or NULL if it is of another directive. */
static const char *value_of(const struct ListSetting *list, const char *line) {
        size_t n = strlen(list->directive);

        if (strncmp(line, list->directive, n) != 0 || line[n] != '=')
                return NULL;
        return line + n + 1 + strspn(line + n + 1, BLANKS);
}

static bool is_about_the_same(const struct ListSetting *list, const char *a, const char *b) {
        size_t n = strcspn(a, list->is_by_word ? BLANKS : "");

        return n == strcspn(b, list->is_by_word ? BLANKS : "") && strncmp(a, b, n) == 0;
}

static void drop(char **lines, size_t i) {
        free(lines[i]);
        for (; lines[i]; i++)
                lines[i] = lines[i + 1];
}

static int take_line(const struct ListSetting *list, const char *line, char ***lines) {
        const char *value = value_of(list, line);

        if (!value)
                return 0;
        for (size_t i = 0; *lines && (*lines)[i];)
                if (*value == '\0' || is_about_the_same(list, value, value_of(list, (*lines)[i])))
                        drop(*lines, i);
                else
                        i++;
        return strv_push(lines, line);
}

static int take_lines(const struct ListSetting *list, const char *text, char ***lines) {
        cleanup_(strv_freep) char **found = NULL;
        int r = text ? strv_split(text, "\n", &found) : 0;

        strv_foreach(line, found)
                if (r >= 0)
                        r = take_line(list, *line, lines);
        return r;
}

bool bus_setting_takes_back(const char *directive, const char *lines) {
        const struct ListSetting *list = find_list(directive);

        for (const char *line = lines; list && *line; line += strcspn(line, "\n"), line += *line == '\n') {
                const char *value = value_of(list, line);

                if (value && (*value == '\n' || *value == '\0'))
                        return true;
        }
        return false;
}

int bus_setting_add_to_list(const char *directive, const char *before, const char *lines, char **ret_lines) {
        const struct ListSetting *list = find_list(directive);
        cleanup_(strv_freep) char **all = NULL;
        cleanup_(text_deinit) Text text = {};
        int r = take_lines(list, before, &all);

        if (r >= 0)
                r = take_lines(list, lines, &all);
        strv_foreach(line, all)
                text_addf(&text, "%s\n", *line);
        return r < 0 ? r : text_finish(&text, ret_lines);
}
