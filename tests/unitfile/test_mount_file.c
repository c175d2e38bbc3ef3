/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Mount]: names, what refuses it, what comes with it, and who needs it
 */

#include <string.h>

#include "basic/macro.h"
#include "file_world.h"
#include "unitfile/mount_option.h"
#include "unitfile/mount_settings.h"
#include "unitfile/mount_table.h"

/* What a line of it does: the unit's load state, and what is said. */
static const struct {
        const char *name, *lines, *said;
} refused[] = {
        { "srv.mount", "Where=/srv", "What: This setting is missing: there is nothing to mount" },
        { "srv.mount", "What=/x\nWhere=/other", "The unit for '/other' must be named other.mount" },
        { "a@b.mount", "What=/x\nWhere=/srv", "The unit for '/srv' must be named srv.mount" },
        { "srv.mount", "What=/x\nWhere=srv", "'srv' is not an absolute path" },
        { "srv.mount", "What=/x\nWhere=/a/../srv", "contains '..'" },
        { "proc.mount", "What=proc\nWhere=/proc", "'/proc' is mounted by the system" },
        { "sys-fs-cgroup-x.mount", "What=x", "'/sys/fs/cgroup/x' is mounted by the system" },
        { "srv.mount", "What=/x\nDirectoryMode=rwx", "'rwx' is not a mode" },
        { "srv.mount", "What=/x\nType=ext4 xfs", "there can be only one type" },
        { "srv.mount", "What=/x\nReadWriteOnly=perhaps", "'perhaps'" },
};

Test(mount_file, what_refuses_it) {
        for (size_t i = 0; i < ELEMENTSOF(refused); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_free_ char *text = NULL, *path = NULL;

                cr_assert(eq(int, text_format(&text, "[Mount]\n%s\n", refused[i].lines), 0));
                cr_assert(eq(int, text_format(&path, "a/%s", refused[i].name), 0));
                file_write(world, path, text);
                cr_expect(file_load(world, refused[i].name)->load_state == UNIT_BAD_SETTING, "%s", refused[i].lines);
                assert_said(world, refused[i].said);
        }
}

static Unit *load(FileWorld *world, const char *name, const char *lines) {
        cleanup_free_ char *text = NULL, *path = NULL;
        Unit *unit;

        cr_assert(eq(int, text_format(&text, "[Mount]\n%s\n", lines), 0));
        cr_assert(eq(int, text_format(&path, "a/%s", name), 0));
        file_write(world, path, text);
        unit = file_load(world, name);
        cr_assert(unit->load_state == UNIT_LOADED, "%s", file_said(world));
        return unit;
}

Test(mount_file, values) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const Unit *unit = load(world, "srv-a\\x20b.mount", "What=LABEL=x\nWhere=//srv/./a b/\nType=ext4\nOptions=ro,x-y=1\n"
                                "SloppyOptions=yes\nLazyUnmount=yes\nForceUnmount=yes\nReadWriteOnly=yes\nDirectoryMode=0700\n"
                                "TimeoutSec=0\nKillMode=process\nNice=5\nMemoryMax=1M");
        const MountSettings *settings = unit->type_settings;

        assert_string(settings->where, "/srv/a b");
        assert_string(settings->what, "LABEL=x");
        assert_string(settings->options, "ro,x-y=1");
        assert_string(unit->settings.description, "/srv/a b");
        cr_assert(settings->sloppy_options && settings->lazy_unmount && settings->force_unmount && settings->read_write_only);
        cr_assert(settings->directory_mode == 0700 && settings->timeout == USEC_INFINITY);
        cr_assert(settings->kill.mode == KILL_MODE_PROCESS && settings->exec.nice == 5 && settings->resources);
        cr_assert(unit->settings.ignore_on_isolate);
}

Test(mount_file, place_follows_from_the_name) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const MountSettings *settings = load(world, "srv-a.mount", "What=/dev/x")->type_settings;

        assert_string(settings->where, "/srv/a");
}

Test(mount_file, a_local_one_comes_before_the_local_file_systems) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = load(world, "srv.mount", "What=/dev/x");

        assert_string(file_relations(unit, UNIT_BEFORE), "local-fs.target umount.target");
        assert_string(file_relations(unit, UNIT_AFTER), "local-fs-pre.target");
        assert_string(file_relations(unit, UNIT_CONFLICTS), "umount.target");
        assert_string(file_relations(unit, UNIT_REQUIRES), "");
}

Test(mount_file, one_of_the_net_waits_for_it) {
        static const char *const lines[] = { "What=host:/x\nType=nfs", "What=/dev/x\nOptions=rw,_netdev", "What=x\nType=fuse.sshfs" };

        for (size_t i = 0; i < ELEMENTSOF(lines); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                Unit *unit = load(world, "srv.mount", lines[i]);

                assert_string(file_relations(unit, UNIT_BEFORE), "remote-fs.target umount.target");
                assert_string(file_relations(unit, UNIT_AFTER), "remote-fs-pre.target network.target network-online.target");
                assert_string(file_relations(unit, UNIT_WANTS), "network-online.target");
        }
}

Test(mount_file, nobody_waits_for_what_may_fail) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        assert_string(file_relations(load(world, "srv.mount", "What=/dev/x\nOptions=nofail"), UNIT_BEFORE), "umount.target");
}

Test(mount_file, the_system_is_not_taken_from_under_itself) {
        static const char *const names[] = { "usr.mount", "etc.mount", "dev-hugepages.mount", "proc-x.mount" };

        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();

                assert_string(file_relations(load(world, names[i], "What=/x/y"), UNIT_CONFLICTS), "");
        }
}

Test(mount_file, the_root_is_always_there) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = load(world, "-.mount", "Where=/");

        cr_assert(unit->settings.is_perpetual);
        assert_string(file_relations(unit, UNIT_CONFLICTS), "");
}

Test(mount_file, a_manager_of_a_user_leaves_them_alone) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        world->options.is_user = true;
        file_world_restart(world);
        assert_string(file_relations(load(world, "srv.mount", "What=/dev/x"), UNIT_BEFORE), "");
}

Test(mount_file, it_needs_what_it_is_in_and_what_it_is_of) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "a/srv.mount", "[Mount]\nWhat=/dev/x\n");
        file_write(world, "a/mnt.mount", "[Mount]\nWhat=/dev/y\n");
        unit = load(world, "srv-a-b.mount", "What=/mnt/image\nOptions=loop");
        assert_string(file_relations(unit, UNIT_REQUIRES), "srv.mount mnt.mount");
        cr_assert(unit_has_relation(unit, UNIT_AFTER, unit_table_find(world->table, "srv.mount")));
}

/* — mounts without files — */

static const MountEntry there[] = { { "/srv", "tmpfs", "tmpfs", "rw" }, { "/net", "host:/x", "nfs4", "rw" } };
static size_t n_there;

static const MountEntry *find(void *userdata, const char *where) {
        for (size_t i = 0; i < n_there; i++)
                if (strcmp(there[i].where, where) == 0)
                        return &there[i];
        return NULL;
}

static FileWorld *world_with_mounts(size_t n) {
        FileWorld *world = file_world_new();

        n_there = n;
        world->options.find_mount = find;
        file_world_restart(world);
        return world;
}

Test(mount_file, what_is_mounted_needs_no_file) {
        cleanup_(file_world_freep) FileWorld *world = world_with_mounts(2);
        const Unit *unit = file_load(world, "srv.mount");

        cr_assert(unit->load_state == UNIT_LOADED);
        assert_string(unit->settings.rare->source_path, "/proc/self/mountinfo");
        assert_string(file_relations(unit, UNIT_BEFORE), "local-fs.target umount.target");
        assert_string(file_relations(file_load(world, "net.mount"), UNIT_BEFORE), "remote-fs.target umount.target");
        cr_assert(file_load(world, "other.mount")->load_state == UNIT_NOT_FOUND);
}

Test(mount_file, what_is_mounted_has_drop_ins) {
        cleanup_(file_world_freep) FileWorld *world = world_with_mounts(2);
        const MountSettings *settings;
        const Unit *unit;

        file_write(world, "a/net.mount.d/10.conf", "[Mount]\nLazyUnmount=yes\n");
        settings = file_load(world, "net.mount")->type_settings;
        cr_assert(settings->lazy_unmount);
        unit = file_load(world, "srv.mount");
        cr_assert(not(unit_file_has_changed(world->loader, unit)));
        file_write(world, "a/srv.mount.d/10.conf", "[Mount]\nLazyUnmount=yes\n");
        cr_assert(unit_file_has_changed(world->loader, unit));
}

Test(mount_file, it_is_found_when_it_has_come) {
        cleanup_(file_world_freep) FileWorld *world = world_with_mounts(0);

        cr_assert(file_load(world, "srv.mount")->load_state == UNIT_NOT_FOUND);
        n_there = 1;
        cr_assert(file_load(world, "srv.mount")->load_state == UNIT_LOADED);
}

Test(mount_file, one_without_a_file_is_waited_for_and_not_required) {
        cleanup_(file_world_freep) FileWorld *world = world_with_mounts(1);
        Unit *unit;

        file_load(world, "srv.mount");
        unit = file_load_service(world, "x.service", "WorkingDirectory=/srv/x");
        cr_assert(unit_has_relation(unit, UNIT_AFTER, unit_table_find(world->table, "srv.mount")));
        assert_string(file_relations(unit, UNIT_REQUIRES), "sysinit.target");
}

Test(mount_file, who_was_there_before_it_comes_after_it) {
        cleanup_(file_world_freep) FileWorld *world = world_with_mounts(1);
        Unit *unit = file_load_service(world, "x.service", "WorkingDirectory=/srv/x");
        Unit *other = file_load_service(world, "y.service", "WorkingDirectory=/srvx");

        assert_string(file_relations(unit, UNIT_AFTER), "sysinit.target basic.target");
        file_load(world, "srv.mount");
        assert_string(file_relations(unit, UNIT_AFTER), "sysinit.target basic.target srv.mount");
        assert_string(file_relations(other, UNIT_AFTER), "sysinit.target basic.target");
}

Test(mount_file, and_requires_it_if_it_has_a_file) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = file_load_service(world, "x.service", "PrivateTmp=yes\nStateDirectory=a b:c\nRootDirectory=/srv/x");

        assert_string(file_relations(unit, UNIT_REQUIRES), "sysinit.target");
        load(world, "var-lib-b.mount", "What=/dev/x");
        load(world, "tmp.mount", "What=tmpfs");
        load(world, "srv.mount", "What=/dev/y");
        assert_string(file_relations(unit, UNIT_REQUIRES), "sysinit.target var-lib-b.mount srv.mount");
        assert_string(file_relations(unit, UNIT_WANTS), "tmp.mount");
}

/* — options — */

Test(mount_option, are_cut_at_commas_out_of_quotes) {
        cleanup_free_ char *value = NULL, *rest = NULL;
        static const char *const left_out[] = { "nofail", "x", NULL };

        cr_assert(mount_options_have("ro,nofail", "nofail"));
        cr_assert(mount_options_have("ro,nofailx,y=nofail", "nofail") == false);
        cr_assert(mount_options_have(NULL, "ro") == false);
        cr_assert(mount_options_choose("noauto,auto,noauto", "noauto", "auto"));
        cr_assert(mount_options_choose("noauto,auto", "noauto", "auto") == false);
        cr_assert(eq(int, mount_options_value("a=1,a=\"2,3\",b=4", "a", &value), 0));
        assert_string(value, "2,3");
        cr_assert(eq(int, mount_options_without("nofail,,ro,x=\"1,2\",y", left_out, &rest), 0));
        assert_string(rest, "ro,y");
}

Test(mount_option, places_and_their_units) {
        static const struct {
                const char *where, *name;
        } cases[] = {
                { "/", "-.mount" },
                { "/srv/a-b", "srv-a\\x2db.mount" },
                { "/srv//x/", "srv-x.mount" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *name = NULL;

                cr_assert(eq(int, mount_unit_name(cases[i].where, &name), 0));
                assert_string(name, cases[i].name);
        }
        cr_assert(mount_path_is_below("/a/b", "/a") && mount_path_is_below("/a", "/a") && mount_path_is_below("/a", "/"));
        cr_assert(mount_path_is_below("/ab", "/a") == false);
}

Test(mount_table, the_last_one_at_a_place_is_what_is_there) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        cleanup_(mount_table_freep) MountTable *table = NULL;
        cleanup_free_ char *path = NULL;
        const MountEntry *entry;
        size_t n;

        file_write(world, "a/mountinfo", "21 1 8:1 / / rw - ext4 /dev/root rw\n"
                                         "22 21 0:5 / /a\\040b rw,noexec - tmpfs first rw,size=4k\n"
                                         "23 22 0:6 / /a\\040b ro - tmpfs second rw\n");
        cr_assert(eq(int, text_format(&path, "%s/a/mountinfo", world->root), 0));
        cr_assert(eq(int, mount_table_read(path, &table), 0));
        (void) mount_table_entries(table, &n);
        cr_assert(eq(sz, n, 2));
        entry = mount_table_find(table, "/a b");
        assert_not_null(entry);
        assert_string(entry->what, "second");
        cr_assert(mount_options_have(entry->options, "ro"));
        assert_null(mount_table_find(table, "/b"));
}
