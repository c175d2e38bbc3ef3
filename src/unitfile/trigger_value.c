/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit=: the unit that a timer or path triggers
 */

#include <string.h>

#include "basic/text.h"
#include "unitfile/trigger_value.h"
#include "unitfile/unit_draft.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

#define TRIGGER_DEPENDENCY "unit that it triggers"

int directive_parse_triggered(const DirectiveLine *line, const char *value) {
        char **slot = directive_field(line);
        cleanup_free_ char *name = NULL;
        int r;

        if (!*value) {
                free(take_ptr(*slot));
                return 0;
        }
        if (*slot)
                return directive_complain(line, "Only one unit can be triggered, which is '%s' already", *slot);
        r = directive_expand(line, value, &name);
        if (r <= 0)
                return r;
        if (!unit_name_is_valid(name) || unit_name_is_template(name))
                return directive_complain(line, "'%s' is not a unit name", name);
        if (unit_name_type(name) == line->target->draft->type)
                return directive_complain(line, "'%s' is a %s, too, and cannot be triggered", name,
                                          unit_type_to_string(line->target->draft->type));
        *slot = take_ptr(name);
        return 0;
}

int trigger_settle(const UnitDraft *draft, char **name) {
        const char *end = strrchr(draft->name, '.');

        if (*name || !end)
                return 0;
        return text_format(name, "%.*s.service", (int) (end - draft->name), draft->name);
}

int trigger_add_defaults(UnitDraft *draft, const char *target) {
        static const ImpliedRelation of_system[] = {
                { UNIT_REQUIRES, "sysinit.target" },    { UNIT_AFTER, "sysinit.target" },
        };
        const ImpliedRelation of_all[] = {
                { UNIT_BEFORE, target },                { UNIT_CONFLICTS, "shutdown.target" },
                { UNIT_BEFORE, "shutdown.target" },
        };
        int r = unit_draft_add_defaults(draft, of_all, ELEMENTSOF(of_all));

        if (r == 0 && !draft->loader->options.is_user)
                r = unit_draft_add_defaults(draft, of_system, ELEMENTSOF(of_system));
        return r;
}

int trigger_add_implied(UnitDraft *draft, const char *name) {
        static const UnitRelationKind kinds[] = { UNIT_TRIGGERS, UNIT_BEFORE };
        const char *file = draft->state->sources.fragment ? draft->state->sources.fragment : "";
        int r = 0;

        for (size_t i = 0; name && r == 0 && i < ELEMENTSOF(kinds); i++)
                r = unit_draft_add_relation(draft, kinds[i], name, file, 0, TRIGGER_DEPENDENCY);
        return r;
}
