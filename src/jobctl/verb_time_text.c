/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * timespan, timestamp: how unit files and options read a span or a point in time. Neither needs a manager
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/property_special.h"
#include "jobctl/value.h"
#include "jobctl/verbs.h"
#include "time/clock_zone.h"
#include "time/timestamp.h"

/* One word: an object for --json, or NULL with *ret_error. */
typedef json_t *(*TimeReader)(const char *word, usec_t now, int *ret_error);
typedef void (*TimePrinter)(const json_t *answer, usec_t now);

static json_t *read_span(const char *word, usec_t now, int *ret_error) {
        cleanup_(text_deinit) Text text = {};
        usec_t span;

        *ret_error = usec_parse(word, USEC_PER_SEC, &span);
        if (*ret_error < 0)
                return NULL;
        *ret_error = -ENOMEM;
        property_add_span(&text, span);
        return json_pack("{s:s, s:o, s:s}", "original", word, "usec",
                         span == USEC_INFINITY ? json_null() : json_integer((json_int_t) span), "human",
                         text.string ?: "");
}

static void print_span(const json_t *answer, usec_t now) {
        printf("%15s: %s\n", "Original form", value_string(answer, "original"));
        if (json_is_null(json_object_get(answer, "usec")))
                printf("%15s: infinity\n", "Microseconds");
        else
                printf("%15s: %" PRIu64 "\n", "Microseconds", value_u64(answer, "usec"));
        printf("%15s: %s\n", "Normalized form", value_string(answer, "human"));
}

static json_t *read_time(const char *word, usec_t now, int *ret_error) {
        char local[TIMESTAMP_FORMAT_MAX], utc[TIMESTAMP_FORMAT_MAX];
        usec_t at;

        *ret_error = timestamp_parse(word, now, &at);
        if (*ret_error < 0)
                return NULL;
        *ret_error = -ENOMEM;
        return json_pack("{s:s, s:I, s:s, s:s}", "original", word, "usec", (json_int_t) at, "normalized",
                         timestamp_format(at, clock_zone_local(), local), "utc", timestamp_format(at, NULL, utc));
}

static void print_time(const json_t *answer, usec_t now) {
        char text[TIMESTAMP_FORMAT_MAX];
        usec_t at = value_u64(answer, "usec");

        printf("%15s: %s\n", "Original form", value_string(answer, "original"));
        printf("%15s: %s\n", "Normalized form", value_string(answer, "normalized"));
        if (clock_zone_local())
                printf("%15s: %s\n", "(in UTC)", value_string(answer, "utc"));
        printf("%15s: @%" PRIu64 "\n", "UNIX seconds", at / USEC_PER_SEC);
        printf("%15s: %s\n", "From now", timestamp_format_relative(at, now, text));
}

/* The function for the words of a call. */
typedef struct TimeQuestion {
        TimeReader read;
        TimePrinter print;
        const char *hint;               /* what a word is not, and how it is written */
} TimeQuestion;

static json_t *describe_fault(const TimeQuestion *question, const char *word) {
        cleanup_free_ char *message = NULL;

        return text_format(&message, "This is not %s.", question->hint) < 0 ?
                NULL : json_pack("{s:s, s:s}", "original", word, "error", message);
}

/* EXIT_OK, EXIT_FAILED for a word that is wrong, or < 0. */
static int answer_word(Jobctl *ctl, const TimeQuestion *question, const char *word, json_t *answers) {
        const usec_t now = clock_realtime();
        int error = 0;
        json_t *object = question->read(word, now, &error);
        bool is_wrong = !object && error != -ENOMEM;

        if (is_wrong && !ctl->options.json) {
                terminal_say(stderr, "jobctl: '%s' is not %s.", word, question->hint);
                return EXIT_FAILED;
        }
        if (is_wrong)
                object = describe_fault(question, word);
        if (object && !ctl->options.json) {
                if (json_array_size(answers) > 0)
                        putchar('\n');
                question->print(object, now);
        }
        if (json_array_append_new(answers, object) < 0)
                return -ENOMEM;
        return is_wrong ? EXIT_FAILED : EXIT_OK;
}

static int answer(Jobctl *ctl, char *const *words, const TimeQuestion *question) {
        cleanup_json_ json_t *answers = json_array();
        int status = EXIT_OK;

        for (size_t i = 0; words[i]; i++) {
                int r = answer_word(ctl, question, words[i], answers);

                if (r < 0)
                        return r;
                status = MAX(status, r);
        }
        return ctl->options.json ? jobctl_print_json(ctl, take_ptr(answers), status) : status;
}

int verb_timespan(Jobctl *ctl, char *const *words) {
        return answer(ctl, words, &(TimeQuestion) {
                read_span, print_span, "a time span: write it as '90', '1min 30s', '2h' or 'infinity'" });
}

int verb_timestamp(Jobctl *ctl, char *const *words) {
        return answer(ctl, words, &(TimeQuestion) {
                read_time, print_time, "a time: write it as '2030-12-24 18:30' or '+3days'" });
}
