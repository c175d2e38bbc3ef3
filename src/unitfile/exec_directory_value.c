/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories, credentials, and text for standard input
 */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/directive_exec.h"
#include "unitfile/directive_value.h"
#include "unitfile/file_word.h"
#include "unitfile/unit_draft.h"

#define INPUT_MAX_BYTES (1024U * 1024)

/* Simplifies a relative path in place. False if it leads out of its folder, or names none. */
static bool settle_path(char *path) {
        if (path[0] == '/' || !directive_simplify_path(path) || !*path)
                return false;
        for (const char *part = path; part; part = strchr(part, '/')) {
                part += *part == '/';
                if (strcspn(part, "/") > NAME_MAX)
                        return false;
        }
        return true;
}

/* "FOLDER" or "FOLDER:LINK", simplified: 0, -EINVAL or -ENOMEM. */
static int settle_directory(const char *word, char **ret_directory) {
        const char *colon = strchr(word, ':');
        cleanup_free_ char *folder = strndup(word, strcspn(word, ":")), *link = strdup(colon ? colon + 1 : "");

        if (!folder || !link)
                return -ENOMEM;
        if (strlen(word) >= PATH_MAX || !settle_path(folder) || (colon && !settle_path(link)) ||
            strcmp(folder, "private") == 0 || text_starts_with(folder, "private/"))
                return -EINVAL;
        return text_format(ret_directory, "%s%s%s", folder, colon ? ":" : "", link);
}

int exec_parse_directories(const DirectiveLine *line, const char *value) {
        ExecDirectories *directories = directive_field(line);
        const char *at = value;

        if (!*value)
                directories->paths = strv_free(directories->paths);
        for (;;) {
                cleanup_free_ char *word = NULL, *directory = NULL;
                int r = directive_next_word(line, &at, &word);

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                r = settle_directory(word, &directory);
                if (r == -EINVAL)
                        return directive_complain(line, "'%s' is not a relative path without '..'", word);
                if (r == 0 && !strv_contains(directories->paths, directory))
                        r = strv_consume(&directories->paths, take_ptr(directory));
                if (r < 0)
                        return r;
        }
}

int exec_parse_directory_mode(const DirectiveLine *line, const char *value) {
        ExecDirectories *directories = directive_field(line);
        size_t n = strspn(value, "01234567");

        if (*value && (n > 5 || value[n]))
                return directive_complain(line, "'%s' is not a mode such as 0755", value);
        directories->mode = *value ? (uint32_t) strtoul(value, NULL, 8) | EXEC_DIRECTORY_MODE_IS_SET : 0;
        if ((directories->mode & ~EXEC_DIRECTORY_MODE_IS_SET) > 07777)
                return directive_complain(line, "'%s' is not a mode such as 0755", value);
        return 0;
}

int exec_parse_preserve(const DirectiveLine *line, const char *value) {
        int is_yes = text_parse_bool(value), preserve = is_yes < 0 ? exec_preserve_from_string(value) : is_yes;

        if (*value && preserve < 0)
                return directive_complain(line, "'%s' is none of yes, no and restart", value);
        *(ExecPreserve *) directive_field(line) = (ExecPreserve) MAX(preserve, 0);
        return 0;
}

static bool credential_is_valid(const char *name, size_t n) {
        if (n == 0 || n > 255 || (name[0] == '.' && (n == 1 || (n == 2 && name[1] == '.'))))
                return false;
        for (size_t i = 0; i < n; i++)
                if (name[i] <= ' ' || name[i] == '/' || name[i] == 0x7f)
                        return false;
        return true;
}

int exec_parse_load_credential(const DirectiveLine *line, const char *value) {
        char ***list = directive_field(line);
        cleanup_free_ char *text = NULL;
        const char *path;
        char *entry;
        size_t n;
        int r;

        if (!*value) {
                *list = strv_free(*list);
                return 0;
        }
        r = directive_expand(line, value, &text);
        if (r <= 0)
                return r;
        n = strcspn(text, ":");
        path = text[n] ? text + n + 1 : text;
        if (!credential_is_valid(text, n))
                return directive_complain(line, "'%s' does not begin with the name of a credential", text);
        if (path[0] != '/' && !credential_is_valid(path, strlen(path)))
                return directive_complain(line, "'%s' is neither an absolute path nor the name of a credential", path);
        r = text_format(&entry, "%.*s:%s", (int) n, text, path);
        return r < 0 ? r : draft_lists_set(&line->target->draft->lists, list, entry, ':');
}

/* 1 with the text, 0 for a bad value (reported), or -ENOMEM. */
static int directive_unescape(const DirectiveLine *line, const char *value, char **ret_text) {
        int r = file_text_unescape(value, ret_text);

        if (r == -EINVAL)
                return directive_complain(line, "The value has an unknown escape");
        return r < 0 ? r : 1;
}

/* Specifiers are resolved in the name only: a secret may contain any characters. */
int exec_parse_set_credential(const DirectiveLine *line, const char *value) {
        char ***list = directive_field(line);
        const char *at = value + strcspn(value, ":");
        cleanup_free_ char *name = strndup(value, (size_t) (at - value));
        cleanup_free_ char *expanded = NULL, *text = NULL;
        char *entry;
        int r;

        if (!*value) {
                *list = strv_free(*list);
                return 0;
        }
        r = name ? directive_expand(line, name, &expanded) : -ENOMEM;
        if (r <= 0)
                return r;
        if (*at != ':' || !credential_is_valid(expanded, strlen(expanded)) || strchr(expanded, ':'))
                return directive_complain(line, "'%s' is not of the form NAME:text", value);
        r = directive_unescape(line, at + 1, &text);
        if (r <= 0)
                return r;
        r = text_format(&entry, "%s:%s", expanded, text);
        return r < 0 ? r : draft_lists_set(&line->target->draft->lists, list, entry, ':');
}

static int add_input(const DirectiveLine *line, const char *bytes, size_t n, bool ends_line) {
        ExecTerms *terms = directive_base(line, DIRECTIVE_IN_EXEC_TERMS);
        char *data;

        if (terms->input_size + n + 1 > INPUT_MAX_BYTES)
                return directive_complain(line, "The value is larger than 1 MiB");
        data = realloc(terms->input_data, terms->input_size + n + 1);
        if (!data)
                return -ENOMEM;
        memcpy(data + terms->input_size, bytes, n);
        terms->input_data = data;
        terms->input_size += n;
        if (ends_line)
                data[terms->input_size++] = '\n';
        terms->has_input_data = true;
        return 0;
}

static int reset_input(const DirectiveLine *line) {
        ExecTerms *terms = directive_base(line, DIRECTIVE_IN_EXEC_TERMS);

        free(terms->input_data);
        terms->input_data = NULL;
        terms->input_size = 0;
        terms->has_input_data = false;
        return 0;
}

int exec_parse_input_text(const DirectiveLine *line, const char *value) {
        cleanup_free_ char *text = NULL;
        cleanup_free_ char *expanded = NULL;
        int r;

        if (!*value)
                return reset_input(line);
        r = directive_unescape(line, value, &text);
        if (r > 0)
                r = directive_expand(line, text, &expanded);
        return r <= 0 ? r : add_input(line, expanded, strlen(expanded), true);
}

/* Decodes base64 without white space: the number of bytes, or -EINVAL. */
static long decode_base64(const char *text, char *bytes) {
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        uint32_t group = 0;
        unsigned n_digits = 0, n_padding = 0;
        long n = 0;

        for (; *text; text++) {
                const char *digit = strchr(digits, *text);

                if (strchr(" \t\n", *text))
                        continue;
                if (*text != '=' && (!digit || n_padding > 0))
                        return -EINVAL;
                n_padding += *text == '=';
                group = group << 6 | (*text == '=' ? 0 : (uint32_t) (digit - digits));
                if (++n_digits % 4 != 0)
                        continue;
                if (n_padding > 2)
                        return -EINVAL;
                for (unsigned i = 0; i < 3 - n_padding; i++)
                        bytes[n++] = (char) (group >> (16 - 8 * i));
                group = 0;
        }
        return n_digits % 4 == 0 ? n : -EINVAL;
}

int exec_parse_input_data(const DirectiveLine *line, const char *value) {
        cleanup_free_ char *bytes = NULL;
        long n;

        if (!*value)
                return reset_input(line);
        bytes = malloc(strlen(value) + 1);
        if (!bytes)
                return -ENOMEM;
        n = decode_base64(value, bytes);
        if (n < 0)
                return directive_complain(line, "The value is not valid base64");
        return add_input(line, bytes, (size_t) n, false);
}

int exec_parse_search_path(const DirectiveLine *line, const char *value) {
        char ***field = directive_field(line);
        cleanup_(strv_freep) char **paths = NULL;
        cleanup_free_ char *text = NULL;
        int r;

        if (!*value) {
                *field = strv_free(*field);
                return 0;
        }
        r = directive_expand(line, value, &text);
        if (r > 0)
                r = strv_split(text, ":", &paths) < 0 ? -ENOMEM : 1;
        if (r <= 0)
                return r;
        strv_foreach(path, paths)
                if ((*path)[0] != '/')
                        return directive_complain(line, "'%s' is not an absolute path", *path);
        strv_foreach(path, paths)
                if (strv_push(field, *path) < 0)
                        return -ENOMEM;
        return 0;
}
