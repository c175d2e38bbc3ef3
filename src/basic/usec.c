/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Time as a value
 *
 * Spans have the syntax of systemd.time(7): numbers with units, added up. A
 * year is 365.25 days and a month a twelfth of it, as there. Fractions are
 * computed in integers, so that "0.1s" is exactly 100,000 µs.
 */

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/usec.h"

static const struct {
        const char *word;
        usec_t usec;
} usec_units[] = {
        { "seconds", USEC_PER_SEC },       { "second", USEC_PER_SEC },       { "sec", USEC_PER_SEC },
        { "s", USEC_PER_SEC },             { "minutes", USEC_PER_MINUTE },   { "minute", USEC_PER_MINUTE },
        { "min", USEC_PER_MINUTE },        { "m", USEC_PER_MINUTE },         { "months", 2629800 * USEC_PER_SEC },
        { "month", 2629800 * USEC_PER_SEC },                                 { "M", 2629800 * USEC_PER_SEC },
        { "msec", USEC_PER_MSEC },         { "ms", USEC_PER_MSEC },          { "hours", USEC_PER_HOUR },
        { "hour", USEC_PER_HOUR },         { "hr", USEC_PER_HOUR },          { "h", USEC_PER_HOUR },
        { "days", USEC_PER_DAY },          { "day", USEC_PER_DAY },          { "d", USEC_PER_DAY },
        { "weeks", 7 * USEC_PER_DAY },     { "week", 7 * USEC_PER_DAY },     { "w", 7 * USEC_PER_DAY },
        { "years", 31557600 * USEC_PER_SEC },                                { "year", 31557600 * USEC_PER_SEC },
        { "y", 31557600 * USEC_PER_SEC },  { "usec", 1 },                    { "us", 1 },
        { "\302\265s", 1 },                { "\316\274s", 1 },
};

usec_t usec_add(usec_t a, usec_t b) {
        return a > USEC_INFINITY - b ? USEC_INFINITY : a + b;
}

usec_t usec_sub(usec_t a, usec_t b) {
        if (a == USEC_INFINITY)
                return USEC_INFINITY;
        return a > b ? a - b : 0;
}

static bool usec_is_space(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool usec_is_digit(char c) {
        return c >= '0' && c <= '9';
}

static const char *usec_skip_space(const char *at) {
        while (usec_is_space(*at))
                at++;
        return at;
}

/* One number: its whole part, and the digits of the fraction as @ret_fraction of @ret_scale. */
static int usec_parse_number(const char **at, usec_t *ret_whole, usec_t *ret_fraction, usec_t *ret_scale) {
        usec_t whole = 0, fraction = 0, scale = 1;
        const char *c = *at;

        if (*c == '-' && usec_is_digit(c[1]))
                return -ERANGE;
        if (!usec_is_digit(*c) && !(*c == '.' && usec_is_digit(c[1])))
                return -EINVAL;

        for (; usec_is_digit(*c); c++)
                if (__builtin_mul_overflow(whole, (usec_t) 10, &whole) ||
                    __builtin_add_overflow(whole, (usec_t) (*c - '0'), &whole))
                        return -ERANGE;

        if (*c == '.' && !usec_is_digit(c[1]))
                return -EINVAL;
        if (*c == '.')
                for (c++; usec_is_digit(*c); c++)
                        if (scale < 1000000000) {       /* further digits are less than a microsecond, even in years */
                                fraction = fraction * 10 + (usec_t) (*c - '0');
                                scale *= 10;
                        }

        if (*c == '.')
                return -EINVAL;
        *at = c;
        *ret_whole = whole;
        *ret_fraction = fraction;
        *ret_scale = scale;
        return 0;
}

static int usec_parse_unit(const char **at, usec_t default_unit, usec_t *ret_unit) {
        const char *c = usec_skip_space(*at);
        size_t n = 0;

        while (c[n] != '\0' && !usec_is_space(c[n]) && !usec_is_digit(c[n]) && c[n] != '.' && c[n] != '-')
                n++;
        if (n == 0) {
                *ret_unit = default_unit;
                return 0;
        }

        for (size_t i = 0; i < ELEMENTSOF(usec_units); i++)
                if (strlen(usec_units[i].word) == n && strncmp(usec_units[i].word, c, n) == 0) {
                        *at = c + n;
                        *ret_unit = usec_units[i].usec;
                        return 0;
                }
        return -EINVAL;
}

/* Adds the number and unit at @at to @sum. */
static int usec_parse_part(const char **at, usec_t default_unit, usec_t *sum) {
        usec_t whole, fraction, scale, unit;
        int r;

        r = usec_parse_number(at, &whole, &fraction, &scale);
        if (r < 0)
                return r;
        r = usec_parse_unit(at, default_unit, &unit);
        if (r < 0)
                return r;

        /* unit * fraction would overflow for years, so the unit is divided with its remainder. */
        fraction = unit / scale * fraction + unit % scale * fraction / scale;
        if (__builtin_mul_overflow(whole, unit, &whole) || __builtin_add_overflow(whole, fraction, &whole) ||
            __builtin_add_overflow(*sum, whole, sum) || *sum == USEC_INFINITY)
                return -ERANGE;
        return 0;
}

int usec_parse(const char *text, usec_t default_unit, usec_t *ret_usec) {
        static const char infinity[] = "infinity";
        usec_t sum = 0;

        assert(text);
        assert(ret_usec);

        text = usec_skip_space(text);
        if (strncmp(text, infinity, sizeof(infinity) - 1) == 0) {
                if (*usec_skip_space(text + sizeof(infinity) - 1) != '\0')
                        return -EINVAL;
                *ret_usec = USEC_INFINITY;
                return 0;
        }
        if (*text == '\0')
                return -EINVAL;

        while (*text != '\0') {
                int r = usec_parse_part(&text, default_unit, &sum);

                if (r < 0)
                        return r;
                text = usec_skip_space(text);
        }

        *ret_usec = sum;
        return 0;
}

const char *usec_format(usec_t usec, char buffer[static USEC_FORMAT_MAX]) {
        static const struct {
                const char *word;
                usec_t usec;
        } units[] = {
                { "d", USEC_PER_DAY }, { "h", USEC_PER_HOUR },  { "min", USEC_PER_MINUTE },
                { "s", USEC_PER_SEC }, { "ms", USEC_PER_MSEC }, { "us", 1 },
        };
        size_t first = 0;
        int n;

        if (usec == USEC_INFINITY)
                return strcpy(buffer, "infinity");
        if (usec == 0)
                return strcpy(buffer, "0");

        while (usec < units[first].usec)
                first++;
        n = snprintf(buffer, USEC_FORMAT_MAX, "%llu%s", (unsigned long long) (usec / units[first].usec),
                     units[first].word);
        usec %= units[first].usec;

        if (first + 1 < ELEMENTSOF(units) && usec >= units[first + 1].usec)
                snprintf(buffer + n, USEC_FORMAT_MAX - (size_t) n, " %llu%s",
                         (unsigned long long) (usec / units[first + 1].usec), units[first + 1].word);
        return buffer;
}
