/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Methods that answer later: two of an object that only this test has
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bus_world.h"
#include "dbus/bus_interfaces.h"
#include "dbus/object/bus_later.h"
#include "double/double_assert.h"

#define OVEN "/org/jobd1/oven/1"

static BusLater kept[BUS_LATER_MAX + 1];
static size_t n_kept;

static int method_bake(BusCall *call) {
        int r;

        r = bus_call_keep(call, &kept[n_kept]);
        if (r < 0)
                return r;
        n_kept++;
        return BUS_CALL_LATER;
}

/* Fails after it has announced a later answer. */
static int method_burn(BusCall *call) {
        int r;

        r = bus_call_keep(call, &kept[n_kept]);
        if (r < 0)
                return r;
        n_kept++;
        return bus_call_fail(call, -EIO, "Smoke", "It burns.");
}

/* The answer to this call is begun before the answer to the other call, and written after it. */
static void write_bread(const BusView *view, const void *data, Sink *sink);
static int method_open(BusCall *call) {
        sink_string(call->reply, "open");
        cr_assert(bus_later_answer(call->tree, kept[0], write_bread, "bread"));
        return 0;
}

/* Returns a positive outcome of another function without keeping the call. */
static int method_peek(BusCall *call) {
        sink_string(call->reply, "brown");
        return 1;
}

static const BusMethod methods[] = {
        { "Bake", "", NULL, "s", "bread", BUS_VERB_ENQUEUE, method_bake, "Answers when the bread is done." },
        { "Burn", "", NULL, "s", "bread", BUS_VERB_ENQUEUE, method_burn, "Fails at once." },
        { "Peek", "", NULL, "s", "color", BUS_VERB_ENQUEUE, method_peek, "Answers at once." },
        { "Open", "", NULL, "s", "state", BUS_VERB_ENQUEUE, method_open, "Answers the first of the others, too." },
        {},
};

static const BusInterface oven_interface = { .name = "Oven", .methods = methods };

static int find(const BusTree *tree, const char *name, pid_t caller, BusObject *object, Failure *ret_failure) {
        return 0;
}

static int visit(const BusTree *tree, BusVisitor visitor, void *userdata) {
        return 0;
}

static size_t interfaces(const BusObject *object, BusInterface *ret_interfaces) {
        ret_interfaces[0] = oven_interface;
        return 1;
}

static const BusKind oven_kind = { .label = "oven", .find = find, .visit = visit, .interfaces = interfaces };
static const BusKind *const ovens[] = { &oven_kind, NULL };

static void write_bread(const BusView *view, const void *data, Sink *sink) {
        sink_string(sink, data);
}

/* Larger than any message may be. */
static void write_too_much(const BusView *view, const void *data, Sink *sink) {
        static char flour[BUS_WIRE_BODY_MAX + 1];

        memset(flour, 'f', sizeof(flour) - 1);
        sink_string(sink, flour);
}

static void start(BusWorld *world) {
        n_kept = 0;
        bus_world_start(world, ovens);
}

static void call_and_keep(BusWorld *world, const char *method) {
        size_t before = n_kept;

        bus_world_call(world, OVEN, "org.jobd1.Oven", method);
        while (n_kept == before)
                bus_world_turn(world);
        bus_world_settle(world);
}

Test(bus_later, the_answer_comes_when_it_is_given) {
        cleanup_(bus_world_stop) BusWorld world;
        size_t before;

        start(&world);
        call_and_keep(&world, "Bake");
        before = world.seen.n;
        bus_world_drain(&world);
        cr_assert(eq(sz, world.seen.n, before), "no answer yet");

        cr_assert(eq(int, (int) bus_later_client(&world.tree, kept[0])->uid, (int) getuid()));
        cr_assert(bus_later_answer(&world.tree, kept[0], write_bread, "a fresh loaf"));
        bus_world_wait(&world, "a fresh loaf");
}

Test(bus_later, a_call_is_answered_once) {
        cleanup_(bus_world_stop) BusWorld world;

        start(&world);
        call_and_keep(&world, "Bake");
        cr_assert(bus_later_answer(&world.tree, kept[0], write_bread, "first loaf"));
        cr_assert(not(bus_later_answer(&world.tree, kept[0], write_bread, "second loaf")));
        cr_assert(not(bus_later_fail(&world.tree, kept[0], &(Failure) { .code = -EIO })));
        cr_assert(bus_later_client(&world.tree, kept[0]) == NULL);
        bus_world_wait(&world, "first loaf");
        bus_world_settle(&world);
        bus_world_drain(&world);
        cr_assert(not(bus_world_has_seen(&world, "second loaf")));
}

Test(bus_later, it_can_fail_later) {
        cleanup_(bus_world_stop) BusWorld world;
        cleanup_(failure_deinit) Failure failure = {};

        start(&world);
        call_and_keep(&world, "Bake");
        failure_set(&failure, -EIO, "NoFlour", "There is no flour.");
        cr_assert(bus_later_fail(&world.tree, kept[0], &failure));
        bus_world_wait(&world, "There is no flour.");
        cr_assert(bus_world_has_seen(&world, "org.jobd1.NoFlour"));
}

Test(bus_later, a_handler_that_fails_has_answered) {
        cleanup_(bus_world_stop) BusWorld world;

        start(&world);
        call_and_keep(&world, "Burn");
        bus_world_wait(&world, "It burns.");
        cr_assert(not(bus_later_answer(&world.tree, kept[0], write_bread, "bread")));
}

Test(bus_later, calls_are_told_apart) {
        cleanup_(bus_world_stop) BusWorld world;

        start(&world);
        call_and_keep(&world, "Bake");
        call_and_keep(&world, "Bake");
        cr_assert(bus_later_answer(&world.tree, kept[1], write_bread, "rye"));
        bus_world_wait(&world, "rye");
        cr_assert(bus_later_answer(&world.tree, kept[0], write_bread, "wheat"));
        bus_world_wait(&world, "wheat");
}

Test(bus_later, an_answer_may_be_given_inside_another_call) {
        cleanup_(bus_world_stop) BusWorld world;

        start(&world);
        call_and_keep(&world, "Bake");
        bus_world_call(&world, OVEN, "org.jobd1.Oven", "Open");
        bus_world_wait(&world, "open");
        cr_assert(bus_world_has_seen(&world, "bread"));
}

Test(bus_later, a_body_that_is_too_large_is_a_failure) {
        cleanup_(bus_world_stop) BusWorld world;

        start(&world);
        call_and_keep(&world, "Bake");
        cr_assert(bus_later_answer(&world.tree, kept[0], write_too_much, NULL));
        bus_world_wait(&world, "The answer would be too large for one message");
}

Test(bus_later, nobody_is_answered_who_wants_no_answer) {
        cleanup_(bus_world_stop) BusWorld world;
        DBusMessage *call = dbus_message_new_method_call(NULL, OVEN, "org.jobd1.Oven", "Bake");

        start(&world);
        dbus_message_set_no_reply(call, TRUE);
        bus_world_send(&world, call);
        while (n_kept == 0)
                bus_world_turn(&world);
        cr_assert(bus_later_answer(&world.tree, kept[0], write_bread, "bread"));

        call_and_keep(&world, "Bake");
        cr_assert(bus_later_answer(&world.tree, kept[1], write_bread, "cake"));
        bus_world_wait(&world, "cake");
        cr_assert(not(bus_world_has_seen(&world, "bread")));
}

Test(bus_later, a_call_goes_with_its_client) {
        cleanup_(bus_world_stop) BusWorld world;

        start(&world);
        call_and_keep(&world, "Bake");
        cr_assert(not(bus_client_is_idle(bus_world_peer(&world)->clients.items[0])));
        close(world.client);
        while (world.peers.items.n > 0)
                bus_world_turn(&world);
        cr_assert(not(bus_later_answer(&world.tree, kept[0], write_bread, "bread")));
}

Test(bus_later, a_client_has_so_many_only) {
        cleanup_(bus_world_stop) BusWorld world;

        start(&world);
        for (size_t i = 0; i < BUS_LATER_MAX; i++)
                call_and_keep(&world, "Bake");
        bus_world_call(&world, OVEN, "org.jobd1.Oven", "Bake");
        bus_world_wait(&world, "LimitsExceeded");

        cr_assert(bus_later_answer(&world.tree, kept[0], write_bread, "one less"));
        call_and_keep(&world, "Bake");
        cr_assert(eq(sz, n_kept, BUS_LATER_MAX + 1));
}

Test(bus_later, a_positive_outcome_is_no_promise) {
        cleanup_(bus_world_stop) BusWorld world;

        start(&world);
        bus_world_call(&world, OVEN, "org.jobd1.Oven", "Peek");
        bus_world_wait(&world, "brown");
}
