/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Security modules of the kernel that confine a process by a label
 */

#include <stdbool.h>

typedef enum SecurityModule {
        SECURITY_MODULE_APPARMOR,
        SECURITY_MODULE_SELINUX,
        SECURITY_MODULE_SMACK,
        _SECURITY_MODULE_MAX,
} SecurityModule;

const char *security_module_to_string(SecurityModule module);   /* "AppArmor", … */

/* Whether the running kernel has the module and it is enabled. Reads /sys. */
bool security_module_is_enabled(SecurityModule module);
