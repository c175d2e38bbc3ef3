/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A terminal for a service, connected with the terminal of jobctl
 *
 * The caller's terminal is in raw mode meanwhile: all input, Ctrl-C too, goes to the
 * command, whose terminal handles it. ^] three times within a second
 * detaches. A pipe tells the end: when it is closed, the remaining output of
 * the command is still read.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "jobctl/run_terminal.h"
#include "jobctl/terminal.h"

#define ESCAPE 0x1d
#define ESCAPES 3
#define CHUNK 4096

static volatile sig_atomic_t was_resized;
static const struct termios *modes_before;      /* of standard input, for the carrier process; NULL: unchanged */

static void on_resize(int signal) {
        was_resized = 1;
}

int run_terminal_open(RunTerminal *terminal, char **ret_path) {
        struct winsize size;
        char path[64];

        *terminal = (RunTerminal) { .is_open = true, .stop_fd = -1 };
        terminal->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (terminal->master < 0 || grantpt(terminal->master) < 0 || unlockpt(terminal->master) < 0 ||
            ptsname_r(terminal->master, path, sizeof(path)) != 0)
                return -errno;
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
                (void) ioctl(terminal->master, TIOCSWINSZ, &size);
        *ret_path = strdup(path);
        return *ret_path ? 0 : -ENOMEM;
}

/* — the carrier process — */

typedef struct Carrier {
        int master, stop_fd;
        bool reads_input;               /* standard input is still open */
        bool is_stopped;                /* the command has ended */
        bool is_hung_up;
        unsigned n_escapes;
        usec_t first_escape;
} Carrier;

static bool write_all(int fd, const char *bytes, size_t n) {
        while (n > 0) {
                ssize_t written = write(fd, bytes, n);

                if (written < 0 && errno == EINTR)
                        continue;
                if (written < 0 && errno == EAGAIN) {
                        (void) poll(&(struct pollfd) { .fd = fd, .events = POLLOUT }, 1, -1);
                        continue;
                }
                if (written <= 0)
                        return false;
                bytes += written;
                n -= (size_t) written;
        }
        return true;
}

static bool is_farewell(Carrier *carrier, const char *bytes, size_t n) {
        for (size_t i = 0; i < n; i++) {
                usec_t now = clock_monotonic();

                if (bytes[i] != ESCAPE) {
                        carrier->n_escapes = 0;
                        continue;
                }
                if (carrier->n_escapes == 0 || now > carrier->first_escape + USEC_PER_SEC) {
                        carrier->first_escape = now;
                        carrier->n_escapes = 0;
                }
                if (++carrier->n_escapes == ESCAPES)
                        return true;
        }
        return false;
}

/* False: the user has detached. */
static bool carry_input(Carrier *carrier) {
        char bytes[CHUNK];
        ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));

        if (n < 0 && (errno == EINTR || errno == EAGAIN))
                return true;
        if (n <= 0) {
                /* The terminal of the command turns this byte into an end of file. */
                (void) write_all(carrier->master, "\004", 1);
                carrier->reads_input = false;
                return true;
        }
        if (is_farewell(carrier, bytes, (size_t) n))
                return false;
        if (!write_all(carrier->master, bytes, (size_t) n))
                carrier->reads_input = false;
        return true;
}

/* EIO means that no process has the terminal open; the command may not have opened it yet. */
static void carry_output(Carrier *carrier) {
        char bytes[CHUNK];
        ssize_t n = read(carrier->master, bytes, sizeof(bytes));

        carrier->is_hung_up = n <= 0 && errno != EINTR && errno != EAGAIN;
        if (n > 0 && !write_all(STDOUT_FILENO, bytes, (size_t) n))
                carrier->is_stopped = carrier->is_hung_up = true;
}

static void follow_size(const Carrier *carrier) {
        struct winsize size;

        if (!was_resized)
                return;
        was_resized = 0;
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
                (void) ioctl(carrier->master, TIOCSWINSZ, &size);
}

/* True: the command has ended and its output was shown; false: the user has detached. */
static bool carry(Carrier *carrier) {
        for (;;) {
                struct pollfd fds[] = {
                        { .fd = carrier->is_hung_up ? -1 : carrier->master, .events = POLLIN },
                        { .fd = carrier->reads_input && !carrier->is_stopped ? STDIN_FILENO : -1, .events = POLLIN },
                        { .fd = carrier->is_stopped ? -1 : carrier->stop_fd, .events = POLLIN },
                };
                int n = poll(fds, ELEMENTSOF(fds), carrier->is_stopped ? 0 : carrier->is_hung_up ? 50 : -1);

                follow_size(carrier);
                if (n < 0)
                        continue;
                if (n == 0 && carrier->is_stopped)
                        return true;
                if (n == 0)
                        carrier->is_hung_up = false;
                if (fds[0].revents)
                        carry_output(carrier);
                if (fds[1].revents && !carry_input(carrier))
                        return false;
                if (fds[2].revents)
                        carrier->is_stopped = true;
                if (carrier->is_stopped && carrier->is_hung_up)
                        return true;
        }
}

static void restore_modes(void) {
        if (modes_before)
                (void) tcsetattr(STDIN_FILENO, TCSANOW, modes_before);
}

/* The parent is dead and cannot restore the modes. */
static void on_end(int signal) {
        restore_modes();
        _exit(0);
}

static void carrier_main(const RunTerminal *terminal, int stop_fd) {
        const struct sigaction resize = { .sa_handler = on_resize }, end = { .sa_handler = on_end };
        const struct sigaction ignore = { .sa_handler = SIG_IGN };
        Carrier carrier = { .master = terminal->master, .stop_fd = stop_fd, .reads_input = true };
        pid_t parent = getppid();
        bool has_ended;

        modes_before = terminal->has_saved ? &terminal->saved : NULL;
        /* A shell may have become the terminal's foreground group by now. */
        (void) sigaction(SIGTTOU, &ignore, NULL);
        (void) sigaction(SIGTERM, &end, NULL);
        (void) prctl(PR_SET_PDEATHSIG, SIGTERM);
        (void) sigaction(SIGWINCH, &resize, NULL);
        (void) fcntl(carrier.master, F_SETFL, O_RDWR | O_NONBLOCK);
        has_ended = carry(&carrier);
        restore_modes();
        if (!has_ended)
                (void) kill(parent, SIGTERM);
        _exit(0);
}

/* — this side — */

static void make_raw(RunTerminal *terminal) {
        struct termios raw;

        if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &terminal->saved) < 0)
                return;
        raw = terminal->saved;
        cfmakeraw(&raw);
        terminal->has_saved = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

int run_terminal_begin(RunTerminal *terminal, bool tells) {
        int fds[2];

        if (tells && isatty(STDIN_FILENO))
                terminal_say(stderr, "Press ^] three times within 1s to disconnect TTY.");
        if (pipe2(fds, O_CLOEXEC) < 0)
                return -errno;
        make_raw(terminal);
        terminal->pid = fork();
        if (terminal->pid == 0) {
                close(fds[1]);
                carrier_main(terminal, fds[0]);
        }
        close(fds[0]);
        terminal->stop_fd = fds[1];
        if (terminal->pid > 0)
                return 0;
        terminal->pid = 0;
        return -errno;
}

void run_terminal_end(RunTerminal *terminal) {
        if (!terminal->is_open)
                return;
        if (terminal->stop_fd >= 0)
                close(terminal->stop_fd);
        while (terminal->pid > 0 && waitpid(terminal->pid, NULL, 0) < 0 && errno == EINTR)
                ;
        if (terminal->has_saved)
                (void) tcsetattr(STDIN_FILENO, TCSANOW, &terminal->saved);
        if (terminal->master >= 0)
                close(terminal->master);
        *terminal = (RunTerminal) {};
}
