/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * FOLDER compat|plain [BUS-ADDRESS]: a manager and its bus on FOLDER/units, in
 * FOLDER/run; reports that it is ready on standard output
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/text.h"
#include "dbus/bus.h"

static char *path_in(const char *folder, const char *name) {
        char *path;

        return text_format(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static int serve(const char *folder, bool is_compat, const char *bus_address, Failure *failure) {
        cleanup_free_ char *units = path_in(folder, "units"), *run = path_in(folder, "run");
        cleanup_free_ char *systemd = path_in(folder, "systemd");
        cleanup_(manager_freep) Manager *manager = NULL;
        cleanup_(bus_freep) Bus *bus = NULL;
        int r;

        mkdir(run, 0755);
        r = manager_new(&manager, &(ManagerOptions) {
                .is_user = true,
                .no_default_dependencies = true,
                .unit_path = units,
                .runtime_directory = run,
                .default_unit = "",
        }, failure);
        if (r >= 0)
                r = bus_new(&bus, manager, &(BusOptions) {
                        .is_user = true,
                        .systemd_compat = is_compat,
                        .no_bus = !bus_address,
                        .runtime_directory = run,
                        .systemd_directory = systemd,
                        .bus_address = bus_address,
                }, failure);
        if (r < 0)
                return r;

        r = write(STDOUT_FILENO, "", 1) == 1 ? 0 : -EIO;
        close(STDOUT_FILENO);
        return r < 0 ? r : manager_run(manager);
}

int main(int argc, char **argv) {
        cleanup_(failure_deinit) Failure failure = {};
        int r;

        log_set_level(LOG_LEVEL_ERROR);
        if (argc < 3)
                return 2;
        r = serve(argv[1], strcmp(argv[2], "compat") == 0, argc > 3 ? argv[3] : NULL, &failure);
        if (r < 0)
                fprintf(stderr, "%s\n", failure_message(&failure));
        return r < 0 ? EXIT_FAILURE : r;
}
