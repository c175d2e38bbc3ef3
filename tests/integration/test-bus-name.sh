#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The names on a message bus outlive core: no call fails while core executes itself anew, or is killed. ROUNDS is the number of
# each (20).
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
ROUNDS=${ROUNDS:-20}

for program in dbus-daemon busctl systemctl; do
        if ! command -v $program >/dev/null; then
                echo "1..0 # SKIP $program is not installed"
                exit 0
        fi
done

unit sleeper.service <<U
[Service]
ExecStart=/bin/sleep 1000
U
unit slow.service <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'until [ -e $DIR/go ]; do sleep 0.02; done'
U

# — a bus, and clients that have nothing but that —
cat >"$DIR/bus.conf" <<C
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=$DIR/bus</listen><auth>EXTERNAL</auth><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
C
dbus-daemon --config-file="$DIR/bus.conf" --fork --print-address=3 --print-pid=4 3>"$DIR/bus-address" 4>"$DIR/bus-pid"

export DBUS_SESSION_BUS_ADDRESS=unix:path=$DIR/bus
mkdir "$DIR/empty"

over_bus() {
        XDG_RUNTIME_DIR=$DIR/empty "$@"
}
call() {
        over_bus busctl --user call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager "$@"
}
own_call() {
        over_bus busctl --user call org.jobd1 /org/jobd1 org.jobd1.Manager "$@"
}
owner() {
        over_bus busctl --user call org.freedesktop.DBus / org.freedesktop.DBus GetNameOwner s "$1"
}

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

while_asked "executed anew by systemctl" over_bus systemctl --user daemon-reexec
find_core
while_asked "executed anew by jobctl" ctl daemon-reexec
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

# killed_at SYSCALL COUNT WORD…: core is killed as it is about to make that system call, on the way of a call; the outcome is
# in $OUT, and whether the kill has hit adds to $HITS
killed_at() {
        local tracer old=$CORE
        strace -p "$CORE" -o "$DIR/trace" -e "trace=$1" -e "inject=$1:signal=KILL:when=$2" 2>"$DIR/strace" &
        tracer=$!
        wait_for attached cat "$DIR/strace"
        OUT=$(call "${@:3}" 2>&1)
        kill -INT "$tracer" 2>/dev/null
        wait "$tracer"
        wait_for '^active' ctl is-active sleeper.service
        find_core
        [ "$CORE" = "$old" ] || HITS=$((HITS + 1))
}

# killed_everywhere NAME REGEX WORD…: the outcome of the call matches, wherever it is killed
killed_everywhere() {
        local name=$1 wanted=$2 wrong='' HITS=0 syscall n
        shift 2
        for syscall in recvfrom:5 recvmsg:6 pwrite64:6 sendmsg:3 sendto:4; do
                for ((n = 1; n <= ${syscall#*:}; n++)); do
                        killed_at "${syscall%:*}" "$n" "$@"
                        grep -Eq -- "$wanted" <<<"$OUT" || wrong+="at $syscall $n: $OUT; "
                done
        done
        check_equal "$name, wherever core is killed" "$wrong" ""
        check "with $HITS kills" [ "$HITS" -ge 8 ]
}
if strace -e trace=none true 2>/dev/null; then
        killed_everywhere "a question is answered" "^$SLEEPER$" GetUnit s sleeper.service
        killed_everywhere "a request is carried out, or its client told" \
                '^o "/org/freedesktop/systemd1/job/|jobd-core has ended while it carried out this call' \
                StartUnit ss sleeper.service replace
        check_equal "and the names have the same owner" "$(owner org.freedesktop.systemd1)" "$OWNER"
else
        skip "a call is answered wherever core is killed" "there is no strace, or it may not trace here"
fi

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
