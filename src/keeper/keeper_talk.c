/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The messages between keeper and core
 *
 * The progress of sending is state (stage, next_fd, next_exit), not a queue:
 * a core that reads slowly costs no memory. One answer can be pending; while
 * it is, no further request is read.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "keeper/keeper.h"
#include "keeper/keeper_link.h"

/* The turn handles signals and exits after this many requests. */
#define REQUESTS_A_TURN 64U

/* More than a socket holds, as a child of core may have the other end, too, and continue to send. */
#define LAST_WORDS_MAX 4096U

/* Stops sending to a core that no longer reads; its own messages can still be read. */
static void fall_silent(Keeper *keeper) {
        keeper->stage = KEEPER_SILENT;
        keeper->answer.kind = 0;
}

void keeper_close_link(Keeper *keeper) {
        if (keeper->link >= 0)
                close(keeper->link);
        keeper->link = -1;
        keeper->send_at = 0;
        fall_silent(keeper);
}

/* — requests — */

static int on_hello(Keeper *keeper, const KeeperMessage *message) {
        if (message->value != KEEPER_VERSION)
                return -EPROTO;
        keeper->stage = KEEPER_WELCOMES;
        keeper->next_fd = 0;
        keeper->next_exit = keeper->exits.first;
        return 0;
}

static int on_ready(Keeper *keeper) {
        keeper->is_ready = keeper->has_served = true;
        keeper->ready_by = KEEPER_NEVER;
        keeper->n_tries = 0;
        keeper->n_deaths = 0;
        keeper->flags = 0;
        keeper_note_image(keeper);
        return 0;
}

static int on_reexec(Keeper *keeper, uint64_t now) {
        keeper->is_ready = false;
        keeper->watch = (KeeperWatch) {};
        keeper->ready_by = now + KEEPER_REEXEC_TIME;
        return 0;
}

static int on_exit_request(Keeper *keeper, int status) {
        if (keeper->is_machine)
                return -EPERM;
        keeper->may_exit = true;
        keeper->exit_status = status & 0xff;
        return 0;
}

/* Owns @fd, even on failure. */
static int on_store(Keeper *keeper, const KeeperMessage *message, int fd) {
        if (fd < 0)
                return -EBADF;
        if (fd >= keeper->fds_below) {
                close(fd);
                return -EMFILE;
        }
        return fd_store_put(&keeper->fds, message->name, fd);
}

/* Whether the store has room, and the number of the next descriptor (the lowest free one) is one that may be held. */
static int find_room(Keeper *keeper, const KeeperMessage *message, int fd) {
        int next;

        if (message->name[0] == '\0')
                return -EINVAL;
        if (!fd_store_has_room(&keeper->fds, message->name))
                return -ENOSPC;
        next = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        if (next < 0)
                return -errno;
        close(next);
        return next < keeper->fds_below ? 0 : -EMFILE;
}

/* Only core uses the socket, and it is meant to be non-blocking; but nothing may ever block the keeper. */
static int on_accept(Keeper *keeper, const KeeperMessage *message, int fd) {
        int made, r, flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);

        if (flags < 0 || !(flags & O_NONBLOCK))
                return -EBADF;
        r = find_room(keeper, message, fd);
        if (r < 0)
                return r;
        made = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        if (made < 0)
                return -errno;
        r = fd_store_put(&keeper->fds, message->name, made);
        if (r == 0)
                keeper->answer_fd = made;
        return r;
}

static int obey(Keeper *keeper, const KeeperMessage *message, int *fd, uint64_t now) {
        int given = *fd;

        switch ((KeeperKind) message->kind) {
        case KEEPER_HELLO:
                return on_hello(keeper, message);
        case KEEPER_READY:
                return on_ready(keeper);
        case KEEPER_STORE:
                *fd = -1;
                return on_store(keeper, message, given);
        case KEEPER_ACCEPT:
                return on_accept(keeper, message, given);
        case KEEPER_DROP:
                return fd_store_drop(&keeper->fds, message->name);
        case KEEPER_TAKEN:
                exit_ring_take(&keeper->exits, message->value);
                return 0;
        case KEEPER_REEXEC:
                return on_reexec(keeper, now);
        case KEEPER_EXIT:
                return on_exit_request(keeper, message->status);
        case KEEPER_NOTIFY:
                return keeper_parent_tell(&keeper->parent, message->name);
        case KEEPER_WATCH:
                keeper_watch_set(keeper, message->value, now);
                return 0;
        case KEEPER_SERVES:
                return 0;
        case KEEPER_WELCOME:
        case KEEPER_DESCRIPTOR:
        case KEEPER_ENDED:
        case KEEPER_ALL_SENT:
        case KEEPER_ANSWER:
        case KEEPER_ASKED:
        case _KEEPER_KIND_MAX:
                break;
        }
        return -EOPNOTSUPP;
}

/* Closes a descriptor that the request did not use. */
static void serve(Keeper *keeper, const KeeperMessage *message, int fd, uint64_t now) {
        int r;

        keeper->answer_fd = -1;
        r = obey(keeper, message, &fd, now);
        if (fd >= 0)
                close(fd);
        if (message->serial == 0)
                return;
        keeper->answer = (KeeperMessage) { .kind = KEEPER_ANSWER, .serial = message->serial, .error = r };
        if (message->kind != KEEPER_ACCEPT)     /* no name: that there was no connection is no message for people */
                memcpy(keeper->answer.name, message->name, sizeof(message->name));
}

static int read_request(Keeper *keeper, uint64_t now) {
        KeeperMessage message;
        int fd = -1, r;

        r = keeper_link_receive(keeper->link, &message, &fd);
        if (r == -EPIPE)
                keeper_close_link(keeper);
        else if (r == -EBADMSG)
                keeper_log("core sent what is not a message; ignored");
        if (r < 0)
                return r;
        keeper_watch_heard(keeper, now);
        serve(keeper, &message, fd, now);
        return 0;
}

bool keeper_read_requests(Keeper *keeper, uint64_t now) {
        for (unsigned i = 0; i < REQUESTS_A_TURN; i++) {
                int r;

                if (keeper->link < 0 || keeper->answer.kind != 0)
                        return false;
                r = read_request(keeper, now);
                if (r == -EAGAIN || r == -ENOBUFS)
                        return false;
                keeper_send(keeper, now);
        }
        return true;
}

void keeper_read_last_words(Keeper *keeper, uint64_t now) {
        int r = 0;

        for (unsigned i = 0; i < LAST_WORDS_MAX && (r == 0 || r == -EBADMSG); i++) {
                fall_silent(keeper);
                r = keeper->link < 0 ? -EPIPE : read_request(keeper, now);
        }
        fall_silent(keeper);
}

/* — sending — */

bool keeper_has_to_send(const Keeper *keeper) {
        if (keeper->link < 0)
                return false;
        return keeper->answer.kind != 0 || keeper->stage == KEEPER_WELCOMES || keeper->stage == KEEPER_HANDS_OVER ||
               (keeper->stage == KEEPER_GOES_ALONG &&
                (keeper->next_exit < keeper->exits.next || keeper->watch.wants_answer));
}

static int send_welcome(Keeper *keeper) {
        KeeperMessage message = { .kind = KEEPER_WELCOME, .value = keeper->n_starts,
                                  .flags = keeper->flags | KEEPER_FLAG_ACCEPTS | KEEPER_FLAG_WATCHES };
        int r;

        if (keeper->exits.has_lost)
                message.flags |= KEEPER_FLAG_EXITS_LOST;
        if (keeper->has_served)
                message.flags |= KEEPER_FLAG_AGAIN;
        r = keeper_link_send(keeper->link, &message, -1);

        if (r == 0)
                keeper->stage = KEEPER_HANDS_OVER;
        return r;
}

static int send_descriptor(Keeper *keeper) {
        const StoredFd *item = &keeper->fds.items[keeper->next_fd];
        KeeperMessage message = { .kind = KEEPER_DESCRIPTOR };
        int r = 0;

        if (item->fd >= 0) {
                memcpy(message.name, item->name, sizeof(message.name));
                r = keeper_link_send(keeper->link, &message, item->fd);
        }
        if (r == 0)
                keeper->next_fd++;
        return r;
}

static int send_exit(Keeper *keeper) {
        const ExitRecord *record;
        KeeperMessage message;
        int r;

        if (keeper->next_exit < keeper->exits.first)
                keeper->next_exit = keeper->exits.first;
        record = exit_ring_at(&keeper->exits, keeper->next_exit);
        if (!record)
                return 0;
        message = (KeeperMessage) { .kind = KEEPER_ENDED, .pid = record->pid, .code = record->code,
                                    .status = record->status, .time = record->time, .value = keeper->next_exit };
        r = keeper_link_send(keeper->link, &message, -1);
        if (r == 0)
                keeper->next_exit++;
        return r;
}

static int send_end_of_list(Keeper *keeper) {
        KeeperMessage message = { .kind = KEEPER_ALL_SENT, .value = keeper->next_exit };
        int r = keeper_link_send(keeper->link, &message, -1);

        if (r == 0)
                keeper->stage = KEEPER_GOES_ALONG;
        return r;
}

static int send_answer(Keeper *keeper) {
        int r = keeper_link_send(keeper->link, &keeper->answer, keeper->answer_fd);

        if (r == 0)
                keeper->answer.kind = 0;
        return r;
}

static int send_question(Keeper *keeper) {
        int r = keeper_link_send(keeper->link, &(KeeperMessage) { .kind = KEEPER_ASKED }, -1);

        if (r == 0)
                keeper->watch.wants_answer = false;
        return r;
}

/* Exits are sent before an answer: after an answer core knows all exits up to its request. */
static int send_next(Keeper *keeper) {
        if (keeper->stage == KEEPER_GOES_ALONG && keeper->next_exit < keeper->exits.next)
                return send_exit(keeper);
        if (keeper->answer.kind != 0)
                return send_answer(keeper);
        if (keeper->stage == KEEPER_WELCOMES)
                return send_welcome(keeper);
        if (keeper->stage == KEEPER_GOES_ALONG)
                return send_question(keeper);
        if (keeper->stage == KEEPER_HANDS_OVER && keeper->next_fd < keeper->fds.n)
                return send_descriptor(keeper);
        if (keeper->next_exit < keeper->exits.next)
                return send_exit(keeper);
        return send_end_of_list(keeper);
}

void keeper_send(Keeper *keeper, uint64_t now) {
        if (now >= keeper->send_at)
                keeper->send_at = 0;
        while (keeper_has_to_send(keeper) && now >= keeper->send_at) {
                int r = send_next(keeper);

                if (r == -EAGAIN)
                        return;
                if (r == -ENOBUFS)
                        keeper->send_at = now + KEEPER_RETRY_TIME;
                else if (r < 0)
                        fall_silent(keeper);
        }
}
