/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "jobctl/flow_makespan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "basic/heap.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/value.h"

typedef struct Task {
        usec_t span;
        usec_t first, last; /* when it, or the first of its instances, began, and the last one ended */
        bool has_place; /* its command takes one of MaxParallel= */
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
        uint64_t n_placed; /* of those that run, how many take a place */
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
        const json_t *number = name ? json_object_get(schedule->numbers, name) : NULL;

        return number ? &schedule->tasks[json_integer_value(number)] : NULL;
}

static bool takes_place(const char *action) {
        static const char *const others[] = { "job", "run", "sleep", "checkpoint" };

        for (size_t i = 0; i < ELEMENTSOF(others); i++)
                if (text_equal(action, others[i]))
                        return false;
        return true;
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

                *task = (Task) { .place = HEAP_NOWHERE,
                                 .urgency = value_u64(node, "urgency"),
                                 .first = USEC_INFINITY,
                                 .has_place = takes_place(value_string(node, "action")) };
                if (value_u64(node, "step") > 0)
                        task->node = node;
                if (json_object_set_new(schedule->numbers, value_string(node, "node"), json_integer((json_int_t) i)))
                        return -ENOMEM;
        }
        return 0;
}

/* "scan[3]" is an instance of "scan". */
static int find_row(const Schedule *schedule, const char *name, Task **ret_task) {
        const char *bracket = name ? strchr(name, '[') : NULL;
        cleanup_free_ char *base = NULL;

        *ret_task = NULL;
        if (bracket) {
                base = strndup(name, (size_t) (bracket - name));
                if (!base)
                        return -ENOMEM;
        }
        *ret_task = find(schedule, base ? base : name);
        return 0;
}

/* Of a node that was executed again the last time counts; of one with instances the time from the first to the last. */
static int read_rows(Schedule *schedule, const json_t *rows) {
        json_t *row;
        size_t i;

        json_array_foreach(rows, i, row) {
                const usec_t started = value_u64(row, "started"), ended = value_u64(row, "ended");
                Task *task;

                if (find_row(schedule, value_string(row, "node"), &task) < 0)
                        return -ENOMEM;
                if (!task || started == 0 || started == UINT64_MAX || ended == UINT64_MAX || ended < started)
                        continue;
                task->first = MIN(task->first, started);
                task->last = MAX(task->last, ended);
        }
        return 0;
}

/* A sleep takes what it says, whatever was slept before, and a node without a command no time. */
static void set_spans(Schedule *schedule, Makespan *makespan) {
        for (size_t i = 0; i < schedule->n; i++) {
                Task *task = &schedule->tasks[i];
                const char *action = task->node ? value_string(task->node, "action") : NULL;

                if (!task->node)
                        continue;
                if (text_equal(action, "sleep") && json_object_get(task->node, "sleep"))
                        task->span = value_u64(task->node, "sleep");
                else if (task->first != USEC_INFINITY)
                        task->span = task->last - task->first;
                else if (!text_equal(action, "checkpoint")) {
                        makespan->n_unknown++;
                        continue;
                }
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

static int read_edges(Schedule *schedule) {
        for (uint32_t i = 0; i < schedule->n; i++) {
                json_t *above;
                size_t k;

                if (!schedule->tasks[i].node)
                        continue;
                json_array_foreach(json_object_get(schedule->tasks[i].node, "after"), k, above) {
                        Task *task = find(schedule, json_string_value(above));

                        if (task && task->node && add_edge(schedule, task, i) < 0)
                                return -ENOMEM;
                }
        }
        return 0;
}

static int begin(Schedule *schedule, Task *task, usec_t now) {
        task->at = usec_add(now, task->span);
        schedule->n_placed += task->has_place;
        return heap_push(&schedule->running, task);
}

/* A node that takes no place begins as soon as it may. */
static int become_ready(Schedule *schedule, Task *task, usec_t now) {
        return task->has_place ? heap_push(&schedule->ready, task) : begin(schedule, task, now);
}

static int begin_ready(Schedule *schedule, usec_t now, uint64_t max_parallel) {
        Task *task;
        int r = 0;

        while (r == 0 && schedule->n_placed < max_parallel && (task = heap_peek(&schedule->ready))) {
                heap_remove(&schedule->ready, task);
                r = begin(schedule, task, now);
        }
        return r;
}

static int end_first(Schedule *schedule, Task *task, usec_t now) {
        heap_remove(&schedule->running, task);
        schedule->n_placed -= task->has_place;
        for (uint32_t i = 0; i < task->n_behind; i++) {
                Task *below = &schedule->tasks[task->behind[i]];

                if (--below->n_waits == 0 && become_ready(schedule, below, now) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int play(Schedule *schedule, uint64_t max_parallel, usec_t *ret_span) {
        usec_t now = 0;
        Task *task;
        int r = 0;

        for (size_t i = 0; r == 0 && i < schedule->n; i++)
                if (schedule->tasks[i].node && schedule->tasks[i].n_waits == 0)
                        r = become_ready(schedule, &schedule->tasks[i], now);
        if (r == 0)
                r = begin_ready(schedule, now, max_parallel);
        while (r == 0 && (task = heap_peek(&schedule->running))) {
                now = task->at;
                r = end_first(schedule, task, now);
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
        r = read_rows(&schedule, rows);
        if (r == 0)
                r = read_edges(&schedule);
        set_spans(&schedule, &makespan);
        if (r == 0)
                r = play(&schedule, max_parallel > 0 ? max_parallel : UINT64_MAX, &makespan.span);
        *ret_makespan = makespan;
        return r;
}
