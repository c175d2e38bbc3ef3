/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Times of cron
 *
 * A field is read into a set of numbers, so that each way to write the same set
 * gives the same calendar expression.
 */

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "basic/macro.h"
#include "jobctl/cron_time.h"

#define NAME_LENGTH 3U

typedef struct FieldRule {
        const char *name;
        unsigned low, high;
        const char *words; /* of three letters each, from @low on; or NULL */
} FieldRule;

static const FieldRule rules[_CRON_FIELD_MAX] = {
        [CRON_MINUTE] = { "minute", 0, 59, NULL },
        [CRON_HOUR] = { "hour", 0, 23, NULL },
        [CRON_DAY] = { "day of the month", 1, 31, NULL },
        [CRON_MONTH] = { "month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
        [CRON_WEEKDAY] = { "day of the week", 0, 7, "sunmontuewedthufrisat" },
};

static const char *skip_blanks(const char *at) {
        return at + strspn(at, " \t");
}

/* A number, or a name of it: its length, 0 if there is none. */
static size_t read_number(const FieldRule *rule, const char *at, unsigned *ret_number) {
        size_t n = strspn(at, "0123456789");
        unsigned number = 0;

        for (size_t i = 0; i < n && i < 6; i++)
                number = number * 10 + (unsigned) (at[i] - '0');
        *ret_number = number;
        if (n > 0)
                return n > 6 ? 0 : n;
        for (const char *word = rule->words; word && *word; word += NAME_LENGTH, number++)
                if (strncasecmp(word, at, NAME_LENGTH) == 0) {
                        *ret_number = rule->low + number;
                        return NAME_LENGTH;
                }
        return 0;
}

/* "*", "5", "1-5", each of the first and last with "/2" behind it: what is behind it, or NULL. */
static const char *read_range(const FieldRule *rule, const char *at, uint64_t *set) {
        unsigned first = rule->low, last = rule->high, step = 1;
        bool is_range = true;
        size_t n = *at == '*' ? 1 : read_number(rule, at, &first);

        if (n == 0)
                return NULL;
        if (*at != '*') {
                is_range = at[n] == '-';
                at += n;
                n = is_range ? read_number(rule, at + 1, &last) : 0;
                if (is_range && n == 0)
                        return NULL;
                n += is_range;
                last = is_range ? last : first;
        }
        at += n;
        if (*at == '/') {
                n = strspn(at + 1, "0123456789");
                if (!is_range || n == 0 || read_number(rule, at + 1, &step) == 0 || step == 0)
                        return NULL;
                at += n + 1;
        }
        if (first < rule->low || last > rule->high || first > last)
                return NULL;
        for (unsigned i = first; i <= last; i += step)
                *set |= UINT64_C(1) << i;
        return at;
}

static int read_field(CronField field, const char *begin, size_t n, CronTime *time, char **ret_problem) {
        const FieldRule *rule = &rules[field];
        const char *at = begin;
        uint64_t *set = &time->sets[field];
        int r;

        time->is_star[field] = *begin == '*';
        for (;;) {
                at = read_range(rule, at, set);
                if (!at || at > begin + n || (at < begin + n && *at != ','))
                        break;
                if (at == begin + n) {
                        /* Sunday is 0 and 7. */
                        if (field == CRON_WEEKDAY)
                                *set = (*set | *set >> 7) & 0x7f;
                        return 0;
                }
                at++;
        }
        r = text_format(ret_problem,
                        "'%.*s' is no %s of cron: numbers from %u to %u%s, ranges, lists, and steps "
                        "of a range or of *",
                        (int) n, begin, rule->name, rule->low, rule->high,
                        rule->words ? ", names of three letters" : "");
        return r < 0 ? r : -EINVAL;
}

/* — @daily — */

static const struct {
        const char *name, *fields;
} nicknames[] = {
        { "@yearly", "0 0 1 1 *" }, { "@annually", "0 0 1 1 *" }, { "@monthly", "0 0 1 * *" },
        { "@weekly", "0 0 * * 0" }, { "@daily", "0 0 * * *" },    { "@midnight", "0 0 * * *" },
        { "@hourly", "0 * * * *" }, { "@reboot", NULL },
};

static int read_nickname(const char **text, const char **ret_rest, CronTime *time, char **ret_problem) {
        size_t n = strcspn(*text, " \t");
        int r;

        for (size_t i = 0; i < ELEMENTSOF(nicknames); i++)
                if (strlen(nicknames[i].name) == n && strncasecmp(nicknames[i].name, *text, n) == 0) {
                        *ret_rest = skip_blanks(*text + n);
                        *text = nicknames[i].fields;
                        time->is_reboot = !*text;
                        return 0;
                }
        r = text_format(ret_problem,
                        "'%.*s' is no time of cron; these are: @reboot, @yearly, @annually, @monthly, "
                        "@weekly, @daily, @midnight and @hourly",
                        (int) n, *text);
        return r < 0 ? r : -EINVAL;
}

int cron_time_parse(const char *text, CronTime *ret_time, const char **ret_rest, char **ret_problem) {
        const bool is_nickname = *text == '@';
        CronTime time = {};
        int r = 0;

        if (is_nickname)
                r = read_nickname(&text, ret_rest, &time, ret_problem);
        for (unsigned i = 0; r == 0 && !time.is_reboot && i < _CRON_FIELD_MAX; i++) {
                size_t n = strcspn(text, " \t");

                if (n > 0)
                        r = read_field((CronField) i, text, n, &time, ret_problem);
                else
                        r = text_format(ret_problem, "There is no %s: a time of cron has five fields", rules[i].name) <
                                            0
                                    ? -ENOMEM
                                    : -EINVAL;
                text = skip_blanks(text + n);
        }
        if (r < 0)
                return r;
        if (!is_nickname)
                *ret_rest = text;
        *ret_time = time;
        return 0;
}

/* — as a calendar expression — */

/* Whether @set is one number in every @step, from @first up to the end: "0/15". */
static bool is_progression(uint64_t set, unsigned first, unsigned high, unsigned *ret_step) {
        unsigned second = first + 1;
        uint64_t whole = 0;

        while (second <= high && !(set >> second & 1))
                second++;
        *ret_step = second - first;
        for (unsigned i = first; i <= high; i += *ret_step)
                whole |= UINT64_C(1) << i;
        return whole == set && *ret_step > 1 && first + 2 * *ret_step <= high;
}

static void add_set(Text *text, uint64_t set, unsigned low, unsigned high) {
        unsigned first = low, step;

        while (!(set >> first & 1))
                first++;
        if (first == low && (unsigned) __builtin_popcountll(set) == high - low + 1) {
                text_add_char(text, '*');
                return;
        }
        if (is_progression(set, first, high, &step)) {
                text_addf(text, "%02u/%u", first, step);
                return;
        }
        for (unsigned i = first, last; i <= high; i = last + 1) {
                last = i;
                if (!(set >> i & 1))
                        continue;
                while (last < high && (set >> (last + 1) & 1))
                        last++;
                text_addf(text, i == first ? "%02u" : ",%02u", i);
                if (last == i + 1)
                        text_addf(text, ",%02u", last);
                else if (last > i)
                        text_addf(text, "..%02u", last);
        }
}

/* From Monday on, as timers count. */
static void add_weekdays(Text *text, uint64_t set) {
        static const char names[7][4] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };
        bool is_first = true;

        set = set >> 1 | (set & 1) << 6;
        for (unsigned i = 0, last; i < 7; i = last + 1) {
                last = i;
                if (!(set >> i & 1))
                        continue;
                while (last < 6 && (set >> (last + 1) & 1))
                        last++;
                text_addf(text, "%s%s", is_first ? "" : ",", names[i]);
                if (last > i)
                        text_addf(text, "%s%s", last == i + 1 ? "," : "..", names[last]);
                is_first = false;
        }
        text_add_char(text, ' ');
}

static void add_line(const CronTime *time, bool has_day, bool has_weekday, const char *zone, Text *text) {
        text_add(text, "OnCalendar=");
        if (has_weekday && time->sets[CRON_WEEKDAY] != 0x7f)
                add_weekdays(text, time->sets[CRON_WEEKDAY]);
        text_add(text, "*-");
        add_set(text, time->sets[CRON_MONTH], 1, 12);
        text_add_char(text, '-');
        if (has_day)
                add_set(text, time->sets[CRON_DAY], 1, 31);
        else
                text_add_char(text, '*');
        text_add_char(text, ' ');
        add_set(text, time->sets[CRON_HOUR], 0, 23);
        text_add_char(text, ':');
        add_set(text, time->sets[CRON_MINUTE], 0, 59);
        text_addf(text, ":00%s%s\n", zone ? " " : "", zone ? zone : "");
}

void cron_time_write(const CronTime *time, const char *zone, Text *text) {
        /* With both kinds of days restricted one of them is enough; a field that begins with "*" is no restriction. */
        const bool is_either = !time->is_star[CRON_DAY] && !time->is_star[CRON_WEEKDAY];
        const bool is_any = is_either &&
                            (time->sets[CRON_WEEKDAY] == 0x7f || time->sets[CRON_DAY] == UINT64_C(0xfffffffe));

        add_line(time, !is_any, !is_either, zone, text);
        if (is_either && !is_any)
                add_line(time, false, true, zone, text);
}
