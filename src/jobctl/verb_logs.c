/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * logs: the output of units
 *
 * Needs no manager: the files have everything. For other verbs -f is --force
 * and -p is --property; here they are --follow and --priority, as with
 * journalctl.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/log_print.h"
#include "jobctl/names.h"
#include "jobctl/verbs.h"
#include "time/timestamp.h"

#define LINES_FOLLOWED 10U

typedef struct LogsRequest {
        LogFilter filter;
        LogFormat format;
        bool is_followed;
        char invocation[33];
        char **units;                   /* owned: names and patterns */
} LogsRequest;

static void request_deinit(LogsRequest *request) {
        strv_free(request->units);
}

static int read_time(Jobctl *ctl, const char *option, const char *text, usec_t *ret_time) {
        int r = text ? timestamp_parse(text, clock_realtime(), ret_time) : 0;

        if (r < 0 && r != -ENOMEM)
                return jobctl_misused(ctl, "'%s' is not a time for '--%s'; try \"today\", \"5min ago\" or \"18:30\".",
                                      text, option);
        return r;
}

static int read_priority(Jobctl *ctl, LogsRequest *request) {
        const char *text = ctl->options.priority ?: ctl->options.properties ? ctl->options.properties[0] : NULL;
        int level = text ? log_level_from_string(text) : LOG_LEVEL_DEBUG;

        if (level < 0)
                return jobctl_misused(ctl, "'%s' is not a priority; use one of emerg, alert, crit, err, warning, "
                                           "notice, info and debug.", text);
        request->filter.priority_max = (uint32_t) level;
        return 0;
}

static int read_lines(Jobctl *ctl, LogsRequest *request) {
        const char *text = ctl->options.lines;
        uint32_t lines = 0;

        request->is_followed = ctl->options.follow || ctl->options.n_force > 0;
        if (text && strcmp(text, "all") != 0 && text_parse_u32(text, &lines) < 0)
                return jobctl_misused(ctl, "'%s' is not a number of lines.", text);
        if (!text && request->is_followed && request->filter.since == 0)
                lines = LINES_FOLLOWED;
        request->filter.last = text && lines == 0 && strcmp(text, "all") != 0 ? LOG_LAST_NONE : lines;
        return 0;
}

static int read_format(Jobctl *ctl, LogsRequest *request) {
        const char *text = ctl->options.output ?: "short";
        int format = log_format_from_string(text);

        if (format < 0)
                return jobctl_misused(ctl, "'%s' is not a format; use one of short, iso, cat and json.", text);
        request->format = ctl->options.json ? LOG_FORMAT_JSON : (LogFormat) format;
        return 0;
}

/* Hexadecimal digits, or "last": the last invocation of the first named unit. */
static int read_invocation(Jobctl *ctl, LogsRequest *request) {
        const char *text = ctl->options.invocation;
        size_t n = 0;

        if (!text)
                return 0;
        if (strcmp(text, "last") == 0) {
                if (log_input_find_invocation(ctl, request->units[0], request->invocation) < 0)
                        strcpy(request->invocation, "-");
                request->filter.invocation = request->invocation;
                return 0;
        }
        for (const char *c = text; *c && n < 32; c++)
                if (*c != '-')
                        request->invocation[n++] = (char) (*c >= 'A' && *c <= 'F' ? *c + 'a' - 'A' : *c);
        if (n == 0 || request->invocation[strspn(request->invocation, "0123456789abcdef")])
                return jobctl_misused(ctl, "'%s' is not an invocation: use hexadecimal digits, or 'last'.", text);
        request->filter.invocation = request->invocation;
        return 0;
}

/* The manager itself is "jobd", which is not a unit. */
static int read_units(LogsRequest *request, char *const *words) {
        int r = 0;

        strv_foreach(word, words) {
                char *name = NULL;

                if (strcmp(*word, "jobd") == 0 || name_is_pattern(*word))
                        r = strv_push(&request->units, *word);
                else {
                        r = name_mangle(*word, ".service", &name);
                        r = r < 0 ? r : strv_consume(&request->units, name);
                }
                if (r < 0)
                        return r;
        }
        return 0;
}

static int read_request(Jobctl *ctl, char *const *words, LogsRequest *request) {
        int r;

        r = read_units(request, words);
        if (r == -EINVAL)
                return jobctl_misused(ctl, "That is not the name of a unit.");
        if (r == 0)
                r = read_time(ctl, "since", ctl->options.since, &request->filter.since);
        if (r == 0)
                r = read_time(ctl, "until", ctl->options.until, &request->filter.until);
        if (r == 0)
                r = read_priority(ctl, request);
        if (r == 0)
                r = read_lines(ctl, request);
        if (r == 0)
                r = read_format(ctl, request);
        return r == 0 ? read_invocation(ctl, request) : r;
}

/* The reader of the output may be gone, as with "head". */
static int print_all(Jobctl *ctl, const LogsRequest *request, LogInput *input, bool *has_printed) {
        LogEntry entry;
        int r;

        while ((r = log_input_next(input, &entry)) > 0) {
                *has_printed = true;
                r = log_print(&ctl->terminal, stdout, request->format, &entry);
                if (r < 0 || ferror(stdout))
                        return r < 0 ? r : -EPIPE;
        }
        return r < 0 ? r : fflush(stdout) < 0 ? -EPIPE : 0;
}

/*
 * Output may go elsewhere than to the log, and a unit that was never started has none; but jobd may have said why.
 */
static void say_empty(Jobctl *ctl, const LogsRequest *request, const LogInput *input) {
        bool could_be_verbose = !ctl->options.verbose && !request->filter.invocation && request->units;
        const char *output = log_input_default_output(input);
        bool is_inherited = strcmp(output, "inherit") == 0, is_dropped = strcmp(output, "null") == 0;

        strv_foreach(unit, request->units)
                could_be_verbose = could_be_verbose && !name_is_pattern(*unit) && strcmp(*unit, "jobd") != 0;
        terminal_say(stderr, "-- No lines%s%s --",
                     is_inherited ? ": without StandardOutput= output goes where that of jobd goes "
                                    "(DefaultStandardOutput=inherit)" :
                     is_dropped   ? ": without StandardOutput= output is dropped (DefaultStandardOutput=null)" : "",
                     could_be_verbose ? "; --verbose adds what jobd says of it" : "");
}

int verb_logs(Jobctl *ctl, char *const *words) {
        cleanup_(request_deinit) LogsRequest request = {};
        cleanup_(log_input_freep) LogInput *input = NULL;
        bool has_printed = false;
        int r;

        r = read_request(ctl, words, &request);
        if (r == 0)
                r = log_input_open(ctl, &request.filter, false, &input);
        if (r != 0)
                return r;
        strv_foreach(unit, request.units)
                if (r == 0)
                        r = log_input_add(input, *unit, !request.filter.invocation && strcmp(*unit, "jobd") != 0 &&
                                                        !name_is_pattern(*unit) && ctl->options.verbose);
        if (r == 0)
                r = print_all(ctl, &request, input, &has_printed);
        while (r == 0 && request.is_followed) {
                r = log_input_wait(input, USEC_INFINITY);
                if (r >= 0)
                        r = print_all(ctl, &request, input, &has_printed);
        }
        if (r == 0 && log_input_is_denied(input) && !ctl->options.quiet)
                terminal_say(stderr, "-- There is a log, but you may not read it --");
        else if (r == 0 && !has_printed && !ctl->options.quiet && request.format != LOG_FORMAT_JSON)
                say_empty(ctl, &request, input);
        return r == -EPIPE ? EXIT_OK : r;
}
