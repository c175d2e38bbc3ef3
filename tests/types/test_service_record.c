/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Damaged records
 *
 * That a service goes on from its own record is shown by all other tests, run with WORLD_RENEWS.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "exec/sandbox_shared.h"
#include "service_world.h"
#include "types/exec_sandbox.h"
#include "types/unit_types.h"
#include "unit/unit_record.h"

static void record(World *world, RecordWriter *writer) {
        record_writer_clear(writer);
        service_vtable.record(world->unit, writer);
        cr_assert(not(writer->has_failed));
}

static void bring_up(World *world) {
        world_command(world, SERVICE_EXEC_START, "/bin/a");
        world_start(world);
        world->settings->notify_access = SERVICE_NOTIFY_ALL;
        world_notify(world, world_main(world), "STATUS=all is well|ERRNO=3");
}

Test(service_record, record_that_is_cut_off_changes_nothing) {
        cleanup_(record_writer_deinit) RecordWriter before = {}, after = {};
        WORLD(SERVICE_SIMPLE);

        bring_up(world);
        record(world, &before);
        for (size_t n = 0; n < before.n; n++) {
                RecordReader reader;

                record_reader_init(&reader, before.bytes, n);
                cr_assert(eq(int, service_vtable.restore(world->unit, &reader), -EBADMSG), "%zu bytes", n);
                record(world, &after);
                cr_assert(before.n == after.n && memcmp(before.bytes, after.bytes, before.n) == 0);
        }
}

/* Any bytes are refused, or lead to a state in which the service can be asked and stopped. */
Test(service_record, damaged_record_makes_no_state_that_does_not_exist) {
        cleanup_(record_writer_deinit) RecordWriter good = {};
        unsigned n_refused = 0, n_taken = 0;
        WORLD(SERVICE_SIMPLE);

        bring_up(world);
        record(world, &good);
        for (size_t at = 0; at < good.n; at++)
                for (unsigned bit = 0; bit < 8; bit++) {
                        RecordReader reader;

                        good.bytes[at] ^= (uint8_t) (1U << bit);
                        record_reader_init(&reader, good.bytes, good.n);
                        if (service_vtable.restore(world->unit, &reader) < 0)
                                n_refused++;
                        else
                                n_taken++;
                        assert_not_null(unit_sub_state(world->unit));
                        world_property(world, "Result");
                        world_property(world, "StatusText");
                        good.bytes[at] ^= (uint8_t) (1U << bit);
                }
        cr_assert(lt(u32, 0, n_refused));
        cr_assert(lt(u32, 0, n_taken));
        unit_stop(world->unit);
}

/* A job may wait for a long time. */
Test(service_record, streams_are_written_down_before_it_starts) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        const int fds[UNIT_STREAMS] = { -1, STDOUT_FILENO, -1 };
        Failure failure = {};
        WORLD(SERVICE_SIMPLE);

        unit_record(world->unit, &writer);
        cr_assert(zero(sz, writer.n), "nothing has happened to it");
        cr_assert(eq(int, service_vtable.give_streams(world->unit, fds, &failure), 0));
        unit_record(world->unit, &writer);
        cr_assert(ne(sz, writer.n, 0));
}

/* A unit may have got more shared objects after the other's record was written. */
Test(service_record, what_units_share_is_known_from_each_record) {
        cleanup_(record_writer_deinit) RecordWriter first = {}, second = {};
        const SandboxSettings settings = { .private_network = true };
        ExecRequest request = { .sandbox = &settings };
        RecordReader reader;
        UnitOriginId origin;
        Unit *other;
        WORLD(SERVICE_SIMPLE);

        cr_assert(eq(int, unit_table_load(world->table, "y.service", &other), 0));
        cr_assert(eq(int, unit_table_origin(world->table, "/y", 1, NULL, &origin), 0));
        cr_assert(eq(int, unit_add_relation(other, UNIT_JOINS_NAMESPACE_OF, world->unit, origin), 0));
        cr_assert(eq(int, exec_sandbox_share(world->unit, &request), 0));
        exec_sandbox_record(world->unit, &first);
        cr_assert(eq(int, exec_sandbox_share(other, &request), 0));
        request.shared->tmp = strdup("/tmp/x");
        request.shared->user_uid = request.shared->user_gid = 4711;
        exec_sandbox_record(other, &second);

        exec_sandbox_forget(world->unit);
        exec_sandbox_forget(other);
        record_reader_init(&reader, first.bytes, first.n);
        exec_sandbox_restore(world->unit, &reader);
        record_reader_init(&reader, second.bytes, second.n);
        exec_sandbox_restore(other, &reader);
        cr_assert(eq(int, exec_sandbox_share(other, &request), 0));
        assert_not_null(request.shared->tmp);
        assert_string(request.shared->tmp, "/tmp/x");
        cr_assert(eq(u32, request.shared->user_uid, 4711));
        cr_assert(eq(u32, request.shared->user_gid, 4711));
}
