/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of units: properties
 *
 * All properties of systemd are there with its names and signatures, also those
 * that have a single possible value here: clients read them.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "dbus/bus_interfaces.h"
#include "dbus/object/bus_error.h"
#include "dbus/object/bus_view.h"
#include "unit/unit_clean.h"
#include "unitfile/install_preset.h"
#include "unitfile/transient_file.h"

static const Unit *unit_of(const BusView *view) {
        return view->object->unit;
}

static const UnitSettings *settings_of(const BusView *view) {
        return &view->object->unit->settings;
}

static void get_id(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, unit_of(view)->id);
}

static void get_names(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_strv(sink, unit_of(view)->names);
}

static void get_empty_string(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, "");
}

static void get_empty_strv(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_strv(sink, NULL);
}

static void get_transient(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_bool(sink, transient_file_is_of(unit_of(view)));
}

static void get_description(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, unit_description(unit_of(view)));
}

static void get_load_state(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, unit_load_state_to_string(unit_of(view)->load_state));
}

static void get_active_state(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, unit_active_state_to_string(unit_of(view)->active_state));
}

static void get_sub_state(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, unit_sub_state(unit_of(view)));
}

static void get_freezer_state(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, manager_freezer_state(view->tree->manager, unit_of(view)));
}

static void get_can_freeze(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_bool(sink, manager_can_freeze(view->tree->manager, unit_of(view)));
}

static void get_can_clean(const BusView *view, uint32_t parameter, Sink *sink) {
        unsigned kinds = manager_can_clean(unit_of(view));

        sink_open(sink, 'a', "s");
        for (unsigned i = 0; i < _UNIT_CLEAN_MAX; i++)
                if (kinds >> i & 1)
                        sink_string(sink, unit_clean_to_string((UnitClean) i));
        sink_close(sink);
}

static void get_unit_file_state(const BusView *view, uint32_t parameter, Sink *sink) {
        const char *state;

        if (unit_file_state(manager_loader(view->tree->manager), unit_of(view)->id, &state) < 0)
                state = "";
        sink_string(sink, state);
}

static void get_unit_file_preset(const BusView *view, uint32_t parameter, Sink *sink) {
        const ManagerOptions *options = manager_options(view->tree->manager);
        cleanup_(preset_rules_deinit) PresetRules presets = {};
        const char *name = unit_of(view)->id, *state;
        cleanup_(strv_freep) char **path = NULL;
        int r = unit_file_state(manager_loader(view->tree->manager), name, &state);

        if (r >= 0)
                r = preset_search_path(options->is_user, options->with_systemd_units, &path);
        if (r >= 0)
                r = preset_rules_read(&presets, path, "");
        sink_string(sink, r < 0 ? "" : preset_rules_is_enabled(&presets, name, NULL) ? "enabled" : "disabled");
}

static void get_relations(const BusView *view, uint32_t kind, Sink *sink) {
        UnitRelations relations = unit_relations(unit_of(view), (UnitRelationKind) kind);

        sink_open(sink, 'a', "s");
        for (size_t i = 0; i < relations.n; i++)
                sink_string(sink, unit_table_at(unit_of(view)->table, relations.items[i].other)->id);
        sink_close(sink);
}

enum {
        LIST_DOCUMENTATION,
        LIST_DROPIN_PATHS,
        LIST_REQUIRES_MOUNTS_FOR,
        LIST_WANTS_MOUNTS_FOR,
};

static void get_list(const BusView *view, uint32_t parameter, Sink *sink) {
        const UnitSettings *settings = settings_of(view);

        sink_strv(sink, parameter == LIST_DOCUMENTATION ? settings->rare->documentation :
                        parameter == LIST_DROPIN_PATHS ? settings->rare->dropin_paths :
                        parameter == LIST_REQUIRES_MOUNTS_FOR ? settings->rare->requires_mounts_for :
                                                                settings->rare->wants_mounts_for);
}

enum {
        TEXT_FRAGMENT_PATH,
        TEXT_SOURCE_PATH,
        TEXT_ON_SUCCESS_JOB_MODE,
        TEXT_ON_FAILURE_JOB_MODE,
        TEXT_JOB_TIMEOUT_REBOOT_ARGUMENT,
        TEXT_REBOOT_ARGUMENT,
};

static void get_text(const BusView *view, uint32_t parameter, Sink *sink) {
        const UnitSettings *settings = settings_of(view);
        const UnitRareSettings *rare = settings->rare;

        sink_string(sink, parameter == TEXT_FRAGMENT_PATH ? settings->fragment_path :
                          parameter == TEXT_SOURCE_PATH ? rare->source_path :
                          parameter == TEXT_ON_SUCCESS_JOB_MODE ? job_mode_to_string(rare->on_success_job_mode) :
                          parameter == TEXT_ON_FAILURE_JOB_MODE ? job_mode_to_string(rare->on_failure_job_mode) :
                          parameter == TEXT_JOB_TIMEOUT_REBOOT_ARGUMENT ? rare->job_timeout_reboot_argument :
                                                                          rare->reboot_argument);
}

enum {
        TIME_STATE_CHANGE,
        TIME_INACTIVE_EXIT,
        TIME_ACTIVE_ENTER,
        TIME_ACTIVE_EXIT,
        TIME_INACTIVE_ENTER,
        TIME_CONDITION,
        TIME_ASSERT,
        TIME_IS_MONOTONIC = 1 << 8,
};

static const UnitTimestamp *timestamp_of(const Unit *unit, uint32_t which) {
        return which == TIME_STATE_CHANGE ? &unit->state_change :
               which == TIME_INACTIVE_EXIT ? &unit->inactive_exit :
               which == TIME_ACTIVE_ENTER ? &unit->active_enter :
               which == TIME_ACTIVE_EXIT ? &unit->active_exit :
               which == TIME_INACTIVE_ENTER ? &unit->inactive_enter : &unit->conditions_checked;
}

/* Assertions are only tested where the conditions are met. */
static bool was_tested(const Unit *unit, uint32_t which) {
        return which != TIME_ASSERT || unit->assert_result != 0;
}

static void get_time(const BusView *view, uint32_t parameter, Sink *sink) {
        uint32_t which = parameter & ~(uint32_t) TIME_IS_MONOTONIC;
        const UnitTimestamp *timestamp = timestamp_of(unit_of(view), which);

        sink_u64(sink, !was_tested(unit_of(view), which) ? 0 :
                       parameter & TIME_IS_MONOTONIC ? timestamp->monotonic : timestamp->realtime);
}

enum {
        CAN_START,
        CAN_STOP,
        CAN_RELOAD,
        CAN_ISOLATE,
};

/* The verbs that a client can ask for: it greys out the others. */
static void get_can(const BusView *view, uint32_t parameter, Sink *sink) {
        const Unit *unit = unit_of(view);

        sink_bool(sink, parameter == CAN_START ? unit_can_start(unit) && !unit->settings.refuse_manual_start :
                        parameter == CAN_STOP ? unit_can_stop(unit) && !unit->settings.refuse_manual_stop :
                        parameter == CAN_RELOAD ? unit_can_reload(unit) : unit_can_isolate(unit));
}

static void get_job(const BusView *view, uint32_t parameter, Sink *sink) {
        JobInfo job;
        bool has_job = job_manager_unit_job(manager_jobs(view->tree->manager), unit_of(view), &job);

        sink_open(sink, 'r', "uo");
        sink_u32(sink, has_job ? job.id : 0);
        bus_view_put_job_path(view, has_job ? job.id : JOB_ID_NONE, sink);
        sink_close(sink);
}

enum {
        FLAG_STOP_WHEN_UNNEEDED,
        FLAG_REFUSE_MANUAL_START,
        FLAG_REFUSE_MANUAL_STOP,
        FLAG_ALLOW_ISOLATE,
        FLAG_DEFAULT_DEPENDENCIES,
        FLAG_IGNORE_ON_ISOLATE,
        FLAG_PERPETUAL,
        FLAG_RESTART_ON_DEPENDENCY,
};

static void get_flag(const BusView *view, uint32_t parameter, Sink *sink) {
        const UnitSettings *settings = settings_of(view);
        bool flags[] = {
                [FLAG_STOP_WHEN_UNNEEDED] = settings->stop_when_unneeded,
                [FLAG_REFUSE_MANUAL_START] = settings->refuse_manual_start,
                [FLAG_REFUSE_MANUAL_STOP] = settings->refuse_manual_stop,
                [FLAG_ALLOW_ISOLATE] = settings->allow_isolate,
                [FLAG_DEFAULT_DEPENDENCIES] = settings->default_dependencies,
                [FLAG_IGNORE_ON_ISOLATE] = settings->ignore_on_isolate,
                [FLAG_PERPETUAL] = settings->is_perpetual,
                [FLAG_RESTART_ON_DEPENDENCY] = settings->restart_on_dependency,
        };

        sink_bool(sink, flags[parameter]);
}

static void get_need_daemon_reload(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_bool(sink, unit_of(view)->needs_reload ||
                        unit_file_has_changed(manager_loader(view->tree->manager), unit_of(view)));
}

enum {
        SPAN_JOB_TIMEOUT,
        SPAN_JOB_RUNNING_TIMEOUT,
        SPAN_START_LIMIT_INTERVAL,
};

static void get_span(const BusView *view, uint32_t parameter, Sink *sink) {
        const UnitSettings *settings = settings_of(view);

        sink_u64(sink, parameter == SPAN_JOB_TIMEOUT ? settings->job_timeout :
                       parameter == SPAN_JOB_RUNNING_TIMEOUT ? settings->job_running_timeout :
                                                               settings->start_limit_interval);
}

enum {
        ACTION_JOB_TIMEOUT,
        ACTION_START_LIMIT,
        ACTION_FAILURE,
        ACTION_SUCCESS,
};

static void get_action(const BusView *view, uint32_t parameter, Sink *sink) {
        const UnitSettings *settings = settings_of(view);

        sink_string(sink, unit_action_to_string(parameter == ACTION_JOB_TIMEOUT ? settings->rare->job_timeout_action :
                                                parameter == ACTION_START_LIMIT ? settings->rare->start_limit_action :
                                                parameter == ACTION_FAILURE ? settings->rare->failure_action :
                                                                              settings->rare->success_action));
}

static void get_action_exit_status(const BusView *view, uint32_t parameter, Sink *sink) {
        const UnitSettings *settings = settings_of(view);

        sink_i32(sink, parameter == ACTION_FAILURE ? settings->rare->failure_action_exit_status :
                                                     settings->rare->success_action_exit_status);
}

static void get_start_limit_burst(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u32(sink, settings_of(view)->start_limit_burst);
}

static void get_job_priority(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_i32(sink, settings_of(view)->job_priority);
}

static void get_collect_mode(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, unit_collect_mode_to_string(settings_of(view)->collect_mode));
}

static void get_condition_result(const BusView *view, uint32_t is_assert, Sink *sink) {
        sink_bool(sink, (is_assert ? unit_of(view)->assert_result : unit_of(view)->condition_result) > 0);
}

static void get_conditions(const BusView *view, uint32_t is_assert, Sink *sink) {
        const UnitRareSettings *rare = settings_of(view)->rare;

        sink_open(sink, 'a', "(sbbsi)");
        for (const UnitCondition *condition = rare->conditions; condition; condition = condition->next) {
                if (condition->is_assert != !!is_assert)
                        continue;
                sink_open(sink, 'r', "sbbsi");
                sink_string(sink, condition->directive);
                sink_bool(sink, condition->is_trigger);
                sink_bool(sink, condition->is_negated);
                sink_string(sink, condition->parameter);
                sink_i32(sink, condition->result);
                sink_close(sink);
        }
        sink_close(sink);
}

static bool has_conditions(const BusView *view, uint32_t is_assert) {
        return settings_of(view)->has_conditions;
}

/* As in systemd: the name of the error that a request for the unit would get. */
static void get_load_error(const BusView *view, uint32_t parameter, Sink *sink) {
        const Failure *failure = &unit_of(view)->load_failure;
        bool is_failure = failure->code != 0 && unit_of(view)->load_state != UNIT_LOADED;

        sink_open(sink, 'r', "ss");
        if (is_failure) {
                cleanup_free_ char *name = NULL;

                if (bus_error_name(view->dialect, failure, &name) < 0)
                        sink->error = sink->error ?: -ENOMEM;
                sink_string(sink, name);
        } else
                sink_string(sink, "");
        sink_string(sink, is_failure ? failure_message(failure) : "");
        sink_close(sink);
}

static void get_invocation_id(const BusView *view, uint32_t parameter, Sink *sink) {
        static const uint8_t none[16];
        const uint8_t *id = unit_of(view)->invocation_id;

        sink_open(sink, 'a', "y");
        if (memcmp(id, none, sizeof(none)) != 0)
                for (size_t i = 0; i < sizeof(none); i++)
                        sink_byte(sink, id[i]);
        sink_close(sink);
}

static void get_refs(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_open(sink, 'a', "s");
        bus_foreach_peer(view->tree->peers, peer)
                bus_foreach_client(peer, client)
                        if (bus_client_has_reference(client, unit_of(view)))
                                sink_string(sink, client->name);
        sink_close(sink);
}

static void get_activation_details(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_open(sink, 'a', "(ss)");
        sink_close(sink);
}

#define RELATION(name, kind, text) { name, "as", BUS_PROPERTY_CONST, kind, get_relations, text }
#define TIME(name, which, text)                                                            \
        { name "Timestamp", "t", BUS_PROPERTY_EMITS_CHANGE, which, get_time,               \
          "When it last " text ": µs since 1970, 0 for never." },                          \
        { name "TimestampMonotonic", "t", BUS_PROPERTY_EMITS_CHANGE, (which) | TIME_IS_MONOTONIC, get_time, \
          "The same time by the monotonic clock." }

const BusProperty bus_unit_properties[] = {
        { "Id", "s", BUS_PROPERTY_CONST, 0, get_id, "Its main name." },
        { "Names", "as", BUS_PROPERTY_CONST, 0, get_names, "All its names." },
        { "Following", "s", 0, 0, get_empty_string, "Empty: no unit follows another." },
        RELATION("Requires", UNIT_REQUIRES, "Units that it requires."),
        RELATION("Requisite", UNIT_REQUISITE, "Units that must be active already."),
        RELATION("Wants", UNIT_WANTS, "Units that it wants."),
        RELATION("BindsTo", UNIT_BINDS_TO, "Units that it requires, and stops with."),
        RELATION("PartOf", UNIT_PART_OF, "Units that it is stopped and restarted with."),
        RELATION("Upholds", UNIT_UPHOLDS, "Units that it keeps running."),
        RELATION("RequiredBy", UNIT_REQUIRED_BY, "The inverse of Requires."),
        RELATION("RequisiteOf", UNIT_REQUISITE_OF, "The inverse of Requisite."),
        RELATION("WantedBy", UNIT_WANTED_BY, "The inverse of Wants."),
        RELATION("BoundBy", UNIT_BOUND_BY, "The inverse of BindsTo."),
        RELATION("UpheldBy", UNIT_UPHELD_BY, "The inverse of Upholds."),
        RELATION("ConsistsOf", UNIT_CONSISTS_OF, "The inverse of PartOf."),
        RELATION("Conflicts", UNIT_CONFLICTS, "Units that it cannot run together with."),
        RELATION("ConflictedBy", UNIT_CONFLICTED_BY, "The inverse of Conflicts."),
        RELATION("Before", UNIT_BEFORE, "Units whose jobs run after its own."),
        RELATION("After", UNIT_AFTER, "Units whose jobs run before its own."),
        RELATION("OnSuccess", UNIT_ON_SUCCESS, "Units that are started when it ends successfully."),
        RELATION("OnSuccessOf", UNIT_ON_SUCCESS_OF, "The inverse of OnSuccess."),
        RELATION("OnFailure", UNIT_ON_FAILURE, "Units that are started when it fails."),
        RELATION("OnFailureOf", UNIT_ON_FAILURE_OF, "The inverse of OnFailure."),
        RELATION("Triggers", UNIT_TRIGGERS, "Units that it starts."),
        RELATION("TriggeredBy", UNIT_TRIGGERED_BY, "The inverse of Triggers."),
        RELATION("PropagatesReloadTo", UNIT_PROPAGATES_RELOAD_TO, "Units that are reloaded with it."),
        RELATION("ReloadPropagatedFrom", UNIT_RELOAD_PROPAGATED_FROM, "The inverse of PropagatesReloadTo."),
        RELATION("PropagatesStopTo", UNIT_PROPAGATES_STOP_TO, "Units that are stopped with it."),
        RELATION("StopPropagatedFrom", UNIT_STOP_PROPAGATED_FROM, "The inverse of PropagatesStopTo."),
        RELATION("JoinsNamespaceOf", UNIT_JOINS_NAMESPACE_OF, "Units whose namespaces it shares."),
        { "InSlice", "as", BUS_PROPERTY_CONST | BUS_PROPERTY_OWN, UNIT_IN_SLICE, get_relations,
          "The slice that it is in." },
        RELATION("SliceOf", UNIT_SLICE_OF, "The units in this slice."),
        { "RequiresMountsFor", "as", BUS_PROPERTY_CONST, LIST_REQUIRES_MOUNTS_FOR, get_list,
          "Paths whose mounts it requires." },
        { "WantsMountsFor", "as", BUS_PROPERTY_CONST, LIST_WANTS_MOUNTS_FOR, get_list, "Paths whose mounts it wants." },
        { "Documentation", "as", BUS_PROPERTY_CONST, LIST_DOCUMENTATION, get_list, "URIs of its documentation." },
        { "Description", "s", BUS_PROPERTY_CONST, 0, get_description, "A description for people." },
        { "LoadState", "s", BUS_PROPERTY_CONST, 0, get_load_state,
          "\"loaded\", \"not-found\", \"bad-setting\", \"error\", \"masked\" or \"stub\"." },
        { "ActiveState", "s", BUS_PROPERTY_EMITS_CHANGE, 0, get_active_state,
          "\"inactive\", \"failed\", \"activating\", \"active\", \"reloading\", \"deactivating\" or \"maintenance\"." },
        { "FreezerState", "s", BUS_PROPERTY_EMITS_CHANGE, 0, get_freezer_state,
          "The state of its processes: \"running\", \"freezing\", \"frozen\" or \"thawing\"." },
        { "SubState", "s", BUS_PROPERTY_EMITS_CHANGE, 0, get_sub_state, "The state in terms of its type." },
        { "FragmentPath", "s", BUS_PROPERTY_CONST, TEXT_FRAGMENT_PATH, get_text,
          "Path of its main file; empty without one." },
        { "SourcePath", "s", BUS_PROPERTY_CONST, TEXT_SOURCE_PATH, get_text,
          "The file that its main file was generated from." },
        { "DropInPaths", "as", BUS_PROPERTY_CONST, LIST_DROPIN_PATHS, get_list, "Paths of its drop-ins." },
        { "UnitFileState", "s", 0, 0, get_unit_file_state, "As Manager.GetUnitFileState; empty without a file." },
        { "UnitFilePreset", "s", 0, 0, get_unit_file_preset,
          "The state by the presets, \"enabled\" or \"disabled\"; empty without a file." },
        TIME("StateChange", TIME_STATE_CHANGE, "changed its state"),
        TIME("InactiveExit", TIME_INACTIVE_EXIT, "left the inactive state"),
        TIME("ActiveEnter", TIME_ACTIVE_ENTER, "became active"),
        TIME("ActiveExit", TIME_ACTIVE_EXIT, "left the active state"),
        TIME("InactiveEnter", TIME_INACTIVE_ENTER, "became inactive"),
        { "CanStart", "b", BUS_PROPERTY_CONST, CAN_START, get_can, "Whether it can be started." },
        { "CanStop", "b", BUS_PROPERTY_CONST, CAN_STOP, get_can, "Whether it can be stopped." },
        { "CanReload", "b", BUS_PROPERTY_CONST, CAN_RELOAD, get_can, "Whether it can be reloaded." },
        { "CanIsolate", "b", BUS_PROPERTY_CONST, CAN_ISOLATE, get_can, "Whether it can be isolated." },
        { "CanClean", "as", BUS_PROPERTY_CONST, 0, get_can_clean, "The directories that Clean can remove." },
        { "CanFreeze", "b", BUS_PROPERTY_CONST, 0, get_can_freeze, "Whether its processes can be frozen." },
        { "Job", "(uo)", BUS_PROPERTY_EMITS_CHANGE | BUS_PROPERTY_OF_JOB, 0, get_job,
          "Id and path of its job; 0 and \"/\" without one." },
        { "StopWhenUnneeded", "b", BUS_PROPERTY_CONST, FLAG_STOP_WHEN_UNNEEDED, get_flag,
          "Whether it is stopped when no other unit needs it." },
        { "AccessSELinuxContext", "s", BUS_PROPERTY_CONST | BUS_PROPERTY_FOREIGN, 0, NULL, NULL },
        { "RefuseManualStart", "b", BUS_PROPERTY_CONST, FLAG_REFUSE_MANUAL_START, get_flag,
          "Whether only other units can start it." },
        { "RefuseManualStop", "b", BUS_PROPERTY_CONST, FLAG_REFUSE_MANUAL_STOP, get_flag,
          "Whether only other units can stop it." },
        { "AllowIsolate", "b", BUS_PROPERTY_CONST, FLAG_ALLOW_ISOLATE, get_flag, "Whether it may be isolated." },
        { "DefaultDependencies", "b", BUS_PROPERTY_CONST, FLAG_DEFAULT_DEPENDENCIES, get_flag,
          "Whether it has the default dependencies of its type." },
        { "OnSuccessJobMode", "s", BUS_PROPERTY_CONST, TEXT_ON_SUCCESS_JOB_MODE, get_text,
          "Mode of the jobs for OnSuccess." },
        { "OnFailureJobMode", "s", BUS_PROPERTY_CONST, TEXT_ON_FAILURE_JOB_MODE, get_text,
          "Mode of the jobs for OnFailure." },
        { "IgnoreOnIsolate", "b", BUS_PROPERTY_CONST, FLAG_IGNORE_ON_ISOLATE, get_flag,
          "Whether it stays when another unit is isolated." },
        { "NeedDaemonReload", "b", 0, 0, get_need_daemon_reload,
          "Whether its files have changed since they were read." },
        { "Markers", "as", 0, 0, get_empty_strv, "Empty: there are no markers." },
        { "JobTimeoutUSec", "t", BUS_PROPERTY_CONST, SPAN_JOB_TIMEOUT, get_span,
          "How long a job may take from its installation, in µs." },
        { "JobRunningTimeoutUSec", "t", BUS_PROPERTY_CONST, SPAN_JOB_RUNNING_TIMEOUT, get_span,
          "How long a job may run, in µs." },
        { "JobTimeoutAction", "s", BUS_PROPERTY_CONST, ACTION_JOB_TIMEOUT, get_action,
          "The action after such a timeout." },
        { "JobTimeoutRebootArgument", "s", BUS_PROPERTY_CONST, TEXT_JOB_TIMEOUT_REBOOT_ARGUMENT, get_text,
          "Argument of the reboot, if that is the action." },
        { "ConditionResult", "b", BUS_PROPERTY_EMITS_CHANGE, 0, get_condition_result,
          "Whether its conditions were met at the last start." },
        { "AssertResult", "b", BUS_PROPERTY_EMITS_CHANGE, 1, get_condition_result,
          "Whether its assertions were met at the last start." },
        TIME("Condition", TIME_CONDITION, "had its conditions tested"),
        TIME("Assert", TIME_ASSERT, "had its assertions tested"),
        { "Conditions", "a(sbbsi)", BUS_PROPERTY_INVALIDATES, 0, get_conditions,
          "Its conditions: name, whether one of these is enough, whether it is negated, parameter, result (1 met, "
          "0 untested, -1 unmet).",
          .may_change = has_conditions },
        { "Asserts", "a(sbbsi)", BUS_PROPERTY_INVALIDATES, 1, get_conditions,
          "Its assertions, in the form of Conditions.",
          .may_change = has_conditions },
        { "LoadError", "(ss)", BUS_PROPERTY_CONST, 0, get_load_error,
          "Why it could not be loaded: name of the error, message." },
        { "Transient", "b", BUS_PROPERTY_CONST, 0, get_transient, "Whether StartTransientUnit has made it." },
        { "Perpetual", "b", BUS_PROPERTY_CONST, FLAG_PERPETUAL, get_flag, "Whether it is always active." },
        { "StartLimitIntervalUSec", "t", BUS_PROPERTY_CONST, SPAN_START_LIMIT_INTERVAL, get_span,
          "The time in which starts are counted, in µs." },
        { "StartLimitBurst", "u", BUS_PROPERTY_CONST, 0, get_start_limit_burst,
          "How many starts are allowed in that time." },
        { "StartLimitAction", "s", BUS_PROPERTY_CONST, ACTION_START_LIMIT, get_action,
          "The action when there are more." },
        { "FailureAction", "s", BUS_PROPERTY_CONST, ACTION_FAILURE, get_action, "The action when it fails." },
        { "FailureActionExitStatus", "i", BUS_PROPERTY_CONST, ACTION_FAILURE, get_action_exit_status,
          "Exit status of the manager for that action; -1: that of the process." },
        { "SuccessAction", "s", BUS_PROPERTY_CONST, ACTION_SUCCESS, get_action,
          "The action when it ends successfully." },
        { "SuccessActionExitStatus", "i", BUS_PROPERTY_CONST, ACTION_SUCCESS, get_action_exit_status,
          "Exit status of the manager for that action; -1: that of the process." },
        { "RebootArgument", "s", BUS_PROPERTY_CONST, TEXT_REBOOT_ARGUMENT, get_text, "Argument of a reboot." },
        { "InvocationID", "ay", BUS_PROPERTY_EMITS_CHANGE, 0, get_invocation_id,
          "The id of its last start: 16 bytes, empty if there was none." },
        { "CollectMode", "s", BUS_PROPERTY_CONST, 0, get_collect_mode,
          "When it is unloaded: \"inactive\" or \"inactive-or-failed\"." },
        { "Refs", "as", 0, 0, get_refs, "The clients that keep it loaded." },
        { "ActivationDetails", "a(ss)", BUS_PROPERTY_EMITS_CHANGE, 0, get_activation_details, "Empty." },
        { "JobPriority", "i", BUS_PROPERTY_CONST | BUS_PROPERTY_OWN, 0, get_job_priority,
          "Ready jobs of a higher priority run first." },
        { "RestartOnDependency", "b", BUS_PROPERTY_CONST | BUS_PROPERTY_OWN, FLAG_RESTART_ON_DEPENDENCY, get_flag,
          "Whether it is started again when the unit whose failure made it fail becomes active." },
        {},
};
