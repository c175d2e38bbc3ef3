/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * jobctl: the client of jobd
 *
 * Everything else is in a library, so that tests can call it.
 */

#include "jobctl/verbs.h"

int main(int argc, char *argv[]) {
        return jobctl_run(argv + (argc > 0));
}
