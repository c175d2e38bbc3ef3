/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Making a sandbox, in the child
 *
 * By system calls alone: see exec_child.c. Descriptors are the child's own by
 * then; execve() closes those left open.
 *
 * The new root is a copy of all mounts, put on top of the old one, where path
 * lookups do not find it: they still lead to the old mounts. So a mount of an
 * outside path always finds the original, whatever was done inside, and so
 * does an exception from an outer mount ("read-only, but for …"): it is copied
 * from the old tree, not from the copy. Each mount gets its attributes before
 * it is attached, with all that is below it; no list of mounts has to be read,
 * and nothing becomes writable that was not so outside. At last the old root
 * is unmounted.
 *
 * This takes mount_setattr() (Linux 5.12).
 */

#include <errno.h>
#include <linux/stat.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "basic/macro.h"
#include "exec/sandbox_call.h"
#include "exec/sandbox_namespace.h"
#include "exec/sandbox_order.h"

#define PATH_SIZE 4096

/* Mounted over hidden paths: one of each kind, on a file system of its own. */
#define HIDDEN_FOLDER "folder"
#define HIDDEN_FILE "file"
#define HIDDEN_NODE "node"

typedef struct Sandbox {
        SandboxPlan *plan;
        int root;                       /* the new one */
        int old_root;                   /* of RootDirectory=, or "/" */
        int hidden;
} Sandbox;

/* Not <sys/stat.h>'s struct statx: this file needs that header, too. */
child_ static int get_mode(int fd) {
        struct stat status;
        long r = exec_call2(SYS_fstat, fd, &status);

        return r < 0 ? (int) r : (int) status.st_mode;
}

child_ static int fail(Sandbox *sandbox, const char *what, int error) {
        sandbox->plan->what = what;
        return error;
}

/* The path of @fd, with "(unreachable)" or the like in front if it has none: 0, or a negative errno. */
child_ static int name_fd(int fd, char path[static PATH_SIZE]) {
        char link[32] = "/proc/self/fd/";
        char digits[12];
        size_t n = 14, n_digits = 0;
        long length;

        do
                digits[n_digits++] = (char) ('0' + fd % 10);
        while (fd /= 10);
        while (n_digits > 0)
                link[n++] = digits[--n_digits];
        link[n] = '\0';
        length = exec_call4(SYS_readlinkat, AT_FDCWD, link, path, PATH_SIZE);
        if (length < 0)
                return (int) length;
        if (length == PATH_SIZE)
                return -ENAMETOOLONG;
        path[length] = '\0';
        return path[0] == '/' ? 0 : -ENOENT;
}

child_ static size_t copy_text(char *to, const char *from) {
        size_t n = 0;

        while ((to[n] = from[n]))
                n++;
        return n;
}

/* Opens the longest existing part of @path: *ret_rest is the missing rest. */
child_ static int open_longest(int root, const char *path, const char **ret_rest) {
        char part[PATH_SIZE];
        size_t n = 0;
        int fd;

        while (path[n])
                n++;
        if (n >= PATH_SIZE)
                return -ENAMETOOLONG;
        copy_text(part, path);
        while ((fd = sandbox_open(root, n > 0 ? part : "/", 0)) == -ENOENT && n > 0) {
                while (n > 0 && part[n - 1] != '/')
                        n--;
                if (n > 0)
                        n--;
                part[n] = '\0';
        }
        *ret_rest = path + n;
        return fd;
}

/*
 * Resolves a mount's symlinks, so that nesting can be seen from the paths. Errors are reported when the mount is made.
 */
child_ static int resolve(Sandbox *sandbox, SandboxMount *mount, const char *root_name) {
        SandboxPlan *plan = sandbox->plan;
        char name[PATH_SIZE];
        const char *rest = NULL;
        size_t skip = 0, n = 0, n_rest = 0;
        int fd, r;

        fd = open_longest(sandbox->old_root, mount->path, &rest);
        if (fd < 0)
                return 0;
        r = name_fd(fd, name);
        sandbox_close(fd);
        if (r < 0 || !sandbox_is_below(name, root_name))
                return 0;
        if (root_name[1])
                while (root_name[skip])
                        skip++;
        while (name[skip + n])
                n++;
        while (rest[n_rest])
                n_rest++;
        if (n == 1 && n_rest > 0)
                n = 0;                                  /* "/" and "/rest" */
        if (n + n_rest + 2 > plan->room_left)
                return -ENOMEM;
        mount->path = plan->room;
        plan->room_left -= n + n_rest + 2;
        for (size_t i = 0; i < n; i++)
                *plan->room++ = name[skip + i];
        if (n + n_rest == 0)
                *plan->room++ = '/';
        plan->room += copy_text(plan->room, rest) + 1;
        return 0;
}

child_ static bool hides(const SandboxMount *mount) {
        return mount->kind != SANDBOX_MOUNT_SELF && mount->kind != SANDBOX_MOUNT_IMPLICIT;
}

/* Returns true if the path is inside of another mount, which the old tree does not have. */
child_ static bool is_hidden(const SandboxPlan *plan, size_t i) {
        for (size_t outer = 1; outer < i; outer++)
                if (hides(&plan->mounts.items[outer]) &&
                    sandbox_is_below(plan->mounts.items[i].path, plan->mounts.items[outer].path) &&
                    plan->mounts.items[i].path[1])
                        return true;
        return hides(&plan->mounts.items[0]);
}

child_ static int resolve_all(Sandbox *sandbox) {
        SandboxPlan *plan = sandbox->plan;
        char root_name[PATH_SIZE];
        int r;

        sandbox_order_sort(plan->mounts.items, plan->mounts.n);
        r = name_fd(sandbox->old_root, root_name);
        for (size_t i = 1; i < plan->mounts.n && r >= 0; i++)
                if (plan->mounts.items[i].path[1] && !is_hidden(plan, i))
                        r = resolve(sandbox, &plan->mounts.items[i], root_name);
        if (r < 0)
                return fail(sandbox, "cannot see where the paths lead", r);
        sandbox_order_sort(plan->mounts.items, plan->mounts.n);
        plan->mounts.n = sandbox_order_settle(plan->mounts.items, plan->mounts.n);
        return 0;
}

/* Makes a file or folder to mount on, with its parents. */
child_ static int make_point(int root, const char *path, bool is_folder) {
        char part[PATH_SIZE];
        size_t n = 0;
        int r = 0, parent = sandbox_open(root, "/", O_DIRECTORY);

        while (parent >= 0 && path[n]) {
                size_t begin;
                bool is_last;
                int fd;

                part[n] = path[n];
                begin = ++n;
                while (path[n] && path[n] != '/') {
                        part[n] = path[n];
                        n++;
                }
                part[n] = '\0';
                is_last = !path[n];
                fd = sandbox_open(root, part, 0);
                if (fd == -ENOENT) {
                        r = (int) (is_last && !is_folder
                                           ? exec_call4(SYS_mknodat, parent, part + begin, S_IFREG | 0644, 0)
                                           : exec_call3(SYS_mkdirat, parent, part + begin, 0755));
                        fd = r < 0 && r != -EEXIST ? r : sandbox_open(root, part, 0);
                }
                sandbox_close(parent);
                parent = fd;
        }
        if (parent >= 0)
                sandbox_close(parent);
        return MIN(parent, 0);
}

/* The mount whose tree contains @mount: another one, or the root. */
child_ static const SandboxMount *find_base(const Sandbox *sandbox, const SandboxMount *mount) {
        const SandboxMount *mounts = sandbox->plan->mounts.items, *base = &mounts[mount->outer];

        while (base != mounts && !hides(base))
                base = &mounts[base->outer];
        return base;
}

/* @mount's path as seen from @base. */
child_ static const char *path_in(const SandboxMount *mount, const SandboxMount *base) {
        size_t n = 0;

        while (base->path[1] && base->path[n])
                n++;
        return mount->path[n] ? mount->path + n : "/";
}

/* The tree to be mounted, or a negative errno. */
child_ static int make_bind(Sandbox *sandbox, SandboxMount *mount) {
        int tree;

        mount->pristine = sandbox_open(AT_FDCWD, mount->source, 0);
        if (mount->pristine < 0)
                return fail(sandbox, "cannot find what is to be mounted there", mount->pristine);
        tree = sandbox_copy_tree(mount->pristine, "", mount->is_alone);
        return tree < 0 ? fail(sandbox, "cannot take what is to be mounted there", tree) : tree;
}

child_ static int make_hidden(Sandbox *sandbox, int at) {
        const char *name = HIDDEN_NODE;
        int mode = get_mode(at);

        if (mode < 0)
                return mode;
        if (S_ISDIR(mode))
                name = HIDDEN_FOLDER;
        else if (S_ISREG(mode))
                name = HIDDEN_FILE;
        return sandbox_copy_tree(sandbox->hidden, name, false);
}

/* Copies from the old tree if the path exists there, without the attributes of outer mounts. */
child_ static int make_self(Sandbox *sandbox, const SandboxMount *mount, int at) {
        const SandboxMount *base = find_base(sandbox, mount);
        int fd, tree;

        if (base->pristine < 0)
                return sandbox_copy_tree(at, "", false);
        fd = sandbox_open(base->pristine, path_in(mount, base), 0);
        if (fd < 0)
                return fd;
        tree = sandbox_copy_tree(fd, "", false);
        sandbox_close(fd);
        return tree;
}

child_ static int make_tree(Sandbox *sandbox, SandboxMount *mount, int at) {
        const uint64_t safe = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

        switch (mount->kind) {
        case SANDBOX_MOUNT_INACCESSIBLE:
                return make_hidden(sandbox, at);
        case SANDBOX_MOUNT_BIND:
                return make_bind(sandbox, mount);
        case SANDBOX_MOUNT_DEVICES:
                return sandbox_make_file_system("tmpfs", mount->options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
        case SANDBOX_MOUNT_PROC:
                return sandbox_make_file_system("proc", mount->options, safe | MOUNT_ATTR_NOEXEC);
        case SANDBOX_MOUNT_MQUEUE:
                return sandbox_make_file_system("mqueue", NULL, safe | MOUNT_ATTR_NOEXEC);
        case SANDBOX_MOUNT_TMPFS:
                return sandbox_make_file_system("tmpfs", mount->options, safe);
        case SANDBOX_MOUNT_SELF:
        case SANDBOX_MOUNT_IMPLICIT:
                return make_self(sandbox, mount, at);
        case _SANDBOX_MOUNT_MAX:
                break;
        }
        return -EINVAL;
}

/* A file system that is filled later is made read-only after that. */
child_ static int set_attributes(const Sandbox *sandbox, SandboxMount *mount) {
        bool is_full = mount->kind == SANDBOX_MOUNT_BIND || !hides(mount);
        uint64_t set = 0, clear = 0;

        if (mount->kind == SANDBOX_MOUNT_INACCESSIBLE)
                return 0;
        if (mount->is_no_exec)
                set |= MOUNT_ATTR_NOEXEC;
        if (mount->is_read_only && is_full)
                set |= MOUNT_ATTR_RDONLY;
        mount->must_lock = mount->is_read_only && !is_full;
        if (!hides(mount) && mount->outer != 0 && find_base(sandbox, mount)->pristine < 0)
                clear = (MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY) & ~set;
        return sandbox_set_attributes(mount->tree, set, clear, false);
}

/* Returns true if a missing mount point is created. SELF mounts apply to existing paths only. */
child_ static bool makes_its_place(const SandboxMount *mount) {
        return mount->kind == SANDBOX_MOUNT_BIND || mount->kind == SANDBOX_MOUNT_TMPFS ||
               mount->kind == SANDBOX_MOUNT_DEVICES || mount->kind == SANDBOX_MOUNT_PROC;
}

/* Opens the mount point, creating it where the kind of mount permits. */
child_ static int open_point(const Sandbox *sandbox, const SandboxMount *mount) {
        const SandboxMount *base = find_base(sandbox, mount);
        bool is_folder = true;
        int r, at = sandbox_open(sandbox->root, mount->path, 0);

        if (at != -ENOENT || !makes_its_place(mount))
                return at;
        if (mount->kind == SANDBOX_MOUNT_BIND) {
                int source = sandbox_open(AT_FDCWD, mount->source, 0);

                is_folder = source < 0 || S_ISDIR(get_mode(source));
                if (source < 0)
                        return source;
                sandbox_close(source);
        }
        r = base->pristine >= 0 ? make_point(base->pristine, path_in(mount, base), is_folder)
                                : make_point(sandbox->root, mount->path, is_folder);
        return r < 0 ? r : sandbox_open(sandbox->root, mount->path, 0);
}

child_ static int place(Sandbox *sandbox, SandboxMount *mount) {
        int at, r;

        at = open_point(sandbox, mount);
        if (at < 0)
                return fail(sandbox, NULL, at);
        mount->tree = make_tree(sandbox, mount, at);
        if (mount->tree < 0)
                return mount->tree;
        r = set_attributes(sandbox, mount);
        if (r < 0)
                return fail(sandbox, "cannot set what may be done there", r);
        r = sandbox_attach(mount->tree, at, "");
        sandbox_close(at);
        if (r < 0)
                return fail(sandbox, "cannot be mounted", r);
        if (mount->kind == SANDBOX_MOUNT_DEVICES)
                r = sandbox_make_devices(mount->tree);
        /* Closed at once, so that many mounts do not need many descriptors. */
        if (!mount->must_lock) {
                sandbox_close(mount->tree);
                mount->tree = -1;
        }
        return r < 0 ? fail(sandbox, "cannot be filled", r) : 0;
}

child_ static int place_all(Sandbox *sandbox) {
        SandboxPlan *plan = sandbox->plan;
        int r = 0;

        for (size_t i = 1; i < plan->mounts.n && r >= 0; i++) {
                SandboxMount *mount = &plan->mounts.items[i];

                plan->at = mount;
                plan->what = NULL;
                r = place(sandbox, mount);
                if ((r == -ENOENT || r == -ENOTDIR) && mount->is_optional)
                        r = 0;
        }
        for (size_t i = plan->mounts.n; i-- > 0 && r >= 0;)
                if (plan->mounts.items[i].must_lock && plan->mounts.items[i].tree >= 0) {
                        plan->at = &plan->mounts.items[i];
                        r = sandbox_set_attributes(plan->at->tree, MOUNT_ATTR_RDONLY, 0, true);
                }
        if (r >= 0)
                plan->at = NULL;
        return r;
}

/* Makes an empty folder and an empty file without any permissions, to hide paths. */
child_ static int make_hidden_things(Sandbox *sandbox) {
        int fd, r;

        fd = sandbox_make_file_system("tmpfs", "mode=0700,size=64k,nr_inodes=16",
                                      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
        r = fd < 0 ? fd : sandbox_attach(fd, AT_FDCWD, "/");
        if (r >= 0)
                r = (int) exec_call3(SYS_mkdirat, fd, HIDDEN_FOLDER, 0);
        if (r >= 0)
                r = (int) exec_call4(SYS_mknodat, fd, HIDDEN_FILE, S_IFREG, 0);
        if (r >= 0) {
                r = (int) exec_call4(SYS_mknodat, fd, HIDDEN_NODE, S_IFCHR, makedev(0, 0));
                if (r == -EPERM)
                        r = (int) exec_call4(SYS_mknodat, fd, HIDDEN_NODE, S_IFREG, 0);
        }
        if (r >= 0)
                r = sandbox_set_attributes(fd, MOUNT_ATTR_RDONLY, 0, true);
        sandbox->hidden = fd;
        return r;
}

child_ static bool needs_hidden_things(const SandboxPlan *plan) {
        for (size_t i = 0; i < plan->mounts.n; i++)
                if (plan->mounts.items[i].kind == SANDBOX_MOUNT_INACCESSIBLE)
                        return true;
        return false;
}

child_ static int make_root(Sandbox *sandbox) {
        SandboxMount *first = &sandbox->plan->mounts.items[0];
        int r;

        if (!hides(first))
                first->pristine = sandbox->old_root;
        first->tree = hides(first) ? make_tree(sandbox, first, sandbox->old_root)
                                   : sandbox_copy_tree(sandbox->old_root, "", false);
        if (first->tree < 0)
                return fail(sandbox, "cannot take the root directory", first->tree);
        r = set_attributes(sandbox, first);
        if (r >= 0)
                r = sandbox_attach(first->tree, AT_FDCWD, "/");
        if (r < 0)
                return fail(sandbox, "cannot mount the root directory", r);
        sandbox->root = first->tree;
        return 0;
}

/* Also works if the old root cannot be pivoted: an initial RAM disk, or a root by chroot(). */
child_ static int enter_root(Sandbox *sandbox) {
        int r;

        r = (int) exec_call1(SYS_fchdir, sandbox->root);
        if (r >= 0) {
                r = (int) exec_call2(SYS_pivot_root, ".", ".");
                if (r >= 0)
                        r = (int) exec_call2(SYS_umount2, ".", MNT_DETACH);
                else if (r == -EINVAL)
                        r = (int) exec_call1(SYS_chroot, ".");
        }
        if (r >= 0)
                r = (int) exec_call1(SYS_chdir, "/");
        if (r >= 0)
                r = (int) exec_call5(SYS_mount, NULL, "/", NULL, MS_REC | sandbox->plan->propagation, NULL);
        return r < 0 ? fail(sandbox, "cannot enter the new root", r) : 0;
}

child_ bool sandbox_is_no_privilege(int error) {
        return error == -EPERM || error == -EACCES || error == -ENOSYS || error == -ENOSPC;
}

child_ static int part(SandboxPlan *plan, Sandbox *sandbox) {
        int r;

        r = (int) exec_call1(SYS_unshare, (plan->has_mounts ? CLONE_NEWNS : 0) |
                                          (plan->has_own_name ? CLONE_NEWUTS : 0));
        if (r < 0)
                return fail(sandbox, "cannot make a namespace", r);
        if (!plan->has_mounts)
                return 0;
        r = (int) exec_call5(SYS_mount, NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
        return r < 0 ? fail(sandbox, "cannot part from the mounts outside", r) : 0;
}

/*
 * Checks an existing folder: an earlier process of the unit has made it, unless another user has made one of that name.
 * 0, -EEXIST, or a negative errno.
 */
child_ static int check_folder(int fd) {
        struct stat status;
        long r = exec_call2(SYS_fstat, fd, &status);

        if (r < 0)
                return (int) r;
        return status.st_uid == (uid_t) exec_call1(SYS_geteuid, 0) && (status.st_mode & 077) == 0 ? 0 : -EEXIST;
}

/* Makes @path, which only the manager's user can enter, and "tmp" in it, to which everybody can write. */
child_ static int make_folder(const char *path) {
        int fd, r;

        r = (int) exec_call3(SYS_mkdirat, AT_FDCWD, path, 0700);
        if (r < 0 && r != -EEXIST)
                return r;
        fd = (int) exec_call3(SYS_openat, AT_FDCWD, path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
                return fd;
        r = check_folder(fd);
        if (r == 0) {
                r = (int) exec_call3(SYS_mkdirat, fd, "tmp", 01777);
                r = r == -EEXIST ? 0 : r;
        }
        sandbox_close(fd);
        return r;
}

child_ static int make_folders(Sandbox *sandbox) {
        int r = 0;

        for (size_t i = 0; i < ELEMENTSOF(sandbox->plan->folders) && r >= 0; i++)
                if (sandbox->plan->folders[i])
                        r = make_folder(sandbox->plan->folders[i]);
        return r < 0 ? fail(sandbox, "PrivateTmp=: cannot make a folder", r) : 0;
}

child_ static int make_mounts(Sandbox *sandbox) {
        int r;

        r = make_folders(sandbox);
        if (r < 0)
                return r;
        sandbox->old_root = sandbox_open(AT_FDCWD, sandbox->plan->root, O_DIRECTORY);
        if (sandbox->old_root < 0)
                return fail(sandbox, "cannot open the root directory", sandbox->old_root);
        r = resolve_all(sandbox);
        if (r >= 0 && needs_hidden_things(sandbox->plan)) {
                r = make_hidden_things(sandbox);
                if (r < 0)
                        return fail(sandbox, "cannot make what hides things", r);
        }
        if (r >= 0)
                r = make_root(sandbox);
        if (r >= 0)
                r = place_all(sandbox);
        return r < 0 ? r : enter_root(sandbox);
}

child_ int sandbox_child_mount(SandboxPlan *plan) {
        Sandbox sandbox = { .plan = plan };
        long mask;
        int r;

        if (plan->missing != 0 || (!plan->has_mounts && !plan->has_own_name))
                return 0;
        r = part(plan, &sandbox);
        if (plan->is_lenient && sandbox_is_no_privilege(r)) {
                plan->missing = -r;
                return 0;
        }
        if (r < 0 || !plan->has_mounts)
                return r;
        mask = exec_call1(SYS_umask, 0);
        r = make_mounts(&sandbox);
        exec_call1(SYS_umask, mask);
        return r;
}

child_ static int enter(const SandboxPlan *plan, int fd, int kind) {
        return fd < 0 || plan->missing != 0 ? 0 : (int) exec_call2(SYS_setns, fd, kind);
}

/* The child still shares the manager's descriptor table, so the namespace is open in the manager, too. */
child_ int sandbox_child_enter_network(SandboxPlan *plan) {
        int r;

        if (!plan->makes_network_for)
                return enter(plan, plan->network_fd, CLONE_NEWNET);
        r = sandbox_namespace_enter_new_network();
        if (r >= 0) {
                plan->network_fd = r;
                return 0;
        }
        if (plan->is_lenient && sandbox_is_no_privilege(r)) {
                plan->missing = -r;
                return 0;
        }
        plan->what = "PrivateNetwork=: cannot make a network namespace";
        return r;
}

child_ int sandbox_child_enter_ipc(SandboxPlan *plan) {
        return enter(plan, plan->ipc_fd, CLONE_NEWIPC);
}

/* Closes the descriptor, so that the program does not inherit it. */
child_ int sandbox_child_enter_user(SandboxPlan *plan) {
        int r = enter(plan, plan->user_fd, CLONE_NEWUSER);

        if (plan->user_fd >= 0 && !plan->enters_user_first)
                sandbox_close(plan->user_fd);
        return r;
}
