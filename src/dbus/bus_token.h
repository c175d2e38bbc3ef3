/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Calls that can be made again
 *
 * Who repeats a call with its token is given what came of the first: see
 * manager/manager_token.h.
 */

#include "dbus/object/bus_call.h"
#include "manager/manager_token.h"

/* Sets the failure if it can be none. @what: how the caller has named it. */
int bus_token_check(BusCall *call, const char *what, const char *token);

/* 1 and what was done under it, 0 if nothing was, or TokenReused if it stands for another call than that of @request. */
int bus_token_find(BusCall *call, const char *token, uint64_t request, const ManagerToken **ret_done);

/* Something was done under it. Without memory that is forgotten, with a warning. */
void bus_token_remember(BusCall *call, const char *token, uint64_t request, const JobPlan *plan);

/* The connection is another one now: it is the one who asked for the job from here on. 0 or -ENOMEM. */
int bus_token_adopt_job(BusCall *call, const ManagerTokenJob *job);
