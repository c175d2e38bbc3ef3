/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface
 *
 * A method with a counterpart in systemd has the name and signature of that;
 * the last group has none.
 */

#include "dbus/bus_interfaces.h"
#include "dbus/bus_manager.h"

static const BusMethod methods[] = {
        { "StartUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Has a unit started. The job's end is told by JobRemoved." },
        { "StopUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue, "Has a unit stopped." },
        { "ReloadUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Has a unit read its configuration again." },
        { "RestartUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Has a unit stopped, if it runs, and started." },
        { "TryRestartUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Has a unit restarted if it runs, else does nothing." },
        { "ReloadOrRestartUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Has a unit reloaded if it can do that, else restarted." },
        { "ReloadOrTryRestartUnit", "ss", "unit mode", "o", "job", BUS_VERB_ENQUEUE, bus_manager_enqueue,
          "Has a unit reloaded if it can do that, else restarted if it runs." },
        { "EnqueueUnitJob", "sss", "unit type mode", "uososa(uosos)", "id job unit unit_path type affected_jobs",
          BUS_VERB_ENQUEUE, bus_manager_enqueue_unit_job,
          "Asks for a job of any type, and tells the other jobs that it brings with it." },
        { "GetUnit", "s", "unit", "o", "path", BUS_VERB_READ, bus_manager_get_unit,
          "The path of a unit that is loaded." },
        { "GetUnitByPID", "u", "pid", "o", "path", BUS_VERB_READ, bus_manager_get_unit_by_pid,
          "The unit that a process belongs to; 0 is the caller." },
        { "LoadUnit", "s", "unit", "o", "path", BUS_VERB_READ, bus_manager_load_unit,
          "The path of a unit, which is loaded if it was not." },
        { "ListUnits", "", NULL, "a(ssssssouso)", "units", BUS_VERB_READ, bus_manager_list_units,
          "All loaded units: name, description, load state, active state, sub-state, followed unit, path, job id, "
          "job type, job path." },
        { "ListUnitsFiltered", "as", "states", "a(ssssssouso)", "units", BUS_VERB_READ, bus_manager_list_units_filtered,
          "Loaded units in one of the states (load, active or sub-state)." },
        { "ListUnitsByPatterns", "asas", "states patterns", "a(ssssssouso)", "units", BUS_VERB_READ,
          bus_manager_list_units_by_patterns,
          "Loaded units in one of the states whose name fits one of the patterns; an empty list stands for all." },
        { "ListUnitsByNames", "as", "names", "a(ssssssouso)", "units", BUS_VERB_READ, bus_manager_list_units_by_names,
          "These units, which are loaded if they were not." },
        { "GetUnitProcesses", "s", "unit", "a(sus)", "processes", BUS_VERB_READ, bus_manager_get_unit_processes,
          "The processes of a unit: control group, pid, name. Their command lines are not asked for: a process whose "
          "memory is busy would hold up everybody." },
        { "KillUnit", "ssi", "unit whom signal", "", NULL, BUS_VERB_KILL, bus_manager_kill_unit,
          "Sends a signal to the \"main\" process, the \"control\" process or \"all\" processes of a unit." },
        { "CleanUnit", "sas", "unit what", "", NULL, BUS_VERB_RESET, bus_manager_clean_unit,
          "Removes directories of a unit that is inactive: \"runtime\", \"state\", \"cache\", \"logs\", "
          "\"configuration\", \"all\". It is in maintenance until that is done." },
        { "FreezeUnit", "s", "unit", "", NULL, BUS_VERB_KILL, bus_manager_freeze_unit,
          "Has all processes of an active unit stand still; FreezerState says when they do." },
        { "ThawUnit", "s", "unit", "", NULL, BUS_VERB_KILL, bus_manager_thaw_unit, "Has them go on." },
        { "SetUnitProperties", "sba(sv)", "unit runtime properties", "", NULL, BUS_VERB_INSTALL,
          bus_manager_set_unit_properties,
          "Changes settings of its control group, and the description, by a drop-in, which is verified first, and reads the "
          "unit's files again. Values as the properties have them, or strings as a unit file has them." },
        { "StartTransientUnit", "ssa(sv)a(sa(sv))", "name mode properties aux", "o", "job", BUS_VERB_INSTALL,
          bus_manager_start_transient_unit,
          "Makes a unit, and others beside it, of properties, and has it started. They are there for as long as they are "
          "loaded. Values as the properties have them, or strings as a unit file has them; also AddRef b: the caller "
          "holds a reference; RequestToken s: repeated with it, after a lost reply, the call is answered with the first "
          "one's job; of a scope PIDs au (0 is the caller) and Controller s; of a service "
          "StandardInputFileDescriptor h, StandardOutputFileDescriptor h and StandardErrorFileDescriptor h." },
        { "AttachProcessesToUnit", "ssau", "unit subgroup pids", "", NULL, BUS_VERB_KILL, bus_manager_attach_processes,
          "Puts processes into the control group of a unit that is active: any for root, one's own for others. The "
          "subgroup must be empty." },
        { "AbandonScope", "s", "unit", "", NULL, BUS_VERB_KILL, bus_manager_abandon_scope, "As Scope.Abandon." },
        { "ResetFailedUnit", "s", "unit", "", NULL, BUS_VERB_RESET, bus_manager_reset_failed_unit,
          "Puts a failed unit back to inactive and its start limit to zero." },
        { "ResetFailed", "", NULL, "", NULL, BUS_VERB_RESET, bus_manager_reset_failed, "The same for all units." },
        { "RefUnit", "s", "unit", "", NULL, BUS_VERB_PIN, bus_manager_ref_unit,
          "Keeps a unit loaded for as long as the caller is connected." },
        { "UnrefUnit", "s", "unit", "", NULL, BUS_VERB_PIN, bus_manager_unref_unit, "Takes that back." },
        { "ListJobs", "", NULL, "a(usssoo)", "jobs", BUS_VERB_READ, bus_manager_list_jobs,
          "All jobs: id, unit, type, state, path, path of the unit." },
        { "GetJob", "u", "id", "o", "job", BUS_VERB_READ, bus_manager_get_job, "The path of a job." },
        { "GetJobAfter", "u", "id", "a(usssoo)", "jobs", BUS_VERB_READ, bus_manager_get_job_after,
          "The jobs that wait for this one." },
        { "GetJobBefore", "u", "id", "a(usssoo)", "jobs", BUS_VERB_READ, bus_manager_get_job_before,
          "The jobs that this one waits for." },
        { "CancelJob", "u", "id", "", NULL, BUS_VERB_CANCEL, bus_manager_cancel,
          "Ends a job that has not begun; one that runs is refused." },
        { "ClearJobs", "", NULL, "", NULL, BUS_VERB_CANCEL, bus_manager_clear_jobs,
          "Cancels all that have not begun." },
        { "ListUnitFiles", "", NULL, "a(ss)", "files", BUS_VERB_READ, bus_manager_list_unit_files,
          "All unit files: path and state." },
        { "ListUnitFilesByPatterns", "asas", "states patterns", "a(ss)", "files", BUS_VERB_READ,
          bus_manager_list_unit_files_by_patterns, "Unit files in one of the states whose name fits a pattern." },
        { "GetUnitFileState", "s", "name", "s", "state", BUS_VERB_READ, bus_manager_get_unit_file_state,
          "Whether a unit file is enabled, disabled, static, masked, …" },
        { "GetUnitFileLinks", "sb", "name runtime", "as", "links", BUS_VERB_READ, bus_manager_get_unit_file_links,
          "The links that disabling the unit would remove." },
        { "EnableUnitFiles", "asbb", "files runtime force", "ba(sss)", "carries_install_info changes", BUS_VERB_INSTALL,
          bus_manager_enable_unit_files,
          "Makes the links that [Install] asks for, in the first folder of the search path or, until the next boot, below "
          "/run. Names, or absolute paths, which are linked first. Changes: kind (\"symlink\", \"unlink\"), path, target. "
          "What is loaded changes with the next Reload." },
        { "EnableUnitFilesWithFlags", "ast", "files flags", "ba(sss)", "carries_install_info changes", BUS_VERB_INSTALL,
          bus_manager_enable_unit_files_with_flags, "The same; flags: 1 runtime, 2 force." },
        { "DisableUnitFiles", "asb", "files runtime", "a(sss)", "changes", BUS_VERB_INSTALL, bus_manager_disable_unit_files,
          "Removes all links to units, those that were made by hand, too." },
        { "DisableUnitFilesWithFlags", "ast", "files flags", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_disable_unit_files_with_flags, "The same; flags: 1 runtime." },
        { "DisableUnitFilesWithFlagsAndInstallInfo", "ast", "files flags", "ba(sss)", "carries_install_info changes",
          BUS_VERB_INSTALL, bus_manager_disable_unit_files_with_flags, "The same." },
        { "ReenableUnitFiles", "asbb", "files runtime force", "ba(sss)", "carries_install_info changes", BUS_VERB_INSTALL,
          bus_manager_enable_unit_files, "Disables units and enables them." },
        { "LinkUnitFiles", "asbb", "files runtime force", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_enable_unit_files, "Makes files that lie elsewhere known, by links." },
        { "PresetUnitFiles", "asbb", "files runtime force", "ba(sss)", "carries_install_info changes", BUS_VERB_INSTALL,
          bus_manager_enable_unit_files, "Enables or disables units as the presets say." },
        { "PresetUnitFilesWithMode", "assbb", "files mode runtime force", "ba(sss)", "carries_install_info changes",
          BUS_VERB_INSTALL, bus_manager_preset_unit_files_with_mode,
          "The same; modes: \"full\" (or empty), \"enable-only\", \"disable-only\"." },
        { "PresetAllUnitFiles", "sbb", "mode runtime force", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_preset_all_unit_files, "The same for all unit files that can be enabled." },
        { "MaskUnitFiles", "asbb", "files runtime force", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_enable_unit_files, "Links units to /dev/null, so that nobody can start them." },
        { "UnmaskUnitFiles", "asb", "files runtime", "a(sss)", "changes", BUS_VERB_INSTALL, bus_manager_disable_unit_files,
          "Takes that back." },
        { "RevertUnitFiles", "as", "files", "a(sss)", "changes", BUS_VERB_INSTALL, bus_manager_revert_unit_files,
          "Removes drop-ins of the administrator, and files that stand in front of those of a package." },
        { "AddDependencyUnitFiles", "asssbb", "files target type runtime force", "a(sss)", "changes", BUS_VERB_INSTALL,
          bus_manager_add_dependency_unit_files, "Has another unit want or require these; type: \"Wants\", \"Requires\"." },
        { "SetDefaultTarget", "sb", "name force", "a(sss)", "changes", BUS_VERB_INSTALL, bus_manager_set_default_target,
          "Links default.target to this one." },
        { "GetDefaultTarget", "", NULL, "s", "name", BUS_VERB_READ, bus_manager_get_default_target,
          "The unit that is started at the beginning." },
        { "SetEnvironment", "as", "assignments", "", NULL, BUS_VERB_INSTALL, bus_manager_set_environment,
          "Sets variables that every process gets that is started from now on: \"NAME=value\"." },
        { "UnsetEnvironment", "as", "names", "", NULL, BUS_VERB_INSTALL, bus_manager_unset_environment,
          "Takes that back; an assignment only if it is equal. What the manager itself was given stays." },
        { "UnsetAndSetEnvironment", "asas", "names assignments", "", NULL, BUS_VERB_INSTALL,
          bus_manager_unset_and_set_environment, "Both, as one change." },
        { "Reload", "", NULL, "", NULL, BUS_VERB_RELOAD, bus_manager_reload,
          "Reads unit files that have changed. As org.jobd1: nothing changes if one of them is broken. "
          "As org.freedesktop.systemd1: broken ones are taken as they are." },
        { "Reexecute", "", NULL, "", NULL, BUS_VERB_RELOAD, bus_manager_reexecute,
          "Has the manager execute itself anew, as after an upgrade. Connections end once this is answered; who connects "
          "to the private socket then is served by the new one." },
        { "Subscribe", "", NULL, "", NULL, BUS_VERB_READ, bus_manager_subscribe,
          "Has signals sent on a message bus. On a private connection they always are." },
        { "Unsubscribe", "", NULL, "", NULL, BUS_VERB_READ, bus_manager_unsubscribe, "Takes that back." },
        { "Exit", "", NULL, "", NULL, BUS_VERB_EXIT, bus_manager_exit, "Stops all units, then the manager." },
        { "SetExitCode", "y", "number", "", NULL, BUS_VERB_EXIT, bus_manager_set_exit_code,
          "With which status it will exit if whoever asks for that later names none; 0 otherwise. Not on a machine of its own." },
        { "PowerOff", "", NULL, "", NULL, BUS_VERB_EXIT, bus_manager_end,
          "Ends all processes, unmounts, and powers the machine off, without stopping units first: start "
          "poweroff.target for that. In a container, the container ends." },
        { "Reboot", "", NULL, "", NULL, BUS_VERB_EXIT, bus_manager_end, "The same, and starts it again." },
        { "Halt", "", NULL, "", NULL, BUS_VERB_EXIT, bus_manager_end, "The same, and leaves it on." },
        { "KExec", "", NULL, "", NULL, BUS_VERB_EXIT, bus_manager_end, "The same, and executes the kernel loaded for it." },

        { "Exec", "a(ss)sa{sv}", "requests mode options", "ta(uosso)", "transaction jobs", BUS_VERB_ENQUEUE,
          bus_manager_exec,
          "All requests (unit and job type) in one transaction. Answers with its jobs (id, path, unit, type, path of "
          "the unit), those that were asked for first. Option token s, up to 128 printable characters of the caller's "
          "choice: the same call again, also to a manager that came after this one, is not done again but answered "
          "again, with those of its jobs that are known. Each user has tokens of his own; the last 1000 are known, for "
          "10 minutes; a token that stands for other requests is refused (TokenReused). What was refused is not known." },
        { "Plan", "a(ss)sa{sv}", "requests mode options", "a{sv}", "plan", BUS_VERB_READ, bus_manager_plan,
          "What Exec would do, with the reasons; changes nothing. Option edges b: also all edges between its jobs." },
        { "Cancel", "u", "id", "", NULL, BUS_VERB_CANCEL, bus_manager_cancel, "As CancelJob." },
        { "Query", "a{sv}", "filter", "aa{sv}", "jobs", BUS_VERB_READ, bus_manager_query,
          "Jobs that fit all of: id u (also of one of the last ended jobs), unit s, pattern s, type s, state s, "
          "transaction t, requester s (a bus name)." },
        { "Explain", "s", "what", "a{sv}", "explanation", BUS_VERB_READ, bus_manager_explain,
          "Why a job (by id), a unit or a transaction (\"t12\") is as it is." },
        { "Stats", "", NULL, "a{sv}", "statistics", BUS_VERB_READ, bus_manager_stats, "Counters of the job engine." },
        { "ReloadUnits", "b", "force", "as", "differences", BUS_VERB_RELOAD, bus_manager_reload_units,
          "Reads unit files that have changed and tells what is new, a line for each unit. Nothing changes if one of "
          "them is broken, unless it is forced." },
        {},
};

static const BusSignal signals[] = {
        { "UnitNew", "so", "unit path", "A unit was loaded." },
        { "UnitRemoved", "so", "unit path", "A unit was unloaded." },
        { "JobNew", "uos", "id job unit", "A job was installed; sent before the reply that names it." },
        { "JobRemoved", "uoss", "id job unit result",
          "A job has ended: done, canceled, timeout, failed, dependency, skipped, invalid, assert, unsupported, "
          "collected or once. Sent exactly once for each job, after the changes of its unit." },
        { "StartupFinished", "tttttt", "firmware loader kernel initrd userspace total",
          "There was no job left for the first time; times in µs." },
        { "UnitFilesChanged", "", NULL, "Unit files were enabled, disabled or read again." },
        { "Reloading", "b", "active", "Reading unit files again begins or has ended." },
        { "JobChanged", "ua{sv}", "id job", "A job has another type or state; the keys are those of Query." },
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
