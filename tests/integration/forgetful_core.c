/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Functions of jobd-core, replaced by the linker: attempts of runs are
 * forgotten the first time that they are to be kept, the watchdog of runs
 * looks each second, a batch is refused for each file $REFUSE_BATCH that is
 * made, and, for each file $BREAK_BATCH, has rows that the store refuses
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "runstore/runstore_batch.h"

void __real_run_hold_attempt(void *run, uint32_t node, bool is_held);
void __wrap_run_hold_attempt(void *run, uint32_t node, bool is_held);
uint64_t __wrap_manager_run_watch_pause(void);
int __real_manager_run_link_begin(void *link, RecordWriter **ret_writer);
int __wrap_manager_run_link_begin(void *link, RecordWriter **ret_writer);
int __real_manager_run_link_end_batch(void *link, uint64_t *ret_number);
int __wrap_manager_run_link_end_batch(void *link, uint64_t *ret_number);

void __wrap_run_hold_attempt(void *run, uint32_t node, bool is_held) {
        static unsigned n;

        if (!is_held || n++ % 2 == 1)
                __real_run_hold_attempt(run, node, is_held);
}

uint64_t __wrap_manager_run_watch_pause(void) {
        return 1000 * 1000;
}

static RecordWriter *writer;

int __wrap_manager_run_link_begin(void *link, RecordWriter **ret_writer) {
        const int r = __real_manager_run_link_begin(link, ret_writer);

        writer = r == 0 ? *ret_writer : NULL;
        return r;
}

/* Two runs of one name. */
static void break_batch(void) {
        for (int64_t id = 1; id <= 2; id++) {
                runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 3);
                runstore_put_integer(writer, RUN_ROW_ID, INT32_MAX + id);
                runstore_put_text(writer, RUN_ROW_NAME, "broken");
                runstore_put_integer(writer, RUN_ROW_VALID, 1);
        }
}

int __wrap_manager_run_link_end_batch(void *link, uint64_t *ret_number) {
        const char *path = getenv("REFUSE_BATCH"), *breaks = getenv("BREAK_BATCH");

        if (breaks && writer && unlink(breaks) == 0)
                break_batch();
        return path && unlink(path) == 0 ? -ENOMEM : __real_manager_run_link_end_batch(link, ret_number);
}
