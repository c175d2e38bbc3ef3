/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The methods of the manager's interface
 */

#include "dbus/object/bus_call.h"

/* — jobs — */

int bus_manager_enqueue(BusCall *call);         /* StartUnit, StopUnit, … */
int bus_manager_enqueue_unit_job(BusCall *call);
int bus_manager_describe_job(const BusCall *call, size_t at, BusDetail *ret_detail);    /* EnqueueUnitJob */
int bus_manager_describe_replacement(const BusCall *call, size_t at, BusDetail *ret_detail);
int bus_manager_describe_exec(const BusCall *call, size_t at, BusDetail *ret_detail);
int bus_manager_get_job(BusCall *call);
int bus_manager_get_job_after(BusCall *call);
int bus_manager_get_job_before(BusCall *call);
int bus_manager_list_jobs(BusCall *call);
int bus_manager_cancel(BusCall *call);
int bus_manager_detach(BusCall *call);
int bus_manager_enqueue_with_flags(BusCall *call);
int bus_manager_enqueue_instead(BusCall *call);
int bus_manager_enqueue_marked(BusCall *call);
int bus_manager_get_unit_by_invocation_id(BusCall *call);
int bus_manager_get_unit_by_control_group(BusCall *call);
int bus_manager_dump(BusCall *call);
int bus_manager_dump_by_patterns(BusCall *call);
int bus_manager_find_dynamic_user(BusCall *call);
int bus_manager_name_dynamic_user(BusCall *call);
int bus_manager_list_dynamic_users(BusCall *call);
int bus_manager_show_status(BusCall *call);
int bus_call_not_supported(BusCall *call);              /* a feature that only systemd has */
int bus_manager_clear_jobs(BusCall *call);
int bus_manager_exec(BusCall *call);
int bus_manager_plan(BusCall *call);
int bus_manager_query(BusCall *call);
int bus_manager_explain(BusCall *call);
int bus_manager_stats(BusCall *call);

/* — units — */

int bus_manager_get_unit(BusCall *call);
int bus_manager_get_unit_by_pid(BusCall *call);
int bus_manager_load_unit(BusCall *call);
int bus_manager_list_units(BusCall *call);
int bus_manager_list_units_filtered(BusCall *call);
int bus_manager_list_units_by_patterns(BusCall *call);
int bus_manager_list_units_by_names(BusCall *call);
int bus_manager_get_unit_processes(BusCall *call);
int bus_manager_kill_unit(BusCall *call);
int bus_manager_clean_unit(BusCall *call);
int bus_manager_freeze_unit(BusCall *call);
int bus_manager_thaw_unit(BusCall *call);
int bus_unit_clean(BusCall *call);                      /* the same as methods of the unit */
int bus_unit_freeze(BusCall *call);
int bus_unit_thaw(BusCall *call);
int bus_manager_reset_failed_unit(BusCall *call);
int bus_manager_reset_failed(BusCall *call);
int bus_manager_ref_unit(BusCall *call);
int bus_manager_unref_unit(BusCall *call);

/* — files, and the manager itself — */

int bus_manager_list_unit_files(BusCall *call);
int bus_manager_list_unit_files_by_patterns(BusCall *call);
int bus_manager_get_unit_file_state(BusCall *call);
int bus_manager_set_environment(BusCall *call);
int bus_manager_unset_environment(BusCall *call);
int bus_manager_unset_and_set_environment(BusCall *call);
int bus_manager_set_log_level(BusCall *call, DBusMessageIter *value);   /* sets LogLevel */
int bus_manager_set_unit_properties(BusCall *call);
int bus_manager_start_transient_unit(BusCall *call);
int bus_manager_attach_processes(BusCall *call);
int bus_unit_attach_processes(BusCall *call);           /* the same as methods of the unit */
int bus_unit_get_processes(BusCall *call);
int bus_manager_abandon_scope(BusCall *call);
int bus_unit_set_properties(BusCall *call);             /* the same as a method of the unit */
int bus_manager_get_default_target(BusCall *call);
int bus_manager_enable_unit_files(BusCall *call);       /* also Reenable, Preset, Mask, Link */
int bus_manager_enable_unit_files_with_flags(BusCall *call);
int bus_manager_disable_unit_files(BusCall *call);      /* also Unmask */
int bus_manager_disable_unit_files_with_flags(BusCall *call);
int bus_manager_preset_unit_files_with_mode(BusCall *call);
int bus_manager_preset_all_unit_files(BusCall *call);
int bus_manager_revert_unit_files(BusCall *call);
int bus_manager_add_dependency_unit_files(BusCall *call);
int bus_manager_set_default_target(BusCall *call);
int bus_manager_get_unit_file_links(BusCall *call);
int bus_manager_reload(BusCall *call);
int bus_manager_reexecute(BusCall *call);
int bus_manager_reload_units(BusCall *call);
int bus_manager_subscribe(BusCall *call);
int bus_manager_unsubscribe(BusCall *call);
int bus_manager_exit(BusCall *call);
int bus_manager_set_exit_code(BusCall *call);
int bus_manager_end(BusCall *call);             /* PowerOff, Reboot, Halt, KExec */

void bus_manager_get_log_level(const BusView *view, uint32_t parameter, Sink *sink);
void bus_manager_get_log_target(const BusView *view, uint32_t parameter, Sink *sink);
int bus_manager_set_log_target(BusCall *call, DBusMessageIter *value);

extern const BusProperty bus_manager_properties[];

/* "Start" or "StartUnit" → "start": the type of job that a method's name stands for. */
const char *bus_manager_type_of_method(const char *method);
