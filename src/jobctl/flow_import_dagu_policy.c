/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A workflow of Dagu: what becomes of a step that has ended
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "jobctl/flow_import_dagu.h"

/* A number, or a list of them, as exit statuses. */
static int add_statuses(DaguReader *reader, const YamlNode *node, const char *separator, Text *text) {
        for (size_t i = 0; i < dagu_count(node); i++) {
                const YamlNode *item = dagu_item(reader, node, i);
                uint32_t status;

                if (item->kind != YAML_KIND_TEXT || text_parse_u32(item->text, &status) < 0 || status > 255)
                        return dagu_fail(reader, item, "an exit status is a number from 0 to 255");
                text_addf(text, "%s%u", i > 0 ? separator : "", status);
        }
        return 0;
}

/* — continue_on — */

int dagu_read_continue_on(DaguReader *reader, DaguStep *step) {
        static const DaguKey keys[] = {
                { .name = "failure" },
                { .name = "failed" },
                { .name = "skipped" },
                { .name = "exit_code" },
                { .name = "mark_success" },
                { .name = "output", .treatment = DAGU_REFUSE, .text = "nothing looks at what a command prints" },
        };
        const YamlNode *node = dagu_get_default(reader, step->yaml, "continue_on");
        int r;

        if (!node)
                return 0;
        if (node->kind == YAML_KIND_TEXT) {
                step->continues = strcmp(node->text, "failed") == 0 || strcmp(node->text, "failure") == 0;
                step->continues_skipped = strcmp(node->text, "skipped") == 0;
                return step->continues || step->continues_skipped
                               ? 0
                               : dagu_fail(reader, node, "continue_on is '%s', neither 'failed' nor 'skipped'",
                                           node->text);
        }
        if (node->kind != YAML_KIND_MAP)
                return dagu_fail(reader, node, "continue_on is a list");
        r = dagu_check_keys(reader, node, "continue_on", keys, ELEMENTSOF(keys));
        if (r == 0)
                r = MIN(dagu_get_bool(reader, node, "failed", &step->continues), 0);
        if (r == 0)
                r = MIN(dagu_get_bool(reader, node, "failure", &step->continues), 0);
        return r < 0 ? r : MIN(dagu_get_bool(reader, node, "skipped", &step->continues_skipped), 0);
}

static int set_continue_on(DaguReader *reader, const DaguStep *step, ImportTask *task) {
        const YamlNode *node = dagu_get_default(reader, step->yaml, "continue_on"),
                       *codes = dagu_get(reader, node, "exit_code");
        bool marks = false;
        int r = MIN(dagu_get_bool(reader, node, "mark_success", &marks), 0);

        if (step->continues)
                text_add(&task->settings, "FailurePolicy=continue\n");
        if (r == 0 && marks && step->continues)
                r = dagu_note(reader, node, "mark_success",
                              "has no counterpart for each failure: the run is PARTIAL then, which is a success for "
                              "OnSuccess=");
        if (r < 0 || dagu_count(codes) == 0)
                return r;
        text_add(&task->settings, "SuccessExitStatus=");
        r = add_statuses(reader, codes, " ", &task->settings);
        text_add_char(&task->settings, '\n');
        if (r == 0 && !marks)
                r = dagu_note(reader, codes, "exit_code",
                              "of continue_on has no counterpart but success: the run is not PARTIAL because of it");
        return r;
}

/* — retry_policy — */

static int set_backoff(DaguReader *reader, const YamlNode *node, Text *text) {
        const YamlNode *backoff = dagu_get(reader, node, "backoff");
        uint32_t most = 0;
        int r = dagu_get_u32(reader, node, "max_interval_sec", &most);

        if (r < 0 || !backoff || yaml_bool(backoff) == 0)
                return MIN(r, 0);
        if (backoff->kind != YAML_KIND_TEXT)
                return dagu_fail(reader, backoff, "backoff is neither a switch nor a number");
        text_add(text, "RetryBackoff=exponential\n");
        /* Dagu has no bound by itself. */
        if (most > 0)
                text_addf(text, "RetryMaxDelaySec=%u\n", most);
        else
                text_add(text, "RetryMaxDelaySec=infinity\n");
        if (yaml_bool(backoff) < 0 && strcmp(backoff->text, "2") != 0 && strcmp(backoff->text, "2.0") != 0)
                return dagu_note(reader, backoff, "backoff",
                                 "has no counterpart but 2: the time before a retry doubles");
        return 0;
}

static int set_retry(DaguReader *reader, const YamlNode *step, bool has_timeout, ImportTask *task) {
        static const DaguKey keys[] = { { .name = "limit" },
                                        { .name = "interval_sec" },
                                        { .name = "backoff" },
                                        { .name = "max_interval_sec" },
                                        { .name = "exit_code" } };
        const YamlNode *node = dagu_get_default(reader, step, "retry_policy"), *codes;
        uint32_t limit = 0, interval = 0;
        int r;

        if (!node)
                return 0;
        if (node->kind != YAML_KIND_MAP)
                return dagu_fail(reader, node, "retry_policy is not a map");
        r = dagu_check_keys(reader, node, "retry_policy", keys, ELEMENTSOF(keys));
        if (r == 0)
                r = MIN(dagu_get_u32(reader, node, "limit", &limit), 0);
        if (r == 0)
                r = MIN(dagu_get_u32(reader, node, "interval_sec", &interval), 0);
        if (r < 0 || limit == 0)
                return r;
        text_addf(&task->settings, "Retry=%u\nRetryDelaySec=%u\n", limit, interval);
        r = set_backoff(reader, node, &task->settings);
        if (r == 0 && has_timeout)
                r = dagu_note(reader, node, "retry_policy",
                              "also tries a step again that was too late (TimeoutSec=); Dagu does not");
        codes = dagu_get(reader, node, "exit_code");
        if (r < 0 || dagu_count(codes) == 0)
                return r;
        text_add(&task->settings, "RetryExitStatus=");
        r = add_statuses(reader, codes, " ", &task->settings);
        text_add_char(&task->settings, '\n');
        return r;
}

/* — repeat_policy — */

/* The test of the shell after which the command is repeated; $s is its exit status. */
static int add_repeat_test(DaguReader *reader, const YamlNode *step, const YamlNode *node, bool is_until, Text *tail) {
        const YamlNode *codes = dagu_get(reader, node, "exit_code");
        int r;

        text_add(tail, is_until ? "if ! { " : "if { ");
        if (dagu_get(reader, node, "condition")) {
                cleanup_(text_deinit) Text test = {};
                const YamlNode *condition = dagu_get(reader, node, "condition"),
                               *expected = dagu_get(reader, node, "expected");

                if (expected)
                        return dagu_fail(reader, expected,
                                         "expected of repeat_policy has no counterpart; a condition that is a command "
                                         "has one");
                r = dagu_add_conditions(reader, step, condition, &test);
                if (r < 0)
                        return r;
                text_add(tail, test.string);
        } else if (dagu_count(codes) > 0) {
                text_add(tail, "case $s in ");
                r = add_statuses(reader, codes, "|", tail);
                if (r < 0)
                        return r;
                text_add(tail, ") true;; *) false;; esac");
        } else
                text_add(tail, "[ $s -eq 0 ]");
        text_add(tail, "; }; then s=75; fi\n");
        return 0;
}

static int read_repeat(DaguReader *reader, const YamlNode *node, bool *ret_is_until) {
        const YamlNode *repeat = dagu_get(reader, node, "repeat");

        *ret_is_until = false;
        if (!repeat)
                return dagu_fail(reader, node, "repeat_policy does not say 'repeat: while' or 'repeat: until'");
        if (repeat->kind == YAML_KIND_TEXT && strcmp(repeat->text, "until") == 0)
                *ret_is_until = true;
        else if (repeat->kind != YAML_KIND_TEXT || (strcmp(repeat->text, "while") != 0 && yaml_bool(repeat) < 0))
                return dagu_fail(reader, repeat, "repeat is neither 'while' nor 'until'");
        return yaml_bool(repeat) != 0;
}

int dagu_add_repeat(DaguReader *reader, const YamlNode *step, Text *tail, ImportTask *task) {
        static const char growth[] = "of repeat_policy has no counterpart: the time between repetitions stays the same";
        static const DaguKey keys[] = {
                { .name = "repeat" },
                { .name = "interval_sec" },
                { .name = "limit" },
                { .name = "condition" },
                { .name = "expected" },
                { .name = "exit_code" },
                { .name = "backoff", .treatment = DAGU_NOTE, .text = growth },
                { .name = "max_interval_sec", .treatment = DAGU_NOTE, .text = growth },
        };
        const YamlNode *node = dagu_get_default(reader, step, "repeat_policy");
        uint32_t limit = 0, interval = 0;
        bool is_until = false;
        int r;

        if (!node)
                return 0;
        if (node->kind != YAML_KIND_MAP)
                return dagu_fail(reader, node, "repeat_policy is not a map");
        r = dagu_check_keys(reader, node, "repeat_policy", keys, ELEMENTSOF(keys));
        if (r == 0)
                r = MIN(dagu_get_u32(reader, node, "limit", &limit), 0);
        if (r == 0)
                r = MIN(dagu_get_u32(reader, node, "interval_sec", &interval), 0);
        if (r == 0)
                r = read_repeat(reader, node, &is_until);
        if (r <= 0)
                return r;
        if (dagu_get_default(reader, step, "retry_policy"))
                return dagu_fail(reader, node, "repeat_policy beside retry_policy has no counterpart: an attempt is "
                                               "counted once");
        /* "Not yet" is the only use of that status. */
        text_add(tail, "[ $s -ne 75 ] || s=1\n");
        if (limit > 0)
                text_addf(tail, "if [ \"$JOBD_ATTEMPT\" -lt %u ]; then\n", limit);
        r = add_repeat_test(reader, step, node, is_until, tail);
        text_add(tail, limit > 0 ? "fi\n" : "");
        text_addf(&task->settings, "AgainSec=%u\n", MAX(interval, 1U));
        return r;
}

/* — the rest — */

static int set_signal(DaguReader *reader, const YamlNode *step, ImportTask *task) {
        static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";
        const YamlNode *node = dagu_get_default(reader, step, "signal_on_stop");

        if (!node)
                return 0;
        if (node->kind != YAML_KIND_TEXT || !*node->text || node->text[strspn(node->text, letters)])
                return dagu_fail(reader, node, "signal_on_stop is not the name of a signal");
        text_addf(&task->settings, "KillSignal=%s\n", node->text);
        return 0;
}

int dagu_set_policies(DaguReader *reader, const DaguStep *step, ImportTask *task) {
        const YamlNode *defaults = dagu_get(reader, reader->root, "defaults");
        uint32_t timeout = 0;
        int r = dagu_get_u32(reader, step->yaml, "timeout_sec", &timeout);

        if (r == 0)
                r = dagu_get_u32(reader, defaults, "timeout_sec", &timeout);
        if (r >= 0 && timeout > 0)
                text_addf(&task->settings, "TimeoutSec=%u\n", timeout);
        r = MIN(r, 0);
        if (r == 0)
                r = set_retry(reader, step->yaml, timeout > 0, task);
        if (r == 0)
                r = set_continue_on(reader, step, task);
        if (r == 0)
                r = set_signal(reader, step->yaml, task);
        /* After the end of the machine Dagu goes on with nothing. */
        text_add(&task->settings, "Recover=fail\n");
        return r;
}
