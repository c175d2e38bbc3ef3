/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Values of an object that several interfaces write
 */

#include "dbus/object/bus_view.h"

void bus_view_put_unit_path(const BusView *view, const char *unit, Sink *sink) {
        char path[BUS_PATH_SIZE];

        sink_path(sink, bus_path_of_unit(view->dialect, unit, path));
}

void bus_view_put_job_path(const BusView *view, uint32_t id, Sink *sink) {
        char path[BUS_PATH_SIZE];

        sink_path(sink, id == JOB_ID_NONE ? "/" : bus_path_of_job(view->dialect, id, path));
}

void bus_view_put_interface(const BusView *view, const BusInterface *interface, Sink *sink) {
        char name[BUS_INTERFACE_NAME_SIZE];

        sink_string(sink, bus_interface_full_name(interface, view->dialect, name));
}

void bus_view_put_interfaces(const BusView *view, const BusInterface *interfaces, size_t n, Sink *sink) {
        sink_open(sink, 'a', "{sa{sv}}");
        for (size_t i = 0; i < n; i++) {
                if (!interfaces[i].properties && !interfaces[i].unit_properties)
                        continue;
                sink_open(sink, 'e', "sa{sv}");
                bus_view_put_interface(view, &interfaces[i], sink);
                sink_open(sink, 'a', "{sv}");
                bus_interface_write_properties(view, &interfaces[i], 0, sink);
                sink_close(sink);
                sink_close(sink);
        }
        sink_close(sink);
}
