/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * enable, disable, mask and their like, below another root folder.
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "file_world.h"
#include "unitfile/install.h"

#define INSTALL "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"

/* a: /etc, run: /run, b: the packages' folder. */
typedef struct InstallWorld {
        FileWorld *files;
        Installer *installer;
        InstallReport report;
        Failure failure;
        char told[4096];
} InstallWorld;

static void open_installer(InstallWorld *world) {
        char *search_path[] = { (char *) "/etc/jobd/system", (char *) "/run/jobd/system",
                                (char *) "/etc/jobd/system.control", (char *) "/run/jobd/system.control",
                                (char *) "/usr/lib/jobd/system", NULL };

        cr_assert(eq(int, installer_new(&world->installer, &(InstallOptions) { .search_path = search_path,
                                                                              .root = world->files->root }), 0));
}

static void install_world_init(InstallWorld *world) {
        *world = (InstallWorld) { .files = file_world_new() };
}

static void install_world_deinit(InstallWorld *world) {
        world->installer = installer_free(world->installer);
        install_report_deinit(&world->report);
        failure_deinit(&world->failure);
        world->files = file_world_free(world->files);
}

/* "symlink PATH TARGET\n" for each change. */
static const char *told(InstallWorld *world, int r) {
        size_t n = 0;

        world->told[0] = '\0';
        if (r < 0)
                snprintf(world->told, sizeof(world->told), "%s: %s", world->failure.name, failure_message(&world->failure));
        for (size_t i = 0; r == 0 && i < world->report.changes.n; i++) {
                const InstallChange *change = &world->report.changes.items[i];

                n += (size_t) snprintf(world->told + n, sizeof(world->told) - n, "%s %s%s%s\n",
                                       install_change_kind_to_string(change->kind), change->path,
                                       *change->target ? " " : "", change->target);
        }
        install_report_deinit(&world->report);
        world->report = (InstallReport) {};
        failure_deinit(&world->failure);
        return world->told;
}

static const char *run(InstallWorld *world,
                       int (*verb)(Installer *, char *const *, unsigned, InstallReport *, Failure *), const char *name,
                       unsigned flags) {
        char *names[] = { (char *) name, NULL };

        installer_free(world->installer);
        open_installer(world);
        return told(world, verb(world->installer, names, flags, &world->report, &world->failure));
}

static const char *state(InstallWorld *world, const char *name) {
        const char *state = NULL;

        installer_free(world->installer);
        open_installer(world);
        return installer_state(world->installer, name, &state) < 0 ? "none" : state;
}

#define install_test(name)                                                                                     \
        static void name(InstallWorld *world);                                                                 \
        Test(install, name) {                                                                                  \
                cleanup_(install_world_deinit) InstallWorld world;                                             \
                install_world_init(&world);                                                                    \
                name(&world);                                                                                  \
        }                                                                                                      \
        static void name(InstallWorld *world)

/* A message about a missing [Install] section would be misleading. */
install_test(enable_says_what_keeps_a_file_from_being_read) {
        file_write(world->files, "usr/lib/jobd/system/a.service", "[Unit]\nDescription=\xff\n" INSTALL);
        file_write(world->files, "usr/lib/jobd/system/b.service", "[Service]\nExecStart=/bin/true\nProtectSystem=x\n"
                                                                  "[Install]\nWantedBy=multi-user.target\n");

        assert_not_null(strstr(run(world, installer_enable, "a.service", 0), "a.service:2: The line is not valid UTF-8."));
        assert_string(run(world, installer_enable, "b.service", 0),
                      "symlink /etc/jobd/system/multi-user.target.wants/b.service /usr/lib/jobd/system/b.service\n");
}

install_test(enable_makes_the_links_that_install_asks_for) {
        file_write(world->files, "usr/lib/jobd/system/a.service",
                   INSTALL "RequiredBy=x.target\nUpheldBy=y.target\nAlias=b.service\nAlso=c.service gone.service\n");
        file_write(world->files, "usr/lib/jobd/system/c.service", INSTALL);

        assert_string(run(world, installer_enable, "a.service", 0),
                      "symlink /etc/jobd/system/b.service /usr/lib/jobd/system/a.service\n"
                      "symlink /etc/jobd/system/multi-user.target.wants/a.service /usr/lib/jobd/system/a.service\n"
                      "symlink /etc/jobd/system/x.target.requires/a.service /usr/lib/jobd/system/a.service\n"
                      "destination not present x.target a.service\n"
                      "symlink /etc/jobd/system/y.target.upholds/a.service /usr/lib/jobd/system/a.service\n"
                      "destination not present y.target a.service\n"
                      "symlink /etc/jobd/system/multi-user.target.wants/c.service /usr/lib/jobd/system/c.service\n"
                      "auxiliary unit failed gone.service\n");
        assert_string(state(world, "a.service"), "enabled");
        assert_string(state(world, "b.service"), "alias");
        assert_string(run(world, installer_enable, "c.service", 0), "");
        assert_string(run(world, installer_disable, "b.service", 0),
                      "unlink /etc/jobd/system/b.service\n"
                      "unlink /etc/jobd/system/multi-user.target.wants/a.service\n"
                      "unlink /etc/jobd/system/multi-user.target.wants/c.service\n"
                      "unlink /etc/jobd/system/x.target.requires/a.service\n"
                      "unlink /etc/jobd/system/y.target.upholds/a.service\n");
        assert_string(state(world, "a.service"), "disabled");
}

install_test(an_instance_and_a_default_instance) {
        file_write(world->files, "usr/lib/jobd/system/t@.service", INSTALL "DefaultInstance=d\nAlias=u@.service\n");
        file_write(world->files, "usr/lib/jobd/system/s@.service", INSTALL);

        assert_string(run(world, installer_enable, "t@.service", 0),
                      "symlink /etc/jobd/system/u@d.service /usr/lib/jobd/system/t@.service\n"
                      "symlink /etc/jobd/system/multi-user.target.wants/t@d.service /usr/lib/jobd/system/t@.service\n");
        assert_string(run(world, installer_enable, "s@1.service", 0),
                      "symlink /etc/jobd/system/multi-user.target.wants/s@1.service /usr/lib/jobd/system/s@.service\n");
        file_assert_contains(run(world, installer_enable, "s@.service", 0), "without DefaultInstance=");
        assert_string(state(world, "s@1.service"), "enabled");
        assert_string(run(world, installer_disable, "s@2.service", 0), "");
        assert_string(state(world, "s@1.service"), "enabled");
        assert_string(run(world, installer_disable, "s@.service", 0),
                      "unlink /etc/jobd/system/multi-user.target.wants/s@1.service\n");
}

install_test(what_cannot_be_enabled_is_refused_before_anything_is_changed) {
        file_write(world->files, "usr/lib/jobd/system/a.service", INSTALL "Alias=b.service\n");
        file_write(world->files, "etc/jobd/system/b.service", "[Unit]\n");
        file_link(world->files, "etc/jobd/system/m.service", "/dev/null");

        file_assert_contains(run(world, installer_enable, "a.service", 0), "UnitExists: File /etc/jobd/system/b.service");
        assert_string(state(world, "a.service"), "disabled");
        file_assert_contains(run(world, installer_enable, "a.service", INSTALL_FORCE), "UnitExists");
        file_assert_contains(run(world, installer_enable, "m.service", 0), "UnitMasked: ");
        file_assert_contains(run(world, installer_enable, "gone.service", 0), "NoSuchUnit: Unit file gone.service");
        file_assert_contains(run(world, installer_enable, "no name", 0), "InvalidArgs: ");
        file_assert_contains(run(world, installer_enable, "../a.service", 0), "InvalidArgs");
        file_assert_contains(run(world, installer_disable, "gone.service", 0), "NoSuchUnit");
}

install_test(a_link_that_leads_elsewhere_is_replaced_by_force) {
        file_write(world->files, "usr/lib/jobd/system/a.service", INSTALL "Alias=b.service\n");
        file_write(world->files, "usr/lib/jobd/system/c.service", INSTALL);
        file_link(world->files, "etc/jobd/system/b.service", "/usr/lib/jobd/system/c.service");

        file_assert_contains(run(world, installer_enable, "a.service", 0), "is a link to /usr/lib/jobd/system/c.service");
        file_assert_contains(run(world, installer_enable, "a.service", INSTALL_FORCE),
                             "symlink /etc/jobd/system/b.service /usr/lib/jobd/system/a.service\n");
        assert_string(state(world, "c.service"), "disabled");
}

install_test(mask_and_unmask) {
        file_write(world->files, "usr/lib/jobd/system/a.service", INSTALL);
        file_write(world->files, "etc/jobd/system/own.service", INSTALL);

        assert_string(run(world, installer_mask, "a.service", 0), "symlink /etc/jobd/system/a.service /dev/null\n");
        assert_string(run(world, installer_mask, "a.service", 0), "");
        assert_string(state(world, "a.service"), "masked");
        assert_string(run(world, installer_unmask, "a.service", 0), "unlink /etc/jobd/system/a.service\n");
        assert_string(run(world, installer_unmask, "a.service", 0), "");
        assert_string(run(world, installer_mask, "a.service", INSTALL_RUNTIME),
                      "symlink /run/jobd/system/a.service /dev/null\n");
        assert_string(state(world, "a.service"), "masked-runtime");
        file_assert_contains(run(world, installer_mask, "own.service", INSTALL_FORCE), "is not a link");
        assert_string(run(world, installer_unmask, "own.service", 0), "");
}

install_test(a_file_elsewhere_is_linked_and_linked_again) {
        file_write(world->files, "opt/a.service", INSTALL);

        assert_string(run(world, installer_link, "/opt/a.service", 0), "symlink /etc/jobd/system/a.service /opt/a.service\n");
        assert_string(state(world, "a.service"), "linked");
        assert_string(run(world, installer_reenable, "a.service", 0),
                      "unlink /etc/jobd/system/a.service\n"
                      "symlink /etc/jobd/system/a.service /opt/a.service\n"
                      "symlink /etc/jobd/system/multi-user.target.wants/a.service /opt/a.service\n");
        assert_string(run(world, installer_disable, "a.service", 0),
                      "unlink /etc/jobd/system/a.service\n"
                      "unlink /etc/jobd/system/multi-user.target.wants/a.service\n");
        file_assert_contains(run(world, installer_enable, "/opt/a.service", INSTALL_RUNTIME),
                             "symlink /run/jobd/system/a.service /opt/a.service\n");
        assert_string(state(world, "a.service"), "enabled-runtime");
        file_assert_contains(run(world, installer_link, "/opt/gone.service", 0), "There is no file /opt/gone.service");
        file_assert_contains(run(world, installer_link, "a.service", 0), "is not an absolute path");
}

install_test(no_link_of_the_root_leads_out_of_it) {
        char outside[PATH_MAX];

        file_write(world->files, "usr/lib/jobd/system/a.service", INSTALL);
        file_write(world->files, "outside/x", "");
        file_write(world->files, "etc/x", "");
        snprintf(outside, sizeof(outside), "%s/outside", world->files->root);
        file_link(world->files, "etc/jobd", outside);

        run(world, installer_enable, "a.service", 0);
        snprintf(outside, sizeof(outside), "%s/outside/system", world->files->root);
        cr_assert(ne(int, access(outside, F_OK), 0));
}

install_test(presets_decide) {
        char *names[] = { (char *) "a.service", (char *) "b.service", (char *) "t@.service", NULL };

        file_write(world->files, "usr/lib/jobd/system/a.service", INSTALL);
        file_write(world->files, "usr/lib/jobd/system/b.service", INSTALL);
        file_write(world->files, "usr/lib/jobd/system/t@.service", INSTALL);
        file_link(world->files, "etc/jobd/system/multi-user.target.wants/b.service", "/usr/lib/jobd/system/b.service");
        file_write(world->files, "usr/lib/jobd/system-preset/90-v.preset",
                   "# words\n; more\nenable t@.service 1 2\nenable a*\ndisable *\n");
        file_write(world->files, "usr/lib/jobd/system-preset/10-v.preset", "disable a.service\n");
        file_write(world->files, "etc/jobd/system-preset/10-v.preset", "nonsense\n");

        open_installer(world);
        assert_string(told(world, installer_preset(world->installer, names, PRESET_FULL, 0, &world->report,
                                                   &world->failure)),
                      "unlink /etc/jobd/system/multi-user.target.wants/b.service\n"
                      "symlink /etc/jobd/system/multi-user.target.wants/a.service /usr/lib/jobd/system/a.service\n"
                      "symlink /etc/jobd/system/multi-user.target.wants/t@1.service /usr/lib/jobd/system/t@.service\n"
                      "symlink /etc/jobd/system/multi-user.target.wants/t@2.service /usr/lib/jobd/system/t@.service\n");
        assert_string(told(world, installer_preset_all(world->installer, PRESET_FULL, 0, &world->report, &world->failure)),
                      "");
}

install_test(revert_leaves_what_the_package_ships) {
        char *names[] = { (char *) "a.service", (char *) "own.service", NULL };

        file_write(world->files, "usr/lib/jobd/system/a.service", INSTALL);
        file_write(world->files, "etc/jobd/system/a.service", INSTALL);
        file_write(world->files, "etc/jobd/system/a.service.d/x.conf", "");
        file_write(world->files, "run/jobd/system/a.service.d/y.conf", "");
        file_write(world->files, "etc/jobd/system/own.service", INSTALL);
        file_write(world->files, "etc/jobd/system.control/own.service.d/50-X.conf", "");
        file_write(world->files, "run/jobd/system.control/own.service.d/50-X.conf", "");

        open_installer(world);
        assert_string(told(world, installer_revert(world->installer, names, &world->report, &world->failure)),
                      "unlink /etc/jobd/system/a.service\n"
                      "unlink /etc/jobd/system/a.service.d/x.conf\n"
                      "unlink /run/jobd/system/a.service.d/y.conf\n"
                      "unlink /etc/jobd/system.control/own.service.d/50-X.conf\n"
                      "unlink /run/jobd/system.control/own.service.d/50-X.conf\n");
        assert_string(state(world, "own.service"), "disabled");
}

install_test(dependencies_and_the_default) {
        cleanup_free_ char *name = NULL;
        char *names[] = { (char *) "a.service", NULL };

        file_write(world->files, "usr/lib/jobd/system/a.service", "[Unit]\n");
        file_write(world->files, "usr/lib/jobd/system/my.target", "[Unit]\n");
        open_installer(world);
        assert_string(told(world, installer_add_dependency(world->installer, names, "my.target", ".wants", 0, &world->report,
                                                           &world->failure)),
                      "symlink /etc/jobd/system/my.target.wants/a.service /usr/lib/jobd/system/a.service\n");
        assert_string(told(world, installer_set_default(world->installer, "multi-user.target", 0, &world->report,
                                                        &world->failure)),
                      "symlink /etc/jobd/system/default.target multi-user.target\n");
        cr_assert(eq(int, installer_get_default(world->installer, &name), 0));
        assert_string(name, "multi-user.target");
        file_assert_contains(told(world, installer_set_default(world->installer, "my.target", 0, &world->report,
                                                               &world->failure)), "With --force it is replaced");
        assert_string(told(world, installer_set_default(world->installer, "my.target", INSTALL_FORCE, &world->report,
                                                        &world->failure)),
                      "unlink /etc/jobd/system/default.target\n"
                      "symlink /etc/jobd/system/default.target /usr/lib/jobd/system/my.target\n");
        file_assert_contains(told(world, installer_set_default(world->installer, "a.service", 0, &world->report,
                                                               &world->failure)), "must be a target");
}

install_test(a_dry_run_changes_nothing) {
        file_write(world->files, "usr/lib/jobd/system/a.service", INSTALL);
        file_assert_contains(run(world, installer_enable, "a.service", INSTALL_DRY_RUN), "symlink ");
        assert_string(state(world, "a.service"), "disabled");
}
