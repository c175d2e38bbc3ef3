/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls, address families and namespaces that a process may use
 *
 * Lists work as in systemd: the first line decides whether the list allows or
 * denies ("~"), later lines add to the list or remove from it. An allow list
 * includes the calls that every program needs (@default). An unknown call is
 * ignored with a warning, because files may be written for newer kernels and
 * other machines; an unknown group refuses the unit.
 */

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/directive_exec.h"
#include "unitfile/directive_value.h"
#include "unitfile/unit_draft.h"

#define ERRNO_MAX 4095
#define ENDS_PROCESS (-1)

static ExecFilter *filter_of(const DirectiveLine *line) {
        return &((ExecTerms *) directive_base(line, DIRECTIVE_IN_EXEC_TERMS))->filter;
}

/* 1 if jobd was built with libseccomp, 0 if not (reported), or -ENOMEM. */
static int can_filter(const DirectiveLine *line) {
        return HAVE_SECCOMP ? 1 : directive_complain(line, "jobd was built without libseccomp, which this directive "
                                                           "needs");
}

int exec_parse_filter_switch(const DirectiveLine *line, const char *value) {
        int r = text_parse_bool(value) > 0 ? can_filter(line) : 1;

        return r > 0 ? directive_parse_bool(line, value) : r;
}

/* Parses "EPERM", a number, or "kill": the errno, ENDS_PROCESS, or -EINVAL. */
static int parse_errno(const char *text) {
        uint32_t number;

        if (strcmp(text, "kill") == 0)
                return ENDS_PROCESS;
        if (text_parse_u32(text, &number) == 0)
                return number <= ERRNO_MAX ? (int) number : -EINVAL;
        for (int i = 1; i <= ERRNO_MAX; i++)
                if (text_equal(strerrorname_np(i), text))
                        return i;
        return -EINVAL;
}

/* Adds the calls that @word names: 1, 0 for a bad word (reported), or -ENOMEM. */
static int find_calls(const DirectiveLine *line, const char *word, SystemCallSet *set) {
        int number;

        if (word[0] == '@') {
                if (system_call_group_add(word, set) < 0)
                        return directive_complain(line, "'%s' is not a group of system calls", word);
                return 1;
        }
        if (!*word || word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_")])
                return directive_complain(line, "'%s' is not the name of a system call", word);
        number = system_call_find(word);
        if (number >= 0)
                system_call_set_add(set, (size_t) number);
        else
                directive_note(line, UNIT_FILE_WARNING,
                               "'%s' is not a known system call; it is ignored.", word);
        return 1;
}

/* Parses one word, "name:errno": 1, 0 for a bad word (reported), or -ENOMEM. */
static int parse_call(const DirectiveLine *line, char *word, SystemCallSet *set, int *ret_error) {
        char *colon = strchr(word, ':');

        *ret_error = 0;
        if (colon) {
                *colon = '\0';
                *ret_error = parse_errno(colon + 1);
                if (*ret_error == -EINVAL)
                        return directive_complain(line, "'%s' is neither the name of an error nor 'kill'", colon + 1);
        }
        return find_calls(line, word, set);
}

static int set_errors(ExecFilter *filter, const SystemCallSet *set, int error) {
        if (error == 0 && !filter->errors)
                return 0;
        if (!filter->errors)
                filter->errors = calloc(SYSTEM_CALLS_MAX, sizeof(*filter->errors));
        if (!filter->errors)
                return -ENOMEM;
        for (size_t i = 0; i < SYSTEM_CALLS_MAX; i++)
                if (system_call_set_has(set, i))
                        filter->errors[i] = (int16_t) error;
        return 0;
}

static void change_calls(SystemCallSet *calls, const SystemCallSet *set, bool adds) {
        for (size_t i = 0; i < ELEMENTSOF(calls->words); i++)
                calls->words[i] = adds ? calls->words[i] | set->words[i] : calls->words[i] & ~set->words[i];
}

static void reset_filter(ExecFilter *filter) {
        free(filter->errors);
        filter->errors = NULL;
        filter->calls = (SystemCallSet) {};
        filter->has_calls = filter->allows_calls = false;
}

int exec_parse_system_call_filter(const DirectiveLine *line, const char *value) {
        ExecFilter *filter = filter_of(line);
        bool denies = *value == '~';
        const char *at = value + denies;

        if (!*value) {
                reset_filter(filter);
                return 0;
        }
        if (!filter->has_calls) {
                filter->has_calls = true;
                filter->allows_calls = !denies;
                if (!denies)
                        system_call_group_add("@default", &filter->calls);
        }
        if (!HAVE_SECCOMP)
                return can_filter(line);
        for (;;) {
                cleanup_free_ char *word = NULL;
                SystemCallSet set = {};
                int error, r = directive_next_word(line, &at, &word);

                if (r > 0)
                        r = parse_call(line, word, &set, &error);
                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                if (!denies && error != 0) {
                        directive_note(line, UNIT_FILE_WARNING,
                                       "The error of '%s' means nothing where calls are allowed.", word);
                        error = 0;
                }
                change_calls(&filter->calls, &set, denies != filter->allows_calls);
                r = set_errors(filter, &set, error);
                if (r < 0)
                        return r;
        }
}

int exec_parse_system_call_log(const DirectiveLine *line, const char *value) {
        ExecFilter *filter = filter_of(line);
        bool inverts = *value == '~';
        const char *at = value + inverts;

        if (!*value) {
                filter->has_log = filter->logs_others = false;
                filter->logged = (SystemCallSet) {};
                return 0;
        }
        if (!filter->has_log)
                filter->logs_others = inverts;
        filter->has_log = true;
        if (!HAVE_SECCOMP)
                return can_filter(line);
        for (;;) {
                cleanup_free_ char *word = NULL;
                SystemCallSet set = {};
                int r = directive_next_word(line, &at, &word);

                if (r > 0)
                        r = find_calls(line, word, &set);
                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                change_calls(&filter->logged, &set, inverts == filter->logs_others);
        }
}

int exec_parse_system_call_error(const DirectiveLine *line, const char *value) {
        int error = *value ? parse_errno(value) : 0;

        if (error == -EINVAL)
                return directive_complain(line, "'%s' is neither the name of an error nor 'kill'", value);
        filter_of(line)->error = MAX(error, 0);
        return 0;
}

int exec_parse_architectures(const DirectiveLine *line, const char *value) {
        static const char *const known[] = {
                "native", "x86", "x86-64", "x32", "arm", "arm64", "loongarch64", "mips", "mips64", "mips64-n32",
                "mips-le",
                "mips64-le", "mips64-le-n32", "parisc", "parisc64", "ppc", "ppc64", "ppc64-le", "riscv64", "s390",
                "s390x", NULL,
        };
        char ***list = directive_field(line);
        const char *at = value;

        if (!*value)
                *list = strv_free(*list);
        if (!HAVE_SECCOMP)
                return can_filter(line);
        for (;;) {
                cleanup_free_ char *word = NULL;
                int r = directive_next_word(line, &at, &word);

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                if (!strv_contains((char *const *) known, word))
                        return directive_complain(line, "'%s' is not an architecture such as 'native' or 'x86-64'",
                                                  word);
                if (!strv_contains(*list, word))
                        r = strv_push(list, word);
                if (r < 0)
                        return r;
        }
}

/* Returns the family, or 0. */
static int find_family(const char *name) {
        int family = exec_family_from_string(name);

        return family >= 0 && family < 64 ? family : -EINVAL;
}

int exec_parse_address_families(const DirectiveLine *line, const char *value) {
        ExecFilter *filter = filter_of(line);
        bool denies = *value == '~';
        const char *at = value + denies;

        if (!*value || strcmp(value, "none") == 0) {
                filter->families = 0;
                filter->has_families = filter->allows_families = *value;
                return 0;
        }
        if (!filter->has_families)
                filter->allows_families = !denies;
        filter->has_families = true;
        if (!HAVE_SECCOMP)
                return can_filter(line);
        for (;;) {
                cleanup_free_ char *word = NULL;
                int family, r = directive_next_word(line, &at, &word);

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                family = find_family(word);
                if (family < 0)
                        return directive_complain(line, "'%s' is not an address family such as AF_INET", word);
                if (denies != filter->allows_families)
                        filter->families |= UINT64_C(1) << family;
                else
                        filter->families &= ~(UINT64_C(1) << family);
        }
}

static const struct {
        const char *name;
        uint64_t flag;
} namespaces[] = {
        { "cgroup", CLONE_NEWCGROUP }, { "ipc", CLONE_NEWIPC }, { "net", CLONE_NEWNET }, { "mnt", CLONE_NEWNS },
        { "pid", CLONE_NEWPID },       { "user", CLONE_NEWUSER }, { "uts", CLONE_NEWUTS },
};

int exec_parse_namespaces(const DirectiveLine *line, const char *value) {
        ExecFilter *filter = filter_of(line);
        const uint64_t all = EXEC_NAMESPACES_ALL;
        int is_yes = text_parse_bool(value);
        bool inverts = *value == '~';
        const char *at = value + inverts;
        uint64_t flags = 0;

        if (!*value || is_yes >= 0) {
                filter->has_namespaces = is_yes > 0;
                filter->namespaces = 0;
                return 0;
        }
        if (!HAVE_SECCOMP)
                return can_filter(line);
        for (;;) {
                cleanup_free_ char *word = NULL;
                size_t i = 0;
                int r = directive_next_word(line, &at, &word);

                if (r < 0)
                        return r == -EINVAL ? 0 : r;
                if (r == 0)
                        break;
                while (i < ELEMENTSOF(namespaces) && strcmp(namespaces[i].name, word) != 0)
                        i++;
                if (i == ELEMENTSOF(namespaces))
                        return directive_complain(line, "'%s' is none of cgroup, ipc, net, mnt, pid, user and uts",
                                                  word);
                flags |= namespaces[i].flag;
        }
        if (!filter->has_namespaces)
                filter->namespaces = inverts ? all & ~flags : flags;
        else
                filter->namespaces = inverts ? filter->namespaces & ~flags : filter->namespaces | flags;
        filter->has_namespaces = true;
        return 0;
}
