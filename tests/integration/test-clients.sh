#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Clients of systemd as Debian ships them, unmodified, against jobd --systemd-compat on a message bus.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

for client in systemctl systemd-run busctl dbus-daemon; do
        if ! command -v "$client" >/dev/null; then
                echo "1..0 # SKIP $client is not installed"
                exit 0
        fi
done

# systemctl asks a manager about files only on a machine that systemd booted, which it sees by this folder.
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system
export DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus
export SYSTEMD_PAGER='' SYSTEMD_COLORS=0 SYSTEMD_LOG_LEVEL=info LC_ALL=C.UTF-8 COLUMNS=200 SYSTEMD_BUS_TIMEOUT=${PATIENCE}s
cat >"$DIR/bus.conf" <<B
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>$DBUS_SESSION_BUS_ADDRESS</listen><auth>EXTERNAL</auth><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
B
dbus-daemon --config-file="$DIR/bus.conf" --fork --print-address=1 >/dev/null

M=(org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager)
bus() {
        busctl --user "$@"
}

start_daemon --systemd-compat
check "it has the name" wait_for org.freedesktop.systemd1 bus list --acquired

# — systemd-run with descriptors —

check_exit "systemd-run --pipe" 0 timeout "$PATIENCE" systemd-run --user -q --pipe --wait echo hello
check_equal "brings the output" "$OUT" hello
check_equal "takes the input" "$(echo text | timeout "$PATIENCE" systemd-run --user -q --pipe --wait cat)" text
check_exit "and the exit status" 3 timeout "$PATIENCE" systemd-run --user -q --pipe --wait sh -c 'exit 3'
check_exit "systemd-run --pty" 0 timeout "$PATIENCE" systemd-run --user -q --pty --wait sh -c 'tty; exit 0'
check_prints "gives it a terminal" '^/dev/pts/' echo "$OUT"
check_prints "systemd-run --shell" '^sum 42' \
        timeout "$PATIENCE" sh -c "echo 'echo sum \$((40 + 2)); exit' | SHELL=/bin/sh systemd-run --user -q --shell"

done_testing
