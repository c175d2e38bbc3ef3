/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Text for terminals: width, cutting, escaping.
 */

#include <locale.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/terminal.h"

static void use_utf8(void) {
        setlocale(LC_CTYPE, "C.UTF-8");
}

Test(terminal, control_characters_become_visible_and_line_breaks_stay) {
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, terminal_escape("a\033[2Jb\nc\a", &text), 0));
        assert_string(text, "a\\x1b[2Jb\nc\\x07");
}

Test(terminal, cut_text_ends_with_a_mark, .init = use_utf8) {
        cleanup_free_ char *utf8 = NULL;
        cleanup_free_ char *ascii = NULL;
        cleanup_free_ char *whole = NULL;

        cr_assert(eq(int, terminal_text_cut("abcdefgh", 5, true, &utf8), 0));
        cr_assert(eq(int, terminal_text_cut("abcdefgh", 5, false, &ascii), 0));
        cr_assert(eq(int, terminal_text_cut("abcde", 5, true, &whole), 0));
        assert_string(utf8, "abcd…");
        assert_string(ascii, "ab...");
        assert_string(whole, "abcde");
}

Test(terminal, wide_characters_are_never_halved, .init = use_utf8) {
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, terminal_text_cut("日本語", 4, true, &text), 0));
        assert_string(text, "日…");
        cr_assert(eq(sz, terminal_text_width("日本語"), 6));
}

Test(terminal, no_color_is_respected) {
        Terminal terminal;

        setenv("NO_COLOR", "1", 1);
        terminal_init(&terminal, false);
        cr_assert(not(terminal.has_out_color));
        assert_string(terminal_color(&terminal, COLOR_RED), "");
}
