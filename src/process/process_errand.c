/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errands: requests for processes and signals
 *
 * A request of an owner becomes an errand in the outbox: a record of the owner
 * and what it requests. The owner is asked for the command when the errand is
 * sent, so a stop in the same turn still prevents the start. An errand whose
 * owner has been freed is not sent.
 *
 * A new process is on its way until it executes its program (exec.h): it opens
 * files, mounts, changes its user. That may take any time, so the manager waits
 * for a moment only. Several processes may be on their way at once. Until a
 * process has arrived, its errand owns it in the table of processes; then it is
 * handed over to the owner of the errand, which is informed. No event reports an
 * arrival, so it is looked for: when anything else about the process becomes
 * known, and by a timer with growing intervals.
 *
 * Making a process takes time, too, most of all making a sandbox. So a process
 * that a flush does not make within one stretch (process_pace.h) waits in its
 * errand and is made in a later stretch; all other event sources are served
 * between stretches. A process that is no longer wanted (its owner is stopped, or
 * its time limit has elapsed) is killed, and its errand stays until the process
 * is reaped. The process reads nothing of its unit, which may change or be freed
 * meanwhile.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/macro.h"
#include "exec/exec.h"
#include "exec/exec_kill.h"
#include "exec/exec_process.h"
#include "process/outbox.h"
#include "process/process_errand.h"
#include "process/process_pace.h"
#include "store/journal.h"

/*
 * A stretch waits only for processes that have been on their way for less than this: the second value applies to a
 * process that waits for a processor.
 */
#define RECENT (100 * USEC_PER_MSEC)
#define RECENT_STARVED (1 * USEC_PER_SEC)
/* The interval of the timer that looks for arrivals grows from the first value to the second. */
#define LOOK_MIN (1 * USEC_PER_MSEC)
#define LOOK_MAX (200 * USEC_PER_MSEC)
/* If none arrives, it grows on: to this part of the time since the last process was made, and to this limit. */
#define LOOK_PART 8U
#define LOOK_LIMIT (10 * USEC_PER_SEC)
/* The least interval while processes are made slowly, because there is hardly any processor time. */
#define LOOK_STARVED (10 * USEC_PER_MSEC)
/* A turn that has taken this long makes no process at its end, so that its replies and other clients come first. */
#define TURN_LONG (3 * USEC_PER_MSEC)
/* The first record format with the pid and the start of a process on its way. */
#define FORMAT_OF_STARTS 6

typedef enum ErrandKind {
        ERRAND_SPAWN,
        ERRAND_KILL,
        ERRAND_KILL_REST,
        _ERRAND_KIND_MAX,
} ErrandKind;

/* The states of ERRAND_SPAWN; other kinds are always queued. */
typedef enum ErrandState {
        ERRAND_QUEUED,                  /* in the outbox, which owns it */
        ERRAND_WAITING,                 /* sent; its process cannot be made yet */
        ERRAND_COMING,                  /* its process is on its way */
        ERRAND_LEAVING,                 /* its process was killed or has failed, and is not yet reaped */
        ERRAND_GONE,                    /* done; freed by its last holder (.n_holders) */
} ErrandState;

typedef struct ProcessErrand {
        ErrandKind kind;
        ErrandState state;
        unsigned n_holders;             /* the outbox, and who sends it: freed by the last let_loose() only */
        uint64_t number;                /* a later errand has a higher one */
        ProcessErrands *errands;        /* borrowed */
        ProcessOwner *owner;            /* borrowed; NULL: freed, or informed of the outcome */
        UnitPurpose purpose;
        pid_t pid;                      /* KILL: process to signal; KILL_REST: main process; SPAWN: new process */
        pid_t control_pid;              /* KILL_REST: the control process */
        int pidfd;                      /* owned; of .pid, -1 if there is none */
        int signal;
        bool is_group;
        struct ProcessErrand *previous, *next;  /* in ProcessErrands.newest, as long as .owner is set */
        uint32_t record;                /* the number of its record: its place in ProcessErrands.records */

        /* Of a spawn that was sent. */
        struct ProcessErrand *later;    /* in ProcessErrands.sent */
        ProcessOwner coming;            /* owner of the process in the table until the process has arrived */
        ExecRequest request;            /* owned; while the process is on its way, only .log_stream for the host */
        ExecSpawn *spawn;               /* owned */
        usec_t since, started;          /* monotonic; as exec_process_start() */
        bool is_alone;                  /* no other process was on its way when this one was made */
} ProcessErrand;

struct ProcessErrands {
        const ProcessHost *host;        /* borrowed */
        ProcessTable *table;            /* borrowed */
        ProcessRest *rest;              /* borrowed */
        ProcessErrand *newest;          /* list of the errands that are recorded: all with an owner */
        VECTOR(ProcessErrand *) records;        /* the same, by the numbers of their records; NULL: free */
        VECTOR(uint32_t) free_records;  /* these numbers: room for all is reserved */
        VECTOR(ProcessErrand) read;     /* read, and not repeated yet */
        ProcessErrand *sent, **sent_end;        /* owned: spawns that were sent, oldest first */
        unsigned n_sent, n_coming;      /* of .sent: waiting or coming; coming */
        ProcessPace pace;
        usec_t last_made;               /* when the last process was made */
        usec_t pause;                   /* last interval of .look */
        sd_event_source *look;          /* owned: the timer that looks for arrivals and makes waiting processes */
        unsigned n_steps;               /* number of processes made plus number of arrivals */
        bool is_collecting;
        bool is_looking;                /* in on_look(): processes are made, however long the turn has taken */
        bool is_postponed;              /* waiting errands wait for the next stretch only */
        bool has_yielded;               /* on_look() has let other ready sources be served first */
        bool is_full;                   /* no process can be made now: a further errand waits behind the others */
};

static int on_look(sd_event_source *source, uint64_t usec, void *userdata);

int process_errands_new(ProcessErrands **ret_errands, const ProcessHost *host, ProcessTable *table, ProcessRest *rest) {
        ProcessErrands *errands = calloc(1, sizeof(*errands));
        int r;

        if (!errands)
                return -ENOMEM;
        *errands = (ProcessErrands) { .host = host, .table = table, .rest = rest,
                                      .sent_end = &errands->sent };
        process_pace_init(&errands->pace, EXEC_SPAWNS_MAX);
        r = sd_event_add_time(host->event, &errands->look, CLOCK_MONOTONIC, 0, 1, on_look, errands);
        if (r >= 0)
                r = sd_event_source_set_enabled(errands->look, SD_EVENT_OFF);
        if (r >= 0)
                r = sd_event_source_set_priority(errands->look, host->fd_priority);
        if (r < 0) {
                process_errands_free(errands);
                return r;
        }
        *ret_errands = errands;
        return 0;
}

static Journal *journal_of(const ProcessErrands *errands) {
        return errands->host->ops->journal(errands->host->userdata);
}

static void errand_changed(const ProcessErrand *errand) {
        const ProcessHost *host = errand->errands->host;

        host->ops->errand_changed(host->userdata, errand->record);
}

static void tell_spawned(ProcessOwner *owner, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        process_owner_changed(owner);
        if (owner->ops->spawned)
                owner->ops->spawned(owner, purpose, pid, result);
}

/* — errands of any kind — */

/* Takes the errand off its owner, so that it is no longer recorded. */
static void errand_detach(ProcessErrand *errand) {
        ProcessOwner *owner = errand->owner;

        if (!owner)
                return;
        errand_changed(errand);
        errand->errands->records.items[errand->record] = NULL;
        (void) vector_push(&errand->errands->free_records, errand->record);
        owner->n_errands--;
        process_owner_released(owner);
        errand->owner = NULL;
        if (errand->previous)
                errand->previous->next = errand->next;
        else
                errand->errands->newest = errand->next;
        if (errand->next)
                errand->next->previous = errand->previous;
        errand->previous = errand->next = NULL;
}

static void errand_free(ProcessErrand *errand) {
        errand_detach(errand);
        exec_request_deinit(&errand->request);
        if (errand->pidfd >= 0)
                close(errand->pidfd);
        free(errand);
}

/* — processes that have been made — */

static void count_out(ProcessErrand *errand) {
        ProcessErrands *errands = errand->errands;

        if (errand->state == ERRAND_COMING)
                errands->n_coming--;
        if (errand->state == ERRAND_COMING || errand->state == ERRAND_WAITING)
                errands->n_sent--;
        errand->state = ERRAND_LEAVING;
}

static void remove_sent(ProcessErrand *errand) {
        ProcessErrands *errands = errand->errands;
        ProcessErrand **slot = &errands->sent;

        while (*slot != errand)
                slot = &(*slot)->later;
        *slot = errand->later;
        if (errands->sent_end == &errand->later)
                errands->sent_end = slot;
        count_out(errand);
        errand_detach(errand);
        errand->state = ERRAND_GONE;
        if (errand->n_holders == 0)
                errand_free(errand);
}

/* Informs the host that the process opens nothing any more of what the host has prepared. */
static void drop_request(ProcessErrand *errand) {
        const ProcessHost *host = errand->errands->host;

        host->ops->settled(host->userdata, &errand->request);
        exec_request_deinit(&errand->request);
}

/* Frees what the process does not need, as it has a copy of the request. */
static void strip_request(ProcessErrand *errand) {
        const uint32_t log_stream = errand->request.log_stream;

        exec_request_deinit(&errand->request);
        errand->request.log_stream = log_stream;
}

/* To be called when the outbox or begin_waiting() has done with the errand. One in .sent is not freed. */
static void let_loose(ProcessErrand *errand) {
        if (--errand->n_holders > 0)
                return;
        if (errand->state == ERRAND_QUEUED || errand->state == ERRAND_GONE)
                errand_free(errand);
}

/*
 * Ends the spawn of a process that has arrived. 0: the program runs, or has run and was reaped; < 0: the result is set,
 * and the process is reaped later.
 */
static int end_spawn(ProcessErrand *errand, ExecResult *result) {
        const ProcessHost *host = errand->errands->host;
        Process *process = process_table_find(errand->errands->table, errand->pid);
        int pidfd = -1, r;

        r = exec_spawn_end(errand->spawn, &pidfd, result);
        errand->spawn = NULL;
        drop_request(errand);
        if (r == 0 && process && process->owner == &errand->coming)
                process->pidfd = host->ops->spare_pidfd(host->userdata, pidfd);
        else if (pidfd >= 0)
                close(pidfd);
        return r;
}

/* How long the process has waited for a processor. 0 under SCHED_IDLE, where a slower pace would not shorten that. */
static usec_t find_delay(const ProcessErrand *errand) {
        const usec_t taken = usec_sub(clock_monotonic(), errand->since);

        return process_pace_wants_delay(taken) && sched_getscheduler(0) != SCHED_IDLE ? exec_process_delay(errand->pid)
                                                                                       : 0;
}

/*
 * Hands a process that has arrived over to its owner; a process that has failed stays the errand's. Returns its pid, or
 * 0 if it has failed.
 */
static pid_t hand_over(ProcessErrand *errand, ExecResult *result) {
        ProcessErrands *errands = errand->errands;
        const pid_t pid = errand->pid;

        process_pace_note_arrival(&errands->pace, find_delay(errand), errand->is_alone);
        if (end_spawn(errand, result) < 0) {
                count_out(errand);
                errand_detach(errand);
                return 0;
        }
        process_table_hand_over(process_table_find(errands->table, pid), errand->owner, errand->purpose);
        remove_sent(errand);
        return pid;
}

static void arrive(ProcessErrand *errand) {
        ProcessOwner *owner = errand->owner;
        const UnitPurpose purpose = errand->purpose;
        ExecResult result;
        const pid_t pid = hand_over(errand, &result);

        tell_spawned(owner, purpose, pid, &result);
}

/* For a process that was reaped before its arrival was noticed: the owner is informed of its exit, too. */
static void end_at_once(ProcessErrand *errand, const UnitExit *exit) {
        ProcessOwner *owner = errand->owner;
        const UnitPurpose purpose = errand->purpose;
        ExecResult result;
        int r;

        exec_spawn_note_end(errand->spawn);
        r = end_spawn(errand, &result);
        remove_sent(errand);
        tell_spawned(owner, purpose, r < 0 ? 0 : exit->pid, &result);
        if (r == 0 && owner->ops->exited)
                owner->ops->exited(owner, exit);
}

static ProcessErrand *of_coming(ProcessOwner *owner) {
        return container_of(owner, ProcessErrand, coming);
}

static void coming_exited(ProcessOwner *owner, const UnitExit *exit) {
        ProcessErrand *errand = of_coming(owner);

        if (errand->state == ERRAND_COMING) {
                end_at_once(errand, exit);
                return;
        }
        if (errand->spawn) {
                exec_spawn_note_end(errand->spawn);
                end_spawn(errand, &(ExecResult) {});
        }
        remove_sent(errand);
}

static void coming_changed(ProcessOwner *owner) {
        errand_changed(of_coming(owner));
}

static const ProcessOwnerOps coming_ops = {
        .exited = coming_exited,
        .changed = coming_changed,
};

/* — looking whether they have arrived — */

static void look_again(ProcessErrands *errands, usec_t pause) {
        usec_t most;

        if (errands->n_sent == 0)
                return;
        most = usec_sub(clock_monotonic(), errands->last_made) / LOOK_PART;
        errands->pause = MIN(pause, MIN(MAX(most, LOOK_MAX), LOOK_LIMIT));
        (void) sd_event_source_set_time_relative(errands->look, errands->pause);
        (void) sd_event_source_set_enabled(errands->look, SD_EVENT_ONESHOT);
}

/* The next process on its way; *n_left counts the rest of them, so that the errands behind the last are not visited. */
static ProcessErrand *next_coming(ProcessErrand *errand, unsigned *n_left) {
        while (errand && *n_left > 0 && errand->state != ERRAND_COMING)
                errand = errand->later;
        if (!errand || *n_left == 0)
                return NULL;
        --*n_left;
        return errand;
}

static ProcessErrand *find_arrived(const ProcessErrands *errands) {
        unsigned n = errands->n_coming;

        for (ProcessErrand *errand = next_coming(errands->sent, &n); errand; errand = next_coming(errand->later, &n))
                if (exec_spawn_has_arrived_within(errand->spawn, 0))
                        return errand;
        return NULL;
}

void process_errands_collect(ProcessErrands *errands) {
        ProcessErrand *errand;

        if (errands->is_collecting || errands->n_coming == 0)
                return;
        errands->is_collecting = true;
        while (errands->n_coming > 0 && (errand = find_arrived(errands))) {
                errands->n_steps++;
                arrive(errand);
        }
        errands->is_collecting = false;
        if (errands->n_sent > errands->n_coming)
                look_again(errands, usec_sub(errands->pace.rest_until, clock_monotonic()));
}

/* The time left in this stretch: for making waiting processes if there are any, else for waiting for arrivals. */
static usec_t left_of_stretch(ProcessErrands *errands) {
        const usec_t now = clock_monotonic();

        return errands->n_sent > errands->n_coming ? process_pace_left_to_make(&errands->pace, now)
                                                   : process_pace_left_to_wait(&errands->pace, now);
}

static bool is_recent(const ProcessErrand *errand, usec_t now) {
        const usec_t taken = usec_sub(now, errand->since);

        return taken < RECENT || (taken < RECENT_STARVED && exec_process_wants_processor(errand->pid));
}

/* The first process on its way that is likely to arrive soon, or NULL. */
static ProcessErrand *find_recent(const ProcessErrands *errands) {
        unsigned n = errands->n_coming;
        const usec_t now = n > 0 ? clock_monotonic() : 0;

        for (ProcessErrand *errand = next_coming(errands->sent, &n); errand; errand = next_coming(errand->later, &n))
                if (is_recent(errand, now))
                        return errand;
        return NULL;
}

/* Waits for a recent process during the rest of the stretch. Returns false if there is no such process or no time. */
static bool wait_a_little(ProcessErrands *errands) {
        const ProcessErrand *errand = find_recent(errands);
        const usec_t left = left_of_stretch(errands);

        if (!errand || left == 0)
                return false;
        (void) exec_spawn_has_arrived_within(errand->spawn, left);
        process_errands_collect(errands);
        return true;
}

ProcessOwner *process_errands_owner_of(ProcessErrands *errands, pid_t pid) {
        const Process *process = process_table_find(errands->table, pid);

        if (process && process->owner->ops == &coming_ops) {
                process_errands_collect(errands);
                process = process_table_find(errands->table, pid);
        }
        if (process && process->owner->ops == &coming_ops)
                return of_coming(process->owner)->owner;
        return process ? process->owner : NULL;
}

/* — making them — */

/*
 * The place in the journal where the kernel stores the pid when it makes the process. If the journal is full, a commit
 * empties it first.
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
        errands->host->ops->commit(errands->host->userdata);
        return journal_begin_spawn(journal, errand->number);
}

static void add_sent(ProcessErrand *errand, ErrandState state) {
        ProcessErrands *errands = errand->errands;

        if (errand->state == ERRAND_QUEUED) {
                *errands->sent_end = errand;
                errands->sent_end = &errand->later;
                errands->n_sent++;
        }
        errand->state = state;
        if (state == ERRAND_COMING)
                errands->n_coming++;
}

/* Adds the new process to the table, owned by the errand until it has arrived. */
static int follow(ProcessErrand *errand) {
        errand->pid = exec_spawn_pid(errand->spawn);
        errand->started = exec_spawn_start(errand->spawn);
        errand->coming = (ProcessOwner) { .ops = &coming_ops, .name = "a process on its way" };
        return process_table_add(errand->errands->table, &(Process) {
                .pid = errand->pid, .pidfd = -1, .owner = &errand->coming, .purpose = errand->purpose,
                .started = errand->started }, errand->since);
}

/* Kills and reaps a process that cannot be added to the table. */
static void give_up_process(ProcessErrand *errand, int error, ExecResult *result) {
        pid_t pid = 0;
        int pidfd = -1;

        kill(errand->pid, SIGKILL);
        if (exec_spawn_finish(errand->spawn, &pid, &pidfd, result) == 0 && pidfd >= 0)
                close(pidfd);
        errand->spawn = NULL;
        exec_result_set(result, EXEC_STEP_RESOURCES, error, "cannot follow the process: %s", strerror(-error));
}

static int begin_spawn(ProcessErrand *errand, ExecResult *result) {
        const ProcessHost *host = errand->errands->host;
        int r;

        errand->request.note_pid = note_of_pid(errand);
        errand->since = errand->errands->last_made = clock_monotonic();
        errand->is_alone = errand->errands->n_coming == 0;
        r = exec_spawn_begin(&errand->request, &errand->spawn, result);
        if (r >= 0) {
                r = follow(errand);
                if (r < 0)
                        give_up_process(errand, r, result);
        }
        if (r >= 0) {
                host->ops->begun(host->userdata, &errand->request, errand->purpose, errand->pid);
                strip_request(errand);
        } else if (result->step == EXEC_STEP_RESOURCES && result->error == EAGAIN)
                host->ops->no_process(host->userdata);
        return r;
}

/* Returns true if an earlier errand of the same owner waits, which must be sent first. */
static bool has_earlier(const ProcessErrand *errand) {
        for (const ProcessErrand *other = errand->errands->sent; other && other != errand; other = other->later)
                if (other->state == ERRAND_WAITING && other->owner == errand->owner)
                        return true;
        return false;
}

/* Asks the owner for .request. 0; -ECANCELED if no process is wanted; or < 0 with the result set. */
static int prepare(ProcessErrand *errand, ExecResult *result) {
        ProcessOwner *owner = errand->owner;
        int r;

        r = owner->ops->prepare ? owner->ops->prepare(owner, errand->purpose, &errand->request, result) : -ECANCELED;
        if (r < 0)
                exec_request_deinit(&errand->request);
        process_owner_changed(owner);           /* what prepare() makes for the processes is recorded */
        return MIN(r, 0);
}

/* Processes that are not recent do not count against the pace, as they may hang. */
static bool has_place(const ProcessErrands *errands) {
        return exec_spawn_has_place() && (errands->n_coming < errands->pace.most || !find_recent(errands));
}

/* Waits for a place in this stretch. Returns false if there is none, or the errand was taken back meanwhile. */
static bool wait_for_place(ProcessErrand *errand) {
        ProcessErrands *errands = errand->errands;

        errands->is_postponed = process_pace_left_to_make(&errands->pace, clock_monotonic()) == 0;
        if (errands->is_postponed || has_place(errands))
                return !errands->is_postponed;
        (void) wait_a_little(errands);
        errands->is_postponed = process_pace_left_to_make(&errands->pace, clock_monotonic()) == 0;
        return errand->owner && !errands->is_postponed && has_place(errands);
}

/* Makes the errand wait. Its request is empty, so it borrows nothing from its unit. Returns @wait. */
static ExecSpawnWait queue_up(ProcessErrand *errand, ExecSpawnWait wait) {
        add_sent(errand, ERRAND_WAITING);
        if (wait == EXEC_SPAWN_WAITS_FOR_ALL)
                errand->errands->is_full = true;
        return wait;
}

/* Returns true if the turn has already taken long, and no process was made in it yet. */
static bool is_late(ProcessErrands *errands) {
        const ProcessHost *host = errands->host;

        if (errands->pace.began > 0 || errands->is_looking)
                return false;
        if (usec_sub(clock_monotonic(), host->ops->now(host->userdata)) < TURN_LONG)
                return false;
        errands->is_postponed = true;
        return true;
}

/*
 * Makes the process, or lets the errand wait. Returns what the errand waits for: EXEC_SPAWN_WAITS_FOR_ALL applies to
 * all errands after it, too. The errand must be held, as its owner may take it back during the call.
 */
static ExecSpawnWait send_spawn(ProcessErrand *errand) {
        ProcessErrands *errands = errand->errands;
        ProcessOwner *owner = errand->owner;
        const UnitPurpose purpose = errand->purpose;
        ExecResult result = {};
        ExecSpawnWait wait;
        int r;

        if (errands->is_full || (errands->pace.rest > 0 && process_pace_is_resting(&errands->pace, clock_monotonic())))
                return queue_up(errand, EXEC_SPAWN_WAITS_FOR_ALL);
        if (is_late(errands))
                return queue_up(errand, EXEC_SPAWN_WAITS_FOR_ALL);
        if (has_earlier(errand))
                return queue_up(errand, EXEC_SPAWN_WAITS_FOR_NAMESPACE);
        if (!wait_for_place(errand))
                return errand->owner ? queue_up(errand, EXEC_SPAWN_WAITS_FOR_ALL) : EXEC_SPAWN_NEED_NOT_WAIT;
        r = prepare(errand, &result);
        wait = r == 0 ? exec_spawn_must_wait(&errand->request) : EXEC_SPAWN_NEED_NOT_WAIT;
        if (wait != EXEC_SPAWN_NEED_NOT_WAIT) {
                drop_request(errand);
                return queue_up(errand, wait);
        }
        if (r == 0 && begin_spawn(errand, &result) >= 0) {
                add_sent(errand, ERRAND_COMING);
                process_pace_note_made(&errands->pace, errand->since);
                errands->n_steps++;
                return EXEC_SPAWN_NEED_NOT_WAIT;
        }
        if (r == 0)
                drop_request(errand);
        if (errand->state == ERRAND_WAITING)
                remove_sent(errand);
        else
                errand_detach(errand);
        if (r != -ECANCELED)
                tell_spawned(owner, purpose, 0, &result);
        return EXEC_SPAWN_NEED_NOT_WAIT;
}

/* The first waiting errand with a number above @after: sending one may remove any other from the list. */
static ProcessErrand *find_waiting(const ProcessErrands *errands, uint64_t after) {
        for (ProcessErrand *errand = errands->sent; errand; errand = errand->later)
                if (errand->state == ERRAND_WAITING && errand->number > after)
                        return errand;
        return NULL;
}

static void begin_waiting(ProcessErrands *errands) {
        ExecSpawnWait wait = EXEC_SPAWN_NEED_NOT_WAIT;
        ProcessErrand *errand;
        uint64_t last = 0;

        errands->is_full = false;
        while (wait != EXEC_SPAWN_WAITS_FOR_ALL && (errand = find_waiting(errands, last))) {
                last = errand->number;
                errand->n_holders++;
                wait = send_spawn(errand);
                let_loose(errand);
        }
}

/* The interval to the next call of on_look(): @pause, unless waiting errands need another one. */
static usec_t time_to_look(const ProcessErrands *errands, usec_t pause) {
        const usec_t rest = usec_sub(errands->pace.rest_until, clock_monotonic());

        if (errands->n_sent == errands->n_coming)
                return pause;
        if (rest > 0)
                return errands->n_coming > 0 ? MIN(rest, MAX(pause, LOOK_STARVED)) : rest;
        return errands->is_postponed ? 0 : pause;
}

/* Goes on to the end of the stretch, or until no recent process is on its way. The timer continues with the rest. */
static void end_stretch(ProcessErrands *errands) {
        usec_t now;

        while (errands->pace.began > 0 && wait_a_little(errands))
                begin_waiting(errands);
        now = clock_monotonic();
        process_pace_end(&errands->pace, now,
                         process_pace_wants_rest(&errands->pace, now) && sched_getscheduler(0) != SCHED_IDLE);
        look_again(errands, time_to_look(errands, LOOK_MIN));
}

/* The interval doubles as long as no process is made and none arrives. */
static int on_look(sd_event_source *source, uint64_t usec, void *userdata) {
        ProcessErrands *errands = userdata;
        const usec_t pause = MAX(errands->pause, LOOK_MIN);
        const unsigned n_steps = errands->n_steps;

        /* Sources that became ready together are served in any order; those that became ready later come after them. */
        errands->has_yielded = errands->is_postponed && !errands->has_yielded;
        if (errands->has_yielded) {
                look_again(errands, 0);
                return 0;
        }
        process_errands_collect(errands);
        if (errands->n_sent > errands->n_coming) {
                errands->is_looking = true;
                begin_waiting(errands);
                end_stretch(errands);
                errands->is_looking = false;
        }
        if (errands->n_steps == n_steps)
                look_again(errands, MAX(time_to_look(errands, 2 * pause), LOOK_MIN));
        else
                look_again(errands, time_to_look(errands, LOOK_MIN));
        return 0;
}

/* Called by the outbox after consecutive spawns. */
static void spawn_settle(void *item) {
        end_stretch(((const ProcessErrand *) item)->errands);
}

/* — giving them up — */

static void let_go(ProcessErrand *errand) {
        switch (errand->state) {
        case ERRAND_QUEUED:
        case ERRAND_LEAVING:
        case ERRAND_GONE:
                errand_detach(errand);
                break;
        case ERRAND_WAITING:
                remove_sent(errand);
                break;
        case ERRAND_COMING:
                exec_spawn_give_up(errand->spawn);
                count_out(errand);
                errand_detach(errand);
                break;
        }
}

bool process_errands_take_back(ProcessErrands *errands, const ProcessOwner *owner, UnitPurpose purpose,
                               ExecResult *ret_result) {
        ProcessErrand *next;
        bool runs = false;

        for (ProcessErrand *errand = errands->newest; errand; errand = next) {
                next = errand->next;
                if (errand->owner != owner || errand->kind != ERRAND_SPAWN || errand->purpose != purpose)
                        continue;
                if (ret_result && errand->state == ERRAND_COMING && exec_spawn_has_arrived_within(errand->spawn, 0))
                        runs |= (ret_result->pid = hand_over(errand, ret_result)) > 0;
                else
                        let_go(errand);
        }
        return runs;
}

bool process_errands_are_coming(const ProcessErrands *errands, const ProcessOwner *owner, UnitPurpose purpose) {
        for (const ProcessErrand *errand = errands->newest; errand; errand = errand->next)
                if (errand->owner == owner && errand->kind == ERRAND_SPAWN && errand->purpose == purpose &&
                    errand->state == ERRAND_COMING)
                        return true;
        return false;
}

/* A process on its way goes on without an owner; other errands are dropped. */
static void part_from(ProcessErrand *errand) {
        if (errand->state != ERRAND_COMING) {
                let_go(errand);
                return;
        }
        exec_spawn_abandon(errand->spawn);
        errand->spawn = NULL;
        drop_request(errand);
        process_table_forget(errand->errands->table, &errand->coming, errand->pid);
        remove_sent(errand);
}

void process_errands_forget_owner(ProcessErrands *errands, const ProcessOwner *owner) {
        ProcessErrand *next;

        for (ProcessErrand *errand = errands->newest; errand; errand = next) {
                next = errand->next;
                if (errand->owner == owner)
                        part_from(errand);
        }
}

ProcessErrands *process_errands_free(ProcessErrands *errands) {
        ProcessErrand *next;

        if (!errands)
                return NULL;
        assert(!errands->newest);
        assert(errands->n_sent == 0);
        for (ProcessErrand *errand = errands->sent; errand; errand = next) {
                next = errand->later;
                process_table_forget(errands->table, &errand->coming, errand->pid);
                if (errand->spawn)
                        exec_spawn_abandon(errand->spawn);
                errand_free(errand);
        }
        sd_event_source_disable_unref(errands->look);
        vector_deinit(&errands->records);
        vector_deinit(&errands->free_records);
        vector_deinit(&errands->read);
        free(errands);
        return NULL;
}

/* — signals — */

static void send_kill(ProcessErrand *errand) {
        int r;

        /* Without a pidfd: a pid that is still in the table is not yet reaped, so no other process has it. */
        if (errand->pidfd < 0 && !process_table_find(errand->errands->table, errand->pid))
                return;
        r = exec_kill(errand->pid, errand->pidfd, errand->signal, errand->is_group);
        if (r < 0 && r != -ESRCH)
                log_write(LOG_LEVEL_WARNING, errand->owner->name, "Cannot send signal %d to process %d: %s",
                          errand->signal, (int) errand->pid, strerror(-r));
}

static void errand_send(void *item) {
        ProcessErrand *errand = item;
        ProcessErrands *errands = errand->errands;

        if (!errand->owner)
                return;
        switch (errand->kind) {
        case ERRAND_SPAWN:
                (void) send_spawn(errand);
                return;
        case ERRAND_KILL:
                send_kill(errand);
                break;
        case ERRAND_KILL_REST:
                process_rest_signal(errands->rest, errand->owner, errand->signal, errand->pid, errand->control_pid);
                break;
        case _ERRAND_KIND_MAX:
                break;
        }
        /* If core ends right here, the next one sends the signal again: better than losing it. */
        if (journal_of(errands))
                journal_note_sent(journal_of(errands), errand->number);
}

static void errand_release(void *item) {
        let_loose(item);
}

static const OutboxItemOps errand_ops = {
        .send = errand_send,
        .free = errand_release,
};

static const OutboxItemOps spawn_ops = {
        .send = errand_send,
        .settle = spawn_settle,
        .free = errand_release,
};

/* Gives the errand a number for its record: a free one, or the next. 0 or -ENOMEM. */
static int add_record(ProcessErrands *errands, ProcessErrand *errand) {
        int r;

        if (errands->free_records.n > 0) {
                errand->record = vector_pop(&errands->free_records);
                errands->records.items[errand->record] = errand;
                return 0;
        }
        r = vector_reserve(&errands->free_records, errands->records.n + 1);
        if (r < 0)
                return r;
        errand->record = (uint32_t) errands->records.n;
        return vector_push(&errands->records, errand);
}

/* Takes ownership of @wanted->pidfd, even on failure. Number 0 is replaced by the next one. */
static int add_errand(const ProcessErrand *wanted) {
        ProcessErrands *errands = wanted->errands;
        ProcessErrand *errand;

        errand = malloc(sizeof(*errand));
        if (errand)
                *errand = *wanted;
        if (!errand || add_record(errands, errand) < 0) {
                if (wanted->pidfd >= 0)
                        close(wanted->pidfd);
                free(errand);
                return -ENOMEM;
        }
        errand->n_holders = 1;
        if (errand->number == 0)
                errand->number = errands->host->ops->number_errand(errands->host->userdata);
        errand_changed(errand);
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

/* The pidfd is duplicated, as the owner may drop the process before the errand is sent. */
int process_errands_kill(ProcessErrands *errands, ProcessOwner *owner, pid_t pid, int signal, bool is_group) {
        const Process *process = process_table_find(errands->table, pid);
        int pidfd = -1;

        if (!process || process->owner != owner)
                return -ESRCH;
        if (process->pidfd >= 0) {
                pidfd = fcntl(process->pidfd, F_DUPFD_CLOEXEC, 3);
                /* Without a free descriptor the pid is used, which send_kill() checks. */
                if (pidfd < 0 && errno != EMFILE && errno != ENFILE)
                        return -errno;
        }
        return add_errand(&(ProcessErrand) {
                .kind = ERRAND_KILL, .errands = errands, .owner = owner,
                .pid = pid, .pidfd = pidfd, .signal = signal, .is_group = is_group });
}

int process_errands_kill_rest(ProcessErrands *errands, ProcessOwner *owner, int signal, pid_t main_pid,
                              pid_t control_pid) {
        int n = process_rest_count(errands->rest, owner, main_pid, control_pid), r;

        if (n <= 0 || signal == 0)
                return n;
        r = add_errand(&(ProcessErrand) {
                .kind = ERRAND_KILL_REST, .errands = errands, .owner = owner, .pidfd = -1,
                .pid = main_pid, .control_pid = control_pid, .signal = signal });
        return r < 0 ? r : n;
}

bool process_errands_are_settled(const ProcessErrands *errands) {
        return errands->n_sent == 0;
}

/* — records — */

void process_errands_write(const ProcessErrands *errands, uint32_t number, RecordWriter *writer) {
        const ProcessErrand *errand = number < errands->records.n ? errands->records.items[number] : NULL;

        if (!errand)
                return;
        record_put(writer, errand->number);
        record_put(writer, errand->kind);
        record_put_string(writer, errand->owner->name);
        record_put(writer, errand->purpose);
        record_put_signed(writer, errand->pid);
        record_put_signed(writer, errand->control_pid);
        record_put_signed(writer, errand->signal);
        record_put(writer, errand->is_group);
        if (errand->kind == ERRAND_SPAWN)
                record_put(writer, errand->started);
}

int process_errands_next(const ProcessErrands *errands, uint32_t number, uint32_t *ret_number) {
        for (size_t i = number; i < errands->records.n; i++)
                if (errands->records.items[i]) {
                        *ret_number = (uint32_t) i;
                        return 1;
                }
        return 0;
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
        if (errand.kind == ERRAND_SPAWN && reader->format >= FORMAT_OF_STARTS)
                errand.started = record_get(reader);
        if (reader->has_failed || !owner)
                return -EBADMSG;
        errand.owner = errands->host->ops->find_owner(errands->host->userdata, owner);
        *ret_errand = errand;
        return 0;
}

/* Informs the owner as if the process had just been made; user and group are those of its entry in /proc. */
static int take_over_spawn(const ProcessErrand *errand, pid_t pid, usec_t started) {
        ExecResult result = { .pid = pid, .uid = (uid_t) -1, .gid = (gid_t) -1 };
        char path[32];
        struct stat status;
        ExecProcess found;
        int r;

        snprintf(path, sizeof(path), "/proc/%d", (int) pid);
        if (started == 0 && exec_process_read(pid, &found) == 0)
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
 * A spawn keeps its number: until the next commit the state has that number, and the journal notes under it that the
 * process was made. A signal gets a new number, because the journal knows only the highest number that was sent.
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

/*
 * Kills a process of the last core that is still on its way, so that another one is made: its request may be outdated,
 * and no core learns why it fails. The journal notes the new spawn first, so that the exit of the killed process is not
 * taken for the exit of the service. Returns false if the process is not on its way.
 */
static bool stop_on_its_way(const ProcessErrand *errand) {
        int pidfd = exec_process_hold_unexecuted(errand->pid, errand->started);

        if (pidfd < 0)
                return false;
        (void) journal_begin_spawn(journal_of(errand->errands), errand->number);
        (void) exec_kill(errand->pid, pidfd, SIGKILL, false);
        close(pidfd);
        log_write(LOG_LEVEL_INFO, errand->owner->name,
                  "Process %d was on its way to its program when core ended: another one is started.",
                  (int) errand->pid);
        return true;
}

/* Returns true if the process was made and has arrived. The journal knows the process that was made last. */
static bool has_left(ProcessErrand *errand) {
        const Journal *journal = journal_of(errand->errands);
        const pid_t pid = journal_find_spawn(journal, errand->number);
        bool is_left;

        if (journal_has_spawn(journal, errand->number) && pid != errand->pid) {
                if (errand->pid > 0)
                        (void) stop_on_its_way(errand);
                errand->pid = pid;
                errand->started = 0;
        }
        is_left = errand->pid > 0 && !stop_on_its_way(errand);
        if (!is_left) {
                errand->pid = 0;
                errand->started = 0;
        }
        return is_left;
}

int process_errands_read(ProcessErrands *errands, RecordReader *reader) {
        ProcessErrand errand;
        int r;

        r = read_errand(errands, reader, &errand);
        return r < 0 || !errand.owner ? r : vector_push(&errands->read, errand);
}

int process_errands_read_list(ProcessErrands *errands, RecordReader *reader) {
        uint64_t n = record_get(reader);
        int r = 0;

        for (; n > 0 && r == 0; n--)
                r = process_errands_read(errands, reader);
        return r;
}

static int compare_numbers(const void *a, const void *b) {
        const ProcessErrand *first = a, *second = b;

        return (first->number > second->number) - (first->number < second->number);
}

int process_errands_repeat(ProcessErrands *errands) {
        const Journal *journal = journal_of(errands);
        int r = 0;

        if (errands->read.n > 0)
                qsort(errands->read.items, errands->read.n, sizeof(ProcessErrand), compare_numbers);
        for (size_t i = 0; i < errands->read.n && r == 0; i++) {
                ProcessErrand *errand = &errands->read.items[i];

                if (errand->kind == ERRAND_SPAWN && has_left(errand))
                        r = take_over_spawn(errand, errand->pid, errand->started);
                else if (errand->kind == ERRAND_SPAWN || errand->number > journal_last_sent(journal))
                        r = repeat_errand(errand);
        }
        vector_deinit(&errands->read);
        return r;
}
