/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Names of units
 *
 * A name may come from a message or a file name, so it is validated before any
 * use. The rules, and the escaping of arbitrary text, are those of
 * systemd.unit(5) and systemd-escape(1): '/' becomes '-', and characters that
 * a name may not have, '-' and '\' included, become \xNN.
 */

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unit/unit_name.h"

#define VALID_CHARACTERS                \
        "0123456789"                    \
        "abcdefghijklmnopqrstuvwxyz"    \
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ"    \
        ":-_.\\"

static const char *const types[_UNIT_TYPE_MAX] = {
        [UNIT_SERVICE] = "service",
        [UNIT_SOCKET] = "socket",
        [UNIT_TARGET] = "target",
        [UNIT_DEVICE] = "device",
        [UNIT_MOUNT] = "mount",
        [UNIT_AUTOMOUNT] = "automount",
        [UNIT_SWAP] = "swap",
        [UNIT_TIMER] = "timer",
        [UNIT_PATH] = "path",
        [UNIT_SLICE] = "slice",
        [UNIT_SCOPE] = "scope",
        [UNIT_FLOW] = "flow",
        [UNIT_BATCH] = "batch",
        [UNIT_STREAM] = "stream",
};

DEFINE_STRING_TABLE(unit_type, UnitType, types)

UnitType unit_name_type(const char *name) {
        const char *dot = name ? strrchr(name, '.') : NULL;

        return dot ? (UnitType) unit_type_from_string(dot + 1) : _UNIT_TYPE_INVALID;
}

/* The parts of a valid name. */
typedef struct NameParts {
        const char *at;                 /* the first '@', or NULL */
        const char *dot;                /* the '.' before the type */
} NameParts;

/* In one pass, because this runs for every relation of every unit that is loaded. */
static bool unit_name_split(const char *name, NameParts *ret_parts) {
        static const bool is_allowed[UCHAR_MAX + 1] = {
                ['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true,
                [':'] = true, ['-'] = true, ['_'] = true, ['.'] = true, ['\\'] = true, ['@'] = true,
        };
        NameParts parts = {};
        const char *c;

        if (!name || name[0] == '@')
                return false;
        for (c = name; *c != '\0'; c++) {
                if (!is_allowed[(unsigned char) *c])
                        return false;
                if (*c == '.')
                        parts.dot = c;
                else if (*c == '@' && !parts.at)
                        parts.at = c;
        }
        *ret_parts = parts;
        return c - name <= UNIT_NAME_MAX && parts.dot && parts.dot != name && unit_type_from_string(parts.dot + 1) >= 0;
}

bool unit_name_is_valid(const char *name) {
        NameParts parts;

        return unit_name_split(name, &parts);
}

/* The '@' of a valid name, or NULL. */
static const char *unit_name_at(const char *name) {
        NameParts parts;

        return unit_name_split(name, &parts) ? parts.at : NULL;
}

bool unit_name_is_template(const char *name) {
        NameParts parts;

        return unit_name_split(name, &parts) && parts.at && parts.at + 1 == parts.dot;
}

bool unit_name_is_instance(const char *name) {
        NameParts parts;

        return unit_name_split(name, &parts) && parts.at && parts.at + 1 != parts.dot;
}

int unit_name_template(const char *name, char **ret_template) {
        const char *at = unit_name_at(name);

        if (!at)
                return -EINVAL;
        return text_format(ret_template, "%.*s@%s", (int) (at - name), name, strrchr(name, '.'));
}

int unit_name_prefix(const char *name, char **ret_prefix) {
        const char *end;

        if (!unit_name_is_valid(name))
                return -EINVAL;

        end = strchr(name, '@') ?: strrchr(name, '.');
        return text_format(ret_prefix, "%.*s", (int) (end - name), name);
}

int unit_name_instance(const char *name, char **ret_instance) {
        const char *at;

        if (!unit_name_is_instance(name))
                return -EINVAL;

        at = strchr(name, '@') + 1;
        return text_format(ret_instance, "%.*s", (int) (strrchr(name, '.') - at), at);
}

int unit_name_replace_instance(const char *name, const char *instance, char **ret_name) {
        const char *at = unit_name_at(name);
        char *replaced;

        if (!at || !instance || instance[0] == '\0')
                return -EINVAL;
        if (text_format(&replaced, "%.*s@%s%s", (int) (at - name), name, instance, strrchr(name, '.')) < 0)
                return -ENOMEM;
        if (!unit_name_is_instance(replaced)) {
                free(replaced);
                return -EINVAL;
        }

        *ret_name = replaced;
        return 0;
}

static void unit_name_add_escaped(Text *text, unsigned char c) {
        text_addf(text, "\\x%02x", c);
}

int unit_name_escape(const char *text, char **ret_escaped) {
        cleanup_(text_deinit) Text escaped = {};

        assert(text);

        for (const char *c = text; *c != '\0'; c++)
                if (*c == '/')
                        text_add_char(&escaped, '-');
                else if (*c == '-' || *c == '\\' || (*c == '.' && c == text) || !strchr(VALID_CHARACTERS, *c))
                        unit_name_add_escaped(&escaped, (unsigned char) *c);
                else
                        text_add_char(&escaped, *c);
        return text_finish(&escaped, ret_escaped);
}

static int unit_name_hex(char c) {
        if (c >= '0' && c <= '9')
                return c - '0';
        if (c >= 'a' && c <= 'f')
                return c - 'a' + 10;
        if (c >= 'A' && c <= 'F')
                return c - 'A' + 10;
        return -EINVAL;
}

int unit_name_unescape(const char *escaped, char **ret_text) {
        cleanup_(text_deinit) Text text = {};

        assert(escaped);

        for (const char *c = escaped; *c != '\0'; c++) {
                int high, low;

                if (*c != '\\') {
                        text_add_char(&text, *c == '-' ? '/' : *c);
                        continue;
                }

                high = c[1] == 'x' ? unit_name_hex(c[2]) : -EINVAL;
                low = high >= 0 ? unit_name_hex(c[3]) : -EINVAL;
                if (low < 0 || high * 16 + low == 0)
                        return -EINVAL;
                text_add_char(&text, (char) (high * 16 + low));
                c += 3;
        }
        return text_finish(&text, ret_text);
}

int unit_name_escape_path(const char *path, char **ret_escaped) {
        cleanup_(text_deinit) Text simple = {};
        cleanup_free_ char *joined = NULL;
        size_t n;

        assert(path);

        for (; *path != '\0'; path += n) {
                path += strspn(path, "/");
                n = strcspn(path, "/");
                if (n == 2 && strncmp(path, "..", 2) == 0)
                        return -EINVAL;
                if (n == 0 || (n == 1 && *path == '.'))
                        continue;
                if (simple.n > 0)
                        text_add_char(&simple, '/');
                text_add_n(&simple, path, n);
        }

        if (simple.error == 0 && simple.n == 0)
                return text_format(ret_escaped, "-");
        if (text_finish(&simple, &joined) < 0)
                return -ENOMEM;
        return unit_name_escape(joined, ret_escaped);
}

/* Returns true if @path has no ".", "..", empty parts, or slashes at an end. */
static bool unit_name_path_is_simple(const char *path) {
        for (;;) {
                size_t n = strcspn(path, "/");

                if (n == 0 || (n == 1 && path[0] == '.') || (n == 2 && strncmp(path, "..", 2) == 0))
                        return false;
                if (path[n] == '\0')
                        return true;
                path += n + 1;
        }
}

int unit_name_unescape_path(const char *escaped, char **ret_path) {
        cleanup_free_ char *text = NULL;
        int r;

        assert(escaped);

        if (strcmp(escaped, "-") == 0)
                return text_format(ret_path, "/");

        r = unit_name_unescape(escaped, &text);
        if (r < 0)
                return r;
        if (!unit_name_path_is_simple(text))
                return -EINVAL;
        return text_format(ret_path, "/%s", text);
}

static int unit_name_from_path(const char *path, const char *suffix, char **ret_name) {
        cleanup_free_ char *escaped = NULL, *name = NULL;
        int r;

        r = unit_name_escape_path(path, &escaped);
        if (r < 0)
                return r;
        if (text_format(&name, "%s%s", escaped, suffix) < 0)
                return -ENOMEM;
        if (!unit_name_is_valid(name))
                return -EINVAL;

        *ret_name = take_ptr(name);
        return 0;
}

int unit_name_mangle(const char *word, const char *suffix, char **ret_name) {
        cleanup_(text_deinit) Text mangled = {};
        cleanup_free_ char *name = NULL;

        assert(word);
        assert(suffix);
        assert(ret_name);

        if (word[0] == '\0' || strlen(word) > UNIT_NAME_MAX)
                return -EINVAL;
        if (text_starts_with(word, "/dev/") || text_starts_with(word, "/sys/"))
                return unit_name_from_path(word, ".device", ret_name);
        if (word[0] == '/')
                return unit_name_from_path(word, ".mount", ret_name);

        for (const char *c = word; *c != '\0'; c++)
                if (*c == '/')
                        text_add_char(&mangled, '-');
                else if (!strchr(VALID_CHARACTERS "@", *c))
                        unit_name_add_escaped(&mangled, (unsigned char) *c);
                else
                        text_add_char(&mangled, *c);
        if (unit_name_type(word) < 0)
                text_add(&mangled, suffix);
        if (text_finish(&mangled, &name) < 0)
                return -ENOMEM;
        if (!unit_name_is_valid(name))
                return -EINVAL;

        *ret_name = take_ptr(name);
        return 0;
}
