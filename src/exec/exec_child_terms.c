/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rare process settings, applied by the child
 *
 * Each affects the child alone, although it shares the manager's memory;
 * except for the filter of core dumps, which belongs to the memory (see
 * exec.c).
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec/exec_child_private.h"
#include "exec/exec_descriptor.h"

#define IO_WHO_PROCESS 1
#define RESETS_ON_FORK 0x40000000
#define CAPABILITIES_MAX 64U

typedef struct Capabilities {
        struct __user_cap_header_struct header;
        struct __user_cap_data_struct data[2];
} Capabilities;

/* One more than the number of bits, because the kernel subtracts one; see get_mempolicy(2). */
child_ static uint64_t all_bits(const ExecSet *set) {
        return set->n > 0 ? set->n * 64 + 1 : 0;
}

child_ int exec_child_set_coredump_filter(ExecChild *child) {
        const char *text = child->extra->coredump_filter;
        size_t n = 0;
        long fd, r;

        while (text[n])
                n++;
        if (n == 0)
                return 0;
        child->what = "CoredumpFilter";
        fd = exec_call4(SYS_openat, AT_FDCWD, "/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC, 0);
        if (fd < 0)
                return (int) fd;
        r = exec_call3(SYS_write, fd, text, n);
        exec_call1(SYS_close, fd);
        return (int) MIN(r, 0L);
}

child_ int exec_child_set_scheduler(ExecChild *child) {
        const ExecTerms *terms = child->extra->terms;
        bool is_realtime = terms->scheduling_policy == SCHED_FIFO || terms->scheduling_policy == SCHED_RR;
        const struct sched_param parameters = {
                .sched_priority = is_realtime ? MAX(terms->scheduling_priority, 1) : 0,
        };

        if (!terms->has_scheduling)
                return 0;
        return (int) exec_call3(SYS_sched_setscheduler, 0,
                                terms->scheduling_policy | (terms->resets_on_fork ? RESETS_ON_FORK : 0), &parameters);
}

child_ int exec_child_set_affinity(ExecChild *child) {
        const ExecExtra *extra = child->extra;

        if (extra->n_cpu_words == 0)
                return 0;
        return (int) MIN(exec_call3(SYS_sched_setaffinity, 0, extra->n_cpu_words * sizeof(*extra->cpus), extra->cpus),
                         0L);
}

/* "default" and "local" take no nodes. */
child_ int exec_child_set_numa_policy(ExecChild *child) {
        const ExecTerms *terms = child->extra->terms;
        bool has_nodes = terms->numa_policy != 0 && terms->numa_policy != 4;

        if (!terms->has_numa_policy)
                return 0;
        return (int) exec_call3(SYS_set_mempolicy, terms->numa_policy, has_nodes ? terms->numa_nodes.words : NULL,
                                has_nodes ? all_bits(&terms->numa_nodes) : 0);
}

child_ int exec_child_set_io_priority(ExecChild *child) {
        const ExecTerms *terms = child->extra->terms;

        return terms->has_io_priority ? (int) exec_call3(SYS_ioprio_set, IO_WHO_PROCESS, 0, terms->io_priority) : 0;
}

child_ int exec_child_set_timer_slack(ExecChild *child) {
        const ExecTerms *terms = child->extra->terms;

        return terms->has_timer_slack ? (int) exec_call2(SYS_prctl, PR_SET_TIMERSLACK, terms->timer_slack_nsec) : 0;
}

child_ int exec_child_set_personality(ExecChild *child) {
        const ExecTerms *terms = child->extra->terms;

        return terms->has_personality ? (int) MIN(exec_call1(SYS_personality, terms->personality), 0L) : 0;
}

child_ static bool has_own_keyring(const ExecChild *child) {
        ExecKeyring keyring = child->extra ? child->extra->terms->keyring : EXEC_KEYRING_DEFAULT;

        return keyring == EXEC_KEYRING_DEFAULT ? !child->request->is_user_manager : keyring != EXEC_KEYRING_INHERIT;
}

/*
 * The number of the new keyring; 0 where keyrings are missing or forbidden (containers), so there are no keys to
 * separate.
 */
child_ static long join_new_keyring(void) {
        long keyring = exec_call2(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);

        if (keyring == -ENOSYS || keyring == -EPERM || keyring == -EACCES || keyring == -EDQUOT)
                return 0;
        return keyring;
}

/* A session keyring of PAM's is kept. */
child_ int exec_child_make_session_keyring(ExecChild *child) {
        const ExecExtra *extra = child->extra;
        long keyring;

        if (!extra->opens_session || !has_own_keyring(child))
                return 0;
        keyring = join_new_keyring();
        if (keyring > 0 && (extra->uid != (uid_t) -1 || extra->gid != (gid_t) -1))
                exec_call4(SYS_keyctl, KEYCTL_CHOWN, keyring, extra->uid, extra->gid);
        return (int) MIN(keyring, 0L);
}

/* Runs as the user, who owns the keyring then. */
child_ int exec_child_make_keyring(const ExecChild *child) {
        if ((child->extra && child->extra->opens_session) || !has_own_keyring(child))
                return 0;
        return (int) MIN(join_new_keyring(), 0L);
}

/* The user's own keyring can be linked only as that user. */
child_ static void link_keyring(const ExecExtra *extra) {
        if (extra->terms->keyring == EXEC_KEYRING_SHARED)
                exec_call3(SYS_keyctl, KEYCTL_LINK, KEY_SPEC_USER_KEYRING, KEY_SPEC_SESSION_KEYRING);
}

/* If the hard limit may not be raised, the present one is used. */
child_ static int set_limit(int kind, const ExecLimit *limit) {
        struct rlimit wanted = { limit->soft, limit->hard }, present = {};
        int r = (int) exec_call4(SYS_prlimit64, 0, kind, &wanted, NULL);

        if (r != -EPERM)
                return r;
        r = (int) exec_call4(SYS_prlimit64, 0, kind, NULL, &present);
        if (r < 0)
                return r;
        wanted.rlim_max = MIN(wanted.rlim_max, present.rlim_max);
        wanted.rlim_cur = MIN(wanted.rlim_cur, wanted.rlim_max);
        return (int) exec_call4(SYS_prlimit64, 0, kind, &wanted, NULL);
}

/* A filter cannot check the argument of sched_setattr(), which is in memory; as in systemd, a limit does. */
child_ static int forgo_realtime(const ExecTerms *terms) {
        const ExecLimit none = {};

        return terms->filter.denies_realtime && !(terms->limits & 1U << RLIMIT_RTPRIO)
                       ? set_limit(RLIMIT_RTPRIO, &none)
                       : 0;
}

child_ int exec_child_set_limits(ExecChild *child) {
        const ExecTerms *terms = child->extra->terms;

        for (int kind = 0; kind < (int) EXEC_LIMITS && child->extra->has_restrictions; kind++) {
                int r = terms->limits & 1U << kind ? set_limit(kind, &terms->limit[kind]) : 0;

                if (r < 0)
                        return r;
        }
        return child->extra->has_restrictions ? forgo_realtime(terms) : 0;
}

child_ static int read_capabilities(Capabilities *capabilities) {
        *capabilities = (Capabilities) { .header = { .version = _LINUX_CAPABILITY_VERSION_3 } };
        return (int) exec_call2(SYS_capget, &capabilities->header, capabilities->data);
}

child_ static int drop_inheritable(uint64_t kept) {
        Capabilities now;
        int r = read_capabilities(&now);

        if (r < 0)
                return r;
        now.data[0].inheritable &= (uint32_t) kept;
        now.data[1].inheritable &= (uint32_t) (kept >> 32);
        return (int) exec_call2(SYS_capset, &now.header, now.data);
}

/* Keeps the capabilities that must survive the change of the user. */
child_ int exec_child_limit_capabilities(ExecChild *child) {
        const ExecExtra *extra = child->extra;
        int r = 0;

        if (!extra->has_restrictions)
                return 0;
        for (unsigned number = 0; number < CAPABILITIES_MAX && extra->has_capabilities && r >= 0; number++) {
                if (extra->capabilities >> number & 1)
                        continue;
                r = (int) exec_call2(SYS_prctl, PR_CAPBSET_READ, number);
                if (r == -EINVAL)
                        break;                                  /* past the last capability */
                if (r > 0)
                        r = (int) exec_call2(SYS_prctl, PR_CAPBSET_DROP, number);
        }
        if (r == -EINVAL)
                r = 0;
        if (r >= 0 && extra->has_capabilities)
                r = drop_inheritable(extra->capabilities);
        if (r >= 0 && child->credentials->has_uid && (extra->terms->ambient_capabilities || extra->terms->secure_bits))
                r = (int) exec_call2(SYS_prctl, PR_SET_KEEPCAPS, 1);
        return MIN(r, 0);
}

/* Ambient capabilities must be inheritable and permitted; setting secure bits needs an effective one. */
child_ int exec_child_raise_capabilities(ExecChild *child) {
        const ExecExtra *extra = child->extra;
        uint64_t ambient = extra->terms->ambient_capabilities;
        Capabilities now;
        int r;

        link_keyring(extra);
        if (!extra->has_restrictions || child->request->flags & EXEC_REQUEST_KEEP_PRIVILEGES ||
            (ambient == 0 && extra->terms->secure_bits == 0))
                return 0;
        r = read_capabilities(&now);
        if (r < 0)
                return r;
        if (extra->terms->secure_bits != 0)
                now.data[0].effective |= now.data[0].permitted & (1U << CAP_SETPCAP);
        now.data[0].inheritable |= (uint32_t) ambient & now.data[0].permitted;
        now.data[1].inheritable |= (uint32_t) (ambient >> 32) & now.data[1].permitted;
        r = (int) exec_call2(SYS_capset, &now.header, now.data);
        for (unsigned number = 0; number < CAPABILITIES_MAX && r >= 0; number++) {
                if (!(ambient >> number & 1))
                        continue;
                if (exec_call2(SYS_prctl, PR_CAPBSET_READ, number) == -EINVAL)
                        break;                                  /* "~" includes unassigned numbers */
                r = (int) exec_call5(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0, 0);
        }
        return r;
}

child_ int exec_child_set_secure_bits(ExecChild *child) {
        const ExecExtra *extra = child->extra;

        if (!extra->has_restrictions || extra->terms->secure_bits == 0)
                return 0;
        return (int) exec_call2(SYS_prctl, PR_SET_SECUREBITS, extra->terms->secure_bits);
}

child_ static int forgo_privileges(void) {
        return (int) exec_call5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

child_ int exec_child_forgo_privileges(ExecChild *child) {
        const ExecExtra *extra = child->extra;

        return extra->has_restrictions && extra->terms->no_new_privileges ? forgo_privileges() : 0;
}

/*
 * Without the privilege to load filters the process may filter itself if it renounces new privileges. No flag asks for
 * a line of the audit log for each refused call: SystemCallLog= says which calls are logged, and its action does that.
 */
child_ int exec_child_load_filters(ExecChild *child) {
        const ExecPrograms *programs = child->extra->programs;

        for (size_t i = 0; programs && i < programs->n; i++) {
                int r = (int) exec_call3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &programs->programs[i]);

                if (r == -EACCES) {
                        r = forgo_privileges();
                        if (r >= 0)
                                r = (int) exec_call3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &programs->programs[i]);
                }
                if (r < 0)
                        return r;
        }
        return 0;
}
