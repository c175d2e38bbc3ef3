/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The process of core: started, restarted, given up
 *
 * A core that was ready and died is started again at once, from the program
 * that was ready, as its saved state has that version. If another program is
 * installed by now, every second try uses that. Only deaths before core was
 * ready count. After five of them in a minute a machine gets a shell on its
 * console, and the next try when the shell ends. Elsewhere the keeper exits.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/keeper.h"

#define CONSOLE "/dev/console"
#define SHELL "/bin/sh"

/* The exit status of a child that could not execute its program, as in a shell. */
#define EXIT_NOT_EXECUTED 127

/*
 * All descriptors but KEEPER_FD are close-on-exec. Signals stay blocked, so that a signal before core listens is not
 * lost. A terminal signals a whole process group: core has its own group and gets the signal once, from the keeper.
 */
static _Noreturn void execute_core(const Keeper *keeper, int image, int link) {
        setrlimit(RLIMIT_NOFILE, &keeper->limit);
        keeper_score_restore(keeper);
        setpgid(0, 0);
        if (link == KEEPER_FD ? fcntl(link, F_SETFD, 0) < 0 : dup2(link, KEEPER_FD) < 0)
                _exit(EXIT_NOT_EXECUTED);
        if (image >= 0)
                syscall(SYS_execveat, image, "", keeper->argv, environ, AT_EMPTY_PATH);
        else
                execve(keeper->program, keeper->argv, environ);
        keeper_log("%s cannot be executed: %s", keeper->program, strerrordesc_np(errno));
        _exit(EXIT_NOT_EXECUTED);
}

static void pass_held_signals(Keeper *keeper) {
        for (int signal = 1; signal <= 64; signal++)
                if (keeper->held_signals & UINT64_C(1) << (signal - 1))
                        kill(keeper->core, signal);
        keeper->held_signals = 0;
}

static int start(Keeper *keeper) {
        bool falls_back = keeper->image >= 0 && keeper->n_tries % 2 == 0;
        int ends[2];
        pid_t pid;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
                return -errno;
        pid = fork();
        if (pid == 0)
                execute_core(keeper, falls_back ? keeper->image : -1, ends[1]);
        if (pid < 0) {
                int error = errno;

                close(ends[0]);
                close(ends[1]);
                return -error;
        }
        close(ends[1]);
        keeper->link = ends[0];
        keeper->core = pid;
        keeper->n_starts++;
        keeper->n_tries++;
        keeper->start_at = KEEPER_NEVER;
        pass_held_signals(keeper);
        return 0;
}

static void start_rescue(Keeper *keeper, uint64_t now) {
        static const char *const argv[] = { SHELL, NULL };
        sigset_t none;
        int console;

        keeper->start_at = now + KEEPER_DEATHS_TIME;
        keeper->n_deaths = 0;
        console = open(CONSOLE, O_RDWR | O_CLOEXEC);
        if (console < 0)
                return;
        keeper->rescue = fork();
        if (keeper->rescue == 0) {
                sigemptyset(&none);
                setsid();
                keeper_score_restore(keeper);
                if (dup2(console, 0) < 0 || dup2(console, 1) < 0 || dup2(console, 2) < 0 ||
                    sigprocmask(SIG_SETMASK, &none, NULL) < 0)
                        _exit(EXIT_NOT_EXECUTED);
                execve(SHELL, (char *const *) argv, environ);
                _exit(EXIT_NOT_EXECUTED);
        }
        if (keeper->rescue > 0)
                keeper->start_at = KEEPER_NEVER;        /* until the shell ends */
        else
                keeper->rescue = 0;
        close(console);
}

/* Records a death; true if there were too many. */
static bool count_death(Keeper *keeper, uint64_t now) {
        unsigned place = keeper->n_deaths % KEEPER_DEATHS_MAX;
        bool is_full = keeper->n_deaths >= KEEPER_DEATHS_MAX - 1;
        uint64_t oldest = keeper->deaths[(keeper->n_deaths + 1) % KEEPER_DEATHS_MAX];

        keeper->deaths[place] = now;
        keeper->n_deaths++;
        return is_full && now - oldest < KEEPER_DEATHS_TIME;
}

/* The exit status that stands for this wait status. */
static int status_to_exit(int status) {
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool keeper_core_ended(Keeper *keeper, int status, uint64_t now) {
        bool was_ready = keeper->is_ready, was_replacing = keeper->ready_by != KEEPER_NEVER;

        keeper_close_link(keeper);
        keeper->core = 0;
        keeper->is_ready = false;
        keeper->ready_by = KEEPER_NEVER;
        keeper->watch = (KeeperWatch) {};
        if (keeper->may_exit)
                return true;

        keeper_log("core ended by %s %d%s", WIFEXITED(status) ? "status" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
                   was_ready ? "" : " before it was ready");
        keeper->flags |= KEEPER_FLAG_CORE_DIED | (was_replacing ? KEEPER_FLAG_FELL_BACK : 0U);
        keeper->start_at = now;
        if (was_ready || !count_death(keeper, now))
                return false;
        if (!keeper->is_machine && keeper->image < 0) {
                keeper_log("core does not get ready; giving up");
                keeper->exit_status = status_to_exit(status);
                return true;
        }
        keeper_log("core does not get ready; the next try is in %u s", (unsigned) (KEEPER_DEATHS_TIME / KEEPER_SEC));
        keeper->start_at = now + KEEPER_DEATHS_TIME;
        keeper->n_deaths = 0;
        if (keeper->is_machine && keeper->rescue == 0)
                start_rescue(keeper, now);
        return false;
}

void keeper_tend_core(Keeper *keeper, uint64_t now) {
        if (keeper->core == 0 && now >= keeper->start_at) {
                int r = start(keeper);

                if (r < 0) {
                        keeper_log("core cannot be started now: %s", strerrordesc_np(-r));
                        keeper->start_at = now + KEEPER_RETRY_TIME;
                }
        }
        if (keeper->core > 0 && now >= keeper->ready_by) {
                keeper_log("the new core is not ready after %u s; going back",
                           (unsigned) (KEEPER_REEXEC_TIME / KEEPER_SEC));
                keeper->flags |= KEEPER_FLAG_FELL_BACK;
                keeper->ready_by = KEEPER_NEVER;        /* once */
                kill(keeper->core, SIGKILL);
        }
        keeper_watch_step(keeper, now);
        /* Without a link core can neither learn of exits nor report that it is ready. */
        if (keeper->core > 0 && keeper->link < 0)
                kill(keeper->core, SIGKILL);
}

uint64_t keeper_next_time(const Keeper *keeper) {
        uint64_t next = keeper->ready_by, watch = keeper_watch_next(keeper);

        if (keeper->core == 0 && keeper->start_at < next)
                next = keeper->start_at;
        if (watch < next)
                next = watch;
        if (keeper_has_to_send(keeper) && keeper->send_at > 0 && keeper->send_at < next)
                next = keeper->send_at;
        return next;
}
