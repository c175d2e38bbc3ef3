/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * libdbus on sd-event
 *
 * libdbus makes one watch for each direction of a descriptor, but a descriptor
 * can be added to the loop only once: so there is one source for each
 * descriptor, which asks for what its enabled watches want together. A source
 * without an enabled watch is off, or a hang-up would wake the loop for ever.
 *
 * Messages are never dispatched inside the callback that announces them, since
 * it comes in the middle of libdbus's own work. They are dispatched in the same
 * turn after reading, else from a deferred source; only a few each turn, and
 * none after one that has taken long, so that one client cannot keep the loop
 * busy.
 */

#include <assert.h>
#include <errno.h>
#include <sys/epoll.h>

#include "basic/clock.h"
#include "basic/vector.h"
#include "dbus/peer/bus_loop.h"
#include "manager/manager.h"

#define DISPATCHES_PER_TURN 32
#define DISPATCH_TIME USEC_PER_MSEC
/*
 * Accepting is paused above this rate, also when accept() fails for want of descriptors. The pause is short, as root
 * may be next in the queue.
 */
#define ACCEPTS_PER_INTERVAL 500
#define ACCEPT_INTERVAL (10 * USEC_PER_MSEC)
#define WATCHES_MAX 4

typedef struct BusDescriptor {
        BusLoop *loop;                          /* borrowed */
        int fd;                                 /* borrowed from libdbus */
        sd_event_source *source;                /* owned */
        VECTOR(DBusWatch *) watches;            /* borrowed */
} BusDescriptor;

typedef struct BusTimer {
        DBusTimeout *timeout;                   /* borrowed */
        sd_event_source *source;                /* owned */
} BusTimer;

struct BusLoop {
        sd_event *event;                        /* a reference */
        DBusConnection *connection;             /* borrowed, or NULL */
        DBusServer *server;                     /* borrowed, or NULL */
        sd_event_source *dispatch;              /* owned; NULL for a server */
        VECTOR(BusDescriptor *) descriptors;    /* owned */
        BusLoopWriter writer;
        void *writer_userdata;                  /* borrowed */
        bool wants_write;
        bool is_deaf;                           /* the kernel had no memory for a watch, which is retried */
        bool has_message;                       /* a message has come */
        bool is_busy;                           /* inside libdbus; messages are dispatched right after that */
};

static BusDescriptor *descriptor_of_watch(BusLoop *loop, const DBusWatch *watch) {
        for (size_t i = 0; i < loop->descriptors.n; i++)
                for (size_t j = 0; j < loop->descriptors.items[i]->watches.n; j++)
                        if (loop->descriptors.items[i]->watches.items[j] == watch)
                                return loop->descriptors.items[i];
        return NULL;
}

static BusDescriptor *descriptor_of_fd(BusLoop *loop, int fd) {
        for (size_t i = 0; i < loop->descriptors.n; i++)
                if (loop->descriptors.items[i]->fd == fd)
                        return loop->descriptors.items[i];
        return NULL;
}

static BusDescriptor *descriptor_free(BusDescriptor *descriptor) {
        if (!descriptor)
                return NULL;

        sd_event_source_disable_unref(descriptor->source);
        vector_deinit(&descriptor->watches);
        free(descriptor);
        return NULL;
}

DEFINE_CLEANUP(BusDescriptor, descriptor_free)

static int descriptor_update(BusDescriptor *descriptor) {
        uint32_t events = descriptor->loop->wants_write ? EPOLLOUT : 0;
        int r;

        for (size_t i = 0; i < descriptor->watches.n; i++) {
                unsigned flags = dbus_watch_get_flags(descriptor->watches.items[i]);

                if (!dbus_watch_get_enabled(descriptor->watches.items[i]))
                        continue;
                events |= (flags & DBUS_WATCH_READABLE ? EPOLLIN : 0) | (flags & DBUS_WATCH_WRITABLE ? EPOLLOUT : 0);
        }

        if (events == 0)
                return sd_event_source_set_enabled(descriptor->source, SD_EVENT_OFF);

        r = sd_event_source_set_io_events(descriptor->source, events);
        if (r < 0)
                return r;
        return sd_event_source_set_enabled(descriptor->source, SD_EVENT_ON);
}

/* libdbus cannot be told of a failure here. */
static void descriptor_renew(BusDescriptor *descriptor) {
        BusLoop *loop = descriptor->loop;

        if (descriptor_update(descriptor) >= 0 || !loop->dispatch)
                return;
        loop->is_deaf = true;
        (void) sd_event_source_set_enabled(loop->dispatch, SD_EVENT_ON);
}

static unsigned watch_flags_of_events(uint32_t revents) {
        return (revents & EPOLLIN ? DBUS_WATCH_READABLE : 0U) |
               (revents & EPOLLOUT ? DBUS_WATCH_WRITABLE : 0U) |
               (revents & EPOLLHUP ? DBUS_WATCH_HANGUP : 0U) |
               (revents & EPOLLERR ? DBUS_WATCH_ERROR : 0U);
}

static void loop_dispatch(BusLoop *loop) {
        DBusDispatchStatus status = DBUS_DISPATCH_DATA_REMAINS;
        const usec_t end = usec_add(clock_monotonic(), DISPATCH_TIME);
        unsigned n = 0;

        /* libdbus answers some messages itself. */
        loop->has_message = loop->has_message || dbus_connection_get_dispatch_status(loop->connection) == status;
        loop->is_busy = true;
        do
                status = dbus_connection_dispatch(loop->connection);
        while (status == DBUS_DISPATCH_DATA_REMAINS && ++n < DISPATCHES_PER_TURN && clock_monotonic() < end);
        loop->is_busy = false;

        (void) sd_event_source_set_enabled(loop->dispatch,
                                           status == DBUS_DISPATCH_COMPLETE ? SD_EVENT_OFF : SD_EVENT_ON);
}

/* Serving one watch may take away the others, and with them the descriptor: each is looked up again. */
static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata) {
        BusDescriptor *descriptor = userdata;
        BusLoop *loop = descriptor->loop;
        DBusWatch *watches[WATCHES_MAX];
        size_t n = MIN(descriptor->watches.n, (size_t) WATCHES_MAX);

        for (size_t i = 0; i < n; i++)
                watches[i] = descriptor->watches.items[i];

        loop->is_busy = loop->connection;
        for (size_t i = 0; i < n; i++) {
                unsigned wanted, flags = watch_flags_of_events(revents);

                if (!descriptor_of_watch(loop, watches[i]) || !dbus_watch_get_enabled(watches[i]))
                        continue;
                wanted = dbus_watch_get_flags(watches[i]) | DBUS_WATCH_HANGUP | DBUS_WATCH_ERROR;
                if (flags & wanted)
                        dbus_watch_handle(watches[i], flags & wanted);
        }
        if ((revents & (EPOLLOUT | EPOLLHUP | EPOLLERR)) && loop->wants_write)
                loop->writer(loop->writer_userdata);
        loop->is_busy = false;
        if (loop->connection && dbus_connection_get_dispatch_status(loop->connection) != DBUS_DISPATCH_COMPLETE)
                loop_dispatch(loop);
        return 0;
}

static int loop_add_descriptor(BusLoop *loop, int fd, BusDescriptor **ret_descriptor) {
        cleanup_(descriptor_freep) BusDescriptor *descriptor = NULL;
        int r;

        descriptor = calloc(1, sizeof(*descriptor));
        if (!descriptor)
                return -ENOMEM;

        *descriptor = (BusDescriptor) { .loop = loop, .fd = fd };
        r = sd_event_add_io(loop->event, &descriptor->source, fd, 0, on_io, descriptor);
        if (r >= 0)
                r = sd_event_source_set_priority(descriptor->source, MANAGER_PRIORITY_BUS);
        if (r >= 0 && loop->server)
                r = sd_event_source_set_ratelimit(descriptor->source, ACCEPT_INTERVAL, ACCEPTS_PER_INTERVAL);
        if (r >= 0)
                r = vector_push(&loop->descriptors, descriptor);
        if (r < 0)
                return r;

        *ret_descriptor = take_ptr(descriptor);
        return 0;
}

static void loop_remove_descriptor(BusLoop *loop, BusDescriptor *descriptor) {
        for (size_t i = 0; i < loop->descriptors.n; i++)
                if (loop->descriptors.items[i] == descriptor) {
                        loop->descriptors.items[i] = vector_last(&loop->descriptors);
                        loop->descriptors.n--;
                        break;
                }
        descriptor_free(descriptor);
}

static void on_remove_watch(DBusWatch *watch, void *userdata) {
        BusLoop *loop = userdata;
        BusDescriptor *descriptor = descriptor_of_watch(loop, watch);

        if (!descriptor)
                return;

        for (size_t i = 0; i < descriptor->watches.n; i++)
                if (descriptor->watches.items[i] == watch) {
                        descriptor->watches.items[i] = vector_last(&descriptor->watches);
                        descriptor->watches.n--;
                        break;
                }

        if (descriptor->watches.n == 0)
                loop_remove_descriptor(loop, descriptor);
        else
                descriptor_renew(descriptor);
}

/* To libdbus a watch that could not be added does not exist. */
static dbus_bool_t on_add_watch(DBusWatch *watch, void *userdata) {
        BusLoop *loop = userdata;
        int fd = dbus_watch_get_unix_fd(watch);
        BusDescriptor *descriptor = descriptor_of_fd(loop, fd);

        if (!descriptor && loop_add_descriptor(loop, fd, &descriptor) < 0)
                return FALSE;

        assert(descriptor->watches.n < WATCHES_MAX);
        if (vector_push(&descriptor->watches, watch) < 0) {
                if (descriptor->watches.n == 0)
                        loop_remove_descriptor(loop, descriptor);
                return FALSE;
        }
        if (descriptor_update(descriptor) >= 0)
                return TRUE;
        on_remove_watch(watch, loop);
        return FALSE;
}

static void on_toggle_watch(DBusWatch *watch, void *userdata) {
        BusDescriptor *descriptor = descriptor_of_watch(userdata, watch);

        if (descriptor)
                descriptor_renew(descriptor);
}

static void timer_free(void *data) {
        BusTimer *timer = data;

        if (timer)
                sd_event_source_disable_unref(timer->source);
        free(timer);
}

static int timer_update(BusTimer *timer) {
        usec_t interval = (usec_t) dbus_timeout_get_interval(timer->timeout) * USEC_PER_MSEC;

        if (!dbus_timeout_get_enabled(timer->timeout))
                return sd_event_source_set_enabled(timer->source, SD_EVENT_OFF);

        (void) sd_event_source_set_time(timer->source, usec_add(clock_monotonic(), interval));
        return sd_event_source_set_enabled(timer->source, SD_EVENT_ONESHOT);
}

/* Armed for the next time first: the timeout may be gone afterwards. */
static int on_timer(sd_event_source *source, uint64_t usec, void *userdata) {
        BusTimer *timer = userdata;

        (void) timer_update(timer);
        dbus_timeout_handle(timer->timeout);
        return 0;
}

static dbus_bool_t on_add_timeout(DBusTimeout *timeout, void *userdata) {
        BusLoop *loop = userdata;
        BusTimer *timer;

        timer = calloc(1, sizeof(*timer));
        if (!timer)
                return FALSE;

        timer->timeout = timeout;
        if (sd_event_add_time(loop->event, &timer->source, CLOCK_MONOTONIC, UINT64_MAX, 0, on_timer, timer) < 0 ||
            sd_event_source_set_priority(timer->source, MANAGER_PRIORITY_BUS) < 0 ||
            timer_update(timer) < 0) {
                timer_free(timer);
                return FALSE;
        }

        dbus_timeout_set_data(timeout, timer, timer_free);
        return TRUE;
}

static void on_remove_timeout(DBusTimeout *timeout, void *userdata) {
        dbus_timeout_set_data(timeout, NULL, NULL);
}

static void on_toggle_timeout(DBusTimeout *timeout, void *userdata) {
        BusTimer *timer = dbus_timeout_get_data(timeout);

        if (timer)
                (void) timer_update(timer);
}

/* A client that is not heard would wait for ever: its connection is closed instead. */
static void hear_again(BusLoop *loop) {
        int r = 0;

        loop->is_deaf = false;
        for (size_t i = 0; i < loop->descriptors.n && r >= 0; i++)
                r = descriptor_update(loop->descriptors.items[i]);
        if (r < 0)
                dbus_connection_close(loop->connection);
}

static int on_dispatch(sd_event_source *source, void *userdata) {
        BusLoop *loop = userdata;

        if (loop->is_deaf)
                hear_again(loop);
        loop_dispatch(loop);
        return 0;
}

static void on_dispatch_status(DBusConnection *connection, DBusDispatchStatus status, void *userdata) {
        BusLoop *loop = userdata;

        if (status != DBUS_DISPATCH_COMPLETE && !loop->is_busy)
                (void) sd_event_source_set_enabled(loop->dispatch, SD_EVENT_ON);
}

static BusLoop *loop_new(sd_event *event) {
        BusLoop *loop;

        loop = calloc(1, sizeof(*loop));
        if (loop)
                loop->event = sd_event_ref(event);
        return loop;
}

int bus_loop_new_for_connection(BusLoop **ret_loop, sd_event *event, DBusConnection *connection) {
        cleanup_(bus_loop_freep) BusLoop *loop = NULL;
        int r;

        assert(ret_loop);

        loop = loop_new(event);
        if (!loop)
                return -ENOMEM;

        r = sd_event_add_defer(event, &loop->dispatch, on_dispatch, loop);
        if (r >= 0)
                r = sd_event_source_set_priority(loop->dispatch, MANAGER_PRIORITY_BUS);
        if (r >= 0)
                r = sd_event_source_set_enabled(loop->dispatch, SD_EVENT_ON);
        if (r < 0)
                return r;

        loop->connection = connection;
        dbus_connection_set_dispatch_status_function(connection, on_dispatch_status, loop, NULL);
        if (!dbus_connection_set_watch_functions(connection, on_add_watch, on_remove_watch, on_toggle_watch, loop,
                                                 NULL) ||
            !dbus_connection_set_timeout_functions(connection, on_add_timeout, on_remove_timeout, on_toggle_timeout,
                                                   loop, NULL))
                return -ENOMEM;

        *ret_loop = take_ptr(loop);
        return 0;
}

int bus_loop_new_for_server(BusLoop **ret_loop, sd_event *event, DBusServer *server) {
        cleanup_(bus_loop_freep) BusLoop *loop = NULL;

        assert(ret_loop);

        loop = loop_new(event);
        if (!loop)
                return -ENOMEM;

        loop->server = server;
        if (!dbus_server_set_watch_functions(server, on_add_watch, on_remove_watch, on_toggle_watch, loop, NULL) ||
            !dbus_server_set_timeout_functions(server, on_add_timeout, on_remove_timeout, on_toggle_timeout, loop,
                                               NULL))
                return -ENOMEM;

        *ret_loop = take_ptr(loop);
        return 0;
}

void bus_loop_set_writer(BusLoop *loop, BusLoopWriter writer, void *userdata) {
        loop->writer = writer;
        loop->writer_userdata = userdata;
}

void bus_loop_want_write(BusLoop *loop, bool is_wanted) {
        assert(loop->writer);

        if (loop->wants_write == is_wanted)
                return;
        loop->wants_write = is_wanted;
        for (size_t i = 0; i < loop->descriptors.n; i++)
                descriptor_renew(loop->descriptors.items[i]);
}

bool bus_loop_has_message(const BusLoop *loop) {
        return loop->has_message;
}

BusLoop *bus_loop_free(BusLoop *loop) {
        if (!loop)
                return NULL;

        if (loop->connection) {
                dbus_connection_set_dispatch_status_function(loop->connection, NULL, NULL, NULL);
                (void) dbus_connection_set_watch_functions(loop->connection, NULL, NULL, NULL, NULL, NULL);
                (void) dbus_connection_set_timeout_functions(loop->connection, NULL, NULL, NULL, NULL, NULL);
        }
        if (loop->server) {
                (void) dbus_server_set_watch_functions(loop->server, NULL, NULL, NULL, NULL, NULL);
                (void) dbus_server_set_timeout_functions(loop->server, NULL, NULL, NULL, NULL, NULL);
        }

        assert(loop->descriptors.n == 0);
        vector_deinit(&loop->descriptors);
        sd_event_source_disable_unref(loop->dispatch);
        sd_event_unref(loop->event);
        free(loop);
        return NULL;
}
