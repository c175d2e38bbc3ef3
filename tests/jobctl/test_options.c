/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The command line: options, words and values, and the messages for wrong
 * ones.
 */

#include <errno.h>

#include "basic/strv.h"
#include "double/double_assert.h"
#include "jobctl/options.h"

typedef struct Parsed {
        Options options;
        char **words;
        char *complaint;
        int r;
} Parsed;

static void parsed_deinit(Parsed *parsed) {
        options_deinit(&parsed->options);
        strv_free(parsed->words);
        free(parsed->complaint);
}

static Parsed parse(const char *const *argv) {
        Parsed parsed = {};

        parsed.r = options_parse(&parsed.options, (char *const *) argv, &parsed.words, &parsed.complaint);
        return parsed;
}

#define PARSE(...) parse((const char *const[]) { __VA_ARGS__, NULL })

Test(options, options_may_stand_before_and_after_words) {
        cleanup_(parsed_deinit) Parsed parsed = PARSE("--user", "start", "-q", "a", "b", "--no-block");

        cr_assert(eq(int, parsed.r, 0));
        cr_assert(eq(sz, strv_length(parsed.words), 3));
        cr_assert(parsed.options.is_user && parsed.options.quiet && parsed.options.no_block);
}

Test(options, double_dash_ends_options) {
        cleanup_(parsed_deinit) Parsed parsed = PARSE("start", "--", "--user");

        cr_assert(eq(int, parsed.r, 0));
        assert_string(parsed.words[1], "--user");
        cr_assert(not(parsed.options.is_user));
}

Test(options, value_follows_an_equals_sign_or_is_the_next_word) {
        cleanup_(parsed_deinit) Parsed a = PARSE("--job-mode=fail");
        cleanup_(parsed_deinit) Parsed b = PARSE("--job-mode", "fail");

        assert_string(a.options.job_mode, "fail");
        assert_string(b.options.job_mode, "fail");
        cr_assert(eq(sz, strv_length(b.words), 0));
}

Test(options, lists_take_commas_and_repetitions) {
        cleanup_(parsed_deinit) Parsed parsed = PARSE("-t", "service,target", "--type=socket", "--failed");

        cr_assert(eq(sz, strv_length(parsed.options.types), 3));
        cr_assert(strv_contains(parsed.options.types, "socket"));
        cr_assert(strv_contains(parsed.options.states, "failed"));
}

Test(options, letters_can_be_joined_and_take_a_value) {
        cleanup_(parsed_deinit) Parsed parsed = PARSE("-qatservice", "list-units");

        cr_assert(eq(int, parsed.r, 0));
        cr_assert(parsed.options.quiet && parsed.options.all);
        cr_assert(strv_contains(parsed.options.types, "service"));
}

Test(options, capital_p_also_means_values_only) {
        cleanup_(parsed_deinit) Parsed parsed = PARSE("-P", "MainPID");

        cr_assert(parsed.options.value);
        cr_assert(strv_contains(parsed.options.properties, "MainPID"));
}

Test(options, unknown_option_names_the_nearest) {
        cleanup_(parsed_deinit) Parsed parsed = PARSE("--no-blok");

        cr_assert(eq(int, parsed.r, -EINVAL));
        assert_string(parsed.complaint, "Unknown option '--no-blok'. Did you mean '--no-block'?");
}

Test(options, missing_and_superfluous_values_are_refused) {
        cleanup_(parsed_deinit) Parsed missing = PARSE("--job-mode");
        cleanup_(parsed_deinit) Parsed extra = PARSE("--quiet=yes");
        cleanup_(parsed_deinit) Parsed letter = PARSE("-t");

        cr_assert(eq(int, missing.r, -EINVAL));
        cr_assert(eq(int, extra.r, -EINVAL));
        cr_assert(eq(int, letter.r, -EINVAL));
        assert_string(extra.complaint, "Option '--quiet' takes no value.");
}

Test(options, user_and_system_exclude_each_other) {
        cleanup_(parsed_deinit) Parsed parsed = PARSE("--user", "--system");

        cr_assert(eq(int, parsed.r, -EINVAL));
}

Test(options, a_single_dash_is_a_word) {
        cleanup_(parsed_deinit) Parsed parsed = PARSE("start", "-");

        cr_assert(eq(int, parsed.r, 0));
        assert_string(parsed.words[1], "-");
}
