/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Information about processes, from /proc
 *
 * Children are listed by /proc/PID/task/TID/children, whose cost grows with
 * their number. On a kernel without that file every process of the machine is
 * read.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/exec_process.h"

#define ANCESTORS_MAX 1024

/* How often a process in execve() is read again before a pause, and the length of the pause. */
#define EXECVE_YIELDS 50
#define EXECVE_PAUSE_NSEC 1000000

/* The manager's variables come early; the rest of an environment may have any length. */
#define ENVIRONMENT_BYTES_MAX (64 * 1024)

/* PF_KTHREAD, whose value in /proc/PID/stat does not change. */
#define FLAG_KERNEL_THREAD 0x00200000U
/* PF_FORKNOEXEC, which has been what it is for longer than that. */
#define FLAG_HAS_NOT_EXECUTED 0x00000040U

/* Spaces in /proc/PID/stat between the name and the start of the code, and of the environment; proc(5). */
#define STAT_SPACES_BEFORE_CODE 24
#define STAT_SPACES_BEFORE_ENV 48

static void close_folder(DIR **folder) {
        if (*folder)
                closedir(*folder);
}

/* Reads up to size - 1 bytes and adds a NUL: their number, or -errno. */
static ssize_t read_proc(pid_t pid, const char *name, char *buffer, size_t size) {
        char path[64];
        ssize_t n;
        int fd;

        snprintf(path, sizeof(path), "/proc/%d/%s", (int) pid, name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return errno == ENOENT ? -ESRCH : -errno;
        n = read(fd, buffer, size - 1);
        if (n < 0)
                n = -errno;
        else
                buffer[n] = '\0';
        close(fd);
        return n;
}

static usec_t tick(void) {
        return USEC_PER_SEC / (usec_t) sysconf(_SC_CLK_TCK);
}

usec_t exec_process_start(const ExecProcess *process) {
        return process->start_time * tick();
}

usec_t exec_process_start_at(usec_t boottime) {
        return boottime - boottime % tick();
}

static int read_once(pid_t pid, ExecProcess *ret_process) {
        unsigned long long start_time;
        char buffer[1024];
        const char *rest;
        ssize_t n;
        int parent, group, session;
        unsigned flags;
        char state;

        n = read_proc(pid, "stat", buffer, sizeof(buffer));
        if (n < 0)
                return (int) n;
        /* The name, in parentheses, may contain any characters, also parentheses. */
        rest = strrchr(buffer, ')');
        if (!rest)
                return -EIO;
        if (sscanf(rest + 1, " %c %d %d %d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                   &state, &parent, &group, &session, &flags, &start_time) != 6)
                return -EIO;
        *ret_process = (ExecProcess) {
                .parent = parent, .group = group, .session = session, .state = state, .start_time = start_time,
                .is_of_kernel = flags & FLAG_KERNEL_THREAD,
                .has_executed = !(flags & FLAG_HAS_NOT_EXECUTED),
        };
        return 0;
}

int exec_process_read(pid_t pid, ExecProcess *ret_process) {
        int r;

        if (pid <= 0)
                return -ESRCH;
        r = read_once(pid, ret_process);
        /*
         * A process that is reaped while it is read has no parent any more, and is gone for the next reader. One whose
         * parent is outside the pid namespace says the same each time.
         */
        if (r == 0 && ret_process->parent == 0)
                r = read_once(pid, ret_process);
        return r;
}

bool exec_process_is_alive(pid_t pid) {
        ExecProcess process;

        return exec_process_read(pid, &process) == 0 && process.state != 'Z' && process.state != 'X';
}

static bool is_unexecuted(pid_t pid, usec_t started) {
        ExecProcess process;

        return exec_process_read(pid, &process) == 0 && !process.has_executed && process.state != 'Z' &&
               process.state != 'X' && (process.parent == getpid() || process.parent == exec_process_keeper()) &&
               (started == 0 || exec_process_start(&process) == started);
}

/*
 * The process may be in its execve() right now. What is told to stop does so before the first instruction of a program:
 * so what has not executed one after that never runs it, unless it is continued.
 */
int exec_process_hold_unexecuted(pid_t pid, usec_t started) {
        int pidfd = pid > 1 && is_unexecuted(pid, started) ? (int) syscall(SYS_pidfd_open, pid, 0) : -1;

        if (pidfd < 0)
                return -ESRCH;
        /* The process with this number is the one of the pidfd: either it is not reaped yet, or the signal fails. */
        if (is_unexecuted(pid, started) && syscall(SYS_pidfd_send_signal, pidfd, SIGSTOP, NULL, 0) == 0) {
                if (is_unexecuted(pid, started))
                        return pidfd;
                (void) syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0);
        }
        close(pidfd);
        return -ESRCH;
}

bool exec_process_wants_processor(pid_t pid) {
        ExecProcess process;

        return exec_process_read(pid, &process) == 0 && process.state == 'R';
}

usec_t exec_process_delay(pid_t pid) {
        char buffer[128];
        uint64_t delay;

        if (read_proc(pid, "schedstat", buffer, sizeof(buffer)) < 0 || sscanf(buffer, "%*u %" SCNu64, &delay) != 1)
                return 0;
        return delay / 1000;
}

bool exec_process_descends_from(pid_t pid, pid_t ancestor) {
        for (unsigned i = 0; i < ANCESTORS_MAX && pid > 0; i++) {
                ExecProcess process;

                if (exec_process_read(pid, &process) < 0)
                        return false;
                if (process.parent == ancestor)
                        return true;
                pid = process.parent;
        }
        return false;
}

int exec_process_read_owner(pid_t pid, uid_t *ret_uid) {
        unsigned real, effective, saved;
        char buffer[4096];
        const char *line;
        ssize_t n = read_proc(pid, "status", buffer, sizeof(buffer));

        if (n < 0)
                return (int) n;
        line = strstr(buffer, "\nUid:");
        if (!line || sscanf(line, "\nUid: %u %u %u", &real, &effective, &saved) != 3)
                return -EIO;
        if (real != effective || real != saved)
                return -EPERM;
        *ret_uid = real;
        return 0;
}

int exec_process_read_variable(pid_t pid, const char *name, char **ret_value) {
        cleanup_free_ char *environment = malloc(ENVIRONMENT_BYTES_MAX);
        ssize_t n = environment ? read_proc(pid, "environ", environment, ENVIRONMENT_BYTES_MAX) : -ENOMEM;
        size_t length = strlen(name);

        if (n < 0)
                return (int) n;
        for (const char *at = environment; at < environment + n; at += strlen(at) + 1) {
                if (strncmp(at, name, length) != 0 || at[length] != '=')
                        continue;
                *ret_value = strdup(at + length + 1);
                return *ret_value ? 0 : -ENOMEM;
        }
        return -ENODATA;
}

int exec_process_read_invocation(pid_t pid, uint8_t ret_id[static 16]) {
        cleanup_free_ char *hex = NULL;
        uint8_t id[16];
        int r = exec_process_read_variable(pid, "INVOCATION_ID", &hex);

        if (r < 0 || strlen(hex) != 2 * sizeof(id))
                return r < 0 ? r : -ENODATA;
        for (size_t i = 0; i < sizeof(id); i++)
                if (sscanf(hex + 2 * i, "%2hhx", &id[i]) != 1)
                        return -ENODATA;
        memcpy(ret_id, id, sizeof(id));
        return 0;
}

static void format_invocation(const uint8_t id[static 16], char wanted[static 64]) {
        static const char name[] = "INVOCATION_ID=";

        memcpy(wanted, name, sizeof(name));
        text_write_hex(wanted + sizeof(name) - 1, id, 16);
}

/*
 * 1 if @wanted is in the environment, 0 if not, -EAGAIN if no environment is visible, or -ESRCH. With one read, because
 * the memory may be gone before a second one.
 */
static int has_assignment(pid_t pid, const char *wanted) {
        cleanup_free_ char *environment = malloc(ENVIRONMENT_BYTES_MAX);
        ssize_t n = environment ? read_proc(pid, "environ", environment, ENVIRONMENT_BYTES_MAX) : -ENOMEM;

        /* The file of an ended process belongs to root. */
        if (n == 0 || n == -EACCES)
                return -EAGAIN;
        if (n < 0)
                return n == -ESRCH ? -ESRCH : 0;
        for (const char *at = environment; at < environment + n; at += strlen(at) + 1)
                if (strcmp(at, wanted) == 0)
                        return 1;
        return 0;
}

/* The text after the n-th space from @at on, or NULL. */
static const char *skip_numbers(const char *at, unsigned n) {
        for (; at && n > 0; n--) {
                at = strchr(at, ' ');
                at = at ? at + 1 : NULL;
        }
        return at;
}

/*
 * 0 if the process has no environment, -EAGAIN if it has none yet, or -ESRCH. execve() makes the bounds of the
 * environment equal before it sets them, and sets the start of the code after that. For a process that the manager may
 * not inspect the code starts at 1.
 */
static int look_for_environment(pid_t pid) {
        unsigned long long code, start, end;
        char buffer[2048];
        const char *at;

        if (read_proc(pid, "stat", buffer, sizeof(buffer)) < 0)
                return -ESRCH;
        at = strrchr(buffer, ')');
        if (!at || strlen(at) < 4)
                return 0;
        if (at[2] == 'Z' || at[2] == 'X')
                return -ESRCH;
        at = skip_numbers(at, STAT_SPACES_BEFORE_CODE);
        if (!at || sscanf(at, "%llu", &code) != 1)
                return 0;
        at = skip_numbers(at, STAT_SPACES_BEFORE_ENV - STAT_SPACES_BEFORE_CODE);
        if (!at || sscanf(at, "%llu %llu", &start, &end) != 2)
                return 0;
        return code == 1 || (code > 1 && start == end) ? 0 : -EAGAIN;
}

/*
 * In the middle of an execve() a process has no environment: usually for some microseconds, but longer where processors
 * are busy or the program is read from a slow disk. The time has no upper limit, because a user can provide the file
 * system.
 */
int exec_process_check_invocation(pid_t pid, const uint8_t invocation_id[static 16], ExecPatience *patience) {
        const struct timespec pause = { .tv_nsec = EXECVE_PAUSE_NSEC };
        char wanted[64];

        format_invocation(invocation_id, wanted);
        for (unsigned i = 0;; i++) {
                int r = has_assignment(pid, wanted);

                if (r == -EAGAIN)
                        r = look_for_environment(pid);
                if (r != -EAGAIN)
                        return r;
                if (i < EXECVE_YIELDS) {
                        sched_yield();
                        continue;
                }
                if (patience->n_pauses == 0)
                        return 0;
                patience->n_pauses--;
                nanosleep(&pause, NULL);
        }
}

bool exec_process_has_invocation(pid_t pid, const uint8_t invocation_id[static 16]) {
        ExecPatience patience = EXEC_PATIENCE;

        return exec_process_check_invocation(pid, invocation_id, &patience) > 0;
}

/* Reads numbers with any characters in between; @number is one that began in the piece before. */
static int add_numbers(ExecPids *pids, size_t most, const char *piece, size_t n, int *number) {
        for (size_t i = 0; i < n; i++) {
                if (piece[i] >= '0' && piece[i] <= '9') {
                        *number = *number * 10 + (piece[i] - '0');
                        continue;
                }
                if (*number > 0 && pids->n < most && vector_push(pids, (pid_t) *number) < 0)
                        return -ENOMEM;
                *number = 0;
        }
        return 0;
}

int exec_pids_read(int fd, size_t most, ExecPids *pids) {
        int number = 0, r = 0;
        char piece[4096];
        ssize_t n;

        while (r == 0 && (n = read(fd, piece, sizeof(piece))) > 0)
                r = add_numbers(pids, most, piece, (size_t) n, &number);
        return r;
}

static int read_children_of(const char *path, ExecPids *children) {
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        int r;

        if (fd < 0)
                return -errno;
        r = exec_pids_read(fd, SIZE_MAX, children);
        close(fd);
        return r;
}

static int read_children_file(pid_t pid, pid_t thread, ExecPids *children) {
        char path[96];

        snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int) pid, (int) thread);
        return read_children_of(path, children);
}

/* Returns 0 for an entry of /proc that is no process. */
static pid_t parse_pid(const char *name) {
        uint32_t pid;

        return text_parse_u32(name, &pid) < 0 ? 0 : (pid_t) pid;
}

int exec_process_list_all(ExecPids *pids) {
        cleanup_(close_folder) DIR *proc = opendir("/proc");
        const struct dirent *entry;

        if (!proc)
                return -errno;
        while ((entry = readdir(proc))) {
                pid_t pid = parse_pid(entry->d_name);

                if (pid > 0 && vector_push(pids, pid) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int scan_for_children(pid_t pid, ExecPids *children) {
        cleanup_(close_folder) DIR *proc = opendir("/proc");
        const struct dirent *entry;

        if (!proc)
                return -errno;
        while ((entry = readdir(proc))) {
                ExecProcess process;
                pid_t other = parse_pid(entry->d_name);

                if (exec_process_read(other, &process) < 0 || process.parent != pid)
                        continue;
                if (vector_push(children, other) < 0)
                        return -ENOMEM;
        }
        return 0;
}

/* A folder has a link for each folder in it, and two more. */
static bool has_one_thread(const struct stat *tasks) {
        return tasks->st_nlink == 3;
}

int exec_process_list_children(pid_t pid, ExecPids *children) {
        cleanup_(close_folder) DIR *tasks = NULL;
        const struct dirent *entry;
        struct stat status;
        char path[64];
        int r;

        snprintf(path, sizeof(path), "/proc/%d/task", (int) pid);
        if (stat(path, &status) < 0)
                return errno == ENOENT ? 0 : -errno;
        /* Most have one, and the folder need not be read. */
        if (has_one_thread(&status)) {
                r = read_children_file(pid, pid, children);
                if (r == 0 || r == -ENOMEM)
                        return r;
        }
        if (access("/proc/thread-self/children", F_OK) < 0)
                return scan_for_children(pid, children);
        tasks = opendir(path);
        if (!tasks)
                return errno == ENOENT ? 0 : -errno;
        while ((entry = readdir(tasks))) {
                if (entry->d_name[0] == '.')
                        continue;
                r = read_children_file(pid, parse_pid(entry->d_name), children);
                if (r == -ENOMEM)
                        return r;
        }
        return 0;
}

/* Static, because the parent is a property of this process, like its pid. */
static pid_t the_keeper;
static bool keeper_has_ours;

void exec_process_set_keeper(pid_t keeper, bool has_ours) {
        the_keeper = keeper;
        keeper_has_ours = has_ours;
}

pid_t exec_process_keeper(void) {
        return the_keeper;
}

int exec_process_list_kept(ExecPids *children) {
        const pid_t self = getpid();
        size_t n = children->n;
        int r = the_keeper > 0 ? exec_process_list_children(the_keeper, children) : 0;

        for (size_t i = n; i < children->n; i++)
                if (children->items[i] != self)
                        children->items[n++] = children->items[i];
        children->n = n;
        return r;
}

/* One thread makes all children of this program, so no list of another thread is read. */
int exec_process_list_own(ExecPids *children) {
        int r = read_children_of("/proc/thread-self/children", children);

        if (r < 0 && r != -ENOMEM)
                r = exec_process_list_children(getpid(), children);

        return r == 0 && keeper_has_ours ? exec_process_list_kept(children) : r;
}
