/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits, weights and usage of a control group
 *
 * A controller is available in a group only if all its parents enable it for
 * their children. Each enabled controller costs time with every group and
 * every page, so it is enabled when the first unit needs it, and stays.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/cgroup_control.h"
#include "exec/cgroup_name.h"
#include "exec/cgroup_private.h"

int cgroup_write(const Cgroup *group, const char *file, const char *value) {
        int fd, r = 0;

        fd = openat(group->fd, file, O_WRONLY | O_CLOEXEC | O_TRUNC);
        if (fd < 0)
                return -errno;
        if (write(fd, value, strlen(value)) < 0)
                r = -errno;
        close(fd);
        return r;
}

/* Other programs check this mark, for example a manager that runs in the group. */
void cgroup_set_delegated(Cgroup *group) {
        char path[64];

        group->is_delegated = true;
        snprintf(path, sizeof(path), "/proc/self/fd/%d", group->fd);
        (void) setxattr(path, "user.delegate", "1", 1, 0);
}

int cgroup_hand_over(const Cgroup *group, uid_t uid, gid_t gid) {
        static const char *const files[] = { ".", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control" };

        for (size_t i = 0; group->is_delegated && i < ELEMENTSOF(files); i++)
                if (fchownat(group->fd, files[i], uid, gid, 0) < 0 && errno != ENOENT)
                        return -errno;
        return 0;
}

int cgroup_open_file(const Cgroup *group, const char *file) {
        int fd = openat(group->fd, file, O_RDONLY | O_CLOEXEC);

        return fd < 0 ? -errno : fd;
}

static int pass_on(Cgroup *group, CgroupController controller) {
        char word[16];
        int r;

        if (group->enabled >> controller & 1)
                return 0;
        snprintf(word, sizeof(word), "+%s", cgroup_controller_to_string(controller));
        r = cgroup_write(group, "cgroup.subtree_control", word);
        if (r == 0)
                group->enabled |= (uint8_t) (1U << controller);
        return r;
}

int cgroup_enable(Cgroup *group, CgroupController controller) {
        Cgroup *above[CGROUP_DEPTH_MAX];
        size_t n = 0;
        int r = 0;

        if (!cgroup_tree_has(group->tree, controller))
                return -EOPNOTSUPP;
        for (Cgroup *at = group->parent; at && n < CGROUP_DEPTH_MAX; at = at->parent)
                above[n++] = at;
        while (r == 0 && n > 0)
                r = pass_on(above[--n], controller);
        return r;
}

bool cgroup_is_enabled(const Cgroup *group, CgroupController controller) {
        return group->parent && group->parent->enabled >> controller & 1;
}

int cgroup_set(Cgroup *group, const CgroupAttribute *attribute) {
        int r = cgroup_enable(group, attribute->controller);

        return r < 0 ? r : cgroup_write(group, attribute->file, attribute->list ? attribute->list : attribute->value);
}

/* Reads a file of at most some kilobytes. 0 or -errno. */
static int read_text(const Cgroup *group, const char *file, char *buffer, size_t size) {
        ssize_t n;
        int fd;

        fd = openat(group->fd, file, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return errno == ENOENT ? -ENODATA : -errno;
        n = read(fd, buffer, size - 1);
        if (n < 0)
                n = -errno;
        close(fd);
        if (n < 0)
                return (int) n;
        buffer[n] = '\0';
        return 0;
}

static const char *nothing_of_device(const char *file) {
        return strcmp(file, "io.weight") == 0    ? "default"
               : strcmp(file, "io.latency") == 0 ? "target=max"
                                                 : "rbps=max wbps=max riops=max wiops=max";
}

void cgroup_reset_devices(Cgroup *group, const char *file) {
        char buffer[4096];

        if (!cgroup_is_enabled(group, CGROUP_IO) || read_text(group, file, buffer, sizeof(buffer)) < 0)
                return;
        for (const char *at = buffer; *at; at += strcspn(at, "\n"), at += *at == '\n') {
                size_t n = strspn(at, "0123456789:");
                char device[32], line[96];

                if (n == 0 || n >= sizeof(device))
                        continue;
                memcpy(device, at, n);
                device[n] = '\0';
                snprintf(line, sizeof(line), "%s %s", device, nothing_of_device(file));
                (void) cgroup_write(group, file, line);
        }
}

int cgroup_read(const Cgroup *group, const char *file, const char *key, uint64_t *ret_value) {
        char buffer[4096];
        const char *at = buffer;
        int r = read_text(group, file, buffer, sizeof(buffer));

        if (r < 0)
                return r;
        while (key && at && !(text_starts_with(at, key) && at[strlen(key)] == ' ')) {
                at = strchr(at, '\n');
                at = at ? at + 1 : NULL;
        }
        if (!at)
                return -ENODATA;
        at += key ? strlen(key) + 1 : 0;
        buffer[(at - buffer) + (ptrdiff_t) strcspn(at, " \n")] = '\0';
        if (strcmp(at, "max") == 0) {
                *ret_value = UINT64_MAX;
                return 0;
        }
        return text_parse_u64(at, ret_value) < 0 ? -ENODATA : 0;
}
