/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * How long nodes take
 *
 * A task of WfFormat has its time in workflow.execution.tasks, by its id;
 * before version 1.5 in workflow.tasks. The name of its node is what 'jobctl
 * flow import' makes of the id.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "sim/sim_duration.h"

static const char name_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

static int compare(const void *a, const void *b) {
        return strcmp(((const SimDuration *) a)->node, ((const SimDuration *) b)->node);
}

void sim_durations_deinit(SimDurations *durations) {
        for (size_t i = 0; i < durations->n; i++)
                free(durations->items[i].node);
        vector_deinit(durations);
}

usec_t sim_durations_get(const SimDurations *durations, const char *node) {
        const SimDuration wanted = { .node = (char *) node }, *found = NULL;

        if (durations->n > 0)
                found = bsearch(&wanted, durations->items, durations->n, sizeof(wanted), compare);
        return found ? found->time : 0;
}

static int add_task(SimDurations *durations, const json_t *task) {
        const char *id = json_string_value(json_object_get(task, "id")) ?:
                                 json_string_value(json_object_get(task, "name"));
        const json_t *time = json_object_get(task, "runtimeInSeconds") ?: json_object_get(task, "runtime");
        SimDuration duration = {};
        double seconds;
        int r;

        if (!id || !json_is_number(time))
                return 0;
        seconds = json_number_value(time);
        /* A year is enough for a task, and no rounding can pass it. */
        if (!(seconds >= 0) || seconds > 365.0 * 86400)
                return -EINVAL;
        duration.time = (usec_t) llround(seconds * (double) USEC_PER_SEC);
        if (text_copy(id, &duration.node) < 0)
                return -ENOMEM;
        for (char *at = duration.node; *(at += strspn(at, name_chars)); at++)
                *at = '_';
        r = vector_push(durations, duration);
        if (r < 0)
                free(duration.node);
        return r;
}

static int add_tasks(SimDurations *durations, const json_t *tasks, const char *path, Failure *ret_failure) {
        const json_t *task;
        size_t i;

        json_array_foreach(tasks, i, task) {
                int r = add_task(durations, task);

                if (r == -EINVAL)
                        return failure_set(ret_failure, r, "InvalidArgs",
                                           "%s: task %zu took no time that a node can take", path, i + 1);
                if (r < 0)
                        return r;
        }
        return 0;
}

int sim_durations_read(SimDurations *durations, const char *path, Failure *ret_failure) {
        cleanup_(json_decrefp) json_t *root = NULL;
        const json_t *workflow, *tasks;
        json_error_t error;
        int r;

        root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
        if (!root && error.line > 0)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s:%d: %s", path, error.line, error.text);
        if (!root)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s", error.text);
        workflow = json_object_get(root, "workflow");
        tasks = json_object_get(json_object_get(workflow, "execution"), "tasks") ?: json_object_get(workflow, "tasks");
        if (!json_is_array(tasks))
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "%s: there are no tasks in it: it is no workflow of WfCommons", path);
        r = add_tasks(durations, tasks, path, ret_failure);
        if (r == 0 && durations->n == 0)
                r = failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s: no task has a runtimeInSeconds", path);
        if (r < 0)
                sim_durations_deinit(durations);
        else
                qsort(durations->items, durations->n, sizeof(*durations->items), compare);
        return r;
}
