/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Targets of OnBegin=, OnResult= and Notify=
 *
 * The value of OnBegin= and OnResult= is a target; that of Notify= has one as
 * its first word, and then the events that it is told. The words of a target
 * are taken as they are: what changes from run to run is in the object that
 * a command reads and a signal carries.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/directive_command.h"
#include "unitfile/directive_value.h"
#include "unitfile/file_word.h"
#include "unitfile/flow_target.h"

#define EXEC_PREFIX "exec:"
#define SIGNAL_PREFIX "signal:"
#define UNIT_PREFIX "unit:"
#define NODE_PREFIX "node-"

static void deinit(FlowTarget *target) {
        exec_command_free_all(target->command);
        free(target->name);
        free(target->text);
}

static void clear_targets(FlowTargets *targets) {
        for (size_t i = 0; i < targets->n; i++)
                deinit(&targets->items[i]);
        vector_clear(targets);
}

void flow_targets_deinit(FlowTargets *targets) {
        clear_targets(targets);
        vector_deinit(targets);
}

FlowEvents flow_targets_events(const FlowTargets *targets) {
        FlowEvents events = 0;

        for (size_t i = 0; i < targets->n; i++)
                events |= targets->items[i].events;
        return events;
}

/* — events — */

static void write_word(const char *prefix, const char *state, char word[static FLOW_EVENT_WORD_MAX]) {
        snprintf(word, FLOW_EVENT_WORD_MAX, "%s%s", prefix, state);
        for (char *at = word; *at; at++)
                *at = (char) tolower((unsigned char) *at);
}

void flow_event_write_run(RunState state, char word[static FLOW_EVENT_WORD_MAX]) {
        write_word("", run_state_to_string(state), word);
}

void flow_event_write_node(RunNodeState state, char word[static FLOW_EVENT_WORD_MAX]) {
        write_word(NODE_PREFIX, run_node_state_to_string(state), word);
}

static FlowEvents run_events(bool only_ends) {
        FlowEvents events = 0;

        for (unsigned i = 0; i < _RUN_STATE_MAX; i++)
                if (!only_ends || run_state_is_terminal((RunState) i))
                        events |= FLOW_EVENT_RUN(i);
        return events;
}

static FlowEvents node_events(bool only_ends) {
        FlowEvents events = 0;

        for (unsigned i = 0; i < _RUN_NODE_STATE_MAX; i++)
                if (!only_ends || run_node_state_is_terminal((RunNodeState) i))
                        events |= FLOW_EVENT_NODE(i);
        return events;
}

/* 0: there is no such event. */
static FlowEvents find_event(const char *word) {
        const struct {
                const char *word;
                FlowEvents events;
        } groups[] = {
                { "run", run_events(false) },    { "ended", run_events(true) },    { "node", node_events(false) },
                { "node-ended", node_events(true) }, { "alarm", FLOW_EVENT_ALARM }, { "summary", FLOW_EVENT_SUMMARY },
        };
        char known[FLOW_EVENT_WORD_MAX];

        for (size_t i = 0; i < ELEMENTSOF(groups); i++)
                if (strcmp(groups[i].word, word) == 0)
                        return groups[i].events;
        for (unsigned i = 0; i < _RUN_STATE_MAX; i++) {
                flow_event_write_run((RunState) i, known);
                if (strcmp(known, word) == 0)
                        return FLOW_EVENT_RUN(i);
        }
        for (unsigned i = 0; i < _RUN_NODE_STATE_MAX; i++) {
                flow_event_write_node((RunNodeState) i, known);
                if (strcmp(known, word) == 0)
                        return FLOW_EVENT_NODE(i);
        }
        return 0;
}

/* 1, 0 if it was complained about, or -ENOMEM. */
static int parse_events(const DirectiveLine *line, const char *at, FlowEvents *ret_events) {
        *ret_events = 0;
        for (;;) {
                cleanup_free_ char *word = NULL;
                FlowEvents events;
                int r = directive_next_word(line, &at, &word);

                if (r < 0)
                        return r == -EINVAL ? 0 : r;
                if (r == 0)
                        break;
                events = find_event(word);
                if (events == 0)
                        return directive_complain(line,
                                                  "'%s' is not an event: there are run, ended, node, node-ended, alarm "
                                                  "and summary, states of a run such as failed and suspended, and "
                                                  "states of a node such as node-failed",
                                                  word);
                *ret_events |= events;
        }
        if (*ret_events == 0)
                return directive_complain(line, "The target is followed by no event, such as failed or ended");
        return 1;
}

/* — targets — */

static bool has_values(const ExecCommand *command) {
        for (char *const *word = command->argv; *word; word++)
                if (strstr(*word, "%{"))
                        return true;
        return false;
}

/* As above. */
static int parse_command(const DirectiveLine *line, const char *text, FlowTarget *target) {
        int r;

        if (text[strspn(text, " \t")] == '\0')
                return directive_complain(line, "After " EXEC_PREFIX " there is no command");
        r = directive_add_command(line, text, &target->command);
        if (r < 0 || !target->command)
                return r;
        if (target->command->next)
                return directive_complain(line, "'%s' has a second command; write a line for each", text);
        if (has_values(target->command))
                return directive_complain(line,
                                          "'%s' has a value of the run, which is not put in here: the command gets all "
                                          "values as an object on its standard input",
                                          text);
        return 1;
}

/* As above. */
static int parse_signal(const DirectiveLine *line, const char *text, FlowTarget *target) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
        int r = directive_expand(line, text, &target->name);

        if (r <= 0)
                return r;
        if (target->name[strspn(target->name, letters)] != '\0' || strlen(target->name) > FLOW_SIGNAL_NAME_MAX)
                return directive_complain(line,
                                          "'%s' cannot be the name of a signal: after " SIGNAL_PREFIX
                                          " write nothing, or letters, digits, '_', '.' and '-', at most %u",
                                          target->name, FLOW_SIGNAL_NAME_MAX);
        return 1;
}

/* As above: a name, and the mode of the job. */
static int parse_unit(const DirectiveLine *line, const char *text, FlowTarget *target) {
        cleanup_free_ char *mode = NULL, *more = NULL;
        int r = directive_next_word(line, &text, &target->name), known;

        if (r == 0)
                return directive_complain(line, "After " UNIT_PREFIX " there is no unit, such as tell.service");
        if (r > 0)
                r = directive_next_word(line, &text, &mode);
        if (r > 0)
                r = directive_next_word(line, &text, &more);
        if (r < 0)
                return r == -EINVAL ? 0 : r;
        if (!unit_name_is_valid(target->name) || unit_name_is_template(target->name))
                return directive_complain(line, "'%s' is not a unit name%s", target->name,
                                          unit_name_is_valid(target->name)
                                                  ? " (it is a template, which needs an instance)"
                                                  : directive_unit_name_hint(target->name));
        if (more)
                return directive_complain(line, "'%s' is too much: after " UNIT_PREFIX
                                          " there are a unit and the mode of its job", more);
        known = mode ? (int) job_mode_from_string(mode) : (int) JOB_REPLACE;
        if (known < 0)
                return directive_complain(line, "'%s' is not a mode of jobs, such as replace and fail", mode);
        target->mode = (JobMode) known;
        return 1;
}

/* As above. */
static int parse_target(const DirectiveLine *line, const char *text, FlowTarget *target) {
        static const struct {
                const char *prefix;
                int (*parse)(const DirectiveLine *line, const char *text, FlowTarget *target);
        } kinds[_FLOW_TARGET_KIND_MAX] = {
                [FLOW_TARGET_EXEC] = { EXEC_PREFIX, parse_command },
                [FLOW_TARGET_SIGNAL] = { SIGNAL_PREFIX, parse_signal },
                [FLOW_TARGET_UNIT] = { UNIT_PREFIX, parse_unit },
        };

        for (unsigned i = 0; i < ELEMENTSOF(kinds); i++)
                if (text_starts_with(text, kinds[i].prefix)) {
                        target->kind = (FlowTargetKind) i;
                        return kinds[i].parse(line, text + strlen(kinds[i].prefix), target);
                }
        return directive_complain(line,
                                  "'%s' is not a target such as exec:/usr/local/bin/tell, signal:NAME and "
                                  "unit:tell.service", text);
}

static int add(const DirectiveLine *line, const char *value, const char *text, FlowEvents events) {
        FlowTargets *targets = directive_field(line);
        FlowTarget target = { .events = events, .text = strdup(value) };
        int r = target.text ? parse_target(line, text, &target) : -ENOMEM;

        if (r > 0)
                r = vector_push(targets, target);
        else
                r = r < 0 ? r : -EINVAL;
        if (r < 0)
                deinit(&target);
        return r == -EINVAL ? 0 : r;
}

int flow_parse_targets(const DirectiveLine *line, const char *value) {
        if (!*value) {
                clear_targets(directive_field(line));
                return 0;
        }
        return add(line, value, value, 0);
}

int flow_parse_notify(const DirectiveLine *line, const char *value) {
        cleanup_free_ char *text = NULL;
        const char *at = value;
        FlowEvents events;
        int r;

        if (!*value) {
                clear_targets(directive_field(line));
                return 0;
        }
        /* The target is a word; what is escaped in it is the command's. */
        r = file_word_next(&at, FILE_WORD_UNQUOTE | FILE_WORD_KEEP_ESCAPES, &text);
        if (r == -EINVAL)
                return directive_complain(line, "'%s' has an unclosed quote", value);
        if (r <= 0)
                return r;
        r = parse_events(line, at, &events);
        return r > 0 ? add(line, value, text, events) : r;
}
