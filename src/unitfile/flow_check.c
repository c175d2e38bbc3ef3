/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks of flow units
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "run/run_word.h"
#include "unitfile/flow_check.h"
#include "unitfile/flow_graph.h"
#include "unitfile/flow_policy_program.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_draft.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

/* — nodes — */

static int refuse_node(UnitDraft *draft, const FlowNode *node, const FlowPlace *place, const char *setting,
                       const char *message) {
        const char *file = place->file;
        unsigned line = 0;

        /* A rule between settings knows where the node is; the line of the setting is found again. */
        if (place == &node->place)
                line = unit_draft_find_node_setting(draft, node->name, setting, &file);
        return unit_draft_refuse(draft, file, line > 0 ? line : place->line, setting, "Node %s: %s.", node->name,
                                 message);
}

static int check_compensation(UnitDraft *draft, const FlowNode *node) {
        const ExecCommand *second = node->compensation ? node->compensation->next : NULL;
        FlowPlace place = { .file = second ? second->file : NULL, .line = second ? second->line : 0 };

        return !second ? 0
                       : refuse_node(draft, node, &place, "Compensate",
                                     "it has a second command that undoes it; write one that does both, or an empty "
                                     "Compensate= first, to replace the command");
}

static int check_command(UnitDraft *draft, const FlowNode *node) {
        const ExecCommand *second = node->command ? node->command->next : NULL;
        FlowPlace place = { .file = second ? second->file : NULL, .line = second ? second->line : 0 };

        if (node->script && node->command)
                return refuse_node(draft, node, &node->place, "Script",
                                   "it has Exec=, too; a node does one thing, so make it two nodes");
        if (!second)
                return check_compensation(draft, node);
        return refuse_node(draft, node, &place, "Exec",
                           "it has a second command; a node has one, so make it two nodes (or write an empty Exec= "
                           "first, to replace the command)");
}

/* A job of a unit is all that its node does. */
static int check_unit(UnitDraft *draft, const FlowNode *node) {
        if (!node->unit)
                return 0;
        if (flow_node_has_process(node))
                return refuse_node(draft, node, &node->place, "Unit",
                                   node->script ? "it has Script=, too; a node does one thing, so make it two nodes"
                                                : "it has Exec=, too; a node does one thing, so make it two nodes");
        if (node->claim.needs.n > 0)
                return refuse_node(draft, node, &node->place, "Needs",
                                   "a job takes no resources; what the unit may use belongs in its own file");
        if (node->operation == FLOW_STOP && node->wait_for == FLOW_WAIT_FOR_ACTIVE)
                return refuse_node(draft, node, &node->place, "WaitFor",
                                   "a unit that is stopped does not become active");
        return 0;
}

/* So is a run of another flow. */
static int check_flow(UnitDraft *draft, const FlowNode *node) {
        if (node->sub_params && !node->flow)
                return refuse_node(draft, node, &node->sub_params_place, "SubParams", "it has no Flow=");
        if (!node->flow)
                return 0;
        if (flow_node_has_process(node) || node->unit)
                return refuse_node(draft, node, &node->place, "Flow",
                                   node->unit     ? "it has Unit=, too; a node does one thing, so make it two nodes"
                                   : node->script ? "it has Script=, too; a node does one thing, so make it two nodes"
                                                  : "it has Exec=, too; a node does one thing, so make it two nodes");
        if (node->claim.needs.n > 0)
                return refuse_node(draft, node, &node->place, "Needs",
                                   "a run of a flow takes no resources; what its nodes need belongs in its own file");
        if (strcmp(node->flow, draft->name) == 0)
                return refuse_node(draft, node, &node->place, "Flow", "a run would be a part of itself");
        return 0;
}

/* A node that sleeps has no other work, and takes nothing that others could use. */
static int check_sleep(UnitDraft *draft, const FlowNode *node) {
        const char *setting = node->sleep > 0 ? "SleepSec" : "SleepUntil";

        if (node->sleep == 0 && !node->sleep_until)
                return 0;
        if (node->sleep > 0 && node->sleep_until)
                return refuse_node(draft, node, &node->place, "SleepUntil", "it has SleepSec=, too");
        if (flow_node_has_process(node))
                return refuse_node(draft, node, &node->place, setting,
                                   node->script ? "it has Script=, too; make it two nodes, of which one sleeps"
                                                : "it has Exec=, too; make it two nodes, of which one sleeps");
        if (node->unit || node->flow)
                return refuse_node(draft, node, &node->place, setting,
                                   node->unit ? "it has Unit=, too; make it two nodes, of which one sleeps"
                                              : "it has Flow=, too; make it two nodes, of which one sleeps");
        if (node->claim.needs.n > 0)
                return refuse_node(draft, node, &node->place, setting,
                                   "it has Needs=, too, and a node that sleeps uses no resources");
        return 0;
}

/* A status that says two things. */
static int check_statuses(UnitDraft *draft, const FlowNode *node) {
        if (flow_statuses_meet(&node->retry_exit_status, &node->no_retry_exit_status))
                return refuse_node(draft, node, &node->place, "RetryExitStatus",
                                   "an exit status is in NoRetryExitStatus=, too");
        if (flow_statuses_meet(&node->pending_exit_status, &node->success_exit_status))
                return refuse_node(draft, node, &node->place, "PendingExitStatus",
                                   "an exit status is in SuccessExitStatus=, too");
        if (flow_statuses_meet(&node->again_exit_status, &node->success_exit_status) ||
            flow_statuses_meet(&node->again_exit_status, &node->pending_exit_status))
                return refuse_node(draft, node, &node->place, "AgainExitStatus",
                                   "an exit status is in SuccessExitStatus= or PendingExitStatus=, too");
        return 0;
}

/* — references — */

typedef struct ReferenceCheck {
        UnitDraft *draft; /* borrowed, as all of it */
        const FlowNode *node; /* NULL: the commands of [Flow] */
        const char *file, *setting;
        unsigned line;
        bool is_of_instance; /* with Foreach= there is an item */
} ReferenceCheck;

static const char *section_of(const UnitDraft *draft) {
        return draft->type == UNIT_BATCH ? "Batch" : draft->type == UNIT_STREAM ? "Stream" : "Flow";
}

static int check_reference(const ReferenceCheck *check, const RunReference *reference) {
        const FlowSettings *flow = check->draft->section.own;
        const char *problem = NULL;

        switch (reference->kind) {
        case RUN_REFERENCE_PARAM:
                if (!run_params_find(&flow->params, reference->name))
                        return unit_draft_refuse(check->draft, check->file, check->line, check->setting,
                                                 "Params= of [%s] has no parameter '%s'.",
                                                 section_of(check->draft), reference->name);
                break;
        case RUN_REFERENCE_ITEM:
                if (check->draft->type == UNIT_BATCH) {
                        problem = check->node ? NULL : "there is an item in Exec= alone";
                        break;
                }
                if (check->draft->type == UNIT_STREAM) {
                        problem = "a stream has elements: write %{group}, %{sequence} or %{key}";
                        break;
                }
                problem = !check->node || !check->node->foreach ? "there is no Foreach=" :
                          !check->is_of_instance              ? "it is judged before there are items" :
                                                                NULL;
                break;
        case RUN_REFERENCE_RETRY:
                problem = "there is no RetryValues=";
                break;
        case RUN_REFERENCE_STATE:
        case RUN_REFERENCE_RESULT:
        case RUN_REFERENCE_CAUSE:
                problem = check->draft->type == UNIT_BATCH    ? "a batch has no nodes" :
                          check->draft->type == UNIT_STREAM   ? "a stream has no nodes" :
                                                                NULL;
                break;
        case RUN_REFERENCE_ELEMENT:
                problem = check->draft->type != UNIT_STREAM ? "there are elements in a stream alone" :
                          !check->node                      ? "there is an element in Exec= alone" :
                                                              NULL;
                break;
        case RUN_REFERENCE_TRIGGER:
        case RUN_REFERENCE_RUN_ID:
        case RUN_REFERENCE_RUN_NAME:
                break;
        }
        return problem ? unit_draft_refuse(check->draft, check->file, check->line, check->setting,
                                           "%s has no value: %s.", reference->text, problem)
                       : 0;
}

static int check_expression(const ReferenceCheck *check, const char *text) {
        cleanup_free_ char *problem = NULL;
        RunExpression *expression = NULL;
        const RunReference *references;
        size_t n;
        int r = run_expression_parse(text, &expression, &problem);

        if (r < 0)
                return r;
        references = run_expression_references(expression, &n);
        for (size_t i = 0; i < n && r == 0; i++)
                r = check_reference(check, &references[i]);
        run_expression_free(expression);
        return r;
}

static int check_when(UnitDraft *draft, const FlowNode *node) {
        const ReferenceCheck check = { draft, node, node->when_place.file, "When", node->when_place.line, false };

        if (node->when && node->otherwise)
                return refuse_node(draft, node, &node->when_place, "When", "it has Otherwise=, too");
        return node->when ? check_expression(&check, node->when) : 0;
}

/* A setting that would be done once, or be lost, although each item has an instance; NULL: none. */
static const char *find_no_foreach(const FlowNode *node) {
        if (node->script)
                return "it has Script=, too, whose lines would not know their item; write Exec= with %{item}";
        if (node->unit)
                return "it has Unit=, too, of which each item would ask the same; write Exec= with %{item}";
        if (node->sleep > 0 || node->sleep_until)
                return "it sleeps with SleepSec= or SleepUntil=, which would be the same for each item";
        if (!node->command && !node->flow)
                return "it has neither Exec= nor Flow=, which would be done for each item";
        if (node->compensation)
                return "it has Compensate=, too, which would run once, without an item, for all that was done";
        if (node->data.drops_result)
                return "it has KeepResult=no, too, and its result is made of the results that each item has left";
        return NULL;
}

static int check_foreach(UnitDraft *draft, const FlowNode *node) {
        const ReferenceCheck check = {
                draft, node, node->foreach_place.file, "Foreach", node->foreach_place.line, false
        };

        const char *problem = node->foreach ? find_no_foreach(node) : NULL;

        if (problem)
                return refuse_node(draft, node, &node->foreach_place, "Foreach", problem);
        return node->foreach ? check_expression(&check, node->foreach) : 0;
}

static int check_word(const ReferenceCheck *check, const char *text) {
        cleanup_free_ char *problem = NULL;
        RunWord *word = NULL;
        int r;

        if (!strstr(text, "%{"))
                return 0;
        r = run_word_parse(text, &word, &problem);
        for (size_t i = 0; r == 0 && i < run_word_count(word); i++)
                r = check_reference(check, run_word_reference(word, i));
        run_word_free(word);
        return r == -EINVAL ? 0 : r;
}

/* The values of the run that words of commands have. */
int flow_check_words(UnitDraft *draft, const FlowNode *node, const ExecCommand *command, const char *setting) {
        int r = 0;

        for (; command && r == 0; command = command->next) {
                const ReferenceCheck check = { draft, node, command->file, setting, command->line, true };

                for (char *const *word = command->argv; word && *word && r == 0; word++)
                        r = check_word(&check, *word);
        }
        return r;
}

static int check_sub_params(UnitDraft *draft, const FlowNode *node) {
        const FlowPlace *place = &node->sub_params_place;
        const ReferenceCheck check = { draft, node, place->file, "SubParams", place->line, true };
        int r = 0;

        for (char *const *word = node->sub_params; word && *word && r == 0; word++)
                r = check_word(&check, *word);
        return r;
}

static int check_process(UnitDraft *draft, const FlowNode *node, const FlowProcess *process) {
        int r = flow_check_words(draft, node, process->commands[FLOW_EXEC_START_PRE], "ExecStartPre");

        return r < 0 ? r : flow_check_words(draft, node, process->commands[FLOW_EXEC_STOP_POST], "ExecStopPost");
}

/* — data — */

static int check_data(UnitDraft *draft, const FlowNode *node) {
        const FlowData *data = &node->data;

        if (data->data && data->data_file)
                return refuse_node(draft, node, &node->place, "DataFile", "it has Data=, too");
        if (data->drops_result && data->saves_result)
                return refuse_node(draft, node, &node->place, "KeepResult",
                                   "it has Save=, too, which keeps the result in that of the run");
        if (data->drops_result && node->compensation)
                return refuse_node(draft, node, &node->place, "KeepResult",
                                   "it has Compensate=, too, which may want the result");
        if (!flow_node_has_process(node) && node->has_callback)
                return refuse_node(draft, node, &node->place, "Callback",
                                   "it has neither Exec= nor Script=, so that nobody would learn its token");
        if (data->default_on != 0 && !data->standard)
                return refuse_node(draft, node, &node->place, "DefaultOn", "it has no Default=");
        if (!flow_node_has_process(node) && ((data->outputs && !node->flow) || data->inputs.n > 0 ||
                                             data->input_mode != FLOW_INPUT_FILE))
                return refuse_node(draft, node, &node->place,
                                   data->outputs && !node->flow ? "Outputs"
                                   : data->inputs.n > 0         ? "Inputs"
                                                                : "InputMode",
                                   "it has neither Exec= nor Script=, so that nothing would read or write data");
        return 0;
}

/* — parents — */

static bool depends(const FlowNode *node, FlowDependencyKind kind) {
        for (size_t i = 0; i < node->depends_on.n; i++)
                if (node->depends_on.items[i].kind == kind)
                        return true;
        return false;
}

/* Readiness= judges DependsOn= alone. */
static int check_dependencies(UnitDraft *draft, const FlowNode *node) {
        if (depends(node, FLOW_ANY_OF) && (depends(node, FLOW_DEPENDS_ON) || depends(node, FLOW_OPTIONAL_DEPENDS_ON)))
                return refuse_node(draft, node, &node->place, "AnyOf",
                                   "it has other parents, too; put a node without Exec= between, which has AnyOf= "
                                   "alone");
        if (depends(node, FLOW_ANY_OF) && node->readiness_place.file)
                return refuse_node(draft, node, &node->place, "AnyOf",
                                   "it has Readiness=, too, which judges the parents in DependsOn=");
        if (depends(node, FLOW_OPTIONAL_DEPENDS_ON) && !depends(node, FLOW_DEPENDS_ON) && node->readiness_place.file)
                return refuse_node(draft, node, &node->readiness_place, "Readiness",
                                   "it judges the parents in DependsOn=, and there are none");
        return 0;
}

/* @kind: _FLOW_DEPENDENCY_MAX for any. */
static bool has_parent(const FlowNode *node, const char *name, FlowDependencyKind kind) {
        for (size_t i = 0; i < node->depends_on.n; i++)
                if (strcmp(node->depends_on.items[i].name, name) == 0 &&
                    (kind == _FLOW_DEPENDENCY_MAX || node->depends_on.items[i].kind == kind))
                        return true;
        return false;
}

/* Settings that were taken from the section are those of the flow. */
static bool has_command(const UnitDraft *draft, const DraftSection *section) {
        const FlowPolicy *taken = flow_policy_find(draft->section.own, section->name);

        return ((const FlowPolicy *) section->own)->command || (taken && taken->command);
}

/* A node that is judged by a command names one that is there. */
static int check_judge(UnitDraft *draft, const FlowNode *node) {
        const DraftSection *section;

        if (!node->policy)
                return 0;
        section = unit_draft_find_instance(draft, "Policy *", node->policy);
        if (!section)
                return unit_draft_refuse(draft, node->readiness_place.file, node->readiness_place.line, "Readiness",
                                         "Node %s: there is no section [Policy %s], nor, for a node in a unit file, a "
                                         "program policies/%s in the unit path.",
                                         node->name, node->policy, node->policy);
        if (!has_command(draft, section))
                return unit_draft_refuse(draft, node->readiness_place.file, node->readiness_place.line, "Readiness",
                                         "Node %s: [Policy %s] has no Command=, so that nobody would be asked.",
                                         node->name, node->policy);
        return 0;
}

static int check_parents(UnitDraft *draft, const FlowNode *node, const FlowParents *parents, FlowDependencyKind kind,
                         const char *setting) {
        for (size_t i = 0; i < parents->n; i++) {
                const FlowParent *parent = &parents->items[i];

                if (!has_parent(node, parent->name, kind))
                        return unit_draft_refuse(draft, parent->place.file, parent->place.line, setting,
                                                 "Node %s: %s is no parent of it%s.", node->name, parent->name,
                                                 kind == FLOW_DEPENDS_ON ? " in DependsOn=" : "");
        }
        return 0;
}

int flow_check_node(UnitDraft *draft, const DraftSection *section) {
        const FlowNode *node = &((const FlowNodeSettings *) section->own)->node;
        int r = check_command(draft, node);

        if (r == 0)
                r = check_unit(draft, node);
        if (r == 0)
                r = check_flow(draft, node);
        if (r == 0)
                r = check_sub_params(draft, node);
        if (r == 0)
                r = check_sleep(draft, node);
        if (r == 0)
                r = check_statuses(draft, node);
        if (r == 0)
                r = check_data(draft, node);
        if (r == 0)
                r = check_when(draft, node);
        if (r == 0)
                r = check_foreach(draft, node);
        if (r == 0)
                r = flow_check_words(draft, node, node->command, "Exec");
        if (r == 0)
                r = flow_check_words(draft, node, node->compensation, "Compensate");
        if (r == 0)
                r = check_process(draft, node, &((const FlowNodeSettings *) section->own)->process);
        if (r == 0)
                r = check_dependencies(draft, node);
        if (r == 0)
                r = check_judge(draft, node);
        if (r == 0)
                r = check_parents(draft, node, &node->named, FLOW_DEPENDS_ON, "Readiness");
        if (r == 0)
                r = check_parents(draft, node, &node->skip_counts_as, _FLOW_DEPENDENCY_MAX, "SkipCountsAs");
        if (r == 0 && section->resources.slice)
                r = refuse_node(draft, node, &node->place, "Slice",
                                "an attempt is in the control group of the flow; Slice= belongs to [Flow]");
        return r;
}

int flow_complete_node(UnitDraft *draft, DraftSection *instance) {
        FlowNodeSettings *settings = instance->own;
        FlowNode *node = &settings->node;

        if (node->name)
                return 0;
        node->name = strdup(instance->name);
        node->place.line = instance->line;
        return node->name ? flow_settings_keep_file(draft->section.own, instance->file, &node->place.file) : -ENOMEM;
}

/* A word that has values of the run alone; @when: when it is read. */
static int check_early_word(const ReferenceCheck *check, const char *text, const char *when) {
        cleanup_free_ char *problem = NULL;
        RunWord *word = NULL;
        int r = run_word_parse(text, &word, &problem);

        for (size_t i = 0; word && r == 0 && i < run_word_count(word); i++) {
                const RunReference *reference = run_word_reference(word, i);

                if (reference->kind == RUN_REFERENCE_PARAM || reference->kind == RUN_REFERENCE_TRIGGER ||
                    reference->kind == RUN_REFERENCE_RUN_ID)
                        r = check_reference(check, reference);
                else
                        r = unit_draft_refuse(check->draft, check->file, check->line, check->setting,
                                              "%s has no value when %s: param, trigger and run.id have.",
                                              reference->text, when);
        }
        run_word_free(word);
        return r;
}

static int check_policy(UnitDraft *draft, const DraftSection *instance) {
        const FlowPolicy *policy = instance->own;
        const ExecCommand *second = policy->command ? policy->command->next : NULL;

        if (second)
                return unit_draft_refuse(draft, second->file, second->line, "Command",
                                         "Policy %s: it has a second command; write an empty Command= first, to "
                                         "replace the command.",
                                         instance->name);
        for (char *const *word = policy->command ? policy->command->argv : NULL; word && *word; word++) {
                const ReferenceCheck check = { draft, NULL, policy->command->file, "Command", policy->command->line };
                int r = strstr(*word, "%{") ? check_early_word(&check, *word, "a policy is asked") : 0;

                if (r != 0)
                        return r == -EINVAL ? 0 : r;
        }
        return 0;
}

static int check_policies(UnitDraft *draft) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < draft->instances.n; i++)
                if (!draft_section_is_node(draft->instances.items[i]))
                        r = check_policy(draft, draft->instances.items[i]);
        return r;
}

static int check_nodes(UnitDraft *draft) {
        size_t n = 0;
        int r = 0;

        for (size_t i = 0; r == 0 && i < draft->instances.n; i++) {
                DraftSection *instance = draft->instances.items[i];

                if (!draft_section_is_node(instance))
                        continue;
                n++;
                r = flow_complete_node(draft, instance);
                if (r == 0)
                        r = flow_check_node(draft, instance);
        }
        if (r == 0 && n == 0 && !((const FlowSettings *) draft->section.own)->nodes_file && !draft->is_broken)
                r = unit_draft_refuse(draft, draft->state->sources.fragment, 0, NULL,
                                      "The flow has neither a [Node NAME] section nor NodesFile=.");
        return r;
}

/* A run is named before it has nodes. */
static int check_run_name(UnitDraft *draft) {
        const FlowSettings *flow = draft->section.own;
        const ReferenceCheck check = {
                draft, NULL, flow->run_name_place.file, "RunName", flow->run_name_place.line, false
        };

        return flow->run_name ? check_early_word(&check, flow->run_name, "a run gets its name") : 0;
}

static int check_final(UnitDraft *draft) {
        const FlowSettings *flow = draft->section.own;
        const ExecCommand *second = flow->final ? flow->final->next : NULL;

        if (second)
                return unit_draft_refuse(draft, second->file, second->line, "FinalExec",
                                         "There is a second command for the end of a run; write one that does both, "
                                         "or an empty FinalExec= first, to replace the command.");
        return flow_check_words(draft, NULL, flow->final, "FinalExec");
}

int flow_check_runs(UnitDraft *draft) {
        const FlowSettings *flow = draft->section.own;
        int r = check_run_name(draft);

        if (r == 0)
                r = check_final(draft);
        if (flow->process.kill.mode == KILL_MODE_NONE)
                unit_draft_report(draft, UNIT_FILE_WARNING, draft->state->sources.fragment, 0, "KillMode",
                                  "'none' leaves processes behind that jobd does not manage.");
        return r;
}

static int check(UnitDraft *draft) {
        const FlowSettings *flow = draft->section.own;
        int r = check_nodes(draft);

        if (r == 0)
                r = check_process(draft, NULL, &flow->process);
        if (r == 0)
                r = check_policies(draft);
        if (r == 0)
                r = flow_check_runs(draft);
        /* With more nodes in a file the graph is whole only when that is read. */
        return r < 0 || draft->is_broken || flow->nodes_file ? r : flow_graph_check(draft);
}

/* — from the draft to the settings — */

int flow_take_process(DraftSection *section) {
        FlowNodeSettings *settings = section->own;
        FlowProcess *process;

        if (section->lines.n == 0)
                return 0;
        process = malloc(sizeof(*process));
        if (!process)
                return -ENOMEM;
        *process = settings->process;
        memset(&settings->process, 0, sizeof(settings->process));
        settings->node.process = process;
        return 0;
}

static int take_policy(FlowSettings *flow, DraftSection *instance) {
        FlowPolicy *policy = instance->own;
        int r = vector_reserve(&flow->policies, 1);

        if (r == 0)
                r = flow_settings_keep_file(flow, instance->file, &policy->place.file);
        if (r == 0 && !policy->name)
                r = text_copy(instance->name, &policy->name);
        if (r < 0)
                return r;
        policy->place.line = instance->line;
        flow->policies.items[flow->policies.n++] = *policy;
        *policy = (FlowPolicy) {};
        return 0;
}

static int take_instances(UnitDraft *draft) {
        FlowSettings *flow = draft->section.own;
        int r = vector_reserve(&flow->nodes, draft->instances.n);

        for (size_t i = 0; r == 0 && i < draft->instances.n; i++) {
                DraftSection *instance = draft->instances.items[i];
                FlowNodeSettings *settings = instance->own;

                if (!draft_section_is_node(instance)) {
                        r = take_policy(flow, instance);
                        continue;
                }
                r = flow_complete_node(draft, instance);
                if (r == 0)
                        r = flow_take_process(instance);
                if (r < 0)
                        return r;
                flow->nodes.items[flow->nodes.n++] = settings->node;
                settings->node = (FlowNode) {};
        }
        return r;
}

/* A line that a file leaves open, or a section, does not go on in the next one. */
int flow_note_text(UnitDraft *draft, const char *text) {
        FlowSettings *flow = draft->section.own;
        char *whole;
        int r = text_format(&whole, "%s%s\n\n", flow->text ? flow->text : "", text);

        if (r < 0)
                return r;
        free(flow->text);
        flow->text = whole;
        return 0;
}

DEFINE_SETTINGS_NEW(FlowSettings, flow_settings)
DEFINE_SETTINGS_NEW(FlowNodeSettings, flow_node_settings)
DEFINE_SETTINGS_NEW(FlowPolicy, flow_policy)

const SettingsKind flow_node_kind = {
        .make = make_flow_node_settings,
        .size = sizeof(FlowNodeSettings),
        .release = release_flow_node_settings,
        .exec = offsetof(FlowNodeSettings, process.exec),
        .kill = offsetof(FlowNodeSettings, process.kill),
        .resources = offsetof(FlowNodeSettings, node.resources),
};

const SettingsKind flow_policy_kind = {
        .make = make_flow_policy,
        .size = sizeof(FlowPolicy),
        .release = release_flow_policy,
        .exec = SETTINGS_HAVE_NOT,
        .kill = SETTINGS_HAVE_NOT,
        .resources = SETTINGS_HAVE_NOT,
};

usec_t flow_limit(const void *settings, bool is_stop) {
        return is_stop ? ((const FlowSettings *) settings)->timeout_stop : USEC_INFINITY;
}

const DraftType flow_draft_type = {
        .has_settings = true,
        .has_defaults = true,
        .settings = {
                .make = make_flow_settings,
                .size = sizeof(FlowSettings),
                .release = release_flow_settings,
                .exec = offsetof(FlowSettings, process.exec),
                .kill = offsetof(FlowSettings, process.kill),
                .resources = offsetof(FlowSettings, resources),
        },
        .note_text = flow_note_text,
        .imply = flow_imply_policy,
        .is_current = flow_policies_are_current,
        .limit = flow_limit,
        .check = check,
        .take_instances = take_instances,
        .add_defaults = unit_draft_add_usual_defaults,
};
