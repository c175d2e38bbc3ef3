/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes and signals on their way out
 *
 * What an owner asks for goes into the outbox as an errand: a plain record of
 * (owner, what). The command itself is asked of the owner when the errand
 * leaves, so that a stop of the same turn still prevents the start. An errand
 * whose owner goes away before is not run.
 *
 * Processes that leave one after the other are on their way to their programs
 * side by side; their owners are told in order, before anything else leaves.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/macro.h"
#include "exec/exec.h"
#include "exec/exec_kill.h"
#include "process/outbox.h"
#include "process/process_errand.h"
#include "store/journal.h"

typedef enum ErrandKind {
        ERRAND_SPAWN,
        ERRAND_KILL,
        ERRAND_KILL_REST,
        _ERRAND_KIND_MAX,
} ErrandKind;

typedef struct ProcessErrand {
        ErrandKind kind;
        uint64_t number;                /* rises */
        ProcessErrands *errands;        /* borrowed */
        ProcessOwner *owner;            /* borrowed; NULL once it is gone */
        UnitPurpose purpose;
        pid_t pid;                      /* to signal; of kill_rest: the main process to spare */
        pid_t control_pid;              /* to spare */
        int pidfd;                      /* owned; of .pid, -1 if there is none */
        int signal;
        bool is_group;
        struct ProcessErrand *previous, *next;  /* of ProcessErrands.newest */
} ProcessErrand;

/* A process that has been begun and not been told of: only within a flush of the outbox, so the owner stays. */
typedef struct ProcessSpawn {
        ProcessOwner *owner;            /* borrowed */
        UnitPurpose purpose;
        usec_t since;                   /* monotonic */
        ExecRequest request;            /* owned */
        ExecSpawn *spawn;               /* owned */
} ProcessSpawn;

struct ProcessErrands {
        const ProcessHost *host;        /* borrowed */
        ProcessTable *table;            /* borrowed */
        ProcessErrand *newest;          /* of those in the outbox, which owns them */
        ProcessSpawn spawns[EXEC_SPAWNS_MAX];           /* a ring: processes on their way to their programs */
        unsigned first_spawn, n_spawns;
        ExecPids orphans;               /* children that no owner knows, as of a moment of this turn */
        bool knows_orphans;
};

int process_errands_new(ProcessErrands **ret_errands, const ProcessHost *host, ProcessTable *table) {
        ProcessErrands *errands = calloc(1, sizeof(*errands));

        if (!errands)
                return -ENOMEM;
        errands->host = host;
        errands->table = table;
        *ret_errands = errands;
        return 0;
}

ProcessErrands *process_errands_free(ProcessErrands *errands) {
        if (!errands)
                return NULL;
        assert(!errands->newest);
        assert(errands->n_spawns == 0);
        vector_deinit(&errands->orphans);
        free(errands);
        return NULL;
}

static Journal *journal_of(const ProcessErrands *errands) {
        return errands->host->ops->journal(errands->host->userdata);
}

static void tell_spawned(ProcessOwner *owner, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        process_owner_changed(owner);
        if (owner->ops->spawned)
                owner->ops->spawned(owner, purpose, pid, result);
}

/* The process is there, but cannot be followed: it must not live without us knowing. */
static void give_up_process(pid_t pid, int error, ExecResult *result) {
        kill(pid, SIGKILL);
        exec_result_set(result, EXEC_STEP_RESOURCES, error, "cannot follow the process: %s", strerror(-error));
}

static void finish_first_spawn(ProcessErrands *errands) {
        const ProcessHost *host = errands->host;
        ProcessSpawn *first = &errands->spawns[errands->first_spawn];
        ProcessOwner *owner = first->owner;
        ExecResult result = {};
        int r, pidfd = -1;
        pid_t pid = 0;
        usec_t started = exec_spawn_start(first->spawn);

        r = exec_spawn_finish(first->spawn, &pid, &pidfd, &result);
        host->ops->settled(host->userdata, &first->request);
        if (r >= 0) {
                r = process_table_add(errands->table, &(Process) {
                        .pid = pid, .pidfd = host->ops->spare_pidfd(host->userdata, pidfd), .owner = owner,
                        .purpose = first->purpose, .started = started }, first->since);
                if (r < 0)
                        give_up_process(pid, r, &result);
        }
        exec_request_deinit(&first->request);
        errands->first_spawn = (errands->first_spawn + 1) % EXEC_SPAWNS_MAX;
        errands->n_spawns--;
        if (r < 0)
                pid = 0;
        tell_spawned(owner, first->purpose, pid, &result);
}

static void finish_spawns(ProcessErrands *errands) {
        while (errands->n_spawns > 0)
                finish_first_spawn(errands);
}

/* In their order, so those before it are told first. */
static void tell_not_spawned(const ProcessErrand *errand, const ExecResult *result) {
        finish_spawns(errand->errands);
        tell_spawned(errand->owner, errand->purpose, 0, result);
}

/*
 * Where the pid of the process is written down in the moment in which it is there. If the journal is full there is a
 * commit in between.
 */
static pid_t *note_of_pid(const ProcessErrand *errand) {
        ProcessErrands *errands = errand->errands;
        Journal *journal = journal_of(errands);
        pid_t *note;

        if (!journal)
                return NULL;
        note = journal_begin_spawn(journal, errand->number);
        if (note)
                return note;
        finish_spawns(errands);
        errands->host->ops->commit(errands->host->userdata);
        return journal_begin_spawn(journal, errand->number);
}

static void begin_spawn(ProcessErrand *errand, ExecRequest *request) {
        ProcessErrands *errands = errand->errands;
        const ProcessHost *host = errands->host;
        ExecResult result = {};
        ProcessSpawn *last;

        request->note_pid = note_of_pid(errand);

        if (errands->n_spawns == EXEC_SPAWNS_MAX)
                finish_first_spawn(errands);
        last = &errands->spawns[(errands->first_spawn + errands->n_spawns) % EXEC_SPAWNS_MAX];
        *last = (ProcessSpawn) {
                .owner = errand->owner,
                .purpose = errand->purpose,
                .since = clock_monotonic(),
                .request = *request,
        };
        *request = (ExecRequest) {};
        if (exec_spawn_begin(&last->request, &last->spawn, &result) >= 0) {
                host->ops->begun(host->userdata, &last->request, last->purpose, exec_spawn_pid(last->spawn));
                errands->n_spawns++;
                return;
        }
        if (result.step == EXEC_STEP_RESOURCES && result.error == EAGAIN)
                host->ops->no_process(host->userdata);
        host->ops->settled(host->userdata, &last->request);
        exec_request_deinit(&last->request);
        tell_not_spawned(errand, &result);
}

static void send_spawn(ProcessErrand *errand) {
        ProcessOwner *owner = errand->owner;
        cleanup_(exec_request_deinit) ExecRequest request = {};
        ExecResult result = {};
        int r;

        r = owner->ops->prepare ? owner->ops->prepare(owner, errand->purpose, &request, &result) : -ECANCELED;
        if (r >= 0)
                begin_spawn(errand, &request);
        else if (r != -ECANCELED)
                tell_not_spawned(errand, &result);
}

static void errand_settle(void *item) {
        const ProcessErrand *errand = item;

        finish_spawns(errand->errands);
}

static void send_kill(ProcessErrand *errand) {
        int r;

        /* Without a pidfd only the table can tell that the number is not another's by now. */
        if (errand->pidfd < 0 && !process_table_find(errand->errands->table, errand->pid))
                return;
        r = exec_kill(errand->pid, errand->pidfd, errand->signal, errand->is_group);
        if (r < 0 && r != -ESRCH)
                log_write(LOG_LEVEL_WARNING, errand->owner->name, "Cannot send signal %d to process %d: %s",
                          errand->signal, (int) errand->pid, strerror(-r));
}

static bool is_known_process(void *userdata, pid_t pid) {
        const ProcessErrands *errands = userdata;
        const Process *process = process_table_find(errands->table, pid);

        for (unsigned i = 0; i < errands->n_spawns; i++)
                if (exec_spawn_pid(errands->spawns[(errands->first_spawn + i) % EXEC_SPAWNS_MAX].spawn) == pid)
                        return true;
        return (process && !process->is_reaped) || errands->host->ops->is_own(errands->host->userdata, pid);
}

static ExecRest rest_of(ProcessErrands *errands, ProcessOwner *owner, pid_t main_pid, pid_t control_pid) {
        ExecRest rest = {
                .main_pid = main_pid,
                .control_pid = control_pid,
                .session_until = USEC_INFINITY,
                .spares_groups = true,
                .is_known = is_known_process,
                .userdata = errands,
        };

        owner->ops->describe_rest(owner, &rest);
        return rest;
}

void process_errands_forget_orphans(ProcessErrands *errands) {
        errands->knows_orphans = false;
}

/* Where to look, or NULL: it could not be found out. */
static const ExecPids *orphans_of_turn(ProcessErrands *errands) {
        if (errands->knows_orphans)
                return &errands->orphans;
        vector_clear(&errands->orphans);
        if (exec_list_orphans(is_known_process, errands, &errands->orphans) < 0)
                return NULL;
        errands->knows_orphans = true;
        return &errands->orphans;
}

/*
 * How many there are. Of an owner all of whose known processes were found ended in this turn all are in the list, since
 * it is made after they were; of another, one may come to us later than that, and is found when those have ended.
 */
static int count_rest(ProcessErrands *errands, ProcessOwner *owner, pid_t main_pid, pid_t control_pid) {
        ExecRest rest = rest_of(errands, owner, main_pid, control_pid);
        int r;

        rest.orphans = orphans_of_turn(errands);
        r = exec_kill_rest(&rest, 0);
        if (r != -ESTALE)
                return r;
        process_errands_forget_orphans(errands);
        rest.orphans = NULL;
        return exec_kill_rest(&rest, 0);
}

static void send_kill_rest(const ProcessErrand *errand) {
        ProcessOwner *owner = errand->owner;
        ExecRest rest;

        if (owner->ops->signal_group &&
            owner->ops->signal_group(owner, errand->signal, errand->pid, errand->control_pid) == 0)
                return;
        rest = rest_of(errand->errands, owner, errand->pid, errand->control_pid);
        exec_kill_rest(&rest, errand->signal);
}

static void errand_send(void *item) {
        ProcessErrand *errand = item;

        if (!errand->owner)
                return;
        switch (errand->kind) {
        case ERRAND_SPAWN:
                send_spawn(errand);
                break;
        case ERRAND_KILL:
                send_kill(errand);
                break;
        case ERRAND_KILL_REST:
                send_kill_rest(errand);
                break;
        case _ERRAND_KIND_MAX:
                break;
        }
        /* If we die right here a signal is sent twice: better than a process that waits for its time limit. */
        if (errand->kind != ERRAND_SPAWN && journal_of(errand->errands))
                journal_note_sent(journal_of(errand->errands), errand->number);
}

static void queues_changed(const ProcessErrands *errands) {
        errands->host->ops->queues_changed(errands->host->userdata);
}

static void errand_detach(ProcessErrand *errand) {
        queues_changed(errand->errands);
        if (errand->owner) {
                errand->owner->n_errands--;
                process_owner_released(errand->owner);
        }
        errand->owner = NULL;
        if (errand->previous)
                errand->previous->next = errand->next;
        else if (errand->errands->newest == errand)
                errand->errands->newest = errand->next;
        if (errand->next)
                errand->next->previous = errand->previous;
        errand->previous = errand->next = NULL;
}

static void errand_free(void *item) {
        ProcessErrand *errand = item;

        errand_detach(errand);
        if (errand->pidfd >= 0)
                close(errand->pidfd);
        free(errand);
}

static const OutboxItemOps errand_ops = {
        .send = errand_send,
        .free = errand_free,
};

static const OutboxItemOps spawn_ops = {
        .send = errand_send,
        .settle = errand_settle,
        .free = errand_free,
};

/* Owns the pidfd, also if it fails. One without a number gets the next. */
static int add_errand(const ProcessErrand *wanted) {
        ProcessErrands *errands = wanted->errands;
        ProcessErrand *errand;

        errand = malloc(sizeof(*errand));
        if (!errand) {
                if (wanted->pidfd >= 0)
                        close(wanted->pidfd);
                return -ENOMEM;
        }
        *errand = *wanted;
        if (errand->number == 0)
                errand->number = errands->host->ops->number_errand(errands->host->userdata);
        queues_changed(errands);
        errand->next = errands->newest;
        if (errand->next)
                errand->next->previous = errand;
        errands->newest = errand;
        errand->owner->n_errands++;
        return outbox_add(errands->host->outbox, errand->kind == ERRAND_SPAWN ? &spawn_ops : &errand_ops, errand);
}

int process_errands_spawn(ProcessErrands *errands, ProcessOwner *owner, UnitPurpose purpose) {
        return add_errand(&(ProcessErrand) {
                .kind = ERRAND_SPAWN, .errands = errands, .owner = owner, .purpose = purpose, .pidfd = -1 });
}

/* The errand has a pidfd of its own: the owner may stop following the process before the errand leaves. */
int process_errands_kill(ProcessErrands *errands, ProcessOwner *owner, pid_t pid, int signal, bool is_group) {
        const Process *process = process_table_find(errands->table, pid);
        int pidfd = -1;

        if (!process || process->owner != owner)
                return -ESRCH;
        if (process->pidfd >= 0) {
                pidfd = fcntl(process->pidfd, F_DUPFD_CLOEXEC, 3);
                /* Where there is no room the number will do, which is checked when it leaves. */
                if (pidfd < 0 && errno != EMFILE && errno != ENFILE)
                        return -errno;
        }
        return add_errand(&(ProcessErrand) {
                .kind = ERRAND_KILL, .errands = errands, .owner = owner,
                .pid = pid, .pidfd = pidfd, .signal = signal, .is_group = is_group });
}

int process_errands_kill_rest(ProcessErrands *errands, ProcessOwner *owner, int signal, pid_t main_pid,
                              pid_t control_pid) {
        int r, n;

        n = owner->ops->count_group ? owner->ops->count_group(owner, main_pid, control_pid) : -ENOENT;
        if (n == -ENOENT)
                n = count_rest(errands, owner, main_pid, control_pid);
        if (n <= 0 || signal == 0)
                return n;
        r = add_errand(&(ProcessErrand) {
                .kind = ERRAND_KILL_REST, .errands = errands, .owner = owner, .pidfd = -1,
                .pid = main_pid, .control_pid = control_pid, .signal = signal });
        return r < 0 ? r : n;
}

void process_errands_forget_owner(ProcessErrands *errands, const ProcessOwner *owner) {
        ProcessErrand *next;

        assert(errands->n_spawns == 0);

        for (ProcessErrand *errand = errands->newest; errand; errand = next) {
                next = errand->next;
                if (errand->owner == owner)
                        errand_detach(errand);
        }
}

bool process_errands_is_empty(const ProcessErrands *errands) {
        return !errands->newest;
}

bool process_errands_are_settled(const ProcessErrands *errands) {
        return errands->n_spawns == 0;
}

/* — written down, and read again — */

void process_errands_write(const ProcessErrands *errands, RecordWriter *writer) {
        const ProcessErrand *oldest = NULL;
        size_t n = 0;

        for (const ProcessErrand *errand = errands->newest; errand; errand = errand->next, n++)
                oldest = errand;
        record_put(writer, n);
        for (const ProcessErrand *errand = oldest; errand; errand = errand->previous) {
                record_put(writer, errand->number);
                record_put(writer, errand->kind);
                record_put_string(writer, errand->owner->name);
                record_put(writer, errand->purpose);
                record_put_signed(writer, errand->pid);
                record_put_signed(writer, errand->control_pid);
                record_put_signed(writer, errand->signal);
                record_put(writer, errand->is_group);
        }
}

static int read_errand(ProcessErrands *errands, RecordReader *reader, ProcessErrand *ret_errand) {
        ProcessErrand errand = { .errands = errands, .pidfd = -1, .number = record_get(reader) };
        const char *owner;

        errand.kind = (ErrandKind) record_get_below(reader, _ERRAND_KIND_MAX);
        owner = record_get_string(reader);
        errand.purpose = (UnitPurpose) record_get_below(reader, _UNIT_PURPOSE_MAX);
        errand.pid = (pid_t) record_get_signed(reader);
        errand.control_pid = (pid_t) record_get_signed(reader);
        errand.signal = (int) record_get_signed(reader);
        errand.is_group = record_get_below(reader, 2) != 0;
        if (reader->has_failed || !owner)
                return -EBADMSG;
        errand.owner = errands->host->ops->find_owner(errands->host->userdata, owner);
        *ret_errand = errand;
        return 0;
}

/* The owner is told as if the process had just been made. Who it runs as is asked of the process itself. */
static int take_over_spawn(const ProcessErrand *errand, pid_t pid) {
        ExecResult result = { .pid = pid, .uid = (uid_t) -1, .gid = (gid_t) -1 };
        usec_t started = 0;
        char path[32];
        struct stat status;
        ExecProcess found;
        int r;

        snprintf(path, sizeof(path), "/proc/%d", (int) pid);
        if (exec_process_read(pid, &found) == 0)
                started = exec_process_start(&found);
        if (stat(path, &status) == 0 && status.st_uid != getuid()) {
                result.uid = status.st_uid;
                result.gid = status.st_gid;
        }
        r = process_table_adopt(errand->errands->table, errand->owner, errand->purpose, pid, started);
        if (r < 0)
                return r;
        tell_spawned(errand->owner, errand->purpose, pid, &result);
        return 0;
}

/*
 * A process keeps the number of its errand: as long as nothing can be committed the state goes on saying so, and the
 * journal says under that number that it was made. A signal gets the next one: the last that was sent has to be the
 * highest.
 */
static int repeat_errand(ProcessErrand *errand) {
        ProcessErrands *errands = errand->errands;
        int r = 0;

        switch (errand->kind) {
        case ERRAND_SPAWN:
                r = add_errand(errand);
                break;
        case ERRAND_KILL_REST:
                errand->number = 0;
                r = add_errand(errand);
                break;
        case ERRAND_KILL:
                r = process_errands_kill(errands, errand->owner, errand->pid, errand->signal, errand->is_group);
                break;
        case _ERRAND_KIND_MAX:
                break;
        }
        return r == -ESRCH ? 0 : r;
}

int process_errands_read(ProcessErrands *errands, RecordReader *reader) {
        const Journal *journal = journal_of(errands);
        uint64_t n = record_get(reader);
        int r = 0;

        for (; n > 0 && r == 0; n--) {
                ProcessErrand errand;
                pid_t pid;

                r = read_errand(errands, reader, &errand);
                if (r < 0 || !errand.owner)
                        continue;
                pid = errand.kind == ERRAND_SPAWN ? journal_find_spawn(journal, errand.number) : 0;
                if (pid > 0)
                        r = take_over_spawn(&errand, pid);
                else if (errand.kind == ERRAND_SPAWN || errand.number > journal_last_sent(journal))
                        r = repeat_errand(&errand);
        }
        return r;
}
