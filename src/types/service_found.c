/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service found running
 *
 * The records of the previous manager cannot be read, but processes of the
 * service exist. How far its start or stop had come is not known. It counts as
 * running: so it is neither started a second time nor taken for stopped.
 */

#include <errno.h>
#include <unistd.h>

#include "exec/exec_kill.h"
#include "exec/exec_user.h"
#include "types/service_kill.h"
#include "types/service_limit.h"
#include "types/service_pid.h"
#include "types/service_step.h"

#define POLL_FOUND (5 * USEC_PER_SEC)

/*
 * A process claims by its environment to belong to the unit: any user can do that, but only with processes of the same
 * user.
 */
static bool is_believable(const Unit *unit, uid_t owner) {
        const char *user = service_settings(unit)->exec.user;
        uid_t uid;

        return owner == geteuid() || (user && exec_user_find(user, &uid) == 0 && owner == uid);
}

static void find_main(Unit *unit) {
        if (service_load_pid_file(unit, false) >= 0)
                return;
        if (service_settings(unit)->type == SERVICE_FORKING)
                service_guess_main_pid(unit);
        else
                service_find_main_pid(unit);
}

int service_found(Unit *unit, uid_t owner) {
        Service *service = service_of(unit);

        if (service->state != SERVICE_STATE_DEAD && service->state != SERVICE_STATE_FAILED)
                return -EALREADY;
        if (owner != (uid_t) -1 && !is_believable(unit, owner))
                return -EPERM;
        service->is_found = true;
        service->result = SERVICE_RESULT_SUCCESS;
        service_set_state(unit, SERVICE_STATE_RUNNING);
        find_main(unit);
        service_start_runtime_limit(unit);
        service_reset_watchdog(unit);
        if (service->main.pid == 0 && service_count_rest(unit) > 0)
                service_poll(unit, POLL_FOUND);
        service_republish(unit);
        return 0;
}
