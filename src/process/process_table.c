/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes whose exits are reported to their owners
 *
 * Every exit comes by process_table_take_exit(). An exit whose pid is not known is
 * kept for a while: a forking daemon may have ended before its PID file was read.
 * The time of the exit tells it from that of an earlier process with the same pid.
 *
 * Children are reaped, many at a time, before the first exit is reported, and what
 * processes wrote to the notify socket is read in between: a service that sends
 * "READY=1" and exits was ready. A process is marked from being reaped until its
 * exit is reported, since its pid may be reused; signals are sent by pidfd anyway.
 *
 * Processes of an earlier core are adopted. A process is the recorded one if it
 * began when the record says. A process that has ended with an unknown status
 * counts as killed.
 */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "basic/id_map.h"
#include "basic/log.h"
#include "basic/macro.h"
#include "basic/vector.h"
#include "exec/exec_process.h"
#include "process/process_table.h"
#include "store/journal.h"

/* Children reaped in one turn. */
#define CHILDREN_A_TURN 128U
#define EXITS_AT_ONCE 128U
#define STRAYS_MAX 256U

/* Limit of the time from the end of a process that the keeper reaps to the keeper's report, which is sent at once. */
#define KEEPER_PATIENCE (2 * USEC_PER_SEC)

/*
 * The format from which on records say when a process began. Before, they had a time shortly before that: the process
 * is the one that is meant if it began at most START_AFTER later.
 */
#define FORMAT_OF_STARTS 6
#define START_AFTER (3 * USEC_PER_SEC)
#define START_BEFORE (20 * USEC_PER_MSEC)

typedef VECTOR(UnitExit) UnitExits;

struct ProcessTable {
        const ProcessHost *host; /* borrowed */
        IdMap by_pid; /* Process, owned through its owner's list */
        UnitExits strays; /* exits of processes that no owner has added yet; the oldest are dropped */
        UnitExits due; /* exits to be reported in the next turn */
        sd_event_source *source; /* owned; deferred */
};

static int on_children(sd_event_source *source, void *userdata);

int process_table_new(ProcessTable **ret_table, const ProcessHost *host) {
        ProcessTable *table = calloc(1, sizeof(*table));
        int r;

        if (!table)
                return -ENOMEM;
        table->host = host;
        r = sd_event_add_defer(host->event, &table->source, on_children, table);
        if (r >= 0)
                r = sd_event_source_set_enabled(table->source, SD_EVENT_OFF);
        if (r >= 0)
                r = sd_event_source_set_priority(table->source, host->exit_priority);
        if (r < 0) {
                process_table_free(table);
                return r;
        }
        *ret_table = table;
        return 0;
}

ProcessTable *process_table_free(ProcessTable *table) {
        if (!table)
                return NULL;
        assert(table->by_pid.n == 0);
        sd_event_source_disable_unref(table->source);
        id_map_deinit(&table->by_pid);
        vector_deinit(&table->strays);
        vector_deinit(&table->due);
        free(table);
        return NULL;
}

Process *process_table_find(const ProcessTable *table, pid_t pid) {
        return pid > 0 ? id_map_get(&table->by_pid, (uint32_t) pid) : NULL;
}

size_t process_table_count(const ProcessTable *table) {
        return table->by_pid.n;
}

static usec_t now(const ProcessTable *table) {
        return table->host->ops->now(table->host->userdata);
}

static void link_process(Process *process, ProcessOwner *owner) {
        process->owner = owner;
        process->previous = NULL;
        process->next = owner->processes;
        if (process->next)
                process->next->previous = process;
        owner->processes = process;
}

static void unlink_process(Process *process) {
        if (process->previous)
                process->previous->next = process->next;
        else
                process->owner->processes = process->next;
        if (process->next)
                process->next->previous = process->previous;
}

/* Removes the process from all tables. */
static void remove_process(ProcessTable *table, Process *process) {
        ProcessOwner *owner = process->owner;

        unlink_process(process);
        id_map_remove(&table->by_pid, (uint32_t) process->pid);
        sd_event_source_disable_unref(process->watch);
        if (process->pidfd >= 0)
                close(process->pidfd);
        free(process);
        process_owner_changed(owner);
        process_owner_released(owner);
}

/* — exits — */

/* Exits are in the record of the queues. */
static void exits_changed(ProcessTable *table) {
        table->host->ops->exits_changed(table->host->userdata);
}

static void keep_stray(ProcessTable *table, const UnitExit *exit) {
        if (table->strays.n >= STRAYS_MAX) {
                table->strays.n -= STRAYS_MAX / 2;
                memmove(table->strays.items, table->strays.items + STRAYS_MAX / 2,
                        table->strays.n * sizeof(*table->strays.items));
        }
        exits_changed(table);
        /* Without memory the exit is dropped, as the oldest ones are. */
        (void) vector_push(&table->strays, *exit);
}

void process_table_take_exit(ProcessTable *table, const UnitExit *exit) {
        Process *process = process_table_find(table, exit->pid);
        ProcessOwner *owner;

        if (!process) {
                keep_stray(table, exit);
                return;
        }
        owner = process->owner;
        remove_process(table, process);
        if (owner->ops->exited)
                owner->ops->exited(owner, exit);
}

static void tell_due_exits(ProcessTable *table) {
        size_t n = table->due.n;

        if (n == 0)
                return;
        for (size_t i = 0; i < n; i++) {
                UnitExit exit = table->due.items[i];

                if (process_table_find(table, exit.pid))
                        process_table_take_exit(table, &exit);
        }
        table->due.n -= n;
        memmove(table->due.items, table->due.items + n, table->due.n * sizeof(*table->due.items));
        exits_changed(table);
}

static unsigned collect_exits(ProcessTable *table, UnitExit exits[static EXITS_AT_ONCE], unsigned max) {
        Journal *journal = table->host->ops->journal(table->host->userdata);
        unsigned n = 0;

        while (n < max) {
                siginfo_t own = {}, *info = NULL;
                Process *process;

                /* waitid(2) writes the exit into the journal, if the journal has room. */
                if (journal)
                        info = journal_next_exit(journal);
                if (!info)
                        info = &own;
                if (waitid(P_ALL, 0, info, WEXITED | WNOHANG) < 0) {
                        if (errno == EINTR)
                                continue;
                        break;
                }
                if (info->si_pid == 0)
                        break;
                exits[n++] = (UnitExit) {
                        .pid = info->si_pid, .code = info->si_code, .status = info->si_status, .time = now(table)
                };
                process = process_table_find(table, info->si_pid);
                if (process)
                        process->is_reaped = true;
        }
        return n;
}

void process_table_take_kept_exits(ProcessTable *table, const UnitExit *exits, size_t n) {
        for (size_t i = 0; i < n; i++) {
                Process *process = process_table_find(table, exits[i].pid);

                if (process && process->is_adopted)
                        process->is_reaped = true;
        }
        table->host->ops->before_exits(table->host->userdata, exits, n);
        for (size_t i = 0; i < n; i++) {
                const Process *process = process_table_find(table, exits[i].pid);

                if (process && !process->is_adopted)
                        keep_stray(table, &exits[i]);
                else
                        process_table_take_exit(table, &exits[i]);
        }
}

bool process_table_reap(ProcessTable *table, unsigned budget) {
        const ProcessHost *host = table->host;
        Journal *journal = host->ops->journal(host->userdata);
        UnitExit exits[EXITS_AT_ONCE];
        unsigned max = MIN(budget, EXITS_AT_ONCE), n;

        if (journal && journal_room_for_exits(journal) < max)
                host->ops->commit(host->userdata);
        n = collect_exits(table, exits, max);
        table->host->ops->before_exits(table->host->userdata, exits, n);
        for (unsigned i = 0; i < n; i++)
                process_table_take_exit(table, &exits[i]);
        return n == max;
}

void process_table_arm(ProcessTable *table) {
        sd_event_source_set_enabled(table->source, SD_EVENT_ONESHOT);
}

void process_table_reap_now(ProcessTable *table) {
        tell_due_exits(table);
        if (process_table_reap(table, CHILDREN_A_TURN))
                process_table_arm(table);
}

static int on_children(sd_event_source *source, void *userdata) {
        process_table_reap_now(userdata);
        return 0;
}

/* Removes the exits of @pid from the strays, and gives the last one that is not older than @since. */
static bool take_stray(ProcessTable *table, pid_t pid, usec_t since, UnitExit *ret_exit) {
        bool is_found = false;
        size_t n = 0;

        for (size_t i = 0; i < table->strays.n; i++) {
                const UnitExit *stray = &table->strays.items[i];

                if (stray->pid != pid) {
                        table->strays.items[n++] = *stray;
                } else if (stray->time >= since) {
                        *ret_exit = *stray;
                        is_found = true;
                }
        }
        if (n < table->strays.n)
                exits_changed(table);
        table->strays.n = n;
        return is_found;
}

const UnitExit *process_table_strays(const ProcessTable *table, size_t *ret_n) {
        *ret_n = table->strays.n;
        return table->strays.items;
}

/* — children — */

static int insert_process(ProcessTable *table, const Process *wanted) {
        ProcessOwner *owner = wanted->owner;
        cleanup_free_ Process *process = NULL;
        int r;

        process = malloc(sizeof(*process));
        if (!process)
                return -ENOMEM;
        r = id_map_put(&table->by_pid, (uint32_t) wanted->pid, process);
        if (r < 0)
                return r;
        *process = *wanted;
        process->table = table;
        link_process(take_ptr(process), owner);
        process_owner_changed(owner);
        return 0;
}

/* As in systemd a unit takes it for a success. */
static void take_unseen_exit(ProcessTable *table, const Process *process) {
        process_table_take_exit(table, &(UnitExit) {
                .pid = process->pid, .code = CLD_EXITED, .time = now(table), .is_unseen = true });
}

int process_table_add(ProcessTable *table, const Process *wanted, usec_t since) {
        const pid_t pid = wanted->pid;
        UnitExit exit;
        int r;

        assert(pid > 0);
        assert(!wanted->previous && !wanted->next && !wanted->watch);

        /* The pid was reused, so the process that had it has ended, with an unknown status. */
        if (process_table_find(table, pid))
                take_unseen_exit(table, process_table_find(table, pid));
        r = vector_reserve(&table->due, 1);
        if (r == 0)
                r = insert_process(table, wanted);
        if (r < 0) {
                if (wanted->pidfd >= 0)
                        close(wanted->pidfd);
                return r;
        }
        if (take_stray(table, pid, since, &exit)) {
                (void) vector_push(&table->due, exit);
                process_table_arm(table);
        }
        return 0;
}

void process_table_hand_over(Process *process, ProcessOwner *owner, UnitPurpose purpose) {
        ProcessOwner *old = process->owner;

        unlink_process(process);
        link_process(process, owner);
        process->purpose = purpose;
        process_owner_changed(old);
        process_owner_changed(owner);
}

void process_table_forget(ProcessTable *table, const ProcessOwner *owner, pid_t pid) {
        Process *process = process_table_find(table, pid);

        if (process && process->owner == owner)
                remove_process(table, process);
}

void process_table_forget_owner(ProcessTable *table, ProcessOwner *owner) {
        while (owner->processes)
                remove_process(table, owner->processes);
}

/* — processes of other programs — */

/* The keeper reports an exit that it reaps, or has reaped. */
static bool may_be_told_by_keeper(const ProcessTable *table, const Process *process) {
        ExecProcess found;

        if (!table->host->keeper->is_again)
                return false;
        return exec_process_read(process->pid, &found) < 0 || found.parent == table->host->keeper->pid;
}

static UnitExit lost_exit(const Process *process) {
        log_write(LOG_LEVEL_WARNING, process->owner->name,
                  "Process %d has ended unseen, and nobody knows how: it counts as killed.",
                  (int) process->pid);
        return (UnitExit) {
                .pid = process->pid, .code = CLD_KILLED, .status = SIGKILL, .time = now(process->table), .is_lost = true
        };
}

/* The keeper has reported nothing: the process was the child of another one, and its status is unknown. */
static int on_no_word(sd_event_source *source, uint64_t usec, void *userdata) {
        const Process *process = userdata;
        ProcessTable *table = process->table;
        ExecProcess found;
        UnitExit exit;

        if (process->is_lost) {
                exit = lost_exit(process);
                process_table_take_exit(table, &exit);
                return 0;
        }
        if (exec_process_read(process->pid, &found) == 0 && found.parent == table->host->keeper->pid)
                return sd_event_source_set_time_relative(source, KEEPER_PATIENCE) < 0
                               ? 0
                               : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
        take_unseen_exit(table, process);
        return 0;
}

/* Waits for the keeper's report, for a limited time. */
static int wait_for_keeper(ProcessTable *table, Process *process) {
        sd_event_source *timer = NULL;
        int r;

        r = sd_event_add_time_relative(table->host->event, &timer, CLOCK_MONOTONIC, KEEPER_PATIENCE, 0, on_no_word,
                                       process);
        if (r < 0)
                return r;
        sd_event_source_disable_unref(process->watch);
        process->watch = timer;
        return sd_event_source_set_priority(timer, table->host->exit_priority);
}

/* A watched process has ended. A child is reaped with all others. */
static int on_watched_exit(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Process *process = userdata;
        ProcessTable *table = process->table;
        siginfo_t info = {};

        if (waitid(P_PID, (id_t) process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
                process_table_arm(table);
                return 0;
        }
        if (may_be_told_by_keeper(table, process) && wait_for_keeper(table, process) >= 0)
                return 0;
        take_unseen_exit(table, process);
        return 0;
}

static int watch_pidfd(const ProcessTable *table, Process *process) {
        int r;

        r = sd_event_add_io(table->host->event, &process->watch, process->pidfd, EPOLLIN, on_watched_exit, process);
        if (r < 0)
                return r;
        sd_event_source_set_enabled(process->watch, SD_EVENT_ONESHOT);
        return sd_event_source_set_priority(process->watch, table->host->exit_priority);
}

/* The process has ended: if it was a child, its exit is among the strays. */
static int watch_ended(ProcessTable *table, ProcessOwner *owner, UnitPurpose purpose, pid_t pid) {
        for (size_t i = 0; i < table->strays.n; i++)
                if (table->strays.items[i].pid == pid)
                        return process_table_add(
                                table, &(Process) { .pid = pid, .pidfd = -1, .owner = owner, .purpose = purpose }, 0);
        return -ESRCH;
}

int process_table_watch(ProcessTable *table, ProcessOwner *owner, UnitPurpose purpose, pid_t pid) {
        Process *process = process_table_find(table, pid);
        ExecProcess found;
        int r, pidfd;

        if (process) {
                if (process->owner != owner)
                        return -EEXIST;
                process->purpose = purpose;
                return 0;
        }
        if (pid <= 1 || pid == getpid() || pid == table->host->keeper->pid)
                return -EINVAL;

        pidfd = (int) syscall(SYS_pidfd_open, pid, 0);
        if (pidfd < 0)
                return errno == ESRCH ? watch_ended(table, owner, purpose, pid) : -errno;
        r = process_table_add(table, &(Process) { .pid = pid, .pidfd = pidfd, .owner = owner, .purpose = purpose },
                              USEC_INFINITY);
        if (r < 0)
                return r;
        process = process_table_find(table, pid);
        if (exec_process_read(pid, &found) == 0) {
                process->is_adopted = found.parent != getpid();
                process->started = exec_process_start(&found);
        }
        r = watch_pidfd(table, process);
        if (r < 0)
                remove_process(table, process);
        return r;
}

/* — processes of an earlier core — */

static bool find_it(pid_t pid, usec_t started, ExecProcess *ret_found) {
        return exec_process_read(pid, ret_found) == 0 && exec_process_start(ret_found) == started;
}

/* Converts the time in a record of an earlier format to the start of the process; 0 if there is no such process. */
static usec_t find_start(pid_t pid, usec_t shortly_before) {
        ExecProcess found;
        usec_t began;

        if (exec_process_read(pid, &found) < 0)
                return 0;
        began = exec_process_start(&found);
        return began + START_BEFORE > shortly_before && began < usec_add(shortly_before, START_AFTER) ? began : 0;
}

/* Watches the pidfd of a process unless this program or the keeper is its parent: these reap it. */
int process_table_adopt(ProcessTable *table, ProcessOwner *owner, UnitPurpose purpose, pid_t pid, usec_t started) {
        ExecProcess found = {};
        bool is_there = find_it(pid, started, &found);
        int pidfd = is_there ? (int) syscall(SYS_pidfd_open, pid, 0) : -1, r;

        r = process_table_add(table,
                              &(Process) { .pid = pid,
                                          .pidfd = pidfd,
                                          .owner = owner,
                                          .purpose = purpose,
                                          .started = started,
                                          .is_adopted = !is_there || found.parent != getpid() },
                              USEC_INFINITY);
        if (r < 0)
                return r;
        if (!is_there || pidfd < 0 || found.parent == getpid() || found.parent == table->host->keeper->pid)
                return 0;
        return watch_pidfd(table, process_table_find(table, pid));
}

/* The keeper may have reaped the process after its list of exits was read: then its report is about to come. */
static int tell_lost(ProcessTable *table, Process *process) {
        const ProcessHost *host = table->host;

        if (process_keeper_has_exit(host->keeper, process->pid))
                return 0;
        process->is_lost = true;
        if (host->keeper->pid > 0)
                return wait_for_keeper(table, process);
        exits_changed(table);
        return vector_push(&table->due, lost_exit(process));
}

int process_table_tell_lost(ProcessTable *table, ProcessOwner *owner) {
        int r = 0;

        for (Process *process = owner->processes; process && r == 0; process = process->next) {
                ExecProcess found;

                if (!process->is_reaped && !find_it(process->pid, process->started, &found))
                        r = tell_lost(table, process);
        }
        return r;
}

/* — records — */

void process_table_write(const ProcessOwner *owner, RecordWriter *writer) {
        size_t n = 0;

        for (const Process *process = owner ? owner->processes : NULL; process; process = process->next)
                n++;
        record_put(writer, n);
        for (const Process *process = owner ? owner->processes : NULL; process; process = process->next) {
                record_put(writer, (uint64_t) process->pid);
                record_put(writer, process->purpose);
                record_put(writer, process->started);
        }
}

typedef struct ProcessRecord {
        pid_t pid;
        UnitPurpose purpose;
        usec_t started;
} ProcessRecord;

static ProcessRecord read_record(RecordReader *reader) {
        ProcessRecord record = { .pid = (pid_t) record_get_below(reader, INT32_MAX) };

        record.purpose = (UnitPurpose) record_get_below(reader, _UNIT_PURPOSE_MAX);
        record.started = record_get(reader);
        if (!reader->has_failed && reader->format < FORMAT_OF_STARTS)
                record.started = find_start(record.pid, record.started);
        return record;
}

int process_table_read(ProcessTable *table, ProcessOwner *owner, RecordReader *reader, unsigned *n_read) {
        uint64_t n = record_get(reader);
        int r = 0;

        for (; n > 0 && !reader->has_failed && r == 0; n--) {
                const ProcessRecord record = read_record(reader);

                if (reader->has_failed || record.pid <= 1 || !owner)
                        continue;
                r = process_table_adopt(table, owner, record.purpose, record.pid, record.started);
                ++*n_read;
        }
        return r;
}

bool process_table_look(RecordReader *reader) {
        bool lives = false;

        for (uint64_t n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                const ProcessRecord record = read_record(reader);
                ExecProcess found;

                lives = lives || (!reader->has_failed && find_it(record.pid, record.started, &found));
        }
        return lives;
}

bool process_table_has_exits(const ProcessTable *table) {
        return table->due.n + table->strays.n > 0;
}

/* A lost exit is left out: the next core finds the process gone, and nobody who knows more. */
static void write_exits(const UnitExits *exits, RecordWriter *writer) {
        uint64_t n = 0;

        for (size_t i = 0; i < exits->n; i++)
                n += !exits->items[i].is_lost;
        record_put(writer, n);
        for (size_t i = 0; i < exits->n; i++) {
                const UnitExit *exit = &exits->items[i];

                if (exit->is_lost)
                        continue;
                record_put_signed(writer, exit->pid);
                record_put_signed(writer, exit->code);
                record_put_signed(writer, exit->status);
                record_put(writer, exit->time);
        }
}

void process_table_write_exits(const ProcessTable *table, RecordWriter *writer) {
        write_exits(&table->due, writer);
        write_exits(&table->strays, writer);
}

static int read_exits(RecordReader *reader, UnitExits *exits) {
        uint64_t n = record_get(reader);

        for (; n > 0 && !reader->has_failed; n--) {
                UnitExit exit = { .pid = (pid_t) record_get_signed(reader) };

                exit.code = (int) record_get_signed(reader);
                exit.status = (int) record_get_signed(reader);
                exit.time = record_get(reader);
                if (vector_push(exits, exit) < 0)
                        return -ENOMEM;
        }
        return reader->has_failed ? -EBADMSG : 0;
}

int process_table_read_exits(ProcessTable *table, RecordReader *reader) {
        int r = read_exits(reader, &table->due);

        return r < 0 ? r : read_exits(reader, &table->strays);
}

int process_table_read_journal(ProcessTable *table) {
        const Journal *journal = table->host->ops->journal(table->host->userdata);

        for (size_t i = 0; journal_exit_at(journal, i); i++) {
                const siginfo_t *info = journal_exit_at(journal, i);
                Process *process = process_table_find(table, info->si_pid);
                UnitExit exit = {
                        .pid = info->si_pid,
                        .code = info->si_code,
                        .status = info->si_status,
                        .time = now(table),
                };

                /* An owner may ask for it later, as if it had just been reaped. */
                if (!process) {
                        process_table_take_exit(table, &exit);
                        continue;
                }
                process->is_reaped = true;
                if (vector_push(&table->due, exit) < 0)
                        return -ENOMEM;
        }
        return 0;
}
