#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What services may reach, as seen from inside them: devices, addresses of the network. Each has a control that may.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

. "$(dirname "$0")/group.sh"
if [ -z "$GROUP" ]; then
        echo "1..0 # SKIP there is no version 2 hierarchy of control groups that can be written"
        exit 0
fi
ip link set lo up 2>/dev/null

# does NAME COMMAND [LINE…]: a service that writes what comes of the command
does() {
        local name=$1 command=$2
        shift 2
        { printf '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/bash -c "%s"\n' "$command" && printf '%s\n' "$@"; } |
                unit "$name.service"
}

OPEN="for device in null zero full; do : <>/dev/\$\$device && echo \$\$device; done >$DIR/NAME 2>&-; true"
for name in all strict closed read; do
        case $name in
        all) does all "${OPEN/NAME/all}" ;;
        strict) does strict "${OPEN/NAME/strict}" DevicePolicy=strict 'DeviceAllow=/dev/null rw' ;;
        closed) does closed "${OPEN/NAME/closed}" DevicePolicy=closed ;;
        read) does read "{ : </dev/zero && echo reads; : >/dev/zero && echo writes; } >$DIR/read 2>&-; true" \
                DevicePolicy=strict 'DeviceAllow=char-mem r' ;;
        esac
done
# A node that lies elsewhere, on a file system where nodes count, is no way round it.
mkdir -p /mnt/nodes && mount -t tmpfs none /mnt/nodes && mknod /mnt/nodes/kmsg c 1 11
ELSEWHERE="{ : </mnt/nodes/kmsg && echo opens || echo refused; } >$DIR/NAME 2>&-; true"
does elsewhere "${ELSEWHERE/NAME/elsewhere}"
does private "${ELSEWHERE/NAME/private}" PrivateDevices=yes
does within "${ELSEWHERE/NAME/within}" Slice=closed.slice
unit closed.slice <<<$'[Slice]\nDevicePolicy=closed'
SEND="for address in 127.0.0.1 127.0.0.2 ::1; do echo x >/dev/udp/\$\$address/9 && echo \$\$address; done >$DIR/NAME 2>&-; true"
does free "${SEND/NAME/free}"
does denied "${SEND/NAME/denied}" IPAddressDeny=any
does partly "${SEND/NAME/partly}" IPAddressDeny=any IPAddressAllow=127.0.0.2
does narrow "${SEND/NAME/narrow}" IPAddressDeny=127.0.0.0/31
does below "${SEND/NAME/below}" Slice=kept.slice IPAddressAllow=127.0.0.2
unit kept.slice <<<$'[Slice]\nIPAddressDeny=any'
does bad-device true 'DeviceAllow=/dev/null rx'
does bad-place true 'DeviceAllow=/etc/passwd r'
does bad-policy true 'DevicePolicy=most'
does bad-address true 'IPAddressDeny=300.1.1.1'
does bad-prefix true 'IPAddressAllow=10.0.0.0/33'

start_daemon_in_group

# sees NAME WANTED
sees() {
        check "$1: start" ctl start "$1.service"
        check_equal "$1: what it reaches" "$(tr '\n' ' ' <"$DIR/$1")" "$2"
}

check "start" ctl start strict.service
if ctl show -P ResourcesNotApplied strict.service | grep -q bpf; then
        skip "what services reach" "the kernel takes no programs here: $(ctl show -P ResourcesNotApplied strict.service)"
        done_testing
fi
sees all 'null zero full '
sees strict 'null '
sees closed 'null zero full '
sees read 'reads '
if : 2>&- </mnt/nodes/kmsg; then
        sees elsewhere 'opens '
        sees private 'refused '
        sees within 'refused '
fi
check_prints "the bus says so" '/dev/null' ctl show -p DeviceAllow strict.service
HERE6=
echo x >/dev/udp/::1/9 && HERE6='::1 '
sees free "127.0.0.1 127.0.0.2 $HERE6"
sees denied ''
sees partly '127.0.0.2 '
sees narrow "127.0.0.2 $HERE6"
sees below '127.0.0.2 '

# What was set before is taken back while it runs.
does strict "${OPEN/NAME/strict}"
check "reload the unit files" ctl daemon-reload
check "restart" ctl restart strict.service
sees strict 'null zero full '

for name in bad-device bad-place bad-policy bad-address bad-prefix; do
        check_exit "$name is refused" 1 ctl start "$name.service"
        check_prints "$name: with file and line" "$name.service:5: (Device|IPAddress)" echo "$OUT"
done
done_testing
