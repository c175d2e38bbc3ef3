/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Errors and results as exit statuses and sentences
 *
 * Two flat tables. The exit status of each error name is defined only here.
 */

#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/exit_status.h"

typedef struct ErrorStatus {
        const char *word;
        int status[_EXIT_SCHEME_MAX]; /* request, shared, ours */
} ErrorStatus;

static const ErrorStatus error_statuses[] = {
        { "NoSuchUnit", { EXIT_NO_SUCH, EXIT_FAILED, EXIT_NO_SUCH } },
        { "NoSuchJob", { EXIT_FAILED, EXIT_FAILED, EXIT_NO_SUCH } },
        { "UnknownObject", { EXIT_FAILED, EXIT_FAILED, EXIT_NO_SUCH } },
        { "OnlyByDependency", { EXIT_REFUSED, EXIT_FAILED, EXIT_REFUSED } },
        { "NoIsolation", { EXIT_REFUSED, EXIT_FAILED, EXIT_REFUSED } },
        { "TransactionIsDestructive", { EXIT_REFUSED, EXIT_FAILED, EXIT_REFUSED } },
        { "TransactionJobsConflicting", { EXIT_FAILED, EXIT_FAILED, EXIT_REFUSED } },
        { "TransactionOrderIsCyclic", { EXIT_FAILED, EXIT_FAILED, EXIT_REFUSED } },
        { "AccessDenied", { EXIT_REFUSED, EXIT_FAILED, EXIT_REFUSED } },
        { "InteractiveAuthorizationRequired", { EXIT_REFUSED, EXIT_FAILED, EXIT_REFUSED } },
        { "JobNotCancelable", { EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED } },
        { "UnitMasked", { EXIT_FAILED, EXIT_FAILED, EXIT_REFUSED } },
        { "BadUnitSetting", { EXIT_FAILED, EXIT_FAILED, EXIT_REFUSED } },
        { "JobTypeNotApplicable", { EXIT_NOT_APPLICABLE, EXIT_FAILED, EXIT_REFUSED } },
        { "NotSupported", { EXIT_NOT_APPLICABLE, EXIT_FAILED, EXIT_REFUSED } },
        { "LoadFailed", { EXIT_LOAD_FAILED, EXIT_FAILED, EXIT_REFUSED } },
        { "NoSuchAlarm", { EXIT_NO_SUCH, EXIT_NO_SUCH, EXIT_NO_SUCH } },
        { "NoSuchRun", { EXIT_NO_SUCH, EXIT_NO_SUCH, EXIT_NO_SUCH } },
        { "NoSuchNode", { EXIT_NO_SUCH, EXIT_NO_SUCH, EXIT_NO_SUCH } },
        { "NoSuchElement", { EXIT_NO_SUCH, EXIT_NO_SUCH, EXIT_NO_SUCH } },
        { "InvalidTransition", { EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED } },
        { "NameTaken", { EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED } },
        { "Busy", { EXIT_REFUSED, EXIT_REFUSED, EXIT_REFUSED } },
        { "StoreBusy", { EXIT_STORE_BUSY, EXIT_STORE_BUSY, EXIT_STORE_BUSY } },
        { "StoreUnavailable", { EXIT_STORE_UNAVAILABLE, EXIT_STORE_UNAVAILABLE, EXIT_STORE_UNAVAILABLE } },
        { "InvalidArgs", { EXIT_FAILED, EXIT_FAILED, EXIT_USAGE } },
        { "NoServer", { EXIT_UNREACHABLE, EXIT_UNREACHABLE, EXIT_UNREACHABLE } },
        { "Disconnected", { EXIT_UNREACHABLE, EXIT_UNREACHABLE, EXIT_UNREACHABLE } },
        { "NoReply", { EXIT_UNREACHABLE, EXIT_UNREACHABLE, EXIT_UNREACHABLE } },
};

int exit_status_of_error(const BusError *error, ExitScheme scheme) {
        for (size_t i = 0; i < ELEMENTSOF(error_statuses); i++)
                if (bus_error_is(error, error_statuses[i].word))
                        return error_statuses[i].status[scheme];
        return EXIT_FAILED;
}

int exit_status_worse(int a, int b) {
        static const int order[] = { EXIT_OK,            EXIT_RUN_PARTIAL, EXIT_RUN_SUSPENDED,
                                     EXIT_RUN_CANCELLED, EXIT_RUN_TIMEOUT, EXIT_FAILED };
        size_t place_a = 0, place_b = 0;

        while (place_a < ELEMENTSOF(order) && order[place_a] != a)
                place_a++;
        while (place_b < ELEMENTSOF(order) && order[place_b] != b)
                place_b++;
        return place_b > place_a ? b : a;
}

int exit_status_of_result(const char *result) {
        return strcmp(result, "done") == 0 || strcmp(result, "skipped") == 0 ? EXIT_OK : EXIT_FAILED;
}

typedef struct ResultText {
        const char *result;
        const char *format; /* takes the unit's name */
} ResultText;

static const ResultText result_texts[] = {
        { "canceled", "Job for %s canceled" },
        { "timeout", "Job for %s timed out" },
        { "dependency", "A dependency job for %s failed" },
        { "invalid", "%s is not active, cannot reload" },
        { "assert", "Assertion failed on job for %s" },
        { "unsupported", "Operation on or unit type of %s not supported on this system" },
        { "collected", "Queued job for %s was garbage collected" },
        { "once", "Unit %s was started already once and can't be started again" },
};

int exit_status_describe(const char *unit, const char *result, const char *detail, char **ret_sentence) {
        cleanup_(text_deinit) Text text = {};
        const char *format = NULL;

        for (size_t i = 0; i < ELEMENTSOF(result_texts); i++)
                if (strcmp(result_texts[i].result, result) == 0)
                        format = result_texts[i].format;
        if (format)
                text_addf(&text, format, unit);
        else
                text_addf(&text, "Job for %s failed", unit);
        if (!format && strcmp(result, "failed") != 0)
                text_addf(&text, " (%s)", result);
        if (*detail)
                text_addf(&text, "%s%s", detail[0] == ':' ? "" : " ", detail);
        if (!*detail || !text_ends_with(detail, "."))
                text_add_char(&text, '.');
        return text_finish(&text, ret_sentence);
}
