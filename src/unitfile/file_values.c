/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The assignments of a unit's files
 *
 * An assignment is a number in groups of seven bits, lowest first, all but the
 * last with the eighth bit set; then, unless the number is odd, the value and
 * a newline, which no value contains. Half of the number is the directive's
 * number, which is at least 1: so no byte is 0, and the result is a string. A
 * number above all directives marks a header, whose value is the name of a
 * section's instance, or empty.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/hash.h"
#include "basic/macro.h"
#include "unitfile/file_values.h"

#define HEADER_NUMBER ((size_t) 0x1FFF)

static void file_values_add_number(FileValues *values, size_t number) {
        for (; number >= 0x80; number >>= 7)
                text_add_char(&values->packed, (char) (number | 0x80));
        text_add_char(&values->packed, (char) number);
}

static void file_values_add_numbered(FileValues *values, size_t number, const char *value) {
        size_t n = strlen(value);
        bool is_same = values->packed.n > 0 && values->packed.error == 0 && n == values->n_value &&
                       memcmp(values->packed.string + values->value, value, n) == 0;

        file_values_add_number(values, number * 2 + is_same);
        if (is_same)
                return;
        values->value = values->packed.n;
        values->n_value = n;
        text_add_n(&values->packed, value, n);
        text_add_char(&values->packed, '\n');
}

void file_values_add(FileValues *values, const Directive *directive, const char *value) {
        size_t number = directive_number(directive);

        assert(number < HEADER_NUMBER);

        file_values_add_numbered(values, number, value);
}

void file_values_enter(FileValues *values, const char *header) {
        uint64_t hash = header ? hash_add(HASH_BEGIN, header) : 0;

        if (values->header == hash)
                return;
        values->header = hash;
        file_values_add_numbered(values, HEADER_NUMBER, header ? header : "");
}

int file_values_finish(FileValues *values, char **ret_packed) {
        if (values->packed.n == 0 && values->packed.error == 0) {
                *ret_packed = NULL;
                return 0;
        }
        return text_finish(&values->packed, ret_packed);
}

static const char *file_values_get_number(const char *at, size_t *ret_number) {
        size_t number = 0;

        for (unsigned shift = 0;; shift += 7) {
                unsigned char byte = (unsigned char) *at++;

                number |= (size_t) (byte & 0x7F) << shift;
                if (byte < 0x80)
                        break;
        }
        *ret_number = number;
        return at;
}

/* An instance without assignments has a line, too. */
static void unpack_empty(Text *text, const char *header, bool is_empty) {
        if (is_empty && header[0] && header[0] != '\n')
                text_addf(text, "[%.*s]\n", (int) strcspn(header, "\n"), header);
}

int file_values_unpack(const char *packed, char **ret_text) {
        cleanup_(text_deinit) Text text = {};
        const char *value = "\n", *header = "";
        bool is_empty = false;          /* no assignment has followed the header yet */

        while (packed && *packed) {
                size_t number, n;

                packed = file_values_get_number(packed, &number);
                if (number % 2 == 0)
                        value = packed;
                n = strcspn(value, "\n");
                if (number % 2 == 0)
                        packed += n + 1;
                if (number / 2 == HEADER_NUMBER) {
                        unpack_empty(&text, header, is_empty);
                        header = value;
                        is_empty = true;
                        continue;
                }
                is_empty = false;
                if (header[0] && header[0] != '\n')
                        text_addf(&text, "[%.*s] ", (int) strcspn(header, "\n"), header);
                text_add(&text, directive_at(number / 2)->name);
                text_add_char(&text, '=');
                text_add_n(&text, value, n + 1);
        }
        unpack_empty(&text, header, is_empty);
        return text_finish(&text, ret_text);
}
