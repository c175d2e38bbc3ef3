#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Nodes that ask for jobs of units: the end of the job is that of the node, no death of core loses it or asks twice, and what
# would stop the flow itself is not begun.
# S004-5, S004-12, S004-20
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

count() {
        grep -c "^$1\$" "$RECORD"
}

# release WORD: lets a command go on that reads from that fifo
release() {
        timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/$1"
}

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

wait_for_state() {
        wait_for "^$2\$" run_state "$1"
}

last_run() {
        ctl flow list --no-legend "$@" | awk 'NR == 1 { print $1 }'
}

# node RUN/NODE KEY: from its row
node() {
        ctl flow show --json "${1%/*}" | python3 -c '
import json, sys

run = json.load(sys.stdin)
node = next((node for node in run["nodes"] if node["node"] == sys.argv[1]), {})
print(node.get(sys.argv[2], ""))' "${1#*/}" "$2"
}

# asks NAME UNIT [SETTING…]: a flow whose only node asks for a job
asks() {
        local name=$1 unit=$2
        shift 2
        printf '[Node x]\nUnit=%s\n' "$unit" >"$UNITS/$name.flow"
        [ "$#" -eq 0 ] || printf '%s\n' "$@" >>"$UNITS/$name.flow"
}

mkfifo "$DIR/slow" "$DIR/slower" "$DIR/task"
printf '[Service]\nExecStart=/bin/sleep infinity\n' >"$UNITS/quick.service"
printf '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/false\n' >"$UNITS/fails.service"
# A start that lasts until it is released, and is written down.
for name in slow slower; do
        printf '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sh -c "echo %s >>%s; read word <%s"\n' \
                "$name" "$RECORD" "$DIR/$name" >"$UNITS/$name.service"
done
printf '[Unit]\nJobRunningTimeoutSec=100ms\n[Service]\nType=oneshot\nExecStart=/bin/sleep infinity\n' >"$UNITS/late.service"
printf '[Service]\nExecStart=/bin/sh -c "read word <%s; exit $$CODE"\nEnvironment=CODE=0\n' "$DIR/task" >"$UNITS/task.service"
asks start quick.service
asks stop quick.service Operation=stop
asks restart quick.service Operation=restart
asks fail fails.service
asks missing no-such.service
asks late late.service
asks slow slow.service
asks slower slower.service
asks limited slower.service TimeoutSec=200ms FailurePolicy=continue
asks active quick.service WaitFor=active
asks task task.service WaitFor=inactive
unit own.flow <<'U'
[Unit]
Requires=base.service
After=base.service
[Node x]
Unit=base.service
Operation=stop
U
printf '[Service]\nExecStart=/bin/sleep infinity\n[Unit]\nRequires=ground.service\n' >"$UNITS/base.service"
printf '[Service]\nExecStart=/bin/sleep infinity\n' >"$UNITS/ground.service"
unit far.flow <<'U'
[Unit]
Requires=base.service
[Node x]
Unit=ground.service
Operation=restart
Retry=5
U
unit places.flow <<U
[Flow]
MaxParallel=1
[Node one]
Unit=slow.service
[Node two]
Unit=slower.service
[Node three]
Exec=/bin/sh -c 'echo three >>$RECORD'
U
start_daemon

# — the end of a job is that of its node —
check "a node starts a unit" ctl flow start --wait start
check_prints "which is active" '^active$' ctl is-active quick.service
FIRST=$(ctl show -p MainPID --value quick.service)
check "a node restarts it" ctl flow start --wait restart
check_lacks "which is another process" "^$FIRST\$" ctl show -p MainPID --value quick.service
check_prints "the journal of jobs names who has asked" "requested because run $(last_run restart), node x asks for it" ctl why quick.service
check "a node stops it" ctl flow start --wait stop
check_prints "which is inactive" '^inactive$' ctl is-active quick.service
check_exit "a job that fails fails its node" 1 ctl flow start --wait fail
check_prints "which says so" 'node x: Job [0-9]+ \(start fails.service\) has ended: failed' cat "$DIR/log"
check_exit "so does a unit that is not there" 1 ctl flow start --wait missing
check_prints "which says so, too" 'node x: Cannot start no-such.service: ' cat "$DIR/log"
check_exit "a job that times out" 1 ctl flow start --wait late
check_equal "makes its node time out" "$(node "$(last_run late)/x" state)" TIMEOUT
check "WaitFor=active waits until the unit is" ctl flow start --wait active
check "a run waits until a unit has done its work" ctl flow start task
RUN=$(last_run task)
wait_for "Node x is RUNNING \(job\): it waits until task.service is inactive; it is active" ctl flow why "$RUN"
report $? "and says so"
release task
wait_for_state "$RUN" SUCCEEDED
report $? "then its node has succeeded"
mkdir "$UNITS/task.service.d"
printf '[Service]\nEnvironment=CODE=3\n' >"$UNITS/task.service.d/fail.conf"
ctl daemon-reload
ctl flow start task
release task
wait_for_state "$(last_run task)" FAILED
report $? "or has failed, if the unit has"

# — while a job runs —
check "a run asks for a job that lasts" ctl flow start slow
RUN=$(last_run slow)
wait_for "Node x is RUNNING \(job\): it waits for job [0-9]+ \(start slow.service\), which runs" ctl flow why "$RUN"
report $? "why names the job and the unit"
JOB=$(ctl flow why "$RUN/x" | sed -n 's/.*waits for job \([0-9]*\) .*/\1/p')
check_prints "why of the job names the run and the node" "run $RUN, node x asks for it" ctl why "$JOB"
check_prints "so does why of the unit" "run $RUN, node x asks for it" ctl why slow.service
kill_core KILL
wait_for "job $JOB \(start slow.service\), which runs" ctl flow why "$RUN"
report $? "the death of core does not lose it"
kill_core KILL
kill_core KILL
release slow
wait_for_state "$RUN" SUCCEEDED
report $? "its end is the node's"
check_equal "and it was asked for once" "$(count slow)" 1

check "a run asks for a job that lasts" ctl flow start slower
RUN=$(last_run slower)
wait_for "which runs" ctl flow why "$RUN"
check "the run is cancelled" ctl flow cancel "$RUN"
wait_for_state "$RUN" CANCELLED
report $? "and ends"
check_lacks "its job is cancelled" 'slower.service' ctl list-jobs --no-legend
release slower
wait_for '^active$' ctl is-active slower.service
ctl stop slower.service
check "a run asks for a job that lasts" ctl flow start slower
RUN=$(last_run slower)
wait_for "which runs" ctl flow why "$RUN"
ctl stop slower.service
wait_for_state "$RUN" FAILED
report $? "a job that somebody else cancels fails the run"
check_equal "its node is cancelled" "$(node "$RUN/x" state)-$(node "$RUN/x" reason)" CANCELLED-job
check_exit "TimeoutSec= ends a job, too" 10 ctl flow start --wait limited
check_equal "its node has timed out" "$(node "$(last_run limited)/x" state)" TIMEOUT
ctl stop slower.service slow.service

# — jobs take no place of MaxParallel= —
check "jobs take no place" ctl flow start places
wait_for '^three$' cat "$RECORD"
report $? "of those that have processes"
RUN=$(last_run places)
wait_for '1 of 3 nodes have ended, 2 run' ctl flow why "$RUN"
report $? "and run side by side"
release slow
release slower
wait_for_state "$RUN" SUCCEEDED
report $? "until all have ended"
ctl stop slower.service slow.service

# — a flow does not stop itself —
check_exit "what would stop the flow is refused" 1 ctl flow start --wait own
check_prints "with the chain" "WouldStopItself: to stop base.service would stop own.flow.*: stop own.flow because of stop base.service: Requires=base.service .*own.flow:2.*; stop base.service" cat "$DIR/log"
check_equal "before anything happens" "$(ctl is-active base.service)" active
check_equal "the node says so" "$(node "$(last_run own)/x" reason)" refused
check_exit "also over several units" 1 ctl flow start --wait far
check_prints "which the chain names" "WouldStopItself: to restart ground.service would stop far.flow.*: [a-z]* far.flow because of [a-z]* base.service: .*; [a-z]* base.service because of restart ground.service: .*; restart ground.service" cat "$DIR/log"
check_equal "and no further try is made" "$(node "$(last_run far)/x" attempts)" 1

# — what has no sense is refused —
printf '[Node x]\nUnit=quick.service\nExec=/bin/true\n' >"$UNITS/both.flow"
printf '[Node x]\nUnit=quick\n' >"$UNITS/bad-name.flow"
printf '[Node x]\nUnit=quick.service\nOperation=stop\nWaitFor=active\n' >"$UNITS/never.flow"
printf '[Node x]\nExec=/bin/true\nOperation=stop\n' >"$UNITS/without.flow"
check_prints "a node does one thing" 'both.flow:2: error: Unit=: Node x: it has Exec=, too' ctl verify "$UNITS/both.flow"
check_prints "a unit has a name" "bad-name.flow:2: error: Unit=: 'quick' is not a unit name \(its type is missing" ctl verify "$UNITS/bad-name.flow"
check_prints "what is stopped does not become active" 'never.flow:4: error: WaitFor=: Node x: a unit that is stopped' ctl verify "$UNITS/never.flow"
check_prints "settings of a job need a unit" 'without.flow:3: warning: Operation=: Node x: without Unit= it has no effect' ctl verify "$UNITS/without.flow"
done_testing
