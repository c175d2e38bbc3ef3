/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fuzz-runs: plays cases of runs until a subject and the model differ
 */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run_adapter.h"
#include "run_case.h"
#include "run_model.h"
#include "run_subjects.h"
#include "run/item_trial.h"

typedef struct Options {
        uint64_t seed, cases; /* 0: no limit */
        double minutes; /* 0: no limit */
        unsigned size; /* 0, or: go on until a case has no more steps and nodes, and fail if none has */
        TrialFeatures features;
        bool wants_difference, shows_tap, shows_statistics;
        const TrialSubject *subject; /* NULL: … */
        const ItemSubject *items; /* … steps of this one, with a fault of its model */
        unsigned fault;
} Options;

/* Shared with the child that plays. */
typedef struct Progress {
        uint64_t seed, n;
        bool differs;
        TrialStatistics statistics;
} Progress;

static double now(void) {
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

/* By processor time: a large case may take a while on a machine with other work, and nothing in it waits. */
static void end_unless_done(unsigned seconds) {
        const struct itimerval limit = { .it_value.tv_sec = seconds };

        setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

/* Returns true if the case of @seed differs. */
static bool play(const Options *options, uint64_t seed) {
        static TrialCase trial;
        TrialOutcome outcome = {};

        if (options->items) {
                ItemTrial item_trial = { .seed = seed, .fault = options->fault };

                options->items->play(&item_trial);
                return item_trial.difference[0] != '\0';
        }
        trial_case_random(seed, &options->features, &trial);
        trial_play(&trial, options->subject, &outcome);
        return outcome.differs;
}

static void play_from(const Options *options, Progress *progress, double deadline) {
        trial_statistics = options->shows_statistics ? &progress->statistics : NULL;
        for (; (options->cases == 0 || progress->n < options->cases) && now() < deadline;
             progress->seed++, progress->n++) {
                end_unless_done(120);
                progress->differs = play(options, progress->seed);
                if (progress->differs)
                        return;
        }
}

/* Returns true if a case differs or crashes. */
static bool play_in_child(const Options *options, Progress *progress, double deadline, bool *ret_crashed) {
        int status = 0;
        pid_t child;

        progress->differs = false;
        fflush(stdout);
        child = fork();
        if (child < 0) {
                perror("fuzz-runs: fork");
                exit(2);
        }
        if (child == 0) {
                play_from(options, progress, deadline);
                exit(0);
        }
        while (waitpid(child, &status, 0) < 0)
                ;
        *ret_crashed = status != 0;
        return status != 0 || progress->differs;
}

static void print_lines(char *text) {
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
                printf("# %s\n", line);
        fflush(stdout);
}

/* The same for steps of a range or stream. */
static unsigned tell_items(const Options *options, uint64_t seed) {
        ItemTrial trial = { .seed = seed, .fault = options->fault };
        const uint32_t n = item_trial_shrink(&trial, options->items);
        char *text = NULL;
        size_t n_text = 0;

        trial.script = open_memstream(&text, &n_text);
        if (!trial.script)
                exit(2);
        fprintf(trial.script, "seed %" PRIu64 ": %u steps\n", seed, n);
        options->items->play(&trial);
        fclose(trial.script);
        print_lines(text);
        free(text);
        return n;
}

/* Shrinks the case and prints it. Returns the number of its steps and nodes. */
static unsigned tell(const Options *options, uint64_t seed) {
        static TrialCase trial, small;
        TrialOutcome outcome = {};
        char *text = NULL;
        size_t n_text = 0;

        if (options->items)
                return tell_items(options, seed);
        trial_case_random(seed, &options->features, &trial);
        trial_shrink(&trial, options->subject, &small);
        outcome.script = open_memstream(&text, &n_text);
        if (!outcome.script)
                exit(2);
        fprintf(outcome.script, "seed %" PRIu64 ": %u steps, %u nodes\n", seed, small.n_steps,
                trial_n_own(&small.definition));
        trial_write_definition(&small.definition, outcome.script);
        trial_play(&small, options->subject, &outcome);
        fprintf(outcome.script, "difference: %s\n", outcome.what);
        fclose(outcome.script);
        print_lines(text);
        free(text);
        return (unsigned) small.n_steps + trial_n_own(&small.definition);
}

/* Returns true if the result is as wanted: a difference, or none. */
static bool fuzz(const Options *options, Progress *progress) {
        const double first = now(), deadline = options->minutes > 0 ? first + options->minutes * 60 : first + 1e9;
        bool has_found = false, is_small = false, has_crashed;

        progress->seed = options->seed;
        while (!is_small && play_in_child(options, progress, deadline, &has_crashed)) {
                has_found = true;
                if (has_crashed) {
                        printf("# seed %" PRIu64 " crashes or hangs\n", progress->seed);
                        break;
                }
                is_small = tell(options, progress->seed) <= (options->size > 0 ? options->size : UINT32_MAX);
                progress->seed++;
                progress->n++;
        }
        printf("# %" PRIu64 " cases from seed %" PRIu64 " on, %.0f a second%s\n", progress->n, options->seed,
               (double) progress->n / (now() - first + 1e-9), has_found ? "" : ": no difference");
        return options->wants_difference ? is_small : !has_found;
}

static void show_usage(void) {
        puts("fuzz-runs [OPTIONS]\n"
             "\n"
             "Plays random cases of runs on a subject and on a slow model, and compares the two\n"
             "after each turn; properties that need no model are checked, too. The first case\n"
             "that shows something is shrunk and printed. Without a limit it goes on until then.\n"
             "\n"
             "Subjects range and stream are what issues items of batches and streams, each beside a\n"
             "slow model of its own; range-FAULT and stream-FAULT are these beside a wrong model.\n"
             "\n"
             "  --subject NAME   what is tried (default: model, which the properties alone judge)\n"
             "  --subjects       list what can be tried\n"
             "  --seed N         the first case (default: by the time)\n"
             "  --cases N        so many\n"
             "  --minutes M      so long\n"
             "  --alone          without the model: properties alone judge\n"
             "  --features LIST  what each case may have beyond the first rules, with commas between: all, or of\n"
             "                   what --list-features lists (default: half of the cases may have all)\n"
             "  --list-features  list what cases may have\n"
             "  --find SIZE      go on until a case has been shrunk to so many steps and nodes; fail if none is\n"
             "  --statistics     tell how often the cases came by each state\n"
             "  --show           print the case of --seed as it is played\n"
             "  --tap            tell the result as a test\n"
             "  --help\n"
             "\n"
             "Exit status: 0, 1 if a case differs (with --find: if none is found), 2 for an error.");
        exit(0);
}

static void list_subjects(void) {
        puts(run_model_subject.name);
        puts(run_adapter_subject.name);
        for (size_t i = 0; run_subjects[i]; i++)
                puts(run_subjects[i]->name);
        for (unsigned k = 0; item_subject_at(k); k++) {
                puts(item_subject_at(k)->name);
                for (unsigned fault = 1; item_subject_at(k)->faults[fault]; fault++)
                        printf("%s-%s\n", item_subject_at(k)->name, item_subject_at(k)->faults[fault]);
        }
        exit(0);
}

static void list_features(void) {
        for (unsigned bit = 0; trial_feature_name(bit); bit++)
                puts(trial_feature_name(bit));
        exit(0);
}

static uint32_t find_feature(const char *name) {
        for (unsigned bit = 0; trial_feature_name(bit); bit++)
                if (strcmp(trial_feature_name(bit), name) == 0)
                        return UINT32_C(1) << bit;
        return strcmp(name, "all") == 0 ? TRIAL_FEATURES : 0;
}

/* Changes @list. */
static int parse_features(char *list, TrialFeatures *features) {
        *features = (TrialFeatures) { .percent = 100 };
        for (const char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
                if (find_feature(name) == 0)
                        return -EINVAL;
                features->known |= find_feature(name);
        }
        return 0;
}

static void show_case(const Options *options) {
        static TrialCase trial;
        TrialOutcome outcome = { .script = stdout };

        if (options->items) {
                ItemTrial items = { .seed = options->seed, .fault = options->fault, .script = stdout };

                options->items->play(&items);
                puts(items.difference[0] != '\0' ? items.difference : "no difference");
                exit(items.difference[0] != '\0');
        }
        trial_case_random(options->seed, &options->features, &trial);
        trial_write_definition(&trial.definition, stdout);
        trial_play(&trial, options->subject, &outcome);
        printf("%s\n", outcome.differs ? outcome.what : "no difference");
        exit(outcome.differs);
}

static void find_subject(Options *options, const char *name) {
        options->subject = run_find_subject(name);
        options->items = options->subject ? NULL : item_subject_find(name, &options->fault);
}

/* What says more about runs says nothing about steps. */
static int check_items(const Options *options) {
        if (!trial_without_model && !options->shows_statistics && options->features.percent != 100)
                return 0;
        fprintf(stderr, "fuzz-runs: --alone, --features, --statistics: not with the subjects %s and %s, "
                        "which are steps beside a model\n", range_subject.name, stream_subject.name);
        return -EINVAL;
}

static int parse(Options *options, int argc, char **argv) {
        static const struct option table[] = {
                { "seed", required_argument, NULL, 's' },
                { "cases", required_argument, NULL, 'c' },
                { "minutes", required_argument, NULL, 'm' },
                { "find", required_argument, NULL, 'l' },
                { "subject", required_argument, NULL, 'n' },
                { "subjects", no_argument, NULL, 'L' },
                { "features", required_argument, NULL, 'f' },
                { "list-features", no_argument, NULL, 'F' },
                { "tap", no_argument, NULL, 't' },
                { "statistics", no_argument, NULL, 'S' },
                { "show", no_argument, NULL, 'w' },
                { "alone", no_argument, NULL, 'A' },
                { "help", no_argument, NULL, 'h' },
                {},
        };
        bool shows = false;
        int option;

        while ((option = getopt_long(argc, argv, "", table, NULL)) >= 0)
                if (option == 's')
                        options->seed = strtoull(optarg, NULL, 10);
                else if (option == 'c')
                        options->cases = strtoull(optarg, NULL, 10);
                else if (option == 'm')
                        options->minutes = strtod(optarg, NULL);
                else if (option == 'l') {
                        options->size = (unsigned) strtoul(optarg, NULL, 10);
                        options->wants_difference = true;
                } else if (option == 'n')
                        find_subject(options, optarg);
                else if (option == 'L')
                        list_subjects();
                else if (option == 'f') {
                        if (parse_features(optarg, &options->features) < 0)
                                return -EINVAL;
                } else if (option == 'F')
                        list_features();
                else if (option == 't')
                        options->shows_tap = true;
                else if (option == 'S')
                        options->shows_statistics = true;
                else if (option == 'A')
                        trial_without_model = true;
                else if (option == 'w')
                        shows = true;
                else if (option == 'h')
                        show_usage();
                else
                        return -EINVAL;
        if ((!options->subject && !options->items) || optind < argc)
                return -EINVAL;
        if (options->items && check_items(options) < 0)
                return -EINVAL;
        if (options->subject)
                options->features.known &= options->subject->features;
        if (shows)
                show_case(options);
        return 0;
}

int main(int argc, char **argv) {
        Options options = { .seed = (uint64_t) time(NULL) * 1000000,
                            .features = { .known = TRIAL_FEATURES, .percent = 50 },
                            .subject = &run_model_subject };
        Progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        bool is_good;

        if (progress == MAP_FAILED || parse(&options, argc, argv) < 0) {
                fputs("fuzz-runs: see --help\n", stderr);
                return 2;
        }
        is_good = fuzz(&options, progress);
        if (options.shows_statistics)
                trial_print_statistics(&progress->statistics);
        if (options.shows_tap)
                printf("1..1\n%s 1 - %s\n", is_good ? "ok" : "not ok",
                       options.wants_difference ? "the planted defect is found and made small" : "no difference");
        return is_good || options.shows_tap ? 0 : 1;
}
