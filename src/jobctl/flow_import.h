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
#include "basic/text.h"
#include "basic/vector.h"
#include "jobctl/jobctl.h"

/* The nodes above which they are written to a file of their own. */
#define IMPORT_SECTIONS_MAX 1000U

/* The longest name that a file of a flow gets without its suffix. */
#define IMPORT_NAME_MAX 200U

/* A remark: what has no counterpart, or is read in a way that may surprise. */
typedef struct ImportNote {
        char *what; /* owned: identifies the remark */
        const char *text; /* static: a sentence behind "what" and the number */
        unsigned line; /* of the first one */
        unsigned n;
} ImportNote;

typedef struct ImportTask {
        char *id; /* owned */
        char *node; /* owned: its name in the flow; set by import_name_nodes() */
        char *program; /* owned: a program, or lines of a shell; NULL: none */
        char **arguments; /* owned */
        bool is_shell; /* .program is lines of a shell, even if it looks like a program */
        char *shell; /* owned: that shell with its options, as words of Exec=; NULL: /bin/bash */
        Text settings; /* lines of the node behind Exec= */
        VECTOR(uint32_t) parents; /* each once */
        unsigned line;
        bool is_task; /* false: only mentioned so far */
} ImportTask;

typedef VECTOR(ImportNote) ImportNotes;

/* A flow, and the timer that starts it. */
typedef struct ImportedFlow {
        char *name; /* owned: of its files, without suffix; NULL: that of the file that is read */
        char *description; /* owned; or NULL */
        unsigned line; /* where it stands; 0: it is the whole file */
        Text settings; /* lines of [Flow] */
        Text install; /* lines of [Install] */
        Text timer; /* lines of [Timer]; empty: there is none */
        VECTOR(ImportTask) tasks;
        IndexTable by_id; /* of tasks */
        VECTOR(uint32_t) order; /* of tasks, as they stand in the file; then those that are only named */
        IndexTable by_edge; /* of edges, so that each is added once */
        VECTOR(uint64_t) edges; /* parent << 32 | child */
        ImportNotes *notes; /* borrowed from the import */
} ImportedFlow;

/* A file that is imported. */
typedef struct ImportInput {
        const char *text;
        size_t n;
        const char *name; /* of the file, without folder and suffix, as a unit may be called */
        const char *folder; /* that it is in, an absolute path */
        bool has_users; /* --user-column */
} ImportInput;

/* The flows that an import makes, and its notes. */
typedef struct ImportOutput {
        VECTOR(ImportedFlow *) flows; /* owned */
        ImportNotes notes;
        char *problem; /* owned: after -EBADMSG, a sentence without its full stop … */
        unsigned line; /* … and its line; 0: of none */
} ImportOutput;

void import_output_deinit(ImportOutput *output);

/* Adds an empty flow: 0 or -ENOMEM. */
int import_add_flow(ImportOutput *output, ImportedFlow **ret_flow);

/* The task with this id, which is made if there is none; its index in *ret_at. 0 or -ENOMEM. */
int import_find_task(ImportedFlow *flow, const char *id, uint32_t *ret_at);
/* Notes that one task is a parent of another. 0 or -ENOMEM. */
int import_add_edge(ImportedFlow *flow, uint32_t parent, uint32_t child);
/* Adds a remark, or counts it if there is one with the same @what. @text is static. 0 or -ENOMEM. */
int import_note(ImportNotes *notes, const char *what, const char *text, unsigned line);
/* Completes .order, and gives each task a name that a node may have. 0 or -ENOMEM. */
int import_name_nodes(ImportedFlow *flow);

/* Returns true for a program's name or path; else @program is lines of a shell. */
bool import_is_program(const char *program);

/* A format: reads the input. 0, -EBADMSG with the problem in @output, or -ENOMEM. */
typedef int (*ImportReader)(const ImportInput *input, ImportOutput *output);

int import_wfcommons(const ImportInput *input, ImportOutput *output);
int import_crontab(const ImportInput *input, ImportOutput *output);
int import_dagu(const ImportInput *input, ImportOutput *output);

/* A value in one line, without specifiers. */
void import_add_unspecified(Text *text, const char *value);
/* A word of a command: neither blanks, quotes, specifiers nor variables are left in it. */
void import_add_word(Text *text, const char *word);
/* Lines that begin with "# ". */
void import_add_comment(Text *text, const char *comment);

/* Adds a line "NAME=VALUE"; no specifiers are left in it. */
void import_add_setting(Text *text, const char *name, const char *value);
/* Adds "Environment=" with a variable whose value is @value as it stands. */
void import_add_environment(Text *text, const char *name, const char *value);

/*
 * The text of the unit file, and of the file of nodes @nodes_file (NULL: all nodes are sections; *ret_nodes is NULL
 * then), and of the timer (NULL if there is none). @source: the name of the file that it is made from; @unit: that of
 * the flow. 0 or -ENOMEM.
 */
int import_write(const ImportedFlow *flow, const char *source, const char *nodes_file, char **ret_flow,
                 char **ret_nodes);
int import_write_timer(const ImportedFlow *flow, const char *source, const char *unit, char **ret_timer);

/* The verb "flow import": an exit status, or < 0. */
int flow_import(Jobctl *ctl, char *const *words);
