/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The control of tools/check-hardening: a buffer on the stack, and a call that is checked
 */

#include <stdio.h>
#include <string.h>

int main(int argc, char *argv[]) {
        char text[32] = "";

        memcpy(text, argv[0], strnlen(argv[0], sizeof(text) - 1));
        return printf("%s\n", text) < 0;
}
