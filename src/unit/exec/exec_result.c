/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What became of a request, in numbers and in words
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "unit/exec/exec.h"

static const char *const exec_step_table[] = {
        [EXEC_STEP_NONE] = "none",
        [EXEC_STEP_RESOURCES] = "resources",
        [EXEC_STEP_ENVIRONMENT] = "environment file",
        [EXEC_STEP_SIGNAL_MASK] = "signals",
        [EXEC_STEP_SETSID] = "session",
        [EXEC_STEP_STDIN] = "standard input",
        [EXEC_STEP_STDOUT] = "standard output",
        [EXEC_STEP_STDERR] = "standard error",
        [EXEC_STEP_OOM_ADJUST] = "OOM score",
        [EXEC_STEP_NICE] = "nice level",
        [EXEC_STEP_CHROOT] = "root directory",
        [EXEC_STEP_GROUP] = "group",
        [EXEC_STEP_USER] = "user",
        [EXEC_STEP_CHDIR] = "working directory",
        [EXEC_STEP_FDS] = "file descriptors",
        [EXEC_STEP_EXEC] = "program",
};

DEFINE_STRING_TABLE(exec_step, ExecStep, exec_step_table)

/* The numbers are systemd.exec(5)'s, "Process Exit Codes". A switch, since the child asks, too. */
__attribute__((no_sanitize("address", "undefined"))) int exec_step_exit_status(ExecStep step) {
        switch (step) {
        case EXEC_STEP_CHDIR:
                return 200;
        case EXEC_STEP_NICE:
                return 201;
        case EXEC_STEP_FDS:
                return 202;
        case EXEC_STEP_EXEC:
                return 203;
        case EXEC_STEP_OOM_ADJUST:
                return 206;
        case EXEC_STEP_SIGNAL_MASK:
                return 207;
        case EXEC_STEP_STDIN:
                return 208;
        case EXEC_STEP_STDOUT:
                return 209;
        case EXEC_STEP_CHROOT:
                return 210;
        case EXEC_STEP_GROUP:
                return 216;
        case EXEC_STEP_USER:
                return 217;
        case EXEC_STEP_SETSID:
                return 220;
        case EXEC_STEP_STDERR:
                return 222;
        case EXEC_STEP_NONE:
        case EXEC_STEP_RESOURCES:
        case EXEC_STEP_ENVIRONMENT:
        case _EXEC_STEP_MAX:
                return 0;
        }
        return 0;
}

void exec_result_set(ExecResult *result, ExecStep step, int error, const char *format, ...) {
        char what[900];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(what, sizeof(what), format, arguments);
        va_end(arguments);

        result->step = step;
        result->error = error < 0 ? -error : error;
        /* "There is no user x" says it all: ESRCH would speak of a process. */
        if (result->error == ESRCH || result->error == 0)
                snprintf(result->message, sizeof(result->message), "%s: %s", exec_step_to_string(step), what);
        else
                snprintf(result->message, sizeof(result->message), "%s: %s: %s", exec_step_to_string(step), what,
                         strerror(result->error));
}
