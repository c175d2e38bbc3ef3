/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The process's label for a security module
 *
 * AppArmor and SELinux apply it to the next program that is executed, SMACK at
 * once. It is written before the root directory is changed, because /proc may
 * be missing in the new one.
 */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec/exec_child_private.h"

/* The module's own file is tried first: the other one belongs to the first of several modules. */
static const char *const files[_SECURITY_MODULE_MAX][2] = {
        [SECURITY_MODULE_APPARMOR] = { "/proc/self/attr/apparmor/exec", "/proc/self/attr/exec" },
        [SECURITY_MODULE_SELINUX] = { "/proc/self/attr/exec", "/proc/self/attr/exec" },
        [SECURITY_MODULE_SMACK] = { "/proc/self/attr/smack/current", "/proc/self/attr/current" },
};

child_ static int write_label(const char *const *paths, const char *text) {
        size_t n = 0;
        long fd, r;

        while (text[n])
                n++;
        fd = exec_call4(SYS_openat, AT_FDCWD, paths[0], O_WRONLY | O_CLOEXEC, 0);
        if (fd == -ENOENT)
                fd = exec_call4(SYS_openat, AT_FDCWD, paths[1], O_WRONLY | O_CLOEXEC, 0);
        if (fd < 0)
                return (int) fd;
        r = exec_call3(SYS_write, fd, text, n);
        exec_call1(SYS_close, fd);
        return (int) MIN(r, 0L);
}

child_ int exec_child_set_labels(ExecChild *child) {
        static const ExecStep steps[_SECURITY_MODULE_MAX] = {
                [SECURITY_MODULE_APPARMOR] = EXEC_STEP_APPARMOR,
                [SECURITY_MODULE_SELINUX] = EXEC_STEP_SELINUX,
                [SECURITY_MODULE_SMACK] = EXEC_STEP_SMACK,
        };
        const ExecExtra *extra = child->extra;

        for (size_t kind = 0; kind < _SECURITY_MODULE_MAX; kind++) {
                int r;

                if (!extra->labels[kind])
                        continue;
                child->step = steps[kind];
                child->what = extra->labels[kind];
                r = write_label(files[kind], extra->labels[kind]);
                if (r < 0 && !extra->terms->labels[kind].is_optional)
                        return r;
        }
        return 0;
}
