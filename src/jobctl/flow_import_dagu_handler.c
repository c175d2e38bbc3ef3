/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A workflow of Dagu: what is before its steps, and behind them
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "jobctl/flow_import_dagu.h"

#define NONE UINT32_MAX

static ImportTask *task_at(const DaguReader *reader, uint32_t at) {
        return &reader->flow->tasks.items[at];
}

/* — before — */

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
                      "that are not met skip all nodes; the run has succeeded then, where Dagu says that it was aborted");
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

/* — behind — */

/* One handler, as a part of the lines of FinalExec=. */
static int add_handler(DaguReader *reader, const YamlNode *step, Text *lines, char ***arguments) {
        cleanup_(dagu_script_deinit) DaguScript script = { .arguments = take_ptr(*arguments) };
        int r = step->kind == YAML_KIND_MAP ? dagu_check_handler(reader, step) : 0;

        reader->uses_special = false;
        if (r == 0)
                r = dagu_add_run(reader, step, &script);
        if (r == 0)
                r = dagu_add_head(reader, step, reader->steps.n, &script);
        *arguments = take_ptr(script.arguments);
        if (r < 0)
                return r;
        text_addf(lines, "(\n%s%s\n)\n", script.head.n > 0 ? script.head.string : "", script.run.string);
        return MIN(script.head.error, script.run.error);
}

static int add_case(DaguReader *reader, const YamlNode *handlers, const char *key, const char *pattern, Text *lines,
                    char ***arguments) {
        const YamlNode *step = dagu_get(reader, handlers, key);
        int r;

        if (!step)
                return 0;
        text_addf(lines, "case $JOBD_RUN_RESULT in %s)\n", pattern);
        r = add_handler(reader, step, lines, arguments);
        text_add(lines, ";; esac\n");
        return r;
}

static int write_final(DaguReader *reader, const Text *lines, char *const *arguments) {
        cleanup_(text_deinit) Text whole = {};
        Text *text = &reader->flow->settings;

        /* The last command has no variables for parameters, but words may have their values. */
        for (size_t i = 0; i < reader->params.n; i++)
                text_addf(&whole, "JOBD_P_%s=$1; shift\n", reader->params.items[i].field);
        text_add(&whole, lines->string);
        if (whole.error < 0)
                return whole.error;
        text_add(text, "FinalExec=/bin/sh -c ");
        import_add_word(text, whole.string);
        text_add(text, " sh");
        for (size_t i = 0; i < reader->params.n; i++)
                text_addf(text, " %%{param.%s}", reader->params.items[i].field);
        strv_foreach(argument, arguments) {
                text_add_char(text, ' ');
                import_add_word(text, *argument);
        }
        text_add_char(text, '\n');
        return 0;
}

int dagu_read_handlers(DaguReader *reader) {
        static const DaguKey keys[] = { { .name = "init" },   { .name = "success" }, { .name = "failure" },
                                        { .name = "cancel" }, { .name = "abort" },   { .name = "exit" },
                                        { .name = "wait",
                                          .treatment = DAGU_NOTE,
                                          .text = "has no counterpart; Notify= of [Flow] tells of PENDING nodes" } };
        const YamlNode *handlers = dagu_get(reader, reader->root, "handler_on");
        cleanup_(text_deinit) Text lines = {};
        char **arguments = NULL;
        int r;

        if (!handlers)
                return 0;
        if (handlers->kind != YAML_KIND_MAP)
                return dagu_fail(reader, handlers, "handler_on is not a map");
        r = dagu_check_keys(reader, handlers, "handler_on", keys, ELEMENTSOF(keys));
        if (r == 0)
                r = add_case(reader, handlers, "success", "SUCCEEDED|PARTIAL", &lines, &arguments);
        if (r == 0)
                r = add_case(reader, handlers, "failure", "FAILED|TIMEOUT", &lines, &arguments);
        if (r == 0)
                r = add_case(reader, handlers, "abort", "CANCELLED", &lines, &arguments);
        if (r == 0)
                r = add_case(reader, handlers, "cancel", "CANCELLED", &lines, &arguments);
        if (r == 0)
                r = add_case(reader, handlers, "exit", "*", &lines, &arguments);
        if (r == 0 && lines.n > 0)
                r = write_final(reader, &lines, arguments);
        if (r == 0 && lines.n > 0)
                r = dagu_note(reader, handlers, "handler_on",
                              "is the last command of a run (FinalExec=), which has 90 s for all handlers together");
        strv_free(arguments);
        return r;
}
