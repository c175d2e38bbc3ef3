#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Core is killed while jobctl waits or asks: the request is carried out once, and jobctl ends as if core had lived. KILLS is
# the number of kills at random moments (30).
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
KILLS=${KILLS:-30}

# Each run writes its name into "ran", and waits for a file.
unit slow.service <<U
[Unit]
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'echo slow >>$DIR/ran; until [ -e $DIR/go ]; do sleep 0.02; done'
ExecStop=/bin/sh -c 'echo stop >>$DIR/ran; until [ -e $DIR/go ]; do sleep 0.02; done'
U
unit fails.service <<U
[Unit]
StartLimitIntervalSec=0
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo fails >>$DIR/ran; until [ -e $DIR/go ]; do sleep 0.02; done; exit 3'
U
unit behind.service <<U
[Unit]
StartLimitIntervalSec=0
Requires=fails.service
After=fails.service
[Service]
ExecStart=/bin/sh -c 'echo behind >>$DIR/ran; exec sleep 1000'
U
unit lasting.service <<U
[Unit]
StartLimitIntervalSec=0
[Service]
Type=exec
ExecStartPre=/bin/sh -c 'echo lasting >>$DIR/ran'
ExecStart=/bin/sleep 1000
U

ran() {
        sort "$DIR/ran" | uniq -c | awk '{ printf "%s%s %d", (NR > 1 ? ", " : ""), $2, $1 }'
}

# begin STEP: how often what ran is counted from here
begin() {
        rm -f "$DIR/go"
        : >"$DIR/ran"
}

# in_background WORD…: jobctl, whose process is $WAITER, with both its streams in files
in_background() {
        "$BUILD/jobctl" "$@" >"$DIR/out" 2>"$DIR/err" &
        WAITER=$!
}

# said: the messages of jobctl about jobs, without their numbers and times
said() {
        sed -E 's/([0-9]+[a-z]+ )+ago/T ago/; s/[0-9]+/N/g' "$DIR/err"
}

# over_a_kill UNIT WORD…: the same, and core is killed when the unit has begun; the status is in $STATUS
over_a_kill() {
        local unit=$1
        shift
        begin
        in_background "$@"
        wait_for "$unit" cat "$DIR/ran" && wait_for_waiter "$WAITER" && kill_core KILL
        : >"$DIR/go"
        wait "$WAITER"
        STATUS=$?
}

# without_a_kill WORD…
without_a_kill() {
        begin
        : >"$DIR/go"
        in_background "$@"
        wait "$WAITER"
        STATUS=$?
}

# At once
stop_slow() {
        : >"$DIR/go"
        ctl stop slow.service
}

start_daemon

# — core dies while somebody waits —
over_a_kill slow start slow.service
check_equal "a start ends well" "$STATUS" 0
check_equal "the unit ran once" "$(ran)" "slow 1"
check_equal "nothing is said" "$(said)" ""
over_a_kill stop stop slow.service
check_equal "a stop ends well" "$STATUS" 0
check_equal "its command ran once" "$(ran)" "stop 1"
over_a_kill slow start --verbose slow.service
check_equal "with --verbose it is told" "$(said)" "The connection to jobd was lost and is restored."
over_a_kill stop restart slow.service
check_equal "a restart ends well" "$STATUS" 0
check_equal "each half is done once" "$(ran)" "slow 1, stop 1"
check "it is stopped" stop_slow

without_a_kill start fails.service
check_equal "without a kill: a failure has its status" "$STATUS" 1
SAID=$(said)
over_a_kill fails start fails.service
check_equal "the same after a kill" "$STATUS" 1
check_equal "and the same words" "$(said)" "$SAID"
check_equal "it ran once" "$(ran)" "fails 1"
without_a_kill start behind.service
SAID=$(said)
over_a_kill fails start behind.service
check_equal "what depends on it fails, too" "$STATUS" 1
check_equal "with the same words" "$(said)" "$SAID"
check_equal "and was not begun" "$(ran)" "fails 1"

over_a_kill fails exec --json start:fails.service start:lasting.service
check_equal "several requests: the status is that of the worst" "$STATUS" 1
check_equal "and each has its result" \
        "$(grep -o '"unit":"[^"]*"\|"result":"[^"]*"' "$DIR/out" | cut -d'"' -f4 | sort | xargs)" \
        "done failed fails.service lasting.service"
over_a_kill fails start --wait fails.service
check_equal "waiting for the end of a unit" "$STATUS" 1

begin
"$BUILD/jobctl" start --no-block slow.service
JOB=$(ctl list-jobs --no-legend | awk '/slow.service/ { print $1 }')
wait_for slow cat "$DIR/ran"
in_background wait "$JOB"
wait_for_waiter "$WAITER" && kill_core KILL
: >"$DIR/go"
wait "$WAITER"
check_equal "a wait for a job by its id" $? 0

# — several deaths during one wait —
stop_slow
begin
in_background start slow.service
wait_for slow cat "$DIR/ran" && wait_for_waiter "$WAITER"
for ((i = 0; i < 5; i++)); do
        kill_core KILL || break
done
: >"$DIR/go"
wait "$WAITER"
check_equal "five deaths in a row" "$? $i $(ran)" "0 5 slow 1"

# — at any moment of a request —
begin
ctl start lasting.service
for ((i = 0; i < KILLS; i++)); do
        begin
        find_core
        in_background restart lasting.service
        sleep "0.0$((RANDOM % 4))$((RANDOM % 10))"
        kill_core KILL
        wait "$WAITER" && [ "$(ran)" = "lasting 1" ] && [ ! -s "$DIR/err" ] || break
done
report "$((i < KILLS))" "$KILLS restarts, with a kill in each: each is done once" "the $((i + 1)). went wrong: $(ran); it said: $(said)"
for ((i = 0; i < KILLS; i++)); do
        find_core
        in_background status lasting.service
        sleep "0.00$((RANDOM % 10))"
        kill_core KILL
        wait "$WAITER" && grep -q 'Active: active' "$DIR/out" && [ ! -s "$DIR/err" ] || break
done
report "$((i < KILLS))" "$KILLS questions, with a kill in each" "the $((i + 1)). went wrong: $(cat "$DIR/out" "$DIR/err")"

# — monitor —
"$BUILD/jobctl" monitor --json 'lasting*' >"$DIR/monitor" 2>/dev/null &
MONITOR=$!
wait_for Listening cat "$DIR/monitor"
kill_core KILL
wait_for 'Lost' cat "$DIR/monitor"
check "monitor says that it was cut off" wait_for 'Listening Lost Listening' \
        sh -c "grep -o '\"event\":\"[^\"]*\"' '$DIR/monitor' | cut -d'\"' -f4 | xargs"
ctl stop lasting.service
check "and goes on" wait_for 'JobRemoved' cat "$DIR/monitor"
kill -INT "$MONITOR"
wait "$MONITOR"
check_equal "until it is ended" $? 0

# — the control: all of it is gone —
stop_slow
begin
in_background start slow.service
wait_for slow cat "$DIR/ran" && wait_for_waiter "$WAITER"
kill -TERM "$DAEMON"
wait "$WAITER"
[ $? -ne 0 ]
report $? "the daemon is told to end: jobctl does not say that all is well"
: >"$DIR/go"
timeout "$PATIENCE" tail --pid="$DAEMON" -f /dev/null
rm -f "$DIR/pid"
start_daemon
begin
in_background start slow.service
wait_for slow cat "$DIR/ran" && wait_for_waiter "$WAITER"
kill -9 "$DAEMON"
wait "$WAITER"
check_equal "it is killed with all its parts: the status is that of who cannot be reached" $? 7
check_prints "and it is said" 'connection to jobd was lost' cat "$DIR/err"
rm -f "$DIR/pid"
: >"$DIR/go"

# — over a message bus, which stays when jobd goes —
if ! command -v dbus-daemon >/dev/null; then
        skip "over a message bus" "there is no dbus-daemon"
        done_testing
fi
timeout "$PATIENCE" tail --pid="$CORE" -f /dev/null
dbus-daemon --session --fork --print-address=3 --print-pid=4 3>"$DIR/bus-address" 4>"$DIR/bus-pid"
DBUS_SESSION_BUS_ADDRESS=$(cat "$DIR/bus-address")
export DBUS_SESSION_BUS_ADDRESS
start_daemon
mkdir -m 700 "$DIR/elsewhere"
PRIVATE=("$XDG_RUNTIME_DIR" "$JOBD_SOCKET")
unset JOBD_SOCKET
XDG_RUNTIME_DIR=$DIR/elsewhere
wait_for 'loaded unit' ctl list-units --user
# The start that the last one died in was taken over, and may have ended since.
ctl stop --user slow.service
over_a_kill slow start --user slow.service
check_equal "over a message bus: a start ends well" "$STATUS" 0
check_equal "the unit ran once" "$(ran)" "slow 1"
XDG_RUNTIME_DIR=${PRIVATE[0]}
export JOBD_SOCKET=${PRIVATE[1]}
kill "$(cat "$DIR/bus-pid")"
done_testing
