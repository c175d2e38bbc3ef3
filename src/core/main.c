/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobd-core
 *
 * Joins the manager, the bus and the keeper: options, the runtime directory,
 * then the loop until it ends. The keeper starts core, and starts it again when
 * it dies; core started by hand is a manager without a keeper.
 *
 * Before it ends core tells the keeper whether it is to be started again. An end
 * that was asked for is final, and so is a failure that would come again: a
 * wrong option, or a folder that another jobd uses. But once a core has served,
 * only an end that was asked for is final.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/text.h"
#include "core/command_unit.h"
#include "core/core_command_line.h"
#include "core/core_execute.h"
#include "core/core_keeper.h"
#include "core/core_log.h"
#include "core/core_runstore.h"
#include "core/core_score.h"
#include "core/machine.h"
#include "core/probe.h"
#include "core/runtime_directory.h"
#include "dbus/bus.h"
#include "exec/exec_clean.h"
#include "manager/manager.h"

enum {
        EXIT_USAGE = 2,
};

/* The arguments of main(). */
typedef struct Core {
        char **argv;
        CoreOptions options; /* owned */
        CoreKeeper *keeper; /* owned; NULL: there is no keeper */
        UnitAction action; /* that the manager has ended for */
} Core;

static void core_deinit(Core *core) {
        core_options_deinit(&core->options);
        core->keeper = core_keeper_free(core->keeper);
}

/* PID 1 of a container may be started without standard streams: no file may take their numbers. */
static void open_standard_descriptors(void) {
        for (int fd = 0; fd <= STDERR_FILENO; fd++)
                if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
                        return;
}

/* Reserves the numbers for the bus; there may be no file system yet. */
static void reserve_server_fds(void) {
        const int end = BUS_SERVER_FD + BUS_SERVER_FDS;
        int fd = eventfd(0, EFD_CLOEXEC);

        if (fd < 0)
                return;
        for (int i = BUS_SERVER_FD; i < end; i++)
                if (i != fd)
                        dup3(fd, i, O_CLOEXEC);
        if (fd >= end)
                close(fd);
}

static int tell_ready(const Core *core, Manager *manager, const char *runtime_directory) {
        cleanup_free_ char *text = NULL;
        int r;

        r = core_keeper_ready(core->keeper);
        if (r == 0)
                r = core_keeper_watch(core->keeper, core->options.watchdog);
        if (r == 0)
                r = text_format(&text, "READY=1\nSTATUS=Serving in %s.", runtime_directory);
        if (r < 0)
                return r;
        log_info("jobd %s serves in %s.", JOBD_VERSION, runtime_directory);
        manager_tell_parent(manager, text);
        return 0;
}

/* Also if re-execution failed. */
static int run_loop(const Core *core, Manager *manager, Bus *bus) {
        int r;

        bus_answer_reexec(bus);
        for (;;) {
                r = manager_run(manager);
                if (r < 0 || !manager_wants_reexec(manager))
                        return r;
                bus_hand_reexec_on(bus);
                r = core_execute(core->keeper, manager, core->argv);
                bus_give_up_reexec(bus, r);
        }
}

static int serve(Core *core, const char *runtime_directory, Failure *ret_failure) {
        const CoreOptions *options = &core->options;
        cleanup_(manager_freep) Manager *manager = NULL;
        cleanup_(bus_freep) Bus *bus = NULL;
        CoreRunStore runs;
        CoreLog log;
        int r;

        core_log_init(&log, options, runtime_directory);
        core_runstore_init(&runs, options, runtime_directory);
        r = manager_new(&manager,
                        &(ManagerOptions) {
                                .is_user = options->is_user,
                                .is_machine = options->is_machine,
                                .with_systemd_units = options->with_systemd_units,
                                .with_systemd_boot = options->with_systemd_boot,
                                .no_default_dependencies = options->no_default_dependencies,
                                .no_state = options->no_state,
                                .lenient_directives = options->lenient_directives,
                                .unit_path = options->unit_path,
                                .runtime_directory = runtime_directory,
                                .default_unit = options->default_unit,
                                .shutdown_timeout = options->shutdown_timeout,
                                .default_tasks_max = &options->default_tasks_max,
                                .is_container = options->is_container,
                                .hands_on_environment = options->hands_on_environment,
                                .has_signal_status = options->has_signal_status,
                                .exit_on = options->exit_on,
                                .log = log.options,
                                .runs = runs.options,
                                .keeper = core_keeper_for_manager(core->keeper),
                        },
                        ret_failure);
        if (r < 0)
                return r;
        /* Whatever is held for core and its units stays as it is. */
        if (manager_is_half_read(manager)) {
                log_error("A part of the state could be read, and was in effect: starting again without it.");
                _exit(EXIT_FAILURE);
        }
        r = bus_new(&bus, manager,
                    &(BusOptions) {
                            .is_user = options->is_user,
                            .systemd_compat = options->systemd_compat,
                            .no_bus = options->no_bus,
                            .runtime_directory = runtime_directory,
                            .has_fallen_back = core_keeper_has_fallen_back(core->keeper),
                    },
                    ret_failure);
        if (r < 0)
                return r;
        r = core_keeper_attach(core->keeper, manager);
        if (r == 0)
                r = tell_ready(core, manager, runtime_directory);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot tell the keeper that core serves: %s",
                                   strerror(-r));
        r = run_loop(core, manager, bus);
        /* The steps that follow, such as unmounting, take their time. */
        (void) core_keeper_watch(core->keeper, 0);
        core->action = manager_action(manager);
        return r < 0 ? failure_set(ret_failure, r, "Failed", "The event loop failed: %s", strerror(-r)) : r;
}

#define LOCK_NAME "runtime-directory"

/* The keeper holds the lock, too, so that no other jobd takes the folder while core is started again. */
static int open_runtime_directory(const Core *core, int *ret_fd, char **ret_path, Failure *ret_failure) {
        const CoreOptions *options = &core->options;
        const ProcessKeeper keeper = core_keeper_for_manager(core->keeper);
        cleanup_fd_ int kept = keeper.ops ? keeper.ops->take_fd(keeper.userdata, LOCK_NAME) : -1;
        int r;

        if (options->runtime_directory)
                r = runtime_directory_open(options->runtime_directory, kept, ret_fd, ret_path, ret_failure);
        else
                r = runtime_directory_find(options->is_user, options->is_run, kept, ret_fd, ret_path, ret_failure);
        if (r < 0 || !keeper.ops)
                return r;
        r = keeper.ops->store_fd(keeper.userdata, LOCK_NAME, *ret_fd);
        return r < 0 ? failure_set(ret_failure, r, "Failed", "Cannot give the lock of %s to the keeper: %s", *ret_path,
                                   strerror(-r))
                     : 0;
}

/* Returns the exit status. */
static int run(Core *core, Failure *ret_failure) {
        cleanup_fd_ int lock_fd = -1;
        cleanup_free_ char *runtime_directory = NULL;
        int r;

        r = open_runtime_directory(core, &lock_fd, &runtime_directory, ret_failure);
        if (r < 0)
                return EXIT_FAILURE;
        if (core->options.is_user && (r = runtime_directory_set_environment(runtime_directory)) < 0)
                log_warning("XDG_RUNTIME_DIR is not set, and cannot be a folder in %s: %s", runtime_directory,
                            strerror(-r));
        if (core->options.command) {
                r = command_unit_add(&core->options, runtime_directory, ret_failure);
                if (r < 0)
                        return command_unit_exit_status(r);
        }
        r = serve(core, runtime_directory, ret_failure);
        if (core->options.command && (r >= 0 || !core_keeper_is_again(core->keeper)))
                command_unit_remove(runtime_directory);
        return r < 0 ? EXIT_FAILURE : r;
}

/* Returns the exit status. */
static int run_program(Core *core, int argc, Failure *failure) {
        const Surroundings surroundings = surroundings_find(getpid() == 1 || core_keeper_find() == 1);
        int r;

        if (surroundings == SURROUNDINGS_MACHINE)
                machine_begin();
        r = surroundings == SURROUNDINGS_MACHINE ? machine_options_read(&core->options, failure)
                                                 : core_command_line_read(&core->options, argc, core->argv, failure);
        if (r < 0) {
                fprintf(stderr, "jobd: %s\n", failure_message(failure));
                return EXIT_USAGE;
        }
        if (r == CORE_COMMAND_LINE_E_TOLD) {
                fflush(stdout);
                return EXIT_SUCCESS;
        }
        log_set_level(core->options.log_level);
        log_set_plain(core->options.is_container || core->options.is_run);
        core->options.is_machine = surroundings == SURROUNDINGS_MACHINE;
        core_score_set(&core->options, core->keeper);
        r = run(core, failure);
        if (failure->code < 0)
                log_error("%s", failure_message(failure));
        else if (core->options.is_machine)
                machine_end(core->action);
        return r;
}

int main(int argc, char *argv[]) {
        cleanup_(core_deinit) Core core = { .argv = argv };
        cleanup_(failure_deinit) Failure failure = {};
        int status;

        if (probe_is_meant(argv[0]))
                return probe_run(argc, argv);
        if (exec_clean_is_meant(argv[0]))
                return exec_clean_run(argc, argv);
        /* A program that was executed by a descriptor has the name of its number. */
        prctl(PR_SET_NAME, "jobd-core");
        open_standard_descriptors();
        reserve_server_fds();
        umask(0022);
        if (core_keeper_new(&core.keeper, &failure) < 0) {
                log_error("%s", failure_message(&failure));
                return EXIT_FAILURE;
        }
        status = run_program(&core, argc, &failure);
        if (failure.code >= 0 || !core_keeper_is_again(core.keeper))
                core_keeper_exit(core.keeper, status);
        return status;
}
