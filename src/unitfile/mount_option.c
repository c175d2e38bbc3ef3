/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mount points, types and options of mounts
 *
 * The lists are systemd's, so that a mount has the same dependencies here.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/mount_option.h"

int mount_unit_name(const char *where, char **ret_name) {
        cleanup_free_ char *escaped = NULL, *name = NULL;
        int r = unit_name_escape_path(where, &escaped);

        if (r == 0)
                r = text_format(&name, "%s.mount", escaped);
        if (r < 0)
                return r;
        if (!unit_name_is_valid(name))
                return -EINVAL;
        *ret_name = take_ptr(name);
        return 0;
}

/* — mount points — */

bool mount_path_is_below(const char *path, const char *folder) {
        size_t n = strlen(folder);

        if (n == 1)
                return path[0] == '/';
        return strncmp(path, folder, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

static bool is_among(const char *const *list, size_t n, const char *word) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(list[i], word) == 0)
                        return true;
        return false;
}

bool mount_place_is_reserved(const char *where) {
        static const char *const places[] = {
                "/proc", "/sys", "/dev", "/dev/shm", "/dev/pts", "/dev/console", "/run", "/run/host", "/proc/kmsg",
                "/proc/sys",
                "/proc/sys/kernel/random/boot_id", "/sys/kernel/security", "/sys/fs/selinux", "/sys/fs/smackfs",
                "/sys/fs/pstore", "/sys/fs/bpf", "/sys/firmware/efi/efivars",
        };

        return is_among(places, ELEMENTSOF(places), where) || mount_path_is_below(where, "/sys/fs/cgroup");
}

bool mount_place_is_basic(const char *where, const char *options) {
        static const char *const places[] = { "/", "/usr", "/etc" };
        static const char *const folders[] = { "/run/initramfs", "/proc", "/sys", "/dev" };

        for (size_t i = 0; i < ELEMENTSOF(folders); i++)
                if (mount_path_is_below(where, folders[i]))
                        return true;
        return is_among(places, ELEMENTSOF(places), where) || mount_options_have(options, "x-initrd.mount");
}

/* — options — */

/* One option: a part of the list. */
typedef struct Option {
        const char *name, *value;       /* value: NULL if there is none */
        size_t name_length, length;     /* of the name; of the whole option */
        size_t value_length;
} Option;

/* A comma in quotes does not separate options. */
static bool next_option(const char **at, Option *ret_option) {
        bool is_quoted = false;
        const char *end;

        if (!*at)
                return false;
        *at += strspn(*at, ",");
        if (!**at)
                return false;
        for (end = *at; *end && (is_quoted || *end != ','); end++)
                if (*end == '"')
                        is_quoted = !is_quoted;
        *ret_option = (Option) { .name = *at, .length = (size_t) (end - *at) };
        ret_option->name_length = MIN(strcspn(*at, "="), ret_option->length);
        if (ret_option->name_length < ret_option->length) {
                ret_option->value = *at + ret_option->name_length + 1;
                ret_option->value_length = ret_option->length - ret_option->name_length - 1;
        }
        *at = end;
        return true;
}

static bool option_is(const Option *option, const char *name) {
        return strlen(name) == option->name_length && strncmp(option->name, name, option->name_length) == 0;
}

/* Copies the value without quotes around it. */
static int copy_value(const Option *option, char **ret_value) {
        const char *from = option->value;
        size_t n = option->value_length;

        if (n >= 2 && from[0] == '"' && from[n - 1] == '"') {
                from++;
                n -= 2;
        }
        *ret_value = from ? strndup(from, n) : strdup("");
        return *ret_value ? 0 : -ENOMEM;
}

int mount_options_each(const char *options, const char *name, int (*each)(void *userdata, const char *value),
                       void *userdata) {
        Option option;
        int r = 0;

        for (const char *at = options; r == 0 && next_option(&at, &option);) {
                cleanup_free_ char *value = NULL;

                if (!option_is(&option, name))
                        continue;
                r = copy_value(&option, &value);
                if (r == 0)
                        r = each(userdata, value);
        }
        return r;
}

static int replace_value(void *userdata, const char *value) {
        char **slot = userdata, *copy = strdup(value);

        if (!copy)
                return -ENOMEM;
        free(*slot);
        *slot = copy;
        return 0;
}

int mount_options_value(const char *options, const char *name, char **ret_value) {
        cleanup_free_ char *value = NULL;
        int r = mount_options_each(options, name, replace_value, &value);

        if (r == 0)
                *ret_value = take_ptr(value);
        return r;
}

bool mount_options_have(const char *options, const char *name) {
        Option option;

        for (const char *at = options; next_option(&at, &option);)
                if (option_is(&option, name))
                        return true;
        return false;
}

bool mount_options_choose(const char *options, const char *yes, const char *no) {
        bool is_chosen = false;
        Option option;

        for (const char *at = options; next_option(&at, &option);)
                if (option_is(&option, yes))
                        is_chosen = true;
                else if (option_is(&option, no))
                        is_chosen = false;
        return is_chosen;
}

static bool is_any_of(const Option *option, const char *const *names) {
        for (; *names; names++)
                if (option_is(option, *names))
                        return true;
        return false;
}

int mount_options_without(const char *options, const char *const *names, char **ret_options) {
        Text text = {};
        Option option;

        *ret_options = NULL;
        for (const char *at = options; next_option(&at, &option);) {
                if (is_any_of(&option, names))
                        continue;
                if (text.n > 0)
                        text_add_char(&text, ',');
                text_add_n(&text, option.name, option.length);
        }
        if (text.n == 0 && text.error == 0) {
                text_deinit(&text);
                return 0;
        }
        return text_finish(&text, ret_options);
}

/* — kinds — */

bool mount_is_network(const char *type, const char *options) {
        static const char *const types[] = {
                "afs", "ceph", "cifs", "davfs", "gfs", "gfs2", "glusterfs", "lustre", "ncp", "ncpfs", "nfs", "nfs4",
                "ocfs2",
                "orangefs", "pvfs2", "smb3", "smbfs", "sshfs",
        };

        if (type && text_starts_with(type, "fuse."))
                type += strlen("fuse.");
        return mount_options_have(options, "_netdev") || (type && is_among(types, ELEMENTSOF(types), type));
}

bool mount_is_bind(const char *type, const char *options) {
        return mount_options_have(options, "bind") || mount_options_have(options, "rbind") ||
               (type && (strcmp(type, "bind") == 0 || strcmp(type, "rbind") == 0));
}
