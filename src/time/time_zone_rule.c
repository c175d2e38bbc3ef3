/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The yearly rule of a time zone
 *
 * Files of the time zone database list changes up to 2037 at most, and end
 * with such a rule for the years after.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "time/civil.h"
#include "time/time_zone_rule.h"

/* RFC 8536, 3.3.1 */
#define OFFSET_HOURS_MAX 24
#define CHANGE_HOURS_MAX 167

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int parse_number(const char **at, int32_t least, int32_t most, int32_t *ret) {
        int32_t value = 0;

        if (!is_digit(**at))
                return -EINVAL;
        for (; is_digit(**at); ++*at) {
                value = value * 10 + (**at - '0');
                if (value > most)
                        return -EINVAL;
        }
        if (value < least)
                return -EINVAL;
        *ret = value;
        return 0;
}

/* "<+1030>" or "CET". */
static int parse_name(const char **at, char name[static TIME_ZONE_NAME_MAX]) {
        bool is_quoted = **at == '<';
        const char *start = *at + is_quoted, *end = start;

        while (is_letter(*end) || (is_quoted && (is_digit(*end) || *end == '+' || *end == '-')))
                end++;
        if (end - start < 3 || end - start >= TIME_ZONE_NAME_MAX || (is_quoted && *end != '>'))
                return -EINVAL;
        memcpy(name, start, (size_t) (end - start));
        name[end - start] = '\0';
        *at = end + is_quoted;
        return 0;
}

/* "[+-]hh[:mm[:ss]]" */
static int parse_time(const char **at, int32_t hours_max, int32_t *ret_seconds) {
        int32_t sign = **at == '-' ? -1 : 1, hours, minutes = 0, seconds = 0;
        int r;

        if (**at == '-' || **at == '+')
                ++*at;
        r = parse_number(at, 0, hours_max, &hours);
        if (r == 0 && **at == ':') {
                ++*at;
                r = parse_number(at, 0, 59, &minutes);
        }
        if (r == 0 && **at == ':') {
                ++*at;
                r = parse_number(at, 0, 59, &seconds);
        }
        if (r < 0)
                return r;
        *ret_seconds = sign * (hours * 3600 + minutes * 60 + seconds);
        return 0;
}

static int parse_month_day(const char **at, TimeZoneDay *day) {
        if (parse_number(at, 1, 12, &day->month) < 0 || *(*at)++ != '.')
                return -EINVAL;
        if (parse_number(at, 1, 5, &day->week) < 0 || *(*at)++ != '.')
                return -EINVAL;
        return parse_number(at, 0, 6, &day->day);
}

/* ",M3.5.0/2" */
static int parse_day(const char **at, TimeZoneDay *ret_day) {
        TimeZoneDay day = { .kind = '0', .seconds = 2 * 3600 };
        int r;

        if (*(*at)++ != ',')
                return -EINVAL;
        if (**at == 'M' || **at == 'J')
                day.kind = *(*at)++;
        if (day.kind == 'M')
                r = parse_month_day(at, &day);
        else
                r = parse_number(at, day.kind == 'J', 365, &day.day);
        if (r == 0 && **at == '/') {
                ++*at;
                r = parse_time(at, CHANGE_HOURS_MAX, &day.seconds);
        }
        if (r < 0)
                return r;
        *ret_day = day;
        return 0;
}

int time_zone_rule_parse(const char *text, TimeZoneRule *ret_rule) {
        TimeZoneRule rule = {};
        int32_t west;

        if (parse_name(&text, rule.name[0]) < 0 || parse_time(&text, OFFSET_HOURS_MAX, &west) < 0)
                return -EINVAL;
        rule.offset[0] = -west;
        if (*text != '\0') {
                if (parse_name(&text, rule.name[1]) < 0)
                        return -EINVAL;
                rule.offset[1] = rule.offset[0] + 3600;
                if (*text != ',' && *text != '\0') {
                        if (parse_time(&text, OFFSET_HOURS_MAX, &west) < 0)
                                return -EINVAL;
                        rule.offset[1] = -west;
                }
                if (parse_day(&text, &rule.change[0]) < 0 || parse_day(&text, &rule.change[1]) < 0 || *text != '\0')
                        return -EINVAL;
        }
        *ret_rule = rule;
        return 0;
}

static int64_t find_day(const TimeZoneDay *day, int32_t year) {
        int64_t new_year = civil_days(year, 1, 1);
        int32_t first, date;

        if (day->kind == '0')
                return new_year + day->day;
        if (day->kind == 'J')           /* 1 to 365, without the leap day */
                return new_year + day->day - 1 + (day->day >= 60 && civil_days_of_month(year, 2) == 29);
        first = (civil_weekday(year, day->month, 1) + 1) % 7;
        date = 1 + (day->day - first + 7) % 7 + (day->week - 1) * 7;
        if (date > civil_days_of_month(year, day->month))
                date -= 7;
        return civil_days(year, day->month, date);
}

static int64_t find_change(const TimeZoneRule *rule, int which, int32_t year) {
        return find_day(&rule->change[which], year) * SECONDS_PER_DAY + rule->change[which].seconds -
               rule->offset[which];
}

/*
 * The order of the changes may differ from year to year, and one may be a week before or after its year, so the last
 * change decides. If both are at the same moment, it is daylight saving time without end.
 */
bool time_zone_rule_is_dst(const TimeZoneRule *rule, int64_t utc) {
        int32_t year = civil_from_seconds(utc, 0).year;
        int64_t last[2] = { INT64_MIN, INT64_MIN };

        if (rule->name[1][0] == '\0')
                return false;
        for (int32_t y = year - 2; y <= year + 1; y++)
                for (int which = 0; which < 2; which++) {
                        int64_t change = find_change(rule, which, y);

                        if (change <= utc)
                                last[which] = MAX(last[which], change);
                }
        return last[0] >= last[1];
}

bool time_zone_rule_next_change(const TimeZoneRule *rule, int64_t after, int64_t *ret_change) {
        int32_t year = civil_from_seconds(after, 0).year;
        int64_t best = INT64_MAX;

        if (rule->name[1][0] == '\0')
                return false;
        for (int32_t y = year - 1; y <= year + 2; y++)
                for (int which = 0; which < 2; which++) {
                        int64_t change = find_change(rule, which, y);

                        if (change > after && change < best)
                                best = change;
                }
        *ret_change = best;
        return best < INT64_MAX;
}
