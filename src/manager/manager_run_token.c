/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tokens: the right to complete a node with Callback=
 *
 * A token stands for one generation of one node: RUN.NODE.GENERATION.SECRET, the
 * node by its number. It is in the row with the first attempt of that
 * generation, and so there is no command with a token that nobody knows.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "basic/text.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_table.h"
#include "manager/manager_run_token.h"

#define SECRET_BYTES 16U

bool manager_run_read_token(const char *text, ManagerToken *ret_token) {
        int n = 0;

        return sscanf(text, "%" SCNu32 ".%" SCNu32 ".%" SCNu32 ".%n", &ret_token->run, &ret_token->node,
                      &ret_token->generation, &n) == 3 &&
               n > 0 && strlen(text + n) == 2 * (size_t) SECRET_BYTES;
}

int manager_run_make_token(ManagerRun *run, const RunNodeRow *row) {
        ManagerNodeData *data = manager_run_node_data(run, row->node);
        uint8_t secret[SECRET_BYTES];
        char hex[2 * SECRET_BYTES + 1];
        ManagerToken token;
        char *text;

        if (!run_graph_policy(manager_run_graph(run), row->node)->has_callback || row->number == 0)
                return 0;
        if (data->token && manager_run_read_token(data->token, &token) && token.generation == row->generation)
                return 0;
        if (getrandom(secret, sizeof(secret), GRND_NONBLOCK) != (ssize_t) sizeof(secret))
                return -EAGAIN;
        text_write_hex(hex, secret, sizeof(secret));
        if (text_format(&text, "%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%s", manager_run_id(run), row->node,
                        row->generation, hex) < 0)
                return -ENOMEM;
        free(data->token);
        data->token = text;
        return 0;
}

const char *manager_run_token(void *userdata, const RunAttemptKey *key) {
        const ManagerRun *run = manager_run_find(userdata, key->run);

        return run ? manager_run_node_data(run, key->node)->token : NULL;
}
