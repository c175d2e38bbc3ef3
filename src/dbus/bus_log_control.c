/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's own log, as any service may offer it: org.freedesktop.LogControl1
 *
 * The object stands beside those of systemd, at a path that all programs share.
 */

#include "dbus/bus_interfaces.h"
#include "dbus/bus_manager.h"

static void get_identifier(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, "jobd");
}

static const BusProperty properties[] = {
        { "LogLevel", "s", 0, 0, bus_manager_get_log_level, "As Manager.LogLevel.",
          .set = bus_manager_set_log_level, .set_verb = BUS_VERB_RELOAD },
        { "LogTarget", "s", 0, 0, bus_manager_get_log_target, "As Manager.LogTarget.",
          .set = bus_manager_set_log_target, .set_verb = BUS_VERB_RELOAD },
        { "SyslogIdentifier", "s", 0, 0, get_identifier, "The name in front of its lines." },
        {},
};

static const BusInterface interface = { .name = "org.freedesktop.LogControl1", .properties = properties };

static size_t interfaces(const BusObject *object, BusInterface *ret_interfaces) {
        ret_interfaces[0] = interface;
        return 1;
}

const BusKind bus_log_control_kind = { .interfaces = interfaces, .fixed_path = "/org/freedesktop/LogControl1" };
