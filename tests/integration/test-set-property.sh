#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# set-property: settings are applied to a unit that runs, are kept as drop-ins, and are refused when they are wrong.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/group.sh"

RUNTIME=$XDG_RUNTIME_DIR/jobd/user
unit a.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
if [ -n "$GROUP" ]; then
        start_daemon_in_group --unit-path "$UNITS:$RUNTIME"
else
        start_daemon --unit-path "$UNITS:$RUNTIME"
fi
check "it runs" ctl start a.service
PID=$(ctl show -P MainPID a.service)
check "settings are taken" ctl set-property a.service MemoryMax=64M TasksMax=20 'Description=Set by hand'
check_prints "and shown" '^MemoryMax=67108864$' ctl show -p MemoryMax a.service
check_prints "all of them" '^Description=Set by hand$' ctl show -p Description a.service
check_equal "the process has stayed" "$(ctl show -P MainPID a.service)" "$PID"
check_equal "they are drop-ins" "$(sed -n 3p "$UNITS/a.service.d/50-TasksMax.conf")" "TasksMax=20"
if [ -n "$GROUP" ] && [ -e "$GROUP/app.slice/a.service/pids.max" ]; then
        check_equal "and hold" "$(cat "$GROUP/app.slice/a.service/pids.max")" 20
else
        check_prints "that they do not hold is said" 'not applied: .*TasksMax=' ctl status a.service
fi
check "until the next boot" ctl set-property --runtime a.service CPUWeight=50
check "they are below /run" test -e "$RUNTIME/a.service.d/50-CPUWeight.conf"
check "lists are" ctl set-property a.service 'DeviceAllow=/dev/null rw' 'DeviceAllow=/dev/zero r' TasksMax=10 TasksMax=20
check_equal "taken together" "$(sed -n '3,$p' "$UNITS/a.service.d/50-DeviceAllow.conf")" "DeviceAllow=/dev/null rw
DeviceAllow=/dev/zero r"
check_prints "of others the last one counts" '^TasksMax=20$' ctl show -p TasksMax a.service
# — lists: what is set adds to what there is —
DISK=/dev/vda
lines() {
        sed -n '3,$p' "$UNITS/a.service.d/50-$1.conf"
}
for which in IOReadBandwidthMax IOWriteBandwidthMax IOReadIOPSMax IOWriteIOPSMax; do
        check "$which is set" ctl set-property a.service "$which=$DISK 1M"
        check "once more" ctl set-property a.service "$which=/dev/other 2M"
        check_prints "both are there" "=($DISK 1000000 /dev/other 2000000|/dev/other 2000000 $DISK 1000000)\$" \
                ctl show -p "$which" a.service
        check "of one disk" ctl set-property a.service "$which=$DISK 3M"
        check_prints "the last one counts" "$DISK 3000000( |$)" ctl show -p "$which" a.service
        check_equal "and it alone is kept" "$(lines "$which")" "$which=/dev/other 2M
$which=$DISK 3M"
done
check "weights of disks" ctl set-property a.service "IODeviceWeight=$DISK 200"
check "are a list, too" ctl set-property a.service "IODeviceWeight=/dev/other 300"
check_prints "both are there" "=($DISK 200 /dev/other 300|/dev/other 300 $DISK 200)\$" ctl show -p IODeviceWeight a.service
check "addresses" ctl set-property a.service IPAddressDeny=any IPAddressAllow=127.0.0.1
check "are added" ctl set-property a.service IPAddressAllow=192.168.0.0/16
check "one is there once" ctl set-property a.service IPAddressAllow=127.0.0.1
check_equal "no less" "$(lines IPAddressAllow)" "IPAddressAllow=192.168.0.0/16
IPAddressAllow=127.0.0.1"
check_prints "and no more" '^IPAddressAllow=192.168.0.0/16 127.0.0.1/32$' ctl show -p IPAddressAllow a.service
check_prints "the others are as they were" '^IPAddressDeny=0.0.0.0/0 ::/0$' ctl show -p IPAddressDeny a.service
check_exit "a bad address is refused" 1 ctl set-property a.service IPAddressAllow=nowhere
check_prints "and none is lost by it" '^IPAddressAllow=192.168.0.0/16 127.0.0.1/32$' ctl show -p IPAddressAllow a.service
check_equal "the process has stayed" "$(ctl show -P MainPID a.service)" "$PID"
check "an empty value" ctl set-property a.service IPAddressAllow= IPAddressDeny= IOWriteIOPSMax=
check_equal "takes all back" "$(ctl show -P IPAddressAllow -P IOWriteIOPSMax a.service)" ""
check "then" ctl set-property a.service IPAddressAllow=10.0.0.1
check_equal "it begins anew" "$(lines IPAddressAllow)" "IPAddressAllow=
IPAddressAllow=10.0.0.1"
check "all at once" ctl set-property a.service IPAddressAllow=
check_exit "a bad value is refused" 1 ctl set-property a.service TasksMax=30 MemoryMin=plenty
check_prints "with the setting" 'MemoryMin=: ' ctl set-property a.service TasksMax=30 MemoryMin=plenty
check_prints "and the other one is not taken either" '^TasksMax=20$' ctl show -p TasksMax a.service
check_prints "what needs a restart is refused" "cannot be set at run time" ctl set-property a.service ExecStart=/bin/true
check_prints "so is another slice" "Slice of a.service cannot be set at run time" ctl set-property a.service Slice=x.slice
check_prints "a line break is no value" 'wrong type' ctl set-property a.service "Description=x
[Service]
ExecStartPre=/bin/false"
check_exit "what is no assignment is refused" 2 ctl set-property a.service MemoryMax
check_exit "so is a unit that is not there" 1 ctl set-property ghost.service MemoryMax=1
if command -v busctl >/dev/null; then
        # shellcheck disable=SC2317
        call() {
                busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 "$@"
        }
        check "systemd's property" call /org/jobd1 org.jobd1.Manager SetUnitProperties 'sba(sv)' a.service true 2 \
                CPUQuotaPerSecUSec t 500000 MemoryHigh t 1048576
        check_prints "has systemd's unit" '^CPUQuotaPerSecUSec=500ms$' ctl show -p CPUQuotaPerSecUSec a.service
        check "of the unit itself" call /org/jobd1/unit/a_2eservice org.jobd1.Unit SetProperties 'ba(sv)' true 1 \
                MemoryHigh t 18446744073709551615
        check "lists of its type" call /org/jobd1 org.jobd1.Manager SetUnitProperties 'sba(sv)' a.service false 2 \
                IOReadIOPSMax 'a(st)' 1 /dev/third 7 IPAddressAllow 'a(iayu)' 1 2 4 192 168 1 0 24
        check_prints "are added" ' /dev/third 7$' ctl show -p IOReadIOPSMax a.service
        check_prints "as well" '^IPAddressAllow=192.168.1.0/24$' ctl show -p IPAddressAllow a.service
        check "an empty one" call /org/jobd1 org.jobd1.Manager SetUnitProperties 'sba(sv)' a.service false 1 IOReadIOPSMax 'a(st)' 0
        check_equal "takes all back" "$(ctl show -P IOReadIOPSMax a.service)" ""
        check_prints "no limit" '^MemoryHigh=infinity$' ctl show -p MemoryHigh a.service
fi
# — for good, and until the next boot: what was set last counts —
check "for good" ctl set-property a.service CPUWeight=60 DeviceAllow= 'DeviceAllow=/dev/null rw'
check_prints "it counts" '^CPUWeight=60$' ctl show -p CPUWeight a.service
check "until the next boot, then" ctl set-property --runtime a.service CPUWeight=70 'DeviceAllow=/dev/zero r'
check_prints "that counts" '^CPUWeight=70$' ctl show -p CPUWeight a.service
check_equal "and is below /run" "$(sed -n 3p "$RUNTIME/a.service.d/50-CPUWeight.runtime.conf")" CPUWeight=70
check_equal "the other is there for later" "$(sed -n 3p "$UNITS/a.service.d/50-CPUWeight.conf")" CPUWeight=60
check_prints "lists have both" '^DeviceAllow=/dev/null rw /dev/zero r$' ctl show -p DeviceAllow a.service
check "for good again" ctl set-property a.service CPUWeight=80
check_prints "it counts at once" '^CPUWeight=80$' ctl show -p CPUWeight a.service
check_exit "and nothing else is there" 1 test -e "$RUNTIME/a.service.d/50-CPUWeight.runtime.conf"
check "a list until the next boot" ctl set-property --runtime a.service IPAddressDeny=10.0.0.1 "IODeviceWeight=$DISK 10"
check "goes on" ctl set-property a.service IPAddressDeny=10.0.0.2 "IODeviceWeight=$DISK 20"
check_prints "beside what is set for good" '^IPAddressDeny=.*10\.0\.0\.1/32' ctl show -p IPAddressDeny a.service
check_prints "which has been added" '^IPAddressDeny=.*10\.0\.0\.2/32' ctl show -p IPAddressDeny a.service
check_prints "of one disk what was set last counts" "^IODeviceWeight=.*$DISK 20( |\$)" ctl show -p IODeviceWeight a.service
check "the same" ctl set-property a.service IPAddressDeny=10.0.0.3
check_prints "where both are there" '^IPAddressDeny=.*10\.0\.0\.1/32' ctl show -p IPAddressDeny a.service
check "all is taken back for now" ctl set-property --runtime a.service IPAddressDeny=
check "then" ctl set-property a.service IPAddressDeny=10.0.0.4
check_prints "only that is there" '^IPAddressDeny=10\.0\.0\.4/32$' ctl show -p IPAddressDeny a.service
check "all is taken back" ctl set-property a.service IPAddressDeny=
check_equal "of both" "$(ctl show -P IPAddressDeny a.service)" ""
check "revert takes all of it back" ctl revert a.service
check_prints "then nothing is limited" '^TasksMax=infinity$' ctl show -p TasksMax a.service
# — files of other units, that have changed meanwhile —
unit other.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit wrong.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
check "of units that run" ctl start other.service wrong.service
printf '[Unit]\nDescription=Other\n' >>"$UNITS/other.service"
printf 'MemoryMax=lots\n' >>"$UNITS/wrong.service"
check "one with an error prevents nothing" ctl set-property a.service TasksMax=40
check_equal "which is in force" "$(ctl show -P TasksMax a.service)" 40
check_equal "and none is read" "$(ctl show -P Description -P NeedDaemonReload other.service | sort)" "other.service
yes"
check "the units end" ctl stop other.service wrong.service
rm "$UNITS/wrong.service"
check "and then" ctl revert a.service
check "all is read" ctl daemon-reload
# — a slice that has no file —
check "of the slice that services are in" ctl set-property app.slice TasksMax=500
check_prints "it is set" '^TasksMax=500$' ctl show -p TasksMax app.slice
if [ -n "$GROUP" ] && [ -e "$GROUP/app.slice/pids.max" ]; then
        check_equal "and holds" "$(cat "$GROUP/app.slice/pids.max")" 500
else
        check_prints "that it does not hold is said" 'not applied: .*TasksMax=' ctl status app.slice
fi
check "of one that nothing is in" ctl set-property --runtime other.slice TasksMax=50
check_prints "it is set, too" '^TasksMax=50$' ctl show -p TasksMax other.slice
check "of a slice" ctl revert app.slice
check_prints "it is taken back" '^TasksMax=infinity$' ctl show -p TasksMax app.slice
check_equal "nothing is left behind" "$(find "$UNITS" "$XDG_RUNTIME_DIR/jobd" -name 'drop-in*')" ""
check "the daemon ends" stop_daemon

# — the usual folders, those of systemd among them —
export XDG_CONFIG_HOME=$DIR/config
C=$XDG_CONFIG_HOME/jobd/user.control/b.service.d
R=$XDG_RUNTIME_DIR/jobd/user.control/b.service.d
mkdir -p "$XDG_CONFIG_HOME/jobd/user/b.service.d"
cp "$UNITS/a.service" "$XDG_CONFIG_HOME/jobd/user/b.service"
printf '[Service]\nTasksMax=11\nCPUWeight=11\n' >"$XDG_CONFIG_HOME/jobd/user/b.service.d/10-own.conf"
printf '[Service]\nMemoryMax=3M\n' >"$XDG_CONFIG_HOME/jobd/user/b.service.d/50-MemoryMax.conf"
start_daemon --unit-path ''
check "of a unit with drop-ins" ctl set-property b.service TasksMax=30 MemoryMax=30M
check "and until the next boot" ctl set-property --runtime b.service CPUWeight=40 TasksMax=31
check_equal "changes have a folder of their own" "$(cd "$C" && cat ./*)" "# Written by set-property
[Service]
MemoryMax=30M
# Written by set-property
[Service]
TasksMax=30"
check_equal "and one for this boot" "$(cd "$R" && echo ./*)" "./50-CPUWeight.conf ./50-TasksMax.runtime.conf"
check_prints "they override files of the same name" '^MemoryMax=31457280$' ctl show -p MemoryMax b.service
check_prints "the last one counts" '^TasksMax=31$' ctl show -p TasksMax b.service
check_prints "cat shows them" "^# $C/50-TasksMax.conf" ctl cat b.service
check_prints "and those for this boot" "^# $R/50-CPUWeight.conf" ctl cat b.service
check_prints "as it does one's own" '10-own.conf' ctl cat b.service
check "revert" ctl revert b.service
check_exit "removes them" 1 test -e "$C" -o -e "$R"
check "of a mount that has no file" ctl set-property --runtime -- -.mount CPUShares=200
check_prints "it is written down" '^# .*/user.control/-.mount.d/50-CPUShares.conf' ctl cat -- -.mount
check "the daemon ends" stop_daemon
mkdir -p "$XDG_CONFIG_HOME/systemd/user"
cp "$UNITS/a.service" "$XDG_CONFIG_HOME/systemd/user/c.service"
printf '[Install]\nWantedBy=default.target\n' >>"$XDG_CONFIG_HOME/systemd/user/c.service"
start_daemon --unit-path '' --systemd-units
check "with systemd's units" ctl set-property c.service TasksMax=30
check "changes are where systemd has them" test -e "$XDG_CONFIG_HOME/systemd/user.control/c.service.d/50-TasksMax.conf"
check "until the next boot, too" ctl set-property --runtime c.service CPUWeight=30
check "they are" test -e "$XDG_RUNTIME_DIR/systemd/user.control/c.service.d/50-CPUWeight.conf"
check "enable" ctl enable c.service
check "links there" test -L "$XDG_CONFIG_HOME/systemd/user/default.target.wants/c.service"
check "so does a link for this boot" ctl link --runtime "$UNITS/a.service"
check "which is there, too" test -L "$XDG_RUNTIME_DIR/systemd/user/a.service"
check "disable" ctl disable c.service
check "for this boot" ctl disable --runtime a.service
check_exit "removes both" 1 test -L "$XDG_CONFIG_HOME/systemd/user/default.target.wants/c.service" -o \
        -L "$XDG_RUNTIME_DIR/systemd/user/a.service"
done_testing
