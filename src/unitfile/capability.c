/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capabilities by name
 *
 * The names are those of <linux/capability.h>, in the same order. Newer
 * capabilities can be given by number.
 */

#include <errno.h>
#include <stdint.h>
#include <strings.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/capability.h"

static const char *const capabilities[] = {
        "chown", "dac_override", "dac_read_search", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap",
        "linux_immutable", "net_bind_service", "net_broadcast", "net_admin", "net_raw", "ipc_lock", "ipc_owner",
        "sys_module", "sys_rawio", "sys_chroot", "sys_ptrace", "sys_pacct", "sys_admin", "sys_boot", "sys_nice",
        "sys_resource", "sys_time", "sys_tty_config", "mknod", "lease", "audit_write", "audit_control", "setfcap",
        "mac_override", "mac_admin", "syslog", "wake_alarm", "block_suspend", "audit_read", "perfmon", "bpf",
        "checkpoint_restore",
};

const char *capability_name(int number) {
        return number >= 0 && (size_t) number < ELEMENTSOF(capabilities) ? capabilities[number] : NULL;
}

int capability_find(const char *name) {
        uint32_t number;

        if (text_parse_u32(name, &number) == 0)
                return number < 63 ? (int) number : -EINVAL;
        if (strncasecmp(name, "cap_", 4) != 0)
                return -EINVAL;
        for (size_t i = 0; i < ELEMENTSOF(capabilities); i++)
                if (strcasecmp(capabilities[i], name + 4) == 0)
                        return (int) i;
        return -EINVAL;
}
