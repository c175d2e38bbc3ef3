/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Setting up the terminal, in the child
 *
 * A terminal that does not support one of the settings is used without it.
 */

#include <asm/termbits.h>
#include <linux/kd.h>
#include <linux/vt.h>
#include <asm/ioctls.h>
#include <asm/termios.h>
#include <fcntl.h>

#include "exec/exec_child_private.h"

#define INPUT 0

child_ static void reset(void) {
        struct termios modes;

        exec_call3(SYS_ioctl, INPUT, TIOCNXCL, 0);
        exec_call3(SYS_ioctl, INPUT, KDSETMODE, KD_TEXT);
        if (exec_call3(SYS_ioctl, INPUT, TCGETS, &modes) < 0)
                return;
        modes.c_iflag &= ~(unsigned) (IGNBRK | BRKINT | ISTRIP | INLCR | IGNCR | IUCLC);
        modes.c_iflag |= ICRNL | IMAXBEL | IUTF8;
        modes.c_oflag |= ONLCR | OPOST;
        modes.c_cflag |= CREAD;
        modes.c_lflag = ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE;
        modes.c_cc[VINTR] = 03;
        modes.c_cc[VQUIT] = 034;
        modes.c_cc[VERASE] = 0177;
        modes.c_cc[VKILL] = 025;
        modes.c_cc[VEOF] = 04;
        modes.c_cc[VSTART] = 021;
        modes.c_cc[VSTOP] = 023;
        modes.c_cc[VSUSP] = 032;
        modes.c_cc[VLNEXT] = 026;
        modes.c_cc[VWERASE] = 027;
        modes.c_cc[VREPRINT] = 022;
        modes.c_cc[VEOL] = 0;
        modes.c_cc[VEOL2] = 0;
        modes.c_cc[VTIME] = 0;
        modes.c_cc[VMIN] = 1;
        exec_call3(SYS_ioctl, INPUT, TCSETS, &modes);
}

/* The number in "/dev/tty5"; 0 if @path is no virtual terminal. */
child_ static unsigned console_number(const char *path) {
        const char prefix[] = "/dev/tty";
        unsigned number = 0, i = 0;

        for (; prefix[i]; i++)
                if (path[i] != prefix[i])
                        return 0;
        for (; path[i] >= '0' && path[i] <= '9' && number < 100; i++)
                number = number * 10 + (unsigned) (path[i] - '0');
        return path[i] ? 0 : number;
}

/* Frees the kernel's buffers of the terminal; one in use is only cleared. */
child_ static void disallocate(const char *path) {
        static const char clear[] = "\033[r\033[H\033[3J";
        unsigned number = console_number(path);
        int r = -1, fd;

        fd = number == 0 ? -1
                         : (int) exec_call4(SYS_openat, AT_FDCWD, "/dev/tty0",
                                            O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, 0);
        if (fd >= 0) {
                r = (int) exec_call3(SYS_ioctl, fd, VT_DISALLOCATE, number);
                exec_call1(SYS_close, fd);
        }
        if (r < 0)
                exec_call3(SYS_write, INPUT, clear, sizeof(clear) - 1);
}

child_ static void resize(const ExecTerms *terms) {
        struct winsize size = {};

        if (exec_call3(SYS_ioctl, INPUT, TIOCGWINSZ, &size) < 0)
                return;
        if (terms->tty_rows > 0)
                size.ws_row = (unsigned short) terms->tty_rows;
        if (terms->tty_columns > 0)
                size.ws_col = (unsigned short) terms->tty_columns;
        exec_call3(SYS_ioctl, INPUT, TIOCSWINSZ, &size);
}

child_ void exec_child_set_terminal(const ExecChild *child) {
        const ExecTerms *terms = child->extra->terms;

        if (terms->tty_reset)
                reset();
        if (terms->tty_disallocate)
                disallocate(child->request->tty);
        if (terms->tty_rows > 0 || terms->tty_columns > 0)
                resize(terms);
}
