/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fuzz-engine: plays cases until engine and model differ
 *
 * The cases are played in a child process; if it dies, the parent reports the
 * seed of the case. A case with a difference is shrunk, and written as unit
 * files and a script for jobd-sim that ends with the model's expectations.
 */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz_case.h"
#include "fuzz_statistics.h"

#define CASE_SECONDS 30                 /* of processor time: a busy machine takes longer */

typedef struct FuzzOptions {
        uint64_t seed;
        uint64_t cases;                 /* 0: no limit */
        double minutes;                 /* 0: no limit */
        const char *folder;             /* for the cases that are found */
        unsigned lines;                 /* 0, or: go on until a script has no more lines than that, and fail if none has */
        bool wants_difference;          /* it is a failure if there is none */
        bool shows_tap, shows_statistics;
} FuzzOptions;

/* Shared with the child that plays. */
typedef struct FuzzProgress {
        uint64_t seed;
        bool differs;
        FuzzStatistics statistics;
} FuzzProgress;

static double now(void) {
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

/* — what was found — */

static void write_file(const char *folder, const char *name, const char *text) {
        char path[4096];
        FILE *file;

        snprintf(path, sizeof(path), "%s/%s", folder, name);
        file = fopen(path, "we");
        if (!file || fputs(text, file) < 0 || fclose(file) != 0)
                fprintf(stderr, "fuzz-engine: %s: %s\n", path, strerror(errno));
}

static void write_found(const char *folder, const FuzzOutcome *outcome) {
        static FuzzText file;

        (void) mkdir(folder, 0777);
        for (int i = 0; i < FUZZ_UNITS_MAX; i++) {
                const FuzzUnit *unit = &outcome->concrete.units[i];
                char path[4096];

                snprintf(path, sizeof(path), "%s/%s", folder, fuzz_unit_name(i));
                (void) unlink(path);
                if (!unit->is_there || unit->load == UNIT_NOT_FOUND)
                        continue;
                if (unit->load == UNIT_MASKED) {
                        (void) !symlink("/dev/null", path);
                        continue;
                }
                memset(&file, 0, sizeof(file));
                fuzz_write_unit(&outcome->concrete, i, &file);
                write_file(folder, fuzz_unit_name(i), file.string);
                printf("# %s:\n%s", fuzz_unit_name(i), file.string);
        }
        write_file(folder, "script", outcome->script.string);
        printf("# script:\n%s", outcome->script.string);
}

/* Shrinks the case and prints it. Returns the number of lines of its script. */
static unsigned tell(const FuzzOptions *options, uint64_t seed, FuzzPlay play) {
        static FuzzCase fuzz, small;
        static FuzzOutcome outcome;
        unsigned n;

        fuzz_case_random(seed, &fuzz);
        fuzz_shrink(&fuzz, play, &small);
        play(&small, &outcome);
        n = fuzz_count_lines(outcome.script.string);
        printf("# seed %" PRIu64 " differs: %u lines of script, in %s\n", seed, n, options->folder);
        write_found(options->folder, &outcome);
        printf("# difference:\n%s", outcome.text.string);
        fflush(stdout);
        return n;
}

/* — playing — */

static uint64_t end_of(const FuzzOptions *options) {
        return options->cases > 0 ? options->seed + options->cases : UINT64_MAX;
}

/* A case that does not end is killed by a signal. */
static void limit_case(void) {
        const struct itimerval limit = { .it_value.tv_sec = CASE_SECONDS };

        (void) setitimer(ITIMER_PROF, &limit, NULL);
}

static void play_from(const FuzzOptions *options, FuzzProgress *progress, double deadline) {
        static FuzzCase fuzz;
        static FuzzOutcome outcome;

        for (; progress->seed < end_of(options) && now() < deadline; progress->seed++) {
                limit_case();
                fuzz_case_random(progress->seed, &fuzz);
                fuzz_play(&fuzz, &outcome);
                progress->differs = outcome.differs;
                if (outcome.differs)
                        return;
        }
}

/* Returns true if a case differs or crashes. */
static bool play_in_child(const FuzzOptions *options, FuzzProgress *progress, double deadline, FuzzPlay *ret_play) {
        int status = 0;
        pid_t child;

        progress->differs = false;
        fflush(stdout);
        child = fork();
        if (child < 0) {
                perror("fuzz-engine: fork");
                exit(2);
        }
        if (child == 0) {
                fuzz_statistics = options->shows_statistics ? &progress->statistics : NULL;
                play_from(options, progress, deadline);
                exit(0);                /* not _exit(): sanitizers look for leaks then */
        }
        while (waitpid(child, &status, 0) < 0)
                ;
        *ret_play = status == 0 ? fuzz_play : fuzz_play_apart;
        return status != 0 || progress->differs;
}

/* Returns true if the result is as wanted: a difference, or none. */
static bool fuzz(const FuzzOptions *options, FuzzProgress *progress) {
        double begin = now(), deadline = options->minutes > 0 ? begin + options->minutes * 60 : begin + 1e9;
        bool has_found = false, is_small = false;
        FuzzPlay play;

        progress->seed = options->seed;
        while (!is_small && play_in_child(options, progress, deadline, &play)) {
                has_found = true;
                is_small = tell(options, progress->seed, play) <= (options->lines ?: UINT32_MAX);
                progress->seed++;
        }
        printf("# %" PRIu64 " cases from seed %" PRIu64 " on, %.0f a second%s\n", progress->seed - options->seed,
               options->seed, (double) (progress->seed - options->seed) / (now() - begin + 1e-9),
               has_found ? "" : ": no difference");
        return options->wants_difference ? is_small : !has_found;
}

static void show_usage(void) {
        puts("fuzz-engine [OPTIONS]\n"
             "\n"
             "Plays random cases on the job engine and on a slow model of it, and compares the\n"
             "two after each step. The first that differs is shrunk and written as unit files and\n"
             "a script for jobd-sim --manual --no-default-dependencies. Without a limit it goes\n"
             "on until then.\n"
             "\n"
             "  --seed N         the first case (default: by the time)\n"
             "  --cases N        so many\n"
             "  --minutes M      so long\n"
             "  --folder DIR     where what is found is written to (default: fuzz-found)\n"
             "  --find LINES     go on until a case has been shrunk to so many lines, and fail if none is\n"
             "  --statistics     tell how often the cases came by each rule\n"
             "  --tap            tell the result as a test\n"
             "  --help\n"
             "\n"
             "Exit status: 0, 1 if a case differs (with --find: if none is found), 2 for an error.");
}

static int parse(FuzzOptions *options, int argc, char **argv) {
        static const struct option table[] = {
                { "seed", required_argument, NULL, 's' },   { "cases", required_argument, NULL, 'c' },
                { "minutes", required_argument, NULL, 'm' }, { "folder", required_argument, NULL, 'f' },
                { "find", required_argument, NULL, 'l' },   { "tap", no_argument, NULL, 't' },
                { "statistics", no_argument, NULL, 'S' },   { "help", no_argument, NULL, 'h' },
                {},
        };
        int option;

        while ((option = getopt_long(argc, argv, "", table, NULL)) >= 0)
                if (option == 's')
                        options->seed = strtoull(optarg, NULL, 10);
                else if (option == 'c')
                        options->cases = strtoull(optarg, NULL, 10);
                else if (option == 'm')
                        options->minutes = strtod(optarg, NULL);
                else if (option == 'f')
                        options->folder = optarg;
                else if (option == 'l') {
                        options->lines = (unsigned) strtoul(optarg, NULL, 10);
                        options->wants_difference = true;
                } else if (option == 't')
                        options->shows_tap = true;
                else if (option == 'S')
                        options->shows_statistics = true;
                else if (option == 'h') {
                        show_usage();
                        exit(0);
                } else
                        return -EINVAL;
        return optind < argc ? -EINVAL : 0;
}

int main(int argc, char **argv) {
        FuzzOptions options = { .seed = (uint64_t) time(NULL) * 1000000, .folder = "fuzz-found" };
        FuzzProgress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        bool is_good;

        if (progress == MAP_FAILED || parse(&options, argc, argv) < 0) {
                fputs("fuzz-engine: see --help\n", stderr);
                return 2;
        }
        if (options.shows_tap)
                puts("1..1");
        is_good = fuzz(&options, progress);
        if (options.shows_statistics)
                fuzz_statistics_print(&progress->statistics);
        if (options.shows_tap)
                printf("%s 1 - %s\n", is_good ? "ok" : "not ok",
                       options.wants_difference ? "the planted defect is found and made small" : "engine and model agree");
        return is_good || options.shows_tap ? 0 : 1;
}
