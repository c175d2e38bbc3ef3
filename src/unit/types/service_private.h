/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the files of a service offer each other besides its steps
 *
 * Included by service.h, and private like it.
 */

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
int service_set_restart_timer(Unit *unit);
bool service_is_within_start_limit(Unit *unit);

/* service_pid.c */
int service_load_pid_file(Unit *unit, bool may_warn);           /* 1: another main process, 0: the same, or -errno */
void service_guess_main_pid(Unit *unit);
int service_set_main_pid(Unit *unit, pid_t pid);
int service_check_main_pid(const Unit *unit, pid_t pid);        /* 1: it is ours, 0: can't tell, or -errno */

/* service_notify.c */
void service_notified(Unit *unit, pid_t sender, char *const *assignments);
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
void service_describe_exit(const UnitExit *exit, char *buffer, size_t size);    /* "exited with status 3" */
const char *service_signal_name(int signal);                    /* "TERM"; NULL if it has none */
void service_request_final_action(Unit *unit, ServiceState old);

/* service_record.c */
void service_record(const Unit *unit, RecordWriter *writer);
int service_restore(Unit *unit, RecordReader *reader);

/* service_show.c, service_property.c */
int service_activity(const Unit *unit, char **ret_activity, usec_t *ret_since);
usec_t service_limit_at(const Unit *unit);              /* as UnitVTable.limit */
int service_save(const Unit *unit, Sink *sink);
extern const UnitPropertyTable *const service_properties[];
