#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A message bus that asks the owner of systemd's name to start services, as the system bus of a machine does.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

for client in busctl dbus-daemon; do
        if ! command -v "$client" >/dev/null; then
                echo "1..0 # SKIP $client is not installed"
                exit 0
        fi
done

export DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus SYSTEMD_BUS_TIMEOUT=${PATIENCE}s
cat >"$DIR/bus.conf" <<B
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>$DBUS_SESSION_BUS_ADDRESS</listen><auth>EXTERNAL</auth><servicedir>$DIR/services</servicedir>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
B
mkdir "$DIR/services"

# service NAME UNIT: what the bus starts for org.example.NAME
service() {
        printf '[D-BUS Service]\nName=org.example.%s\nExec=/bin/false\nSystemdService=%s\n' "$1" "$2" \
                >"$DIR/services/org.example.$1.service"
}
ask() {
        busctl --user call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus StartServiceByName su "org.example.$1" 0
}

service Named named.service
service Fails fails.service
service Skipped skipped.service
service Missing missing.service
service Manual manual.service
service Nonsense nonsense
unit named.service <<U
[Service]
BusName=org.example.Named
ExecStart=$(command -v python3) $(realpath "$(dirname "$0")/speaker.py") bus $DIR org.example.Named
U
unit fails.service <<'U'
[Service]
BusName=org.example.Fails
ExecStart=/bin/sh -c 'exit 7'
U
unit skipped.service <<'U'
[Unit]
ConditionPathExists=/nonexistent
[Service]
BusName=org.example.Skipped
ExecStart=/bin/true
U
unit manual.service <<'U'
[Unit]
RefuseManualStart=yes
[Service]
BusName=org.example.Manual
ExecStart=/bin/true
U
touch "$DIR/may-take-name"
dbus-daemon --config-file="$DIR/bus.conf" --systemd-activation --fork --print-address=1 --print-pid=3 >/dev/null 3>"$DIR/bus-pid"
start_daemon --systemd-compat
check "it has the name" wait_for org.freedesktop.systemd1 busctl --user list --acquired

check_prints "what the bus asks for is started" '^u 1$' ask Named
check_prints "as a unit" 'ActiveState=active' ctl show -p ActiveState named.service
check_prints "for the reason that it has" 'the message bus asks for it' ctl why named.service
check_prints "what ends at once is told with its cause" 'fails\.service: main process exited with status 7' ask Fails
check_prints "and what is skipped" 'skipped\.service: a condition is not met: ConditionPathExists=/nonexistent' ask Skipped
check_prints "a unit that is not there" 'Unit missing\.service not found' ask Missing
check_prints "one that is not for everybody to start" 'manual\.service' ask Manual
check_prints "and a name that is none" "'nonsense' is not the name of a unit" ask Nonsense
check "it can be asked again" ctl stop named.service
check_prints "and starts it again" '^u 1$' ask Named

stop_daemon
kill "$(cat "$DIR/bus-pid")"
done_testing
