/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A temporary search path
 */

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "fake_types.h"
#include "file_world.h"

/* Adds @string without the world's root. */
static void add_short(const FileWorld *world, Text *text, const char *string) {
        size_t n = strlen(world->root);

        for (const char *at; (at = strstr(string, world->root)); string = at + n + (at[n] == '/'))
                text_add_n(text, string, (size_t) (at - string));
        text_add(text, string);
}

static void receive(void *userdata, const UnitFileDiagnostic *diagnostic) {
        static const char *const words[] = { "note", "warning", "error" };
        FileWorld *world = userdata;

        text_addf(&world->said, "%s ", words[diagnostic->severity]);
        add_short(world, &world->said, diagnostic->file);
        if (diagnostic->line > 0)
                text_addf(&world->said, ":%u", diagnostic->line);
        if (diagnostic->setting)
                text_addf(&world->said, " %s", diagnostic->setting);
        text_add(&world->said, ": ");
        add_short(world, &world->said, diagnostic->message);
        text_add(&world->said, "\n");
}

static void stop(FileWorld *world) {
        world->table = unit_table_free(world->table);
        world->loader = unit_file_loader_free(world->loader);
}

void file_world_restart(FileWorld *world) {
        stop(world);
        cr_assert(eq(int, unit_file_loader_new(&world->loader, &world->options), 0));
        cr_assert(eq(int, unit_table_new(&world->table), 0));
        fake_types_set(world->table);
        unit_file_loader_attach(world->loader, world->table);
}

FileWorld *file_world_new(void) {
        FileWorld *world = calloc(1, sizeof(*world));

        cr_assert(world != NULL);
        strcpy(world->root, "/tmp/jobd-file-XXXXXX");
        cr_assert(mkdtemp(world->root) != NULL);
        for (size_t i = 0; i < 2; i++) {
                cr_assert(eq(int, text_format(&world->search_path[i], "%s/%c", world->root, (char) ('a' + i)), 0));
                cr_assert(eq(int, mkdir(world->search_path[i], 0755), 0));
        }
        world->options = (UnitFileOptions) {
                .search_path = world->search_path,
                .receiver = receive,
                .userdata = world,
        };
        file_world_restart(world);
        return world;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place) {
        return remove(path);
}

FileWorld *file_world_free(FileWorld *world) {
        stop(world);
        nftw(world->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        for (size_t i = 0; i < 2; i++)
                free(world->search_path[i]);
        text_deinit(&world->said);
        text_deinit(&world->changed);
        free(world);
        return NULL;
}

/* The full path, whose folders are there then. */
static char *make_path(FileWorld *world, const char *path) {
        char *full;

        cr_assert(eq(int, text_format(&full, "%s/%s", world->root, path), 0));
        for (char *slash = full + strlen(world->root) + 1; (slash = strchr(slash, '/')); slash++) {
                *slash = '\0';
                (void) mkdir(full, 0755);
                *slash = '/';
        }
        return full;
}

void file_write_bytes(FileWorld *world, const char *path, const char *bytes, size_t n) {
        cleanup_free_ char *full = make_path(world, path);
        FILE *file = fopen(full, "we");

        cr_assert(file != NULL);
        cr_assert(eq(sz, fwrite(bytes, 1, n, file), n));
        cr_assert(eq(int, fclose(file), 0));
}

void file_write(FileWorld *world, const char *path, const char *text) {
        file_write_bytes(world, path, text, strlen(text));
}

void file_link(FileWorld *world, const char *path, const char *target) {
        cleanup_free_ char *full = make_path(world, path);

        cr_assert(eq(int, symlink(target, full), 0));
}

void file_remove(FileWorld *world, const char *path) {
        cleanup_free_ char *full = make_path(world, path);

        cr_assert(eq(int, remove(full), 0));
}

Unit *file_load(FileWorld *world, const char *name) {
        Unit *unit = NULL;

        cr_assert(eq(int, unit_table_load(world->table, name, &unit), 0));
        return unit;
}

Unit *file_load_service(FileWorld *world, const char *name, const char *lines) {
        cleanup_free_ char *path = NULL, *text = NULL;

        cr_assert(eq(int, text_format(&path, "a/%s", name), 0));
        cr_assert(eq(int, text_format(&text, "[Service]\nExecStart=/bin/true\n%s\n", lines), 0));
        file_write(world, path, text);
        return file_load(world, name);
}

const ServiceSettings *file_service(const Unit *unit) {
        cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", failure_message(&unit->load_failure));
        cr_assert(unit->type_settings != NULL);
        return unit->type_settings;
}

const char *file_relations(const Unit *unit, UnitRelationKind kind) {
        static char buffer[4096];
        UnitRelations relations = unit_relations(unit, kind);

        buffer[0] = '\0';
        for (size_t i = 0; i < relations.n; i++)
                snprintf(buffer + strlen(buffer), sizeof(buffer) - strlen(buffer), "%s%s", i > 0 ? " " : "",
                         unit_table_at(unit->table, relations.items[i].other)->id);
        return buffer;
}

const char *file_origin(FileWorld *world, const Unit *unit, UnitRelationKind kind, const char *other) {
        static char buffer[1024];
        const UnitRelation *relation = unit_find_relation(unit, kind, unit_table_find(world->table, other));
        cleanup_(text_deinit) Text text = {};
        char full[1024];

        cr_assert(relation != NULL);
        add_short(world, &text, unit_origin_format(world->table, relation->here, full, sizeof(full)));
        snprintf(buffer, sizeof(buffer), "%s", text.string);
        return buffer;
}

const char *file_said(FileWorld *world) {
        static char buffer[65536];

        snprintf(buffer, sizeof(buffer), "%s", world->said.string ? world->said.string : "");
        text_deinit(&world->said);
        return buffer;
}

void file_assert_contains(const char *text, const char *part) {
        cr_assert(strstr(text, part) != NULL, "'%s' is not in '%s'", part, text);
}

static void note_change(void *userdata, Unit *unit, const char *difference) {
        FileWorld *world = userdata;

        text_addf(&world->changed, "%s: ", unit->id);
        add_short(world, &world->changed, difference);
        text_add(&world->changed, "\n");
}

int file_reload(FileWorld *world, bool force, Failure *ret_failure) {
        text_deinit(&world->changed);
        return unit_file_reload(world->loader, world->table, force, note_change, world, ret_failure);
}
