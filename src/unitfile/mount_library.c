/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmount, loaded when it is first needed
 *
 * libmount depends on three other libraries, and most managers never look at a
 * mount: linking it would slow down each of their starts. So it is opened with
 * dlopen(), and stays open. It exists wherever mount(8) does.
 */

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "unitfile/mount_library.h"

static bool find(void *handle, MountLibrary *library) {
        bool has_all = true;

        /* POSIX, unlike ISO C, allows dlsym() to return a function. */
#define MOUNT_LIBRARY_FIND(name)                                                         \
        *(void **) &library->name = dlsym(handle, "mnt_" #name);                         \
        has_all = has_all && library->name;

        MOUNT_LIBRARY_CALLS(MOUNT_LIBRARY_FIND)
        return has_all;
}

const MountLibrary *mount_library(void) {
        static MountLibrary library;
        static bool is_there, was_tried;
        void *handle;

        if (was_tried)
                return is_there ? &library : NULL;
        was_tried = true;
        handle = dlopen("libmount.so.1", RTLD_NOW | RTLD_LOCAL);
        is_there = handle && find(handle, &library);
        return is_there ? &library : NULL;
}
