/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Workflows of other programs, as flows
 *
 * A reader for each format fills in the same data, which is then written as a
 * unit file and, for many nodes, a file of JSON lines.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/index_table.h"
#include "basic/vector.h"

/* The nodes above which they are written to a file of their own. */
#define IMPORT_SECTIONS_MAX 1000U

/* A remark: what has no counterpart, or is read in a way that may surprise. */
typedef struct ImportNote {
        char *what;                     /* owned: identifies the remark */
        const char *text;               /* static: a sentence behind "what" and the number */
        unsigned line;                  /* of the first one */
        unsigned n;
} ImportNote;

typedef struct ImportTask {
        char *id;                       /* owned */
        char *node;                     /* owned: its name in the flow; set by import_name_nodes() */
        char *program;                  /* owned: a program, or lines of a shell; NULL: none */
        char **arguments;               /* owned */
        VECTOR(uint32_t) parents;       /* each once */
        unsigned line;
        bool is_task;                   /* false: only mentioned so far */
} ImportTask;

typedef struct ImportedFlow {
        char *description;              /* owned; or NULL */
        VECTOR(ImportTask) tasks;
        IndexTable by_id;               /* of tasks */
        VECTOR(uint32_t) order;         /* of tasks, as they stand in the file; then those that are only named */
        IndexTable by_edge;             /* of edges, so that each is added once */
        VECTOR(uint64_t) edges;         /* parent << 32 | child */
        VECTOR(ImportNote) notes;
} ImportedFlow;

void imported_flow_deinit(ImportedFlow *flow);

/* The task with this id, which is made if there is none; its index in *ret_at. 0 or -ENOMEM. */
int import_find_task(ImportedFlow *flow, const char *id, uint32_t *ret_at);
/* Notes that one task is a parent of another. 0 or -ENOMEM. */
int import_add_edge(ImportedFlow *flow, uint32_t parent, uint32_t child);
/* Adds a remark, or counts it if there is one with the same @what. @text is static. 0 or -ENOMEM. */
int import_note(ImportedFlow *flow, const char *what, const char *text, unsigned line);
/* Completes .order, and gives each task a name that a node may have. 0 or -ENOMEM. */
int import_name_nodes(ImportedFlow *flow);

/* Returns true for a program's name or path; else @program is lines of a shell. */
bool import_is_program(const char *program);

/* A format: reads @n bytes of @text. 0, -EBADMSG with *ret_problem (owned) and its line, or -ENOMEM. */
typedef int (*ImportReader)(const char *text, size_t n, ImportedFlow *flow, char **ret_problem, unsigned *ret_line);

int import_wfcommons(const char *text, size_t n, ImportedFlow *flow, char **ret_problem, unsigned *ret_line);

/*
 * The text of the unit file, and of the file of nodes @nodes_file (NULL: all nodes are sections; *ret_nodes is NULL
 * then). @source: the name of the file that it is made from. 0 or -ENOMEM.
 */
int import_write(const ImportedFlow *flow, const char *source, const char *nodes_file, char **ret_flow,
                 char **ret_nodes);
