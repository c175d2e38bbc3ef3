/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The end: calls that may hang, and the command for the kernel. Calls of reboot(2) are made in a pid namespace, whose
 * first process they end, by a signal that tells which command it was.
 */

#include <errno.h>
#include <linux/reboot.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/log.h"
#include "core/machine_bounded.h"
#include "core/machine_end.h"
#include "double/double_assert.h"

static int succeed(const void *argument) {
        return 0;
}

static int fail(const void *argument) {
        return -*(const int *) argument;
}

static int hang(const void *argument) {
        while (pause() < 0)
                ;
        return 0;
}

static int crash(const void *argument) {
        raise(SIGKILL);
        return 0;
}

Test(machine_bounded, the_result_comes_back) {
        const int error = ENOSPC;

        cr_assert(eq(int, machine_call_bounded(succeed, NULL, USEC_PER_MINUTE), 0));
        cr_assert(eq(int, machine_call_bounded(fail, &error, USEC_PER_MINUTE), -ENOSPC));
        cr_assert(eq(int, machine_call_bounded(crash, NULL, USEC_PER_MINUTE), -EINTR));
}

Test(machine_bounded, what_hangs_is_left) {
        cr_assert(eq(int, machine_call_bounded(hang, NULL, 20 * USEC_PER_MSEC), -ETIMEDOUT));
}

Test(machine_bounded, other_children_are_not_reaped) {
        pid_t other = fork();

        if (other == 0)
                _exit(7);
        cr_assert(eq(int, machine_call_bounded(succeed, NULL, USEC_PER_MINUTE), 0));
        cr_assert(eq(int, waitpid(other, NULL, 0), other));
}

Test(machine_end, each_action_has_its_command) {
        static const struct {
                UnitAction action;
                unsigned command;
        } cases[] = {
                { UNIT_ACTION_NONE, LINUX_REBOOT_CMD_POWER_OFF },
                { UNIT_ACTION_EXIT, LINUX_REBOOT_CMD_POWER_OFF },
                { UNIT_ACTION_POWEROFF, LINUX_REBOOT_CMD_POWER_OFF },
                { UNIT_ACTION_POWEROFF_IMMEDIATE, LINUX_REBOOT_CMD_POWER_OFF },
                { UNIT_ACTION_REBOOT, LINUX_REBOOT_CMD_RESTART },
                { UNIT_ACTION_REBOOT_FORCE, LINUX_REBOOT_CMD_RESTART },
                { UNIT_ACTION_HALT, LINUX_REBOOT_CMD_HALT },
                { UNIT_ACTION_KEXEC, LINUX_REBOOT_CMD_KEXEC },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                cr_expect(eq(uint, machine_reboot_command(cases[i].action), cases[i].command), "%s",
                          unit_action_to_string(cases[i].action));
        /* A new action without a row would have the value 0. */
        for (int action = 0; action < _UNIT_ACTION_MAX; action++)
                cr_expect(machine_reboot_command((UnitAction) action) != 0, "%d", action);
}

/* The signal that ends the first process of a pid namespace when it calls machine_reboot(); -1: none. */
static int signal_of(UnitAction action) {
        pid_t helper = fork(), child;
        int status = 0;

        if (helper == 0) {
                if (unshare(CLONE_NEWPID) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0)
                        _exit(255);
                child = fork();
                if (child == 0 && getpid() == 1) {
                        machine_reboot(action);
                        _exit(254);
                }
                waitpid(child, &status, 0);
                _exit(WIFSIGNALED(status) ? WTERMSIG(status) : 254);
        }
        cr_assert(eq(int, waitpid(helper, &status, 0), helper));
        return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

Test(machine_end, the_kernel_is_told) {
        log_set_level((LogLevel) 0);
        if (signal_of(UNIT_ACTION_REBOOT) < 0)
                cr_skip_test("no pid namespace can be made here");
        cr_assert(eq(int, signal_of(UNIT_ACTION_REBOOT), SIGHUP));
        cr_assert(eq(int, signal_of(UNIT_ACTION_POWEROFF), SIGINT));
        cr_assert(eq(int, signal_of(UNIT_ACTION_HALT), SIGINT));
        /* No kernel is loaded for kexec, so the machine reboots. */
        cr_assert(eq(int, signal_of(UNIT_ACTION_KEXEC), SIGHUP));
}
