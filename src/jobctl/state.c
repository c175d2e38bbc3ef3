/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The appearance of states
 *
 * The marks are those of systemctl, which people know.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "basic/macro.h"
#include "jobctl/state.h"

typedef struct StateLook {
        const char *state;
        TerminalColor color;
        const char *dot, *ascii;
} StateLook;

static const StateLook looks[] = {
        { "active", COLOR_GREEN, "●", "*" },
        { "reloading", COLOR_GREEN, "↻", "r" },
        { "inactive", COLOR_NONE, "○", " " },
        { "failed", COLOR_RED, "×", "x" },
        { "activating", COLOR_YELLOW, "●", "*" },
        { "deactivating", COLOR_YELLOW, "●", "*" },
        { "maintenance", COLOR_YELLOW, "○", "m" },
        { "not-found", COLOR_YELLOW, "○", " " },
        { "bad-setting", COLOR_RED, "×", "x" },
        { "error", COLOR_RED, "×", "x" },
        { "masked", COLOR_GREY, "○", " " },
        { "running", COLOR_GREEN, "●", "*" },
        { "degraded", COLOR_RED, "●", "*" },
        { "enabled", COLOR_GREEN, "●", "*" },
        { "enabled-runtime", COLOR_GREEN, "●", "*" },
};

static const StateLook *look_of(const char *state) {
        for (size_t i = 0; i < ELEMENTSOF(looks); i++)
                if (strcmp(looks[i].state, state) == 0)
                        return &looks[i];
        return NULL;
}

TerminalColor state_color(const char *state) {
        const StateLook *look = look_of(state);

        return look ? look->color : COLOR_NONE;
}

const char *state_dot(const Terminal *terminal, const char *active_state) {
        const StateLook *look = look_of(active_state);

        if (terminal->has_utf8)
                return look ? look->dot : "●";
        return look ? look->ascii : "*";
}

const char *state_format_date(usec_t realtime, char buffer[static STATE_TIME_MAX]) {
        time_t seconds = (time_t) (realtime / USEC_PER_SEC);
        struct tm parts;

        buffer[0] = '\0';
        if (realtime > 0 && localtime_r(&seconds, &parts))
                strftime(buffer, STATE_TIME_MAX, "%a %Y-%m-%d %H:%M:%S %Z", &parts);
        return buffer;
}

const char *state_format_span(usec_t span, char buffer[static USEC_FORMAT_MAX]) {
        return usec_format(span - span % (span >= USEC_PER_SEC ? USEC_PER_SEC : USEC_PER_MSEC), buffer);
}

const char *state_format_time(usec_t realtime, usec_t now, char buffer[static STATE_TIME_MAX]) {
        char span[USEC_FORMAT_MAX];
        size_t n;

        state_format_date(realtime, buffer);
        n = strlen(buffer);
        if (n == 0)
                return buffer;
        snprintf(buffer + n, STATE_TIME_MAX - n, "; %s ago", state_format_span(usec_sub(now, realtime), span));
        return buffer;
}
