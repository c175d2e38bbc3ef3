/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Structured D-Bus values as lines of a unit file
 *
 * Commands, pairs of path and option, filters: each item is a line of its own,
 * so that an array adds to a list as lines of a file do.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "basic/macro.h"
#include "dbus/setting/bus_setting_private.h"

/* — commands — */

static const char *prefix_of_flag(const char *flag) {
        static const struct {
                const char *flag, *prefix;
        } prefixes[] = {
                { "ignore-failure", "-" }, { "privileged", "+" }, { "ambient", "!!" },
                { "no-setuid", "!" },      { "no-env-expand", ":" },
        };

        for (size_t i = 0; i < ELEMENTSOF(prefixes); i++)
                if (strcmp(prefixes[i].flag, flag) == 0)
                        return prefixes[i].prefix;
        return NULL;
}

static int add_prefixes(Text *prefixes, DBusMessageIter *flags) {
        DBusMessageIter items;
        dbus_bool_t ignores;

        if (dbus_message_iter_get_arg_type(flags) == DBUS_TYPE_BOOLEAN) {
                dbus_message_iter_get_basic(flags, &ignores);
                text_add(prefixes, ignores ? "-" : "");
                return 0;
        }
        bus_foreach_item(&items, flags) {
                const char *flag, *prefix;

                dbus_message_iter_get_basic(&items, &flag);
                prefix = prefix_of_flag(flag);
                if (!prefix)
                        return -EINVAL;
                text_add(prefixes, prefix);
        }
        return 0;
}

/* Writes all words but the first, argv[0]. */
static int add_arguments(Text *words, DBusMessageIter *array, const char **ret_name) {
        DBusMessageIter items;

        *ret_name = NULL;
        bus_foreach_item(&items, array) {
                const char *word;

                dbus_message_iter_get_basic(&items, &word);
                if (*ret_name)
                        bus_setting_add_word(words, word);
                else
                        *ret_name = word;
        }
        return *ret_name ? 0 : -EINVAL;
}

static int write_command(const BusSettingTarget *target, DBusMessageIter *command) {
        cleanup_(text_deinit) Text words = {}, first = {};
        cleanup_free_ char *arguments = NULL, *word = NULL;
        const char *path, *name;
        DBusMessageIter fields;
        bool is_named;
        int r;

        dbus_message_iter_recurse(command, &fields);
        path = bus_take_string(&fields);
        r = add_arguments(&words, &fields, &name);
        if (r < 0 || *path == '\0' || strchr("-@:+!;", *path))
                return -EINVAL;
        is_named = strcmp(name, path) != 0;
        text_add(&first, is_named ? "@" : "");
        dbus_message_iter_next(&fields);
        r = add_prefixes(&first, &fields);
        if (r < 0)
                return r;
        text_add(&first, path);
        if (text_finish(&first, &word) < 0 || text_finish(&words, &arguments) < 0)
                return -ENOMEM;
        text_addf(target->lines, "%s=", target->directive);
        bus_setting_add_word(target->lines, word);
        if (is_named)
                bus_setting_add_word(target->lines, name);
        text_addf(target->lines, "%s\n", arguments);
        return 0;
}

/* An array: its items, or an empty assignment, which clears the list. */
static int write_items(const BusSettingTarget *target, DBusMessageIter *value,
                       int (*write)(const BusSettingTarget *target, DBusMessageIter *item)) {
        DBusMessageIter items;
        bool is_empty = true;

        bus_foreach_item(&items, value) {
                int r = write(target, &items);

                if (r < 0)
                        return r;
                is_empty = false;
        }
        if (is_empty)
                text_addf(target->lines, "%s=\n", target->directive);
        return 0;
}

int bus_setting_write_commands(const BusSettingTarget *target, DBusMessageIter *value) {
        return write_items(target, value, write_command);
}

/* — pairs and the like — */

/* (sb): a path, and whether it may be missing. */
static int write_file(const BusSettingTarget *target, DBusMessageIter *item) {
        DBusMessageIter fields;
        const char *path;

        dbus_message_iter_recurse(item, &fields);
        path = bus_take_string(&fields);
        if (*path != '/' || strpbrk(path, "\n\r\\"))
                return -EINVAL;
        text_addf(target->lines, "%s=%s", target->directive, bus_take_bool(&fields) ? "-" : "");
        bus_setting_add_text(target->lines, path);
        text_add_char(target->lines, '\n');
        return 0;
}

int bus_setting_write_files(const BusSettingTarget *target, DBusMessageIter *value) {
        return write_items(target, value, write_file);
}

/* (sbbs): the directive, whether one of these is enough, whether it is negated, its parameter. */
static int write_condition(const BusSettingTarget *target, DBusMessageIter *item) {
        const char *directive, *parameter;
        bool is_trigger, is_negated;
        DBusMessageIter fields;

        dbus_message_iter_recurse(item, &fields);
        directive = bus_take_string(&fields);
        is_trigger = bus_take_bool(&fields);
        is_negated = bus_take_bool(&fields);
        parameter = bus_take_string(&fields);
        if (!directive_find(target->section, directive) || strncmp(directive, target->row->directive, 6) != 0 ||
            strpbrk(parameter, "\n\r\\"))
                return -EINVAL;
        text_addf(target->lines, "%s=%s%s", directive, is_trigger ? "|" : "", is_negated ? "!" : "");
        bus_setting_add_value(target, directive, parameter);
        text_add_char(target->lines, '\n');
        return 0;
}

int bus_setting_write_conditions(const BusSettingTarget *target, DBusMessageIter *value) {
        DBusMessageIter items;

        bus_foreach_item(&items, value) {
                int r = write_condition(target, &items);

                if (r < 0)
                        return r;
        }
        return 0;
}

/* (ss) or (st): the directive, without the prefix of the row, and its value. */
static int write_named(const BusSettingTarget *target, DBusMessageIter *item) {
        cleanup_free_ char *directive = NULL;
        DBusMessageIter fields;
        size_t n;

        dbus_message_iter_recurse(item, &fields);
        if (text_format(&directive, "%s%s", target->row->directive, bus_take_string(&fields)) < 0)
                return -ENOMEM;
        n = strlen(directive);
        if (text_ends_with(directive, "USec"))
                strcpy(directive + n - strlen("USec"), "Sec");
        if (!directive_find(target->section, directive))
                return -EINVAL;
        return bus_setting_write_plain(
                &(BusSettingTarget) { target->lines, target->row, directive, target->section }, &fields);
}

int bus_setting_write_named(const BusSettingTarget *target, DBusMessageIter *value) {
        DBusMessageIter items;

        bus_foreach_item(&items, value) {
                int r = write_named(target, &items);

                if (r < 0)
                        return r;
        }
        return 0;
}

/* (ss): words with a colon between them. */
static int write_colon_pair(const BusSettingTarget *target, DBusMessageIter *item) {
        cleanup_free_ char *word = NULL;
        const char *left, *right;
        DBusMessageIter fields;

        dbus_message_iter_recurse(item, &fields);
        left = bus_take_string(&fields);
        right = bus_take_string(&fields);
        if (text_format(&word, "%s%s%s", left, *right ? ":" : "", right) < 0)
                return -ENOMEM;
        text_addf(target->lines, "%s=", target->directive);
        if (text_equal(target->directive, "TemporaryFileSystem"))
                bus_setting_add_word(target->lines, word);
        else if (strpbrk(word, "\n\r\\"))
                return -EINVAL;
        else
                bus_setting_add_text(target->lines, word);
        text_add_char(target->lines, '\n');
        return 0;
}

int bus_setting_write_colon_pairs(const BusSettingTarget *target, DBusMessageIter *value) {
        return write_items(target, value, write_colon_pair);
}

/* (ss) or (st): two words. */
static int write_blank_pair(const BusSettingTarget *target, DBusMessageIter *item) {
        DBusMessageIter fields;
        const char *left;

        dbus_message_iter_recurse(item, &fields);
        left = bus_take_string(&fields);
        if (strpbrk(left, " \t\n\r\\\""))
                return -EINVAL;
        text_addf(target->lines, "%s=", target->directive);
        bus_setting_add_text(target->lines, left);
        text_add_char(target->lines, ' ');
        if (dbus_message_iter_get_arg_type(&fields) == DBUS_TYPE_UINT64) {
                uint64_t value = bus_take_u64(&fields);

                if (value == UINT64_MAX)
                        text_add(target->lines, "infinity");
                else
                        text_addf(target->lines, "%" PRIu64 "%s", value,
                                  text_ends_with(target->directive, "Sec") ? "us" : "");
        } else {
                const char *right = bus_take_string(&fields);

                if (strpbrk(right, "\n\r\\"))
                        return -EINVAL;
                bus_setting_add_text(target->lines, right);
        }
        text_add_char(target->lines, '\n');
        return 0;
}

int bus_setting_write_blank_pairs(const BusSettingTarget *target, DBusMessageIter *value) {
        return write_items(target, value, write_blank_pair);
}

/* (ssbt): source, path, whether it may be missing, and MS_REC. */
static int write_bind(const BusSettingTarget *target, DBusMessageIter *item) {
        cleanup_free_ char *word = NULL;
        const char *source, *path;
        DBusMessageIter fields;
        bool is_optional;

        dbus_message_iter_recurse(item, &fields);
        source = bus_take_string(&fields);
        path = bus_take_string(&fields);
        is_optional = bus_take_bool(&fields);
        if (strchr(source, ':') || strchr(path, ':'))
                return -EINVAL;
        if (text_format(&word, "%s%s:%s:%s", is_optional ? "-" : "", source, path,
                        bus_take_u64(&fields) != 0 ? "rbind" : "norbind") < 0)
                return -ENOMEM;
        text_addf(target->lines, "%s=", target->directive);
        bus_setting_add_word(target->lines, word);
        text_add_char(target->lines, '\n');
        return 0;
}

int bus_setting_write_binds(const BusSettingTarget *target, DBusMessageIter *value) {
        return write_items(target, value, write_bind);
}

/* (say): a name, and bytes. */
static int write_credential(const BusSettingTarget *target, DBusMessageIter *item) {
        DBusMessageIter fields;
        const char *name, *bytes;
        int n = 0;

        dbus_message_iter_recurse(item, &fields);
        name = bus_take_string(&fields);
        bytes = bus_take_bytes(&fields, &n);
        if (strpbrk(name, ":\n\r\\"))
                return -EINVAL;
        text_addf(target->lines, "%s=", target->directive);
        bus_setting_add_text(target->lines, name);
        text_add_char(target->lines, ':');
        for (int i = 0; i < n; i++)
                text_addf(target->lines, "\\x%02x", (unsigned char) bytes[i]);
        text_add_char(target->lines, '\n');
        return 0;
}

int bus_setting_write_credentials(const BusSettingTarget *target, DBusMessageIter *value) {
        return write_items(target, value, write_credential);
}

/* — single values — */

/* as: the words with a colon between them. */
int bus_setting_write_joined(const BusSettingTarget *target, DBusMessageIter *value) {
        DBusMessageIter items;
        const char *colon = "";

        text_addf(target->lines, "%s=", target->directive);
        bus_foreach_item(&items, value) {
                const char *word;

                dbus_message_iter_get_basic(&items, &word);
                if (strpbrk(word, ":\n\r\\"))
                        return -EINVAL;
                text_add(target->lines, colon);
                bus_setting_add_text(target->lines, word);
                colon = ":";
        }
        text_add_char(target->lines, '\n');
        return 0;
}

/* (bs): whether the unit runs without, too, and the label. */
int bus_setting_write_label(const BusSettingTarget *target, DBusMessageIter *value) {
        DBusMessageIter fields;
        const char *label;
        bool is_optional;

        dbus_message_iter_recurse(value, &fields);
        is_optional = bus_take_bool(&fields);
        label = bus_take_string(&fields);
        if (*label == '-' || strpbrk(label, "\n\r\\"))
                return -EINVAL;
        text_addf(target->lines, "%s=%s", target->directive, is_optional && *label ? "-" : "");
        bus_setting_add_text(target->lines, label);
        text_add_char(target->lines, '\n');
        return 0;
}

/* (sst): path, name of the descriptor, and a bit for each option. */
static int write_open_file(const BusSettingTarget *target, DBusMessageIter *item) {
        static const char *const options[] = { "read-only", "append", "truncate", "graceful" };
        const char *path, *name, *before = ":";
        DBusMessageIter fields;
        uint64_t flags;

        dbus_message_iter_recurse(item, &fields);
        path = bus_take_string(&fields);
        name = bus_take_string(&fields);
        flags = bus_take_u64(&fields);
        if (strpbrk(path, ":\n\r\\") || strpbrk(name, ":\n\r\\") || flags >> ELEMENTSOF(options) != 0)
                return -EINVAL;
        text_addf(target->lines, "%s=", target->directive);
        bus_setting_add_text(target->lines, path);
        text_add_char(target->lines, ':');
        bus_setting_add_text(target->lines, name);
        for (size_t i = 0; i < ELEMENTSOF(options); i++)
                if (flags >> i & 1) {
                        text_addf(target->lines, "%s%s", before, options[i]);
                        before = ",";
                }
        text_add_char(target->lines, '\n');
        return 0;
}

int bus_setting_write_open_files(const BusSettingTarget *target, DBusMessageIter *value) {
        return write_items(target, value, write_open_file);
}

/* ay: FIELD=value. */
static int write_field(const BusSettingTarget *target, DBusMessageIter *item) {
        DBusMessageIter field = *item;
        const char *bytes;
        int n = 0;

        bytes = bus_take_bytes(&field, &n);
        if (n == 0 || memchr(bytes, '\0', (size_t) n))
                return -EINVAL;
        text_addf(target->lines, "%s=", target->directive);
        bus_setting_add_bytes(target->lines, bytes, (size_t) n);
        text_add_char(target->lines, '\n');
        return 0;
}

int bus_setting_write_fields(const BusSettingTarget *target, DBusMessageIter *value) {
        return write_items(target, value, write_field);
}

int bus_setting_write_base64(const BusSettingTarget *target, DBusMessageIter *value) {
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        int n = 0;
        const char *bytes = bus_take_bytes(value, &n);

        text_addf(target->lines, "%s=", target->directive);
        for (int i = 0; i < n; i += 3) {
                uint32_t group = 0;

                for (int k = 0; k < 3; k++)
                        group = group << 8 | (i + k < n ? (unsigned char) bytes[i + k] : 0);
                for (int k = 0; k < 4; k++)
                        text_add_char(target->lines, i + k <= n ? digits[group >> (18 - 6 * k) & 63] : '=');
        }
        text_add_char(target->lines, '\n');
        return 0;
}

/* (bas): whether these are the allowed ones, or the others. */
int bus_setting_write_filter(const BusSettingTarget *target, DBusMessageIter *value) {
        DBusMessageIter fields;

        dbus_message_iter_recurse(value, &fields);
        text_addf(target->lines, "%s=%s", target->directive, bus_take_bool(&fields) ? "" : "~");
        bus_setting_add_words(target->lines, &fields);
        text_add_char(target->lines, '\n');
        return 0;
}

/* (aiai): exit statuses and signals. */
int bus_setting_write_statuses(const BusSettingTarget *target, DBusMessageIter *value) {
        DBusMessageIter fields, items;
        int32_t number;

        dbus_message_iter_recurse(value, &fields);
        text_addf(target->lines, "%s=", target->directive);
        bus_foreach_item(&items, &fields) {
                dbus_message_iter_get_basic(&items, &number);
                text_addf(target->lines, " %d", number);
        }
        dbus_message_iter_next(&fields);
        bus_foreach_item(&items, &fields) {
                const char *name;

                dbus_message_iter_get_basic(&items, &number);
                name = number > 0 && number < NSIG ? sigabbrev_np(number) : NULL;
                if (!name)
                        return -EINVAL;
                text_addf(target->lines, " SIG%s", name);
        }
        text_add_char(target->lines, '\n');
        return 0;
}

/* (iayu): an address and how many bits of it count. */
static int write_address(const BusSettingTarget *target, DBusMessageIter *item) {
        char text[INET6_ADDRSTRLEN];
        DBusMessageIter fields;
        dbus_uint32_t bits;
        const char *bytes;
        int32_t family;
        int n = 0;

        dbus_message_iter_recurse(item, &fields);
        dbus_message_iter_get_basic(&fields, &family);
        dbus_message_iter_next(&fields);
        bytes = bus_take_bytes(&fields, &n);
        dbus_message_iter_get_basic(&fields, &bits);
        if ((family != AF_INET || n != 4) && (family != AF_INET6 || n != 16))
                return -EINVAL;
        text_addf(target->lines, "%s=%s/%u\n", target->directive, inet_ntop(family, bytes, text, sizeof(text)), bits);
        return 0;
}

int bus_setting_write_addresses(const BusSettingTarget *target, DBusMessageIter *value) {
        return write_items(target, value, write_address);
}
