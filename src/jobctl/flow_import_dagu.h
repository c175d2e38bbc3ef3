/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A workflow of Dagu: what the parts of its reader share
 *
 * Keys are looked up as Dagu writes them today (timeout_sec); the spelling of older versions (timeoutSec) is found,
 * too.
 */

#include "jobctl/flow_import.h"
#include "jobctl/yaml_tree.h"

/* The shell of a step. */
typedef struct DaguShell {
        char **words; /* owned; NULL: there is none, and a command is a program and its arguments */
        bool is_unix; /* sh and its kin, to which Dagu gives -e */
        bool is_own; /* the step names it, so that it gets no -e */
} DaguShell;

typedef struct DaguStep {
        const YamlNode *yaml; /* borrowed: a map, or the text of a command */
        const char *id, *name; /* borrowed; or NULL */
        const char *output; /* borrowed: the variable that has what it prints; or NULL */
        uint32_t task; /* its node */
        uint32_t condition; /* the node that judges its preconditions; UINT32_MAX: none */
        uint32_t last; /* the node that others wait for: its own, or that of its approval */
        bool continues; /* what follows runs after its failure */
        bool continues_skipped; /* … after its skip */
        uint32_t marked_by; /* the step + 1 that has looked at this one as its parent */
        VECTOR(uint32_t) parents; /* steps; one may be there several times */
} DaguStep;

/* Parents of all steps, and bytes of all commands. */
#define DAGU_PARENTS_MAX 1000000U
#define DAGU_TEXT_MAX (64U * 1024U * 1024U)

typedef struct DaguParam {
        char *name; /* owned; "": it has only a number */
        char *field; /* owned: of Params= */
} DaguParam;

typedef struct DaguName {
        const char *name; /* borrowed: an id or a name */
        uint32_t step;
} DaguName;

typedef struct DaguReader {
        const ImportInput *input; /* borrowed */
        ImportOutput *output; /* borrowed */
        ImportedFlow *flow; /* borrowed */
        YamlTree yaml;
        const YamlNode *root; /* borrowed */
        char *folder; /* owned: of the commands */
        char *dag_name; /* owned */
        bool has_dynamic_env; /* a variable of all steps is computed, so that all are set by the shell */
        bool is_handler; /* what is read has no node, so that lines set its variables */
        bool uses_special; /* the step that is read names a variable of Dagu itself */
        bool has_noted_shell; /* a command runs in a shell that the file does not name */
        size_t n_parents, n_text; /* bounded, since lists of parents and lines before commands multiply */
        VECTOR(DaguParam) params;
        VECTOR(DaguStep) steps;
        VECTOR(DaguName) names;
        IndexTable by_name; /* of names */
        uint32_t gate; /* the node before all others; UINT32_MAX: none */
        uint32_t gate_condition; /* that which judges the preconditions of the whole; UINT32_MAX: none */
} DaguReader;

/* Lines of /bin/sh that prepare a command and run it; its texts are arguments. */
typedef struct DaguScript {
        Text head, run;
        char **arguments; /* owned */
        char *shell; /* owned: the run is this shell with the one argument; or NULL */
        bool is_plain; /* one program, which may take the place of the shell */
} DaguScript;

typedef enum DaguTreatment {
        DAGU_READ,
        DAGU_NOTE,
        DAGU_REFUSE,
} DaguTreatment;

typedef struct DaguKey {
        const char *name;
        DaguTreatment treatment;
        const char *text; /* of a note; of a refusal, a clause */
} DaguKey;

/* — flow_import_dagu_key.c — */

int dagu_fail(DaguReader *reader, const YamlNode *node, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
int dagu_note(DaguReader *reader, const YamlNode *node, const char *what, const char *text);
/* Looks at each key of a map. */
int dagu_check_root(DaguReader *reader);
int dagu_check_step(DaguReader *reader, const YamlNode *step);
int dagu_check_handler(DaguReader *reader, const YamlNode *step);
int dagu_check_keys(DaguReader *reader, const YamlNode *map, const char *where, const DaguKey *keys, size_t n);
const YamlNode *dagu_get(const DaguReader *reader, const YamlNode *map, const char *key);
/* The value of a key of a step, or else of "defaults". */
const YamlNode *dagu_get_default(const DaguReader *reader, const YamlNode *step, const char *key);
/* A text, a number, a switch; what is not there leaves *ret as it is. 1 if it is there, 0, or an error. */
int dagu_get_text(DaguReader *reader, const YamlNode *map, const char *key, const char **ret_text);
int dagu_get_u32(DaguReader *reader, const YamlNode *map, const char *key, uint32_t *ret_value);
int dagu_get_bool(DaguReader *reader, const YamlNode *map, const char *key, bool *ret_value);
/* A list, or a value that stands for a list of one; NULL has none. */
size_t dagu_count(const YamlNode *node);
const YamlNode *dagu_item(const DaguReader *reader, const YamlNode *node, size_t i);
/* Whether a text is the name of a variable of a shell. */
bool dagu_is_variable(const char *name);

/* — flow_import_dagu_shell.c — */

void dagu_script_deinit(DaguScript *script);
/* A word of a shell, as it is; and one in which Dagu's variables are replaced. */
void dagu_add_quoted(Text *text, const char *word);
int dagu_add_expanded(DaguReader *reader, const YamlNode *node, const char *value, Text *text);
bool dagu_is_dynamic(const char *value);
/* Adds the command that a step executes. */
int dagu_add_run(DaguReader *reader, const YamlNode *step, DaguScript *script);
/* An expression that is true if all of the conditions are. */
int dagu_add_conditions(DaguReader *reader, const YamlNode *step, const YamlNode *conditions, Text *text);
/* The command of a node, with what follows it: @tail; NULL: nothing does. */
int dagu_set_command(DaguReader *reader, DaguScript *script, const Text *tail, ImportTask *task);

/* — flow_import_dagu_env.c — */

int dagu_read_params(DaguReader *reader);
/* Variables of all steps; those of a step, or their lines for a shell. */
int dagu_set_flow_env(DaguReader *reader);
int dagu_set_step_env(DaguReader *reader, const YamlNode *step, ImportTask *task);
/* Lines that set the parameters, outputs and variables that a step sees. */
int dagu_add_head(DaguReader *reader, const YamlNode *step, size_t n_before, DaguScript *script);
/* Completes a path by @folder; refuses one that is computed. */
int dagu_make_path(DaguReader *reader, const YamlNode *node, const char *folder, char **ret_path);

/* — flow_import_dagu_step.c — */

int dagu_read_steps(DaguReader *reader);

/* — flow_import_dagu_policy.c — */

/* Reads the settings of a step about failures, before other steps are written. */
int dagu_read_continue_on(DaguReader *reader, DaguStep *step);
int dagu_set_policies(DaguReader *reader, const DaguStep *step, ImportTask *task);
/* The lines behind a command that is repeated. */
int dagu_add_repeat(DaguReader *reader, const YamlNode *step, Text *tail, ImportTask *task);

/* — flow_import_dagu_gate.c — */

/* A node with a name of its own. */
int dagu_add_task(DaguReader *reader, const char *name, const char *suffix, const YamlNode *node, uint32_t *ret_task);
/* The node waits for another one whose result is true or false, and is skipped if it is false. */
int dagu_set_condition(DaguReader *reader, uint32_t condition, uint32_t task);
/* The nodes before all others: preconditions, the handler of the beginning, and a delay. */
int dagu_read_gates(DaguReader *reader);
/* Lets a node wait for them. */
int dagu_set_gate(DaguReader *reader, uint32_t task);

/* — flow_import_dagu_handler.c — */

int dagu_read_handlers(DaguReader *reader);
