/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a loaded unit takes, as the C library counts it; so not under a
 * sanitizer, which has an allocator of its own.
 */

#include <malloc.h>
#include <stdio.h>

#include "basic/macro.h"
#include "basic/slab.h"
#include "file_world.h"

#define TARGETS 2000U

/* Each needs and follows up to three that are half, a third and a quarter as far: eight relations, with their inverses. */
static void write_unit(FileWorld *world, unsigned i) {
        char path[32], text[512], names[128];
        int n = 0;

        for (unsigned part = 2; part < 2 + i % 4 && i / part > 0; part++)
                n += snprintf(names + n, sizeof(names) - (size_t) n, " t%u.target", i / part);
        snprintf(path, sizeof(path), "a/t%u.target", i);
        if (n == 0)
                snprintf(text, sizeof(text), "[Unit]\nDefaultDependencies=no\n");
        else
                snprintf(text, sizeof(text), "[Unit]\nDefaultDependencies=no\nRequires=%s\nAfter=%s\n", names + 1, names + 1);
        file_write(world, path, text);
}

static size_t heap_in_use(void) {
        struct mallinfo2 info = mallinfo2();

        return info.uordblks + info.hblkhd;
}

static bool heap_is_counted(void) {
        size_t before = heap_in_use();
        void *volatile block = malloc(10000);
        bool is_counted = heap_in_use() >= before + 10000;

        free(block);
        return is_counted;
}

Test(unit_memory, a_loaded_target_takes_little) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        size_t before, taken;
        char name[32];

        if (!heap_is_counted())
                return;
        for (unsigned i = 0; i < TARGETS; i++)
                write_unit(world, i);
        before = heap_in_use();
        for (unsigned i = 0; i < TARGETS; i++) {
                snprintf(name, sizeof(name), "t%u.target", i);
                file_load(world, name);
        }
        taken = (heap_in_use() - before) / TARGETS;
        cr_assert(eq(u32, unit_table_count(world->table), TARGETS));
        cr_assert(taken <= 800, "a unit takes %zu bytes", taken);
}

/*
 * After a load, relations may be written anew beside each other, and as units are read again they then take pieces of
 * other lengths: a whole chunk of the slab may begin. It is used again, so that is all there ever is, however often.
 */
Test(unit_memory, reading_again_takes_no_more) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        size_t before, most = 0;
        char name[32];

        if (!heap_is_counted())
                return;
        for (unsigned i = 0; i < 200; i++)
                write_unit(world, i);
        for (unsigned i = 0; i < 200; i++) {
                snprintf(name, sizeof(name), "t%u.target", i);
                file_load(world, name);
        }
        before = heap_in_use();
        for (int round = 0; round < 25; round++) {
                unit_table_foreach(world->table, unit)
                        cr_assert(eq(int, unit_table_reload_unit(world->table, unit), 0));
                cr_assert(eq(int, unit_table_load_queued(world->table), 0));
                most = MAX(most, heap_in_use());
        }
        cr_assert(most <= before + SLAB_BLOCK_MAX + 200 * 40, "200 units took %zu bytes more", most - before);
}
