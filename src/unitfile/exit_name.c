/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of exit statuses and signals
 *
 * The statuses are those of the C library, of LSB init scripts, of sysexits.h,
 * and those that a manager sets for a process that could not be started.
 */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/exit_name.h"

static const struct {
        const char *name;
        int status;
} statuses[] = {
        { "SUCCESS", 0 },
        { "FAILURE", 1 },
        { "INVALIDARGUMENT", 2 },
        { "NOTIMPLEMENTED", 3 },
        { "NOPERMISSION", 4 },
        { "NOTINSTALLED", 5 },
        { "NOTCONFIGURED", 6 },
        { "NOTRUNNING", 7 },
        { "USAGE", 64 },
        { "DATAERR", 65 },
        { "NOINPUT", 66 },
        { "NOUSER", 67 },
        { "NOHOST", 68 },
        { "UNAVAILABLE", 69 },
        { "SOFTWARE", 70 },
        { "OSERR", 71 },
        { "OSFILE", 72 },
        { "CANTCREAT", 73 },
        { "IOERR", 74 },
        { "TEMPFAIL", 75 },
        { "PROTOCOL", 76 },
        { "NOPERM", 77 },
        { "CONFIG", 78 },
        { "CHDIR", 200 },
        { "NICE", 201 },
        { "FDS", 202 },
        { "EXEC", 203 },
        { "MEMORY", 204 },
        { "LIMITS", 205 },
        { "OOM_ADJUST", 206 },
        { "SIGNAL_MASK", 207 },
        { "STDIN", 208 },
        { "STDOUT", 209 },
        { "CHROOT", 210 },
        { "IOPRIO", 211 },
        { "TIMERSLACK", 212 },
        { "SECUREBITS", 213 },
        { "SETSCHEDULER", 214 },
        { "CPUAFFINITY", 215 },
        { "GROUP", 216 },
        { "USER", 217 },
        { "CAPABILITIES", 218 },
        { "CGROUP", 219 },
        { "SETSID", 220 },
        { "CONFIRM", 221 },
        { "STDERR", 222 },
        { "PAM", 224 },
        { "NETWORK", 225 },
        { "NAMESPACE", 226 },
        { "NO_NEW_PRIVILEGES", 227 },
        { "SECCOMP", 228 },
        { "SELINUX_CONTEXT", 229 },
        { "PERSONALITY", 230 },
        { "APPARMOR_PROFILE", 231 },
        { "ADDRESS_FAMILIES", 232 },
        { "RUNTIME_DIRECTORY", 233 },
        { "CHOWN", 235 },
        { "SMACK_PROCESS_LABEL", 236 },
        { "KEYRING", 237 },
        { "STATE_DIRECTORY", 238 },
        { "CACHE_DIRECTORY", 239 },
        { "LOGS_DIRECTORY", 240 },
        { "CONFIGURATION_DIRECTORY", 241 },
        { "NUMA_POLICY", 242 },
        { "CREDENTIALS", 243 },
        { "BPF", 245 },
        { "EXCEPTION", 255 },
};

int exit_status_from_name(const char *name) {
        uint32_t status;

        if (text_parse_u32(name, &status) == 0)
                return status <= 255 ? (int) status : -EINVAL;
        for (size_t i = 0; i < ELEMENTSOF(statuses); i++)
                if (strcmp(statuses[i].name, name) == 0)
                        return statuses[i].status;
        return -EINVAL;
}

const char *exit_status_to_name(int status) {
        for (size_t i = 0; i < ELEMENTSOF(statuses); i++)
                if (statuses[i].status == status)
                        return statuses[i].name;
        return "";
}

/* "RTMIN", "RTMIN+3", "RTMAX-2". */
static int signal_from_realtime_name(const char *name) {
        bool is_min = text_starts_with(name, "RTMIN");
        uint32_t offset = 0;
        int signal;

        if (!is_min && !text_starts_with(name, "RTMAX"))
                return -EINVAL;
        name += strlen("RTMIN");
        if (*name && (*name != (is_min ? '+' : '-') || text_parse_u32(name + 1, &offset) < 0 || offset > 64))
                return -EINVAL;
        signal = is_min ? SIGRTMIN + (int) offset : SIGRTMAX - (int) offset;
        return signal >= SIGRTMIN && signal <= SIGRTMAX ? signal : -EINVAL;
}

int signal_from_name(const char *name) {
        uint32_t number;

        if (text_parse_u32(name, &number) == 0)
                return number > 0 && number <= (uint32_t) SIGRTMAX ? (int) number : -EINVAL;
        if (text_starts_with(name, "SIG"))
                name += 3;
        for (int i = 1; i < SIGRTMIN; i++) {
                const char *known = sigabbrev_np(i);

                if (known && strcmp(known, name) == 0)
                        return i;
        }
        return signal_from_realtime_name(name);
}
