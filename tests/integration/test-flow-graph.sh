#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Drawings of flows and runs.
# S004-16
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unit draw.flow <<'U'
[Node fetch]
Exec=/bin/true
[Node check]
DependsOn=fetch
When=fetch.state == "FAILED"
Exec=/bin/true
[Node load]
DependsOn=fetch
Otherwise=yes
Exec=/bin/false
FailurePolicy=continue
[Node near]
Exec=/bin/true
[Node done]
AnyOf=load near
[Node tell]
DependsOn=load
OptionalDependsOn=near
U
unit broken.flow <<'U'
[Node a]
DependsOn=b
[Node b]
DependsOn=a
U

# — without a manager —
WANTED='digraph "draw.flow" {
	rankdir=LR;
	node [shape=box, style="rounded,filled", fillcolor=white];
	"fetch";
	"check" [shape=diamond];
	"load" [shape=diamond];
	"near";
	"done";
	"tell";
	"fetch" -> "check";
	"fetch" -> "load";
	"load" -> "done" [style=dashed];
	"near" -> "done" [style=dashed];
	"load" -> "tell";
	"near" -> "tell" [style=dotted];
}'
check_equal "a file is drawn" "$(ctl flow graph "$UNITS/draw.flow")" "$WANTED"
check_exit "a flow with a circle is not" 1 ctl flow graph "$UNITS/broken.flow"
check_prints "and says where it is" 'broken.flow:[24]: error' ctl flow graph "$UNITS/broken.flow"
check_prints "as JSON" '"from": *"near", *"to": *"tell", *"kind": *"OptionalDependsOn"' ctl --json flow graph "$UNITS/draw.flow"
check_prints "a file that is not there" 'none.flow: error: No such file' ctl flow graph "$UNITS/none.flow"
check_prints "an error is a document, too" '^\{"ok": *false, *"error": *"LoadFailed", *"message": *".*broken.flow:[24]: ' \
        sh -c "'$BUILD/jobctl' --json flow graph '$UNITS/broken.flow' 2>/dev/null | tr -d '\n'"
check_exit "two words are too many" 2 ctl flow graph a b
unit final.flow <<'U'
[Flow]
FinalExec=/bin/true
[Node one]
Exec=/bin/true
Compensate=/bin/true
U

start_daemon
check_equal "a unit of the manager is drawn" "$(ctl flow graph draw)" "$WANTED"
ctl flow start draw >/dev/null 2>&1
wait_for 'State: PARTIAL' ctl flow show 1
check_prints "a run has colours: what succeeded" '"fetch" \[label="fetch\\nSUCCEEDED", fillcolor=palegreen\]' ctl flow graph draw-1
check_prints "what failed" '"load" \[label="load\\nFAILED", fillcolor=salmon, shape=diamond\]' ctl flow graph 1
check_prints "what was left out" '"check" \[label="check\\nSKIPPED", fillcolor=lightgrey, shape=diamond\]' ctl flow graph 1
check_prints "states in JSON" '"node": *"load".*"state": *"FAILED"|"state": *"FAILED"' ctl --json flow graph 1
check_exit "a run that is not there" 5 ctl flow graph 99
check "a run with a final command" ctl flow start --wait final
check_lacks "which does not make it differ from its files" 'have changed' ctl flow graph final-2
printf '[Node more]\nDependsOn=fetch\n' >>"$UNITS/draw.flow"
check_prints "a change of the files is told" 'have changed since draw-1 was submitted' ctl flow graph 1
done_testing
