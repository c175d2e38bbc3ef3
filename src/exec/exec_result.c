/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The result of a request, as numbers and as text
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/exec_syscall.h"

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
        [EXEC_STEP_SETSCHEDULER] = "scheduling policy",
        [EXEC_STEP_CPUAFFINITY] = "CPU affinity",
        [EXEC_STEP_NUMA_POLICY] = "NUMA policy",
        [EXEC_STEP_IOPRIO] = "I/O priority",
        [EXEC_STEP_TIMERSLACK] = "timer slack",
        [EXEC_STEP_PERSONALITY] = "personality",
        [EXEC_STEP_RUNTIME_DIRECTORY] = "runtime directory",
        [EXEC_STEP_STATE_DIRECTORY] = "state directory",
        [EXEC_STEP_CACHE_DIRECTORY] = "cache directory",
        [EXEC_STEP_LOGS_DIRECTORY] = "logs directory",
        [EXEC_STEP_CONFIGURATION_DIRECTORY] = "configuration directory",
        [EXEC_STEP_CREDENTIALS] = "credentials",
        [EXEC_STEP_KEYRING] = "keyring",
        [EXEC_STEP_LIMITS] = "resource limit",
        [EXEC_STEP_NETWORK] = "network namespace",
        [EXEC_STEP_NAMESPACE] = "namespace",
        [EXEC_STEP_CHROOT] = "root directory",
        [EXEC_STEP_GROUP] = "group",
        [EXEC_STEP_CAPABILITIES] = "capabilities",
        [EXEC_STEP_USER] = "user",
        [EXEC_STEP_CHDIR] = "working directory",
        [EXEC_STEP_SECUREBITS] = "secure bits",
        [EXEC_STEP_NO_NEW_PRIVILEGES] = "no new privileges",
        [EXEC_STEP_SECCOMP] = "system call filter",
        [EXEC_STEP_FDS] = "file descriptors",
        [EXEC_STEP_EXEC] = "program",
        [EXEC_STEP_APPARMOR] = "AppArmor profile",
        [EXEC_STEP_SELINUX] = "SELinux context",
        [EXEC_STEP_SMACK] = "SMACK label",
        [EXEC_STEP_PAM] = "PAM session",
        [EXEC_STEP_CGROUP] = "control group",
};

DEFINE_STRING_TABLE(exec_step, ExecStep, exec_step_table)

/* From systemd.exec(5), "Process Exit Codes". The other steps fail before there is a process. */
static const uint8_t exit_statuses[_EXEC_STEP_MAX] = {
        [EXEC_STEP_CHDIR] = 200,
        [EXEC_STEP_NICE] = 201,
        [EXEC_STEP_FDS] = 202,
        [EXEC_STEP_EXEC] = 203,
        [EXEC_STEP_LIMITS] = 205,
        [EXEC_STEP_OOM_ADJUST] = 206,
        [EXEC_STEP_SIGNAL_MASK] = 207,
        [EXEC_STEP_STDIN] = 208,
        [EXEC_STEP_STDOUT] = 209,
        [EXEC_STEP_CHROOT] = 210,
        [EXEC_STEP_IOPRIO] = 211,
        [EXEC_STEP_TIMERSLACK] = 212,
        [EXEC_STEP_SECUREBITS] = 213,
        [EXEC_STEP_SETSCHEDULER] = 214,
        [EXEC_STEP_CPUAFFINITY] = 215,
        [EXEC_STEP_GROUP] = 216,
        [EXEC_STEP_USER] = 217,
        [EXEC_STEP_CAPABILITIES] = 218,
        [EXEC_STEP_CGROUP] = 219,
        [EXEC_STEP_SETSID] = 220,
        [EXEC_STEP_STDERR] = 222,
        [EXEC_STEP_PAM] = 224,
        [EXEC_STEP_NETWORK] = 225,
        [EXEC_STEP_NAMESPACE] = 226,
        [EXEC_STEP_NO_NEW_PRIVILEGES] = 227,
        [EXEC_STEP_SECCOMP] = 228,
        [EXEC_STEP_SELINUX] = 229,
        [EXEC_STEP_PERSONALITY] = 230,
        [EXEC_STEP_APPARMOR] = 231,
        [EXEC_STEP_RUNTIME_DIRECTORY] = 233,
        [EXEC_STEP_SMACK] = 236,
        [EXEC_STEP_KEYRING] = 237,
        [EXEC_STEP_STATE_DIRECTORY] = 238,
        [EXEC_STEP_CACHE_DIRECTORY] = 239,
        [EXEC_STEP_LOGS_DIRECTORY] = 240,
        [EXEC_STEP_CONFIGURATION_DIRECTORY] = 241,
        [EXEC_STEP_NUMA_POLICY] = 242,
        [EXEC_STEP_CREDENTIALS] = 243,
};

/* Also called by the child. */
child_ int exec_step_exit_status(ExecStep step) {
        return exit_statuses[step];
}

void exec_result_set(ExecResult *result, ExecStep step, int error, const char *format, ...) {
        char what[900];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(what, sizeof(what), format, arguments);
        va_end(arguments);

        result->step = step;
        result->error = error < 0 ? -error : error;
        /* The text alone is clear: the message of ESRCH would speak of a process. */
        if (result->error == ESRCH || result->error == 0)
                snprintf(result->message, sizeof(result->message), "%s: %s", exec_step_to_string(step), what);
        else
                snprintf(result->message, sizeof(result->message), "%s: %s: %s", exec_step_to_string(step), what,
                         strerror(result->error));
}
