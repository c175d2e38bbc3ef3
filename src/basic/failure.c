/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A failure that a person reads
 *
 * Formatting the message may itself fail for want of memory. The code is kept
 * in any case; the text of the code then stands for the message.
 */

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "basic/failure.h"
#include "basic/text.h"

void failure_deinit(Failure *failure) {
        assert(failure);

        free(failure->message);
        *failure = (Failure) {};
}

static void failure_replace(Failure *failure, int code, const char *name, char *message) {
        free(failure->message);
        *failure = (Failure) { .code = code, .name = name, .message = message };
}

int failure_set(Failure *failure, int code, const char *name, const char *format, ...) {
        char *message = NULL;
        va_list args;

        if (!failure)
                return code;

        /* The old message may be among the arguments, so it is freed after formatting. */
        va_start(args, format);
        text_vformat(&message, format, args);
        va_end(args);

        failure_replace(failure, code, name, message);
        return code;
}

int failure_copy(Failure *failure, const Failure *from) {
        assert(from);

        if (failure && failure != from)
                failure_replace(failure, from->code, from->name, from->message ? strdup(from->message) : NULL);
        return from->code;
}

const char *failure_message(const Failure *failure) {
        assert(failure);

        if (failure->message)
                return failure->message;
        if (failure->code < 0)
                return strerrordesc_np(-failure->code) ?: "Unknown error";
        return failure->name ?: "Success";
}
