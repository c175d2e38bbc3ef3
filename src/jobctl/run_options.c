/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The options of "jobctl run"
 *
 * The options are those of systemd-run. Options of all verbs may also precede "run".
 */

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "jobctl/option_table.h"
#include "jobctl/run_options.h"

#define FLAG(name, letter, field, help) { name, letter, OPTION_FLAG, offsetof(RunOptions, field), NULL, help, NULL, 0 }
#define STRING(name, letter, field, argument, help) \
        { name, letter, OPTION_STRING, offsetof(RunOptions, field), argument, help, NULL, 0 }
#define ARRAY(name, letter, field, argument, prefix, help) \
        { name, letter, OPTION_ARRAY, offsetof(RunOptions, field), argument, help, prefix, 0 }

static const Option options_table[] = {
        FLAG("help", 'h', help, "Show this help"),
        FLAG("user", 0, is_user, "Talk to the manager of your user (the default unless root)"),
        FLAG("system", 0, is_system, "Talk to the manager of the system (the default for root)"),
        STRING("socket", 0, socket, "PATH", "Talk to the manager on this private socket"),
        FLAG("scope", 0, scope, "Run the command in place of jobctl, in a new scope"),
        STRING("unit", 'u', unit, "NAME", "The name of the unit (a generated one)"),
        ARRAY("property", 'p', properties, "NAME=VALUE", NULL, "Set a property of the unit"),
        STRING("description", 0, description, "TEXT", "The description of the unit (the command)"),
        STRING("slice", 0, slice, "SLICE", "The slice of the unit"),
        FLAG("slice-inherit", 0, slice_inherit, "Put the slice below the slice of jobctl"),
        FLAG("no-block", 0, no_block, "Do not wait until the unit is started"),
        FLAG("remain-after-exit", 'r', remain_after_exit, "Keep the unit active after the command has ended"),
        FLAG("wait", 0, wait, "Wait until the command has ended, and exit with its status"),
        FLAG("collect", 'G', collect, "Unload the unit after it has ended, even if it has failed"),
        FLAG("send-sighup", 0, send_sighup, "Also send SIGHUP for a stop"),
        STRING("service-type", 0, service_type, "TYPE", "The type of the service: exec, oneshot, notify, …"),
        STRING("uid", 0, uid, "USER", "Run as this user"),
        STRING("gid", 0, gid, "GROUP", "Run as this group"),
        STRING("nice", 0, nice, "LEVEL", "Run at this nice level"),
        STRING("working-directory", 0, working_directory, "PATH", "Run in this folder"),
        FLAG("same-dir", 'd', same_directory, "Run in the working directory of jobctl"),
        ARRAY("setenv", 'E', environment, "NAME[=VALUE]", NULL, "Set a variable, or pass on that of jobctl"),
        FLAG("pty", 't', pty, "Give the command a terminal connected to this one"),
        FLAG("pipe", 'P', pipe, "Give the command the standard streams of jobctl"),
        FLAG("shell", 'S', shell, "Run a shell: --pty --same-dir --wait --collect --service-type=exec $SHELL"),
        ARRAY("on-active", 0, timers, "SPAN", "OnActiveSec=", "Run the command this long after now"),
        ARRAY("on-boot", 0, timers, "SPAN", "OnBootSec=", "Run it this long after the machine was started"),
        ARRAY("on-startup", 0, timers, "SPAN", "OnStartupSec=", "Run it this long after the manager was started"),
        ARRAY("on-unit-active", 0, timers, "SPAN", "OnUnitActiveSec=", "Run it this long after its last start"),
        ARRAY("on-unit-inactive", 0, timers, "SPAN", "OnUnitInactiveSec=", "Run it this long after its last end"),
        ARRAY("on-calendar", 0, timers, "EXPRESSION", "OnCalendar=", "Run it at these times: see 'jobctl calendar'"),
        ARRAY("timer-property", 0, timer_properties, "NAME=VALUE", NULL, "Set a property of the timer"),
        ARRAY("path-property", 0, path_properties, "NAME=VALUE", NULL, "Make a path that starts it; set a property"),
        ARRAY("socket-property", 0, socket_properties, "NAME=VALUE", NULL,
              "Make a socket that starts it; set a property"),
        FLAG("quiet", 'q', quiet, "Print no remarks"),
        FLAG("json", 0, json, "Print the result as JSON"),
        FLAG("no-ask-password", 0, no_ask_password, "Fail if polkit wants a password"),
};

static const OptionTable table = {
        .rows = options_table,
        .n = ELEMENTSOF(options_table),
        .help = "jobctl run --help",
        .stops_at_word = true,
};

void run_options_deinit(RunOptions *options) {
        char ***const lists[] = { &options->properties, &options->environment, &options->timers,
                                  &options->timer_properties, &options->path_properties, &options->socket_properties };

        for (size_t i = 0; i < ELEMENTSOF(lists); i++)
                *lists[i] = strv_free(*lists[i]);
}

void run_options_print_help(FILE *stream) {
        option_table_print_help(&table, stream);
}

bool run_options_have_trigger(const RunOptions *options) {
        return options->timers || options->path_properties || options->socket_properties;
}

/* A sentence about options that exclude each other, or NULL. */
static const char *find_conflict(const RunOptions *options, char *const *command) {
        bool has_trigger = run_options_have_trigger(options), has_stdio = options->pty || options->pipe;
        const struct {
                bool is_wrong;
                const char *sentence;
        } rules[] = {
                { options->is_user && options->is_system, "'--user' and '--system' exclude each other." },
                { !command && !has_trigger, "'run' needs a command: jobctl run [OPTION…] COMMAND [ARGUMENT…]" },
                { options->scope && (options->remain_after_exit || options->service_type),
                  "'--remain-after-exit' and '--service-type' do not go with '--scope'." },
                { has_stdio && (has_trigger || options->scope),
                  "'--pty' and '--pipe' go with neither '--scope' nor timers, paths and sockets." },
                { has_stdio && options->no_block, "'--pty' and '--pipe' do not go with '--no-block'." },
                { options->scope && has_trigger, "Timers, paths and sockets do not go with '--scope'." },
                { options->timer_properties && !options->timers,
                  "'--timer-property' has no effect without '--on-calendar' or another time." },
                { !!options->timers + !!options->path_properties + !!options->socket_properties > 1,
                  "Only one of timers, paths and sockets can start the command." },
                { options->wait && options->no_block, "'--wait' and '--no-block' exclude each other." },
                { options->wait && has_trigger, "'--wait' does not go with timers, paths and sockets." },
                { options->wait && options->scope, "'--wait' does not go with '--scope', which always waits." },
                { options->same_directory && options->working_directory,
                  "'--same-dir' and '--working-directory' exclude each other." },
        };

        for (size_t i = 0; i < ELEMENTSOF(rules); i++)
                if (rules[i].is_wrong)
                        return rules[i].sentence;
        return NULL;
}

static int apply_shell(RunOptions *options, char ***command) {
        const char *shell = getenv("SHELL");

        if (!options->shell)
                return 0;
        options->pty = options->same_directory = options->wait = options->collect = true;
        if (!options->service_type)
                options->service_type = "exec";
        return *command ? 0 : strv_push(command, shell && *shell ? shell : "/bin/sh");
}

/* With --pty and --pipe: a terminal if all three standard streams are one, otherwise pipes. */
static void choose_stdio(RunOptions *options) {
        bool is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);

        if (options->pty && options->pipe) {
                options->pty = is_terminal;
                options->pipe = !is_terminal;
        }
        /* jobctl has to stay as long as the command runs. */
        if (options->pty || options->pipe)
                options->wait = true;
}

int run_options_parse(Jobctl *ctl, RunOptions *options, char *const *words, char ***ret_command) {
        cleanup_free_ char *complaint = NULL;
        const char *conflict;
        int r;

        options->is_user = ctl->options.is_user;
        options->is_system = ctl->options.is_system;
        options->socket = ctl->options.socket;
        options->no_ask_password = ctl->options.no_ask_password;
        options->json = ctl->options.json;
        options->quiet = ctl->options.quiet;
        options->no_block = ctl->options.no_block;
        options->wait = ctl->options.wait;
        r = option_table_parse(&table, options, words, ret_command, &complaint);
        if (r == -EINVAL)
                return jobctl_misused(ctl, "%s", complaint);
        if (r >= 0)
                r = apply_shell(options, ret_command);
        if (r < 0 || options->help)
                return r;
        conflict = find_conflict(options, *ret_command);
        if (conflict)
                return jobctl_misused(ctl, "%s", conflict);
        choose_stdio(options);
        return 0;
}
