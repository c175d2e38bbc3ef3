/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers of commands that judge
 */

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "manager/manager_policy.h"

#define LINE_MAX_BYTES 1024U /* of which the reason is cut to what fits */

static const struct {
        const char *word;
        RunAnswer answer;
} words[] = {
        { "READY", RUN_ANSWER_READY }, { "WAIT", RUN_ANSWER_WAIT }, { "UNKNOWN", RUN_ANSWER_WAIT },
        { "NEVER", RUN_ANSWER_NEVER }, { "SKIP", RUN_ANSWER_NEVER }, { "FAIL", RUN_ANSWER_FAIL },
        { "PENDING", RUN_ANSWER_PENDING },
};

/* The first line, or what there is of it. */
static void read_line(int fd, char line[static LINE_MAX_BYTES]) {
        size_t n = 0;
        ssize_t got;

        do {
                got = fd < 0 ? 0 : read(fd, line + n, LINE_MAX_BYTES - 1 - n);
                n += got > 0 ? (size_t) got : 0;
        } while ((got > 0 && n < LINE_MAX_BYTES - 1) || (got < 0 && errno == EINTR));
        line[n] = '\0';
        line[strcspn(line, "\r\n")] = '\0';
}

static void give_reason(char **ret_reason, const char *format, ...) printf_(2, 3);

/* Without memory there is none. */
static void give_reason(char **ret_reason, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        if (text_vformat(ret_reason, format, arguments) < 0)
                *ret_reason = NULL;
        va_end(arguments);
}

/* Ends the line after its first word, and gives the rest; "" if that cannot be told to others. */
static const char *split(char *line) {
        char *rest = line + strcspn(line, " \t");

        if (*rest)
                *rest++ = '\0';
        rest += strspn(rest, " \t");
        return text_is_utf8(rest) ? rest : "";
}

RunAnswer manager_policy_read(const ManagerPolicyEnd *end, char **ret_reason) {
        char line[LINE_MAX_BYTES];
        const char *reason;

        *ret_reason = NULL;
        if (end->problem || (end->exit < 0 && end->signal < 0 && !end->is_late))
                give_reason(ret_reason, "its command cannot be executed: %s",
                            end->problem ?: strerror(ENOMEM));
        else if (end->is_late)
                give_reason(ret_reason, "it has not answered in time");
        else if (end->signal >= 0)
                give_reason(ret_reason, "its command was ended by SIG%s", sigabbrev_np(end->signal) ?: "?");
        else if (end->exit != 0)
                give_reason(ret_reason, "its command has failed with status %d", end->exit);
        if (end->problem || end->is_late || end->exit != 0)
                return RUN_ANSWER_PENDING;
        read_line(end->answer, line);
        reason = split(line);
        for (size_t i = 0; i < ELEMENTSOF(words); i++)
                if (strcmp(words[i].word, line) == 0) {
                        if (*reason)
                                give_reason(ret_reason, "%s", reason);
                        return words[i].answer;
                }
        give_reason(ret_reason, *line ? "its answer is none of READY, WAIT, UNKNOWN, NEVER, SKIP, FAIL and PENDING"
                                      : "it has said nothing");
        return RUN_ANSWER_PENDING;
}
