/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The times at which the keeper sends again
 */

#include <stdarg.h>
#include <sys/socket.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "keeper/keeper.h"
#include "keeper/keeper_link.h"

/* The function of the program writes to standard error. */
void keeper_log(const char *format, ...) {
}

static Keeper keeper;

Test(keeper_talk, pause_for_the_kernel_s_sake_is_not_one_for_a_slow_core) {
        const KeeperMessage message = { .kind = KEEPER_ALL_SENT };
        int ends[2];

        cr_assert(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
        keeper.link = ends[0];
        keeper.core = getpid();
        keeper.ready_by = keeper.start_at = KEEPER_NEVER;
        keeper.stage = KEEPER_WELCOMES;
        keeper.send_at = 100;
        exit_ring_init(&keeper.exits);
        while (keeper_link_send(ends[0], &message, -1) == 0)
                ;
        keeper_send(&keeper, 99);
        cr_assert(eq(u64, keeper_next_time(&keeper), 100));
        keeper_send(&keeper, 101);
        cr_assert(keeper_has_to_send(&keeper));
        cr_assert(eq(u64, keeper_next_time(&keeper), KEEPER_NEVER), "it would look all the time whether core has read");
        close(ends[0]);
        close(ends[1]);
}
