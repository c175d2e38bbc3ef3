#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Nodes that wait without a process: gates, sleeps, and nodes that are left out.
# S004-1, S004-18, S004-20
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

node_states() {
        ctl flow show "$1" --json | python3 -c '
import json, sys
run = json.load(sys.stdin)
print(" ".join("%s=%s%s" % (n["node"], n["state"], "/" + n["reason"] if n.get("reason") else "") for n in sorted(run["nodes"], key=lambda n: n["node"])))'
}

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

ran() {
        tr '\n' ' ' <"$RECORD"
}

unit release.flow <<U
[Node build]
Exec=/bin/sh -c 'echo build >>$RECORD'
[Node sign]
DependsOn=build
Gate=manual
[Node deploy]
DependsOn=sign
Gate=manual
Exec=/bin/sh -c 'echo deploy >>$RECORD'
U
unit broken.flow <<U
[Node a]
Gate=automatic
U
mkfifo "$DIR/go"
unit long.flow <<U
[Node a]
Exec=/bin/sh -c 'read -r x <$DIR/go'
[Node b]
DependsOn=a
Exec=/bin/sh -c 'echo b >>$RECORD'
U

unit nap.flow <<U
[Flow]
MaxParallel=1
[Node work]
Exec=/bin/sh -c 'read -r x <$DIR/go; echo work >>$RECORD'
[Node nap]
SleepSec=300ms
[Node next]
DependsOn=nap work
Exec=/bin/sh -c 'echo next >>$RECORD'
U
unit night.flow <<U
[Node nap]
SleepSec=1d
[Node until]
SleepUntil=2199-01-01
[Node past]
SleepUntil=1999-01-01
U
unit awake.flow <<U
[Node a]
SleepSec=1
Exec=/bin/true
U

start_daemon

# — approval —
check_exit "a run that comes to a gate is suspended" 11 ctl flow start --wait release
check_equal "its node waits at the gate" "$(node_states 1)" "build=SUCCEEDED deploy=BLOCKED sign=PENDING/gate"
check_prints "why says what to do" 'jobctl flow approve 1/sign' ctl flow why 1/sign
check_equal "and that it is a gate" "$(ctl flow why 1/sign --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["why"])')" gate
check_exit "a retry opens no gate" 4 ctl flow retry 1/sign
check_exit "nor can be approved what is not at one" 4 ctl flow approve 1/build
check_exit "a node has to be named" 2 ctl flow approve 1
kill_core KILL
wait_for '^SUSPENDED$' run_state 1
report $? "it waits on after the death of core"
check_equal "at the same gate" "$(node_states 1)" "build=SUCCEEDED deploy=BLOCKED sign=PENDING/gate"
check_prints "a node without a command succeeds with the approval" 'Node sign of run 1 is approved' \
        ctl flow approve 1/sign --comment='looks good'
wait_for 'deploy=PENDING/gate' node_states 1
report $? "and the next gate is reached"
kill_core KILL
wait_for '^SUSPENDED$' run_state 1
check_equal "what was approved stays so" "$(node_states 1)" "build=SUCCEEDED deploy=PENDING/gate sign=SUCCEEDED"
check "the second is approved" ctl flow approve 1/deploy
wait_for '^SUCCEEDED$' run_state 1
report $? "and the run goes on to its end"
check_equal "each command ran once" "$(ran)" "build deploy "
if command -v busctl >/dev/null; then
        check_prints "the events have the comment" '"looks good"' \
                busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 /org/jobd1/run/1 org.jobd1.Run Events 'a{sv}us' 0 0 ''
else
        skip "the events have the comment" "busctl is not installed"
fi

# — rejection —
: >"$RECORD"
check_exit "another run" 11 ctl flow start --wait release
check_prints "a rejection" 'Node sign of run 2 is rejected' ctl flow approve 2/sign --reject
wait_for '^FAILED$' run_state 2
report $? "ends the run"
check_equal "with a failure" "$(node_states 2)" "build=SUCCEEDED deploy=SKIPPED/ended sign=FAILED/rejected"
check_equal "and nothing more ran" "$(ran)" "build "

# — skip —
: >"$RECORD"
ctl flow start --quiet long
wait_for 'a=RUNNING' node_states 3
check_exit "what runs cannot be skipped" 4 ctl flow skip 3/a
check_prints "what waits can" 'Node b of run 3 is skipped' ctl flow skip 3/b
check_equal "and is" "$(node_states 3)" "a=RUNNING b=SKIPPED/operator"
echo go >"$DIR/go"
wait_for '^SUCCEEDED$' run_state 3
report $? "the run ends without it"
check_equal "and it did not run" "$(ran)" ""
ctl flow start --quiet long
wait_for 'a=RUNNING' node_states 4
check_equal "skip answers in JSON, too" "$(ctl flow skip 4/b --json | tr -d ' \n')" '{"id":4,"node":"b"}'
echo go >"$DIR/go"

# — sleep —
: >"$RECORD"
ctl flow start --quiet nap
wait_for 'nap=SUCCEEDED' node_states 5
report $? "a sleep needs no place of MaxParallel="
check_equal "which the command has all the time" "$(node_states 5)" "nap=SUCCEEDED next=WAITING work=RUNNING"
echo go >"$DIR/go"
wait_for '^SUCCEEDED$' run_state 5
report $? "the run goes on after both"
check_equal "each command ran once, too" "$(ran)" "work next "
ctl flow start --quiet night
wait_for 'past=SUCCEEDED' node_states 6
report $? "a time that is over is not waited for"
check_equal "the others sleep" "$(node_states 6)" "nap=RUNNING/sleep past=SUCCEEDED until=RUNNING/sleep"
check_prints "why says for how long" 'it sleeps for another 2[34]h' ctl flow why 6/nap
check_equal "no process is there" "$(ctl flow why 6/until --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["why"])')" time
kill_core KILL
wait_for 'nap=RUNNING/sleep past=SUCCEEDED until=RUNNING/sleep' node_states 6
report $? "they sleep on after the death of core"
ctl flow pause --quiet 6
wait_for '^PAUSED$' run_state 6
report $? "a pause waits for no sleep"
ctl flow resume --quiet 6
ctl flow stop --quiet 6
wait_for '^CANCELLED$' run_state 6
report $? "nor does the end of the run"

check_prints "what sleeps does nothing else" 'Node a: it has Exec=, too' ctl verify "$UNITS/awake.flow"
check_prints "a gate has one word" 'there is manual alone' ctl verify "$UNITS/broken.flow"
done_testing
