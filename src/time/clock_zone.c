/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The time zones of this machine: where their files are
 *
 * The local zone is cached, as each calendar expression needs it; a stat()
 * notices a change. The files are small and local, so reading them does not
 * block.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/text.h"
#include "time/clock_zone.h"

#define ZONE_FOLDER "/usr/share/zoneinfo"
#define ZONE_SIZE_MAX (1U << 20)
#define LOCAL_ZONE "/etc/localtime"

/* The cached local zone, and the file that it was read from. */
static struct {
        bool is_known;
        char name[256];                 /* the value of $TZ; "" for the file */
        dev_t device;
        ino_t inode;
        struct timespec modified;
        TimeZone *zone;                 /* owned */
} local;

static bool is_name(const char *name) {
        if (*name == '\0' || *name == '/' || strlen(name) >= NAME_MAX || strstr(name, "//") || strstr(name, ".."))
                return false;
        return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/")] == '\0' &&
               !text_ends_with(name, "/");
}

static int read_all(int fd, size_t size, char **ret_bytes) {
        cleanup_free_ char *bytes = malloc(size + 1);
        size_t n = 0;

        if (!bytes)
                return -ENOMEM;
        while (n < size) {
                ssize_t r = read(fd, bytes + n, size - n);

                if (r < 0 && errno == EINTR)
                        continue;
                if (r <= 0)
                        return r < 0 ? -errno : -EBADMSG;
                n += (size_t) r;
        }
        *ret_bytes = take_ptr(bytes);
        return 0;
}

static int load_file(const char *path, TimeZone **ret_zone) {
        cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        cleanup_free_ char *bytes = NULL;
        struct stat status;
        int r;

        if (fd < 0 || fstat(fd, &status) < 0)
                return -errno;
        if (!S_ISREG(status.st_mode))
                return -ENOENT;
        if (status.st_size > ZONE_SIZE_MAX)
                return -EBADMSG;
        r = read_all(fd, (size_t) status.st_size, &bytes);
        return r < 0 ? r : time_zone_new(bytes, (size_t) status.st_size, ret_zone);
}

int clock_zone_load(const char *name, TimeZone **ret_zone) {
        cleanup_free_ char *path = NULL;
        int r;

        if (!is_name(name))
                return -ENOENT;
        r = text_join_path(ZONE_FOLDER, name, &path);
        if (r < 0)
                return r;
        r = load_file(path, ret_zone);
        return r == -ENOTDIR ? -ENOENT : r;
}

static void keep_zone(const char *name, const struct stat *status) {
        TimeZone *zone = NULL;

        if (*name == '\0')
                (void) load_file(LOCAL_ZONE, &zone);
        else if (clock_zone_load(name, &zone) < 0)
                (void) time_zone_new_rule(name, &zone);
        time_zone_free(local.zone);
        local.zone = zone;
        local.is_known = true;
        local.device = status->st_dev;
        local.inode = status->st_ino;
        local.modified = status->st_mtim;
        snprintf(local.name, sizeof(local.name), "%s", name);
}

const TimeZone *clock_zone_local(void) {
        const char *name = getenv("TZ");
        struct stat status = {};

        if (name && *name == ':')
                name++;
        if (name && *name == '\0')
                return NULL;
        if (!name && stat(LOCAL_ZONE, &status) < 0)
                return NULL;
        if (name && strlen(name) >= sizeof(local.name))
                return NULL;
        name = name ?: "";
        if (!local.is_known || strcmp(local.name, name) != 0 || local.device != status.st_dev ||
            local.inode != status.st_ino || local.modified.tv_sec != status.st_mtim.tv_sec ||
            local.modified.tv_nsec != status.st_mtim.tv_nsec)
                keep_zone(name, &status);
        return local.zone;
}
