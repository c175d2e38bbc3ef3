/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Names of units and jobs as people write them
 *
 * The manager matches patterns against the loaded units, as systemctl does: a
 * pattern never loads a unit.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/names.h"
#include "unit/unit_name.h"
#include "unit/unit_state.h"

typedef struct RequestType {
        const char *word;       /* of the command line */
        const char *type;       /* for Exec */
} RequestType;

static const RequestType request_types[] = {
        { "start", "start" },
        { "stop", "stop" },
        { "restart", "restart" },
        { "reload", "reload" },
        { "try-restart", "try-restart" },
        { "reload-or-restart", "reload-or-restart" },
        { "try-reload-or-restart", "reload-or-try-restart" },
        { "reload-or-try-restart", "reload-or-try-restart" },
        { "reload-or-start", "reload-or-start" },
        { "try-reload", "try-reload" },
        { "verify-active", "verify-active" },
        { "nop", "nop" },
        { "isolate", "start" },
};

bool name_is_pattern(const char *word) {
        return strpbrk(word, "*?[") != NULL;
}

bool name_is_number(const char *word, uint32_t *ret_number) {
        return word[0] >= '0' && word[0] <= '9' && text_parse_u32(word, ret_number) == 0;
}

bool name_has_runs(const char *name) {
        return unit_type_has_runs(unit_name_type(name));
}

int name_mangle(const char *word, const char *suffix, char **ret_name) {
        if (name_is_pattern(word))
                return text_format(ret_name, "%s", word);
        return unit_name_mangle(word, suffix, ret_name);
}

const char *name_request_type(const char *word) {
        for (size_t i = 0; i < ELEMENTSOF(request_types); i++)
                if (strcmp(request_types[i].word, word) == 0)
                        return request_types[i].type;
        return NULL;
}

const char *name_request_type_nearest(const char *word) {
        const char *words[ELEMENTSOF(request_types)];

        for (size_t i = 0; i < ELEMENTSOF(request_types); i++)
                words[i] = request_types[i].word;
        return text_nearest(word, words, ELEMENTSOF(request_types));
}

static int resolve_pattern(Jobctl *ctl, const char *pattern, char ***names) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        json_t *units, *unit;
        size_t i;
        int r;

        r = jobctl_call(ctl, "ListUnitsByPatterns", "asas", json_pack("[[][s]]", pattern), &reply, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "list units");
        units = json_array_get(reply, 0);
        if (json_array_size(units) == 0 && !ctl->options.quiet)
                terminal_say(stderr, "No loaded unit matches '%s'.", pattern);
        json_array_foreach(units, i, unit) {
                r = strv_push(names, value_item_string(unit, 0));
                if (r < 0)
                        return r;
        }
        return 0;
}

static int resolve_word(Jobctl *ctl, const char *word, const char *suffix, char ***names) {
        cleanup_free_ char *name = NULL;
        int r;

        if (name_is_pattern(word))
                return resolve_pattern(ctl, word, names);
        r = name_mangle(word, suffix, &name);
        if (r == -EINVAL)
                return jobctl_misused(ctl, "'%s' cannot be the name of a unit.", word);
        return r < 0 ? r : strv_push(names, name);
}

int names_resolve(Jobctl *ctl, char *const *words, const char *suffix, char ***ret_names) {
        cleanup_(strv_freep) char **names = NULL;

        strv_foreach(word, words) {
                int r = resolve_word(ctl, *word, suffix, &names);

                if (r != 0)
                        return r;
        }
        *ret_names = take_ptr(names);
        return 0;
}

int names_to_patterns(Jobctl *ctl, char *const *words, char ***ret_patterns) {
        cleanup_(strv_freep) char **patterns = NULL;

        strv_foreach(word, words) {
                cleanup_free_ char *name = NULL;
                int r = name_mangle(*word, ".service", &name);

                if (r == -EINVAL)
                        return jobctl_misused(ctl, "'%s' cannot be the name of a unit.", *word);
                if (r == 0)
                        r = strv_push(&patterns, name);
                if (r < 0)
                        return r;
        }
        *ret_patterns = take_ptr(patterns);
        return 0;
}

const char *name_type_of(const char *name) {
        const char *dot = strrchr(name, '.');

        return dot ? dot + 1 : name;
}

int names_check_types(Jobctl *ctl) {
        strv_foreach(type, ctl->options.types)
                if (unit_type_from_string(*type) < 0 && unit_load_state_from_string(*type) < 0)
                        return jobctl_misused(ctl, "'%s' is neither a type of units nor a load state.", *type);
        return 0;
}
