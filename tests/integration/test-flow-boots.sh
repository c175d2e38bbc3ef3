#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs of flows over the end of everything: a shutdown, and a loss of power, after which it is another boot.
# S000-47, S000-47a
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/boots.sh"
RECORD=$DIR/record
: >"$RECORD"
for word in retry pending shut large waits; do
        mkfifo "$DIR/$word"
done

# command WORD: writes WORD down, and lasts until somebody writes to the fifo
command() {
        printf "/bin/sh -c 'echo %s >>%s; read word <%s'" "$1" "$RECORD" "$DIR/$1"
}

unit lost.flow <<U
[Node first]
Exec=/bin/sh -c 'echo first >>$RECORD'
[Node retry]
DependsOn=first
Exec=$(command retry)
Retry=1
[Node pending]
DependsOn=first
Exec=$(command pending)
[Node end]
DependsOn=retry pending
Readiness=all-finished
Exec=/bin/sh -c 'echo end >>$RECORD'
U
# What a node has left before, one behind it reads: a result of three parts in the store.
unit large.flow <<U
[Flow]
RunDirectory=yes
[Node make]
ResultMax=4M
Exec=/usr/bin/python3 -c 'import os; open(os.environ["JOBD_RESULT"], "w").write(chr(34) + "x" * 2500000 + chr(34))'
[Node wait]
DependsOn=make
ExecStartPre=/bin/sh -c 'echo kept >>\$JOBD_RUN_DIR/note'
Exec=$(command large)
Retry=1
[Node read]
DependsOn=make wait
Exec=/usr/bin/python3 -c 'import json, os; p = [p for p in json.load(open(os.environ["JOBD_INPUT"]))["parents"] if p["name"] == "make"][0]["result"]; print("size", len(json.load(open(p["file"]))), file=open("$RECORD", "a"))'
[Node note]
DependsOn=read
Exec=/bin/sh -c 'cat \$JOBD_RUN_DIR/note >>$RECORD'
U
# Instances of a node that others complete; one has left a result that is large.
unit items.flow <<U
[Flow]
Params='list:=["x","y"]'
[Node each]
Foreach=param.list
Callback=yes
Exec=$DIR/ask %{item}
[Node see]
DependsOn=each
Exec=/usr/bin/python3 -c 'import json, os; p = json.load(open(os.environ["JOBD_INPUT"]))["parents"][0]["result"]; x, y = json.load(open(p["file"])); print("items", len(x), y, file=open("$RECORD", "a"))'
U
cat >"$DIR/ask" <<U
#!/bin/sh
if [ \$1 = x ]; then printf '"%040000d"' 7 >\$JOBD_RESULT; fi
echo \$JOBD_TOKEN >$DIR/new-\$1
mv $DIR/new-\$1 $DIR/token-\$1
U
chmod +x "$DIR/ask"
unit shut.flow <<U
[Flow]
StopMode=interrupt
[Node a]
Exec=$(command shut)
Recover=retry
[Node b]
DependsOn=a
Exec=/bin/sh -c 'echo behind >>$RECORD'
U
unit waits.flow <<U
[Flow]
TimeoutStopSec=5min
[Node a]
Exec=$(command waits)
[Node b]
DependsOn=a
Exec=/bin/sh -c 'echo after >>$RECORD'
U
unit late.flow <<'U'
[Flow]
RunTimeoutSec=1h
[Node a]
Exec=/bin/sleep infinity
Recover=retry
U

unit enabled.flow <<'U'
[Flow]
MaxRuns=5
[Node a]
Exec=/bin/sleep infinity
Recover=retry
U
unit boot.target <<'U'
[Unit]
Wants=enabled.flow
U

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

# wait_for_count WORD N: until it was written down so often
wait_for_count() {
        wait_for "^$2\$" grep -c "^$1\$" "$RECORD"
}

release() {
        timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/$1"
}

if ! boot; then
        echo "1..0 # SKIP the boot id cannot be replaced here"
        exit 0
fi

start_daemon
check "a run begins" ctl flow start lost
wait_for_count retry 1 && wait_for_count pending 1
report $? "and two nodes of it run"
check "a run with a deadline begins" ctl flow start late
wait_for 'Deadline' ctl flow show 2
DEADLINE=$(ctl flow list --json late | sed 's/.*"deadline":\([0-9]*\).*/\1/')
cut_power
start_daemon
wait_for_count retry 2
report $? "after a loss of power a node with Retry= runs again"
wait_for 'pending is PENDING \(lost\)' ctl flow why 1
report $? "one without waits for a person"
check_equal "and did not run again" "$(grep -c '^pending$' "$RECORD")" 1
check_equal "what had ended did not, either" "$(grep -c '^first$' "$RECORD")" 1
check "it is resolved" ctl flow resolve 1/pending --as=success
release retry
wait_for '^SUCCEEDED$' run_state 1
report $? "and the run ends"
wait_for 'RUNNING' run_state 2
NOW=$(ctl flow list --json late | sed 's/.*"deadline":\([0-9]*\).*/\1/')
check "no deadline is later than it was, but for a moment" [ "$NOW" -le "$((DEADLINE + 60000000))" ]
check "it is cancelled" ctl flow cancel 2
wait_for '^CANCELLED$' run_state 2

check "a run begins" ctl flow start large
wait_for_count large 1
report $? "whose first node has left a large result"
LARGE=$(ctl flow list --no-legend large | awk '{ print $1 }')
cut_power
start_daemon
wait_for_count large 2
release large
wait_for '^SUCCEEDED$' run_state "$LARGE"
report $? "the run goes on after a loss of power"
check_equal "and what a large result was before is read" "$(grep '^size' "$RECORD")" 'size 2500000'
check_equal "and what is in the folder of the run" "$(grep -c '^kept$' "$RECORD")" 2

check "a run begins" ctl flow start items
ITEMS=$(ctl flow list --no-legend items | awk '{ print $1 }')
wait_for 'callback' ctl flow show "$ITEMS/each[0]" && wait_for 'callback' ctl flow show "$ITEMS/each[1]"
report $? "and the instances of its node wait to be completed"
check_exit "one is" 0 ctl flow complete "$(cat "$DIR/token-x")"
cut_power
start_daemon
wait_for '1 of 2 instances have ended' ctl flow why "$ITEMS/each"
report $? "instances are there after a loss of power"
check_exit "and are completed with their tokens" 0 ctl flow complete "$(cat "$DIR/token-y")" '"why"'
wait_for '^SUCCEEDED$' run_state "$ITEMS"
report $? "the run goes on"
check_equal "with the results of all of them, before and after" "$(grep '^items' "$RECORD")" 'items 40000 why'

check "a run begins" ctl flow start shut
wait_for_count shut 1
report $? "and a node of it runs"
stop_daemon
boot
start_daemon
wait_for_count shut 2
report $? "after a shutdown an interrupted node runs again"
RUN=$(ctl flow list --no-legend shut | awk '{ print $1 }')
check_prints "without a retry" '"lost": 0|^a +RUNNING +2' ctl flow show "$RUN"
release shut
wait_for '^SUCCEEDED$' run_state "$RUN"
report $? "and the run ends"
check_equal "with what follows, once" "$(grep -c '^behind$' "$RECORD")" 1

check "a run begins" ctl flow start waits
wait_for_count waits 1
kill -TERM "$DAEMON"
wait_for '^deactivating$' ctl is-active waits.flow
check "a shutdown waits for what runs" kill -0 "$DAEMON"
release waits
stop_daemon
boot
start_daemon
wait_for '^ *[0-9]+ ' ctl flow list --no-legend --all waits
WAITS=$(ctl flow list --no-legend --all waits | awk '{ print $1 }')
wait_for '^SUCCEEDED$' run_state "$WAITS"
report $? "and the run goes on in the next boot"
check_equal "with what follows, and nothing twice" "$(grep -c '^waits$' "$RECORD") $(grep -c '^after$' "$RECORD")" '1 1'

check "a run begins" ctl flow start shut
wait_for_count shut 3
RUN=$(ctl flow list --no-legend shut | awk 'NR == 1 { print $1 }')
check "a person stops the unit" ctl stop shut.flow
stop_daemon
boot
start_daemon
wait_for PAUSED run_state "$RUN"
check_prints "after the next boot it stays stopped" '^inactive$' ctl is-active shut.flow
check "until the person starts it" ctl start shut.flow
wait_for_count shut 4
report $? "and the node runs again"
release shut
wait_for '^SUCCEEDED$' run_state "$RUN"
report $? "and the run ends"
stop_daemon

start_daemon --default-unit boot.target
wait_for RUNNING ctl flow list enabled
report $? "a flow that is enabled submits a run at boot"
RUN=$(ctl flow list --no-legend enabled | awk '{ print $1 }')
cut_power
start_daemon --default-unit boot.target
wait_for '^a +RUNNING +2' ctl flow show "$RUN"
report $? "which goes on in the next boot"
wait_for '^active$' ctl is-active boot.target
check_equal "and takes the place of a new one" "$(ctl flow list --no-legend enabled | wc -l)" 1
ctl flow cancel "$RUN" >"$DIR/null"
wait_for '^CANCELLED$' run_state "$RUN"
done_testing
