/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The extra state that few services have: reset, freed, and recorded as a whole
 *
 * Probes, a name on the bus, stored descriptors: allocated when one of them is first needed, so that the many services
 * without any of it stay small.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "types/service_extra.h"

ServiceExtra *service_free_extra(Unit *unit, ServiceExtra *extra) {
        if (!extra)
                return NULL;
        service_free_fds(unit, &extra->fds);
        fd_close(extra->channel.fd);
        for (size_t i = 0; i < UNIT_STREAMS; i++)
                fd_close(extra->streams.fds[i]);
        free(extra->probing.message);
        free(extra->bus_error);
        strv_free(extra->clean_argv);
        free(extra);
        return NULL;
}

/* Stored descriptors, given streams and the count of reloads outlast a start. The channel was closed before. */
void service_reset_extra(Service *service) {
        ServiceExtra *extra = service->extra, kept;

        if (!extra)
                return;
        assert(!extra->channel.is_open);
        free(extra->probing.message);
        free(extra->bus_error);
        strv_free(extra->clean_argv);
        kept = *extra;
        *extra = service_no_extra;
        extra->reload_limit_begin = kept.reload_limit_begin;
        extra->reload_limit_count = kept.reload_limit_count;
        extra->fds = kept.fds;
        extra->streams = kept.streams;
}

void service_put_process(RecordWriter *writer, const UnitProcess *process) {
        record_put_signed(writer, process->pid);
        record_put(writer, process->is_wanted | process->has_command << 1 | process->ignores_failure << 2);
        record_put_signed(writer, process->kind);
        record_put(writer, process->index);
        record_put(writer, process->since);
}

UnitProcess service_get_process(RecordReader *reader) {
        UnitProcess process = { .pid = (pid_t) record_get_signed(reader) };
        uint64_t flags = record_get_below(reader, 8);

        process.is_wanted = flags & 1;
        process.has_command = flags & 2;
        process.ignores_failure = flags & 4;
        process.kind = (int) record_get_signed(reader);
        process.index = (unsigned) record_get_below(reader, UINT32_MAX);
        process.since = record_get(reader);
        if (process.kind < 0 || process.kind >= _SERVICE_EXEC_MAX || process.pid < 0)
                reader->has_failed = true;
        return process;
}

void service_put_extra(RecordWriter *writer, const ServiceExtra *extra) {
        record_put(writer, extra != NULL);
        if (!extra)
                return;
        service_put_process(writer, &extra->probing.process);
        record_put_signed(writer, extra->probing.kind);
        record_put(writer, extra->probing.count);
        record_put(writer, extra->probing.begun);
        record_put_string(writer, extra->probing.message);
        record_put_string(writer, extra->bus_error);
        record_put(writer, extra->probing.is_ready | extra->wait.has_name << 1 | extra->channel.is_open << 2);
        record_put(writer, extra->wait.idle_until);
        record_put(writer, extra->reload_begin);
        record_put(writer, extra->restart_at);
        record_put(writer, extra->reload_limit_begin);
        record_put(writer, extra->reload_limit_count);
        service_put_fds(writer, &extra->fds);
        record_put(writer, extra->clean_result);
        record_put(writer, strv_length(extra->clean_argv));
        strv_foreach(word, extra->clean_argv)
                record_put_string(writer, *word);
        record_put(writer, extra->streams.mask);
}

static void read_extra(RecordReader *reader, ServiceExtra *extra) {
        uint64_t flags;

        extra->probing.process = service_get_process(reader);
        extra->probing.kind = (int) record_get_signed(reader);
        extra->probing.count = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        extra->probing.begun = record_get(reader);
        extra->probing.message = record_get_string_copy(reader);
        extra->bus_error = record_get_string_copy(reader);
        flags = record_get_below(reader, 8);
        extra->probing.is_ready = flags & 1;
        extra->wait.has_name = flags & 2;
        extra->channel.is_open = flags & 4;
        extra->wait.idle_until = record_get(reader);
        extra->reload_begin = record_get(reader);
        extra->restart_at = record_get(reader);
        extra->reload_limit_begin = record_get(reader);
        extra->reload_limit_count = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        service_get_fds(reader, &extra->fds);
        extra->clean_result = (ServiceResult) record_get_below(reader, _SERVICE_RESULT_MAX);
        for (uint64_t n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                char *word = record_get_string_copy(reader);

                if (!word || strv_consume(&extra->clean_argv, word) < 0)
                        reader->has_failed = true;
        }
        extra->streams.mask = (uint8_t) record_get_below(reader, 1U << UNIT_STREAMS);
        if (extra->probing.kind < -1 || extra->probing.kind >= _SERVICE_PROBE_KIND_MAX)
                reader->has_failed = true;
}

int service_get_extra(RecordReader *reader, ServiceExtra **ret_extra) {
        ServiceExtra *extra;

        *ret_extra = NULL;
        if (record_get_below(reader, 2) == 0)
                return 0;
        extra = malloc(sizeof(*extra));
        if (!extra)
                return -ENOMEM;
        *extra = service_no_extra;
        read_extra(reader, extra);
        *ret_extra = extra;
        return 0;
}
