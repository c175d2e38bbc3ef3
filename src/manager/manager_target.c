/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Targets of callbacks, as rows of the outbox have them
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_tree.h"
#include "basic/json_write.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_target.h"

static const char signal_word[] = "signal", unit_word[] = "unit";

void manager_target_deinit(ManagerTarget *target) {
        exec_command_free_all(target->command);
        free(target->name);
        *target = (ManagerTarget) {};
}

/* — writing — */

static void add_string(Text *text, const char *string) {
        json_write_string(text, string, strlen(string));
}

static void add_command(Text *text, const ExecCommand *command) {
        text_addf(text, "%u,", (unsigned) command->flags);
        add_string(text, command->path);
        strv_foreach(word, command->argv) {
                text_add(text, ",");
                add_string(text, *word);
        }
}

int manager_target_write(const FlowTarget *target, uint32_t uid, char **ret_text) {
        cleanup_(text_deinit) Text text = {};

        text_add(&text, "[");
        switch (target->kind) {
        case FLOW_TARGET_EXEC:
                add_command(&text, target->command);
                break;
        case FLOW_TARGET_SIGNAL:
                text_addf(&text, "\"%s\",", signal_word);
                add_string(&text, target->name);
                text_addf(&text, ",%" PRIu32, uid);
                break;
        case FLOW_TARGET_UNIT:
                text_addf(&text, "\"%s\",", unit_word);
                add_string(&text, target->name);
                text_addf(&text, ",\"%s\"", job_mode_to_string(target->mode));
                break;
        case _FLOW_TARGET_KIND_MAX:
                break;
        }
        text_add(&text, "]");
        return text_finish(&text, ret_text);
}

/* — reading — */

static int read_command(const JsonValue *list, ExecCommand *command) {
        const JsonValue *value = json_value_first(list);
        uint32_t flags;

        if (list->n < 3 || text_parse_u32(value->text, &flags) < 0)
                return -EINVAL;
        command->flags = (ExecCommandFlags) flags;
        for (uint32_t i = 1; i < list->n; i++) {
                int r;

                value = json_value_next(value);
                if (value->kind != JSON_TOKEN_STRING)
                        return -EINVAL;
                if (i == 1)
                        command->path = strdup(value->text);
                r = i > 1 ? strv_push(&command->argv, value->text) : command->path ? 0 : -ENOMEM;
                if (r < 0)
                        return r;
        }
        return 0;
}

/* Of a signal or a unit: its kind, its name, and a number or a mode. */
static int read_named(const JsonValue *list, ManagerTarget *target) {
        const JsonValue *kind = json_value_first(list), *name, *last;
        int mode;

        if (list->n != 3)
                return -EINVAL;
        name = json_value_next(kind);
        last = json_value_next(name);
        if (name->kind != JSON_TOKEN_STRING)
                return -EINVAL;
        if (strcmp(kind->text, signal_word) == 0) {
                target->kind = FLOW_TARGET_SIGNAL;
                if (last->kind != JSON_TOKEN_NUMBER || text_parse_u32(last->text, &target->uid) < 0)
                        return -EINVAL;
        } else {
                mode = last->kind == JSON_TOKEN_STRING ? (int) job_mode_from_string(last->text) : -EINVAL;
                if (strcmp(kind->text, unit_word) != 0 || mode < 0)
                        return -EINVAL;
                target->kind = FLOW_TARGET_UNIT;
                target->mode = (JobMode) mode;
        }
        return text_copy(name->text, &target->name);
}

static int read_list(const JsonValue *list, ManagerTarget *target) {
        const JsonValue *first = list->kind == JSON_TOKEN_ARRAY && list->n > 0 ? json_value_first(list) : NULL;

        if (first && first->kind == JSON_TOKEN_STRING)
                return read_named(list, target);
        if (!first || first->kind != JSON_TOKEN_NUMBER)
                return -EINVAL;
        target->kind = FLOW_TARGET_EXEC;
        target->command = calloc(1, sizeof(*target->command));
        return target->command ? read_command(list, target->command) : -ENOMEM;
}

int manager_target_read(const char *text, ManagerTarget *ret_target) {
        JsonTree tree = {};
        int r = json_tree_read(text, strlen(text), &tree, NULL);

        *ret_target = (ManagerTarget) {};
        if (r == 0)
                r = read_list(tree.values, ret_target);
        json_tree_deinit(&tree);
        if (r == 0)
                return 0;
        manager_target_deinit(ret_target);
        return r == -ENOMEM ? r : -EINVAL;
}
