/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Data of a node: Inputs=, Outputs=, Data=, Default=, ResultMax= and what belongs to them
 */

#include <stdint.h>

#include "basic/string_table.h"
#include "basic/vector.h"
#include "unitfile/directive.h"

#define FLOW_RESULT_MAX (UINT64_C(64) * 1024 * 1024) /* the largest ResultMax= */
#define FLOW_RESULT_DEFAULT (UINT64_C(1024) * 1024)
#define FLOW_DATA_MAX (32U * 1024U) /* bytes of Data= and of Default= */
#define FLOW_DATA_FILE_MAX (1024U * 1024U) /* bytes of DataFile= */
#define FLOW_ALL_INPUTS "all_taskdata" /* the input that is the array of all parents' results */

/* How a command gets its data. */
typedef enum FlowInputMode {
        FLOW_INPUT_FILE, /* by $JOBD_INPUT */
        FLOW_INPUT_STDIN, /* also as standard input */
        FLOW_INPUT_ENV, /* also as variables */
        _FLOW_INPUT_MODE_MAX,
} FlowInputMode;

/* The cases in which Default= is used; bits. */
typedef enum FlowDefaultOn {
        FLOW_DEFAULT_ON_TIMEOUT = 1 << 0,
        FLOW_DEFAULT_ON_FAILURE = 1 << 1,
        FLOW_DEFAULT_ON_SKIP = 1 << 2,
        FLOW_DEFAULT_ON_ALL = FLOW_DEFAULT_ON_TIMEOUT | FLOW_DEFAULT_ON_FAILURE | FLOW_DEFAULT_ON_SKIP,
} FlowDefaultOn;

/* A word of Inputs=. */
typedef struct FlowInput {
        char *node; /* owned; NULL: who gives the key is found */
        char *key; /* owned */
        const char *file; /* borrowed from the flow's settings */
        unsigned line;
} FlowInput;

typedef struct FlowData {
        VECTOR(FlowInput) inputs;
        char **outputs; /* owned: keys */
        char *data; /* owned: an object of JSON; NULL: none */
        char *data_file; /* owned: path of a file with one, DataFile=; NULL: none */
        char *standard; /* owned: Default=, a value of JSON; NULL: none */
        unsigned default_on; /* FlowDefaultOn; 0: all */
        FlowInputMode input_mode;
        uint64_t result_max; /* bytes */
        bool drops_result; /* KeepResult=no: when no node can read it any more */
        bool saves_result; /* Save=: it is in the result of the run, too */
} FlowData;

void flow_data_init(FlowData *data);
void flow_data_deinit(FlowData *data);
void flow_data_clear_inputs(FlowData *data);
/* Whether Default= stands in for one of @kind. */
bool flow_data_has_default(const FlowData *data, FlowDefaultOn kind);
/* Whether Data= has @key. */
bool flow_data_has(const FlowData *data, const char *key);

int flow_input_mode_from_string(const char *string);

/* — parsers of directives — */

int flow_parse_inputs(const DirectiveLine *line, const char *value); /* a list; empty resets */
int flow_parse_outputs(const DirectiveLine *line, const char *value); /* a list; empty resets */
int flow_parse_keep_result(const DirectiveLine *line, const char *value);
int flow_parse_data(const DirectiveLine *line, const char *value);
int flow_parse_default(const DirectiveLine *line, const char *value);
int flow_parse_default_on(const DirectiveLine *line, const char *value); /* a list; empty: all */
int flow_parse_result_max(const DirectiveLine *line, const char *value);
