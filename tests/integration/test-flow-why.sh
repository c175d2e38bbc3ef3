#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Why a run that has ended has failed, from its rows: the node, the end of its last attempt and the sentence of jobd; and what
# holds up those that live.
# S002-17
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

wait_for_state() {
        wait_for "^$2\$" run_state "$1"
}

last_run() {
        ctl flow list --no-legend "$@" | awk 'NR == 1 { print $1 }'
}

# fails NAME WORDS: a run of the flow, which fails
fails() {
        check_exit "a run of $1 fails" 1 ctl flow start --wait "$1"
        RUN=$(last_run "$1")
}

# told NAME SENTENCE: why and show say it, of the run, of the node, and in the table
told() {
        check_prints "$1: why of the run says it" "^  Node x is FAILED.*: .*$2\.\$" ctl flow why "$RUN"
        check_prints "$1: and why of the node" "^Node x of run $1-$RUN is FAILED.*$2\.\$" ctl flow why "$RUN/x"
        check_prints "$1: so does the table of show" "^x +FAILED .*$2" ctl flow show --full "$RUN"
        check_prints "$1: and show of the node" "Problem: .*$2" ctl flow show "$RUN/x"
}

mkfifo "$DIR/gate"
printf '[Service]\nType=oneshot\nExecStart=/bin/false\n' >"$UNITS/bad.service"
printf '[Service]\nExecStart=/bin/sleep infinity\n' >"$UNITS/idle.service"
printf '[Node x]\nUnit=none.service\n' >"$UNITS/missing.flow"
printf '[Node x]\nUnit=bad.service\n' >"$UNITS/job.flow"
printf '[Node x]\nExec=/bin/true\nRequiresUnit=bad.service\n' >"$UNITS/required.flow"
printf '[Node x]\nExec=/bin/true\nRequisiteUnit=idle.service\n' >"$UNITS/requisite.flow"
printf '[Node x]\nExec=/bin/sh -c "exit 75"\nAgainSec=10ms\nAgainMax=2\n' >"$UNITS/again.flow"
printf '[Node x]\nExec=%s/no-program\n' "$DIR" >"$UNITS/program.flow"
printf '[Node x]\nExec=/bin/true\nExecStartPre=/bin/sh -c "exit 9"\n' >"$UNITS/pre.flow"
printf '[Node x]\nExec=/bin/sh -c "echo nothing >$$JOBD_RESULT"\n' >"$UNITS/result.flow"
printf '[Service]\nType=oneshot\nExecStart=/bin/sh -c "echo $$MONITOR_UNIT >%s/told"\n' "$DIR" >"$UNITS/told.service"
unit chain.flow <<'U'
[Unit]
OnFailure=told.service
[Node good]
Exec=/bin/true
[Node pull]
Exec=/bin/sh -c 'exit 3'
Retry=1
RetryDelaySec=10ms
FailurePolicy=continue
DependsOn=good
[Node other]
Exec=/bin/sh -c 'kill -9 $$$$'
DependsOn=pull
Readiness=all-done
[Node below]
Exec=/bin/true
DependsOn=pull
U
printf '[Node x]\nExec=/bin/sleep 1000\nTimeoutSec=10ms\n' >"$UNITS/late.flow"
printf '[Flow]\nRunTimeoutSec=10ms\n[Node x]\nExec=/bin/sleep 1000\n' >"$UNITS/overdue.flow"
# A stop waits so long for a node that runs.
unit gate.flow <<U
[Flow]
MaxRuns=1
TimeoutStopSec=1
[Node x]
Exec=/bin/sh -c 'read word <$DIR/gate'
U
unit defer.flow <<U
[Node x]
Exec=$DIR/no-program
Retry=3
RetryDelaySec=1h
U
start_daemon

# — what jobd knows why a command was not executed —
fails missing
told missing 'Cannot start none.service: .*'
fails job
told job 'Job [0-9]+ \(start bad.service\) has ended: failed'
fails required
told required 'Job [0-9]+ \(start bad.service\) has ended: failed'
fails requisite
told requisite 'idle.service, which it requires to be active, is inactive'
fails program
told program 'no-program.*'
fails again
told again 'It has said 3 times that it is too early, .*AgainMax= .*'
fails pre
told pre '[Aa] command of ExecStartPre= has failed'
check_prints "with its exit status" 'attempt 1 has ended with exit status 9' ctl flow why "$RUN"
fails result
told result 'What it has left in .JOBD_RESULT is no result: it is not one value of JSON'

printf '[Flow]\nRunTimeoutSec=2s\n[Node x]\nExec=/bin/sh -c "exit 3"\nRetry=3\nRetryDelaySec=1h\n' >"$UNITS/waiting.flow"
check_exit "a run ends while a node of it waits for a retry" 12 ctl flow start --wait waiting
check_prints "which is said" 'the time of the run was over \(RunTimeoutSec=\) while it waited for a retry or a person; attempt 1 has ended with exit status 3' ctl flow why "$(last_run waiting)/x"
fails late
check_prints "a time limit is named" 'is TIMEOUT: its time was over; SIGTERM has ended attempt 1\.$' ctl flow why "$RUN/x"
check_exit "so does one whose run takes too long" 12 ctl flow start --wait overdue
RUN=$(last_run overdue)
check_prints "that of the run, too" '^Run overdue-[0-9]+ is TIMEOUT.*: the time of the run was over \(RunTimeoutSec=\)' ctl flow why "$RUN"

# — a run of several nodes —
fails chain
check_prints "the run names how many have failed, and the first" "^Run chain-$RUN is FAILED: 2 of 4 nodes have failed; the first is pull\.\$" ctl flow why "$RUN"
wait_for '^chain.flow$' cat "$DIR/told"
report $? "a service that is told of it knows the flow"
check_prints "a node that has failed has its status" '^  Node pull is FAILED.*: attempt 2 has ended with exit status 3\.$' ctl flow why "$RUN"
check_prints "or its signal" '^  Node other is FAILED.*: SIGKILL has ended attempt 1\.$' ctl flow why "$RUN"
check_prints "one that was skipped names the first failure" "^Node below of run chain-$RUN is SKIPPED \(upstream-failed\): a node that it depends on has failed; the first one that has failed is pull\.\$" ctl flow why "$RUN/below"
check_prints "the run may be named" "^Run chain-$RUN is FAILED" ctl flow why "chain-$RUN"
check_prints "or its flow, whose last run it is" "^Run chain-$RUN is FAILED" ctl flow why chain.flow
check_prints "without its suffix, too" "^Run chain-$RUN is FAILED" ctl flow why chain
check_prints "why of the unit knows the last run" "The last one, chain-$RUN, has ended: FAILED\. See 'jobctl flow why $RUN'" ctl why chain.flow
check_equal "JSON has the nodes and the sentence" "$(ctl flow why --json "$RUN" | python3 -c '
import json, sys

run = json.load(sys.stdin)
print(run["state"], [(node["node"], node.get("exit"), node.get("signal"), node["attempts"]) for node in run["nodes"]])')" \
        "FAILED [('pull', 3, None, 2), ('other', None, 9, 1)]"
check_exit "a node that there is not" 5 ctl flow why "$RUN/none"
check_exit "and a run" 5 ctl flow why 999
check_prints "which is said as it is" 'There is no run 999' ctl flow why 999

# — while it lives —
check "a node that is tried again" ctl flow start defer
RUN=$(last_run defer)
wait_for 'Node x is DEFERRED .*: it runs again in .*no-program' ctl flow why "$RUN"
report $? "why also says what its last attempt has failed by"
check_exit "a retry is refused" 4 ctl flow retry "$RUN/x"
check_prints "with what helps" "'flow skip' leaves it out" ctl flow retry "$RUN/x"
ctl flow cancel --quiet "$RUN"
ctl flow start --quiet gate
FIRST=$(last_run gate)
ctl flow start --quiet gate
ctl flow start --quiet gate
wait_for_state "$(last_run gate)" QUEUED
check_prints "a run that waits for its place names who has it, and who is before it" "MaxRuns= allows: run $FIRST; 1 waits before it" ctl flow why "$(last_run gate)"
check_prints "the name of a flow is not that of a run" "gate.flow is a flow, not a run; its runs that have not ended: $((FIRST + 2)), $((FIRST + 1)), $FIRST" ctl flow pause gate.flow
check_prints "without its suffix, too" "gate.flow is a flow, not a run" ctl flow pause gate
check_prints "to look at it is enough: the last run is shown" "^chain-[0-9]+\$" ctl flow show chain
check_prints "or a node of it" 'State: FAILED' ctl flow show chain.flow/pull
check "or its output" ctl flow logs chain/pull
check_exit "a name that is neither" 5 ctl flow show neither
check_prints "is said" "No run has the name 'neither'" ctl flow show neither
check "core dies" kill_core KILL
wait_for 'Run gate-[0-9]+ is RUNNING' ctl flow why "$FIRST"
check_prints "the numbers of nodes are known at once" "is RUNNING: 0 of 1 nodes have ended, 1 run\." ctl flow why "$FIRST"
check "the unit is stopped" ctl stop gate.flow
wait_for 'gate.flow is not active' ctl flow why "$FIRST"
check_prints "a run that its unit holds says how it goes on" "'jobctl start gate.flow' lets it go on, or 'jobctl flow resume $FIRST'" ctl flow why "$FIRST"
done_testing
