/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors of owners that outlive the program
 */

#include <string.h>

#include "basic/log.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "process/process_kept.h"

static int name_fd(const char *owner, const char *what, uint32_t index, char **ret_name) {
        return text_format(ret_name, "%s/%s/%u", owner, what, index);
}

int process_kept_store(const ProcessKept *kept, const char *owner, const char *what, uint32_t index, int fd) {
        cleanup_free_ char *name = NULL;
        int r = name_fd(owner, what, index, &name);

        if (r == 0)
                r = process_keeper_store_fd(kept->keeper, name, fd);
        if (r < 0)
                log_write(LOG_LEVEL_WARNING, owner, "If jobd dies, a descriptor of it (%s %u) is lost: %s", what, index,
                          strerror(-r));
        return r;
}

int process_kept_accept(const ProcessKept *kept, const char *owner, const char *what, uint32_t index, int listening) {
        cleanup_free_ char *name = NULL;
        int r = name_fd(owner, what, index, &name);

        return r < 0 ? r : process_keeper_accept_fd(kept->keeper, name, listening);
}

void process_kept_drop(ProcessKept *kept, const char *owner, const char *what, uint32_t index) {
        cleanup_free_ char *name = NULL;

        kept->is_settled = false;
        if (name_fd(owner, what, index, &name) == 0)
                (void) process_keeper_drop_fd(kept->keeper, name);
}

int process_kept_take(const ProcessKept *kept, const char *owner, const char *what, uint32_t index) {
        cleanup_free_ char *name = NULL;
        int r = name_fd(owner, what, index, &name);

        return r < 0 ? r : process_keeper_take_fd(kept->keeper, name);
}

void process_kept_settle(ProcessKept *kept) {
        if (!kept->is_settled)
                process_keeper_sync(kept->keeper);
        kept->is_settled = true;
}
