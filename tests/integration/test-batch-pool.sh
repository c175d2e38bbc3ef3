#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Batches with ItemMode=pool: what becomes of items whose workers end, break the rules of the protocol or take too long, and
# of all of them when core dies, is executed again, or the run is paused.
# S003-10, S003-12, S003-21
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

WORKER=$(dirname "$(realpath "$0")")/pool-worker

last_run() {
        ctl flow list --no-legend --all | awk 'NR == 1 { print $1 }'
}

# shellcheck disable=SC2317
run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

wait_for_state() {
        wait_for "^$1\$" run_state "$RUN"
}

# batch NAME ITEMS MODE [SETTING…]: a batch of the worker that does what MODE says; its items are in $DIR/NAME.record
batch() {
        local name=$1 items=$2 mode=$3
        shift 3
        unit "$name.batch" <<U
[Batch]
Items=$items
ItemMode=pool
Parallel=2
Depth=4
RetryDelaySec=1ms
TimeoutStopSec=5
Exec=$WORKER $mode $DIR/$name.record
$(printf '%s\n' "$@")
U
}

# held NAME ITEMS [SETTING…]: the same, whose items wait for $DIR/NAME.go
held() {
        local name=$1
        batch "$name" "$2" plain "${@:3}" "Exec=" "Exec=$WORKER plain $DIR/$name.record $DIR/$name.go"
}

# begin BATCH: a run of it, in $RUN; its record is in $RECORD
begin() {
        RECORD=$DIR/$1.record
        : >"$RECORD"
        check "a run of $1 begins" ctl flow start "$1.batch"
        RUN=$(last_run)
}

# wait_for_items COUNT: until so many have begun, or more
# shellcheck disable=SC2317
wait_for_items() {
        local end=$((SECONDS + PATIENCE))
        until [ "$(wc -l <"$RECORD")" -ge "$1" ]; do
                [ "$SECONDS" -lt "$end" ] || return 1
                sleep 0.01
        done
}

# repeats ITEMS: how many were executed again; "lost" if one never was
repeats() {
        [ "$(cut -d' ' -f1 "$RECORD" | sort -un | wc -l)" = "$1" ] && echo $(($(wc -l <"$RECORD") - $1)) || echo lost
}

workers() {
        cut -d' ' -f2 "$RECORD" | sort -u
}

# expect STATE ITEMS REPEATS: how the last run ends
expect() {
        wait_for_state "$1"
        report $? "it is $1" "$(ctl flow show "$RUN" 2>&1)"
        check_equal "each item was executed, $3 again" "$(repeats "$2")" "$3"
}

errors() {
        ctl batch errors "$RUN"
}

batch plain 200 plain
batch reversed 16 reversed
batch many 20 many ItemRetry=1 AgainSec=1ms SuccessExitStatus=4
batch breaks 60 breaks Parallel=1 ItemRetry=0 TimeoutStopSec=200ms
batch sleeps 6 sleeps Parallel=1 ItemTimeoutSec=300ms ItemRetry=1 TimeoutStopSec=200ms
batch poison 10 poison Parallel=1 ItemRetry=0
batch max 20 plain Parallel=1 WorkerMaxItems=8
batch slow 3 plain Parallel=2 Rate=5/s WorkerIdleSec=20ms
batch spent 200 many ItemRetry=0 MaxErrors=2
unit no-hello.batch <<U
[Batch]
Items=4
ItemMode=pool
TimeoutStopSec=200ms
Exec=/bin/sh -c "echo hallo; exec sleep 1000"
U
unit missing.batch <<U
[Batch]
Items=4
ItemMode=pool
Exec=$DIR/there-is-none
U
batch steady 2000 plain Rate=1000/s SyncItems=100
unit mute.batch <<U
[Batch]
Items=4
ItemMode=pool
Exec=/bin/sleep 1000
U
batch parallel 8 plain Parallel=8 Depth=8 "Exec=" "Exec=$WORKER plain $DIR/parallel.record $DIR/parallel.go"
held paused 20
held killed 20
held again-now 40
held cancelled 20
held stopped 20 StopMode=interrupt
held abandoned 20 RunTimeoutSec=500ms TimeoutMode=abandon
start_daemon

begin plain
expect SUCCEEDED 200 0
begin reversed
expect SUCCEEDED 16 0

begin many
expect PARTIAL 20 3
check_prints "what the worker says is with the error" ' 13 +2 +1 .*\{"why": "three"\}' errors
check_equal "no other item is an error" "$(errors | grep -c 'ago')" 2

begin breaks
wait_for_state SUCCEEDED
report $? "workers break the rules, and no item fails by that" "$(ctl batch show "$RUN" 2>&1)"
check_equal "the six items that broke them were executed twice" "$(cut -d' ' -f1 "$RECORD" | sort -n | uniq -d | tr '\n' ' ')" \
        "5 15 25 35 45 55 "
check_equal "by seven workers" "$(workers | wc -l)" 7
for problem in '1 is ended: a line does not begin with' '2 is ended: a line has more than 64 bytes' \
        '3 is ended: the result of item 25 has 1073741824 bytes' '4 counts no more: the worker has ended in the result of item 35' \
        '5 has died with item 45' '6 has died with item 55'; do
        check "the log says: $problem" grep -q "breaks.batch: Run $RUN: Worker $problem" "$DIR/log"
done

begin sleeps
wait_for_state PARTIAL
report $? "workers that take too long for an item are ended"
check_prints "an item that does it each time is an error" '^ *4 +2 .*ItemTimeoutSec=' errors
check_equal "the other one was tried again" "$(grep -c '^2 ' "$RECORD")" 2
begin poison
wait_for_state PARTIAL
report $? "an item that kills its workers is an error"
check_prints "of its own kind" '^ *5 .*poison' errors
check_equal "after three deaths" "$(grep -c '^5 ' "$RECORD")" 3
check_equal "no other item is" "$(errors | grep -c poison)" 1
begin max
expect SUCCEEDED 20 0
check_equal "each worker had eight items at most" "$(cut -d' ' -f2 "$RECORD" | sort | uniq -c | awk '$1 > 8' | wc -l)" 0
begin slow
expect SUCCEEDED 3 0
[ "$(workers | wc -l)" -gt 2 ]
report $? "idle workers end, and others are started" "$(cat "$RECORD")"
for name in no-hello missing; do
        begin "$name"
        wait_for_state FAILED
        report $? "workers that are of no use end the run"
done
begin spent
wait_for_state PAUSED
report $? "too many errors pause the run"
check "it is cancelled" ctl flow cancel "$RUN"

# 200 are out at a time, all of them fail, and not all of them are issued again at once.
cat >"$DIR/failing" <<'U'
tab=$(printf '\t')
printf 'hello\t1\t200\n'
while IFS=$tab read -r index length; do
        echo "$index" >>"$1"
        printf '%s\t1\t0\n' "$index"
done
U
batch total 200 fail ItemRetry=0 Parallel=1 Depth=200 MaxErrorsTotal=10 MaxErrors=5 Exec= "Exec=/bin/sh $DIR/failing $DIR/total.record"
check "units are read again" ctl daemon-reload
begin total
wait_for '^(PAUSED|FAILED)$' run_state "$RUN"
report $? "more errors than MaxErrorsTotal= end a run" "$(run_state "$RUN")"
FIRST=$(run_state "$RUN")
wait_for_items 200
: >"$RECORD"
check "they are issued again" ctl batch retry-errors "$RUN"
[ "$FIRST" = FAILED ] || check "by another launch" ctl batch resume "$RUN"
wait_for_items 6
wait_for '^(PAUSED|FAILED)$' run_state "$RUN"
check_prints "and MaxErrors= holds, while MaxErrorsTotal= does not" 'PAUSED \(error-budget\)' ctl batch show "$RUN"
check "it is cancelled" ctl flow cancel "$RUN"

begin paused
wait_for_items 2
check_prints "two workers are shown, with what they have" '^ +2: 0 done, 4 out$' ctl batch show "$RUN"
check_prints "a person is told why" '20 items are over, 0 of them as errors, 8 are out to 2 workers' ctl batch why "$RUN"
check_prints "and a program" '"number":2,"done":0,"out":4' ctl --json batch show "$RUN"
check "a run is paused" ctl flow pause "$RUN"
wait_for_state PAUSING
touch "$DIR/paused.go"
wait_for_state PAUSED
report $? "when what was out has come back"
[ "$(wc -l <"$RECORD")" -le 8 ]
report $? "no more was issued" "$(cat "$RECORD")"
for worker in $(workers); do
        check_exit "worker $worker has ended" 1 kill -0 "$worker"
done
check "and goes on" ctl flow resume "$RUN"
expect SUCCEEDED 20 0

begin killed
wait_for_items 2
FIRST=$(workers)
kill_core KILL
for worker in $FIRST; do
        wait_for "^gone\$" sh -c "kill -0 $worker 2>/dev/null || echo gone"
        report $? "core dies, and a worker with it"
done
touch "$DIR/killed.go"
expect SUCCEEDED 20 2

begin steady
wait_for_items 1000
kill_core KILL
wait_for_state SUCCEEDED
report $? "core dies, and all items are over"
# Eight that were out, a hundred of a checkpoint, and those of the time that it takes to write it.
AGAIN=$(repeats 2000)
[ "$AGAIN" -le 300 ]
report $? "what was over by the last checkpoint was not executed again" "$AGAIN of 1000 were"

begin again-now
wait_for_items 2
check "jobd is executed again, and the workers stay" ctl daemon-reexec
check "they are asked for" ctl flow show "$RUN"
for worker in $(workers); do
        check "worker $worker is there" kill -0 "$worker"
done
check "once more" ctl daemon-reexec
touch "$DIR/again-now.go"
expect SUCCEEDED 40 0
check_equal "by the workers that it had" "$(workers | wc -l)" 2

begin parallel
wait_for_items 8
report $? "each of eight workers has one of eight items"
check_equal "and none has two" "$(workers | wc -l)" 8
touch "$DIR/parallel.go"
expect SUCCEEDED 8 0

begin mute
wait_for 'no worker has said hello yet' ctl batch why "$RUN"
report $? "workers that say nothing are a reason to wait"
check "that run is cancelled" ctl flow cancel "$RUN"

begin cancelled
wait_for_items 2
check "a run is cancelled" ctl flow cancel "$RUN"
wait_for_state CANCELLED
report $? "and its workers are ended"
check_equal "with the items that they had" "$(wc -l <"$RECORD")" 2

begin abandoned
wait_for_state TIMEOUT
report $? "a deadline that abandons ends the run alone"
touch "$DIR/abandoned.go"
wait_for '^inactive$|^failed$' ctl is-active abandoned.batch
report $? "the unit ends with the workers"
[ "$(wc -l <"$RECORD")" -le 4 ]
report $? "which got nothing more" "$(cat "$RECORD")"

begin stopped
wait_for_items 2
check "the unit is stopped" ctl stop stopped.batch
wait_for_state PAUSED
touch "$DIR/stopped.go"
check "and started, and the run goes on" ctl start stopped.batch
expect SUCCEEDED 20 2

done_testing
