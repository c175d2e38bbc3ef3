/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starting a process
 *
 * A child is made like one of vfork(): clone() with CLONE_VM copies no page
 * tables, so its cost does not depend on the size of the manager. The child
 * writes its last step and errno to the shared memory, and the kernel reports
 * when the child has left this memory: it has executed its program or has
 * ended. vfork() itself could wait for ever: for a file system that does not
 * answer, or for a child that already has another user and that this user has
 * stopped. A child that is killed before it executes its program leaves no
 * errno. It counts as started, and its exit is reported like any other exit.
 *
 * A child is "on its way" from the clone until it leaves the shared memory; then
 * it "has arrived". Several may be on their way at once, each with a stack and a
 * record of its own (ExecSpawn), and the caller does not wait: how long a child
 * takes depends on file systems, on the load of the machine, and on its user.
 * Only exec_spawn() and exec_spawn_finish() wait, with a time limit of their own.
 *
 * Everything that may allocate, look up names or read files is done before the
 * clone. The kernel keeps two things for each memory, not for each process:
 *
 * - Whether it is dumpable. A child that changes its user makes the memory not
 *   dumpable; otherwise that user could trace the child. The memory is made
 *   dumpable again when the last such child has left it.
 * - The score for the out-of-memory killer and the filter of core dumps. So a
 *   child that changes one of these is on its way alone, and the manager's own
 *   value is restored after it. Children that have been on their way for longer
 *   than WAY_USEC do not count, as they may hang for ever.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/cgroup.h"
#include "exec/exec_adjust.h"
#include "exec/exec_child.h"
#include "exec/exec_copy.h"
#include "exec/exec_descriptor.h"
#include "exec/exec_environment.h"
#include "exec/exec_expand.h"
#include "exec/exec_extra.h"
#include "exec/exec_kill.h"
#include "exec/exec_process.h"
#include "exec/exec_score.h"
#include "exec/exec_secret.h"
#include "exec/exec_syscall.h"
#include "exec/sandbox.h"

#define STACK_SIZE ((size_t) 64 * 1024)
#define STACK_GUARD ((size_t) 64 * 1024)

/* The time limit of a child on its way, … */
#define WAY_USEC (5 * USEC_PER_SEC)
/* … of one that waits for a processor: there is a limit, as its control group may get hardly any processor time. */
#define STARVED_WAY_USEC (30 * USEC_PER_SEC)
/* The time between two checks whether a child has been stopped. */
#define LOOK_USEC (20 * USEC_PER_MSEC)
/* The time that a killed or failed child has to end, and the time between two checks of that without a pidfd. */
#define KILL_USEC (1 * USEC_PER_SEC)
#define END_LOOK_MSEC 1
/* The longest wait of wait_for_other_memory(). Usually it takes microseconds. */
#define SWITCH_USEC (100 * USEC_PER_MSEC)

/* All that is made for one spawn. */
typedef struct Preparation {
        ExecCredentials credentials;
        char **environment, **argv, **candidates;       /* borrowed from the copy of the request */
        ExecExtra *extra;
        SandboxPlan *sandbox;
        ExecPlace *places;
        size_t n_places;
} Preparation;

struct ExecSpawn {
        bool is_used;
        ExecCopy copy;                  /* of the request */
        Preparation preparation;
        ExecChild child;
        void *memory;                   /* owned: a guard and the stack above it; reused by the next spawn */
        pid_t pid;
        int pidfd;                      /* owned until it is passed on */
        usec_t since;                   /* monotonic */
        usec_t started;                 /* as exec_process_start(); 0: not known */
        bool has_arrived;               /* the child has left the shared memory, or was given up */
        bool is_aside;                  /* in hanging, not in spawns */
        bool shares_score;              /* the child shares our OOM score as long as it has our memory */
        bool adjusts_memory;            /* counted in n_adjusting: values of the shared memory must be restored */
        bool changes_user;              /* counted in n_changing_users */
        ExecSpawn *next;                /* in hanging */
};

static ExecSpawn *spawns[EXEC_SPAWNS_MAX];      /* owned; made when first needed, and reused */

/* Owned: spawns that were given up and whose children may still use the shared memory; freed by free_hanging(). */
static ExecSpawn *hanging;

static unsigned n_changing_users;
static bool was_dumpable;
static unsigned n_adjusting;

static void preparation_deinit(Preparation *preparation) {
        exec_credentials_deinit(&preparation->credentials);
        free(preparation->places);
        sandbox_plan_free(preparation->sandbox);
        exec_extra_free(preparation->extra);
        *preparation = (Preparation) {};
}

void exec_request_deinit(ExecRequest *request) {
        strv_free(request->own_environment);
        exec_request_drop_descriptors(request);
        free(request->log_headers[0]);
        free(request->log_headers[1]);
        *request = (ExecRequest) {};
}

/* A name without a slash is not searched in the manager's $PATH, so a unit means the same under every manager. */
static int list_candidates(const ExecRequest *request, char ***ret_candidates) {
        const char *path = request->path;
        cleanup_(strv_freep) char **folders = NULL;
        cleanup_(strv_freep) char **candidates = NULL;
        int r;

        if (strchr(path, '/'))
                return strv_push(ret_candidates, path);
        r = request->terms && request->terms->search_path ? strv_copy(request->terms->search_path, &folders)
                                                          : strv_split(EXEC_DEFAULT_PATH, ":", &folders);
        if (r < 0)
                return r;
        strv_foreach(folder, folders) {
                cleanup_free_ char *candidate = NULL;

                if (text_format(&candidate, "%s/%s", *folder, path) < 0)
                        return -ENOMEM;
                r = strv_push(&candidates, candidate);
                if (r < 0)
                        return r;
        }
        *ret_candidates = take_ptr(candidates);
        return 0;
}

static int list_arguments(const ExecRequest *request, char *const *environment, char ***ret_argv) {
        if (request->flags & EXEC_REQUEST_NO_EXPANSION)
                return strv_copy(request->argv, ret_argv);
        return exec_expand_argv(request->argv, environment, ret_argv);
}

/* Returns NULL, with the result set, if the setting is "~" and the user has no home directory. */
static const char *choose_directory(const ExecRequest *request, const Preparation *preparation, ExecResult *result) {
        const char *home = preparation->credentials.home;

        if (!home)
                home = exec_environment_get(preparation->environment, "HOME", strlen("HOME"));
        if (!request->working_directory)
                return request->is_user_manager && home ? home : "/";
        if (strcmp(request->working_directory, "~") != 0)
                return request->working_directory;
        if (!home)
                exec_result_set(result, EXEC_STEP_CHDIR, ENOENT, "the user has no home");
        return home;
}

static bool is_one_stream(const ExecRequest *request) {
        const ExecStream *output = &request->standard_output, *error = &request->standard_error;

        return output->kind == error->kind && output->kind != EXEC_STREAM_FD && output->path &&
               text_equal(output->path, error->path) && text_equal(output->header, error->header);
}

/* Looked up once: the manager sets the signals that it ignores before the first process, and never changes them. */
static uint64_t ignored_signals(void) {
        static uint64_t ignored;
        static bool is_known;

        for (int number = 1; number < _NSIG && !is_known; number++) {
                struct sigaction action = {};

                if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
                        ignored |= UINT64_C(1) << (number - 1);
        }
        is_known = true;
        return ignored | UINT64_C(1) << (SIGPIPE - 1);
}

/* The user namespace is one of the places, because the child enters it after closing all other descriptors. */
static int prepare_sandbox(const ExecRequest *request, Preparation *preparation, ExecResult *result) {
        const ExecCredentials *credentials = &preparation->credentials;
        cleanup_(strv_freep) char **own = NULL, **hidden = NULL;
        cleanup_free_ char *folder = NULL;
        ExecRequest with_own;
        SandboxPlan *plan;
        int r = 0;

        if (!request->sandbox)
                return 0;
        with_own = *request;
        if (preparation->extra)
                r = exec_extra_list_paths(preparation->extra, &own);
        if (r == 0 && preparation->extra)
                r = exec_extra_list_hidden(preparation->extra, &hidden);
        if (r == 0 && request->own_folder)
                r = strv_push(&own, request->own_folder);
        if (r == 0 && request->common_folder)
                r = strv_push(&own, request->common_folder);
        if (r == 0 && request->terms)
                r = exec_secret_folder(request, &folder);
        if (r < 0) {
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot list its directories");
                return r;
        }
        if (own)
                with_own.writable_paths = own;
        with_own.hidden_folders = hidden;
        if (folder)
                with_own.secret_folder = folder;
        r = sandbox_plan_new(&with_own, preparation->extra && preparation->extra->opens_session, credentials->owner,
                             credentials->owner_group, &preparation->sandbox, result);
        plan = preparation->sandbox;
        if (r < 0 || plan->enters_user_first || plan->user_fd < 0)
                return r;
        r = exec_descriptor_add_place(&preparation->places, &preparation->n_places, plan->user_fd);
        if (r < 0)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot prepare its descriptors");
        else
                plan->user_fd = r;
        return MIN(r, 0);
}

/* The manager's descriptor that becomes standard input; -1: none. */
static int input_of(const ExecRequest *request, const ExecExtra *extra) {
        if (extra && extra->input_fd >= 0)
                return extra->input_fd;
        return request->standard_input_fd > 0 ? request->standard_input_fd : -1;
}

static int own_places(ExecCopy *copy, Preparation *preparation, ExecResult *result) {
        int r = exec_copy_own_places(copy, preparation->places, preparation->n_places,
                                     preparation->extra ? preparation->extra->input_fd : -1);

        if (r < 0)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot prepare its descriptors");
        return r;
}

static int prepare_environment(ExecCopy *copy, Preparation *preparation, ExecResult *result) {
        cleanup_(strv_freep) char **environment = NULL;
        int r = exec_environment_build(&copy->request, &preparation->credentials, &environment, result);

        if (r < 0)
                return r;
        r = exec_copy_own_strv(copy, environment, &preparation->environment);
        if (r < 0)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot build the environment");
        return r;
}

static int prepare_command(ExecCopy *copy, Preparation *preparation, ExecResult *result) {
        cleanup_(strv_freep) char **candidates = NULL, **argv = NULL;
        int r = list_candidates(&copy->request, &candidates);

        if (r == 0)
                r = list_arguments(&copy->request, preparation->environment, &argv);
        if (r == 0)
                r = exec_copy_own_strv(copy, candidates, &preparation->candidates);
        if (r == 0)
                r = exec_copy_own_strv(copy, argv, &preparation->argv);
        if (r < 0)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot prepare the command line");
        return r;
}

static int prepare(ExecCopy *copy, Preparation *preparation, ExecChild *child, ExecResult *result) {
        const ExecRequest *request = &copy->request;
        const char *directory;
        int input = -1;
        int r;

        r = exec_credentials_resolve(request, &preparation->credentials, result);
        if (r < 0)
                return r;
        /* A unit whose control group cannot be handed over runs all the same. */
        if (request->cgroup && preparation->credentials.has_uid)
                (void) cgroup_hand_over(request->cgroup, preparation->credentials.uid, preparation->credentials.gid);
        r = prepare_environment(copy, preparation, result);
        if (r == 0)
                r = exec_extra_new(request, &preparation->credentials, &preparation->extra, result);
        if (r == 0)
                input = input_of(request, preparation->extra);
        if (r == 0)
                r = exec_descriptor_plan(request, input, &preparation->places, &preparation->n_places, result);
        if (r == 0)
                r = prepare_sandbox(request, preparation, result);
        if (r == 0)
                r = own_places(copy, preparation, result);
        if (r < 0)
                return r;
        directory = choose_directory(request, preparation, result);
        if (!directory)
                return -ENOENT;
        r = prepare_command(copy, preparation, result);
        if (r < 0)
                return r;

        *child = (ExecChild) {
                .request = request,
                .credentials = &preparation->credentials,
                .candidates = preparation->candidates,
                .argv = preparation->argv,
                .environment = preparation->environment,
                .directory = directory,
                /* The default directory is a home that need not exist. */
                .is_directory_optional = !request->working_directory ||
                                         request->flags & EXEC_REQUEST_DIRECTORY_OPTIONAL,
                .is_one_stream = is_one_stream(request),
                .places = preparation->places,
                .n_places = preparation->n_places,
                .extra = preparation->extra,
                .sandbox = preparation->sandbox,
                .has_input = input >= 0,
                .ignored_signals = ignored_signals(),
        };
        exec_descriptor_find_pids(request, preparation->environment, child->pids);
        if (request->flags & EXEC_REQUEST_HAS_OOM_SCORE_ADJUST)
                child->oom_score_adjust_length = (size_t) snprintf(
                        child->oom_score_adjust, sizeof(child->oom_score_adjust), "%i", request->oom_score_adjust);
        return 0;
}

static bool takes_too_long(const ExecSpawn *spawn) {
        const usec_t taken = usec_sub(clock_monotonic(), spawn->since);

        return taken > STARVED_WAY_USEC || (taken > WAY_USEC && !exec_process_wants_processor(spawn->pid));
}

/* Waits until the child executes its program or ends: 0, -ECANCELED if a signal has stopped the child, or -ETIME. */
static int wait_for_program(ExecSpawn *spawn) {
        while (!exec_clone_has_left_within(&spawn->child.clone, LOOK_USEC)) {
                siginfo_t info = {};
                int r = waitid(P_PID, (id_t) spawn->pid, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT);

                if (r == 0 && info.si_code == CLD_STOPPED)
                        return -ECANCELED;
                /* The kernel does not report that a child has left if a signal with a core dump has ended it. */
                if (r < 0 || info.si_pid == spawn->pid)
                        spawn->child.clone.is_here = 0;
                else if (takes_too_long(spawn))
                        return -ETIME;
        }
        return 0;
}

static int make_stack(ExecSpawn *spawn) {
        char *memory;

        if (spawn->memory)
                return 0;
        memory = mmap(NULL, STACK_GUARD + STACK_SIZE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
                return -errno;
        if (mprotect(memory, STACK_GUARD, PROT_NONE) < 0) {
                munmap(memory, STACK_GUARD + STACK_SIZE);
                return -ENOMEM;
        }
        spawn->memory = memory;
        return 0;
}

static void enter_user_change(ExecSpawn *spawn) {
        spawn->changes_user = spawn->preparation.credentials.has_uid || spawn->preparation.credentials.has_gid ||
                              (spawn->preparation.sandbox && spawn->preparation.sandbox->user_fd >= 0);
        if (spawn->changes_user && n_changing_users++ == 0)
                was_dumpable = prctl(PR_GET_DUMPABLE) == 1;
}

static void leave_user_change(ExecSpawn *spawn) {
        bool was_changing = spawn->changes_user;

        spawn->changes_user = false;
        if (!was_changing || --n_changing_users > 0)
                return;
        if (was_dumpable && prctl(PR_GET_DUMPABLE) != 1)
                prctl(PR_SET_DUMPABLE, 1);
}

static bool adjusts_memory(const ExecRequest *request) {
        return request->flags & EXEC_REQUEST_HAS_OOM_SCORE_ADJUST ||
               (request->terms && request->terms->has_coredump_filter);
}

static void enter_adjustment(ExecSpawn *spawn) {
        spawn->adjusts_memory = adjusts_memory(spawn->child.request);
        if (spawn->adjusts_memory && n_adjusting++ == 0)
                exec_adjust_save();
}

/*
 * The kernel reports that the child has left the shared memory a moment before it does: a value that the manager
 * restores in that moment would change the child's, too. Without kcmp() the manager cannot wait for that.
 */
static void wait_for_other_memory(pid_t pid) {
        const usec_t end = clock_monotonic() + SWITCH_USEC;

        while (syscall(SYS_kcmp, getpid(), pid, KCMP_VM, 0, 0) == 0 && clock_monotonic() < end)
                sched_yield();
}

static void enter_score(ExecSpawn *spawn) {
        spawn->shares_score = true;
        exec_score_enter();
}

static void leave_score(ExecSpawn *spawn) {
        if (!spawn->shares_score)
                return;
        spawn->shares_score = false;
        if (spawn->pid > 0 && exec_score_differs())
                wait_for_other_memory(spawn->pid);
        exec_score_leave();
}

static void leave_adjustment(ExecSpawn *spawn) {
        if (!spawn->adjusts_memory)
                return;
        spawn->adjusts_memory = false;
        n_adjusting--;
        if (spawn->pid > 0)
                wait_for_other_memory(spawn->pid);
        exec_adjust_restore();
}

/* The start, in ticks of the kernel: known from the clock, unless a tick was between @before and @after. */
static usec_t find_start(pid_t pid, usec_t before, usec_t after) {
        const usec_t start = exec_process_start_at(before);
        ExecProcess process;

        if (start == exec_process_start_at(after))
                return start;
        return exec_process_read(pid, &process) == 0 ? exec_process_start(&process) : 0;
}

static int start(ExecSpawn *spawn) {
        ExecClone *clone = &spawn->child.clone;
        usec_t before;
        int r;

        r = make_stack(spawn);
        if (r < 0)
                return r;
        clone->run = exec_child_run;
        clone->has_own_memory = spawn->preparation.extra && spawn->preparation.extra->opens_session;
        clone->argument = &spawn->child;
        clone->stack = (char *) spawn->memory + STACK_GUARD;
        clone->stack_size = STACK_SIZE;
        clone->note = spawn->child.request->note_pid;
        clone->cgroup_fd = spawn->child.request->cgroup ? cgroup_fd(spawn->child.request->cgroup) : -1;
        clone->moves_itself = spawn->child.request->cgroup && !cgroup_takes_clones(spawn->child.request->cgroup);
        enter_user_change(spawn);
        enter_score(spawn);
        enter_adjustment(spawn);
        spawn->since = clock_monotonic();
        before = clock_boottime();
        spawn->pid = exec_clone(clone, &spawn->pidfd);
        if (spawn->pid >= 0) {
                spawn->started = find_start(spawn->pid, before, clock_boottime());
                return 0;
        }
        leave_adjustment(spawn);
        leave_score(spawn);
        leave_user_change(spawn);
        return spawn->pid;
}

/* To be called when the child has left the shared memory, or was killed and has not left it. */
static void arrive(ExecSpawn *spawn) {
        leave_adjustment(spawn);
        if (!exec_clone_is_here(&spawn->child.clone))
                leave_score(spawn);
        if (spawn->preparation.sandbox)
                sandbox_plan_settle(spawn->preparation.sandbox);
        spawn->has_arrived = true;
}

/* Waits for the child to arrive, and kills it if it does not. A child that hangs in the kernel is reaped later. */
static void settle(ExecSpawn *spawn) {
        int r = spawn->has_arrived ? 0 : wait_for_program(spawn);

        if (r < 0) {
                kill(spawn->pid, SIGKILL);
                exec_clone_has_left_within(&spawn->child.clone, KILL_USEC);
                spawn->child.error = -r;
        }
        if (!spawn->has_arrived)
                arrive(spawn);
}

static void settle_all(void) {
        for (size_t i = 0; i < ELEMENTSOF(spawns); i++)
                if (spawns[i] && spawns[i]->is_used)
                        settle(spawns[i]);
}

/* Returns true if the child is on its way, and not for so long that it may hang. */
static bool is_on_its_way(const ExecSpawn *spawn, usec_t now) {
        return spawn && spawn->is_used && !spawn->has_arrived && usec_sub(now, spawn->since) < WAY_USEC;
}

/* Returns true if @request adjusts the memory while children are on their way, or one of these adjusts it. */
static bool is_excluded(const ExecRequest *request) {
        const usec_t now = clock_monotonic();
        const bool adjusts = adjusts_memory(request);

        for (size_t i = 0; i < ELEMENTSOF(spawns); i++)
                if (is_on_its_way(spawns[i], now) && (adjusts || spawns[i]->adjusts_memory))
                        return true;
        return false;
}

/*
 * Reaps a child that was killed or has failed, of which only this file knows. Its end can take for ever: the kernel
 * closes its files, and a file system may not answer. Such a child is reaped later, as an orphan.
 */
static void reap(const ExecSpawn *spawn) {
        const usec_t end = clock_monotonic() + KILL_USEC;
        struct pollfd ended = { .fd = spawn->pidfd, .events = POLLIN };
        bool is_over = exec_clone_is_here(&spawn->child.clone);

        while (waitpid(spawn->pid, NULL, WNOHANG) == 0 && !is_over)
                is_over = poll(&ended, 1, END_LOOK_MSEC) > 0 || clock_monotonic() > end;
        if (spawn->pidfd >= 0)
                close(spawn->pidfd);
}

/* Frees what the child needs. To be called when it has left the shared memory. */
static void release(ExecSpawn *spawn) {
        preparation_deinit(&spawn->preparation);
        exec_copy_clear(&spawn->copy);
        leave_adjustment(spawn);
        leave_score(spawn);
        leave_user_change(spawn);
        spawn->is_used = false;
}

/* Frees the spawns that were set aside and whose children have left the shared memory. */
static void free_hanging(void) {
        for (ExecSpawn **slot = &hanging; *slot;) {
                ExecSpawn *spawn = *slot;

                if (spawn->is_used || exec_clone_is_here(&spawn->child.clone)) {
                        slot = &spawn->next;
                        continue;
                }
                *slot = spawn->next;
                release(spawn);
                exec_copy_deinit(&spawn->copy);
                munmap(spawn->memory, STACK_GUARD + STACK_SIZE);
                free(spawn);
        }
}

/* Moves the spawn from spawns to hanging, so that another one can have the place. */
static void set_aside(ExecSpawn *spawn) {
        if (spawn->is_aside)
                return;
        for (size_t i = 0; i < ELEMENTSOF(spawns); i++)
                if (spawns[i] == spawn)
                        spawns[i] = NULL;
        spawn->is_aside = true;
        spawn->next = hanging;
        hanging = spawn;
}

/* Sets the spawn aside if its child may hang. Returns true if so. */
static bool yields(ExecSpawn *spawn, usec_t now) {
        bool is_late = spawn->is_used && !spawn->has_arrived && !is_on_its_way(spawn, now);

        if (is_late)
                set_aside(spawn);
        return is_late;
}

/* Finds a free place: 0, -EAGAIN if there is none, or -ENOMEM. */
static int find_place(ExecSpawn **ret_spawn) {
        const usec_t now = clock_monotonic();

        for (size_t i = 0; i < ELEMENTSOF(spawns); i++) {
                if (!spawns[i] || yields(spawns[i], now))
                        spawns[i] = calloc(1, sizeof(*spawns[i]));
                if (!spawns[i])
                        return -ENOMEM;
                if (!spawns[i]->is_used) {
                        *ret_spawn = spawns[i];
                        return 0;
                }
        }
        return -EAGAIN;
}

/* Frees the spawn, but not before its child has left the shared memory: until then it is set aside. */
static void give_back(ExecSpawn *spawn) {
        if (exec_clone_is_here(&spawn->child.clone))
                set_aside(spawn);
        if (spawn->is_aside)
                spawn->is_used = false;
        else
                release(spawn);
}

bool exec_spawn_has_place(void) {
        ExecSpawn *spawn;

        free_hanging();
        return find_place(&spawn) != -EAGAIN;
}

ExecSpawnWait exec_spawn_must_wait(const ExecRequest *request) {
        if (sandbox_is_being_made(request))
                return EXEC_SPAWN_WAITS_FOR_NAMESPACE;
        return is_excluded(request) || !exec_spawn_has_place() ? EXEC_SPAWN_WAITS_FOR_ALL : EXEC_SPAWN_NEED_NOT_WAIT;
}

int exec_spawn_begin(const ExecRequest *request, ExecSpawn **ret_spawn, ExecResult *ret_result) {
        ExecSpawn *spawn = NULL;
        int r;

        assert(request && request->path && request->argv && request->argv[0]);
        assert(ret_spawn && ret_result);

        *ret_result = (ExecResult) {};
        free_hanging();
        r = find_place(&spawn);
        if (r < 0) {
                exec_result_set(ret_result, EXEC_STEP_RESOURCES, r, "too many processes wait for their programs");
                return r;
        }
        if (is_excluded(request) || sandbox_is_being_made(request))
                settle_all();
        spawn->is_used = true;
        spawn->has_arrived = spawn->adjusts_memory = spawn->shares_score = false;
        r = exec_copy_make(request, &spawn->copy);
        if (r < 0)
                exec_result_set(ret_result, EXEC_STEP_RESOURCES, r, "cannot prepare the command");
        else
                r = prepare(&spawn->copy, &spawn->preparation, &spawn->child, ret_result);
        if (r >= 0) {
                r = start(spawn);
                if (r < 0)
                        exec_result_set(ret_result, EXEC_STEP_RESOURCES, r, "cannot make a process");
        }
        if (r < 0) {
                release(spawn);
                return r;
        }
        exec_copy_part(&spawn->copy);
        *ret_spawn = spawn;
        return 0;
}

pid_t exec_spawn_pid(const ExecSpawn *spawn) {
        return spawn->pid;
}

usec_t exec_spawn_start(const ExecSpawn *spawn) {
        return spawn->started;
}

bool exec_spawn_has_arrived_within(ExecSpawn *spawn, usec_t usec) {
        if (!spawn->has_arrived &&
            (!exec_clone_is_here(&spawn->child.clone) ||
             (usec > 0 && exec_clone_has_left_within(&spawn->child.clone, usec))))
                arrive(spawn);
        return spawn->has_arrived;
}

void exec_spawn_note_end(ExecSpawn *spawn) {
        spawn->child.clone.is_here = 0;
        if (!spawn->has_arrived)
                arrive(spawn);
}

void exec_spawn_give_up(ExecSpawn *spawn) {
        assert(spawn->is_used);

        exec_kill(spawn->pid, spawn->pidfd, SIGKILL, true);
        if (spawn->preparation.sandbox)
                sandbox_plan_settle(spawn->preparation.sandbox);
        set_aside(spawn);
}

void exec_spawn_abandon(ExecSpawn *spawn) {
        assert(spawn->is_used);

        if (spawn->pidfd >= 0)
                close(spawn->pidfd);
        give_back(spawn);
}

static int describe_end(const ExecSpawn *spawn, ExecResult *ret_result) {
        const ExecCredentials *credentials = &spawn->preparation.credentials;

        *ret_result = (ExecResult) {
                .pid = spawn->pid,
                .uid = credentials->has_uid ? credentials->uid : (uid_t) -1,
                .gid = credentials->has_gid ? credentials->gid : (gid_t) -1,
                .sandbox_error = spawn->child.sandbox ? spawn->child.sandbox->missing : 0,
        };
        if (spawn->child.error != 0)
                exec_child_describe(&spawn->child, ret_result);
        return -ret_result->error;
}

int exec_spawn_end(ExecSpawn *spawn, int *ret_pidfd, ExecResult *ret_result) {
        int r;

        assert(spawn->is_used && spawn->has_arrived);
        assert(ret_pidfd && ret_result);

        r = describe_end(spawn, ret_result);
        *ret_pidfd = spawn->pidfd;
        give_back(spawn);
        return r;
}

int exec_spawn_finish(ExecSpawn *spawn, pid_t *ret_pid, int *ret_pidfd, ExecResult *ret_result) {
        int r;

        assert(spawn->is_used);
        assert(ret_pid && ret_pidfd && ret_result);

        settle(spawn);
        r = describe_end(spawn, ret_result);
        if (r < 0) {
                reap(spawn);
        } else {
                *ret_pid = spawn->pid;
                *ret_pidfd = spawn->pidfd;
        }
        give_back(spawn);
        return r;
}

int exec_spawn(const ExecRequest *request, pid_t *ret_pid, int *ret_pidfd, ExecResult *ret_result) {
        ExecSpawn *spawn = NULL;
        int r;

        r = exec_spawn_begin(request, &spawn, ret_result);
        if (r == 0)
                r = exec_spawn_finish(spawn, ret_pid, ret_pidfd, ret_result);
        if (r < 0 && request->note_pid)
                *request->note_pid = 0;
        return r;
}
