/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow show --follow: what happens to a run, until it has ended
 *
 * The run is watched before it is read, so that no change falls in between;
 * one may be told twice.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"

/* — printing — */

static int print_change(Jobctl *ctl, const char *subject, const json_t *what) {
        const char *state = value_string(what, "state"), *reason = value_string(what, "reason");
        const char *more = *reason ? reason : value_string(what, "why");

        if (ctl->options.json)
                return jobctl_print_json_line(ctl, json_incref((json_t *) what));
        printf("%s: %s%s%s%s\n", subject, state, *more ? " (" : "", more, *more ? ")" : "");
        return fflush(stdout) < 0 ? -EPIPE : 0;
}

static int print_nodes(Jobctl *ctl, const json_t *nodes) {
        json_t *node;
        size_t i;
        int r = 0;

        json_array_foreach(nodes, i, node)
                if (r == 0)
                        r = print_change(ctl, value_string(node, "node"), node);
        return r;
}

/* The state of the run, if that is another one than @old. */
static int print_run(Jobctl *ctl, const json_t *run, char **old) {
        const char *state = value_string(run, "state");

        if (text_equal(*old, state))
                return 0;
        free(*old);
        *old = strdup(state);
        return *old ? print_change(ctl, value_string(run, "name"), run) : -ENOMEM;
}

/* — the watch — */

int flow_watch(Jobctl *ctl, uint64_t id, BusError *ret_error) {
        cleanup_free_ char *path = NULL;
        int r = jobctl_subscribe(ctl, ret_error);

        if (r == 0)
                r = text_format(&path, BUS_PATH "/run/%" PRIu64, id);
        return r < 0 ? r
                     : jobctl_send(ctl,
                                   &(BusCall) { .path = path,
                                               .interface = BUS_RUN,
                                               .method = "Watch",
                                               .signature = "b",
                                               .args = json_pack("[b]", 1) },
                                   NULL, ret_error);
}

/* After a loss of the connection: what has happened meanwhile is told by the state alone. */
static int watch_again(Jobctl *ctl, uint64_t id, json_t **ret_run, BusError *ret_error) {
        int r = jobctl_reconnect(ctl, ret_error);

        if (r == 0)
                r = flow_watch(ctl, id, ret_error);
        return r < 0 ? r : flow_get(ctl, id, ret_run, ret_error);
}

/* The end of a run may be told by this alone, if jobd was busy. */
static int print_end(Jobctl *ctl, uint64_t id, char **state, BusError *ret_error) {
        cleanup_json_ json_t *run = NULL;
        int r = flow_get(ctl, id, &run, ret_error);

        return r < 0 ? r : print_run(ctl, run, state);
}

static int next_change(Jobctl *ctl, uint64_t id, char **state, BusError *ret_error) {
        cleanup_(bus_signal_deinit) BusSignal signal = {};
        cleanup_json_ json_t *run = NULL;
        int r = bus_next_signal(ctl->bus, USEC_INFINITY, &signal);

        if (r == -ENOTCONN) {
                r = watch_again(ctl, id, &run, ret_error);
                return r < 0 ? r : print_run(ctl, run, state);
        }
        if (r < 0 || value_item_u64(signal.args, 0) != id)
                return MIN(r, 0);
        if (bus_signal_is(&signal, BUS_RUN, "NodesChanged"))
                return print_nodes(ctl, json_array_get(signal.args, 1));
        if (bus_signal_is(&signal, BUS_RUN, "RunChanged"))
                return print_run(ctl, json_array_get(signal.args, 1), state);
        return bus_signal_is(&signal, BUS_MANAGER, "RunEnded") ? print_end(ctl, id, state, ret_error) : 0;
}

int flow_follow(Jobctl *ctl, const json_t *run, BusError *ret_error) {
        cleanup_free_ char *state = strdup(value_string(run, "state"));
        const uint64_t id = value_u64(run, "id");
        int r = state ? 0 : -ENOMEM;

        bus_catch_interrupt(true);
        while (r == 0 && !flow_state_is_end(state))
                r = next_change(ctl, id, &state, ret_error);
        bus_catch_interrupt(false);
        return r == -EINTR ? EXIT_INTERRUPTED : r == -EPIPE ? EXIT_OK : r;
}
