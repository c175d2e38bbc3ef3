/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Signals by name
 */

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <strings.h>

#include "basic/text.h"
#include "jobctl/signal_name.h"

const char *signal_to_name(int number) {
        return (number > 0 && number < SIGRTMIN ? sigabbrev_np(number) : NULL) ?: "";
}

static int realtime_signal(const char *word) {
        int base = strncasecmp(word, "RTMIN", 5) == 0 ? SIGRTMIN : SIGRTMAX;
        int number = base, offset = 0;

        if (word[5] != '\0') {
                if (word[5] != (base == SIGRTMIN ? '+' : '-') || text_parse_i32(word + 6, &offset) < 0 || offset < 0)
                        return -EINVAL;
                number = base == SIGRTMIN ? base + offset : base - offset;
        }
        return number >= SIGRTMIN && number <= SIGRTMAX ? number : -EINVAL;
}

int signal_from_name(const char *word) {
        int number;

        if (text_parse_i32(word, &number) == 0)
                return number > 0 && number <= SIGRTMAX ? number : -EINVAL;
        if (strncasecmp(word, "SIG", 3) == 0)
                word += 3;
        if (strncasecmp(word, "RTMIN", 5) == 0 || strncasecmp(word, "RTMAX", 5) == 0)
                return realtime_signal(word);
        for (number = 1; number < SIGRTMIN; number++)
                if (*signal_to_name(number) && strcasecmp(signal_to_name(number), word) == 0)
                        return number;
        return -EINVAL;
}
