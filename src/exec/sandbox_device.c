/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * New file systems, among them a /dev
 *
 * Runs in the child: see exec_child.c. Where device nodes cannot be made (in a
 * user namespace, in most containers) those from outside are bind-mounted.
 */

#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "basic/macro.h"
#include "exec/sandbox_call.h"

#define OPTION_MAX 256

/* Sets one option, which ends at a comma; returns its end. */
child_ static const char *set_option(int context, const char *option, int *ret_result) {
        char name[OPTION_MAX];
        const char *value = NULL;
        size_t n = 0;

        for (; *option && *option != ','; option++) {
                if (n == sizeof(name) - 1) {
                        *ret_result = -ENAMETOOLONG;
                        return option;
                }
                name[n] = *option;
                if (*option == '=' && !value) {
                        name[n] = '\0';
                        value = name + n + 1;
                }
                n++;
        }
        name[n] = '\0';
        *ret_result = (int) (value ? exec_call5(SYS_fsconfig, context, FSCONFIG_SET_STRING, name, value, 0)
                                   : exec_call5(SYS_fsconfig, context, FSCONFIG_SET_FLAG, name, NULL, 0));
        return *option ? option + 1 : option;
}

child_ int sandbox_make_file_system(const char *type, const char *options, uint64_t attributes) {
        int context, r = 0;

        context = (int) exec_call2(SYS_fsopen, type, FSOPEN_CLOEXEC);
        if (context < 0)
                return context;
        while (options && *options && r >= 0)
                options = set_option(context, options, &r);
        if (r >= 0)
                r = (int) exec_call5(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
        if (r >= 0)
                r = (int) exec_call3(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes);
        sandbox_close(context);
        return r;
}

/* Recreates the outside entry as @name in @folder. -ENOENT if there is none. */
child_ static int take_over(int folder, const char *name, const char *outside, bool is_folder) {
        int tree, r;

        tree = sandbox_copy_tree(AT_FDCWD, outside, false);
        if (tree < 0)
                return tree;
        r = (int) (is_folder ? exec_call3(SYS_mkdirat, folder, name, 0755)
                             : exec_call4(SYS_mknodat, folder, name, S_IFREG | 0666, 0));
        if (r == 0)
                r = sandbox_attach(tree, folder, name);
        sandbox_close(tree);
        return r;
}

child_ static int make_node(int folder, const char *name, const char *outside, dev_t device) {
        int r = (int) exec_call4(SYS_mknodat, folder, name, S_IFCHR | 0666, device);

        return r == -EPERM ? take_over(folder, name, outside, false) : r;
}

/* On machines with systemd the log's socket is a symlink. */
child_ static int take_over_log(int folder) {
        char target[OPTION_MAX];
        long n = exec_call4(SYS_readlinkat, AT_FDCWD, "/dev/log", target, sizeof(target) - 1);

        if (n < 0)
                return take_over(folder, "log", "/dev/log", false);
        target[n] = '\0';
        return (int) exec_call3(SYS_symlinkat, target, folder, "log");
}

child_ int sandbox_make_devices(int folder) {
        const struct {
                const char *name, *outside;
                unsigned major, minor;
        } nodes[] = {
                { "null", "/dev/null", 1, 3 },     { "zero", "/dev/zero", 1, 5 },       { "full", "/dev/full", 1, 7 },
                { "random", "/dev/random", 1, 8 }, { "urandom", "/dev/urandom", 1, 9 }, { "tty", "/dev/tty", 5, 0 },
        };
        const struct {
                const char *name, *outside;
        } folders[] = {
                { "pts", "/dev/pts" },
                { "shm", "/dev/shm" },
                { "mqueue", "/dev/mqueue" },
                { "hugepages", "/dev/hugepages" },
        };
        const struct {
                const char *name, *target;
        } links[] = {
                { "ptmx", "pts/ptmx" },          { "fd", "/proc/self/fd" },       { "core", "/proc/kcore" },
                { "stdin", "/proc/self/fd/0" }, { "stdout", "/proc/self/fd/1" }, { "stderr", "/proc/self/fd/2" },
        };
        int r = 0;

        for (size_t i = 0; i < ELEMENTSOF(nodes) && r >= 0; i++)
                r = make_node(folder, nodes[i].name, nodes[i].outside, makedev(nodes[i].major, nodes[i].minor));
        for (size_t i = 0; i < ELEMENTSOF(links) && r >= 0; i++)
                r = (int) exec_call3(SYS_symlinkat, links[i].target, folder, links[i].name);
        for (size_t i = 0; i < ELEMENTSOF(folders) && r >= 0; i++) {
                r = take_over(folder, folders[i].name, folders[i].outside, true);
                if (r == -ENOENT)
                        r = 0;
        }
        if (r >= 0)
                r = take_over_log(folder);
        return r == -ENOENT ? 0 : r;
}
