/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The loop of the keeper
 *
 * A turn handles ended children, then signals (if core lives), requests of
 * core, messages to core, and the process of core. A child that ends between
 * the first two steps is announced by SIGCHLD; then the next turn follows at
 * once. All signals are blocked for ever and read from a descriptor, so only
 * SIGKILL ends the keeper, and as PID 1 not even that.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keeper/keeper.h"

/* The inode number of the initial pid namespace on every Linux (include/linux/proc_ns.h). */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCU

/* The turn continues with core after this many signals, even if children end faster than they are reaped. */
#define SIGNALS_A_TURN 64U
#define CHILDREN_A_TURN 1024U

#define PROGRAM_MAX 4096

static Keeper the_keeper;

/* µs, CLOCK_MONOTONIC. */
static uint64_t read_clock(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t) now.tv_sec * KEEPER_SEC + (uint64_t) now.tv_nsec / 1000;
}

/* — signals — */

static bool is_passed_on(int signal) {
        switch (signal) {
        case SIGHUP:
        case SIGINT:
        case SIGTERM:
        case SIGUSR1:
        case SIGUSR2:
        case SIGPWR:
        case SIGWINCH:
                return true;
        default:
                return signal >= SIGRTMIN && signal <= SIGRTMAX;
        }
}

static void take_signal(Keeper *keeper, int signal) {
        if (!is_passed_on(signal))
                return;
        if (keeper->core > 0)
                kill(keeper->core, signal);
        else
                keeper->held_signals |= UINT64_C(1) << (signal - 1);
}

/* True if a child has ended, perhaps one that was reaped already. */
static bool read_signals(Keeper *keeper) {
        bool has_child_ended = false;

        for (unsigned i = 0; i < SIGNALS_A_TURN; i++) {
                struct signalfd_siginfo info;

                if (read(keeper->signal_fd, &info, sizeof(info)) != sizeof(info))
                        break;
                has_child_ended = has_child_ended || info.ssi_signo == SIGCHLD;
                take_signal(keeper, (int) info.ssi_signo);
        }
        return has_child_ended;
}

/* — children — */

static int code_of(int status) {
        if (WIFEXITED(status))
                return CLD_EXITED;
        return WCOREDUMP(status) ? CLD_DUMPED : CLD_KILLED;
}

/* True: the keeper exits. */
static bool take_child(Keeper *keeper, pid_t pid, int status, uint64_t now) {
        if (pid == keeper->core) {
                keeper_read_last_words(keeper, now);
                return keeper_core_ended(keeper, status, now);
        }
        if (pid == keeper->rescue) {
                keeper->rescue = 0;
                keeper->start_at = now;
                return false;
        }
        exit_ring_add(&keeper->exits, &(ExitRecord) {
                .pid = pid, .code = code_of(status),
                .status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), .time = now });
        return false;
}

static bool reap(Keeper *keeper, uint64_t now, bool *ret_has_more) {
        *ret_has_more = false;
        for (unsigned i = 0; i < CHILDREN_A_TURN; i++) {
                int status = 0;
                pid_t pid = waitpid(-1, &status, WNOHANG);

                if (pid <= 0)
                        return false;
                if (take_child(keeper, pid, status, now))
                        return true;
        }
        *ret_has_more = true;
        return false;
}

/* — the loop — */

static int timeout_until(uint64_t time, uint64_t now) {
        uint64_t left;

        if (time == KEEPER_NEVER)
                return -1;
        left = time > now ? (time - now + 999) / 1000 : 0;
        return left > INT_MAX ? INT_MAX : (int) left;
}

static void wait_for_news(Keeper *keeper, bool has_more) {
        uint64_t now = read_clock();
        bool may_send = keeper_has_to_send(keeper) && now >= keeper->send_at;
        bool may_read = keeper->answer.kind == 0;
        struct pollfd fds[] = {
                { .fd = keeper->signal_fd, .events = POLLIN },
                { .fd = keeper->link, .events = (short) ((may_read ? POLLIN : 0) | (may_send ? POLLOUT : 0)) },
        };

        /* A failure (ENOMEM) is treated like an event: the turn checks everything. */
        (void) poll(fds, 2, has_more ? 0 : timeout_until(keeper_next_time(keeper), now));
}

static int loop(Keeper *keeper) {
        for (;;) {
                uint64_t now = read_clock();
                bool has_more;

                if (reap(keeper, now, &has_more))
                        return keeper->exit_status;
                has_more |= read_signals(keeper);
                keeper_read_requests(keeper, now);
                keeper_send(keeper, now);
                keeper_tend_core(keeper, now);
                wait_for_news(keeper, has_more);
        }
}

/* — start — */

/* PID 1 of a container may be started without standard descriptors. */
static void open_standard_descriptors(void) {
        for (int fd = 0; fd <= STDERR_FILENO; fd++)
                if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
                        return;
}

static bool is_machine(void) {
        struct stat status;

        if (getpid() != 1 || getenv("container"))
                return false;
        if (stat("/proc/self/ns/pid", &status) == 0)
                return status.st_ino == INITIAL_PID_NAMESPACE;
        /* Without /proc, as on a machine that has just booted: PID 2 is a kernel thread, without group or session. */
        return getpgid(2) == 0 && getsid(2) == 0;
}

/* Raises the limit for the descriptors held for core; core itself gets the original limit. */
static void raise_descriptor_limit(Keeper *keeper) {
        struct rlimit raised;

        if (getrlimit(RLIMIT_NOFILE, &keeper->limit) < 0)
                keeper->limit = (struct rlimit) { 1024, 1024 };
        raised = keeper->limit;
        raised.rlim_cur = raised.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &raised) < 0)
                raised = keeper->limit;
        keeper->fds_below = (raised.rlim_cur < INT_MAX ? (int) raised.rlim_cur : INT_MAX) - KEEPER_OWN_FDS;
}

/* The folder of jobd's own program, with a slash at the end: its length in @path, or 0. */
static size_t find_own_folder(const char *own, char path[static PROGRAM_MAX]) {
        ssize_t n = readlink("/proc/self/exe", path, PROGRAM_MAX - 1);
        const char *slash;

        if (n <= 0)
                n = snprintf(path, PROGRAM_MAX, "%s", own ? own : "");
        if (n <= 0 || n >= PROGRAM_MAX)
                return 0;
        path[n] = '\0';
        slash = strrchr(path, '/');
        return slash ? (size_t) (slash + 1 - path) : 0;
}

/*
 * Core beside jobd, as in a build folder; where it is installed relative to jobd, which may have been moved with it; or
 * where it was installed. JOBD_CORE overrides all, for testing.
 */
static const char *find_core(const char *own) {
        static const char *const places[] = { "jobd-core", JOBD_CORE_FROM_JOBD };
        static char path[PROGRAM_MAX];
        const char *given = getenv("JOBD_CORE");
        size_t n;

        if (given && *given)
                return given;
        n = find_own_folder(own, path);
        for (size_t i = 0; n > 0 && i < sizeof(places) / sizeof(*places); i++)
                if ((size_t) snprintf(path + n, PROGRAM_MAX - n, "%s", places[i]) < PROGRAM_MAX - n &&
                    access(path, X_OK) == 0)
                        return path;
        return JOBD_CORE_PROGRAM;
}

/* Blocks all signals, including the two that libc reserves for threads and does not block. */
static int block_signals(void) {
        const uint64_t all = UINT64_MAX;

        return syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof(all)) < 0 ? -errno : 0;
}

static int init(Keeper *keeper, char **argv) {
        sigset_t all;
        char pid[16];

        if (block_signals() < 0)
                return -errno;
        sigfillset(&all);
        /* The parent of jobd may have ignored SIGCHLD; then the kernel would reap children and report nothing. */
        if (signal(SIGCHLD, SIG_DFL) == SIG_ERR)
                return -errno;
        open_standard_descriptors();
        keeper->signal_fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
        if (keeper->signal_fd < 0)
                return -errno;
        if (prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) < 0)
                return -errno;
        raise_descriptor_limit(keeper);
        keeper_score_lower(keeper);
        snprintf(pid, sizeof(pid), "%d", (int) getpid());
        if (setenv(KEEPER_VARIABLE, pid, 1) < 0)
                return -errno;

        keeper->program = find_core(argv[0]);
        argv[0] = (char *) "jobd-core";
        keeper->argv = argv;
        keeper_parent_init(&keeper->parent, getenv("NOTIFY_SOCKET"));
        keeper->is_machine = is_machine();
        keeper->link = keeper->image = -1;
        keeper->ready_by = KEEPER_NEVER;
        keeper->start_at = 0;
        exit_ring_init(&keeper->exits);
        return 0;
}

int main(int argc, char *argv[]) {
        static char *no_arguments[] = { (char *) "jobd", NULL };
        int r;

        r = init(&the_keeper, argc > 0 ? argv : no_arguments);
        if (r < 0) {
                keeper_log("cannot start: %s", strerrordesc_np(-r));
                return EXIT_FAILURE;
        }
        return loop(&the_keeper);
}
