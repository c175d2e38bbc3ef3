/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "manager/manager_item_error.h"

#define ROW_BYTES 24U /* of a record, about, without texts */

enum {
        FLAG_MENDED = 1 << 0,
        FLAG_POISON = 1 << 1,
        FLAG_ALL = FLAG_MENDED | FLAG_POISON,
};

static void deinit(ManagerItemError *error) {
        free(error->why);
        free(error->text);
}

void manager_item_errors_deinit(ManagerItemErrors *errors) {
        for (size_t i = 0; i < errors->all.n; i++)
                deinit(&errors->all.items[i]);
        vector_deinit(&errors->all);
        *errors = (ManagerItemErrors) {};
}

static size_t count_bytes(const ManagerItemError *error) {
        return (error->why ? strlen(error->why) : 0) + (error->text ? strlen(error->text) : 0);
}

int manager_item_errors_add(ManagerItemErrors *errors, const ManagerItemError *error, const char *why,
                            const char *text) {
        ManagerItemError copy = *error;
        int r;

        copy.batch = 0;
        copy.why = copy.text = NULL;
        r = text_copy(why, &copy.why);
        if (r == 0)
                r = text_copy(text, &copy.text);
        if (r == 0)
                r = vector_push(&errors->all, copy);
        if (r < 0)
                deinit(&copy);
        else
                errors->n_bytes += count_bytes(&copy);
        return r;
}

size_t manager_item_errors_bytes(const ManagerItemErrors *errors) {
        return errors->n_bytes + errors->all.n * ROW_BYTES;
}

/* — the record — */

void manager_item_errors_write(const ManagerItemErrors *errors, RecordWriter *writer) {
        record_put(writer, errors->all.n);
        for (size_t i = 0; i < errors->all.n; i++) {
                const ManagerItemError *error = &errors->all.items[i];

                record_put(writer, error->item);
                record_put(writer, (error->is_mended ? FLAG_MENDED : 0) | (error->is_poison ? FLAG_POISON : 0));
                if (error->is_mended)
                        continue;
                record_put(writer, error->ended);
                record_put(writer, error->tries);
                record_put_signed(writer, error->exit);
                record_put_signed(writer, error->signal);
                record_put_string(writer, error->why);
                record_put_string(writer, error->text);
        }
}

static int read_one(ManagerItemErrors *errors, RecordReader *reader) {
        ManagerItemError error = { .item = record_get(reader), .exit = -1, .signal = -1 };
        const uint64_t flags = record_get_below(reader, FLAG_ALL + 1);
        const char *why = NULL, *text = NULL;

        error.is_mended = flags & FLAG_MENDED;
        error.is_poison = flags & FLAG_POISON;
        if (!error.is_mended) {
                error.ended = record_get(reader);
                error.tries = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
                error.exit = (int) record_get_signed(reader);
                error.signal = (int) record_get_signed(reader);
                why = record_get_string(reader);
                text = record_get_string(reader);
        }
        return reader->has_failed ? -EBADMSG : manager_item_errors_add(errors, &error, why, text);
}

int manager_item_errors_read(ManagerItemErrors *errors, RecordReader *reader) {
        const uint64_t n = record_get(reader);
        int r = reader->has_failed ? -EBADMSG : 0;

        for (uint64_t i = 0; i < n && r == 0; i++)
                r = read_one(errors, reader);
        return r;
}

/* — batches — */

bool manager_item_errors_has_new(const ManagerItemErrors *errors) {
        return errors->n_due < errors->all.n;
}

bool manager_item_errors_has_unput(const ManagerItemErrors *errors) {
        const uint64_t batch = errors->n_due > 0 ? errors->all.items[errors->n_due - 1].batch : 1;

        return batch == 0 || batch == MANAGER_ITEM_ERROR_PUT;
}

void manager_item_errors_note_batch(ManagerItemErrors *errors, uint64_t batch) {
        for (size_t i = 0; i < errors->n_due; i++)
                if (errors->all.items[i].batch == MANAGER_ITEM_ERROR_PUT)
                        errors->all.items[i].batch = batch;
}

static void forget(ManagerItemErrors *errors, ManagerItemError *error) {
        errors->n_bytes -= count_bytes(error);
        deinit(error);
}

bool manager_item_errors_drop(ManagerItemErrors *errors, uint64_t durable) {
        size_t n = 0;

        while (n < errors->n_due && errors->all.items[n].batch > 0 && errors->all.items[n].batch <= durable)
                forget(errors, &errors->all.items[n++]);
        if (n == 0)
                return false;
        errors->all.n -= n;
        errors->n_due -= n;
        memmove(errors->all.items, errors->all.items + n, errors->all.n * sizeof(*errors->all.items));
        return true;
}

void manager_item_errors_put_again(ManagerItemErrors *errors) {
        for (size_t i = 0; i < errors->all.n; i++)
                errors->all.items[i].batch = 0;
}
