#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The policy of the system bus: it is installed where a bus reads it, it lets root own the name, and a jobd that is not let
# says what to do.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

# — where it is installed —
place() {
        ${MESONINTROSPECT:-meson introspect} --installed "$BUILD" | python3 -c 'import json, sys
print(*[to for to in json.load(sys.stdin).values() if to.endswith("org.jobd1.conf")])'
}
prefix() {
        ${MESONINTROSPECT:-meson introspect} --buildoptions "$BUILD" | python3 -c 'import json, sys
print(*[option["value"] for option in json.load(sys.stdin) if option["name"] == "prefix"])'
}
PLACE=$(place)
check "one policy is installed" test -n "$PLACE"
case $(prefix) in
/usr | /usr/local)
        check_prints "where the system bus reads it" '^(/etc|/usr/share)/dbus-1/system\.d/org\.jobd1\.conf$' echo "$PLACE" ;;
*) skip "where the system bus reads it" "this build is installed below another prefix" ;;
esac

# — a bus with and without it —
if ! command -v dbus-daemon >/dev/null; then
        skip "a bus that lets root own the name" "there is no dbus-daemon"
        done_testing
fi

# start_bus [POLICY]: like the system bus, where nobody may own a name without a policy
start_bus() {
        cat >"$DIR/bus.conf" <<C
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=$DIR/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><deny own="*"/><deny send_type="method_call"/><allow receive_type="method_call"/><allow receive_type="method_return"/>
<allow receive_type="error"/><allow receive_type="signal"/><allow send_type="signal"/>
<allow send_requested_reply="true" send_type="method_return"/><allow send_destination="org.freedesktop.DBus"/></policy>
${1:+<include>$1</include>}
</busconfig>
C
        dbus-daemon --config-file="$DIR/bus.conf" --fork --print-address=3 --print-pid=4 3>"$DIR/bus-address" 4>"$DIR/bus-pid"
}
stop_bus() {
        kill "$(cat "$DIR/bus-pid")"
        timeout "$PATIENCE" tail --pid="$(cat "$DIR/bus-pid")" -f /dev/null
}
start_system() {
        DBUS_SYSTEM_BUS_ADDRESS=unix:path=$DIR/bus "$START_READY" "$DIR/pid" "$DIR/log" "$BUILD/jobd" --system \
                --unit-path "$UNITS" --default-unit none --runtime-dir "$XDG_RUNTIME_DIR/jobd" || {
                echo "Bail out! jobd does not start"
                exit 1
        }
        DAEMON=$(cat "$DIR/pid")
}

start_bus
start_system
check "a jobd that may not own the name says which file belongs where, and how the bus reads it" wait_for \
        "does not let us own org.jobd1: .* needs the policy $PLACE in /etc/dbus-1/system.d .*: dbus-send .*ReloadConfig" cat "$DIR/log"
check "it ends" stop_daemon
stop_bus
start_bus "$(realpath "$(dirname "$0")/../../src/dbus/org.jobd1.conf")"
start_system
check "with the policy it owns the name" wait_for '"org.jobd1"' dbus-send --bus="unix:path=$DIR/bus" --print-reply \
        --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames
check "and is reached there" dbus-send --bus="unix:path=$DIR/bus" --print-reply --dest=org.jobd1 /org/jobd1 \
        org.jobd1.Manager.ListUnits
stop_daemon
stop_bus
done_testing
