/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Verbs that end the machine: poweroff, reboot, halt, kexec; and exit
 *
 * Without --force the target is started, which stops all units; the verb does
 * not wait, as the manager ends, too. With --force the manager ends processes
 * without stopping units. With --force given twice the kernel is called
 * directly, as the manager may be stuck; then data is not written to the
 * disks.
 */

#include <errno.h>
#include <linux/reboot.h>
#include <string.h>
#include <sys/reboot.h>

#include "basic/text.h"
#include "jobctl/names.h"
#include "jobctl/verbs.h"

static const struct End {
        const char *verb;
        const char *method;
        unsigned command;
} ends[] = {
        { "poweroff", "PowerOff", LINUX_REBOOT_CMD_POWER_OFF },
        { "reboot", "Reboot", LINUX_REBOOT_CMD_RESTART },
        { "halt", "Halt", LINUX_REBOOT_CMD_HALT },
        { "kexec", "KExec", LINUX_REBOOT_CMD_KEXEC },
};

static const struct End *find_end(const char *verb) {
        for (size_t i = 0; i < ELEMENTSOF(ends); i++)
                if (text_equal(ends[i].verb, verb))
                        return &ends[i];
        return NULL;
}

static int end_at_once(const struct End *end) {
        if (reboot((int) end->command) < 0) {
                terminal_say(stderr, "Failed to %s: %s", end->verb, strerror(errno));
                return EXIT_FAILED;
        }
        return EXIT_OK;
}

static int end_by_force(Jobctl *ctl, const struct End *end) {
        cleanup_(bus_error_deinit) BusError error = {};
        int r = jobctl_call(ctl, end->method, NULL, NULL, NULL, &error);

        return r < 0 ? jobctl_fail(ctl, &error, "%s", end->verb) : EXIT_OK;
}

/* — exit: a manager that is not the init of a machine ends, and says with what — */

static int set_status(Jobctl *ctl, uint32_t status) {
        cleanup_(bus_error_deinit) BusError error = {};
        int r = jobctl_call(ctl, "SetExitCode", "y", json_pack("[i]", (int) status), NULL, &error);

        return r < 0 ? jobctl_fail(ctl, &error, "set the exit status") : 0;
}

int verb_exit(Jobctl *ctl, char *const *words) {
        uint32_t status = 0;
        int r;

        if (words && *words && (!name_is_number(*words, &status) || status > UINT8_MAX))
                return jobctl_misused(ctl, "An exit status is a number from 0 to 255, not '%s'.", *words);
        r = jobctl_connect(ctl);
        if (r == 0 && words && *words)
                r = set_status(ctl, status);
        if (r != 0)
                return r;
        ctl->options.no_block = !ctl->options.wait;
        return verb_target(ctl, NULL);
}

/* — the other verbs — */

int verb_end(Jobctl *ctl, char *const *words) {
        const struct End *end = find_end(ctl->verb->name);
        int r;

        if (!end)
                return -EINVAL;
        if (ctl->options.n_force > 1)
                return end_at_once(end);
        r = jobctl_connect(ctl);
        if (r != 0)
                return r;
        if (ctl->options.n_force > 0)
                return end_by_force(ctl, end);
        ctl->options.no_block = !ctl->options.wait;
        return verb_target(ctl, words);
}
