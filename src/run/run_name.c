/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Names of runs
 */

#include <string.h>

#include "basic/text.h"
#include "run/run_name.h"

static bool has_control(const char *name) {
        for (const unsigned char *at = (const unsigned char *) name; *at; at++)
                /* In UTF-8 C2 80 to C2 9F are control characters, too. */
                if (*at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0))
                        return true;
        return false;
}

const char *run_name_judge(const char *name) {
        if (!*name)
                return "is empty";
        if (strlen(name) > RUN_NAME_MAX)
                return "has more than 255 bytes";
        if (!text_is_utf8(name))
                return "is not UTF-8";
        if (has_control(name))
                return "has a control character";
        if (strchr(name, '/'))
                return "has a '/', which is between a run and its node";
        return name[strspn(name, "0123456789")] ? NULL : "is a number, as those that jobd gives to runs";
}
