/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The score of core for the out-of-memory killer, and that of services
 *
 * Core is nearly the last to be killed: it can be replaced, but serves nobody
 * meanwhile. Not the very last, as the keeper is: a core that takes all memory
 * must end. Services begin with the score that jobd was started with, those of
 * an unprivileged user with 100 more, as in systemd.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/macro.h"
#include "core/core_score.h"
#include "exec/exec_score.h"
#include "keeper/keeper_protocol.h"

#define SCORE_OF_CORE (-900)
#define MORE_OF_USERS 100

static int score_at_start(void) {
        const char *value = getenv(KEEPER_SCORE_VARIABLE);
        char text[16];

        if (value)
                return atoi(value);
        /* For the program that this one executes in its place. */
        snprintf(text, sizeof(text), "%d", exec_score_read());
        (void) setenv(KEEPER_SCORE_VARIABLE, text, 1);
        return atoi(text);
}

static int score_of_services(const CoreOptions *options, int at_start) {
        if (options->has_default_score)
                return options->default_score;
        if (options->is_user && geteuid() != 0)
                return MIN(at_start + MORE_OF_USERS, EXEC_SCORE_MAX);
        return at_start;
}

void core_score_set(const CoreOptions *options, bool is_kept) {
        const int at_start = score_at_start(), of_services = score_of_services(options, at_start);
        int r = -EACCES;

        if (is_kept)
                r = exec_score_set(MIN(at_start, SCORE_OF_CORE), of_services);
        /* Lowering it takes a privilege, which a user and most containers lack. */
        if (r < 0)
                r = exec_score_set(at_start, of_services);
        if (r < 0 && options->has_default_score)
                log_warning("DefaultOOMScoreAdjust=%d cannot be set: %s. Units have %d.", of_services, strerror(-r),
                            exec_score_of_children());
}
