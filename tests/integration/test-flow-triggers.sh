#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Units that trigger flows: each trigger has a run, whether the flow is active or not, its attempts learn of what has triggered
# it, and no death adds or loses one.
# S002-26, S004-1, S004-16d, S004-21a, S004-35
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

# told NAME: the command of a node that writes down what it learns, in one line with its run
told() {
        printf "/bin/sh -c 'env | grep -E \"^(TRIGGER|MONITOR)_\" | sort >%s-\$\$JOBD_RUN; mv %s-\$\$JOBD_RUN %s-\$\$JOBD_RUN%s'" \
                "$DIR/new" "$DIR/new" "$DIR/$1" "${2-}"
}

# lasting NAME: the same, and lasts until the run is cancelled
lasting() {
        told "$1" '; exec sleep infinity'
}

# runs_of FLOW: how many, once the store can be asked
runs_of() {
        local end=$((SECONDS + PATIENCE))
        until ctl flow list --no-legend --all "$1" >"$DIR/list" 2>/dev/null || [ "$SECONDS" -ge "$end" ]; do
                sleep 0.02
        done
        wc -l <"$DIR/list"
}

# wait_for_runs FLOW N: until there are as many
wait_for_runs() {
        wait_for "^$2\$" sh -c "$BUILD/jobctl flow list --no-legend --all $1 | wc -l"
}

# id_of FLOW N: the run that was made as its Nth
id_of() {
        ctl flow list --no-legend --all "$1" | awk '{ print $1 }' | sort -n | sed -n "$2p"
}

# wait_told NAME RUN: until the node of that run has begun; what it has learned is in $TOLD then
wait_told() {
        wait_for "^$DIR/$1-$2\$" ls "$DIR/$1-$2" && TOLD=$(cat "$DIR/$1-$2")
}

# cancel_runs FLOW: those that live
cancel_runs() {
        local id
        for id in $(ctl flow list --no-legend --all "$1" | awk '$3 ~ /^(CREATED|QUEUED|RUNNING)$/ { print $1 }' | sort -rn); do
                ctl flow cancel --quiet "$id"
        done
}

# cancel_all FLOW: and waits until the flow is inactive
cancel_all() {
        cancel_runs "$1"
        wait_for '^(inactive|failed)$' ctl is-active "$1.flow"
}

# flow NAME SETTINGS: a flow whose node lasts
flow() {
        printf '[Flow]\n%b\n[Node a]\nExec=%s\n' "$2" "$(lasting "$1")" >"$UNITS/$1.flow"
}

# — OnFailure= and OnSuccess= —
unit fails.service <<U
[Unit]
OnFailure=heal.flow
StartLimitIntervalSec=0
[Service]
ExecStart=/bin/sh -c 'exit 3'
U
unit dies.service <<'U'
[Unit]
OnFailure=heal.flow
[Service]
ExecStart=/bin/sh -c 'kill -USR1 $$$$; sleep infinity'
U
unit ends.service <<U
[Unit]
OnSuccess=heal.flow
[Service]
ExecStart=/bin/true
U
unit depends.service <<U
[Unit]
Requires=never.service
After=never.service
OnFailure=heal.flow
[Service]
ExecStart=/bin/true
U
unit never.service <<U
[Service]
Type=oneshot
ExecStart=/bin/false
U
flow heal 'MaxRuns=9'
start_daemon

ctl start fails.service
wait_for_runs heal 1
report $? "the failure of a service has a run"
RUN=$(id_of heal 1)
wait_told heal "$RUN"
FIRST=$(ctl show -p InvocationID --value fails.service)
check_equal "whose attempts learn of it" "$(tr '\n' ' ' <<<"$TOLD")" \
        "MONITOR_EXIT_CODE=exited MONITOR_EXIT_STATUS=3 MONITOR_INVOCATION_ID=$FIRST MONITOR_SERVICE_RESULT=exit-code MONITOR_UNIT=fails.service "
check_prints "the run says what has triggered it" 'Trigger: fails.service' ctl flow show "$RUN"
check_prints "and what its attempts learn" 'MONITOR_EXIT_STATUS=3' ctl flow show "$RUN"
check_prints "as JSON, too" '"MONITOR_EXIT_STATUS=3"' ctl flow show --json "$RUN"
check_prints "the flow is active" '^active$' ctl is-active heal.flow
ctl start fails.service
wait_for_runs heal 2
report $? "the next failure has another run, though the flow is active"
ctl start dies.service
wait_for_runs heal 3
wait_told heal "$(id_of heal 3)"
check_equal "a signal is told" "$(grep -E 'CODE|STATUS' <<<"$TOLD" | tr '\n' ' ')" "MONITOR_EXIT_CODE=killed MONITOR_EXIT_STATUS=USR1 "
ctl start ends.service
wait_for_runs heal 4
wait_told heal "$(id_of heal 4)"
report $? "the success of a service has a run"
check_equal "which learns of it" "$(grep -E 'RESULT|_UNIT' <<<"$TOLD" | tr '\n' ' ')" \
        "MONITOR_SERVICE_RESULT=success MONITOR_UNIT=ends.service "
ctl start depends.service
wait_for_runs heal 5
wait_told heal "$(id_of heal 5)"
report $? "a job that fails has a run"
check_equal "which learns of the unit alone" "$TOLD" "MONITOR_UNIT=depends.service"
ctl start depends.service
wait_for_runs heal 6
report $? "and so has the next one"
kill_core KILL
check_equal "the death of core adds none" "$(runs_of heal)" 6
cancel_all heal

# — flows that trigger flows —
# Each of its runs waits for how it is to end.
unit source.flow <<U
[Unit]
OnFailure=sink.flow
OnSuccess=good.service
[Flow]
MaxRuns=9
[Node a]
Exec=/bin/sh -c 'mkfifo $DIR/source-\$\$JOBD_RUN; read word <$DIR/source-\$\$JOBD_RUN; exit \$\$word'
U
unit good.service <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo good >>$DIR/good'
U
flow sink 'MaxRuns=9'

# end_source N STATUS: the run that was made as the Nth of its flow
end_source() {
        local id
        id=$(id_of source "$1")
        wait_for "^$DIR/source-$id\$" ls "$DIR/source-$id" && timeout "$PATIENCE" sh -c 'echo "$2" >"$1"' sh "$DIR/source-$id" "$2"
}

: >"$DIR/good"
ctl daemon-reload
ctl flow start --quiet source
ctl flow start --quiet source
ctl flow start --quiet source
end_source 1 1
wait_for_runs sink 1
report $? "a run of a flow that fails has a run, while others of its flow go on"
RUN=$(id_of sink 1)
wait_told sink "$RUN"
check_equal "which learns of it" "$(tr '\n' ' ' <<<"$TOLD")" "MONITOR_RUN=$(id_of source 1) MONITOR_UNIT=source.flow "
end_source 2 0
wait_for '^good$' cat "$DIR/good"
report $? "one that succeeds starts a service"
ctl flow cancel --quiet "$(id_of source 3)"
wait_for '^failed$' ctl is-active source.flow
report $? "the flow has failed when its last run has ended"
check_equal "which triggers nothing more" "$(runs_of sink)" 1
check_equal "nor starts anything" "$(wc -l <"$DIR/good")" 1
cancel_all sink

# — busy —
flow heal 'OnTrigger=skip'
ctl daemon-reload
ctl start fails.service
wait_for_runs heal 7
ctl start fails.service
wait_for 'failed' ctl is-active fails.service
check_equal "OnTrigger=skip leaves a trigger out" "$(ctl flow list >/dev/null; runs_of heal)" 7
wait_for 'heal.flow: .* makes no run: run [0-9]+ has not ended .OnTrigger=skip.' cat "$DIR/log"
report $? "which is logged"
cancel_all heal
flow heal 'OnTrigger=reject'
ctl daemon-reload
ctl start fails.service
wait_for_runs heal 8
ctl start fails.service
wait_for 'No run is made for fails.service: heal.flow has 1 run, .* OnTrigger=reject' cat "$DIR/log"
report $? "OnTrigger=reject says so"
check_equal "and makes none" "$(runs_of heal)" 8
cancel_all heal

# — a stop goes first —
unit heal.flow <<U
[Flow]
StopMode=wait
[Node a]
Exec=/bin/sh -c 'touch $DIR/begun; read line <$DIR/fifo'
U
mkfifo "$DIR/fifo"
ctl daemon-reload
ctl start heal.flow
wait_for "^$DIR/begun\$" ls "$DIR/begun"
N=$(runs_of heal)
ctl stop --no-block heal.flow
wait_for '^deactivating$' ctl is-active heal.flow
ctl start fails.service
wait_for 'fails.service has triggered it while it is being stopped: there will be no run' cat "$DIR/log"
report $? "a trigger gives way to a stop of the flow"
echo go >"$DIR/fifo"
wait_for '^inactive$' ctl is-active heal.flow
check_equal "which leaves it inactive, and without another run" "$(runs_of heal)" "$N"

# — paths —
flow change 'MaxRuns=9'
printf '[Path]\nPathChanged=%s/changed\nUnit=change.flow\n' "$DIR" >"$UNITS/change.path"
flow exist 'MaxRuns=9'
printf '[Path]\nPathExists=%s/there\nPathChanged=%s/mark\nUnit=exist.flow\n' "$DIR" "$DIR" >"$UNITS/exist.path"
ctl daemon-reload
: >"$DIR/changed"
: >"$DIR/mark"
ctl start change.path exist.path
echo 1 >"$DIR/changed"
wait_for_runs change 1
report $? "a change of a file has a run"
wait_told change "$(id_of change 1)"
check_equal "which learns of it" "$(tr '\n' ' ' <<<"$TOLD")" "TRIGGER_PATH=$DIR/changed TRIGGER_UNIT=change.path "
echo 2 >"$DIR/changed"
wait_for_runs change 2
report $? "the next change has another one, though the flow is active"
kill_core KILL
echo 3 >"$DIR/changed"
wait_for_runs change 3
report $? "and so has one behind the death of core"
cancel_all change
touch "$DIR/there"
wait_for_runs exist 1
report $? "a file that appears has a run"
touch "$DIR/there"
kill_core KILL
ctl daemon-reload
rm "$DIR/there"
echo gone >"$DIR/mark"
wait_for_runs exist 2
report $? "but no second one while it stays"
touch "$DIR/there"
wait_for_runs exist 3
report $? "and another one when it appears again"
cancel_runs exist
wait_for_runs exist 4
report $? "a file that is there when the flow has ended has a run, too"
ctl stop exist.path change.path
cancel_all exist

# — sockets —
flow bell 'MaxRuns=9'
printf '[Socket]\nListenFIFO=%s/bell\nService=bell.flow\n' "$DIR" >"$UNITS/bell.socket"
printf '[Socket]\nListenMessageQueue=/jobd-test-bell\nService=bell.flow\n' >"$UNITS/queue.socket"
ctl daemon-reload
check "a socket listens for a flow" ctl start bell.socket
echo ring >"$DIR/bell"
wait_for_runs bell 1
report $? "traffic has a run"
wait_told bell "$(id_of bell 1)"
check_equal "which learns of the socket" "$TOLD" "TRIGGER_UNIT=bell.socket"
check_prints "the socket goes on listening" '^listening$' ctl show -p SubState --value bell.socket
echo ring >"$DIR/bell"
wait_for_runs bell 2
report $? "more traffic has another one"
check_prints "what a flow cannot have is refused" 'queue.socket:3: error: Service=: A flow or a batch gets no descriptors' ctl verify "$UNITS/queue.socket"
cancel_all bell

# — timers —
flow tick 'MaxRuns=9'
printf '[Timer]\nOnActiveSec=1ms\nAccuracySec=1us\nUnit=tick.flow\n' >"$UNITS/tick.timer"
ctl daemon-reload
ctl start tick.timer
wait_for_runs tick 1
wait_told tick "$(id_of tick 1)"
check_equal "a timer tells when it has elapsed" "$(grep -o '^[^=]*' <<<"$TOLD" | tr '\n' ' ')" \
        "TRIGGER_TIMER_MONOTONIC_USEC TRIGGER_TIMER_REALTIME_USEC TRIGGER_UNIT "
check_prints "which is when it has" "^TRIGGER_TIMER_REALTIME_USEC=$(ctl show --json -p LastTriggerUSec tick.timer | tr -dc 0-9)\$" \
        cat "$DIR/tick-$(id_of tick 1)"

# — what was triggered and is not durable yet —
printf '[Flow]\nMaxRuns=9\n[Node a]\nExec=%s\n' "$(told heal)" >"$UNITS/heal.flow"
ctl daemon-reload
N=$(runs_of heal)
STORE=$(pgrep -x jobd-runstore)
kill -STOP "$STORE"
ctl start fails.service
wait_for '^failed$' ctl is-active fails.service
kill_core KILL
kill_core KILL
kill -CONT "$STORE"
wait_for_runs heal $((N + 1))
report $? "a trigger is not lost while the store is silent and core dies"
RUN=$(id_of heal $((N + 1)))
wait_told heal "$RUN"
check_prints "its run learns of it" 'MONITOR_EXIT_STATUS=3' cat "$DIR/heal-$RUN"
wait_for '^inactive$' ctl is-active heal.flow
check_equal "and there is one" "$(runs_of heal)" $((N + 1))
cancel_all tick

# — a flow that heals —
unit cure.flow <<U
[Node fix]
Exec=/bin/sh -c 'echo \$\$MONITOR_UNIT \$\$MONITOR_EXIT_STATUS >$DIR/cured'
[Node again]
DependsOn=fix
Unit=sick.service
U
unit sick.service <<U
[Unit]
OnFailure=cure.flow
StartLimitIntervalSec=0
[Service]
ExecStart=/bin/sh -c 'test -e $DIR/cured || exit 3; exec sleep infinity'
U
ctl daemon-reload
ctl start sick.service
heals() {
        [ -e "$DIR/cured" ] && ctl is-active sick.service
}
wait_for '^active$' heals
report $? "a flow brings the service back whose failure has triggered it"
check_equal "by what it has learned" "$(cat "$DIR/cured")" "sick.service 3"
wait_for '^inactive$' ctl is-active cure.flow
check_equal "and has succeeded" "$(ctl flow list --no-legend --all cure | awk '{ print $3 }')" SUCCEEDED
ctl stop sick.service

# — a flow whose nodes are written while they are read —
# In many turns, so that a write comes between the first one and the last one.
{
        printf '{"Node":"a","Exec":"/bin/true"}\n'
        yes "$(printf '%4000s' '')" | head -n 4000
} >"$DIR/grows.jsonl"
unit grows.flow <<U
[Flow]
NodesFile=$DIR/grows.jsonl
U
unit small.flow <<'U'
[Node a]
Exec=/bin/true
U
unit breaks.service <<'U'
[Unit]
OnFailure=grows.flow
StartLimitIntervalSec=0
[Service]
ExecStart=/bin/false
U
ctl daemon-reload

# begin_writing: to the file, without an end
begin_writing() {
        while :; do echo; done >>"$DIR/grows.jsonl" &
        WRITER=$!
}

end_writing() {
        kill "$WRITER"
        wait "$WRITER" 2>/dev/null
}

# count_log WORDS: lines of the log with them
count_log() {
        grep -c "$1" "$DIR/log"
}

begin_writing
ctl start breaks.service
wait_for 'grows.*it is read again' cat "$DIR/log"
report $? "a file that is written to while it is read is read again"
end_writing
wait_for_runs grows 1
report $? "the run of the trigger is made once it is written"

begin_writing
{
        ctl flow start grows 2>"$DIR/refused"
        echo grows >>"$DIR/order"
} &
REFUSED=$!
N=$(count_log 'it is read again')
wait_for "^$((N + 1))\$" count_log 'it is read again'
ctl flow start small >/dev/null
echo small >>"$DIR/order"
wait "$REFUSED"
end_writing
check_equal "other flows do not wait for that" "$(tr '\n' ' ' <"$DIR/order")" "small grows "
check_prints "a file that is written to each time is refused by its name" "$DIR/grows.jsonl of NodesFile= was written to" cat "$DIR/refused"
done_testing
