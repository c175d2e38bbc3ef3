#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The verbs of batches: what they say of a run that lives and of one that has ended, and what they refuse. A flow that is given to
# them, and a batch that is given to the verbs of flows, are told the right verb.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

# An item lasts until somebody writes to its fifo. Those that end with 3 or 8 fail.
N=10
for ((i = 0; i < N; i++)); do
        mkfifo "$DIR/item.$i"
done
unit held.batch <<U
[Batch]
Items=$N
Parallel=4
ItemRetry=0
Exec=/bin/sh -c 'echo item \$\$JOBD_INDEX; read line <$DIR/item.\$\$JOBD_INDEX; test \$\$((JOBD_INDEX %% 5)) != 3'
U
unit quick.batch <<'U'
[Batch]
Params=word
Items=3
Exec=/bin/echo %{param.word}
U
unit faulty.batch <<'U'
[Batch]
Items=3
ItemRetry=1
RetryDelaySec=1ms
Exec=/bin/sh -c 'test $$JOBD_INDEX != 1'
U
unit budget.batch <<'U'
[Batch]
Items=100
ItemRetry=0
MaxErrors=3
Exec=/bin/false
U
unit spend.batch <<'U'
[Batch]
Items=100
ItemRetry=0
MaxErrors=3
Exec=/bin/false
U
unit manual.batch <<'U'
[Batch]
Items=2
ManualStart=yes
Exec=/bin/true
U
unit both.batch <<'U'
[Batch]
Items=1
Exec=/bin/true
U
unit both.flow <<'U'
[Node a]
Exec=/bin/true
U
unit nightly.flow <<'U'
[Node a]
Exec=/bin/true
U

# release ITEM…: they end
release() {
        for item; do
                timeout "$PATIENCE" sh -c 'echo >"$1"' sh "$DIR/item.$item"
        done
}

# wait_for_state RUN STATE
wait_for_state() {
        wait_for "\"state\":\"$2\"" ctl batch --json show "$1"
}

# run METHOD [SIGNATURE ARGUMENT…], of run $OF
# shellcheck disable=SC2317
run() {
        busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 "/org/jobd1/run/$OF" org.jobd1.Run "$@"
}

# shellcheck disable=SC2317
batch() {
        busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 /org/jobd1/unit/held_2ebatch org.jobd1.Batch "$@"
}

start_daemon

# — a run that lives —

check "no run is listed" wait_for '^No runs' ctl batch list
check_prints "a batch starts by its name" '^Run 1 of held.batch\.$' ctl batch start held
check "as many items are out as may be" wait_for 'Items: 0 of 10 are over, 0 errors, 4 out$' ctl batch show held
release 0 1 2 3
check "what is over is counted at once" wait_for 'Items: 4 of 10 are over, 1 error, 4 out$' ctl batch show 1
check_prints "its launches, too" '^ Launches: 1$' ctl batch show held-1
check_prints "and what it waits for" '^    Waits: as many are out as Parallel= allows$' ctl batch show held.batch
check_lacks "no nodes are shown" 'Nodes|NODE|items$' ctl batch show 1
check_prints "nor by the verb of flows" 'Items: 4 of 10 are over' ctl flow show 1
check_lacks "which says nothing of nodes" 'Nodes|NODE' ctl flow show 1
check_prints "for programs" '"done":4,"failed":1,"running":4,"total":10,"launches":1,.*"waits":"as many' ctl batch --json show 1
check_prints "why says it in a sentence" \
        '^Run held-1 is RUNNING: 4 of 10 items are over, 1 of them as errors, 4 are out; as many are out as Parallel= allows\.$' \
        ctl batch why held
check_equal "and has one line" "$(ctl batch why 1 | wc -l)" 1
check_prints "for programs" '"done":4,"failed":1,"running":4,"total":10,"launches":1' ctl batch --json explain 1
check_prints "runs of batches are listed" '^  1 held.batch RUNNING ' ctl batch list
check_prints "with their items" ' ITEMS ' ctl batch list
check_prints "those of a batch" '"kind":"batch"' ctl batch --json list held

check_exit "nobody knows what a stop of it means" 4 ctl flow stop 1

# — pause —

check_prints "a pause waits for what is out" '^Run 1 is paused when what is out has come back\.$' ctl batch pause 1
check_prints "that is said" 'PAUSING: .*4 are out; no more are issued, and it pauses when what is out has come back\.$' \
        ctl batch why 1
release 4 5 6 7
check "it has" wait_for_state 1 PAUSED
check_prints "nothing is out" 'Items: 8 of 10 are over, 1 error, 0 out$' ctl batch show 1
check_prints "how it goes on is told" "Waits: it is paused: 'jobctl batch resume 1'" ctl batch show 1
check_prints "by why, too" "PAUSED: it is paused: 'jobctl batch resume 1'" ctl batch why 1
check_prints "it goes on" '^Run 1 goes on\.$' ctl batch resume 1
check "with another launch" wait_for '^ Launches: 2$' ctl batch show 1
check_prints "the verb of flows says the same of a pause" '^Run 1 is paused when what is out has come back\.$' ctl flow pause 1
check_exit "a pausing run is not paused" 4 ctl batch pause 1
release 8 9
check "all are over" wait_for_state 1 PARTIAL

# — one that has ended —

check_prints "its items are told" 'Items: 10 of 10 are over, 2 errors$' ctl batch show 1
check_prints "why says how" '^Run held-1 is PARTIAL: 10 of 10 items are over, 2 of them as errors\.$' ctl batch why 1
check_prints "and what says more" "'jobctl batch errors 1' lists" ctl batch why held
check_equal "errors are listed" "$(ctl batch errors 1 --no-legend | awk '{ print $1, $2, $3 }' | tr '\n' ' ')" '3 1 1 8 1 1 '
check_prints "of the last run of a batch" '^2 errors listed\.$' ctl batch errors held
check_prints "for programs" '^{"run":1,"item":3,"tries":1,"reason":"error","exit":1,"ended":[0-9]+}$' ctl batch --json errors 1
check_equal "a line each" "$(ctl batch --json errors 1 | wc -l)" 2
check_prints "only some" '^1 error listed; --all lists all' ctl batch errors 1 --lines 1
check_prints "the output of all" '^\[7\] item 7$' ctl batch logs held --output cat
check_equal "of one item" "$(ctl batch logs 1/7 --output cat)" 'item 7'
check_equal "of the last run, too" "$(ctl batch logs held/3 --output cat)" 'item 3'
check_prints "its number is in the log" '"ITEM":"7"|ITEM=7' ctl batch logs 1/7 --json
check_exit "there is no item 10" 2 ctl batch logs 1/10
check_exit "nothing goes on with it" 4 ctl batch proceed 1

# — the end of a wait —

check_exit "a run that succeeds" 0 ctl batch start --wait quick word=hello
check_equal "has its parameter" "$(ctl batch logs quick/2 --output cat)" hello
check_prints "no errors" '^No errors\.$' ctl batch errors quick
check_exit "one with errors" 10 ctl batch start --wait faulty.batch
check_equal "each try counts" "$(ctl batch errors faulty --no-legend | awk '{ print $1, $2 }')" '1 2'
check "one beyond its budget begins" ctl batch start --name spent budget
check "is paused" wait_for_state spent PAUSED
check_prints "says so" 'State: PAUSED \(error-budget\)' ctl batch show spent
check_exit "and is cancelled" 0 ctl batch cancel spent
check "that is its end" wait_for_state spent CANCELLED
check "one that waits for its owner" ctl batch start manual
check "is AWAITING" wait_for_state manual AWAITING
check_equal "is listed by that" "$(ctl batch list --state=awaiting --no-legend | awk '{ print $2 }')" manual.batch
RUN=$(ctl batch list manual --no-legend | awk '{ print $1 }')
check_prints "says how it goes on" "'jobctl batch proceed $RUN'" ctl batch show manual
check_prints "goes on" "^Run $RUN goes on\.$" ctl batch proceed "$RUN"
check "and ends" wait_for_state "$RUN" SUCCEEDED
check "a run is deleted" ctl batch delete "$RUN"
check_exit "and is there no more" 5 ctl batch show "$RUN"

# — follow —

ctl batch start held >"$DIR/started"
RUN=$(awk '{ print $2 }' "$DIR/started")
check "another run" wait_for 'Items: 0 of 10 are over, 0 errors, 4 out$' ctl batch show held
timeout "$PATIENCE" "$BUILD/jobctl" batch show --follow "$RUN" >"$DIR/follow" 2>&1 &
FOLLOWER=$!
timeout "$PATIENCE" "$BUILD/jobctl" batch --json show --follow "$RUN" >"$DIR/follow.json" 2>&1 &
PROGRAM=$!
# A terminal, whose reader writes down what comes.
python3 - "$BUILD/jobctl" "$RUN" >"$DIR/terminal" <<'E' &
import os, pty, sys
pty.spawn([sys.argv[1], 'batch', 'show', '--follow', sys.argv[2]], lambda fd: os.read(fd, 65536), lambda fd: b'')
E
TERMINAL=$!
check "it is followed" wait_for "^held-$RUN: 0 of 10 are over, 0 errors, 4 out$" cat "$DIR/follow"
check "by a program" wait_for '"total":10}$' cat "$DIR/follow.json"
check "on a terminal" wait_for "$(printf '\r')held-$RUN: 0 of 10 are over, 0 errors, 4 out" cat "$DIR/terminal"
release 0 1 2 3
check "where the line is drawn again" wait_for "$(printf '\r')held-$RUN: 4 of 10 are over, [0-9.]+/s, 1 error, 4 out" cat "$DIR/terminal"
ctl batch pause "$RUN" >/dev/null
release 4 5 6 7
check "a change of its state is told" wait_for "^held-$RUN: PAUSED$" cat "$DIR/follow"
ctl batch resume "$RUN" >/dev/null
release 8 9
wait "$FOLLOWER"
report $? "to the end"
wait "$PROGRAM"
report $? "of the program's, too"
wait "$TERMINAL"
report $? "and the terminal's"
check_equal "which comes last" "$(tail -n 1 "$DIR/follow")" "held-$RUN: PARTIAL"
check_prints "with all items" "^held-$RUN: 10 of 10 are over, ([0-9.]+/s, )?2 errors, 0 out$" cat "$DIR/follow"
check_prints "for programs" "^\{\"id\":$RUN,\"name\":\"held-$RUN\",\"state\":\"PARTIAL\",\"done\":10,\"failed\":2,\"running\":0,\"total\":10,.*\}$" \
        tail -n 1 "$DIR/follow.json"

# — start of a run —

check_prints "a run is made alone" "^Run [0-9]+ of quick.batch; 'jobctl batch start [0-9]+' starts it\.$" \
        ctl batch start --create quick word=alone
RUN=$(ctl batch list --no-legend quick | awk 'NR == 1 { print $1 }')
check_prints "why says how it begins" "Run quick-$RUN is CREATED: it was made to be started later, by 'jobctl batch resume $RUN'" \
        ctl batch why "$RUN"
check_exit "its parameters are there" 2 ctl batch start "$RUN" word=other
check_exit "what makes runs is for batches" 2 ctl batch start --create "$RUN"
check_exit "it has no end to wait for" 2 ctl batch start --create --wait quick word=alone
check_prints "it is started by its number" "^Run $RUN of quick.batch: SUCCEEDED\.$" ctl batch start --wait "$RUN"
check_exit "and not a second time" 4 ctl batch start "$RUN"
check "one is made with a name" ctl batch start --create --name=later quick word=named
check_prints "which starts it, too" '"state":"SUCCEEDED"' ctl batch --json start --wait later
check_exit "a flow has a run made alone, too" 0 ctl flow start --create nightly
FLOW=$(ctl flow list --no-legend nightly | awk 'NR == 1 { print $1 }')
check_prints "resume starts it" "^Run $FLOW goes on" ctl flow resume "$FLOW"
check "a budget is spent" ctl batch start spend
RUN=$(ctl batch list --no-legend spend | awk 'NR == 1 { print $1 }')
check "the run is paused" wait_for_state "$RUN" PAUSED
check_prints "start goes on with it" "^Run $RUN of spend.batch\.$" ctl batch start "$RUN"
check "to its next pause" wait_for '^ Launches: 2$' ctl batch show "$RUN"
check "there it is" wait_for_state "$RUN" PAUSED
check "the unit stops" ctl stop spend.batch
check "its start goes on, too" ctl start spend.batch
check "to a pause" wait_for '^ Launches: 3$' ctl batch show "$RUN"
check_prints "no other run was made" '^1$' sh -c "'$BUILD/jobctl' batch list --no-legend --all spend | wc -l"
check "it ends" ctl batch cancel "$RUN"

# — the bus —

if command -v busctl >/dev/null; then
        OF=1
        check_prints "a batch without a run has no processes" '^a\(sus\) 0$' batch GetProcesses
        check_prints "and takes none" 'itself, not to one below it' batch AttachProcesses sau /sub 1 "$$"
        check_prints "errors are told" '^aa\{sv\}s 2 .*"item" t 3 .*"item" t 8 .*""$' run Errors 'a{sv}us' 0 0 ''
        check_prints "in pages" '^aa\{sv\}s 1 .*"item" t 3 .*"3"$' run Errors 'a{sv}us' 0 1 ''
        check_prints "of which the next has the others" '^aa\{sv\}s 1 .*"item" t 8 .*""$' run Errors 'a{sv}us' 0 1 3
        check_prints "by a filter" '^aa\{sv\}s 1 .*"item" t 8 .*""$' run Errors 'a{sv}us' 1 item t 8 0 ''
        check_prints "there is no other" "no filter 'node'" run Errors 'a{sv}us' 1 node s a 0 ''
        check_prints "events have pages, too" '"id" t 2 .*"2"$' run Events 'a{sv}us' 0 1 1
        check_prints "what goes on by itself is not told to" "'proceed' does not apply" run Proceed
        check_prints "errors are issued again, by no option" "no option 'from'" run RetryErrors 'a{sv}' 1 from t 3
        check_prints "all of them" '^u 2$' run RetryErrors 'a{sv}' 0
        release 3 8
        check "they fail again" wait_for_state 1 PARTIAL
        check_prints "a flow has none" '^aa\{sv\}s 0 ""$' run Errors 'a{sv}us' 0 0 4000000
fi

# — the other type —

ctl flow start --wait nightly >"$DIR/started"
FLOW=$(awk '{ print $2 }' "$DIR/started")
check_lacks "runs of flows are not listed" nightly ctl batch list --all
for words in "start nightly" "start nightly.flow" "list nightly.flow" "list nightly" "show nightly" "show nightly.flow" \
        "show nightly-$FLOW" "show $FLOW" "why $FLOW" "why nightly" "why nightly.flow" "logs $FLOW" "errors nightly" "pause $FLOW" \
        "retry-errors $FLOW" "resume $FLOW" "cancel $FLOW" "proceed $FLOW" "delete nightly-$FLOW"; do
        # shellcheck disable=SC2086
        check_exit "batch $words is refused" 2 ctl batch $words
        check_equal "with the right verb" "$OUT" "jobctl: nightly.flow is a flow: 'jobctl flow ${words%% *}' is for that."
done
for words in "start held" "list manual" "show quick" "why held" "logs faulty" "pause held"; do
        # shellcheck disable=SC2086
        check_exit "flow $words is refused" 2 ctl flow $words
        check_equal "with the right verb" "$OUT" "jobctl: ${words#* }.batch is a batch: 'jobctl batch ${words%% *}' is for that."
done
check_exit "a name of both is that of the flow" 0 ctl flow start --wait both
check_prints "or of the batch" 'both.batch' ctl batch start --wait both
check_exit "stop has two meanings" 2 ctl batch stop 1
check_equal "which are told" "$OUT" \
        "jobctl: Pause or cancel? 'jobctl batch pause 1' lets it go on later where it was, 'jobctl batch cancel 1' ends it."
check_exit "verbs of flows are none of batches" 2 ctl batch retry 1
check_prints "the verbs are told" "no 'batch retry'; 'batch' has start, list, show, why, logs, errors, " ctl batch retry 1
check_exit "those of batches none of flows" 2 ctl flow errors 1
check_prints "the other word is told" "jobctl batch errors" ctl flow errors 1
check_exit "a run that is not there" 5 ctl batch show 4000000
check_exit "a batch that is not" 5 ctl batch start nothing
check_exit "is not listed" 5 ctl batch list nothing
check_exit "an item is no run" 2 ctl batch pause 1/3
check_exit "and has nothing to show" 2 ctl batch show 1/3
check_exit "nor to explain" 2 ctl batch why 1/3
check_exit "a name is needed" 2 ctl batch start
check_exit "and a run" 2 ctl batch show
check_exit "of one type" 2 ctl batch list --type=flow

# — help —

check_prints "help lists the verbs" '^  errors  ' ctl help batch
check_equal "each has its own" "$(ctl help batch proceed | head -n 1)" 'jobctl [OPTION…] batch proceed RUN'
check_exit "there is no other" 2 ctl help batch retry

# — MaxLaunchers= —

check "the daemon ends" stop_daemon
printf '[Engine]\nMaxLaunchers=1\n' >"$DIR/conf"
start_daemon --config "$DIR/conf"
OTHER=$(ctl batch start held | awk '{ print $2 }')
check "one batch issues items" wait_for '4 out$' ctl batch show "$OTHER"
RUN=$(ctl batch start both | awk '{ print $2 }')
check "one launch too many waits" wait_for 'as many batches issue items as MaxLaunchers=1 of .Engine. in jobd.conf' ctl batch why "$RUN"
check_prints "for another, which is named" "; some is held by $OTHER/items" ctl batch why "$RUN"
check_prints "also where it is shown" 'Waits: as many batches issue items as MaxLaunchers=1' ctl batch show "$RUN"
kill_core KILL
check "also when core has died" wait_for 'MaxLaunchers=1' ctl batch why "$RUN"
check "the other is paused" ctl batch pause "$OTHER"
release 0 1 2 3
check "then it is its turn" wait_for_state "$RUN" SUCCEEDED
check "the other goes on" ctl batch resume "$OTHER"
check "as a launch of its own" wait_for '4 out$' ctl batch show "$OTHER"
check "it is cancelled" ctl batch cancel "$OTHER"
check "the daemon ends" stop_daemon
printf '[Engine]\nMaxLaunchers=0\n' >"$DIR/conf"
check_exit "there is one launcher at least" 2 "$BUILD/jobd" --user --unit-path "$UNITS" --config "$DIR/conf"
check_prints "which is told" 'MaxLaunchers' echo "$OUT"
done_testing
