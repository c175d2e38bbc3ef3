/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * libmount, loaded when it is first needed
 */

#include <libmount/libmount.h>

#define MOUNT_LIBRARY_CALLS(call) \
        call(new_table) call(unref_table) call(table_parse_mtab) call(table_parse_fstab) \
        call(table_set_parser_errcb) call(table_set_userdata) call(table_get_userdata) \
        call(new_iter) call(free_iter) call(table_next_fs) \
        call(fs_get_source) call(fs_get_target) call(fs_get_fstype) call(fs_get_options)

/* Members are named like libmount's functions, without "mnt_". */
typedef struct MountLibrary {
#define MOUNT_LIBRARY_MEMBER(name) __typeof__(&mnt_##name) name;
        MOUNT_LIBRARY_CALLS(MOUNT_LIBRARY_MEMBER)
#undef MOUNT_LIBRARY_MEMBER
} MountLibrary;

/* NULL if the library is not installed. */
const MountLibrary *mount_library(void);
