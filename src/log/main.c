/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobd-log FOLDER
 *
 * Core starts it with the folder of the streams; all settings are in the
 * table there.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "log/log_daemon.h"

enum {
        EXIT_USAGE = 2,
};

int main(int argc, char *argv[]) {
        LogDaemon daemon = LOG_DAEMON_EMPTY;
        int r;

        if (argc != 2 || argv[1][0] == '-') {
                fputs("Usage: jobd-log FOLDER\n"
                      "Takes the output of services from the streams in FOLDER; jobd starts it.\n",
                      argc == 2 && strcmp(argv[1], "--help") == 0 ? stdout : stderr);
                return argc == 2 && strcmp(argv[1], "--help") == 0 ? EXIT_SUCCESS : EXIT_USAGE;
        }
        umask(0022);
        r = log_daemon_init(&daemon, argv[1]);
        if (r == 0)
                r = log_daemon_run(&daemon);
        log_daemon_deinit(&daemon);
        if (r == -EALREADY)
                return EXIT_SUCCESS;
        if (r < 0)
                fprintf(stderr, "<3>jobd-log: %s: %s\n", argv[1], strerror(-r));
        return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
