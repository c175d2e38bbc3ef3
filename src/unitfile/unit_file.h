/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Unit files: from a name to a loaded unit
 *
 * A loader finds a unit's files on a search path, reads them, and fills in the
 * unit: settings, relations with file and line, and implied dependencies. It
 * serves a unit table as its UnitLoaderOps. Warnings and errors about files go
 * to a diagnostics receiver; the loader logs nothing.
 */

#include <stdbool.h>

#include "unit/unit_table.h"

typedef enum UnitFileSeverity {
        UNIT_FILE_NOTE,
        UNIT_FILE_WARNING,
        UNIT_FILE_ERROR,                /* the unit can't be used */
} UnitFileSeverity;

/* One message, borrowed for the call. */
typedef struct UnitFileDiagnostic {
        UnitFileSeverity severity;
        const char *unit;               /* NULL if it is about no particular unit */
        const char *file;
        unsigned line;                  /* 0: the file as a whole */
        const char *setting;            /* "ExecStart", or NULL */
        const char *message;            /* a sentence, without file and line */
} UnitFileDiagnostic;

typedef void (*UnitFileReceiver)(void *userdata, const UnitFileDiagnostic *diagnostic);

struct FlowGraph;

typedef struct UnitFileOptions {
        char *const *search_path;               /* folders, highest priority first; copied */
        /* a user manager: other default dependencies, specifiers, paths */
        bool is_user;
        bool no_default_dependencies;           /* as if each unit had DefaultDependencies=no */
        bool lenient_directives;                /* UnsupportedDirectives=warn */
        /* The text was judged once, perhaps by another jobd: unknown directives do not refuse it. */
        bool is_judged;
        bool is_thorough;                       /* verify: also check users, files, programs, and cycles */
        const char *runtime_directory;          /* %t; NULL: /run or $XDG_RUNTIME_DIR */
        /* folders of units that are started by name and never at boot: name_map_leave_boot(); borrowed, or NULL */
        const char *const *no_boot_folders;
        const char *root;                       /* root for absolute links, without a final slash; NULL: / */
        /* The mount at @where, valid for this call: a unit without a file. NULL: mount units need files. */
        const struct MountEntry *(*find_mount)(void *userdata, const char *where);
        /* verify: gets the graph of each flow that has no error in it, borrowed; 0 or -ENOMEM. May be NULL. */
        int (*receive_graph)(void *userdata, const struct FlowGraph *graph);
        UnitFileReceiver receiver;              /* may be NULL */
        void *userdata;                         /* borrowed */
} UnitFileOptions;

typedef struct UnitFileLoader UnitFileLoader;

int unit_file_loader_new(UnitFileLoader **ret_loader, const UnitFileOptions *options);
UnitFileLoader *unit_file_loader_free(UnitFileLoader *loader);
DEFINE_CLEANUP(UnitFileLoader, unit_file_loader_free)

/* Sets the loader as that of @table (borrowed). The loader must outlive the table. */
void unit_file_loader_attach(UnitFileLoader *loader, UnitTable *table);
char *const *unit_file_loader_search_path(const UnitFileLoader *loader);
bool unit_file_loader_boots(const UnitFileLoader *loader);      /* there are no no_boot_folders */

/*
 * The search path of a system or user manager. With @with_systemd it ends with systemd's own folders. $JOBD_UNIT_PATH
 * or @override ("a:b", with a trailing ':' followed by the default) replaces it.
 */
int unit_file_search_path(bool is_user, bool with_systemd, const char *override, char ***ret_path);

/* The folders that @with_systemd appends for a system manager, with a NULL at the end. */
const char *const *unit_file_systemd_folders(void);

/* Returns true if a file of @unit has changed, appeared or disappeared since it was read, by ctime, size and inode. */
bool unit_file_has_changed(UnitFileLoader *loader, const Unit *unit);

/*
 * Reads changed files, and no others, again (daemon-reload). Without @force a broken file leaves everything unchanged
 * and returns -EBADMSG with @ret_failure; with it, such units are updated, too. For each unit read again, @changed (may
 * be NULL) is called with one line of text about the differences.
 */
typedef void (*UnitFileChanged)(void *userdata, Unit *unit, const char *difference);
int unit_file_reload(UnitFileLoader *loader, UnitTable *table, bool force, UnitFileChanged changed, void *userdata,
                     Failure *ret_failure);
/* The same for the files of one unit, without force. */
int unit_file_reload_unit(UnitFileLoader *loader, Unit *unit, UnitFileChanged changed, void *userdata,
                          Failure *ret_failure);

/* The state as of is-enabled: "enabled", "static", "masked", "disabled", "generated", …; or -ENOENT. */
int unit_file_state(UnitFileLoader *loader, const char *name, const char **ret_state);

/* The names of all unit files on the search path (templates too), sorted and unique. */
int unit_file_list(UnitFileLoader *loader, char ***ret_names);

/*
 * Checks a file, a drop-in, all units of a folder, or a unit given by name, without a manager: diagnostics go to the
 * receiver; returns the number of errors, or -errno. The file's own folder is put first on the search path.
 */
int unit_file_verify(const char *path, const UnitFileOptions *options);

/* Evaluates Condition…= and Assert…=: sets unit->condition_result, assert_result and each condition's result. */
UnitAnswer unit_file_check_conditions(Unit *unit);
