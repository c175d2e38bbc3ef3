/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The beginning of a machine
 *
 * Failures are logged and passed over: a machine that comes up with something
 * missing can be repaired, one whose init gave up cannot.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kd.h>
#include <linux/reboot.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "basic/fd.h"
#include "core/core_command_line.h"
#include "core/machine.h"
#include "core/machine_command_line.h"
#include "core/machine_identity.h"
#include "core/machine_mount.h"

/* Standard streams are closed if the kernel found no /dev/console when it started init. */
static bool leads_nowhere(int fd) {
        struct stat status;

        return fstat(fd, &status) < 0 || (S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3));
}

static void open_console(void) {
        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
                int console;

                if (!leads_nowhere(fd))
                        continue;
                console = open("/dev/console", O_RDWR | O_NOCTTY | O_CLOEXEC);
                if (console < 0)
                        return;
                if (console == fd) {
                        fcntl(fd, F_SETFD, 0);
                        continue;
                }
                dup2(console, fd);
                close(console);
        }
}

/* By default the kernel drops all but a few lines of a process in any five seconds. */
static void lift_rate_limit(void) {
        cleanup_fd_ int fd = open("/proc/sys/kernel/printk_devkmsg", O_WRONLY | O_CLOEXEC);

        if (fd >= 0)
                (void) !write(fd, "on\n", 3);
}

/* Stays open: the log goes there until the end. */
static void open_kernel_log(void) {
        int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC | O_NOCTTY);

        if (fd < 0)
                return;
        lift_rate_limit();
        log_set_kernel(fd);
}

/* Ctrl-Alt-Del and Alt-Up are signals then. */
static void take_keys(void) {
        cleanup_fd_ int fd = -1;

        if (reboot((int) LINUX_REBOOT_CMD_CAD_OFF) < 0)
                log_warning("Ctrl-Alt-Del stays with the kernel: %s", strerror(errno));
        fd = open("/dev/tty0", O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (fd >= 0)
                (void) ioctl(fd, KDSIGACCEPT, SIGWINCH);
}

static void complain(int r, const char *what) {
        if (r < 0)
                log_warning("Cannot %s: %s", what, strerror(-r));
}

void machine_begin(void) {
        cleanup_(failure_deinit) Failure failure = {};
        int r = machine_mount_all("", &failure);

        open_console();
        open_kernel_log();
        if (r < 0)
                log_error("%s", failure_message(&failure));
        take_keys();
        complain(machine_set_hostname(), "set the host's name");
        complain(machine_set_id(""), "give the machine an id");
        complain(machine_start_loopback(), "bring up the loopback interface");
}

static int apply_command_line(CoreOptions *options) {
        cleanup_(machine_command_line_deinit) MachineCommandLine line = {};
        int r = machine_command_line_read(&line);

        if (r == -ENOMEM)
                return r;
        if (r < 0) {
                log_warning("Cannot read the kernel's command line: %s", strerror(-r));
                return 0;
        }
        if (line.wrong_unit)
                log_error("The kernel's command line names '%s', which cannot be a unit: ignored.", line.wrong_unit);
        if (line.has_log_level)
                options->log_level = line.log_level;
        return line.unit ? core_options_set_default_unit(options, line.unit) : 0;
}

int machine_options_read(CoreOptions *options, Failure *ret_failure) {
        char name[] = "jobd", *arguments[] = { name, NULL };
        cleanup_(failure_deinit) Failure failure = {};
        int r;

        assert(options);

        r = core_command_line_read(options, 1, arguments, &failure);
        if (r < 0) {
                char nothing[] = "--config=/dev/null", *without[] = { name, nothing, NULL };

                log_error("%s", failure_message(&failure));
                core_options_deinit(options);
                *options = (CoreOptions) {};
                r = core_command_line_read(options, 2, without, ret_failure);
        }
        if (r < 0)
                return r;
        r = apply_command_line(options);
        return r < 0 ? failure_set(ret_failure, r, "NoMemory", "Out of memory.") : 0;
}
