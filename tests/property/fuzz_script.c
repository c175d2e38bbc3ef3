/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A case as unit files
 */

#include <string.h>

#include "fuzz_case.h"

static void write_flag(FuzzText *file, bool is_set, const char *setting) {
        if (is_set)
                fuzz_add(file, "%s=yes\n", setting);
}

static void write_mode(FuzzText *file, JobMode mode, JobMode usual, const char *setting) {
        if (mode != usual)
                fuzz_add(file, "%s=%s\n", setting, job_mode_to_string(mode));
}

static void write_settings(FuzzText *file, const FuzzUnit *unit) {
        write_flag(file, unit->allows_isolate, "AllowIsolate");
        write_flag(file, unit->ignores_isolate, "IgnoreOnIsolate");
        write_flag(file, unit->stops_when_unneeded, "StopWhenUnneeded");
        write_flag(file, unit->restarts_on_dependency, "RestartOnDependency");
        write_flag(file, unit->refuses_start, "RefuseManualStart");
        write_flag(file, unit->refuses_stop, "RefuseManualStop");
        if (unit->is_perpetual)
                fuzz_add(file, "# and it can't be stopped, which no file can say\n");
        if (unit->load == UNIT_BAD_SETTING || unit->load == UNIT_ERROR)
                fuzz_add(file, "# and it is %s, which no file can say\n", unit_load_state_to_string(unit->load));
        if (unit->priority != 0)
                fuzz_add(file, "JobPriority=%d\n", unit->priority);
        if (unit->timeout > 0)
                fuzz_add(file, "JobTimeoutSec=%us\n", unit->timeout);
        if (unit->running_timeout > 0)
                fuzz_add(file, "JobRunningTimeoutSec=%us\n", unit->running_timeout);
        write_mode(file, unit->on_failure_mode, JOB_REPLACE, "OnFailureJobMode");
        write_mode(file, unit->on_success_mode, JOB_FAIL, "OnSuccessJobMode");
}

void fuzz_write_unit(const FuzzCase *fuzz, int unit, FuzzText *file) {
        fuzz_add(file, "[Unit]\n");
        for (unsigned i = 0; i < fuzz->n_relations; i++)
                if (fuzz->relations[i].unit == unit)
                        fuzz_add(file, "%s%s=%s\n", fuzz->relations[i].kind == UNIT_TRIGGERS ? "# no file can say " : "",
                                  unit_relation_to_string(fuzz->relations[i].kind),
                                  fuzz_unit_name(fuzz->relations[i].other));
        write_settings(file, &fuzz->units[unit]);
        fuzz_add(file, "\n[Service]\nExecStart=true\n");
        if (fuzz->units[unit].can_reload)
                fuzz_add(file, "ExecReload=true\n");
}

unsigned fuzz_count_lines(const char *script) {
        unsigned n = 0;

        for (const char *line = script; *line; line++) {
                const char *end = strchrnul(line, '\n');

                n += end > line && *line != '#';
                line = end;
                if (!*end)
                        break;
        }
        return n;
}
