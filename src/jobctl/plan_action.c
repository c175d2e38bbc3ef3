/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The action of a plan for one job, in words: the same in the table and in the graph
 */

#include <inttypes.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/plan_action.h"
#include "jobctl/value.h"

static void add_canceled(Text *text, const json_t *ids) {
        json_t *id;
        size_t i;

        json_array_foreach(ids, i, id)
                text_addf(text, "%s%" JSON_INTEGER_FORMAT, i == 0 ? ", cancels job " : " and ", json_integer_value(id));
}

int plan_format_action(const json_t *job, char **ret_action) {
        cleanup_(text_deinit) Text text = {};
        const char *action = value_string(job, "action");
        uint64_t id = value_u64(job, "id");

        if (strcmp(action, "merge") == 0)
                text_addf(&text, "merge into job %" PRIu64, id);
        else if (strcmp(action, "cover") == 0)
                text_addf(&text, "done by job %" PRIu64, id);
        else if (strcmp(action, "turn") == 0)
                text_addf(&text, "turn job %" PRIu64, id);
        else
                text_add(&text, *action ? action : "new");
        if (value_bool(job, "interrupts"))
                text_add(&text, ", interrupts");
        add_canceled(&text, json_object_get(job, "cancels"));
        return text_finish(&text, ret_action);
}
