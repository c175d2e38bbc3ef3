#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs of flows with real processes: what the verbs say, how runs end, and what is left of them when core, the store or both die.
# S000-1, S000-2, S000-3, S000-4, S000-5, S000-6, S000-8, S000-11, S000-12, S000-18, S000-22, S000-24, S000-40, S000-42,
# S000-43, S000-45, S002-1, S002-3, S002-6, S002-12, S002-23, S004-1, S004-3, S004-6, S004-9, S004-12, S004-14, S004-15,
# S004-16, S004-16c, S004-21, S004-24, S004-25, S004-27, S004-31, S004-32, S004-35, S004-38, S004-39, S004-42, S004-44
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

# note WORD: the command of a node that writes it down
note() {
        printf "/bin/sh -c 'echo %s >>%s'" "$1" "$RECORD"
}

# hold WORD: one that writes its pid to WORD.pid and lasts until somebody writes to the fifo WORD; it is written down at both ends
hold() {
        mkfifo "$DIR/$1"
        printf "/bin/sh -c 'echo %s-begins >>%s; echo \$\$\$\$ >%s.new; mv %s.new %s.pid; read word <%s; echo %s-ends >>%s'" \
                "$1" "$RECORD" "$DIR/$1" "$DIR/$1" "$DIR/$1" "$DIR/$1" "$1" "$RECORD"
}

# wait_for_node WORD: until the command hold WORD runs; its pid is in $PID then
wait_for_node() {
        wait_for '^[0-9]+$' cat "$DIR/$1.pid" && PID=$(cat "$DIR/$1.pid") && rm "$DIR/$1.pid"
}

# release WORD
release() {
        timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/$1"
}

# count WORD: how often it was written down
count() {
        grep -c "^$1\$" "$RECORD"
}

# wait_for_state RUN STATE
wait_for_state() {
        wait_for "^$2\$" run_state "$1"
}

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

last_run() {
        ctl flow list --no-legend | awk 'NR == 1 { print $1 }'
}

unit good.flow <<U
[Unit]
Description=Four nodes
[Node a]
Exec=$(note a)
[Node b]
DependsOn=a
Exec=$(note b)
[Node c]
DependsOn=a
Exec=$(note c)
[Node d]
DependsOn=b c
Exec=$(note d)
U
unit bad.flow <<'U'
[Node a]
Exec=/bin/false
[Node b]
DependsOn=a
Exec=/bin/true
U
unit partial.flow <<'U'
[Node a]
Exec=/bin/sh -c 'exit 3'
FailurePolicy=continue
[Node b]
DependsOn=a
Readiness=all-finished
Exec=/bin/true
U
unit suspended.flow <<U
[Node a]
Exec=/bin/sh -c 'test -e $DIR/may-run'
FailurePolicy=suspend
[Node b]
DependsOn=a
Exec=$(note after-suspended)
U
unit late.flow <<'U'
[Flow]
RunTimeoutSec=200ms
[Node a]
Exec=/bin/sleep infinity
U
unit retry.flow <<U
[Node a]
Exec=/bin/sh -c 'echo try-\$\$JOBD_ATTEMPT >>$RECORD; test \$\$JOBD_ATTEMPT = 3'
Retry=5
RetryDelaySec=1ms
U
unit held.flow <<U
[Flow]
OnBusy=reject
[Node first]
Exec=$(note first)
[Node held]
DependsOn=first
Exec=$(hold held)
[Node last]
DependsOn=held
Exec=$(note last)
U
unit queue.flow <<U
[Flow]
MaxQueued=1
[Node a]
Exec=$(hold queued)
U
unit skip.flow <<U
[Flow]
OnBusy=skip
[Node a]
Exec=$(hold skipped)
U
unit replace.flow <<U
[Flow]
OnBusy=replace
[Node a]
Exec=$(hold replaced)
U
unit stop.flow <<U
[Flow]
StopMode=interrupt
[Node a]
Exec=$(hold stopped)
Recover=retry
U
unit needs.flow <<'U'
[Unit]
Requires=broken.service
After=broken.service
[Node a]
Exec=/bin/true
U
unit lacks.flow <<'U'
[Unit]
Requires=missing.service
[Node a]
Exec=/bin/true
U
unit broken.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/false
U
unit pre.flow <<U
[Node a]
ExecStartPre=$(note pre)
Exec=$(note main)
ExecStopPost=/bin/sh -c 'echo post-\$\$EXIT_CODE-\$\$EXIT_STATUS >>$RECORD'
[Node b]
DependsOn=a
ExecStartPre=/bin/false
Exec=$(note never)
ExecStopPost=/bin/sh -c 'echo post-\$\$SERVICE_RESULT >>$RECORD'
U
unit tree.flow <<U
[Node a]
Exec=/bin/sh -c 'sleep infinity & echo \$\$! >$DIR/tree.pid'
[Node b]
DependsOn=a
Exec=/bin/sh -c 'kill -0 \$\$(cat $DIR/tree.pid) 2>/dev/null && echo tree-is-there >>$RECORD; exit 0'
U
unit file.flow <<U
[Flow]
NodesFile=$DIR/nodes.jsonl
FailurePolicy=continue
[Node begin]
Exec=$(note file-begin)
U
{
        for i in $(seq 20); do
                printf '{"Node":"n%d","DependsOn":"begin","Exec":"/bin/sh -c '"'echo file-node >>%s'"'"}\n' "$i" "$RECORD"
        done
        printf '{"Node":"end","DependsOn":["n1","n20"]}\n'
} >"$DIR/nodes.jsonl"
unit logs.flow <<'U'
[Node a]
Exec=/bin/echo hello
[Node b]
Exec=/bin/echo other
U
unit many.flow <<U
[Flow]
MaxParallel=3
$(for i in $(seq 20); do
        printf '[Node n%d]\nExec=/bin/sh -c "echo many-%d >>%s"\n' "$i" "$i" "$RECORD"
        [ "$i" = 1 ] || printf 'DependsOn=n%d\n' "$((i / 2))"
done)
U

if [ -n "${WITH_GROUPS-}" ]; then
        # shellcheck source=tests/integration/group.sh
        . "$(dirname "$0")/group.sh"
        if [ -z "$GROUP" ]; then
                echo "1..0 # SKIP there is no version 2 hierarchy of control groups that can be written"
                exit 0
        fi
        start_daemon() {
                start_daemon_in_group "$@"
        }
fi
start_daemon

# — how runs end —
check_lacks "without a run there is no store" runstore ps -o comm= --ppid "$CORE"
check "a run succeeds" ctl flow start --wait good
check_equal "each node ran once" "$(grep -c '^[abcd]$' "$RECORD")" 4
check_equal "in order" "$(sed -n '1p;4p' "$RECORD" | tr -d '\n')" ad
check_prints "it is listed" '^ *1 +good.flow +SUCCEEDED +4/4' ctl flow list
check_prints "by its flow, too" 'good.flow' ctl flow list good
check_prints "as JSON" '"unit":"good.flow".*"state":"SUCCEEDED"' ctl flow list --json
check_prints "it is shown" '^d +SUCCEEDED +1 .* 0' ctl flow show 1
check_prints "by its name" '^good-1$' ctl flow show good-1
check_prints "as JSON" '"node": *"d"' ctl flow show --json 1
check_prints "the unit is inactive again" '^inactive$' ctl is-active good.flow
check_exit "a run fails" 1 ctl flow start --wait bad
check_prints "with what follows skipped" '^b +SKIPPED .*ended' ctl flow show "$(last_run)"
check_prints "the unit has failed" '^failed$' ctl is-active bad.flow
check_exit "a tolerated failure is told" 10 ctl flow start --wait partial
check_exit "a deadline is met" 12 ctl flow start --wait late
check_prints "by each node" '^a +TIMEOUT .*SIGTERM' ctl flow show "$(last_run)"
check "a node is tried again" ctl flow start --wait retry
check_equal "until it succeeds" "$(grep -c '^try-[123]$' "$RECORD")" 3
check_exit "a run is suspended" 11 ctl flow start --wait suspended
RUN=$(last_run)
check_prints "the reason is told" "Node a is PENDING \(failed\): a person has to resolve it: 'jobctl flow resolve $RUN/a" ctl flow why "$RUN"
check_prints "what follows waits for it" 'Node b .* is BLOCKED: it waits for its parents: a \(PENDING\)' ctl flow why "$RUN/b"
check_prints "the unit stays active" '^active$' ctl is-active suspended.flow
check "a person resolves it" ctl flow resolve "$RUN/a" --as=success
wait_for_state "$RUN" SUCCEEDED
report $? "and the run goes on"
check_equal "with what follows" "$(count after-suspended)" 1
check_exit "another one is suspended" 11 ctl flow start --wait suspended
RUN=$(last_run)
touch "$DIR/may-run"
check "it is retried" ctl flow retry "$RUN"
wait_for_state "$RUN" SUCCEEDED
report $? "and succeeds"
RUN=$(ctl flow list --no-legend bad | awk '{ print $1 }')
check "a run that has ended is retried" ctl flow retry "$RUN"
wait_for '^    Round: 2$' ctl flow show "$RUN"
report $? "in a next round"
wait_for_state "$RUN" FAILED
check "a node is executed again" ctl flow rerun "1/b"
wait_for '^    Round: 2$' ctl flow show 1
report $? "in a next round, too"
wait_for_state 1 SUCCEEDED
check_equal "with what is below it" "$(count a)-$(count b)-$(count c)-$(count d)" 1-2-1-2

# — what is around the command —
check_exit "ExecStartPre= that fails is a failure" 1 ctl flow start --wait pre
check_equal "commands ran in order" "$(grep -E '^(pre|main|post.*|never)$' "$RECORD" | tr '\n' ' ')" \
        "pre main post-exited-0 post-resources "
check "a command may leave processes" ctl flow start --wait tree
check_equal "which are gone before the next one" "$(count tree-is-there)" 0
check "nodes are read from a file" ctl flow start --wait file
check_equal "each of them ran" "$(count file-node)" 20
check "they are not read again while the file is as it was" ctl flow start --wait file
check_equal "and each ran again" "$(count file-node)" 40
sed -i 's/file-node/file-bode/' "$DIR/nodes.jsonl"
check "another file of that size is read" ctl flow start --wait file
check_equal "each of its nodes ran" "$(count file-bode)" 20
sed 's/file-bode/file-node/' "$DIR/nodes.jsonl" >"$DIR/nodes.new"
cat "$DIR/nodes.new" >"$DIR/nodes.jsonl"
check "and one that was written in place" ctl flow start --wait file
check_equal "each ran as it says" "$(count file-node)" 60
check_prints "they are shown" '^end +SUCCEEDED' ctl flow show "$(last_run)"
check "a command prints" ctl flow start --wait logs
wait_for '^\[a\] .*hello' ctl flow logs "$(last_run)"
report $? "which is told with the name of the node"
check_prints "and is all for the node alone" '^[A-Z].*hello' ctl flow logs "$(last_run)/a"
check_lacks "which is not that of another" hello ctl flow logs "$(last_run)/b"

# — units —
check_exit "a run of a unit that cannot start fails" 1 ctl flow start --wait needs
check_prints "and says so" 'FAILED.*dependency' ctl flow list needs
check_exit "so does one of a unit that no job can be made for" 1 ctl flow start --wait lacks
check_prints "which is tried once" '^1$' grep -c 'Cannot start it.*missing.service' "$DIR/log"
check "a start of the unit submits a run" ctl start held.flow
wait_for_node held
check_prints "the unit is active as long" '^active$' ctl is-active held.flow
check_prints "a node runs" "Node held is RUNNING: attempt 1 runs \(pid $PID\)" ctl flow why held.flow
if [ -n "${WITH_GROUPS-}" ]; then
        check_prints "in a group of its own" "/held.flow/run-$(last_run)-1-1-1\$" cat "/proc/$PID/cgroup"
fi
check_prints "the unit tells" '^LiveRuns=1$' ctl show -p LiveRuns held.flow
check_prints "and its attempts" '^Attempts=1$' ctl show -p Attempts held.flow
check_exit "another run is refused" 4 ctl flow start held
check_prints "with the setting" 'MaxRuns= allows.*OnBusy=reject' ctl flow start held
RUN=$(last_run)
check "a run is paused" ctl flow pause "$RUN"
release held
wait_for_state "$RUN" PAUSED
report $? "when what runs has ended"
check_equal "nothing more begins" "$(count last)" 0
[ -z "${WITH_GROUPS-}" ] || check_equal "its group is gone" "$(find "$GROUP" -name 'run-*' | wc -l)" 0
check_prints "the reason is told" 'is PAUSED: it is paused: .jobctl flow resume' ctl flow why "$RUN"
check "it is resumed" ctl flow resume "$RUN"
wait_for_state "$RUN" SUCCEEDED
report $? "and ends"
check_exit "what has ended cannot be paused" 4 ctl flow pause "$RUN"
check_prints "and says why" "Run $RUN is SUCCEEDED: 'pause' does not apply" ctl flow pause "$RUN"

check "a run begins" ctl flow start queue
wait_for_node queued
"$BUILD/jobctl" flow start --wait queue >/dev/null 2>&1 &
WAITER=$!
wait_for_waiter "$WAITER"
kill -INT "$WAITER"
wait "$WAITER"
check_equal "a wait that is interrupted says so" $? 130
check "its run goes on" ctl flow cancel "$(last_run)"
check "another one waits" ctl flow start queue
check_prints "in the queue" 'QUEUED' ctl flow list queue
check_prints "each run that lives has a line of why" "queue-$(last_run) is QUEUED: as many runs of the flow run as MaxRuns= allows" \
        ctl why queue.flow
check_prints "with what it waits for" "is RUNNING: 0 of 1 nodes have ended, 1 run; node a is RUNNING: attempt 1 runs \\(pid $PID\\)" \
        ctl why queue.flow
check_prints "as JSON" '"runs":\[\{"id":[0-9]+,"name":"queue-[0-9]+","state":"RUNNING"' ctl why --json queue.flow
check_prints "and of status" "Runs: queue-[0-9]+ is RUNNING: .*pid $PID" ctl status queue.flow
check_prints "which shows the last runs, too" 'Last runs: good-1 has ended .* ago: SUCCEEDED, after' ctl status good.flow
check_prints "as JSON" '"LastRuns":\[\{"id":1,' ctl status --json good.flow
check_prints "a flow without runs says so" 'Runs: none lives' ctl why good.flow
check_exit "MaxQueued= bounds it" 4 ctl flow start queue
release queued
wait_for_node queued
report $? "the next one begins when the first has ended"
check "it is cancelled" ctl flow cancel "$(last_run)"
wait_for_state "$(last_run)" CANCELLED
report $? "which ends it"
check_equal "its process is gone" "$(ps -o pid= -p "$PID" | wc -l)" 0

check "a run begins" ctl flow start skip
wait_for_node skipped
check_prints "OnBusy=skip says that there is none" 'No run of skip.flow was made' ctl flow start skip
release skipped
wait_for '^inactive$' ctl is-active skip.flow
check "a run begins" ctl flow start replace
wait_for_node replaced
OLD=$(last_run)
check "OnBusy=replace takes another one" ctl flow start replace
wait_for_node replaced
report $? "that begins"
check_equal "when the first one is cancelled" "$(run_state "$OLD")" CANCELLED
release replaced
wait_for '^inactive$' ctl is-active replace.flow

check "a run begins" ctl flow start stop
wait_for_node stopped
check "the unit is stopped" ctl stop stop.flow
check_equal "its process is gone" "$(ps -o pid= -p "$PID" | wc -l)" 0
RUN=$(last_run)
check_prints "the run is held" "$RUN +stop.flow +PAUSED .*unit" ctl flow list stop
check "the unit is started again" ctl start stop.flow
wait_for_node stopped
report $? "and the interrupted node runs again, as Recover=retry says"
release stopped
wait_for_state "$RUN" SUCCEEDED
report $? "in the same run"

check "a run begins" ctl flow start held
wait_for_node held
RUN=$(last_run)
"$BUILD/jobctl" flow show --follow "$RUN" >"$DIR/followed" &
FOLLOWER=$!
wait_for "^held +RUNNING" cat "$DIR/followed" && wait_for_waiter "$FOLLOWER"
report $? "a run is followed"
release held
wait "$FOLLOWER"
report $? "until its end"
check_equal "each change is told" "$(sed -n '/: /{s/^ *//;/^held\|^last/p}' "$DIR/followed" | grep -v 'RUNNING' | tr '\n' ' ')" \
        "held: SUCCEEDED last: SUCCEEDED held-$RUN: SUCCEEDED "
check_prints "what has ended is shown, and not followed" '^last +SUCCEEDED' timeout "$PATIENCE" "$BUILD/jobctl" flow show --follow "$RUN"

# — timers —
# timed NAME SETTINGS…: a flow that a timer triggers each second, and whose first run lasts
timed() {
        printf '[Flow]\n%b\n[Node a]\nExec=%s\n' "$2" "$(hold "$1")" >"$UNITS/$1.flow"
        printf '[Timer]\nOnCalendar=*:*:*\nAccuracySec=1us\nUnit=%s.flow\n' "$1" >"$UNITS/$1.timer"
        ctl daemon-reload && ctl start "$1.timer"
        wait_for_node "$1"
}

# runs_of FLOW: a line for each: its state
runs_of() {
        ctl flow list --no-legend --all "$1" | awk '{ print $3 }'
}

# elapsed TIMER: when it has last, µs
elapsed() {
        ctl show -p LastTriggerUSec --value "$1.timer"
}

# wait_for_elapse TIMER: until it has elapsed, and what it has triggered then is known
wait_for_elapse() {
        local last
        last=$(elapsed "$1")
        wait_for . sh -c "[ \"\$($BUILD/jobctl show -p LastTriggerUSec --value $1.timer)\" != '$last' ] && echo yes" &&
                ctl flow list >/dev/null
}

timed tq 'OnBusy=queue'
report $? "a timer submits a run"
wait_for_elapse tq && wait_for_elapse tq && wait_for_elapse tq
check_equal "of runs of a timer one waits" "$(runs_of tq | sort | uniq -c | tr -s ' \n' ' ')" " 1 QUEUED 1 RUNNING "
check_prints "the timer is told" '"trigger":"tq.timer"' ctl flow list --json tq
timed tp 'MaxRuns=3\nOnTrigger=skip'
wait_for_elapse tp && wait_for_elapse tp && wait_for_elapse tp && wait_for_elapse tp
check_equal "several of a timer run side by side" "$(runs_of tp | sort | uniq -c | tr -s ' ')" " 3 RUNNING"
timed tr 'OnBusy=replace'
wait_for_elapse tr && wait_for_elapse tr
wait_for CANCELLED runs_of tr
report $? "the next one replaces the first, as OnBusy=replace says"
timed tj 'OnTrigger=reject'
wait_for_elapse tj && wait_for_elapse tj
check_equal "none is added with OnTrigger=reject" "$(runs_of tj)" RUNNING
kill_core KILL
wait_for_elapse tj
check_equal "nor after the death of core" "$(runs_of tj)" RUNNING
for name in tq tp tr tj; do
        ctl stop "$name.timer"
        for id in $(ctl flow list --no-legend --all "$name" | awk '$3 == "RUNNING" || $3 == "QUEUED" { print $1 }'); do
                ctl flow cancel --quiet "$id"
        done
done
wait_for '^inactive$' ctl is-active tp.flow
report $? "timers and their runs end"
printf '[Flow]\nKeepRuns=2\n[Node a]\nExec=/bin/true\n' >"$UNITS/keep.flow"
ctl daemon-reload
for _ in 1 2 3 4; do
        ctl flow start --wait --quiet keep
done
wait_for '^2$' sh -c "$BUILD/jobctl flow list --no-legend --all keep | wc -l"
report $? "as many runs are kept as KeepRuns= says"
check_prints "the last ones" "^ *$(last_run) " ctl flow list --no-legend keep

# — the bus —
# manager METHOD [SIGNATURE ARGUMENT…]; run METHOD [SIGNATURE ARGUMENT…], of run $OF
# shellcheck disable=SC2317
manager() {
        busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 /org/jobd1 org.jobd1.Manager "$@"
}

# shellcheck disable=SC2317
run() {
        busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 "/org/jobd1/run/$OF" org.jobd1.Run "$@"
}

# shellcheck disable=SC2317
property() {
        busctl --address="unix:path=$JOBD_SOCKET" get-property org.jobd1 "/org/jobd1/run/$OF" org.jobd1.Run "$1"
}

if command -v busctl >/dev/null; then
        check_prints "a run is submitted with a key" '^to [0-9]+ "/org/jobd1/run/[0-9]+"' \
                manager StartRun 'sa{sv}a{sv}' held.flow 0 1 key s once
        wait_for_node held
        RUN=$(last_run) OF=$RUN
        check_prints "the same key is the same run" "^to $RUN " manager StartRun 'sa{sv}a{sv}' held.flow 0 1 key s once
        check_prints "another option is refused" "no option 'other'" manager StartRun 'sa{sv}a{sv}' held.flow 0 1 other s x
        check_prints "parameters that the flow does not declare are" "no parameter 'a'" manager StartRun 'sa{sv}a{sv}' held.flow 1 a s b 0
        check_prints "runs are listed" '"held.flow"' manager ListRuns 'a{sv}us' 1 id t "$RUN" 10 ''
        check_prints "in pages" '"[0-9]+"$' manager ListRuns 'a{sv}us' 0 1 ''
        check_prints "a wrong filter is told" "no filter 'colour'" manager ListRuns 'a{sv}us' 1 colour s red 0 ''
        check_prints "a run has a path" "\"/org/jobd1/run/$RUN\"" manager GetRun t "$RUN"
        check_prints "it is explained" '"process"' manager ExplainRun s "$RUN/held"
        check_prints "what has ended is not" 'No run 1 lives' manager ExplainRun s 1
        check_prints "nodes are told" '"held"' run Nodes 'a{sv}us' 0 0 ''
        check_prints "those of a state" '"first"' run Nodes 'a{sv}us' 1 state s SUCCEEDED 0 ''
        check_prints "attempts, too" '"RUNNING"' run Attempts 'a{sv}us' 0 0 ''
        check_prints "and events" '"created"' run Events 'a{sv}us' 0 0 ''
        check_prints "its properties are told" '^s "RUNNING"' property State
        check_prints "its progress" '^\(tttt\) 1 0 1 3' property Progress
        check_prints "its key" '^s "once"' property Key
        check_prints "those of one that has ended, too" '"State" s "SUCCEEDED".*"Progress" \(tttt\) 4 0 0 4' \
                busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 /org/jobd1/run/1 org.freedesktop.DBus.Properties GetAll s org.jobd1.Run
        OF=1
        check_prints "and one of them" '^s "good-1"' property Name
        OF=4000000
        check_prints "but not of one that does not exist" 'There is no run 4000000' property State
        check_prints "which has a number all the same" '^t 4000000' property Id
        OF=$RUN
        check "it is watched" run Watch b true
        check "it is paused" run Pause
        check "resumed" run Resume
        check "stopped" run Stop
        check_prints "and resolved only where it waits" "'resolve as success' does not apply" run Resolve ss held success
        check_prints "with a known word" "not resolved as 'maybe'" run Resolve ss held maybe
        check_prints "it is not approved without a gate" "'approve' does not apply" run Approve sbs held true ''
        check_prints "nor skipped while it runs" "'skip' does not apply" run Skip s held
        check_prints "it has no lock to give up" "Node held of run $RUN holds no lock" run Unlock ss held ''
        check_prints "nor undone before the end" "'compensate' does not apply" run Compensate
        check_prints "nor given nodes when it ends" 'no node can be added to it' run AddNodes ss held '{"Node":"more"}'
        release held
        wait_for_state "$RUN" CANCELLED
        report $? "it ends"
        check_prints "with the key it is still that run" "^to $RUN " manager StartRun 'sa{sv}a{sv}' held.flow 0 1 key s once
        check "it is executed again" run Rerun s held
        wait_for_node held
        check "cancelled" run Cancel
        wait_for_state "$RUN" CANCELLED
        OF=1
        check "another one, too" run Rerun s d
        check_prints "a node that does not exist is told" 'has no node z' run Retry s z
        OF=4000000
        check_prints "a run that does not exist, too" 'There is no run 4000000' run Pause
        check_prints "locks are listed with known filters" "There is no filter 'x'" manager ListLocks 'a{sv}us' 1 x s y 0 ''
        check_prints "and with a cursor of an answer" "'x' is not a cursor" manager ListLocks 'a{sv}us' 0 0 x
        check_prints "nor is it deleted" 'There is no run 4000000' run Delete b true
        check_prints "nor a node of it skipped" 'There is no run 4000000' run Skip s a
        check_prints "nor unlocked" 'There is no run 4000000' run Unlock ss a ''
        check_prints "nor approved" 'There is no run 4000000' run Approve sbs a true ''
        OF=x
        check_prints "and what is no number" "'x' is not the number of a run" run Pause
        wait_for_state 1 SUCCEEDED
else
        skip "runs on the bus" "busctl is not installed"
fi

# Two connections, one of which watches run $1: which signals each of them gets until the run has ended.
cat >"$DIR/watch.py" <<'P'
import os, sys
sys.path.insert(0, sys.argv[1])
from bus_client import Bus

run, fifo = sys.argv[2], sys.argv[3]
watcher, other = Bus(os.environ['JOBD_SOCKET']), Bus(os.environ['JOBD_SOCKET'])
for bus in watcher, other:
    bus.ask('Subscribe')
of_run = '/org/jobd1/run/' + run, 'org.jobd1.Run'
other.ask('Watch', b'\1\0\0\0', target=of_run, signature='b')
other.ask('Watch', b'\0\0\0\0', target=of_run, signature='b')
watcher.ask('Watch', b'\1\0\0\0', target=of_run, signature='b')
with open(fifo, 'w') as go:
    go.write('go\n')
for name, bus in ('watcher', watcher), ('other', other):
    seen = set()
    while 'RunEnded' not in seen:
        message = bus.message()
        seen |= {word for word in ('RunChanged', 'NodesChanged', 'RunEnded') if word.encode() in message}
    print(name, *sorted(seen))
P
check "a run begins" ctl flow start held
wait_for_node held
OUT=$(timeout "$PATIENCE" python3 "$DIR/watch.py" "$(dirname "$0")" "$(last_run)" "$DIR/held")
check_equal "changes are told to who watches, the end to all" "$(tr '\n' ' ' <<<"$OUT")" \
        "watcher NodesChanged RunChanged RunEnded other RunEnded "

# — deaths —
# begin_held: a run whose node held runs, of process $PID
begin_held() {
        : >"$RECORD"
        ctl flow start --quiet held && wait_for_node held && RUN=$(last_run)
}

end_held() {
        release held
        wait_for_state "$RUN" SUCCEEDED
        report $? "and the run ends"
        check_equal "with each node once" "$(tr '\n' ' ' <"$RECORD")" "first held-begins held-ends last "
}

find_store() {
        STORE=$(pgrep -x jobd-runstore)
        [ -n "$STORE" ]
}

begin_held
kill_core KILL
wait_for "RUNNING: attempt 1 runs \\(pid $PID\\)" ctl flow why held.flow
report $? "after the death of core the process is the node's"
end_held
begin_held
find_store
kill -KILL "$STORE"
end_held
begin_held
find_store
kill -KILL "$STORE"
kill_core KILL
end_held
begin_held
kill -STOP "$CORE"
release held
wait_for '^Z' ps -o stat= -p "$PID"
kill_core KILL
wait_for_state "$RUN" SUCCEEDED
report $? "an end that core did not live to see is known"
check_equal "and each node ran once" "$(tr '\n' ' ' <"$RECORD")" "first held-begins held-ends last "
begin_held
check "core is executed anew" ctl daemon-reexec
find_core
end_held
begin_held
sed -i 's/^DependsOn=held/DependsOn=first/; s/echo last/echo other/' "$UNITS/held.flow"
check "the file is changed" ctl daemon-reload
kill_core KILL
end_held
check "the next run has what was changed" sh -c "$BUILD/jobctl flow start --quiet held"
wait_for_node held
release held
wait_for_state "$(last_run)" SUCCEEDED
wait_for other cat "$RECORD"
report $? "and executes it"

: >"$RECORD"
check "a run of 20 nodes begins" ctl flow start many
RUN=$(last_run)
kill_core KILL
wait_for_state "$RUN" SUCCEEDED
report $? "the death of core does not keep it from its end"
check_equal "with each node once" "$(sort -u "$RECORD" | wc -l)-$(wc -l <"$RECORD")" 20-20
RUNS=$(ctl flow list --no-legend --all | wc -l)
stop_daemon
start_daemon
wait_for '^ *[0-9]' ctl flow list --no-legend --all
check_equal "what has ended is known to the next jobd" "$(ctl flow list --no-legend --all | wc -l)" "$RUNS"
stop_daemon

# — without a store —
printf '[Engine]\nStore=none\n' >"$DIR/none.conf"
start_daemon --config "$DIR/none.conf"
check_exit "without a store there are no runs" 15 ctl flow start good
check_prints "which is said" 'jobd-runstore is not installed, or jobd.conf has Store=none' ctl flow start good
check_exit "a start of the unit fails, too" 1 ctl start good.flow
check_exit "and a list" 15 ctl flow list
printf '[Engine]\nStore=postgresql:here\n' >"$DIR/none.conf"

# — what is not understood —
check_exit "no verb" 2 ctl flow dance
check_exit "no run" 2 ctl flow show
check_exit "an empty name" 2 ctl flow show ''
check_exit "no node" 2 ctl flow rerun 1
check_exit "no outcome" 2 ctl flow resolve 1/a
check_exit "a node too many" 2 ctl flow pause 1/a
check_exit "no flow" 2 ctl flow start
done_testing
