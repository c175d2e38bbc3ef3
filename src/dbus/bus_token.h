/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Calls that can be made again
 *
 * A call that is repeated with its token is answered with the result of the
 * first: see manager/manager_token.h.
 */

#include "dbus/object/bus_call.h"
#include "manager/manager_token.h"

/* Sets the failure if @token is malformed. @what: the name of the argument. */
int bus_token_check(BusCall *call, const char *what, const char *token);

/*
 * 1 and the record of the first call, 0 if the token is new, or TokenReused if it stands for another call than
 * @request.
 */
int bus_token_find(BusCall *call, const char *token, uint64_t request, const ManagerToken **ret_done);

/* Remembers the result of a call. Without memory it is forgotten, with a warning. */
void bus_token_remember(BusCall *call, const char *token, uint64_t request, const JobPlan *plan);

/* Makes the client of this call, on a new connection, the requester of the job. 0 or -ENOMEM. */
int bus_token_adopt_job(BusCall *call, const ManagerTokenJob *job);
