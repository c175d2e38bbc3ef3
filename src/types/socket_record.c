/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A socket as a record, for the next core process
 *
 * The record has all of Socket but its descriptors, which the keeper has. A
 * descriptor that is missing after the restart is opened again: the backlog is
 * lost then, not the socket.
 */

#include <errno.h>
#include <stdlib.h>

#include "basic/strv.h"
#include "types/exec_sandbox.h"
#include "types/socket_show.h"
#include "types/socket_state.h"

static void put_process(RecordWriter *writer, const UnitProcess *process) {
        record_put_signed(writer, process->pid);
        record_put(writer, process->is_wanted | process->ignores_failure << 1);
        record_put(writer, process->kind);
        record_put(writer, process->index);
        record_put(writer, process->since);
}

static UnitProcess get_process(RecordReader *reader) {
        UnitProcess process = { .pid = (pid_t) record_get_signed(reader) };
        uint64_t flags = record_get_below(reader, 4);

        process.is_wanted = flags & 1;
        process.ignores_failure = flags & 2;
        process.kind = (int) record_get_below(reader, _SOCKET_EXEC_MAX);
        process.index = (unsigned) record_get_below(reader, UINT32_MAX);
        process.since = record_get(reader);
        if (process.pid < 0)
                reader->has_failed = true;
        return process;
}

static void put_limit(RecordWriter *writer, const RateLimit *limit) {
        record_put(writer, limit->begin);
        record_put(writer, limit->n);
}

static RateLimit get_limit(RecordReader *reader) {
        usec_t begin = record_get(reader);

        return (RateLimit) { .begin = begin, .n = (uint32_t) record_get(reader) };
}

void socket_record(const Unit *unit, RecordWriter *writer) {
        const Socket *socket = socket_of(unit);

        record_put(writer, socket->state);
        record_put(writer, socket->result);
        put_process(writer, &socket->control);
        record_put(writer, socket->state_since);
        record_put(writer, socket->state_deadline);
        record_put(writer, socket->poll_delay);
        record_put(writer, socket->is_paused);
        put_limit(writer, &socket->starts);
        put_limit(writer, &socket->triggers);
        put_limit(writer, &socket->polls);
        record_put(writer, socket->n_accepted);
        record_put(writer, socket->n_refused);
        record_put_string(writer, socket->failure);
        record_put(writer, socket->ports.n);
        for (size_t i = 0; i < socket->ports.n; i++) {
                record_put(writer, socket->ports.items[i].listen.kind);
                record_put_string(writer, socket->ports.items[i].listen.address);
        }
        record_put(writer, socket->connections.n);
        for (size_t i = 0; i < socket->connections.n; i++) {
                record_put(writer, socket->connections.items[i].number);
                record_put(writer, socket->connections.items[i].fd >= 0);
                record_put_string(writer, socket->connections.items[i].service);
                record_put_string(writer, socket->connections.items[i].source);
        }
        record_put(writer, socket->uid);
        record_put(writer, socket->gid);
        record_put(writer, socket->clean_result);
        record_put(writer, strv_length(socket->clean_argv));
        strv_foreach(word, socket->clean_argv)
                record_put_string(writer, *word);
        exec_sandbox_record(unit, writer);
}

static int read_port(Socket *socket, RecordReader *reader) {
        SocketPort port = { .fd = -1 };
        int r;

        port.listen.kind = (SocketListenKind) record_get_below(reader, _SOCKET_LISTEN_MAX);
        port.listen.address = record_get_string_copy(reader);
        r = reader->has_failed || !port.listen.address ? -EBADMSG : vector_push(&socket->ports, port);
        if (r < 0)
                free(port.listen.address);
        return r;
}

static int read_connection(Socket *socket, RecordReader *reader) {
        SocketConnection connection = { .number = (uint32_t) record_get(reader) };
        int r;

        connection.fd = record_get_below(reader, 2) ? SOCKET_FD_IS_KEPT : -1;
        connection.service = record_get_string_copy(reader);
        connection.source = record_get_string_copy(reader);
        r = reader->has_failed || !connection.service ? -EBADMSG : vector_push(&socket->connections, connection);
        if (r < 0) {
                free(connection.service);
                free(connection.source);
        }
        return r;
}

static int read_clean(Socket *socket, RecordReader *reader) {
        int r = 0;

        socket->clean_result = (SocketResult) record_get_below(reader, _SOCKET_RESULT_MAX);
        for (uint64_t n = record_get(reader); n > 0 && r == 0; n--) {
                char *word = record_get_string_copy(reader);

                r = word ? strv_consume(&socket->clean_argv, word) : -EBADMSG;
        }
        return r;
}

static int read_all(Socket *socket, RecordReader *reader) {
        int r = 0;

        socket->state = (SocketState) record_get_below(reader, _SOCKET_STATE_MAX);
        socket->result = (SocketResult) record_get_below(reader, _SOCKET_RESULT_MAX);
        socket->control = get_process(reader);
        socket->state_since = record_get(reader);
        socket->state_deadline = record_get(reader);
        socket->poll_delay = record_get(reader);
        socket->is_paused = record_get_below(reader, 2);
        socket->starts = get_limit(reader);
        socket->triggers = get_limit(reader);
        socket->polls = get_limit(reader);
        socket->n_accepted = (uint32_t) record_get(reader);
        socket->n_refused = (uint32_t) record_get(reader);
        socket->failure = record_get_string_copy(reader);
        for (uint64_t n = record_get(reader); n > 0 && r == 0; n--)
                r = read_port(socket, reader);
        for (uint64_t n = record_get(reader); n > 0 && r == 0; n--)
                r = read_connection(socket, reader);
        socket->uid = (uid_t) record_get(reader);
        socket->gid = (gid_t) record_get(reader);
        if (r == 0)
                r = read_clean(socket, reader);
        return r == 0 && reader->has_failed ? -EBADMSG : r;
}

int socket_restore(Unit *unit, RecordReader *reader) {
        Socket *old = socket_of(unit), *restored = calloc(1, sizeof(*restored));
        int r;

        if (!restored)
                return -EBADMSG;
        r = read_all(restored, reader);
        if (r == 0) {
                exec_sandbox_restore(unit, reader);
                r = reader->has_failed ? -EBADMSG : 0;
        }
        /* Frees the one of the two that is not used. */
        unit->state_of_type = r < 0 ? restored : old;
        socket_free_state(unit);
        unit->state_of_type = r < 0 ? old : restored;
        return r < 0 ? -EBADMSG : 0;
}
