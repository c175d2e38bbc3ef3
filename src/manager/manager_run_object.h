/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The object of JSON that programs are given about a run and a node of it
 *
 * The object is the same for $JOBD_INPUT, commands that judge, callbacks and Notify=,
 * so that one program can read them all:
 *
 *     {"v":1, "event":WORD, "at":TIME,
 *      "run":{"id", "name", "unit", "state", "params", "trigger"},
 *      "node":{"name", "state", "generation", "attempt", "exit", "signal", "result", "source", "cause"},
 *      "parents":[{"name", "state", "exit", "result", "source"}, …],
 *      "context":VALUE}
 *
 * Every key is always there; what is not known is null. TIME is µs since 1970.
 * "source" is "own", "default" or null, "cause" {"node", "attempt", "exit"} of
 * the first failure or null. Without a node "node" is null and "parents" [].
 * A result of more than 32 KiB is {"file":PATH}: whoever reads it finds it
 * there as long as the run lives, or as long as the folder is there.
 */

#include "manager/manager_run.h"

typedef struct ManagerRunObject {
        const char *event; /* borrowed, as all of it: "input", "begin", "result", … */
        uint32_t run;
        uint32_t node; /* RUN_NODE_NONE: it is about the run */
        const char *context; /* a value of JSON; NULL: null */
        bool leaves_out_parents; /* "parents" is [] */
        const char *folder; /* large results get a name in it; NULL: they are named where they are */
        bool has_no_place; /* for large results: with any there is no object */
} ManagerRunObject;

/*
 * The caller owns the text. 0; -ENOENT: the run, its node, or the place of a large result is not there; -ENOMEM, or
 * another -errno of a link.
 */
int manager_run_object_write(const ManagerRuns *runs, const ManagerRunObject *object, char **ret_json);
