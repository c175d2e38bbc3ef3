/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Security modules of the kernel that confine a process by a label
 *
 * A kernel may have a module and not use it, so the check looks at the place
 * where the rules of the module would be loaded.
 */

#include <fcntl.h>
#include <unistd.h>

#include "basic/security_module.h"

const char *security_module_to_string(SecurityModule module) {
        static const char *const names[_SECURITY_MODULE_MAX] = {
                [SECURITY_MODULE_APPARMOR] = "AppArmor",
                [SECURITY_MODULE_SELINUX] = "SELinux",
                [SECURITY_MODULE_SMACK] = "SMACK",
        };

        return names[module];
}

static bool says_yes(const char *path) {
        char answer = '\0';
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, &answer, 1);

        if (fd >= 0)
                close(fd);
        return n == 1 && answer == 'Y';
}

bool security_module_is_enabled(SecurityModule module) {
        switch (module) {
        case SECURITY_MODULE_APPARMOR:
                return says_yes("/sys/module/apparmor/parameters/enabled");
        case SECURITY_MODULE_SELINUX:
                return access("/sys/fs/selinux/enforce", F_OK) == 0;
        case SECURITY_MODULE_SMACK:
                return access("/sys/fs/smackfs/load2", F_OK) == 0;
        case _SECURITY_MODULE_MAX:
                break;
        }
        return false;
}
