/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every unit type has its entries in the other tables
 */

#include <ctype.h>
#include <string.h>

#include "double/double_assert.h"
#include "double/double_unit.h"
#include "types/unit_types.h"
#include "unitfile/directive.h"
#include "unitfile/draft_type.h"

static const UnitVTable *vtable_of(UnitType type) {
        for (size_t i = 0; unit_types[i]; i++)
                if (unit_types[i]->type == type)
                        return unit_types[i];
        return NULL;
}

Test(unit_types, each_is_listed_once) {
        for (size_t i = 0; unit_types[i]; i++)
                cr_expect(eq(ptr, (void *) vtable_of(unit_types[i]->type), (void *) unit_types[i]));
}

/* Otherwise tests of the engine and of the manager could have no unit of the type. */
Test(unit_types, each_has_a_double) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();

        for (size_t i = 0; unit_types[i]; i++)
                cr_expect(ne(ptr, (void *) world->table->types[unit_types[i]->type], NULL), "%s", unit_types[i]->interface);
}

/* A type without a DraftType could not be loaded; a DraftType without a type would be useless. */
Test(unit_types, unit_files_know_the_same) {
        for (UnitType type = 0; type < _UNIT_TYPE_MAX; type++)
                cr_expect(eq(int, vtable_of(type) != NULL, draft_type_of(type) != NULL), "%s",
                          unit_type_to_string(type));
}

Test(unit_types, types_with_settings_have_a_section_that_is_read) {
        for (UnitType type = 0; type < _UNIT_TYPE_MAX; type++) {
                const DraftType *draft = draft_type_of(type);
                const char *section = directive_section_of_type(type);
                bool is_read = section && directive_section_find(section);

                cr_expect(eq(int, is_read, draft && draft->has_settings), "%s", unit_type_to_string(type));
        }
}

/* The simulator uses DraftType.can_reload, the manager UnitVTable.can_reload. */
Test(unit_types, types_reload_by_their_settings) {
        for (size_t i = 0; unit_types[i]; i++) {
                const DraftType *draft = draft_type_of(unit_types[i]->type);

                cr_expect(eq(int, draft && draft->can_reload, unit_types[i]->can_reload != NULL), "%s",
                          unit_type_to_string(unit_types[i]->type));
        }
}

/* The simulator uses DraftType.limit, the manager UnitVTable.limit. */
Test(unit_types, types_with_time_limits_have_them_in_the_simulator) {
        for (size_t i = 0; unit_types[i]; i++) {
                const DraftType *draft = draft_type_of(unit_types[i]->type);

                cr_expect(not(unit_types[i]->limit && !(draft && draft->limit)), "%s",
                          unit_type_to_string(unit_types[i]->type));
        }
}

/* Otherwise drop-ins of such a unit would be ignored. The scope that has no file is that of the manager itself. */
Test(unit_types, those_found_without_a_file_have_drop_ins) {
        for (size_t i = 0; unit_types[i]; i++) {
                const DraftType *draft = draft_type_of(unit_types[i]->type);

                cr_expect(not(draft && draft->find && draft->has_settings && !draft->is_found_with_dropins &&
                              unit_types[i]->type != UNIT_SCOPE), "%s", unit_type_to_string(unit_types[i]->type));
        }
}

/* Otherwise one that comes while the manager runs would stay not found. Of slices and scopes the name alone decides. */
Test(unit_types, those_found_without_a_file_may_come) {
        for (size_t i = 0; unit_types[i]; i++) {
                const UnitType type = unit_types[i]->type;
                const DraftType *draft = draft_type_of(type);

                if (draft && type != UNIT_SLICE && type != UNIT_SCOPE)
                        cr_expect(eq(int, draft->find != NULL, draft->is_there != NULL), "%s", unit_type_to_string(type));
        }
}

/* Otherwise the value of a directive would be written to another place of the settings. */
Test(unit_types, directives_are_for_the_settings_of_the_type) {
        size_t n;
        const DirectiveSection *sections = directive_sections(&n);

        for (size_t s = 0; s < n; s++) {
                const DraftType *draft = draft_type_of(sections[s].type);
                const SettingsKind *kind = sections[s].instances ? sections[s].instances : draft ? &draft->settings : NULL;

                for (size_t t = 0; t < DIRECTIVE_SECTION_TABLES_MAX && sections[s].tables[t]; t++)
                        for (size_t i = 0; i < *sections[s].tables[t]->n; i++) {
                                const Directive *row = &sections[s].tables[t]->directives[i];

                                if (row->base == DIRECTIVE_IN_TYPE)
                                        cr_expect(eq(sz, row->own_size, kind && kind->size > 0 ? kind->size : SIZE_MAX),
                                                  "[%s] %s= is for other settings", sections[s].name, row->name);
                        }
        }
}

/* Otherwise a getter would take the state of a unit for that of another type. */
Test(unit_types, properties_are_of_the_type) {
        for (size_t i = 0; unit_types[i]; i++)
                for (const UnitPropertyTable *const *table = unit_types[i]->properties; *table; table++)
                        cr_expect(eq(int, (*table)->is_of_one_type && (*table)->type != unit_types[i]->type, 0),
                                  "%s has a table of another type, with %s", unit_types[i]->interface,
                                  (*table)->rows[0].name);
}

/* A control group and settings for it come together. */
Test(unit_types, types_with_a_group_have_resources) {
        for (size_t i = 0; unit_types[i]; i++) {
                const DraftType *draft = draft_type_of(unit_types[i]->type);

                bool has_resources = draft && draft->has_settings && settings_kind_has_resources(&draft->settings);

                cr_expect(eq(int, has_resources, unit_types[i]->group != NULL), "%s",
                          unit_type_to_string(unit_types[i]->type));
        }
}

/* The section and the interface of a type have its name. */
Test(unit_types, names_are_alike) {
        for (size_t i = 0; unit_types[i]; i++) {
                const char *word = unit_type_to_string(unit_types[i]->type);
                const char *section = directive_section_of_type(unit_types[i]->type);

                cr_assert(unit_types[i]->interface != NULL, "%s", word);
                cr_expect(eq(int, strcasecmp(unit_types[i]->interface, word), 0), "%s", word);
                cr_expect(unit_types[i]->interface[0] == toupper(word[0]), "%s", word);
                if (section)
                        cr_expect(eq(str, (char *) section, (char *) unit_types[i]->interface));
        }
}

/* Entries of a vtable that only make sense together. */
Test(unit_types, what_is_written_down_is_read_back) {
        for (size_t i = 0; unit_types[i]; i++) {
                const UnitVTable *vtable = unit_types[i];
                const char *word = unit_type_to_string(vtable->type);

                cr_expect(vtable->init != NULL, "%s", word);
                cr_expect(vtable->deinit != NULL, "%s", word);
                cr_expect(eq(int, vtable->record != NULL, vtable->restore != NULL), "%s", word);
                cr_expect(eq(int, vtable->can_clean != NULL, vtable->clean != NULL), "%s", word);
                cr_expect(eq(int, vtable->prepare_spawn != NULL, vtable->spawned != NULL), "%s", word);
                cr_expect(eq(int, vtable->give_processes != NULL, vtable->abandon != NULL), "%s", word);
                cr_expect(not(vtable->can_freeze && !vtable->group), "%s", word);
                cr_expect(not(vtable->holds_units && !vtable->group), "%s", word);
        }
}
