/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The options of jobctl
 *
 * getopt_long() would do most of this, but it speaks for itself when an option
 * is wrong, and cannot say which one was meant; and the help text would be a
 * second list to keep.
 */

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/options.h"
#include "jobctl/terminal.h"

typedef enum OptionKind {
        OPTION_FLAG,            /* a bool */
        OPTION_COUNT,           /* how often it was given */
        OPTION_STRING,          /* a borrowed string */
        OPTION_LIST,            /* a list: may be given several times, and with commas */
        OPTION_VALUES,          /* the same, and only values are to be printed */
} OptionKind;

typedef struct Option {
        const char *name;
        char letter;            /* 0: none */
        OptionKind kind;
        size_t offset;          /* in Options */
        const char *argument;   /* its name in --help */
        const char *help;       /* NULL: an alias, not shown */
} Option;

#define FLAG(name, letter, field, help) { name, letter, OPTION_FLAG, offsetof(Options, field), NULL, help }
#define STRING(name, letter, field, argument, help) \
        { name, letter, OPTION_STRING, offsetof(Options, field), argument, help }
#define LIST(name, letter, field, argument, help) \
        { name, letter, OPTION_LIST, offsetof(Options, field), argument, help }

static const Option options_table[] = {
        FLAG("help", 'h', help, "Show this help, or that of the verb"),
        FLAG("version", 0, version, "Show the version"),
        FLAG("user", 0, is_user, "Talk to the manager of your user (the default unless root)"),
        FLAG("system", 0, is_system, "Talk to the manager of the system (the default for root)"),
        STRING("socket", 0, socket, "PATH", "Talk to the manager behind this private socket"),
        STRING("job-mode", 0, job_mode, "MODE", "What to do about jobs that are there already: replace, fail, …"),
        STRING("mode", 0, job_mode, "MODE", NULL),
        FLAG("no-block", 0, no_block, "Do not wait until the jobs have ended"),
        FLAG("wait", 0, wait, "Also wait until the started units have stopped again"),
        FLAG("dry-run", 0, dry_run, "Only show what would be done, as 'plan' does"),
        FLAG("show-transaction", 'T', show_transaction, "List the jobs that were made"),
        STRING("graph", 0, graph, "FORMAT", "Print a plan as a graph: dot or svg"),
        LIST("type", 't', types, "TYPE,…", "Only units (or jobs) of these types"),
        LIST("state", 0, states, "STATE,…", "Only units (or jobs) in these states"),
        FLAG("failed", 0, failed, "The same as --state=failed"),
        FLAG("all", 'a', all, "Also what is inactive, or empty, or below what is no target"),
        LIST("property", 'p', properties, "NAME,…", "Only these properties"),
        { NULL, 'P', OPTION_VALUES, offsetof(Options, properties), "NAME", NULL },
        FLAG("value", 0, value, "Only the values of properties"),
        FLAG("reverse", 0, reverse, "list-dependencies: who depends on the unit"),
        FLAG("before", 0, before, "list-dependencies: what is ordered after the unit"),
        FLAG("after", 0, after, "list-dependencies: what is ordered before the unit"),
        STRING("signal", 's', signal, "SIGNAL", "kill: the signal, by name or number (SIGTERM)"),
        STRING("kill-whom", 0, kill_whom, "WHOM", "kill: main, control or all processes (all)"),
        STRING("kill-who", 0, kill_whom, "WHOM", NULL),
        { "force", 'f', OPTION_COUNT, offsetof(Options, n_force), NULL,
          "daemon-reload: take what can be read; poweroff, …: stop no units; enable, …: replace links" },
        FLAG("stdin", 0, from_stdin, "edit: read the text from standard input"),
        STRING("drop-in", 0, drop_in, "NAME", "edit: the drop-in's name (override.conf)"),
        FLAG("show-types", 0, show_types, "list-sockets: of which type each is"),
        LIST("what", 0, what, "KIND,…", "clean: runtime, state, cache, logs, configuration or all (cache,runtime)"),
        FLAG("now", 0, now, "enable, disable, mask: start or stop the units, too"),
        FLAG("runtime", 0, runtime, "enable, mask, edit, set-property, …: until the next boot only"),
        STRING("root", 0, root, "DIR", "enable, disable, …: for the files below this folder, without a manager"),
        STRING("preset-mode", 0, preset_mode, "MODE", "preset: full, enable-only or disable-only"),
        FLAG("no-reload", 0, no_reload, "enable, edit, …: do not have the manager read unit files again"),
        STRING("lines", 'n', lines, "N", "logs, status: how many of the last lines; top: how often to look"),
        FLAG("follow", 0, follow, "logs (-f): go on with what comes; start, …: show the output until the jobs have ended"),
        STRING("since", 'S', since, "TIME", "logs: from this moment on: \"today\", \"5min ago\", \"2030-12-24 18:30\""),
        STRING("until", 'U', until, "TIME", "logs: up to this moment"),
        STRING("invocation", 0, invocation, "ID", "logs: of this run of the unit only; 'last': of the last one"),
        STRING("priority", 0, priority, "LEVEL", "logs (-p): only lines at least as important as this: err, warning, …"),
        STRING("output", 'o', output, "FORMAT", "logs: short, iso, cat or json"),
        FLAG("watch", 'w', watch, "jobs: show them again whenever something changes"),
        FLAG("strict", 0, strict, "verify: warnings count as well"),
        STRING("unit-path", 0, unit_path, "DIR:…", "verify: where units that are referred to are looked for"),
        FLAG("systemd-units", 0, with_systemd_units, "verify: systemd's folders are looked at, too"),
        STRING("iterations", 0, iterations, "N", "calendar: how many times to show (1)"),
        STRING("base-time", 0, base_time, "TIME", "calendar: from when on (now)"),
        FLAG("json", 0, json, "Print JSON"),
        FLAG("quiet", 'q', quiet, "Print only what was asked for, no remarks"),
        FLAG("verbose", 'v', verbose, "Say when jobd was lost and found again"),
        FLAG("plain", 0, plain, "Print a list instead of a tree, and no marks"),
        FLAG("no-legend", 0, no_legend, "Print no headers and no footers"),
        FLAG("full", 'l', full, "Cut nothing to the width of the terminal"),
        FLAG("no-color", 0, no_color, "Print no colours"),
        FLAG("no-pager", 0, no_pager, "Accepted for compatibility: no pager is ever used"),
};

void options_deinit(Options *options) {
        options->states = strv_free(options->states);
        options->types = strv_free(options->types);
        options->properties = strv_free(options->properties);
        options->what = strv_free(options->what);
}

static const Option *find_long(const char *name, size_t n) {
        for (size_t i = 0; i < ELEMENTSOF(options_table); i++) {
                const char *candidate = options_table[i].name;

                if (candidate && strncmp(candidate, name, n) == 0 && candidate[n] == '\0')
                        return &options_table[i];
        }
        return NULL;
}

static const Option *find_letter(char letter) {
        for (size_t i = 0; i < ELEMENTSOF(options_table); i++)
                if (options_table[i].letter == letter)
                        return &options_table[i];
        return NULL;
}

static int complain_unknown(const char *word, const char *name, size_t n, char **ret_complaint) {
        const char *names[ELEMENTSOF(options_table)];
        cleanup_free_ char *copy = strndup(name, n);
        const char *nearest;
        size_t n_names = 0;
        int r;

        if (!copy)
                return -ENOMEM;
        for (size_t i = 0; i < ELEMENTSOF(options_table); i++)
                if (options_table[i].name)
                        names[n_names++] = options_table[i].name;
        nearest = text_nearest(copy, names, n_names);
        r = nearest ? text_format(ret_complaint, "Unknown option '%s'. Did you mean '--%s'?", word, nearest)
                    : text_format(ret_complaint, "Unknown option '%s'. See 'jobctl --help'.", word);
        return r < 0 ? r : -EINVAL;
}

static int complain(char **ret_complaint, const char *format, const char *name) {
        int r = text_format(ret_complaint, format, name);

        return r < 0 ? r : -EINVAL;
}

static int store_list(char ***list, const char *value) {
        cleanup_(strv_freep) char **items = NULL;
        int r = strv_split(value, ",", &items);

        if (r < 0)
                return r;
        strv_foreach(item, items) {
                r = strv_push(list, *item);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int store(Options *options, const Option *option, const char *value) {
        void *slot = (char *) options + option->offset;

        switch (option->kind) {
        case OPTION_FLAG:
                *(bool *) slot = true;
                return 0;
        case OPTION_COUNT:
                ++*(unsigned *) slot;
                return 0;
        case OPTION_STRING:
                *(const char **) slot = value;
                return 0;
        case OPTION_VALUES:
                options->value = true;
                return store_list(slot, value);
        case OPTION_LIST:
                return store_list(slot, value);
        }
        return 0;
}

static bool takes_value(const Option *option) {
        return option->kind != OPTION_FLAG && option->kind != OPTION_COUNT;
}

/* "--name", "--name=value" or "--name value". Returns how many further words were used, or < 0. */
static int parse_long(Options *options, char *const *argv, char **ret_complaint) {
        const char *name = argv[0] + 2;
        size_t n = strcspn(name, "=");
        const char *value = name[n] ? name + n + 1 : NULL;
        const Option *option = find_long(name, n);
        int used = 0, r;

        if (!option)
                return complain_unknown(argv[0], name, n, ret_complaint);
        if (!takes_value(option) && value)
                return complain(ret_complaint, "Option '--%s' takes no value.", option->name);
        if (takes_value(option) && !value) {
                value = argv[1];
                used = 1;
        }
        if (takes_value(option) && !value)
                return complain(ret_complaint, "Option '--%s' needs a value.", option->name);
        r = store(options, option, value);
        return r < 0 ? r : used;
}

/* "-q", "-qa", "-tservice" or "-t service". */
static int parse_letters(Options *options, char *const *argv, char **ret_complaint) {
        for (const char *c = argv[0] + 1; *c; c++) {
                const Option *option = find_letter(*c);
                const char *value;
                int r;

                if (!option)
                        return complain_unknown(argv[0], c, 1, ret_complaint);
                if (!takes_value(option)) {
                        (void) store(options, option, NULL);
                        continue;
                }
                value = c[1] ? c + 1 : argv[1];
                if (!value)
                        return complain(ret_complaint, "Option '%s' needs a value.", argv[0]);
                r = store(options, option, value);
                return r < 0 ? r : c[1] == '\0';
        }
        return 0;
}

static int parse_one(Options *options, char *const *argv, char ***words, char **ret_complaint) {
        if (argv[0][0] != '-' || argv[0][1] == '\0')
                return strv_push(words, argv[0]);
        if (argv[0][1] == '-')
                return parse_long(options, argv, ret_complaint);
        return parse_letters(options, argv, ret_complaint);
}

int options_parse(Options *options, char *const *argv, char ***ret_words, char **ret_complaint) {
        cleanup_(strv_freep) char **words = NULL;
        bool is_over = false;

        for (; *argv; argv++) {
                int r;

                if (!is_over && strcmp(*argv, "--") == 0) {
                        is_over = true;
                        continue;
                }
                r = is_over ? strv_push(&words, *argv) : parse_one(options, argv, &words, ret_complaint);
                if (r < 0)
                        return r;
                argv += r;
        }
        if (options->is_user && options->is_system)
                return complain(ret_complaint, "Options '--user' and '%s' exclude each other.", "--system");
        if (options->failed && strv_push(&options->states, "failed") < 0)
                return -ENOMEM;
        *ret_words = take_ptr(words);
        return 0;
}

void options_print_help(FILE *stream) {
        for (size_t i = 0; i < ELEMENTSOF(options_table); i++) {
                const Option *option = &options_table[i];
                char left[64];

                if (!option->help)
                        continue;
                snprintf(left, sizeof(left), "%c%c%s --%s%s%s", option->letter ? '-' : ' ',
                         option->letter ?: ' ', option->letter ? "," : " ", option->name, option->argument ? "=" : "",
                         option->argument ?: "");
                fprintf(stream, "  %s%*s %s\n", left, MAX(0, 27 - (int) terminal_text_width(left)), "", option->help);
        }
}
