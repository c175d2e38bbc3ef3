/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The options of jobctl
 */

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/option_table.h"
#include "jobctl/options.h"

#define FLAG(name, letter, field, help) \
        { name, letter, OPTION_FLAG, offsetof(Options, field), NULL, help, NULL, 0 }
#define STRING(name, letter, field, argument, help) \
        { name, letter, OPTION_STRING, offsetof(Options, field), argument, help, NULL, 0 }
#define LIST(name, letter, field, argument, help) \
        { name, letter, OPTION_LIST, offsetof(Options, field), argument, help, NULL, 0 }

static const Option options_table[] = {
        FLAG("help", 'h', help, "Show this help, or that of the verb"),
        FLAG("version", 0, version, "Show the version"),
        FLAG("user", 0, is_user, "Talk to the manager of your user (the default unless root)"),
        FLAG("system", 0, is_system, "Talk to the manager of the system (the default for root)"),
        STRING("socket", 0, socket, "PATH", "Talk to the manager on this private socket"),
        STRING("job-mode", 0, job_mode, "MODE", "How to treat existing jobs that conflict: replace, fail, …"),
        STRING("mode", 0, job_mode, "MODE", NULL),
        FLAG("no-block", 0, no_block, "Do not wait until the jobs have ended"),
        FLAG("wait", 0, wait,
             "Also wait until the started units have stopped again; flow start: until the run has ended"),
        FLAG("detach", 0, detach, "cancel: also running jobs; what their units do goes on"),
        FLAG("dry-run", 0, dry_run, "Only show what would be done, as 'plan' does"),
        FLAG("show-transaction", 'T', show_transaction, "List the jobs of the transaction"),
        STRING("graph", 0, graph, "FORMAT", "Print a plan as a graph: dot or svg"),
        LIST("type", 't', types, "TYPE,…", "Only units (or jobs) of these types"),
        LIST("state", 0, states, "STATE,…", "Only units (or jobs) in these states"),
        FLAG("failed", 0, failed, "The same as --state=failed"),
        FLAG("all", 'a', all, "Also inactive units, empty properties, dependencies of all units"),
        LIST("property", 'p', properties, "NAME,…", "Only these properties"),
        { NULL, 'P', OPTION_LIST, offsetof(Options, properties), "NAME", NULL, NULL, offsetof(Options, value) },
        FLAG("value", 0, value, "Print values of properties without names"),
        FLAG("reverse", 0, reverse, "list-dependencies: units that depend on the unit"),
        FLAG("before", 0, before, "list-dependencies: units ordered after the unit"),
        FLAG("after", 0, after, "list-dependencies: units ordered before the unit"),
        STRING("signal", 's', signal, "SIGNAL", "kill: the signal, by name or number (SIGTERM)"),
        STRING("kill-whom", 0, kill_whom, "WHOM", "kill: main, control or all processes (all)"),
        STRING("kill-who", 0, kill_whom, "WHOM", NULL),
        { "force", 'f', OPTION_COUNT, offsetof(Options, n_force), NULL,
          "daemon-reload: ignore broken files; poweroff, …: stop no units; enable, …: replace links", NULL, 0 },
        FLAG("stdin", 0, from_stdin, "edit: read the text from standard input"),
        STRING("drop-in", 0, drop_in, "NAME", "edit: the name of the drop-in (override.conf)"),
        FLAG("show-types", 0, show_types, "list-sockets: show the type of each socket"),
        LIST("what", 0, what, "KIND,…", "clean: runtime, state, cache, logs, configuration or all (cache,runtime)"),
        FLAG("now", 0, now, "enable, disable, mask: start or stop the units, too"),
        FLAG("runtime", 0, runtime, "enable, mask, edit, set-property, …: only until the next boot"),
        STRING("root", 0, root, "DIR", "enable, disable, …: work on the files below this folder, without a manager"),
        STRING("preset-mode", 0, preset_mode, "MODE", "preset: full, enable-only or disable-only"),
        FLAG("no-reload", 0, no_reload, "enable, edit, …: do not make the manager read unit files again"),
        STRING("lines", 'n', lines, "N", "logs, status: the number of last lines; top: the number of updates"),
        FLAG("follow", 0, follow,
             "logs, flow show (-f): go on with what is new; start, …: show output until jobs have ended"),
        STRING("since", 'S', since, "TIME",
               "logs, flow list: only since this time: \"today\", \"5min ago\", \"2030-12-24 18:30\""),
        STRING("until", 'U', until, "TIME", "logs, flow list: only until this time"),
        STRING("invocation", 0, invocation, "ID", "logs: only this run of the unit; 'last': the last one"),
        STRING("priority", 0, priority, "LEVEL",
               "logs (-p): only lines at least this important: err, warning, …; flow start: 0 to 255"),
        STRING("output", 'o', output, "FORMAT|DIR",
               "logs: short, iso, cat or json; flow import: the folder to write to"),
        FLAG("watch", 'w', watch, "jobs: print the list again whenever something changes"),
        FLAG("strict", 0, strict, "verify: warnings count as errors"),
        STRING("unit-path", 0, unit_path, "DIR:…", "verify: the folders of other units"),
        FLAG("systemd-units", 0, with_systemd_units, "verify: also look in systemd's folders"),
        STRING("from", 0, from, "FORMAT", "flow import: the format of the file: wfcommons, crontab or dagu"),
        FLAG("user-column", 0, user_column, "flow import --from=crontab: lines name a user, as in /etc/crontab"),
        STRING("as", 0, as, "OUTCOME", "flow resolve, stream resolve, flow complete: success, failed, retry or skip"),
        FLAG("stop", 0, stop, "flow delete: also runs that have not ended"),
        FLAG("deleted", 0, deleted, "flow list, flow show: also runs that were deleted"),
        STRING("name", 0, name, "NAME", "flow start: the name of the run; flow list: only the run with this name"),
        STRING("key", 0, key, "KEY", "flow start, stream push: a run or an element with this key is not made twice"),
        STRING("group", 0, group, "GROUP", "stream push: the group of the element"),
        FLAG("each-line", 0, each_line, "stream push: each line of the input is an element"),
        FLAG("tsv", 0, tsv, "stream push: the same, a line is a group, a key and data, with tabs between"),
        STRING("namespace", 0, namespace, "NAME", "flow start, flow list: where runs belong"),
        STRING("reqid", 0, reqid, "ID", "flow: the request that runs are made, listed or changed for"),
        STRING("operator", 0, operator, "NAME", "flow: who asks; flow list: only what NAME has asked for"),
        FLAG("reject", 0, reject, "flow approve: refuse it; the node has failed"),
        STRING("comment", 0, comment, "TEXT", "flow approve: why, for the events of the run"),
        STRING("first", 0, first, "ITEM", "batch start: begin with this item; those before it count as over"),
        FLAG("create", 0, create, "batch start, flow start: make the run alone; 'batch start RUN' starts it"),
        STRING("for", 0, for_times, "TIME[..TIME]",
               "flow start: for a time of its timer, or for each before the second"),
        STRING("timer", 0, timer, "TIMER", "flow start --for: the timer (the one that triggers the flow)"),
        STRING("max", 0, max_runs, "N", "flow start --for: at most so many runs (100)"),
        STRING("iterations", 0, iterations, "N", "calendar: the number of times to show (1)"),
        STRING("base-time", 0, base_time, "TIME", "calendar: show the times after this one (now)"),
        FLAG("json", 0, json, "Print JSON"),
        FLAG("quiet", 'q', quiet, "Print no remarks and no progress"),
        FLAG("verbose", 'v', verbose, "logs: also what jobd says of the units; others: tell of a lost connection"),
        FLAG("plain", 0, plain, "Print a list instead of a tree, and no marks"),
        FLAG("no-legend", 0, no_legend, "Print no headers and no footers"),
        FLAG("full", 'l', full, "Do not cut lines to the width of the terminal"),
        FLAG("no-ask-password", 0, no_ask_password, "Fail if polkit wants a password"),
        FLAG("no-color", 0, no_color, "Print no colours"),
        FLAG("no-pager", 0, no_pager, "Accepted for compatibility: no pager is used"),
};

void options_deinit(Options *options) {
        options->states = strv_free(options->states);
        options->types = strv_free(options->types);
        options->properties = strv_free(options->properties);
        options->what = strv_free(options->what);
}

static const OptionTable table = {
        .rows = options_table,
        .n = ELEMENTSOF(options_table),
        .help = "jobctl --help",
        .raw_after = "run",
};

int options_parse(Options *options, char *const *argv, char ***ret_words, char **ret_complaint) {
        int r = option_table_parse(&table, options, argv, ret_words, ret_complaint);

        if (r < 0)
                return r;
        if (options->is_user && options->is_system) {
                *ret_words = strv_free(*ret_words);
                r = text_format(ret_complaint, "Options '--user' and '--system' exclude each other.");
                return r < 0 ? r : -EINVAL;
        }
        return options->failed && strv_push(&options->states, "failed") < 0 ? -ENOMEM : 0;
}

void options_print_help(FILE *stream) {
        option_table_print_help(&table, stream);
}
