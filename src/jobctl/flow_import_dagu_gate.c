/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A workflow of Dagu: nodes, and those before all steps
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "jobctl/flow_import_dagu.h"
#include "unit/unit_name.h"

#define NONE UINT32_MAX
/* Room for a suffix and a number. */
#define NAME_LENGTH (UNIT_NAME_MAX - 32U)

static ImportTask *task_at(const DaguReader *reader, uint32_t at) {
        return &reader->flow->tasks.items[at];
}

/* — nodes — */

static bool has_task(const ImportedFlow *flow, const char *id) {
        const uint32_t hash = index_table_hash(id);
        size_t probe = 0;
        uint32_t at;

        while (index_table_next(&flow->by_id, hash, &probe, &at))
                if (strcmp(flow->tasks.items[at].id, id) == 0)
                        return true;
        return false;
}

int dagu_add_task(DaguReader *reader, const char *name, const char *suffix, const YamlNode *node, uint32_t *ret_task) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

        for (unsigned n = 1;; n++) {
                cleanup_free_ char *id = NULL;
                char number[16] = "";
                int r;

                if (n > 1)
                        snprintf(number, sizeof(number), "-%u", n);
                r = text_format(&id, "%.*s%s%s", (int) NAME_LENGTH, name, suffix, number);
                if (r < 0)
                        return r;
                for (char *at = id; *at; at++)
                        if (!strchr(letters, *at))
                                *at = '_';
                if (has_task(reader->flow, id))
                        continue;
                r = import_find_task(reader->flow, id, ret_task);
                if (r == 0)
                        r = vector_push(&reader->flow->order, *ret_task);
                if (r < 0)
                        return r;
                task_at(reader, *ret_task)->is_task = true;
                task_at(reader, *ret_task)->line = node->line;
                return 0;
        }
}

int dagu_set_condition(DaguReader *reader, uint32_t condition, uint32_t task) {
        text_addf(&task_at(reader, task)->settings, "When=node[\"%s\"].result\n", task_at(reader, condition)->id);
        return import_add_edge(reader->flow, condition, task);
}

/* — before all steps — */

int dagu_set_gate(DaguReader *reader, uint32_t task) {
        if (reader->gate == NONE)
                return 0;
        if (reader->gate == reader->gate_condition)
                return dagu_set_condition(reader, reader->gate, task);
        return import_add_edge(reader->flow, reader->gate, task);
}

static int add_precondition(DaguReader *reader) {
        const char *const keys[] = { "precondition", "preconditions" };
        cleanup_(dagu_script_deinit) DaguScript script = {};
        cleanup_(text_deinit) Text test = {};
        const YamlNode *found = NULL;
        int r = 0;

        for (size_t i = 0; r == 0 && i < ELEMENTSOF(keys); i++) {
                const YamlNode *conditions = dagu_get(reader, reader->root, keys[i]);

                if (dagu_count(conditions) == 0)
                        continue;
                found = conditions;
                text_add(&test, test.n > 0 ? " &&\n" : "");
                r = dagu_add_conditions(reader, NULL, conditions, &test);
        }
        if (r < 0 || !found)
                return r;
        r = dagu_add_task(reader, "precondition", "", found, &reader->gate_condition);
        if (r == 0)
                r = dagu_add_head(reader, NULL, 0, &script);
        if (r < 0)
                return r;
        reader->gate = reader->gate_condition;
        text_addf(&script.head, "if %s; then r=true; else r=false; fi\n", test.string);
        text_add(&script.run, "echo $r >\"$JOBD_RESULT\"");
        text_add(&task_at(reader, reader->gate)->settings, "Recover=fail\n");
        r = dagu_note(reader, found, "preconditions",
                      "that are not met skip all nodes; the run has succeeded then, where Dagu says that it was "
                      "aborted");
        return r < 0 ? r : dagu_set_command(reader, &script, NULL, task_at(reader, reader->gate));
}

static int add_init(DaguReader *reader, const YamlNode *step) {
        cleanup_(dagu_script_deinit) DaguScript script = {};
        uint32_t task;
        int r = step->kind == YAML_KIND_MAP ? dagu_check_handler(reader, step) : 0;

        if (r == 0)
                r = dagu_add_task(reader, "init", "", step, &task);
        if (r == 0)
                r = dagu_add_run(reader, step, &script);
        if (r == 0)
                r = dagu_add_head(reader, step, 0, &script);
        if (r == 0)
                r = dagu_set_command(reader, &script, NULL, task_at(reader, task));
        if (r == 0)
                r = dagu_set_step_env(reader, step, task_at(reader, task));
        if (r < 0)
                return r;
        text_add(&task_at(reader, task)->settings, "Recover=fail\n");
        r = dagu_set_gate(reader, task);
        reader->gate = task;
        return r;
}

static int add_delay(DaguReader *reader) {
        const YamlNode *node = dagu_get(reader, reader->root, "delay_sec");
        uint32_t delay = 0, task;
        int r = dagu_get_u32(reader, reader->root, "delay_sec", &delay);

        if (r < 0 || delay == 0)
                return r < 0 ? r : 0;
        r = dagu_add_task(reader, "delay", "", node, &task);
        if (r < 0)
                return r;
        text_addf(&task_at(reader, task)->settings, "SleepSec=%u\n", delay);
        r = dagu_set_gate(reader, task);
        reader->gate = task;
        return r;
}

int dagu_read_gates(DaguReader *reader) {
        const YamlNode *init = dagu_get(reader, dagu_get(reader, reader->root, "handler_on"), "init");
        int r = add_precondition(reader);

        if (r == 0 && init)
                r = add_init(reader, init);
        return r < 0 ? r : add_delay(reader);
}
