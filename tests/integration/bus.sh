# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# A message bus of a session, and clients that reach jobd by that alone. A test sources this after library.sh; without the
# programs it is skipped.

for program in dbus-daemon busctl systemctl; do
        if ! command -v $program >/dev/null; then
                echo "1..0 # SKIP $program is not installed"
                exit 0
        fi
done

cat >"$DIR/bus.conf" <<C
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=$DIR/bus</listen><auth>EXTERNAL</auth><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
C
dbus-daemon --config-file="$DIR/bus.conf" --fork --print-address=3 --print-pid=4 3>"$DIR/bus-address" 4>"$DIR/bus-pid"
export DBUS_SESSION_BUS_ADDRESS=unix:path=$DIR/bus
mkdir "$DIR/empty"

# over_bus COMMAND…: which finds no private socket
over_bus() {
        XDG_RUNTIME_DIR=$DIR/empty "$@"
}

# call METHOD [SIGNATURE ARGUMENT…]: of the manager, by systemd's name
call() {
        over_bus busctl --user call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager "$@"
}

# own_call METHOD [SIGNATURE ARGUMENT…]: by jobd's own name
own_call() {
        over_bus busctl --user call org.jobd1 /org/jobd1 org.jobd1.Manager "$@"
}

# owner NAME
owner() {
        over_bus busctl --user call org.freedesktop.DBus / org.freedesktop.DBus GetNameOwner s "$1"
}
