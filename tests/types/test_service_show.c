/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties, activity and saved state of a service
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_sink.h"
#include "service_world.h"
#include "types/unit_types.h"

#define START SERVICE_EXEC_START

/* A sink that keeps only the signature of the value. */
typedef struct SignatureSink {
        Sink sink;
        size_t depth;
        Text signature;
} SignatureSink;

static void note_put(Sink *sink, char type, const void *value) {
        SignatureSink *self = container_of(sink, SignatureSink, sink);

        if (self->depth == 0)
                text_add_char(&self->signature, type);
}

static void note_open(Sink *sink, char container, const char *contents) {
        SignatureSink *self = container_of(sink, SignatureSink, sink);

        if (self->depth++ == 0)
                text_addf(&self->signature, container == 'a' ? "a%s" : "(%s)", contents);
}

static void note_close(Sink *sink) {
        container_of(sink, SignatureSink, sink)->depth--;
}

static const SinkOps signature_ops = { .put = note_put, .open = note_open, .close = note_close };

Test(service_show, properties_write_what_they_declare) {
        WORLD(SERVICE_SIMPLE);
        const UnitProperty *property;

        world_command(world, START, "/bin/a b");
        world_start(world);
        for (size_t i = 0; (property = unit_property_at(service_vtable.properties, i)); i++) {
                SignatureSink sink = { .sink.ops = &signature_ops };

                unit_property_write(property, world->unit, &sink.sink);
                cr_assert(sink.signature.string && strcmp(sink.signature.string, property->signature) == 0, "%s: %s",
                          property->name, sink.signature.string);
                if (!(property->flags & UNIT_PROPERTY_FOREIGN))
                        cr_assert(property->description && text_ends_with(property->description, "."));
                text_deinit(&sink.signature);
        }
}

Test(service_show, commands_with_what_became_of_them) {
        WORLD(SERVICE_ONESHOT);

        world_command(world, START, "-/bin/a b c");
        world_command(world, START, "/bin/d");
        assert_string(world_property(world, "ExecStart"),
                      "[(/bin/a,[/bin/a,b,c],true,0,0,0,0,0,0,0),(/bin/d,[/bin/d],false,0,0,0,0,0,0,0)]");
        world_start(world);
        world_advance(world, USEC_PER_SEC);
        world_exit(world, world_main(world), 3);
        assert_string(world_property(world, "ExecStart"),
                      "[(/bin/a,[/bin/a,b,c],true,1001000000000,1000000000,1001001000000,1001000000,5000001,1,3),"
                      "(/bin/d,[/bin/d],false,1001001000000,1001000000,0,0,5000002,0,0)]");
        assert_string(world_property(world, "ExecMainPID"), "5000002");
}

Test(service_show, output_as_in_a_unit_file) {
        WORLD(SERVICE_SIMPLE);

        world->settings->exec.standard_output = EXEC_OUTPUT_APPEND;
        world->settings->exec.standard_output_file = strdup("/var/log/x");
        assert_string(world_property(world, "StandardOutput"), "append:/var/log/x");
        assert_string(world_property(world, "StandardError"), "inherit");
        assert_string(world_property(world, "StandardInput"), "null");
}

static const char *activity(const World *world) {
        static char text[512];
        char *string = NULL;
        usec_t since;
        int r;

        r = service_vtable.activity(world->unit, &string, &since);
        snprintf(text, sizeof(text), "%s", r < 0 ? "nothing" : string);
        free(string);
        return text;
}

Test(service_show, activity) {
        WORLD(SERVICE_FORKING);

        world->settings->pid_file = strdup("/no/such/pid");
        world->settings->restart = SERVICE_RESTART_ALWAYS;
        world->settings->restart_usec = 5 * USEC_PER_SEC;
        world_command(world, SERVICE_EXEC_START_PRE, "/bin/sleep 60");
        world_command(world, START, "/bin/a -d");
        assert_string(activity(world), "nothing");
        world_start(world);
        assert_string(activity(world), "ExecStartPre: /bin/sleep 60 (pid 5000001)");
        world_exit(world, world_control(world), 0);
        assert_string(activity(world), "ExecStart: /bin/a -d (pid 5000002)");
        world_exit(world, world_control(world), 0);
        assert_string(activity(world), "waiting for the PID file /no/such/pid");
        world_advance(world, 90 * USEC_PER_SEC);
        assert_string(activity(world), "next restart in 5s");
}

Test(service_show, activity_of_a_stop) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, START, "/bin/a");
        world_start(world);
        assert_string(activity(world), "ExecStart: /bin/a (pid 5000001)");
        world_stop(world);
        assert_string(activity(world), "waiting for its processes to end after SIGTERM");
}

Test(service_show, saves_what_a_successor_needs) {
        DoubleSink sink;
        WORLD(SERVICE_SIMPLE);

        world_command(world, START, "/bin/a");
        world_start(world);
        double_sink_init(&sink);
        sink_open(&sink.sink, 'a', "{sv}");
        cr_assert(eq(int, service_vtable.save(world->unit, &sink.sink), 0));
        sink_close(&sink.sink);
        cr_assert(strstr(double_sink_string(&sink), "state=running,result=success") != NULL);
        cr_assert(strstr(double_sink_string(&sink), "main=(5000001,0,") != NULL);
        cr_assert(strstr(double_sink_string(&sink), "main-known=true") != NULL);
        double_sink_deinit(&sink);
}

Test(service_show, settings_that_are_gone_do_not_matter_for_a_stop) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, START, "/bin/a");
        world_start(world);
        world->unit->type_settings_free(world->unit->type_settings);
        world->unit->type_settings = NULL;
        assert_string(activity(world), "main process (pid 5000001)");
        assert_string(world_property(world, "ExecStart"), "[]");
        world_stop(world);
        world_exit(world, world_main(world), 0);
        assert_string(world_states(world), "start running stop-sigterm dead");
}
