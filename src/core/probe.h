/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * jobd-probe: is there an answer at that port?
 *
 *      jobd-probe tcp HOST PORT
 *      jobd-probe http HOST PORT PATH
 *
 * jobd-core is this program when it is executed by that name. The probe has no
 * time limit of its own: the manager kills it.
 */

#include <stdbool.h>

bool probe_is_meant(const char *name);

/* The exit status: 0 for an answer (of HTTP 200 to 399), an errno, or one of SERVICE_PROBE_HTTP_STATUS and so on. */
int probe_run(int argc, char *argv[]);
