/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions on the machine
 *
 * The data is read from /proc, /sys and /etc at each evaluation. Where the
 * kernel does not provide it, the result is that of an ordinary machine.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/security_module.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/capability.h"
#include "unitfile/condition_compare.h"
#include "unitfile/condition_host.h"

/*
 * Reads only /etc/passwd (here) and /etc/group (below): a name service may wait for the network, which the manager must
 * not do.
 */
static bool is_user(const char *name, uid_t uid) {
        FILE *file = fopen("/etc/passwd", "re");
        const struct passwd *entry;
        bool found = false;

        while (file && !found && (entry = fgetpwent(file)))
                found = entry->pw_uid == uid && strcmp(entry->pw_name, name) == 0;
        if (file)
                fclose(file);
        return found;
}

static int find_group(const char *name, uint32_t *ret_gid) {
        FILE *file = fopen("/etc/group", "re");
        const struct group *entry;
        int r = -ESRCH;

        while (file && r < 0 && (entry = fgetgrent(file)))
                if (strcmp(entry->gr_name, name) == 0) {
                        *ret_gid = entry->gr_gid;
                        r = 0;
                }
        if (file)
                fclose(file);
        return r;
}

int condition_user(const char *parameter) {
        uint32_t uid;

        if (text_parse_u32(parameter, &uid) == 0)
                return uid == getuid() || uid == geteuid();
        if (strcmp(parameter, "@system") == 0)
                return getuid() < 1000 || geteuid() < 1000;
        if (strcmp(parameter, "root") == 0)
                return getuid() == 0 || geteuid() == 0;
        return is_user(parameter, getuid()) || is_user(parameter, geteuid());
}

int condition_group(const char *parameter) {
        gid_t groups[NGROUPS_MAX > 1024 ? 1024 : NGROUPS_MAX];
        uint32_t gid;
        int n;

        if (text_parse_u32(parameter, &gid) < 0 && find_group(parameter, &gid) < 0)
                return 0;
        if (gid == getgid() || gid == getegid())
                return 1;
        n = getgroups(ELEMENTSOF(groups), groups);
        for (int i = 0; i < n; i++)
                if (groups[i] == gid)
                        return 1;
        return 0;
}

/* A host name pattern, or a machine id. */
int condition_host(const char *parameter) {
        cleanup_free_ char *id = compare_read_file("/etc/machine-id");
        struct utsname uts;

        if (id && strlen(parameter) == 32 && strncmp(id, parameter, 32) == 0)
                return 1;
        if (uname(&uts) < 0)
                return -errno;
        return fnmatch(parameter, uts.nodename, FNM_CASEFOLD) == 0;
}

/* Compares with "6.1*", ">= 5.10", or several words that must all match. */
static int condition_compare_words(const char *parameter, const char *present) {
        const char *at = parameter + strspn(parameter, " \t");

        while (*at) {
                CompareOperator operator = compare_take_operator(&at);
                size_t n = strcspn(at, " \t");
                cleanup_free_ char *wanted = strndup(at, n);

                if (!wanted)
                        return -ENOMEM;
                if (!compare_version_holds(operator, present, wanted))
                        return 0;
                at += n;
                at += strspn(at, " \t");
        }
        return 1;
}

int condition_kernel_version(const char *parameter) {
        struct utsname uts;

        return uname(&uts) < 0 ? -errno : condition_compare_words(parameter, uts.release);
}

/* Tests "kernel >= 6.1" or "glibc >= 2.36"; versions of other programs are unknown. */
int condition_version(const char *parameter) {
        if (text_starts_with(parameter, "kernel") && strchr(" \t<>=!", parameter[6]))
                return condition_kernel_version(parameter + 6);
        if (text_starts_with(parameter, "glibc") && strchr(" \t<>=!", parameter[5])) {
                char version[64] = "";

                confstr(_CS_GNU_LIBC_VERSION, version, sizeof(version));
                return condition_compare_words(parameter + 5, version + strcspn(version, " ") + 1);
        }
        return condition_kernel_version(parameter);
}

int condition_kernel_command_line(const char *parameter) {
        cleanup_free_ char *text = compare_read_file("/proc/cmdline");
        cleanup_(strv_freep) char **words = NULL;
        bool has_value = strchr(parameter, '=') != NULL;
        size_t n = strlen(parameter);

        if (!text || strv_split(text, " \t\n", &words) < 0)
                return 0;
        strv_foreach(word, words)
                if (strcmp(*word, parameter) == 0 ||
                    (!has_value && strncmp(*word, parameter, n) == 0 && (*word)[n] == '='))
                        return 1;
        return 0;
}

int condition_kernel_module(const char *parameter) {
        cleanup_free_ char *path = NULL;
        int r;

        if (strchr(parameter, '/'))
                return 0;
        r = text_format(&path, "/sys/module/%s", parameter);
        for (char *at = path; r == 0 && *at; at++)
                if (*at == '-')
                        *at = '_';
        return r < 0 ? r : access(path, F_OK) == 0;
}

int condition_architecture(const char *parameter) {
        static const struct {
                const char *machine, *name;
        } names[] = {
                { "x86_64", "x86-64" }, { "i686", "x86" },     { "i586", "x86" },        { "i386", "x86" },
                { "aarch64", "arm64" }, { "armv7l", "arm" },   { "armv6l", "arm" },      { "ppc64le", "ppc64-le" },
                { "ppc64", "ppc64" },   { "s390x", "s390x" },  { "riscv64", "riscv64" },
                { "loongarch64", "loongarch64" },
        };
        struct utsname uts;

        if (uname(&uts) < 0)
                return -errno;
        if (strcmp(parameter, "native") == 0 || strcmp(parameter, uts.machine) == 0)
                return 1;
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (strcmp(uts.machine, names[i].machine) == 0)
                        return strcmp(parameter, names[i].name) == 0;
        return 0;
}

/* The name of the container manager; "container-other" if unknown, "" outside of containers. */
static int virtualization_container(char buffer[static 64]) {
        cleanup_free_ char *named = compare_read_file("/run/systemd/container");
        const char *value = getenv("container");

        buffer[0] = '\0';
        if (named && *named)
                value = named;
        if (value && *value)
                snprintf(buffer, 64, "%.*s", (int) strcspn(value, "\n"), value);
        else if (access("/.dockerenv", F_OK) == 0)
                strcpy(buffer, "docker");
        else if (access("/run/.containerenv", F_OK) == 0)
                strcpy(buffer, "podman");
        else if (access("/proc/vz", F_OK) == 0 && access("/proc/bc", F_OK) < 0)
                strcpy(buffer, "openvz");
        return buffer[0] != '\0';
}

static int virtualization_machine(char buffer[static 64]) {
        static const struct {
                const char *vendor, *name;
        } vendors[] = {
                { "QEMU", "qemu" }, { "KVM", "kvm" }, { "OpenStack", "kvm" }, { "Amazon EC2", "amazon" },
                { "VMware", "vmware" }, { "innotek GmbH", "oracle" }, { "VirtualBox", "oracle" }, { "Xen", "xen" },
                { "Bochs", "bochs" }, { "Parallels", "parallels" }, { "Microsoft Corporation", "microsoft" },
                { "Google", "google" },
        };
        cleanup_free_ char *cpu = compare_read_file("/proc/cpuinfo");
        cleanup_free_ char *vendor = compare_read_file("/sys/class/dmi/id/sys_vendor");

        buffer[0] = '\0';
        if (!cpu || !strstr(cpu, " hypervisor"))
                return 0;
        strcpy(buffer, "vm-other");
        for (size_t i = 0; vendor && i < ELEMENTSOF(vendors); i++)
                if (text_starts_with(vendor, vendors[i].vendor))
                        strcpy(buffer, vendors[i].name);
        return 1;
}

int condition_virtualization(const char *parameter) {
        char container[64], machine[64];
        int in_container = virtualization_container(container), in_machine = virtualization_machine(machine);
        int wanted = text_parse_bool(parameter);

        if (wanted >= 0)
                return wanted == (in_container || in_machine);
        if (strcmp(parameter, "container") == 0)
                return in_container;
        if (strcmp(parameter, "vm") == 0)
                return in_machine && !in_container;
        if (strcmp(parameter, "private-users") == 0) {
                cleanup_free_ char *map = compare_read_file("/proc/self/uid_map");
                unsigned from, to, n;

                return map && sscanf(map, "%u %u %u", &from, &to, &n) == 3 && (from != 0 || to != 0 || n != UINT32_MAX);
        }
        return strcmp(parameter, in_container ? container : machine) == 0;
}

int condition_firmware(const char *parameter) {
        if (strcmp(parameter, "uefi") == 0)
                return access("/sys/firmware/efi", F_OK) == 0;
        if (strcmp(parameter, "device-tree") == 0)
                return access("/sys/firmware/devicetree/base", F_OK) == 0;
        return 0;
}

int condition_first_boot(const char *parameter) {
        int wanted = text_parse_bool(parameter);
        bool is_first = access("/run/systemd/first-boot", F_OK) == 0 || access("/run/jobd/first-boot", F_OK) == 0;

        return wanted < 0 ? wanted : wanted == is_first;
}

/* Returns 1 if /usr is newer than the time stamp file below the given path. */
int condition_needs_update(const char *parameter) {
        cleanup_free_ char *path = NULL;
        struct stat usr, stamp;
        int r;

        if (strcmp(parameter, "/etc") != 0 && strcmp(parameter, "/var") != 0)
                return -EINVAL;
        if (access(parameter, W_OK) < 0)
                return 0;
        r = text_format(&path, "%s/.updated", parameter);
        if (r < 0)
                return r;
        if (stat(path, &stamp) < 0)
                return 1;
        if (stat("/usr", &usr) < 0)
                return 0;
        return usr.st_mtim.tv_sec > stamp.st_mtim.tv_sec;
}

/* Tests if the variable "NAME" is set or has the value of "NAME=value". */
int condition_environment(const char *parameter) {
        const char *equals = strchr(parameter, '=');
        cleanup_free_ char *name = strndup(parameter, strcspn(parameter, "="));
        const char *value = name ? getenv(name) : NULL;

        return value && (!equals || strcmp(value, equals + 1) == 0);
}

/* 0 only if a mains supply is offline and none is online. */
static int power_is_on(void) {
        DIR *dir = opendir("/sys/class/power_supply");
        const struct dirent *item;
        bool has_mains = false, is_on = false;

        while (dir && (item = readdir(dir))) {
                char path[PATH_MAX];
                cleanup_free_ char *type = NULL, *online = NULL;

                if (item->d_name[0] == '.')
                        continue;
                snprintf(path, sizeof(path), "/sys/class/power_supply/%s/type", item->d_name);
                type = compare_read_file(path);
                if (!type || !text_starts_with(type, "Mains"))
                        continue;
                snprintf(path, sizeof(path), "/sys/class/power_supply/%s/online", item->d_name);
                online = compare_read_file(path);
                has_mains = true;
                is_on |= online && online[0] == '1';
        }
        if (dir)
                closedir(dir);
        return !has_mains || is_on;
}

int condition_ac_power(const char *parameter) {
        int wanted = text_parse_bool(parameter);

        return wanted < 0 ? wanted : wanted == power_is_on();
}

int condition_capability(const char *parameter) {
        cleanup_free_ char *status = compare_read_file("/proc/self/status");
        const char *line = status ? strstr(status, "\nCapBnd:") : NULL;
        unsigned long long bounding = line ? strtoull(line + strlen("\nCapBnd:"), NULL, 16) : 0;
        int number = capability_find(parameter);

        return number < 0 ? number : (bounding >> number & 1) != 0;
}

/* Whether the kernel uses the module: asked of the module itself where that is possible. */
static bool has_security_module(const char *name) {
        static const struct {
                const char *name;
                SecurityModule module;
        } labels[] = {
                { "apparmor", SECURITY_MODULE_APPARMOR },
                { "selinux", SECURITY_MODULE_SELINUX },
                { "smack", SECURITY_MODULE_SMACK },
        };
        cleanup_free_ char *modules = NULL;
        cleanup_(strv_freep) char **names = NULL;

        for (size_t i = 0; i < ELEMENTSOF(labels); i++)
                if (strcmp(labels[i].name, name) == 0)
                        return security_module_is_enabled(labels[i].module);
        modules = compare_read_file("/sys/kernel/security/lsm");
        return modules && strv_split(modules, ",\n", &names) >= 0 && strv_contains(names, name);
}

int condition_security(const char *parameter) {
        if (strcmp(parameter, "uefi-secureboot") == 0) {
                cleanup_free_ char *value =
                        compare_read_file("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");

                return value && value[4] == 1;
        }
        if (strcmp(parameter, "audit") == 0)
                return access("/proc/self/loginuid", F_OK) == 0;
        if (strcmp(parameter, "tpm2") == 0)
                return access("/sys/class/tpmrm/tpmrm0", F_OK) == 0;
        return has_security_module(parameter);
}

int condition_credential(const char *parameter) {
        return 0;
}

int condition_controller(const char *parameter) {
        cleanup_free_ char *text = compare_read_file("/sys/fs/cgroup/cgroup.controllers");
        cleanup_(strv_freep) char **there = NULL, **wanted = NULL;

        if (strcmp(parameter, "v2") == 0)
                return text != NULL;
        if (strcmp(parameter, "v1") == 0)
                return text == NULL && access("/sys/fs/cgroup", F_OK) == 0;
        if (!text || strv_split(text, " \n", &there) < 0 || strv_split(parameter, " \t", &wanted) < 0)
                return 0;
        strv_foreach(name, wanted)
                if (!strv_contains(there, *name))
                        return 0;
        return 1;
}

static int condition_compare_number(const char *parameter, uint64_t present, uint64_t wanted) {
        CompareOperator operator = compare_take_operator(&parameter);

        return compare_holds(operator == COMPARE_NONE ? COMPARE_GREATER_EQUAL : operator,
                             (present > wanted) - (present < wanted));
}

/* Parses a size such as "512M" to bytes. */
int condition_memory(const char *parameter) {
        const char *at = parameter, *units = "BKMGTPE", *unit;
        struct sysinfo info;
        char *end;
        double wanted;

        (void) compare_take_operator(&at);
        errno = 0;
        wanted = strtod(at, &end);
        if (end == at || errno || wanted < 0)
                return -EINVAL;
        unit = *end ? strchr(units, *end) : units;
        if (!unit || (*end && end[1] && end[1] != 'B' && end[1] != 'i'))
                return -EINVAL;
        for (; unit > units; unit--)
                wanted *= 1024;
        if (wanted > 1.8e19 || sysinfo(&info) < 0)
                return -ERANGE;
        return condition_compare_number(parameter, (uint64_t) info.totalram * info.mem_unit, (uint64_t) wanted);
}

int condition_cpus(const char *parameter) {
        const char *at = parameter;
        cpu_set_t set;
        uint64_t wanted;

        (void) compare_take_operator(&at);
        if (text_parse_u64(at, &wanted) < 0)
                return -EINVAL;
        if (sched_getaffinity(0, sizeof(set), &set) < 0)
                return -errno;
        return condition_compare_number(parameter, (uint64_t) CPU_COUNT(&set), wanted);
}

int condition_cpu_feature(const char *parameter) {
        cleanup_free_ char *text = compare_read_file("/proc/cpuinfo");
        char *flags = text ? strstr(text, "\nflags") : NULL;
        cleanup_(strv_freep) char **words = NULL;

        if (!flags)
                return 0;
        flags++;
        flags[strcspn(flags, "\n")] = '\0';
        if (strv_split(flags, " \t:", &words) < 0)
                return -ENOMEM;
        return strv_contains(words, parameter);
}

/* The value of @name in an os-release text, unquoted in place; "" if it is not there. */
static char *os_release_value(char *text, const char *name, size_t n) {
        static char empty[] = "";

        for (char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
                char *value = line + n + 1, *end;

                if (strncmp(line, name, n) != 0 || line[n] != '=')
                        continue;
                end = value + strcspn(value, "\n");
                *end = '\0';
                if (end - value >= 2 && (*value == '"' || *value == '\'')) {
                        end[-1] = '\0';
                        value++;
                }
                return value;
        }
        return empty;
}

/* Tests a list such as "ID=debian VERSION_ID>=12": all must match. */
int condition_os_release(const char *parameter) {
        const char *at = parameter + strspn(parameter, " \t");

        while (*at) {
                cleanup_free_ char *text = compare_read_file("/etc/os-release");
                size_t n = strcspn(at, "<>=!$ \t");
                const char *rest = at + n;
                CompareOperator operator = compare_take_operator(&rest);
                cleanup_free_ char *wanted = strndup(rest, strcspn(rest, " \t"));

                if (n == 0 || operator == COMPARE_NONE)
                        return -EINVAL;
                if (!wanted)
                        return -ENOMEM;
                if (!text || !compare_version_holds(operator, os_release_value(text, at, n), wanted))
                        return 0;
                at = rest + strlen(wanted);
                at += strspn(at, " \t");
        }
        return 1;
}

/* Tests if the share of stalled time is at most "20%" or "20%/1min". A slice in front is ignored. */
static int condition_pressure(const char *path, const char *parameter) {
        cleanup_free_ char *text = compare_read_file(path);
        const char *colon = strrchr(parameter, ':'), *slash = strchr(parameter, '/');
        double averages[3], limit;
        char *end;

        limit = strtod(colon ? colon + 1 : parameter, &end);
        if (*end == '%')
                end++;
        if (end == (colon ? colon + 1 : parameter) || (*end && *end != '/'))
                return -EINVAL;
        if (!text || sscanf(text, "some avg10=%lf avg60=%lf avg300=%lf", &averages[0], &averages[1], &averages[2]) != 3)
                return 1;
        if (!slash || strcmp(slash, "/5min") == 0)
                return averages[2] <= limit;
        if (strcmp(slash, "/1min") == 0)
                return averages[1] <= limit;
        return strcmp(slash, "/10s") == 0 ? averages[0] <= limit : -EINVAL;
}

int condition_memory_pressure(const char *parameter) {
        return condition_pressure("/proc/pressure/memory", parameter);
}

int condition_cpu_pressure(const char *parameter) {
        return condition_pressure("/proc/pressure/cpu", parameter);
}

int condition_io_pressure(const char *parameter) {
        return condition_pressure("/proc/pressure/io", parameter);
}

/* dm-crypt's devices have a UUID that begins with "CRYPT-". */
int condition_path_is_encrypted(const char *path) {
        cleanup_free_ char *name = NULL, *uuid = NULL;
        struct stat st;

        if (stat(path, &st) < 0)
                return 0;
        if (text_format(&name, "/sys/dev/block/%u:%u/dm/uuid", major(st.st_dev), minor(st.st_dev)) < 0)
                return -ENOMEM;
        uuid = compare_read_file(name);
        return uuid && text_starts_with(uuid, "CRYPT-");
}
