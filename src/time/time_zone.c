/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A time zone: the offset of local time at any time
 *
 * libc has all of this behind global state: one zone per process at a time,
 * chosen by an environment variable, and a mktime() whose answer for an hour
 * that occurs twice depends on earlier calls. Timers need several zones at
 * once and reproducible answers, so the files are parsed here.
 *
 * A file has two parts: one with 32-bit times, which is skipped, and one with
 * 64-bit times, followed by a rule for all later times.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "time/civil.h"
#include "time/time_zone.h"
#include "time/time_zone_rule.h"

#define HEADER_SIZE 44
#define TYPE_SIZE 6
#define COUNT_MAX 65536                 /* more than in any time zone */
#define OFFSET_MAX (26 * 3600)          /* RFC 8536, 3.2 */

typedef struct TimeZoneType {
        int32_t seconds;
        bool is_dst;
        uint8_t name;                   /* its place in @names */
} TimeZoneType;

struct TimeZone {
        int64_t *changes;               /* owned; ascending */
        uint8_t *types_after;           /* owned; the type after each change */
        size_t n_changes;
        TimeZoneType *types;            /* owned */
        size_t n_types;
        char *names;                    /* owned; NUL-terminated strings in a row */
        bool has_rule;
        TimeZoneRule rule;
};

/* The part of the file that is not read yet. */
typedef struct Bytes {
        const uint8_t *at;
        size_t n;
} Bytes;

typedef struct TimeZoneHeader {
        uint8_t version;
        size_t n_ut, n_standard, n_leap, n_changes, n_types, n_names;
} TimeZoneHeader;

static uint32_t read_u32(const uint8_t *at) {
        return (uint32_t) at[0] << 24 | (uint32_t) at[1] << 16 | (uint32_t) at[2] << 8 | at[3];
}

static int64_t read_i64(const uint8_t *at) {
        return (int64_t) ((uint64_t) read_u32(at) << 32 | read_u32(at + 4));
}

/* The next @n bytes, or NULL if there are fewer. */
static const uint8_t *take_bytes(Bytes *bytes, size_t n) {
        const uint8_t *at = bytes->at;

        if (n > bytes->n)
                return NULL;
        bytes->at += n;
        bytes->n -= n;
        return at;
}

static int read_header(Bytes *bytes, TimeZoneHeader *ret) {
        const uint8_t *at = take_bytes(bytes, HEADER_SIZE);
        size_t counts[6];

        if (!at || memcmp(at, "TZif", 4) != 0)
                return -EBADMSG;
        for (size_t i = 0; i < ELEMENTSOF(counts); i++) {
                counts[i] = read_u32(at + 20 + 4 * i);
                if (counts[i] > COUNT_MAX)
                        return -EBADMSG;
        }
        *ret = (TimeZoneHeader) { .version = at[4], .n_ut = counts[0], .n_standard = counts[1], .n_leap = counts[2],
                                  .n_changes = counts[3], .n_types = counts[4], .n_names = counts[5] };
        return ret->n_types == 0 || ret->n_names == 0 ? -EBADMSG : 0;
}

static size_t body_size(const TimeZoneHeader *header, size_t time_size) {
        return header->n_changes * (time_size + 1) + header->n_types * TYPE_SIZE + header->n_names +
               header->n_leap * (time_size + 4) + header->n_standard + header->n_ut;
}

static int read_changes(TimeZone *zone, const TimeZoneHeader *header, Bytes *bytes, size_t time_size) {
        const uint8_t *times = take_bytes(bytes, header->n_changes * time_size);
        const uint8_t *types = take_bytes(bytes, header->n_changes);

        if (!times || !types)
                return -EBADMSG;
        zone->changes = calloc(header->n_changes + 1, sizeof(*zone->changes));
        zone->types_after = calloc(header->n_changes + 1, 1);
        if (!zone->changes || !zone->types_after)
                return -ENOMEM;
        for (size_t i = 0; i < header->n_changes; i++) {
                const uint8_t *at = times + i * time_size;

                zone->changes[i] = time_size == 8 ? read_i64(at) : (int32_t) read_u32(at);
                zone->types_after[i] = types[i];
                if (types[i] >= header->n_types || (i > 0 && zone->changes[i] <= zone->changes[i - 1]))
                        return -EBADMSG;
        }
        zone->n_changes = header->n_changes;
        return 0;
}

static int read_types(TimeZone *zone, const TimeZoneHeader *header, Bytes *bytes) {
        const uint8_t *types = take_bytes(bytes, header->n_types * TYPE_SIZE);
        const uint8_t *names = take_bytes(bytes, header->n_names);

        if (!types || !names || names[header->n_names - 1] != '\0')
                return -EBADMSG;
        zone->types = calloc(header->n_types, sizeof(*zone->types));
        zone->names = malloc(header->n_names);
        if (!zone->types || !zone->names)
                return -ENOMEM;
        memcpy(zone->names, names, header->n_names);
        for (size_t i = 0; i < header->n_types; i++) {
                const uint8_t *at = types + i * TYPE_SIZE;

                zone->types[i] = (TimeZoneType) { .seconds = (int32_t) read_u32(at), .is_dst = at[4], .name = at[5] };
                if (at[5] >= header->n_names || zone->types[i].seconds < -OFFSET_MAX ||
                    zone->types[i].seconds > OFFSET_MAX)
                        return -EBADMSG;
        }
        zone->n_types = header->n_types;
        return 0;
}

/* The last line: "\nRULE\n". */
static int read_rule(TimeZone *zone, Bytes bytes) {
        char text[128];

        if (bytes.n < 2 || bytes.n > sizeof(text) || bytes.at[0] != '\n' || bytes.at[bytes.n - 1] != '\n')
                return -EBADMSG;
        if (bytes.n == 2)
                return 0;
        memcpy(text, bytes.at + 1, bytes.n - 2);
        text[bytes.n - 2] = '\0';
        zone->has_rule = true;
        return time_zone_rule_parse(text, &zone->rule) < 0 ? -EBADMSG : 0;
}

int time_zone_new(const void *bytes, size_t n, TimeZone **ret_zone) {
        cleanup_(time_zone_freep) TimeZone *zone = NULL;
        Bytes left = { bytes, n };
        TimeZoneHeader header;
        size_t time_size = 4;
        int r;

        assert(bytes);
        assert(ret_zone);

        r = read_header(&left, &header);
        if (r == 0 && header.version >= '2') {
                time_size = 8;
                r = take_bytes(&left, body_size(&header, 4)) ? read_header(&left, &header) : -EBADMSG;
        }
        if (r < 0)
                return r;
        zone = calloc(1, sizeof(*zone));
        if (!zone)
                return -ENOMEM;
        r = read_changes(zone, &header, &left, time_size);
        if (r == 0)
                r = read_types(zone, &header, &left);
        if (r == 0 && !take_bytes(&left, header.n_leap * (time_size + 4) + header.n_standard + header.n_ut))
                r = -EBADMSG;
        if (r == 0 && time_size == 8)
                r = read_rule(zone, left);
        if (r == 0)
                *ret_zone = take_ptr(zone);
        return r;
}

int time_zone_new_rule(const char *rule, TimeZone **ret_zone) {
        TimeZone *zone;
        TimeZoneRule parsed;

        if (time_zone_rule_parse(rule, &parsed) < 0)
                return -EINVAL;
        zone = calloc(1, sizeof(*zone));
        if (!zone)
                return -ENOMEM;
        zone->has_rule = true;
        zone->rule = parsed;
        *ret_zone = zone;
        return 0;
}

TimeZone *time_zone_free(TimeZone *zone) {
        if (!zone)
                return NULL;
        free(zone->changes);
        free(zone->types_after);
        free(zone->types);
        free(zone->names);
        free(zone);
        return NULL;
}

/* The number of changes up to and including @utc. */
static size_t count_changes(const TimeZone *zone, int64_t utc) {
        size_t low = 0, high = zone->n_changes;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (zone->changes[middle] <= utc)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

TimeZoneOffset time_zone_at(const TimeZone *zone, int64_t utc) {
        const TimeZoneType *type;
        size_t n;

        if (!zone)
                return (TimeZoneOffset) { .name = "UTC" };
        n = count_changes(zone, utc);
        if (zone->has_rule && n == zone->n_changes) {
                bool is_dst = time_zone_rule_is_dst(&zone->rule, utc);

                return (TimeZoneOffset) { zone->rule.offset[is_dst], is_dst, zone->rule.name[is_dst] };
        }
        type = &zone->types[n > 0 ? zone->types_after[n - 1] : 0];
        return (TimeZoneOffset) { type->seconds, type->is_dst, zone->names + type->name };
}

/* The first moment after @after at which the offset or the name changes; false: there is none. */
static bool find_next_change(const TimeZone *zone, int64_t after, int64_t *ret_change) {
        size_t n;

        if (!zone)
                return false;
        n = count_changes(zone, after);
        if (n < zone->n_changes) {
                *ret_change = zone->changes[n];
                return true;
        }
        return zone->has_rule && time_zone_rule_next_change(&zone->rule, after, ret_change);
}

const char *time_zone_name(const TimeZone *zone, bool is_dst) {
        if (!zone)
                return is_dst ? NULL : "UTC";
        if (zone->has_rule && zone->rule.name[is_dst][0] != '\0')
                return zone->rule.name[is_dst];
        for (size_t n = zone->n_changes; n > 0; n--) {
                const TimeZoneType *type = &zone->types[zone->types_after[n - 1]];

                if (type->is_dst == is_dst)
                        return zone->names + type->name;
        }
        return zone->n_types > 0 && !is_dst ? zone->names + zone->types[0].name : NULL;
}

/* The state of time_zone_find(). */
typedef struct Search {
        int64_t local, not_before;
        int dst;
        int64_t found, next;            /* INT64_MAX: none */
} Search;

/* Searches the period from @begin to @end (UTC) with a constant @offset. */
static void search_stretch(Search *search, int64_t begin, int64_t end, TimeZoneOffset offset) {
        int64_t utc = search->local - offset.seconds, shown;

        if (search->dst >= 0 && search->dst != offset.is_dst)
                return;
        if (utc >= begin && utc < end && utc >= search->not_before && utc < search->found)
                search->found = utc;
        if (begin == INT64_MIN)         /* the first period has no beginning */
                return;
        shown = begin + offset.seconds;
        if (end > search->not_before && shown > search->local && shown < search->next)
                search->next = shown;
}

bool time_zone_find(const TimeZone *zone, int64_t local, int dst, int64_t not_before, int64_t *ret_utc,
                    int64_t *ret_local) {
        Search search = { local, not_before, dst, INT64_MAX, INT64_MAX };
        int64_t begin = INT64_MIN, at = local - OFFSET_MAX - 1, change;
        bool is_over = false;

        /* All periods in which clocks can show the time, and later ones up to the first match. */
        while (!is_over && search.found == INT64_MAX) {
                TimeZoneOffset offset = time_zone_at(zone, at);
                bool has_next = find_next_change(zone, at, &change);

                search_stretch(&search, begin, has_next ? change : INT64_MAX, offset);
                is_over = !has_next || (search.next < INT64_MAX && change > local + OFFSET_MAX) ||
                          change > local + 400 * (int64_t) 366 * SECONDS_PER_DAY;
                begin = at = change;
        }
        *ret_utc = search.found;
        *ret_local = search.next;
        return search.found < INT64_MAX;
}
