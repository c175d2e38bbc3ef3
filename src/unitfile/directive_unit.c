/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Unit]
 *
 * An empty assignment does not reset dependencies, unlike conditions and all
 * other lists. Two directives are jobd's own: JobPriority= and
 * RestartOnDependency=.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/condition.h"
#include "unitfile/directive_value.h"
#include "unitfile/file_word.h"
#include "unitfile/unit_draft.h"

/* Adds a relation to a template, which gets this unit's instance. */
static int parse_relation_template(const DirectiveLine *line, const char *template) {
        cleanup_free_ char *name = NULL;
        int r = unit_draft_resolve_template(line->target->draft, template, &name);

        if (r == -EINVAL) {
                directive_note(line, UNIT_FILE_WARNING, "'%s' cannot be given an instance name; it is "
                                                        "ignored.", template);
                return 0;
        }
        return r < 0 ? r :
                unit_draft_add_relation(line->target->draft, line->directive->argument, name, line->file, line->line,
                                                   NULL);
}

static int parse_relation_word(const DirectiveLine *line, const char *word) {
        cleanup_free_ char *expanded = NULL;

        if (strchr(word, '%')) {
                int r = directive_expand(line, word, &expanded);

                if (r <= 0)
                        return r;
                word = expanded;
        }
        if (!unit_name_is_valid(word)) {
                directive_note(line, UNIT_FILE_WARNING, "'%s' is not a unit name%s; it is ignored.", word,
                               directive_unit_name_hint(word));
                return 0;
        }
        if (strchr(word, '@') && unit_name_is_template(word))
                return parse_relation_template(line, word);
        return unit_draft_add_relation(line->target->draft, line->directive->argument, word, line->file, line->line,
                                       NULL);
}

static int parse_relation(const DirectiveLine *line, const char *value) {
        const char *at = value;

        if (!*value)
                directive_note(line, UNIT_FILE_NOTE, "An empty assignment does not reset dependencies; the line is "
                                                     "ignored.");
        for (;;) {
                cleanup_free_ char *word = NULL;
                int r = file_word_next(&at, FILE_WORD_UNQUOTE | FILE_WORD_KEEP_ESCAPES, &word);

                if (r == -EINVAL)
                        return directive_complain(line, "'%s' has an unclosed quote", at);
                if (r <= 0)
                        return r;
                r = parse_relation_word(line, word);
                if (r < 0)
                        return r;
        }
}

/* JobTimeoutSec= also sets the running timeout, unless that was set explicitly. */
static int parse_job_timeout(const DirectiveLine *line, const char *value) {
        UnitSettings *settings = directive_base(line, DIRECTIVE_IN_UNIT);
        int r = directive_parse_time_limit(line, value);

        if (!settings->has_job_running_timeout)
                settings->job_running_timeout = settings->job_timeout;
        return r;
}

static int parse_job_running_timeout(const DirectiveLine *line, const char *value) {
        UnitSettings *settings = directive_base(line, DIRECTIVE_IN_UNIT);

        settings->has_job_running_timeout = true;
        return directive_parse_time_limit(line, value);
}

/* An empty value sets the default. */
static int parse_job_mode(const DirectiveLine *line, const char *value) {
        int mode = *value ? job_mode_from_string(value) : line->directive->argument;

        if (mode < 0)
                return directive_complain(line, "'%s' is not a job mode such as replace, fail or isolate", value);
        *(JobMode *) directive_field(line) = (JobMode) mode;
        return 0;
}

/* OnFailureIsolate=yes is the old spelling of OnFailureJobMode=isolate. */
static int parse_on_failure_isolate(const DirectiveLine *line, const char *value) {
        int r = text_parse_bool(value);

        if (r < 0)
                return directive_complain(line, "'%s' is neither 'yes' nor 'no'", value);
        *(JobMode *) directive_field(line) = r > 0 ? JOB_ISOLATE : JOB_REPLACE;
        return 0;
}

static int parse_action_status(const DirectiveLine *line, const char *value) {
        int32_t status;

        if (!*value)
                status = -1;
        else if (text_parse_i32(value, &status) < 0 || status < 0 || status > 255)
                return directive_complain(line, "'%s' is not an exit status (0 to 255)", value);
        *(int32_t *) directive_field(line) = status;
        return 0;
}

static void condition_list_clear(UnitCondition **list, bool asserts) {
        while (*list) {
                UnitCondition *condition = *list;

                if (condition->is_assert != asserts) {
                        list = &condition->next;
                        continue;
                }
                *list = condition->next;
                free(condition->parameter);
                free(condition);
        }
}

static int parse_condition(const DirectiveLine *line, const char *value) {
        UnitRareSettings *rare = directive_base(line, DIRECTIVE_IN_UNIT_RARE);
        UnitCondition **end = &rare->conditions, *condition;
        bool is_assert = text_starts_with(line->directive->name, "Assert"), is_trigger, is_negated;
        cleanup_free_ char *parameter = NULL;
        int r;

        if (!*value) {
                condition_list_clear(end, is_assert);
                return 0;
        }
        is_trigger = *value == '|';
        value += is_trigger;
        value += strspn(value, " \t");
        is_negated = *value == '!';
        value += is_negated;
        value += strspn(value, " \t");
        if (condition_takes_path(line->directive->name))
                r = directive_expand_path(line, value, &parameter);
        else if (text_ends_with(line->directive->name, "Pressure"))
                r = (parameter = strdup(value)) ? 1 : -ENOMEM;  /* "20%" is no specifier */
        else
                r = directive_expand(line, value, &parameter);
        if (r <= 0)
                return r;
        condition = malloc(sizeof(*condition));
        if (!condition)
                return -ENOMEM;
        *condition = (UnitCondition) {
                .directive = line->directive->name,
                .parameter = take_ptr(parameter),
                .is_assert = is_assert,
                .is_trigger = is_trigger,
                .is_negated = is_negated,
                .line = line->line,
        };
        while (*end)
                end = &(*end)->next;
        *end = condition;
        return 0;
}

#define RELATION(name_, kind_) DIRECTIVE_OTHER(name_, parse_relation, DIRECTIVE_IN_UNIT, .argument = kind_)
#define OLD_RELATION(name_, kind_, renamed_to_) \
        DIRECTIVE_OTHER(name_, parse_relation, DIRECTIVE_IN_UNIT, .argument = kind_, .renamed_to = renamed_to_)
#define CONDITION(name_) DIRECTIVE_OTHER(name_, parse_condition, DIRECTIVE_IN_UNIT_RARE)
#define ACTION(name_, field_) \
        DIRECTIVE_RARE(name_, directive_parse_enum, field_, .from_string = unit_action_from_string)
#define STATUS(name_, field_) DIRECTIVE_RARE(name_, parse_action_status, field_)
#define FLAG(name_, field_) DIRECTIVE_UNIT(name_, directive_parse_bool, field_)

const Directive unit_directives[] = {
        RELATION("After", UNIT_AFTER),
        FLAG("AllowIsolate", allow_isolate),
        CONDITION("AssertACPower"),
        CONDITION("AssertArchitecture"),
        CONDITION("AssertCPUFeature"),
        CONDITION("AssertCPUPressure"),
        CONDITION("AssertCPUs"),
        CONDITION("AssertCapability"),
        CONDITION("AssertControlGroupController"),
        CONDITION("AssertCredential"),
        CONDITION("AssertDirectoryNotEmpty"),
        CONDITION("AssertEnvironment"),
        CONDITION("AssertFileIsExecutable"),
        CONDITION("AssertFileNotEmpty"),
        CONDITION("AssertFirmware"),
        CONDITION("AssertFirstBoot"),
        CONDITION("AssertGroup"),
        CONDITION("AssertHost"),
        CONDITION("AssertIOPressure"),
        CONDITION("AssertKernelCommandLine"),
        CONDITION("AssertKernelModuleLoaded"),
        CONDITION("AssertKernelVersion"),
        CONDITION("AssertMemory"),
        CONDITION("AssertMemoryPressure"),
        CONDITION("AssertNeedsUpdate"),
        CONDITION("AssertOSRelease"),
        CONDITION("AssertPathExists"),
        CONDITION("AssertPathExistsGlob"),
        CONDITION("AssertPathIsDirectory"),
        CONDITION("AssertPathIsEncrypted"),
        CONDITION("AssertPathIsMountPoint"),
        CONDITION("AssertPathIsReadWrite"),
        CONDITION("AssertPathIsSymbolicLink"),
        CONDITION("AssertSecurity"),
        CONDITION("AssertUser"),
        CONDITION("AssertVersion"),
        CONDITION("AssertVirtualization"),
        RELATION("Before", UNIT_BEFORE),
        OLD_RELATION("BindTo", UNIT_BINDS_TO, "BindsTo"),
        RELATION("BindsTo", UNIT_BINDS_TO),
        DIRECTIVE_UNIT("CollectMode", directive_parse_enum, collect_mode, .from_string = unit_collect_mode_from_string),
        CONDITION("ConditionACPower"),
        CONDITION("ConditionArchitecture"),
        CONDITION("ConditionCPUFeature"),
        CONDITION("ConditionCPUPressure"),
        CONDITION("ConditionCPUs"),
        CONDITION("ConditionCapability"),
        CONDITION("ConditionControlGroupController"),
        CONDITION("ConditionCredential"),
        CONDITION("ConditionDirectoryNotEmpty"),
        CONDITION("ConditionEnvironment"),
        CONDITION("ConditionFileIsExecutable"),
        CONDITION("ConditionFileNotEmpty"),
        CONDITION("ConditionFirmware"),
        CONDITION("ConditionFirstBoot"),
        CONDITION("ConditionGroup"),
        CONDITION("ConditionHost"),
        CONDITION("ConditionIOPressure"),
        CONDITION("ConditionKernelCommandLine"),
        CONDITION("ConditionKernelModuleLoaded"),
        CONDITION("ConditionKernelVersion"),
        CONDITION("ConditionMemory"),
        CONDITION("ConditionMemoryPressure"),
        CONDITION("ConditionNeedsUpdate"),
        CONDITION("ConditionOSRelease"),
        CONDITION("ConditionPathExists"),
        CONDITION("ConditionPathExistsGlob"),
        CONDITION("ConditionPathIsDirectory"),
        CONDITION("ConditionPathIsEncrypted"),
        CONDITION("ConditionPathIsMountPoint"),
        CONDITION("ConditionPathIsReadWrite"),
        CONDITION("ConditionPathIsSymbolicLink"),
        CONDITION("ConditionSecurity"),
        CONDITION("ConditionUser"),
        CONDITION("ConditionVersion"),
        CONDITION("ConditionVirtualization"),
        RELATION("Conflicts", UNIT_CONFLICTS),
        FLAG("DefaultDependencies", default_dependencies),
        DIRECTIVE_UNIT("Description", directive_parse_string, description),
        DIRECTIVE_RARE("Documentation", directive_parse_strings, documentation),
        ACTION("FailureAction", failure_action),
        STATUS("FailureActionExitStatus", failure_action_exit_status),
        FLAG("IgnoreOnIsolate", ignore_on_isolate),
        DIRECTIVE_IGNORE("IgnoreOnSnapshot", "there are no snapshots"),
        DIRECTIVE_UNIT("JobPriority", directive_parse_i32, job_priority),
        DIRECTIVE_UNIT("JobRunningTimeoutSec", parse_job_running_timeout, job_running_timeout),
        ACTION("JobTimeoutAction", job_timeout_action),
        DIRECTIVE_RARE("JobTimeoutRebootArgument", directive_parse_string, job_timeout_reboot_argument),
        DIRECTIVE_UNIT("JobTimeoutSec", parse_job_timeout, job_timeout),
        RELATION("JoinsNamespaceOf", UNIT_JOINS_NAMESPACE_OF),
        RELATION("OnFailure", UNIT_ON_FAILURE),
        DIRECTIVE_RARE("OnFailureIsolate", parse_on_failure_isolate, on_failure_job_mode,
                       .renamed_to = "OnFailureJobMode"),
        DIRECTIVE_RARE("OnFailureJobMode", parse_job_mode, on_failure_job_mode, .argument = JOB_REPLACE),
        RELATION("OnSuccess", UNIT_ON_SUCCESS),
        DIRECTIVE_RARE("OnSuccessJobMode", parse_job_mode, on_success_job_mode, .argument = JOB_FAIL),
        RELATION("PartOf", UNIT_PART_OF),
        OLD_RELATION("PropagateReloadFrom", UNIT_RELOAD_PROPAGATED_FROM, "ReloadPropagatedFrom"),
        OLD_RELATION("PropagateReloadTo", UNIT_PROPAGATES_RELOAD_TO, "PropagatesReloadTo"),
        RELATION("PropagatesReloadTo", UNIT_PROPAGATES_RELOAD_TO),
        RELATION("PropagatesStopTo", UNIT_PROPAGATES_STOP_TO),
        DIRECTIVE_RARE("RebootArgument", directive_parse_string, reboot_argument),
        FLAG("RefuseManualStart", refuse_manual_start),
        FLAG("RefuseManualStop", refuse_manual_stop),
        RELATION("ReloadPropagatedFrom", UNIT_RELOAD_PROPAGATED_FROM),
        RELATION("Requires", UNIT_REQUIRES),
        DIRECTIVE_RARE("RequiresMountsFor", directive_parse_paths, requires_mounts_for),
        OLD_RELATION("RequiresOverridable", UNIT_REQUIRES, "Requires"),
        RELATION("Requisite", UNIT_REQUISITE),
        OLD_RELATION("RequisiteOverridable", UNIT_REQUISITE, "Requisite"),
        FLAG("RestartOnDependency", restart_on_dependency),
        DIRECTIVE_RARE("SourcePath", directive_parse_path, source_path),
        ACTION("StartLimitAction", start_limit_action),
        DIRECTIVE_UNIT("StartLimitBurst", directive_parse_u32, start_limit_burst),
        DIRECTIVE_UNIT("StartLimitInterval", directive_parse_seconds, start_limit_interval,
                       .renamed_to = "StartLimitIntervalSec"),
        DIRECTIVE_UNIT("StartLimitIntervalSec", directive_parse_seconds, start_limit_interval),
        RELATION("StopPropagatedFrom", UNIT_STOP_PROPAGATED_FROM),
        FLAG("StopWhenUnneeded", stop_when_unneeded),
        ACTION("SuccessAction", success_action),
        STATUS("SuccessActionExitStatus", success_action_exit_status),
        DIRECTIVE_IGNORE("SurviveFinalKillSignal", "it is about the last kill before the machine goes down"),
        RELATION("Upholds", UNIT_UPHOLDS),
        RELATION("Wants", UNIT_WANTS),
        DIRECTIVE_RARE("WantsMountsFor", directive_parse_paths, wants_mounts_for),
};

const size_t unit_directives_n = ELEMENTSOF(unit_directives);
