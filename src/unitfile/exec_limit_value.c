/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits and priorities
 *
 * All of them are strict: a process must not run with another limit than the
 * configured one.
 */

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "basic/usec.h"
#include "unitfile/directive_exec.h"
#include "unitfile/directive_resource.h"
#include "unitfile/directive_value.h"
#include "unitfile/unit_draft.h"

#define SET_MAX 8191U
#define NICE_MOST 20

#define IO_CLASS_SHIFT 13
#define IO_CLASS_BEST_EFFORT 2
#define IO_LEVEL_DEFAULT 4
#define IO_DEFAULT (IO_CLASS_BEST_EFFORT << IO_CLASS_SHIFT | IO_LEVEL_DEFAULT)

typedef struct NumberedName {
        const char *name;
        int number;
} NumberedName;

static int name_find(const NumberedName *names, size_t n, const char *name) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(names[i].name, name) == 0)
                        return names[i].number;
        return -EINVAL;
}

static ExecTerms *terms_of(const DirectiveLine *line) {
        return directive_base(line, DIRECTIVE_IN_EXEC_TERMS);
}

/* A nice level such as "-5", converted to the kernel's limit, or such a limit. */
static int parse_nice_limit(const char *text, uint64_t *ret_limit) {
        int32_t level;

        if (*text != '+' && *text != '-')
                return text_parse_u64(text, ret_limit) < 0 || *ret_limit > 2 * NICE_MOST ? -EINVAL : 0;
        if (text_parse_i32(text + (*text == '+'), &level) < 0 || level < -NICE_MOST || level >= NICE_MOST)
                return -EINVAL;
        *ret_limit = (uint64_t) (NICE_MOST - level);
        return 0;
}

/* A time in units of @unit µs, rounded up; also the unit of a bare number. */
static int parse_time_limit(const char *text, usec_t unit, uint64_t *ret_limit) {
        usec_t usec;

        if (usec_parse(text, unit, &usec) < 0)
                return -EINVAL;
        *ret_limit = usec == USEC_INFINITY ? EXEC_LIMIT_INFINITY : usec / unit + (usec % unit > 0);
        return 0;
}

static int parse_one_limit(int kind, const char *text, uint64_t *ret_limit) {
        if (strcmp(text, "infinity") == 0) {
                *ret_limit = EXEC_LIMIT_INFINITY;
                return 0;
        }
        switch (kind) {
        case RLIMIT_NICE:
                return parse_nice_limit(text, ret_limit);
        case RLIMIT_CPU:
                return parse_time_limit(text, USEC_PER_SEC, ret_limit);
        case RLIMIT_RTTIME:
                return parse_time_limit(text, 1, ret_limit);
        case RLIMIT_NOFILE:
        case RLIMIT_NPROC:
        case RLIMIT_LOCKS:
        case RLIMIT_SIGPENDING:
        case RLIMIT_RTPRIO:
                return text_parse_u64(text, ret_limit);
        default:
                return resource_read_size(text, 1024, ret_limit);
        }
}

int exec_parse_limit(const DirectiveLine *line, const char *value) {
        const int kind = line->directive->argument;
        ExecTerms *terms = terms_of(line);
        cleanup_free_ char *soft = NULL;
        const char *colon = strchr(value, ':');
        ExecLimit limit = {};

        if (!*value) {
                terms->limits &= ~(1U << kind);
                return 0;
        }
        soft = colon ? strndup(value, (size_t) (colon - value)) : strdup(value);
        if (!soft)
                return -ENOMEM;
        if (parse_one_limit(kind, soft, &limit.soft) < 0 ||
            parse_one_limit(kind, colon ? colon + 1 : value, &limit.hard) < 0)
                return directive_complain(line, "'%s' is not a limit such as '1024', '1024:4096' or 'infinity'", value);
        if (limit.soft > limit.hard)
                return directive_complain(line, "The soft limit of '%s' is above the hard one", value);
        terms->limits |= 1U << kind;
        terms->limit[kind] = limit;
        return 0;
}

int exec_parse_scheduling_policy(const DirectiveLine *line, const char *value) {
        static const NumberedName policies[] = {
                { "other", SCHED_OTHER }, { "batch", SCHED_BATCH }, { "idle", SCHED_IDLE },
                { "fifo", SCHED_FIFO },   { "rr", SCHED_RR },
        };
        ExecTerms *terms = terms_of(line);
        int policy = name_find(policies, ELEMENTSOF(policies), value);

        if (policy < 0)
                return directive_complain(line, "'%s' is none of other, batch, idle, fifo and rr", value);
        terms->scheduling_policy = policy;
        terms->has_scheduling = true;
        return 0;
}

int exec_parse_scheduling_priority(const DirectiveLine *line, const char *value) {
        ExecTerms *terms = terms_of(line);
        int32_t priority;

        if (text_parse_i32(value, &priority) < 0 || priority < 0 || priority > 99)
                return directive_complain(line, "'%s' is not a priority from 1 to 99", value);
        terms->scheduling_priority = priority;
        terms->has_scheduling = true;
        return 0;
}

int exec_parse_scheduling_reset(const DirectiveLine *line, const char *value) {
        int r = directive_parse_bool(line, value);

        terms_of(line)->has_scheduling |= text_parse_bool(value) >= 0;
        return r;
}

static void set_io(ExecTerms *terms, int class, int level) {
        terms->io_priority = class << IO_CLASS_SHIFT | level;
        terms->has_io_priority = true;
}

int exec_parse_io_class(const DirectiveLine *line, const char *value) {
        static const NumberedName classes[] = {
                { "none", 0 },      { "0", 0 }, { "realtime", 1 }, { "1", 1 }, { "best-effort", IO_CLASS_BEST_EFFORT },
                { "2", IO_CLASS_BEST_EFFORT }, { "idle", 3 }, { "3", 3 },
        };
        ExecTerms *terms = terms_of(line);
        int class = name_find(classes, ELEMENTSOF(classes), value);
        int level = terms->has_io_priority ? terms->io_priority & 7 : IO_LEVEL_DEFAULT;

        if (!*value) {
                terms->has_io_priority = false;
                return 0;
        }
        if (class < 0)
                return directive_complain(line, "'%s' is none of realtime, best-effort and idle", value);
        set_io(terms, class == 0 ? IO_CLASS_BEST_EFFORT : class, level);
        return 0;
}

int exec_parse_io_priority(const DirectiveLine *line, const char *value) {
        ExecTerms *terms = terms_of(line);
        int class = (terms->has_io_priority ? terms->io_priority : IO_DEFAULT) >> IO_CLASS_SHIFT;
        int32_t level;

        if (!*value) {
                terms->has_io_priority = false;
                return 0;
        }
        if (text_parse_i32(value, &level) < 0 || level < 0 || level > 7)
                return directive_complain(line, "'%s' is not a level from 0 to 7", value);
        set_io(terms, class, level);
        return 0;
}

/* Parses "3" or "0-5": 0 or -EINVAL. */
static int parse_range(const char *word, uint32_t *ret_from, uint32_t *ret_to) {
        const char *dash = strchr(word, '-');
        cleanup_free_ char *from = dash ? strndup(word, (size_t) (dash - word)) : strdup(word);

        if (!from)
                return -ENOMEM;
        if (text_parse_u32(from, ret_from) < 0 || text_parse_u32(dash ? dash + 1 : word, ret_to) < 0)
                return -EINVAL;
        return *ret_from > *ret_to || *ret_to > SET_MAX ? -EINVAL : 0;
}

/* Adds the numbers in @value: 1, 0 for a bad value (reported), or -ENOMEM. */
static int parse_set(const DirectiveLine *line, const char *value, ExecSet *set) {
        cleanup_(strv_freep) char **words = NULL;
        uint32_t from, to;
        int r = strv_split(value, " \t,", &words);

        strv_foreach(word, words) {
                r = parse_range(*word, &from, &to);
                if (r == -EINVAL)
                        return directive_complain(line, "'%s' is not a number below 8192, or a range of them", *word);
                if (r < 0)
                        return r;
        }
        for (char **word = words; word && *word && r == 0; word++) {
                parse_range(*word, &from, &to);
                r = exec_set_add(set, from, to);
        }
        return r < 0 ? r : 1;
}

int exec_parse_cpu_affinity(const DirectiveLine *line, const char *value) {
        ExecTerms *terms = terms_of(line);
        int r;

        if (!*value) {
                exec_set_clear(&terms->cpus);
                terms->has_cpus = terms->takes_numa_cpus = false;
                return 0;
        }
        if (strcmp(value, "numa") == 0) {
                terms->takes_numa_cpus = terms->has_cpus = true;
                return 0;
        }
        r = parse_set(line, value, &terms->cpus);
        if (r > 0)
                terms->has_cpus = true;
        return MIN(r, 0);
}

int exec_parse_numa_policy(const DirectiveLine *line, const char *value) {
        static const NumberedName policies[] = {
                { "default", 0 }, { "preferred", 1 }, { "bind", 2 }, { "interleave", 3 }, { "local", 4 },
        };
        ExecTerms *terms = terms_of(line);
        int policy = name_find(policies, ELEMENTSOF(policies), value);

        if (*value && policy < 0)
                return directive_complain(line, "'%s' is none of default, preferred, bind, interleave and local",
                                          value);
        terms->has_numa_policy = *value;
        terms->numa_policy = MAX(policy, 0);
        return 0;
}

int exec_parse_numa_mask(const DirectiveLine *line, const char *value) {
        ExecTerms *terms = terms_of(line);
        int r;

        if (!*value) {
                exec_set_clear(&terms->numa_nodes);
                return 0;
        }
        r = strcmp(value, "all") == 0 ? exec_set_add(&terms->numa_nodes, 0, 63) :
                parse_set(line, value, &terms->numa_nodes);
        return MIN(r, 0);
}

/* A bare number and "ns" mean nanoseconds; other units are at least µs. */
int exec_parse_timer_slack(const DirectiveLine *line, const char *value) {
        ExecTerms *terms = terms_of(line);
        size_t n = strspn(value, "0123456789");
        usec_t usec = 0;
        uint64_t nsec = 0;

        if (n > 0 && n < 19 && (!value[n] || strcmp(value + n, "ns") == 0 || strcmp(value + n, "nsec") == 0))
                nsec = strtoull(value, NULL, 10);
        else if (usec_parse(value, 1, &usec) < 0 || usec > UINT64_MAX / 1000)
                return directive_complain(line, "'%s' is not a time span such as '50us'", value);
        terms->timer_slack_nsec = nsec > 0 ? nsec : usec * 1000;
        terms->has_timer_slack = true;
        return 0;
}

static int parse_coredump_word(const char *word, uint64_t *ret_bits) {
        static const NumberedName bits[] = {
                { "private-anonymous", 0 }, { "shared-anonymous", 1 }, { "private-file-backed", 2 },
                { "shared-file-backed", 3 }, { "elf-headers", 4 }, { "private-huge", 5 }, { "shared-huge", 6 },
                { "private-dax", 7 }, { "shared-dax", 8 },
        };
        int bit = name_find(bits, ELEMENTSOF(bits), word);
        char *end;

        *ret_bits = 0;
        if (bit >= 0)
                *ret_bits = UINT64_C(1) << bit;
        else if (strcmp(word, "all") == 0)
                *ret_bits = 0x1ff;
        else if (strcmp(word, "default") == 0)
                *ret_bits = 0x33;
        else {
                *ret_bits = strtoull(word, &end, 16);
                return *end || strlen(word) > 16 ? -EINVAL : 0;
        }
        return 0;
}

int exec_parse_coredump_filter(const DirectiveLine *line, const char *value) {
        cleanup_(strv_freep) char **words = NULL;
        ExecTerms *terms = terms_of(line);
        uint64_t all = 0, bits;
        int r = strv_split(value, " \t", &words);

        strv_foreach(word, words) {
                if (parse_coredump_word(*word, &bits) < 0)
                        return directive_complain(line, "'%s' is neither a kind of memory nor a mask", *word);
                all |= bits;
        }
        terms->has_coredump_filter = *value;
        terms->coredump_filter = *value ? terms->coredump_filter | all : 0;
        return r;
}

int exec_parse_personality(const DirectiveLine *line, const char *value) {
        static const NumberedName personalities[] = {
#if defined(__x86_64__)
                { "x86-64", PER_LINUX }, { "x86", PER_LINUX32 },
#elif defined(__i386__)
                { "x86", PER_LINUX },
#elif defined(__aarch64__)
                { "arm64", PER_LINUX }, { "arm", PER_LINUX32 },
#else
                { "native", PER_LINUX },
#endif
        };
        ExecTerms *terms = terms_of(line);
        int personality = name_find(personalities, ELEMENTSOF(personalities), value);

        if (*value && personality < 0)
                return directive_complain(line, "'%s' is not an architecture for programs on this machine",
                                          value);
        terms->has_personality = *value;
        terms->personality = (unsigned long) MAX(personality, 0);
        return 0;
}
