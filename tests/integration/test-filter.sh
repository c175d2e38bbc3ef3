#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Filters of devices and network addresses, as seen from inside a service. Each has a control without the filter.
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
# More than a kernel takes of those without privileges.
MANY=$(for net in 1 2 3 4 5 6 7 8; do seq -f "10.$net.%g.0/24" 0 255; done | tr '\n' ' ')
does many "${SEND/NAME/many}" "IPAddressDeny=$MANY 127.0.0.2 2001:db8::/32"
does full "touch $DIR/full" DevicePolicy=closed
does full-slice "touch $DIR/full-slice" Slice=full.slice
unit full.slice <<<$'[Slice]\nDevicePolicy=closed'
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

sees many "127.0.0.1 $HERE6"

# fill FOLDER: the group has as many programs for devices as the kernel lets it have, all of which allow everything
fill() {
        mkdir -p "$1" && python3 "$(dirname "$0")/fill_group.py" "$1"
}

# Where there are programs, but one can't be set, nothing runs without it.
if fill "$GROUP/app.slice/full.service" && fill "$GROUP/full.slice"; then
        check_exit "one whose filter cannot be set" 1 ctl start full.service
        check_prints "fails, with a status for that" 'ExecMainStatus=219' ctl show -p ExecMainStatus full.service
        check_prints "and says why" 'control group: cannot set the filter for DevicePolicy=: Argument list too long' \
                ctl status full.service
        check_exit "one in a slice whose filter cannot be set" 1 ctl start full-slice.service
        check_prints "says why, too" 'control group: what full.slice says of devices has no effect' ctl status full-slice.service
        check_exit "their programs were not run" 2 ls "$DIR/full" "$DIR/full-slice"
        check "when the slice is made again" ctl restart full.slice
        check "both start" ctl start full.service full-slice.service
        check "and run" ls "$DIR/full" "$DIR/full-slice"
else
        skip "one whose filter cannot be set" "the group cannot be filled"
fi

# A reload lifts the filter of a service that runs.
does strict "${OPEN/NAME/strict}"
check "reload the unit files" ctl daemon-reload
check "restart" ctl restart strict.service
sees strict 'null zero full '

for name in bad-device bad-place bad-policy bad-address bad-prefix; do
        check_exit "$name is refused" 1 ctl start "$name.service"
        check_prints "$name: with file and line" "$name.service:5: (Device|IPAddress)" echo "$OUT"
done
done_testing
