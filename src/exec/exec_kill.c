/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signals to a unit's processes
 *
 * The search starts at the unit's two known processes and at the manager's
 * children that belong to no unit, and follows lists of children from there;
 * so it looks at the unit's own processes and at orphans, not at the whole
 * machine. A process that forks faster than the search may escape one round;
 * the unit type signals again with SIGKILL.
 */

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "exec/exec_kill.h"

/* More than any reasonable unit has: the limit of one search. */
#define PROCESSES_MAX 100000U

static int send_to_process(pid_t pid, int pidfd, int signal) {
        long r = pidfd >= 0 ? syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) : kill(pid, signal);

        return r < 0 ? -errno : 0;
}

int exec_kill(pid_t pid, int pidfd, int signal, bool is_group) {
        int r;

        if (pid <= 1)
                return -ESRCH;
        if (!is_group || getpgid(pid) != pid)
                return send_to_process(pid, pidfd, signal);

        /* While the leader exists, even as a zombie, the group's number is not reused. */
        r = send_to_process(pid, pidfd, 0);
        if (r < 0)
                return r;
        return kill(-pid, signal) < 0 ? -errno : 0;
}

/* A process with its start time, by which a reused number is recognized. */
typedef struct Found {
        pid_t pid;
        uint64_t start_time;
} Found;

typedef VECTOR(Found) FoundList;

/* -ESRCH if it has ended. */
static int add_found(FoundList *found, pid_t pid) {
        ExecProcess process;

        if (exec_process_read(pid, &process) < 0 || process.state == 'Z' || process.state == 'X')
                return -ESRCH;
        return vector_push(found, ((Found) { .pid = pid, .start_time = process.start_time }));
}

static bool is_spared(const ExecRest *rest, const ExecProcess *process) {
        return rest->spares_groups && process->group > 0 &&
               (process->group == rest->main_pid || process->group == rest->control_pid);
}

static void signal_found(const ExecRest *rest, const Found *found, int signal) {
        ExecProcess process;
        int pidfd;

        pidfd = (int) syscall(SYS_pidfd_open, found->pid, 0);
        if (pidfd < 0 && errno != ENOSYS)
                return;
        if (exec_process_read(found->pid, &process) == 0 && process.start_time == found->start_time &&
            !is_spared(rest, &process))
                send_to_process(found->pid, pidfd, signal);
        if (pidfd >= 0)
                close(pidfd);
}

int exec_list_orphans(bool (*is_known)(void *userdata, pid_t pid), void *userdata, ExecPids *orphans) {
        size_t n = 0;
        int r;

        r = exec_process_list_own(orphans);
        for (size_t i = 0; i < orphans->n; i++)
                if (!is_known || !is_known(userdata, orphans->items[i]))
                        orphans->items[n++] = orphans->items[i];
        orphans->n = n;
        return r;
}

/*
 * The number of a session is not reused while it has members. So a process that has been in the session since before
 * its leader ended belongs to the leader's unit.
 */
static bool is_of_session(const ExecRest *rest, pid_t pid) {
        uint64_t ticks = (uint64_t) sysconf(_SC_CLK_TCK);
        ExecProcess process;
        usec_t until, monotonic;

        if (rest->session <= 1 || exec_process_read(pid, &process) < 0 || process.session != rest->session)
                return false;
        if (rest->session_until == USEC_INFINITY)
                return true;
        /* Start times include the time that the machine was suspended. */
        monotonic = clock_monotonic();
        until = rest->session_until + (clock_boottime() - monotonic);
        return process.start_time * USEC_PER_SEC / ticks <= until;
}

/* Has a process that lives no INVOCATION_ID, or none that may be read? */
static bool is_unnamed(pid_t pid) {
        uint8_t id[16];

        return exec_process_is_alive(pid) && exec_process_read_invocation(pid, id) < 0;
}

/* 0 if it belongs to another unit, -ESRCH if it has ended. */
static int add_orphan(const ExecRest *rest, FoundList *found, pid_t pid, ExecPatience *patience) {
        int r;

        if (pid == rest->main_pid || pid == rest->control_pid)
                return 0;
        r = exec_process_check_invocation(pid, rest->invocation_id, patience);
        if (r == 0 && (is_of_session(rest, pid) || (rest->counts_unnamed && is_unnamed(pid))))
                r = 1;
        return r <= 0 ? r : add_found(found, pid);
}

/* An orphan that ended after the list was made may have left children that are not in it. */
static int add_listed_orphans(const ExecRest *rest, FoundList *found) {
        ExecPatience patience = EXEC_PATIENCE;

        for (size_t i = 0; i < rest->orphans->n; i++) {
                int r = add_orphan(rest, found, rest->orphans->items[i], &patience);

                if (r < 0)
                        return r == -ESRCH ? -ESTALE : r;
        }
        return 0;
}

static int add_orphans(const ExecRest *rest, FoundList *found) {
        ExecPatience patience = EXEC_PATIENCE;
        ExecPids orphans = {};
        int r;

        if (rest->orphans)
                return add_listed_orphans(rest, found);
        r = exec_list_orphans(rest->is_known, rest->userdata, &orphans);
        for (size_t i = 0; r == 0 && i < orphans.n; i++) {
                r = add_orphan(rest, found, orphans.items[i], &patience);
                if (r == -ESRCH)
                        r = 0;
        }
        vector_deinit(&orphans);
        return r;
}

static int add_children(FoundList *found, pid_t parent) {
        ExecPids children = {};
        int r;

        if (parent <= 0)
                return 0;
        r = exec_process_list_children(parent, &children);
        for (size_t i = 0; r == 0 && i < children.n; i++) {
                r = add_found(found, children.items[i]);
                if (r == -ESRCH)
                        r = 0;
        }
        vector_deinit(&children);
        return r;
}

/*
 * All processes are found before the first is signalled, because the children of a killed one could not be found any
 * more.
 */
static int find_rest(const ExecRest *rest, FoundList *found) {
        int r = add_orphans(rest, found);

        if (r == 0)
                r = add_children(found, rest->main_pid);
        if (r == 0)
                r = add_children(found, rest->control_pid);
        for (size_t i = 0; r == 0 && i < found->n && found->n < PROCESSES_MAX; i++)
                r = add_children(found, found->items[i].pid);
        return r;
}

int exec_kill_rest(const ExecRest *rest, int signal) {
        FoundList found = {};
        int r;

        r = find_rest(rest, &found);
        if (r == 0) {
                for (size_t i = 0; signal > 0 && i < found.n; i++)
                        signal_found(rest, &found.items[i], signal);
                r = (int) found.n;
        }
        vector_deinit(&found);
        return r;
}

pid_t exec_guess_main(const uint8_t invocation_id[static 16], pid_t except) {
        const ExecRest rest = { .invocation_id = invocation_id, .control_pid = except };
        FoundList orphans = {};
        pid_t pid = 0;

        if (add_orphans(&rest, &orphans) == 0 && orphans.n == 1)
                pid = orphans.items[0].pid;
        vector_deinit(&orphans);
        return pid;
}

void exec_kill_descendants(int signal) {
        ExecPids pids = {};

        /* With pid -1 the kernel exempts PID 1 and the sender. */
        if (getpid() == 1 || exec_process_keeper() == 1) {
                kill(-1, signal);
                return;
        }
        if (exec_process_list_children(getpid(), &pids) < 0 || exec_process_list_kept(&pids) < 0) {
                vector_deinit(&pids);
                return;
        }
        for (size_t i = 0; i < pids.n && pids.n < PROCESSES_MAX; i++)
                if (exec_process_list_children(pids.items[i], &pids) < 0)
                        break;
        for (size_t i = 0; i < pids.n; i++)
                kill(pids.items[i], signal);
        vector_deinit(&pids);
}

bool exec_has_children(void) {
        ExecPids kept = {};
        siginfo_t info;
        bool has_kept;

        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD)
                return true;
        has_kept = exec_process_list_kept(&kept) == 0 && kept.n > 0;
        vector_deinit(&kept);
        return has_kept;
}
