/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What jobd was told
 *
 * The command line is read twice: once to know which file to read, and once
 * again over what that file said.
 */

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/text.h"
#include "core/core_config.h"
#include "core/core_options.h"

static const char help_text[] =
        "Usage: jobd [OPTIONS]\n\n"
        "Runs units: loads them, orders their jobs, keeps their processes.\n\n"
        "  --system                     Manage the system (default as root)\n"
        "  --user                       Manage a user's units (default for others)\n"
        "  --unit-path DIR[:DIR…]       Look for unit files there; a ':' at the end adds the usual folders\n"
        "  --systemd-units              Also read the folders of systemd's units\n"
        "  --no-default-dependencies    Treat every unit as if it said DefaultDependencies=no\n"
        "  --unsupported-directives=warn|refuse\n"
        "                               What to do with units that use what jobd does not have\n"
        "  --default-unit UNIT|none     Start this one (default: default.target)\n"
        "  --runtime-dir DIR            Sockets (default: /run/jobd or $XDG_RUNTIME_DIR/jobd)\n"
        "  --shutdown-timeout TIME      For all units to stop at the end\n"
        "  --systemd-compat             Also serve systemd's D-Bus API, for systemctl\n"
        "  --no-bus                     Serve the private socket only\n"
        "  --config FILE                Instead of jobd.conf in /etc/jobd or $XDG_CONFIG_HOME/jobd\n"
        "  --log-level LEVEL            err, warning, notice, info (default), debug\n"
        "  --version, --help\n";

enum {
        OPTION_SYSTEM = 256,
        OPTION_USER,
        OPTION_UNIT_PATH,
        OPTION_SYSTEMD_UNITS,
        OPTION_NO_DEFAULT_DEPENDENCIES,
        OPTION_UNSUPPORTED_DIRECTIVES,
        OPTION_DEFAULT_UNIT,
        OPTION_RUNTIME_DIR,
        OPTION_SHUTDOWN_TIMEOUT,
        OPTION_SYSTEMD_COMPAT,
        OPTION_NO_BUS,
        OPTION_CONFIG,
        OPTION_LOG_LEVEL,
        OPTION_VERSION,
        OPTION_HELP,
};

static const struct option long_options[] = {
        { "system", no_argument, NULL, OPTION_SYSTEM },
        { "user", no_argument, NULL, OPTION_USER },
        { "unit-path", required_argument, NULL, OPTION_UNIT_PATH },
        { "systemd-units", no_argument, NULL, OPTION_SYSTEMD_UNITS },
        { "no-default-dependencies", no_argument, NULL, OPTION_NO_DEFAULT_DEPENDENCIES },
        { "unsupported-directives", required_argument, NULL, OPTION_UNSUPPORTED_DIRECTIVES },
        { "default-unit", required_argument, NULL, OPTION_DEFAULT_UNIT },
        { "runtime-dir", required_argument, NULL, OPTION_RUNTIME_DIR },
        { "shutdown-timeout", required_argument, NULL, OPTION_SHUTDOWN_TIMEOUT },
        { "systemd-compat", no_argument, NULL, OPTION_SYSTEMD_COMPAT },
        { "no-bus", no_argument, NULL, OPTION_NO_BUS },
        { "config", required_argument, NULL, OPTION_CONFIG },
        { "log-level", required_argument, NULL, OPTION_LOG_LEVEL },
        { "version", no_argument, NULL, OPTION_VERSION },
        { "help", no_argument, NULL, OPTION_HELP },
        {},
};

int core_options_set(char **slot, const char *value) {
        char *copy = strdup(value);

        if (!copy)
                return -ENOMEM;
        free(*slot);
        *slot = copy;
        return 0;
}

int core_options_set_directives(CoreOptions *options, const char *value) {
        if (strcmp(value, "warn") != 0 && strcmp(value, "refuse") != 0)
                return -EINVAL;
        options->lenient_directives = strcmp(value, "warn") == 0;
        return 0;
}

int core_options_set_log_level(CoreOptions *options, const char *value) {
        int r = log_level_from_string(value);

        if (r >= 0)
                options->log_level = (LogLevel) r;
        return r < 0 ? r : 0;
}

int core_options_set_default_unit(CoreOptions *options, const char *value) {
        return core_options_set(&options->default_unit, strcmp(value, "none") == 0 ? "" : value);
}

/* CORE_OPTIONS_E_TOLD, 0, -EINVAL for a bad value, or -ENOMEM. */
static int take_option(CoreOptions *options, int option, const char *value) {
        switch (option) {
        case OPTION_SYSTEM:
        case OPTION_USER:
                options->is_user = option == OPTION_USER;
                return 0;
        case OPTION_UNIT_PATH:
                return core_options_set(&options->unit_path, value);
        case OPTION_SYSTEMD_UNITS:
                options->with_systemd_units = true;
                return 0;
        case OPTION_NO_DEFAULT_DEPENDENCIES:
                options->no_default_dependencies = true;
                return 0;
        case OPTION_UNSUPPORTED_DIRECTIVES:
                return core_options_set_directives(options, value);
        case OPTION_DEFAULT_UNIT:
                return core_options_set_default_unit(options, value);
        case OPTION_RUNTIME_DIR:
                return core_options_set(&options->runtime_directory, value);
        case OPTION_SHUTDOWN_TIMEOUT:
                return usec_parse(value, USEC_PER_SEC, &options->shutdown_timeout);
        case OPTION_SYSTEMD_COMPAT:
                options->systemd_compat = true;
                return 0;
        case OPTION_NO_BUS:
                options->no_bus = true;
                return 0;
        case OPTION_CONFIG:
                return core_options_set(&options->config, value);
        case OPTION_LOG_LEVEL:
                return core_options_set_log_level(options, value);
        case OPTION_VERSION:
                printf("jobd %s\n", JOBD_VERSION);
                return CORE_OPTIONS_E_TOLD;
        case OPTION_HELP:
                fputs(help_text, stdout);
                return CORE_OPTIONS_E_TOLD;
        }
        return -EINVAL;
}

static int read_command_line(CoreOptions *options, int argc, char *argv[], Failure *ret_failure) {
        int option, index = 0, r;

        opterr = 0;
        optind = 0;
        while ((option = getopt_long(argc, argv, "+:", long_options, &index)) >= 0) {
                if (option == '?')
                        return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                           "Unknown option '%s'; see jobd --help.", argv[optind - 1]);
                if (option == ':')
                        return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                           "Option '%s' needs a value; see jobd --help.", argv[optind - 1]);
                r = take_option(options, option, optarg);
                if (r == -ENOMEM)
                        return failure_set(ret_failure, r, "NoMemory", "Out of memory.");
                if (r < 0)
                        return failure_set(ret_failure, r, "InvalidArgs", "'%s' is no value for --%s; see jobd --help.",
                                           optarg, long_options[index].name);
                if (r != 0)
                        return r;
        }
        if (optind < argc)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "jobd takes no argument ('%s'); to ask a "
                                   "running jobd for something use jobctl.", argv[optind]);
        return 0;
}

static int set_runtime_directory(CoreOptions *options, Failure *ret_failure) {
        const char *folder = getenv("XDG_RUNTIME_DIR");
        int r;

        if (options->runtime_directory)
                return 0;
        if (options->is_user && (!folder || folder[0] != '/'))
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "XDG_RUNTIME_DIR is not set: say where the sockets go with --runtime-dir.");
        if (options->is_user)
                r = text_format(&options->runtime_directory, "%s/jobd", folder);
        else
                r = core_options_set(&options->runtime_directory, "/run/jobd");
        return r < 0 ? failure_set(ret_failure, r, "NoMemory", "Out of memory.") : 0;
}

static void set_defaults(CoreOptions *options) {
        *options = (CoreOptions) {
                .is_user = getuid() != 0,
                .log_level = LOG_LEVEL_INFO,
        };
}

int core_options_read(CoreOptions *options, int argc, char *argv[], Failure *ret_failure) {
        cleanup_(core_options_deinit) CoreOptions first = {};
        int r;

        assert(options);

        set_defaults(options);
        set_defaults(&first);
        r = read_command_line(&first, argc, argv, ret_failure);
        if (r != 0)
                return r;
        options->is_user = first.is_user;
        r = core_config_read(options, first.config, ret_failure);
        if (r < 0)
                return r;
        r = read_command_line(options, argc, argv, ret_failure);
        return r != 0 ? r : set_runtime_directory(options, ret_failure);
}

void core_options_deinit(CoreOptions *options) {
        free(options->unit_path);
        free(options->runtime_directory);
        free(options->default_unit);
        free(options->config);
        *options = (CoreOptions) {};
}
