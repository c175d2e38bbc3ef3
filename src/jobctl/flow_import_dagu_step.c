/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A workflow of Dagu: steps
 *
 * Each step is a node. Its preconditions are a node before it, whose result is
 * its When=, since no condition of a flow executes a command; an approval is
 * one behind it.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "jobctl/flow_import_dagu.h"

#define NONE UINT32_MAX

static ImportTask *task_at(const DaguReader *reader, uint32_t at) {
        return &reader->flow->tasks.items[at];
}

/* — names — */

static const DaguName *find_name(const DaguReader *reader, const char *name) {
        const uint32_t hash = index_table_hash(name);
        size_t probe = 0;
        uint32_t at;

        while (index_table_next(&reader->by_name, hash, &probe, &at))
                if (strcmp(reader->names.items[at].name, name) == 0)
                        return &reader->names.items[at];
        return NULL;
}

static int add_name(DaguReader *reader, const YamlNode *node, const char *name, uint32_t step) {
        const DaguName entry = { .name = name, .step = step };
        const DaguName *other = name ? find_name(reader, name) : NULL;
        int r;

        if (!name || (other && other->step == step))
                return 0;
        if (other)
                return dagu_fail(reader, node, "'%s' is the name of two steps", name);
        r = vector_push(&reader->names, entry);
        return r < 0 ? r : index_table_put(&reader->by_name, index_table_hash(name), (uint32_t) reader->names.n - 1);
}

/* — the steps that there are — */

static size_t count_conditions(const DaguReader *reader, const YamlNode *step) {
        return dagu_count(dagu_get(reader, step, "preconditions")) +
               dagu_count(dagu_get(reader, step, "precondition")) +
               dagu_count(dagu_get(reader, dagu_get(reader, reader->root, "defaults"), "preconditions"));
}

static int read_output(DaguReader *reader, DaguStep *step) {
        const YamlNode *node = dagu_get(reader, step->yaml, "output");

        if (!node)
                return 0;
        if (node->kind != YAML_KIND_TEXT)
                return dagu_fail(reader, node, "output has no counterpart but the name of a variable; $JOBD_RESULT has "
                                               "values with names");
        step->output = node->text + (*node->text == '$');
        return dagu_is_variable(step->output)
                       ? 0
                       : dagu_fail(reader, node, "'%s' is no name that a variable can have", step->output);
}

static int add_nodes(DaguReader *reader, DaguStep *step) {
        const char *name = step->name ? step->name : step->id;
        char number[32];
        int r = 0;

        if (!name || !*name) {
                snprintf(number, sizeof(number), "step-%zu", reader->steps.n + 1);
                name = number;
        }
        if (count_conditions(reader, step->yaml) > 0)
                r = dagu_add_task(reader, name, ".condition", step->yaml, &step->condition);
        if (r == 0)
                r = dagu_add_task(reader, name, "", step->yaml, &step->task);
        step->last = step->task;
        if (r == 0 && strcmp(task_at(reader, step->task)->id, name) != 0)
                r = dagu_note(reader, step->yaml, "name",
                              "has characters that the name of a node may not have; they are replaced");
        if (r == 0 && dagu_get(reader, step->yaml, "approval"))
                r = dagu_add_task(reader, name, ".approval", step->yaml, &step->last);
        return r;
}

static int add_step(DaguReader *reader, const YamlNode *yaml, const char *key, DaguStep *step) {
        const uint32_t at = (uint32_t) reader->steps.n;
        int r = 0;

        *step = (DaguStep){ .yaml = yaml, .name = key, .condition = NONE };
        if (yaml->kind == YAML_KIND_LIST || yaml_is_null(yaml))
                return dagu_fail(reader, yaml, "a step is neither a command nor a map");
        if (yaml->kind == YAML_KIND_MAP)
                r = dagu_check_step(reader, yaml);
        if (r == 0)
                r = MIN(dagu_get_text(reader, yaml, "id", &step->id), 0);
        if (r == 0)
                r = MIN(dagu_get_text(reader, yaml, "name", &step->name), 0);
        if (r == 0)
                r = read_output(reader, step);
        if (r == 0)
                r = dagu_read_continue_on(reader, step);
        if (r == 0)
                r = add_name(reader, yaml, step->id, at);
        if (r == 0)
                r = add_name(reader, yaml, key, at);
        if (r == 0)
                r = add_name(reader, yaml, step->name, at);
        if (r == 0)
                r = add_nodes(reader, step);
        return r < 0 ? r : vector_push(&reader->steps, *step);
}

static int add_parent(DaguReader *reader, DaguStep *step, uint32_t parent) {
        if (++reader->n_parents > DAGU_PARENTS_MAX)
                return dagu_fail(reader, step->yaml, "the steps depend on more than 1,000,000 others");
        return vector_push(&step->parents, parent);
}

/* A step, or a list of steps that do not wait for each other; in a chain they wait for those from @begin to @end. */
static int add_group(DaguReader *reader, const YamlNode *group, bool is_chain, size_t begin, size_t end) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < dagu_count(group); i++) {
                DaguStep step;

                r = add_step(reader, dagu_item(reader, group, i), NULL, &step);
                for (size_t k = begin; r == 0 && is_chain && k < end; k++)
                        r = add_parent(reader, &vector_last(&reader->steps), (uint32_t) k);
        }
        return r;
}

static int collect(DaguReader *reader, bool is_chain) {
        const YamlNode *steps = dagu_get(reader, reader->root, "steps");
        size_t begin = 0, end = 0;
        int r = 0;

        if (!steps || steps->kind == YAML_KIND_TEXT)
                return dagu_fail(reader, steps ? steps : reader->root,
                                 "there are no steps: this is no workflow of Dagu");
        for (size_t i = 0; r == 0 && i < steps->items.n; i++) {
                DaguStep step;

                if (steps->kind == YAML_KIND_MAP) {
                        r = add_step(reader, yaml_value(&reader->yaml, steps, i),
                                     yaml_key(&reader->yaml, steps, i)->text, &step);
                        continue;
                }
                r = add_group(reader, yaml_item(&reader->yaml, steps, i), is_chain, begin, end);
                begin = end;
                end = reader->steps.n;
        }
        return r == 0 && reader->steps.n == 0 ? dagu_fail(reader, steps, "there are no steps") : r;
}

/* — a step as nodes — */

static int add_depends(DaguReader *reader, DaguStep *step) {
        const YamlNode *depends = dagu_get(reader, step->yaml, "depends");

        for (size_t i = 0; i < dagu_count(depends); i++) {
                const YamlNode *item = dagu_item(reader, depends, i);
                const DaguName *name;
                int r;

                if (item->kind != YAML_KIND_TEXT)
                        return dagu_fail(reader, item, "depends has what is not a text");
                if (!*item->text)
                        continue;
                name = find_name(reader, item->text);
                if (!name)
                        return dagu_fail(reader, item, "there is no step '%s' that this one could depend on",
                                         item->text);
                r = add_parent(reader, step, name->step);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* Takes away what waits for nothing, until nothing is left. */
static int check_circle(DaguReader *reader) {
        const size_t n = reader->steps.n;
        cleanup_free_ uint32_t *waits = calloc(n, sizeof(uint32_t)), *begin = calloc(n + 2, sizeof(uint32_t)),
                               *children = calloc(reader->n_parents + 1, sizeof(uint32_t)),
                               *queue = calloc(n, sizeof(uint32_t));
        size_t n_queued = 0;

        if (!waits || !begin || !children || !queue)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < reader->steps.items[i].parents.n; k++, waits[i]++)
                        begin[reader->steps.items[i].parents.items[k] + 2]++;
        for (size_t i = 2; i < n + 2; i++)
                begin[i] += begin[i - 1];
        for (uint32_t i = 0; i < n; i++)
                for (size_t k = 0; k < reader->steps.items[i].parents.n; k++)
                        children[begin[reader->steps.items[i].parents.items[k] + 1]++] = i;
        for (uint32_t i = 0; i < n; i++)
                if (waits[i] == 0)
                        queue[n_queued++] = i;
        for (size_t i = 0; i < n_queued; i++)
                for (uint32_t k = begin[queue[i]]; k < begin[queue[i] + 1]; k++)
                        if (--waits[children[k]] == 0)
                                queue[n_queued++] = children[k];
        for (size_t i = 0; n_queued < n && i < n; i++)
                if (waits[i] > 0)
                        return dagu_fail(reader, reader->steps.items[i].yaml,
                                         "the steps depend on each other in a circle, which this one waits for");
        return 0;
}

/* Sets the parents of the first node of a step. */
static int set_parents(DaguReader *reader, uint32_t at) {
        const DaguStep *step = &reader->steps.items[at];
        const uint32_t entry = step->condition != NONE ? step->condition : step->task;
        Text *settings = &task_at(reader, entry)->settings;
        bool continues = false;
        int r = 0;

        if (step->parents.n == 0)
                return dagu_set_gate(reader, entry);
        for (size_t i = 0; r == 0 && i < step->parents.n; i++) {
                DaguStep *parent = &reader->steps.items[step->parents.items[i]];

                if (parent->marked_by == at + 1)
                        continue;
                parent->marked_by = at + 1;
                continues |= parent->continues;
                if (parent->continues_skipped)
                        text_addf(settings, "SkipCountsAs=%s:success\n", task_at(reader, parent->last)->id);
                r = import_add_edge(reader->flow, parent->last, entry);
        }
        if (continues)
                text_add(settings, "Readiness=none-skipped\n");
        return r;
}

static int write_condition(DaguReader *reader, size_t at) {
        const DaguStep *step = &reader->steps.items[at];
        const YamlNode *defaults = dagu_get(reader, reader->root, "defaults");
        const char *const keys[] = { "precondition", "preconditions" };
        cleanup_(text_deinit) Text test = {};
        cleanup_(dagu_script_deinit) DaguScript script = { .is_plain = true };
        int r = dagu_add_conditions(reader, step->yaml, dagu_get(reader, defaults, "preconditions"), &test);

        for (size_t i = 0; r == 0 && i < ELEMENTSOF(keys); i++) {
                const YamlNode *conditions = dagu_get(reader, step->yaml, keys[i]);

                text_add(&test, test.n > 0 && dagu_count(conditions) > 0 ? " &&\n" : "");
                r = dagu_add_conditions(reader, step->yaml, conditions, &test);
        }
        if (r == 0)
                r = dagu_add_head(reader, step->yaml, at, &script);
        if (r < 0)
                return r;
        text_addf(&script.head, "if %s; then r=true; else r=false; fi\n", test.string);
        text_add(&script.run, "echo $r >\"$JOBD_RESULT\"");
        script.is_plain = false;
        text_add(&task_at(reader, step->condition)->settings, "Recover=fail\n");
        r = dagu_set_command(reader, &script, NULL, task_at(reader, step->condition));
        if (r == 0)
                r = dagu_set_step_env(reader, step->yaml, task_at(reader, step->condition));
        return r < 0 ? r : dagu_set_condition(reader, step->condition, step->task);
}

static int write_call(DaguReader *reader, const DaguStep *step) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
        static const char *const others[] = { "command", "script",      "exec", "output",       "stdout",
                                              "stderr",  "working_dir", "dir",  "repeat_policy" };
        const YamlNode *call = dagu_get(reader, step->yaml, "call");
        ImportTask *task = task_at(reader, step->task);
        size_t n;

        for (size_t i = 0; i < ELEMENTSOF(others); i++)
                if (dagu_get_default(reader, step->yaml, others[i]))
                        return dagu_fail(reader, call, "%s has no counterpart beside call", others[i]);
        if (dagu_get_default(reader, step->yaml, "env"))
                return dagu_fail(reader, call, "env has no counterpart beside call: a unit has variables of its own");
        if (call->kind != YAML_KIND_TEXT || !*call->text || call->text[strspn(call->text, letters)])
                return dagu_fail(reader, call, "call does not have the plain name of a workflow");
        n = strlen(call->text);
        n -= text_ends_with(call->text, ".yaml") ? 5 : text_ends_with(call->text, ".yml") ? 4 : 0;
        text_addf(&task->settings, "Unit=%.*s.flow\nWaitFor=inactive\n", (int) n, call->text);
        return dagu_note(reader, call, "call",
                         "is a start of that flow, which has to be imported, too; a run of it that is there already is "
                         "waited for instead");
}

/* The output of a command is kept for the steps behind it. */
static void add_capture(const char *output, DaguScript *script, Text *tail) {
        cleanup_(text_deinit) Text run = script->run;

        script->run = (Text){};
        text_addf(&script->run, "{ %s; } >\"$JOBD_RUN_DIR/output.%s\"", run.string ? run.string : "", output);
        script->run.error = MIN(script->run.error, run.error);
        text_addf(tail, "s=$?\ncat \"$JOBD_RUN_DIR/output.%s\"\n", output);
}

static int write_command(DaguReader *reader, size_t at) {
        const DaguStep *step = &reader->steps.items[at];
        cleanup_(dagu_script_deinit) DaguScript script = {};
        cleanup_(text_deinit) Text tail = {};
        ImportTask *task = task_at(reader, step->task);
        int r = dagu_add_run(reader, step->yaml, &script);

        if (r == 0)
                r = dagu_add_head(reader, step->yaml, at, &script);
        if (r < 0)
                return r;
        if (step->output)
                add_capture(step->output, &script, &tail);
        else if (dagu_get_default(reader, step->yaml, "repeat_policy"))
                text_add(&tail, "s=$?\n");
        r = dagu_add_repeat(reader, step->yaml, &tail, task);
        text_add(&tail, tail.n > 0 ? "exit $s" : "");
        if (r == 0)
                r = dagu_set_command(reader, &script, tail.n > 0 ? &tail : NULL, task);
        return r < 0 ? r : dagu_set_step_env(reader, step->yaml, task);
}

static int set_files(DaguReader *reader, const DaguStep *step) {
        static const char told[] = "goes to the file alone; the log of the node does not have it";
        const YamlNode *dir = dagu_get(reader, step->yaml, "working_dir"),
                       *out = dagu_get(reader, step->yaml, "stdout"),
                       *errors = dagu_get(reader, step->yaml, "stderr");
        Text *settings = &task_at(reader, step->task)->settings;
        cleanup_free_ char *folder = NULL, *out_path = NULL, *error_path = NULL;
        int r = 0;

        if (!dir)
                dir = dagu_get(reader, step->yaml, "dir");
        r = dir ? dagu_make_path(reader, dir, reader->folder, &folder) : text_copy(reader->folder, &folder);
        if (r == 0 && dir)
                import_add_setting(settings, "WorkingDirectory", folder);
        if (r == 0 && out)
                r = dagu_make_path(reader, out, folder, &out_path);
        if (r == 0 && errors)
                r = dagu_make_path(reader, errors, folder, &error_path);
        if (out_path) {
                text_add(settings, "StandardOutput=append:");
                import_add_unspecified(settings, out_path);
                text_add_char(settings, '\n');
                r = r < 0 ? r : dagu_note(reader, out, "stdout", told);
        }
        if (error_path) {
                text_add(settings, "StandardError=append:");
                import_add_unspecified(settings, error_path);
                text_add_char(settings, '\n');
                r = r < 0 ? r : dagu_note(reader, errors, "stderr", told);
        }
        return r;
}

static int write_approval(DaguReader *reader, const DaguStep *step) {
        static const DaguKey keys[] = {
                { .name = "prompt" },
                { .name = "input", .treatment = DAGU_REFUSE, .text = "an approval gives no values" },
                { .name = "required", .treatment = DAGU_REFUSE, .text = "an approval gives no values" },
                { .name = "rewind_to",
                  .treatment = DAGU_NOTE,
                  .text = "has no counterpart: 'jobctl flow rerun' does it" },
        };
        const YamlNode *approval = dagu_get(reader, step->yaml, "approval");
        Text *settings = &task_at(reader, step->last)->settings;
        const char *prompt = NULL;
        int r;

        if (approval->kind != YAML_KIND_MAP)
                return yaml_bool(approval) == 1 ? import_add_edge(reader->flow, step->task, step->last)
                                                : dagu_fail(reader, approval, "approval is not a map");
        if (step->continues || step->continues_skipped)
                return dagu_fail(reader, approval, "approval beside continue_on has no counterpart");
        r = dagu_check_keys(reader, approval, "approval", keys, ELEMENTSOF(keys));
        if (r == 0)
                r = MIN(dagu_get_text(reader, approval, "prompt", &prompt), 0);
        text_add(settings, "Gate=manual\n");
        if (prompt)
                import_add_comment(settings, prompt);
        return r < 0 ? r : import_add_edge(reader->flow, step->task, step->last);
}

static int write_step(DaguReader *reader, size_t at) {
        DaguStep *step = &reader->steps.items[at];
        Text *settings = &task_at(reader, step->task)->settings;
        const char *description = NULL;
        int r = MIN(dagu_get_text(reader, step->yaml, "description", &description), 0);

        reader->uses_special = false;
        if (description)
                import_add_comment(settings, description);
        if (r == 0)
                r = set_parents(reader, (uint32_t) at);
        if (r == 0 && step->condition != NONE)
                r = write_condition(reader, at);
        if (r == 0)
                r = dagu_get(reader, step->yaml, "call") ? write_call(reader, step) : write_command(reader, at);
        if (r == 0)
                r = set_files(reader, step);
        if (r == 0)
                r = dagu_set_policies(reader, step, task_at(reader, step->task));
        if (r == 0 && step->last != step->task)
                r = write_approval(reader, step);
        return r;
}

int dagu_read_steps(DaguReader *reader) {
        const char *type = "chain";
        bool is_chain;
        int r = dagu_get_text(reader, reader->root, "type", &type);

        if (r < 0)
                return r;
        is_chain = strcmp(type, "chain") == 0;
        if (!is_chain && strcmp(type, "graph") != 0)
                return dagu_fail(reader, dagu_get(reader, reader->root, "type"),
                                 "a workflow of type '%s' has no counterpart; those of type 'chain' and 'graph' have",
                                 type);
        r = collect(reader, is_chain);
        for (size_t i = 0; r == 0 && i < reader->steps.n; i++)
                r = add_depends(reader, &reader->steps.items[i]);
        if (r == 0)
                r = check_circle(reader);
        for (size_t i = 0; r == 0 && i < reader->steps.n; i++)
                r = write_step(reader, i);
        for (size_t i = 0; r == 0 && i < reader->steps.n; i++)
                if (reader->steps.items[i].output) {
                        text_add(&reader->flow->settings, "RunDirectory=yes\n");
                        break;
                }
        if (r == 0 && !is_chain && reader->steps.n > 1)
                r = dagu_note(reader, dagu_get(reader, reader->root, "type"), "type",
                              "graph differs after a failure: nothing new begins, also what does not depend on the "
                              "step that has failed (FailurePolicy=)");
        return r;
}
