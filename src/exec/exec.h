/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Starting a process
 *
 * A unit type describes the process as an ExecRequest: plain data, mostly
 * borrowed from the unit's settings. exec_spawn() makes the process in a session
 * of its own, and the process inherits nothing from the manager but what the
 * request says. The call returns when the program has been executed or a step
 * before that has failed, so its result is final.
 *
 * A process is "on its way" until it executes its program or ends; then it "has
 * arrived".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/string_table.h"
#include "basic/usec.h"

/* The folders in which a program's name without a slash is looked for; $PATH unless the environment sets another. */
#define EXEC_DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* The steps from a request to a running program, roughly in their order. */
typedef enum ExecStep {
        EXEC_STEP_NONE,                 /* nothing failed */
        EXEC_STEP_RESOURCES,            /* memory, fork */
        EXEC_STEP_ENVIRONMENT,          /* an EnvironmentFile= */
        EXEC_STEP_SIGNAL_MASK,
        EXEC_STEP_SETSID,
        EXEC_STEP_STDIN,
        EXEC_STEP_STDOUT,
        EXEC_STEP_STDERR,
        EXEC_STEP_OOM_ADJUST,
        EXEC_STEP_NICE,
        EXEC_STEP_SETSCHEDULER,
        EXEC_STEP_CPUAFFINITY,
        EXEC_STEP_NUMA_POLICY,
        EXEC_STEP_IOPRIO,
        EXEC_STEP_TIMERSLACK,
        EXEC_STEP_PERSONALITY,
        EXEC_STEP_RUNTIME_DIRECTORY,    /* these five in the order of ExecDirectoryKind */
        EXEC_STEP_STATE_DIRECTORY,
        EXEC_STEP_CACHE_DIRECTORY,
        EXEC_STEP_LOGS_DIRECTORY,
        EXEC_STEP_CONFIGURATION_DIRECTORY,
        EXEC_STEP_CREDENTIALS,
        EXEC_STEP_KEYRING,
        EXEC_STEP_LIMITS,
        EXEC_STEP_NETWORK,
        EXEC_STEP_NAMESPACE,
        EXEC_STEP_CHROOT,
        EXEC_STEP_GROUP,
        EXEC_STEP_CAPABILITIES,
        EXEC_STEP_USER,
        EXEC_STEP_CHDIR,
        EXEC_STEP_SECUREBITS,
        EXEC_STEP_NO_NEW_PRIVILEGES,
        EXEC_STEP_SECCOMP,
        EXEC_STEP_FDS,
        EXEC_STEP_EXEC,
        EXEC_STEP_APPARMOR,
        EXEC_STEP_SELINUX,
        EXEC_STEP_SMACK,
        EXEC_STEP_PAM,
        EXEC_STEP_CGROUP,
        _EXEC_STEP_MAX,
} ExecStep;

DECLARE_STRING_TABLE(exec_step, ExecStep);       /* "standard output", "working directory", … */

/* The exit status that systemd documents for a failure of this step (200–245), or 0: no process was made. */
int exec_step_exit_status(ExecStep step);

typedef enum ExecStreamKind {
        EXEC_STREAM_NULL,
        EXEC_STREAM_INHERIT,            /* the manager's own */
        EXEC_STREAM_FILE,               /* written from its start; not truncated */
        EXEC_STREAM_APPEND,
        EXEC_STREAM_TRUNCATE,
        EXEC_STREAM_SAME,               /* standard error only: the same as standard output */
        EXEC_STREAM_FD,                 /* a descriptor of the manager, above 2 */
        EXEC_STREAM_DEFAULT,            /* not set: the host replaces it; otherwise as EXEC_STREAM_INHERIT */
        EXEC_STREAM_LOG,                /* the log: the host sets .path and .header */
        _EXEC_STREAM_MAX,
} ExecStreamKind;

typedef struct ExecStream {
        ExecStreamKind kind;
        const char *path;               /* of the kinds that open a file; of EXEC_STREAM_LOG: a FIFO, or a socket */
        const char *header;             /* sent to the socket first; NULL: .path is a FIFO */
        bool to_console, to_kernel;     /* of EXEC_STREAM_LOG: also to the console, to the kernel's log */
        int fd;                         /* of EXEC_STREAM_FD; borrowed until exec_spawn_begin() returns */
} ExecStream;

typedef enum ExecRequestFlags {
        EXEC_REQUEST_NO_EXPANSION = 1 << 0,             /* of $VARIABLES in argv */
        EXEC_REQUEST_KEEP_PRIVILEGES = 1 << 1,          /* the environment of .user, but the manager's credentials */
        EXEC_REQUEST_IGNORE_SIGPIPE = 1 << 2,
        EXEC_REQUEST_DIRECTORY_OPTIONAL = 1 << 3,       /* a missing working directory is ignored */
        EXEC_REQUEST_HAS_NICE = 1 << 4,
        EXEC_REQUEST_HAS_OOM_SCORE_ADJUST = 1 << 5,
        /* EXEC_PID_PLACE in WATCHDOG_PID= of .own_environment is replaced by the pid of the process. */
        EXEC_REQUEST_TELLS_PID = 1 << 6,
        EXEC_REQUEST_NO_RESTRICTIONS = 1 << 7,          /* without limits, capabilities and filters of .terms ('+') */
        EXEC_REQUEST_NETWORK_ONLY = 1 << 8,             /* of .sandbox only the network and IPC namespaces apply */
        EXEC_REQUEST_BLOCK_SIGNALS = 1 << 9,            /* the program begins with all signals blocked */
} ExecRequestFlags;

/* The first number after standard error. */
#define EXEC_FIRST_FD 3

/* The value of a variable that the child replaces by its own pid. */
#define EXEC_PID_PLACE "0000000000"

/* A descriptor that the process gets. */
typedef struct ExecDescriptor {
        int fd;                                 /* -1: the child opens .path */
        const char *path;                       /* absolute; borrowed. The child connects to it if it is a socket */
        int flags;                              /* of open(2), for .path */
        bool is_owned;                          /* .fd is closed with the request */
        bool is_nonblocking;                    /* O_NONBLOCK is set */
        int target;                             /* number in the process; 0: the next from 3 on, in LISTEN_FDS= */
        const char *name;                       /* in LISTEN_FDNAMES=; borrowed; NULL: "unknown" */
} ExecDescriptor;

typedef struct ExecRequest {
        /* Set by the host, before the unit sets the rest. Borrowed. */
        char *const *manager_environment;       /* variables of every process; NULL: only PATH */
        const char *notify_socket;              /* NULL if there is none; the type decides whether it is passed on */
        bool is_user_manager;
        pid_t manager_pid;                      /* who is to be asked to end: the keeper, if there is one */
        pid_t *note_pid;                        /* gets the pid before the process runs, 0 if there is none; or NULL */
        const struct Cgroup *cgroup;            /* where the process is made; NULL: the manager's own */
        uint32_t open_files_limit;              /* soft RLIMIT_NOFILE of the process; 0: the manager's own */

        /* Set by the unit. Borrowed from its settings: begin the spawn before these can change. */
        const char *label;                      /* static: "ExecStart" */
        const char *path;                       /* absolute, or a name */
        char *const *argv;                      /* with argv[0]; $VARIABLES not yet expanded */
        uint32_t flags;                         /* ExecRequestFlags */

        char **own_environment;                 /* owned: INVOCATION_ID, MAINPID, … */
        char *const *pass_environment;
        char *const *environment;
        char *const *environment_files;
        char *const *unset_environment;

        const char *working_directory;          /* NULL: home of a user manager, else "/"; "~": home of the user */
        const char *root_directory;
        const char *user;                       /* name or number, or NULL */
        bool is_dynamic_user;                   /* the user is made if no user has that name */
        const char *group;
        char *const *supplementary_groups;
        mode_t umask;

        /* Standard input: the last of these that is set; /dev/null without them. */
        const char *standard_input_file;        /* NULL: none */
        bool inherits_standard_input;           /* the manager's own */
        int standard_input_fd;                  /* above 2; borrowed; 0: none */
        const char *tty;                        /* the controlling terminal, also as inherited output; NULL: none */
        bool takes_tty;                         /* .tty is taken from a session that has it */

        ExecStream standard_output;
        ExecStream standard_error;
        int nice;
        int oom_score_adjust;
        const struct ExecTerms *terms;          /* rare settings (unit/exec_terms.h); NULL: none is set */
        uint32_t denied;                        /* ExecDenied (unit/exec_terms.h): also taken away by its sandbox */
        /* unit/sandbox_settings.h; NULL: the process sees what the manager sees, except for .root_directory. */
        const struct SandboxSettings *sandbox;
        struct SandboxShared *shared;           /* exec/sandbox_shared.h; for settings that need it */
        char *const *hidden_folders;            /* hidden, except for .writable_paths in them */
        const char *secret_folder;              /* the only credentials that the process sees; NULL: none */
        char *const *writable_paths;            /* directories of the unit, writable in any sandbox */
        const char *own_folder;                 /* a folder of the process alone, as these; NULL: none */
        /* The process makes .own_folder anew, 0700, with this in a file "input", and keeps both; NULL: it is there. */
        const char *own_input;
        /* A folder that several processes share, as these; made if it is missing, 0700, and given to .common_uid. */
        const char *common_folder;              /* NULL: none */
        uid_t common_uid;                       /* UINT32_MAX: it stays the manager's */
        gid_t common_gid;
        const char *unit;                       /* its id; needed with .terms only */
        const char *places[2];                  /* folders to make, with their parents, if possible; or NULL */
        mode_t place_mode;                      /* of new .places */

        /* Of the host: connections to the log. */
        char *log_headers[2];                   /* owned: of standard output and error */
        uint32_t log_stream;                    /* index of the stream that the process opens, + 1; 0: none */

        ExecDescriptor *descriptors;            /* owned: by exec_request_add_descriptor() */
        size_t n_descriptors;
} ExecRequest;

/* Appends a descriptor. 0 or -ENOMEM. An .is_owned one belongs to the request; after an error it is closed. */
int exec_request_add_descriptor(ExecRequest *request, ExecDescriptor descriptor);
void exec_request_drop_descriptors(ExecRequest *request);

/* Frees what it owns and zeroes it. A zeroed request is an empty one. */
void exec_request_deinit(ExecRequest *request);

typedef struct ExecResult {
        ExecStep step;                  /* where it failed, or EXEC_STEP_NONE */
        int error;                      /* positive errno, or 0 */
        pid_t pid;                      /* also of a process that has failed; 0: none was made */
        uid_t uid;                      /* of the process, if it differs from the manager's; else UINT32_MAX */
        gid_t gid;
        int sandbox_error;              /* positive errno: the process runs without a sandbox, as its settings allow */
        char message[1024];             /* "standard output: cannot open /var/log/x.log: No space left on device" */
} ExecResult;

/* Sets the result of a step that failed with errno @error (of either sign). A host uses it for its own steps, too. */
void exec_result_set(ExecResult *result, ExecStep step, int error, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/*
 * Starts the process. 0: the process *ret_pid runs its program; the caller must reap it and owns *ret_pidfd
 * (close-on-exec; -1 if the kernel has no pidfds). < 0: *ret_result is set, and nothing is left to reap except for a
 * killed child that hangs in the kernel. The call waits while the child opens files and changes its user, for some
 * seconds at most; it never waits for a name service or for the other end of a FIFO.
 */
int exec_spawn(const ExecRequest *request, pid_t *ret_pid, int *ret_pidfd, ExecResult *ret_result);

/*
 * The same in two calls, for several processes at once: exec_spawn_begin() returns while the child is on its way, and
 * exec_spawn_finish() waits until it has arrived. Between them @request is not needed: the child has a copy. -EAGAIN,
 * with the result set, if EXEC_SPAWNS_MAX children are on their way. Each spawn that was begun must be finished. A
 * child that changes values of the shared memory (its score for the out-of-memory killer) is on its way alone: the call
 * waits for the children before it, and the next call waits for this one.
 */
typedef struct ExecSpawn ExecSpawn;

#if defined(__x86_64__) && !defined(__ILP32__)
#define EXEC_SPAWNS_MAX 32U
#else
#define EXEC_SPAWNS_MAX 1U              /* see exec_syscall.h */
#endif

int exec_spawn_begin(const ExecRequest *request, ExecSpawn **ret_spawn, ExecResult *ret_result);
int exec_spawn_finish(ExecSpawn *spawn, pid_t *ret_pid, int *ret_pidfd, ExecResult *ret_result);
/*
 * For a caller that does not wait. A request that must wait has to be begun later: when children on their way have
 * arrived, or when the child that makes the namespace of this request has arrived.
 */
typedef enum ExecSpawnWait {
        EXEC_SPAWN_NEED_NOT_WAIT,
        EXEC_SPAWN_WAITS_FOR_ALL,
        EXEC_SPAWN_WAITS_FOR_NAMESPACE,
} ExecSpawnWait;

ExecSpawnWait exec_spawn_must_wait(const ExecRequest *request);
bool exec_spawn_has_place(void);        /* false: any request must wait */

/* Returns true if the child arrives within @usec. May stay false for a child that a signal has ended. */
bool exec_spawn_has_arrived_within(ExecSpawn *spawn, usec_t usec);
/* To be called when the caller has reaped the child: it has arrived. */
void exec_spawn_note_end(ExecSpawn *spawn);
/* Kills the child. When it has been reaped, call exec_spawn_note_end() and exec_spawn_end(). */
void exec_spawn_give_up(ExecSpawn *spawn);
/* Forgets the child, which goes on: what it needs is freed after it has arrived. */
void exec_spawn_abandon(ExecSpawn *spawn);
/*
 * Ends the spawn of a child that has arrived. 0: the child runs its program, or has run it; < 0: *ret_result says why
 * not. In either case the caller must reap the child and owns *ret_pidfd.
 */
int exec_spawn_end(ExecSpawn *spawn, int *ret_pidfd, ExecResult *ret_result);

pid_t exec_spawn_pid(const ExecSpawn *spawn);
/* The start of the process, as exec_process_start(); 0: not known, because the process has ended already. */
usec_t exec_spawn_start(const ExecSpawn *spawn);
