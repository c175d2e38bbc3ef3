/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Rare process settings, prepared for the child
 *
 * Everything that can be read, computed or allocated is done here; the child
 * only makes system calls with the results. Paths and names are complete,
 * numbers are in the kernel's format.
 */

#include "exec/exec_credentials.h"
#include "exec/exec_filter.h"
#include "unit/exec_terms.h"

#define EXEC_WORDS_MAX 128U             /* length of a set of processors */

/* A directory to make. */
typedef struct ExecFolder {
        ExecDirectoryKind kind;
        char *base;                     /* owned, as the three below: "/run" */
        char *path;                     /* below it: "a/b" */
        char *link;                     /* a symlink to it, also below the base; NULL: none … */
        char *target;                   /* … and the link's target */
        uint32_t mode;
        bool is_private;                /* in a folder that only root may enter; .link is its usual path */
} ExecFolder;

#define EXEC_SECRET_MAX_BYTES (1024U * 1024)

/* A file with a credential: the content of the first of its sources that exists, or else the data. */
typedef struct ExecSecret {
        char *name;                     /* owned, as the two below */
        char **sources;                 /* paths */
        char *data;                     /* NULL: none; if no source exists either, it is an error … */
        size_t size;
        bool is_optional;               /* … unless it may be missing */
} ExecSecret;

typedef struct ExecExtra {
        const ExecTerms *terms;         /* borrowed; all zero if only the sandbox denies calls */
        bool has_restrictions;          /* limits, capabilities and filters apply to this process */
        ExecFolder *folders;            /* owned */
        size_t n_folders;
        char *secret_base;              /* owned: "/run/credentials"; NULL: no credentials … */
        char *secret_folder;            /* … are in this folder below it … */
        char *secret_draft;             /* … whose name is this until it is complete */
        ExecSecret *secrets;            /* owned */
        size_t n_secrets;
        uid_t uid;                      /* owner of directories and credentials; UINT32_MAX: not changed */
        gid_t gid;
        char *labels[_SECURITY_MODULE_MAX];  /* owned, in the kernel's format; NULL: none */
        int input_fd;                   /* owned; the text for standard input, -1: none */
        uint64_t cpus[EXEC_WORDS_MAX];
        size_t n_cpu_words;             /* 0: unchanged */
        char coredump_filter[24];       /* empty: unchanged */
        bool opens_session;             /* of PAM: the child has a memory of its own */
        bool has_capabilities;
        uint64_t capabilities;          /* the bounding set */
        const ExecPrograms *programs;   /* NULL: none; released with this */
} ExecExtra;

/* Prepares the settings; *ret_extra is NULL if the request has none. 0, or a negative errno with the result set. */
int exec_extra_new(const ExecRequest *request, const ExecCredentials *credentials, ExecExtra **ret_extra,
                   ExecResult *result);
ExecExtra *exec_extra_free(ExecExtra *extra);

/* The absolute paths of the directories; *ret_paths is the caller's. 0 or -ENOMEM. */
int exec_extra_list_paths(const ExecExtra *extra, char ***ret_paths);
/* The folders that contain the directories of dynamic users, each of which may see only its own. */
int exec_extra_list_hidden(const ExecExtra *extra, char ***ret_paths);

/* The bounding set of root's processes with what is denied (bits of ExecDenied) taken out. */
uint64_t exec_bounding_set(const ExecTerms *terms, uint32_t denied);

/* Sets $RUNTIME_DIRECTORY and the like, and $CREDENTIALS_DIRECTORY. 0 or -ENOMEM. */
int exec_extra_set_environment(const ExecRequest *request, char ***environment);
