/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The control lines of an attempt
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "manager/manager_attempt_control.h"

struct ManagerAttemptControl {
        const ManagerAttemptBasis *basis; /* borrowed */
        ManagerControlWatches *watches; /* the same */
        ManagerControl said;
        int watch; /* of the folder, which tells that more was said; -1: nobody looks before the end */
        usec_t due; /* when it is to be watched; USEC_INFINITY: it is, or is not to be */
};

int manager_attempt_control_new(ManagerAttemptControl **ret_control, const ManagerAttemptBasis *basis,
                                ManagerControlWatches *watches) {
        ManagerAttemptControl *control = calloc(1, sizeof(*control));

        if (!control)
                return -ENOMEM;
        control->basis = basis;
        control->watches = watches;
        control->watch = -1;
        control->due = USEC_INFINITY;
        manager_control_init(&control->said);
        *ret_control = control;
        return 0;
}

ManagerAttemptControl *manager_attempt_control_free(ManagerAttemptControl *control) {
        if (!control)
                return NULL;
        manager_control_unwatch(control->watches, control->watch);
        manager_control_deinit(&control->said);
        free(control);
        return NULL;
}

static int read_nodes(const ManagerAttemptBasis *basis, char *const *files, char **ret_lines, char **ret_problem) {
        if (basis->state->is_item)
                return text_format(ret_problem, "A batch has no nodes.") < 0 ? -ENOMEM : -EINVAL;
        return manager_control_read_nodes(basis->folder, files, ret_lines);
}

static int add_nodes(void *userdata, char *const *files) {
        const ManagerAttemptBasis *basis = ((ManagerAttemptControl *) userdata)->basis;
        const ManagerAttemptsHost *host = basis->host;
        cleanup_free_ char *lines = NULL, *problem = NULL;
        int r = read_nodes(basis, files, &lines, &problem);

        if (r == 0)
                r = host->ops->add_nodes(host->userdata, &basis->state->key, lines, &problem);
        /* Of several they come again in parts, until the one that is to blame stands alone. */
        if (r < 0 && !files[1])
                manager_attempt_say(basis, LOG_LEVEL_ERROR, "add-nodes %s: %s", files[0],
                                    problem       ? problem
                                    : r == -EFBIG ? "It has more than 1 MiB."
                                                  : strerror(-r));
        return r;
}

static void refuse_line(void *userdata, uint64_t line, const char *sentence) {
        manager_attempt_say(((ManagerAttemptControl *) userdata)->basis, LOG_LEVEL_WARNING,
                            "Line %" PRIu64 " of $JOBD_CONTROL is ignored: %s.", line, sentence);
}

/* The earlier core has told of it. */
static void ignore_line(void *userdata, uint64_t line, const char *sentence) {}

static const ManagerControlOps control_ops = { .add_nodes = add_nodes, .refuse = refuse_line };

static void read_lines(ManagerAttemptControl *control, bool is_over, const ManagerControlOps *ops) {
        const ManagerAttemptBasis *basis = control->basis;
        const int r = manager_control_read(&control->said, basis->folder, is_over, ops, control);

        if (r < 0)
                manager_attempt_say(basis, LOG_LEVEL_WARNING, "$JOBD_CONTROL cannot be read: %s", strerror(-r));
        if (r > 0)
                basis->host->turn->has_news = true;
}

bool manager_attempt_control_read(ManagerAttemptControl *control) {
        read_lines(control, false, &control_ops);
        return control->said.has_more;
}

static void watch(ManagerAttemptControl *control) {
        const ManagerAttemptBasis *basis = control->basis;
        sd_event *event = basis->host->turn->event;

        control->due = USEC_INFINITY;
        if (control->watch >= 0 || !event)
                return;
        control->watch = manager_control_watch(control->watches, event, basis->folder);
        if (control->watch < 0)
                manager_attempt_say(basis, LOG_LEVEL_DEBUG, "$JOBD_CONTROL is read at the end only: %s",
                                    strerror(-control->watch));
}

static void unwatch(ManagerAttemptControl *control) {
        manager_control_unwatch(control->watches, control->watch);
        control->watch = -1;
        control->due = USEC_INFINITY;
}

void manager_attempt_control_watch_later(ManagerAttemptControl *control, bool is_new) {
        ManagerTurn *turn = control->basis->host->turn;

        if (is_new)
                unwatch(control);
        if (control->watch >= 0 || control->due != USEC_INFINITY || !turn->event)
                return;
        control->due = usec_add(turn->now, MANAGER_CONTROL_DELAY);
        if (manager_control_watch_later(control->watches, turn->event, control->due) < 0)
                watch(control);
}

bool manager_attempt_control_watch_due(ManagerAttemptControl *control, usec_t now, usec_t *next) {
        if (control->due == USEC_INFINITY)
                return false;
        if (control->due > now) {
                *next = MIN(*next, control->due);
                return false;
        }
        watch(control);
        return true;
}

bool manager_attempt_control_hears(const ManagerAttemptControl *control, int watch) {
        return control->watch >= 0 && (watch < 0 || control->watch == watch);
}

bool manager_attempt_control_finish(ManagerAttemptControl *control) {
        unwatch(control);
        read_lines(control, true, &control_ops);
        return control->said.has_more;
}

/* The run has the nodes of add-nodes, or gets them now. */
void manager_attempt_control_resume(ManagerAttemptControl *control) {
        static const ManagerControlOps ops = { .add_nodes = add_nodes, .refuse = ignore_line };
        const bool is_over = control->basis->state->step == MANAGER_ATTEMPT_OVER;

        if (!is_over)
                watch(control);
        do
                read_lines(control, is_over, &ops);
        while (control->said.has_more);
}

const ManagerControl *manager_attempt_control_get(const ManagerAttemptControl *control) {
        return &control->said;
}
