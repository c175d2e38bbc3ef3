/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Specifiers
 *
 * Each is one row of a table: letter and function. Values that depend on the
 * machine are read at each use, because few files use them; so a changed host
 * name needs no invalidation. An unknown specifier is left unchanged, as in
 * systemd, because existing unit files depend on that (a log format with
 * "%(message)s"); but there is a warning, as it may be a mistake.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/file_text.h"
#include "unitfile/specifier.h"

typedef int (*SpecifierResolve)(const SpecifierContext *context, char **ret_value);

static int specifier_copy(const char *value, char **ret_value) {
        *ret_value = strdup(value);
        return *ret_value ? 0 : -ENOMEM;
}

/* — of the unit's name — */

static int specifier_full_name(const SpecifierContext *context, char **ret_value) {
        return specifier_copy(context->unit, ret_value);
}

static int specifier_name_without_type(const SpecifierContext *context, char **ret_value) {
        const char *dot = strrchr(context->unit, '.');

        *ret_value = strndup(context->unit, dot ? (size_t) (dot - context->unit) : strlen(context->unit));
        return *ret_value ? 0 : -ENOMEM;
}

static int specifier_prefix(const SpecifierContext *context, char **ret_value) {
        return unit_name_prefix(context->unit, ret_value);
}

static int specifier_instance(const SpecifierContext *context, char **ret_value) {
        int r = unit_name_instance(context->unit, ret_value);

        return r == -EINVAL ? specifier_copy("", ret_value) : r;
}

/* The part of the prefix after its last dash. */
static int specifier_last_component(const SpecifierContext *context, char **ret_value) {
        cleanup_free_ char *prefix = NULL;
        int r = unit_name_prefix(context->unit, &prefix);

        if (r < 0)
                return r;
        const char *dash = strrchr(prefix, '-');
        return specifier_copy(dash ? dash + 1 : prefix, ret_value);
}

static int specifier_unescaped(SpecifierResolve of, const SpecifierContext *context, char **ret_value) {
        cleanup_free_ char *escaped = NULL;
        int r = of(context, &escaped);

        return r < 0 ? r : unit_name_unescape(escaped, ret_value);
}

static int specifier_unescaped_prefix(const SpecifierContext *context, char **ret_value) {
        return specifier_unescaped(specifier_prefix, context, ret_value);
}

static int specifier_unescaped_instance(const SpecifierContext *context, char **ret_value) {
        return specifier_unescaped(specifier_instance, context, ret_value);
}

static int specifier_unescaped_last_component(const SpecifierContext *context, char **ret_value) {
        return specifier_unescaped(specifier_last_component, context, ret_value);
}

/* The instance (or, without one, the prefix) as an absolute path. */
static int specifier_file_name(const SpecifierContext *context, char **ret_value) {
        cleanup_free_ char *part = NULL, *text = NULL;
        int r;

        if (unit_name_is_instance(context->unit)) {
                r = unit_name_instance(context->unit, &part);
                return r < 0 ? r : unit_name_unescape_path(part, ret_value);
        }
        r = specifier_unescaped_prefix(context, &text);
        return r < 0 ? r : text_format(ret_value, "%s%s", text[0] == '/' ? "" : "/", text);
}

/* jobctl verify reads files by the names that were typed. */
static int specifier_fragment(const SpecifierContext *context, char **ret_value) {
        const char *path = context->fragment ?: "";
        cleanup_free_ char *here = NULL;

        if (*path == '\0' || *path == '/')
                return specifier_copy(path, ret_value);
        here = get_current_dir_name();
        if (!here)
                return errno == ENOMEM ? -ENOMEM : specifier_copy(path, ret_value);
        return text_join_path(here, text_starts_with(path, "./") ? path + 2 : path, ret_value);
}

static int specifier_fragment_folder(const SpecifierContext *context, char **ret_value) {
        cleanup_free_ char *path = NULL;
        int r = specifier_fragment(context, &path);
        char *slash;

        if (r < 0)
                return r;
        slash = strrchr(path, '/');
        *(slash ?: path) = '\0';
        *ret_value = take_ptr(path);
        return 0;
}

/* — of the manager's user — */

static const char *specifier_environment(const char *name) {
        const char *value = getenv(name);

        return value && *value ? value : NULL;
}

/*
 * Reads only /etc/passwd (here) and /etc/group (below): a name service may wait for the network, which the manager must
 * not do. Valid until the next call; NULL: the user is not in the file.
 */
static const struct passwd *specifier_own_user(void) {
        FILE *file = fopen("/etc/passwd", "re");
        const struct passwd *entry = NULL;

        while (file && (entry = fgetpwent(file)) && entry->pw_uid != geteuid())
                continue;
        if (file)
                fclose(file);
        return entry;
}

static const struct group *specifier_own_group(void) {
        FILE *file = fopen("/etc/group", "re");
        const struct group *entry = NULL;

        while (file && (entry = fgetgrent(file)) && entry->gr_gid != getegid())
                continue;
        if (file)
                fclose(file);
        return entry;
}

static int specifier_home(const SpecifierContext *context, char **ret_value) {
        const char *home = context->is_user ? specifier_environment("HOME") : NULL;

        if (!home && geteuid() != 0) {
                const struct passwd *entry = specifier_own_user();

                home = entry ? entry->pw_dir : NULL;
        }
        return specifier_copy(home ? home : geteuid() == 0 ? "/root" : "/", ret_value);
}

/* If the user is not in the file, $USER and $HOME are used. */
static int specifier_user(const SpecifierContext *context, char **ret_value) {
        const struct passwd *entry = geteuid() == 0 ? NULL : specifier_own_user();
        const char *name = entry ? entry->pw_name : context->is_user ? specifier_environment("USER") : NULL;

        if (geteuid() == 0)
                return specifier_copy("root", ret_value);
        return name ? specifier_copy(name, ret_value) : text_format(ret_value, "%u", geteuid());
}

static int specifier_uid(const SpecifierContext *context, char **ret_value) {
        return text_format(ret_value, "%u", geteuid());
}

static int specifier_group(const SpecifierContext *context, char **ret_value) {
        const struct group *entry = getegid() == 0 ? NULL : specifier_own_group();

        if (getegid() == 0)
                return specifier_copy("root", ret_value);
        return entry ? specifier_copy(entry->gr_name, ret_value) : text_format(ret_value, "%u", getegid());
}

static int specifier_gid(const SpecifierContext *context, char **ret_value) {
        return text_format(ret_value, "%u", getegid());
}

static int specifier_shell(const SpecifierContext *context, char **ret_value) {
        const char *shell = context->is_user ? specifier_environment("SHELL") : NULL;

        if (!shell && context->is_user && geteuid() != 0) {
                const struct passwd *entry = specifier_own_user();

                shell = entry && *entry->pw_shell ? entry->pw_shell : NULL;
        }
        return specifier_copy(shell ? shell : "/bin/sh", ret_value);
}

/* — folders — */

static int specifier_folder(const SpecifierContext *context, const char *system, const char *variable,
                            const char *below_home, char **ret_value) {
        cleanup_free_ char *home = NULL;
        const char *value = context->is_user ? specifier_environment(variable) : system;
        int r;

        if (value)
                return specifier_copy(value, ret_value);
        r = specifier_home(context, &home);
        return r < 0 ? r : text_format(ret_value, "%s/%s", home, below_home);
}

static int specifier_state(const SpecifierContext *context, char **ret_value) {
        return specifier_folder(context, "/var/lib", "XDG_STATE_HOME", ".local/state", ret_value);
}

static int specifier_cache(const SpecifierContext *context, char **ret_value) {
        return specifier_folder(context, "/var/cache", "XDG_CACHE_HOME", ".cache", ret_value);
}

static int specifier_configuration(const SpecifierContext *context, char **ret_value) {
        return specifier_folder(context, "/etc", "XDG_CONFIG_HOME", ".config", ret_value);
}

static int specifier_shared_data(const SpecifierContext *context, char **ret_value) {
        return specifier_folder(context, "/usr/share", "XDG_DATA_HOME", ".local/share", ret_value);
}

static int specifier_logs(const SpecifierContext *context, char **ret_value) {
        cleanup_free_ char *state = NULL;
        int r;

        if (!context->is_user)
                return specifier_copy("/var/log", ret_value);
        r = specifier_state(context, &state);
        return r < 0 ? r : text_format(ret_value, "%s/log", state);
}

static int specifier_usual_runtime(const SpecifierContext *context, char **ret_value) {
        const char *value = context->is_user ? specifier_environment("XDG_RUNTIME_DIR") : "/run";

        return value ? specifier_copy(value, ret_value) : text_format(ret_value, "/run/user/%u", geteuid());
}

static int specifier_runtime(const SpecifierContext *context, char **ret_value) {
        return context->runtime_directory ? specifier_copy(context->runtime_directory, ret_value)
                                          : specifier_usual_runtime(context, ret_value);
}

static int specifier_temporary(const SpecifierContext *context, char **ret_value) {
        const char *value = specifier_environment("TMPDIR");

        return specifier_copy(value ? value : "/tmp", ret_value);
}

static int specifier_lasting_temporary(const SpecifierContext *context, char **ret_value) {
        const char *value = specifier_environment("TMPDIR");

        return specifier_copy(value ? value : "/var/tmp", ret_value);
}

/*
 * The folder of the unit's credentials, as in $CREDENTIALS_DIRECTORY (exec/exec_secret.c), whether it has any or not.
 */
static int specifier_credentials(const SpecifierContext *context, char **ret_value) {
        cleanup_free_ char *runtime = NULL;
        int r = specifier_usual_runtime(context, &runtime);

        return r < 0 ? r : text_format(ret_value, "%s/credentials/%s", runtime, context->unit);
}

/* — of the machine — */

static int specifier_host(const SpecifierContext *context, char **ret_value) {
        struct utsname uts;

        return uname(&uts) < 0 ? -errno : specifier_copy(uts.nodename, ret_value);
}

static int specifier_short_host(const SpecifierContext *context, char **ret_value) {
        struct utsname uts;

        if (uname(&uts) < 0)
                return -errno;
        uts.nodename[strcspn(uts.nodename, ".")] = '\0';
        return specifier_copy(uts.nodename, ret_value);
}

static int specifier_kernel(const SpecifierContext *context, char **ret_value) {
        struct utsname uts;

        return uname(&uts) < 0 ? -errno : specifier_copy(uts.release, ret_value);
}

static int specifier_architecture(const SpecifierContext *context, char **ret_value) {
        struct utsname uts;

        if (uname(&uts) < 0)
                return -errno;
        return specifier_copy(strcmp(uts.machine, "x86_64") == 0        ? "x86-64"
                              : strcmp(uts.machine, "aarch64") == 0     ? "arm64"
                              : text_starts_with(uts.machine, "armv")   ? "arm"
                              : uts.machine[0] == 'i' && text_ends_with(uts.machine, "86") ? "x86"
                                                                        : uts.machine, ret_value);
}

/* The first word of a one-line file. Files in /proc have size 0, so the size is ignored. */
static int specifier_read_word(const char *path, char **ret_value) {
        char buffer[128];
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n;

        if (fd < 0)
                return -errno;
        n = read(fd, buffer, sizeof(buffer) - 1);
        close(fd);
        if (n <= 0)
                return -ENODATA;
        buffer[n] = '\0';
        buffer[strcspn(buffer, " \n")] = '\0';
        return specifier_copy(buffer, ret_value);
}

static int specifier_machine_id(const SpecifierContext *context, char **ret_value) {
        return specifier_read_word("/etc/machine-id", ret_value);
}

static int specifier_boot_id(const SpecifierContext *context, char **ret_value) {
        int r = specifier_read_word("/proc/sys/kernel/random/boot_id", ret_value);
        char *to;

        if (r < 0)
                return r;
        to = *ret_value;
        for (const char *from = *ret_value; *from; from++)
                if (*from != '-')
                        *to++ = *from;
        *to = '\0';
        return 0;
}

/* The value of NAME=value in /etc/os-release and the like; "" if it is missing. */
static int specifier_read_assignment(const char *path, const char *name, char **ret_value) {
        cleanup_free_ char *text = NULL;
        cleanup_(file_lines_deinit) FileLines lines = {};
        struct stat st;
        FileProblem problem;
        unsigned number;
        char *line;
        size_t n = strlen(name);
        int r = file_text_read(path, &text, &st, &problem);

        if (r == -ENOMEM)
                return r;
        lines.next = text;
        while (r >= 0 && text && file_lines_next(&lines, &line, &number) > 0) {
                if (strncmp(line, name, n) != 0 || line[n] != '=')
                        continue;
                line += n + 1;
                if ((*line == '"' || *line == '\'') && line[1]) {
                        line[strlen(line) - 1] = '\0';
                        line++;
                }
                return specifier_copy(line, ret_value);
        }
        return specifier_copy("", ret_value);
}

static int specifier_os_field(const char *name, char **ret_value) {
        const char *path = access("/etc/os-release", R_OK) == 0 ? "/etc/os-release" : "/usr/lib/os-release";

        return specifier_read_assignment(path, name, ret_value);
}

#define OS_FIELD(function, name)                                                         \
        static int function(const SpecifierContext *context, char **ret_value) {         \
                return specifier_os_field(name, ret_value);                              \
        }

OS_FIELD(specifier_os_id, "ID")
OS_FIELD(specifier_os_version, "VERSION_ID")
OS_FIELD(specifier_os_variant, "VARIANT_ID")
OS_FIELD(specifier_os_build, "BUILD_ID")
OS_FIELD(specifier_image_id, "IMAGE_ID")
OS_FIELD(specifier_image_version, "IMAGE_VERSION")

static int specifier_pretty_host(const SpecifierContext *context, char **ret_value) {
        int r = specifier_read_assignment("/etc/machine-info", "PRETTY_HOSTNAME", ret_value);

        if (r < 0 || **ret_value)
                return r;
        free(take_ptr(*ret_value));
        return specifier_short_host(context, ret_value);
}

static const struct {
        char letter;
        SpecifierResolve resolve;
} specifiers[] = {
        { 'n', specifier_full_name },
        { 'N', specifier_name_without_type },
        { 'p', specifier_prefix },
        { 'P', specifier_unescaped_prefix },
        { 'i', specifier_instance },
        { 'I', specifier_unescaped_instance },
        { 'j', specifier_last_component },
        { 'J', specifier_unescaped_last_component },
        { 'f', specifier_file_name },
        { 'y', specifier_fragment },
        { 'Y', specifier_fragment_folder },
        { 't', specifier_runtime },
        { 'S', specifier_state },
        { 'C', specifier_cache },
        { 'L', specifier_logs },
        { 'E', specifier_configuration },
        { 'D', specifier_shared_data },
        { 'd', specifier_credentials },
        { 'T', specifier_temporary },
        { 'V', specifier_lasting_temporary },
        { 'u', specifier_user },
        { 'U', specifier_uid },
        { 'g', specifier_group },
        { 'G', specifier_gid },
        { 'h', specifier_home },
        { 's', specifier_shell },
        { 'H', specifier_host },
        { 'l', specifier_short_host },
        { 'q', specifier_pretty_host },
        { 'v', specifier_kernel },
        { 'a', specifier_architecture },
        { 'm', specifier_machine_id },
        { 'b', specifier_boot_id },
        { 'o', specifier_os_id },
        { 'w', specifier_os_version },
        { 'W', specifier_os_variant },
        { 'B', specifier_os_build },
        { 'M', specifier_image_id },
        { 'A', specifier_image_version },
};

static SpecifierResolve specifier_find(char letter) {
        for (size_t i = 0; i < ELEMENTSOF(specifiers); i++)
                if (specifiers[i].letter == letter)
                        return specifiers[i].resolve;
        return NULL;
}

/* Describes the problem with "%@letter", unless an earlier one was described: @outcome, or -ENOMEM. */
static int specifier_complain(int outcome, char **ret_problem, const char *format, char letter, int error) {
        if (*ret_problem)
                return outcome;
        return text_format(ret_problem, format, letter, strerror(error)) < 0 ? -ENOMEM : outcome;
}

/* The expansion of a specifier is text, also if it looks like a value of the run. */
static void add_literally(Text *to, const char *value) {
        for (; *value; value++) {
                if (value[0] == '%' && value[1] == '{')
                        text_add_char(to, '%');
                text_add_char(to, *value);
        }
}

/* 0, SPECIFIER_LEFT, or an error. */
static int specifier_add(const SpecifierContext *context, char letter, Text *to, char **ret_problem) {
        SpecifierResolve resolve = letter ? specifier_find(letter) : NULL;
        cleanup_free_ char *value = NULL;
        int r;

        if (letter == '%') {
                text_add_char(to, '%');
                return 0;
        }
        if (letter == '{' && context->keeps_expressions) {
                text_add(to, "%{");
                return 0;
        }
        if (letter == '{' && context->has_expressions)
                return specifier_complain(-EINVAL, ret_problem,
                                          "'%%{' begins a value of the run, which only commands can have (write "
                                          "'%%%%{' for the text)", 0, 0);
        if (!resolve) {
                text_add_char(to, '%');
                if (!letter)
                        return specifier_complain(SPECIFIER_LEFT, ret_problem,
                                                  "a single '%%' at the end is not a specifier (write '%%%%')", 0, 0);
                text_add_char(to, letter);
                return specifier_complain(SPECIFIER_LEFT, ret_problem, (unsigned char) letter < 0x80 ?
                                          "unknown specifier '%%%c' (write '%%%%' for a percent sign)" :
                                          "unknown specifier (write '%%%%' for a percent sign)", letter, 0);
        }
        r = resolve(context, &value);
        if (r == -ENOMEM)
                return r;
        if (r < 0) {
                free(take_ptr(*ret_problem));
                return specifier_complain(-EINVAL, ret_problem, "specifier '%%%c' cannot be resolved here: %s", letter,
                                          -r);
        }
        if (context->keeps_expressions)
                add_literally(to, value);
        else
                text_add(to, value);
        return 0;
}

int specifier_expand(const SpecifierContext *context, const char *text, char **ret_text, char **ret_problem) {
        cleanup_(text_deinit) Text result = {};
        int outcome = 0, r;

        assert(context && context->unit);
        assert(text);

        if (!strchr(text, '%'))
                return specifier_copy(text, ret_text);
        for (; *text; text++) {
                if (*text != '%') {
                        text_add_char(&result, *text);
                        continue;
                }
                /* "%%{" is still to be told from "%{". */
                if (context->keeps_expressions && text_starts_with(text, "%%{")) {
                        text_add(&result, "%%{");
                        text += strlen("%%{") - 1;
                        continue;
                }
                r = specifier_add(context, text[1], &result, ret_problem);
                if (r < 0)
                        return r;
                outcome = r > 0 ? r : outcome;
                if (text[1])
                        text++;
        }
        r = text_finish(&result, ret_text);
        return r < 0 ? r : outcome;
}
