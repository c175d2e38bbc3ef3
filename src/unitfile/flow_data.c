/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data of a node
 */

#include <stdlib.h>
#include <string.h>

#include "basic/json_tree.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "unitfile/flow_data.h"

static const char *const flow_input_modes[_FLOW_INPUT_MODE_MAX] = {
        [FLOW_INPUT_FILE] = "file",
        [FLOW_INPUT_STDIN] = "stdin",
        [FLOW_INPUT_ENV] = "env",
};

DEFINE_STRING_TABLE_FROM(flow_input_mode, flow_input_modes)

void flow_data_init(FlowData *data) {
        *data = (FlowData) { .result_max = FLOW_RESULT_DEFAULT };
}

void flow_data_clear_inputs(FlowData *data) {
        while (data->inputs.n > 0) {
                const FlowInput input = vector_pop(&data->inputs);

                free(input.node);
                free(input.key);
        }
}

void flow_data_deinit(FlowData *data) {
        flow_data_clear_inputs(data);
        vector_deinit(&data->inputs);
        strv_free(data->outputs);
        free(data->data);
        free(data->data_file);
        free(data->standard);
}

bool flow_data_has_default(const FlowData *data, FlowDefaultOn kind) {
        return data->standard && (data->default_on == 0 || data->default_on & kind);
}

bool flow_data_has(const FlowData *data, const char *key) {
        size_t budget = FLOW_DATA_MAX;
        JsonTree tree = {};
        bool has;

        if (!data->data || json_tree_read(data->data, strlen(data->data), &tree, NULL) < 0)
                return false;
        has = json_value_find(tree.values, key, &budget);
        json_tree_deinit(&tree);
        return has;
}
