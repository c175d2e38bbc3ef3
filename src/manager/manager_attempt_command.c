/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command of an attempt
 *
 * A question to a command that judges a node runs as the flow says, not as the
 * node does: the judge is the same for all nodes with its policy.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_attempt_command.h"
#include "run/run_page.h"

struct ManagerAttemptCommand {
        const ManagerAttemptState *state; /* borrowed */
        FlowDefinition *definition; /* a reference; NULL: not known yet */
        RunGraph *graph; /* the same, of its run */
        FlowCommand section;
        ExecCommand file; /* reads ItemsFile=: its words are owned */
};

/* The program that reads a part of a file: the disk may be slow, or frozen. */
#define READ_PROGRAM "/bin/dd"

/* The command of a node with Script=. */
static char *const script_words[] = { (char *) "/bin/sh", (char *) "-eu", NULL };
static const ExecCommand script_command = {
        .path = (char *) "/bin/sh", .argv = (char **) script_words, .flags = EXEC_NO_EXPANSION
};

int manager_attempt_command_new(ManagerAttemptCommand **ret_command, const ManagerAttemptState *state) {
        ManagerAttemptCommand *command = calloc(1, sizeof(*command));

        if (!command)
                return -ENOMEM;
        command->state = state;
        *ret_command = command;
        return 0;
}

ManagerAttemptCommand *manager_attempt_command_free(ManagerAttemptCommand *command) {
        if (!command)
                return NULL;
        flow_command_close(&command->section);
        strv_free(command->file.argv);
        run_graph_unref(command->graph);
        flow_definition_unref(command->definition);
        free(command);
        return NULL;
}

void manager_attempt_command_define(ManagerAttemptCommand *command, FlowDefinition *definition, RunGraph *graph) {
        if (command->definition)
                return;
        command->definition = flow_definition_ref(definition);
        command->graph = run_graph_ref(graph);
}

bool manager_attempt_command_is_defined(const ManagerAttemptCommand *command) {
        return command->definition;
}

const char *manager_attempt_command_node_name(const ManagerAttemptCommand *command) {
        return command->definition ? run_graph_name(command->graph, command->state->key.node) : NULL;
}

const FlowSettings *manager_attempt_command_flow(const ManagerAttemptCommand *command) {
        return flow_definition_settings(command->definition);
}

bool manager_attempt_command_is_of_end(const ManagerAttemptCommand *command) {
        return run_graph_is_extra(command->graph, command->state->key.node);
}

bool manager_attempt_command_accepts(const ManagerAttemptCommand *command, uint16_t end) {
        const RunPolicy *policy = run_graph_policy(command->graph, command->state->key.node);

        return end == 0 || policy->success_ends[end / 64] >> end % 64 & 1;
}

static bool is_page(const ManagerAttemptCommand *command) {
        return manager_attempt_state_is_page(command->state);
}

_Static_assert(RUN_PAGE_BYTES_MAX == 1048576, "a page is a block of dd");

/* The command that prints so many bytes from the cursor on as a page can have: 0 or -ENOMEM. */
static int make_file(ManagerAttemptCommand *command, const char *path) {
        static const char *const words[] = { "iflag=skip_bytes,fullblock", "bs=1048576", "count=1",
                                             "status=none" };
        const char *cursor = command->state->item_text;
        char *file = NULL, *skip = NULL;
        uint64_t start;
        int r = 0;

        if (command->file.argv)
                return 0;
        /* A cursor that is none is seen when the page comes. */
        if (run_page_file_start(cursor ?: "", &start) == -ENOMEM)
                return -ENOMEM;
        command->file = (ExecCommand) { .path = (char *) READ_PROGRAM, .flags = EXEC_NO_EXPANSION };
        r = strv_push(&command->file.argv, READ_PROGRAM);
        if (r == 0)
                r = text_format(&file, "if=%s", path);
        if (r == 0)
                r = strv_consume(&command->file.argv, file);
        if (r == 0)
                r = text_format(&skip, "skip=%" PRIu64, start);
        if (r == 0)
                r = strv_consume(&command->file.argv, skip);
        for (size_t i = 0; i < ELEMENTSOF(words) && r == 0; i++)
                r = strv_push(&command->file.argv, words[i]);
        if (r < 0)
                command->file.argv = strv_free(command->file.argv);
        return r;
}

int manager_attempt_command_open(ManagerAttemptCommand *command) {
        int r;

        if (command->section.node)
                return 0;
        r = flow_command_open(&command->section, command->definition,
                              run_graph_origin(command->graph, command->state->key.node));
        if (r == 0 && command->state->is_question)
                command->section.process = &manager_attempt_command_flow(command)->process;
        if (r == 0 && is_page(command) && manager_attempt_command_flow(command)->range.items_file)
                r = make_file(command, manager_attempt_command_flow(command)->range.items_file);
        return r;
}

void manager_attempt_command_close(ManagerAttemptCommand *command) {
        flow_command_close(&command->section);
}

const FlowNode *manager_attempt_command_node(const ManagerAttemptCommand *command) {
        return command->section.node;
}

bool manager_attempt_command_is_extra(const ManagerAttemptCommand *command) {
        return command->section.is_extra;
}

bool manager_attempt_command_undoes_run(const ManagerAttemptCommand *command) {
        return command->section.is_extra && command->section.node->flow && !command->section.node->compensation;
}

const FlowProcess *manager_attempt_command_process(const ManagerAttemptCommand *command) {
        return command->section.process;
}

const FlowData *manager_attempt_command_data(const ManagerAttemptCommand *command) {
        static const FlowData none;

        return command->section.is_extra ? &none : &command->section.node->data;
}

const FlowPolicy *manager_attempt_command_policy(const ManagerAttemptCommand *command) {
        const char *name = command->state->is_question ? command->section.node->policy : NULL;

        return name ? flow_policy_find(manager_attempt_command_flow(command), name) : NULL;
}

const char *manager_attempt_command_script(const ManagerAttemptCommand *command) {
        return command->section.is_extra ? NULL : command->section.node->script;
}

static bool is_prepare(const ManagerAttemptCommand *command) {
        return command->state->is_item && command->state->key.number == MANAGER_ITEM_PREPARE;
}

static const ExecCommand *find_page(const ManagerAttemptCommand *command) {
        const FlowRange *range = &manager_attempt_command_flow(command)->range;

        if (command->state->step != MANAGER_ATTEMPT_MAIN)
                return NULL;
        return range->items_command ? range->items_command : command->file.argv ? &command->file : NULL;
}

usec_t manager_attempt_command_item_timeout(const ManagerAttemptCommand *command) {
        return is_prepare(command) || is_page(command)
                       ? manager_attempt_command_flow(command)->range.prepare_timeout
                       : command->section.node->timeout;
}

const ExecCommand *manager_attempt_command_find(const ManagerAttemptCommand *command) {
        const ManagerAttemptState *state = command->state;
        const FlowProcess *process = command->section.process;
        const FlowPolicy *policy = manager_attempt_command_policy(command);
        const ExecCommand *found = NULL;

        if (state->is_question)
                return policy && state->step == MANAGER_ATTEMPT_MAIN ? policy->command : NULL;
        if (is_prepare(command))
                return state->step == MANAGER_ATTEMPT_MAIN
                               ? manager_attempt_command_flow(command)->range.exec_prepare
                               : NULL;
        if (is_page(command))
                return find_page(command);
        if (state->step == MANAGER_ATTEMPT_MAIN)
                found = manager_attempt_command_script(command) ? &script_command : command->section.command;
        else if (command->section.is_extra)
                return NULL;
        else if (state->step == MANAGER_ATTEMPT_PRE)
                found = process->commands[FLOW_EXEC_START_PRE];
        else if (state->step == MANAGER_ATTEMPT_POST)
                found = process->commands[FLOW_EXEC_STOP_POST];
        for (uint32_t i = 0; found && i < state->index; i++)
                found = found->next;
        return found;
}

bool manager_attempt_command_runs_script(const ManagerAttemptCommand *command) {
        return manager_attempt_command_find(command) == &script_command;
}

static const char *name_of_source(const ManagerAttemptCommand *command) {
        return manager_attempt_command_flow(command)->range.items_command ? "ItemsCommand" : "ItemsFile";
}

const char *manager_attempt_command_setting(const ManagerAttemptCommand *command) {
        const ManagerAttemptState *state = command->state;

        return manager_attempt_command_runs_script(command) ? "Script"
               : state->is_question                         ? "Command"
               : is_prepare(command)                        ? "ExecPrepare"
               : is_page(command)                           ? name_of_source(command)
               : state->step == MANAGER_ATTEMPT_MAIN        ? command->section.setting
               : state->step == MANAGER_ATTEMPT_PRE         ? "ExecStartPre"
                                                            : "ExecStopPost";
}

void manager_attempt_say(const ManagerAttemptBasis *basis, LogLevel level, const char *format, ...) {
        const char *node = manager_attempt_command_node_name(basis->command);
        const uint32_t run = basis->state->key.run;
        cleanup_free_ char *message = NULL;
        va_list arguments;
        int r;

        va_start(arguments, format);
        r = text_vformat(&message, format, arguments);
        va_end(arguments);
        if (r == 0 && node)
                log_write(level, basis->unit->id, "Run %" PRIu32 ", node %s: %s", run, node, message);
        else if (r == 0)
                log_write(level, basis->unit->id, "Run %" PRIu32 ": %s", run, message);
}
