/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * jobd-sim: options, and the lines of a script
 *
 * Each line is carried out when it is read, and the output is flushed after
 * it, so that another program can drive the simulator through two pipes. Of
 * several scripts each has a simulation of its own.
 */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "sim/sim.h"

enum {
        EXIT_UNEXPECTED = 1,
        EXIT_SCRIPT = 2,
};

typedef struct SimArguments {
        SimOptions sim;
        bool shows_times;
        bool is_tap;
        char **scripts;         /* borrowed; none: standard input, as "-" */
} SimArguments;

typedef struct SimScript {
        const char *name;
        FILE *file;             /* borrowed */
        size_t number;          /* the first is 1 */
        bool is_tap;
} SimScript;

static const char sim_help[] =
        "jobd-sim [OPTIONS] [SCRIPT|-]...\n"
        "\n"
        "The engines of jobd, for jobs and for runs of flows, without processes: loads unit\n"
        "files, runs a script in virtual time, and prints each decision as one line of JSON.\n"
        "\n"
        "  --unit-path DIR[:DIR...]   folders of unit files; the first that has a file wins\n"
        "  --systemd-units            also look in systemd's folders\n"
        "  --no-default-dependencies  treat every unit as if it said DefaultDependencies=no\n"
        "  --manual                   operations are under way until the script ends them (default)\n"
        "  --auto                     operations and attempts succeed at once, and ready jobs run\n"
        "  --seed N                   ignored; nothing is random\n"
        "  --quiet                    print no events\n"
        "  --tap                      print the result of each script in the Test Anything Protocol, and nothing else\n"
        "  --time                     print elapsed and processor time, as a line of JSON\n"
        "  --help, --version\n"
        "\n"
        "Commands, one per line; # begins a comment:\n"
        "  exec [MODE] TYPE:UNIT...   one transaction           plan [MODE] TYPE:UNIT...  show its effects\n"
        "  run [BUDGET]               dispatch ready jobs       advance DURATION        advance the clock\n"
        "  state UNIT STATE [reload-failed] [auto-restart] [skipped]   the unit reports a state\n"
        "  set UNIT STATE             without a report          ready UNIT              after \"not now\": try again\n"
        "  result UNIT start|stop|reload OUTCOME                how it ends the next time: under-way,\n"
        "                             done, fail, again, skip, assert, unsupported, hang\n"
        "  cancel ID                  detach ID                 end a job; one that runs, too: its unit goes on\n"
        "                             clear (cancel all)        reload [force]          read unit files again\n"
        "  relate UNIT [RELATION=UNIT...]    replace the relations, as if its file had been read again\n"
        "  reloaded UNIT              it has reloaded by itself restart                 save and restore the engine\n"
        "  jobs [FILTER...]           units [PATTERN]           why ID|UNIT             stats\n"
        "  submit FLOW [queue|reject|skip|replace] [key=WORD]   a run of the flow; 'run' executes it\n"
        "  flow VERB RUN[/NODE]       pause, resume, stop, cancel, retry, rerun, skip, resolve --as=OUTCOME\n"
        "  runs [PATTERN]             nodes RUN                 what there is, its state and why it waits\n"
        "  attempt RUN/NODE|FLOW/NODE exit N|signal NAME|never [after TIME] [ignores-sigterm]\n"
        "                             how attempts of the node end\n"
        "  auto-attempts exit N|signal NAME|never [after TIME|FILE] [ignores-sigterm]\n"
        "                             how all others end; FILE: a workflow of WfCommons\n"
        "  answer RUN/NODE WORD       of Readiness=policy:NAME: READY, WAIT, NEVER, FAIL, PENDING, LOST\n"
        "  lose RUN/NODE              nobody knows what its attempt did\n"
        "  crash core|store|power     crash core at sent|accepted|durable|asked|started|ended\n"
        "  boot [UNIT]                after a crash            store ok|slow TIME|hang|full\n"
        "  expect JSON                the last event must contain it: keys of objects, whole arrays\n"
        "  expect-event JSON, expect-no-event JSON              some, no event since the last command\n"
        "  expect-state UNIT STATE    the unit is in that state now\n"
        "  expect-order [TYPE:]UNIT|RUN/NODE...    their jobs or attempts began in this order since the last command\n"
        "  expect-run RUN STATE [REASON], expect-node RUN/NODE STATE [REASON]\n"
        "  quit\n"
        "\n"
        "With --auto ready jobs run before the next command, but not before commands that set something up.\n"
        "\n"
        "Exit status: 0; 1 if an expectation was not met; 2 for an error in the script or the options.\n";

enum {
        OPTION_UNIT_PATH = 256,
        OPTION_SYSTEMD_UNITS,
        OPTION_NO_DEFAULT_DEPENDENCIES,
        OPTION_AUTO,
        OPTION_MANUAL,
        OPTION_SEED,
        OPTION_QUIET,
        OPTION_TAP,
        OPTION_TIME,
        OPTION_HELP,
        OPTION_VERSION,
};

static const struct option sim_option_table[] = {
        { "unit-path", required_argument, NULL, OPTION_UNIT_PATH },
        { "systemd-units", no_argument, NULL, OPTION_SYSTEMD_UNITS },
        { "no-default-dependencies", no_argument, NULL, OPTION_NO_DEFAULT_DEPENDENCIES },
        { "auto", no_argument, NULL, OPTION_AUTO },
        { "manual", no_argument, NULL, OPTION_MANUAL },
        { "seed", required_argument, NULL, OPTION_SEED },
        { "quiet", no_argument, NULL, OPTION_QUIET },
        { "tap", no_argument, NULL, OPTION_TAP },
        { "time", no_argument, NULL, OPTION_TIME },
        { "help", no_argument, NULL, OPTION_HELP },
        { "version", no_argument, NULL, OPTION_VERSION },
        {},
};

static int sim_check_seed(const char *text) {
        uint64_t seed;

        if (text_parse_u64(text, &seed) == 0)
                return 0;
        fprintf(stderr, "jobd-sim: --seed needs a number, not \"%s\"\n", text);
        return -EINVAL;
}

/* 0; 1: nothing left to do; -EINVAL. */
static int sim_take_option(SimArguments *arguments, int option) {
        switch (option) {
        case OPTION_UNIT_PATH:
                arguments->sim.unit_path = optarg;
                return 0;
        case OPTION_SYSTEMD_UNITS:
                arguments->sim.with_systemd_units = true;
                return 0;
        case OPTION_NO_DEFAULT_DEPENDENCIES:
                arguments->sim.no_default_dependencies = true;
                return 0;
        case OPTION_AUTO:
        case OPTION_MANUAL:
                arguments->sim.is_auto = option == OPTION_AUTO;
                return 0;
        case OPTION_SEED:
                return sim_check_seed(optarg);
        case OPTION_QUIET:
                arguments->sim.is_quiet = true;
                return 0;
        case OPTION_TAP:
                arguments->is_tap = arguments->sim.is_quiet = true;
                return 0;
        case OPTION_TIME:
                arguments->shows_times = true;
                return 0;
        case OPTION_HELP:
                fputs(sim_help, stdout);
                return 1;
        case OPTION_VERSION:
                puts("jobd-sim " JOBD_VERSION);
                return 1;
        default:
                return -EINVAL;
        }
}

static int sim_parse_arguments(SimArguments *arguments, int argc, char **argv) {
        int option, r;

        while ((option = getopt_long(argc, argv, "", sim_option_table, NULL)) >= 0) {
                r = sim_take_option(arguments, option);
                if (r != 0)
                        return r;
        }
        if (arguments->is_tap && arguments->shows_times) {
                fputs("jobd-sim: --tap prints nothing else, so not --time\n", stderr);
                return -EINVAL;
        }
        arguments->scripts = argv + optind;
        return 0;
}

static void sim_fclosep(FILE **file) {
        if (*file && *file != stdin)
                fclose(*file);
}

/* Whether the script has expectations. Standard input cannot be read twice, so it may. */
static bool sim_script_expects(FILE *script) {
        cleanup_free_ char *line = NULL;
        size_t allocated = 0;
        bool expects = false;

        if (fseek(script, 0, SEEK_SET) < 0)
                return true;
        while (!expects && getline(&line, &allocated, script) >= 0)
                expects = text_starts_with(line + strspn(line, " \t"), "expect");
        rewind(script);
        return expects;
}

/* @number: of the line; 0: the script as a whole. Returns the exit status. */
static int sim_report(const SimScript *script, unsigned number, int r, const char *message) {
        char place[16] = "";

        if (number > 0)
                snprintf(place, sizeof(place), ":%u", number);
        if (script->is_tap)
                printf("not ok %zu - %s\n", script->number, script->name);
        if (!script->is_tap) {
                fprintf(stderr, "%s%s: %s%s\n", script->name, place, r == SIM_E_UNEXPECTED ? "" : "error: ", message);
                return r == SIM_E_UNEXPECTED ? EXIT_UNEXPECTED : EXIT_SCRIPT;
        }
        printf("# %s%s: %s", script->name, place, r == SIM_E_UNEXPECTED ? "" : "error: ");
        for (const char *c = message; *c; c++)
                printf(*c == '\n' ? "\n# " : "%c", *c);
        putchar('\n');
        return r == SIM_E_UNEXPECTED ? EXIT_UNEXPECTED : EXIT_SCRIPT;
}

static int sim_execute_lines(Sim *sim, const SimScript *script) {
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_free_ char *line = NULL;
        size_t allocated = 0;
        unsigned number = 0;
        int r = 0;

        while (r == 0 && getline(&line, &allocated, script->file) >= 0) {
                number++;
                r = sim_execute_line(sim, line, &failure);
                fflush(stdout);
        }
        if (r == 0)
                r = ferror(script->file) ? -EIO : sim_finish(sim, &failure);
        if (r != 0 && r != SIM_E_QUIT)
                return sim_report(script, number, r, failure.message ?: strerror(-r));
        if (script->is_tap)
                printf("ok %zu - %s\n", script->number, script->name);
        return 0;
}

static int sim_execute_file(SimArguments *arguments, const SimScript *script) {
        const char *slash = script->file == stdin ? NULL : strrchr(script->name, '/');
        cleanup_free_ char *folder = NULL;
        cleanup_(sim_freep) Sim *sim = NULL;
        int r;

        if (slash && !(folder = strndup(script->name, (size_t) (slash - script->name) + 1)))
                return sim_report(script, 0, -ENOMEM, strerror(ENOMEM));
        arguments->sim.folder = folder;
        arguments->sim.output = stdout;
        arguments->sim.remembers_events = sim_script_expects(script->file);
        r = sim_new(&sim, &arguments->sim);
        if (r < 0)
                return sim_report(script, 0, r, strerror(-r));
        r = sim_execute_lines(sim, script);
        if (arguments->shows_times)
                (void) sim_print_times(sim, stdout);
        if (fflush(stdout) != 0 || ferror(stdout)) {
                fputs("jobd-sim: the output could not be written\n", stderr);
                return EXIT_SCRIPT;
        }
        return r;
}

/* @number: from 1 on. Returns the exit status. */
static int sim_execute_script(SimArguments *arguments, size_t number, const char *path) {
        cleanup_(sim_fclosep) FILE *file = NULL;
        SimScript script = { .name = path, .number = number, .is_tap = arguments->is_tap };

        if (text_equal(path, "-")) {
                script.name = "<stdin>";
                script.file = stdin;
                return sim_execute_file(arguments, &script);
        }
        script.file = file = fopen(path, "re");
        return file ? sim_execute_file(arguments, &script) : sim_report(&script, 0, -errno, strerror(errno));
}

int main(int argc, char **argv) {
        SimArguments arguments = {};
        size_t n;
        int status = 0, r;

        r = sim_parse_arguments(&arguments, argc, argv);
        if (r != 0)
                return r < 0 ? EXIT_SCRIPT : 0;
        n = strv_length(arguments.scripts);
        if (arguments.is_tap)
                printf("1..%zu\n", MAX(n, (size_t) 1));
        if (n == 0)
                return sim_execute_script(&arguments, 1, "-");
        for (size_t i = 0; i < n; i++) {
                r = sim_execute_script(&arguments, i + 1, arguments.scripts[i]);
                status = MAX(status, r);
        }
        return status;
}
