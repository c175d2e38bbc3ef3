/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * verify: errors in unit files. Needs no manager
 *
 * Uses the loader of jobd, so the messages are those of jobd.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "jobctl/verbs.h"
#include "unitfile/unit_file.h"

typedef struct Verdict {
        Jobctl *ctl;
        size_t n_warnings, n_errors;
        int error;              /* < 0 after an allocation failed */
} Verdict;

static const char *severity_name(UnitFileSeverity severity) {
        switch (severity) {
        case UNIT_FILE_NOTE:
                return "note";
        case UNIT_FILE_WARNING:
                return "warning";
        case UNIT_FILE_ERROR:
                return "error";
        }
        return "note";
}

static TerminalColor severity_color(UnitFileSeverity severity) {
        if (severity == UNIT_FILE_ERROR)
                return COLOR_RED;
        return severity == UNIT_FILE_WARNING ? COLOR_YELLOW : COLOR_NONE;
}

static int print_json(Jobctl *ctl, const UnitFileDiagnostic *diagnostic) {
        return jobctl_print_json_line(ctl, json_pack("{s:s, s:s?, s:s?, s:I, s:s?, s:s}", "severity",
                                                     severity_name(diagnostic->severity), "unit", diagnostic->unit,
                                                     "file", diagnostic->file, "line", (json_int_t) diagnostic->line,
                                                     "setting", diagnostic->setting, "message", diagnostic->message));
}

static int print_text(Jobctl *ctl, const UnitFileDiagnostic *diagnostic) {
        cleanup_free_ char *place = NULL;
        cleanup_free_ char *message = NULL;
        int r;

        r = terminal_escape(diagnostic->file ?: diagnostic->unit ?: "", &place);
        if (r == 0)
                r = terminal_escape(diagnostic->message, &message);
        if (r < 0)
                return r;
        fputs(place, stdout);
        if (diagnostic->line > 0)
                printf(":%u", diagnostic->line);
        printf(": ");
        terminal_print(&ctl->terminal, severity_color(diagnostic->severity), severity_name(diagnostic->severity));
        if (diagnostic->setting)
                printf(": %s=", diagnostic->setting);
        printf(": %s\n", message);
        return 0;
}

static void receive(void *userdata, const UnitFileDiagnostic *diagnostic) {
        Verdict *verdict = userdata;
        int r;

        verdict->n_warnings += diagnostic->severity == UNIT_FILE_WARNING;
        verdict->n_errors += diagnostic->severity == UNIT_FILE_ERROR;
        if (diagnostic->severity == UNIT_FILE_NOTE && verdict->ctl->options.quiet)
                return;
        r = verdict->ctl->options.json ? print_json(verdict->ctl, diagnostic) : print_text(verdict->ctl, diagnostic);
        if (r < 0)
                verdict->error = r;
}

static int verify_path(Jobctl *ctl, const char *path, const UnitFileOptions *options, Verdict *verdict) {
        int r = unit_file_verify(path, options);

        if (verdict->error < 0)
                return verdict->error;
        if (r >= 0)
                return 0;
        receive(verdict, &(UnitFileDiagnostic) { .severity = UNIT_FILE_ERROR, .file = path,
                                                 .message = strerror(-r) });
        return 0;
}

int verb_verify(Jobctl *ctl, char *const *words) {
        cleanup_(strv_freep) char **search_path = NULL;
        Verdict verdict = { .ctl = ctl };
        UnitFileOptions options = {
                .is_user = ctl->address.is_user, .is_thorough = true, .receiver = receive, .userdata = &verdict,
        };
        int r;

        r = unit_file_search_path(ctl->address.is_user, ctl->options.with_systemd_units, ctl->options.unit_path,
                                  &search_path);
        if (r < 0)
                return r;
        options.search_path = search_path;
        strv_foreach(word, words) {
                r = verify_path(ctl, *word, &options, &verdict);
                if (r < 0)
                        return r;
        }
        if (verdict.n_errors > 0)
                return 2;
        return verdict.n_warnings > 0 && ctl->options.strict ? EXIT_FAILED : EXIT_OK;
}
