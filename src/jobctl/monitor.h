/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Events of the monitor
 */

#include "jobctl/bus.h"

/* A signal as an event: "event" and keys by its kind. NULL if it is not reported (or without memory). */
json_t *monitor_event(const BusSignal *signal);

/* The event as a line for people. 0 or -ENOMEM. */
int monitor_format(const json_t *event, char **ret_line);
