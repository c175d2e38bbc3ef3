/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of one device as lines of io.weight, io.latency and io.max
 *
 * The kernel accepts whole disks only: a partition stands for its disk, and a file or folder for the disk of its file
 * system.
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "basic/macro.h"
#include "process/resource_attribute.h"

static const char *const limit_keys[_RESOURCE_DEVICE_LIMIT_MAX] = {
        [RESOURCE_READ_BANDWIDTH] = "rbps",
        [RESOURCE_WRITE_BANDWIDTH] = "wbps",
        [RESOURCE_READ_IOPS] = "riops",
        [RESOURCE_WRITE_IOPS] = "wiops",
};

static const char *const limit_directives[_RESOURCE_DEVICE_LIMIT_MAX] = {
        [RESOURCE_READ_BANDWIDTH] = "IOReadBandwidthMax",
        [RESOURCE_WRITE_BANDWIDTH] = "IOWriteBandwidthMax",
        [RESOURCE_READ_IOPS] = "IOReadIOPSMax",
        [RESOURCE_WRITE_IOPS] = "IOWriteIOPSMax",
};

static int disk_of_partition(dev_t *device) {
        char path[96];
        unsigned major_, minor_;
        FILE *file;
        int n;

        snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/partition", major(*device), minor(*device));
        if (access(path, F_OK) < 0)
                return 0;
        snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/../dev", major(*device), minor(*device));
        file = fopen(path, "re");
        if (!file)
                return -errno;
        n = fscanf(file, "%u:%u", &major_, &minor_);
        fclose(file);
        if (n != 2)
                return -EIO;
        *device = makedev(major_, minor_);
        return 0;
}

int resource_find_disk(const char *path, dev_t *ret_device) {
        struct stat status;

        if (stat(path, &status) < 0)
                return -errno;
        *ret_device = S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev;
        /* File systems on no disk, or on several, have a device number without a driver. */
        return major(*ret_device) == 0 ? -ENODEV : disk_of_partition(ret_device);
}

static void add(CgroupAttribute *attribute, const char *file, const char *directive, int error) {
        *attribute = (CgroupAttribute) {
                .controller = CGROUP_IO, .file = file, .directive = directive, .error = error };
}

/* Limits that are not set are left out: another path may be on the same disk. */
static void put_limits(CgroupAttribute *attribute, const ResourceDevice *device, dev_t disk) {
        int n = snprintf(attribute->value, sizeof(attribute->value), "%u:%u", major(disk), minor(disk));

        for (size_t i = 0; i < _RESOURCE_DEVICE_LIMIT_MAX; i++) {
                char *at = attribute->value + n;
                size_t room = sizeof(attribute->value) - (size_t) n;

                if (device->limits[i] == RESOURCE_INFINITY)
                        n += snprintf(at, room, " %s=max", limit_keys[i]);
                else if (device->limits[i] > 0)
                        n += snprintf(at, room, " %s=%" PRIu64, limit_keys[i], device->limits[i]);
        }
        assert((size_t) n < sizeof(attribute->value));
}

static const char *first_limit(const ResourceDevice *device) {
        for (size_t i = 0; i < _RESOURCE_DEVICE_LIMIT_MAX; i++)
                if (device->limits[i] > 0)
                        return limit_directives[i];
        return NULL;
}

static void put_latency_target(CgroupAttribute *attribute, usec_t target, dev_t disk) {
        char number[24] = "max";

        if (target != USEC_INFINITY)
                snprintf(number, sizeof(number), "%" PRIu64, (uint64_t) target);
        snprintf(attribute->value, sizeof(attribute->value), "%u:%u target=%s", major(disk), minor(disk), number);
}

size_t resource_list_device(const ResourceDevice *device, CgroupAttribute attributes[static RESOURCE_DEVICE_FILES]) {
        const char *directive = first_limit(device);
        dev_t disk = 0;
        size_t n = 0;
        int r = resource_find_disk(device->path, &disk);

        if (device->weight > 0) {
                add(&attributes[n], "io.weight", "IODeviceWeight", r);
                snprintf(attributes[n].value, sizeof(attributes[n].value), "%u:%u %" PRIu32, major(disk), minor(disk),
                         device->weight);
                n++;
        }
        if (device->latency_target > 0) {
                add(&attributes[n], "io.latency", "IODeviceLatencyTargetSec", r);
                put_latency_target(&attributes[n++], device->latency_target, disk);
        }
        if (directive) {
                add(&attributes[n], "io.max", directive, r);
                put_limits(&attributes[n], device, disk);
                n++;
        }
        return n;
}
