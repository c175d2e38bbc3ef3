/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Event sources: signals, and those that the manager arms itself
 *
 * Signals come through descriptors like everything else. SIGCHLD only says
 * that there is something to reap; how much of it in one turn is the process
 * table's business, so that a thousand exits at once do not hold up the rest.
 */

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "basic/log.h"
#include "manager/manager_private.h"

void manager_arm(sd_event_source *source) {
        sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int on_sigchld(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        Manager *manager = userdata;

        process_table_arm(manager->processes);
        return 0;
}

static int on_jobs(sd_event_source *source, void *userdata) {
        manager_run_jobs(userdata);
        return 0;
}

static int on_timers(sd_event_source *source, uint64_t usec, void *userdata) {
        Manager *manager = userdata;

        manager->alarm = USEC_INFINITY;         /* set again at the end of the turn */
        manager_run_timers(manager);
        return 0;
}

/* Once: all is stopped in order, whether or not that goes on already. Twice: somebody is out of patience. */
static int on_exit_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        Manager *manager = userdata;
        int signal = (int) info->ssi_signo;

        log_notice("Received SIG%s from process %u.", sigabbrev_np(signal), info->ssi_pid);
        manager_exit(manager, manager->options.has_signal_status ? 128 + signal : 0, !manager->was_signalled);
        manager->was_signalled = true;
        return 0;
}

static int on_sighup(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        cleanup_(failure_deinit) Failure failure = {};

        if (manager_reload(userdata, false, NULL, &failure) < 0)
                log_error("Cannot reload: %s", failure_message(&failure));
        return 0;
}

/* SIGUSR1: what is being done. */
static int on_sigusr1(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        Manager *manager = userdata;
        JobInfos jobs = {};

        if (job_manager_list(manager->jobs, &jobs) < 0)
                return 0;
        log_notice("%zu jobs.", jobs.n);
        for (size_t i = 0; i < jobs.n; i++)
                log_notice("Job %u: %s of %s, %s.", jobs.items[i].id, job_type_to_string(jobs.items[i].run_type),
                           jobs.items[i].unit ? jobs.items[i].unit->id : "?",
                           job_state_to_string(jobs.items[i].state));
        vector_deinit(&jobs);
        return 0;
}

/* SIGUSR2: how much there is of everything. */
static int on_sigusr2(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        Manager *manager = userdata;

        log_notice("%s: %u units, %u failed; %zu jobs; %zu processes; %zu timers.", manager_system_state(manager),
                   unit_table_count(manager->units), manager->n_failed, job_manager_count(manager->jobs),
                   process_table_count(manager->processes),
                   process_timers_count(manager->timers));
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

/* The init of a machine has rules of its own for these. */
static const SignalRule exit_rules[] = {
        { SIGTERM, MANAGER_PRIORITY_SIGNALS, on_exit_signal },
        { SIGINT, MANAGER_PRIORITY_SIGNALS, on_exit_signal },
};

static int add_signal(Manager *manager, const SignalRule *rule) {
        sd_event_source *source = NULL;
        int r;

        r = sd_event_add_signal(manager->event, &source, rule->signal, rule->handler, manager);
        if (r >= 0)
                r = sd_event_source_set_priority(source, rule->priority);
        if (r >= 0)
                r = sd_event_source_set_floating(source, 1);
        sd_event_source_unref(source);
        return r;
}

/*
 * What is not told of is no reason to die, where there is a keeper: signals are passed on to us as they come. But those of
 * a fault must be seen. Two belong to libc, which does not let itself be asked to block them.
 */
static int block_all_but_faults(void) {
        static const int faults[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
        uint64_t mask = UINT64_MAX;

        for (size_t i = 0; i < ELEMENTSOF(faults); i++)
                mask &= ~(UINT64_C(1) << (faults[i] - 1));
        return syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask)) < 0 ? -errno : 0;
}

static int block_listened(const Manager *manager) {
        sigset_t set;

        sigemptyset(&set);
        for (size_t i = 0; i < ELEMENTSOF(rules); i++)
                sigaddset(&set, rules[i].signal);
        for (size_t i = 0; i < ELEMENTSOF(exit_rules); i++)
                sigaddset(&set, exit_rules[i].signal);
        if (manager->options.is_machine)
                manager_block_machine_signals(&set);
        return sigprocmask(SIG_BLOCK, &set, NULL) < 0 ? -errno : 0;
}

static int block_signals(Manager *manager) {
        int r;

        if (sigprocmask(SIG_SETMASK, NULL, &manager->old_mask) < 0)
                return -errno;
        r = manager_is_kept(manager) ? block_all_but_faults() : block_listened(manager);
        if (r < 0)
                return r;
        manager->has_old_mask = true;
        /* Whoever started us may have ignored SIGCHLD: then the kernel would reap, and tell nobody. */
        if (signal(SIGPIPE, SIG_IGN) == SIG_ERR || signal(SIGCHLD, SIG_DFL) == SIG_ERR)
                return -errno;
        /* Orphans of our services come to us, whether we are PID 1 or not. */
        if (prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) < 0)
                return -errno;
        return 0;
}

static int add_signals(Manager *manager, const SignalRule *of, size_t n) {
        for (size_t i = 0; i < n; i++) {
                int r = add_signal(manager, &of[i]);

                if (r < 0)
                        return r;
        }
        return 0;
}

int manager_init_signals(Manager *manager) {
        int r = block_signals(manager);

        if (r >= 0)
                r = add_signals(manager, rules, ELEMENTSOF(rules));
        if (r < 0)
                return r;
        if (manager->options.is_machine)
                return manager_init_machine_signals(manager);
        return add_signals(manager, exit_rules, ELEMENTSOF(exit_rules));
}

static int add_deferred(Manager *manager, sd_event_source **ret_source, sd_event_handler_t handler, int64_t priority) {
        int r;

        r = sd_event_add_defer(manager->event, ret_source, handler, manager);
        if (r < 0)
                return r;
        r = sd_event_source_set_enabled(*ret_source, SD_EVENT_OFF);
        return r < 0 ? r : sd_event_source_set_priority(*ret_source, priority);
}

/* Sources of one priority are served by age, and a deferred source grows no younger by being served: it is replaced. */
void manager_renew_job_source(Manager *manager, int64_t priority) {
        sd_event_source *source = NULL;
        int64_t old = priority;

        sd_event_source_get_priority(manager->job_source, &old);
        if (priority == MANAGER_PRIORITY_JOBS && old == priority)
                return;
        if (add_deferred(manager, &source, on_jobs, priority) < 0) {
                sd_event_source_unref(source);
                return;
        }
        sd_event_source_disable_unref(manager->job_source);
        manager->job_source = source;
}

static int on_idle(sd_event_source *source, void *userdata) {
        return 0;                               /* the turn itself does it */
}

int manager_init_sources(Manager *manager) {
        int r;

        r = add_deferred(manager, &manager->job_source, on_jobs, MANAGER_PRIORITY_JOBS);
        if (r >= 0)
                r = add_deferred(manager, &manager->idle_source, on_idle, MANAGER_PRIORITY_IDLE);
        if (r >= 0)
                r = sd_event_add_time(manager->event, &manager->timer_source, CLOCK_MONOTONIC, USEC_INFINITY, 1,
                                      on_timers, manager);
        if (r >= 0)
                r = sd_event_source_set_priority(manager->timer_source, MANAGER_PRIORITY_TIMERS);
        if (r >= 0)
                r = sd_event_source_set_enabled(manager->timer_source, SD_EVENT_OFF);
        return r;
}
