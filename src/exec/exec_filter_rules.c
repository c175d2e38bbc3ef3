/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rules of system call filters
 *
 * libseccomp knows the numbers of calls on each architecture and makes the
 * programs. A call that an architecture lacks has no rule there. A program
 * allows all calls of processes of other architectures:
 * SystemCallArchitectures= denies whole architectures.
 *
 * Arguments that the kernel truncates to 32 bits are compared in these 32 bits
 * only, so that the upper bits cannot be used to pass a filter.
 */

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "exec/exec_filter_rules.h"

#if HAVE_SECCOMP

#include <seccomp.h>

#define LOW_BITS UINT64_C(0xffffffff)
#define DENY(error) SCMP_ACT_ERRNO((unsigned) (error))

/* The place of the flags among the arguments of clone(); clone(2). */
#if defined(__s390__)
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif

/* The inputs of the programs of one filter. */
typedef struct FilterMaker {
        const ExecFilter *filter;
        unsigned denied;                /* ExecDenied */
        unsigned long personality;
        uint32_t arch;                  /* of the program being made */
        scmp_filter_ctx context;
} FilterMaker;

typedef int (*FilterRules)(const FilterMaker *maker);

/* The native one comes last: see exec_filter.c. */
static const uint32_t architectures[] = {
#if defined(__x86_64__)
        SCMP_ARCH_X86, SCMP_ARCH_X32, SCMP_ARCH_X86_64,
#elif defined(__i386__)
        SCMP_ARCH_X86,
#elif defined(__aarch64__)
        SCMP_ARCH_ARM, SCMP_ARCH_AARCH64,
#else
        SCMP_ARCH_NATIVE,
#endif
};

/* A call without a number on this architecture, and a rule that exists or changes nothing, are ignored. */
static int add_rule(const FilterMaker *maker, uint32_t action, const char *name, unsigned n,
                    const struct scmp_arg_cmp *checks) {
        int number = seccomp_syscall_resolve_name(name), r;

        if (number == __NR_SCMP_ERROR)
                return 0;
        r = seccomp_rule_add_exact_array(maker->context, action, number, n, checks);
        return r == -EDOM || r == -EEXIST || r == -EACCES || (r == -EINVAL && number < 0) ? 0 : r;
}

static int deny(const FilterMaker *maker, int error, const char *name) {
        return add_rule(maker, DENY(error), name, 0, NULL);
}

/* Denies the call if the bits @mask of the argument equal @value. */
static int deny_masked(const FilterMaker *maker, int error, const char *name, unsigned argument, uint64_t mask,
                       uint64_t value) {
        const struct scmp_arg_cmp check = { argument, SCMP_CMP_MASKED_EQ, mask, value };

        return add_rule(maker, DENY(error), name, 1, &check);
}

static int deny_above(const FilterMaker *maker, int error, const char *name, unsigned argument, uint64_t value) {
        const struct scmp_arg_cmp check = { argument, SCMP_CMP_GT, value, 0 };

        return add_rule(maker, DENY(error), name, 1, &check);
}

static int deny_set(const FilterMaker *maker, int error, const SystemCallSet *set) {
        int r = 0;

        for (size_t i = 0; i < system_call_count() && r >= 0; i++)
                if (system_call_set_has(set, i))
                        r = deny(maker, error, system_call_name(i));
        return r;
}

static int deny_group(const FilterMaker *maker, const char *group) {
        SystemCallSet set = {};

        system_call_group_add(group, &set);
        return deny_set(maker, EPERM, &set);
}

static int deny_all(const FilterMaker *maker, int error, const char *const *names) {
        int r = 0;

        for (; *names && r >= 0; names++)
                r = deny(maker, error, *names);
        return r;
}

static uint32_t action_of(const ExecFilter *filter, size_t call) {
        int error = filter->errors ? filter->errors[call] : 0;

        if (error == 0)
                error = filter->error;
        return error > 0 ? DENY(error) : SCMP_ACT_KILL_PROCESS;
}

/* The rules for allowed or denied calls, and for calls with an errno of their own. */
static int rules_of_calls(const FilterMaker *maker) {
        const ExecFilter *filter = maker->filter;
        int r = 0;

        for (size_t i = 0; i < system_call_count() && r >= 0; i++) {
                bool is_listed = system_call_set_has(&filter->calls, i);
                bool has_error = filter->allows_calls && filter->errors && filter->errors[i] != 0;
                uint32_t action = filter->allows_calls && is_listed ? SCMP_ACT_ALLOW : action_of(filter, i);

                if (is_listed || has_error)
                        r = add_rule(maker, action, system_call_name(i), 0, NULL);
        }
        return r;
}

static int rules_of_log(const FilterMaker *maker) {
        uint32_t action = maker->filter->logs_others ? SCMP_ACT_ALLOW : SCMP_ACT_LOG;
        int r = 0;

        for (size_t i = 0; i < system_call_count() && r >= 0; i++)
                if (system_call_set_has(&maker->filter->logged, i))
                        r = add_rule(maker, action, system_call_name(i), 0, NULL);
        return r;
}

static int rules_of_families(const FilterMaker *maker) {
        const ExecFilter *filter = maker->filter;
        int r = 0;

        /* There all socket calls are one, whose arguments are in memory. */
        if (maker->arch == SCMP_ARCH_X86)
                return 0;
        for (int family = 0; family < EXEC_FAMILIES && r >= 0; family++) {
                bool is_listed = filter->families >> family & 1;

                if (is_listed != filter->allows_families)
                        r = deny_masked(maker, EAFNOSUPPORT, "socket", 0, LOW_BITS, (uint64_t) family);
        }
        if (filter->allows_families && r >= 0)
                r = deny_above(maker, EAFNOSUPPORT, "socket", 0, EXEC_FAMILIES - 1);
        return r;
}

static int rules_of_namespaces(const FilterMaker *maker) {
        const uint64_t kept = maker->filter->namespaces & EXEC_NAMESPACES_ALL;
        int r = deny(maker, ENOSYS, "clone3");          /* its flags are in memory; programs then use clone() */

        if (r >= 0)
                r = kept == 0 ? deny(maker, EPERM, "setns") : deny_masked(maker, EPERM, "setns", 1, LOW_BITS, 0);
        for (uint64_t flag = 1; flag <= EXEC_NAMESPACES_ALL && r >= 0; flag <<= 1) {
                if (!(flag & EXEC_NAMESPACES_ALL) || flag & kept)
                        continue;
                r = deny_masked(maker, EPERM, "unshare", 0, flag, flag);
                if (r >= 0)
                        r = deny_masked(maker, EPERM, "clone", CLONE_FLAGS, flag, flag);
                if (r >= 0 && kept != 0)
                        r = deny_masked(maker, EPERM, "setns", 1, flag, flag);
        }
        return r;
}

static int rules_of_realtime(const FilterMaker *maker) {
        const int most = SCHED_IDLE;
        int r = 0;

        for (int policy = 0; policy <= most && r >= 0; policy++)
                if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE)
                        r = deny_masked(maker, EPERM, "sched_setscheduler", 1, LOW_BITS, (uint64_t) policy);
        return r < 0 ? r : deny_above(maker, EPERM, "sched_setscheduler", 1, (uint64_t) most);
}

static int rules_of_suid_sgid(const FilterMaker *maker) {
        static const struct {
                const char *name;
                unsigned argument;
        } modes[] = {
                { "chmod", 1 },   { "fchmod", 1 }, { "fchmodat", 2 }, { "fchmodat2", 2 }, { "mkdir", 1 },
                { "mkdirat", 2 }, { "mknod", 1 },  { "mknodat", 2 },  { "creat", 1 },
        };
        static const struct {
                const char *name;
                unsigned flags, mode;
        } opens[] = { { "open", 1, 2 }, { "openat", 2, 3 } };
        static const uint64_t bits[] = { S_ISUID, S_ISGID };
        int r = deny(maker, ENOSYS, "openat2");         /* its mode is in memory */

        for (size_t b = 0; b < ELEMENTSOF(bits) && r >= 0; b++) {
                for (size_t i = 0; i < ELEMENTSOF(modes) && r >= 0; i++)
                        r = deny_masked(maker, EPERM, modes[i].name, modes[i].argument, bits[b], bits[b]);
                for (size_t i = 0; i < ELEMENTSOF(opens) * 2 && r >= 0; i++) {
                        const uint64_t flag = i % 2 ? O_CREAT : (O_TMPFILE & ~O_DIRECTORY);
                        const struct scmp_arg_cmp checks[] = {
                                { opens[i / 2].flags, SCMP_CMP_MASKED_EQ, flag, flag },
                                { opens[i / 2].mode, SCMP_CMP_MASKED_EQ, bits[b], bits[b] },
                        };

                        r = add_rule(maker, DENY(EPERM), opens[i / 2].name, ELEMENTSOF(checks), checks);
                }
        }
        return r;
}

static int rules_of_write_execute(const FilterMaker *maker) {
        const uint64_t both = PROT_WRITE | PROT_EXEC;
        int r;

        /* On x86 the arguments of mmap() are in memory; programs use mmap2(). */
        if (maker->arch == SCMP_ARCH_X86)
                r = deny(maker, EPERM, "mmap");
        else
                r = deny_masked(maker, EPERM, "mmap", 2, both, both);
        if (r >= 0)
                r = deny_masked(maker, EPERM, "mmap2", 2, both, both);
        if (r >= 0)
                r = deny_masked(maker, EPERM, "mprotect", 2, PROT_EXEC, PROT_EXEC);
        if (r >= 0)
                r = deny_masked(maker, EPERM, "pkey_mprotect", 2, PROT_EXEC, PROT_EXEC);
        /* On x86 all System V IPC calls are one. */
        if (r >= 0 && maker->arch != SCMP_ARCH_X86)
                r = deny_masked(maker, EPERM, "shmat", 2, SHM_EXEC, SHM_EXEC);
        return r;
}

/*
 * The process may query its personality (with all bits set), and set the present one again. A rule can compare an
 * argument only once: so there is a rule for each bit by which a number without the highest bit differs from that
 * personality, and one for each bit that a number with the highest bit lacks.
 */
static int rules_of_personality(const FilterMaker *maker) {
        const uint64_t highest = UINT64_C(1) << 31;
        int r = 0;

        for (uint64_t bit = 1; bit < highest && r >= 0; bit <<= 1) {
                r = deny_masked(maker, EPERM, "personality", 0, highest | bit, ~maker->personality & bit);
                if (r >= 0)
                        r = deny_masked(maker, EPERM, "personality", 0, highest | bit, highest);
        }
        return r;
}

static int rules_of_denied(const FilterMaker *maker) {
        static const char *const logs[] = { "syslog", NULL }, *const names[] = { "sethostname", "setdomainname", NULL };
        static const char *const tunables[] = { "_sysctl", NULL };
        int r = 0;

        if (maker->denied & EXEC_DENIED_CLOCK)
                r = deny_group(maker, "@clock");
        if (r >= 0 && maker->denied & EXEC_DENIED_KERNEL_LOGS)
                r = deny_all(maker, EPERM, logs);
        if (r >= 0 && maker->denied & EXEC_DENIED_MODULES)
                r = deny_group(maker, "@module");
        if (r >= 0 && maker->denied & EXEC_DENIED_HOSTNAME)
                r = deny_all(maker, EPERM, names);
        if (r >= 0 && maker->denied & EXEC_DENIED_RAW_IO)
                r = deny_group(maker, "@raw-io");
        if (r >= 0 && maker->denied & EXEC_DENIED_TUNABLES)
                r = deny_all(maker, EPERM, tunables);
        return r;
}

/* Exports the context as a program, through a file in memory. */
static int export_program(scmp_filter_ctx context, ExecPrograms *programs) {
        struct sock_fprog *program = &programs->programs[programs->n];
        int fd = memfd_create("filter", MFD_CLOEXEC), r;
        struct stat status = {};

        if (programs->n == EXEC_FILTER_PROGRAMS_MAX || fd < 0)
                return fd < 0 ? -errno : -E2BIG;
        r = seccomp_export_bpf(context, fd);
        if (r >= 0 && fstat(fd, &status) < 0)
                r = -errno;
        if (r >= 0) {
                program->filter = malloc((size_t) status.st_size + 1);
                r = program->filter ? 0 : -ENOMEM;
        }
        if (r >= 0 && pread(fd, program->filter, (size_t) status.st_size, 0) != status.st_size)
                r = -EIO;
        close(fd);
        if (r < 0) {
                free(program->filter);
                return r;
        }
        program->len = (unsigned short) ((size_t) status.st_size / sizeof(*program->filter));
        programs->n++;
        return 0;
}

static int make_program(FilterMaker *maker, uint32_t action, FilterRules rules, ExecPrograms *programs) {
        int r = 0;

        maker->context = seccomp_init(action);
        if (!maker->context)
                return -ENOMEM;
        if (maker->arch != seccomp_arch_native()) {
                r = seccomp_arch_remove(maker->context, seccomp_arch_native());
                if (r >= 0)
                        r = seccomp_arch_add(maker->context, maker->arch);
        }
        if (r >= 0)
                r = seccomp_attr_set(maker->context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW);
        /* As a tree, which needs few steps even for long lists. */
        if (r >= 0)
                r = seccomp_attr_set(maker->context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
        if (r >= 0)
                r = rules(maker);
        if (r >= 0)
                r = export_program(maker->context, programs);
        seccomp_release(maker->context);
        return r;
}

/* Makes one program for each architecture. */
static int make_programs(FilterMaker *maker, bool is_wanted, uint32_t action, FilterRules rules,
                         ExecPrograms *programs) {
        int r = 0;

        for (size_t i = 0; i < ELEMENTSOF(architectures) && is_wanted && r >= 0; i++) {
                maker->arch = architectures[i];
                r = make_program(maker, action, rules, programs);
        }
        return r;
}

static int find_architecture(const char *name, uint32_t *ret_arch) {
        static const struct {
                const char *name;
                uint32_t arch;
        } names[] = {
                { "native", SCMP_ARCH_NATIVE }, { "x86", SCMP_ARCH_X86 }, { "x86-64", SCMP_ARCH_X86_64 },
                { "x32", SCMP_ARCH_X32 }, { "arm", SCMP_ARCH_ARM }, { "arm64", SCMP_ARCH_AARCH64 },
                { "mips", SCMP_ARCH_MIPS }, { "mips64", SCMP_ARCH_MIPS64 }, { "mips64-n32", SCMP_ARCH_MIPS64N32 },
                { "mips-le", SCMP_ARCH_MIPSEL }, { "mips64-le", SCMP_ARCH_MIPSEL64 },
                { "mips64-le-n32", SCMP_ARCH_MIPSEL64N32 }, { "parisc", SCMP_ARCH_PARISC },
                { "parisc64", SCMP_ARCH_PARISC64 }, { "ppc", SCMP_ARCH_PPC }, { "ppc64", SCMP_ARCH_PPC64 },
                { "ppc64-le", SCMP_ARCH_PPC64LE }, { "riscv64", SCMP_ARCH_RISCV64 }, { "s390", SCMP_ARCH_S390 },
                { "s390x", SCMP_ARCH_S390X },
        };

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (strcmp(names[i].name, name) == 0) {
                        *ret_arch = names[i].arch;
                        return 0;
                }
        return -ENOENT;
}

/*
 * Allows all calls, except for processes of other architectures. An architecture that libseccomp does not know stays
 * denied.
 */
static int make_architectures(const ExecFilter *filter, ExecPrograms *programs) {
        scmp_filter_ctx context;
        int r = 0;

        if (!filter->architectures)
                return 0;
        context = seccomp_init(SCMP_ACT_ALLOW);
        if (!context)
                return -ENOMEM;
        strv_foreach(name, filter->architectures) {
                uint32_t arch;

                if (r >= 0 && find_architecture(*name, &arch) == 0)
                        r = seccomp_arch_add(context, arch);
                if (r == -EEXIST || r == -EDOM || r == -EINVAL)
                        r = 0;
        }
        if (r >= 0)
                r = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
        if (r >= 0)
                r = export_program(context, programs);
        seccomp_release(context);
        return r;
}

int exec_filter_make(const ExecFilter *filter, unsigned denied, unsigned long personality, ExecPrograms *programs) {
        FilterMaker maker = { .filter = filter, .denied = denied, .personality = personality };
        const uint32_t otherwise = filter->error > 0 ? DENY(filter->error) : SCMP_ACT_KILL_PROCESS;
        int r;

        r = make_programs(&maker, filter->has_families, SCMP_ACT_ALLOW, rules_of_families, programs);
        if (r >= 0)
                r = make_programs(&maker, filter->denies_write_execute, SCMP_ACT_ALLOW, rules_of_write_execute,
                                  programs);
        if (r >= 0)
                r = make_programs(&maker, filter->denies_realtime, SCMP_ACT_ALLOW, rules_of_realtime, programs);
        if (r >= 0)
                r = make_programs(&maker, filter->denies_suid_sgid, SCMP_ACT_ALLOW, rules_of_suid_sgid, programs);
        if (r >= 0)
                r = make_programs(&maker, filter->has_namespaces, SCMP_ACT_ALLOW, rules_of_namespaces, programs);
        if (r >= 0)
                r = make_programs(&maker, denied != 0, SCMP_ACT_ALLOW, rules_of_denied, programs);
        if (r >= 0)
                r = make_architectures(filter, programs);
        if (r >= 0)
                r = make_programs(&maker, filter->locks_personality, SCMP_ACT_ALLOW, rules_of_personality, programs);
        if (r >= 0)
                r = make_programs(&maker, filter->has_log, filter->logs_others ? SCMP_ACT_LOG : SCMP_ACT_ALLOW,
                                  rules_of_log, programs);
        if (r >= 0)
                r = make_programs(&maker, filter->has_calls, filter->allows_calls ? otherwise : SCMP_ACT_ALLOW,
                                  rules_of_calls, programs);
        return r;
}

#else

int exec_filter_make(const ExecFilter *filter, unsigned denied, unsigned long personality, ExecPrograms *programs) {
        return -EOPNOTSUPP;
}

#endif
