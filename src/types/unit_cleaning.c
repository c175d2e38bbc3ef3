/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The process that removes the directories of a unit
 */

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "exec/exec_clean.h"
#include "exec/exec_directory.h"
#include "types/unit_cleaning.h"
#include "types/unit_say.h"

/*
 * The kind of the process is one that runs after a start: so no new control group is made for it, and no process in an
 * existing one is killed.
 */
static int ask_for_process(Unit *unit, const UnitCleaning *cleaning) {
        usec_t span = cleaning->terms->timeout_clean;
        int r = cleaning->set_limit(unit, span == 0 ? USEC_INFINITY : span);

        return r < 0 ? r : unit_process_ask(unit, UNIT_PURPOSE_CONTROL, cleaning->control,
                                            (UnitProcess) { .kind = cleaning->kind });
}

int unit_cleaning_begin(Unit *unit, const UnitCleaning *cleaning, unsigned kinds, Failure *ret_failure) {
        cleanup_(strv_freep) char **argv = NULL;
        int r = exec_clean_command(cleaning->terms, kinds, exec_directory_is_user(), &argv);

        if (r == -ENODATA)
                return failure_set(ret_failure, r, "NothingToClean", "%s has nothing of that kind to clean.", unit->id);
        if (r == 0) {
                strv_free(*cleaning->argv);
                *cleaning->argv = take_ptr(argv);
                r = ask_for_process(unit, cleaning);
        }
        return r < 0 ? failure_set(ret_failure, r, "Failed", "Cannot clean %s: %s.", unit->id, strerror(-r)) : 0;
}

void unit_cleaning_tell_failed(const Unit *unit, const ExecResult *result) {
        unit_say(unit, LOG_LEVEL_WARNING, "Cannot be cleaned: %s", result->message);
}

void unit_cleaning_tell_ended(const Unit *unit, const UnitExit *exit) {
        char how[128];

        if (exit->code == CLD_EXITED && exit->status == 0)
                return;
        unit_process_describe_exit(exit, how, sizeof(how));
        unit_say(unit, LOG_LEVEL_WARNING, "Could not be cleaned: the process that does it %s.", how);
}
