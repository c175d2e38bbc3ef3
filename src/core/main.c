/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobd
 *
 * Joins the manager and the bus: options, the runtime directory, then the loop
 * until it ends. It is the same program as PID 1 of a container, as a daemon,
 * and as a user's manager.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "core/command_unit.h"
#include "core/core_options.h"
#include "core/machine.h"
#include "core/runtime_directory.h"
#include "dbus/bus.h"
#include "manager/manager.h"

enum {
        EXIT_USAGE = 2,
};

/* PID 1 of a container may be started without any: what we open must not become standard output. */
static void open_standard_descriptors(void) {
        for (int fd = 0; fd <= STDERR_FILENO; fd++)
                if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
                        return;
}

static void close_fd(int *fd) {
        if (*fd >= 0)
                close(*fd);
}

static int serve(const CoreOptions *options, const char *runtime_directory, UnitAction *ret_action,
                 Failure *ret_failure) {
        cleanup_(manager_freep) Manager *manager = NULL;
        cleanup_(bus_freep) Bus *bus = NULL;
        int r;

        r = manager_new(&manager, &(ManagerOptions) {
                .is_user = options->is_user,
                .is_machine = options->is_machine,
                .with_systemd_units = options->with_systemd_units,
                .no_default_dependencies = options->no_default_dependencies,
                .lenient_directives = options->lenient_directives,
                .unit_path = options->unit_path,
                .runtime_directory = runtime_directory,
                .default_unit = options->default_unit,
                .shutdown_timeout = options->shutdown_timeout,
                .is_container = options->is_container,
                .hands_on_environment = options->hands_on_environment,
                .has_signal_status = options->has_signal_status,
                .exit_on = options->exit_on,
        }, ret_failure);
        if (r < 0)
                return r;
        r = bus_new(&bus, manager, &(BusOptions) {
                .is_user = options->is_user,
                .systemd_compat = options->systemd_compat,
                .no_bus = options->no_bus,
                .runtime_directory = runtime_directory,
        }, ret_failure);
        if (r < 0)
                return r;

        log_info("jobd %s serves in %s.", JOBD_VERSION, runtime_directory);
        sd_notifyf(0, "READY=1\nSTATUS=Serving in %s.", runtime_directory);
        r = manager_run(manager);
        *ret_action = manager_action(manager);
        return r < 0 ? failure_set(ret_failure, r, "Failed", "The event loop failed: %s", strerror(-r)) : r;
}

static int open_runtime_directory(const CoreOptions *options, int *ret_fd, char **ret_path, Failure *ret_failure) {
        if (options->runtime_directory)
                return runtime_directory_open(options->runtime_directory, ret_fd, ret_path, ret_failure);
        return runtime_directory_find(options->is_user, options->is_run, ret_fd, ret_path, ret_failure);
}

/* The exit status. */
static int run(CoreOptions *options, UnitAction *ret_action, Failure *ret_failure) {
        cleanup_(close_fd) int lock_fd = -1;
        cleanup_free_ char *runtime_directory = NULL;
        int r;

        r = open_runtime_directory(options, &lock_fd, &runtime_directory, ret_failure);
        if (r < 0)
                return EXIT_FAILURE;
        if (options->command) {
                r = command_unit_add(options, runtime_directory, ret_failure);
                if (r < 0)
                        return command_unit_exit_status(r);
        }
        r = serve(options, runtime_directory, ret_action, ret_failure);
        if (options->command)
                command_unit_remove(runtime_directory);
        return r < 0 ? EXIT_FAILURE : r;
}

int main(int argc, char *argv[]) {
        cleanup_(core_options_deinit) CoreOptions options = {};
        cleanup_(failure_deinit) Failure failure = {};
        Surroundings surroundings = surroundings_find(getpid() == 1);
        UnitAction action = UNIT_ACTION_NONE;
        int r;

        open_standard_descriptors();
        umask(0022);
        if (surroundings == SURROUNDINGS_MACHINE)
                machine_begin();

        r = surroundings == SURROUNDINGS_MACHINE ? machine_options_read(&options, &failure)
                                                 : core_options_read(&options, argc, argv, &failure);
        if (r < 0) {
                fprintf(stderr, "jobd: %s\n", failure_message(&failure));
                return EXIT_USAGE;
        }
        if (r == CORE_OPTIONS_E_TOLD)
                return EXIT_SUCCESS;

        log_set_level(options.log_level);
        log_set_plain(options.is_container || options.is_run);
        options.is_machine = surroundings == SURROUNDINGS_MACHINE;
        r = run(&options, &action, &failure);
        if (failure.code < 0)
                log_error("%s", failure_message(&failure));
        else if (options.is_machine)
                machine_end(action);
        return r;
}
