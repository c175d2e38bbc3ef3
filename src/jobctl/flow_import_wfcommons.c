/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * WfFormat, the JSON of WfCommons, up to version 1.5
 *
 * A task stands in workflow.specification.tasks with its parents and children
 * and, by the same id, in workflow.execution.tasks with its command and what
 * was measured; before 1.5 all of this is in workflow.tasks.
 */

#include <errno.h>
#include <string.h>

#include "basic/json.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "jobctl/flow_import.h"

typedef struct WfReader {
        JsonReader json;
        JsonToken token;
        ImportedFlow *flow; /* borrowed */
        const char *counted; /* borrowed from the text: up to here … */
        unsigned line; /* … there are so many lines */
        const char *problem; /* static: of a text that is JSON, but no workflow */
} WfReader;

static const char measured[] = "was measured when the workflow ran; a flow has no such setting";
static const char moved[] = "is not passed on: commands find their files by themselves";
static const char unknown[] = "has no counterpart";

/* The line of the present token. Tokens come in order, so all lines are counted once. */
static unsigned line_of(WfReader *reader) {
        const char *at = reader->json.text + reader->token.at;

        for (; reader->counted < at; reader->counted++)
                reader->line += *reader->counted == '\n';
        return reader->line;
}

static int next(WfReader *reader) {
        int r = json_reader_next(&reader->json, &reader->token);

        return r > 0 ? 0 : r < 0 ? r : -EBADMSG;
}

static int fail(WfReader *reader, const char *problem) {
        reader->problem = problem;
        return -EBADMSG;
}

/* Reads to the end of the object or array that was entered at @depth. */
static int leave(WfReader *reader, unsigned depth) {
        int r = 0;

        while (r == 0 && reader->json.depth >= depth)
                r = next(reader);
        return r;
}

/* Reads to the end of the value that begins with the present token. */
static int skip(WfReader *reader) {
        bool is_nested = reader->token.kind == JSON_TOKEN_OBJECT || reader->token.kind == JSON_TOKEN_ARRAY;

        return is_nested ? leave(reader, reader->json.depth) : 0;
}

/* The next key of an object: 1 with the value's first token, 0 at the end, or an error. */
static int next_entry(WfReader *reader, char **ret_key, unsigned *ret_line) {
        int r = next(reader);

        if (r < 0 || reader->token.kind == JSON_TOKEN_OBJECT_END)
                return r;
        *ret_line = line_of(reader);
        *ret_key = strdup(reader->token.text);
        if (!*ret_key)
                return -ENOMEM;
        r = next(reader);
        return r < 0 ? r : 1;
}

static int read_string(WfReader *reader, char **ret_string) {
        char *string;

        if (reader->token.kind != JSON_TOKEN_STRING || strlen(reader->token.text) < reader->token.n)
                return fail(reader, "a text is expected here");
        string = strdup(reader->token.text);
        if (!string)
                return -ENOMEM;
        free(*ret_string);
        *ret_string = string;
        return 0;
}

static int read_strings(WfReader *reader, char ***list) {
        if (reader->token.kind != JSON_TOKEN_ARRAY)
                return fail(reader, "an array of texts is expected here");
        for (;;) {
                cleanup_free_ char *string = NULL;
                int r = next(reader);

                if (r < 0 || reader->token.kind == JSON_TOKEN_ARRAY_END)
                        return r;
                r = read_string(reader, &string);
                if (r == 0)
                        r = strv_consume(list, take_ptr(string));
                if (r < 0)
                        return r;
        }
}

/* A key of a task or a workflow without a counterpart here. */
static const char *reason_of(const char *key) {
        static const struct {
                const char *key, *reason;
        } reasons[] = {
                { "inputFiles", moved },
                { "outputFiles", moved },
                { "files", moved },
                { "runtimeInSeconds", measured },
                { "runtime", measured },
                { "avgCPU", measured },
                { "readBytes", measured },
                { "writtenBytes", measured },
                { "bytesRead", measured },
                { "bytesWritten", measured },
                { "memoryInBytes", measured },
                { "memory", measured },
                { "energyInKWh", measured },
                { "energy", measured },
                { "avgPower", measured },
                { "executedAt", measured },
                { "makespanInSeconds", measured },
                { "makespan", measured },
                { "machines", measured },
                { "machine", measured },
                { "coreCount", "has no counterpart yet: MaxParallel= limits all attempts of a run together" },
                { "cores", "has no counterpart yet: MaxParallel= limits all attempts of a run together" },
                { "priority", "has no counterpart yet: nodes that are ready run in the order of the file" },
        };

        for (size_t i = 0; i < ELEMENTSOF(reasons); i++)
                if (strcmp(reasons[i].key, key) == 0)
                        return reasons[i].reason;
        return unknown;
}

static int note_key(WfReader *reader, const char *key, unsigned line) {
        bool is_array = reader->token.kind == JSON_TOKEN_ARRAY;
        unsigned depth = reader->json.depth;
        int r = is_array ? next(reader) : 0;

        /* A key with an empty value is not missed. */
        if (r < 0 || reader->token.kind == JSON_TOKEN_ARRAY_END)
                return r;
        r = import_note(reader->flow->notes, key, reason_of(key), line);
        if (r < 0)
                return r;
        return is_array ? leave(reader, depth) : skip(reader);
}

/* — tasks — */

/* A task as it is read: its id may follow what belongs to it. */
typedef struct WfTask {
        char *id, *name, *program;
        char **parents, **children, **arguments;
} WfTask;

static void task_deinit(WfTask *task) {
        free(task->id);
        free(task->name);
        free(task->program);
        strv_free(task->parents);
        strv_free(task->children);
        strv_free(task->arguments);
}

static int read_command(WfReader *reader, WfTask *task) {
        if (reader->token.kind != JSON_TOKEN_OBJECT)
                return fail(reader, "the command is not an object");
        for (;;) {
                cleanup_free_ char *key = NULL;
                unsigned line;
                int r = next_entry(reader, &key, &line);

                if (r <= 0)
                        return r;
                if (strcmp(key, "program") == 0)
                        r = read_string(reader, &task->program);
                else if (strcmp(key, "arguments") == 0)
                        r = read_strings(reader, &task->arguments);
                else
                        r = note_key(reader, key, line);
                if (r < 0)
                        return r;
        }
}

static int read_field(WfReader *reader, WfTask *task, const char *key, unsigned line) {
        if (strcmp(key, "id") == 0)
                return read_string(reader, &task->id);
        if (strcmp(key, "name") == 0)
                return read_string(reader, &task->name);
        if (strcmp(key, "parents") == 0)
                return read_strings(reader, &task->parents);
        if (strcmp(key, "children") == 0)
                return read_strings(reader, &task->children);
        if (strcmp(key, "command") == 0)
                return read_command(reader, task);
        /* Each task had one: it is always "compute". */
        return strcmp(key, "type") == 0 ? skip(reader) : note_key(reader, key, line);
}

static int add_edges(ImportedFlow *flow, uint32_t at, char *const *others, bool are_parents) {
        strv_foreach(other, others) {
                uint32_t with;
                int r = import_find_task(flow, *other, &with);

                if (r == 0)
                        r = are_parents ? import_add_edge(flow, with, at) : import_add_edge(flow, at, with);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int keep_task(WfReader *reader, WfTask *task, unsigned line) {
        ImportTask *kept;
        uint32_t at;
        int r;

        if (!task->id)
                task->id = take_ptr(task->name);
        if (!task->id)
                return fail(reader, "the task has neither an id nor a name");
        r = import_find_task(reader->flow, task->id, &at);
        if (r < 0)
                return r;
        kept = &reader->flow->tasks.items[at];
        if (!kept->is_task) {
                r = vector_push(&reader->flow->order, at);
                kept->line = line;
                kept->is_task = true;
        }
        if (r < 0)
                return r;
        if (task->program && *task->program) {
                free(kept->program);
                kept->program = take_ptr(task->program);
                strv_free(kept->arguments);
                kept->arguments = take_ptr(task->arguments);
        }
        r = add_edges(reader->flow, at, task->parents, true);
        return r < 0 ? r : add_edges(reader->flow, at, task->children, false);
}

static int read_task(WfReader *reader) {
        cleanup_(task_deinit) WfTask task = {};
        unsigned begin = line_of(reader);

        if (reader->token.kind != JSON_TOKEN_OBJECT)
                return fail(reader, "the task is not an object");
        for (;;) {
                cleanup_free_ char *key = NULL;
                unsigned line;
                int r = next_entry(reader, &key, &line);

                if (r > 0)
                        r = read_field(reader, &task, key, line);
                else if (r == 0)
                        return keep_task(reader, &task, begin);
                if (r < 0)
                        return r;
        }
}

static int read_tasks(WfReader *reader) {
        if (reader->token.kind != JSON_TOKEN_ARRAY)
                return fail(reader, "the tasks are not an array");
        for (;;) {
                int r = next(reader);

                if (r < 0 || reader->token.kind == JSON_TOKEN_ARRAY_END)
                        return r;
                r = read_task(reader);
                if (r < 0)
                        return r;
        }
}

/* — the workflow — */

/* An object that has tasks: the workflow, its specification or its execution. */
static int read_part(WfReader *reader) {
        if (reader->token.kind != JSON_TOKEN_OBJECT)
                return fail(reader, "the workflow is not an object");
        for (;;) {
                cleanup_free_ char *key = NULL;
                unsigned line;
                int r = next_entry(reader, &key, &line);

                if (r <= 0)
                        return r;
                if (strcmp(key, "tasks") == 0)
                        r = read_tasks(reader);
                else if (strcmp(key, "specification") == 0 || strcmp(key, "execution") == 0)
                        r = read_part(reader);
                else
                        r = note_key(reader, key, line);
                if (r < 0)
                        return r;
        }
}

static int read_whole(WfReader *reader) {
        bool has_workflow = false;
        int r = next(reader);

        if (r == 0 && reader->token.kind != JSON_TOKEN_OBJECT)
                return fail(reader, "the text is not an object");
        while (r == 0) {
                cleanup_free_ char *key = NULL;
                unsigned line;

                r = next_entry(reader, &key, &line);
                if (r <= 0)
                        break;
                has_workflow |= strcmp(key, "workflow") == 0;
                if (strcmp(key, "workflow") == 0)
                        r = read_part(reader);
                else if (strcmp(key, "name") == 0)
                        r = read_string(reader, &reader->flow->description);
                else
                        /* The author and the date. */
                        r = skip(reader);
        }
        if (r == 0 && json_reader_next(&reader->json, &reader->token) < 0)
                return -EBADMSG;
        return r == 0 && !has_workflow ? fail(reader, "there is no \"workflow\": this is not WfFormat") : r;
}

static int check_tasks(WfReader *reader) {
        const ImportedFlow *flow = reader->flow;
        int r = 0;

        if (flow->tasks.n == 0)
                return fail(reader, "the workflow has no tasks");
        for (size_t i = 0; r == 0 && i < flow->tasks.n; i++) {
                const ImportTask *task = &flow->tasks.items[i];

                if (!task->is_task)
                        r = import_note(reader->flow->notes, "task",
                                        "is named as a parent or child, but is not there; it "
                                        "becomes a checkpoint",
                                        0);
                else if (task->program && !import_is_program(task->program))
                        r = import_note(reader->flow->notes, "program", "is lines of a shell, which /bin/bash runs",
                                        task->line);
                else if (!task->program)
                        r = import_note(reader->flow->notes, "task", "has no command; it becomes a checkpoint",
                                        task->line);
        }
        return r;
}

int import_wfcommons(const ImportInput *input, ImportOutput *output) {
        WfReader reader = { .counted = input->text, .line = 1 };
        int r = import_add_flow(output, &reader.flow);

        if (r < 0)
                return r;
        json_reader_begin(&reader.json, input->text, input->n);
        r = read_whole(&reader);
        if (r == 0)
                r = check_tasks(&reader);
        if (r == -EBADMSG) {
                if (!reader.problem)
                        reader.token.at = reader.json.at;
                output->line = line_of(&reader);
                if (text_copy(reader.problem ? reader.problem : reader.json.problem, &output->problem) < 0)
                        r = -ENOMEM;
        }
        json_reader_deinit(&reader.json);
        return r;
}
