/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * /etc/fstab as units: what comes of each option, and what is said of what is wrong
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "file_world.h"
#include "unitfile/fstab.h"
#include "unitfile/mount_option.h"

static int generate(FileWorld *world, const char *text, bool is_machine) {
        cleanup_free_ char *path = NULL, *folder = NULL;
        FstabOptions options = { .is_machine = is_machine, .receiver = world->options.receiver, .userdata = world };

        file_write(world, "fstab", text);
        cr_assert(eq(int, text_format(&path, "%s/fstab", world->root), 0));
        cr_assert(eq(int, text_format(&folder, "%s/a", world->root), 0));
        options.path = path;
        options.folder = folder;
        return fstab_write_units(&options);
}

/* The file's text, without the lines that all have. Borrowed until the next call. */
static const char *text_of(const FileWorld *world, const char *name) {
        static char text[4096];
        cleanup_free_ char *path = NULL;
        size_t n = 0;
        FILE *file;

        cr_assert(eq(int, text_format(&path, "%s/a/%s", world->root, name), 0));
        file = fopen(path, "re");
        if (file) {
                n = fread(text, 1, sizeof(text) - 1, file);
                fclose(file);
        }
        text[n] = '\0';
        return file ? strstr(text, "SourcePath=") ? strchr(strstr(text, "SourcePath="), '\n') + 1 : text : "none";
}

static bool has_link(const FileWorld *world, const char *name) {
        cleanup_free_ char *path = NULL;
        struct stat st;

        cr_assert(eq(int, text_format(&path, "%s/a/%s", world->root, name), 0));
        return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* One line each: the unit srv.mount, and who pulls it in. */
static const struct {
        const char *line, *text, *link;
} lines[] = {
        { "/dev/x /srv ext4 defaults 0 1", "Before=local-fs.target\n\n[Mount]\nWhat=/dev/x\nWhere=/srv\nType=ext4\n",
          "local-fs.target.requires/srv.mount" },
        { "UUID=ab /srv auto ro,nofail", "\n[Mount]\nWhat=UUID=ab\nWhere=/srv\nOptions=ro,nofail\n", "local-fs.target.wants/srv.mount" },
        { "/dev/x /srv ext4 noauto", "Before=local-fs.target\n\n[Mount]\nWhat=/dev/x\nWhere=/srv\nType=ext4\nOptions=noauto\n", NULL },
        { "h:/x /srv nfs x-systemd.mount-timeout=9s",
          "Before=remote-fs.target\n\n[Mount]\nWhat=h:/x\nWhere=/srv\nType=nfs\nTimeoutSec=9s\n"
          "Options=x-systemd.mount-timeout=9s\n", "remote-fs.target.requires/srv.mount" },
        { "h:/x /srv nfs bg", "\n[Mount]\nWhat=h:/x\nWhere=/srv\nType=nfs\nTimeoutSec=infinity\n"
          "Options=x-systemd.mount-timeout=infinity,retry=10000,nofail,fg\n", "remote-fs.target.wants/srv.mount" },
        { "/dev/x /srv ext4 x-systemd.requires=a.service,x-systemd.after=/b,x-systemd.before=c.target",
          "Before=local-fs.target\nAfter=b.mount\nBefore=c.target\nRequires=a.service\nAfter=a.service\n\n[Mount]\nWhat=/dev/x\n"
          "Where=/srv\nType=ext4\nOptions=x-systemd.requires=a.service,x-systemd.after=/b,x-systemd.before=c.target\n",
          "local-fs.target.requires/srv.mount" },
        { "/dev/x%y /srv ext4 x-systemd.wanted-by=a.target,x-systemd.rw-only",
          "Before=local-fs.target\n\n[Mount]\nWhat=/dev/x%%y\nWhere=/srv\nType=ext4\n"
          "Options=x-systemd.wanted-by=a.target,x-systemd.rw-only\nReadWriteOnly=yes\n", "a.target.wants/srv.mount" },
        { "/a /srv none bind,x-systemd.requires-mounts-for=/b,x-systemd.required-by=a.target",
          "Before=local-fs.target\nRequiresMountsFor=/b\n\n[Mount]\nWhat=/a\nWhere=/srv\nType=none\n"
          "Options=bind,x-systemd.requires-mounts-for=/b,x-systemd.required-by=a.target\n", "a.target.requires/srv.mount" },
};

Test(fstab, lines) {
        for (size_t i = 0; i < ELEMENTSOF(lines); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();

                cr_assert(eq(int, generate(world, lines[i].line, false), 0));
                assert_string(text_of(world, "srv.mount"), lines[i].text);
                cr_expect(lines[i].link == NULL || has_link(world, lines[i].link), "%s", lines[i].line);
                assert_string(file_said(world), "");
        }
}

/* What is said, of the third line. */
static const struct {
        const char *line, *said;
} bad[] = {
        { "what", "warning fstab:3: The line is not of the form of fstab(5)" },
        { "x relative ext4", "warning fstab:3: 'x' on 'relative' cannot be a mount" },
        { "x /a\\012b ext4", "cannot be a mount: an absolute path is needed, without control characters" },
        { "x /first ext4", "warning fstab:3: An earlier line already mounts '/first'; the line is ignored." },
        { "x none swap sw", "note fstab:3: jobd has no swap units" },
        { "x /srv ext4 x-systemd.automount", "warning fstab:3: x-systemd.automount is not supported" },
        { "x /srv ext4 x-systemd.makefs", "warning fstab:3: x-systemd.makefs is not supported: no file system is made" },
        { "x /srv ext4 x-systemd.mount-timeout=soon", "'soon' is not a time span such as 90s" },
        { "x /srv ext4 x-systemd.requires=/dev/y", "note fstab:3: '/dev/y' is a device" },
        { "x /srv ext4 x-systemd.requires-mounts-for=y", "'y' is not an absolute path" },
};

Test(fstab, what_is_wrong) {
        for (size_t i = 0; i < ELEMENTSOF(bad); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_free_ char *text = NULL;

                cr_assert(eq(int, text_format(&text, "# first\n/dev/x /first ext4\n%s\n/dev/y /last ext4\n", bad[i].line), 0));
                cr_assert(eq(int, generate(world, text, false), 0));
                assert_said(world, bad[i].said);
                cr_expect(has_link(world, "local-fs.target.requires/first.mount"));
                cr_expect(has_link(world, "local-fs.target.requires/last.mount"), "%s", bad[i].line);
        }
}

Test(fstab, what_is_the_systems_own_is_left_alone) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        cr_assert(eq(int, generate(world, "proc /proc/ proc defaults\ntmpfs //dev/shm tmpfs size=1g\n", false), 0));
        assert_string(text_of(world, "proc.mount"), "none");
        assert_string(text_of(world, "dev-shm.mount"), "none");
        assert_string(file_said(world), "");
}

/* From the line of a place below the world's root to the Where= of the unit that comes of it, NULL: of none. */
static const struct {
        const char *place, *where;
} places[] = {
        { "dir//x/", "dir/x" },         { "dir/./x/../y", "dir/y" },     { "link/x", "dir/x" },
        { "round", "round" },           { "link/../b", "b" },            { "net/link/x", "net/link/x" },
        { "nothing/x", "nothing/x" },   { "broken/x", NULL },
};

Test(fstab, a_place_is_where_its_links_lead_to) {
        for (size_t i = 0; i < ELEMENTSOF(places); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_free_ char *text = NULL, *where = NULL, *name = NULL, *wanted = NULL;

                file_write(world, "dir/file", "");
                file_write(world, "net/file", "");
                file_link(world, "link", "./dir/");
                file_link(world, "round", "round");
                file_link(world, "net/link", "../dir");
                file_link(world, "broken", "a\nExecStart=/b");
                cr_assert(eq(int, text_format(&text, "h:/x %s/net nfs\n/dev/x %s/%s ext4\n", world->root, world->root,
                                              places[i].place), 0));
                cr_assert(eq(int, generate(world, text, false), 0));
                if (!places[i].where) {
                        assert_said(world, "cannot be a mount");
                        continue;
                }
                cr_assert(eq(int, text_format(&where, "%s/%s", world->root, places[i].where), 0));
                cr_assert(eq(int, mount_unit_name(where, &name), 0));
                cr_assert(eq(int, text_format(&wanted, "\nWhere=%s\n", where), 0));
                file_assert_contains(text_of(world, name), wanted);
        }
}

Test(fstab, the_root_may_not_fail) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        cr_assert(eq(int, generate(world, "/dev/x / ext4 nofail,noauto", false), 0));
        cr_assert(has_link(world, "local-fs.target.requires/-.mount"));
}

Test(fstab, it_is_loaded_as_any_unit) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        cr_assert(eq(int, generate(world, "/dev/x /srv\\040a ext4", false), 0));
        unit = file_load(world, "srv\\x20a.mount");
        cr_assert(unit->load_state == UNIT_LOADED, "%s", file_said(world));
        file_assert_contains(unit->settings.rare->source_path, "/fstab");
        file_write(world, "a/local-fs.target", "[Unit]\n");
        assert_string(file_relations(file_load(world, "local-fs.target"), UNIT_REQUIRES), "srv\\x20a.mount");
}

Test(fstab, what_is_as_it_was_is_not_written_again) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        cleanup_free_ char *path = NULL;
        struct stat before, after;

        cr_assert(eq(int, generate(world, "/dev/x /srv ext4\n/dev/y /other ext4 nofail\n", false), 0));
        cr_assert(eq(int, text_format(&path, "%s/a/srv.mount", world->root), 0));
        cr_assert(eq(int, stat(path, &before), 0));
        cr_assert(eq(int, generate(world, "/dev/x /srv ext4\n", false), 0));
        cr_assert(eq(int, stat(path, &after), 0));
        cr_assert(before.st_ino == after.st_ino && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec);
        assert_string(text_of(world, "other.mount"), "none");
        cr_assert(has_link(world, "local-fs.target.wants/other.mount") == false);
}

Test(fstab, a_machine_without_its_files_calls_for_help) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        cr_assert(eq(int, generate(world, "/dev/x /srv ext4 nofail\nh:/x /net nfs\n", true), 0));
        assert_string(text_of(world, "local-fs.target.d/10-fstab.conf"), "none");
        cr_assert(has_link(world, "multi-user.target.wants/remote-fs.target"));
        cr_assert(eq(int, generate(world, "/dev/x /srv ext4\n", true), 0));
        file_assert_contains(text_of(world, "local-fs.target.d/10-fstab.conf"), "OnFailure=emergency.target");
}

Test(fstab, none_is_an_empty_one) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        FstabEntries entries;

        cr_assert(eq(int, fstab_read(&(FstabOptions) { .path = "/nowhere/fstab" }, &entries), 0));
        cr_assert(eq(sz, entries.n, 0));
}
