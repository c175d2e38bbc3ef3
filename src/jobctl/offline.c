/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Verbs that work on unit files, with or without a manager
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/offline.h"

void offline_error(BusError *error, int code, const Failure *failure) {
        cleanup_free_ char *name = NULL;

        if (code == -ENOMEM || text_format(&name, "org.jobd1.%s", failure->name ?: "Failed") < 0)
                return;
        bus_error_set(error, name, "%s", failure->code < 0 ? failure_message(failure) : strerror(-code));
}

/* Connects without a report: the lack of a manager is no failure here. */
static bool connect_if_there(Jobctl *ctl) {
        cleanup_(bus_error_deinit) BusError error = {};

        return ctl->bus || (bus_open(&ctl->bus, &ctl->address, &error) == 0 && bus_ping(ctl->bus, 0, &error) == 0);
}

static int take_strings(const json_t *array, char ***ret_strings) {
        cleanup_(strv_freep) char **strings = NULL;
        json_t *item;
        size_t i;

        json_array_foreach(array, i, item)
                if (strv_push(&strings, json_string_value(item) ?: "") < 0)
                        return -ENOMEM;
        *ret_strings = take_ptr(strings);
        return 0;
}

int offline_search_path(Jobctl *ctl, char ***ret_path) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *manager = NULL;
        int r;

        if (!ctl->bus)
                return unit_file_search_path(ctl->address.is_user, ctl->options.with_systemd_units,
                                             ctl->options.unit_path, ret_path);
        r = jobctl_properties(ctl, BUS_PATH, BUS_MANAGER, &manager, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get the search path of unit files");
        return take_strings(json_object_get(manager, "UnitPath"), ret_path);
}

int offline_open(Jobctl *ctl, Installer **ret_installer) {
        cleanup_(strv_freep) char **path = NULL;
        int r;

        *ret_installer = NULL;
        if (!ctl->options.root && (ctl->address.socket || ctl->bus))
                return ctl->bus ? 0 : jobctl_connect(ctl);
        if (!ctl->options.root && connect_if_there(ctl))
                return 0;
        ctl->bus = bus_close(ctl->bus);
        r = offline_search_path(ctl, &path);
        if (r != 0)
                return r;
        return installer_new(ret_installer, &(InstallOptions) {
                .search_path = path,
                .root = ctl->options.root,
                .is_user = ctl->address.is_user,
                .with_systemd = ctl->options.with_systemd_units,
                .into_systemd = ctl->options.with_systemd_units,
        });
}
