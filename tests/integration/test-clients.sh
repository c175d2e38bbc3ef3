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
# shellcheck disable=SC2317
sc() {
        systemctl --user --no-pager "$@"
}

# shellcheck disable=SC2317
bus() {
        busctl --user "$@"
}

start_daemon --systemd-compat
check "it has the name" wait_for org.freedesktop.systemd1 bus list --acquired

# — introspection —
# What differs from systemd's is listed, with the reason in front of it: "-" is missing, "+" is other than there.

unit slow.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/sleep 987
U
unit watched.service <<'U'
[Service]
WatchdogSec=0.1
ExecStart=/bin/sleep 1000
U
unit prefixed.service <<'U'
[Service]
ExecStart=-/bin/sleep 1000
U
SOURCE=$(dirname "$0")/../..
OURS=$DIR/introspection.tsv
check "its objects are introspected" \
        "$SOURCE/tools/record-introspection" --of "unix:path=$XDG_RUNTIME_DIR/systemd/private" "$OURS"
export LC_ALL=C
check_prints "all of them" '^1[3-9][0-9]{2}$' sh -c "wc -l <'$OURS'"
# jobd has no units of these types.
grep -Ev '^(#|(Automount|Device|Swap)\s)' "$SOURCE/tests/data/introspection.tsv" | sort >"$DIR/systemd"
{
        comm -23 "$DIR/systemd" <(sort "$OURS") | sed 's/^/-\t/'
        comm -13 "$DIR/systemd" <(sort "$OURS") | sed 's/^/+\t/'
} | sort >"$DIR/differences"
grep -v '^#' "$SOURCE/tests/data/introspection-differences.tsv" | sort >"$DIR/listed"
check_equal "and are systemd's but for what is listed" "$(diff "$DIR/listed" "$DIR/differences")" ""
export LC_ALL=C.UTF-8
sc stop slow.service

# — systemd-run with descriptors —

check_exit "systemd-run --pipe" 0 timeout "$PATIENCE" systemd-run --user -q --pipe --wait echo hello
check_equal "brings the output" "$OUT" hello
check_equal "takes the input" "$(echo text | timeout "$PATIENCE" systemd-run --user -q --pipe --wait cat)" text
check_exit "and the exit status" 3 timeout "$PATIENCE" systemd-run --user -q --pipe --wait sh -c 'exit 3'
check_exit "systemd-run --pty" 0 timeout "$PATIENCE" systemd-run --user -q --pty --wait sh -c 'tty; exit 0'
check_prints "gives it a terminal" '^/dev/pts/' echo "$OUT"
check_prints "systemd-run --shell" '^sum 42' \
        timeout "$PATIENCE" sh -c "echo 'echo sum \$((40 + 2)); exit' | SHELL=/bin/sh systemd-run --user -q --shell"

# — the manager —

check_prints "its version begins with a number" '^s "252 \(jobd [0-9.]+\)"$' bus get-property "${M[@]}" Version
check_exit "log-level" 0 sc log-level debug
check_equal "is set" "$(sc log-level)" debug
check_exit "and again" 0 sc log-level info
check_exit "log-target" 0 sc log-target console
check_equal "is shown" "$(sc log-target)" console
check_exit "another is refused" 1 sc log-target journal
check_prints "LogControl1" 's "info"' bus get-property org.freedesktop.systemd1 /org/freedesktop/LogControl1 \
        org.freedesktop.LogControl1 LogLevel
check_prints "says who logs" 's "jobd"' bus get-property org.freedesktop.systemd1 /org/freedesktop/LogControl1 \
        org.freedesktop.LogControl1 SyslogIdentifier
check_exit "service-watchdogs" 0 sc service-watchdogs no
check_equal "are off" "$(sc service-watchdogs)" no
kill_core KILL
check "also for the next core" wait_for '^no$' sc service-watchdogs
sc start watched.service
check "a service that misses its watchdog" wait_for 'switched off' cat "$DIR/log"
check_equal "goes on" "$(sc is-active watched.service)" active
check_exit "service-watchdogs" 0 sc service-watchdogs yes
sc restart watched.service
check "it does not with them" wait_for watchdog sc show -P Result watched.service

# — units, jobs and processes —

unit shown.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
sc daemon-reload
# shellcheck disable=SC2317
job() {
        bus call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager "$@" | grep -c '^o "/org/freedesktop/systemd1/job/[0-9]*"$'
}
check_equal "StartUnitWithFlags" "$(job StartUnitWithFlags sst shown.service replace 0)" 1
check "starts" wait_for '^active$' sc is-active shown.service
check_prints "with flags it is refused" 'must be 0' bus call "${M[@]}" StartUnitWithFlags sst shown.service replace 1
check_prints "StartUnitReplace without a start" 'No start of shown.service is queued' \
        bus call "${M[@]}" StartUnitReplace sss shown.service slow.service replace
sc start --no-block slow.service
check_equal "StartUnitReplace" "$(job StartUnitReplace sss slow.service shown.service replace)" 1
sc stop slow.service
PID=$(sc show -P MainPID shown.service)
# shellcheck disable=SC2317
own() {
        bus call org.jobd1 /org/jobd1 org.jobd1.Manager "$@"
}
# shellcheck disable=SC2317
service() {
        bus call org.jobd1 /org/jobd1/unit/shown_2eservice org.jobd1.Service "$@"
}
# shellcheck disable=SC2317
mount_unit() {
        bus call org.jobd1 /org/jobd1/unit/_2d_2emount org.jobd1.Mount "$@"
}
# shellcheck disable=SC2317
slice() {
        bus call org.jobd1 /org/jobd1/unit/_2d_2eslice org.jobd1.Slice "$@"
}
# shellcheck disable=SC2317
socket() {
        bus call org.jobd1 /org/jobd1/unit/x_2esocket org.jobd1.Socket "$@"
}
# shellcheck disable=SC2317
scope() {
        bus call org.jobd1 /org/jobd1/unit/x_2escope org.jobd1.Scope "$@"
}
check_prints "each type with a group has GetProcesses" "$PID" service GetProcesses
check_prints "a mount" '^a\(sus\) 0$' mount_unit GetProcesses
check_prints "the root slice has those of all units" "$PID" slice GetProcesses
check_prints "a socket" '^a\(sus\) 0$' socket GetProcesses
check_prints "a scope" '^a\(sus\) 0$' scope GetProcesses
check_prints "and AttachProcesses" 'itself, not to one below it' service AttachProcesses sau /sub 1 "$PID"
check_prints "a mount" 'itself, not to one below it' mount_unit AttachProcesses sau /sub 1 "$PID"
check_prints "a slice" 'itself, not to one below it' slice AttachProcesses sau /sub 1 "$PID"
check_prints "a socket" 'itself, not to one below it' socket AttachProcesses sau /sub 1 "$PID"
check_prints "a scope" 'itself, not to one below it' scope AttachProcesses sau /sub 1 "$PID"
U=/org/freedesktop/systemd1/unit/shown_2eservice
check_prints "GetProcesses" "\"[^\"]*\" $PID \"sleep\"" \
        bus call org.freedesktop.systemd1 "$U" org.freedesktop.systemd1.Service GetProcesses
check_prints "GetUnitProcesses" "\"[^\"]*\" $PID \"sleep\"" bus call "${M[@]}" GetUnitProcesses s shown.service
check_prints "AttachProcesses into a group below" 'itself, not to one below it' bus call org.freedesktop.systemd1 "$U" \
        org.freedesktop.systemd1.Service AttachProcesses sau /sub 1 "$PID"
ID=$(sc show -P InvocationID shown.service | sed 's/../0x& /g')
# shellcheck disable=SC2086
check_prints "GetUnitByInvocationID" "$U" bus call "${M[@]}" GetUnitByInvocationID ay 16 $ID
check_prints "of none" 'No loaded unit has had' bus call "${M[@]}" GetUnitByInvocationID ay 16 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
check_prints "of half an id" 'has 16 bytes' bus call "${M[@]}" GetUnitByInvocationID ay 1 1
check_prints "GetUnitByControlGroup of none" 'does not belong to any' bus call "${M[@]}" GetUnitByControlGroup s /no/such
check_prints "Dump" '-> Unit shown.service:' bus call "${M[@]}" Dump
check_prints "DumpUnitsMatchingPatterns" '-> Unit shown.service:' bus call "${M[@]}" DumpUnitsMatchingPatterns as 1 'shown*'
check_lacks "only of those" 'slow.service' bus call "${M[@]}" DumpUnitsMatchingPatterns as 1 'shown*'
check_prints "systemd-analyze dump" '-> Unit shown.service:' systemd-analyze --user dump
check_prints "all of these are of jobd, too" '"/org/jobd1/job/' own StartUnitWithFlags sst shown.service replace 0
check_prints "StartUnitReplace" 'NoSuchJob|No start of' own StartUnitReplace sss shown.service slow.service replace
# shellcheck disable=SC2086
check_prints "GetUnitByInvocationID" '/org/jobd1/unit/shown' own GetUnitByInvocationID ay 16 $ID
check_prints "GetUnitByControlGroup" 'does not belong to any' own GetUnitByControlGroup s /no/such
check_prints "Dump" 'Manager: jobd' own Dump
check_prints "DumpUnitsMatchingPatterns" 'shown' own DumpUnitsMatchingPatterns as 1 'shown*'
check_prints "EnqueueMarkedJobs" '^ao 0$' bus call "${M[@]}" EnqueueMarkedJobs
check_prints "GetDynamicUsers" '^a\(us\) 0$' bus call "${M[@]}" GetDynamicUsers
check_prints "what is not supported says so" 'does not support SwitchRoot' bus call "${M[@]}" SwitchRoot ss / /init
check_prints "the prefixes of a command" 'flags=ignore-failure' sc show -p ExecStartEx prefixed.service
check_prints "a property of systemd's alone" '^IPIngressBytes=\[no data\]$' sc show -p IPIngressBytes shown.service
check_prints "members of jobd alone are not there" 'Unknown|has no method' bus call "${M[@]}" Stats
check_lacks "nor properties" 'JobPriority' sc show shown.service
check_equal "the soft limit of descriptors is that of select()" \
        "$(systemd-run --user -q --pipe --wait sh -c 'ulimit -Sn')-$(sc show -P LimitNOFILESoft shown.service)" 1024-1024

# — settings and files —

check_exit "set-property takes every switch for counting" 0 sc set-property shown.service IPAccounting=yes \
        CPUAccounting=yes MemoryAccounting=yes TasksAccounting=yes BlockIOAccounting=yes
check_equal "what is counted is shown" "$(sc show -P CPUAccounting shown.service)-$(sc show -P MemoryAccounting shown.service)" yes-yes
check_equal "a limit by its old name is infinite unless it is set" "$(sc show -P MemoryLimit shown.service)" infinity
check_exit "and the old names of shares and limits" 0 sc set-property shown.service CPUShares=200 StartupCPUShares=300 \
        BlockIOWeight=400 StartupBlockIOWeight=500 MemoryLimit=600M
check_equal "which are shown as they were set" \
        "$(sc show -P CPUShares -P StartupCPUShares -P BlockIOWeight -P StartupBlockIOWeight -P MemoryLimit shown.service |
           sort)" "200
300
400
500
629145600"
check_equal "and as what they mean" "$(sc show -P CPUWeight -P IOWeight shown.service | sort)" "19
80"
ln -s "$UNITS/shown.service" "$UNITS/linked.service"
check_prints "a mask in place of a link says what it removes" \
        '^a\(sss\) 2 "unlink" "[^"]*/linked.service" "" "symlink" "[^"]*/linked.service" "/dev/null"$' \
        bus call "${M[@]}" MaskUnitFiles asbb 1 linked.service false true
check_equal "and is there" "$(readlink "$UNITS/linked.service")" /dev/null

done_testing
