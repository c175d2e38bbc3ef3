/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Verbs about the manager as such: is-system-running
 */

#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "jobctl/verbs.h"

static int get_state(Jobctl *ctl, char **ret_state, BusError *error) {
        cleanup_json_ json_t *reply = NULL;
        int r = jobctl_send(ctl, &(BusCall) { BUS_PATH, BUS_PROPERTIES, "Get", "ss",
                                              json_pack("[ss]", BUS_MANAGER, "SystemState") }, &reply, error);

        return r < 0 ? r : text_format(ret_state, "%s", value_item_string(reply, 0));
}

static bool is_still_starting(const char *state) {
        return strcmp(state, "initializing") == 0 || strcmp(state, "starting") == 0;
}

/* With --wait: until the start-up is over, one way or another. */
static int wait_for_state(Jobctl *ctl, char **state, BusError *error) {
        int r = jobctl_subscribe(ctl, error);

        if (r == 0)
                r = get_state(ctl, state, error);
        while (r == 0 && is_still_starting(*state)) {
                cleanup_(bus_signal_deinit) BusSignal signal = {};

                r = bus_next_signal(ctl->bus, USEC_INFINITY, &signal);
                if (r == -ENOTCONN)
                        r = jobctl_reconnect(ctl, error);
                if (r < 0)
                        return r;
                if (r > 0 && !bus_signal_is(&signal, BUS_MANAGER, "StartupFinished") &&
                    !bus_signal_is(&signal, BUS_MANAGER, "JobRemoved")) {
                        r = 0;
                        continue;
                }
                free(take_ptr(*state));
                r = get_state(ctl, state, error);
        }
        return r;
}

int verb_is_system_running(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_free_ char *state = NULL;
        int r, status;

        r = ctl->options.wait ? wait_for_state(ctl, &state, &error) : get_state(ctl, &state, &error);
        if (r < 0)
                return r == -EINTR ? EXIT_INTERRUPTED : jobctl_fail(ctl, &error, "ask for the state of the manager");
        status = strcmp(state, "running") == 0 ? EXIT_OK : EXIT_FAILED;
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:s}", "state", state), status);
        if (!ctl->options.quiet)
                puts(state);
        return status;
}
