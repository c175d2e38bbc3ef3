/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes and signals on their way out
 *
 * What an owner asks for goes into the outbox as an errand: a plain record of
 * (owner, what). The command itself is asked of the owner when the errand
 * leaves, so that a stop of the same turn still prevents the start. An errand
 * whose owner goes away before is not run.
 *
 * A process that has been made is on its way to its program: it opens files,
 * mounts, changes its user, and all that may take as long as it likes, for we do
 * not wait, but for a moment. Several are on their way side by side. Until one
 * has arrived its errand stays, and owns it in the table of processes; then it is
 * handed over to the real owner, which is told. When it has arrived nobody says:
 * so we look, when something else of it is heard, and by a timer that gets slower.
 *
 * To make a process takes time, too, a sandbox more than anything else. So what a
 * flush does not get done in a stretch (process_pace.h) waits in its errand, and
 * is made in other stretches, between which all other sources are served. One that
 * is not wanted any more, because its owner has a time limit or is stopped, is
 * killed; its errand stays until it is reaped. It reads nothing of its unit, so
 * that units may change, or go, meanwhile.
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

/* One that is on its way for longer than the first may take any time, unless it wants a processor: then the second. */
#define RECENT (100 * USEC_PER_MSEC)
#define RECENT_STARVED (1 * USEC_PER_SEC)
/* The time between two looks at those on their way grows from the first to the second … */
#define LOOK_MIN (1 * USEC_PER_MSEC)
#define LOOK_MAX (200 * USEC_PER_MSEC)
/* … and for those that hang on, to this part of the time that the last one has taken so far, and to this limit. */
#define LOOK_PART 8U
#define LOOK_LIMIT (10 * USEC_PER_SEC)
/* To begin with, where there is next to no processor. */
#define LOOK_STARVED (10 * USEC_PER_MSEC)
/* A turn that has taken so long makes no process in the end: its answers leave, and others are served first. */
#define TURN_LONG (3 * USEC_PER_MSEC)
/* From this format on the record of a process on its way has its pid and start. */
#define FORMAT_OF_STARTS 6

typedef enum ErrandKind {
        ERRAND_SPAWN,
        ERRAND_KILL,
        ERRAND_KILL_REST,
        _ERRAND_KIND_MAX,
} ErrandKind;

/* Of a process to be made. */
typedef enum ErrandState {
        ERRAND_QUEUED,                  /* in the outbox, which owns it; others are nowhere else */
        ERRAND_WAITING,                 /* has left the outbox, and waits for a place or for another process */
        ERRAND_COMING,                  /* its process is on its way to its program */
        ERRAND_LEAVING,                 /* its process was killed or has failed, and is not reaped yet */
        ERRAND_GONE,                    /* nothing is left of it, and who holds it frees it */
} ErrandState;

typedef struct ProcessErrand {
        ErrandKind kind;
        ErrandState state;
        bool is_held;                   /* by the outbox, or while it is sent: freed after that */
        uint64_t number;                /* rises */
        ProcessErrands *errands;        /* borrowed */
        ProcessOwner *owner;            /* borrowed; NULL once it is gone, or has been told */
        UnitPurpose purpose;
        pid_t pid;                      /* to signal; of kill_rest: the main process to spare; of a spawn: its own */
        pid_t control_pid;              /* to spare */
        int pidfd;                      /* owned; of .pid, -1 if there is none */
        int signal;
        bool is_group;
        struct ProcessErrand *previous, *next;  /* of ProcessErrands.newest, as long as it has an owner */

        /* Of a spawn that has left the outbox. */
        struct ProcessErrand *later;    /* of ProcessErrands.sent */
        ProcessOwner coming;            /* has the process in the table */
        ExecRequest request;            /* owned; of one on its way only what the host is told with it */
        ExecSpawn *spawn;               /* owned */
        usec_t since, started;          /* monotonic; as exec_process_start() */
        bool is_alone;                  /* no other was on its way when it was made */
} ProcessErrand;

struct ProcessErrands {
        const ProcessHost *host;        /* borrowed */
        ProcessTable *table;            /* borrowed */
        ProcessRest *rest;              /* borrowed */
        ProcessErrand *newest;          /* those that are written down */
        ProcessErrand *sent, **sent_end;        /* owned: spawns that have left the outbox, in that order */
        unsigned n_sent, n_coming;      /* of .sent: all but those leaving; those coming */
        ProcessPace pace;
        usec_t last_made;               /* when the last process was made */
        usec_t pause;                   /* to the next look */
        sd_event_source *look;          /* owned */
        unsigned n_steps;               /* processes that were made, or have arrived */
        bool is_collecting;
        bool is_looking;                /* what waits is made, however long the turn has taken */
        bool is_postponed;              /* those that wait, wait for nothing but time */
        bool has_yielded;               /* sources that were ready with the look have been served since */
        bool is_full;                   /* none can be begun: what comes now waits behind those that wait */
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

static void queues_changed(const ProcessErrands *errands) {
        errands->host->ops->queues_changed(errands->host->userdata);
}

static void tell_spawned(ProcessOwner *owner, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        process_owner_changed(owner);
        if (owner->ops->spawned)
                owner->ops->spawned(owner, purpose, pid, result);
}

/* — errands, whatever they are — */

/* The errand is not written down any more. */
static void errand_detach(ProcessErrand *errand) {
        ProcessOwner *owner = errand->owner;

        if (!owner)
                return;
        queues_changed(errand->errands);
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
        if (!errand->is_held)
                errand_free(errand);
}

/* Nothing will be opened any more that the host has prepared for it. */
static void drop_request(ProcessErrand *errand) {
        const ProcessHost *host = errand->errands->host;

        host->ops->settled(host->userdata, &errand->request);
        exec_request_deinit(&errand->request);
}

/* The process has a copy of all that it reads. */
static void strip_request(ProcessErrand *errand) {
        const uint32_t log_stream = errand->request.log_stream;

        exec_request_deinit(&errand->request);
        errand->request.log_stream = log_stream;
}

/* The outbox, or whoever has sent it, does not need it any more. One that is in .sent stays. */
static void let_loose(ProcessErrand *errand) {
        errand->is_held = false;
        if (errand->state == ERRAND_QUEUED || errand->state == ERRAND_GONE)
                errand_free(errand);
}

/*
 * What became of a process that has arrived. 0, and it is .pid in the table, or was reaped; or < 0 with the result set:
 * it is reaped some time.
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

/* Under the policy for the idle every process waits as long, however few there are: a slower pace would not help. */
static usec_t find_delay(const ProcessErrand *errand) {
        const usec_t taken = usec_sub(clock_monotonic(), errand->since);

        return process_pace_wants_delay(taken) && sched_getscheduler(0) != SCHED_IDLE ? exec_process_delay(errand->pid)
                                                                                       : 0;
}

/* The table has it still: it is the owner's from here on, or nobody's, and then leaves. */
static void arrive(ProcessErrand *errand) {
        ProcessErrands *errands = errand->errands;
        ProcessOwner *owner = errand->owner;
        const UnitPurpose purpose = errand->purpose;
        pid_t pid = errand->pid;
        ExecResult result;

        process_pace_note_arrival(&errands->pace, find_delay(errand), errand->is_alone);
        if (end_spawn(errand, &result) < 0) {
                pid = 0;
                count_out(errand);
                errand_detach(errand);
        } else {
                process_table_hand_over(process_table_find(errands->table, pid), owner, purpose);
                remove_sent(errand);
        }
        tell_spawned(owner, purpose, pid, &result);
}

/* The process was reaped before we knew that it has arrived, or it never will: its end is told, too. */
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
        queues_changed(of_coming(owner)->errands);
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

/* Those on their way stand in front, mostly: it need not look at all that wait. */
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

/* Of this stretch, to make those that wait, or to wait for those on their way. */
static usec_t left_of_stretch(ProcessErrands *errands) {
        const usec_t now = clock_monotonic();

        return errands->n_sent > errands->n_coming ? process_pace_left_to_make(&errands->pace, now)
                                                   : process_pace_left_to_wait(&errands->pace, now);
}

static bool is_recent(const ProcessErrand *errand, usec_t now) {
        const usec_t taken = usec_sub(now, errand->since);

        return taken < RECENT || (taken < RECENT_STARVED && exec_process_wants_processor(errand->pid));
}

/* The first on its way that there is a point in waiting for. */
static ProcessErrand *find_recent(const ProcessErrands *errands) {
        unsigned n = errands->n_coming;
        const usec_t now = n > 0 ? clock_monotonic() : 0;

        for (ProcessErrand *errand = next_coming(errands->sent, &n); errand; errand = next_coming(errand->later, &n))
                if (is_recent(errand, now))
                        return errand;
        return NULL;
}

/* For a recent one, as long as there is some time left. False if there is none of them, or of that. */
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

/* The process is there, and is the errand's until it has arrived. */
static int follow(ProcessErrand *errand) {
        errand->pid = exec_spawn_pid(errand->spawn);
        errand->started = exec_spawn_start(errand->spawn);
        errand->coming = (ProcessOwner) { .ops = &coming_ops, .name = "a process on its way" };
        return process_table_add(errand->errands->table, &(Process) {
                .pid = errand->pid, .pidfd = -1, .owner = &errand->coming, .purpose = errand->purpose,
                .started = errand->started }, errand->since);
}

/* A process that cannot be followed must not live without us knowing. */
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

/* An errand of the same owner that has been waiting for longer comes first. */
static bool has_earlier(const ProcessErrand *errand) {
        for (const ProcessErrand *other = errand->errands->sent; other && other != errand; other = other->later)
                if (other->state == ERRAND_WAITING && other->owner == errand->owner)
                        return true;
        return false;
}

/* Asks for the command. 0: it is in .request; -ECANCELED: it is not wanted; or < 0 with the result set. */
static int prepare(ProcessErrand *errand, ExecResult *result) {
        ProcessOwner *owner = errand->owner;
        int r;

        r = owner->ops->prepare ? owner->ops->prepare(owner, errand->purpose, &errand->request, result) : -ECANCELED;
        if (r < 0)
                exec_request_deinit(&errand->request);
        process_owner_changed(owner);           /* what is made for its processes is in its record */
        return MIN(r, 0);
}

/* Late ones do not count, for they may hang. */
static bool has_place(const ProcessErrands *errands) {
        return exec_spawn_has_place() && (errands->n_coming < errands->pace.most || !find_recent(errands));
}

/* For a place, and some time: true, and there is one; false, if there is none, or the errand was taken back. */
static bool wait_for_place(ProcessErrand *errand) {
        ProcessErrands *errands = errand->errands;

        errands->is_postponed = process_pace_left_to_make(&errands->pace, clock_monotonic()) == 0;
        if (errands->is_postponed || has_place(errands))
                return !errands->is_postponed;
        (void) wait_a_little(errands);
        errands->is_postponed = process_pace_left_to_make(&errands->pace, clock_monotonic()) == 0;
        return errand->owner && !errands->is_postponed && has_place(errands);
}

/* In its turn; until then it has nothing that is its unit's. */
static ExecSpawnWait queue_up(ProcessErrand *errand, ExecSpawnWait wait) {
        add_sent(errand, ERRAND_WAITING);
        if (wait == EXEC_SPAWN_WAITS_FOR_ALL)
                errand->errands->is_full = true;
        return wait;
}

/* Returns true if the turn has taken long before its first process is made. */
static bool is_late(ProcessErrands *errands) {
        const ProcessHost *host = errands->host;

        if (errands->pace.began > 0 || errands->is_looking)
                return false;
        if (usec_sub(clock_monotonic(), host->ops->now(host->userdata)) < TURN_LONG)
                return false;
        errands->is_postponed = true;
        return true;
}

/* What others have to wait for, too, after this one. The caller holds it: its owner may take it back meanwhile. */
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

/* The next one in their order: any of them may go away while another is sent. */
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
                errand->is_held = true;
                wait = send_spawn(errand);
                let_loose(errand);
        }
}

/* Until the next look, which would be after @pause. */
static usec_t time_to_look(const ProcessErrands *errands, usec_t pause) {
        const usec_t rest = usec_sub(errands->pace.rest_until, clock_monotonic());

        if (errands->n_sent == errands->n_coming)
                return pause;
        if (rest > 0)
                return errands->n_coming > 0 ? MIN(rest, MAX(pause, LOOK_STARVED)) : rest;
        return errands->is_postponed ? 0 : pause;
}

/* To its end, or until nothing is on its way. What is left goes on when others have been served. */
static void end_stretch(ProcessErrands *errands) {
        while (errands->pace.began > 0 && wait_a_little(errands))
                begin_waiting(errands);
        process_pace_end(&errands->pace, clock_monotonic(), sched_getscheduler(0) != SCHED_IDLE);
        look_again(errands, time_to_look(errands, LOOK_MIN));
}

/* Less and less often, as long as nothing happens. */
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

/* At the end of a row of them. */
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

void process_errands_take_back(ProcessErrands *errands, const ProcessOwner *owner, UnitPurpose purpose) {
        ProcessErrand *next;

        for (ProcessErrand *errand = errands->newest; errand; errand = next) {
                next = errand->next;
                if (errand->owner == owner && errand->kind == ERRAND_SPAWN && errand->purpose == purpose)
                        let_go(errand);
        }
}

/* What is on its way goes on, and is nobody's. */
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
        free(errands);
        return NULL;
}

/* — signals — */

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
        /* If we die right here a signal is sent twice: better than a process that waits for its time limit. */
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
        errand->is_held = true;
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
        int n = process_rest_count(errands->rest, owner, main_pid, control_pid), r;

        if (n <= 0 || signal == 0)
                return n;
        r = add_errand(&(ProcessErrand) {
                .kind = ERRAND_KILL_REST, .errands = errands, .owner = owner, .pidfd = -1,
                .pid = main_pid, .control_pid = control_pid, .signal = signal });
        return r < 0 ? r : n;
}

bool process_errands_is_empty(const ProcessErrands *errands) {
        return !errands->newest;
}

bool process_errands_are_settled(const ProcessErrands *errands) {
        return errands->n_sent == 0;
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
                if (errand->kind == ERRAND_SPAWN)
                        record_put(writer, errand->started);
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
        if (errand.kind == ERRAND_SPAWN && reader->format >= FORMAT_OF_STARTS)
                errand.started = record_get(reader);
        if (reader->has_failed || !owner)
                return -EBADMSG;
        errand.owner = errands->host->ops->find_owner(errands->host->userdata, owner);
        *ret_errand = errand;
        return 0;
}

/* The owner is told as if the process had just been made. Who it runs as is asked of the process itself. */
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

/*
 * Has it not got to its program? What it was told may be out of date, and nobody is left to hear why it fails: so it is
 * killed, and another one is made. The journal says so first, lest the end of this one is taken for the service's.
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

/* Was the process made, and has it got to its program? What was made last counts, and the journal knows that. */
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
        const Journal *journal = journal_of(errands);
        uint64_t n = record_get(reader);
        int r = 0;

        for (; n > 0 && r == 0; n--) {
                ProcessErrand errand;

                r = read_errand(errands, reader, &errand);
                if (r < 0 || !errand.owner)
                        continue;
                if (errand.kind == ERRAND_SPAWN && has_left(&errand))
                        r = take_over_spawn(&errand, errand.pid, errand.started);
                else if (errand.kind == ERRAND_SPAWN || errand.number > journal_last_sent(journal))
                        r = repeat_errand(&errand);
        }
        return r;
}
