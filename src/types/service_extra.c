/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What only few services have
 *
 * Probes, a name on the bus, a pause before a restart: made when it is first
 * needed, so that the many services without any of it stay small.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "types/service.h"

static const ServiceExtra no_extra = { .probing = -1, .channel = -1, .streams = { -1, -1, -1 } };

const ServiceExtra *service_extra(const Unit *unit) {
        const ServiceExtra *extra = service_of(unit)->extra;

        return extra ? extra : &no_extra;
}

ServiceExtra *service_own_extra(Unit *unit) {
        Service *service = service_of(unit);

        if (service->extra)
                return service->extra;
        service->extra = malloc(sizeof(*service->extra));
        if (service->extra)
                *service->extra = no_extra;
        else
                service_note_failure(unit, "not enough memory to look after it");
        return service->extra;
}

ServiceExtra *service_extra_free(ServiceExtra *extra) {
        if (!extra)
                return NULL;
        service_free_fds(extra);
        if (extra->channel >= 0)
                close(extra->channel);
        for (size_t i = 0; i < UNIT_STREAMS; i++)
                if (extra->streams[i] >= 0)
                        close(extra->streams[i]);
        free(extra->probe_message);
        free(extra->bus_error);
        strv_free(extra->clean_argv);
        free(extra);
        return NULL;
}

/* How often it was reloaded, what it has stored and what it was given is of all starts. A channel is closed by now. */
void service_reset_extra(Service *service) {
        ServiceExtra *extra = service->extra;

        if (!extra)
                return;
        assert(!extra->has_channel);

        free(extra->probe_message);
        free(extra->bus_error);
        strv_free(extra->clean_argv);
        *extra = (ServiceExtra) {
                .probing = -1,
                .channel = -1,
                .reload_limit_begin = extra->reload_limit_begin,
                .reload_limit_count = extra->reload_limit_count,
                .fds = extra->fds,
                .next_fd = extra->next_fd,
                .streams = { extra->streams[0], extra->streams[1], extra->streams[2] },
                .stream_mask = extra->stream_mask,
        };

}

void service_put_extra(RecordWriter *writer, const ServiceExtra *extra) {
        record_put(writer, extra != NULL);
        if (!extra)
                return;
        service_put_process(writer, &extra->probe);
        record_put_signed(writer, extra->probing);
        record_put(writer, extra->probe_count);
        record_put(writer, extra->probe_begun);
        record_put_string(writer, extra->probe_message);
        record_put_string(writer, extra->bus_error);
        record_put(writer, extra->is_ready | extra->has_name << 1 | extra->has_channel << 2);
        record_put(writer, extra->idle_until);
        record_put(writer, extra->reload_begin);
        record_put(writer, extra->restart_at);
        record_put(writer, extra->reload_limit_begin);
        record_put(writer, extra->reload_limit_count);
        service_put_fds(writer, extra);
        record_put(writer, extra->clean_result);
        record_put(writer, strv_length(extra->clean_argv));
        strv_foreach(word, extra->clean_argv)
                record_put_string(writer, *word);
        record_put(writer, extra->stream_mask);
}

static void read_extra(RecordReader *reader, ServiceExtra *extra) {
        uint64_t flags;

        extra->probe = service_get_process(reader);
        extra->probing = (int) record_get_signed(reader);
        extra->probe_count = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        extra->probe_begun = record_get(reader);
        extra->probe_message = record_get_string_copy(reader);
        extra->bus_error = record_get_string_copy(reader);
        flags = record_get_below(reader, 8);
        extra->is_ready = flags & 1;
        extra->has_name = flags & 2;
        extra->has_channel = flags & 4;
        extra->idle_until = record_get(reader);
        extra->reload_begin = record_get(reader);
        extra->restart_at = record_get(reader);
        extra->reload_limit_begin = record_get(reader);
        extra->reload_limit_count = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        service_get_fds(reader, extra);
        extra->clean_result = (ServiceResult) record_get_below(reader, _SERVICE_RESULT_MAX);
        for (uint64_t n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                char *word = record_get_string_copy(reader);

                if (!word || strv_consume(&extra->clean_argv, word) < 0)
                        reader->has_failed = true;
        }
        extra->stream_mask = (uint8_t) record_get_below(reader, 1U << UNIT_STREAMS);
        if (extra->probing < -1 || extra->probing >= _SERVICE_PROBE_KIND_MAX)
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
        *extra = no_extra;
        read_extra(reader, extra);
        *ret_extra = extra;
        return 0;
}
