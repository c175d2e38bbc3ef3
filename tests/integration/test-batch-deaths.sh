#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Batches while core, the store or all of jobd dies: how often items are executed then
# S003-3, S003-4, S003-13
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/boots.sh"

RECORD=$DIR/record

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

store() {
        awk '/^Name:/ { name = $2 } /^PPid:/ && name == "jobd-runstore" { split(FILENAME, part, "/"); print part[3] }' \
                /proc/[0-9]*/status 2>/dev/null
}

# begin BATCH: a run of it, in $RUN, with an empty record
begin() {
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
        [ "$(sort -un "$RECORD" | wc -l)" = "$1" ] && echo $(($(wc -l <"$RECORD") - $1)) || echo lost
}

# batch NAME ITEMS SECONDS [SETTING…]
batch() {
        local name=$1 items=$2 seconds=$3
        shift 3
        unit "$name.batch" <<U
[Batch]
Items=$items
Parallel=4
Exec=/bin/sh -c 'echo \$\$JOBD_INDEX >>$RECORD; sleep $seconds'
$(printf '%s\n' "$@")
U
}

batch core 120 0.05
batch store 60 0.05
batch both 60 0.05 SyncItems=5
batch again 40 0.05
batch boot 100 0.05 SyncItems=5
batch kept 40 0.1
batch stopped 40 0.1 StopMode=interrupt TimeoutStopSec=5
unit sticky.batch <<U
[Batch]
Items=6
Parallel=2
Exec=/bin/sh -c 'echo \$\$JOBD_INDEX >>$RECORD; until [ -e $DIR/go ]; do sleep 0.02; done'
U
unit tries.batch <<U
[Batch]
Items=2
Parallel=2
ItemRetry=2
RetryDelaySec=1ms
Exec=/bin/sh -c 'echo \$\$JOBD_INDEX >>$RECORD; until [ -e $DIR/go ]; do sleep 0.02; done; exit 1'
U
unit prepare.batch <<U
[Batch]
Items=2
ExecPrepare=/bin/sh -c 'until [ -e $DIR/go ]; do sleep 0.02; done; echo prepared >>$DIR/prepared'
Exec=/bin/sh -c 'echo \$\$JOBD_INDEX >>$RECORD'
U
unit mends.batch <<U
[Batch]
Items=6
Parallel=2
ItemRetry=0
Exec=/bin/sh -c 'echo \$\$JOBD_INDEX >>$RECORD; test -e $DIR/good && until [ -e $DIR/go ]; do sleep 0.02; done'
U
# Item N ends with the file go-N, and is an error if there is no file good-N then.
unit torn.batch <<U
[Batch]
Items=3
SyncSec=1h
ItemRetry=0
Exec=/bin/sh -c 'echo \$\$JOBD_INDEX >>$RECORD; until [ -e $DIR/go-\$\$JOBD_INDEX ]; do sleep 0.02; done; [ -e $DIR/good-\$\$JOBD_INDEX ]'
U
seq -f %04000g 62 >"$DIR/long"
unit unsent.batch <<U
[Batch]
ItemsFile=$DIR/long
Parallel=4
ItemRetry=0
MaxErrors=0
Exec=/bin/sh -c 'echo \$\$JOBD_INDEX >>$RECORD; until [ -e $DIR/go ]; do sleep 0.02; done; exit 1'
U
boot
start_daemon

begin core
for i in $(seq 10); do
        wait_for_items $((i * 9))
        kill_core KILL
done
wait_for_state SUCCEEDED
report $? "core dies ten times, and all items are over"
check_equal "each was executed once" "$(repeats 120)" 0

begin again
wait_for_items 10
check "jobd is executed again" ctl daemon-reexec
wait_for_state SUCCEEDED
report $? "and goes on"
check_equal "each item was executed once" "$(repeats 40)" 0

begin store
for i in 1 2 3; do
        wait_for_items $((i * 12))
        OLD=$(store)
        kill -KILL "$OLD"
        wait_for "^[0-9]+\$" sh -c "ps -o pid= -C jobd-runstore | grep -v '^ *$OLD\$' | tr -d ' '"
done
wait_for_state SUCCEEDED
report $? "the store dies three times, and all items are over"
check_equal "each was executed once" "$(repeats 60)" 0

begin both
for i in 1 2 3; do
        wait_for_items $((i * 12))
        OLD=$CORE
        kill -KILL "$(store)" "$CORE"
        next_core "$OLD"
done
wait_for_state SUCCEEDED
report $? "both die three times, and all items are over"
[ "$(repeats 60)" != lost ]
report $? "each was executed"

begin sticky
wait_for_items 2
check "a run is paused" ctl flow pause "$RUN"
wait_for_state PAUSING
check "and goes on before what is out has ended" ctl flow resume "$RUN"
kill_core KILL
touch "$DIR/go"
wait_for_state SUCCEEDED
report $? "core dies, and it does"
check_equal "each item was executed once" "$(repeats 6)" 0
rm "$DIR/go"

begin tries
wait_for_items 2
kill_core KILL
touch "$DIR/go"
wait_for_state PARTIAL
report $? "items have failed, though core died"
check_equal "after as many tries as without that" "$(sort "$RECORD" | tr -d '\n')" 000111
rm "$DIR/go"

begin prepare
wait_for_state AWAITING
kill_core KILL
touch "$DIR/go"
wait_for_state SUCCEEDED
report $? "a preparation goes on while core dies"
check_equal "and is not done again" "$(cat "$DIR/prepared")" prepared
rm "$DIR/go"

begin mends
wait_for_state PARTIAL
report $? "items have failed"
touch "$DIR/good"
check "they are issued again" ctl batch retry-errors "$RUN"
wait_for_items 8
kill_core KILL
touch "$DIR/go"
wait_for_state SUCCEEDED
report $? "core dies, and they are"
check_equal "each was executed once, as before" "$(sort "$RECORD" | tr -d '\n')" 001122334455
rm "$DIR/go" "$DIR/good"
begin mends
wait_for_state PARTIAL
touch "$DIR/good"
check "errors are issued again" ctl batch retry-errors "$RUN"
wait_for_items 8
cut_power
touch "$DIR/go"
start_daemon
wait_for_state SUCCEEDED
report $? "power is lost, and they are"
check_prints "none is an error" '^No errors' ctl batch errors "$RUN"
rm "$DIR/go" "$DIR/good"

# counted RUN: how many items are errors; listed RUN: how many have a row; agree RUN: both, as "n n"
# shellcheck disable=SC2317
counted() {
        ctl batch show "$1" | sed -n 's/^ *Items: .* \([0-9]*\) errors\{0,1\}.*/\1/p'
}

# shellcheck disable=SC2317
listed() {
        ctl batch errors "$1" --all --no-legend | grep -c 'ago'
}

agree() {
        echo "$(counted "$1") $(listed "$1")"
}

touch "$DIR/go-0" "$DIR/go-1"
begin torn
wait_for '^2$' listed "$RUN"
report $? "items have failed"
cut_power
touch "$DIR/good-0" "$DIR/good-1" "$DIR/good-2" "$DIR/go-2"
start_daemon
wait_for '^(SUCCEEDED|PARTIAL)$' run_state "$RUN"
report $? "power is lost, and the run goes on"
check_equal "as many errors are counted as have a row" "$(agree "$RUN")" "2 2"
rm "$DIR/go-1"
check "they are issued again" ctl batch retry-errors "$RUN"
wait_for '^1$' listed "$RUN"
report $? "one is mended"
cut_power
touch "$DIR/go-1"
start_daemon
wait_for '^(SUCCEEDED|PARTIAL)$' run_state "$RUN"
report $? "power is lost again, and the other one is"
check_equal "none is counted, and none has a row" "$(agree "$RUN")" "0 0"

begin unsent
wait_for_items 4
STORE=$(store)
kill -STOP "$STORE"
touch "$DIR/go"
wait_for ' is PARTIAL' ctl batch why "$RUN"
report $? "items fail while the store does not listen"
OLD=$CORE
kill -KILL "$CORE"
kill -CONT "$STORE"
next_core "$OLD"
wait_for_state PARTIAL
report $? "core dies, and the run ends"
check_equal "each error has its row" "$(agree "$RUN")" "62 62"
rm "$DIR/go"

begin kept
PAUSED=$RUN
check "a run is paused" ctl flow pause "$PAUSED"
wait_for_state PAUSED
begin stopped
wait_for_items 10
stop_daemon
report $? "the daemon is ended"
start_daemon
wait_for . run_state "$RUN"
[ "$(run_state "$RUN")" != PAUSED ] || ctl start stopped.batch
wait_for_state SUCCEEDED
report $? "and the run goes on with the next one"
[ "$(repeats 40)" -le 4 ]
report $? "with what was out alone" "$(repeats 40)"
check_equal "one that a person had paused does not" "$(run_state "$PAUSED")" PAUSED
check "it is cancelled" ctl flow cancel "$PAUSED"

begin boot
wait_for_items 60
cut_power
BEFORE=$(wc -l <"$RECORD")
start_daemon
wait_for_state SUCCEEDED
report $? "power is lost, and the run goes on"
AGAIN=$(repeats 100)
# Four that were out, five of a checkpoint, and those of the time that the store takes.
[ "$AGAIN" -le 30 ]
report $? "with what was out, or over since the last checkpoint" "$AGAIN of $BEFORE were executed again"

done_testing
