/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Parsing of calendar expressions
 *
 * An expression has weekdays, a date, a time and a time zone, each of which
 * may be missing. The place of each part is recorded, so that an error can be
 * shown at its place. Whether a number belongs to a date or to a time depends
 * on the character after it.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "basic/text.h"
#include "time/calendar_private.h"
#include "time/civil.h"
#include "time/clock_zone.h"

#define PARTS_MAX 240                   /* of a list */

/* The text that is parsed, up to its time zone. */
typedef struct Reader {
        const char *text;
        const char *at;
        const char *end;
        const char *begins[_CALENDAR_FIELD_MAX];        /* the place of each field; NULL: none */
        CalendarFault fault;
} Reader;

static int refuse(Reader *reader, const char *at, const char *message) {
        reader->fault = (CalendarFault) { (size_t) (at - reader->text), message };
        return -EINVAL;
}

/* The next character, NUL at the end. */
static char peek(const Reader *reader) {
        return reader->at < reader->end ? *reader->at : '\0';
}

static char peek_second(const Reader *reader) {
        return reader->at + 1 < reader->end ? reader->at[1] : '\0';
}

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

static bool skip(Reader *reader, char c) {
        if (peek(reader) != c)
                return false;
        reader->at++;
        return true;
}

static void skip_spaces(Reader *reader) {
        while (skip(reader, ' '))
                ;
}

/* — numbers, lists — */

/* ".25" in microseconds, rounded. A second point belongs to a range. */
static int32_t read_fraction(Reader *reader) {
        int32_t value = 0, scale = (int32_t) USEC_PER_SEC;

        if (peek(reader) != '.' || !is_digit(peek_second(reader)))
                return 0;
        reader->at++;
        for (; scale > 1 && is_digit(peek(reader)); scale /= 10)
                value = value * 10 + (*reader->at++ - '0');
        value = value * scale + (is_digit(peek(reader)) && peek(reader) >= '5');
        while (is_digit(peek(reader)))
                reader->at++;
        return value;
}

static int read_number(Reader *reader, bool is_usec, int32_t *ret) {
        const char *start = reader->at;
        int64_t value = 0;

        if (!is_digit(peek(reader)))
                return refuse(reader, start, peek(reader) == '\0' ? "a number is missing at the end" :
                                                                    "a number is expected here");
        for (; is_digit(peek(reader)); reader->at++)
                if (value <= INT32_MAX)
                        value = value * 10 + (*reader->at - '0');
        if (is_usec && value <= INT32_MAX)
                value = value * (int64_t) USEC_PER_SEC + read_fraction(reader);
        if (value > INT32_MAX / 2)
                return refuse(reader, start, "the number is too large");
        *ret = (int32_t) value;
        return 0;
}

/* "5", "1..5", "0/15", "1..9/2" */
static int read_part(Reader *reader, bool is_usec, CalendarPart *ret_part) {
        CalendarPart part = { .stop = -1 };
        const char *start = reader->at, *step;
        int r;

        r = read_number(reader, is_usec, &part.start);
        if (r < 0)
                return r;
        if (peek(reader) == '.' && peek_second(reader) == '.') {
                reader->at += 2;
                part.step = is_usec ? (int32_t) USEC_PER_SEC : 1;
                r = read_number(reader, is_usec, &part.stop);
                if (r < 0)
                        return r;
        }
        step = reader->at;
        if (skip(reader, '/')) {
                r = read_number(reader, is_usec, &part.step);
                if (r < 0)
                        return r;
                if (part.step == 0)
                        return refuse(reader, step + 1, "a step has to be more than 0");
        } else if (is_usec && part.stop >= 0 && part.start + part.step > part.stop)
                return refuse(reader, start, "a range of less than a second needs a step, as in 0..0.5/0.1");
        if (!strchr(" ,-~:", peek(reader)))
                return refuse(reader, reader->at, "this is no part of a number, range, step or list");
        *ret_part = part;
        return 0;
}

static int read_chain(Reader *reader, bool is_usec, CalendarChain *chain) {
        int r;

        vector_clear(chain);
        if (skip(reader, '*'))
                return is_usec ? vector_push(chain, ((CalendarPart) { 0, -1, (int32_t) USEC_PER_SEC })) : 0;
        do {
                CalendarPart part;

                if (chain->n > PARTS_MAX)
                        return refuse(reader, reader->at, "the list is too long");
                r = read_part(reader, is_usec, &part);
                if (r == 0)
                        r = vector_push(chain, part);
        } while (r == 0 && skip(reader, ','));
        return r;
}

/* — weekdays — */

/* The weekday at this place, or -1. */
static int32_t read_weekday(Reader *reader) {
        for (int32_t day = 0; day < 7; day++) {
                const char *const names[] = { civil_weekday_long_name(day), civil_weekday_name(day) };

                for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                        size_t n = strlen(names[i]);

                        if ((size_t) (reader->end - reader->at) >= n && strncasecmp(reader->at, names[i], n) == 0) {
                                reader->at += n;
                                return day;
                        }
                }
        }
        return -1;
}

/* After a weekday. *range: the weekday at which an open range begins, or -1. True: another weekday follows. */
static int read_weekday_separator(Reader *reader, int32_t day, int32_t *range) {
        bool is_range = peek(reader) == '-' || (peek(reader) == '.' && peek_second(reader) == '.');

        if (is_range && *range >= 0)
                return refuse(reader, reader->at, "a range of weekdays has two weekdays, as in Mon..Fri");
        if (is_range) {
                reader->at += *reader->at == '.' ? 2 : 1;
                *range = day;
        } else {
                if (!strchr(" ,", peek(reader)))
                        return refuse(reader, reader->at, "this is no part of a weekday");
                *range = -1;
                if (!skip(reader, ','))
                        return 0;
        }
        if (peek(reader) != '\0' && peek(reader) != ' ')
                return 1;
        return *range < 0 ? 0 : refuse(reader, reader->at, "the range of weekdays has no end");
}

static int read_weekdays(Reader *reader, Calendar *calendar) {
        int32_t range = -1;
        bool is_first = true;
        int r;

        do {
                const char *start = reader->at;
                int32_t day = read_weekday(reader);

                if (day < 0)
                        return is_first ? 0 : refuse(reader, start, "a weekday is expected here");
                if (range > day)
                        return refuse(reader, start, "the range of weekdays ends before it begins");
                for (int32_t d = range >= 0 ? range : day; d <= day; d++)
                        calendar->weekdays |= (uint8_t) (1 << d);
                is_first = false;
                r = read_weekday_separator(reader, day, &range);
        } while (r > 0);
        if (r == 0)
                skip_spaces(reader);
        return r;
}

/* — date and time — */

static int set_field(Calendar *calendar, CalendarField field, int32_t value) {
        vector_clear(&calendar->fields[field]);
        return vector_push(&calendar->fields[field], ((CalendarPart) { value, -1, 0 }));
}

static int set_time(Calendar *calendar, int32_t hour, int32_t minute, int32_t usec) {
        int r = hour >= 0 ? set_field(calendar, CALENDAR_HOUR, hour) : 0;

        if (r == 0 && minute >= 0)
                r = set_field(calendar, CALENDAR_MINUTE, minute);
        return r < 0 ? r : set_field(calendar, CALENDAR_USEC, usec);
}

/* "@1700000000" */
static int read_timestamp(Reader *reader, Calendar *calendar) {
        const char *start = ++reader->at;
        int64_t seconds = 0;
        CivilTime time;
        int r;

        if (!is_digit(peek(reader)))
                return refuse(reader, start, "seconds since 1970 are expected after '@'");
        for (; is_digit(peek(reader)) && seconds < INT64_C(10000000000); reader->at++)
                seconds = seconds * 10 + (*reader->at - '0');
        if (peek(reader) != '\0')
                return refuse(reader, reader->at, "nothing but seconds since 1970 is expected after '@'");
        time = civil_from_seconds(seconds, 0);
        if (time.year > CALENDAR_YEAR_MAX)
                return refuse(reader, start, "the year is out of its range, 1970 to 2199");
        /* A count of seconds is the same time in each zone: a zone that follows it says nothing. */
        calendar->is_utc = true;
        calendar->dst = -1;
        r = set_field(calendar, CALENDAR_YEAR, time.year);
        if (r == 0)
                r = set_field(calendar, CALENDAR_MONTH, time.month);
        if (r == 0)
                r = set_field(calendar, CALENDAR_DAY, time.day);
        return r < 0 ? r : set_time(calendar, time.hour, time.minute, time.usec);
}

/* The rest of a date after its first chain: "-" or "~" between the chains. Two chains are month and day. */
static int read_date_end(Reader *reader, Calendar *calendar, CalendarChain chains[static 3], const char *start) {
        const char *begins[3] = { start };
        size_t n = 1;

        while (peek(reader) != '\0' && peek(reader) != ' ') {
                int r;

                if (n == 3 || calendar->counts_back || (peek(reader) != '-' && peek(reader) != '~'))
                        return refuse(reader, reader->at, n == 3 || calendar->counts_back ?
                                      "the date has to end here" : "'-' is expected here, as in 2030-12-24");
                calendar->counts_back = *reader->at++ == '~';
                begins[n] = reader->at;
                r = read_chain(reader, false, &chains[n++]);
                if (r < 0)
                        return r;
        }
        skip_spaces(reader);
        for (size_t i = 0; i < n; i++) {
                CalendarField at = (CalendarField) (CALENDAR_DAY + 1 - n + i);
                CalendarChain *field = &calendar->fields[at], empty = {};

                reader->begins[at] = begins[i];
                vector_deinit(field);
                *field = chains[i];
                chains[i] = empty;
        }
        return 0;
}

/* Reads a date if there is one: 0 with nothing read if this is a time. */
static int read_date(Reader *reader, Calendar *calendar) {
        CalendarChain chains[3] = {};
        const char *start = reader->at;
        int r;

        r = read_chain(reader, false, &chains[0]);
        if (r == 0 && (peek(reader) == ':' || peek(reader) == '\0'))
                reader->at = start;
        else if (r == 0 && peek(reader) != '-' && peek(reader) != '~')
                r = refuse(reader, reader->at, "this is neither a date (2030-12-24) nor a time (18:30)");
        else if (r == 0)
                r = read_date_end(reader, calendar, chains, start);
        for (size_t i = 0; i < ELEMENTSOF(chains); i++)
                vector_deinit(&chains[i]);
        return r;
}

static int read_field(Reader *reader, Calendar *calendar, CalendarField field) {
        reader->begins[field] = reader->at;
        return read_chain(reader, field == CALENDAR_USEC, &calendar->fields[field]);
}

static int read_time(Reader *reader, Calendar *calendar) {
        int r;

        if (peek(reader) == '\0')
                return set_time(calendar, 0, 0, 0);
        r = read_field(reader, calendar, CALENDAR_HOUR);
        if (r < 0)
                return r;
        if (!skip(reader, ':'))
                return refuse(reader, reader->at, "':' is expected here, as in 18:30");
        r = read_field(reader, calendar, CALENDAR_MINUTE);
        if (r < 0)
                return r;
        if (peek(reader) == '\0')
                return set_field(calendar, CALENDAR_USEC, 0);
        if (!skip(reader, ':'))
                return refuse(reader, reader->at, "':' or the end is expected here, as in 18:30:00");
        r = read_field(reader, calendar, CALENDAR_USEC);
        if (r == 0 && peek(reader) != '\0')
                return refuse(reader, reader->at, "the end of the expression or a known time zone is expected here");
        return r;
}

/* — shortcuts — */

static const struct {
        const char *word;
        bool is_monday;
        int8_t months[4];               /* 0: any, or the end of the list */
        int8_t day, hour, minute;       /* 0 and -1: any */
} shortcuts[] = {
        { "minutely", false, {}, 0, -1, -1 },
        { "hourly", false, {}, 0, -1, 0 },
        { "daily", false, {}, 0, 0, 0 },
        { "weekly", true, {}, 0, 0, 0 },
        { "monthly", false, {}, 1, 0, 0 },
        { "quarterly", false, { 1, 4, 7, 10 }, 1, 0, 0 },
        { "semiannually", false, { 1, 7 }, 1, 0, 0 },
        { "semi-annually", false, { 1, 7 }, 1, 0, 0 },
        { "biannually", false, { 1, 7 }, 1, 0, 0 },
        { "bi-annually", false, { 1, 7 }, 1, 0, 0 },
        { "yearly", false, { 1 }, 1, 0, 0 },
        { "annually", false, { 1 }, 1, 0, 0 },
        { "anually", false, { 1 }, 1, 0, 0 },           /* the spelling of older files */
};

/* 1: it was a shortcut. */
static int read_shortcut(Reader *reader, Calendar *calendar) {
        size_t n = (size_t) (reader->end - reader->at);
        int r = 0;

        for (size_t i = 0; i < ELEMENTSOF(shortcuts); i++) {
                if (strlen(shortcuts[i].word) != n || strncasecmp(shortcuts[i].word, reader->at, n) != 0)
                        continue;
                calendar->weekdays = shortcuts[i].is_monday;
                for (size_t m = 0; m < ELEMENTSOF(shortcuts[i].months) && shortcuts[i].months[m] > 0 && r == 0; m++)
                        r = vector_push(&calendar->fields[CALENDAR_MONTH],
                                        ((CalendarPart) { shortcuts[i].months[m], -1, 0 }));
                if (r == 0 && shortcuts[i].day > 0)
                        r = set_field(calendar, CALENDAR_DAY, shortcuts[i].day);
                if (r == 0)
                        r = set_time(calendar, shortcuts[i].hour, shortcuts[i].minute, 0);
                reader->at = reader->end;
                return r < 0 ? r : 1;
        }
        return 0;
}

/* — time zones — */

/* Whether the text ends with a blank and @word. */
static bool ends_with_word(const char *text, const char *word) {
        size_t n = strlen(text), m = word ? strlen(word) : 0;

        return m > 0 && n > m && text[n - m - 1] == ' ' && strcasecmp(text + n - m, word) == 0;
}

/* Finds the time zone at the end; *ret_n is the length of the text before it. */
static int read_zone(const char *text, Calendar *calendar, size_t *ret_n) {
        const char *last = strrchr(text, ' ');
        int r;

        *ret_n = last ? (size_t) (last - text) : strlen(text);
        if (ends_with_word(text, "UTC")) {
                calendar->is_utc = true;
                return 0;
        }
        for (int8_t dst = 0; dst <= 1; dst++)
                if (ends_with_word(text, time_zone_name(clock_zone_local(), dst))) {
                        calendar->dst = dst;
                        return 0;
                }
        r = last ? clock_zone_load(last + 1, &calendar->zone) : -ENOENT;
        if (r == -ENOMEM)
                return r;
        if (r < 0) {
                *ret_n = strlen(text);
                return 0;
        }
        calendar->zone_name = strdup(last + 1);
        return calendar->zone_name ? 0 : -ENOMEM;
}

/* — whole expressions — */

static int read_expression(Reader *reader, Calendar *calendar) {
        int r;

        if (reader->at == reader->end)
                return refuse(reader, reader->at, "the expression is empty");
        r = read_shortcut(reader, calendar);
        if (r != 0)
                return r < 0 ? r : 0;
        r = read_weekdays(reader, calendar);
        if (r < 0)
                return r;
        if (peek(reader) == '@')
                return read_timestamp(reader, calendar);
        if (peek(reader) != '\0')
                r = read_date(reader, calendar);
        return r < 0 ? r : read_time(reader, calendar);
}

static const char *describe_range(CalendarField field) {
        switch (field) {
        case CALENDAR_YEAR:
                return "the year is not in 1970 to 2199, or its range or step matches nothing";
        case CALENDAR_MONTH:
                return "the month is out of its range, 1 to 12, or its range or step matches nothing";
        case CALENDAR_DAY:
                return "the day is out of its range, 1 to 31 (1 to 28 from the end), or its range or step "
                       "matches nothing";
        case CALENDAR_HOUR:
                return "the hour is out of its range, 0 to 23, or its range or step matches nothing";
        case CALENDAR_MINUTE:
                return "the minute is out of its range, 0 to 59, or its range or step matches nothing";
        case CALENDAR_USEC:
                return "the second is out of its range, 0 to 59, or its range or step matches nothing";
        case _CALENDAR_FIELD_MAX:
                break;
        }
        return NULL;
}

int calendar_parse(const char *text, Calendar **ret_calendar, CalendarFault *ret_fault) {
        cleanup_(calendar_freep) Calendar *calendar = calloc(1, sizeof(*calendar));
        Reader reader = { .text = text, .at = text };
        size_t n;
        int r;

        assert(text);
        assert(ret_calendar);
        assert(ret_fault);

        if (!calendar)
                return -ENOMEM;
        calendar->dst = -1;
        r = read_zone(text, calendar, &n);
        if (r < 0)
                return r;
        reader.end = text + n;
        r = read_expression(&reader, calendar);
        if (r == 0) {
                CalendarField wrong = calendar_normalize(calendar);

                if (wrong != _CALENDAR_FIELD_MAX)
                        r = refuse(&reader, reader.begins[wrong] ? reader.begins[wrong] : text, describe_range(wrong));
        }
        if (r < 0) {
                *ret_fault = reader.fault;
                return r;
        }
        *ret_calendar = take_ptr(calendar);
        return 0;
}

Calendar *calendar_free(Calendar *calendar) {
        if (!calendar)
                return NULL;
        for (CalendarField field = 0; field < _CALENDAR_FIELD_MAX; field++)
                vector_deinit(&calendar->fields[field]);
        time_zone_free(calendar->zone);
        free(calendar->zone_name);
        free(calendar);
        return NULL;
}
