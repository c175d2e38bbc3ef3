/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Expectations about events
 */

#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "sim/json_match.h"
#include "sim/sim_expect.h"

static int tell_unexpected(Failure *ret_failure, const char *what, const json_t *expected, const json_t *got,
                          const char *where) {
        cleanup_free_ char *expected_text = json_dumps(expected, JSON_COMPACT);
        cleanup_free_ char *got_text = got ? json_dumps(got, JSON_COMPACT) : NULL;

        failure_set(ret_failure, -EBADMSG, "Unexpected", "%s%s%s\n  expected %s\n  got      %s", what,
                    where && where[0] ? ", different at " : "", where ?: "", expected_text ?: "?",
                    got_text ?: "nothing");
        return SIM_E_UNEXPECTED;
}

int sim_verb_expect(Sim *sim, const SimLine *line, Failure *ret_failure) {
        cleanup_free_ char *where = NULL;

        if (json_match_contains(sim->events.last, line->json, &where))
                return SIM_E_SUCCESS;
        return tell_unexpected(ret_failure, "the last event is different", line->json, sim->events.last, where);
}

static const json_t *find_event(const Sim *sim, const json_t *expected) {
        const json_t *event;
        size_t i;

        json_array_foreach(sim->events.since, i, event)
                if (json_match_contains(event, expected, NULL))
                        return event;
        return NULL;
}

int sim_verb_expect_event(Sim *sim, const SimLine *line, Failure *ret_failure) {
        if (find_event(sim, line->json))
                return SIM_E_SUCCESS;
        return tell_unexpected(ret_failure, "no event since the last command is this", line->json, sim->events.since,
                               NULL);
}

int sim_verb_expect_no_event(Sim *sim, const SimLine *line, Failure *ret_failure) {
        const json_t *event = find_event(sim, line->json);

        if (!event)
                return SIM_E_SUCCESS;
        return tell_unexpected(ret_failure, "this should not have happened", line->json, event, NULL);
}

/* An attempt of a node: "7/a" */
static bool begins_attempt(const json_t *event, const char *word) {
        const char *slash = strchr(word, '/'), *dash = memrchr(word, '-', (size_t) (slash - word));
        json_int_t run = json_integer_value(json_object_get(event, "run"));

        return text_equal(json_string_value(json_object_get(event, "ev")), "attempt") &&
               text_equal(json_string_value(json_object_get(event, "state")), "started") &&
               text_equal(json_string_value(json_object_get(event, "node")), slash + 1) &&
               strtoll(dash ? dash + 1 : word, NULL, 10) == run;
}

/* "a.service", or "start:a.service" */
static bool begins(const json_t *event, const char *word) {
        const char *run = json_string_value(json_object_get(event, "run")), *unit;

        if (strchr(word, '/'))
                return begins_attempt(event, word);
        if (!text_equal(json_string_value(json_object_get(event, "ev")), "trigger") || !run)
                return false;
        unit = strchr(word, ':');
        if (unit && (strlen(run) != (size_t) (unit - word) || !text_starts_with(word, run)))
                return false;
        return text_equal(json_string_value(json_object_get(event, "unit")), unit ? unit + 1 : word);
}

/* The words are a part of what began, in this order. */
int sim_verb_expect_order(Sim *sim, const SimLine *line, Failure *ret_failure) {
        size_t at = 0, n = json_array_size(sim->events.since);

        for (size_t i = 1; i < line->n_words; i++, at++) {
                while (at < n && !begins(json_array_get(sim->events.since, at), line->words[i]))
                        at++;
                if (at < n)
                        continue;
                failure_set(ret_failure, -EBADMSG, "Unexpected", "%s did not begin%s%s since the last command",
                            line->words[i], i > 1 ? " after " : "", i > 1 ? line->words[i - 1] : "");
                return SIM_E_UNEXPECTED;
        }
        return SIM_E_SUCCESS;
}
