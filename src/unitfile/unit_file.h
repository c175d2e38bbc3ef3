/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Unit files: from a name to a loaded unit
 *
 * A loader finds a unit's files on a search path, reads them, and fills the
 * unit: settings, relations with file and line, and what is implied. It is
 * given to a unit table as its UnitLoaderOps. What it has to say about the
 * files (warnings, errors) it gives to a diagnostics receiver; it logs nothing.
 */

#include <stdbool.h>

#include "unit/unit_table.h"

typedef enum UnitFileSeverity {
        UNIT_FILE_NOTE,
        UNIT_FILE_WARNING,
        UNIT_FILE_ERROR,                /* the unit can't be used */
} UnitFileSeverity;

/* One remark, borrowed for the call. */
typedef struct UnitFileDiagnostic {
        UnitFileSeverity severity;
        const char *unit;               /* NULL if it is about no unit in particular */
        const char *file;
        unsigned line;                  /* 0: the file as a whole */
        const char *setting;            /* "ExecStart", or NULL */
        const char *message;            /* a sentence, without file and line */
} UnitFileDiagnostic;

typedef void (*UnitFileReceiver)(void *userdata, const UnitFileDiagnostic *diagnostic);

typedef struct UnitFileOptions {
        char *const *search_path;               /* folders, first wins; copied */
        /* the manager of a user: other default dependencies, specifiers, paths */
        bool is_user;
        bool no_default_dependencies;           /* as if every unit said DefaultDependencies=no */
        bool lenient_directives;                /* UnsupportedDirectives=warn */
        bool is_thorough;                       /* verify: also users, files and programs of this machine, and cycles */
        const char *runtime_directory;          /* %t; NULL: /run or $XDG_RUNTIME_DIR */
        const char *root;                       /* where absolute links start, without a slash at the end; NULL: / */
        /* The mount at @where, borrowed for the moment: a unit without a file. NULL: mounts need files. */
        const struct MountEntry *(*find_mount)(void *userdata, const char *where);
        UnitFileReceiver receiver;              /* may be NULL */
        void *userdata;                         /* borrowed */
} UnitFileOptions;

typedef struct UnitFileLoader UnitFileLoader;

int unit_file_loader_new(UnitFileLoader **ret_loader, const UnitFileOptions *options);
UnitFileLoader *unit_file_loader_free(UnitFileLoader *loader);
DEFINE_CLEANUP(UnitFileLoader, unit_file_loader_free)

/* Gives itself to @table (borrowed) as its loader. The loader must outlive the table. */
void unit_file_loader_attach(UnitFileLoader *loader, UnitTable *table);
char *const *unit_file_loader_search_path(const UnitFileLoader *loader);

/*
 * The search path of a system or user manager, units.md "Files". With @with_systemd systemd's own folders follow.
 * $JOBD_UNIT_PATH or @override ("a:b", a trailing ':' keeps the default after it) replaces it.
 */
int unit_file_search_path(bool is_user, bool with_systemd, const char *override, char ***ret_path);

/* Has a file of @unit changed, come or gone since it was read? (ctime, size, inode of each; cheap.) */
bool unit_file_has_changed(UnitFileLoader *loader, const Unit *unit);

/*
 * Reads changed files again, and no others (daemon-reload). @force: also take units whose new file is broken;
 * without it a broken file leaves everything as it was and returns -EBADMSG with @ret_failure. For each unit read
 * again, @changed (may be NULL) is called with one line for people about what is new in it.
 */
typedef void (*UnitFileChanged)(void *userdata, Unit *unit, const char *difference);
int unit_file_reload(UnitFileLoader *loader, UnitTable *table, bool force, UnitFileChanged changed, void *userdata,
                     Failure *ret_failure);

/* "enabled", "static", "masked", "disabled", "generated", … as is-enabled; or -ENOENT. */
int unit_file_state(UnitFileLoader *loader, const char *name, const char **ret_state);

/* All unit file names on the search path (templates too), sorted, each once. */
int unit_file_list(UnitFileLoader *loader, char ***ret_names);

/*
 * Offline check of a file, a drop-in, all units of a folder, or a unit that is named without a folder: diagnostics go
 * to the receiver; returns the number of errors or -errno. Files beside it come first on the search path.
 */
int unit_file_verify(const char *path, const UnitFileOptions *options);

/* Evaluates Condition…= and Assert…=: sets unit->condition_result, assert_result and each condition's result. */
UnitAnswer unit_file_check_conditions(Unit *unit);
