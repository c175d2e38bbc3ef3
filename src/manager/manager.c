/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The manager: its life and its turns
 *
 * A turn is one dispatch of the event loop, with a step before it (the clock
 * is read, so that everything in a turn happens at one time) and one after it,
 * in a fixed order: requested jobs begin, unneeded units are unloaded,
 * listeners add their collected messages, the outbox is flushed, timers are
 * armed. Flushing can have consequences of its own (a process that cannot be
 * started), which are handled in the same turn.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_directory.h"
#include "exec/exec_process.h"
#include "manager/manager_parts.h"
#include "manager/manager_section.h"
#include "types/unit_types.h"

/* Limit on the passes through the end of a turn; the rest is left to the next turn. */
#define ROUNDS_MAX 8U

/* — construction — */

static int copy_options(Manager *manager, const ManagerOptions *options) {
        ManagerOptions *copy = &manager->options;

        *copy = *options;
        copy->unit_path = copy->runtime_directory = copy->default_unit = NULL;
        copy->exit_on = NULL;
        copy->default_tasks_max = &manager->default_tasks_max;
        if (options->default_tasks_max)
                manager->default_tasks_max = *options->default_tasks_max;
        copy->log.is_user = options->is_user;
        if (options->exit_on && strv_copy(options->exit_on, &manager->exit_on) < 0)
                return -ENOMEM;
        copy->exit_on = manager->exit_on;
        if (text_copy(options->unit_path, (char **) &copy->unit_path) < 0 ||
            text_copy(options->runtime_directory, (char **) &copy->runtime_directory) < 0 ||
            text_copy(options->default_unit, (char **) &copy->default_unit) < 0)
                return -ENOMEM;
        return 0;
}

/* Clients read these files themselves, from other working directories. */
static int make_absolute(char **folders) {
        cleanup_free_ char *here = get_current_dir_name();

        for (char **folder = folders; folder && *folder; folder++) {
                char *absolute;
                int r;

                if (**folder == '/')
                        continue;
                if (!here)
                        return -ENOMEM;
                r = text_equal(*folder, ".") ? text_format(&absolute, "%s", here)
                                             : text_join_path(here, *folder, &absolute);
                if (r < 0)
                        return r;
                free(*folder);
                *folder = absolute;
        }
        return 0;
}

/* The folder of clients' units comes first; such a unit is made only if its name is unused. */
static int find_search_path(Manager *manager, char ***path) {
        const ManagerOptions *options = &manager->options;
        cleanup_(strv_freep) char **folders = NULL;
        int r;

        r = unit_file_search_path(options->is_user, options->with_systemd_units, options->unit_path, &folders);
        if (r >= 0)
                r = strv_push(path, manager->transients.folder);
        strv_foreach(folder, folders)
                if (r >= 0)
                        r = strv_push(path, *folder);
        if (r >= 0)
                r = make_absolute(*path);
        return r < 0 ? r : manager_generator_add_folder(&manager->generator, path);
}

static const struct MountEntry *find_mount(void *userdata, const char *where) {
        return manager_mounts_find(&((Manager *) userdata)->mounts, where, false);
}

static void take_diagnostic(void *userdata, const UnitFileDiagnostic *diagnostic) {
        manager_diagnostics_take(&((Manager *) userdata)->diagnostics, diagnostic);
}

/* The units of a machine's boot set up the kernel and its folders, which another init has done already. */
static bool leaves_boot(const ManagerOptions *options) {
        return options->with_systemd_units && !options->is_user && !options->with_systemd_boot &&
               !options->is_machine && !options->is_container;
}

static int init_loader(Manager *manager) {
        cleanup_(strv_freep) char **path = NULL;
        const ManagerOptions *options = &manager->options;
        int r;

        r = find_search_path(manager, &path);
        if (r < 0)
                return r;
        manager_generator_run(&manager->generator);
        if (leaves_boot(options))
                log_info("Services in systemd's folders can be started by name. What the machine boots with is left "
                         "out, as jobd is not its init: see --systemd-boot in jobd(8).");
        return unit_file_loader_new(
                &manager->loader, &(UnitFileOptions) {
                                          .search_path = path,
                                          .is_user = options->is_user,
                                          .no_default_dependencies = options->no_default_dependencies,
                                          .lenient_directives = options->lenient_directives,
                                          .no_boot_folders = leaves_boot(options) ? unit_file_systemd_folders() : NULL,
                                          .find_mount = find_mount,
                                          .receiver = take_diagnostic,
                                          .userdata = manager,
                                  });
}

static int init_units(Manager *manager) {
        int r;

        exec_directory_set_user(manager->options.is_user);
        r = init_loader(manager);
        if (r < 0)
                return r;
        r = unit_table_new(&manager->units);
        if (r < 0)
                return r;
        unit_table_set_host(manager->units, &manager->host);
        unit_table_set_observer(manager->units, &manager_observer_ops, manager);
        for (size_t i = 0; unit_types[i]; i++)
                unit_table_set_type(manager->units, unit_types[i]);
        unit_file_loader_attach(manager->loader, manager->units);

        r = job_manager_new(&manager->engine, manager->units);
        return r < 0 ? r : job_manager_subscribe(manager->engine, manager_take_job_event, manager);
}

static int init_processes(Manager *manager) {
        ProcessHost *host = &manager->process_host;
        int r;

        *host = (ProcessHost) {
                .ops = &manager_process_host_ops,
                .userdata = manager,
                .event = manager->turn.event,
                .outbox = manager->outbox,
                .keeper = &manager->options.keeper,
                .exit_priority = MANAGER_PRIORITY_CHILDREN,
                .group_priority = MANAGER_PRIORITY_NOTIFY,
                .fd_priority = MANAGER_PRIORITY_BUS,
        };
        r = process_timers_new(&manager->timers);
        if (r == 0)
                r = process_table_new(&manager->processes, host);
        if (r == 0)
                r = process_rest_new(&manager->rest, host, manager->processes);
        return r < 0 ? r : process_errands_new(&manager->errands, host, manager->processes, manager->rest);
}

/* One event source for the deadlines of units, jobs and stages. */
static int on_timers(sd_event_source *source, uint64_t usec, void *userdata) {
        Manager *manager = userdata;

        manager->alarm = USEC_INFINITY; /* set again at the end of the turn */
        process_timers_run(manager->timers, manager->turn.now);
        if (job_manager_next_deadline(manager->engine) <= manager->turn.now)
                job_manager_expire(manager->engine, manager->turn.now);
        return 0;
}

static int init_timer_source(Manager *manager) {
        int r;

        r = sd_event_add_time(manager->turn.event, &manager->timer_source, CLOCK_MONOTONIC, USEC_INFINITY, 1, on_timers,
                              manager);
        if (r >= 0)
                r = sd_event_source_set_priority(manager->timer_source, MANAGER_PRIORITY_TIMERS);
        return r < 0 ? r : sd_event_source_set_enabled(manager->timer_source, SD_EVENT_OFF);
}

/* Called by the stages at the start, and when the manager is to end. */
static void before_jobs(void *userdata) {
        manager_stages_begin(&((Manager *) userdata)->stages);
}

static void start_refused(void *userdata, Unit *unit) {
        Manager *manager = userdata;

        if (unit_type_has_runs(unit->type))
                manager_runs_start_refused(manager->runs, unit);
}

/* Initializes the objects that need no units. */
static void join_surroundings(Manager *manager) {
        const ManagerOptions *options = &manager->options;

        manager->environment = (ManagerEnvironment) {
                .state = manager->turn.state,
                .hands_on_all = options->hands_on_environment,
        };
        manager->generator = (ManagerGenerator) {
                .is_user = options->is_user,
                .is_machine = options->is_machine,
                .runtime_directory = options->runtime_directory,
                .receiver = manager_diagnostics_take,
                .userdata = &manager->diagnostics,
        };
        manager->notify = (ManagerNotify) {
                .turn = &manager->turn,
                .keeper = &options->keeper,
                .folder = options->runtime_directory,
                .receiver = manager_take_notification,
                .userdata = manager,
                .fd = -1,
        };
        manager->signals = (ManagerSignals) {
                .turn = &manager->turn,
                .ops = &manager_signal_ops,
                .userdata = manager,
                .is_machine = options->is_machine,
                .is_container = options->is_container,
                .is_kept = options->keeper.ops,
        };
        manager->names.turn = manager->mounts.turn = manager->clock.turn = &manager->turn;
        manager->tokens.state = manager->transients.state = manager->turn.state;
        manager->kept.keeper = &manager->options.keeper;
        manager->invocations = (ManagerInvocations) { .rows = &manager->rows, .log = &manager->log };
}

/* Initializes the objects that follow units: jobs, triggers, unloading, references. */
static void join_units(Manager *manager) {
        manager->triggers = (ManagerTriggers) { .turn = &manager->turn, .units = manager->units };
        manager->jobs = (ManagerJobs) {
                .turn = &manager->turn,
                .units = manager->units,
                .engine = manager->engine,
                .mounts = &manager->mounts,
                .triggers = &manager->triggers,
                .stage = &manager->stages.stage,
                .before = before_jobs,
                .refused = start_refused,
                .userdata = manager,
        };
        manager->unloading = (ManagerUnloading) {
                .turn = &manager->turn,
                .units = manager->units,
                .rows = &manager->rows,
                .engine = manager->engine,
                .jobs = &manager->jobs,
                .transients = &manager->transients,
        };
        manager->pins = (ManagerPins) { .turn = &manager->turn,
                                       .rows = &manager->rows,
                                       .unloading = &manager->unloading };
        manager->mounts.units = manager->clock.units = manager->transients.units = manager->units;
        manager->transients.jobs = manager->engine;
        manager->transients.loader = manager->loader;
}

static void join_stages(Manager *manager) {
        const ManagerOptions *options = &manager->options;

        manager->contract = (ManagerContract) {
                .options = options, .table = manager->units, .jobs = manager->engine, .rows = &manager->rows
        };
        manager->stages = (ManagerStages) {
                .options = options,
                .turn = &manager->turn,
                .units = manager->units,
                .engine = manager->engine,
                .jobs = &manager->jobs,
                .contract = &manager->contract,
                .rows = &manager->rows,
                .listeners = &manager->listeners,
                .started = manager->turn.now,
                .started_realtime = manager->turn.now_realtime,
        };
}

/* Checks whether there are control groups, and logs the result once. */
static int init_groups(Manager *manager) {
        const ManagerOptions *options = &manager->options;
        cleanup_(failure_deinit) Failure failure = {};
        CgroupTree *tree = NULL;

        if (process_groups_find_tree(&manager->process_host, options->is_user, &tree, &failure) >= 0)
                log_info("Control groups of units are in %s.", cgroup_tree_folder(tree));
        else
                manager_limitations_note(&manager->limitations, LOG_LEVEL_INFO, "Units have no control groups: %s.",
                                         failure_message(&failure));
        return process_groups_new(&manager->groups, &manager->process_host, options->is_user,
                                  options->default_tasks_max, tree, failure_message(&failure));
}

static bool runs_are_ending(void *userdata) {
        return ((const Manager *) userdata)->stages.stage >= MANAGER_STOPPING;
}

static bool runs_are_serving(void *userdata) {
        return ((const Manager *) userdata)->stages.stage == MANAGER_SERVING;
}

static void tell_run_answer(void *userdata, const ManagerRunAnswer *answer) {
        Manager *manager = userdata;

        manager->turn.has_news = true;
        manager_listeners_tell(&manager->listeners, run_answered, answer);
}

static void tell_run_came(void *userdata, uint32_t run, const char *unit) {
        Manager *manager = userdata;

        manager->turn.has_news = true;
        manager_listeners_tell(&manager->listeners, run_came, run, unit);
}

static void tell_run_suspended(void *userdata, uint32_t run, const char *unit) {
        Manager *manager = userdata;

        manager->turn.has_news = true;
        manager_listeners_tell(&manager->listeners, run_suspended, run, unit);
}

static void tell_run_went(void *userdata, uint32_t run, RunState state) {
        Manager *manager = userdata;

        manager->turn.has_news = true;
        manager_listeners_tell(&manager->listeners, run_went, run, state);
}

static void tell_run_changed(void *userdata, uint32_t run) {
        Manager *manager = userdata;

        manager_listeners_tell(&manager->listeners, run_changed, run);
}

static void tell_node_changed(void *userdata, uint32_t run, uint32_t node) {
        Manager *manager = userdata;

        manager_listeners_tell(&manager->listeners, run_node_changed, run, node);
}

static void tell_run_notice(void *userdata, const ManagerRunNotice *notice) {
        Manager *manager = userdata;

        manager->turn.has_news = true;
        manager_listeners_tell(&manager->listeners, run_notified, notice);
}

static const ManagerRunsOps runs_ops = {
        .changed = tell_run_changed,
        .node_changed = tell_node_changed,
        .came = tell_run_came,
        .suspended = tell_run_suspended,
        .went = tell_run_went,
        .answered = tell_run_answer,
        .notified = tell_run_notice,
        .is_ending = runs_are_ending,
        .is_serving = runs_are_serving,
};

static int init_runs(Manager *manager) {
        return manager_runs_new(&manager->runs, &manager->options.runs, &(ManagerRunsHost) {
                .attempts = {
                        .turn = &manager->turn,
                        .errands = manager->errands,
                        .processes = manager->processes,
                        .timers = manager->timers,
                        .groups = manager->groups,
                        .log = &manager->log,
                        .kept = &manager->kept,
                },
                .surround = manager_surround,
                .owner_of = manager_owner_of,
                .loader = manager->loader,
                .units = manager->units,
                .jobs = &manager->jobs,
                .ops = &runs_ops,
                .userdata = manager,
                .folder = manager->options.runtime_directory,
        });
}

static int init_loop(Manager *manager, Failure *ret_failure) {
        int r = manager_signals_init(&manager->signals);

        if (r >= 0)
                r = manager_jobs_init(&manager->jobs);
        if (r >= 0)
                r = init_timer_source(manager);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot set up the event loop: %s", strerror(-r));
        return manager_notify_open(&manager->notify, ret_failure);
}

static int init(Manager *manager, Failure *ret_failure) {
        int r;

        r = manager_turn_init(&manager->turn);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot make an event loop: %s", strerror(-r));
        manager_limitations_init(&manager->limitations);
        join_surroundings(manager);
        r = outbox_new(&manager->outbox);
        if (r >= 0)
                r = init_processes(manager);
        if (r >= 0)
                r = manager_environment_build(&manager->environment);
        if (r >= 0)
                r = manager_transients_init(&manager->transients, manager->options.runtime_directory);
        if (r >= 0)
                r = init_units(manager);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot set up the units: %s", strerror(-r));
        join_units(manager);
        join_stages(manager);
        r = init_groups(manager);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot set up control groups: %s", strerror(-r));
        r = init_runs(manager);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot set up runs: %s", strerror(-r));
        return init_loop(manager, ret_failure);
}

/* After a death of core: takes over the remaining objects of the previous core. */
static void take_over(Manager *manager) {
        manager_log_resume(manager->log);
        if (!manager_open_state(manager))
                return;
        manager_transients_sweep(&manager->transients, false);
        if (manager_generator_is_on(&manager->generator))
                manager_mounts_follow(&manager->mounts);
        process_table_arm(manager->processes);
        manager_jobs_wake(&manager->jobs);
}

int manager_new(Manager **ret_manager, const ManagerOptions *options, Failure *ret_failure) {
        cleanup_(manager_freep) Manager *manager = NULL;
        int r;

        assert(ret_manager);
        assert(options);
        assert(options->runtime_directory);

        manager = calloc(1, sizeof(*manager));
        if (!manager)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for a manager.");
        manager->host.ops = &manager_host_ops;
        manager->notify.fd = -1;
        manager->alarm = USEC_INFINITY;
        manager_turn_read_clock(&manager->turn);
        if (copy_options(manager, options) < 0 || manager_records_init(manager) < 0)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for a manager.");

        exec_process_set_keeper(manager->options.keeper.pid, manager->options.keeper.is_again);
        r = init(manager, ret_failure);
        if (r < 0)
                return r;
        if (manager_log_new(&manager->log, &manager->options.log, manager->turn.event, &manager->options.keeper,
                            manager->options.runtime_directory) < 0)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for a manager.");
        take_over(manager);
        *ret_manager = take_ptr(manager);
        return 0;
}

/* — destruction — */

static void free_units(Manager *manager) {
        manager_contract_drop(&manager->contract);
        manager->runs = manager_runs_free(manager->runs);
        manager_pins_drop(&manager->pins);
        if (manager->units) {
                unit_table_foreach(manager->units, unit)
                        manager_forget_unit(manager, unit);
                unit_table_set_observer(manager->units, NULL, NULL);
        }
        manager->outbox = outbox_free(manager->outbox);
        manager->errands = process_errands_free(manager->errands);
        manager->rest = process_rest_free(manager->rest);
        manager->processes = process_table_free(manager->processes);
        manager->timers = process_timers_free(manager->timers);
        manager->engine = job_manager_free(manager->engine);
        manager->units = unit_table_free(manager->units);
        manager->loader = unit_file_loader_free(manager->loader);
}

/* On a machine the state is kept: if core dies while it shuts the machine down, the next core continues. */
static void close_state(Manager *manager) {
        bool is_done = manager->stages.stage == MANAGER_GONE && !manager->options.is_machine;

        if (manager->turn.state)
                state_close(manager->turn.state, is_done);
        if (is_done)
                manager_transients_sweep(&manager->transients, true);
        manager_records_deinit(manager);
}

static void free_objects(Manager *manager) {
        manager_transients_deinit(&manager->transients);
        manager->log = manager_log_free(manager->log, manager->stages.stage == MANAGER_GONE);
        manager->groups = process_groups_free(manager->groups);
        sd_event_source_disable_unref(manager->timer_source);
        manager_jobs_deinit(&manager->jobs);
        manager_clock_deinit(&manager->clock);
        manager_mounts_deinit(&manager->mounts);
        manager_notify_close(&manager->notify, manager_leaves_sockets(manager));
        manager_signals_deinit(&manager->signals);
        manager_tokens_deinit(&manager->tokens);
        manager_triggers_deinit(&manager->triggers);
        manager_names_deinit(&manager->names);
        manager_invocations_deinit(&manager->invocations);
        manager_diagnostics_forget(&manager->diagnostics);
        manager_environment_deinit(&manager->environment);
        manager_limitations_deinit(&manager->limitations);
        vector_deinit(&manager->rows.rows);
        vector_deinit(&manager->listeners.all);
        manager_unloading_deinit(&manager->unloading);
        manager_turn_deinit(&manager->turn);
}

Manager *manager_free(Manager *manager) {
        if (!manager)
                return NULL;

        close_state(manager);
        free_units(manager);
        free_objects(manager);
        strv_free(manager->exit_on);
        free(manager->state_directory);
        free((char *) manager->options.unit_path);
        free((char *) manager->options.runtime_directory);
        free((char *) manager->options.default_unit);
        free(manager);
        return NULL;
}

/* — turns — */

static bool may_be_told_later(Manager *manager) {
        const bool has_answer = outbox_length(manager->outbox) > 0;
        TellClock turn, now;

        if (!job_manager_has_ready(manager->engine))
                return false;
        if (tell_policy_is_recent(&manager->tell, has_answer, manager->turn.now))
                return true; /* without the system call that reads the processor time */
        now = (TellClock) { clock_monotonic(), clock_processor() };
        turn = (TellClock) { manager->turn.now, manager->turn.spent ?: now.spent };
        return tell_policy_may_wait(&manager->tell, has_answer, turn, now);
}

/* Commits the state, then tells listeners everything up to now. */
static void tell_listeners(Manager *manager) {
        usec_t began = clock_monotonic();

        manager_listeners_tell(&manager->listeners, end_of_turn);
        if (outbox_length(manager->outbox) > 0)
                (void) state_commit(manager->turn.state);
        outbox_flush(manager->outbox);
        manager->turn.n_told++;
        tell_policy_told(&manager->tell, began, clock_monotonic());
}

/* The event source is set once in each turn, so setting or clearing a timer costs no system call. */
static void arm_timers(Manager *manager) {
        usec_t next = MIN(process_timers_next(manager->timers), job_manager_next_deadline(manager->engine));

        if (manager->stages.stage >= MANAGER_STOPPING)
                next = MIN(next, manager->stages.deadline);
        if (next == manager->alarm)
                return;

        manager->alarm = next;
        if (next != USEC_INFINITY)
                sd_event_source_set_time(manager->timer_source, next);
        sd_event_source_set_enabled(manager->timer_source, next == USEC_INFINITY ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
}

static void tell_news(Manager *manager) {
        unsigned round = 0;

        do {
                manager->turn.has_news = false;
                manager_triggers_tell(&manager->triggers);
                manager_unloading_run(&manager->unloading);
                if (may_be_told_later(manager)) {
                        state_write_ahead(manager->turn.state);
                        break;
                }
                tell_listeners(manager);
        } while (manager->turn.has_news && ++round < ROUNDS_MAX);
}

static void end_turn(Manager *manager) {
        manager_jobs_run_asked(&manager->jobs);
        manager_runs_turn(manager->runs);
        tell_news(manager);
        manager_log_tell_news(manager->log);
        process_rest_forget(manager->rest);
        process_groups_follow_startup(manager->groups, manager->stages.stage != MANAGER_SERVING);
        manager_stages_step(&manager->stages);
        if (manager->stages.stage >= MANAGER_TERMINATING) {
                manager_log_end(manager->log);
                manager_runs_end(manager->runs);
        }
        if (manager->turn.has_news || manager_runs_has_work(manager->runs) || outbox_length(manager->outbox) > 0 ||
            manager_unloading_has_candidates(&manager->unloading))
                manager_turn_wake(&manager->turn);
        manager_notify_rank(&manager->notify);
        manager_jobs_arm(&manager->jobs);
        arm_timers(manager);
}

int manager_turn(Manager *manager, usec_t timeout) {
        int r;

        assert(manager);

        r = sd_event_prepare(manager->turn.event);
        if (r == 0) {
                (void) state_commit(manager->turn.state); /* before the process sleeps */
                state_tidy(manager->turn.state);
                manager_turn_end(&manager->turn);
                r = sd_event_wait(manager->turn.event, timeout);
        }
        if (r <= 0)
                return r == -EINTR ? 0 : r;

        manager_turn_begin(&manager->turn);
        manager->jobs.was_asked = false;
        manager->turn.is_quiet = false;
        r = sd_event_dispatch(manager->turn.event); /* of one source */
        if (!manager->turn.is_quiet)
                end_turn(manager);
        return r < 0 ? r : 1;
}

int manager_run(Manager *manager) {
        assert(manager);

        /* Restored units may have filled the outbox and set timers before the first turn. */
        end_turn(manager);
        while (manager->stages.stage != MANAGER_GONE && !manager->wants_reexec) {
                int r = manager_turn(manager, USEC_INFINITY);

                if (r >= 0)
                        continue;
                log_error("The event loop failed: %s", strerror(-r));
                if (getpid() != 1 || sd_event_get_state(manager->turn.event) == SD_EVENT_FINISHED)
                        return r;
        }
        /* Messages that were postponed to a later turn are sent now, because there is none. */
        tell_listeners(manager);
        /* For the next core, if this one dies while it shuts the machine down. */
        if (manager->stages.stage == MANAGER_GONE && manager->options.is_machine) {
                manager_mark_self(manager->turn.state);
                (void) state_commit(manager->turn.state);
        }
        return manager->stages.exit_status;
}

/* — accessors — */

usec_t manager_longest_turn(const Manager *manager) {
        return manager->turn.longest;
}

void manager_forget_longest_turn(Manager *manager) {
        manager->turn.longest = 0;
}

sd_event *manager_event(Manager *manager) {
        return manager->turn.event;
}

UnitTable *manager_units(Manager *manager) {
        return manager->units;
}

JobManager *manager_jobs(Manager *manager) {
        return manager->engine;
}

UnitFileLoader *manager_loader(Manager *manager) {
        return manager->loader;
}

Outbox *manager_outbox(Manager *manager) {
        return manager->outbox;
}

ManagerRuns *manager_runs(Manager *manager) {
        return manager->runs;
}

ManagerTokens *manager_tokens(Manager *manager) {
        return &manager->tokens;
}

const ManagerLog *manager_log(const Manager *manager) {
        return manager->log;
}

const ManagerOptions *manager_options(const Manager *manager) {
        return &manager->options;
}

const struct ResourceDefaults *manager_resource_defaults(const Manager *manager) {
        return process_groups_defaults(manager->groups);
}

char *const *manager_limitations(const Manager *manager) {
        return manager->limitations.texts;
}

char *const *manager_environment(const Manager *manager) {
        return manager->environment.all;
}

usec_t manager_now(const Manager *manager) {
        return manager->turn.now;
}

uint32_t manager_count_failed_units(const Manager *manager) {
        return manager->rows.n_failed;
}

UnitAction manager_action(const Manager *manager) {
        return manager->stages.action;
}

int manager_exit_status(const Manager *manager) {
        return manager->stages.action_status;
}

const char *manager_system_state(const Manager *manager) {
        return manager_stages_name(&manager->stages);
}

usec_t manager_started_at(const Manager *manager, usec_t *ret_realtime) {
        if (ret_realtime)
                *ret_realtime = manager->stages.started_realtime;
        return manager->stages.started;
}

usec_t manager_finished_at(const Manager *manager, usec_t *ret_realtime) {
        if (ret_realtime)
                *ret_realtime = manager->stages.finished_realtime;
        return manager->stages.finished;
}
