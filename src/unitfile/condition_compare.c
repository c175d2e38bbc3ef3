/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Comparing versions
 *
 * The rules are those of the UAPI group's version format: '~' sorts before
 * everything, then the end, then '-', '^', '.', then letters and numbers,
 * which are compared as runs.
 */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/condition_compare.h"

#define READ_MAX 65536

CompareOperator compare_take_operator(const char **at) {
        static const struct {
                const char *text;
                CompareOperator operator;
        } operators[] = {
                { "!=$", COMPARE_GLOB_UNEQUAL }, { "!$=", COMPARE_GLOB_UNEQUAL },
                { "=$", COMPARE_GLOB_EQUAL },    { "$=", COMPARE_GLOB_EQUAL },
                { "<=", COMPARE_LESS_EQUAL },    { ">=", COMPARE_GREATER_EQUAL },
                { "!=", COMPARE_UNEQUAL },       { "<>", COMPARE_UNEQUAL },
                { "==", COMPARE_EQUAL },         { "<", COMPARE_LESS },
                { ">", COMPARE_GREATER },        { "=", COMPARE_EQUAL },
        };

        for (size_t i = 0; i < ELEMENTSOF(operators); i++)
                if (text_starts_with(*at, operators[i].text)) {
                        *at += strlen(operators[i].text);
                        *at += strspn(*at, " \t");
                        return operators[i].operator;
                }
        return COMPARE_NONE;
}

/* Characters other than letters, digits and the separators are skipped. */
static const char *version_skip_noise(const char *at) {
        while (*at && !isalnum((unsigned char) *at) && !strchr("~-^.", *at))
                at++;
        return at;
}

/* Compares two runs of digits, and moves both pointers behind them. */
static int version_compare_digits(const char **a, const char **b) {
        size_t n_a, n_b;
        int order;

        *a += strspn(*a, "0");
        *b += strspn(*b, "0");
        n_a = strspn(*a, "0123456789");
        n_b = strspn(*b, "0123456789");
        order = n_a != n_b ? (n_a > n_b) - (n_a < n_b) : memcmp(*a, *b, n_a);
        *a += n_a;
        *b += n_b;
        return order;
}

static int version_compare_letters(const char **a, const char **b) {
        while (isalpha((unsigned char) **a) && isalpha((unsigned char) **b)) {
                if (**a != **b)
                        return (unsigned char) **a - (unsigned char) **b;
                (*a)++;
                (*b)++;
        }
        return isalpha((unsigned char) **a) ? 1 : isalpha((unsigned char) **b) ? -1 : 0;
}

static int version_rank(char c) {
        return c == '~' ? 0 : !c ? 1 : c == '-' ? 2 : c == '^' ? 3 : c == '.' ? 4 : isalpha((unsigned char) c) ? 5 : 6;
}

int compare_versions(const char *a, const char *b) {
        for (;;) {
                int order;

                a = version_skip_noise(a);
                b = version_skip_noise(b);
                order = version_rank(*a) - version_rank(*b);
                if (order)
                        return order;
                if (!*a)
                        return 0;
                if (isdigit((unsigned char) *a))
                        order = version_compare_digits(&a, &b);
                else if (isalpha((unsigned char) *a))
                        order = version_compare_letters(&a, &b);
                else {
                        a++;
                        b++;
                }
                if (order)
                        return order;
        }
}

int compare_holds(CompareOperator operator, int order) {
        switch (operator) {
        case COMPARE_NONE:
        case COMPARE_EQUAL:
        case COMPARE_GLOB_EQUAL:
                return order == 0;
        case COMPARE_UNEQUAL:
        case COMPARE_GLOB_UNEQUAL:
                return order != 0;
        case COMPARE_LESS:
                return order < 0;
        case COMPARE_LESS_EQUAL:
                return order <= 0;
        case COMPARE_GREATER:
                return order > 0;
        case COMPARE_GREATER_EQUAL:
                return order >= 0;
        }
        return 0;
}

int compare_version_holds(CompareOperator operator, const char *present, const char *wanted) {
        if (operator == COMPARE_NONE || operator == COMPARE_GLOB_EQUAL || operator == COMPARE_GLOB_UNEQUAL)
                return compare_holds(operator, fnmatch(wanted, present, 0));
        return compare_holds(operator, compare_versions(present, wanted));
}

char *compare_read_file(const char *path) {
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        char *text = fd >= 0 ? malloc(READ_MAX + 1) : NULL;
        size_t n = 0;
        ssize_t got = 1;

        while (text && got > 0 && n < READ_MAX) {
                got = read(fd, text + n, READ_MAX - n);
                n += got > 0 ? (size_t) got : 0;
        }
        if (fd >= 0)
                close(fd);
        if (text)
                text[n] = '\0';
        return text;
}
