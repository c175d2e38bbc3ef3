/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Starting a process
 *
 * A unit type describes the process as an ExecRequest (plain data, for the
 * most part borrowed from its settings) and exec_spawn() makes it, in its own
 * session, with nothing of ours but what the request says. The call returns
 * when the new program runs or is known not to, so the answer is final: there
 * is no child of ours left that failed half-way.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/string_table.h"
#include "basic/usec.h"

/* Where a program's name without a slash is looked for, and $PATH unless the environment says otherwise. */
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

/* The exit status that systemd documents for a process that failed there (200–245), or 0: no process came to be. */
int exec_step_exit_status(ExecStep step);

typedef enum ExecStreamKind {
        EXEC_STREAM_NULL,
        EXEC_STREAM_INHERIT,            /* what the manager's own is */
        EXEC_STREAM_FILE,               /* from the start, what follows is kept */
        EXEC_STREAM_APPEND,
        EXEC_STREAM_TRUNCATE,
        EXEC_STREAM_SAME,               /* standard error only: what standard output is */
        EXEC_STREAM_FD,                 /* a descriptor of ours, above 2 */
        EXEC_STREAM_DEFAULT,            /* nothing is said: the host decides; else as EXEC_STREAM_INHERIT */
        EXEC_STREAM_LOG,                /* the log: the host finds the way there */
        _EXEC_STREAM_MAX,
} ExecStreamKind;

typedef struct ExecStream {
        ExecStreamKind kind;
        const char *path;               /* for the three that open a file; of EXEC_STREAM_LOG: a FIFO, or a socket … */
        const char *header;             /* … to which this is sent first; NULL: it is a FIFO */
        bool to_console, to_kernel;     /* of EXEC_STREAM_LOG: there, too */
        int fd;                         /* of EXEC_STREAM_FD; borrowed till the spawn is begun */
} ExecStream;

typedef enum ExecRequestFlags {
        EXEC_REQUEST_NO_EXPANSION = 1 << 0,             /* take argv as it stands */
        EXEC_REQUEST_KEEP_PRIVILEGES = 1 << 1,          /* the user's environment, but not the user's credentials */
        EXEC_REQUEST_IGNORE_SIGPIPE = 1 << 2,
        EXEC_REQUEST_DIRECTORY_OPTIONAL = 1 << 3,       /* a missing working directory is no failure */
        EXEC_REQUEST_HAS_NICE = 1 << 4,
        EXEC_REQUEST_HAS_OOM_SCORE_ADJUST = 1 << 5,
        /* EXEC_PID_PLACE in WATCHDOG_PID= of .own_environment is replaced by the pid of the process. */
        EXEC_REQUEST_TELLS_PID = 1 << 6,
        EXEC_REQUEST_NO_RESTRICTIONS = 1 << 7,          /* none of the terms' limits, capabilities, filters ('+') */
        EXEC_REQUEST_NETWORK_ONLY = 1 << 8,             /* of the sandbox it has the network only, and IPC */
        EXEC_REQUEST_BLOCK_SIGNALS = 1 << 9,            /* the program begins with all signals blocked */
} ExecRequestFlags;

/* The first number behind standard error. */
#define EXEC_FIRST_FD 3

/* What stands for a process's own pid, as the value of a variable, until there is one. */
#define EXEC_PID_PLACE "0000000000"

/* One that the process is given. */
typedef struct ExecDescriptor {
        int fd;                                 /* -1: what the child opens at … */
        const char *path;                       /* … this absolute path, or connects to if it is a socket; borrowed … */
        int flags;                              /* … with these, as of open(2) */
        bool is_owned;                          /* closed with the request */
        bool is_nonblocking;                    /* made so */
        int target;                             /* its number there; 0: the next from 3 on, in LISTEN_FDS= … */
        const char *name;                       /* … and this in LISTEN_FDNAMES=; borrowed; NULL: "unknown" */
} ExecDescriptor;

typedef struct ExecRequest {
        /* The host sets these before it asks the unit for the rest. Borrowed. */
        char *const *manager_environment;       /* what every process gets; NULL: only PATH */
        const char *notify_socket;              /* NULL if there is none; the type decides whether it is passed on */
        bool is_user_manager;
        pid_t manager_pid;                      /* who is to be asked to end: the keeper, if there is one */
        pid_t *note_pid;                        /* gets the pid before the process runs, 0 if there is none; or NULL */
        const struct Cgroup *cgroup;            /* where it begins, or it fails; NULL: in the manager's own */
        uint32_t open_files_limit;              /* soft RLIMIT_NOFILE of the process; 0: the manager's own */

        /* The unit sets these. Borrowed from its settings: begin the spawn before anything else happens to the unit. */
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
        bool is_dynamic_user;                   /* made for the unit, if there is none of that name */
        const char *group;
        char *const *supplementary_groups;
        mode_t umask;

        const char *standard_input_file;        /* NULL: /dev/null … */
        int standard_input_fd;                  /* … or this one, above 2, borrowed; 0: none … */
        bool inherits_standard_input;           /* … or what the manager's own is … */
        const char *tty;                        /* … or this terminal, the controlling one, also as inherited output */
        bool takes_tty;                         /* from another session that has it */
        ExecStream standard_output;
        ExecStream standard_error;
        int nice;
        int oom_score_adjust;
        const struct ExecTerms *terms;          /* what few say (unit/exec_terms.h); NULL: nothing of it */
        uint32_t denied;                        /* ExecDenied (unit/exec_terms.h): what its sandbox also takes away */
        /* unit/sandbox_settings.h; NULL: the process sees what we see, but for .root_directory. */
        const struct SandboxSettings *sandbox;
        struct SandboxShared *shared;           /* exec/sandbox_shared.h; needed for some of it */
        char *const *hidden_folders;            /* of which it sees only those of .writable_paths that are in them */
        const char *secret_folder;              /* the unit's credentials, the only ones that it may see; NULL: none */
        char *const *writable_paths;            /* the unit's own: whatever the sandbox says of what they are in */
        const char *unit;                       /* its id, for what is named after it; needed with terms only */
        const char *places[2];                  /* folders that are made, with those above, where possible; or NULL */
        mode_t place_mode;                      /* of those that are */

        /* The host's own: ways to the log. */
        char *log_headers[2];                   /* owned: of standard output and error */
        uint32_t log_stream;                    /* which one it opens, + 1; 0: none */

        ExecDescriptor *descriptors;            /* owned: by exec_request_add_descriptor() */
        size_t n_descriptors;
} ExecRequest;

/* In this order. 0 or -ENOMEM; an fd that is to be owned is so, and closed, also if it fails. */
int exec_request_add_descriptor(ExecRequest *request, ExecDescriptor descriptor);
void exec_request_drop_descriptors(ExecRequest *request);

/* Frees what it owns and zeroes it. A zeroed request is an empty one. */
void exec_request_deinit(ExecRequest *request);

typedef struct ExecResult {
        ExecStep step;                  /* where it failed, or EXEC_STEP_NONE */
        int error;                      /* positive errno, or 0 */
        pid_t pid;                      /* of the process, also of one that failed and is gone; 0: none came to be */
        uid_t uid;                      /* of the process, if it was changed; else UINT32_MAX */
        gid_t gid;
        int sandbox_error;              /* positive errno: it runs, but without a sandbox, as its settings allow */
        char message[1024];             /* "standard output: cannot open /var/log/x.log: No space left on device" */
} ExecResult;

/* Says that @step failed with errno @error (either sign): for a host whose prepare_spawn() failed, too. */
void exec_result_set(ExecResult *result, ExecStep step, int error, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/*
 * Starts the process. 0: it runs as *ret_pid, the caller owns *ret_pidfd (close-on-exec; -1 where the kernel has no
 * pidfds) and must reap it. < 0: it does not, nothing is left to reap (but a child that hangs in the kernel, killed),
 * and *ret_result says where it failed. The caller waits while the child opens files and changes identity, never for a
 * name service or a FIFO's other end, and a few seconds at most.
 */
int exec_spawn(const ExecRequest *request, pid_t *ret_pid, int *ret_pidfd, ExecResult *ret_result);

/*
 * The same in two halves, for several at once: the first returns while the child is on its way to its program, the
 * second waits for that. @request is not needed in between: the child has a copy of all that it reads, also of
 * descriptors. -EAGAIN, with the result set, if as many as can be are on their way. Each that was begun must be
 * finished. One with a score for the out-of-memory killer is alone on its way: the first half waits for those before
 * it, or the next one for it.
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
 * The second half for a caller that does not wait. A request that must wait is begun later: when all that are on their
 * way have arrived, or there are fewer, or when the namespace is made that it is to share.
 */
typedef enum ExecSpawnWait {
        EXEC_SPAWN_NEED_NOT_WAIT,
        EXEC_SPAWN_WAITS_FOR_ALL,
        EXEC_SPAWN_WAITS_FOR_NAMESPACE,
} ExecSpawnWait;

ExecSpawnWait exec_spawn_must_wait(const ExecRequest *request);
bool exec_spawn_has_place(void);        /* if not, any request must wait for others to arrive */

/* Has the child its program, or has it failed, perhaps after @usec? One that a signal has ended may never say so. */
bool exec_spawn_has_arrived_within(ExecSpawn *spawn, usec_t usec);
/* The caller has reaped the child: so it has arrived. */
void exec_spawn_note_end(ExecSpawn *spawn);
/* Kills the child. Once it was reaped, exec_spawn_note_end() and exec_spawn_end(). */
void exec_spawn_give_up(ExecSpawn *spawn);
/* The child goes on by itself: what it needs is freed some time after it has got there. */
void exec_spawn_abandon(ExecSpawn *spawn);
/*
 * Of one that has arrived: 0, and it runs its program; < 0, and *ret_result says why it does not. Either way it is the
 * caller's to be reaped, and so is the pidfd.
 */
int exec_spawn_end(ExecSpawn *spawn, int *ret_pidfd, ExecResult *ret_result);

pid_t exec_spawn_pid(const ExecSpawn *spawn);
/* When the process began, as exec_process_start(); 0 if it is not known: it has gone already. */
usec_t exec_spawn_start(const ExecSpawn *spawn);
