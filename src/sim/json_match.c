/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Containment of JSON
 *
 * The place of a difference is put together on the way back, innermost part
 * first, so a match costs nothing for it. The recursion depth is bounded by
 * jansson's parser.
 */

#include <stdlib.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "sim/json_match.h"

/* Puts one step in front of a place found further inside. */
static void json_match_prefix(char **where, const char *key, size_t at) {
        cleanup_free_ char *inner = NULL;

        if (!where)
                return;
        inner = take_ptr(*where);
        if (!inner)
                return;
        if (key)
                (void) text_format(where, "%s%s%s", key, inner[0] && inner[0] != '[' ? "." : "", inner);
        else
                (void) text_format(where, "[%zu]%s%s", at, inner[0] && inner[0] != '[' ? "." : "", inner);
}

static bool json_match_differs(char **ret_where) {
        if (ret_where && text_format(ret_where, "%s", "") < 0)
                *ret_where = NULL;
        return false;
}

static bool json_match_object(const json_t *got, const json_t *expected, char **ret_where) {
        const char *key;
        json_t *value;

        json_object_foreach((json_t *) expected, key, value)
                if (!json_match_contains(json_object_get(got, key), value, ret_where)) {
                        json_match_prefix(ret_where, key, 0);
                        return false;
                }
        return true;
}

static bool json_match_array(const json_t *got, const json_t *expected, char **ret_where) {
        if (json_array_size(got) != json_array_size(expected))
                return json_match_differs(ret_where);
        for (size_t i = 0; i < json_array_size(expected); i++)
                if (!json_match_contains(json_array_get(got, i), json_array_get(expected, i), ret_where)) {
                        json_match_prefix(ret_where, NULL, i);
                        return false;
                }
        return true;
}

bool json_match_contains(const json_t *got, const json_t *expected, char **ret_where) {
        if (json_is_object(got) && json_is_object(expected))
                return json_match_object(got, expected, ret_where);
        if (json_is_array(got) && json_is_array(expected))
                return json_match_array(got, expected, ret_where);
        if (json_is_number(got) && json_is_number(expected) && json_number_value(got) == json_number_value(expected))
                return true;
        if (got && json_equal(got, expected))
                return true;
        return json_match_differs(ret_where);
}
