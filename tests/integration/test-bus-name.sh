#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The names on a message bus outlive core: no call fails while core executes itself anew, or is killed. ROUNDS is the number of
# each (20).
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/bus.sh"
ROUNDS=${ROUNDS:-20}

unit sleeper.service <<U
[Service]
ExecStart=/bin/sleep 1000
U
unit slow.service <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'until [ -e $DIR/go ]; do sleep 0.02; done'
U

# ask NUMBER: until the file "enough" is there; what fails is in the file "failed"
ask() {
        local n=0
        until [ -e "$DIR/enough" ]; do
                case $((n % 3)) in
                0) call GetUnit s sleeper.service ;;
                1) own_call ListUnits ;;
                2) over_bus systemctl --user is-active sleeper.service ;;
                esac >"$DIR/said-$1" 2>&1 || sed "s/^/call $n of $1: /" "$DIR/said-$1" >>"$DIR/failed"
                n=$((n + 1))
                echo "$n" >"$DIR/calls-$1"
        done
}
calls() {
        cat "$DIR"/calls-* | awk '{ n += $1 } END { print n + 0 }'
}

# until_calls COUNT: until so many more were made
until_calls() {
        local wanted=$(($(calls) + $1)) end=$((SECONDS + PATIENCE))
        until [ "$(calls)" -ge "$wanted" ]; do
                [ "$SECONDS" -lt "$end" ] || return 1
                sleep 0.02
        done
}

# while_asked NAME COMMAND…: the command ROUNDS times, and no call of three clients fails meanwhile
while_asked() {
        local name=$1 i askers=()
        shift
        rm -f "$DIR"/calls-* "$DIR/enough"
        : >"$DIR/failed"
        for i in 1 2 3; do
                echo 0 >"$DIR/calls-$i"
                ask "$i" &
                askers+=($!)
        done
        for ((i = 0; i < ROUNDS; i++)); do
                until_calls 10 && "$@" || echo "round $i: $* failed" >>"$DIR/failed"
        done
        touch "$DIR/enough"
        wait "${askers[@]}"
        check_equal "$name: no call fails" "$(cat "$DIR/failed")" ""
        check "$name: $((ROUNDS * 10)) calls were made" [ "$(calls)" -ge $((ROUNDS * 10)) ]
}

start_daemon --systemd-compat
check "the name is owned" wait_for '":' owner org.freedesktop.systemd1
check "a call is answered" call StartUnit ss sleeper.service replace
OWNER=$(owner org.freedesktop.systemd1)

# By both in turn.
execute_anew() {
        if ((i % 2)); then
                ctl daemon-reexec
        else
                over_bus systemctl --user daemon-reexec
        fi
}
while_asked "executed anew" execute_anew
find_core
while_asked "killed" kill_core KILL
check_equal "the names have the same owner" "$(owner org.freedesktop.systemd1) $(owner org.jobd1)" "$OWNER $OWNER"
check_lacks "the connection was never given up" 'cannot be taken over|bus is gone' cat "$DIR/log"

# — what waits on the bus goes on —
over_bus systemctl --user start slow.service >"$DIR/out" 2>&1 &
WAITER=$!
wait_for activating ctl is-active slow.service
kill_core KILL
check "core executes itself anew" over_bus systemctl --user daemon-reexec
find_core
check "while a start waits" kill -0 "$WAITER"
touch "$DIR/go"
wait "$WAITER"
check_equal "whose client hears of its end" "$? $(cat "$DIR/out")" "0 "

# — the moments one by one —
SLEEPER='o "/org/freedesktop/systemd1/unit/sleeper_2eservice"'
kill -STOP "$DAEMON"
wait_for '^State:.T' cat "/proc/$DAEMON/status"
OLD=$CORE
kill -KILL "$CORE"
wait_for '^State:.[ZX]|No such' cat "/proc/$CORE/status"
call GetUnit s sleeper.service >"$DIR/out" 2>&1 &
WAITER=$!
check_equal "without a core the name has its owner" "$(owner org.freedesktop.systemd1)" "$OWNER"
kill -CONT "$DAEMON"
next_core "$OLD"
wait "$WAITER"
check_equal "a call that nobody has read is answered by the next core" "$? $(cat "$DIR/out")" "0 $SLEEPER"

# — a new image that does not become ready —
stop_daemon
cp "$BUILD/jobd-core" "$DIR/core"
JOBD_CORE=$DIR/core start_daemon --systemd-compat
check "the name is owned" wait_for '":' owner org.freedesktop.systemd1
OWNER=$(owner org.freedesktop.systemd1)
printf '#!/bin/sh\nexit 1\n' >"$DIR/new"
chmod +x "$DIR/new"
mv "$DIR/new" "$DIR/core"
FAILED_TO_START='The new image did not become ready: the one before it goes on'
check_exit "systemctl fails over a bus" 1 over_bus systemctl --user daemon-reexec
check_prints "and says why" "$FAILED_TO_START" echo "$OUT"
check_exit "and over the private socket" 1 systemctl --user daemon-reexec
check_prints "likewise" "$FAILED_TO_START" echo "$OUT"
check_equal "the name has the same owner" "$(owner org.freedesktop.systemd1)" "$OWNER"
rm "$DIR/core"
check_exit "systemctl fails over a bus if there is no image" 1 over_bus systemctl --user daemon-reexec
check_prints "and says why" "jobd-core cannot be executed anew" echo "$OUT"
done_testing
