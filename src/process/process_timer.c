/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timers of owners
 *
 * A heap gives the next deadline, to which the loop sets its one event source
 * at the end of a turn. So setting or clearing a timer costs no system call,
 * even for a service that extends its time limit a thousand times a second.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "basic/heap.h"
#include "process/process_timer.h"

/* Timers handled in one turn; others wait for the next. */
#define TIMERS_A_TURN 256U

typedef struct ProcessTimer {
        ProcessOwner *owner;            /* borrowed */
        UnitPurpose purpose;
        usec_t deadline;
        uint32_t place;                 /* in ProcessTimers.heap */
        struct ProcessTimer *next;      /* of the same owner */
} ProcessTimer;

struct ProcessTimers {
        Heap heap;                      /* ProcessTimer.place; owned by their owners' lists */
};

static int timer_compare(const void *a, const void *b) {
        const ProcessTimer *first = a, *second = b;

        return (first->deadline > second->deadline) - (first->deadline < second->deadline);
}

static uint32_t *timer_place(void *timer) {
        return &((ProcessTimer *) timer)->place;
}

int process_timers_new(ProcessTimers **ret_timers) {
        ProcessTimers *timers = calloc(1, sizeof(*timers));

        if (!timers)
                return -ENOMEM;
        heap_init(&timers->heap, timer_compare, timer_place);
        *ret_timers = timers;
        return 0;
}

ProcessTimers *process_timers_free(ProcessTimers *timers) {
        if (!timers)
                return NULL;
        assert(timers->heap.n == 0);
        heap_deinit(&timers->heap);
        free(timers);
        return NULL;
}

static ProcessTimer **timer_slot(ProcessOwner *owner, UnitPurpose purpose) {
        ProcessTimer **slot = &owner->timers;

        while (*slot && (*slot)->purpose != purpose)
                slot = &(*slot)->next;
        return slot;
}

bool process_timers_has(const ProcessOwner *owner, UnitPurpose purpose) {
        const ProcessTimer *timer = owner->timers;

        while (timer && timer->purpose != purpose)
                timer = timer->next;
        return timer;
}

static void remove_timer(ProcessTimers *timers, ProcessTimer **slot) {
        ProcessTimer *timer = *slot;

        heap_remove(&timers->heap, timer);
        *slot = timer->next;
        free(timer);
}

static int add_timer(ProcessTimers *timers, ProcessTimer **slot, const ProcessTimer *wanted) {
        ProcessTimer *timer;
        int r;

        timer = malloc(sizeof(*timer));
        if (!timer)
                return -ENOMEM;
        *timer = *wanted;
        r = heap_push(&timers->heap, timer);
        if (r < 0) {
                free(timer);
                return r;
        }
        *slot = timer;
        return 0;
}

int process_timers_set(ProcessTimers *timers, ProcessOwner *owner, UnitPurpose purpose, usec_t deadline) {
        ProcessTimer **slot;

        process_owner_changed(owner);
        slot = timer_slot(owner, purpose);
        if (deadline == USEC_INFINITY) {
                if (*slot)
                        remove_timer(timers, slot);
                return 0;
        }
        if (!*slot)
                return add_timer(timers, slot, &(ProcessTimer) {
                        .owner = owner, .purpose = purpose, .deadline = deadline, .place = HEAP_NOWHERE });
        (*slot)->deadline = deadline;
        heap_moved(&timers->heap, *slot);
        return 0;
}

void process_timers_forget_owner(ProcessTimers *timers, ProcessOwner *owner) {
        while (owner->timers)
                remove_timer(timers, &owner->timers);
}

size_t process_timers_count(const ProcessTimers *timers) {
        return timers->heap.n;
}

usec_t process_timers_next(const ProcessTimers *timers) {
        const ProcessTimer *first = heap_peek(&timers->heap);

        return first ? first->deadline : USEC_INFINITY;
}

static bool run_one_timer(ProcessTimers *timers, usec_t now) {
        const ProcessTimer *timer = heap_peek(&timers->heap);
        UnitPurpose purpose;
        ProcessOwner *owner;

        if (!timer || timer->deadline > now)
                return false;

        owner = timer->owner;
        purpose = timer->purpose;
        remove_timer(timers, timer_slot(owner, purpose));
        process_owner_changed(owner);
        if (owner->ops->elapsed)
                owner->ops->elapsed(owner, purpose);
        process_owner_released(owner);
        return true;
}

void process_timers_run(ProcessTimers *timers, usec_t now) {
        for (unsigned i = 0; i < TIMERS_A_TURN && run_one_timer(timers, now); i++)
                ;
}

/* — records — */

void process_timers_write(const ProcessOwner *owner, RecordWriter *writer) {
        size_t n = 0;

        for (const ProcessTimer *timer = owner ? owner->timers : NULL; timer; timer = timer->next)
                n++;
        record_put(writer, n);
        for (const ProcessTimer *timer = owner ? owner->timers : NULL; timer; timer = timer->next) {
                record_put(writer, timer->purpose);
                record_put(writer, timer->deadline);
        }
}

int process_timers_read(ProcessTimers *timers, ProcessOwner *owner, RecordReader *reader) {
        uint64_t n = record_get(reader);
        int r = 0;

        for (; n > 0 && !reader->has_failed && r == 0; n--) {
                UnitPurpose purpose = (UnitPurpose) record_get_below(reader, _UNIT_PURPOSE_MAX);
                usec_t deadline = record_get(reader);

                if (!reader->has_failed && owner)
                        r = process_timers_set(timers, owner, purpose, deadline);
        }
        return r;
}
