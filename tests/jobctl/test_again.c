/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Calls without a connection.
 */

#include <errno.h>

#include "double/double_assert.h"
#include "jobctl/jobctl.h"

/* The last attempt to connect may have failed while a verb still has calls to make. */
Test(again, without_a_connection_a_call_fails_and_keeps_nothing) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *args = json_pack("[s]", "a.service"), *reply = NULL;
        Jobctl ctl = {};

        cr_assert(eq(int, jobctl_call(&ctl, "GetUnitProcesses", "s", json_incref(args), &reply, &error), -ENOTCONN));
        cr_assert(eq(ptr, reply, NULL));
        cr_assert(eq(sz, args->refcount, 1));
        cr_assert(eq(str, (char *) bus_error_message(&error), (char *) "The connection to jobd was lost."));
}

Test(again, without_a_connection_there_are_no_signals) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_(bus_signal_deinit) BusSignal signal = {};
        Jobctl ctl = {};

        cr_assert(eq(int, jobctl_subscribe(&ctl, &error), -ENOTCONN));
        cr_assert(eq(str, (char *) bus_error_message(&error), (char *) "The connection to jobd was lost."));
        cr_assert(eq(int, bus_next_signal(ctl.bus, USEC_INFINITY, &signal), -ENOTCONN));
}
