/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directives by name
 *
 * The tables are sorted (verified by a test), so a line of a unit file costs
 * some eight comparisons.
 */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/directive.h"
#include "unitfile/draft_type.h"

#define NEAREST_MAX 512

enum {
        TABLE_UNIT,
        TABLE_INSTALL,
        TABLE_SERVICE,
        TABLE_SLICE,
        TABLE_TIMER,
        TABLE_PATH,
        TABLE_SOCKET,
        TABLE_SCOPE,
        TABLE_MOUNT,
        TABLE_RUN,
        TABLE_ENDING_RUN,
        TABLE_FLOW,
        TABLE_NODE,
        TABLE_POLICY,
        TABLE_BATCH,
        TABLE_STREAM,
        TABLE_EXEC,
        TABLE_KILL,
        TABLE_RESOURCE,
        TABLE_RESOURCE_LIMIT,
        _TABLE_MAX,
};

static const DirectiveTable tables[_TABLE_MAX] = {
        [TABLE_UNIT] = { unit_directives, &unit_directives_n },
        [TABLE_INSTALL] = { install_directives, &install_directives_n },
        [TABLE_SERVICE] = { service_directives, &service_directives_n },
        [TABLE_SLICE] = { slice_directives, &slice_directives_n },
        [TABLE_TIMER] = { timer_directives, &timer_directives_n },
        [TABLE_PATH] = { path_directives, &path_directives_n },
        [TABLE_SCOPE] = { scope_directives, &scope_directives_n },
        [TABLE_SOCKET] = { socket_directives, &socket_directives_n },
        [TABLE_MOUNT] = { mount_directives, &mount_directives_n },
        [TABLE_RUN] = { run_directives, &run_directives_n },
        [TABLE_ENDING_RUN] = { ending_run_directives, &ending_run_directives_n },
        [TABLE_FLOW] = { flow_directives, &flow_directives_n },
        [TABLE_NODE] = { node_directives, &node_directives_n },
        [TABLE_POLICY] = { policy_directives, &policy_directives_n },
        [TABLE_BATCH] = { batch_directives, &batch_directives_n },
        [TABLE_STREAM] = { stream_directives, &stream_directives_n },
        [TABLE_EXEC] = { exec_directives, &exec_directives_n },
        [TABLE_KILL] = { kill_directives, &kill_directives_n },
        [TABLE_RESOURCE] = { resource_directives, &resource_directives_n },
        [TABLE_RESOURCE_LIMIT] = { resource_limit_directives, &resource_limit_directives_n },
};

/* Of units with a control group. */
#define GROUP &tables[TABLE_RESOURCE], &tables[TABLE_RESOURCE_LIMIT]

static const DirectiveSection sections[] = {
        { "Unit", _UNIT_TYPE_INVALID, { &tables[TABLE_UNIT] } },
        { "Install", _UNIT_TYPE_INVALID, { &tables[TABLE_INSTALL] } },
        { "Service", UNIT_SERVICE,
          { &tables[TABLE_SERVICE], &tables[TABLE_EXEC], &tables[TABLE_KILL], GROUP } },
        { "Path", UNIT_PATH, { &tables[TABLE_PATH] } },
        { "Timer", UNIT_TIMER, { &tables[TABLE_TIMER] } },
        { "Socket", UNIT_SOCKET,
          { &tables[TABLE_SOCKET], &tables[TABLE_EXEC], &tables[TABLE_KILL], GROUP } },
        { "Scope", UNIT_SCOPE, { &tables[TABLE_SCOPE], &tables[TABLE_KILL], GROUP } },
        { "Mount", UNIT_MOUNT,
          { &tables[TABLE_MOUNT], &tables[TABLE_EXEC], &tables[TABLE_KILL], GROUP } },
        { "Slice", UNIT_SLICE, { &tables[TABLE_SLICE], GROUP } },
        { "Flow", UNIT_FLOW,
          { &tables[TABLE_RUN], &tables[TABLE_ENDING_RUN], &tables[TABLE_FLOW], &tables[TABLE_EXEC],
            &tables[TABLE_KILL], GROUP } },
        { "Node *", UNIT_FLOW, { &tables[TABLE_NODE], &tables[TABLE_EXEC], &tables[TABLE_KILL], GROUP },
          .instances = &flow_node_kind },
        { "Policy *", UNIT_FLOW, { &tables[TABLE_POLICY] }, .instances = &flow_policy_kind },
        { "Batch", UNIT_BATCH,
          { &tables[TABLE_RUN], &tables[TABLE_ENDING_RUN], &tables[TABLE_BATCH], &tables[TABLE_EXEC],
            &tables[TABLE_KILL], GROUP } },
        { "Stream", UNIT_STREAM,
          { &tables[TABLE_RUN], &tables[TABLE_STREAM], &tables[TABLE_EXEC], &tables[TABLE_KILL], GROUP } },
        { "Automount", UNIT_AUTOMOUNT, {} },
        { "Swap", UNIT_SWAP, {} },
};

const DirectiveTable *directive_tables(size_t *ret_n) {
        *ret_n = ELEMENTSOF(tables);
        return tables;
}

const DirectiveSection *directive_sections(size_t *ret_n) {
        *ret_n = ELEMENTSOF(sections);
        return sections;
}

const DirectiveSection *directive_section_find(const char *name) {
        for (size_t i = 0; i < ELEMENTSOF(sections); i++)
                if (sections[i].tables[0] && strcmp(sections[i].name, name) == 0)
                        return &sections[i];
        return NULL;
}

const char *directive_section_of_type(UnitType type) {
        for (size_t i = 0; i < ELEMENTSOF(sections); i++)
                if (sections[i].type == type && type != _UNIT_TYPE_INVALID && !sections[i].instances)
                        return sections[i].name;
        return NULL;
}

static int directive_compare(const void *a, const void *b) {
        return strcmp(((const Directive *) a)->name, ((const Directive *) b)->name);
}

const Directive *directive_find(const DirectiveSection *section, const char *name) {
        Directive wanted = { .name = name };

        for (size_t i = 0; i < DIRECTIVE_SECTION_TABLES_MAX && section->tables[i]; i++) {
                const DirectiveTable *table = section->tables[i];
                const Directive *found = bsearch(&wanted, table->directives, *table->n, sizeof(Directive),
                                                 directive_compare);

                if (found)
                        return found;
        }
        return NULL;
}

bool directive_fits(const Directive *directive, const DirectiveTarget *target) {
        return directive->base == DIRECTIVE_IN_NOTHING || target->bases[directive->base];
}

bool directive_is_default(const Directive *directive) {
        return directive->is_default || directive->base == DIRECTIVE_IN_EXEC ||
               directive->base == DIRECTIVE_IN_EXEC_RARE || directive->base == DIRECTIVE_IN_EXEC_TERMS ||
               directive->base == DIRECTIVE_IN_KILL;
}

size_t directive_number(const Directive *directive) {
        size_t before = 1;

        for (size_t i = 0; i < ELEMENTSOF(tables); i++) {
                if (directive >= tables[i].directives && directive < tables[i].directives + *tables[i].n)
                        return before + (size_t) (directive - tables[i].directives);
                before += *tables[i].n;
        }
        assert(!"a directive of no table");
        return 0;
}

const Directive *directive_at(size_t number) {
        size_t before = 1;

        for (size_t i = 0; i < ELEMENTSOF(tables); i++) {
                assert(number >= before);
                if (number < before + *tables[i].n)
                        return &tables[i].directives[number - before];
                before += *tables[i].n;
        }
        assert(!"a number of no directive");
        return NULL;
}

const char *directive_find_nearest(const DirectiveSection *section, const char *name) {
        const char *names[NEAREST_MAX];
        size_t n = 0;

        for (size_t i = 0; i < DIRECTIVE_SECTION_TABLES_MAX && section->tables[i]; i++)
                for (size_t k = 0; k < *section->tables[i]->n && n < ELEMENTSOF(names); k++)
                        names[n++] = section->tables[i]->directives[k].name;
        for (size_t i = 0; i < n; i++)
                if (strcasecmp(names[i], name) == 0)
                        return names[i];
        return text_nearest(name, names, n);
}
