/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The record of a launch
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manager/manager_attempt_launch.h"
#include "manager/manager_workers.h"

void manager_launch_drop_range(ManagerLaunch *launch) {
        launch->range = run_range_free(launch->range);
        launch->pages = run_pages_free(launch->pages);
        for (size_t i = 0; i < launch->texts.n; i++)
                free(launch->texts.items[i].text);
        vector_deinit(&launch->texts);
}

void manager_launch_deinit(ManagerLaunch *launch) {
        manager_workers_free(launch->workers);
        manager_launch_drop_range(launch);
        free(launch->saved);
        vector_deinit(&launch->mended);
        free(launch->saved_workers);
        free(launch->kept);
        free(launch->kept_errors);
        manager_item_errors_deinit(&launch->errors);
        *launch = (ManagerLaunch) {};
}

/* Without memory for it the record is what it was: more is executed again after a death. */
void manager_launch_keep(ManagerLaunch *launch) {
        cleanup_(record_writer_deinit) RecordWriter writer = {}, errors = {};

        if (!launch->range || !launch->workers)
                return;
        manager_launch_save(launch, launch->changed_at, &writer);
        manager_item_errors_write(&launch->errors, &errors);
        if (writer.has_failed || errors.has_failed)
                return;
        manager_launch_drop_kept(launch);
        launch->kept = take_ptr(writer.bytes);
        launch->n_kept = writer.n;
        launch->kept_errors = take_ptr(errors.bytes);
        launch->n_kept_errors = errors.n;
}

void manager_launch_drop_kept(ManagerLaunch *launch) {
        free(take_ptr(launch->kept));
        free(take_ptr(launch->kept_errors));
}

static void write_errors(const ManagerLaunch *launch, RecordWriter *writer) {
        const size_t place = record_open(writer);

        manager_item_errors_write(&launch->errors, writer);
        (void) record_close(writer, place);
}

void manager_launch_write(const ManagerLaunch *launch, RecordWriter *writer) {
        size_t place;

        record_put(writer, launch->stage);
        record_put(writer, launch->number);
        record_put(writer, launch->n_issued);
        record_put(writer, launch->is_failed);
        record_put(writer, launch->changed_at);
        record_put(writer, launch->paused_at);
        if (!launch->range) {
                record_put_bytes(writer, launch->saved, launch->n_saved);
                record_put_bytes(writer, launch->saved_workers, launch->n_saved_workers);
                write_errors(launch, writer);
                return;
        }
        if (launch->kept && !launch->is_handed_over) {
                record_put_bytes(writer, launch->kept, launch->n_kept);
                record_put_bytes(writer, NULL, 0);
                record_put_bytes(writer, launch->kept_errors, launch->n_kept_errors);
                return;
        }
        place = record_open(writer);
        manager_launch_save(launch, launch->changed_at, writer);
        (void) record_close(writer, place);
        place = record_open(writer);
        if (launch->is_handed_over && launch->workers)
                manager_workers_write(launch->workers, writer);
        (void) record_close(writer, place);
        write_errors(launch, writer);
}

static int read_bytes(RecordReader *reader, uint8_t **ret_bytes, size_t *ret_n) {
        const void *bytes = record_get_bytes(reader, ret_n);

        if (reader->has_failed)
                return -EBADMSG;
        if (*ret_n == 0)
                return 0;
        *ret_bytes = malloc(*ret_n);
        if (!*ret_bytes)
                return -ENOMEM;
        memcpy(*ret_bytes, bytes, *ret_n);
        return 0;
}

static int read_errors(ManagerLaunch *launch, RecordReader *reader) {
        size_t n;
        const void *bytes = record_get_bytes(reader, &n);
        RecordReader inner;

        if (reader->has_failed)
                return -EBADMSG;
        record_reader_init_inner(&inner, bytes, n, reader);
        return manager_item_errors_read(&launch->errors, &inner);
}

int manager_launch_read(ManagerLaunch *launch, RecordReader *reader) {
        int r;

        launch->stage = (ManagerLaunchStage) record_get_below(reader, _MANAGER_LAUNCH_STAGE_MAX);
        launch->number = (uint32_t) record_get_below(reader, MANAGER_ITEM_GENERATION);
        launch->n_issued = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        launch->is_failed = record_get_below(reader, 2);
        launch->changed_at = record_get(reader);
        launch->paused_at = record_get(reader);
        r = read_bytes(reader, &launch->saved, &launch->n_saved);
        if (r == 0 && !record_is_at_end(reader))
                r = read_bytes(reader, &launch->saved_workers, &launch->n_saved_workers);
        /* An earlier version did not write it. */
        return r == 0 && !record_is_at_end(reader) ? read_errors(launch, reader) : r;
}

/* — texts — */

static const char *find_kept(const ManagerLaunch *launch, uint64_t item) {
        for (size_t i = 0; i < launch->texts.n; i++)
                if (launch->texts.items[i].item == item)
                        return launch->texts.items[i].text;
        return NULL;
}

const char *manager_launch_text(const ManagerLaunch *launch, uint64_t item) {
        const char *text = find_kept(launch, item);

        return text            ? text
               : launch->pages ? run_pages_find(launch->pages, item)
                               : NULL;
}

int manager_launch_keep_text(ManagerLaunch *launch, uint64_t item, const char *text) {
        ManagerItemText kept = { .item = item, .text = strdup(text) };
        int r = kept.text ? vector_push(&launch->texts, kept) : -ENOMEM;

        if (r < 0)
                free(kept.text);
        return r;
}

void manager_launch_drop_text(ManagerLaunch *launch, uint64_t item) {
        for (size_t i = 0; i < launch->texts.n; i++)
                if (launch->texts.items[i].item == item) {
                        free(launch->texts.items[i].text);
                        launch->texts.items[i] = launch->texts.items[--launch->texts.n];
                        return;
                }
}

/* Pages are read again, and what is out to a worker may be answered before. */
static void keep_texts_out(ManagerLaunch *launch) {
        RunRangeCounts counts;

        run_range_count(launch->range, &counts);
        for (uint64_t item = counts.base; item < counts.next; item++) {
                const char *text = run_range_is_out(launch->range, item) && !find_kept(launch, item)
                                           ? run_pages_find(launch->pages, item)
                                           : NULL;

                if (text)
                        (void) manager_launch_keep_text(launch, item, text);
        }
}

void manager_launch_hand_over(ManagerLaunch *launch, bool is_handed_over) {
        launch->is_handed_over = is_handed_over;
        if (is_handed_over && launch->pool && launch->pages)
                keep_texts_out(launch);
}

/* — the cursor of a run — */

static void save_pages(const ManagerLaunch *launch, RecordWriter *writer) {
        RunRangeCounts counts;
        const char *cursor;

        run_range_count(launch->range, &counts);
        record_put(writer, counts.n);
        record_put(writer, counts.is_open);
        record_put(writer, run_pages_first(launch->pages, &cursor));
        record_put_string(writer, cursor);
        record_put(writer, launch->texts.n);
        for (size_t i = 0; i < launch->texts.n; i++) {
                record_put(writer, launch->texts.items[i].item);
                record_put_string(writer, launch->texts.items[i].text);
        }
}

void manager_launch_save(const ManagerLaunch *launch, usec_t now, RecordWriter *writer) {
        run_range_save(launch->range, now, writer);
        record_put(writer, launch->mend.next);
        record_put(writer, launch->mend.end);
        if (launch->pages)
                save_pages(launch, writer);
}

static int restore_pages(RunRangeSettings *settings, RunPageSource source, RecordReader *reader,
                         ManagerLaunch *launch) {
        const char *cursor;
        uint64_t first, n;
        int r;

        settings->n = record_get(reader);
        settings->is_open = record_get_below(reader, 2);
        first = record_get(reader);
        cursor = record_get_string(reader);
        n = record_get(reader);
        if (reader->has_failed || !cursor)
                return -EBADMSG;
        r = run_pages_new(source, first, cursor, &launch->pages);
        for (uint64_t i = 0; i < n && r == 0; i++) {
                const uint64_t item = record_get(reader);
                const char *text = record_get_string(reader);

                r = reader->has_failed || !text ? -EBADMSG : manager_launch_keep_text(launch, item, text);
        }
        return r;
}

/* The fields behind the range are read before it: they say how many items are known. */
static int restore_rest(RunRangeSettings *settings, RunPageSource source, RecordReader *reader, ManagerLaunch *launch) {
        size_t n;

        (void) record_get_bytes(reader, &n);
        (void) record_get_time(reader);
        /* A cursor of an earlier version ends here. */
        if (record_is_at_end(reader))
                return settings->is_open ? -EBADMSG : 0;
        launch->mend.next = record_get(reader);
        launch->mend.end = record_get(reader);
        if (reader->has_failed)
                return -EBADMSG;
        return settings->is_open ? restore_pages(settings, source, reader, launch) : 0;
}

int manager_launch_restore(const RunRangeSettings *settings, RunPageSource source, const void *bytes, size_t n,
                           usec_t now, ManagerLaunch *launch) {
        RunRangeSettings all = *settings;
        RecordReader reader;
        int r;

        record_reader_init(&reader, bytes, n);
        r = restore_rest(&all, source, &reader, launch);
        record_reader_init(&reader, bytes, n);
        if (r == 0)
                r = run_range_restore(&all, &reader, now, &launch->range);
        if (r < 0)
                manager_launch_drop_range(launch);
        return r;
}
