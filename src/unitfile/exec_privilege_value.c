/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Privileges
 *
 * An unknown capability refuses the unit, because its effect is unknown.
 */

#include <errno.h>
#include <linux/securebits.h>
#include <string.h>
#include <strings.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/capability.h"
#include "unitfile/directive_exec.h"
#include "unitfile/directive_value.h"
#include "unitfile/unit_draft.h"

/* The first value, an empty value, and "~" alone set the list. Further values add to it or remove from it. */
int exec_parse_capabilities(const DirectiveLine *line, const char *value) {
        const bool is_bounding = line->directive->argument;
        const uint64_t initial = is_bounding ? UINT64_MAX : 0;
        ExecTerms *terms = directive_base(line, DIRECTIVE_IN_EXEC_TERMS);
        uint64_t *field = directive_field(line);
        uint64_t old = is_bounding && !terms->has_capabilities ? initial : *field, sum = 0;
        bool inverts = *value == '~';
        const char *at = value + inverts;

        for (;;) {
                cleanup_free_ char *word = NULL;
                int r = directive_next_word(line, &at, &word), number;

                if (r < 0)
                        return r == -EINVAL ? 0 : r;
                if (r == 0)
                        break;
                number = capability_find(word);
                if (number < 0)
                        return directive_complain(line, "'%s' is not a capability such as CAP_NET_BIND_SERVICE", word);
                sum |= UINT64_C(1) << number;
        }
        if (sum == 0 || old == initial)
                *field = inverts ? ~sum : sum;
        else
                *field = inverts ? old & ~sum : old | sum;
        if (is_bounding)
                terms->has_capabilities = true;
        return 0;
}

int exec_parse_secure_bits(const DirectiveLine *line, const char *value) {
        static const struct {
                const char *name;
                uint32_t bit;
        } names[] = {
                { "keep-caps", SECBIT_KEEP_CAPS },
                { "keep-caps-locked", SECBIT_KEEP_CAPS_LOCKED },
                { "no-setuid-fixup", SECBIT_NO_SETUID_FIXUP },
                { "no-setuid-fixup-locked", SECBIT_NO_SETUID_FIXUP_LOCKED },
                { "noroot", SECBIT_NOROOT },
                { "noroot-locked", SECBIT_NOROOT_LOCKED },
        };
        uint32_t *field = directive_field(line), bits = 0;
        cleanup_(strv_freep) char **words = NULL;
        int r = strv_split(value, " \t", &words);

        strv_foreach(word, words) {
                size_t i = 0;

                while (i < ELEMENTSOF(names) && strcmp(names[i].name, *word) != 0)
                        i++;
                if (i == ELEMENTSOF(names))
                        return directive_complain(line, "'%s' is none of keep-caps, no-setuid-fixup, noroot and their "
                                                        "-locked variants", *word);
                bits |= names[i].bit;
        }
        *field = *value ? *field | bits : 0;
        return r;
}

/* The security module checks the name of a label, not jobd. */
int exec_parse_label(const DirectiveLine *line, const char *value) {
        const SecurityModule module = (SecurityModule) line->directive->argument;
        ExecLabel *label = directive_field(line);
        bool is_optional = *value == '-';
        char *name = NULL;
        int r = 0;

        if (value[is_optional])
                r = directive_expand(line, value + is_optional, &name);
        else if (is_optional)
                return directive_complain(line, "A name must follow the '-'");
        if (*value && r <= 0)
                return r;
        free(label->name);
        *label = (ExecLabel) { .name = name, .is_optional = is_optional };
        if (name && !security_module_is_enabled(module))
                directive_note(line, is_optional ? UNIT_FILE_NOTE : UNIT_FILE_WARNING,
                               "This kernel has no %s; the unit runs without.", security_module_to_string(module));
        return 0;
}

/* The name must be that of a file in /etc/pam.d. */
int exec_parse_pam_name(const DirectiveLine *line, const char *value) {
        char **field = directive_field(line), *name = NULL;
        int r = *value ? directive_expand(line, value, &name) : 1;

        if (r <= 0)
                return r;
        if (name && (strchr(name, '/') || name[0] == '.')) {
                r = directive_complain(line, "'%s' is not the name of a PAM service", name);
                free(name);
                return r;
        }
        free(*field);
        *field = name;
        return 0;
}
