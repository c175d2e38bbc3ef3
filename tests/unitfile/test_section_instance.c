/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sections that may stand many times: each instance has a name and settings of its own
 *
 * The tests have a table of sections with one of their own, [Node *], in a
 * target. The settings of a node are those of a mount.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "file_world.h"
#include "unit/sandbox_settings.h"
#include "unitfile/mount_settings.h"
#include "unitfile/unit_draft_read.h"

static const DirectiveTable tables[] = {
        { unit_directives, &unit_directives_n },
        { mount_directives, &mount_directives_n },
        { exec_directives, &exec_directives_n },
        { kill_directives, &kill_directives_n },
        { resource_directives, &resource_directives_n },
        { resource_limit_directives, &resource_limit_directives_n },
        { service_directives, &service_directives_n },
};

static const DirectiveSection sections[] = {
        { .name = "Unit", .type = _UNIT_TYPE_INVALID, .tables = { &tables[0] } },
        { .name = "Flow", .type = UNIT_TARGET, .tables = { &tables[2] } },
        { .name = "Node *", .type = UNIT_TARGET, .tables = { &tables[1], &tables[2], &tables[3], &tables[4], &tables[5] },
          .instances = &mount_draft_type.settings },
        { .name = "Step *", .type = UNIT_TARGET, .tables = { &tables[6] }, .instances = &service_draft_type.settings },
};

typedef struct Nodes {
        FileWorld *world;               /* owned */
        UnitDraft *draft;               /* owned */
} Nodes;

static Nodes nodes_new(void) {
        Nodes nodes = { .world = file_world_new() };

        cr_assert(eq(int, unit_draft_new(nodes.world->loader, "a.target", &target_draft_type, true, &nodes.draft), 0));
        return nodes;
}

static void nodes_deinit(Nodes *nodes) {
        unit_draft_free(nodes->draft);
        file_world_free(nodes->world);
}

static void nodes_read(Nodes *nodes, const char *file, const char *text) {
        const DirectiveSections known = { sections, ELEMENTSOF(sections) };
        cleanup_free_ char *copy = strdup(text);

        cr_assert(copy != NULL);
        cr_assert(eq(int, unit_draft_parse(nodes->draft, &known, file, copy), 0));
}

static const DraftSection *node(const Nodes *nodes, const char *name) {
        for (size_t i = 0; i < nodes->draft->instances.n; i++)
                if (strcmp(nodes->draft->instances.items[i]->name, name) == 0)
                        return nodes->draft->instances.items[i];
        cr_assert(false, "there is no node %s", name);
        return NULL;
}

static const MountSettings *node_settings(const Nodes *nodes, const char *name) {
        return node(nodes, name)->own;
}

/* "a b c", in the order of the draft. */
static char *node_names(const Nodes *nodes) {
        cleanup_(text_deinit) Text text = {};
        char *names;

        for (size_t i = 0; i < nodes->draft->instances.n; i++)
                text_addf(&text, "%s%s", i > 0 ? " " : "", nodes->draft->instances.items[i]->name);
        cr_assert(eq(int, text_finish(&text, &names), 0));
        return names;
}

static void assert_list(char *const *strv, const char *expected) {
        cleanup_free_ char *list = NULL;

        cr_assert(eq(int, strv_join(strv, " ", &list), 0));
        assert_string(list, expected);
}

Test(section_instance, each_has_settings_of_its_own) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();

        nodes_read(&nodes, "a.target",
                   "[Node b]\nWhat=one\nUser=alice\nKillSignal=SIGINT\nMemoryMax=1M\nPrivateDevices=yes\nLimitCORE=0\n"
                   "[Node a]\nWhat=two\nUser=bob\nMemoryMax=2M\n"
                   "[Node c.1_x-y]\n");
        assert_string(file_said(nodes.world), "");
        assert_string(node_settings(&nodes, "b")->what, "one");
        assert_string(node_settings(&nodes, "b")->exec.user, "alice");
        assert_string(node_settings(&nodes, "a")->what, "two");
        assert_string(node_settings(&nodes, "a")->exec.user, "bob");
        cr_assert(node_settings(&nodes, "c.1_x-y")->exec.user == NULL);
        cr_assert(eq(int, node_settings(&nodes, "b")->kill.signal, SIGINT));
        cr_assert(eq(int, node_settings(&nodes, "a")->kill.signal, SIGTERM));
        cr_assert(eq(u64, node(&nodes, "b")->resources.memory_max.amount, 1 << 20));
        cr_assert(eq(u64, node(&nodes, "a")->resources.memory_max.amount, 2 << 20));
        cr_assert(node(&nodes, "b")->exec_rare.sandbox->private_devices);
        cr_assert(node(&nodes, "a")->exec_rare.sandbox == NULL);
        cr_assert(nodes.draft->section.exec == NULL);
}

Test(section_instance, they_are_in_the_order_of_the_file) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();
        cleanup_free_ char *names = NULL;

        nodes_read(&nodes, "a.target", "[Node z]\n[Node a]\n[Unit]\nAfter=x.target\n[Node m]\n[Node a]\n[Node\tb]\n");
        names = node_names(&nodes);
        assert_string(names, "z a m b");
        cr_assert(eq(uint, node(&nodes, "a")->line, 2));
        assert_string(node(&nodes, "a")->file, "a.target");
}

Test(section_instance, many_are_read) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();
        cleanup_(text_deinit) Text text = {};

        for (unsigned i = 0; i < 1000; i++)
                text_addf(&text, "[Node n%u]\nUser=u%u\nEnvironment=I=%u\n", i, i, i);
        nodes_read(&nodes, "a.target", text.string);
        cr_assert(eq(sz, nodes.draft->instances.n, 1000));
        assert_string(node_settings(&nodes, "n999")->exec.user, "u999");
        assert_list(node_settings(&nodes, "n500")->exec.environment, "I=500");
}

Test(section_instance, a_dropin_adds_to_the_instance_of_the_same_name) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();
        cleanup_free_ char *names = NULL;

        nodes_read(&nodes, "a.target", "[Node a]\nUser=alice\nEnvironment=A=1\n[Node b]\nEnvironment=B=1\n");
        nodes_read(&nodes, "a.target.d/x.conf", "[Node b]\nEnvironment=B=2\nUser=bob\n[Node c]\n[Node a]\nUser=carol\n");
        names = node_names(&nodes);
        assert_string(names, "a b c");
        assert_string(node_settings(&nodes, "a")->exec.user, "carol");
        assert_string(node_settings(&nodes, "b")->exec.user, "bob");
        assert_list(node_settings(&nodes, "a")->exec.environment, "A=1");
        assert_list(node_settings(&nodes, "b")->exec.environment, "B=2");
}

Test(section_instance, lists_append_and_are_reset_by_an_empty_value) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();

        nodes_read(&nodes, "a.target", "[Node a]\nEnvironment=A=1\nEnvironment=B=2\nSupplementaryGroups=x\n"
                                       "[Node b]\nEnvironment=C=3\nEnvironment=\nEnvironment=D=4\nSupplementaryGroups=y\n"
                                       "[Node a]\nEnvironment=E=5\n[Node b]\nSupplementaryGroups=\n");
        assert_list(node_settings(&nodes, "a")->exec.environment, "A=1 B=2 E=5");
        assert_list(node_settings(&nodes, "b")->exec.environment, "D=4");
        assert_list(node(&nodes, "a")->exec_rare.supplementary_groups, "x");
        cr_assert(node(&nodes, "b")->exec_rare.supplementary_groups == NULL);
}

Test(section_instance, remarks_name_file_line_and_instance) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();

        nodes_read(&nodes, "a.target", "[Node a]\nUserr=x\n[Node b]\nNice=much\n\nKillMode=sometimes\n");
        assert_string(file_said(nodes.world),
                      "error a.target:2 Userr: Unknown directive in [Node a] (did you mean User=?); the unit is refused.\n"
                      "error a.target:4 Nice: 'much' is not a number between -20 and 19; the unit is refused.\n"
                      "error a.target:6 KillMode: 'sometimes' is none of none, control-group, mixed and process; the unit "
                      "is refused.\n");
        nodes_read(&nodes, "a.target.d/x.conf", "[Node a]\nAfter=b.target\n[Unit]\nWhat=/dev/sda\n[Nodes a]\n[Node]\n");
        assert_string(file_said(nodes.world),
                      "error a.target.d/x.conf:2 After: This directive belongs to [Unit], not to [Node a]; the unit "
                      "is refused.\n"
                      "warning a.target.d/x.conf:4 What: This directive belongs to [Node *], not to [Unit]; the line "
                      "is ignored.\n"
                      "warning a.target.d/x.conf:5: Unknown section [Nodes a] (did you mean [Node a]?); the section "
                      "is ignored.\n"
                      "error a.target.d/x.conf:6: The section [Node] needs a name, as in [Node *]; the unit is refused.\n");
}

Test(section_instance, a_strict_directive_refuses_the_unit) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();

        nodes_read(&nodes, "a.target", "[Node a]\n[Node b]\nUser=no such name\n");
        assert_said(nodes.world, "error a.target:3 User: ");
        cr_assert(eq(int, nodes.draft->load_state, UNIT_BAD_SETTING));
        file_assert_contains(failure_message(&nodes.draft->failure), "a.target:3: User=: ");
}

Test(section_instance, names_are_judged) {
        static const char *const bad[] = { "a b", "a/b", "ä", "a*", "%i" };

        for (size_t i = 0; i < ELEMENTSOF(bad); i++) {
                cleanup_(nodes_deinit) Nodes nodes = nodes_new();
                cleanup_free_ char *text = NULL;

                cr_assert(eq(int, text_format(&text, "[Node %s]\nUser=x\n", bad[i]), 0));
                nodes_read(&nodes, "a.target", text);
                assert_said(nodes.world, "error a.target:1: ");
                cr_assert(eq(sz, nodes.draft->instances.n, 0));
        }
}

/* A refusal in one instance is not undone by another instance. */
Test(section_instance, refusals_are_of_their_instance) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();
        const DirectiveTable *refused = &tables[2];
        const char *name = NULL;
        cleanup_free_ char *text = NULL;

        for (size_t i = 0; i < *refused->n && !name; i++)
                if (refused->directives[i].status == DIRECTIVE_REFUSED)
                        name = refused->directives[i].name;
        cr_assert(name != NULL);
        cr_assert(eq(int, text_format(&text, "[Node a]\n%s=yes\n[Node b]\n%s=yes\n%s=no\n", name, name, name), 0));
        nodes_read(&nodes, "a.target", text);
        cr_assert(eq(sz, nodes.draft->refusals.n, 1));
        cr_assert(eq(uint, nodes.draft->refusals.items[0].line, 2));
}

Test(section_instance, settings_are_joined_as_those_of_a_unit) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();

        nodes_read(&nodes, "a.target", "[Node a]\nMemoryMax=1M\nPrivateTmp=yes\nNoNewPrivileges=yes\n[Node b]\n");
        for (size_t i = 0; i < nodes.draft->instances.n; i++) {
                ResourceSettings *rest = NULL;

                cr_assert(eq(int, draft_section_settle(nodes.draft->instances.items[i], &rest), 0));
                cr_assert(rest == NULL);
        }
        cr_assert(eq(u64, node_settings(&nodes, "a")->resources->memory_max.amount, 1 << 20));
        cr_assert(node_settings(&nodes, "a")->exec.rare->sandbox->private_tmp);
        cr_assert(node_settings(&nodes, "a")->exec.rare->terms->no_new_privileges);
        cr_assert(node_settings(&nodes, "b")->resources == NULL);
        cr_assert(node_settings(&nodes, "b")->exec.rare == NULL);
}

/* So that a reload reports a line that was moved from one instance to another. */
Test(section_instance, what_is_kept_of_the_files_says_whose_an_assignment_is) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();
        cleanup_free_ char *packed = NULL, *text = NULL;

        nodes_read(&nodes, "a.target", "[Unit]\nDescription=d\n[Node a]\nUser=x\nGroup=x\n[Node b]\nUser=x\n"
                                       "[Unit]\nAfter=b.target\n[Node b]\nGroup=y\n");
        cr_assert(eq(int, file_values_finish(&nodes.draft->values, &packed), 0));
        cr_assert(eq(int, file_values_unpack(packed, &text), 0));
        assert_string(text, "Description=d\n[Node a] User=x\n[Node a] Group=x\n[Node b] User=x\nAfter=b.target\n"
                            "[Node b] Group=y\n");
}

Test(section_instance, one_without_assignments_is_kept_of_the_files_too) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();
        cleanup_free_ char *packed = NULL, *text = NULL;

        nodes_read(&nodes, "a.target", "[Node a]\n[Node b]\nUser=x\n[Node a]\n[Unit]\nAfter=b.target\n[Node c]\n");
        cr_assert(eq(int, file_values_finish(&nodes.draft->values, &packed), 0));
        cr_assert(eq(int, file_values_unpack(packed, &text), 0));
        assert_string(text, "[Node a]\n[Node b] User=x\nAfter=b.target\n[Node c]\n");
}

Test(section_instance, whether_a_type_was_given_is_of_the_instance) {
        cleanup_(nodes_deinit) Nodes nodes = nodes_new();
        const ServiceSettings *a, *b;

        nodes_read(&nodes, "a.target", "[Step a]\nType=notify\n[Step b]\nExecStart=/bin/true\n");
        a = node(&nodes, "a")->own;
        b = node(&nodes, "b")->own;
        cr_assert(a->has_type);
        cr_assert(not(b->has_type));
}

static const char *const values[] = { "", "1", "yes", "/x", "a.service", "a b c", "=" };

/* Each directive of each section of a type finds its settings, whatever its value is. */
Test(section_instance, the_settings_of_each_directive_are_there_in_its_section) {
        size_t n_sections;
        const DirectiveSection *all = directive_sections(&n_sections);
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        for (size_t i = 0; i < n_sections; i++) {
                UnitType type = all[i].type == _UNIT_TYPE_INVALID ? UNIT_TARGET : all[i].type;
                const char *own = directive_section_of_type(type);

                cr_assert(own == NULL || strchr(own, '*') == NULL, "%s stands for the type", own);
                for (size_t t = 0; t < DIRECTIVE_SECTION_TABLES_MAX && all[i].tables[t]; t++)
                        for (size_t d = 0; d < *all[i].tables[t]->n * ELEMENTSOF(values); d++) {
                                const char *name = all[i].tables[t]->directives[d / ELEMENTSOF(values)].name;
                                cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
                                cleanup_free_ char *unit = NULL, *text = NULL;

                                cr_assert(eq(int, text_format(&unit, "a.%s", unit_type_to_string(type)), 0));
                                cr_assert(eq(int, text_format(&text, "[%.*s%s]\n%s=%s\n",
                                                              (int) strcspn(all[i].name, "*"), all[i].name,
                                                              all[i].instances ? "a" : "", name,
                                                              values[d % ELEMENTSOF(values)]), 0));
                                cr_assert(eq(int, unit_draft_new(world->loader, unit, draft_type_of(type), true, &draft), 0));
                                cr_assert(eq(int, unit_draft_parse(draft, &(DirectiveSections) { all, n_sections }, unit,
                                                                   text), 0));
                                cr_assert(strstr(file_said(world), "cannot be used") == NULL, "[%s] %s", all[i].name, name);
                        }
        }
}

/* A user's file must not end the manager, even if a section has a table that its settings do not go with. */
Test(section_instance, a_directive_whose_settings_the_instance_has_not_is_refused) {
        static const SettingsKind nothing = { .exec = SETTINGS_HAVE_NOT, .kill = SETTINGS_HAVE_NOT,
                                              .resources = SETTINGS_HAVE_NOT };
        size_t n_tables;
        const DirectiveTable *all = directive_tables(&n_tables);
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        for (size_t t = 0; t < n_tables; t++)
                for (size_t d = 0; d < *all[t].n; d++) {
                        const DirectiveSection section = { .name = "Node *", .type = UNIT_TARGET, .tables = { &all[t] },
                                                           .instances = &nothing };
                        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
                        cleanup_free_ char *text = NULL;
                        bool is_refused;
                        const char *said;

                        cr_assert(eq(int, text_format(&text, "[Node a]\n%s=yes\n", all[t].directives[d].name), 0));
                        cr_assert(eq(int, unit_draft_new(world->loader, "a.target", &target_draft_type, true, &draft), 0));
                        cr_assert(eq(int, unit_draft_parse(draft, &(DirectiveSections) { &section, 1 }, "a.target", text),
                                     0));
                        said = file_said(world);
                        is_refused = strstr(said, "cannot be used in [Node a]; the unit is refused");
                        cr_assert(is_refused == (all[t].directives[d].base != DIRECTIVE_IN_NOTHING), "%s: %s",
                                  all[t].directives[d].name, said);
                }
}

/* — a type of the test that has its instances' settings: the last user of any — */

typedef struct Flow {
        char *user;
} Flow;

static int flow_make(void **ret_settings) {
        *ret_settings = calloc(1, sizeof(Flow));
        return *ret_settings ? 0 : -ENOMEM;
}

static void flow_free(void *settings) {
        Flow *flow = settings;

        free(flow->user);
        free(flow);
}

static int flow_take_instances(UnitDraft *draft) {
        Flow *flow = draft->section.own;

        for (size_t i = 0; i < draft->instances.n; i++) {
                MountSettings *settings = draft->instances.items[i]->own;

                cr_assert(settings->exec.rare && settings->exec.rare->sandbox, "the settings are complete");
                flow->user = take_ptr(settings->exec.user);
        }
        return 0;
}

Test(section_instance, a_unit_has_what_its_type_takes_of_them) {
        static const DraftType flow_type = {
                .settings = { .make = flow_make, .release = flow_free, .exec = SETTINGS_HAVE_NOT,
                              .kill = SETTINGS_HAVE_NOT, .resources = SETTINGS_HAVE_NOT },
                .has_settings = true,
                .take_instances = flow_take_instances,
        };
        cleanup_(nodes_deinit) Nodes nodes = { .world = file_world_new() };
        Unit *unit;

        cr_assert(eq(int, unit_draft_new(nodes.world->loader, "a.target", &flow_type, true, &nodes.draft), 0));
        nodes_read(&nodes, "a.target", "[Node a]\nUser=alice\nPrivateTmp=yes\n");
        cr_assert(eq(int, unit_table_name(nodes.world->table, "a.target", &unit), 0));
        cr_assert(eq(int, unit_draft_apply(nodes.draft, nodes.world->table, unit), 0));
        assert_string(((const Flow *) unit->type_settings)->user, "alice");
}
