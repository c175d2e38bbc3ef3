/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signals to the manager
 *
 * Signals are read from descriptors. SIGCHLD only announces that there are
 * children to reap; the process table decides how many are reaped in one turn,
 * so that a thousand exits at once do not block other events.
 */

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/macro.h"
#include "manager/manager_priority.h"
#include "manager/manager_signal.h"

#define SETTLING_TIME (500 * USEC_PER_MSEC)

static int on_sigchld(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        const ManagerSignals *signals = userdata;

        signals->ops->children(signals->userdata);
        return 0;
}

static void log_received(const struct signalfd_siginfo *info, const char *remark) {
        const char *name = sigabbrev_np((int) info->ssi_signo);

        if (name)
                log_notice("Received SIG%s from process %u%s.", name, info->ssi_pid, remark);
        else
                log_notice("Received SIGRTMIN+%d from process %u%s.", (int) info->ssi_signo - SIGRTMIN, info->ssi_pid,
                           remark);
}

static int on_settled(sd_event_source *source, uint64_t time, void *userdata) {
        ManagerSignals *signals = userdata;

        signals->settling = sd_event_source_unref(signals->settling);
        return 0;
}

/*
 * A timer that is served after the signals, and not a comparison of times: signals that arrive while the manager is
 * busy with the first one wait in their descriptor, and belong to it.
 */
static void begin_settling(ManagerSignals *signals) {
        int r = sd_event_add_time_relative(signals->turn->event, &signals->settling, CLOCK_MONOTONIC, SETTLING_TIME, 0,
                                           on_settled, signals);

        if (r >= 0)
                r = sd_event_source_set_priority(signals->settling, MANAGER_PRIORITY_TIMERS);
        if (r < 0)
                signals->settling = sd_event_source_unref(signals->settling);
}

/*
 * The first signal stops everything in order, even if that has begun already. A later one means that the user does not
 * want to wait. timeout(1), terminals and CI runners signal a process and its group at once: that is one request.
 */
static int on_exit_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        ManagerSignals *signals = userdata;
        int signal = (int) info->ssi_signo;

        log_received(info, signals->settling ? ", which counts as the one before" : "");
        if (signals->settling)
                return 0;
        signals->ops->end(signals->userdata, signal, signals->was_told_to_end);
        signals->was_told_to_end = true;
        begin_settling(signals);
        return 0;
}

static int on_sighup(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        const ManagerSignals *signals = userdata;

        signals->ops->reload(signals->userdata);
        return 0;
}

static int on_sigusr1(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        const ManagerSignals *signals = userdata;

        signals->ops->log_jobs(signals->userdata);
        return 0;
}

static int on_sigusr2(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        const ManagerSignals *signals = userdata;

        signals->ops->log_counts(signals->userdata);
        return 0;
}

typedef struct SignalRule {
        int signal;
        int64_t priority;
        sd_event_signal_handler_t handler;
} SignalRule;

static const SignalRule rules[] = {
        { SIGCHLD, MANAGER_PRIORITY_CHILDREN, on_sigchld },
        { SIGHUP, MANAGER_PRIORITY_SIGNALS, on_sighup },
        { SIGUSR1, MANAGER_PRIORITY_SIGNALS, on_sigusr1 },
        { SIGUSR2, MANAGER_PRIORITY_SIGNALS, on_sigusr2 },
};

/* The init of a machine has other rules for these. */
static const SignalRule exit_rules[] = {
        { SIGTERM, MANAGER_PRIORITY_SIGNALS, on_exit_signal },
        { SIGINT, MANAGER_PRIORITY_SIGNALS, on_exit_signal },
};

/* Container engines stop an image with systemd by SIGRTMIN+3. This is no constant table, as SIGRTMIN is a call. */
#define N_HALT_RULES 2U

static void list_halt_rules(SignalRule of[static N_HALT_RULES]) {
        of[0] = (SignalRule) { SIGRTMIN + 3, MANAGER_PRIORITY_SIGNALS, on_exit_signal };        /* halt */
        of[1] = (SignalRule) { SIGRTMIN + 4, MANAGER_PRIORITY_SIGNALS, on_exit_signal };        /* power off */
}

static int add_signal(ManagerSignals *signals, const SignalRule *rule) {
        sd_event_source *source = NULL;
        int r;

        r = sd_event_add_signal(signals->turn->event, &source, rule->signal, rule->handler, signals);
        if (r >= 0)
                r = sd_event_source_set_priority(source, rule->priority);
        if (r >= 0)
                r = sd_event_source_set_floating(source, 1);
        sd_event_source_unref(source);
        return r;
}

/*
 * With a keeper, lost signals do no harm: the keeper passes signals on. But signals of faults must not be blocked. Two
 * signals are reserved by libc and cannot be blocked.
 */
static int block_all_but_faults(void) {
        static const int faults[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
        uint64_t mask = UINT64_MAX;

        for (size_t i = 0; i < ELEMENTSOF(faults); i++)
                mask &= ~(UINT64_C(1) << (faults[i] - 1));
        return syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask)) < 0 ? -errno : 0;
}

static int block_listened(const ManagerSignals *signals) {
        SignalRule halt_rules[N_HALT_RULES];
        sigset_t set;

        sigemptyset(&set);
        for (size_t i = 0; i < ELEMENTSOF(rules); i++)
                sigaddset(&set, rules[i].signal);
        for (size_t i = 0; i < ELEMENTSOF(exit_rules); i++)
                sigaddset(&set, exit_rules[i].signal);
        if (signals->is_machine)
                manager_signals_add_machine(&set);
        list_halt_rules(halt_rules);
        for (size_t i = 0; signals->is_container && i < N_HALT_RULES; i++)
                sigaddset(&set, halt_rules[i].signal);
        return sigprocmask(SIG_BLOCK, &set, NULL) < 0 ? -errno : 0;
}

static int block_signals(ManagerSignals *signals) {
        int r;

        if (sigprocmask(SIG_SETMASK, NULL, &signals->old_mask) < 0)
                return -errno;
        r = signals->is_kept ? block_all_but_faults() : block_listened(signals);
        if (r < 0)
                return r;
        signals->has_old_mask = true;
        /* The parent process may have ignored SIGCHLD: then the kernel would reap children itself. */
        if (signal(SIGPIPE, SIG_IGN) == SIG_ERR || signal(SIGCHLD, SIG_DFL) == SIG_ERR)
                return -errno;
        /* Orphans of services become children of the manager, whether it is PID 1 or not. */
        if (prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) < 0)
                return -errno;
        return 0;
}

static int add_signals(ManagerSignals *signals, const SignalRule *of, size_t n) {
        for (size_t i = 0; i < n; i++) {
                int r = add_signal(signals, &of[i]);

                if (r < 0)
                        return r;
        }
        return 0;
}

int manager_signals_init(ManagerSignals *signals) {
        SignalRule halt_rules[N_HALT_RULES];
        int r = block_signals(signals);

        if (r >= 0)
                r = add_signals(signals, rules, ELEMENTSOF(rules));
        if (r < 0)
                return r;
        if (signals->is_machine)
                return manager_signals_init_machine(signals);
        r = add_signals(signals, exit_rules, ELEMENTSOF(exit_rules));
        if (r < 0 || !signals->is_container)
                return r;
        list_halt_rules(halt_rules);
        return add_signals(signals, halt_rules, N_HALT_RULES);
}

void manager_signals_deinit(ManagerSignals *signals) {
        signals->settling = sd_event_source_unref(signals->settling);
        if (signals->has_old_mask)
                sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}
