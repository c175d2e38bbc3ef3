/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The last stage
 *
 * The manager has stopped the units and the processes that it knew. Here all
 * other processes end, then file systems are unmounted, then the machine stops.
 * Each step is bounded in time: a disk or a server that does not answer costs a
 * few seconds, not the shutdown.
 */

#include <assert.h>
#include <errno.h>
#include <linux/reboot.h>
#include <signal.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "core/machine_bounded.h"
#include "core/machine_end.h"
#include "core/machine_unmount.h"
#include "exec/exec_kill.h"
#include "manager/manager.h"

#define SYNC_TIMEOUT (30 * USEC_PER_SEC)
#define TERMINATE_TIMEOUT (5 * USEC_PER_SEC)
#define KILL_TIMEOUT (5 * USEC_PER_SEC)

typedef struct EndRule {
        unsigned command;
        bool is_immediate;
        const char *what;
} EndRule;

static const EndRule rules[_UNIT_ACTION_MAX] = {
        [UNIT_ACTION_NONE] = { LINUX_REBOOT_CMD_POWER_OFF, false, "Powering off" },
        [UNIT_ACTION_REBOOT] = { LINUX_REBOOT_CMD_RESTART, false, "Rebooting" },
        [UNIT_ACTION_REBOOT_FORCE] = { LINUX_REBOOT_CMD_RESTART, false, "Rebooting" },
        [UNIT_ACTION_REBOOT_IMMEDIATE] = { LINUX_REBOOT_CMD_RESTART, true, "Rebooting at once" },
        [UNIT_ACTION_POWEROFF] = { LINUX_REBOOT_CMD_POWER_OFF, false, "Powering off" },
        [UNIT_ACTION_POWEROFF_FORCE] = { LINUX_REBOOT_CMD_POWER_OFF, false, "Powering off" },
        [UNIT_ACTION_POWEROFF_IMMEDIATE] = { LINUX_REBOOT_CMD_POWER_OFF, true, "Powering off at once" },
        [UNIT_ACTION_EXIT] = { LINUX_REBOOT_CMD_POWER_OFF, false, "Powering off" },
        [UNIT_ACTION_EXIT_FORCE] = { LINUX_REBOOT_CMD_POWER_OFF, false, "Powering off" },
        [UNIT_ACTION_HALT] = { LINUX_REBOOT_CMD_HALT, false, "Halting" },
        [UNIT_ACTION_HALT_FORCE] = { LINUX_REBOOT_CMD_HALT, false, "Halting" },
        [UNIT_ACTION_HALT_IMMEDIATE] = { LINUX_REBOOT_CMD_HALT, true, "Halting at once" },
        [UNIT_ACTION_KEXEC] = { LINUX_REBOOT_CMD_KEXEC, false, "Executing the loaded kernel" },
        [UNIT_ACTION_KEXEC_FORCE] = { LINUX_REBOOT_CMD_KEXEC, false, "Executing the loaded kernel" },
};

unsigned machine_reboot_command(UnitAction action) {
        assert((unsigned) action < _UNIT_ACTION_MAX);

        return rules[action].command;
}

int machine_reboot(UnitAction action) {
        unsigned command = machine_reboot_command(action);
        int error;

        reboot((int) command);
        error = errno;
        /* No kernel is loaded: a reboot comes closest. */
        if (command == LINUX_REBOOT_CMD_KEXEC) {
                log_error("No kernel can be executed: %s. Rebooting instead.", strerror(error));
                reboot((int) LINUX_REBOOT_CMD_RESTART);
        } else if (command == LINUX_REBOOT_CMD_POWER_OFF) {
                log_error("The machine cannot be powered off: %s. Halting instead.", strerror(error));
                reboot((int) LINUX_REBOOT_CMD_HALT);
        }
        return -error;
}

static int call_sync(const void *argument) {
        sync();
        return 0;
}

static void sync_disks(void) {
        if (machine_call_bounded(call_sync, NULL, SYNC_TIMEOUT) == -ETIMEDOUT)
                log_error("Not all data could be written to disk in time.");
}

static bool has_children(void) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
                ;
        return exec_has_children();
}

/* Reaps until there is no child left; false if there still is one at the end of the time. */
static bool wait_for_children(usec_t limit) {
        const struct timespec pause = { .tv_nsec = 20000000 };  /* ends of the keeper's children are not signalled */
        usec_t end = usec_add(clock_monotonic(), limit);
        sigset_t children;

        sigemptyset(&children);
        sigaddset(&children, SIGCHLD);
        while (has_children()) {
                if (clock_monotonic() >= end)
                        return false;
                sigtimedwait(&children, NULL, &pause);
        }
        return true;
}

/* Kills all processes but this one and PID 1. Those that are stuck in the kernel stay. */
static void end_processes(void) {
        kill(-1, SIGTERM);
        kill(-1, SIGCONT);
        if (!wait_for_children(TERMINATE_TIMEOUT))
                log_warning("Some processes do not end by themselves; they are killed.");
        kill(-1, SIGKILL);
        wait_for_children(KILL_TIMEOUT);
}

static void let_go_of_disks(void) {
        (void) !chdir("/");
        end_processes();
        sync_disks();
        (void) machine_swap_off();
        (void) machine_unmount_all("");
        sync_disks();
}

_Noreturn void machine_end(UnitAction action) {
        sigset_t all;

        assert((unsigned) action < _UNIT_ACTION_MAX);
        assert(getpid() == 1 || getppid() == 1);        /* any other process would kill foreign ones */

        /* Signals are blocked: a second Ctrl-Alt-Del would end the shutdown half-way. */
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
        if (!rules[action].is_immediate)
                let_go_of_disks();
        log_notice("%s.", rules[action].what);
        log_error("The kernel refuses: %s. The machine may be switched off.", strerror(-machine_reboot(action)));
        for (;;) {
                while (waitpid(-1, NULL, 0) > 0)
                        ;
                pause();
        }
}
