/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks of batch and stream units: of runs with one node
 */

#include <stddef.h>
#include <string.h>

#include "basic/macro.h"
#include "unitfile/draft_type.h"
#include "unitfile/flow_check.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_draft.h"
#include "unitfile/unit_implied.h"

static FlowNode *item_of(const UnitDraft *draft) {
        return ((FlowSettings *) draft->section.own)->nodes.items;
}

/* A rule between settings does not know where they are: the line is found again. */
static int refuse(UnitDraft *draft, const char *setting, const char *message) {
        const char *file = draft->state->sources.fragment;
        const unsigned line = unit_draft_find_setting(draft, setting, &file);

        return unit_draft_refuse(draft, file, line, setting, "%s", message);
}

/* — items — */

static int check_items(UnitDraft *draft) {
        const FlowRange *range = &((const FlowSettings *) draft->section.own)->range;
        const unsigned n = (range->items > 0) + (range->items_file != NULL) + (range->items_command != NULL);

        if (n == 0)
                return unit_draft_refuse(draft, draft->state->sources.fragment, 0, NULL,
                                         "The batch has no items: write Items=, their number, ItemsFile= or "
                                         "ItemsCommand=.");
        if (n == 1)
                return 0;
        return refuse(draft, range->items_command ? "ItemsCommand" : "ItemsFile",
                      "The batch has other items, too: leave one of Items=, ItemsFile= and ItemsCommand=.");
}

/* — commands — */

static int check_command(UnitDraft *draft, const FlowNode *node, const ExecCommand *command, const char *setting) {
        if (command && command->next)
                return unit_draft_refuse(draft, command->next->file, command->next->line, setting,
                                         "There is a second command; write one that does both, or an empty %s= first, "
                                         "to replace the command.", setting);
        return flow_check_words(draft, node, command, setting);
}

static int check_commands(UnitDraft *draft) {
        const FlowRange *range = &((const FlowSettings *) draft->section.own)->range;
        const FlowNode *node = item_of(draft);
        int r;

        if (!node->command)
                return unit_draft_refuse(draft, draft->state->sources.fragment, 0, NULL,
                                         "The batch has no Exec=, so that nothing would be done with its items.");
        r = check_command(draft, node, node->command, "Exec");
        if (r == 0)
                r = check_command(draft, NULL, range->exec_prepare, "ExecPrepare");
        if (r == 0)
                r = check_command(draft, NULL, range->items_command, "ItemsCommand");
        return r;
}

/* — workers — */

/* A worker gets items on its standard input, and has no single one that its words could name. */
static int check_worker_words(UnitDraft *draft, const ExecCommand *command) {
        for (char *const *word = command->argv; word && *word; word++)
                if (strstr(*word, "%{item"))
                        return unit_draft_refuse(draft, command->file, command->line, "Exec",
                                                 "With ItemMode=pool the command is a worker, which reads its items "
                                                 "from standard input: there is no %%{item}.");
        return 0;
}

/* Both streams are the socket of the worker. */
static int check_worker_streams(UnitDraft *draft) {
        static const char *const settings[] = { "StandardInput", "StandardInputText", "StandardInputData",
                                                "StandardOutput" };

        for (size_t i = 0; i < ELEMENTSOF(settings); i++) {
                const char *file = draft->state->sources.fragment;
                const unsigned line = unit_draft_find_setting(draft, settings[i], &file);

                if (line > 0)
                        return unit_draft_refuse(draft, file, line, settings[i],
                                                 "With ItemMode=pool a worker reads its items from standard input, and "
                                                 "answers on standard output: leave %s= out.", settings[i]);
        }
        return 0;
}

static int refuse_without_pool(UnitDraft *draft, const char *setting) {
        const char *file = draft->state->sources.fragment;
        const unsigned line = unit_draft_find_setting(draft, setting, &file);

        return unit_draft_refuse(draft, file, line, setting,
                                 "Each item has a process of its own: write ItemMode=pool, or leave %s= out.", setting);
}

static int check_workers(UnitDraft *draft) {
        const FlowRange *range = &((const FlowSettings *) draft->section.own)->range;
        const FlowNode *node = item_of(draft);

        if (range->item_mode == FLOW_ITEM_POOL) {
                int r = check_worker_words(draft, node->command);

                return r == 0 ? check_worker_streams(draft) : r;
        }
        return range->depth > 0              ? refuse_without_pool(draft, "Depth")
               : range->worker_max_items > 0 ? refuse_without_pool(draft, "WorkerMaxItems")
               : range->worker_idle > 0      ? refuse_without_pool(draft, "WorkerIdleSec")
                                             : 0;
}

/* — the window — */

/* Without Parallel= the number of CPUs is, which is known where the batch runs. */
static int check_window(UnitDraft *draft) {
        const FlowRange *range = &((const FlowSettings *) draft->section.own)->range;
        const char *file = draft->state->sources.fragment;
        unsigned line;

        if (range->parallel > FLOW_RANGE_WINDOW_MAX)
                return refuse(draft, "Parallel", "It is above 1048576, the largest window: write less.");
        if (range->window == 0 || range->window >= range->parallel)
                return 0;
        line = unit_draft_find_setting(draft, "Window", &file);
        return unit_draft_refuse(draft, file, line, "Window",
                                 "It is below Parallel=, so that never as many would be out: write at least %u, or "
                                 "leave Window= out.", range->parallel);
}

/* A status that says two things. */
static int check_statuses(UnitDraft *draft) {
        const FlowNode *node = item_of(draft);

        if (flow_statuses_meet(&node->retry_exit_status, &node->no_retry_exit_status))
                return refuse(draft, "RetryExitStatus", "An exit status is in NoRetryExitStatus=, too.");
        if (flow_statuses_meet(&node->again_exit_status, &node->success_exit_status))
                return refuse(draft, "AgainExitStatus", "An exit status is in SuccessExitStatus=, too.");
        if (flow_statuses_meet(&node->pending_exit_status, &node->success_exit_status) ||
            flow_statuses_meet(&node->pending_exit_status, &node->again_exit_status))
                return refuse(draft, "PendingExitStatus",
                              "An exit status is in SuccessExitStatus= or AgainExitStatus=, too.");
        return 0;
}

static int check(UnitDraft *draft) {
        FlowSettings *batch = draft->section.own;
        int r = flow_settings_keep_file(batch, draft->state->sources.fragment, &item_of(draft)->place.file);

        /* A setting with a bad value is not missing. */
        if (r == 0 && !draft->is_broken)
                r = check_items(draft);
        if (r == 0 && !draft->is_broken)
                r = check_commands(draft);
        if (r == 0 && !draft->is_broken)
                r = check_workers(draft);
        if (r == 0 && !draft->is_broken)
                r = check_window(draft);
        if (r == 0)
                r = check_statuses(draft);
        return r == 0 ? flow_check_runs(draft) : r;
}

static int make_batch_settings(void **ret_settings) {
        FlowSettings *settings = NULL;
        int r = flow_settings_new_batch(&settings);

        *ret_settings = settings;
        return r;
}

static void release_settings(void *settings) {
        flow_settings_free(settings);
}

const DraftType batch_draft_type = {
        .has_settings = true,
        .settings = {
                .make = make_batch_settings,
                .size = sizeof(FlowSettings),
                .release = release_settings,
                .exec = offsetof(FlowSettings, process.exec),
                .kill = offsetof(FlowSettings, process.kill),
                .resources = offsetof(FlowSettings, resources),
                .item = offsetof(FlowSettings, nodes.items),
        },
        .note_text = flow_note_text,
        .limit = flow_limit,
        .check = check,
        .add_defaults = unit_draft_add_usual_defaults,
};

/* — streams — */

static int check_stream(UnitDraft *draft) {
        FlowSettings *stream = draft->section.own;
        const FlowNode *node = item_of(draft);
        int r = flow_settings_keep_file(stream, draft->state->sources.fragment, &item_of(draft)->place.file);

        if (r == 0 && !draft->is_broken && !node->command)
                r = unit_draft_refuse(draft, draft->state->sources.fragment, 0, NULL,
                                      "The stream has no Exec=, so that nothing would be done with its elements.");
        if (r == 0 && !draft->is_broken)
                r = check_command(draft, node, node->command, "Exec");
        if (r == 0)
                r = check_statuses(draft);
        return r == 0 ? flow_check_runs(draft) : r;
}

static int make_stream_settings(void **ret_settings) {
        FlowSettings *settings = NULL;
        int r = flow_settings_new_stream(&settings);

        *ret_settings = settings;
        return r;
}

const DraftType stream_draft_type = {
        .has_settings = true,
        .settings = {
                .make = make_stream_settings,
                .size = sizeof(FlowSettings),
                .release = release_settings,
                .exec = offsetof(FlowSettings, process.exec),
                .kill = offsetof(FlowSettings, process.kill),
                .resources = offsetof(FlowSettings, resources),
                .item = offsetof(FlowSettings, nodes.items),
        },
        .note_text = flow_note_text,
        .limit = flow_limit,
        .check = check_stream,
        .add_defaults = unit_draft_add_usual_defaults,
};
