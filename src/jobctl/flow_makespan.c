/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "jobctl/flow_makespan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "basic/heap.h"
#include "basic/macro.h"
#include "jobctl/value.h"

typedef struct Task {
        usec_t span;
        usec_t at; /* when it may begin, and, once it runs, when it ends */
        uint64_t urgency;
        uint32_t n_waits; /* for so many tasks */
        uint32_t place;
        const json_t *node; /* of the plan; NULL: it does not begin */
        uint32_t *behind; /* owned: those that wait for it */
        uint32_t n_behind;
} Task;

typedef struct Schedule {
        Task *tasks; /* owned */
        size_t n;
        json_t *numbers; /* owned: of nodes, by name */
        Heap ready, running;
} Schedule;

static uint32_t *place_of(void *element) {
        return &((Task *) element)->place;
}

static int compare_urgency(const void *a, const void *b) {
        const Task *left = a, *right = b;

        return (left->urgency > right->urgency) - (left->urgency < right->urgency);
}

static int compare_end(const void *a, const void *b) {
        const Task *left = a, *right = b;

        return (left->at > right->at) - (left->at < right->at);
}

static void schedule_deinit(Schedule *schedule) {
        for (size_t i = 0; schedule->tasks && i < schedule->n; i++)
                free(schedule->tasks[i].behind);
        free(schedule->tasks);
        json_decref(schedule->numbers);
        heap_deinit(&schedule->ready);
        heap_deinit(&schedule->running);
}

static Task *find(const Schedule *schedule, const char *name) {
        const json_t *number = json_object_get(schedule->numbers, name);

        return number ? &schedule->tasks[json_integer_value(number)] : NULL;
}

static int schedule_init(Schedule *schedule, const json_t *nodes) {
        json_t *node;
        size_t i;

        *schedule = (Schedule) { .n = json_array_size(nodes), .numbers = json_object() };
        heap_init(&schedule->ready, compare_urgency, place_of);
        heap_init(&schedule->running, compare_end, place_of);
        schedule->tasks = calloc(schedule->n + 1, sizeof(*schedule->tasks));
        if (!schedule->tasks || heap_reserve(&schedule->ready, schedule->n) < 0 ||
            heap_reserve(&schedule->running, schedule->n) < 0)
                return -ENOMEM;
        json_array_foreach(nodes, i, node) {
                Task *task = &schedule->tasks[i];

                *task = (Task) { .place = HEAP_NOWHERE, .urgency = value_u64(node, "urgency") };
                if (value_u64(node, "step") > 0)
                        task->node = node;
                if (json_object_set_new(schedule->numbers, value_string(node, "node"), json_integer((json_int_t) i)))
                        return -ENOMEM;
        }
        return 0;
}

/* A node that was executed twice counts once, from its first beginning to its last end. */
static void read_spans(Schedule *schedule, const json_t *rows, Makespan *makespan) {
        json_t *row;
        size_t i;

        json_array_foreach(rows, i, row) {
                const usec_t started = value_u64(row, "started"), ended = value_u64(row, "ended");
                Task *task = find(schedule, value_string(row, "node"));

                if (!task || !task->node || started == 0 || started == UINT64_MAX || ended == UINT64_MAX ||
                    ended < started)
                        continue;
                task->span = ended - started;
                makespan->n_known++;
        }
}

static int add_edge(Schedule *schedule, Task *above, uint32_t below) {
        uint32_t *behind = above->behind;

        /* Grows at each power of two. */
        if ((above->n_behind & (above->n_behind - 1)) == 0) {
                behind = reallocarray(behind, above->n_behind > 0 ? (size_t) above->n_behind * 2 : 1, sizeof(*behind));
                if (!behind)
                        return -ENOMEM;
                above->behind = behind;
        }
        behind[above->n_behind++] = below;
        schedule->tasks[below].n_waits++;
        return 0;
}

static int read_edges(Schedule *schedule, Makespan *makespan) {
        uint32_t n_begin = 0;

        for (uint32_t i = 0; i < schedule->n; i++) {
                json_t *above;
                size_t k;

                if (!schedule->tasks[i].node)
                        continue;
                n_begin++;
                json_array_foreach(json_object_get(schedule->tasks[i].node, "after"), k, above) {
                        Task *task = find(schedule, json_string_value(above));

                        if (task && task->node && add_edge(schedule, task, i) < 0)
                                return -ENOMEM;
                }
        }
        makespan->n_unknown = n_begin - makespan->n_known;
        return 0;
}

static int begin_ready(Schedule *schedule, usec_t now, size_t max_parallel) {
        Task *task;

        while (schedule->running.n < max_parallel && (task = heap_peek(&schedule->ready))) {
                heap_remove(&schedule->ready, task);
                task->at = now + task->span;
                if (heap_push(&schedule->running, task) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int end_first(Schedule *schedule, Task *task) {
        heap_remove(&schedule->running, task);
        for (uint32_t i = 0; i < task->n_behind; i++) {
                Task *below = &schedule->tasks[task->behind[i]];

                if (--below->n_waits == 0 && heap_push(&schedule->ready, below) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int play(Schedule *schedule, size_t max_parallel, usec_t *ret_span) {
        usec_t now = 0;
        Task *task;
        int r = 0;

        for (size_t i = 0; r == 0 && i < schedule->n; i++)
                if (schedule->tasks[i].node && schedule->tasks[i].n_waits == 0)
                        r = heap_push(&schedule->ready, &schedule->tasks[i]);
        if (r == 0)
                r = begin_ready(schedule, now, max_parallel);
        while (r == 0 && (task = heap_peek(&schedule->running))) {
                now = task->at;
                r = end_first(schedule, task);
                if (r == 0)
                        r = begin_ready(schedule, now, max_parallel);
        }
        *ret_span = now;
        return r;
}

int flow_makespan(const json_t *plan, const json_t *rows, Makespan *ret_makespan) {
        cleanup_(schedule_deinit) Schedule schedule;
        const uint64_t max_parallel = value_u64(plan, "max_parallel");
        Makespan makespan = {};
        int r = schedule_init(&schedule, json_object_get(plan, "nodes"));

        if (r < 0)
                return r;
        read_spans(&schedule, rows, &makespan);
        r = read_edges(&schedule, &makespan);
        if (r == 0)
                r = play(&schedule, max_parallel > 0 && max_parallel < SIZE_MAX ? (size_t) max_parallel : SIZE_MAX,
                         &makespan.span);
        *ret_makespan = makespan;
        return r;
}
