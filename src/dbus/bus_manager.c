/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface
 *
 * A method with a counterpart in systemd has the name and signature of that;
 * the last group has none.
 */

#include "dbus/bus_manager.h"
#include "dbus/bus_interfaces.h"
#include "dbus/bus_run.h"

/* The objects that methods name by their first argument; a unit is loaded. */
static bool find_unit(const BusCall *call, BusObject *ret_subject) {
        DBusMessageIter arguments = call->arguments;
        const char *name;

        dbus_message_iter_get_basic(&arguments, &name);
        *ret_subject = (BusObject) { .kind = &bus_unit_kind };
        return bus_call_reach_unit(call, name, &ret_subject->unit) >= 0;
}

static bool find_job(const BusCall *call, BusObject *ret_subject) {
        DBusMessageIter arguments = call->arguments;
        JobInfo job;
        uint32_t id;

        dbus_message_iter_get_basic(&arguments, &id);
        if (!job_manager_find(manager_jobs(call->tree->manager), id, &job))
                return false;
        *ret_subject = (BusObject) { .kind = &bus_job_kind, .job = job, .id = id, .unit = job.unit };
        return true;
}

static const BusMethod methods[] = {
        { "StartUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Starts a unit. JobRemoved announces the end of the job.", find_unit, .word = "start" },
        { "StopUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue, "Stops a unit.", find_unit,
          .word = "stop" },
        { "ReloadUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Reloads the configuration of a unit.", find_unit, .word = "reload" },
        { "RestartUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Stops a unit, if it runs, and starts it.", find_unit, .word = "restart" },
        { "TryRestartUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Restarts a unit if it runs, else does nothing.", find_unit, .word = "try-restart" },
        { "ReloadOrRestartUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Reloads a unit if it supports that, else restarts it.", find_unit, .word = "reload-or-restart" },
        { "ReloadOrTryRestartUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Reloads a unit if it supports that, else restarts it if it runs.", find_unit,
          .word = "reload-or-try-restart" },
        { "EnqueueUnitJob", "sss", "unit type mode", "uososa(uosos)", "id job unit unit_path type affected_jobs",
          BUS_VERB_ENQUEUE, bus_manager_enqueue_unit_job,
          "Requests a job of any type, and answers with all jobs of its transaction.", find_unit,
          .describe = bus_manager_describe_job },
        { "StartUnitWithFlags", "sst", "unit mode flags", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue_with_flags,
          "As StartUnit; the flags must be 0.", find_unit, .word = "start" },
        { "StartUnitReplace", "sss", "old_unit unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue_instead,
          "As StartUnit, if a start of the old unit is queued.", .describe = bus_manager_describe_replacement },
        { "GetUnitByInvocationID", "ay", "id", "o", "path", BUS_VERB_READ, bus_manager_get_unit_by_invocation_id,
          "The path of the unit whose last start has that id, 16 bytes; without bytes the unit of the caller." },
        { "GetUnitByControlGroup", "s", "group", "o", "path", BUS_VERB_READ, bus_manager_get_unit_by_control_group,
          "The path of the unit that a control group, or one above it, belongs to." },
        { "Dump", "", NULL, "s", "text", BUS_VERB_READ, bus_manager_dump,
          "The state of the manager and of all units, for people; its form may change." },
        { "DumpUnitsMatchingPatterns", "as", "patterns", "s", "text", BUS_VERB_READ, bus_manager_dump_by_patterns,
          "The same of units whose name matches one of the patterns." },
        { "GetUnit", "s", "unit", "o", "path", BUS_VERB_READ, bus_manager_get_unit, "The path of a loaded unit." },
        { "GetUnitByPID", "u", "pid", "o", "path", BUS_VERB_READ, bus_manager_get_unit_by_pid,
          "The path of the unit that a process belongs to; 0 is the caller." },
        { "LoadUnit", "s", "unit", "o", "path", BUS_VERB_READ, bus_manager_load_unit,
          "The path of a unit, which is loaded first if necessary." },
        { "ListUnits", "", NULL, "a(ssssssouso)", "units", BUS_VERB_READ, bus_manager_list_units,
          "All loaded units: name, description, load state, active state, sub-state, followed unit, path, job id, "
          "job type, job path." },
        { "ListUnitsFiltered", "as", "states", "a(ssssssouso)", "units", BUS_VERB_READ, bus_manager_list_units_filtered,
          "Loaded units in one of the states (load, active or sub-state)." },
        { "ListUnitsByPatterns", "asas", "states patterns", "a(ssssssouso)", "units", BUS_VERB_READ,
          bus_manager_list_units_by_patterns,
          "Loaded units in one of the states whose name matches one of the patterns; an empty list matches all." },
        { "ListUnitsByNames", "as", "names", "a(ssssssouso)", "units", BUS_VERB_READ, bus_manager_list_units_by_names,
          "Units with these names, which are loaded first if necessary." },
        { "GetUnitProcesses", "s", "unit", "a(sus)", "processes", BUS_VERB_READ, bus_manager_get_unit_processes,
          "The processes of a unit: control group, pid, name. The name is not the command line: to read that may "
          "block." },
        { "KillUnit", "ssi", "unit whom signal", "", NULL, BUS_VERB_KILL, bus_manager_kill_unit,
          "Sends a signal to the \"main\" process, the \"control\" process or \"all\" processes of a unit.", find_unit,
          .word = "kill" },
        { "CleanUnit", "sas", "unit what", "", NULL, BUS_VERB_RESET, bus_manager_clean_unit,
          "Removes directories of a unit that is inactive: \"runtime\", \"state\", \"cache\", \"logs\", "
          "\"configuration\", \"all\". The unit is in maintenance until they are removed.",
          find_unit, .word = "clean" },
        { "FreezeUnit", "s", "unit", "", NULL, BUS_VERB_KILL, bus_manager_freeze_unit,
          "Freezes all processes of an active unit; FreezerState becomes \"frozen\" when they stand still.", find_unit,
          .word = "freeze" },
        { "ThawUnit", "s", "unit", "", NULL, BUS_VERB_KILL, bus_manager_thaw_unit,
          "Lets the processes of a frozen unit continue.", find_unit, .word = "thaw" },
        { "SetUnitProperties", "sba(sv)", "unit runtime properties", "", NULL, BUS_VERB_SET,
          bus_manager_set_unit_properties,
          "Changes settings of the control group of a unit, and its description, by a drop-in, which is verified "
          "first, and reads the files of the unit again. Values have the type of the property, or are strings as in a "
          "unit file.",
          find_unit, .word = "set-property" },
        { "StartTransientUnit", "ssa(sv)a(sa(sv))", "name mode properties aux", "o", "job", BUS_VERB_SET,
          bus_manager_start_transient_unit,
          "Makes a unit of properties, and auxiliary ones, and starts it. The units exist as long as they are loaded. "
          "Values have the type of the property, or are strings as in a unit file. Further properties: AddRef b: the "
          "caller holds a reference; RequestToken s: a call that is repeated with the same token, after a lost "
          "reply, is "
          "answered with the job of the first; of a scope PIDs au (0 is the caller) and Controller s; of a service "
          "StandardInputFileDescriptor h, StandardOutputFileDescriptor h and StandardErrorFileDescriptor h." },
        { "AttachProcessesToUnit", "ssau", "unit subgroup pids", "", NULL, BUS_VERB_CONTROL,
          bus_manager_attach_processes,
          "Moves processes into the control group of an active unit: root may move any, other users their own. The "
          "subgroup must be empty.",
          find_unit },
        { "AbandonScope", "s", "unit", "", NULL, BUS_VERB_KILL, bus_manager_abandon_scope, "As Scope.Abandon.",
          find_unit },
        { "ResetFailedUnit", "s", "unit", "", NULL, BUS_VERB_RESET, bus_manager_reset_failed_unit,
          "Makes a failed unit inactive, and resets the count of its start limit.", find_unit, .word = "reset-failed" },
        { "ResetFailed", "", NULL, "", NULL, BUS_VERB_RESET, bus_manager_reset_failed,
          "ResetFailedUnit for all units." },
        { "RefUnit", "s", "unit", "", NULL, BUS_VERB_PIN, bus_manager_ref_unit,
          "Adds a reference: the unit stays loaded as long as the caller is connected.", find_unit, .word = "ref" },
        { "UnrefUnit", "s", "unit", "", NULL, BUS_VERB_READ, bus_manager_unref_unit, "Drops a reference.", find_unit },
        { "ListJobs", "", NULL, "a(usssoo)", "jobs", BUS_VERB_READ, bus_manager_list_jobs,
          "All jobs: id, unit, type, state, path, path of the unit." },
        { "GetJob", "u", "id", "o", "job", BUS_VERB_READ, bus_manager_get_job, "The path of a job." },
        { "GetJobAfter", "u", "id", "a(usssoo)", "jobs", BUS_VERB_READ, bus_manager_get_job_after,
          "The jobs that wait for this one." },
        { "GetJobBefore", "u", "id", "a(usssoo)", "jobs", BUS_VERB_READ, bus_manager_get_job_before,
          "The jobs that this one waits for." },
        { "CancelJob", "u", "id", "", NULL, BUS_VERB_CANCEL, bus_manager_cancel,
          "Cancels a job that has not begun. As org.jobd1: a running one is refused. As org.freedesktop.systemd1: as "
          "Detach.",
          find_job, .word = "cancel" },
        { "ClearJobs", "", NULL, "", NULL, BUS_VERB_CANCEL, bus_manager_clear_jobs,
          "Cancels all jobs that have not begun; as org.freedesktop.systemd1, running ones, too." },
        { "ListUnitFiles", "", NULL, "a(ss)", "files", BUS_VERB_READ, bus_manager_list_unit_files,
          "All unit files: path and state." },
        { "ListUnitFilesByPatterns", "asas", "states patterns", "a(ss)", "files", BUS_VERB_READ,
          bus_manager_list_unit_files_by_patterns, "Unit files in one of the states whose name matches a pattern." },
        { "GetUnitFileState", "s", "name", "s", "state", BUS_VERB_READ, bus_manager_get_unit_file_state,
          "The state of a unit file: enabled, disabled, static, masked, …" },
        { "GetUnitFileLinks", "sb", "name runtime", "as", "links", BUS_VERB_READ, bus_manager_get_unit_file_links,
          "The links that disabling the unit would remove." },
        { "EnableUnitFiles", "asbb", "files runtime force", "ba(sss)", "carries_install_info changes", BUS_VERB_INSTALL,
          bus_manager_enable_unit_files,
          "Makes the links of [Install], in the first folder of the search path or, until the next boot, below /run. "
          "Files are names, or absolute paths, which are linked first. Changes: kind (\"symlink\", \"unlink\"), path, "
          "target. Loaded units change with the next Reload." },
        { "EnableUnitFilesWithFlags", "ast", "files flags", "ba(sss)", "carries_install_info changes", BUS_VERB_INSTALL,
          bus_manager_enable_unit_files_with_flags, "EnableUnitFiles with flags: 1 runtime, 2 force." },
        { "DisableUnitFiles", "asb", "files runtime", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_disable_unit_files, "Removes all links to units, also those that were made by hand." },
        { "DisableUnitFilesWithFlags", "ast", "files flags", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_disable_unit_files_with_flags, "DisableUnitFiles with flags: 1 runtime." },
        { "DisableUnitFilesWithFlagsAndInstallInfo", "ast", "files flags", "ba(sss)", "carries_install_info changes",
          BUS_VERB_INSTALL, bus_manager_disable_unit_files_with_flags,
          "DisableUnitFilesWithFlags, and whether a file has an [Install] section." },
        { "ReenableUnitFiles", "asbb", "files runtime force", "ba(sss)", "carries_install_info changes",
          BUS_VERB_INSTALL, bus_manager_enable_unit_files, "Disables units and enables them again." },
        { "LinkUnitFiles", "asbb", "files runtime force", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_enable_unit_files, "Links unit files that lie outside the search path into it." },
        { "PresetUnitFiles", "asbb", "files runtime force", "ba(sss)", "carries_install_info changes", BUS_VERB_INSTALL,
          bus_manager_enable_unit_files, "Enables or disables units by the presets." },
        { "PresetUnitFilesWithMode", "assbb", "files mode runtime force", "ba(sss)", "carries_install_info changes",
          BUS_VERB_INSTALL, bus_manager_preset_unit_files_with_mode,
          "PresetUnitFiles with a mode: \"full\" (or empty), \"enable-only\", \"disable-only\"." },
        { "PresetAllUnitFiles", "sbb", "mode runtime force", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_preset_all_unit_files, "PresetUnitFilesWithMode for all unit files that can be enabled." },
        { "MaskUnitFiles", "asbb", "files runtime force", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_enable_unit_files, "Links units to /dev/null, so that they cannot be started." },
        { "UnmaskUnitFiles", "asb", "files runtime", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_disable_unit_files, "Removes the links to /dev/null." },
        { "RevertUnitFiles", "as", "files", "a(sss)", "changes", BUS_VERB_INSTALL, bus_manager_revert_unit_files,
          "Removes drop-ins of the administrator, and files that replace those of a package." },
        { "AddDependencyUnitFiles", "asssbb", "files target type runtime force", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_add_dependency_unit_files,
          "Makes the target want or require the units; type: \"Wants\", \"Requires\"." },
        { "SetDefaultTarget", "sb", "name force", "a(sss)", "changes", BUS_VERB_INSTALL, bus_manager_set_default_target,
          "Links default.target to this unit." },
        { "GetDefaultTarget", "", NULL, "s", "name", BUS_VERB_READ, bus_manager_get_default_target,
          "The unit that is started at the beginning." },
        { "SetEnvironment", "as", "assignments", "", NULL, BUS_VERB_ENVIRONMENT, bus_manager_set_environment,
          "Sets environment variables, \"NAME=value\", of all processes that are started from now on." },
        { "UnsetEnvironment", "as", "names", "", NULL, BUS_VERB_ENVIRONMENT, bus_manager_unset_environment,
          "Unsets them by name, or by an equal assignment. Variables of the manager's own environment stay." },
        { "UnsetAndSetEnvironment", "asas", "names assignments", "", NULL, BUS_VERB_ENVIRONMENT,
          bus_manager_unset_and_set_environment, "Unsets and sets variables in one change." },
        { "Reload", "", NULL, "", NULL, BUS_VERB_RELOAD, bus_manager_reload,
          "Reads unit files that have changed. As org.jobd1: nothing changes if one of them is broken. "
          "As org.freedesktop.systemd1: broken ones are loaded as they are." },
        { "Reexecute", "", NULL, "", NULL, BUS_VERB_RELOAD, bus_manager_reexecute,
          "Executes the manager anew, as after an upgrade. The new manager answers when it serves; if it does not "
          "become ready, the one before it answers with an error. Other connections to the private socket end "
          "before." },
        { "Subscribe", "", NULL, "", NULL, BUS_VERB_READ, bus_manager_subscribe,
          "Enables signals on a message bus. On a private connection they are always sent." },
        { "Unsubscribe", "", NULL, "", NULL, BUS_VERB_READ, bus_manager_unsubscribe, "Disables them." },
        { "Exit", "", NULL, "", NULL, BUS_VERB_EXIT, bus_manager_exit, "Stops all units, then the manager." },
        { "SetExitCode", "y", "number", "", NULL, BUS_VERB_EXIT, bus_manager_set_exit_code,
          "Sets the exit status of the manager for an Exit that names none; the default is 0. Not for the init of a "
          "machine." },
        { "PowerOff", "", NULL, "", NULL, BUS_VERB_EXIT, bus_manager_end,
          "Ends all processes, unmounts, and powers the machine off, without stopping units first: start "
          "poweroff.target to stop them. In a container, the container ends." },
        { "Reboot", "", NULL, "", NULL, BUS_VERB_EXIT, bus_manager_end, "As PowerOff, but reboots." },
        { "Halt", "", NULL, "", NULL, BUS_VERB_EXIT, bus_manager_end, "As PowerOff, but leaves the power on." },
        { "KExec", "", NULL, "", NULL, BUS_VERB_EXIT, bus_manager_end,
          "As PowerOff, but executes the kernel that was loaded with kexec." },

        { "Exec", "a(ss)sa{sv}", "requests mode options", "ta(uosso)", "transaction jobs", BUS_VERB_ENQUEUE,
          bus_manager_exec,
          "Runs all requests (unit and job type) as one transaction. Answers with its jobs (id, path, unit, type, path "
          "of the unit), the requested ones first. Option token s, up to 128 printable characters of the caller's "
          "choice: a call that is repeated with its token, even after a restart of the manager, is not run again but "
          "answered again, with those of its jobs that are still known. Tokens are separate for each user; the last "
          "1000 "
          "are kept, for 10 minutes; a token of other requests is refused (TokenReused). Refused calls are not kept.",
          .flags = BUS_PROPERTY_OWN, .describe = bus_manager_describe_exec },
        { "Plan", "a(ss)sa{sv}", "requests mode options", "a{sv}", "plan", BUS_VERB_PLAN, bus_manager_plan,
          "Answers what Exec would do, with the reasons; changes nothing. Option edges b: also all edges between its "
          "jobs.",
          .flags = BUS_PROPERTY_OWN },
        { "Cancel", "u", "id", "", NULL, BUS_VERB_CANCEL, bus_manager_cancel, "As CancelJob.", find_job,
          .word = "cancel", .flags = BUS_PROPERTY_OWN },
        { "Detach", "u", "id", "", NULL, BUS_VERB_CANCEL, bus_manager_detach,
          "Cancels a job, also a running one: what the unit does goes on without a job.", find_job, .word = "cancel",
          .flags = BUS_PROPERTY_OWN },
        { "Query", "a{sv}", "filter", "aa{sv}", "jobs", BUS_VERB_READ, bus_manager_query,
          "Jobs that match all of: id u (also of one of the last ended jobs), unit s, pattern s, type s, state s, "
          "transaction t, requester s (a bus name).",
          .flags = BUS_PROPERTY_OWN },
        { "Explain", "s", "what", "a{sv}", "explanation", BUS_VERB_READ, bus_manager_explain,
          "Explains the state of a job (by id), a unit or a transaction (\"t12\").", .flags = BUS_PROPERTY_OWN },
        { "StartRun", "sa{sv}a{sv}", "unit parameters options", "to", "id path", BUS_VERB_SUBMIT,
          bus_manager_start_run,
          "Submits a run of a flow, and starts the unit if it is not active; answered when the run is durable. "
          "Parameters are those of Params=: s, b, i, u, x, t or d. Options: assign as (further parameters, as "
          "NAME=TEXT or NAME:=JSON), key s (a call with the key of another run of the unit is answered with that), "
          "name s (in place of RunName=; NameTaken if another run has it), priority y (in place of Priority= of the "
          "flow), timer s and time t (it is the run of that timer for that time, as if that had elapsed; no key), "
          "create b (it stays CREATED, and takes no place, until Resume), "
          "first t (of a batch: the items before it count as over), "
          "and for the record: operator s (who asks), namespace s, reqid s. Id 0 and path \"/\": none was made, "
          "by OnBusy=skip. Users whom AllowSubmit= of the flow names may call it, too.",
          find_unit, .word = "start", .flags = BUS_PROPERTY_OWN },
        { "PlanRun", "sa{sv}a{sv}", "unit parameters options", "a{sv}", "plan", BUS_VERB_PLAN, bus_manager_plan_run,
          "What StartRun with the same arguments would do if all commands succeed; nothing happens. Keys: unit s, "
          "would s (\"run\", or what OnBusy= says while as many run as MaxRuns= allows), runs at (those that live), "
          "starts_unit b, max_parallel t, params s, locks and needs aa{sv} (lock s, slots t; resource s, amount t), "
          "nodes aa{sv} in the order in which they would begin: node s, step t (0: it does not run), urgency t (of "
          "those that may begin the least is first), after as (nodes that it waits for), forecast s (\"runs\", "
          "\"may-run\", \"skipped\", \"fails\"), reason s, when s, policy s, action s (\"exec\", \"job\", "
          "\"sleep\", \"checkpoint\"), undo s (\"exec\": Compensate=; \"run\": its run is undone), command s, sleep t "
          "(µs), unit s, operation s, jobs a(ss) (unit, type, as of now), refused s, locks, needs.",
          find_unit, .flags = BUS_PROPERTY_OWN },
        { "Identify", "ss", "operator reqid", "", NULL, BUS_VERB_READ, bus_manager_identify,
          "Says who asks over this connection, and for which request, until its end: both are written into the events "
          "of runs with what is done to them. \"\": nothing is said.",
          .flags = BUS_PROPERTY_OWN },
        { "ListRuns", "a{sv}us", "filters limit cursor", "aa{sv}s", "runs cursor", BUS_VERB_READ, bus_manager_list_runs,
          "Runs, also those that have ended, the latest first. A filter is a key of the answer and its value, also "
          "since t and until t (when it was made). Runs that were deleted are told only with deleted=true. The "
          "limit is at most 1000, 0 is the same. The cursor is \"\", or that of the answer before; it is \"\" in the "
          "last answer. Absent keys have no value.",
          .flags = BUS_PROPERTY_OWN },
        { "ListLocks", "a{sv}us", "filters limit cursor", "aa{sv}s", "locks cursor", BUS_VERB_READ,
          bus_manager_list_locks,
          "Runs and nodes that hold locks and resources, and those that wait for them, in the order of service: lock, "
          "kind ('run', 'node' or 'resource'), state ('held' or 'waits'), slot, amount, total, run, name, unit, node, "
          "priority, since. Filters are lock s, kind s and run t. Limit and cursor are as for ListRuns.",
          .flags = BUS_PROPERTY_OWN },
        { "GetRun", "t", "id", "o", "path", BUS_VERB_READ, bus_manager_get_run, "The path of a run.",
          .flags = BUS_PROPERTY_OWN },
        { "ExplainRun", "s", "run", "a{sv}", "explanation", BUS_VERB_READ, bus_manager_explain_run,
          "Explains what a run that has not ended waits for, or a node of it: \"7\", its name, \"7/pull\".",
          .flags = BUS_PROPERTY_OWN },
        { "ListAlarms", "a{sv}us", "filters limit cursor", "aa{sv}s", "alarms cursor", BUS_VERB_READ,
          bus_manager_list_alarms,
          "Alarms of runs, the oldest first; as ListRuns. The filter 'acknowledged' with the value 0 is for those that "
          "are open. An alarm that was acknowledged is kept until a thousand more have been raised.",
          .flags = BUS_PROPERTY_OWN },
        { "Acknowledge", "ts", "alarm operator", "", NULL, BUS_VERB_ENQUEUE, bus_manager_acknowledge,
          "Acknowledges an alarm; answered when that is durable. The operator is for the record, or \"\".",
          .flags = BUS_PROPERTY_OWN },
        { "CompleteNode", "sss", "token outcome result", "", NULL, BUS_VERB_READ, bus_manager_complete_node,
          "Completes a node with Callback=, whose token ($JOBD_TOKEN) says which, as 'success' or 'failed'; answered "
          "when that is durable. The result is a value of JSON, or \"\". Whoever has the token may; the same again "
          "changes nothing.",
          .flags = BUS_PROPERTY_OWN },
        { "Push", "sssaya{sv}", "stream group key data options", "t", "sequence", BUS_VERB_SUBMIT, bus_manager_push,
          "Pushes an element into a group of a stream, and makes a run of it if there is none; answered with the "
          "number of the element when that is durable. A group has at most 100 characters, and \"\" is one, too. A key "
          "(\"\": none) that was pushed before is answered with the number of that element. At most 1 MiB of data. "
          "Options for the record: operator s, reqid s. Users whom AllowSubmit= of the stream names may call it, too.",
          find_unit, .word = "start", .flags = BUS_PROPERTY_OWN },
        { "PushMany", "sa(ssay)a{sv}", "stream elements options", "at", "sequences", BUS_VERB_SUBMIT,
          bus_manager_push_many,
          "As Push, for up to 10000 elements: group, key and data of each. All of them are taken, or none.",
          find_unit, .word = "start", .flags = BUS_PROPERTY_OWN },
        { "ListGroups", "a{sv}us", "filters limit cursor", "aa{sv}s", "groups cursor", BUS_VERB_READ,
          bus_manager_list_groups,
          "Groups of a stream that have linked elements, in the order of their names: run, group, head (the number of "
          "the element that is at work or comes next; 0: none), tail (that of the last one), waiting, done, failed, "
          "state ('IDLE', 'AT-WORK' or 'PENDING'). Filters: stream s or run t, one of which is needed, group s, "
          "state s. Limit and cursor are as for ListRuns.",
          .flags = BUS_PROPERTY_OWN },
        { "ListElements", "a{sv}us", "filters limit cursor", "aa{sv}s", "elements cursor", BUS_VERB_READ,
          bus_manager_list_elements,
          "Elements of a stream in the order of their pushes, those that are over as long as KeepDone= says: run, "
          "sequence, group, position, key, state, reason, tries, lost, exit, signal, problem, operator, pushed, began, "
          "ended and, with the filter data b, data ay and result ay. Other filters: stream s or run t, one of which is "
          "needed, group s, state s, key s. Limit and cursor are as for ListRuns.",
          .flags = BUS_PROPERTY_OWN },
        { "ResolveElement", "sstsay", "stream group sequence outcome result", "", NULL, BUS_VERB_CONTROL_RUN,
          bus_manager_resolve_element,
          "Resolves the head of a group that is PENDING, by its number or as 0, as 'success', 'failed', 'retry' or "
          "'skip', with a result; answered when that is durable. Its group goes on.",
          bus_manager_find_stream, .flags = BUS_PROPERTY_OWN },
        { "Stats", "", NULL, "a{sv}", "statistics", BUS_VERB_READ, bus_manager_stats, "Counters of the job engine.",
          .flags = BUS_PROPERTY_OWN },
        { "ReloadUnits", "b", "force", "as", "differences", BUS_VERB_RELOAD, bus_manager_reload_units,
          "Reads unit files that have changed, and answers with the differences, a line for each unit. Nothing changes "
          "if one of them is broken, unless force is true.",
          .flags = BUS_PROPERTY_OWN },

        { "EnqueueMarkedJobs", "", NULL, "ao", "jobs", BUS_VERB_ENQUEUE, bus_manager_enqueue_marked,
          "None: units have no markers.", .flags = BUS_PROPERTY_FOREIGN },
        { "LookupDynamicUserByName", "s", "name", "u", "uid", BUS_VERB_READ, bus_manager_find_dynamic_user,
          "The number of a dynamic user.", .flags = BUS_PROPERTY_FOREIGN },
        { "LookupDynamicUserByUID", "u", "uid", "s", "name", BUS_VERB_READ, bus_manager_name_dynamic_user,
          "The name of a dynamic user.", .flags = BUS_PROPERTY_FOREIGN },
        { "GetDynamicUsers", "", NULL, "a(us)", "users", BUS_VERB_READ, bus_manager_list_dynamic_users,
          "The dynamic users of loaded units.", .flags = BUS_PROPERTY_FOREIGN },
        { "SetShowStatus", "s", "mode", "", NULL, BUS_VERB_CONTROL, bus_manager_show_status,
          "Only \"no\" and \"\": no status is shown on a console.", .flags = BUS_PROPERTY_FOREIGN },
        { "BindMountUnit", "sssbb", "unit source destination read_only mkdir", "", NULL, BUS_VERB_CONTROL,
          bus_call_not_supported, "Not supported.", find_unit, .flags = BUS_PROPERTY_FOREIGN },
        { "MountImageUnit", "sssbba(ss)", "unit source destination read_only mkdir options", "", NULL, BUS_VERB_CONTROL,
          bus_call_not_supported, "Not supported.", find_unit, .flags = BUS_PROPERTY_FOREIGN },
        { "SwitchRoot", "ss", "new_root init", "", NULL, BUS_VERB_EXIT, bus_call_not_supported, "Not supported.",
          .flags = BUS_PROPERTY_FOREIGN },
        {},
};

static const BusSignal signals[] = {
        { "UnitNew", "so", "unit path", "A unit was loaded." },
        { "UnitRemoved", "so", "unit path",
          "A unit was unloaded; in systemd's place a reload sends both for a unit whose files have changed." },
        { "JobNew", "uos", "id job unit", "A job was installed; sent before the reply that names it." },
        { "JobRemoved", "uoss", "id job unit result",
          "A job has ended: done, canceled, timeout, failed, dependency, skipped, invalid, assert, unsupported, "
          "collected or once. Sent exactly once for each job, after the changes of its unit." },
        { "RunNew", "ts", "id unit", "A run of a flow was submitted.", BUS_PROPERTY_OWN },
        { "RunSuspended", "ts", "id unit", "A run cannot go on before a person has resolved a node.",
          BUS_PROPERTY_OWN },
        { "RunNotify", "stsssss", "name id unit node event key object",
          "A flow tells of a run by its target signal:NAME. The node is \"\" if it is about the run. The key is the "
          "same if something is told again. The object is JSON, see jobd.flow(5). Sent only to those who have called "
          "Subscribe, and may read results: root, the owner of the manager, and who has submitted the run.",
          BUS_PROPERTY_OWN },
        { "RunEnded", "ts", "id state", "A run has ended, which is durable: its state is that of ListRuns.",
          BUS_PROPERTY_OWN },
        { "StartupFinished", "tttttt", "firmware loader kernel initrd userspace total",
          "No job was left for the first time; times in µs." },
        { "UnitFilesChanged", "", NULL, "Unit files were enabled, disabled or read again." },
        { "Reloading", "b", "active", "Reading unit files again begins or has ended." },
        { "JobChanged", "ua{sv}", "id job", "The type or state of a job has changed; the keys are those of Query.",
          .flags = BUS_PROPERTY_OWN },
        {},
};

const BusInterface bus_manager_interface = {
        .name = "Manager",
        .description = "The manager: requests for jobs, units and jobs as lists, and the signals about them.",
        .methods = methods,
        .signals = signals,
        .properties = bus_manager_properties,
};

static size_t interfaces(const BusObject *object, BusInterface *ret_interfaces) {
        ret_interfaces[0] = bus_manager_interface;
        ret_interfaces[1] = bus_object_manager_interface;
        return 2;
}

const BusKind bus_manager_kind = { .interfaces = interfaces };
