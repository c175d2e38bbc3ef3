/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What few units say of their processes, made ready for the child
 *
 * All that can be read, computed or allocated is done here; the child makes
 * system calls of it. Paths and names are whole, numbers are as the kernel
 * takes them.
 */

#include "exec/exec_credentials.h"
#include "exec/exec_filter.h"
#include "unit/exec_terms.h"

#define EXEC_WORDS_MAX 128U             /* of a set of processors */

/* A directory to make. */
typedef struct ExecFolder {
        ExecDirectoryKind kind;
        char *base;                     /* owned, as the next three: "/run" */
        char *path;                     /* below it: "a/b" */
        char *link;                     /* a symlink to it, below the base as well; NULL: none … */
        char *target;                   /* … and what is in it */
        uint32_t mode;
        bool is_private;                /* in a folder that only root may enter, and .link is its usual place */
} ExecFolder;

#define EXEC_SECRET_MAX_BYTES (1024U * 1024)

/* A file with a credential: what is in the first of its sources that there is, or else the data. */
typedef struct ExecSecret {
        char *name;                     /* owned, as are the next two */
        char **sources;                 /* paths */
        char *data;                     /* NULL: none, and then it is an error that none of its sources is there … */
        size_t size;
        bool is_optional;               /* … unless it may be missing */
} ExecSecret;

typedef struct ExecExtra {
        const ExecTerms *terms;         /* borrowed; all zero if only the sandbox denies something */
        bool has_restrictions;          /* limits, capabilities and filters hold for this process */
        ExecFolder *folders;            /* owned */
        size_t n_folders;
        char *secret_base;              /* owned: "/run/credentials"; NULL: there are none … */
        char *secret_folder;            /* … or in this folder below it */
        char *secret_draft;             /* … which has this name until it is complete */
        ExecSecret *secrets;            /* owned */
        size_t n_secrets;
        uid_t uid;                      /* whose directories and credentials are; UINT32_MAX: not changed */
        gid_t gid;
        char *labels[_SECURITY_MODULE_MAX];  /* owned, as the kernel takes them; NULL: none */
        int input_fd;                   /* owned; the text for standard input, -1: none */
        uint64_t cpus[EXEC_WORDS_MAX];
        size_t n_cpu_words;             /* 0: as they are */
        char coredump_filter[24];       /* empty: as it is */
        bool opens_session;             /* of PAM: it has memory of its own */
        bool has_capabilities;
        uint64_t capabilities;          /* the bounding set */
        const ExecPrograms *programs;   /* NULL: none; given back with this */
} ExecExtra;

/* *ret_extra is NULL if the request has nothing of it. 0, or a negative errno with the result set. */
int exec_extra_new(const ExecRequest *request, const ExecCredentials *credentials, ExecExtra **ret_extra,
                   ExecResult *result);
ExecExtra *exec_extra_free(ExecExtra *extra);

/* Whole paths of the directories; *ret_paths is the caller's. 0 or -ENOMEM. */
int exec_extra_list_paths(const ExecExtra *extra, char ***ret_paths);
/* The folders with those of dynamic users, of which each sees its own only. */
int exec_extra_list_hidden(const ExecExtra *extra, char ***ret_paths);

/* $RUNTIME_DIRECTORY and its sisters, $CREDENTIALS_DIRECTORY. 0, -ENOMEM. */
int exec_extra_set_environment(const ExecRequest *request, char ***environment);
