/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Timestamps, as people write them
 */

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "basic/text.h"
#include "time/civil.h"
#include "time/clock_zone.h"
#include "time/timestamp.h"

#define YEAR (31557600 * USEC_PER_SEC)
#define MONTH (2629800 * USEC_PER_SEC)
#define WEEK (7 * USEC_PER_DAY)

/* The zone at the end of the text. */
typedef struct Place {
        TimeZone *owned;
        const TimeZone *zone;           /* NULL: UTC */
        int dst;                        /* -1: either */
} Place;

static void place_deinit(Place *place) {
        time_zone_free(place->owned);
}

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

/* Takes a zone off the end of @text. 0 or -ENOMEM. */
static int take_zone(char *text, Place *place) {
        char *last = strrchr(text, ' ');
        int r = 0;

        place->zone = clock_zone_local();
        place->dst = -1;
        if (!last)
                return 0;
        if (strcasecmp(last + 1, "UTC") == 0 || text_equal(last + 1, "Z")) {
                place->zone = NULL;
                *last = '\0';
                return 0;
        }
        for (int dst = 0; dst <= 1; dst++) {
                const char *name = time_zone_name(place->zone, dst);

                if (name && strcasecmp(last + 1, name) == 0) {
                        place->dst = dst;
                        *last = '\0';
                        return 0;
                }
        }
        r = clock_zone_load(last + 1, &place->owned);
        if (r == 0) {
                place->zone = place->owned;
                *last = '\0';
        }
        return r == -ENOMEM ? r : 0;
}

/* "+5min", "-1h", "3 days ago", "2h left": 1 if the text has one of these forms. */
static int parse_relative(char *text, usec_t now, usec_t *ret_usec) {
        bool is_back = text[0] == '-' || text_ends_with(text, " ago");
        usec_t span;
        int r;

        if (text_ends_with(text, " ago"))
                text[strlen(text) - 4] = '\0';
        else if (text_ends_with(text, " left"))
                text[strlen(text) - 5] = '\0';
        else if (text[0] == '+' || text[0] == '-')
                text++;
        else
                return 0;
        r = usec_parse(text, USEC_PER_SEC, &span);
        if (r < 0)
                return r;
        if (span == USEC_INFINITY || (is_back && span > now) || (!is_back && span > USEC_INFINITY - 1 - now))
                return -ERANGE;
        *ret_usec = is_back ? now - span : now + span;
        return 1;
}

static int parse_epoch(const char *text, usec_t *ret_usec) {
        for (const char *c = text; *c; c++)
                if (!is_digit(*c) && *c != '.')
                        return -EINVAL;
        return usec_parse(text, USEC_PER_SEC, ret_usec);
}

/* "Tue ", "tuesday, ": the weekday, or -1. Advances *@at past it. */
static int32_t take_weekday(const char **at) {
        size_t n = strcspn(*at, " ,");

        for (int32_t day = 0; day < 7; day++)
                if ((strncasecmp(*at, civil_weekday_name(day), n) == 0 && n == 3) ||
                    (strncasecmp(*at, civil_weekday_long_name(day), n) == 0 &&
                     n == strlen(civil_weekday_long_name(day)))) {
                        *at += n;
                        *at += strspn(*at, " ,");
                        return day;
                }
        return -1;
}

/* Up to @digits digits. */
static bool take_number(const char **at, int digits, int32_t *ret) {
        int32_t value = 0;
        int n = 0;

        for (; n < digits && is_digit(**at); n++)
                value = value * 10 + (*(*at)++ - '0');
        *ret = value;
        return n > 0 && !is_digit(**at);
}

static bool take_date(const char **at, CivilTime *time) {
        const char *start = *at;

        if (!take_number(at, 4, &time->year) || *(*at)++ != '-' || !take_number(at, 2, &time->month) ||
            *(*at)++ != '-' || !take_number(at, 2, &time->day))
                return false;
        if (strcspn(start, "-") <= 2)
                time->year += time->year < 70 ? 2000 : 1900;
        return time->month >= 1 && time->month <= 12 && time->day >= 1 &&
               time->day <= civil_days_of_month(time->year, time->month);
}

/* "18:30", "18:30:15", "18:30:15.25" */
static bool take_time(const char **at, CivilTime *time) {
        int32_t second = 0, scale = (int32_t) USEC_PER_SEC;

        time->usec = 0;
        if (!take_number(at, 2, &time->hour) || *(*at)++ != ':' || !take_number(at, 2, &time->minute))
                return false;
        if (**at == ':') {
                ++*at;
                if (!take_number(at, 2, &second))
                        return false;
                if (**at == '.' && is_digit((*at)[1]))
                        for (++*at; is_digit(**at); ++*at)
                                time->usec += (**at - '0') * (scale /= 10);
        }
        time->usec += second * (int32_t) USEC_PER_SEC;
        return time->hour <= 23 && time->minute <= 59 && second <= 59;
}

/* "today" and the like: the number of days from today, or -EINVAL. */
static int32_t find_day_word(const char *text) {
        static const char *const words[] = { "yesterday", "today", "tomorrow" };

        for (int32_t i = 0; i < (int32_t) ELEMENTSOF(words); i++)
                if (text_equal(text, words[i]))
                        return i - 1;
        return -EINVAL;
}

static int parse_civil(const char *text, CivilTime *time) {
        int32_t days = find_day_word(text), weekday;
        int64_t day = civil_days(time->year, time->month, time->day);
        const char *at = text;

        if (days != -EINVAL) {
                *time = civil_from_seconds((day + days) * SECONDS_PER_DAY, 0);
                return 0;
        }
        weekday = take_weekday(&at);
        if (at[strspn(at, "0123456789")] == '-') {
                time->hour = time->minute = time->usec = 0;
                if (!take_date(&at, time))
                        return -EINVAL;
                if (*at != ' ') {
                        int32_t actual = civil_weekday(time->year, time->month, time->day);

                        return *at != '\0' || (weekday >= 0 && weekday != actual) ? -EINVAL : 0;
                }
                at += strspn(at, " ");
        }
        if (!take_time(&at, time) || *at != '\0')
                return -EINVAL;
        return weekday >= 0 && weekday != civil_weekday(time->year, time->month, time->day) ? -EINVAL : 0;
}

/* Parses a local time. A time that clocks skip means the moment at which they do so. */
static int parse_in_zone(char *text, usec_t now, usec_t *ret_usec) {
        cleanup_(place_deinit) Place place = {};
        int64_t seconds = (int64_t) (now / USEC_PER_SEC), utc, local;
        CivilTime time;
        int r;

        r = take_zone(text, &place);
        if (r < 0)
                return r;
        if (text_equal(text, "now")) {
                *ret_usec = now;
                return 0;
        }
        time = civil_from_seconds(seconds + time_zone_at(place.zone, seconds).seconds, 0);
        r = parse_civil(text, &time);
        if (r < 0)
                return r;
        if (!time_zone_find(place.zone, civil_to_seconds(&time), place.dst, INT64_MIN / 2, &utc, &local) &&
            (local == INT64_MAX ||
             !time_zone_find(place.zone, local, place.dst, INT64_MIN / 2, &utc, &local)))
                return -EINVAL;
        if (utc < 0)
                return -ERANGE;
        *ret_usec = (usec_t) utc * USEC_PER_SEC + (usec_t) time.usec % USEC_PER_SEC;
        return 0;
}

int timestamp_parse(const char *text, usec_t now, usec_t *ret_usec) {
        cleanup_free_ char *copy = NULL;
        int r;

        assert(text);
        assert(ret_usec);

        if (text[0] == '@')
                return parse_epoch(text + 1, ret_usec);
        copy = strdup(text);
        if (!copy)
                return -ENOMEM;
        r = parse_relative(copy, now, ret_usec);
        if (r != 0)
                return r < 0 ? r : 0;
        return parse_in_zone(copy, now, ret_usec);
}

const char *timestamp_format(usec_t usec, const TimeZone *zone, char buffer[static TIMESTAMP_FORMAT_MAX]) {
        int64_t seconds = (int64_t) (usec / USEC_PER_SEC);
        TimeZoneOffset offset;
        CivilTime time;

        if (usec == 0 || usec >= USEC_INFINITY / 2)
                return strcpy(buffer, "n/a");
        offset = time_zone_at(zone, seconds);
        time = civil_from_seconds(seconds + offset.seconds, 0);
        snprintf(buffer, TIMESTAMP_FORMAT_MAX, "%s %04d-%02d-%02d %02d:%02d:%02d %s",
                 civil_weekday_name(civil_weekday(time.year, time.month, time.day)), time.year, time.month, time.day,
                 time.hour, time.minute, time.usec / (int32_t) USEC_PER_SEC, offset.name);
        return buffer;
}

/* "1 year", "2 years" */
static int print_count(char *buffer, usec_t count, const char *word) {
        return snprintf(buffer, TIMESTAMP_FORMAT_MAX / 2, "%llu %s%s", (unsigned long long) count, word,
                        count == 1 ? "" : "s");
}

/* At most two units. */
static int print_long(char *buffer, usec_t span) {
        static const struct {
                usec_t unit, next;
                const char *word, *next_word;
        } units[] = { { YEAR, MONTH, "year", "month" }, { MONTH, USEC_PER_DAY, "month", "day" },
                      { WEEK, USEC_PER_DAY, "week", "day" } };
        size_t i = 0;
        int n;

        while (span < units[i].unit)
                i++;
        n = print_count(buffer, span / units[i].unit, units[i].word);
        buffer[n++] = ' ';
        return n + print_count(buffer + n, span % units[i].unit / units[i].next, units[i].next_word);
}

static int print_short(char *buffer, usec_t span) {
        static const struct {
                usec_t least, unit, next;
                const char *word, *next_word;
        } units[] = {
                { 6 * USEC_PER_HOUR, USEC_PER_HOUR, 0, "h", NULL },
                { USEC_PER_HOUR, USEC_PER_HOUR, USEC_PER_MINUTE, "h", "min" },
                { 5 * USEC_PER_MINUTE, USEC_PER_MINUTE, 0, "min", NULL },
                { USEC_PER_MINUTE, USEC_PER_MINUTE, USEC_PER_SEC, "min", "s" },
                { USEC_PER_SEC, USEC_PER_SEC, 0, "s", NULL },
                { USEC_PER_MSEC, USEC_PER_MSEC, 0, "ms", NULL },
                { 1, 1, 0, "us", NULL },
        };
        size_t i = 0;
        int n;

        while (span < units[i].least)
                i++;
        n = snprintf(buffer, TIMESTAMP_FORMAT_MAX / 2, "%llu%s", (unsigned long long) (span / units[i].unit),
                     units[i].word);
        if (units[i].next > 0)
                n += snprintf(buffer + n, TIMESTAMP_FORMAT_MAX / 2, " %llu%s",
                              (unsigned long long) (span % units[i].unit / units[i].next), units[i].next_word);
        return n;
}

const char *timestamp_format_relative(usec_t usec, usec_t now, char buffer[static TIMESTAMP_FORMAT_MAX]) {
        usec_t span = usec > now ? usec - now : now - usec;
        int n;

        if (span == 0)
                return strcpy(buffer, "now");
        if (span >= WEEK)
                n = print_long(buffer, span);
        else if (span >= 2 * USEC_PER_DAY)
                n = print_count(buffer, span / USEC_PER_DAY, "day");
        else if (span >= 25 * USEC_PER_HOUR)
                n = snprintf(buffer, TIMESTAMP_FORMAT_MAX, "1 day %lluh",
                             (unsigned long long) ((span - USEC_PER_DAY) / USEC_PER_HOUR));
        else
                n = print_short(buffer, span);
        strcpy(buffer + n, usec > now ? " left" : " ago");
        return buffer;
}
