/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * calendar: the next times of an expression. Needs no manager
 *
 * Uses the parser of timers. An error in an expression is marked below it, at
 * its place.
 */

#include <errno.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/text.h"
#include "jobctl/value.h"
#include "jobctl/verbs.h"
#include "time/calendar.h"
#include "time/clock_zone.h"
#include "time/timestamp.h"

/* The parameters that apply to each expression. */
typedef struct Question {
        Jobctl *ctl;
        usec_t base, now;
        uint32_t n_iterations;
} Question;

static int say_fault(const char *expression, const CalendarFault *fault) {
        cleanup_free_ char *start = NULL;
        int r = text_format(&start, "%.*s", (int) fault->at, expression);

        if (r < 0)
                return r;
        terminal_say(stderr, "jobctl: '%s' is not a calendar expression: %s:\n    %s\n    %*s^", expression,
                     fault->message, expression, (int) terminal_text_width(start), "");
        return EXIT_FAILED;
}

static json_t *describe_elapse(usec_t usec) {
        char local[TIMESTAMP_FORMAT_MAX], utc[TIMESTAMP_FORMAT_MAX];

        return json_pack("{s:I, s:s, s:s}", "usec", (json_int_t) usec, "time",
                         timestamp_format(usec, clock_zone_local(), local), "utc", timestamp_format(usec, NULL, utc));
}

static json_t *list_elapses(const Question *question, const Calendar *calendar) {
        json_t *elapses = json_array();
        usec_t at = question->base;

        for (uint32_t i = 0; i < question->n_iterations && calendar_next(calendar, at, &at) == 0; i++)
                if (json_array_append_new(elapses, describe_elapse(at)) < 0)
                        break;
        return elapses;
}

static json_t *describe_fault(const char *expression, const CalendarFault *fault) {
        return json_pack("{s:s, s:s, s:I}", "original", expression, "error", fault->message, "at",
                         (json_int_t) fault->at);
}

static void print_elapse(const Question *question, uint32_t i, usec_t usec) {
        char text[TIMESTAMP_FORMAT_MAX], label[32];

        snprintf(label, sizeof(label), i == 0 ? "Next elapse" : "Iteration #%u", i + 1);
        printf("%15s: ", label);
        terminal_print(&question->ctl->terminal, COLOR_BOLD, timestamp_format(usec, clock_zone_local(), text));
        putchar('\n');
        if (clock_zone_local())
                printf("%15s: %s\n", "(in UTC)", timestamp_format(usec, NULL, text));
        printf("%15s: %s\n", "From now", timestamp_format_relative(usec, question->now, text));
}

static void print_elapses(const Question *question, const Calendar *calendar) {
        usec_t at = question->base;

        for (uint32_t i = 0; i < question->n_iterations; i++) {
                if (calendar_next(calendar, at, &at) < 0) {
                        if (i == 0)
                                printf("%15s: never\n", "Next elapse");
                        return;
                }
                print_elapse(question, i, at);
        }
}

/* The expression and its normal form: 0, -EINVAL with @ret_fault, or -ENOMEM. */
static int read_expression(const char *expression, Calendar **ret_calendar, char **ret_normal,
                           CalendarFault *ret_fault) {
        int r = calendar_parse(expression, ret_calendar, ret_fault);

        return r < 0 ? r : calendar_format(*ret_calendar, ret_normal);
}

static int show_text(const Question *question, const char *expression, bool is_first) {
        cleanup_(calendar_freep) Calendar *calendar = NULL;
        cleanup_free_ char *normal = NULL;
        CalendarFault fault;
        int r = read_expression(expression, &calendar, &normal, &fault);

        if (r == -EINVAL)
                return say_fault(expression, &fault);
        if (r < 0)
                return r;
        if (!is_first)
                putchar('\n');
        if (!text_equal(expression, normal))
                printf("%15s: %s\n", "Original form", expression);
        printf("%15s: %s\n", "Normalized form", normal);
        print_elapses(question, calendar);
        return EXIT_OK;
}

static int describe(const Question *question, const char *expression, json_t *answers) {
        cleanup_(calendar_freep) Calendar *calendar = NULL;
        cleanup_free_ char *normal = NULL;
        CalendarFault fault;
        int r = read_expression(expression, &calendar, &normal, &fault);

        if (r == -EINVAL)
                return json_array_append_new(answers, describe_fault(expression, &fault)) < 0 ? -ENOMEM : EXIT_FAILED;
        if (r < 0)
                return r;
        return json_array_append_new(answers, json_pack("{s:s, s:s, s:o}", "original", expression, "normalized", normal,
                                                        "elapses", list_elapses(question, calendar))) < 0 ?
                -ENOMEM : EXIT_OK;
}

static int read_question(Question *question) {
        const Options *options = &question->ctl->options;

        if (options->iterations && (text_parse_u32(options->iterations, &question->n_iterations) < 0 ||
                                    question->n_iterations == 0))
                return jobctl_misused(question->ctl, "--iterations=%s: must be a number from 1 on.",
                                      options->iterations);
        if (options->base_time && timestamp_parse(options->base_time, question->now, &question->base) < 0)
                return jobctl_misused(question->ctl, "'%s' is not a time: write it as '2030-12-24 18:30' or '+3days'.",
                                      options->base_time);
        return 0;
}

int verb_calendar(Jobctl *ctl, char *const *words) {
        usec_t now = clock_realtime();
        Question question = { .ctl = ctl, .base = now, .now = now, .n_iterations = 1 };
        json_t *answers = NULL;
        int r, status = EXIT_OK;

        r = read_question(&question);
        if (r != 0)
                return r;
        if (ctl->options.json)
                answers = json_array();
        for (size_t i = 0; words[i]; i++) {
                r = answers ? describe(&question, words[i], answers) : show_text(&question, words[i], i == 0);
                if (r < 0) {
                        json_decref(answers);
                        return r;
                }
                status = MAX(status, r);
        }
        return answers ? jobctl_print_json(ctl, answers, status) : status;
}
