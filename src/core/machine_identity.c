/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Name, id, loopback
 *
 * The formats are those of hostname(5) and machine-id(5). Where the root is
 * read-only the id is for this boot only: it lies in /run, and is mounted over
 * the file, if there is one. Without a file programs find no id.
 */

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <systemd/sd-id128.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "core/machine_identity.h"

#define HOSTNAME_DEFAULT "localhost"
#define ID_DIGITS 32U

/* Reads the beginning of a small file and adds a NUL: its length, or a negative errno. */
static ssize_t read_file(const char *path, char *ret_text, size_t size) {
        cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        ssize_t n;

        if (fd < 0)
                return -errno;
        n = read(fd, ret_text, size - 1);
        if (n < 0)
                return -errno;
        ret_text[n] = '\0';
        return n;
}

/* — the name — */

static bool is_part_of_name(char character) {
        return isalnum((unsigned char) character) || character == '-' || character == '_' || character == '.';
}

int machine_hostname_parse(const char *text, char *ret_name, size_t size) {
        size_t n = 0;

        assert(text);
        assert(size > 0);

        for (text += strspn(text, " \t\r\n"); *text == '#'; text += strspn(text, " \t\r\n"))
                text += strcspn(text, "\n");
        while (is_part_of_name(text[n]))
                n++;
        if (n == 0 || n >= size || text[0] == '.' || text[0] == '-' || (text[n] && !isspace((unsigned char) text[n])))
                return -ENOENT;
        memcpy(ret_name, text, n);
        ret_name[n] = '\0';
        return 0;
}

int machine_set_hostname(void) {
        char text[4096], name[HOST_NAME_MAX + 1] = HOSTNAME_DEFAULT;
        struct utsname now;

        if (uname(&now) == 0 && now.nodename[0] != '\0' && strcmp(now.nodename, "(none)") != 0)
                return 0;
        if (read_file("/etc/hostname", text, sizeof(text)) > 0)
                (void) machine_hostname_parse(text, name, sizeof(name));
        return sethostname(name, strlen(name)) < 0 ? -errno : 0;
}

/* — the id — */

int machine_id_parse(const char *text) {
        size_t n = strspn(text, "0123456789abcdefABCDEF");

        if (n != ID_DIGITS || (text[n] && text[n] != '\n'))
                return 0;
        return strspn(text, "0") < ID_DIGITS;
}

static int write_id(const char *path, const char *id, int flags) {
        cleanup_fd_ int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_TRUNC | flags, 0444);

        if (fd < 0)
                return -errno;
        if (write(fd, id, ID_DIGITS + 1) != (ssize_t) ID_DIGITS + 1)
                return -EIO;
        return 0;
}

static int set_transient_id(const char *path, const char *transient, const char *id) {
        int r = write_id(transient, id, O_CREAT);

        if (r < 0)
                return r;
        if (mount(transient, path, NULL, MS_BIND, NULL) < 0)
                return -errno;
        /* Read-only, so that no program takes the id for a lasting one. */
        return mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0 ? -errno : 0;
}

int machine_set_id(const char *root) {
        char path[4096], transient[4096], text[128], id[ID_DIGITS + 2];
        sd_id128_t number;
        int r;

        assert(root);

        if (snprintf(path, sizeof(path), "%s/etc/machine-id", root) >= (int) sizeof(path) ||
            snprintf(transient, sizeof(transient), "%s/run/machine-id", root) >= (int) sizeof(transient))
                return -ENAMETOOLONG;
        if (read_file(path, text, sizeof(text)) > 0 && machine_id_parse(text))
                return 0;
        r = sd_id128_randomize(&number);
        if (r < 0)
                return r;
        sd_id128_to_string(number, id);
        id[ID_DIGITS] = '\n';
        r = write_id(path, id, O_CREAT);
        return r < 0 ? set_transient_id(path, transient, id) : 0;
}

/* — loopback — */

int machine_start_loopback(void) {
        cleanup_fd_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        struct ifreq request = { .ifr_name = "lo" };

        if (fd < 0)
                return -errno;
        if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
                return -errno;
        if (request.ifr_flags & IFF_UP)
                return 0;
        request.ifr_flags |= IFF_UP;
        return ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? -errno : 0;
}
