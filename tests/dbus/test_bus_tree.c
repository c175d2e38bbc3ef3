/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Kinds of objects are rows: one that only this test has is found, listed, described and announced as the others are
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/strv.h"
#include "bus_world.h"
#include "dbus/broadcast/bus_broadcast.h"
#include "dbus/bus_interfaces.h"
#include "dbus/object/bus_access.h"
#include "dbus/object/bus_call.h"
#include "dbus/object/bus_introspect.h"
#include "dbus/object/bus_view.h"
#include "double/double_assert.h"

/* There are lamps 1 and 2. Lamp 1 belongs to uid 1234. */
#define N_LAMPS 2
#define UID_OF_FIRST 1234U

static void get_number(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u64(sink, view->object->id);
}

static int set_number(BusCall *call, DBusMessageIter *value) {
        return 0;
}

static const BusProperty properties[] = {
        { "Number", "t", BUS_PROPERTY_CONST, 0, get_number, "Its number." },
        { "Wish", "t", 0, 0, get_number, "Its number, as somebody wishes.", .set = set_number, .set_verb = BUS_VERB_KILL },
        {},
};

static int method_light(BusCall *call) {
        return 0;
}

/* Any lamp lights the next one. */
static bool find_next(const BusCall *call, BusObject *ret_subject) {
        *ret_subject = (BusObject) { .kind = call->object->kind, .id = call->object->id % N_LAMPS + 1 };
        return true;
}

static const BusMethod methods[] = {
        { "LightNext", "", NULL, "", NULL, BUS_VERB_KILL, method_light, "Lights the next one.", find_next },
        { "Light", "", NULL, "", NULL, BUS_VERB_KILL, method_light, "Lights it." },
        {},
};

static const BusInterface lamp_interface = { .name = "Lamp", .methods = methods, .properties = properties };

static const BusKind lamp_kind;

static int find(const BusTree *tree, const char *name, pid_t caller, BusObject *object, Failure *ret_failure) {
        if (strlen(name) != 1 || name[0] < '1' || name[0] > '0' + N_LAMPS)
                return failure_set(ret_failure, -ENOENT, "UnknownObject", "There is no lamp %s.", name);
        object->id = (uint64_t) (name[0] - '0');
        return 0;
}

static int visit(const BusTree *tree, BusVisitor visitor, void *userdata) {
        int r = 0;

        for (uint64_t i = 1; i <= N_LAMPS && r >= 0; i++)
                r = visitor(userdata, &(BusObject) { .kind = &lamp_kind, .id = i });
        return r;
}

static const char *path(const BusObject *object, const BusDialect *dialect, char buffer[static BUS_PATH_SIZE]) {
        snprintf(buffer, BUS_PATH_SIZE, "%s/lamp/%u", dialect->root, (unsigned) object->id);
        return buffer;
}

static size_t interfaces(const BusObject *object, BusInterface *ret_interfaces) {
        ret_interfaces[0] = lamp_interface;
        return 1;
}

static bool grants(const BusTree *bus_tree, const BusObject *object, BusVerb verb, const BusClient *client) {
        return object->id == 1 && client->uid == UID_OF_FIRST;
}

static void write_notice(const BusView *view, const BusNotice *notice, Sink *sink) {
        sink_u64(sink, notice->id);
}

static bool recall(const BusTree *tree, const BusNotice *notice, BusObject *ret_object) {
        *ret_object = (BusObject) { .kind = &lamp_kind, .id = notice->id };
        return true;
}

static void write_gone(const BusView *view, const BusNotice *notice, Sink *sink) {
        char buffer[BUS_PATH_SIZE];

        sink_path(sink, path(&(BusObject) { .id = notice->id }, view->dialect, buffer));
        sink_open(sink, 'a', "s");
        bus_view_put_interface(view, &lamp_interface, sink);
        sink_close(sink);
}

static const BusKind lamp_kind = {
        .label = "lamp",
        .find = find,
        .visit = visit,
        .path = path,
        .interfaces = interfaces,
        .grants = grants,
        .came = "LampNew",
        .went = "LampRemoved",
        .write_notice = write_notice,
        .recall = recall,
        .write_gone = write_gone,
};

static const BusKind *const lamps[] = { &lamp_kind, NULL };
static const BusInterface *const nothing_in_common[] = { NULL };

static const BusKind root_kind = {};

static const BusTree tree_of_lamps = {
        .dialects = BUS_DIALECT_BIT(BUS_DIALECT_OWN) | BUS_DIALECT_BIT(BUS_DIALECT_SYSTEMD),
        .root = &root_kind,
        .kinds = lamps,
        .common = nothing_in_common,
};

static void assert_children(const char *of, const char *expected) {
        cleanup_(strv_freep) char **labels = NULL;
        cleanup_(text_deinit) Text text = {};
        BusObject object;

        cr_assert(eq(int, bus_tree_find(&tree_of_lamps, of, 0, &object, NULL), 0));
        cr_assert(eq(int, bus_tree_children(&tree_of_lamps, &object, &labels), 0));
        strv_foreach(label, labels)
                text_addf(&text, "%s ", *label);
        assert_string(text.n > 0 ? text.string : "", expected);
}

Test(bus_tree, an_object_is_found_by_the_label_of_its_kind_in_each_dialect) {
        static const char *const paths[] = { "/org/jobd1/lamp/2", "/org/freedesktop/systemd1/lamp/2" };
        BusObject object;

        for (size_t i = 0; i < ELEMENTSOF(paths); i++) {
                cr_assert(eq(int, bus_tree_find(&tree_of_lamps, paths[i], 0, &object, NULL), 0));
                cr_assert(object.kind == &lamp_kind && object.id == 2 && object.dialect == &bus_dialects[i]);
        }
}

Test(bus_tree, nothing_is_found_elsewhere) {
        static const char *const paths[] = {
                "/org/jobd1/lamp/3", "/org/jobd1/lamp/", "/org/jobd1/lamps", "/org/jobd1/lam",
                "/org/jobd1/unit/a_2eservice", "/org/jobd12",
        };
        BusObject object;

        for (size_t i = 0; i < ELEMENTSOF(paths); i++)
                cr_assert(eq(int, bus_tree_find(&tree_of_lamps, paths[i], 0, &object, NULL), -ENOENT), "%s", paths[i]);
}

Test(bus_tree, folders_lead_to_all_objects) {
        assert_children("/", "org ");
        assert_children("/org", "jobd1 freedesktop ");
        assert_children("/org/jobd1", "lamp ");
        assert_children("/org/jobd1/lamp", "1 2 ");
        assert_children("/org/jobd1/lamp/1", "");
}

Test(bus_tree, a_kind_describes_its_objects) {
        cleanup_free_ char *xml = NULL;
        BusObject object;

        cr_assert(eq(int, bus_tree_find(&tree_of_lamps, "/org/jobd1/lamp/1", 0, &object, NULL), 0));
        cr_assert(eq(int, bus_introspect(&tree_of_lamps, object.dialect, &object, &xml), 0));
        cr_assert(strstr(xml, "<interface name=\"org.jobd1.Lamp\">") && strstr(xml, "<method name=\"Light\">"));
        cr_assert(strstr(xml, "name=\"Number\" type=\"t\" access=\"read\">") != NULL, "%s", xml);
        cr_assert(strstr(xml, "name=\"Wish\" type=\"t\" access=\"readwrite\">") != NULL, "%s", xml);
}

Test(bus_tree, a_kind_may_grant_rights_on_one_of_its_objects) {
        BusPeers peers = { .owner = 1000 };
        BusTree tree = tree_of_lamps;
        const BusObject first = { .kind = &lamp_kind, .id = 1 }, second = { .kind = &lamp_kind, .id = 2 };

        tree.peers = &peers;
        cr_assert(bus_access_is_allowed(&tree, &first, BUS_VERB_KILL, &(BusClient) { .uid = UID_OF_FIRST }));
        cr_assert(not(bus_access_is_allowed(&tree, &second, BUS_VERB_KILL, &(BusClient) { .uid = UID_OF_FIRST })));
        cr_assert(not(bus_access_is_allowed(&tree, &first, BUS_VERB_KILL, &(BusClient) { .uid = UID_OF_FIRST + 1 })));
        cr_assert(not(bus_access_is_allowed(&tree, &first, BUS_VERB_KILL, &(BusClient) { .uid = (uid_t) -1 })));
        cr_assert(bus_access_is_allowed(&tree, &second, BUS_VERB_KILL, &(BusClient) { .uid = 1000 }));
}

/* Like KillUnit(), a method of the manager whose subject is a unit. */
Test(bus_tree, a_right_on_an_object_counts_where_another_names_it) {
        cleanup_(bus_world_stop) BusWorld world;

        bus_world_start(&world, lamps);
        world.peers.owner = 1000;
        bus_world_peer(&world)->clients.items[0]->uid = UID_OF_FIRST;

        bus_world_call(&world, "/org/jobd1/lamp/2", "org.jobd1.Lamp", "Light");
        bus_world_wait(&world, "may call Light");
        bus_world_call(&world, "/org/jobd1/lamp/2", "org.jobd1.Lamp", "LightNext");
        bus_world_call(&world, "/org/jobd1/lamp/1", "org.jobd1.Lamp", "Light");
        bus_world_call(&world, "/org/jobd1/lamp/1", "org.jobd1.Lamp", "Dim");
        bus_world_wait(&world, "has no method org.jobd1.Lamp.Dim");
        cr_assert(not(bus_world_has_seen(&world, "may call LightNext")));
}

Test(bus_tree, methods_of_the_manager_are_about_the_unit_that_they_name) {
        cleanup_(bus_world_stop) BusWorld world;
        DBusMessage *message = dbus_message_new_method_call(NULL, "/org/jobd1", "org.jobd1.Manager", "KillUnit");
        const char *name = "x.target", *none = "x";
        BusCall call = { .tree = &world.tree, .message = message };
        BusObject subject = {};
        Unit *unit;

        bus_world_start(&world, NULL);
        bus_world_add_unit(&world, "x.target", "[Unit]\nDescription=x\n");
        dbus_message_append_args(message, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
        dbus_message_iter_init(message, &call.arguments);
        call.method = bus_interface_find_method(&bus_manager_interface, "KillUnit", NULL);
        cr_assert(call.method->find_subject(&call, &subject));
        unit = manager_find_unit(world.manager, name);
        cr_assert(unit && subject.unit == unit && subject.kind == &bus_unit_kind);
        dbus_message_unref(message);

        message = dbus_message_new_method_call(NULL, "/org/jobd1", "org.jobd1.Manager", "KillUnit");
        dbus_message_append_args(message, DBUS_TYPE_STRING, &none, DBUS_TYPE_INVALID);
        dbus_message_iter_init(message, &call.arguments);
        cr_assert(not(call.method->find_subject(&call, &subject)), "it is no name");
        dbus_message_unref(message);
}

Test(bus_tree, objects_of_all_kinds_are_managed_and_called) {
        cleanup_(bus_world_stop) BusWorld world;

        bus_world_start(&world, lamps);
        bus_world_call(&world, "/org/jobd1", BUS_OBJECT_MANAGER_INTERFACE, "GetManagedObjects");
        bus_world_wait(&world, "/org/jobd1/lamp/2");
        cr_assert(bus_world_has_seen(&world, "org.jobd1.Lamp"));

        bus_world_call(&world, "/org/jobd1/lamp/1", "org.jobd1.Lamp", "Dim");
        bus_world_wait(&world, "Object /org/jobd1/lamp/1 has no method org.jobd1.Lamp.Dim.");
}

Test(bus_tree, objects_of_all_kinds_are_announced) {
        cleanup_(bus_world_stop) BusWorld world;

        bus_world_start(&world, lamps);
        bus_world_call(&world, "/org/jobd1", BUS_OBJECT_MANAGER_INTERFACE, "GetManagedObjects");
        bus_world_wait(&world, "/org/jobd1/lamp/2");

        bus_broadcast_notice(&world.signals.broadcast,
                             &(BusNotice) { .kind = BUS_NOTICE_CAME, .of = &lamp_kind, .id = 7 });
        bus_broadcast_notice(&world.signals.broadcast,
                             &(BusNotice) { .kind = BUS_NOTICE_WENT, .of = &lamp_kind, .id = 7 });
        bus_world_wait(&world, "InterfacesRemoved");
        cr_assert(bus_world_has_seen(&world, "LampNew") && bus_world_has_seen(&world, "LampRemoved"));
        cr_assert(bus_world_has_seen(&world, "InterfacesAdded") && bus_world_has_seen(&world, "/org/jobd1/lamp/7"));
}
