/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Whom a flow tells of what happens: OnBegin=, OnResult=, Notify=
 *
 * A target is a command, which gets an object of JSON as its standard input, a
 * signal on D-Bus with that object, or a unit that is started.
 */

#include "basic/vector.h"
#include "run/run_type.h"
#include "unit/job_words.h"
#include "unitfile/directive.h"
#include "unitfile/exec_settings.h"

#define FLOW_NOTIFY_MAX 20U /* tries, unless NotifyMax= says otherwise */

/* Events of Notify=: a bit for each state of a run, then one for each of a node, then the others. */
typedef uint32_t FlowEvents;

#define FLOW_EVENT_RUN(state) ((FlowEvents) 1 << (state))
#define FLOW_EVENT_NODE(state) ((FlowEvents) 1 << ((unsigned) _RUN_STATE_MAX + (state)))
#define FLOW_EVENT_ALARM ((FlowEvents) 1 << ((unsigned) _RUN_STATE_MAX + _RUN_NODE_STATE_MAX))
#define FLOW_EVENT_SUMMARY (FLOW_EVENT_ALARM << 1)

typedef enum FlowTargetKind {
        FLOW_TARGET_EXEC,
        FLOW_TARGET_SIGNAL,
        FLOW_TARGET_UNIT,
        _FLOW_TARGET_KIND_MAX,
} FlowTargetKind;

#define FLOW_SIGNAL_NAME_MAX 255U /* bytes */

typedef struct FlowTarget {
        FlowTargetKind kind;
        ExecCommand *command; /* owned: of exec: */
        char *name; /* owned: by which a signal is told from others, which may be "", or the unit */
        JobMode mode; /* of the job of the unit */
        char *text; /* owned: as it stands in the line, with its events */
        FlowEvents events; /* of Notify= */
} FlowTarget;

typedef VECTOR(FlowTarget) FlowTargets;

void flow_targets_deinit(FlowTargets *targets);

/* The events that any of @targets is told. */
FlowEvents flow_targets_events(const FlowTargets *targets);

/* "failed", "node-failed": the word of a state as Notify= has it, written into @word. */
#define FLOW_EVENT_WORD_MAX 32U
void flow_event_write_run(RunState state, char word[static FLOW_EVENT_WORD_MAX]);
void flow_event_write_node(RunNodeState state, char word[static FLOW_EVENT_WORD_MAX]);

/* — parsers of directives — */

int flow_parse_targets(const DirectiveLine *line, const char *value); /* a list; empty resets */
int flow_parse_notify(const DirectiveLine *line, const char *value); /* the same, each with events */
