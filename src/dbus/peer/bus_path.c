/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Names and object paths, in each of the dialects
 *
 * Clients compute the path of a unit themselves, and some abort if it differs,
 * so the escaping is exact to the byte, and only the exact form is accepted.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "dbus/peer/bus_path.h"
#include "unit/unit_name.h"

const BusDialect bus_dialects[_BUS_DIALECT_MAX] = {
        [BUS_DIALECT_OWN] = { BUS_DIALECT_OWN, "org.jobd1", "/org/jobd1" },
        [BUS_DIALECT_SYSTEMD] = { BUS_DIALECT_SYSTEMD, "org.freedesktop.systemd1", "/org/freedesktop/systemd1" },
};

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

static bool is_plain(char c, bool is_first) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (is_digit(c) && !is_first);
}

static int hex_value(char c) {
        if (is_digit(c))
                return c - '0';
        if (c >= 'a' && c <= 'f')
                return c - 'a' + 10;
        return -1;
}

/* Writes at most three bytes for each byte of the label, one if it is empty, and a NUL; returns the place of that. */
static char *write_escaped(char *at, const char *label) {
        static const char digits[] = "0123456789abcdef";

        if (!*label)
                *at++ = '_';

        for (const char *c = label; *c; c++) {
                if (is_plain(*c, c == label)) {
                        *at++ = *c;
                        continue;
                }
                *at++ = '_';
                *at++ = digits[(unsigned char) *c / 16];
                *at++ = digits[(unsigned char) *c % 16];
        }
        *at = '\0';
        return at;
}

int bus_path_escape(const char *label, char **ret_escaped) {
        char *escaped;

        assert(label);

        escaped = malloc(3 * strlen(label) + 2);
        if (!escaped)
                return -ENOMEM;
        write_escaped(escaped, label);
        *ret_escaped = escaped;
        return 0;
}

int bus_path_unescape(const char *escaped, char **ret_label) {
        cleanup_(text_deinit) Text text = {};
        cleanup_free_ char *label = NULL, *again = NULL;
        int r;

        assert(escaped);

        for (const char *at = escaped; *at && !text_equal(escaped, "_"); at++) {
                int high, low;

                if (*at != '_') {
                        text_add_char(&text, *at);
                        continue;
                }
                high = hex_value(at[1]);
                low = high < 0 ? -1 : hex_value(at[2]);
                if (low < 0 || high + low == 0)
                        return -EINVAL;
                text_add_char(&text, (char) (high * 16 + low));
                at += 2;
        }

        r = text_finish(&text, &label);
        if (r < 0)
                return r;
        r = bus_path_escape(label, &again);
        if (r < 0)
                return r;
        if (!text_equal(again, escaped))
                return -EINVAL;

        *ret_label = take_ptr(label);
        return 0;
}

const char *bus_path_of_unit(const BusDialect *dialect, const char *unit, char buffer[static BUS_PATH_SIZE]) {
        assert(strlen(unit) <= UNIT_NAME_MAX);

        write_escaped(stpcpy(stpcpy(buffer, dialect->root), "/unit/"), unit);
        return buffer;
}

static const char *path_of_number(const BusDialect *dialect, const char *folder, uint32_t id, char *buffer) {
        char digits[16], *first = digits + sizeof(digits) - 1;

        *first = '\0';
        do {
                *--first = (char) ('0' + id % 10);
                id /= 10;
        } while (id > 0);
        stpcpy(stpcpy(stpcpy(buffer, dialect->root), folder), first);
        return buffer;
}

const char *bus_path_of_job(const BusDialect *dialect, uint32_t id, char buffer[static BUS_PATH_SIZE]) {
        return path_of_number(dialect, "/job/", id, buffer);
}

const char *bus_path_of_run(const BusDialect *dialect, uint32_t id, char buffer[static BUS_PATH_SIZE]) {
        return path_of_number(dialect, "/run/", id, buffer);
}
