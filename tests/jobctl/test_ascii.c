/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Marks beyond ASCII on terminals without UTF-8.
 */

#include <unistd.h>

#include "double/double_assert.h"
#include "jobctl/ascii.h"

/* Writes and flushes each of the texts, which end with NULL, and compares the output. */
static void assert_translated(const char *expected, const char *const *texts) {
        char read_back[256] = "";
        int ends[2];
        FILE *stream;

        cr_assert(eq(int, pipe(ends), 0));
        stream = ascii_stream(ends[1], _IOFBF);
        cr_assert(stream != NULL);
        for (; *texts; texts++) {
                fputs(*texts, stream);
                fflush(stream);
        }
        fclose(stream);
        close(ends[1]);
        cr_assert(ge(int, (int) read(ends[0], read_back, sizeof(read_back) - 1), 0));
        close(ends[0]);
        assert_string(read_back, expected);
}

#define TEXTS(...) ((const char *const[]) { __VA_ARGS__, NULL })

Test(ascii, marks_are_translated_and_other_text_stays) {
        assert_translated("Starting a... b -> c\n", TEXTS("Starting a… b → c\n"));
        assert_translated("Grüße 日本\n", TEXTS("Grüße 日本\n"));
        assert_translated("", TEXTS(""));
}

Test(ascii, mark_may_come_in_parts) {
        assert_translated("a...b", TEXTS("a\xe2", "\x80", "\xa6", "b"));
        assert_translated("a\xe2\x80", TEXTS("a\xe2\x80"));
        assert_translated("\xe2\x80z", TEXTS("\xe2\x80", "z"));
}
