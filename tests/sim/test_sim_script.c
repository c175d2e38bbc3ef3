/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <criterion/criterion.h>
#include <errno.h>

#include "sim/sim_script.h"

Test(sim_script, words_are_separated_by_blanks) {
        cleanup_(sim_line_deinit) SimLine line = {};

        cr_assert_eq(sim_line_parse(&line, "  exec\treplace   start:a.service stop:b.service\r\n", NULL), 0);
        cr_assert_eq(line.n_words, 4);
        cr_assert_str_eq(line.words[0], "exec");
        cr_assert_str_eq(line.words[1], "replace");
        cr_assert_str_eq(line.words[3], "stop:b.service");
        cr_assert_null(line.json);
}

Test(sim_script, comments_and_blank_lines_are_empty) {
        static const char *const texts[] = { "", "\n", "   \t\n", "# exec replace start:a", "  #x" };

        for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
                SimLine line = {};

                cr_assert_eq(sim_line_parse(&line, texts[i], NULL), 0);
                cr_assert_eq(line.n_words, 0);
                sim_line_deinit(&line);
        }
}

Test(sim_script, a_comment_ends_a_line) {
        cleanup_(sim_line_deinit) SimLine line = {};

        cr_assert_eq(sim_line_parse(&line, "run 5 # and then", NULL), 0);
        cr_assert_eq(line.n_words, 2);
}

Test(sim_script, a_hash_within_a_word_is_part_of_it) {
        cleanup_(sim_line_deinit) SimLine line = {};

        cr_assert_eq(sim_line_parse(&line, "why a#b", NULL), 0);
        cr_assert_eq(line.n_words, 2);
        cr_assert_str_eq(line.words[1], "a#b");
}

Test(sim_script, an_expectation_is_one_json_object) {
        cleanup_(sim_line_deinit) SimLine line = {};

        cr_assert_eq(sim_line_parse(&line, "expect-event {\"ev\": \"unit\", \"x\": \"a # b\"}  # why\n", NULL), 0);
        cr_assert_eq(line.n_words, 1);
        cr_assert_str_eq(line.words[0], "expect-event");
        cr_assert_str_eq(json_string_value(json_object_get(line.json, "x")), "a # b");
}

Test(sim_script, bad_expectations_are_refused_with_a_message) {
        static const char *const texts[] = {
                "expect", "expect {", "expect [1]", "expect {} {}", "expect {\"a\":1,\"a\":2}", "expect 1", "expect {}x",
        };

        for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
                cleanup_(failure_deinit) Failure failure = {};
                SimLine line = {};

                cr_assert_eq(sim_line_parse(&line, texts[i], &failure), -EINVAL, "%s", texts[i]);
                cr_assert_str_eq(failure.name, "InvalidArgs");
                cr_assert_not_null(failure.message);
                cr_assert_null(line.words);
        }
}
