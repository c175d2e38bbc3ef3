/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * NULL-terminated arrays of owned strings
 *
 * The capacity is the next power of two of the length, so it need not be
 * stored.
 */

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"

char **strv_free(char **strv) {
        for (char **at = strv; at && *at; at++)
                free(*at);
        free(strv);
        return NULL;
}

size_t strv_length(char *const *strv) {
        size_t n = 0;

        while (strv && strv[n])
                n++;
        return n;
}

bool strv_contains(char *const *strv, const char *string) {
        strv_foreach(at, strv)
                if (strcmp(*at, string) == 0)
                        return true;
        return false;
}

bool strv_matches(char *const *patterns, const char *string) {
        strv_foreach(pattern, patterns)
                if (fnmatch(*pattern, string, FNM_NOESCAPE) == 0)
                        return true;
        return !patterns;
}

int strv_consume_at(char ***strv, size_t n, char *string) {
        assert(strv);

        if (!string)
                return -ENOMEM;

        if (!*strv || ((n + 1) & n) == 0) {
                char **bigger = reallocarray(*strv, (n + 1) * 2, sizeof(*bigger));

                if (!bigger) {
                        free(string);
                        return -ENOMEM;
                }
                *strv = bigger;
        }

        (*strv)[n] = string;
        (*strv)[n + 1] = NULL;
        return 0;
}

int strv_consume(char ***strv, char *string) {
        assert(strv);

        return strv_consume_at(strv, strv_length(*strv), string);
}

int strv_push(char ***strv, const char *string) {
        assert(string);

        return strv_consume(strv, strdup(string));
}

int strv_copy(char *const *strv, char ***ret_strv) {
        cleanup_(strv_freep) char **copy = NULL;
        size_t n = 0;

        assert(ret_strv);

        strv_foreach(string, strv) {
                int r = strv_consume_at(&copy, n++, strdup(*string));

                if (r < 0)
                        return r;
        }

        *ret_strv = take_ptr(copy);
        return 0;
}

int strv_split(const char *string, const char *separators, char ***ret_strv) {
        cleanup_(strv_freep) char **parts = NULL;
        size_t n_parts = 0;

        assert(string);
        assert(separators);
        assert(ret_strv);

        for (;;) {
                size_t n;
                int r;

                string += strspn(string, separators);
                n = strcspn(string, separators);
                if (n == 0)
                        break;
                r = strv_consume_at(&parts, n_parts++, strndup(string, n));
                if (r < 0)
                        return r;
                string += n;
        }

        *ret_strv = take_ptr(parts);
        return 0;
}

int strv_join(char *const *strv, const char *separator, char **ret_string) {
        cleanup_(text_deinit) Text text = {};

        assert(separator);
        assert(ret_string);

        strv_foreach(string, strv) {
                if (string != strv)
                        text_add(&text, separator);
                text_add(&text, *string);
        }

        return text_finish(&text, ret_string);
}
