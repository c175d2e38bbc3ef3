/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Functions of jobd-core, replaced by the linker: attempts of runs are
 * forgotten the first time that they are to be kept, the watchdog of runs
 * looks each second, and a batch is refused for each file $REFUSE_BATCH that
 * is made
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

void __real_run_hold_attempt(void *run, uint32_t node, bool is_held);
void __wrap_run_hold_attempt(void *run, uint32_t node, bool is_held);
uint64_t __wrap_manager_run_watch_pause(void);
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

int __wrap_manager_run_link_end_batch(void *link, uint64_t *ret_number) {
        const char *path = getenv("REFUSE_BATCH");

        return path && unlink(path) == 0 ? -ENOMEM : __real_manager_run_link_end_batch(link, ret_number);
}
