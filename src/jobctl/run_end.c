/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The end of a command that ran as a service
 */

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "basic/text.h"
#include "jobctl/property_text.h"
#include "jobctl/run.h"
#include "jobctl/state.h"
#include "jobctl/wait.h"

/* The exit status for a command ended by a signal, as with systemd-run. */
#define EXIT_BY_SIGNAL 255

/* A success of the unit is a success, whatever the exit status of the command. */
static int status_of(const json_t *properties) {
        const char *result = value_string(properties, "Result");
        uint64_t status = value_u64(properties, "ExecMainStatus");

        if (text_equal(result, "success"))
                return EXIT_OK;
        if (text_equal(result, "exit-code") && status > 0 && status <= UINT8_MAX)
                return (int) status;
        return text_equal(result, "signal") ? EXIT_BY_SIGNAL : EXIT_FAILED;
}

int run_wait(Jobctl *ctl, const RunPlan *plan, RunEnd *ret_end) {
        cleanup_(bus_error_deinit) BusError error = {};
        bool has_failed;
        int r = unit_wait_for_end(ctl, plan->unit, &has_failed);

        if (r != 0)
                return r;
        r = jobctl_unit_properties(ctl, plan->unit, NULL, &ret_end->properties, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get the result of %s", plan->unit);
        ret_end->status = status_of(ret_end->properties);
        return 0;
}

void run_print_end(const RunEnd *end) {
        uint64_t begin = value_u64(end->properties, "InactiveExitTimestampMonotonic");
        uint64_t finish = value_u64(end->properties, "InactiveEnterTimestampMonotonic");
        uint64_t cpu = value_u64(end->properties, "CPUUsageNSec");
        int code = (int) value_u64(end->properties, "ExecMainCode");
        int status = (int) value_u64(end->properties, "ExecMainStatus");
        const char *signal = status > 0 && status < NSIG ? sigabbrev_np(status) : NULL;
        char span[USEC_FORMAT_MAX];

        terminal_say(stderr, "Finished with result: %s", value_string(end->properties, "Result"));
        if (code == CLD_EXITED)
                terminal_say(stderr, "Main processes terminated with: code=exited/status=%d", status);
        else if (code > 0 && signal)
                terminal_say(stderr, "Main processes terminated with: code=%s/status=%s", property_exit_code(code),
                             signal);
        if (begin > 0 && finish > begin)
                terminal_say(stderr, "Service runtime: %s", state_format_span(finish - begin, span));
        if (cpu > 0 && cpu != UINT64_MAX)
                terminal_say(stderr, "CPU time consumed: %s", state_format_span(cpu / 1000, span));
}
