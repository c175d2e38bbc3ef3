/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Signals by name.
 */

#include <errno.h>
#include <signal.h>

#include "double/double_assert.h"
#include "jobctl/signal_name.h"

Test(signal_name, names_with_and_without_prefix_and_numbers) {
        cr_assert(eq(int, signal_from_name("SIGHUP"), SIGHUP));
        cr_assert(eq(int, signal_from_name("term"), SIGTERM));
        cr_assert(eq(int, signal_from_name("9"), 9));
        cr_assert(eq(int, signal_from_name("SIGRTMIN+3"), SIGRTMIN + 3));
        cr_assert(eq(int, signal_from_name("RTMAX-1"), SIGRTMAX - 1));
}

Test(signal_name, others_are_refused) {
        cr_assert(eq(int, signal_from_name("SIGNONE"), -EINVAL));
        cr_assert(eq(int, signal_from_name("0"), -EINVAL));
        cr_assert(eq(int, signal_from_name("1000"), -EINVAL));
        cr_assert(eq(int, signal_from_name("RTMIN+999"), -EINVAL));
        cr_assert(eq(int, signal_from_name(""), -EINVAL));
}
