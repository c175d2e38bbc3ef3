/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Mounting and unmounting, in a mount namespace and below a folder of the test
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "basic/log.h"
#include "core/machine_mount.h"
#include "core/machine_mount_table.h"
#include "core/machine_unmount.h"
#include "double/double_assert.h"

static char root[] = "/tmp/jobd-mount-XXXXXX";

static const char *below(const char *path) {
        static char paths[4][128];
        static unsigned next;
        char *full = paths[next++ % 4];

        snprintf(full, sizeof(paths[0]), "%s%s", root, path);
        return full;
}

static void make(const char *path) {
        cr_assert(mkdir(below(path), 0755) == 0 || errno == EEXIST, "%s", path);
}

static void enter_namespace(void) {
        log_set_level(LOG_LEVEL_ERROR);
        if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
                cr_skip_test("no mount namespace can be made here");
        assert_not_null(mkdtemp(root));
        cr_assert(eq(int, mount("test", root, "tmpfs", 0, NULL), 0));
}

static void leave_namespace(void) {
        umount2(root, MNT_DETACH);
        rmdir(root);
}

static void parse(MachineMounts *mounts, const char *text) {
        char path[] = "/tmp/jobd-mounts-XXXXXX";
        int fd = mkostemp(path, O_CLOEXEC);

        cr_assert(ge(int, fd, 0));
        cr_assert(eq(int, (int) write(fd, text, strlen(text)), (int) strlen(text)));
        close(fd);
        cr_assert(eq(int, machine_mounts_read(mounts, path), 0));
        unlink(path);
}

Test(machine_mount_table, lines_are_read_as_proc_describes_them) {
        cleanup_(machine_mounts_deinit) MachineMounts mounts = {};

        parse(&mounts,
              "36 35 98:0 /mnt1 /mnt\\0402\\134x rw,noatime,nosuid master:1 shared:2 - ext3 /dev/root ro,errors=c\n"
              "37 35 98:0 / / ro,relatime - ext4 /dev/x rw\n"
              "nonsense\n\n38 35 98:0 / /y rw -\n"
              "39 35 0:5 / /dev rw,nosuid shared:1 - devtmpfs udev rw,size=1\n");
        cr_assert(eq(sz, mounts.n, 3));
        assert_string(mounts.items[0].path, "/mnt 2\\x");
        assert_string(mounts.items[0].type, "ext3");
        cr_assert(eq(ulong, mounts.items[0].flags, MS_NOATIME | MS_NOSUID));
        cr_assert(mounts.items[0].is_read_only);
        cr_assert(eq(ulong, mounts.items[1].flags, MS_RDONLY | MS_RELATIME));
        cr_assert(not(mounts.items[1].is_read_only));
        cr_assert(not(machine_mount_is_kernels(&mounts.items[1])));
        cr_assert(machine_mount_is_kernels(&mounts.items[2]));
}

Test(machine_mount_table, that_of_this_process_can_be_read) {
        cleanup_(machine_mounts_deinit) MachineMounts mounts = {};

        cr_assert(eq(int, machine_mounts_read(&mounts, "/proc/self/mountinfo"), 0));
        cr_assert(lt(sz, 0, mounts.n));
        cr_assert(machine_is_mount_point("/proc"));
        cr_assert(not(machine_is_mount_point("/nonexistent")));
}

/* Existing mounts are left alone; every mount that a namespace allows is made. */
Test(machine_mount, all_is_mounted_once, .init = enter_namespace, .fini = leave_namespace) {
        cleanup_(failure_deinit) Failure failure = {};
        struct statfs status;
        struct stat shm;

        make("/run");
        cr_assert(eq(int, mount("mine", below("/run"), "tmpfs", MS_NOSUID, "mode=0700"), 0));
        (void) machine_mount_all(root, &failure);
        cr_assert(machine_is_mount_point(below("/dev/shm")), "%s", failure_message(&failure));
        cr_assert(eq(int, stat(below("/dev/shm"), &shm), 0));
        cr_assert(eq(uint, shm.st_mode & 07777, 01777));
        cr_assert(eq(int, statfs(below("/dev/shm"), &status), 0));
        cr_assert(eq(long, status.f_flags & (ST_NOSUID | ST_NODEV), ST_NOSUID | ST_NODEV));
        cr_assert(eq(int, stat(below("/run"), &shm), 0));
        cr_assert(eq(uint, shm.st_mode & 07777, 0700), "it was mounted over");
}

static bool kernel_has(const char *type) {
        FILE *file = fopen("/proc/filesystems", "re");
        char line[128];
        bool has = false;

        cr_assert(file != NULL);
        while (fgets(line, sizeof(line), file)) {
                line[strcspn(line, "\n")] = '\0';
                has |= strchr(line, '\t') && strcmp(strchr(line, '\t') + 1, type) == 0;
        }
        fclose(file);
        return has;
}

/* The rules of a security module are loaded through this file system. */
Test(machine_mount, what_the_kernel_has_below_sys_is_mounted, .init = enter_namespace, .fini = leave_namespace) {
        static const struct {
                const char *type, *path;
        } cases[] = {
                { "securityfs", "/sys/kernel/security" },
                { "bpf", "/sys/fs/bpf" },
                { "pstore", "/sys/fs/pstore" },
        };
        cleanup_(failure_deinit) Failure failure = {};
        size_t n = 0;

        (void) machine_mount_all(root, &failure);
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                struct stat status;

                if (!kernel_has(cases[i].type) || stat(below(cases[i].path), &status) < 0)
                        continue;
                cr_expect(machine_is_mount_point(below(cases[i].path)), "%s", cases[i].path);
                n++;
        }
        if (n == 0)
                cr_skip_test("this kernel has none of them");
}

/* Mounts an overlay of two folders, as an example of a mount that has to be unmounted. */
static bool mount_overlay(const char *path, const char *lower) {
        char options[512];

        make(path);
        snprintf(options, sizeof(options), "lowerdir=%s:%s", below(lower), below("/other"));
        return mount("overlay", below(path), "overlay", 0, options) == 0;
}

Test(machine_unmount, what_is_inside_goes_first, .init = enter_namespace, .fini = leave_namespace) {
        make("/lower");
        make("/lower/inner");
        make("/other");
        if (!mount_overlay("/outer", "/lower"))
                cr_skip_test("no file system can be mounted here");
        cr_assert(mount_overlay("/outer/inner", "/lower"));
        cr_assert(eq(int, machine_unmount_all(root), 0));
        cr_assert(not(machine_is_mount_point(below("/outer"))));
        cr_assert(machine_is_mount_point(root), "what is only in memory is left alone");
}

Test(machine_unmount, what_is_in_use_becomes_read_only, .init = enter_namespace, .fini = leave_namespace) {
        struct statfs status;
        int fd;

        make("/lower");
        make("/other");
        if (!mount_overlay("/busy", "/lower"))
                cr_skip_test("no file system can be mounted here");
        fd = open(below("/busy"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        cr_assert(ge(int, fd, 0));
        cr_assert(eq(int, machine_unmount_all(root), 0));
        cr_assert(machine_is_mount_point(below("/busy")));
        cr_assert(eq(int, statfs(below("/busy"), &status), 0));
        cr_assert(status.f_flags & ST_RDONLY);
        close(fd);
        cr_assert(eq(int, machine_unmount_all(root), 0));
        cr_assert(not(machine_is_mount_point(below("/busy"))));
}
