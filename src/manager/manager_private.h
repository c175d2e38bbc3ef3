/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the files of the manager share: all its state, as plain data, nothing only on a stack or in a closure
 */

#include <systemd/sd-event.h>

#include "basic/id_map.h"
#include "basic/log.h"
#include "basic/rate_limit.h"
#include "basic/vector.h"
#include "exec/exec.h"
#include "exec/exec_process.h"
#include "manager/manager.h"
#include "manager/manager_owner.h"
#include "manager/manager_record.h"
#include "manager/manager_token.h"
#include "process/outbox.h"

/* What the manager keeps for each unit, by its index. */
typedef struct ManagerUnit {
        ProcessOwner *owner;            /* owned: of its processes and timers; NULL: it has none */
        usec_t told_end_at;             /* the turn of .told_end */
        uint64_t kept_since;            /* when unit_table_withdrawals() was that less 1 .kept_by was found; 0: never */
        struct ManagerGroup *group;     /* owned: its control group in this run; NULL: none */
        uint32_t kept_by;               /* a unit in use that was found to refer to it, over others perhaps */
        uint32_t walk;                  /* the last search for references that came by */
        uint32_t invocation;            /* its key in Manager.by_invocation, or 0 */
        uint32_t told_job;              /* the job that the log has spoken of last … */
        int8_t told_run;                /* … and what it did: a JobType */
        int8_t told_end;                /* the last JobResult that was logged */
        uint8_t n_pins;                 /* see manager_pin.c */
        bool is_candidate : 1;          /* in Manager.candidates */
        bool is_failed : 1;             /* counted in Manager.n_failed */
        bool told_unapplied : 1;        /* that some of its resource settings are without effect */
        bool is_awaiting : 1;           /* its record may say that it recovers with another */
} ManagerUnit;

/* A job that a unit asked for. By name: the unit may be gone by the next turn. */
typedef struct ManagerRequest {
        char *unit;                     /* owned */
        char *reason;                   /* owned */
        JobType type;
        JobMode mode;
        bool reload_if_possible;
} ManagerRequest;

typedef enum ManagerStage {
        MANAGER_INITIALIZING,           /* before the default unit was asked for */
        MANAGER_STARTING,               /* until there is no job for the first time */
        MANAGER_SERVING,
        MANAGER_STOPPING,               /* units are stopped in order */
        MANAGER_TERMINATING,            /* what is left has had its SIGTERM … */
        MANAGER_KILLING,                /* … and SIGKILL */
        MANAGER_GONE,                   /* the loop ends */
} ManagerStage;

/* A name on the message bus, and the unit that follows it. */
typedef struct ManagerName {
        char *name;                     /* owned */
        uint32_t unit;                  /* its index */
} ManagerName;

typedef struct ManagerNames {
        VECTOR(ManagerName) wanted;
        bool is_known;                  /* whether there is a bus layer, and .ops says so */
        const ManagerNameOps *ops;
        void *userdata;                 /* borrowed */
} ManagerNames;

typedef struct ManagerListener {
        const ManagerListenerOps *ops;
        void *userdata;                 /* borrowed */
} ManagerListener;

struct Manager {
        UnitHost host;
        ManagerOptions options;         /* its strings are owned */
        char **exit_on;                 /* owned: of the options */
        char **limitations;             /* owned: what has been said of our surroundings */
        int pidfds_end;                 /* descriptors from this number on are not for processes */
        char **environment;             /* owned: what every process gets: … */
        char **inherited_environment;   /* owned: … this, without what … */
        char **set_environment;         /* owned: … clients have set, and that */
        int log_level;                  /* that a client has set; 0: none has */
        uint32_t open_files_limit;      /* for processes: the one we were started with; 0: as ours */

        sd_event *event;
        UnitFileLoader *loader;
        IdMap diagnostics;              /* hashes of what was said of unit files since they were last reloaded */
        UnitTable *units;
        JobManager *jobs;
        Outbox *outbox;
        State *state;                   /* owned */
        ManagerRecords records;
        ManagerTokens tokens;
        struct CgroupTree *groups;      /* owned; NULL: there are no control groups … */
        bool has_unfiltered_slices;     /* at some time */
        char *no_groups;                /* owned: … and this is why */
        ResourceDefaults resource_defaults;     /* as they were last applied */
        VECTOR(ManagerListener) listeners;
        VECTOR(ManagerUnit) of_units;   /* by index; rest is zero */

        usec_t now, now_realtime;       /* of this turn */
        usec_t started, started_realtime;
        usec_t finished, finished_realtime;     /* the startup; 0: not yet */
        usec_t tell_later_until;        /* until then listeners are told nothing as long as jobs begin and end */
        usec_t answer_until;            /* until then who asks waits for his answer, likewise; 0: nobody waits */
        bool has_news;                  /* something happened that listeners have not been told the end of */

        ProcessHost process_host;
        ProcessTable *processes;        /* owned */
        ProcessTimers *timers;          /* owned */
        ProcessErrands *errands;        /* owned */
        usec_t alarm;                   /* what .timer_source is set to */
        sd_event_source *timer_source, *job_source, *notify_source, *idle_source;

        IdMap by_invocation;            /* Unit, by the first half word of its invocation id */
        sd_event_source *clock_source, *zone_source;
        bool watches_clock;             /* or tries to */
        struct ManagerMounts *mounts;   /* owned; NULL: nobody has asked for a mount yet */
        char *state_directory;          /* owned: what outlives a boot; NULL: not known yet, or there is none */
        bool has_settled;               /* the keeper has done all that he was asked to drop */
        VECTOR(uint32_t) triggered;     /* indexes of units whose triggering ones are to be told */

        ManagerNames names;
        bool was_asked;                 /* for jobs, in this turn */
        VECTOR(ManagerRequest) requests;
        VECTOR(uint32_t) candidates;    /* indexes of units that may be unloaded */
        VECTOR(char *) dropped;         /* owned: units whose files go with the next commit: see manager_transient.c */
        VECTOR(Unit *) held;            /* pinned for clients of the core before us, once for each */
        sd_event_source *held_source;
        uint32_t walk;
        uint32_t n_failed;

        int notify_fd;
        bool peeks;                     /* messages are taken out of it when they are in the state */
        unsigned n_peeked;              /* those that were read and are still in it */
        bool has_heard;                 /* this turn was for the notify socket */
        RateLimit complaints;           /* of datagrams that are no use */
        char *notify_path;              /* owned: value of NOTIFY_SOCKET; NULL if there is none */

        struct ManagerLog *log;         /* owned; NULL: units inherit our output */

        ManagerStage stage;
        VECTOR(Unit *) contract_units;  /* referenced: those of options.exit_on, then in a container the default unit */
        size_t n_exit_units;            /* of the former */
        bool has_contract;              /* these are known */
        bool was_signalled;             /* to end */
        UnitAction action;              /* the first that was asked for, UNIT_ACTION_NONE if none */
        bool is_acting;                 /* on it */
        usec_t keys_since;              /* when Ctrl-Alt-Del was pressed for the first of .n_keys times */
        unsigned n_keys;
        int action_status;
        int exit_status;
        bool wants_reexec;
        usec_t stage_deadline;          /* of the stages of leaving */
        sigset_t old_mask;              /* what was blocked before us */
        bool has_old_mask;
};

#define manager_tell(m, member, ...)                                                     \
        for (size_t i_ = 0; i_ < (m)->listeners.n; i_++)                                 \
                if ((m)->listeners.items[i_].ops->member)                                \
                (m)->listeners.items[i_].ops->member((m)->listeners.items[i_].userdata __VA_OPT__(,) __VA_ARGS__)

void manager_count_failed(Manager *manager, Unit *unit, bool is_failed);
/* Room for one unit's data; valid until the next call. NULL without memory. */
ManagerUnit *manager_of_unit(Manager *manager, const Unit *unit);
void manager_read_clock(Manager *manager);
void manager_arm(sd_event_source *source);      /* a deferred source: once, in the next turn */

extern const UnitHostOps manager_host_ops;
extern const UnitObserverOps manager_observer_ops;

int manager_init_sources(Manager *manager);
int manager_init_signals(Manager *manager);
int manager_init_machine_signals(Manager *manager);
void manager_block_machine_signals(sigset_t *set);      /* adds them */
void manager_renew_job_source(Manager *manager, int64_t priority);      /* not armed */
int manager_build_environment(Manager *manager);
/* What clients have set, in the record of the manager itself. Reading: 0, -EBADMSG or -ENOMEM. */
void manager_write_set(const Manager *manager, RecordWriter *writer);
int manager_read_set(Manager *manager, RecordReader *reader);
void manager_raise_open_files_limit(Manager *manager);

void manager_find_limitations(Manager *manager);
/* A sentence; each is said once. */
void manager_note_limitation(Manager *manager, LogLevel level, const char *format, ...) printf_(3, 4);
void manager_note_no_process(Manager *manager); /* fork has failed with EAGAIN */
int manager_spare_pidfd(Manager *manager, int pidfd);   /* -1, and it is closed, if there are too few for that */

void manager_lower_open_files_limit(Manager *manager);

/* Orphans are found by the invocation id that the unit has now. */
void manager_note_invocation(Manager *manager, Unit *unit);

void manager_run_timers(Manager *manager);
void manager_arm_timers(Manager *manager);

int manager_keep_unit_fd(Manager *manager, const Unit *unit, const char *what, uint32_t index, int fd);
int manager_accept_unit_fd(Manager *manager, const Unit *unit, const char *what, uint32_t index, int listening);
void manager_drop_unit_fd(Manager *manager, const Unit *unit, const char *what, uint32_t index);
void manager_settle_fds(Manager *manager);
int manager_take_unit_fd(Manager *manager, const Unit *unit, const char *what, uint32_t index);

typedef struct ManagerMounts ManagerMounts;

const struct MountEntry *manager_find_mount(Manager *manager, const char *where, bool is_fresh);
void manager_follow_mounts(Manager *manager);
void manager_see_mounts(Manager *manager);      /* as they are now, not as they were told last */
void manager_forget_mounts(Manager *manager);
/* Units that are made of other files: now, and in which folder they are. */
void manager_generate_units(Manager *manager);
int manager_add_generator_folder(const Manager *manager, char ***path);

void manager_watch_clock(Manager *manager);
void manager_forget_clock(Manager *manager);
usec_t manager_booted_at(const Manager *manager);
const char *manager_state_directory(Manager *manager);

void manager_note_triggered(Manager *manager, const Unit *unit);
void manager_tell_triggering(Manager *manager); /* at the end of a turn */
/* A job of @unit was refused: those that trigger it may have asked for it. */
void manager_tell_refused(Manager *manager, Unit *unit, const Failure *failure);
bool manager_has_job(const Manager *manager, const Unit *unit);
void manager_resume_units(Manager *manager);    /* once they are restored, before the loop */

int manager_open_notify(Manager *manager, Failure *ret_failure);
bool manager_read_notify(Manager *manager, unsigned budget);            /* true if there may be more */
void manager_peek_notify(Manager *manager);     /* from here on: what is read stays in the socket until it is committed */
void manager_drop_peeked(Manager *manager);
void manager_rank_notify(Manager *manager);     /* at the end of a turn: when is its source served next? */

int manager_watch_name(Manager *manager, Unit *unit, const char *name);
void manager_forget_name(Manager *manager, const Unit *unit);
void manager_free_names(Manager *manager);
bool manager_is_busy(const Manager *manager, const Unit *unit);
bool manager_will_start(const Manager *manager, const Unit *unit);
bool manager_will_stop(const Manager *manager, const Unit *unit);
bool manager_is_awaited(const Manager *manager, const Unit *unit);

int manager_request_job(Manager *manager, Unit *unit, JobType type, JobMode mode, const char *reason);
void manager_drop_requests(Manager *manager);
void manager_run_jobs(Manager *manager);
void manager_run_asked_jobs(Manager *manager);  /* at the end of a turn */
void manager_arm_jobs(Manager *manager);
void manager_take_job_event(const JobEvent *event, void *userdata);
void manager_log_job(Manager *manager, const JobEvent *event);
void manager_log_diagnostic(void *userdata, const UnitFileDiagnostic *diagnostic);
void manager_forget_diagnostics(Manager *manager);      /* from here on they are news again */

void manager_request_action(Manager *manager, Unit *unit, UnitAction action, int exit_status, const char *reason);
void manager_start_default_unit(Manager *manager);
int manager_take_contract(Manager *manager, char *const *exit_on, const char *default_unit);
void manager_drop_contract(Manager *manager);
void manager_check_contract(Manager *manager);  /* at the end of a turn: has what we are there for ended? */
void manager_watch_targets(Manager *manager, const JobEvent *event);
void manager_act(Manager *manager);             /* on what was requested */
void manager_step_stage(Manager *manager);      /* at the end of a turn */
void manager_unload_candidates(Manager *manager);
/* A job of @handler has ended: those for whose end it is need not stay for that any more. */
void manager_consider_handled(Manager *manager, const Unit *handler);

/* At the end of a unit's record; read before manager_hold_pins() is called, once. 0, -ENOMEM, or the reader has failed. */
void manager_write_pins(Manager *manager, const Unit *unit, RecordWriter *writer);
int manager_read_pins(Manager *manager, Unit *unit, RecordReader *reader);
void manager_hold_pins(Manager *manager);
void manager_drop_pins(Manager *manager);

void manager_forget_unit(Manager *manager, Unit *unit);
