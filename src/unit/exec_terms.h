/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Rare process settings of a unit, as data
 *
 * Limits, priorities, directories, privileges, filters, credentials. unitfile
 * reads them, exec applies them, types shows them. A unit without any of them
 * has no ExecTerms. All members zero: no setting is given.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/security_module.h"
#include "basic/string_table.h"
#include "unit/system_call.h"

#define EXEC_LIMITS 16U                 /* RLIMIT_… */
#define EXEC_LIMIT_INFINITY UINT64_MAX
#define EXEC_FAMILIES 47                /* all AF_… are below this */
#define EXEC_NAMESPACES_ALL UINT64_C(0x7e020000)        /* CLONE_NEW… */
#define EXEC_DIRECTORY_MODE 0755U
#define EXEC_DIRECTORY_MODE_IS_SET 0x10000U     /* tells mode 0 from no mode */

typedef struct ExecLimit {
        uint64_t soft, hard;
} ExecLimit;

/* A set of processors or memory nodes: bit n % 64 of word n / 64. */
typedef struct ExecSet {
        uint64_t *words;                /* owned */
        size_t n;
} ExecSet;

typedef enum ExecDirectoryKind {
        EXEC_DIRECTORY_RUNTIME,
        EXEC_DIRECTORY_STATE,
        EXEC_DIRECTORY_CACHE,
        EXEC_DIRECTORY_LOGS,
        EXEC_DIRECTORY_CONFIGURATION,
        _EXEC_DIRECTORY_MAX,
} ExecDirectoryKind;

typedef enum ExecPreserve {
        EXEC_PRESERVE_NO,
        EXEC_PRESERVE_YES,
        EXEC_PRESERVE_RESTART,
        _EXEC_PRESERVE_MAX,
} ExecPreserve;

typedef enum ExecKeyring {
        EXEC_KEYRING_DEFAULT,           /* not set: private for the system manager, inherited for a user manager */
        EXEC_KEYRING_INHERIT,
        EXEC_KEYRING_PRIVATE,
        EXEC_KEYRING_SHARED,
        _EXEC_KEYRING_MAX,
} ExecKeyring;

/* Groups of system calls that other directives deny, besides the unit's filter. */
typedef enum ExecDenied {
        EXEC_DENIED_CLOCK = 1 << 0,
        EXEC_DENIED_KERNEL_LOGS = 1 << 1,
        EXEC_DENIED_MODULES = 1 << 2,
        EXEC_DENIED_HOSTNAME = 1 << 3,
        EXEC_DENIED_RAW_IO = 1 << 4,
        EXEC_DENIED_TUNABLES = 1 << 5,
} ExecDenied;

typedef struct ExecDirectories {
        char **paths;                   /* owned; "a/b" or "a/b:link", below the directory of this kind */
        uint32_t mode;                  /* 0: the default */
} ExecDirectories;

/* The system calls that the unit's processes may make. */
typedef struct ExecFilter {
        bool has_calls, allows_calls;   /* .calls are the allowed or the denied ones */
        bool has_log, logs_others;      /* log calls in .logged, or all others */
        bool has_families, allows_families;
        bool has_namespaces;            /* only .namespaces may be entered */
        SystemCallSet calls, logged;
        /* Owned, or NULL; for each call its errno, -1 to end the process, or 0 to use .error. */
        int16_t *errors;
        int error;                      /* errno of denied calls; 0: the process is ended */
        char **architectures;           /* owned; systemd's names */
        uint64_t families;              /* bit AF_… */
        uint64_t namespaces;            /* CLONE_NEW… */
        bool denies_realtime, denies_suid_sgid, denies_write_execute, locks_personality;
} ExecFilter;

/* The label under which a security module runs the process. */
typedef struct ExecLabel {
        char *name;                     /* owned; NULL: none */
        bool is_optional;               /* the process runs without the label if it cannot be set */
} ExecLabel;

typedef struct ExecTerms {
        uint32_t limits;                /* bit RLIMIT_…: .limit is set */
        ExecLimit limit[EXEC_LIMITS];

        bool has_scheduling, resets_on_fork, has_io_priority, has_cpus, takes_numa_cpus, has_numa_policy;
        bool has_timer_slack, has_coredump_filter, has_personality, has_capabilities, no_new_privileges;
        bool removes_ipc;               /* remove IPC objects of its user when the unit is inactive */
        int scheduling_policy, scheduling_priority;
        int io_priority;                /* IOPRIO_PRIO_VALUE() */
        ExecSet cpus;
        int numa_policy;                /* MPOL_… */
        ExecSet numa_nodes;
        uint64_t timer_slack_nsec;
        uint64_t coredump_filter;
        unsigned long personality;
        ExecKeyring keyring;

        ExecDirectories directories[_EXEC_DIRECTORY_MAX];
        ExecPreserve preserve;          /* for the runtime directories */

        uint64_t capabilities;          /* bounding set; valid with .has_capabilities */
        uint64_t ambient_capabilities;
        uint32_t secure_bits;
        ExecFilter filter;

        char **load_credentials;        /* owned; "id:path" */
        char **set_credentials;         /* owned; "id:text" */
        char *input_data;               /* owned; content of standard input, with .has_input_data */
        size_t input_size;
        bool has_input_data;
        bool tty_reset, tty_hangup, tty_disallocate;
        uint32_t tty_rows, tty_columns; /* 0: unchanged */
        uint64_t timeout_clean;         /* limit of a clean in µs; 0: none */
        /* Owned; where commands without a slash are searched; NULL: EXEC_DEFAULT_PATH. */
        char **search_path;

        ExecLabel labels[_SECURITY_MODULE_MAX];
        char *pam_name;                 /* owned; PAM service of its session; NULL: no session */
        bool dynamic_user;              /* the user is allocated for the unit */
} ExecTerms;

DECLARE_STRING_TABLE(exec_directory, ExecDirectoryKind);         /* "RuntimeDirectory", … */
DECLARE_STRING_TABLE(exec_preserve, ExecPreserve);
DECLARE_STRING_TABLE(exec_keyring, ExecKeyring);

int exec_family_from_string(const char *name);          /* "AF_INET"; or -EINVAL */
const char *exec_family_to_string(int family);          /* NULL: unknown */

/* Frees all members and sets them to zero. */
void exec_terms_deinit(ExecTerms *terms);
ExecTerms *exec_terms_free(ExecTerms *terms);
/* Moves the content of @from to *@ret_terms, which is NULL if @from has no setting. 0, or -ENOMEM with NULL. */
int exec_terms_take(ExecTerms *from, ExecTerms **ret_terms);

static inline uint32_t exec_directories_mode(const ExecDirectories *directories) {
        return directories->mode == 0 ? EXEC_DIRECTORY_MODE : directories->mode & 07777;
}

/* 0 or -ENOMEM. */
int exec_set_add(ExecSet *set, size_t from, size_t to);
void exec_set_clear(ExecSet *set);
