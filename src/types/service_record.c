/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service as a record, for the next core process
 *
 * The record has all of Service, in the order of its fields. The host keeps
 * timers, processes and requests; they are named by (unit, purpose), as here.
 * Records of incompatible versions are rejected before. A damaged record must
 * not lead to an invalid state.
 */

#include <errno.h>
#include <stdlib.h>

#include "basic/macro.h"
#include "types/exec_sandbox.h"
#include "types/service_extra.h"
#include "types/service_show.h"

static void put_timestamp(RecordWriter *writer, const UnitTimestamp *timestamp) {
        record_put(writer, timestamp->realtime);
        record_put(writer, timestamp->monotonic);
}

static UnitTimestamp get_timestamp(RecordReader *reader) {
        usec_t realtime = record_get(reader);

        return (UnitTimestamp) { .realtime = realtime, .monotonic = record_get(reader) };
}

/* USEC_INFINITY, the most frequent value, takes one byte. */
static void put_or_none(RecordWriter *writer, usec_t time) {
        record_put(writer, time + 1);
}

static usec_t get_or_none(RecordReader *reader) {
        return record_get(reader) - 1;
}

static void put_exit(RecordWriter *writer, const ServiceExitRecord *exit) {
        record_put_signed(writer, exit->pid);
        put_timestamp(writer, &exit->start);
        put_timestamp(writer, &exit->exit);
        record_put_signed(writer, exit->code);
        record_put_signed(writer, exit->status);
}

static ServiceExitRecord get_exit(RecordReader *reader) {
        ServiceExitRecord exit = { .pid = (pid_t) record_get_signed(reader) };

        exit.start = get_timestamp(reader);
        exit.exit = get_timestamp(reader);
        exit.code = (int) record_get_signed(reader);
        exit.status = (int) record_get_signed(reader);
        return exit;
}

void service_record(const Unit *unit, RecordWriter *writer) {
        const Service *service = service_of(unit);

        record_put(writer, service->state);
        record_put(writer, service->result);
        record_put(writer, service->reload_result);
        service_put_process(writer, &service->main);
        service_put_process(writer, &service->control);
        record_put(writer, service->main_known | service->forbid_restart << 1 | service->will_restart << 2 |
                           service->is_found << 3 | service->start_limit_hit << 4);
        put_exit(writer, &service->exec_main);
        record_put(writer, service->state_since);
        record_put(writer, service->n_restarts);
        record_put(writer, service->limit_begin);
        record_put(writer, service->limit_count);
        put_or_none(writer, service->state_deadline);
        put_or_none(writer, service->runtime_deadline);
        put_or_none(writer, service->watchdog_deadline);
        put_or_none(writer, service->watchdog_override);
        record_put(writer, service->poll_delay);
        record_put(writer, service->notice);
        record_put_string(writer, service->status_text);
        record_put_signed(writer, service->status_errno);
        record_put_string(writer, service->failure);
        record_put_string(writer, service->reload_failure);
        record_put(writer, (uint32_t) (service->uid + 1));
        record_put(writer, (uint32_t) (service->gid + 1));
        service_put_extra(writer, service->extra);
        exec_sandbox_record(unit, writer);
}

static void read_all(Service *service, RecordReader *reader) {
        uint64_t flags;

        service->state = (ServiceState) record_get_below(reader, _SERVICE_STATE_MAX);
        service->result = (ServiceResult) record_get_below(reader, _SERVICE_RESULT_MAX);
        service->reload_result = (ServiceResult) record_get_below(reader, _SERVICE_RESULT_MAX);
        service->main = service_get_process(reader);
        service->control = service_get_process(reader);
        flags = record_get_below(reader, 32);
        service->main_known = flags & 1;
        service->forbid_restart = flags & 2;
        service->will_restart = flags & 4;
        service->is_found = flags & 8;
        service->start_limit_hit = flags & 16;
        service->exec_main = get_exit(reader);
        service->state_since = record_get(reader);
        service->n_restarts = (uint32_t) record_get(reader);
        service->limit_begin = record_get(reader);
        service->limit_count = (uint32_t) record_get(reader);
        service->state_deadline = get_or_none(reader);
        service->runtime_deadline = get_or_none(reader);
        service->watchdog_deadline = get_or_none(reader);
        service->watchdog_override = get_or_none(reader);
        service->poll_delay = record_get(reader);
        service->notice = (ServiceNotice) record_get_below(reader, SERVICE_NOTICE_STOPPING + 1);
        service->status_text = record_get_string_copy(reader);
        service->status_errno = (int32_t) record_get_signed(reader);
        service->failure = record_get_string_copy(reader);
        service->reload_failure = record_get_string_copy(reader);
        service->uid = (uid_t) record_get(reader) - 1;
        service->gid = (gid_t) record_get(reader) - 1;
        if (service_get_extra(reader, &service->extra) < 0)
                reader->has_failed = true;
}

static void free_own(Unit *unit, Service *service) {
        free(service->status_text);
        free(service->failure);
        free(service->reload_failure);
        service->extra = service_free_extra(unit, service->extra);
}

int service_restore(Unit *unit, RecordReader *reader) {
        Service *service = service_of(unit), restored = {};

        read_all(&restored, reader);
        exec_sandbox_restore(unit, reader);
        if (reader->has_failed) {
                free_own(unit, &restored);
                return -EBADMSG;
        }
        free_own(unit, service);
        *service = restored;
        return 0;
}
