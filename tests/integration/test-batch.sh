#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs of batches with real processes: what becomes of items by their ends, times and budgets, what the verbs do, and what a
# batch has of a unit and of a part of a flow.
# S003-1, S003-2, S003-5, S003-7, S003-8, S003-9, S003-12, S003-14, S003-17
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

# batch NAME ITEMS COMMAND [SETTING…]: the command is one of the shell, and has $JOBD_INDEX
batch() {
        local name=$1 items=$2 command=$3
        shift 3
        printf '%s\n' "$command" >"$DIR/$name.sh"
        unit "$name.batch" <<U
[Batch]
Items=$items
Parallel=4
RetryDelaySec=1ms
Exec=/bin/sh $DIR/$name.sh
$(printf '%s\n' "$@")
U
}

# hold: in the command of an item: it lasts until somebody makes the file go
# shellcheck disable=SC2016
hold() {
        printf 'echo %s $JOBD_INDEX >>%s; until [ -e %s/go ]; do sleep 0.02; done' "$1" "$RECORD" "$DIR"
}

# seen WORD: the items that have written it down, in their order
seen() {
        awk -v word="$1" '$1 == word { print $2 }' "$RECORD" | sort -n | tr '\n' ' '
}

# count WORD
count() {
        grep -c "^$1\\( \\|\$\\)" "$RECORD"
}

last_run() {
        ctl flow list --no-legend --all | awk 'NR == 1 { print $1 }'
}

# shellcheck disable=SC2317
run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

# wait_for_state STATE: of the last run
wait_for_state() {
        wait_for "^$1\$" run_state "$RUN"
}

# begin BATCH: a run of it, in $RUN
begin() {
        check "a run of $1 begins" ctl flow start "$1.batch"
        RUN=$(last_run)
}

# wait_for_items WORD COUNT: until so many have written it down
wait_for_items() {
        wait_for "^([0-9]+ ){$2}\$" seen "$1"
}

batch all 40 "echo all \$JOBD_INDEX >>$RECORD"
batch word 3 "true"
sed -i 's/^Exec=.*/Exec=\/bin\/sh -c "echo word %{item} %{param.x} >>'"${RECORD//\//\\/}"'"\nParams=x:=0/' "$UNITS/word.batch"
batch errors 20 "echo errors \$JOBD_INDEX >>$RECORD; [ \$((JOBD_INDEX % 10)) != 3 ]" ItemRetry=2
batch twice 40 "echo twice \$JOBD_INDEX >>$RECORD; [ -e $DIR/good ] || [ \$((JOBD_INDEX % 10)) != 3 ]" ItemRetry=0
batch twice-total 40 "echo total \$JOBD_INDEX >>$RECORD; [ -e $DIR/good ] || [ \$((JOBD_INDEX % 10)) != 3 ]" ItemRetry=0 \
        MaxErrorsTotal=2 Parallel=1
batch many 300 "echo many \$JOBD_INDEX >>$RECORD; [ -e $DIR/good ]" ItemRetry=0 Parallel=1 MaxErrors=259
batch mends 6 "[ \$JOBD_ATTEMPT = 3 ] && echo mends \$JOBD_INDEX >>$RECORD" ItemRetry=5
batch final 4 "echo final \$JOBD_INDEX >>$RECORD; exit \$((JOBD_INDEX + 2))" ItemRetry=1 NoRetryExitStatus=3 SuccessExitStatus=2
batch only 3 "echo only \$JOBD_INDEX >>$RECORD; exit \$((JOBD_INDEX + 2))" ItemRetry=1 RetryExitStatus=3
batch again 2 "echo again \$JOBD_INDEX >>$RECORD; [ -e $DIR/again.\$JOBD_INDEX ] || { >$DIR/again.\$JOBD_INDEX; exit 75; }" \
        ItemRetry=0 AgainSec=1ms
batch after 1 "echo after \$JOBD_INDEX >>$RECORD; [ -e $DIR/after ] || { >$DIR/after; echo again-after 1ms >>\$JOBD_CONTROL; exit 7; }" \
        ItemRetry=0 AgainSec=1h AgainExitStatus=7
batch adds 1 "echo {} >\$(dirname \$JOBD_CONTROL)/more; echo add-nodes more >>\$JOBD_CONTROL"
batch late 3 "echo late \$JOBD_INDEX >>$RECORD; [ \$JOBD_INDEX != 1 ] || sleep 1000" ItemRetry=1 ItemTimeoutSec=300ms
batch total 8 "false" ItemRetry=0 MaxErrorsTotal=2 Parallel=1
batch totals 3 "false" ItemRetry=0 MaxErrorsTotal=2
batch share 400 "[ \$JOBD_INDEX -ge 100 ] || exit 1; echo share \$JOBD_INDEX >>$RECORD" ItemRetry=0 MaxErrorPercent=50
batch budget 20 "[ \$JOBD_INDEX = 9 ] && { $(hold budget); } || [ -e $DIR/good ]" ItemRetry=0 MaxErrors=2 Parallel=2
batch kills 20 "[ \$JOBD_INDEX = 0 ] && { $(hold kills); } || [ -e $DIR/good ]" ItemRetry=0 MaxErrors=2 Parallel=2 Window=20 OnErrorBudget=kill
batch prepare 2 "echo prepare \$JOBD_INDEX >>$RECORD" "ExecPrepare=/bin/sh -c 'echo prepares >>$RECORD; test -e $DIR/good'"
batch slow-prepare 2 true "ExecPrepare=/bin/sleep 1000" PrepareTimeoutSec=100ms
batch manual 2 "echo manual \$JOBD_INDEX >>$RECORD" ManualStart=yes
batch pause 8 "$(hold pause)" Parallel=2
batch pause-time 8 "$(hold pause-time)" Parallel=2 PauseTimeoutSec=100ms
batch cancel 8 "$(hold cancel)" Parallel=2
batch stop 8 "$(hold stop)" Parallel=2 StopMode=interrupt
batch terminate 8 "$(hold terminate)" Parallel=2 RunTimeoutSec=1s
batch drain 8 "$(hold drain)" Parallel=2 RunTimeoutSec=500ms TimeoutMode=drain
batch abandon 8 "$(hold abandon)" Parallel=2 RunTimeoutSec=500ms TimeoutMode=abandon
batch finished 4 "echo finished \$JOBD_INDEX >>$RECORD" StartMode=finished "FinalExec=/bin/sh -c 'echo final-command >>$RECORD'"
batch rate 6 "date +%%s%%N >>$DIR/times" Rate=20 Burst=1 Parallel=6
batch window 10 "echo window \$JOBD_INDEX >>$RECORD; [ \$JOBD_INDEX != 0 ] || { until [ -e $DIR/go ]; do sleep 0.02; done; }" Window=5
batch huge 10000000000 "echo huge \$JOBD_INDEX >>$RECORD"
batch busy 1 "$(hold busy)" OnBusy=skip
batch lock 1 "$(hold lock)" Lock=one MaxRuns=2
batch keep 1 "true" KeepRuns=2
batch notified 3 "true" "Notify=exec:'/bin/sh -c \"echo told >>$RECORD\"' succeeded"
batch slow 8 "$(hold slow)" Parallel=2
sed -i 's/%%/%/g' "$DIR/rate.sh"
unit parent.flow <<U
[Node part]
Flow=slow.batch
U
unit timed.timer <<'U'
[Timer]
OnActiveSec=1ms
AccuracySec=1us
Unit=all.batch
U
start_daemon

check "all items succeed" ctl flow start --wait all.batch
check_equal "each once" "$(seen all)" "$(seq -s ' ' 0 39) "
check_prints "the run is listed" '^ *1 +all.batch +SUCCEEDED' ctl flow list
check "values of commands" ctl flow start --wait word.batch x=7
check_equal "are the item and a parameter" "$(grep '^word' "$RECORD" | sort | tr '\n' ,)" "word 0 7,word 1 7,word 2 7,"
check_exit "items that fail are errors" 10 ctl flow start --wait errors.batch
check_equal "after their tries" "$(count 'errors 3')-$(count 'errors 13')-$(count errors)" 3-3-24
check "an item that succeeds at last is none" ctl flow start --wait mends.batch
check_equal "each of them does" "$(seen mends)" "0 1 2 3 4 5 "
check_exit "exit statuses are judged" 10 ctl flow start --wait final.batch
check_equal "a success, a final failure, and others" "$(seen final)" "0 1 2 2 3 3 "
check_exit "only some are tried again" 10 ctl flow start --wait only.batch
check_equal "as RetryExitStatus= says" "$(seen only)" "0 1 1 2 "
check "'not yet' takes no try" ctl flow start --wait again.batch
check_equal "and each came again" "$(seen again)" "0 0 1 1 "
check "nor does one with a time of its own" ctl flow start --wait after.batch
check_equal "which came again" "$(seen after)" "0 0 "
check "an item asks for nodes" ctl flow start --wait adds.batch
check_prints "which a batch does not get" 'A batch has no nodes' cat "$DIR/log"
check_exit "an item that takes too long fails" 10 ctl flow start --wait late.batch
check_equal "after its tries" "$(seen late)" "0 1 1 2 "
check_exit "too many errors in all end the run" 1 ctl flow start --wait total.batch
check_exit "also if the last item is the one too many" 1 ctl flow start --wait totals.batch
check_exit "errors are issued again" 10 ctl flow start --wait twice.batch
RUN=$(last_run)
check_exit "by the verb for that alone" 4 ctl flow retry "$RUN"
check_prints "which is told" "'jobctl batch retry-errors $RUN'" ctl flow retry "$RUN"
check_exit "also of its node" 4 ctl flow retry "$RUN/items"
check_prints "they are told" "^Run $RUN issues 4 items again that are errors\.$" ctl batch retry-errors "$RUN"
wait_for '^44$' count twice && wait_for_state PARTIAL
report $? "and may fail again"
check_equal "they alone were issued" "$(seen twice)" "$(printf '%s\n' {0..39} 3 13 23 33 | sort -n | tr '\n' ' ')"
check_equal "and are errors still" "$(ctl batch errors "$RUN" --no-legend | awk '{ print $1 }' | tr '\n' ' ')" "3 13 23 33 "
touch "$DIR/good"
check_prints "for programs" "^{\"id\":$RUN,\"items\":4}$" ctl batch --json retry-errors "$RUN"
wait_for_state SUCCEEDED
report $? "those that succeed are none"
check_prints "and have no row" '^No errors' ctl batch errors "$RUN"
check_exit "then there is nothing to issue" 4 ctl batch retry-errors "$RUN"
check_prints "which is told" "No item of run $RUN is an error" ctl batch retry-errors "$RUN"
rm "$DIR/good"
begin twice-total
wait_for_state FAILED
report $? "too many errors in all end a run"
check "it is issued again with what was never issued" ctl batch retry-errors "$RUN"
wait_for_state FAILED
report $? "and may fail again"
check_equal "when all were issued that were errors" "$(seen total | tr ' ' '\n' | uniq -d | tr '\n' ' ')" "3 13 23 "
touch "$DIR/good"
check "and again" ctl batch retry-errors "$RUN"
wait_for_state SUCCEEDED
report $? "to its end"
rm "$DIR/good"
begin many
wait_for_state PAUSED
report $? "a run with many errors is paused"
check_prints "which are issued when it goes on" "^Run $RUN issues 260 items .* when it goes on: 'jobctl batch resume $RUN'\.$" \
        ctl batch retry-errors "$RUN"
touch "$DIR/good"
check "it does" ctl flow resume "$RUN"
wait_for_state SUCCEEDED
report $? "and all are mended"
check_equal "each by one more try" "$(count many)" 560
rm "$DIR/good"

begin share
wait_for_state PAUSED
report $? "too large a share of errors pauses it"
check_prints "with a reason" 'error-budget' ctl flow list share.batch
check "it goes on" ctl flow resume "$RUN"
wait_for_state PARTIAL
report $? "to its end"
check_equal "of all items" "$(seen share)" "$(seq -s ' ' 100 399) "
begin budget
wait_for_state PAUSED
report $? "too many errors pause it"
touch "$DIR/good"
check "it goes on" ctl flow resume "$RUN"
wait_for_items budget 1
touch "$DIR/go"
wait_for_state PARTIAL
report $? "with a new budget"
rm "$DIR/good" "$DIR/go"
begin kills
wait_for_state PAUSED
report $? "OnErrorBudget=kill ends what is out"
touch "$DIR/good" "$DIR/go"
check "it goes on" ctl flow resume "$RUN"
wait_for_state PARTIAL
report $? "with what was ended"
check_equal "which was issued again" "$(seen kills)" "0 0 "
rm "$DIR/good" "$DIR/go"

begin prepare
wait_for_state PAUSED
report $? "a preparation that fails pauses the run"
check_prints "with a reason" 'prepare' ctl flow list prepare.batch
touch "$DIR/good"
check "the next launch prepares again" ctl flow resume "$RUN"
wait_for_state SUCCEEDED
report $? "and issues items"
check_equal "all of them" "$(count prepares):$(seen prepare)" "2:0 1 "
begin slow-prepare
wait_for_state PAUSED
report $? "so does one that takes too long"
begin manual
wait_for_state AWAITING
report $? "a run waits for its owner"
check "it can be cancelled" ctl flow cancel "$RUN"
wait_for_state CANCELLED
report $? "before it has issued anything"
check_equal "and has not" "$(seen manual)" ""

begin pause
wait_for_items pause 2
check "a run is paused" ctl flow pause "$RUN"
wait_for_state PAUSING
touch "$DIR/go"
wait_for_state PAUSED
report $? "when what is out has ended"
check_equal "nothing more was issued" "$(seen pause)" "0 1 "
check "it goes on" ctl flow resume "$RUN"
wait_for_state SUCCEEDED
report $? "to its end"
check_equal "each item ran once" "$(seen pause)" "0 1 2 3 4 5 6 7 "
check_exit "it is not executed again" 4 ctl flow rerun "$RUN/items"
rm "$DIR/go"
begin pause-time
wait_for_items pause-time 2
check "a pause that takes too long" ctl flow pause "$RUN"
wait_for_state PAUSED
report $? "ends what is out"
touch "$DIR/go"
check "it goes on" ctl flow resume "$RUN"
wait_for_state SUCCEEDED
report $? "with what was ended"
check_equal "which was issued again" "$(seen pause-time)" "0 0 1 1 2 3 4 5 6 7 "
rm "$DIR/go"
begin cancel
wait_for_items cancel 2
check_exit "a batch takes no stop" 4 ctl flow stop "$RUN"
check "a run is cancelled" ctl flow cancel "$RUN"
wait_for_state CANCELLED
report $? "at once"
check_lacks "its processes are gone" "$DIR/cancel.sh" ps -eo args
check_exit "what was cancelled stays so" 4 ctl flow retry "$RUN"
check "it is deleted" ctl flow delete "$RUN"
check_exit "and not there any more" 5 ctl flow show "$RUN"
begin stop
wait_for_items stop 2
check "the unit is stopped" ctl stop stop.batch
check_equal "the run is held" "$(run_state "$RUN")" PAUSED
check_lacks "its processes are gone" "$DIR/stop.sh" ps -eo args
touch "$DIR/go"
check "the unit is started" ctl start stop.batch
wait_for_state SUCCEEDED
report $? "the run goes on"
check_equal "with what was ended" "$(seen stop)" "0 0 1 1 2 3 4 5 6 7 "
rm "$DIR/go"
begin terminate
wait_for_state TIMEOUT
report $? "a deadline ends a run"
check_lacks "its processes are gone" "$DIR/terminate.sh" ps -eo args
touch "$DIR/go"
check "it can be tried again" ctl flow retry "$RUN"
wait_for_state SUCCEEDED
report $? "and goes on"
check_equal "with what was not over" "$(seen terminate)" "0 0 1 1 2 3 4 5 6 7 "
rm "$DIR/go"
begin drain
wait_for_items drain 2
wait_for 'no more are issued' ctl flow why "$RUN"
report $? "a deadline that drains lets what is out end"
touch "$DIR/go"
wait_for_state TIMEOUT
report $? "and the run then"
check_equal "nothing more was issued" "$(seen drain)" "0 1 "
rm "$DIR/go"
begin abandon
wait_for_state TIMEOUT
report $? "a deadline that abandons ends the run alone"
touch "$DIR/go"
wait_for '^inactive$|^failed$' ctl is-active abandon.batch
report $? "the unit ends with the items"
check_equal "nothing more was issued" "$(seen abandon)" "0 1 "
rm "$DIR/go"

check "StartMode=finished waits for the end" ctl start finished.batch
check_equal "of all items, and of the final command" "$(seen finished)$(count final-command)" "0 1 2 3 1"
BEGAN=$(date +%s%N)
check "items are issued by a rate" ctl flow start --wait rate.batch
# Processes may begin late, but none before its item is issued.
LAST=$(sort -n "$DIR/times" | tail -n 1)
check_equal "all of them" "$(wc -l <"$DIR/times")" 6
check "and not faster" test $((LAST - BEGAN)) -ge 240000000
BEFORE=$(last_run)
check "a run begins with a later item" ctl batch start --wait --first=9999999997 huge.batch
check_equal "those before it count as over" "$(seen huge)" "9999999997 9999999998 9999999999 "
check_prints "all are" 'Items: 10000000000 of 10000000000 are over, 0 errors' ctl batch show "$(last_run)"
check_exit "there is no item behind the last" 2 ctl batch start --first=10000000000 huge.batch
check_prints "which is told" 'has the items 0 to 9999999999: the first cannot be 10000000000' \
        ctl batch start --first=10000000000 huge.batch
check_exit "a word is no item" 2 ctl batch start --first=last huge.batch
check_equal "they made no run" "$(last_run)" "$((BEFORE + 1))"
begin window
check_prints "its unit tells of it" 'window-[0-9]+ is RUNNING: .* of 10 items' ctl why window.batch
wait_for_items window 5
check_prints "an item that takes long holds up the others" '4 of 10 items are over' ctl flow why "$RUN"
touch "$DIR/go"
wait_for_state SUCCEEDED
report $? "until it is over"
check_equal "then all are" "$(seen window)" "0 1 2 3 4 5 6 7 8 9 "
rm "$DIR/go"
begin busy
check_prints "OnBusy= holds" 'No run of busy.batch was made' ctl flow start busy.batch
begin lock
wait_for_items lock 1
begin lock
check_prints "Lock= holds" "WAITING|QUEUED|lock" ctl flow why "$RUN"
touch "$DIR/go"
wait_for_state SUCCEEDED
report $? "and is given up"
rm "$DIR/go"
for _ in 1 2 3 4; do
        ctl flow start --wait keep.batch >/dev/null
done
wait_for '^2$' sh -c "'$BUILD/jobctl' flow list --no-legend --all keep.batch | wc -l"
report $? "KeepRuns= are kept"
check "a run tells its end" ctl flow start --wait notified.batch
wait_for '^told$' cat "$RECORD"
report $? "as Notify= says"
: >"$RECORD"
check "a timer submits a run" ctl start timed.timer
wait_for_items all 40
report $? "of all items"

check "a batch is a node" ctl flow start parent.flow
wait_for_items slow 2
PARENT=$(ctl flow list --no-legend parent.flow | awk 'NR == 1 { print $1 }')
RUN=$(ctl flow list --no-legend slow.batch | awk 'NR == 1 { print $1 }')
check "the parent is paused" ctl flow pause "$PARENT"
wait_for_state 'PAUSING'
report $? "and so is the batch"
touch "$DIR/go"
wait_for_state PAUSED
check_equal "nothing more is issued" "$(seen slow)" "0 1 "
check "the parent goes on" ctl flow resume "$PARENT"
wait_for_state SUCCEEDED
report $? "and so does the batch"
RUN=$PARENT
wait_for_state SUCCEEDED
report $? "and the parent ends"
rm "$DIR/go"
check "another one" ctl flow start parent.flow
wait_for_items slow 10
PARENT=$(ctl flow list --no-legend parent.flow | awk 'NR == 1 { print $1 }')
RUN=$(ctl flow list --no-legend slow.batch | awk 'NR == 1 { print $1 }')
check "is cancelled" ctl flow cancel "$PARENT"
wait_for_state CANCELLED
report $? "and so is the batch"
check_lacks "its processes are gone" "$DIR/slow.sh" ps -eo args

check "one more" ctl flow start parent.flow
wait_for_items slow 12
PARENT=$(ctl flow list --no-legend parent.flow | awk 'NR == 1 { print $1 }')
RUN=$(ctl flow list --no-legend slow.batch | awk 'NR == 1 { print $1 }')
check "is stopped" ctl flow stop "$PARENT"
wait_for_state STOPPING
report $? "and the batch with it"
touch "$DIR/go"
wait_for_state CANCELLED
report $? "when what is out has ended"
check_equal "nothing more was issued" "$(seen slow | wc -w)" 12
rm "$DIR/go"

begin slow
wait_for_items slow 14
sed -i 's/^Items=.*/Items=3/' "$UNITS/slow.batch"
check "files are read again" ctl daemon-reload
touch "$DIR/go"
wait_for_state SUCCEEDED
report $? "while a run goes on"
check_equal "as it was made" "$(seen slow | wc -w)" 20

done_testing
