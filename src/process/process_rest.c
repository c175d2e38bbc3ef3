/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes of an owner that are not in the table of processes
 *
 * With control groups they are the processes in the group of the owner. Without,
 * they are the descendants of the known processes, and orphans with the invocation
 * ID of the owner. The list of orphans, which costs as much as there are children,
 * is made once a turn for all owners.
 */

#include <errno.h>
#include <stdlib.h>

#include "exec/exec_kill.h"
#include "process/process_rest.h"

struct ProcessRest {
        const ProcessHost *host;        /* borrowed */
        const ProcessTable *table;      /* borrowed */
        ExecPids orphans;               /* children that are in no owner's list, as found in this turn */
        bool knows_orphans;
};

int process_rest_new(ProcessRest **ret_rest, const ProcessHost *host, const ProcessTable *table) {
        ProcessRest *rest = calloc(1, sizeof(*rest));

        if (!rest)
                return -ENOMEM;
        rest->host = host;
        rest->table = table;
        *ret_rest = rest;
        return 0;
}

ProcessRest *process_rest_free(ProcessRest *rest) {
        if (!rest)
                return NULL;
        vector_deinit(&rest->orphans);
        free(rest);
        return NULL;
}

static bool is_known_process(void *userdata, pid_t pid) {
        const ProcessRest *rest = userdata;
        const Process *process = process_table_find(rest->table, pid);

        return (process && !process->is_reaped) || rest->host->ops->is_own(rest->host->userdata, pid);
}

static ExecRest describe(ProcessRest *rest, ProcessOwner *owner, pid_t main_pid, pid_t control_pid) {
        ExecRest described = {
                .main_pid = main_pid,
                .control_pid = control_pid,
                .session_until = USEC_INFINITY,
                .spares_groups = true,
                .is_known = is_known_process,
                .userdata = rest,
        };

        owner->ops->describe_rest(owner, &described);
        return described;
}

void process_rest_forget(ProcessRest *rest) {
        rest->knows_orphans = false;
}

/* The orphans as of this turn; NULL if they could not be listed. */
static const ExecPids *orphans_of_turn(ProcessRest *rest) {
        if (rest->knows_orphans)
                return &rest->orphans;
        vector_clear(&rest->orphans);
        if (exec_list_orphans(is_known_process, rest, &rest->orphans) < 0)
                return NULL;
        rest->knows_orphans = true;
        return &rest->orphans;
}

/*
 * The list of orphans is complete for an owner whose known processes have all ended: it is made after their exits. A
 * process of another owner may become an orphan later, and is found when the known processes of that owner have ended.
 */
static int look(ProcessRest *rest, ProcessOwner *owner, pid_t main_pid, pid_t control_pid, bool counts_unnamed) {
        ExecRest described = describe(rest, owner, main_pid, control_pid);
        int r;

        described.counts_unnamed = counts_unnamed;
        described.orphans = orphans_of_turn(rest);
        r = exec_kill_rest(&described, 0);
        if (r != -ESTALE)
                return r;
        process_rest_forget(rest);
        described.orphans = NULL;
        return exec_kill_rest(&described, 0);
}

int process_rest_count(ProcessRest *rest, ProcessOwner *owner, pid_t main_pid, pid_t control_pid) {
        int n = owner->ops->count_group ? owner->ops->count_group(owner, main_pid, control_pid) : -ENOENT;

        if (n != -ENOENT)
                return n;
        return owner->ops->describe_rest ? look(rest, owner, main_pid, control_pid, false) : 0;
}

bool process_rest_may_hide(ProcessRest *rest, ProcessOwner *owner) {
        if (owner->ops->count_group && owner->ops->count_group(owner, 0, 0) != -ENOENT)
                return false;
        return owner->ops->describe_rest && look(rest, owner, 0, 0, true) != 0;
}

void process_rest_signal(ProcessRest *rest, ProcessOwner *owner, int signal, pid_t main_pid, pid_t control_pid) {
        ExecRest described;

        if (owner->ops->signal_group && owner->ops->signal_group(owner, signal, main_pid, control_pid) == 0)
                return;
        if (!owner->ops->describe_rest)
                return;
        described = describe(rest, owner, main_pid, control_pid);
        exec_kill_rest(&described, signal);
}
