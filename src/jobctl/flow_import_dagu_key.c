/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A workflow of Dagu: keys
 *
 * A key that is not read is told if the work is the same without it, and
 * refused if the work would be another one; so is an unknown key.
 */

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "jobctl/flow_import_dagu.h"

#define LABELS "has no counterpart: a flow has no labels"
#define MAIL "has no counterpart: no mail is sent; OnFailure= of [Unit] can start a unit that does"
#define LOGS "has no counterpart: output goes to the log ('jobctl flow logs')"
#define PLACE "has no counterpart: commands are executed on this machine"
#define UNUSED "has no counterpart: it is of steps of a kind that is not imported"
#define READ(name_) { .name = name_, .treatment = DAGU_READ }
#define NOTE(name_, text_) { .name = name_, .treatment = DAGU_NOTE, .text = text_ }
#define REFUSE(name_, text_) { .name = name_, .treatment = DAGU_REFUSE, .text = text_ }

static const DaguKey root_keys[] = {
        READ("name"),
        READ("description"),
        READ("schedule"),
        READ("type"),
        READ("env"),
        READ("dotenv"),
        READ("params"),
        READ("steps"),
        READ("defaults"),
        READ("precondition"),
        READ("preconditions"),
        READ("handler_on"),
        READ("timeout_sec"),
        READ("delay_sec"),
        READ("max_active_runs"),
        READ("max_active_steps"),
        READ("max_clean_up_time_sec"),
        READ("hist_retention_days"),
        READ("hist_retention_runs"),
        READ("working_dir"),
        READ("shell"),
        READ("worker_selector"),
        NOTE("group", LABELS),
        NOTE("labels", LABELS),
        NOTE("tags", LABELS),
        NOTE("skip_if_successful", "has no counterpart: each elapse of the timer has a run"),
        NOTE("catchup_window", "has no counterpart: CatchUp= of [Flow] has a run for times that were missed"),
        NOTE("overlap_policy", "has no counterpart: OnTrigger= of [Flow] says what becomes of a further run"),
        NOTE("restart_wait_sec", "has no counterpart: nothing restarts a run"),
        NOTE("retry_policy", "has no counterpart for a run as a whole; Retry= of nodes, or 'jobctl flow retry'"),
        NOTE("queue", "has no counterpart by itself: Lock= and LockSlots= of [Flow] bound runs of several flows"),
        NOTE("log_dir", LOGS),
        NOTE("log_output", LOGS),
        NOTE("max_output_size", LOGS),
        NOTE("artifacts", "has no counterpart: RunDirectory= of [Flow] keeps a folder for each run"),
        NOTE("smtp", MAIL),
        NOTE("mail_on", MAIL),
        NOTE("error_mail", MAIL),
        NOTE("info_mail", MAIL),
        NOTE("wait_mail", MAIL),
        NOTE("otel", "has no counterpart: nothing is traced"),
        NOTE("run_config", "has no counterpart: AllowSubmit= of [Flow] says who may start runs"),
        NOTE("webhook", "has no counterpart: nothing listens for requests"),
        NOTE("registry_auths", UNUSED),
        NOTE("s3", UNUSED),
        NOTE("llm", UNUSED),
        NOTE("redis", UNUSED),
        NOTE("kubernetes", UNUSED),
        REFUSE("container", "commands would not be executed in the container"),
        REFUSE("ssh", "commands would be executed on this machine"),
        REFUSE("harness", "steps would be prompts, not commands"),
        REFUSE("harnesses", "steps would be prompts, not commands"),
        REFUSE("step_types", "steps would be of kinds that only this file knows"),
        REFUSE("actions", "steps would be of kinds that only this file knows"),
        REFUSE("secrets", "commands would run without them; LoadCredential= and SetCredential= of [Flow] hand secrets "
                          "over"),
        REFUSE("tasks", "a model would choose the steps"),
};

#define KIND "it would not be a command"

static const DaguKey step_keys[] = {
        READ("name"),
        READ("id"),
        READ("description"),
        READ("working_dir"),
        READ("dir"),
        READ("command"),
        READ("exec"),
        READ("script"),
        READ("shell"),
        READ("stdout"),
        READ("stderr"),
        READ("output"),
        READ("depends"),
        READ("continue_on"),
        READ("retry_policy"),
        READ("repeat_policy"),
        READ("precondition"),
        READ("preconditions"),
        READ("signal_on_stop"),
        READ("timeout_sec"),
        READ("env"),
        READ("type"),
        READ("executor"),
        READ("call"),
        READ("approval"),
        READ("worker_selector"),
        NOTE("log_output", LOGS),
        NOTE("mail_on_error", MAIL),
        REFUSE("run", "it is a sub-workflow in older versions of Dagu and a command in newer ones; write 'call' or "
                      "'command'"),
        REFUSE("params", "a unit that is started has no parameters"),
        REFUSE("parallel", "it would run once, not for each item; Foreach= of a node does that"),
        REFUSE("container", "the command would not be executed in the container"),
        REFUSE("shell_packages", "the command would run without these packages"),
        REFUSE("with", KIND),
        REFUSE("config", KIND),
        REFUSE("action", KIND),
        REFUSE("llm", KIND),
        REFUSE("agent", KIND),
        REFUSE("messages", KIND),
        REFUSE("tools", KIND),
        REFUSE("value", "it would choose no way; When= of nodes does that"),
        REFUSE("routes", "it would choose no way; When= of nodes does that"),
};

#define HANDLER "a handler is only a command here, the last one of a run"

static const DaguKey handler_keys[] = {
        READ("name"),
        READ("id"),
        NOTE("description", "has no counterpart in a handler"),
        READ("command"),
        READ("exec"),
        READ("script"),
        READ("shell"),
        READ("env"),
        READ("type"),
        READ("executor"),
        READ("worker_selector"),
        NOTE("log_output", LOGS),
        NOTE("mail_on_error", MAIL),
        NOTE("output", "has no counterpart in a handler: nothing follows that could read it"),
        NOTE("timeout_sec", "has no counterpart in a handler, which has 90 s"),
        NOTE("retry_policy", "has no counterpart in a handler, which is not tried again"),
        NOTE("signal_on_stop", "has no counterpart in a handler"),
        NOTE("continue_on", "has no counterpart in a handler, whose failure changes nothing"),
        REFUSE("working_dir", HANDLER),
        REFUSE("dir", HANDLER),
        REFUSE("precondition", HANDLER),
        REFUSE("preconditions", HANDLER),
        REFUSE("repeat_policy", HANDLER),
        REFUSE("stdout", HANDLER),
        REFUSE("stderr", HANDLER),
        REFUSE("call", HANDLER),
        REFUSE("run", HANDLER),
        REFUSE("params", HANDLER),
        REFUSE("depends", HANDLER),
        REFUSE("approval", HANDLER),
        REFUSE("container", HANDLER),
        REFUSE("parallel", HANDLER),
        REFUSE("with", HANDLER),
        REFUSE("config", HANDLER),
};

int dagu_fail(DaguReader *reader, const YamlNode *node, const char *format, ...) {
        va_list args;
        int r;

        va_start(args, format);
        r = text_vformat(&reader->output->problem, format, args);
        va_end(args);
        reader->output->line = node ? node->line : 0;
        return r < 0 ? r : -EBADMSG;
}

int dagu_note(DaguReader *reader, const YamlNode *node, const char *what, const char *text) {
        return import_note(&reader->output->notes, what, text, node ? node->line : 0);
}

/* "timeoutSec" → "timeout_sec". */
static char *spell(const char *key) {
        cleanup_(text_deinit) Text text = {};
        char *name = NULL;

        for (const char *at = key; *at; at++) {
                const bool is_upper = *at >= 'A' && *at <= 'Z';

                if (is_upper && at > key)
                        text_add_char(&text, '_');
                text_add_char(&text, is_upper ? (char) tolower((unsigned char) *at) : *at);
        }
        return text_finish(&text, &name) < 0 ? NULL : name;
}

static int check_key(DaguReader *reader, const YamlNode *key, const char *where, const DaguKey *keys, size_t n) {
        cleanup_free_ char *name = spell(key->text);

        if (!name)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++) {
                if (strcmp(keys[i].name, name) != 0)
                        continue;
                switch (keys[i].treatment) {
                case DAGU_READ:
                        return 0;
                case DAGU_NOTE:
                        return dagu_note(reader, key, key->text, keys[i].text);
                case DAGU_REFUSE:
                        return dagu_fail(reader, key, "%s has no counterpart: %s", key->text, keys[i].text);
                }
        }
        return dagu_fail(reader, key, "'%s' is no key of %s that is known here (Dagu 2.6)", key->text, where);
}

int dagu_check_keys(DaguReader *reader, const YamlNode *map, const char *where, const DaguKey *keys, size_t n) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < map->items.n; i++)
                if (!yaml_is_null(yaml_value(&reader->yaml, map, i)))
                        r = check_key(reader, yaml_key(&reader->yaml, map, i), where, keys, n);
        return r;
}

int dagu_check_root(DaguReader *reader) {
        return dagu_check_keys(reader, reader->root, "a workflow", root_keys, ELEMENTSOF(root_keys));
}

int dagu_check_step(DaguReader *reader, const YamlNode *step) {
        return dagu_check_keys(reader, step, "a step", step_keys, ELEMENTSOF(step_keys));
}

int dagu_check_handler(DaguReader *reader, const YamlNode *step) {
        return dagu_check_keys(reader, step, "a handler", handler_keys, ELEMENTSOF(handler_keys));
}

const YamlNode *dagu_get(const DaguReader *reader, const YamlNode *map, const char *key) {
        const YamlNode *node = yaml_get(&reader->yaml, map, key);
        char camel[64];
        size_t n = 0;

        if (node)
                return node;
        for (const char *at = key; *at && n < sizeof(camel) - 1; at++)
                camel[n++] = *at == '_' && at[1] ? (char) toupper((unsigned char) *++at) : *at;
        camel[n] = '\0';
        return yaml_get(&reader->yaml, map, camel);
}

const YamlNode *dagu_get_default(const DaguReader *reader, const YamlNode *step, const char *key) {
        const YamlNode *node = dagu_get(reader, step, key);

        return node ? node : dagu_get(reader, dagu_get(reader, reader->root, "defaults"), key);
}

int dagu_get_text(DaguReader *reader, const YamlNode *map, const char *key, const char **ret_text) {
        const YamlNode *node = dagu_get(reader, map, key);

        if (!node)
                return 0;
        if (node->kind != YAML_KIND_TEXT)
                return dagu_fail(reader, node, "%s is not a text", key);
        *ret_text = node->text;
        return 1;
}

int dagu_get_u32(DaguReader *reader, const YamlNode *map, const char *key, uint32_t *ret_value) {
        const YamlNode *node = dagu_get(reader, map, key);

        if (!node)
                return 0;
        if (node->kind != YAML_KIND_TEXT)
                return dagu_fail(reader, node, "%s is not a number", key);
        if (text_parse_u32(node->text, ret_value) < 0)
                return dagu_fail(reader, node, "%s is '%s', not a number from 0 to 4294967295", key, node->text);
        return 1;
}

int dagu_get_bool(DaguReader *reader, const YamlNode *map, const char *key, bool *ret_value) {
        const YamlNode *node = dagu_get(reader, map, key);
        int r = node ? yaml_bool(node) : 0;

        if (!node)
                return 0;
        if (r < 0)
                return dagu_fail(reader, node, "%s is neither true nor false", key);
        *ret_value = r;
        return 1;
}

size_t dagu_count(const YamlNode *node) {
        if (!node)
                return 0;
        return node->kind == YAML_KIND_LIST ? node->items.n : 1;
}

const YamlNode *dagu_item(const DaguReader *reader, const YamlNode *node, size_t i) {
        return node->kind == YAML_KIND_LIST ? yaml_item(&reader->yaml, node, i) : node;
}

bool dagu_is_variable(const char *name) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

        return *name && name[strspn(name, letters)] == '\0' && !(*name >= '0' && *name <= '9');
}
