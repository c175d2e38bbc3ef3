#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# polkit as it is shipped, with a rule that lets one user start one unit; a bus like that of the system, and jobd's own actions.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unset XDG_SESSION_ID
POLKITD=
for place in /usr/lib/polkit-1/polkitd /usr/libexec/polkitd /usr/libexec/polkit-1/polkitd; do
        [ -x "$place" ] && POLKITD=$place
done
SOURCE=$(realpath "$(dirname "$0")/../../src/dbus")
ACTIONS=/usr/share/polkit-1/actions

# — the file —
place=$(${MESONINTROSPECT:-meson introspect} --installed "$BUILD" | python3 -c 'import json, sys
print(*[to for to in json.load(sys.stdin).values() if to.endswith("org.jobd1.policy")])')
check_prints "the actions are installed" '/polkit-1/actions/org\.jobd1\.policy$' echo "$place"
check "each action that jobd may name is described" python3 - "$SOURCE/org.jobd1.policy" "$SOURCE/object/bus_access.c" <<'P'
import re, sys, xml.etree.ElementTree as tree
described = {action.get('id') for action in tree.parse(sys.argv[1]).getroot().iter('action')}
named = {'org.jobd1.' + name for name in re.findall(r'\[BUS_VERB_\w+\] = "([a-z-]+)"', open(sys.argv[2]).read())}
assert named and named == described, (named, described)
P

missing=
[ -n "$POLKITD" ] || missing="polkitd is not installed"
has_users || missing="this test needs other users"
command -v setpriv dbus-daemon dbus-send >/dev/null || missing="setpriv, dbus-daemon or dbus-send is not installed"
if [ -n "$missing" ]; then
        skip "a real polkit decides" "$missing"
        done_testing
fi

# — a bus, polkit, and its rule —
chmod 755 "$DIR"
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$DIR/bus
cat >"$DIR/bus.conf" <<C
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>$DBUS_SYSTEM_BUS_ADDRESS</listen><auth>EXTERNAL</auth><policy context="default">
<allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
C
dbus-daemon --config-file="$DIR/bus.conf" --fork

mkdir "$DIR/actions"
if ! mount -t tmpfs tmpfs /etc/polkit-1/rules.d || ! mount -t tmpfs tmpfs /usr/share/polkit-1/rules.d ||
        ! mount --bind "$DIR/actions" "$ACTIONS"; then
        skip "a real polkit decides" "its rules cannot be replaced here"
        done_testing
fi
chmod 755 /etc/polkit-1/rules.d /usr/share/polkit-1/rules.d
cp "$SOURCE/org.jobd1.policy" "$ACTIONS"
sed 's/org\.jobd1\./org.freedesktop.systemd1./g' "$SOURCE/org.jobd1.policy" >"$ACTIONS/org.freedesktop.systemd1.policy"
cat >/etc/polkit-1/rules.d/10-test.rules <<'R'
polkit.addRule(function(action, subject) {
        if (action.id.indexOf(".manage-units") > 0 && subject.user == "nobody" && action.lookup("verb") == "start" &&
            action.lookup("unit") == "one.service")
                return polkit.Result.YES;
        if (action.id.indexOf(".manage-units") > 0 && action.lookup("unit") == "never.service")
                return polkit.Result.NO;
});
R
"$POLKITD" --no-debug >"$DIR/polkit-log" 2>&1 &
disown
names() {
        dbus-send --bus="$DBUS_SYSTEM_BUS_ADDRESS" --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames
}
check "polkit is on the bus" wait_for '"org.freedesktop.PolicyKit1"' names

for name in one two never; do
        unit "$name.service" <<'U'
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
U
done
cp "$BUILD/jobctl" "$DIR/jobctl"
chmod 755 "$DIR/jobctl"

# start_system [OPTION…]
start_system() {
        "$START_READY" "$DIR/pid" "$DIR/log" "$BUILD/jobd" --system --unit-path "$UNITS" --default-unit none \
                --runtime-dir "$DIR/run" "$@" || {
                echo "Bail out! jobd does not start"
                exit 1
        }
        DAEMON=$(cat "$DIR/pid")
}
# as USER COMMAND…
as() {
        setpriv --reuid "$1" --regid "$(id -g "$1")" --clear-groups "${@:2}"
}
# of USER ARGUMENT…: jobctl of that user, at the private socket
of() {
        as "$1" "$DIR/jobctl" --socket "$DIR/run/private" "${@:2}" </dev/null
}
# send USER NAME PATH METHOD ARGUMENT…: over the bus
send() {
        as "$1" dbus-send --bus="$DBUS_SYSTEM_BUS_ADDRESS" --print-reply --dest="$2" "$3" "$2.$4" "${@:5}"
}

# — the private socket —
start_system
check "jobd is on the bus" wait_for '"org.jobd1"' names
check "the rule lets a user start the unit" of nobody start one.service
check_prints "it runs" '^active$' of nobody is-active one.service
check_exit "but not stop it" 4 of nobody stop one.service
check_prints "which needs a password" 'uid 65534 has to authenticate to stop one.service \(polkit action org.jobd1.manage-units\)' \
        echo "$OUT"
check_exit "nor start another one" 4 of nobody start two.service
check_prints "which needs a password, too" 'has to authenticate to start two.service' echo "$OUT"
check_exit "nor both together" 4 of nobody start one.service two.service
check_prints "a rule that says no is final" 'uid 65534 may not start never.service \(polkit action org.jobd1.manage-units\)' \
        of nobody start never.service
check_prints "nor read unit files again" 'polkit action org.jobd1.reload-daemon' of nobody daemon-reload
check_prints "nor enable a unit" 'polkit action org.jobd1.manage-unit-files' of nobody enable one.service
check_exit "the rule is for that user alone" 4 of daemon start one.service
check_prints "none of that has happened" '^inactive$' of nobody is-active two.service
check "root is not asked" of root stop one.service

# — the bus —
check "the rule counts for clients of the bus, too" send nobody org.jobd1 /org/jobd1 Manager.StartUnit string:one.service \
        string:replace
check_prints "and for no other unit" 'InteractiveAuthorizationRequired.*start two.service' send nobody org.jobd1 /org/jobd1 \
        Manager.StartUnit string:two.service string:replace

# — polkit's own agent —
# ask ARGUMENT…: as of nobody, on a terminal, until a password is asked for
ask() {
        as nobody timeout "$PATIENCE" python3 -c 'import os, pty, signal, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
while b"assword" not in text:
    text += os.read(terminal, 4096)
os.kill(pid, signal.SIGINT)
sys.stdout.write(text.decode())' "$DIR/jobctl" --socket "$DIR/run/private" "$@" </dev/null
}
if command -v pkttyagent >/dev/null; then
        check_prints "polkit's agent asks for a password, and says what for" 'is required to stop unit one.service' ask stop one.service
        check "and ends with jobctl" wait_for '^$' sh -c 'grep -l "^Name:.pkttyagent" /proc/[0-9]*/status'
        check_prints "nothing has been done" '^active$' of nobody is-active one.service
else
        skip "polkit's agent asks for a password, and says what for" "pkttyagent is not installed"
fi

# — a polkit that hangs, and one that is gone —
polkit_pid() {
        dbus-send --bus="$DBUS_SYSTEM_BUS_ADDRESS" --print-reply --dest=org.freedesktop.DBus / \
                org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.PolicyKit1 | sed -n 's/.*uint32 //p'
}
POLKIT=$(polkit_pid)
kill -STOP "$POLKIT"
of nobody start two.service >"$DIR/out" 2>&1 &
waiting=$!
check "root is served while polkit does not answer" of root start two.service
kill -KILL "$POLKIT"
wait "$waiting"
check_equal "a polkit that dies has refused" 4 $?
# The call may have come only then.
check_prints "and that is said" 'polkit does not say whether uid 65534 may start two.service|polkit, .* is not there' cat "$DIR/out"
check_prints "without polkit only root may" 'Only root may call' of nobody start one.service
check "the daemon ends" stop_daemon

# — a password: polkit's place is taken by a program that consents where it may ask for one —
start_system
"$BUILD/tests/dbus/fake_polkit" "$DBUS_SYSTEM_BUS_ADDRESS" >"$DIR/questions" 2>&1 &
FAKE=$!
disown
check "somebody is in polkit's place" wait_for '"org.freedesktop.PolicyKit1"' names
mkdir "$DIR/bin"
cat >"$DIR/bin/pkttyagent" <<A
#!/bin/sh
echo "\$\$ \$PPID \$*" >>"$DIR/agents"
eval "exec \$2>&-"
exec sleep 1000
A
chmod 755 "$DIR/bin/pkttyagent"
: >"$DIR/agents"
chmod 666 "$DIR/agents"
unit password.service <<U
[Service]
Type=oneshot
ExecStart=/bin/true
U
# on_terminal ARGUMENT…: as of nobody, with a terminal, and that agent first
on_terminal() {
        as nobody env PATH="$DIR/bin:$PATH" python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$DIR/jobctl" --socket "$DIR/run/private" "$@" </dev/null
}
check_exit "a password can be refused" 4 of nobody --no-ask-password start password.service
check_prints "and jobctl says who wanted one" 'uid 65534 has to authenticate to start password.service' echo "$OUT"
check "with a password the unit starts, if an agent of the desktop asks" of nobody start password.service
check_equal "without a terminal none is started" "$(cat "$DIR/agents")" ""
check "on a terminal the unit starts, too" on_terminal start password.service
check_prints "and an agent has been started there" '^[0-9]+ [0-9]+ --notify-fd [0-9]+$' cat "$DIR/agents"
check_lacks "which has ended" . find /proc -maxdepth 1 -name "$(cut -d' ' -f1 "$DIR/agents")"
: >"$DIR/agents"
check "in a session, too" env XDG_SESSION_ID=1 bash -c "$(declare -f as on_terminal); DIR=$DIR; on_terminal start password.service"
check_prints "where it lets an agent of the desktop pass" '^[0-9]+ [0-9]+ --notify-fd [0-9]+ --fallback$' cat "$DIR/agents"
: >"$DIR/agents"
check_exit "not where a password is not wanted" 4 on_terminal --no-ask-password start password.service
check_exit "nor where none would help" 4 on_terminal start no.service
check_equal "there is no agent" "$(cat "$DIR/agents")" ""

# — a core that dies while polkit thinks —
unit late.service <<U
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
U
find_core
of nobody start late.service >"$DIR/out" 2>&1 &
waiting=$!
check "polkit thinks" wait_for 'unit=late.service' cat "$DIR/questions"
send nobody org.jobd1 /org/jobd1 Manager.StartUnit string:never.service string:replace >"$DIR/out-3" 2>&1 &
check "also about a client of the bus" wait_for 'unit=never.service' cat "$DIR/questions"
check "core dies" kill_core KILL
check "a call over the bus is made again by the next one" wait_for '^2$' grep -c unit=never.service "$DIR/questions"
check "who waited asks again" wait_for '^2$' grep -c unit=late.service "$DIR/questions"
check_prints "nothing has been started yet" '^inactive$' of nobody is-active late.service
of nobody start no.service >"$DIR/out-2" 2>&1
wait "$waiting"
check_equal "and is answered by the new core" $? 0
check_prints "which has started it" '^active$' of nobody is-active late.service
check "the manager ends, too" stop_daemon

# — a user's manager —
DBUS_SESSION_BUS_ADDRESS=$DBUS_SYSTEM_BUS_ADDRESS start_daemon --runtime-dir "$DIR/run"
check "a user's manager is on the bus with polkit" wait_for '"org.jobd1"' names
check_prints "and asks it nothing" 'Only root may call Exec; the caller is uid 65534' of nobody start one.service
check "it ends, too" stop_daemon
kill "$FAKE"
check "polkit's place is free" wait_for '^0$' sh -c "dbus-send --bus='$DBUS_SYSTEM_BUS_ADDRESS' --print-reply \
        --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames | grep -c PolicyKit1"

# — in systemd's place: its names of actions —
"$POLKITD" --no-debug >>"$DIR/polkit-log" 2>&1 &
disown
check "polkit is back" wait_for '"org.freedesktop.PolicyKit1"' names
mkdir -p /run/systemd
if mount -t tmpfs tmpfs /run/systemd; then
        chmod 755 /run/systemd
        start_system --systemd-compat
        check "jobd has systemd's name" wait_for '"org.freedesktop.systemd1"' names
        check "a call of systemd's interface is asked about" send nobody org.freedesktop.systemd1 /org/freedesktop/systemd1 \
                Manager.StartUnit string:one.service string:replace
        check_prints "as systemd's action" 'authenticate to stop one.service .polkit action org.freedesktop.systemd1.manage-units' \
                send nobody org.freedesktop.systemd1 /org/freedesktop/systemd1 Manager.StopUnit string:one.service string:replace
        check_prints "and so is one of jobd's own" 'polkit action org.freedesktop.systemd1.manage-units' of nobody stop one.service
else
        skip "in systemd's place" "/run/systemd cannot be replaced here"
fi
done_testing
