/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The manager: its life and its turns
 *
 * A turn is one dispatch of the event loop, run by hand so that there is a
 * place before it (the clock is read: one time for all that happens in it) and
 * one behind it, where all that follows is done in a fixed order: jobs that
 * were asked for begin, units that nobody needs go, listeners add what they have
 * gathered, the outbox leaves, timers are armed. What leaves may have
 * consequences of its own (a process that cannot be started), which are told in
 * the same turn.
 */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_directory.h"
#include "manager/manager_group.h"
#include "manager/manager_private.h"
#include "manager/manager_transient.h"
#include "types/unit_types.h"

/* Times that the end of a turn is gone through at most; what is left is for the next turn. */
#define ROUNDS_MAX 8U

/*
 * While jobs begin and end one after the other, listeners are told every so often: at least that, and for so long that telling
 * them, with its commit, takes a third of the time at most; but never longer than they can wait.
 */
#define TOLD_LATER_MIN (10 * USEC_PER_MSEC)
#define TOLD_LATER_MAX (100 * USEC_PER_MSEC)
#define TOLD_LATER_FACTOR 2U
#define ANSWERED_LATER_MAX (500 * USEC_PER_MSEC)

static int copy_string(const char *string, const char **slot) {
        *slot = string ? strdup(string) : NULL;
        return string && !*slot ? -ENOMEM : 0;
}

static int copy_options(Manager *manager, const ManagerOptions *options) {
        ManagerOptions *copy = &manager->options;

        *copy = *options;
        copy->unit_path = copy->runtime_directory = copy->default_unit = NULL;
        copy->exit_on = NULL;
        if (options->exit_on && strv_copy(options->exit_on, &manager->exit_on) < 0)
                return -ENOMEM;
        copy->exit_on = manager->exit_on;
        if (copy_string(options->unit_path, &copy->unit_path) < 0 ||
            copy_string(options->runtime_directory, &copy->runtime_directory) < 0 ||
            copy_string(options->default_unit, &copy->default_unit) < 0)
                return -ENOMEM;
        return 0;
}

/* Clients read the files themselves, wherever they are. */
static int make_absolute(char **folders) {
        cleanup_free_ char *here = get_current_dir_name();

        for (char **folder = folders; folder && *folder; folder++) {
                char *absolute;
                int r;

                if (**folder == '/')
                        continue;
                r = here ? text_format(&absolute, "%s/%s", here, *folder) : -ENOMEM;
                if (r < 0)
                        return r;
                free(*folder);
                *folder = absolute;
        }
        return 0;
}

/* Units that clients have made come first: there are none where another has the name. */
static int find_search_path(Manager *manager, char ***path) {
        const ManagerOptions *options = &manager->options;
        cleanup_(strv_freep) char **folders = NULL;
        char *transient;
        int r;

        r = unit_file_search_path(options->is_user, options->with_systemd_units, options->unit_path, &folders);
        if (r >= 0)
                r = manager_transient_folder(manager, &transient);
        if (r >= 0)
                r = strv_consume(path, transient);
        strv_foreach(folder, folders)
                if (r >= 0)
                        r = strv_push(path, *folder);
        if (r >= 0)
                r = make_absolute(*path);
        return r < 0 ? r : manager_add_generator_folder(manager, path);
}

static const struct MountEntry *find_mount(void *userdata, const char *where) {
        return manager_find_mount(userdata, where, false);
}

static int init_loader(Manager *manager) {
        cleanup_(strv_freep) char **path = NULL;
        const ManagerOptions *options = &manager->options;
        int r;

        r = find_search_path(manager, &path);
        if (r < 0)
                return r;
        manager_generate_units(manager);
        return unit_file_loader_new(&manager->loader, &(UnitFileOptions) {
                .search_path = path,
                .is_user = options->is_user,
                .no_default_dependencies = options->no_default_dependencies,
                .lenient_directives = options->lenient_directives,
                .find_mount = find_mount,
                .receiver = manager_log_diagnostic,
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
        unit_table_set_type(manager->units, &scope_vtable);
        unit_table_set_type(manager->units, &mount_vtable);
        unit_table_set_type(manager->units, &service_vtable);
        unit_table_set_type(manager->units, &slice_vtable);
        unit_table_set_type(manager->units, &socket_vtable);
        unit_table_set_type(manager->units, &target_vtable);
        unit_table_set_type(manager->units, &timer_vtable);
        unit_table_set_type(manager->units, &path_vtable);
        unit_file_loader_attach(manager->loader, manager->units);

        r = job_manager_new(&manager->jobs, manager->units);
        return r < 0 ? r : job_manager_subscribe(manager->jobs, manager_take_job_event, manager);
}

static int init_processes(Manager *manager) {
        ProcessHost *host = &manager->process_host;
        int r;

        *host = (ProcessHost) {
                .ops = &manager_process_host_ops,
                .userdata = manager,
                .event = manager->event,
                .outbox = manager->outbox,
                .keeper = manager->options.keeper.pid,
                .is_again = manager_is_again(manager),
                .exit_priority = MANAGER_PRIORITY_CHILDREN,
                .fd_priority = MANAGER_PRIORITY_BUS,
        };
        r = process_timers_new(&manager->timers);
        if (r == 0)
                r = process_table_new(&manager->processes, host);
        return r < 0 ? r : process_errands_new(&manager->errands, host, manager->processes);
}

static int init(Manager *manager, Failure *ret_failure) {
        int r;

        r = sd_event_new(&manager->event);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot make an event loop: %s", strerror(-r));
        manager_raise_open_files_limit(manager);
        manager_find_limitations(manager);
        r = outbox_new(&manager->outbox);
        if (r >= 0)
                r = init_processes(manager);
        if (r >= 0)
                r = manager_build_environment(manager);
        if (r >= 0)
                r = init_units(manager);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot set up the units: %s", strerror(-r));
        manager_init_groups(manager);
        r = manager_init_signals(manager);
        if (r >= 0)
                r = manager_init_sources(manager);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot set up the event loop: %s", strerror(-r));
        return manager_open_notify(manager, ret_failure);
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
        manager->notify_fd = -1;
        manager->alarm = USEC_INFINITY;
        manager_read_clock(manager);
        manager->started = manager->now;
        manager->started_realtime = manager->now_realtime;
        if (copy_options(manager, options) < 0)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for a manager.");

        if (manager_init_state(manager) < 0)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for a manager.");
        exec_process_set_keeper(manager->options.keeper.pid, manager_is_again(manager));
        r = init(manager, ret_failure);
        if (r < 0)
                return r;
        if (manager_log_new(manager, &options->log) < 0)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for a manager.");
        manager_log_resume(manager);
        manager_open_state(manager);
        manager_sweep_transient(manager, false);
        manager_follow_mounts(manager);
        process_table_arm(manager->processes);
        manager_arm(manager->job_source);
        *ret_manager = take_ptr(manager);
        return 0;
}

static void free_units(Manager *manager) {
        manager_drop_contract(manager);
        manager_drop_pins(manager);
        if (manager->units) {
                unit_table_foreach(manager->units, unit)
                        manager_forget_unit(manager, unit);
                unit_table_set_observer(manager->units, NULL, NULL);
        }
        manager->outbox = outbox_free(manager->outbox);
        manager->errands = process_errands_free(manager->errands);
        manager->processes = process_table_free(manager->processes);
        manager->timers = process_timers_free(manager->timers);
        manager->jobs = job_manager_free(manager->jobs);
        manager->units = unit_table_free(manager->units);
        manager->loader = unit_file_loader_free(manager->loader);
}

static void free_sources(Manager *manager) {
        sd_event_source_disable_unref(manager->timer_source);
        sd_event_source_disable_unref(manager->job_source);
        sd_event_source_disable_unref(manager->idle_source);
        manager_forget_clock(manager);
        manager_forget_mounts(manager);
        sd_event_source_disable_unref(manager->notify_source);
        sd_event_unref(manager->event);
        if (manager->notify_fd >= 0)
                close(manager->notify_fd);
        if (manager->notify_path && manager->notify_path[0] == '/' && !manager_leaves_sockets(manager))
                unlink(manager->notify_path);
        if (manager->has_old_mask)
                sigprocmask(SIG_SETMASK, &manager->old_mask, NULL);
}

Manager *manager_free(Manager *manager) {
        if (!manager)
                return NULL;

        manager_close_state(manager, manager->stage == MANAGER_GONE);
        if (manager->stage == MANAGER_GONE && !manager->options.is_machine)
                manager_sweep_transient(manager, true);
        free_units(manager);
        manager_settle_transient(manager, false);
        manager_log_free(manager);
        manager_free_groups(manager);
        free_sources(manager);
        manager_drop_requests(manager);
        manager_drop_tokens(manager);
        vector_deinit(&manager->triggered);
        manager_free_names(manager);
        id_map_deinit(&manager->by_invocation);
        manager_forget_diagnostics(manager);
        vector_deinit(&manager->of_units);
        vector_deinit(&manager->listeners);
        vector_deinit(&manager->candidates);
        strv_free(manager->environment);
        strv_free(manager->inherited_environment);
        strv_free(manager->set_environment);
        strv_free(manager->exit_on);
        strv_free(manager->limitations);
        state_free(manager->state);
        free(manager->notify_path);
        free(manager->state_directory);
        free((char *) manager->options.unit_path);
        free((char *) manager->options.runtime_directory);
        free((char *) manager->options.default_unit);
        free(manager);
        return NULL;
}

void manager_read_clock(Manager *manager) {
        manager->now = clock_monotonic();
        manager->now_realtime = clock_realtime();
}

/*
 * What is told is of many turns then, while jobs begin and end one after the other: one message for all that a unit went
 * through, and one commit in front of them. Who has asked for much waits for his answer twice as long again as it took to find
 * it, in which most of what he asked for happens.
 */
static bool may_be_told_later(Manager *manager) {
        usec_t now;

        if (!job_manager_has_ready(manager->jobs))
                return false;
        if (outbox_length(manager->outbox) == 0)
                return manager->now < manager->tell_later_until;
        now = clock_monotonic();
        if (manager->answer_until == 0)
                manager->answer_until = usec_add(now, MIN(TOLD_LATER_FACTOR * usec_sub(now, manager->now), ANSWERED_LATER_MAX));
        return now < manager->answer_until;
}

/* Everything up to now, behind its commit. */
static void tell_listeners(Manager *manager) {
        usec_t began = clock_monotonic(), took;

        manager_tell(manager, end_of_turn);
        if (outbox_length(manager->outbox) > 0)
                manager_commit(manager);
        outbox_flush(manager->outbox);
        manager->answer_until = 0;
        took = clock_monotonic() - began;
        manager->tell_later_until = usec_add(began + took, MIN(MAX(TOLD_LATER_FACTOR * took, TOLD_LATER_MIN), TOLD_LATER_MAX));
}

static void end_turn(Manager *manager) {
        unsigned round = 0;

        manager_run_asked_jobs(manager);
        do {
                manager->has_news = false;
                manager_tell_triggering(manager);
                manager_unload_candidates(manager);
                if (may_be_told_later(manager)) {
                        if (process_errands_are_settled(manager->errands))
                                state_write_ahead(manager->state);
                        break;
                }
                tell_listeners(manager);
        } while (manager->has_news && ++round < ROUNDS_MAX);

        manager_log_tell_news(manager);
        process_errands_forget_orphans(manager->errands);
        manager_step_stage(manager);
        if (manager->has_news || outbox_length(manager->outbox) > 0 || manager->candidates.n > 0)
                manager_arm(manager->idle_source);
        manager_rank_notify(manager);
        manager_arm_jobs(manager);
        manager_arm_timers(manager);
}

int manager_turn(Manager *manager, usec_t timeout) {
        int r;

        assert(manager);

        r = sd_event_prepare(manager->event);
        if (r == 0) {
                manager_commit(manager);        /* before the process sleeps */
                state_tidy(manager->state);
                r = sd_event_wait(manager->event, timeout);
        }
        if (r <= 0)
                return r == -EINTR ? 0 : r;

        manager_read_clock(manager);
        manager->was_asked = false;
        r = sd_event_dispatch(manager->event);
        end_turn(manager);
        return r < 0 ? r : 1;
}

int manager_run(Manager *manager) {
        assert(manager);

        /* What was set up before the first turn may wait in the outbox, or have set timers. */
        end_turn(manager);
        while (manager->stage != MANAGER_GONE && !manager->wants_reexec) {
                int r = manager_turn(manager, USEC_INFINITY);

                if (r >= 0)
                        continue;
                log_error("The event loop failed: %s", strerror(-r));
                if (getpid() != 1 || sd_event_get_state(manager->event) == SD_EVENT_FINISHED)
                        return r;
        }
        /* What was to be told later has no later. */
        tell_listeners(manager);
        /* For who comes after core, should that die while it ends the machine. */
        if (manager->stage == MANAGER_GONE && manager->options.is_machine) {
                manager_mark_self(manager);
                manager_commit(manager);
        }
        return manager->exit_status;
}

sd_event *manager_event(Manager *manager) {
        return manager->event;
}

UnitTable *manager_units(Manager *manager) {
        return manager->units;
}

JobManager *manager_jobs(Manager *manager) {
        return manager->jobs;
}

UnitFileLoader *manager_loader(Manager *manager) {
        return manager->loader;
}

Outbox *manager_outbox(Manager *manager) {
        return manager->outbox;
}

const ManagerOptions *manager_options(const Manager *manager) {
        return &manager->options;
}

char *const *manager_environment(const Manager *manager) {
        return manager->environment;
}

usec_t manager_now(const Manager *manager) {
        return manager->now;
}

uint32_t manager_count_failed_units(const Manager *manager) {
        return manager->n_failed;
}

usec_t manager_started_at(const Manager *manager, usec_t *ret_realtime) {
        if (ret_realtime)
                *ret_realtime = manager->started_realtime;
        return manager->started;
}

usec_t manager_finished_at(const Manager *manager, usec_t *ret_realtime) {
        if (ret_realtime)
                *ret_realtime = manager->finished_realtime;
        return manager->finished;
}

typedef struct Differences {
        Manager *manager;
        char **lines;                   /* owned */
} Differences;

static void note_difference(void *userdata, Unit *unit, const char *difference) {
        Differences *differences = userdata;
        cleanup_free_ char *line = NULL;

        differences->manager->has_news = true;
        manager_tell(differences->manager, unit_changed, unit);
        if (text_format(&line, "%s: %s", unit->id, difference) < 0)
                return;
        log_info("%s", line);
        (void) strv_push(&differences->lines, line);
}

void manager_note_unit_files_changed(Manager *manager) {
        assert(manager);

        manager_tell(manager, unit_files_changed);
        manager->has_news = true;
}

int manager_reload(Manager *manager, bool force, char ***ret_differences, Failure *ret_failure) {
        Differences differences = { .manager = manager };
        int r;

        assert(manager);

        log_info("Reading unit files again.");
        manager_tell_parent(manager, "RELOADING=1");
        manager_tell(manager, reloading, true);
        manager_forget_diagnostics(manager);
        manager_generate_units(manager);
        r = unit_file_reload(manager->loader, manager->units, force, note_difference, &differences, ret_failure);
        if (r >= 0) {
                job_manager_graph_changed(manager->jobs, manager->now);
                manager_apply_groups(manager);
                /* What a unit referred to before is not known any more; a reload looks at all files anyway. */
                unit_table_foreach(manager->units, unit) {
                        manager_mark_job_of(manager, unit);     /* it may not recover with what it does not need any more */
                        manager_consider_unloading(manager, unit);
                }
                manager_tell(manager, unit_files_changed);
        }
        manager->has_news = true;
        manager_tell(manager, reloading, false);
        manager_tell_parent(manager, "READY=1");
        manager_arm_jobs(manager);

        if (r >= 0 && ret_differences)
                *ret_differences = take_ptr(differences.lines);
        strv_free(differences.lines);
        return r < 0 ? r : 0;
}
