/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records that no service has written
 *
 * That a service goes on from its record is shown by all the other tests, run
 * with WORLD_RENEWS.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "service_world.h"
#include "unit/types/unit_types.h"
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

/* Whatever is in it: refused, or a state in which the service can be asked and stopped. */
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
        cr_assert(gt(u32, n_refused, 0));
        cr_assert(gt(u32, n_taken, 0));
        unit_stop(world->unit);
}

/* A job may wait for long. */
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
