/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The control lines of an attempt: $JOBD_CONTROL is read while its command runs
 *
 * The folder of the attempt is watched, so that nothing is read while nothing
 * is written. What the lines say is not recorded: the file still has them, and
 * a later core reads them again.
 */

#include "manager/manager_attempt_command.h"
#include "manager/manager_control.h"

typedef struct ManagerAttemptControl ManagerAttemptControl;

/* 0 or -ENOMEM. @basis, @watches: borrowed. */
int manager_attempt_control_new(ManagerAttemptControl **ret_control, const ManagerAttemptBasis *basis,
                                ManagerControlWatches *watches);
ManagerAttemptControl *manager_attempt_control_free(ManagerAttemptControl *control); /* accepts NULL */

/*
 * When the command runs, so that the folder is there: one that runs for long is watched. Without a watch it is heard
 * at its end. @is_new: its folder was made anew.
 */
void manager_attempt_control_watch_later(ManagerAttemptControl *control, bool is_new);
/* Watches it if that is due at @now: true if it is to be read. If it waits *next is when it is due, at the latest. */
bool manager_attempt_control_watch_due(ManagerAttemptControl *control, usec_t now, usec_t *next);
bool manager_attempt_control_hears(const ManagerAttemptControl *control, int watch); /* @watch: < 0: any */

/* Each true if there are more lines for another turn: those up to now; all that there are, when nobody writes them. */
bool manager_attempt_control_read(ManagerAttemptControl *control);
bool manager_attempt_control_finish(ManagerAttemptControl *control);
/* After a restart: an earlier core has told of lines that are refused. */
void manager_attempt_control_resume(ManagerAttemptControl *control);

const ManagerControl *manager_attempt_control_get(const ManagerAttemptControl *control); /* what was said */
