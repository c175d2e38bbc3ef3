/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Properties of what few services say, or have
 *
 * A part of the table in service_property.c.
 */

#include "unit/unit_property.h"

typedef struct Unit Unit;

#define SERVICE_RARE_GETTER(name) void service_get_##name(const Unit *unit, Sink *sink)

SERVICE_RARE_GETTER(activity);
SERVICE_RARE_GETTER(bus_name);
SERVICE_RARE_GETTER(bus_error);
SERVICE_RARE_GETTER(fd_store_max);
SERVICE_RARE_GETTER(fd_store_n);
SERVICE_RARE_GETTER(fd_store_preserve);
SERVICE_RARE_GETTER(liveness);
SERVICE_RARE_GETTER(next_restart);
SERVICE_RARE_GETTER(notify_fd);
SERVICE_RARE_GETTER(open_files);
SERVICE_RARE_GETTER(probe_message);
SERVICE_RARE_GETTER(readiness);
SERVICE_RARE_GETTER(reload_signal);
SERVICE_RARE_GETTER(restart_jitter);
SERVICE_RARE_GETTER(restart_max_delay);
SERVICE_RARE_GETTER(restart_mode);
SERVICE_RARE_GETTER(restart_next);
SERVICE_RARE_GETTER(restart_reset);
SERVICE_RARE_GETTER(restart_steps);
SERVICE_RARE_GETTER(root_directory_start_only);
SERVICE_RARE_GETTER(runtime_extra);
SERVICE_RARE_GETTER(timeout_start_mode);
SERVICE_RARE_GETTER(timeout_stop_mode);

#define SERVICE_RARE_PROPERTIES                                                                                    \
        { "Activity", "s", 0, service_get_activity, "What it does or waits for while it starts, stops or reloads." }, \
        { "BusName", "s", UNIT_PROPERTY_CONST, service_get_bus_name, "The name that it takes on the bus." },       \
        { "FileDescriptorStoreMax", "u", UNIT_PROPERTY_CONST, service_get_fd_store_max,                            \
          "How many descriptors it may store." },                                                                  \
        { "OpenFile", "a(sst)", UNIT_PROPERTY_CONST, service_get_open_files,                                       \
          "Files that it is given open: path, name, and 1 read-only, 2 append, 4 truncate, 8 if it need not be there." }, \
        { "NFileDescriptorStore", "u", 0, service_get_fd_store_n, "How many descriptors it has stored." },         \
        { "FileDescriptorStorePreserve", "s", 0, service_get_fd_store_preserve,                                    \
          "How long they are kept when it is down: no, restart, yes." },                                           \
        { "StatusBusError", "s", UNIT_PROPERTY_EMITS_CHANGE, service_get_bus_error,                                \
          "The D-Bus error that it said it has." },                                                                \
        { "TimeoutStartFailureMode", "s", UNIT_PROPERTY_CONST, service_get_timeout_start_mode,                     \
          "How it is ended when its start takes too long: terminate, abort, kill." },                              \
        { "TimeoutStopFailureMode", "s", UNIT_PROPERTY_CONST, service_get_timeout_stop_mode,                       \
          "The same when its stop takes too long." },                                                              \
        { "RuntimeRandomizedExtraUSec", "t", 0, service_get_runtime_extra,                                         \
          "How much longer than RuntimeMaxUSec it may run at most, at random." },                                  \
        { "ReloadSignal", "i", UNIT_PROPERTY_CONST, service_get_reload_signal,                                     \
          "The signal that reloads one of Type=notify-reload." },                                                  \
        { "RestartMode", "s", UNIT_PROPERTY_CONST, service_get_restart_mode,                                       \
          "Whether a restart goes by way of failed or inactive: normal, direct." },                                \
        { "RestartSteps", "u", UNIT_PROPERTY_CONST, service_get_restart_steps,                                     \
          "In how many steps the pause grows to RestartMaxDelayUSec." },                                           \
        { "RestartMaxDelayUSec", "t", UNIT_PROPERTY_CONST, service_get_restart_max_delay,                          \
          "The longest pause before a restart." },                                                                 \
        { "RestartUSecNext", "t", 0, service_get_restart_next, "The pause before the next restart." },             \
        { "RestartJitter", "s", UNIT_PROPERTY_CONST, service_get_restart_jitter,                                   \
          "How much is added to a pause at most, at random: a time or a share." },                                 \
        { "RestartResetUSec", "t", UNIT_PROPERTY_CONST, service_get_restart_reset,                                 \
          "After how long of running its restarts are forgotten." },                                               \
        { "NextRestartUSecMonotonic", "t", 0, service_get_next_restart,                                            \
          "When it will be started again, by the monotonic clock; 0 if it will not." },                            \
        { "NotifyFd", "i", UNIT_PROPERTY_CONST, service_get_notify_fd,                                             \
          "The descriptor on which it says by a newline that it is ready; 0 for none." },                          \
        { "ReadinessProbe", "s", UNIT_PROPERTY_CONST, service_get_readiness,                                       \
          "What is asked whether it is ready: a program or a port." },                                             \
        { "LivenessProbe", "s", UNIT_PROPERTY_CONST, service_get_liveness,                                         \
          "What is asked whether it is alive: a program or a port." },                                             \
        { "ProbeMessage", "s", 0, service_get_probe_message, "Why the last probe failed; empty if it did not." },  \
        { "RootDirectoryStartOnly", "b", UNIT_PROPERTY_CONST, service_get_root_directory_start_only,               \
          "Whether RootDirectory is for ExecStart alone." }
