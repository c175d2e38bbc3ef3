/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Names and object paths, in each of the dialects
 *
 * Clients compute the path of a unit themselves, and some abort if ours is
 * another, so the escaping is exact to the byte, and only the exact form is
 * understood.
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "dbus/bus_path.h"

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

static void path_add_escaped(Text *text, const char *label) {
        static const char digits[] = "0123456789abcdef";
        const char *plain = label;

        if (!*label)
                text_add_char(text, '_');

        for (const char *at = label; *at; at++) {
                char escaped[] = { '_', digits[(unsigned char) *at / 16], digits[(unsigned char) *at % 16] };

                if (is_plain(*at, at == label))
                        continue;
                text_add_n(text, plain, (size_t) (at - plain));
                text_add_n(text, escaped, sizeof(escaped));
                plain = at + 1;
        }
        text_add(text, plain);
}

int bus_path_escape(const char *label, char **ret_escaped) {
        cleanup_(text_deinit) Text text = {};

        assert(label);
        path_add_escaped(&text, label);
        return text_finish(&text, ret_escaped);
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

int bus_path_of_unit(const BusDialect *dialect, const char *unit, char **ret_path) {
        cleanup_(text_deinit) Text text = {};

        text_add(&text, dialect->root);
        text_add(&text, "/unit/");
        path_add_escaped(&text, unit);
        return text_finish(&text, ret_path);
}

int bus_path_of_job(const BusDialect *dialect, uint32_t id, char **ret_path) {
        return text_format(ret_path, "%s/job/%" PRIu32, dialect->root, id);
}
