/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Small helpers: they evaluate their arguments once and may be nested.
 */

#include "basic/macro.h"
#include "basic/string_table.h"
#include "double/double_assert.h"

typedef enum Colour { RED, GREEN, BLUE, _COLOUR_MAX } Colour;

DECLARE_STRING_TABLE(colour, Colour);

static const char *const colours[_COLOUR_MAX] = { [RED] = "red", [BLUE] = "blue" };

DEFINE_STRING_TABLE(colour, Colour, colours)

Test(macro, min_and_max_evaluate_once_and_nest) {
        int n = 0;

        cr_assert(eq(int, MAX(n++, -5), 0));
        cr_assert(eq(int, n, 1));
        cr_assert(eq(int, MIN(MAX(1, 2), MIN(3, MAX(4, 0))), 2));
}

Test(macro, taken_pointer_leaves_null) {
        int value = 1;
        int *slot = &value;

        cr_assert(eq(ptr, take_ptr(slot), &value));
        assert_null(slot);
}

Test(macro, string_table_knows_its_words_and_no_others) {
        assert_string(colour_to_string(BLUE), "blue");
        assert_null(colour_to_string(GREEN));
        assert_null(colour_to_string(_COLOUR_MAX));
        assert_null(colour_to_string((Colour) -22));
        cr_assert(eq(int, colour_from_string("red"), RED));
        cr_assert(eq(int, colour_from_string("Red"), -EINVAL));
        cr_assert(eq(int, colour_from_string(""), -EINVAL));
        cr_assert(eq(int, colour_from_string(NULL), -EINVAL));
}
