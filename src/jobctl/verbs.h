/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The verbs of jobctl: their table, and the functions that carry them out
 */

#include "jobctl/verb_table.h"

extern const VerbTable verbs;

/* verb_request.c */
int verb_request(Jobctl *ctl, char *const *words);      /* start, stop, … */
int verb_exec(Jobctl *ctl, char *const *words);
int verb_plan(Jobctl *ctl, char *const *words);
int verb_target(Jobctl *ctl, char *const *words);       /* rescue, …: the request in the table */

/* verb_end.c */
int verb_end(Jobctl *ctl, char *const *words);          /* poweroff, … */
int verb_exit(Jobctl *ctl, char *const *words);

/* verb_explain.c */
int verb_why(Jobctl *ctl, char *const *words);
int verb_stats(Jobctl *ctl, char *const *words);

/* verb_job.c */
int verb_jobs(Jobctl *ctl, char *const *words);
int verb_cancel(Jobctl *ctl, char *const *words);
int verb_wait(Jobctl *ctl, char *const *words);

/* verb_care.c */
int verb_clean(Jobctl *ctl, char *const *words);
int verb_freeze(Jobctl *ctl, char *const *words);
int verb_thaw(Jobctl *ctl, char *const *words);

/* verb_run.c */
int verb_run(Jobctl *ctl, char *const *words);

/* verb_monitor.c */
int verb_monitor(Jobctl *ctl, char *const *words);

/* verb_logs.c */
int verb_logs(Jobctl *ctl, char *const *words);

/* verb_list.c */
int verb_list_units(Jobctl *ctl, char *const *words);
int verb_list_unit_files(Jobctl *ctl, char *const *words);
int verb_unit_paths(Jobctl *ctl, char *const *words);

/* verb_list_triggers.c */
int verb_list_timers(Jobctl *ctl, char *const *words);
int verb_list_sockets(Jobctl *ctl, char *const *words);
int verb_list_paths(Jobctl *ctl, char *const *words);
int verb_list_automounts(Jobctl *ctl, char *const *words);

/* verb_manager.c */
int verb_is_system_running(Jobctl *ctl, char *const *words);
int verb_show_environment(Jobctl *ctl, char *const *words);
int verb_set_environment(Jobctl *ctl, char *const *words);
int verb_unset_environment(Jobctl *ctl, char *const *words);
int verb_import_environment(Jobctl *ctl, char *const *words);
int verb_log_level(Jobctl *ctl, char *const *words);

/* verb_dependencies.c */
int verb_list_dependencies(Jobctl *ctl, char *const *words);

/* verb_status.c, verb_show.c */
int verb_status(Jobctl *ctl, char *const *words);
int verb_show(Jobctl *ctl, char *const *words);

/* verb_unit.c */
int verb_kill(Jobctl *ctl, char *const *words);
int verb_cat(Jobctl *ctl, char *const *words);
int verb_is_active(Jobctl *ctl, char *const *words);
int verb_is_failed(Jobctl *ctl, char *const *words);
int verb_is_enabled(Jobctl *ctl, char *const *words);
int verb_reset_failed(Jobctl *ctl, char *const *words);
int verb_daemon_reload(Jobctl *ctl, char *const *words);
int verb_daemon_reexec(Jobctl *ctl, char *const *words);

/* verb_install.c */
int verb_install(Jobctl *ctl, char *const *words);      /* enable, disable, … */
int verb_get_default(Jobctl *ctl, char *const *words);

/* verb_set.c */
int verb_set_property(Jobctl *ctl, char *const *words);

/* verb_times.c, verb_top.c, verb_graph.c */
int verb_blame(Jobctl *ctl, char *const *words);
int verb_critical_chain(Jobctl *ctl, char *const *words);
int verb_top(Jobctl *ctl, char *const *words);
int verb_graph(Jobctl *ctl, char *const *words);

/* stream.c */
int verb_stream(Jobctl *ctl, char *const *words);

/* verb_edit.c */
int verb_edit(Jobctl *ctl, char *const *words);

/* verb_flow.c */
int verb_flow(Jobctl *ctl, char *const *words);         /* flow, batch */

/* verb_verify.c */
int verb_verify(Jobctl *ctl, char *const *words);

/* verb_time_text.c */
int verb_timespan(Jobctl *ctl, char *const *words);
int verb_timestamp(Jobctl *ctl, char *const *words);

/* verb_calendar.c */
int verb_calendar(Jobctl *ctl, char *const *words);

/* verb_help.c */
int verb_help(Jobctl *ctl, char *const *words);
int verb_version(Jobctl *ctl, char *const *words);

/* run.c: @argv without the program's name; returns the exit status of the program. */
int jobctl_run(char *const *argv);
