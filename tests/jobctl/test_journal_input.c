/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The journal as input, with a journal of three entries in place of libsystemd's
 */

#include <errno.h>
#include <string.h>

#include <systemd/sd-journal.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/journal_input.h"

#define FIRST "11111111111111111111111111111111"
#define SECOND "22222222222222222222222222222222"
#define OF_MANAGER "33333333333333333333333333333333"

static const char *const entries[][3] = {
        { "_SYSTEMD_UNIT=a.service", "_SYSTEMD_INVOCATION_ID=" FIRST, "MESSAGE=one" },
        { "_SYSTEMD_UNIT=a.service", "_SYSTEMD_INVOCATION_ID=" SECOND, "MESSAGE=two" },
        { "_SYSTEMD_UNIT=jobd.service", "_SYSTEMD_INVOCATION_ID=" OF_MANAGER, "UNIT=a.service" },
};

static size_t n_there, position;        /* position: 1 is the first entry */

int sd_journal_open(sd_journal **ret, int flags) {
        *ret = (sd_journal *) &entries;
        return 0;
}

void sd_journal_close(sd_journal *journal) {
}

int sd_journal_add_match(sd_journal *journal, const void *data, size_t size) {
        return 0;
}

int sd_journal_add_disjunction(sd_journal *journal) {
        return 0;
}

int sd_journal_seek_tail(sd_journal *journal) {
        position = n_there + 1;
        return 0;
}

int sd_journal_previous(sd_journal *journal) {
        position -= position > 0;
        return position > 0;
}

int sd_journal_get_data(sd_journal *journal, const char *field, const void **ret_data, size_t *ret_n) {
        for (size_t i = 0; i < ELEMENTSOF(entries[0]); i++) {
                const char *data = entries[position - 1][i];

                if (strncmp(data, field, strlen(field)) == 0 && data[strlen(field)] == '=') {
                        *ret_data = data;
                        *ret_n = strlen(data);
                        return 0;
                }
        }
        return -ENOENT;
}

int sd_journal_get_realtime_usec(sd_journal *journal, uint64_t *ret) {
        *ret = position;
        return 0;
}

int sd_journal_get_monotonic_usec(sd_journal *journal, uint64_t *ret, sd_id128_t *ret_boot_id) {
        *ret = position;
        return 0;
}

Test(journal_input, finds_the_last_invocation) {
        char invocation[33] = "";

        n_there = 3;
        cr_assert(eq(int, journal_input_find_invocation(false, "a.service", invocation), 0));
        assert_string(invocation, SECOND);
        cr_assert(eq(int, journal_input_find_invocation(true, "b.service", invocation), -ENOENT));
}
