/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The journal, with the interface of the files of jobd-log
 */

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <systemd/sd-journal.h>

#include "basic/text.h"
#include "basic/vector.h"
#include "jobctl/journal_input.h"

/* The fields that are read from an entry; the first three tell its unit. */
typedef enum Field {
        FIELD_UNIT,
        FIELD_OF_UNIT,
        FIELD_USER_UNIT,
        FIELD_MESSAGE,
        FIELD_PRIORITY,
        FIELD_PID,
        FIELD_IDENTIFIER,
        FIELD_INVOCATION,
        FIELD_BOOT,
        _FIELD_MAX,
} Field;

static const char *const fields[_FIELD_MAX] = {
        [FIELD_UNIT] = "_SYSTEMD_UNIT",
        [FIELD_OF_UNIT] = "UNIT",
        [FIELD_USER_UNIT] = "_SYSTEMD_USER_UNIT",
        [FIELD_MESSAGE] = "MESSAGE",
        [FIELD_PRIORITY] = "PRIORITY",
        [FIELD_PID] = "_PID",
        [FIELD_IDENTIFIER] = "SYSLOG_IDENTIFIER",
        [FIELD_INVOCATION] = "_SYSTEMD_INVOCATION_ID",
        [FIELD_BOOT] = "_BOOT_ID",
};

struct JournalInput {
        sd_journal *journal;            /* owned */
        LogFilter filter;
        char *invocation;               /* owned */
        bool has_begun;
        bool is_at_entry;               /* the journal is positioned at the next entry */
        char *values[_FIELD_MAX];       /* owned: the values of the last entry */
        size_t message_length;
};

int journal_input_new(JournalInput **ret_input, bool is_user, const LogFilter *filter) {
        JournalInput *input = calloc(1, sizeof(*input));
        int r;

        if (!input)
                return -ENOMEM;
        input->filter = *filter;
        if (filter->invocation)
                input->filter.invocation = input->invocation = strdup(filter->invocation);
        r = sd_journal_open(&input->journal, SD_JOURNAL_LOCAL_ONLY | (is_user ? SD_JOURNAL_CURRENT_USER : 0));
        if (r < 0) {
                journal_input_free(input);
                return r;
        }
        *ret_input = input;
        return 0;
}

JournalInput *journal_input_free(JournalInput *input) {
        if (!input)
                return NULL;
        sd_journal_close(input->journal);
        for (size_t i = 0; i < _FIELD_MAX; i++)
                free(input->values[i]);
        free(input->invocation);
        free(input);
        return NULL;
}

static int add_match(JournalInput *input, Field field, const char *unit) {
        cleanup_free_ char *match = NULL;
        int r;

        r = text_format(&match, "%s=%s", fields[field], unit);
        if (r == 0)
                r = sd_journal_add_match(input->journal, match, 0);
        return r < 0 ? r : sd_journal_add_disjunction(input->journal);
}

/* Adds each matching unit that has entries. */
static int add_pattern(JournalInput *input, const char *pattern) {
        const size_t prefix = strlen(fields[FIELD_UNIT]) + 1;
        const void *data;
        size_t n;
        int r;

        r = sd_journal_query_unique(input->journal, fields[FIELD_UNIT]);
        if (r < 0)
                return r;
        SD_JOURNAL_FOREACH_UNIQUE(input->journal, data, n) {
                cleanup_free_ char *unit = n > prefix ? strndup((const char *) data + prefix, n - prefix) : NULL;

                if (unit && fnmatch(pattern, unit, 0) == 0)
                        r = add_match(input, FIELD_UNIT, unit);
                if (r < 0)
                        return r;
        }
        return 0;
}

int journal_input_add(JournalInput *input, const char *unit) {
        int r;

        if (strpbrk(unit, "*?["))
                return add_pattern(input, unit);
        r = add_match(input, FIELD_UNIT, unit);
        if (r >= 0)
                r = add_match(input, FIELD_OF_UNIT, unit);
        if (r >= 0)
                r = add_match(input, FIELD_USER_UNIT, unit);
        return r < 0 ? r : 0;
}

static void read_values(JournalInput *input) {
        for (size_t i = 0; i < _FIELD_MAX; i++) {
                const size_t prefix = strlen(fields[i]) + 1;
                const void *data;
                size_t n;

                free(input->values[i]);
                input->values[i] = NULL;
                if (sd_journal_get_data(input->journal, fields[i], &data, &n) < 0 || n < prefix)
                        continue;
                input->values[i] = malloc(n - prefix + 1);
                if (!input->values[i])
                        continue;
                memcpy(input->values[i], (const char *) data + prefix, n - prefix);
                input->values[i][n - prefix] = '\0';
                if (i == FIELD_MESSAGE)
                        input->message_length = n - prefix;
        }
}

static int make_entry(JournalInput *input, LogEntry *ret_entry) {
        char *const *values = input->values;
        sd_id128_t boot;
        int r;

        read_values(input);
        *ret_entry = (LogEntry) {
                .record = {
                        .priority = values[FIELD_PRIORITY] ? (uint32_t) atoi(values[FIELD_PRIORITY]) & 7 : 6,
                        .mark = LOG_MARK_WHOLE,
                        .message = values[FIELD_MESSAGE] ? values[FIELD_MESSAGE] : "",
                        .length = values[FIELD_MESSAGE] ? input->message_length : 0,
                },
                .context = {
                        .unit = values[FIELD_UNIT]        ? values[FIELD_UNIT]
                                : values[FIELD_OF_UNIT]   ? values[FIELD_OF_UNIT]
                                : values[FIELD_USER_UNIT] ? values[FIELD_USER_UNIT]
                                                          : "-",
                        .identifier = values[FIELD_IDENTIFIER],
                        .invocation = values[FIELD_INVOCATION],
                        .boot = values[FIELD_BOOT],
                        .pid = values[FIELD_PID] ? atoi(values[FIELD_PID]) : 0,
                },
        };
        r = sd_journal_get_realtime_usec(input->journal, &ret_entry->record.realtime);
        if (r >= 0)
                (void) sd_journal_get_monotonic_usec(input->journal, &ret_entry->record.monotonic, &boot);
        return r < 0 ? r : 1;
}

static bool is_wanted(const JournalInput *input, const LogEntry *entry) {
        const LogFilter *filter = &input->filter;

        if (entry->record.priority > filter->priority_max || entry->record.realtime < filter->since ||
            (filter->until > 0 && entry->record.realtime > filter->until))
                return false;
        return !filter->invocation ||
               (entry->context.invocation && text_starts_with(entry->context.invocation, filter->invocation));
}

/* Goes back over the wanted number of entries; entries that other filters exclude do not count. */
static int go_back(JournalInput *input) {
        size_t n = 0;
        LogEntry entry;
        int r;

        r = sd_journal_seek_tail(input->journal);
        while (r >= 0 && n < input->filter.last && (r = sd_journal_previous(input->journal)) > 0) {
                r = make_entry(input, &entry);
                if (r > 0 && entry.record.realtime < input->filter.since)
                        break;
                if (r > 0 && is_wanted(input, &entry))
                        n++;
        }
        if (r == 0)
                r = sd_journal_seek_head(input->journal);
        else
                input->is_at_entry = n > 0;
        return r < 0 ? r : 0;
}

static int begin(JournalInput *input) {
        int r = 0;

        input->has_begun = true;
        if (input->filter.last == LOG_LAST_NONE) {
                r = sd_journal_seek_tail(input->journal);
                if (r >= 0)
                        r = sd_journal_previous(input->journal);
        } else if (input->filter.last > 0)
                r = go_back(input);
        else if (input->filter.since > 0)
                r = sd_journal_seek_realtime_usec(input->journal, input->filter.since);
        else
                r = sd_journal_seek_head(input->journal);
        return r < 0 ? r : 0;
}

int journal_input_next(JournalInput *input, LogEntry *ret_entry) {
        int r = input->has_begun ? 0 : begin(input);

        while (r >= 0) {
                r = input->is_at_entry ? 1 : sd_journal_next(input->journal);
                input->is_at_entry = false;
                if (r <= 0)
                        return r;
                r = make_entry(input, ret_entry);
                if (r > 0 && is_wanted(input, ret_entry))
                        return 1;
        }
        return r;
}

int journal_input_wait(JournalInput *input, usec_t timeout) {
        int r = sd_journal_wait(input->journal, timeout);

        return r < 0 ? r : r != SD_JOURNAL_NOP;
}

int journal_input_fd(const JournalInput *input) {
        return sd_journal_get_fd(input->journal);
}

static bool is_of_unit(const JournalInput *input, const char *unit) {
        return text_equal(input->values[FIELD_UNIT], unit) || text_equal(input->values[FIELD_USER_UNIT], unit);
}

int journal_input_find_invocation(bool is_user, const char *unit, char ret_invocation[static 33]) {
        const LogFilter all = { .priority_max = 7 };
        cleanup_(journal_input_freep) JournalInput *input = NULL;
        LogEntry entry;
        int r;

        r = journal_input_new(&input, is_user, &all);
        if (r >= 0)
                r = journal_input_add(input, unit);
        if (r >= 0)
                r = sd_journal_seek_tail(input->journal);
        while (r >= 0 && (r = sd_journal_previous(input->journal)) > 0)
                if (make_entry(input, &entry) > 0 && is_of_unit(input, unit) && entry.context.invocation &&
                    strlen(entry.context.invocation) == 32) {
                        strcpy(ret_invocation, entry.context.invocation);
                        return 0;
                }
        return r < 0 ? r : -ENOENT;
}
