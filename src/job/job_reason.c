/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a job ended: the sentences
 */

#include <stdio.h>
#include <string.h>

#include "job/job_reason.h"

static const char *job_answer_text(UnitAnswer answer) {
        switch (answer) {
        case UNIT_ALREADY:
                return "the unit was in that state already";
        case UNIT_CONDITION_UNMET:
                return "a condition is not met";
        case UNIT_ASSERT_UNMET:
                return "an assertion is not met";
        case UNIT_CANNOT:
                return "the unit has no such operation";
        case UNIT_UNSUPPORTED:
                return "units of this type are not supported here";
        case UNIT_WRONG_STATE:
                return "the unit is not active";
        case UNIT_DEPENDENCY_UNMET:
                return "a unit that it binds to is not active";
        case UNIT_ONCE:
                return "the unit can't be started a second time";
        case UNIT_UNDER_WAY:
        case UNIT_NOT_NOW:
        case UNIT_OPERATION_FAILED:
        case _UNIT_ANSWER_MAX:
        case _UNIT_ANSWER_INVALID:
                return "the operation failed";
        }
        return "the operation failed";
}

static int job_end_reason_write(const JobEndReason *reason, char *buffer, size_t size) {
        const char *name = reason->name ? reason->name->string : "somebody";

        switch (reason->code) {
        case JOB_END_UNSAID:
                return 0;
        case JOB_END_ANSWER:
                return snprintf(buffer, size, "%s%s%s", job_answer_text(reason->number), reason->name ? ": " : "",
                                reason->name ? name : "");
        case JOB_END_UNIT_CHANGED:
                if (reason->name)
                        return snprintf(buffer, size, "%s", name);
                return snprintf(buffer, size, "the unit is %s", unit_active_state_to_string(reason->number));
        case JOB_END_UNIT_ACTIVE:
                return snprintf(buffer, size, "the unit is active");
        case JOB_END_UNIT_NOT_ACTIVE:
                return snprintf(buffer, size, "the unit is not active");
        case JOB_END_UNIT_GONE:
                return snprintf(buffer, size, "the unit was unloaded");
        case JOB_END_UNIT_UNUSABLE:
                return snprintf(buffer, size, "its unit cannot be used since a restart of the manager");
        case JOB_END_DEPENDENCY:
                return snprintf(buffer, size, "dependency on %s failed", name);
        case JOB_END_DEPENDENCY_OF:
                return snprintf(buffer, size, "dependency on %s", name);
        case JOB_END_REPLACED:
                return snprintf(buffer, size, "replaced in transaction %u", reason->number);
        case JOB_END_CLEARED:
                return snprintf(buffer, size, "cleared by transaction %u", reason->number);
        case JOB_END_INTERRUPTED:
                return snprintf(buffer, size, "interrupted by job %u", reason->number);
        case JOB_END_STOPPED:
                return snprintf(buffer, size, "job %u stops the unit", reason->number);
        case JOB_END_CANCELED:
                return snprintf(buffer, size, "canceled by %s", name);
        case JOB_END_TIME_LIMIT:
                return snprintf(buffer, size, "its time limit has elapsed%s%s", reason->name ? ": " : "",
                                reason->name ? name : "");
        case JOB_END_CYCLE:
                return snprintf(buffer, size, "new unit files closed an ordering cycle");
        case _JOB_END_MAX:
                break;
        }
        return 0;
}

const char *job_end_reason_format(const JobEndReason *reason, char buffer[static JOB_END_REASON_TEXT_MAX]) {
        return job_end_reason_write(reason, buffer, JOB_END_REASON_TEXT_MAX) > 0 ? buffer : NULL;
}

JobName *job_end_reason_ask(const JobEndReason *reason, const Unit *unit) {
        char unmet[JOB_END_REASON_TEXT_MAX / 2];
        const char *text = NULL;

        if (reason->code == JOB_END_ANSWER &&
            (reason->number == UNIT_CONDITION_UNMET || reason->number == UNIT_ASSERT_UNMET))
                text = unit_list_unmet(unit, unmet, sizeof(unmet));
        else if (reason->code == JOB_END_UNIT_CHANGED)
                text = unit_failure(unit);
        return text && *text ? job_name_new(text) : NULL;
}

bool job_end_reason_is_unmet(const JobEndReason *reason) {
        return reason->code == JOB_END_ANSWER && reason->name &&
               (reason->number == UNIT_CONDITION_UNMET || reason->number == UNIT_ASSERT_UNMET);
}

const char *job_end_reason_dependency(const JobEndReason *reason, size_t *ret_length) {
        if ((reason->code != JOB_END_DEPENDENCY && reason->code != JOB_END_DEPENDENCY_OF) || !reason->name)
                return NULL;
        *ret_length = strcspn(reason->name->string, " ");
        return reason->name->string;
}
