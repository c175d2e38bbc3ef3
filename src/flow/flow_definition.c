/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The definition of runs
 *
 * The number of a node is that of its section or, behind all sections, that
 * of its line in NodesFile=.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/vector.h"
#include "flow/flow_definition.h"
#include "flow/flow_spec.h"
#include "unitfile/flow_text.h"

/* A line takes as long to read as so many nodes to look at while the graph is made. */
#define NODES_A_LINE UINT64_C(10)

struct FlowDefinition {
        unsigned n_references;
        FlowText *flow; /* owned */
        char *text; /* owned: that it was made of */
        char *nodes; /* owned; NULL: there is no NodesFile= */
        VECTOR(uint32_t) places; /* of its lines that have a node: bytes from its beginning */
        FlowSpec *spec; /* owned; NULL once the graph is made */
        FlowNodes reader; /* while .is_reading */
        bool is_reading;
        bool drops_results, saves_results;
        RunGraph *graph; /* owned */
};

static const FlowSettings *settings_of(const FlowDefinition *definition) {
        return flow_text_settings(definition->flow);
}

static int begin(FlowDefinition *definition) {
        int r = flow_spec_new(&definition->spec, settings_of(definition));

        if (r == 0)
                r = flow_spec_add_sections(definition->spec);
        if (r < 0 || !definition->nodes)
                return r;
        r = flow_nodes_begin(&definition->reader, flow_text_draft(definition->flow),
                             settings_of(definition)->nodes_file, definition->nodes);
        definition->is_reading = true;
        return r;
}

int flow_definition_new_with(FlowDefinition **ret_definition, const UnitFileLoader *loader, const char *name,
                             const char *text, char **nodes, Failure *ret_failure) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = calloc(1, sizeof(*definition));
        int r;

        if (!definition)
                return -ENOMEM;
        definition->n_references = 1;
        r = flow_text_read(&definition->flow, loader, name, text, ret_failure);
        if (r < 0)
                return r;
        definition->text = strdup(text);
        if (!definition->text)
                return -ENOMEM;
        if (settings_of(definition)->nodes_file) {
                definition->nodes = *nodes ? take_ptr(*nodes) : strdup("");
                if (!definition->nodes)
                        return -ENOMEM;
        }
        r = begin(definition);
        if (r < 0)
                return r;
        *ret_definition = take_ptr(definition);
        return 0;
}

int flow_definition_new(FlowDefinition **ret_definition, const UnitFileLoader *loader, const char *name,
                        const char *text, const char *nodes, Failure *ret_failure) {
        cleanup_free_ char *copy = NULL;

        if (nodes && !(copy = strdup(nodes)))
                return -ENOMEM;
        return flow_definition_new_with(ret_definition, loader, name, text, &copy, ret_failure);
}

FlowDefinition *flow_definition_ref(FlowDefinition *definition) {
        definition->n_references++;
        return definition;
}

FlowDefinition *flow_definition_unref(FlowDefinition *definition) {
        if (!definition || --definition->n_references > 0)
                return NULL;
        if (definition->is_reading)
                flow_nodes_end(&definition->reader);
        vector_deinit(&definition->places);
        flow_spec_free(definition->spec);
        run_graph_unref(definition->graph);
        flow_text_free(definition->flow);
        free(definition->text);
        free(definition->nodes);
        free(definition);
        return NULL;
}

/* — reading — */

/* One line: 1, 0 at the end, -EBADMSG, -ENOMEM. */
static int read_line(FlowDefinition *definition) {
        const size_t at = (size_t) (definition->reader.next - definition->nodes);
        const uint32_t number = (uint32_t) (settings_of(definition)->nodes.n + definition->places.n);
        FlowNode *node;
        int r = flow_nodes_next(&definition->reader, &node);

        if (r <= 0)
                return r;
        r = vector_push(&definition->places, (uint32_t) at);
        if (r == 0)
                r = flow_spec_add(definition->spec, node, number);
        return r < 0 ? r : 1;
}

/* 1: there is more to do. */
static int make_graph(FlowDefinition *definition, uint64_t budget, Failure *ret_failure) {
        cleanup_free_ char *problem = NULL;
        int r = flow_spec_make(definition->spec, budget, &definition->graph, &problem);

        if (r > 0)
                return r;
        if (r == -EINVAL)
                return failure_set(ret_failure, -EINVAL, "BadUnitSetting", "%s: %s",
                                   flow_text_draft(definition->flow)->name, problem ? problem : strerror(-r));
        definition->drops_results = flow_spec_drops_results(definition->spec);
        definition->saves_results = flow_spec_saves_results(definition->spec);
        /* Giving back what a large one was made of takes steps, too. */
        if (r == 0 && run_graph_count(definition->graph) > budget)
                return 1;
        definition->spec = flow_spec_free(definition->spec);
        return r;
}

int flow_definition_read(FlowDefinition *definition, unsigned n_lines, Failure *ret_failure) {
        int r = 1;

        if (definition->graph && definition->spec &&
            flow_spec_free_some(definition->spec, MAX(n_lines, 1U) * NODES_A_LINE))
                return 1;
        if (definition->graph) {
                definition->spec = flow_spec_free(definition->spec);
                return 0;
        }
        for (; definition->is_reading && r > 0; n_lines--) {
                if (n_lines == 0)
                        return 1;
                r = read_line(definition);
        }
        if (r == -EBADMSG)
                return failure_copy(ret_failure, &flow_text_draft(definition->flow)->failure) == -ENOMEM ? -ENOMEM
                                                                                                         : -EINVAL;
        if (r < 0)
                return r;
        if (definition->is_reading)
                flow_nodes_end(&definition->reader);
        definition->is_reading = false;
        return make_graph(definition, MAX(n_lines, 1U) * NODES_A_LINE, ret_failure);
}

/* — what can be asked — */

bool flow_definition_has_lines(const FlowDefinition *definition) {
        return definition->is_reading;
}

bool flow_definition_is_read(const FlowDefinition *definition) {
        return definition->graph && !definition->spec;
}

const char *flow_definition_text(const FlowDefinition *definition) {
        return definition->text;
}

const char *flow_definition_nodes(const FlowDefinition *definition) {
        return definition->nodes;
}

const FlowSettings *flow_definition_settings(const FlowDefinition *definition) {
        return settings_of(definition);
}

RunGraph *flow_definition_graph(const FlowDefinition *definition) {
        return definition->graph;
}

bool flow_definition_drops_results(const FlowDefinition *definition) {
        return definition->drops_results;
}

bool flow_definition_saves_results(const FlowDefinition *definition) {
        return definition->saves_results;
}

/* — commands — */

static int open_line(FlowCommand *command, FlowDefinition *definition, uint32_t line) {
        FlowNode *node;
        int r = flow_nodes_begin(&command->lines, flow_text_draft(definition->flow),
                                 settings_of(definition)->nodes_file,
                                 definition->nodes + definition->places.items[line]);

        command->has_lines = true;
        if (r == 0)
                r = flow_nodes_next(&command->lines, &node);
        if (r <= 0)
                return r == -ENOMEM ? r : -EINVAL;
        command->node = node;
        return 0;
}

/* The final node has no section: it has no data and no resources of its own. */
static void open_final(FlowCommand *command, const FlowSettings *flow) {
        static const FlowNode none;

        command->node = &none;
        command->process = &flow->process;
        command->command = flow->final;
        command->setting = "FinalExec";
        command->is_extra = true;
}

static void choose_command(FlowCommand *command, const FlowSettings *flow, bool is_extra) {
        command->process = command->node->process ? command->node->process : &flow->process;
        command->is_extra = is_extra;
        command->command = is_extra ? command->node->compensation : command->node->command;
        command->setting = is_extra ? "Compensate" : "Exec";
}

int flow_command_open(FlowCommand *command, FlowDefinition *definition, uint32_t node) {
        const FlowSettings *flow = settings_of(definition);
        const bool is_extra = definition->graph && run_graph_is_extra(definition->graph, node);
        /* Nodes of the graph stand in the order in which they were added. */
        const uint32_t number = is_extra ? run_graph_partner(definition->graph, node) : node;
        int r = 0;

        *command = (FlowCommand) {};
        if (number == RUN_NODE_NONE) {
                open_final(command, flow);
                return 0;
        }
        assert(number < flow->nodes.n + definition->places.n);
        if (number < flow->nodes.n)
                command->node = &flow->nodes.items[number];
        else
                r = open_line(command, definition, number - (uint32_t) flow->nodes.n);
        if (r < 0) {
                flow_command_close(command);
                return r;
        }
        choose_command(command, flow, is_extra);
        return 0;
}

void flow_command_close(FlowCommand *command) {
        if (command->has_lines)
                flow_nodes_end(&command->lines);
        *command = (FlowCommand) {};
}
