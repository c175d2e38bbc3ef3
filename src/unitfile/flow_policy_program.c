/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/flow_policy_program.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_file_loader.h"

#define FOLDER "policies"

/* The path as a word of a command line. */
static int quote(const char *path, char **ret_word) {
        Text text = {};

        text_add(&text, "\"");
        for (const char *c = path; *c; c++) {
                if (*c == '"' || *c == '\\')
                        text_add_char(&text, '\\');
                else if (*c == '%' || *c == '$')
                        text_add_char(&text, *c);
                text_add_char(&text, *c);
        }
        text_add(&text, "\"");
        return text_finish(&text, ret_word);
}

static bool is_program(const char *path) {
        struct stat st;

        return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static int find(const UnitDraft *draft, const char *name, char **ret_path) {
        strv_foreach(folder, draft->loader->search_path) {
                cleanup_free_ char *policies = NULL, *path = NULL;
                int r = text_join_path(*folder, FOLDER, &policies);

                if (r == 0)
                        r = text_join_path(policies, name, &path);
                if (r < 0)
                        return r;
                if (!is_program(path))
                        continue;
                *ret_path = take_ptr(path);
                return 1;
        }
        return 0;
}

static int imply(UnitDraft *draft, const char *name, const char **ret_file, char **ret_text) {
        cleanup_free_ char *path = NULL, *word = NULL;
        int r = find(draft, name, &path);

        if (r <= 0)
                return r;
        r = flow_settings_keep_file(draft->section.own, path, ret_file);
        if (r == 0)
                r = quote(path, &word);
        if (r == 0)
                r = text_format(ret_text, "[Policy %s]\nCommand=%s\n", name, word);
        return r < 0 ? r : 1;
}

int flow_imply_policy(UnitDraft *draft, const char **ret_file, char **ret_text) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < draft->instances.n; i++) {
                const DraftSection *instance = draft->instances.items[i];
                const FlowNodeSettings *settings = instance->own;
                const char *name = draft_section_is_node(instance) ? settings->node.policy : NULL;

                if (name && !unit_draft_find_instance(draft, "Policy *", name))
                        r = imply(draft, name, ret_file, ret_text);
        }
        return r;
}
