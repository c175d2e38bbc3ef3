/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The clients that have asked for the re-execution
 *
 * The answers, one for a success and one for a failure, are written before the
 * execution, as this image knows the dialect and the names of the client. The
 * keeper holds them with the socket of the client. The next image sends one.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "basic/fd.h"
#include "dbus/bus_reexec.h"
#include "dbus/object/bus_error.h"
#include "dbus/object/bus_reply.h"
#include "dbus/peer/bus_link.h"

#define NAME_SIZE 32
#define ANSWER_MAX 2048U

static const char *kept_name(char buffer[static NAME_SIZE], const char *what, size_t i) {
        snprintf(buffer, NAME_SIZE, "bus/reexec-%s/%zu", what, i);
        return buffer;
}

static void drop_kept(const BusReexec *reexec, size_t i) {
        char name[NAME_SIZE];

        (void) manager_drop_fd(reexec->tree->manager, kept_name(name, "socket", i));
        (void) manager_drop_fd(reexec->tree->manager, kept_name(name, "answers", i));
}

/* — the image that was asked — */

int bus_reexec_ask(BusReexec *reexec, BusCall *call) {
        BusLater later;
        int r = vector_reserve(&reexec->waiting, 1);

        if (r >= 0)
                r = bus_call_keep(call, &later);
        if (r >= 0)
                r = manager_ask_reexec(call->tree->manager, &call->failure);
        if (r < 0)
                return r;
        (void) vector_push(&reexec->waiting, later);
        return BUS_CALL_LATER;
}

/* The message behind its length. It follows the last one of this connection. */
static int write_answer(const BusReply *reply, DBusMessage *message, int fd) {
        char *bytes = NULL;
        uint32_t size;
        int n = 0, r = -ENOMEM;

        if (!message || bus_reply_address(reply, message) < 0)
                return -ENOMEM;
        dbus_message_set_no_reply(message, TRUE);
        dbus_message_set_serial(message, reply->peer->output.serial + 1 ?: 1);
        if (!dbus_message_marshal(message, &bytes, &n))
                return -ENOMEM;
        size = (uint32_t) n;
        if (size <= ANSWER_MAX)
                r = write(fd, &size, sizeof(size)) == sizeof(size) && write(fd, bytes, size) == n ? 0 : -EIO;
        dbus_free(bytes);
        return r;
}

static int write_answers(const BusReply *reply, int fd) {
        cleanup_(failure_deinit) Failure failure = {};
        DBusMessage *success = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN), *error;
        int r;

        failure_set(&failure, -EIO, "Failed", "%s", BUS_REEXEC_FAILURE);
        error = bus_error_message(reply->dialect, &failure);
        r = write_answer(reply, success, fd);
        if (r >= 0)
                r = write_answer(reply, error, fd);
        if (success)
                dbus_message_unref(success);
        if (error)
                dbus_message_unref(error);
        return r;
}

/* A connection with output that was not read cannot take another answer. */
static int hand_connection_on(const BusReexec *reexec, const BusReply *reply, size_t i) {
        Manager *manager = reexec->tree->manager;
        char name[NAME_SIZE];
        cleanup_fd_ int answers = -1;
        int r, socket;

        if (i >= BUS_REEXEC_CALLERS || bus_output_size(&reply->peer->output) > 0 ||
            !dbus_connection_get_socket(reply->peer->connection, &socket))
                return -ENOTCONN;
        answers = memfd_create("jobd-answers", MFD_CLOEXEC);
        if (answers < 0)
                return -errno;
        r = write_answers(reply, answers);
        if (r >= 0)
                r = manager_store_fd(manager, kept_name(name, "answers", i), answers);
        return r < 0 ? r : manager_store_fd(manager, kept_name(name, "socket", i), socket);
}

void bus_reexec_hand_on(BusReexec *reexec) {
        size_t n = 0;

        for (size_t i = 0; i < reexec->waiting.n; i++) {
                BusReply reply;

                if (!bus_later_reply(reexec->tree, reexec->waiting.items[i], &reply) || !reply.is_wanted)
                        continue;
                if (reply.peer->is_message_bus)
                        bus_peer_note_stage(reply.peer, reply.client, reply.serial, BUS_LEDGER_REEXECUTES);
                else if (hand_connection_on(reexec, &reply, n) >= 0)
                        n++;
        }
}

void bus_reexec_give_up(BusReexec *reexec, int reason) {
        cleanup_(failure_deinit) Failure failure = {};

        failure_set(&failure, reason, "Failed", "jobd-core cannot be executed anew (%s): it goes on as it is.",
                    strerror(-reason));
        for (size_t i = 0; i < MIN(reexec->waiting.n, (size_t) BUS_REEXEC_CALLERS); i++)
                drop_kept(reexec, i);
        while (reexec->waiting.n > 0)
                (void) bus_later_fail(reexec->tree, vector_pop(&reexec->waiting), &failure);
}

/* — the next one — */

static void answer(const BusReexecCaller *caller, bool has_failed) {
        uint8_t bytes[ANSWER_MAX];
        uint32_t size;

        for (unsigned i = 0; i < (has_failed ? 2U : 1U); i++)
                if (read(caller->answers, &size, sizeof(size)) != sizeof(size) || size > sizeof(bytes) ||
                    read(caller->answers, bytes, size) != (ssize_t) size)
                        return;
        (void) send(caller->socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void close_left(BusReexecCaller *caller) {
        caller->socket = fd_close(caller->socket);
        caller->answers = fd_close(caller->answers);
}

void bus_reexec_answer(BusReexec *reexec) {
        for (size_t i = 0; i < BUS_REEXEC_CALLERS; i++) {
                BusReexecCaller *caller = &reexec->left[i];

                if (caller->socket < 0 && caller->answers < 0)
                        continue;
                if (caller->socket >= 0 && caller->answers >= 0 && lseek(caller->answers, 0, SEEK_SET) == 0)
                        answer(caller, reexec->has_fallen_back);
                close_left(caller);
                drop_kept(reexec, i);
        }
}

void bus_reexec_init(BusReexec *reexec, const BusTree *tree, bool has_fallen_back) {
        char name[NAME_SIZE];

        *reexec = (BusReexec) { .tree = tree, .has_fallen_back = has_fallen_back };
        for (size_t i = 0; i < BUS_REEXEC_CALLERS; i++)
                reexec->left[i] = (BusReexecCaller) {
                        .socket = manager_take_fd(tree->manager, kept_name(name, "socket", i)),
                        .answers = manager_take_fd(tree->manager, kept_name(name, "answers", i)),
                };
}

void bus_reexec_deinit(BusReexec *reexec) {
        if (!reexec->tree)
                return;
        for (size_t i = 0; i < BUS_REEXEC_CALLERS; i++)
                close_left(&reexec->left[i]);
        vector_deinit(&reexec->waiting);
}
