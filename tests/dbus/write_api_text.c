/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Writes the API text of each interface into a folder, or, with --check, tells whether what is there is current
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/text.h"
#include "dbus/bus_interfaces.h"
#include "dbus/object/bus_document.h"
#include "types/unit_types.h"

static int read_all(const char *path, char **ret_text) {
        cleanup_(text_deinit) Text text = {};
        char buffer[4096];
        size_t n;
        FILE *file;

        file = fopen(path, "re");
        if (!file)
                return -errno;
        while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
                text_add_n(&text, buffer, n);
        fclose(file);
        return text_finish(&text, ret_text);
}

static int write_all(const char *path, const char *text) {
        FILE *file;
        int r;

        file = fopen(path, "we");
        if (!file)
                return -errno;
        r = fputs(text, file) < 0 ? -EIO : 0;
        return fclose(file) == 0 ? r : -errno;
}

/* 0, 1 if the file says something else, or negative. */
static int serve_interface(const BusInterface *interface, const char *folder, bool is_check) {
        cleanup_free_ char *path = NULL, *text = NULL, *there = NULL;
        char name[BUS_INTERFACE_NAME_SIZE];
        int r;

        r = bus_document_interface(interface, &text);
        if (r >= 0)
                r = text_format(&path, "%s/%s.md", folder,
                                bus_interface_full_name(interface, &bus_dialects[BUS_DIALECT_OWN], name));
        if (r >= 0)
                r = is_check ? read_all(path, &there) : write_all(path, text);
        if (r < 0)
                fprintf(stderr, "%s: %s\n", path ?: folder, strerror(-r));
        else if (is_check && strcmp(text, there) != 0) {
                fprintf(stderr, "%s is out of date: run \"ninja api-text\" in the build folder.\n", path);
                r = 1;
        }
        return r;
}

int main(int argc, char **argv) {
        bool is_check = argc == 3 && strcmp(argv[1], "--check") == 0;
        const BusInterface interfaces[] = {
                bus_manager_interface, bus_unit_interface, bus_job_interface, bus_run_interface,
        };
        int status = 0;

        if (argc != 2 && !is_check) {
                fprintf(stderr, "Usage: %s [--check] FOLDER\n", argv[0]);
                return 2;
        }
        for (size_t i = 0; i < ELEMENTSOF(interfaces); i++)
                if (serve_interface(&interfaces[i], argv[argc - 1], is_check) != 0)
                        status = 1;
        for (size_t i = 0; unit_types[i]; i++) {
                BusInterface interface = bus_type_interface(unit_types[i]);

                if (serve_interface(&interface, argv[argc - 1], is_check) != 0)
                        status = 1;
        }
        return status;
}
