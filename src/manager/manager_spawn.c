/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes and signals on their way out
 *
 * What a unit asks for goes into the outbox as an errand: a plain record of
 * (unit, what). The command itself is asked of the unit when the errand leaves,
 * so that a stop of the same turn still prevents the start. An errand whose
 * unit goes away before is not run.
 *
 * Processes that leave one after the other are on their way to their programs
 * side by side; their units are told in order, before anything else leaves.
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
#include "exec/exec.h"
#include "exec/exec_kill.h"
#include "manager/manager_group.h"
#include "manager/manager_private.h"

typedef enum ErrandKind {
        ERRAND_SPAWN,
        ERRAND_KILL,
        ERRAND_KILL_REST,
        _ERRAND_KIND_MAX,
} ErrandKind;

struct ManagerErrand {
        ErrandKind kind;
        uint64_t number;                /* rises */
        Manager *manager;               /* borrowed */
        Unit *unit;                     /* borrowed; NULL once it is gone */
        UnitPurpose purpose;
        pid_t pid;                      /* to signal; of kill_rest: the main process to spare */
        pid_t control_pid;              /* to spare */
        int pidfd;                      /* owned; of .pid, -1 if there is none */
        int signal;
        bool is_group;
        ManagerErrand *previous, *next; /* of Manager.errands */
};

static void tell_spawned(Manager *manager, Unit *unit, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        manager->has_news = true;
        manager_mark_unit(manager, unit);
        if (unit->vtable->spawned)
                unit->vtable->spawned(unit, purpose, pid, result);
}

/* The process is there, but cannot be followed: it must not live without us knowing. */
static void give_up_process(pid_t pid, int error, ExecResult *result) {
        kill(pid, SIGKILL);
        exec_result_set(result, EXEC_STEP_RESOURCES, error, "cannot follow the process: %s", strerror(-error));
}

static void finish_first_spawn(Manager *manager) {
        ManagerSpawn *first = &manager->spawns[manager->first_spawn];
        Unit *unit = first->unit;
        ExecResult result = {};
        int r, pidfd = -1;
        pid_t pid = 0;

        r = exec_spawn_finish(first->spawn, &pid, &pidfd, &result);
        manager_log_spawned(manager, &first->request);
        if (r >= 0) {
                pidfd = manager_spare_pidfd(manager, pidfd);
                r = manager_add_process(manager, unit, first->purpose, pid, pidfd, first->since);
                if (r < 0)
                        give_up_process(pid, r, &result);
                else
                        manager_find_process(manager, pid)->started = first->started;
        }
        exec_request_deinit(&first->request);
        manager->first_spawn = (manager->first_spawn + 1) % EXEC_SPAWNS_MAX;
        manager->n_spawns--;
        if (r < 0)
                pid = 0;
        tell_spawned(manager, unit, first->purpose, pid, &result);
}

static void finish_spawns(Manager *manager) {
        while (manager->n_spawns > 0)
                finish_first_spawn(manager);
}

/* In their order, so those before it are told first. */
static void tell_not_spawned(const ManagerErrand *errand, const ExecResult *result) {
        finish_spawns(errand->manager);
        tell_spawned(errand->manager, errand->unit, errand->purpose, 0, result);
}

/* Where its pid is written down in the moment in which it is there. If the journal is full there is a commit in between. */
static pid_t *note_of_pid(const ManagerErrand *errand) {
        Manager *manager = errand->manager;
        Journal *journal = state_journal(manager->state);
        pid_t *note;

        if (!journal)
                return NULL;
        note = journal_begin_spawn(journal, errand->number);
        if (note)
                return note;
        finish_spawns(manager);
        manager_commit(manager);
        return journal_begin_spawn(journal, errand->number);
}

static void begin_spawn(ManagerErrand *errand, ExecRequest *request) {
        Manager *manager = errand->manager;
        ExecResult result = {};
        ManagerSpawn *last;

        request->note_pid = note_of_pid(errand);

        if (manager->n_spawns == EXEC_SPAWNS_MAX)
                finish_first_spawn(manager);
        last = &manager->spawns[(manager->first_spawn + manager->n_spawns) % EXEC_SPAWNS_MAX];
        *last = (ManagerSpawn) {
                .unit = errand->unit,
                .purpose = errand->purpose,
                .since = clock_monotonic(),
                .started = clock_boottime(),
                .request = *request,
        };
        *request = (ExecRequest) {};
        if (exec_spawn_begin(&last->request, &last->spawn, &result) >= 0) {
                manager_log_note_pid(manager, &last->request, last->purpose, exec_spawn_pid(last->spawn));
                manager->n_spawns++;
                return;
        }
        if (result.step == EXEC_STEP_RESOURCES && result.error == EAGAIN)
                manager_note_no_process(manager);
        manager_log_spawned(manager, &last->request);
        exec_request_deinit(&last->request);
        tell_not_spawned(errand, &result);
}

static void send_spawn(ManagerErrand *errand) {
        Manager *manager = errand->manager;
        Unit *unit = errand->unit;
        cleanup_(exec_request_deinit) ExecRequest request = {
                .manager_environment = manager->environment,
                .notify_socket = manager->notify_path,
                .is_user_manager = manager->options.is_user,
                .open_files_limit = manager->open_files_limit,
        };
        ExecResult result = {};
        int r;

        if (!unit->vtable->prepare_spawn)
                return;
        if (manager->stage >= MANAGER_KILLING) {
                exec_result_set(&result, EXEC_STEP_RESOURCES, ECANCELED, "the manager ends, and all with it");
                tell_not_spawned(errand, &result);
                return;
        }
        r = unit->vtable->prepare_spawn(unit, errand->purpose, &request);
        if (r == -ECANCELED)
                return;
        if (r < 0) {
                exec_result_set(&result, EXEC_STEP_RESOURCES, r, "cannot prepare the command: %s", strerror(-r));
                tell_not_spawned(errand, &result);
                return;
        }
        r = manager_enter_group(manager, unit, errand->purpose, &request.cgroup, &result);
        if (r < 0) {
                tell_not_spawned(errand, &result);
                return;
        }
        manager_note_invocation(manager, unit);
        manager_log_prepare(manager, unit, &request);
        begin_spawn(errand, &request);
}

static void errand_settle(void *item) {
        const ManagerErrand *errand = item;

        finish_spawns(errand->manager);
}

static void send_kill(ManagerErrand *errand) {
        int r;

        /* Without a pidfd only the table can tell that the number is not another's by now. */
        if (errand->pidfd < 0 && !manager_find_process(errand->manager, errand->pid))
                return;
        r = exec_kill(errand->pid, errand->pidfd, errand->signal, errand->is_group);
        if (r < 0 && r != -ESRCH)
                log_write(LOG_LEVEL_WARNING, errand->unit->id, "Cannot send signal %d to process %d: %s",
                          errand->signal, (int) errand->pid, strerror(-r));
}

static bool is_known_process(void *userdata, pid_t pid) {
        const Manager *manager = userdata;
        const ManagerProcess *process = manager_find_process(manager, pid);

        for (unsigned i = 0; i < manager->n_spawns; i++)
                if (exec_spawn_pid(manager->spawns[(manager->first_spawn + i) % EXEC_SPAWNS_MAX].spawn) == pid)
                        return true;
        return (process && !process->is_reaped) || manager_log_is_daemon(manager, pid);
}

static ExecRest rest_of(Manager *manager, const Unit *unit, pid_t main_pid, pid_t control_pid) {
        usec_t until = USEC_INFINITY;
        pid_t last = unit->vtable->last_main ? unit->vtable->last_main(unit, &until) : 0;

        return (ExecRest) {
                .invocation_id = unit->invocation_id,
                .main_pid = main_pid,
                .control_pid = control_pid,
                .session = last,
                .session_until = until,
                .spares_groups = true,
                .is_known = is_known_process,
                .userdata = manager,
        };
}

void manager_forget_orphans(Manager *manager) {
        manager->knows_orphans = false;
}

/* Where to look, or NULL: it could not be found out. */
static const ExecPids *orphans_of_turn(Manager *manager) {
        if (manager->knows_orphans)
                return &manager->orphans;
        vector_clear(&manager->orphans);
        if (exec_list_orphans(is_known_process, manager, &manager->orphans) < 0)
                return NULL;
        manager->knows_orphans = true;
        return &manager->orphans;
}

/*
 * How many there are. Of a unit all of whose known processes were found ended in this turn all are in the list, since it
 * is made after they were; of another, one may come to us later than that, and is found when those have ended.
 */
static int count_rest(Manager *manager, const Unit *unit, pid_t main_pid, pid_t control_pid) {
        ExecRest rest = rest_of(manager, unit, main_pid, control_pid);
        int r;

        rest.orphans = orphans_of_turn(manager);
        r = exec_kill_rest(&rest, 0);
        if (r != -ESTALE)
                return r;
        manager_forget_orphans(manager);
        rest.orphans = NULL;
        return exec_kill_rest(&rest, 0);
}

static void send_kill_rest(ManagerErrand *errand) {
        const ExecRest rest = rest_of(errand->manager, errand->unit, errand->pid, errand->control_pid);

        if (manager_signal_group(errand->manager, errand->unit, errand->signal, errand->pid, errand->control_pid) == 0)
                return;
        exec_kill_rest(&rest, errand->signal);
}

static void errand_send(void *item) {
        ManagerErrand *errand = item;

        if (!errand->unit)
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
        if (errand->kind != ERRAND_SPAWN && state_journal(errand->manager->state))
                journal_note_sent(state_journal(errand->manager->state), errand->number);
}

static void errand_detach(ManagerErrand *errand) {
        manager_mark_self(errand->manager);
        if (errand->unit) {
                manager_of_unit(errand->manager, errand->unit)->n_errands--;
                manager_consider_unloading(errand->manager, errand->unit);
        }
        errand->unit = NULL;
        if (errand->previous)
                errand->previous->next = errand->next;
        else if (errand->manager->errands == errand)
                errand->manager->errands = errand->next;
        if (errand->next)
                errand->next->previous = errand->previous;
        errand->previous = errand->next = NULL;
}

static void errand_free(void *item) {
        ManagerErrand *errand = item;

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
static int add_errand(const ManagerErrand *wanted) {
        ManagerUnit *of_unit = manager_of_unit(wanted->manager, wanted->unit);
        Manager *manager = wanted->manager;
        ManagerErrand *errand;

        errand = malloc(sizeof(*errand));
        if (!of_unit || !errand) {
                if (wanted->pidfd >= 0)
                        close(wanted->pidfd);
                free(errand);
                return -ENOMEM;
        }
        *errand = *wanted;
        if (errand->number == 0)
                errand->number = state_number_errand(manager->state);
        manager_mark_self(manager);
        errand->next = manager->errands;
        if (errand->next)
                errand->next->previous = errand;
        manager->errands = errand;
        of_unit->n_errands++;
        return outbox_add(manager->outbox, errand->kind == ERRAND_SPAWN ? &spawn_ops : &errand_ops, errand);
}

int manager_add_spawn(Manager *manager, Unit *unit, UnitPurpose purpose) {
        return add_errand(&(ManagerErrand) {
                .kind = ERRAND_SPAWN, .manager = manager, .unit = unit, .purpose = purpose, .pidfd = -1 });
}

/* The errand has a pidfd of its own: the unit may stop following the process before the errand leaves. */
int manager_add_kill(Manager *manager, Unit *unit, pid_t pid, int signal, bool is_group) {
        const ManagerProcess *process = manager_find_process(manager, pid);
        int pidfd = -1;

        if (!process || process->unit != unit)
                return -ESRCH;
        if (process->pidfd >= 0) {
                pidfd = fcntl(process->pidfd, F_DUPFD_CLOEXEC, 3);
                /* Where there is no room the number will do, which is checked when it leaves. */
                if (pidfd < 0 && errno != EMFILE && errno != ENFILE)
                        return -errno;
        }
        return add_errand(&(ManagerErrand) {
                .kind = ERRAND_KILL, .manager = manager, .unit = unit,
                .pid = pid, .pidfd = pidfd, .signal = signal, .is_group = is_group });
}

int manager_kill_rest(Manager *manager, Unit *unit, int signal, pid_t main_pid, pid_t control_pid) {
        int r, n;

        n = manager_count_group(manager, unit, main_pid, control_pid);
        if (n == -ENOENT)
                n = count_rest(manager, unit, main_pid, control_pid);
        if (n <= 0 || signal == 0)
                return n;
        r = add_errand(&(ManagerErrand) {
                .kind = ERRAND_KILL_REST, .manager = manager, .unit = unit, .pidfd = -1,
                .pid = main_pid, .control_pid = control_pid, .signal = signal });
        return r < 0 ? r : n;
}

void manager_forget_errands(Manager *manager, const Unit *unit) {
        ManagerErrand *next;

        assert(manager->n_spawns == 0);

        for (ManagerErrand *errand = manager->errands; errand; errand = next) {
                next = errand->next;
                if (errand->unit == unit)
                        errand_detach(errand);
        }
}

/* — written down, and read again — */

void manager_write_errands(Manager *manager, RecordWriter *writer) {
        const ManagerErrand *oldest = NULL;
        size_t n = 0;

        for (const ManagerErrand *errand = manager->errands; errand; errand = errand->next, n++)
                oldest = errand;
        record_put(writer, n);
        for (const ManagerErrand *errand = oldest; errand; errand = errand->previous) {
                record_put(writer, errand->number);
                record_put(writer, errand->kind);
                record_put_string(writer, errand->unit->id);
                record_put(writer, errand->purpose);
                record_put_signed(writer, errand->pid);
                record_put_signed(writer, errand->control_pid);
                record_put_signed(writer, errand->signal);
                record_put(writer, errand->is_group);
        }
}

static int read_errand(Manager *manager, RecordReader *reader, ManagerErrand *ret_errand) {
        ManagerErrand errand = { .manager = manager, .pidfd = -1, .number = record_get(reader) };
        const char *unit;

        errand.kind = (ErrandKind) record_get_below(reader, _ERRAND_KIND_MAX);
        unit = record_get_string(reader);
        errand.purpose = (UnitPurpose) record_get_below(reader, _UNIT_PURPOSE_MAX);
        errand.pid = (pid_t) record_get_signed(reader);
        errand.control_pid = (pid_t) record_get_signed(reader);
        errand.signal = (int) record_get_signed(reader);
        errand.is_group = record_get_below(reader, 2) != 0;
        if (reader->has_failed || !unit)
                return -EBADMSG;
        errand.unit = unit_table_find(manager->units, unit);
        *ret_errand = errand;
        return 0;
}

/* Its unit is told as if the process had just been made. Who it runs as is asked of the process itself. */
static int take_over_spawn(const ManagerErrand *errand, pid_t pid) {
        ExecResult result = { .pid = pid, .uid = (uid_t) -1, .gid = (gid_t) -1 };
        usec_t started = clock_boottime();
        char path[32];
        struct stat status;
        ExecProcess found;
        int r;

        snprintf(path, sizeof(path), "/proc/%d", (int) pid);
        if (exec_process_read(pid, &found) == 0)
                started = found.start_time * (USEC_PER_SEC / (usec_t) sysconf(_SC_CLK_TCK));
        if (stat(path, &status) == 0 && status.st_uid != getuid()) {
                result.uid = status.st_uid;
                result.gid = status.st_gid;
        }
        r = manager_adopt_process(errand->manager, errand->unit, errand->purpose, pid, started);
        if (r < 0)
                return r;
        manager_note_invocation(errand->manager, errand->unit);
        tell_spawned(errand->manager, errand->unit, errand->purpose, pid, &result);
        return 0;
}

/*
 * A process keeps the number of its errand: as long as nothing can be committed the state goes on saying so, and the
 * journal says under that number that it was made. A signal gets the next one: the last that was sent has to be the highest.
 */
static int repeat_errand(ManagerErrand *errand) {
        Manager *manager = errand->manager;
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
                r = manager_add_kill(manager, errand->unit, errand->pid, errand->signal, errand->is_group);
                break;
        case _ERRAND_KIND_MAX:
                break;
        }
        return r == -ESRCH ? 0 : r;
}

int manager_read_errands(Manager *manager, RecordReader *reader) {
        const Journal *journal = state_journal(manager->state);
        uint64_t n = record_get(reader);
        int r = 0;

        for (; n > 0 && r == 0; n--) {
                ManagerErrand errand;
                pid_t pid;

                r = read_errand(manager, reader, &errand);
                if (r < 0 || !errand.unit)
                        continue;
                pid = errand.kind == ERRAND_SPAWN ? journal_find_spawn(journal, errand.number) : 0;
                if (pid > 0)
                        r = take_over_spawn(&errand, pid);
                else if (errand.kind == ERRAND_SPAWN || errand.number > journal_last_sent(journal))
                        r = repeat_errand(&errand);
        }
        return r;
}
