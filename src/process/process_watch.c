/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watched descriptors of owners
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include <systemd/sd-event.h>

#include "basic/macro.h"
#include "process/process_watch.h"

typedef struct ProcessWatch {
        ProcessOwner *owner;            /* borrowed */
        uint32_t index;
        sd_event_source *source;        /* owned */
        struct ProcessWatch *next;      /* of the same owner */
} ProcessWatch;

static int on_ready(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        const ProcessWatch *watch = userdata;
        ProcessOwner *owner = watch->owner;

        process_owner_changed(owner);
        /* The owner may remove the watch in this call. */
        if (owner->ops->fd_ready)
                owner->ops->fd_ready(owner, watch->index, events);
        return 0;
}

static void remove_at(ProcessWatch **slot) {
        ProcessWatch *watch = *slot;

        *slot = watch->next;
        sd_event_source_disable_unref(watch->source);
        free(watch);
}

int process_watch_add(const ProcessHost *host, ProcessOwner *owner, uint32_t index, int fd, uint32_t events) {
        ProcessWatch *watch;
        int r;

        assert(fd >= 0);

        process_watch_remove(owner, index);
        watch = calloc(1, sizeof(*watch));
        if (!watch)
                return -ENOMEM;
        *watch = (ProcessWatch) { .owner = owner, .index = index, .next = owner->watches };
        r = sd_event_add_io(host->event, &watch->source, fd, events, on_ready, watch);
        if (r >= 0)
                r = sd_event_source_set_priority(watch->source, host->fd_priority);
        if (r >= 0) {
                owner->watches = watch;
                return 0;
        }
        sd_event_source_disable_unref(watch->source);
        free(watch);
        return r;
}

void process_watch_remove(ProcessOwner *owner, uint32_t index) {
        for (ProcessWatch **slot = &owner->watches; *slot; slot = &(*slot)->next)
                if ((*slot)->index == index) {
                        remove_at(slot);
                        return;
                }
}

void process_watch_forget_owner(ProcessOwner *owner) {
        while (owner->watches)
                remove_at(&owner->watches);
}
