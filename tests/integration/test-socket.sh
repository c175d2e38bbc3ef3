#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Socket activation: one service for all connections, and one for each; and sockets while core dies. CONNECTIONS is the number
# of connections in all (1000), AT_ONCE the number of them at a time (50).
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
PEER=$(realpath "$(dirname "$0")/socket_peer.py")
CONNECTIONS=${CONNECTIONS:-1000}
AT_ONCE=${AT_ONCE:-50}
PORT=$((20000 + IN_NAMESPACE_PID % 20000))
export ANSWERS=$DIR/answers

peer() {
        timeout "$PATIENCE" python3 "$PEER" "$@"
}

property() {
        ctl show -P "$2" "$1"
}

# wait_until NAME COMMAND…: until the command succeeds
wait_until() {
        local name=$1 end=$((SECONDS + PATIENCE))
        shift
        until "$@" >/dev/null 2>&1; do
                [ "$SECONDS" -lt "$end" ] || {
                        report 1 "$name" "not after $PATIENCE s: $*"
                        return
                }
                sleep 0.02
        done
        report 0 "$name"
}

# has UNIT PROPERTY VALUE
has() {
        [ "$(property "$1" "$2")" = "$3" ]
}

service() {
        unit "$1.service" <<U
[Unit]
StartLimitIntervalSec=0
[Service]
Environment=ANSWERS=$ANSWERS
ExecStart=/usr/bin/env python3 $PEER serve ${2-}
U
}

# — one service for all connections —

service all
unit all.socket <<U
[Socket]
ListenStream=$DIR/all
ListenStream=127.0.0.1:$PORT
ListenStream=@jobd-test-$PORT
ListenDatagram=$DIR/datagram
ListenFIFO=$DIR/fifo
FileDescriptorName=mine
SocketMode=0600
U
unit once.socket <<U
[Socket]
ListenStream=$DIR/once
U
service once 1
unit two.socket <<U
[Socket]
ListenStream=$DIR/two
Service=both.service
U
unit three.socket <<U
[Socket]
ListenStream=$DIR/three
Service=both.service
RemoveOnStop=yes
Symlinks=$DIR/link
ExecStartPre=/bin/sh -c 'echo pre >>$DIR/steps'
ExecStartPost=/bin/sh -c 'test -S $DIR/three && echo post >>$DIR/steps'
ExecStopPre=/bin/sh -c 'test -S $DIR/three && echo stop-pre >>$DIR/steps'
ExecStopPost=/bin/sh -c 'test -S $DIR/three || echo stop-post >>$DIR/steps'
U
unit both.service <<U
[Service]
Sockets=two.socket three.socket
ExecStart=/usr/bin/env python3 $PEER serve
U
unit fails.socket <<U
[Socket]
ListenStream=$DIR/fails
U
unit fails.service <<U
[Unit]
StartLimitBurst=3
[Service]
ExecStart=/bin/false
U
unit deaf.socket <<U
[Socket]
ListenStream=$DIR/deaf
U
unit deaf.service <<U
[Service]
ExecStart=/bin/sh -c 'echo >>$DIR/deaf.starts; exec sleep infinity'
U
unit slow.service <<U
[Unit]
After=deaf.socket
[Service]
ExecStart=/bin/sleep infinity
ExecStop=/bin/sh -c 'read line <$DIR/slow'
U
unit never.socket <<U
[Socket]
ListenStream=$DIR/never
TriggerLimitIntervalSec=60
TriggerLimitBurst=4
U
unit never.service <<U
[Unit]
ConditionPathExists=/nonexistent
[Service]
ExecStart=/bin/sleep 1000
U

# — one for each —

unit each.socket <<U
[Socket]
ListenStream=$DIR/each
ListenStream=127.0.0.1:$((PORT + 20000))
Accept=yes
MaxConnections=10000
TriggerLimitIntervalSec=0
U
unit each@.service <<U
[Unit]
CollectMode=inactive-or-failed
[Service]
ExecStart=:/bin/sh -c 'read -r line; echo "\$\$ \${LISTEN_FDS-none} \${REMOTE_ADDR-none} \$line"'
StandardInput=socket
U
unit few.socket <<U
[Socket]
ListenStream=$DIR/few
Accept=yes
MaxConnections=2
U
unit few@.service <<U
[Service]
ExecStart=-/bin/cat
StandardInput=socket
U
unit given.socket <<U
[Unit]
StartLimitIntervalSec=0
[Socket]
ListenStream=127.0.0.1:$((PORT + 20001))
Accept=yes
U
unit given@.service <<U
[Service]
ExecStart=:/bin/sh -c 'read -r line <&3; echo "\$LISTEN_FDS \$LISTEN_FDNAMES \$REMOTE_ADDR %i" >&3; test "\$LISTEN_PID" = \$\$ && echo mine >&3'
U
unit lonely.socket <<U
[Socket]
ListenStream=$DIR/lonely
Accept=yes
U

start_daemon

check "a socket starts" ctl start all.socket
check_prints "is listed with what it starts" ' all\.socket +all\.service' ctl list-sockets
check_exit "there are no automounts" 4 ctl list-automounts
check_prints "and it is said" 'jobd has no automount units' ctl list-automounts
check_equal "and listens" listening "$(property all.socket SubState)"
check_equal "at all of its addresses" "$DIR/all 127.0.0.1:$PORT @jobd-test-$PORT $DIR/datagram $DIR/fifo" \
        "$(property all.socket Listen | grep -o "${DIR}[^ \"',)]*\|[0-9.]*:$PORT\|@[a-z0-9-]*" | xargs)"
check_equal "its file is whose it is to be" 600 "$(stat -c %a "$DIR/all")"
check_equal "without a service" inactive "$(property all.service ActiveState)"

ANSWER=$(peer talk "$DIR/all" hello)
check_equal "who connects is answered" "mine:mine:mine:mine:mine 0 hello" "${ANSWER#* }"
check_equal "by the service" "$(property all.service MainPID)" "${ANSWER%% *}"
check_equal "the socket runs, then" running "$(property all.socket SubState)"
check_prints "another address is another descriptor" ' 1 hello$' peer talk "127.0.0.1:$PORT" hello
check_prints "and an abstract one" ' 2 hello$' peer talk "@jobd-test-$PORT" hello
peer send "$DIR/datagram" "one datagram"
echo "through a pipe" >"$DIR/fifo"
wait_until "a datagram is one, too" grep -q " 3 one datagram" "$ANSWERS"
wait_until "and what comes through a pipe" grep -q " 4 through a pipe" "$ANSWERS"
check_prints "many connections reach one service" "^$CONNECTIONS\$" peer wave "$DIR/all" "$CONNECTIONS" "$AT_ONCE"
check_equal "which is the same all the time" "${ANSWER%% *}" "$(property all.service MainPID)"

kill_core KILL
check_equal "core dies: the socket runs" running "$(property all.socket SubState)"
check_prints "and the service answers" "^${ANSWER%% *} .* 0 again\$" peer talk "$DIR/all" again
check_exit "its service is stopped" 0 ctl stop all.service
check_prints "who does that is told that it may come again" '^Warning: Stopping all.service, but .* activated by:$' cat <<<"$OUT"
check_prints "by what" '^  all.socket$' cat <<<"$OUT"
wait_until "the socket listens again" has all.socket SubState listening
check_prints "and is answered by another" ' 0 hello$' peer talk "$DIR/all" hello
check "a socket that is stopped" ctl stop all.socket
check_exit "does not start while its service runs" 1 ctl start all.socket
check_prints "as it says" 'all.socket: its service all.service is active already' cat "$DIR/log"
check "but after that" ctl stop all.service
check "it does" ctl start all.socket

check "a socket whose service ends by itself" ctl start once.socket
for i in 1 2 3; do
        check_prints "is answered each time ($i)" ' 0 hello$' peer talk "$DIR/once" hello
        wait_until "and listens again ($i)" has once.socket SubState listening
done

check "two sockets of one service" ctl start two.socket three.socket
check_equal "have run their commands" "pre post" "$(xargs <"$DIR/steps")"
check_prints "are given together" ' two.socket:three.socket 1 hello$' peer talk "$DIR/link" hello
check_exit "and stopped" 0 ctl stop both.service three.socket
check_lacks "nothing brings it back then" 'three.socket' cat <<<"$OUT"
check_equal "with their commands" "pre post stop-pre stop-post" "$(xargs <"$DIR/steps")"
check_exit "and their files" 1 test -e "$DIR/three" -o -L "$DIR/link"

# — what goes wrong —

check "a socket whose service fails" ctl start fails.socket
peer talk "$DIR/fails" hello >/dev/null 2>&1 &
wait_until "fails with it" has fails.socket Result service-start-limit-hit
wait
check_equal "whose own result is its own failure" exit-code "$(property fails.service Result)"
check_prints "and says why" 'fails.service was started too often' property fails.socket FailureReason
check "it can be started all the same" ctl start fails.socket
kill_core KILL
check_equal "and a failure of before does not end it when core dies" listening "$(property fails.socket SubState)"
check "a socket whose service never starts" ctl start never.socket
peer talk "$DIR/never" hello >/dev/null 2>&1 &
wait_until "is given up" has never.socket Result trigger-limit-hit
wait
check_prints "with its limit" 'triggered 4 times within 1min' property never.socket FailureReason
unit taken.socket <<U
[Socket]
ListenStream=127.0.0.1:$PORT
U
service taken
check_exit "an address that somebody has" 1 ctl start taken.socket
check_prints "is named" "127.0.0.1:$PORT: somebody else does" property taken.socket FailureReason
unit usb.socket <<U
[Socket]
ListenUSBFunction=/dev/usb
U
check_exit "what cannot be listened on" 1 ctl start usb.socket
check_prints "is said" 'usb.socket:2: ListenUSBFunction=: jobd does not support this kind of socket' echo "$OUT"

# — netlink; protocol 2 is for programs among themselves —

unit netlink.socket <<U
[Socket]
ListenNetlink=2 1
U
unit netlink.service <<U
[Service]
ExecStart=/bin/sh -c 'head -c 5 <&3 >$DIR/netlink; exec sleep 1000'
U
if has_users; then
        check "netlink is listened on" ctl start netlink.socket
        check_prints "as it shows" '^2 1 .Netlink.$' property netlink.socket Listen
        # The kernel itself, to which it goes as well, does not want it.
        python3 -c 'import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 2).sendto(b"hello", (0, 1))' 2>/dev/null
        wait_until "it starts the service" has netlink.socket SubState running
        wait_until "which reads it" grep -qx hello "$DIR/netlink"
        check "both are stopped" ctl stop netlink.socket netlink.service
else
        skip "netlink is listened on" "only root can hear a group"
fi

# — one for each connection —

check "a socket that accepts" ctl start each.socket few.socket given.socket
check_prints "starts a service for each connection" '^[0-9]+ none none hello$' peer talk "$DIR/each" hello
check_prints "which knows who it is" '^[0-9]+ none 127.0.0.1 hello$' peer talk "127.0.0.1:$((PORT + 20000))" hello
check_equal "and goes on listening" listening "$(property each.socket SubState)"
check_prints "in waves" "^$CONNECTIONS\$" peer wave "$DIR/each" "$CONNECTIONS" "$AT_ONCE"
check_equal "counts them" "$((CONNECTIONS + 2))" "$(property each.socket NAccepted)"
check_prints "shows how many" "^   Accepted: $((CONNECTIONS + 2)); Connected: [0-9]+$" ctl status each.socket
wait_until "until none is left" has each.socket NConnections 0
wait_until "nor any service" bash -c "! $BUILD/jobctl list-units --all | grep -q each@"
check_prints "a connection may be a descriptor" \
        "^1 connection 127.0.0.1 0-127.0.0.1:$((PORT + 20001))-127.0.0.1:[0-9]+$" peer talk "127.0.0.1:$((PORT + 20001))" x
check_prints "of that process" '^mine$' echo "$OUT"

mkfifo "$DIR/hold"
peer hold "$DIR/few" 2 "$DIR/held" <"$DIR/hold" &
exec 6>"$DIR/hold"
wait_until "as many connections as there may be" has few.socket NConnections 2
check_equal "and one more is refused" "" "$(peer talk "$DIR/few" hello 2>/dev/null)"
check_equal "which is counted" 1 "$(property few.socket NRefused)"
check_prints "they are named after who connects" "few@0-[0-9]+-$(id -u).service" ctl list-units
check "the files are read again" ctl daemon-reload
check_equal "they are still there" 2 "$(property few.socket NConnections)"
kill_core KILL
check_equal "and after a death of core" 2 "$(property few.socket NConnections)"
exec 6>&-
wait_until "until they end" has few.socket NConnections 0
check "a socket without a template" ctl start lonely.socket
peer talk "$DIR/lonely" hello >/dev/null 2>&1
wait_until "fails" has lonely.socket Result resources
check_prints "and names it" 'lonely@.* not found' property lonely.socket FailureReason

# — core dies while they come —

peer wave "$DIR/each" "$CONNECTIONS" "$AT_ONCE" >"$DIR/wave" &
WAVE=$!
for i in 1 2 3 4; do
        LAST=$(property each.socket NAccepted)
        wait_until "connections come ($i)" bash -c "kill -0 $WAVE 2>/dev/null && [ \"\$($BUILD/jobctl show -P NAccepted each.socket)\" != $LAST ] ||
                ! kill -0 $WAVE 2>/dev/null"
        kill_core KILL
done
wait "$WAVE"
check_equal "core dies again and again, and all are answered" "$CONNECTIONS" "$(cat "$DIR/wave")"
wait_until "and none is left" has each.socket NConnections 0

CORE_PID=$CORE
kill -STOP "$CORE_PID"
peer talk "$DIR/once" "while nobody is there" "$DIR/said" >"$DIR/late" &
LATE=$!
wait_until "somebody waits for an answer" test -e "$DIR/said"
kill_core KILL
wait "$LATE"
check_prints "who comes while there is no core is answered after" ' 0 while nobody is there$' cat "$DIR/late"
check "core executes itself anew" ctl daemon-reexec
check_prints "and the sockets are open" ' 0 hello$' peer talk "$DIR/all" hello

# — other settings —

unit once.socket <<U
[Socket]
ListenStream=$DIR/elsewhere
U
check "another address" ctl daemon-reload
check "does not count" peer listening "$DIR/once"
wait_until "as long as it listens" has once.socket SubState listening
check "but from the next start on" ctl restart once.socket
check_prints "it does" ' 0 hello$' peer talk "$DIR/elsewhere" hello
for i in 1 2 3 4 5; do
        check "an address is free at once ($i)" ctl restart given.socket
done

# — a stop of both, the service's first —

check "a socket whose service takes nothing" ctl start deaf.socket slow.service
mkfifo "$DIR/deaf.hold"
peer hold "$DIR/deaf" 1 "$DIR/deaf.held" <"$DIR/deaf.hold" &
DEAF=$!
exec 7>"$DIR/deaf.hold"
wait_until "somebody waits there" has deaf.service ActiveState active
mkfifo "$DIR/slow"
check "both are to stop, the socket after another" ctl stop --no-block deaf.socket deaf.service slow.service
wait_until "the service's stop is done" bash -c "! $BUILD/jobctl jobs | grep -q deaf.service"
echo >"$DIR/slow"
wait_until "all stops are" bash -c "$BUILD/jobctl jobs | grep -q 'No jobs'"
check_equal "and who waits starts nothing in between" "inactive inactive 1" \
        "$(property deaf.socket ActiveState) $(property deaf.service ActiveState) $(wc -l <"$DIR/deaf.starts")"
exec 7>&-
wait "$DEAF"

done_testing
