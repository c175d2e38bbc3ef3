#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Readiness, watchdogs and stored descriptors of services, with real processes, and a core that dies in between.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
SPEAKER="$(python3 -c 'import sys; print(sys.executable)') $(realpath "$(dirname "$0")/speaker.py")"
read -r PORT HTTP_PORT < <(python3 -c 'import socket
servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(server.getsockname()[1] for server in servers))')
# If /etc/hosts lacks the name, it is added in the test's own mount namespace.
if ! getent hosts localhost >/dev/null; then
        cp -r /etc "$DIR/etc" 2>/dev/null || true
        echo '127.0.0.1 localhost' >>"$DIR/etc/hosts"
        mount --bind "$DIR/etc" /etc
fi

cat >"$DIR/sudden" <<S
#!/bin/sh
trap 'echo "e \$1" >>$DIR/record; exit 0' TERM
echo "b \$1" >>$DIR/record
sleep 1000 &
wait
S
chmod +x "$DIR/sudden"
unit sudden@.service <<U
[Service]
ExecStart=$DIR/sudden %i
U
echo '[Unit]' | unit sudden.target
for n in $(seq 40); do
        printf 'Wants=sudden@%s.service\n' "$n" >>"$UNITS/sudden.target"
done
unit reload.service <<U
[Service]
Type=notify-reload
ExecStart=$SPEAKER reload $DIR
U
unit store.service <<U
[Service]
Type=notify
FileDescriptorStoreMax=4
ExecStart=$SPEAKER store $DIR
U
unit watchdog.service <<U
[Service]
Type=notify
WatchdogSec=2
WatchdogSignal=SIGKILL
ExecStart=$SPEAKER watchdog $DIR
U
unit newline.service <<U
[Service]
NotifyFd=3
ExecStart=/bin/sh -c 'until [ -e $DIR/newline ]; do sleep 0.05; done; echo >&3; exec 3>&-; exec sleep 1000'
U
unit silent.service <<U
[Service]
NotifyFd=5
ExecStart=/bin/sh -c 'exec 5>&-; exec sleep 1000'
U
unit looked-at.service <<U
[Service]
ExecStart=/bin/sleep 1000
ReadinessExec=/bin/sh -c 'echo look >>$DIR/looks; test -e $DIR/looks-well && test -n "\$MAINPID"'
ReadinessIntervalSec=100ms
U
unit tcp.service <<U
[Service]
ExecStart=$SPEAKER tcp $DIR $PORT
ReadinessTCP=$PORT
ReadinessIntervalSec=50ms
U
unit http.service <<U
[Service]
ExecStart=$SPEAKER http $DIR $HTTP_PORT
ReadinessHTTP=http://localhost:$HTTP_PORT/
ReadinessIntervalSec=50ms
LivenessHTTP=http://127.0.0.1:$HTTP_PORT/health
LivenessIntervalSec=100ms
LivenessThreshold=2
Restart=on-failure
RestartSec=1h
U
unit late.service <<U
[Service]
Type=idle
ExecStart=/bin/sleep 1000
U
unit slow.service <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'until [ -e $DIR/fast ]; do sleep 0.05; done'
U
unit direct.service <<U
[Unit]
OnFailure=alarm.service
[Service]
ExecStart=/bin/sh -c 'echo run >>$DIR/direct; [ \$(wc -l <$DIR/direct) -gt 2 ] && exec sleep 1000; exit 1'
Restart=always
RestartMode=direct
RestartSec=10ms
U
unit patient.service <<U
[Service]
Type=notify
NotifyAccess=all
ExecStart=/bin/sh -c 'echo run >>$DIR/patient; [ \$(wc -l <$DIR/patient) -gt 2 ] && { systemd-notify --ready; exec sleep 1000; }; exit 1'
Restart=always
RestartMode=direct
RestartSec=10ms
U
unit dependent.service <<U
[Unit]
Requires=patient.service
After=patient.service
[Service]
ExecStart=/bin/sleep 1000
U
unit watched@.service <<U
[Unit]
OnFailure=report@%i.service
OnSuccess=report@%i.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo \$INVOCATION_ID >$DIR/watched.id; %I'
U
unit report@.service <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'env | grep ^MONITOR_ | LC_ALL=C sort >$DIR/report.new; mv $DIR/report.new $DIR/report'
U
unit alarm.service <<U
[Service]
Type=oneshot
ExecStart=/bin/touch $DIR/alarm
U
unit bus.service <<U
[Service]
Type=dbus
BusName=org.example.Speaker
ExecStart=$SPEAKER bus $DIR org.example.Speaker
U
unit leaves-nothing.service <<'U'
[Service]
Type=forking
ExecStart=/bin/true
U
unit leaves-unnamed.service <<U
[Service]
Type=forking
ExecStart=/bin/sh -c 'setsid env -i sh -c "touch $DIR/unnamed; exec sleep 1000" & until [ -e $DIR/unnamed ]; do sleep 0.01; done'
U
unit busless.service <<U
[Service]
Type=dbus
BusName=org.example.Nobody
ExecStart=/bin/sleep 1000
U

state() {
        ctl show -P ActiveState "$1"
}

# await PROPERTY VALUE UNIT
await() {
        wait_for "^$2\$" ctl show -P "$1" "$3"
}

# Until jobd-log has started nothing but its pid tells core that it is no process of a unit.
cp "$BUILD/jobd-log" "$DIR/jobd-log"
cat >"$DIR/slow-log" <<S
#!/bin/sh
touch $DIR/log-waits
until [ -e $DIR/log-starts ]; do sleep 0.05; done
exec $DIR/jobd-log "\$@"
S
chmod +x "$DIR/slow-log"
mount --bind "$DIR/slow-log" "$BUILD/jobd-log"

start_daemon

# — daemons that nothing is known of —
check "a forking service that leaves nothing" ctl start leaves-nothing.service
await SubState dead leaves-nothing.service
check_equal "ends, and well" "$(state leaves-nothing.service)-$(ctl show -P Result leaves-nothing.service)" inactive-success
check "also while jobd-log has not started" test -e "$DIR/log-waits"
touch "$DIR/log-starts"
check "one that leaves a process without an environment" ctl start leaves-unnamed.service
check_equal "stays" "$(state leaves-unnamed.service)" active
check "a forking service that leaves nothing, beside such a process" ctl start leaves-nothing.service
check_equal "may have left it" "$(state leaves-nothing.service)" active
check "it is stopped" ctl stop leaves-nothing.service

# — readiness —
ctl start --no-block newline.service
await SubState start newline.service
kill_core KILL
check_equal "a service that has not written its newline is not up, also for the next core" "$(state newline.service)" activating
touch "$DIR/newline"
await ActiveState active newline.service
report $? "a newline on its descriptor makes it so"
check_exit "one that closes it without is a failure" 1 ctl start silent.service
check_equal "of the protocol" "$(ctl show -P Result silent.service)" protocol

ctl start --no-block looked-at.service
wait_for '^look look look' sh -c "tr '\\n' ' ' <$DIR/looks"
check_equal "what its probe does not like is not up" "$(state looked-at.service)" activating
check_prints "and it is told what it waits for" 'readiness probe \(ReadinessExec: /bin/sh\)' ctl status looked-at.service
kill_core KILL
touch "$DIR/looks-well"
await ActiveState active looked-at.service
report $? "it is when the probe succeeds, and core may die meanwhile"

ctl start --no-block tcp.service
wait_for refused ctl show -P ProbeMessage tcp.service
check_equal "a port that nobody listens on is not up" "$(state tcp.service)" activating
touch "$DIR/may-listen"
await ActiveState active tcp.service
report $? "one that somebody listens on is"
check "a URL is asked for by name" ctl start http.service

# — liveness —
touch "$DIR/ill"
await SubState auto-restart http.service
report $? "a service that is ill is started again by its policy"
check_equal "with a result of its own" "$(ctl show -P Result http.service)" liveness
check_prints "that tells the answer" 'HTTP status of 5xx' ctl show -P FailureReason http.service
check_prints "and status when it will be tried again" 'Restart: in (59min|1h)' ctl status http.service
ctl stop http.service

# — reload —
check "one of Type=notify-reload starts" ctl start reload.service
ctl reload --no-block reload.service
wait_for reloaded cat "$DIR/reloads"
check_equal "a signal reloads it" "$(state reload.service)" reloading
kill_core KILL
touch "$DIR/reload-may-end"
await ActiveState active reload.service
report $? "until it says so"
check "and the next one ends by itself" ctl reload reload.service
check_equal "it was told twice" "$(wc -l <"$DIR/reloads")" 2

# — descriptors —
check "a service stores descriptors" ctl start store.service
check_equal "two of them" "$(ctl show -P NFileDescriptorStore store.service)" 2
check "which it has again after a restart" ctl restart store.service
kill_core KILL
check_equal "and when core has died" "$(ctl show -P NFileDescriptorStore store.service)" 2
check "also for the next restart" ctl restart store.service
check_equal "it counts on" "$(tr '\n' ' ' <"$DIR/numbers")" "1 2 3 "
ctl stop store.service
check_equal "a stop lets them go" "$(ctl show -P NFileDescriptorStore store.service)" 0
ctl start store.service
check_equal "and it begins anew" "$(tail -n 1 "$DIR/numbers")" 1

# — watchdog —
check "a service with a watchdog starts" ctl start watchdog.service
check_equal "the watchdog is its own" "$(cat "$DIR/watchdog")" mine
touch "$DIR/hang"
await ActiveState failed watchdog.service
check_equal "when it is silent it ends" "$(ctl show -P Result watchdog.service)" watchdog
check_equal "by the signal that is set" "$(ctl show -P ExecMainStatus watchdog.service)" 9

# — order —
ctl start --no-block slow.service
ctl start --no-block late.service
await SubState start late.service
check_prints "one of Type=idle waits while others are started" 'until no other job runs' ctl status late.service
touch "$DIR/fast"
await ActiveState active late.service
report $? "and runs when they are done"

# — restart —
ctl start direct.service
wait_for '^run run run' sh -c "tr '\\n' ' ' <$DIR/direct"
await ActiveState active direct.service
# reported NAME WHICH RESULT CODE STATUS: what the handler of such a service gets to know.
reported() {
        rm -f "$DIR/report"
        ctl start "watched@$2.service" >"$DIR/said" 2>&1
        wait_for MONITOR_UNIT cat "$DIR/report"
        check_equal "$1" "$(cat "$DIR/report")" "MONITOR_EXIT_CODE=$4
MONITOR_EXIT_STATUS=$5
MONITOR_INVOCATION_ID=$(cat "$DIR/watched.id")
MONITOR_SERVICE_RESULT=$3
MONITOR_UNIT=watched@$2.service"
}
reported "a handler knows what has failed" 'exit\x203' exit-code exited 3
reported "by which signal" 'kill\x20\x2dKILL\x200' signal killed KILL
reported "and what has ended well" 'exit\x200' success exited 0
check "that one is not kept then, as those that have failed are" wait_for '^2$' \
        sh -c "'$BUILD/jobctl' list-units --all --plain --no-legend 'watched@*' | wc -l"
check "RestartMode=direct does not count as a failure" [ ! -e "$DIR/alarm" ]
check_equal "it was started again twice" "$(ctl show -P NRestarts direct.service)" 2

check "and who waits for it to be up does so until it is" ctl start dependent.service
check_equal "after as many tries" "$(wc -l <"$DIR/patient")" 3

# — programs that core has not heard of yet when they are to end —
UNENDED=
for _ in $(seq 10); do
        : >"$DIR/record"
        ctl start --no-block sudden.target
        timeout "$PATIENCE" sh -c 'until [ -s "$1" ]; do :; done' sh "$DIR/record"
        ctl stop 'sudden@*.service' sudden.target
        UNENDED+=$(awk '$1 == "b" { on[$2] = 1 } $1 == "e" { delete on[$2] } END { for (i in on) print i }' "$DIR/record")
done
check_equal "a service that is stopped while it begins ends as it likes" "$UNENDED" ""

# — the bus —
ctl start --no-block busless.service
await SubState start busless.service
check_prints "a Type=dbus service waits where there is no bus yet" 'the name org.example.Nobody on the message bus' \
        ctl status busless.service
stop_daemon
if command -v dbus-daemon >/dev/null; then
        dbus-daemon --session --fork --print-address=3 --print-pid=4 3>"$DIR/bus-address" 4>"$DIR/bus-pid"
        DBUS_SESSION_BUS_ADDRESS=$(cat "$DIR/bus-address")
        export DBUS_SESSION_BUS_ADDRESS
        start_daemon
        ctl start --no-block bus.service
        await SubState start bus.service
        check_prints "a Type=dbus service waits for its name" 'the name org.example.Speaker on the message bus' ctl status bus.service
        kill_core KILL
        touch "$DIR/may-take-name"
        await ActiveState active bus.service
        report $? "it is up when it has that, and core may die meanwhile"
        kill_core KILL
        touch "$DIR/may-lose-name"
        await ActiveState inactive bus.service
        report $? "and down when it has it no more"

        # — somebody else has it, and then nobody: the bus itself comes later —
        mkdir "$DIR/stranger"
        touch "$DIR/stranger/may-take-name"
        rm "$DIR/may-take-name" "$DIR/may-lose-name"
        $SPEAKER bus "$DIR/stranger" org.example.Speaker &
        wait_for Speaker cat "$DIR/stranger/names"
        ctl start --no-block bus.service
        wait_for "is process $!'s, which is none of it" cat "$DIR/log"
        report $? "the name of another process does not count"
        check_equal "and the service is not up" "$(state bus.service)" activating
        ctl stop bus.service
        kill $!
        kill "$(cat "$DIR/bus-pid")"
        stop_daemon
        DBUS_SESSION_BUS_ADDRESS=unix:path=$DIR/late-bus
        start_daemon
        touch "$DIR/may-take-name"
        ctl start --no-block bus.service
        await SubState start bus.service
        dbus-daemon --session --fork --address="$DBUS_SESSION_BUS_ADDRESS" --print-pid=4 4>"$DIR/bus-pid"
        await ActiveState active bus.service
        report $? "a bus that comes later is found"
        stop_daemon
        kill "$(cat "$DIR/bus-pid")"
        unset DBUS_SESSION_BUS_ADDRESS
else
        skip "a Type=dbus service" "there is no dbus-daemon"
fi
start_daemon --no-bus
check_exit "without any bus it cannot be" 1 ctl start busless.service
check_prints "and it is said why" 'but this manager uses none' ctl show -P FailureReason busless.service

done_testing
