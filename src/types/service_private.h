/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the files of a service offer each other besides its steps
 *
 * Included by service.h, and private like it.
 */

#include "basic/text.h"

/* service_extra.c */
const ServiceExtra *service_extra(const Unit *unit);            /* never NULL: an empty one */
ServiceExtra *service_own_extra(Unit *unit);                    /* to be changed; NULL without memory, which is said */
void service_reset_extra(Service *service);                     /* for another start */
ServiceExtra *service_extra_free(ServiceExtra *extra);
void service_put_extra(RecordWriter *writer, const ServiceExtra *extra);
int service_get_extra(RecordReader *reader, ServiceExtra **ret_extra);

/* service_probe.c */
bool service_awaits_probe(Unit *unit);          /* up but for its readiness probe, which goes on from here? */
bool service_is_probing(const Unit *unit, ServiceProbeKind kind);
void service_begin_liveness(Unit *unit);
void service_stop_probe(Unit *unit, ServiceState state);        /* if it has no meaning in @state */
void service_probe_elapsed(Unit *unit);
void service_probe_spawned(Unit *unit, pid_t pid, const ExecResult *result);
void service_probe_ended(Unit *unit, const UnitExit *exit);
void service_describe_probe(const Unit *unit, ServiceProbeKind kind, Text *text);

/* service_wait.c: what a start waits for besides its processes */
bool service_has_to_wait(Unit *unit);           /* Type=idle */
void service_idle_elapsed(Unit *unit);
int service_watch_name(Unit *unit);             /* Type=dbus: 0 or -errno, which is said */
void service_name_owned(Unit *unit, bool is_owned, pid_t pid);
void service_resume(Unit *unit);
void service_stop_waiting(Unit *unit, ServiceState state);

/* service_channel.c: NotifyFd= */
int service_open_channel(Unit *unit, ExecRequest *request);
void service_close_channel(Unit *unit);
void service_fd_ready(Unit *unit, uint32_t index, uint32_t events);
void service_resume_channel(Unit *unit);

/* service_fds.c: descriptors that it has given us */
int service_give_fds(const Unit *unit, ExecRequest *request);
int service_give_files(const Unit *unit, ExecRequest *request);  /* OpenFile= */
void service_fd_hung_up(Unit *unit, uint32_t watched_as);
void service_free_fds(ServiceExtra *extra);
void service_put_fds(RecordWriter *writer, const ServiceExtra *extra);
void service_get_fds(RecordReader *reader, ServiceExtra *extra);
void service_resume_fds(Unit *unit);
void service_passed_fds(Unit *unit, pid_t sender, char *const *assignments, int *fds, size_t n);
void service_remove_fds(Unit *unit, char *const *assignments);
void service_release_fds(Unit *unit, bool will_restart);
const char *service_find_assignment(char *const *assignments, const char *name);
bool service_may_notify(const Unit *unit, pid_t sender);

/* service_streams.c: standard streams that a client has given */
int service_give_streams(Unit *unit, const int fds[static UNIT_STREAMS], Failure *ret_failure);
void service_close_streams(Unit *unit);
int service_fill_streams(const Unit *unit, ExecRequest *request);         /* 0, or -EBADF if one is lost */
void service_resume_streams(Unit *unit);

/* service_clean.c */
unsigned service_can_clean(const Unit *unit);
int service_clean(Unit *unit, unsigned kinds, Failure *ret_failure);
int service_prepare_clean(const Unit *unit, ExecRequest *request);
void service_clean_spawned(Unit *unit, pid_t pid, const ExecResult *result);
void service_clean_ended(Unit *unit, const UnitExit *exit);
void service_stop_cleaning(Unit *unit, ServiceResult result);
void service_clean_timed_out(Unit *unit);

/* service_restart.c */
usec_t service_restart_pause(const Unit *unit);         /* without what is random in it */
int service_set_restart_timer(Unit *unit);
void service_restart_elapsed(Unit *unit);
void service_begin_health(Unit *unit);
void service_healthy_elapsed(Unit *unit);
bool service_will_start(const Unit *unit);              /* by a job */
usec_t service_random_usec(usec_t most);
bool service_is_within_reload_limit(Unit *unit);

/* service_exit.c */
void service_child_exited(Unit *unit, const UnitExit *exit);
void service_main_ended(Unit *unit, const UnitExit *exit);
void service_control_ended(Unit *unit, const UnitExit *exit);
void service_process_lost(Unit *unit, UnitPurpose purpose);     /* it could not even be made */

/* service_kill.c */
int service_signal_all(Unit *unit, ServiceState state);         /* how many there are to wait for */
int service_kill(Unit *unit, const char *who, int signal, Failure *ret_failure);
int service_count_rest(Unit *unit);
void service_kill_control(Unit *unit);
int service_stop_signal(const Unit *unit, ServiceState state);

/* service_group.c: its control group */
void service_group(const Unit *unit, UnitGroup *ret_group);
void service_group_emptied(Unit *unit);
void service_group_out_of_memory(Unit *unit);
bool service_ran_out_of_memory(const Unit *unit, const UnitExit *exit);

/* service_limit.c: timers */
int service_set_timer(Unit *unit, UnitPurpose purpose, usec_t deadline);          /* USEC_INFINITY: clears it */
int service_set_limit(Unit *unit, usec_t span);                 /* of the present step; USEC_INFINITY: none */
usec_t service_limit(const Unit *unit, ServiceExec kind);
usec_t service_stop_limit(const Unit *unit, ServiceState state);
void service_clear_timers(Unit *unit, ServiceState state);      /* those that have no meaning in @state */
void service_timer_elapsed(Unit *unit, UnitPurpose purpose);
void service_extend_limits(Unit *unit, usec_t span);
void service_reset_watchdog(Unit *unit);
void service_start_runtime_limit(Unit *unit);
void service_poll(Unit *unit, usec_t delay);
void service_look_again(Unit *unit);            /* has what is polled for come? */
bool service_is_within_start_limit(Unit *unit);

/* service_pid.c */
int service_load_pid_file(Unit *unit, bool may_warn);           /* 1: another main process, 0: the same, or -errno */
void service_guess_main_pid(Unit *unit);
int service_set_main_pid(Unit *unit, pid_t pid);
int service_check_main_pid(const Unit *unit, pid_t pid);        /* 1: it is ours, 0: can't tell, or -errno */

/* service_notify.c */
bool service_is_notify(const Unit *unit);       /* is it up when it says so? */
void service_become_ready(Unit *unit);
bool service_awaits_reload(const Unit *unit);   /* until it says that it has reloaded */
void service_notified(Unit *unit, pid_t sender, char *const *assignments);
/* Of what a process has sent: a warning, if there were not too many of them lately. */
void service_complain(Unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));
ServiceNotifyAccess service_notify_access(const Unit *unit);

/* service_found.c */
int service_found(Unit *unit, uid_t owner);     /* as UnitVTable.found */

/* service_result.c */
ServiceResult service_result_of_exit(const Unit *unit, const UnitExit *exit);
bool service_shall_restart(const Unit *unit);
int service_exit_status(const Unit *unit);      /* as UnitVTable.exit_status */
void service_note_result(Unit *unit, ServiceResult result);     /* the first failure counts */
void service_note_failure(Unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A reload that fails leaves the service as it was, so it is no failure of the service. */
void service_note_reload_failure(Unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define service_note_command_failure(unit, kind, ...)                            \
        ((kind) == SERVICE_EXEC_RELOAD ? service_note_reload_failure(unit, __VA_ARGS__)  \
                                       : service_note_failure(unit, __VA_ARGS__))
void service_log(Unit *unit, int level, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *service_signal_name(int signal);                    /* "TERM"; NULL if it has none */
void service_request_final_action(Unit *unit, ServiceState old);

/* service_record.c */
void service_put_process(RecordWriter *writer, const ServiceProcess *process);
ServiceProcess service_get_process(RecordReader *reader);
void service_record(const Unit *unit, RecordWriter *writer);
int service_restore(Unit *unit, RecordReader *reader);

/* service_show.c, service_property.c */
int service_activity(const Unit *unit, char **ret_activity, usec_t *ret_since);
usec_t service_limit_at(const Unit *unit);              /* as UnitVTable.limit */
int service_save(const Unit *unit, Sink *sink);
extern const UnitPropertyTable *const service_properties[];
