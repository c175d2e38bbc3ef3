#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sandboxes with the real daemon: what a service sees, what its processes share with each other and with the units of
# JoinsNamespaceOf=, that the sandbox outlives core, and that nothing is left when the service ends.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

# Not below /tmp, which is another folder inside a sandbox.
OUTPUT=/mnt
mount -t tmpfs tmpfs "$OUTPUT"

unit sees.service <<U
[Service]
Type=oneshot
RemainAfterExit=yes
PrivateTmp=yes
PrivateNetwork=yes
PrivateIPC=yes
ProtectSystem=strict
ProtectHome=yes
ReadWritePaths=$OUTPUT
NoExecPaths=$OUTPUT
ExecStartPre=/bin/sh -c 'echo pre >/tmp/pre; readlink /proc/self/ns/net /proc/self/ns/ipc >$OUTPUT/net-pre'
ExecStart=/bin/sh -c 'cat /tmp/pre; readlink /proc/self/ns/net; touch /usr/x 2>/dev/null || echo protected; ls -A /root' 
StandardOutput=file:$OUTPUT/sees
ExecStop=+/bin/sh -c 'ls -d /tmp/jobd-private-* >$OUTPUT/stop; readlink /proc/self/ns/net /proc/self/ns/ipc >$OUTPUT/net-stop'
U
unit tunes.service <<U
[Service]
Type=oneshot
User=nobody
ProtectKernelTunables=yes
ExecStart=/bin/grep NoNewPrivs: /proc/self/status
StandardOutput=file:$OUTPUT/tunes
U
unit one.service <<U
[Service]
PrivateTmp=yes
PrivateNetwork=yes
PrivateIPC=yes
ExecStart=/bin/sh -c 'echo shared >/tmp/word; exec sleep 1000'
U
unit two.service <<U
[Unit]
JoinsNamespaceOf=one.service
[Service]
PrivateTmp=yes
PrivateNetwork=yes
PrivateIPC=yes
ExecStart=/bin/sleep 1000
U
unit three.service <<U
[Service]
PrivateTmp=yes
PrivateNetwork=yes
ExecStart=/bin/sleep 1000
U
unit fails.service <<U
[Service]
Type=oneshot
ExecStart=/bin/true
ReadOnlyPaths=/no/such/path
U
unit bad.service <<U
[Service]
ExecStart=/bin/true
ProtectSystem=mostly
U
unit network.service <<U
[Service]
Type=oneshot
ExecStart=/bin/true
NetworkNamespacePath=$DIR/no-namespace
U
unit own.service <<U
[Service]
Type=oneshot
RemainAfterExit=yes
ProtectSystem=strict
RuntimeDirectory=trial
SetCredential=word:secret
ExecStart=/bin/sh -c 'touch $DIR/outside 2>/dev/null || echo refused; touch "\$\$RUNTIME_DIRECTORY/x" && echo written; cat "\$\$CREDENTIALS_DIRECTORY/word"; cmp %d/word "\$\$CREDENTIALS_DIRECTORY/word"'
StandardOutput=file:$OUTPUT/own
U
unit commands.socket <<U
[Socket]
ListenStream=$DIR/commands
PrivateTmp=yes
PrivateNetwork=yes
ProtectSystem=strict
ReadWritePaths=$OUTPUT
Service=three.service
ExecStartPre=/bin/sh -c 'touch /tmp/pre; readlink /proc/self/ns/net >$OUTPUT/socket-pre; touch /usr/x 2>/dev/null || echo protected >>$OUTPUT/socket-pre'
ExecStopPost=/bin/sh -c 'ls /tmp; readlink /proc/self/ns/net' 
StandardOutput=file:$OUTPUT/socket-post
U
unit probed.service <<U
[Service]
PrivateNetwork=yes
ReadinessTCP=127.0.0.1:4711
ReadinessIntervalSec=50ms
ExecStart=/usr/bin/python3 -c 'import socket, time; s = socket.create_server(("127.0.0.1", 4711)); time.sleep(1000)'
U

main_pid() {
        ctl show -P MainPID "$1"
}

# namespace PID KIND
namespace() {
        readlink "/proc/$1/ns/$2"
}

# gone PATTERN: nothing matches any more, soon
gone() {
        local end=$((SECONDS + PATIENCE))
        while compgen -G "$1" >/dev/null; do
                [ "$SECONDS" -lt "$end" ] || return 1
                sleep 0.02
        done
}

start_daemon

# — what it sees —
check "a service in a sandbox starts" ctl start sees.service
mapfile -t LINES_ <"$OUTPUT/sees"
check_equal "its commands share /tmp" "${LINES_[0]-}" pre
check_equal "and a network" "${LINES_[1]-}" "$(head -n1 "$OUTPUT/net-pre")"
check_equal "which is not ours" "$([ "${LINES_[1]-}" = "$(readlink /proc/self/ns/net)" ] || echo other)" other
check_equal "it cannot write, and sees no home" "${LINES_[2]-} ${LINES_[3]-}" "protected "
check_exit "what it writes to /tmp is not in ours" 1 test -e /tmp/pre
check_prints "the folder is only root's" '^700 ' stat -c '%a %n' /tmp/jobd-private-sees.service-*
check_prints "properties tell" '^PrivateTmp=yes$' ctl show sees.service
check_prints "of protection" '^ProtectSystem=strict$' ctl show sees.service
check_prints "and of paths" "^ReadWritePaths=.*$OUTPUT" ctl show sees.service
check "it stops" ctl stop sees.service
check_prints "a command with '+' is outside" '^/tmp/jobd-private-sees.service-' cat "$OUTPUT/stop"
check_equal "but in its network, and its IPC" "$(cat "$OUTPUT/net-stop")" "$(cat "$OUTPUT/net-pre")"
check "and its folders go" gone '/tmp/jobd-private-sees.service-*'
check "both of them" gone '/var/tmp/jobd-private-sees.service-*'

if has_users; then
        check "a user's service without the kernel's tunables starts" ctl start tunes.service
        check_prints "and cannot become root to get at them" '1$' cat "$OUTPUT/tunes"
else
        skip "a user's service without the kernel's tunables" "only root may be others"
fi
mkdir -p "$XDG_RUNTIME_DIR/credentials/own.service"
echo "of another run" >"$XDG_RUNTIME_DIR/credentials/own.service/word"
check "directories of its own can be written to" ctl start own.service
check_equal "when nothing else can be, and credentials are there" "$(tr '\n' ' ' <"$OUTPUT/own")" "refused written secret"
check "it stops, too" ctl stop own.service
check "a probe looks at it from its network" ctl start probed.service
check "and it stops" ctl stop probed.service

# — the commands of a socket —
check "a socket whose commands are in a sandbox" ctl start commands.socket
check_equal "they are" "$(sed -n 2p "$OUTPUT/socket-pre")" protected
check_exit "with a /tmp of their own" 1 test -e /tmp/pre
check_prints "properties tell" '^PrivateTmp=yes$' ctl show commands.socket
check "core dies" kill_core KILL
check "the socket stops" ctl stop commands.socket
check_equal "its last command shares what the first had, behind another core, too" \
        "$(tr '\n' ' ' <"$OUTPUT/socket-post")" "pre $(sed -n 1p "$OUTPUT/socket-pre") "
check "and its folders go" gone '/tmp/jobd-private-commands.socket-*'

# — systemd-tmpfiles —
if command -v systemd-tmpfiles >/dev/null; then
        for folder in tmp var/tmp; do
                mkdir -p "$DIR/tidy/$folder/jobd-private-x"/tmp "$DIR/tidy/$folder/other"
                touch "$DIR/tidy/$folder"/{jobd-private-x/tmp,other}/file
        done
        printf 'e /tmp - - - 0\ne /var/tmp - - - 0\n' >"$DIR/age.conf"
        tidy() {
                systemd-tmpfiles --root="$DIR/tidy" "$@" "$(realpath "$(dirname "$0")/../../units/tmpfiles.conf")"
        }
        check "what is old in /tmp goes" tidy --clean "$DIR/age.conf"
        check_equal "but not what services have there" "$(cd "$DIR/tidy" && find . -name file | sort | tr '\n' ' ')" \
                './tmp/jobd-private-x/tmp/file ./var/tmp/jobd-private-x/tmp/file '
        check "a machine boots" tidy --boot --remove
        check_equal "and what services had there goes" "$(cd "$DIR/tidy" && find . -name 'jobd*')" ''
fi

# — what is joined, and what is not —
check "two services that are joined, and one that is not" ctl start one.service two.service three.service
ONE=$(main_pid one.service) TWO=$(main_pid two.service) THREE=$(main_pid three.service)
for kind in net ipc; do
        check_equal "those that are joined share $kind" "$(namespace "$TWO" $kind)" "$(namespace "$ONE" $kind)"
done
[ "$(namespace "$THREE" net)" != "$(namespace "$ONE" net)" ]
report $? "the other one does not"
check_equal "they share /tmp" "$(cat "/proc/$TWO/root/tmp/word")" shared
check_exit "which the other one does not" 1 test -e "/proc/$THREE/root/tmp/word"

# — core dies —
NET=$(namespace "$ONE" net)
# Held, so that no other one gets its number.
exec 8<"/proc/$ONE/ns/net"
check "core dies" kill_core KILL
check "one of the two is started again" ctl restart two.service
TWO=$(main_pid two.service)
check_equal "it is in the same network still" "$(namespace "$TWO" net)" "$NET"
check_equal "and in the same /tmp" "$(cat "/proc/$TWO/root/tmp/word")" shared
check "the one that it was made for is started again" ctl restart one.service
check_equal "in the same network: the other one has kept it" "$(namespace "$(main_pid one.service)" net)" "$NET"
check "one stops" ctl stop one.service
check "its folder is there for the other" compgen -G '/tmp/jobd-private-one.service-*'
check "all stop" ctl stop two.service three.service
check "and nothing is left" gone '/tmp/jobd-private-*'
check "one starts" ctl start one.service
[ "$(namespace "$(main_pid one.service)" net)" != "$NET" ]
report $? "in a network that is new"
exec 8<&-
check "and stops" ctl stop one.service

# — what goes wrong —
check_exit "a path that is not there is a failure" 1 ctl start fails.service
check_prints "which is named" 'ReadOnlyPaths=/no/such/path: No such file' ctl status fails.service
check_equal "with the status that is documented" "$(ctl show -P ExecMainStatus fails.service)" 226
check_exit "a network that is not there, too" 1 ctl start network.service
check_equal "has a status of its own" "$(ctl show -P ExecMainStatus network.service)" 225
check_exit "a value that is none is not taken for less" 1 ctl start bad.service
check_prints "the unit is refused" "ProtectSystem=: 'mostly' is none of" ctl status bad.service
check "nothing is left of those" gone '/tmp/jobd-private-*'

done_testing
