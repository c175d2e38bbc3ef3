/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The command line of jobd
 *
 * The command line is read twice: once to know which configuration file to
 * read, and again over the values of that file. "jobd run" is jobd with other
 * defaults: it takes the same options, after the word as well as before it.
 */

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "core/core_command_line.h"
#include "core/core_config.h"
#include "core/core_keeper.h"
#include "core/core_log.h"
#include "core/surroundings.h"

static const char help_text[] =
        "Usage: jobd [OPTIONS]\n"
        "       jobd [OPTIONS] run UNIT…\n"
        "       jobd [OPTIONS] run --exec COMMAND [ARGUMENT…]\n\n"
        "Manages units: loads unit files, runs jobs in order, watches processes.\n\n"
        "  --system                     Manage the system (default as root)\n"
        "  --user                       Manage a user's units (default for others)\n"
        "  --container                  Be the first process of a container (usually detected)\n"
        "  --exit-on UNIT               Also start this unit; when it has ended, stop all units, exit with its status\n"
        "  --signal-exit-status=zero|signal\n"
        "                               Exit status after SIGTERM or SIGINT: 0 (default), or 143 and 130\n"
        "  --inherit-environment=BOOL   Pass jobd's environment to units (default: in a container, for a user)\n"
        "  --unit-path DIR[:DIR…]       Look for unit files there; a final ':' appends the usual folders\n"
        "  --systemd-units              Also look for unit files in systemd's folders\n"
        "  --systemd-boot               With these, also boot as they say, though jobd is not the init\n"
        "  --no-default-dependencies    Treat every unit as if it said DefaultDependencies=no\n"
        "  --unsupported-directives=warn|refuse\n"
        "                               How to treat units with restrictions that jobd does not support\n"
        "  --default-unit UNIT|none     Start this unit (default: default.target)\n"
        "  --runtime-dir DIR            Folder of sockets and state (/run/jobd or $XDG_RUNTIME_DIR/jobd)\n"
        "  --shutdown-timeout TIME      Time for all units to stop at the end\n"
        "  --systemd-compat             Also serve systemd's D-Bus API, for systemctl\n"
        "  --no-bus                     Serve the private socket only\n"
        "  --no-state                   Do not record the state: for measuring the cost\n"
        "  --config FILE                Read this instead of jobd.conf in /etc/jobd or $XDG_CONFIG_HOME/jobd\n"
        "  --log-level LEVEL            err, warning, notice, info (default), debug\n"
        "  --version, --help\n";

static const char run_help_text[] =
        "Usage: jobd [OPTIONS] run [OPTIONS] UNIT…\n"
        "       jobd [OPTIONS] run [OPTIONS] --exec COMMAND [ARGUMENT…]\n\n"
        "Starts the units and their dependencies, and nothing else; when one of the units has ended, stops the\n"
        "rest and exits with its status. With --exec the unit is made of the command, which gets the standard\n"
        "input and output, the environment and the working directory of jobd.\n\n"
        "Exit status: that of the unit, or 128 plus the number of the signal that ended it; 0 after SIGTERM or\n"
        "SIGINT; 126 if COMMAND cannot be executed, 127 if it does not exist; 2 for a wrong command line.\n\n"
        "The options are those of 'jobd --help'. Options after COMMAND belong to the command.\n";

enum {
        OPTION_SYSTEM = 256,
        OPTION_USER,
        OPTION_CONTAINER,
        OPTION_EXIT_ON,
        OPTION_SIGNAL_EXIT_STATUS,
        OPTION_INHERIT_ENVIRONMENT,
        OPTION_EXEC,
        OPTION_UNIT_PATH,
        OPTION_SYSTEMD_UNITS,
        OPTION_SYSTEMD_BOOT,
        OPTION_NO_DEFAULT_DEPENDENCIES,
        OPTION_UNSUPPORTED_DIRECTIVES,
        OPTION_DEFAULT_UNIT,
        OPTION_RUNTIME_DIR,
        OPTION_SHUTDOWN_TIMEOUT,
        OPTION_SYSTEMD_COMPAT,
        OPTION_NO_BUS,
        OPTION_NO_STATE,
        OPTION_CONFIG,
        OPTION_LOG_LEVEL,
        OPTION_VERSION,
        OPTION_HELP,
};

static const struct option long_options[] = {
        { "system", no_argument, NULL, OPTION_SYSTEM },
        { "user", no_argument, NULL, OPTION_USER },
        { "container", no_argument, NULL, OPTION_CONTAINER },
        { "exit-on", required_argument, NULL, OPTION_EXIT_ON },
        { "signal-exit-status", required_argument, NULL, OPTION_SIGNAL_EXIT_STATUS },
        { "inherit-environment", required_argument, NULL, OPTION_INHERIT_ENVIRONMENT },
        { "exec", no_argument, NULL, OPTION_EXEC },
        { "unit-path", required_argument, NULL, OPTION_UNIT_PATH },
        { "systemd-units", no_argument, NULL, OPTION_SYSTEMD_UNITS },
        { "systemd-boot", no_argument, NULL, OPTION_SYSTEMD_BOOT },
        { "no-default-dependencies", no_argument, NULL, OPTION_NO_DEFAULT_DEPENDENCIES },
        { "unsupported-directives", required_argument, NULL, OPTION_UNSUPPORTED_DIRECTIVES },
        { "default-unit", required_argument, NULL, OPTION_DEFAULT_UNIT },
        { "runtime-dir", required_argument, NULL, OPTION_RUNTIME_DIR },
        { "shutdown-timeout", required_argument, NULL, OPTION_SHUTDOWN_TIMEOUT },
        { "systemd-compat", no_argument, NULL, OPTION_SYSTEMD_COMPAT },
        { "no-bus", no_argument, NULL, OPTION_NO_BUS },
        { "no-state", no_argument, NULL, OPTION_NO_STATE },
        { "config", required_argument, NULL, OPTION_CONFIG },
        { "log-level", required_argument, NULL, OPTION_LOG_LEVEL },
        { "version", no_argument, NULL, OPTION_VERSION },
        { "help", no_argument, NULL, OPTION_HELP },
        {},
};

/* CORE_COMMAND_LINE_E_TOLD, 0, -EINVAL for a bad value, or -ENOMEM. */
static int take_option(CoreOptions *options, int option, const char *value) {
        switch (option) {
        case OPTION_SYSTEM:
        case OPTION_USER:
                options->is_user = option == OPTION_USER;
                options->is_manager_named = true;
                return 0;
        case OPTION_CONTAINER:
                options->is_container = true;
                return 0;
        case OPTION_EXIT_ON:
                return core_options_add_exit_on(options, value);
        case OPTION_SIGNAL_EXIT_STATUS:
                return core_options_set_signal_status(options, value);
        case OPTION_INHERIT_ENVIRONMENT:
                return core_options_set_environment(options, value);
        case OPTION_UNIT_PATH:
                return core_options_set(&options->unit_path, value);
        case OPTION_SYSTEMD_UNITS:
                options->with_systemd_units = true;
                return 0;
        case OPTION_SYSTEMD_BOOT:
                options->with_systemd_boot = true;
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
        case OPTION_NO_STATE:
                options->no_state = true;
                return 0;
        case OPTION_CONFIG:
                return core_options_set(&options->config, value);
        case OPTION_LOG_LEVEL:
                return core_options_set_log_level(options, value);
        case OPTION_VERSION:
                printf("jobd %s\n", JOBD_VERSION);
                return CORE_COMMAND_LINE_E_TOLD;
        case OPTION_HELP:
                fputs(options->is_run ? run_help_text : help_text, stdout);
                return CORE_COMMAND_LINE_E_TOLD;
        }
        return -EINVAL;
}

static int complain_option(const char *text, const char *option, Failure *ret_failure) {
        return failure_set(ret_failure, -EINVAL, "InvalidArgs", text, option);
}

/* Reads up to the first word that is no option, which optind names. An outcome, -EINVAL, or -ENOMEM. */
static int read_options(CoreOptions *options, int argc, char *argv[], bool *ret_has_exec, Failure *ret_failure) {
        int option, index = 0, r;

        opterr = 0;
        optind = 0;
        while ((option = getopt_long(argc, argv, "+:", long_options, &index)) >= 0) {
                if (option == '?')
                        return complain_option("Unknown option '%s'; see jobd --help.", argv[optind - 1], ret_failure);
                if (option == ':')
                        return complain_option("Option '%s' needs a value; see jobd --help.", argv[optind - 1],
                                               ret_failure);
                if (option == OPTION_EXEC && !options->is_run)
                        return complain_option("%s goes with 'run': jobd run --exec COMMAND.", "--exec", ret_failure);
                if (option == OPTION_EXEC) {
                        *ret_has_exec = true;
                        return 0;               /* the rest belongs to the command */
                }
                r = take_option(options, option, optarg);
                if (r == -ENOMEM)
                        return failure_set(ret_failure, r, "NoMemory", "Out of memory.");
                if (r < 0)
                        return failure_set(ret_failure, r, "InvalidArgs",
                                           "'%s' is not a value for --%s; see jobd --help.", optarg,
                                           long_options[index].name);
                if (r != 0)
                        return r;
        }
        return 0;
}

static int take_units(CoreOptions *options, char *const *names, Failure *ret_failure) {
        int r = 0;

        if (!*names)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "jobd run needs a unit, or --exec and a command; see jobd run --help.");
        strv_foreach(name, names) {
                r = core_options_add_exit_on(options, *name);
                if (r == -ENOMEM)
                        return failure_set(ret_failure, r, "NoMemory", "Out of memory.");
                if (r < 0)
                        return complain_option("'%s' is not the name of a unit that can be started.", *name,
                                               ret_failure);
        }
        return 0;
}

static int take_command(CoreOptions *options, char *const *words, Failure *ret_failure) {
        if (*words && strcmp(*words, "--") == 0)
                words++;
        if (!*words || !**words)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "jobd run --exec needs a command; see jobd run --help.");
        if (strv_copy(words, &options->command) < 0)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "Out of memory.");
        return 0;
}

static int read_run(CoreOptions *options, int argc, char *argv[], Failure *ret_failure) {
        bool has_exec = false;
        int r;

        options->is_run = true;
        r = read_options(options, argc, argv, &has_exec, ret_failure);
        if (r != 0)
                return r;
        return has_exec ? take_command(options, argv + optind, ret_failure)
                        : take_units(options, argv + optind, ret_failure);
}

static int read_command_line(CoreOptions *options, int argc, char *argv[], Failure *ret_failure) {
        bool has_exec = false;
        int r;

        r = read_options(options, argc, argv, &has_exec, ret_failure);
        if (r != 0)
                return r;
        if (optind < argc && strcmp(argv[optind], "run") == 0)
                return read_run(options, argc - optind, argv + optind, ret_failure);
        if (optind < argc)
                return complain_option("jobd takes no argument ('%s') other than 'run'; use jobctl to control a "
                                       "running jobd.", argv[optind], ret_failure);
        return 0;
}

/* In a container units come from the image, whichever user it runs as: they are units of the system. */
static bool is_of_user(const CoreOptions *options) {
        return options->is_manager_named ? options->is_user : !options->is_container && getuid() != 0;
}

static int set_runtime_directory(CoreOptions *options, Failure *ret_failure) {
        const char *folder = getenv("XDG_RUNTIME_DIR");
        int r;

        options->has_own_runtime_directory = options->runtime_directory;
        if (options->runtime_directory || options->is_container || options->is_run ||
            (options->is_user && (!folder || folder[0] != '/')))
                return 0;
        if (options->is_user)
                r = text_format(&options->runtime_directory, "%s/jobd", folder);
        else
                r = core_options_set(&options->runtime_directory, "/run/jobd");
        return r < 0 ? failure_set(ret_failure, r, "NoMemory", "Out of memory.") : 0;
}

/* Sets what was not given, by how jobd was started. */
static int complete(CoreOptions *options, Failure *ret_failure) {
        if (!options->is_environment_named)
                options->hands_on_environment = options->is_container || options->is_run || options->is_user;
        if (options->command && !options->is_log_level_named)
                options->log_level = LOG_LEVEL_ERROR;
        if (options->is_run && !options->default_unit && core_options_set_default_unit(options, "none") < 0)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "Out of memory.");
        return set_runtime_directory(options, ret_failure);
}

static void set_defaults(CoreOptions *options) {
        *options = (CoreOptions) {
                .is_container = surroundings_find(getpid() == 1 || core_keeper_find() == 1) == SURROUNDINGS_CONTAINER,
                .log_level = LOG_LEVEL_INFO,
                .watchdog = CORE_WATCHDOG_DEFAULT,
        };
        core_log_defaults(options);
}

int core_command_line_read(CoreOptions *options, int argc, char *argv[], Failure *ret_failure) {
        cleanup_(core_options_deinit) CoreOptions first = {};
        int r;

        assert(options);

        set_defaults(options);
        set_defaults(&first);
        r = read_command_line(&first, argc, argv, ret_failure);
        if (r != 0)
                return r;
        options->is_user = is_of_user(&first);
        r = core_config_read(options, first.config, ret_failure);
        if (r < 0)
                return r;
        if (first.exit_on)
                options->exit_on = strv_free(options->exit_on);
        r = read_command_line(options, argc, argv, ret_failure);
        if (r != 0)
                return r;
        options->is_user = is_of_user(options);
        return complete(options, ret_failure);
}
