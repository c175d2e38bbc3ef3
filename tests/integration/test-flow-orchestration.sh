#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What nodes are to each other, with real processes: branches that are cut off, "not yet", ends of runs, deadlines.
# S000-14, S000-43a, S002-1, S002-2, S002-5, S002-6, S002-14, S002-16, S002-17, S002-23, S002-24, S004-18a, S004-20, S004-21,
# S004-30, S004-32, S004-43
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"
mkfifo "$DIR/go"

# node_states: of the last run, "a=SUCCEEDED b=SKIPPED"
node_states() {
        ctl flow show "$1" --json | python3 -c '
import json, sys
run = json.load(sys.stdin)
print(" ".join("%s=%s%s" % (n["node"], n["state"], "/" + n["reason"] if n.get("reason") else "") for n in run["nodes"]))'
}

# ran: what was executed, in order
ran() {
        tr '\n' ' ' <"$RECORD"
}

unit fast.flow <<U
[Flow]
FailurePolicy=continue
[Node cache]
Exec=/bin/sh -c 'echo cache >>$RECORD'
[Node pull]
Exec=/bin/sh -c 'read -r x <$DIR/go; echo pull >>$RECORD'
[Node unpack]
DependsOn=pull
Exec=/bin/sh -c 'echo unpack >>$RECORD'
[Node use]
AnyOf=cache unpack
Exec=/bin/sh -c 'echo use >>$RECORD'
U
unit again.flow <<U
[Node wait]
Exec=/bin/sh -c 'echo wait >>$RECORD; test -e $DIR/there || exit 75'
AgainSec=50ms
[Node then]
DependsOn=wait
Exec=/bin/sh -c 'echo then >>$RECORD'
U
unit limited.flow <<U
[Node wait]
Exec=/bin/sh -c 'echo wait >>$RECORD; exit 75'
AgainSec=20ms
AgainMax=2
U
unit ask.flow <<U
[Node check]
Exec=/bin/sh -c 'exit 7'
PendingExitStatus=7
[Node next]
DependsOn=check
Exec=/bin/sh -c 'echo next >>$RECORD'
U
unit early.flow <<U
[Node check]
Exec=/bin/true
EndRun=success
[Node rest]
DependsOn=check
Exec=/bin/sh -c 'echo rest >>$RECORD'
U
unit refuse.flow <<U
[Node check]
Exec=/bin/true
EndRun=failure
[Node rest]
DependsOn=check
Exec=/bin/sh -c 'echo rest >>$RECORD'
U
unit leave.flow <<U
[Flow]
RunTimeoutSec=200ms
TimeoutMode=abandon
[Node long]
Exec=/bin/sh -c 'echo long >>$RECORD; read -r x <$DIR/go; echo late >>$RECORD'
[Node after]
DependsOn=long
Exec=/bin/sh -c 'echo after >>$RECORD'
U
unit drain.flow <<U
[Flow]
RunTimeoutSec=200ms
TimeoutMode=drain
[Node long]
Exec=/bin/sh -c 'echo long >>$RECORD; read -r x <$DIR/go; echo late >>$RECORD'
U
unit repair.flow <<U
[Flow]
FailurePolicy=continue
[Node deploy]
Exec=/bin/false
[Node repair]
DependsOn=deploy
Readiness=one-failed
Exec=/bin/sh -c 'echo repair >>$RECORD'
[Node report]
DependsOn=deploy
Readiness=named:deploy
Exec=/bin/sh -c 'echo report >>$RECORD'
U

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

start_daemon

# — short circuit —
ctl flow start fast
wait_for 'use=SUCCEEDED' node_states 1
report $? "the first success is enough"
check_equal "what is cut off does not begin, and what runs goes on" "$(node_states 1)" \
        "cache=SUCCEEDED pull=RUNNING/short-circuit use=SUCCEEDED unpack=SKIPPED/short-circuit"
check_prints "show says that nothing needs what runs" 'short-circuit' ctl flow show 1
kill_core KILL
wait_for 'pull=RUNNING/short-circuit' node_states 1
report $? "which goes on over a death of core"
echo go >"$DIR/go"
wait_for '^SUCCEEDED$' run_state 1
report $? "the run has succeeded"
check_equal "what ran" "$(ran)" "cache use pull "

# — not yet —
: >"$RECORD"
ctl flow start again
wait_for 'wait wait wait ' ran
report $? "a command that says \"not yet\" runs again"
: >"$DIR/there"
wait_for '^SUCCEEDED$' run_state 2
report $? "and the run goes on when it is there"
check_equal "the next command ran once" "$(grep -c "^then" "$RECORD")" 1
: >"$RECORD"
check_exit "it says so up to AgainMax= times" 1 ctl flow start --wait limited
check_equal "and fails then" "$(ran)" "wait wait wait "

# — asking a person —
ctl flow start ask
wait_for '^SUSPENDED$' run_state 4
report $? "a status of PendingExitStatus= asks a person"
check_prints "why says so" 'check.*PENDING' ctl flow show 4
: >"$RECORD"
ctl flow resolve 4/check --as=success
wait_for '^SUCCEEDED$' run_state 4
report $? "who lets it go on"
check_equal "so that the next one runs" "$(ran)" "next "

# — ends —
: >"$RECORD"
check "EndRun=success ends the run well" ctl flow start --wait early
check_equal "and skips the rest" "$(node_states 5)" "check=SUCCEEDED rest=SKIPPED/ended"
check_exit "EndRun=failure ends it badly" 1 ctl flow start --wait refuse
check_equal "nothing of the rest ran" "$(ran)" ""

# — deadlines —
check_exit "TimeoutMode=abandon: the run is over at once" 12 ctl flow start --wait leave
check_equal "its nodes are, too" "$(node_states 7)" "long=TIMEOUT/deadline after=SKIPPED/ended"
check_exit "what is abandoned has no other attempt beside it" 4 ctl flow retry 7
check_prints "but waits for its end" 'attempt of node long that its deadline has abandoned' printf '%s' "$OUT"
check_equal "the process is there, and the unit is active" "$(ran)$(ctl is-active leave.flow)" "long active"
kill_core KILL
wait_for '^active$' ctl is-active leave.flow
report $? "and still is after the death of core"
echo go >"$DIR/go"
wait_for '^inactive$|^failed$' ctl is-active leave.flow
report $? "until the process has ended"
check_equal "which nobody has ended" "$(ran)" "long late "
: >"$RECORD"
ctl flow start drain
wait_for '^STOPPING$' run_state 8
report $? "TimeoutMode=drain lets it end by itself"
echo go >"$DIR/go"
wait_for '^TIMEOUT$' run_state 8
report $? "after the deadline"
check_equal "its success counts" "$(node_states 8) $(ran)" "long=SUCCEEDED long late "

# — rules for failures —
: >"$RECORD"
check_exit "a branch for failures" 10 ctl flow start --wait repair
check_equal "runs, and the one for success does not" "$(node_states 9)" \
        "deploy=FAILED repair=SUCCEEDED report=SKIPPED/upstream-failed"
done_testing
