/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Calendar expressions, compared with systemd
 *
 * tools/record-calendar wrote the table. Clear errors of systemd are listed
 * here, with the right result.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "time/calendar.h"
#include "time/civil.h"

#define ELAPSES 5

/* A line of the table. */

/* The errors of systemd 252. */
static const struct {
        const char *zone, *base, *expression, *answer[ELAPSES + 1];
} exceptions[] = {
        /* A list of days from the end: systemd lets each further one be three days less far from it. */
        { "UTC", "2024-02-27 12:00:00", "*-*~01,03,28",
          { "2024-02-29 00:00:00", "2024-03-04 00:00:00", "2024-03-29 00:00:00",
            "2024-03-31 00:00:00", "2024-04-03 00:00:00" } },
        /* An abbreviation of local time in the other half of the year: systemd gives up instead of waiting for it. */
        { "America/New_York", "2024-07-15 00:00:00", "08:00 est",
          { "2024-11-03 13:00:00", "2024-11-04 13:00:00", "2024-11-05 13:00:00",
            "2024-11-06 13:00:00", "2024-11-07 13:00:00" } },
        { "America/New_York", "2024-01-15 00:00:00", "08:00 EDT",
          { "2024-03-10 12:00:00", "2024-03-11 12:00:00", "2024-03-12 12:00:00",
            "2024-03-13 12:00:00", "2024-03-14 12:00:00" } },
        { "Europe/Berlin", "2024-10-25 12:00:00", "daily CEST",
          { "2024-10-25 22:00:00", "2024-10-26 22:00:00", "2025-03-30 22:00:00",
            "2025-03-31 22:00:00", "2025-04-01 22:00:00" } },
        { "Europe/Berlin", "2024-10-26 12:00:00", "hourly CET",
          { "2024-10-27 01:00:00", "2024-10-27 02:00:00", "2024-10-27 03:00:00",
            "2024-10-27 04:00:00", "2024-10-27 05:00:00" } },
        { "Europe/Berlin", "2024-03-29 12:00:00", "daily CET",
          { "2024-03-29 23:00:00", "2024-03-30 23:00:00", "2024-10-27 23:00:00",
            "2024-10-28 23:00:00", "2024-10-29 23:00:00" } },
};

static usec_t read_time(const char *text) {
        CivilTime time = {};
        int second = 0;

        cr_assert(eq(int, sscanf(text, "%d-%d-%d %d:%d:%d", &time.year, &time.month, &time.day, &time.hour,
                                 &time.minute, &second), 6), "%s", text);
        return (usec_t) (civil_to_seconds(&time) + second) * USEC_PER_SEC;
}

static void write_time(usec_t usec, char buffer[static 64]) {
        CivilTime time = civil_from_seconds((int64_t) (usec / USEC_PER_SEC), 0);

        snprintf(buffer, 64, "%d-%02d-%02d %02d:%02d:%02d", time.year, time.month, time.day, time.hour, time.minute,
                 time.usec / (int) USEC_PER_SEC);
}

static const char *expected(char *const *columns, size_t n, size_t i) {
        for (size_t e = 0; e < ELEMENTSOF(exceptions); e++)
                if (text_equal(exceptions[e].zone, columns[0]) && text_equal(exceptions[e].base, columns[1]) &&
                    text_equal(exceptions[e].expression, columns[2]))
                        return exceptions[e].answer[i];
        return 4 + i < n ? columns[4 + i] : NULL;
}

/* Adds the differences to the expected times to the text, if any. */
static void check_elapses(char *const *columns, size_t n, const Calendar *calendar, Text *wrong) {
        usec_t at = read_time(columns[1]);

        for (size_t i = 0; i < ELAPSES; i++) {
                const char *should = expected(columns, n, i);
                char is[64] = "never";

                if (calendar_next(calendar, at, &at) == 0)
                        write_time(at, is);
                if (!text_equal(is, should ?: "never"))
                        text_addf(wrong, "%s, %s, '%s': elapse %zu is %s, should be %s\n", columns[0], columns[1],
                                  columns[2], i + 1, is, should ?: "never");
                if (!should || text_equal(is, "never"))
                        return;
        }
}

static void check_line(char *const *columns, size_t n, Text *wrong) {
        cleanup_(calendar_freep) Calendar *calendar = NULL;
        cleanup_free_ char *normal = NULL;
        CalendarFault fault = {};
        int r;

        setenv("TZ", columns[0], 1);
        r = calendar_parse(columns[2], &calendar, &fault);
        if (r < 0) {
                cr_assert(eq(int, r, -EINVAL));
                cr_assert(le(sz, fault.at, strlen(columns[2])));
                assert_not_null(fault.message);
                if (!text_equal(columns[3], "refused") || expected(columns, n, 0))
                        text_addf(wrong, "'%s' is refused: at %zu %s\n", columns[2], fault.at, fault.message);
                return;
        }
        cr_assert(eq(int, calendar_format(calendar, &normal), 0));
        if (!text_equal(normal, columns[3]) && !expected(columns, n, 0))
                text_addf(wrong, "'%s' is written '%s', should be '%s'\n", columns[2], normal, columns[3]);
        else
                check_elapses(columns, n, calendar, wrong);
}

/* Not strv_split(): an expression may be empty. */
static size_t split(char *line, char *columns[static 10]) {
        size_t n = 0;

        line[strcspn(line, "\n")] = '\0';
        while (line && n < 10)
                columns[n++] = strsep(&line, "\t");
        return n;
}

Test(calendar, elapses_as_systemd_says) {
        FILE *file = fopen(TEST_DATA "/calendar.tsv", "re");
        cleanup_free_ char *message = NULL;
        char line[1024];
        size_t n_lines = 0;
        Text wrong = {};

        assert_not_null(file);
        while (fgets(line, sizeof(line), file)) {
                char *columns[10] = {};
                size_t n = split(line, columns);

                cr_assert(ge(sz, n, 4));
                check_line(columns, n, &wrong);
                n_lines++;
        }
        fclose(file);
        cr_assert(eq(int, text_finish(&wrong, &message), 0));
        cr_assert(ge(sz, n_lines, 500));
        cr_assert(eq(sz, strlen(message), 0), "\n%s", message);
}
