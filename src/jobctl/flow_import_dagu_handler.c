/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A workflow of Dagu: handlers of the end of a run
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "jobctl/flow_import_dagu.h"

/* One handler, as a part of the lines of FinalExec=. */
static int add_handler(DaguReader *reader, const YamlNode *step, Text *lines, char ***arguments) {
        cleanup_(dagu_script_deinit) DaguScript script = { .arguments = take_ptr(*arguments) };
        int r = step->kind == YAML_KIND_MAP ? dagu_check_handler(reader, step) : 0;

        reader->uses_special = false;
        if (r == 0)
                r = dagu_add_run(reader, step, &script);
        if (r == 0)
                r = dagu_add_head(reader, step, reader->steps.n, &script);
        *arguments = take_ptr(script.arguments);
        if (r < 0)
                return r;
        text_addf(lines, "(\n%s%s\n)\n", script.head.n > 0 ? script.head.string : "", script.run.string);
        return MIN(script.head.error, script.run.error);
}

static int add_case(DaguReader *reader, const YamlNode *handlers, const char *key, const char *pattern, Text *lines,
                    char ***arguments) {
        const YamlNode *step = dagu_get(reader, handlers, key);
        int r;

        if (!step)
                return 0;
        text_addf(lines, "case $JOBD_RUN_RESULT in %s)\n", pattern);
        r = add_handler(reader, step, lines, arguments);
        text_add(lines, ";; esac\n");
        return r;
}

static int write_final(DaguReader *reader, const Text *lines, char *const *arguments) {
        cleanup_(text_deinit) Text whole = {};
        Text *text = &reader->flow->settings;

        /* The last command has no variables for parameters, but words may have their values. */
        for (size_t i = 0; i < reader->params.n; i++)
                text_addf(&whole, "JOBD_P_%s=$1; shift\n", reader->params.items[i].field);
        text_add(&whole, lines->string);
        if (whole.error < 0)
                return whole.error;
        text_add(text, "FinalExec=/bin/sh -c ");
        import_add_word(text, whole.string);
        text_add(text, " sh");
        for (size_t i = 0; i < reader->params.n; i++)
                text_addf(text, " %%{param.%s}", reader->params.items[i].field);
        strv_foreach(argument, arguments) {
                text_add_char(text, ' ');
                import_add_word(text, *argument);
        }
        text_add_char(text, '\n');
        return 0;
}

int dagu_read_handlers(DaguReader *reader) {
        static const DaguKey keys[] = { { .name = "init" },   { .name = "success" }, { .name = "failure" },
                                        { .name = "cancel" }, { .name = "abort" },   { .name = "exit" },
                                        { .name = "wait",
                                          .treatment = DAGU_NOTE,
                                          .text = "has no counterpart; Notify= of [Flow] tells of PENDING nodes" } };
        const YamlNode *handlers = dagu_get(reader, reader->root, "handler_on");
        cleanup_(text_deinit) Text lines = {};
        char **arguments = NULL;
        int r;

        if (!handlers)
                return 0;
        if (handlers->kind != YAML_KIND_MAP)
                return dagu_fail(reader, handlers, "handler_on is not a map");
        r = dagu_check_keys(reader, handlers, "handler_on", keys, ELEMENTSOF(keys));
        reader->is_handler = true;
        if (r == 0)
                r = add_case(reader, handlers, "success", "SUCCEEDED|PARTIAL", &lines, &arguments);
        if (r == 0)
                r = add_case(reader, handlers, "failure", "FAILED|TIMEOUT", &lines, &arguments);
        if (r == 0)
                r = add_case(reader, handlers, "abort", "CANCELLED", &lines, &arguments);
        if (r == 0)
                r = add_case(reader, handlers, "cancel", "CANCELLED", &lines, &arguments);
        if (r == 0)
                r = add_case(reader, handlers, "exit", "*", &lines, &arguments);
        if (r == 0 && lines.n > 0)
                r = write_final(reader, &lines, arguments);
        if (r == 0 && lines.n > 0)
                r = dagu_note(reader, handlers, "handler_on",
                              "is the last command of a run (FinalExec=), which has 90 s for all handlers together");
        strv_free(arguments);
        return r;
}
