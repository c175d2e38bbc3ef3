/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Two functions of jobd-core, replaced by the linker: attempts of runs are
 * forgotten the first time that they are to be kept, and the watchdog of runs
 * looks each second
 */

#include <stdbool.h>
#include <stdint.h>

void __real_run_hold_attempt(void *run, uint32_t node, bool is_held);
void __wrap_run_hold_attempt(void *run, uint32_t node, bool is_held);
uint64_t __wrap_manager_run_watch_pause(void);

void __wrap_run_hold_attempt(void *run, uint32_t node, bool is_held) {
        static unsigned n;

        if (!is_held || n++ % 2 == 1)
                __real_run_hold_attempt(run, node, is_held);
}

uint64_t __wrap_manager_run_watch_pause(void) {
        return 1000 * 1000;
}
