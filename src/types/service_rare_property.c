/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of what few services say, or have
 */

#include <signal.h>
#include <stdio.h>

#include "basic/macro.h"
#include "types/service.h"
#include "types/service_rare_property.h"

/* One getter: @expression may use rare and extra. */
#define GETTER(name, put, expression)                                            \
        SERVICE_RARE_GETTER(name) {                                              \
                const ServiceRareSettings *rare = service_rare(unit);            \
                const ServiceExtra *extra = service_extra(unit);                 \
                                                                                 \
                (void) rare;                                                     \
                (void) extra;                                                    \
                put(sink, expression);                                           \
        }

GETTER(bus_name, sink_string, rare->bus_name)
GETTER(bus_error, sink_string, extra->bus_error)
GETTER(fd_store_max, sink_u32, rare->fd_store_max)
GETTER(fd_store_n, sink_u32, (uint32_t) extra->fds.n)
GETTER(fd_store_preserve, sink_string, service_fd_preserve_to_string(rare->fd_store_preserve))
GETTER(next_restart, sink_u64, service_of(unit)->state == SERVICE_STATE_AUTO_RESTART ? extra->restart_at : 0)
GETTER(notify_fd, sink_i32, rare->notify_fd)
GETTER(probe_message, sink_string, extra->probe_message)
GETTER(reload_signal, sink_i32, rare->reload_signal > 0 ? rare->reload_signal : SIGHUP)
GETTER(restart_max_delay, sink_u64, rare->restart_max_delay > 0 ? rare->restart_max_delay : USEC_INFINITY)
GETTER(restart_mode, sink_string, service_restart_mode_to_string(rare->restart_mode))
GETTER(restart_next, sink_u64, service_restart_pause(unit))
GETTER(restart_reset, sink_u64, rare->restart_reset > 0 ? rare->restart_reset : USEC_INFINITY)
GETTER(restart_steps, sink_u32, rare->restart_steps)
GETTER(root_directory_start_only, sink_bool, rare->root_directory_start_only)
GETTER(runtime_extra, sink_u64, rare->runtime_extra)
GETTER(timeout_start_mode, sink_string, service_timeout_mode_to_string(rare->timeout_start_mode))
GETTER(timeout_stop_mode, sink_string, service_timeout_mode_to_string(rare->timeout_stop_mode))

SERVICE_RARE_GETTER(restart_jitter) {
        const ServiceRareSettings *rare = service_rare(unit);
        char text[USEC_FORMAT_MAX];

        if (rare->restart_jitter_percent > 0)
                snprintf(text, sizeof(text), "%u%%", rare->restart_jitter_percent);
        sink_string(sink, rare->restart_jitter_percent > 0 ? text : usec_format(rare->restart_jitter, text));
}

/* What runs it is no activity. */
SERVICE_RARE_GETTER(activity) {
        ServiceState state = service_of(unit)->state;
        cleanup_free_ char *activity = NULL;
        usec_t since;

        if (state != SERVICE_STATE_RUNNING && state != SERVICE_STATE_EXITED)
                (void) service_activity(unit, &activity, &since);
        sink_string(sink, activity);
}

static void put_probe(const Unit *unit, Sink *sink, ServiceProbeKind kind) {
        Text text = {};

        service_describe_probe(unit, kind, &text);
        sink_string(sink, text.string);
        text_deinit(&text);
}

SERVICE_RARE_GETTER(readiness) {
        put_probe(unit, sink, SERVICE_PROBE_READINESS);
}

SERVICE_RARE_GETTER(liveness) {
        put_probe(unit, sink, SERVICE_PROBE_LIVENESS);
}

void service_get_open_files(const Unit *unit, Sink *sink) {
        sink_open(sink, 'a', "(sst)");
        for (const ServiceOpenFile *file = service_rare(unit)->open_files; file; file = file->next) {
                sink_open(sink, 'r', "sst");
                sink_string(sink, file->path);
                sink_string(sink, file->name);
                sink_u64(sink, file->flags);
                sink_close(sink);
        }
        sink_close(sink);
}
