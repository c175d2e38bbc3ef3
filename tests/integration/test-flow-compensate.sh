#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The end of a run: what has succeeded is undone, the last success first, each once, whoever dies; then FinalExec= runs.
# S004-15
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

wait_for_state() {
        wait_for "^$2\$" run_state "$1"
}

# The reason of a run.
reason() {
        ctl flow show --json "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin).get("reason", ""))'
}

last_run() {
        ctl flow list --no-legend --all "$1" | awk 'NR == 1 { print $1 }'
}

# node RUN/NODE KEY: from its row
node() {
        ctl flow show --json "${1%/*}" | python3 -c '
import json, sys

run = json.load(sys.stdin)
node = next((node for node in run["nodes"] if node["node"] == sys.argv[1]), {})
print(node.get(sys.argv[2], ""))' "${1#*/}" "$2"
}

ran() {
        tr '\n' ' ' <"$RECORD"
}

# events RUN KIND: of the run, a line each: node, old and new state
events() {
        "$BUILD/jobctl" flow show --json "$1" >/dev/null && python3 - "$XDG_STATE_HOME/jobd/runs.db" "$1" "$2" <<'P'
import sqlite3, sys
rows = sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True).execute(
        'SELECT node, new FROM event WHERE run = ? AND kind = ? ORDER BY id', (int(sys.argv[2]), sys.argv[3]))
print(' '.join('%s:%s' % (row[0] or '', row[1]) for row in rows))
P
}

# release WORD: lets a command go on that reads from that fifo
release() {
        timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/$1"
}

mkfifo "$DIR/undo" "$DIR/final" "$DIR/go"
unit saga.flow <<U
[Flow]
Params=fail=yes
CompensateOn=failure cancel
FinalExec=/bin/sh -c 'echo final \$\$JOBD_RUN_RESULT \$\$JOBD_NODE >>$RECORD'
[Node first]
Exec=/bin/sh -c 'echo first >>$RECORD; echo "{\\\\"id\\\\":17}" >\$\$JOBD_RESULT'
Compensate=/bin/sh -c 'echo "undo first \$\$1 \$\$JOBD_RUN_RESULT" >>$RECORD' sh %{first.result.id}
[Node second]
DependsOn=first
Exec=/bin/sh -c 'echo second >>$RECORD'
Compensate=/bin/sh -c 'echo undo second >>$RECORD'
[Node plain]
DependsOn=second
Exec=/bin/sh -c 'echo plain >>$RECORD'
[Node last]
DependsOn=plain
Exec=/bin/sh -c '! [ "\$\$1" = yes ]' sh %{param.fail}
Compensate=/bin/sh -c 'echo undo last >>$RECORD'
U
unit slow.flow <<U
[Flow]
CompensateOn=failure
FinalExec=/bin/sh -c 'read -r x <$DIR/final; echo final >>$RECORD'
[Node a]
Exec=/bin/sh -c 'echo a >>$RECORD'
Compensate=/bin/sh -c 'echo "undo a" >>$RECORD'
[Node b]
DependsOn=a
Exec=/bin/sh -c 'echo b >>$RECORD'
Compensate=/bin/sh -c 'echo "undo b" >>$RECORD; read -r x <$DIR/undo'
[Node c]
DependsOn=b
Exec=/bin/false
U
unit bad.flow <<U
[Flow]
CompensateOn=failure
FinalExec=/bin/sh -c 'echo final >>$RECORD; exit 3'
[Node a]
Exec=/bin/true
Compensate=/bin/sh -c 'echo "undo a" >>$RECORD; [ -e $DIR/repaired ]'
[Node b]
DependsOn=a
Exec=/bin/false
U
unit hand.flow <<U
[Node a]
Exec=/bin/true
Compensate=/bin/sh -c 'echo "undo a" >>$RECORD'
[Node b]
DependsOn=a
Exec=/bin/true
U
unit cancel.flow <<U
[Flow]
CompensateOn=cancel
[Node a]
Exec=/bin/true
Compensate=/bin/sh -c 'echo "undo a" >>$RECORD'
[Node b]
DependsOn=a
Exec=/bin/sh -c 'read -r x <$DIR/go'
U
unit wrong.flow <<U
[Flow]
CompensateOn=success
[Node a]
Exec=/bin/true
Compensate=/bin/echo %{nobody.result}
U
unit unknown.flow <<U
[Flow]
FinalExec=/bin/echo %{nobody.state}
[Node a]
Exec=/bin/true
U
start_daemon

# — in which order —
check_exit "a run that fails is undone" 1 ctl flow start --wait saga
RUN=$(last_run saga)
check_equal "the last success first, and then the end" "$(ran)" "first second plain undo second undo first 17 FAILED final FAILED @final "
check_equal "its result stays" "$(run_state "$RUN")" FAILED
check_equal "each is an attempt of its own" "$(node "$RUN/second@compensate" attempts)" 1
check_equal "in JSON, too" "$(node "$RUN/first@compensate" state) $(node "$RUN/@final" state)" "SUCCEEDED SUCCEEDED"
check_equal "what has not succeeded is not undone" "$(node "$RUN/last@compensate" state)" ""
check_prints "show names them" '^second@compensate +SUCCEEDED' ctl flow show "$RUN"
check_prints "they are no nodes of the definition" 'Nodes: 4 of 4 have ended, 1 failed' ctl flow show "$RUN"
check_equal "each step is an event" "$(events "$RUN" compensate)" \
        "second@compensate:RUNNING second@compensate:SUCCEEDED first@compensate:RUNNING first@compensate:SUCCEEDED"
check_equal "the end is one, too" "$(events "$RUN" final)" "@final:RUNNING @final:SUCCEEDED"
: >"$RECORD"
check "a run that succeeds" ctl flow start --wait saga fail=no
check_equal "is not undone" "$(ran)" "first second plain final SUCCEEDED @final "
: >"$RECORD"
check_exit "a retry" 0 ctl flow retry "$RUN"
wait_for_state "$RUN" FAILED
wait_for 'final' ran
check_equal "does again what was undone and what is below, and undoes it again" "$(ran)" "first second plain undo second undo first 17 FAILED final FAILED @final "
check_equal "the attempts count anew" "$(node "$RUN/second@compensate" attempts) $(node "$RUN/second@compensate" generation)" "1 2"

# — core dies in the middle —
: >"$RECORD"
ctl flow start --quiet slow
RUN=$(last_run slow)
wait_for 'undo b' ran
check_equal "while something is undone the run is STOPPING" "$(run_state "$RUN") $(reason "$RUN")" "STOPPING compensate"
check_prints "why says what is done" 'it will be FAILED; what has succeeded is undone first' ctl flow why "$RUN"
check_prints "and which command runs" 'Node b@compensate is RUNNING' ctl flow why "$RUN"
check_equal "the unit is active" "$(ctl is-active slow.flow)" active
check_exit "no node is retried meanwhile" 4 ctl flow retry "$RUN/c"
kill_core KILL
wait_for 'RUNNING' node "$RUN/b@compensate" state
report $? "core dies, and the command goes on"
release undo
wait_for 'undo a' ran
report $? "after it what comes next"
wait_for 'RUNNING' node "$RUN/@final" state
check_equal "then the end" "$(run_state "$RUN") $(reason "$RUN")" "STOPPING final"
check_prints "which why says" 'it will be FAILED when FinalExec= has ended' ctl flow why "$RUN"
kill_core KILL
wait_for 'RUNNING' node "$RUN/@final" state
release final
wait_for_state "$RUN" FAILED
report $? "core dies again, and the run ends"
check_equal "each command ran once" "$(ran)" "a b undo b undo a final "

# — what fails waits for a person —
: >"$RECORD"
check_exit "a compensation that fails suspends the run" 11 ctl flow start --wait bad
RUN=$(last_run bad)
check_equal "which keeps its result" "$(run_state "$RUN") $(reason "$RUN")" "SUSPENDED compensate"
check_prints "why names it" "it will be FAILED when a person has resolved the compensation" ctl flow why "$RUN"
check_prints "an alarm is raised" 'a@compensate' ctl flow alarms
check_equal "nothing has ended the run yet" "$(ran)" "undo a "
kill_core KILL
check_equal "so it stays when core has died" "$(run_state "$RUN") $(reason "$RUN")" "SUSPENDED compensate"
: >"$DIR/repaired"
check "a person has it tried again" ctl flow resolve "$RUN/a@compensate" --as=retry
wait_for_state "$RUN" FAILED
report $? "and the run ends"
check_equal "with its last command, whose failure changes nothing" "$(ran) $(node "$RUN/@final" exit)" "undo a undo a final  3"

# — a cancel, and a person —
: >"$RECORD"
ctl flow start --quiet cancel
RUN=$(last_run cancel)
wait_for RUNNING node "$RUN/b" state
ctl flow cancel --quiet "$RUN"
wait_for_state "$RUN" CANCELLED
check_equal "what is cancelled is undone if the flow says so" "$(ran)" "undo a "
: >"$RECORD"
check "without CompensateOn= nothing is undone" ctl flow start --wait hand
RUN=$(last_run hand)
check_equal "whatever has succeeded" "$(ran)" ""
check_prints "but by a person" "Run $RUN undoes what has succeeded" ctl flow compensate "$RUN"
wait_for 'undo a' ran
wait_for_state "$RUN" SUCCEEDED
report $? "the result stays what it was"
check_exit "what is undone is not undone again" 4 ctl flow compensate "$RUN"
check_prints "which is said" "Nothing is left to undo in run $RUN" ctl flow compensate "$RUN"
check_equal "once is enough" "$(ran)" "undo a "
ctl flow start --wait --quiet hand
SECOND=$(last_run hand)
check_equal "JSON has the number of the run" "$(ctl flow compensate --json "$SECOND" | tr -d ' \n')" "{\"id\":$SECOND,\"node\":null}"
wait_for_state "$SECOND" SUCCEEDED

# — mistakes —
check_prints "an end that there is not" "CompensateOn=: 'success' is none of failure, cancel, and never" ctl verify "$UNITS/wrong.flow"
check_prints "a node that there is not" 'FinalExec=: It wants a value of nobody, and there is no such node' ctl verify "$UNITS/unknown.flow"
check_prints "a command that nothing runs" 'without CompensateOn= in \[Flow\] it runs only when a person asks' ctl verify "$UNITS/hand.flow"
done_testing
