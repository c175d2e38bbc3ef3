#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Control groups with the real daemon: a unit starts in a group of its own, is killed by group, and leaves no group behind.
# The hierarchy of the machine may be without controllers: then limits must be reported as not applied. Without a hierarchy
# services work as ever.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

. "$(dirname "$0")/group.sh"
if [ -z "$GROUP" ]; then
        echo "1..0 # SKIP there is no version 2 hierarchy of control groups that can be written"
        exit 0
fi

group_of() {
        sed -n 's/^0:://p' "/proc/$1/cgroup"
}

pid_of() {
        ctl show -p MainPID --value "$1"
}

# gone UNIT: its group is not there any more, soon.
gone() {
        local end=$((SECONDS + PATIENCE))
        while [ -d "$GROUP/app.slice/$1" ]; do
                [ "$SECONDS" -lt "$end" ] || return 1
        done
}

unit a.service <<'U'
[Service]
StartLimitBurst=0
ExecStart=/bin/sleep 1000
U
unit memory.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit t@.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
# One that gets away from everything but its group.
unit escapes.service <<U
[Service]
ExecStart=/bin/sh -c 'trap "" TERM; setsid env -i /bin/sh -c "trap \\"\\" TERM; echo \$\$\$\$ >$DIR/escaped; while :; do sleep 1000; done" & wait'
TimeoutStopSec=300ms
U
unit once.service <<'U'
[Service]
Type=oneshot
StartLimitBurst=0
ExecStart=/bin/true
ExecStartPost=/bin/true
ExecStopPost=/bin/true
U
unit leaves.service <<U
[Service]
Type=oneshot
KillMode=process
ExecStart=/bin/sh -c 'sleep 1000 & echo \$\$! >$DIR/left'
U
unit forks.service <<U
[Service]
Type=forking
ExecStart=/bin/sh -c 'setsid env -i sh -c "read line <$DIR/fifo" & setsid env -i sh -c "read line <$DIR/fifo" &'
U
unit together.service <<U
[Service]
ExitType=cgroup
ExecStart=/bin/sh -c 'sh -c "read line <$DIR/together" & exit 0'
U
unit makes-groups.service <<U
[Service]
Delegate=yes
ExecStart=/bin/sh -c 'G=$GROUP/app.slice/makes-groups.service; mkdir -p \$\$G/a/b/c; echo \$\$\$\$ >\$\$G/a/b/cgroup.procs; exec sleep 1000'
U
unit limited.service <<'U'
[Service]
MemoryMax=100M
TasksMax=50
CPUWeight=50
ExecStart=/bin/sleep 1000
U
unit inside.service <<'U'
[Service]
Slice=big-small.slice
ExecStart=/bin/sleep 1000
U
unit big.slice <<'U'
[Unit]
Description=A large one
[Slice]
CPUWeight=50
U
unit bad.service <<'U'
[Service]
MemoryMax=plenty
ExecStart=/bin/sleep 1000
U
unit users.service <<U
[Service]
Type=oneshot
RemainAfterExit=yes
User=nobody
Delegate=yes
ExecStart=/bin/sh -c 'cd $GROUP/app.slice/users.service && mkdir inner && { sleep 1000 & echo \$\$! >inner/cgroup.procs; }'
U
unit leaves-nothing.service <<'U'
[Service]
Type=forking
ExecStart=/bin/true
U
unit daemon.service <<'U'
[Service]
Type=forking
ExecStart=/bin/sh -c 'setsid env -i sleep 1000 &'
U
unit kept-out.service <<U
[Service]
Slice=kept.slice
Type=oneshot
ExecStart=/bin/touch $DIR/kept-out
U
unit passes-on.service <<U
[Service]
Delegate=yes
ExecStart=/bin/sh -c 'G=$GROUP/app.slice/passes-on.service; mkdir \$\$G/inner; echo \$\$\$\$ >\$\$G/inner/cgroup.procs; exec sleep 1000'
ExecReload=/bin/sh -c 'sed -n s/^0:://p /proc/self/cgroup >$DIR/reloaded'
U
mkfifo "$DIR/fifo" "$DIR/together"
# Held open for reading and writing, so that written lines wait for a reader.
exec 8<>"$DIR/fifo" 9<>"$DIR/together"
start_daemon_in_group

# The manager's place, and the units'.
check_equal "the manager moves into a leaf" "$(group_of "$DAEMON")" "/${GROUP##*/}/init.scope"
check_prints "and says where the groups are" "Control groups of units are in $GROUP" cat "$DIR/log"
check "start" ctl start a.service memory.service t@1.service
A=$(pid_of a.service)
check_equal "a service is in its group" "$(group_of "$A")" "/${GROUP##*/}/app.slice/a.service"
check_equal "a name that the kernel uses is escaped" "$(group_of "$(pid_of memory.service)")" "/${GROUP##*/}/app.slice/_memory.service"
check_equal "instances share a slice" "$(group_of "$(pid_of t@1.service)")" "/${GROUP##*/}/app.slice/app-t.slice/t@1.service"
check_prints "it is shown" "ControlGroup=/${GROUP##*/}/app.slice/a.service" ctl show -p ControlGroup a.service
check_prints "it is active" 'ActiveState=active' ctl show -p ActiveState app-t.slice
check "stop it" ctl stop app-t.slice
check_prints "stops what is in it" 'ActiveState=inactive' ctl show -p ActiveState t@1.service
check "stop" ctl stop a.service memory.service
check "the group goes with the service" gone a.service
check "as does one with another name" gone _memory.service

# Whatever it did, the group has it.
check "start one that gets away" ctl start escapes.service
wait_for '^[0-9]+$' cat "$DIR/escaped"
ESCAPED=$(cat "$DIR/escaped")
check_prints "its process is known" "$ESCAPED" ctl status escapes.service
check_prints "the unit of it, too" 'escapes\.service' ctl status "$ESCAPED"
ctl stop escapes.service >/dev/null 2>&1
check_exit "it is dead after the stop" 1 kill -0 "$ESCAPED"
check "its group is gone" gone escapes.service
ctl start escapes.service
wait_for '^[0-9]+$' cat "$DIR/escaped"
check "kill all" ctl kill --kill-whom=all -s KILL escapes.service
check "that ends it" wait_for 'ActiveState=(failed|inactive)' ctl show -p ActiveState escapes.service
check "and leaves no group" gone escapes.service

# A oneshot leaves nothing.
check "oneshot" ctl start once.service
check "no group is left" gone once.service

# KillMode=process leaves what it was told to leave; the group goes when the last has gone.
check "one that leaves a process" ctl start leaves.service
LEFT=$(cat "$DIR/left")
check "which runs on" kill -0 "$LEFT"
check_equal "in the group" "$(group_of "$LEFT")" "/${GROUP##*/}/app.slice/leaves.service"
check "start again" ctl start leaves.service
check_prints "the log tells of it" 'leaves.service.*1 processes of an earlier run are still there\.' cat "$DIR/log"
check "it was not killed" kill -0 "$LEFT"
kill "$LEFT" "$(cat "$DIR/left")"
check "when they end the group goes" gone leaves.service

# Leftovers of another manager are killed.
mkdir -p "$GROUP/app.slice/a.service"
sh -c 'echo $$ >"$0/cgroup.procs" && exec sleep 1000' "$GROUP/app.slice/a.service" &
LEFT=$!
wait_for "$LEFT" cat "$GROUP/app.slice/a.service/cgroup.procs"
check "start where something is left over" ctl start a.service
wait "$LEFT"
check_equal "it was killed" $? 137
check_prints "and that was said" 'a.service.*1 processes of an earlier run are still there: they are killed' cat "$DIR/log"
check "the service runs" kill -0 "$(pid_of a.service)"
check_prints "and is active" 'ActiveState=active' ctl show -p ActiveState a.service

# A frozen one stops.
echo 1 >"$GROUP/app.slice/a.service/cgroup.freeze"
check "a frozen service is stopped" ctl stop a.service
check "without a trace" gone a.service

# The end of the last process is told.
check "a forking service that leaves nothing" ctl start leaves-nothing.service
check_equal "has ended" "$(ctl show -P ActiveState leaves-nothing.service)-$(ctl show -P Result leaves-nothing.service)" inactive-success
check "a forking service without a main process" ctl start forks.service
check_prints "runs" 'ActiveState=active' ctl show -p ActiveState forks.service
printf 'x\nx\n' >&8
check "until the last has gone" wait_for 'ActiveState=inactive' ctl show -p ActiveState forks.service
check "ExitType=cgroup" ctl start together.service
wait_for 'MainPID=0' ctl show -p MainPID together.service
check_prints "lasts longer than its main process" 'ActiveState=active' ctl show -p ActiveState together.service
printf 'x\n' >&9
check "and ends with its last" wait_for 'ActiveState=inactive' ctl show -p ActiveState together.service

# Groups within the group.
check "one that makes groups" ctl start makes-groups.service
wait_for . cat "$GROUP/app.slice/makes-groups.service/a/b/cgroup.procs"
check "is stopped" ctl stop makes-groups.service
check "and all of them are removed" gone makes-groups.service

# Beside the main process of one that has its own groups.
check "one that may pass controllers on" ctl start passes-on.service
check "reload" ctl reload passes-on.service
check_equal "runs in a group for that" "$(cat "$DIR/reloaded")" "/${GROUP##*/}/app.slice/passes-on.service/.control"
check "stop" ctl stop passes-on.service
check "all of it is removed" gone passes-on.service

# The main process of a daemon that tells nothing of itself.
check "a forking daemon" ctl start daemon.service
check_prints "is found" '^(sh|setsid|env|sleep)$' cat "/proc/$(pid_of daemon.service)/comm"
check "stop" ctl stop daemon.service

# Delegate= gives it to the user.
if id nobody >/dev/null 2>&1; then
        check "one of another user that may make groups" ctl start users.service
        check_prints "has made some" '^[0-9]+$' cat "$GROUP/app.slice/users.service/inner/cgroup.procs"
        check "stop" ctl stop users.service
        check "they are removed" gone users.service
fi

# Outside of its group a service would have none of its limits: where it cannot enter, it does not start.
# None can be in a group beside one with threads.
mkdir -p "$GROUP/kept.slice/threads"
if echo threaded >"$GROUP/kept.slice/threads/cgroup.type"; then
        check_exit "one that cannot enter its group" 1 ctl start kept-out.service
        check_prints "fails, with a status for that" 'ExecMainStatus=219' ctl show -p ExecMainStatus kept-out.service
        check_prints "and says why" 'control group: cannot enter it: ' ctl status kept-out.service
        check_exit "its program was not run" 1 test -e "$DIR/kept-out"
        check_exit "no group is left" 1 test -d "$GROUP/kept.slice/kept-out.service"
        rmdir "$GROUP/kept.slice/threads"
        check "when it can it starts" ctl start kept-out.service
        check "and runs" test -e "$DIR/kept-out"
else
        skip "one that cannot enter its group" "the kernel has no threaded groups here"
fi

# Slices.
check_prints "the root slice is always active" 'ActiveState=active' ctl show -p ActiveState -- -.slice
check_exit "and cannot be stopped" 3 ctl stop -- -.slice
check "start in a slice" ctl start inside.service
check_equal "it is there" "$(group_of "$(pid_of inside.service)")" "/${GROUP##*/}/big.slice/big-small.slice/inside.service"
check_prints "the slice is active" 'ActiveState=active' ctl show -p ActiveState big-small.slice
check_prints "and the one that it is in" 'A large one' ctl status big.slice
ctl stop inside.service
check "somebody removes both" rmdir "$GROUP/big.slice/big-small.slice" "$GROUP/big.slice"
check "they are made again" ctl start inside.service
check_equal "at their place" "$(group_of "$(pid_of inside.service)")" "/${GROUP##*/}/big.slice/big-small.slice/inside.service"
ctl stop inside.service
rmdir "$GROUP/big.slice/big-small.slice" && mkdir "$GROUP/big.slice/big-small.slice"
check "one that somebody else has made is taken" ctl start inside.service
check_equal "as it is" "$(group_of "$(pid_of inside.service)")" "/${GROUP##*/}/big.slice/big-small.slice/inside.service"
check "stop the slice" ctl stop big.slice
check_prints "stops what is in it" 'ActiveState=inactive' ctl show -p ActiveState inside.service
check_exit "its group is gone" 1 test -d "$GROUP/big.slice"

# Settings.
check_exit "a limit that cannot be read" 1 ctl start bad.service
check_prints "refuses the unit" 'bad.service:2: MemoryMax=: .plenty. is not a limit' ctl status bad.service
check "start one with limits" ctl start limited.service
LIMITED=$GROUP/app.slice/limited.service
if grep -qw memory "$GROUP/cgroup.controllers" && grep -qw pids "$GROUP/cgroup.controllers"; then
        check_equal "MemoryMax=" "$(cat "$LIMITED/memory.max")" 104857600
        check_equal "TasksMax=" "$(cat "$LIMITED/pids.max")" 50
        check_prints "status shows them" 'Memory: .*max: 100\.0M' ctl status limited.service
        check_prints "and tasks" 'Tasks: 1 \(limit: 50\)' ctl status limited.service
        sed -i s/100M/50M/ "$UNITS/limited.service"
        check "daemon-reload" ctl daemon-reload
        check_equal "applies a new limit" "$(cat "$LIMITED/memory.max")" 52428800
        sed -i /MemoryMax/d "$UNITS/limited.service"
        check "daemon-reload" ctl daemon-reload
        check_equal "takes back an old one" "$(cat "$LIMITED/memory.max")" max
else
        check_prints "what is not applied is shown" "not applied: .*MemoryMax= \(no memory controller in $GROUP\)" \
                ctl status limited.service
        check_prints "and logged" "Resource limits not applied: .*TasksMax= \(no pids controller in $GROUP\)" cat "$DIR/log"
fi
check_prints "processes are shown below the group" '^ +(`-|└─)[0-9]+ /bin/sleep 1000' ctl status limited.service
check_equal "and in JSON, with where they are" \
        "$(ctl --json status limited.service | python3 -c 'import json, sys; p, = json.load(sys.stdin)[0]["Processes"]; print(p["command"], p["control-group"])')" \
        "/bin/sleep 1000 /${GROUP##*/}/app.slice/limited.service"
check_prints "CPU time is shown" 'CPU: ' ctl status limited.service
check_prints "and the group" "CGroup: /${GROUP##*/}/app.slice/limited.service" ctl status limited.service
check "stop" ctl stop limited.service

# Nothing is lost on the way.
restart_all() {
        for _ in $(seq 100); do
                ctl restart once.service a.service || return 1
        done
}
ctl start a.service
BEFORE=$(ls "/proc/$(cut -d' ' -f1 "/proc/$DAEMON/task/$DAEMON/children")/fd" | wc -l)
check "200 restarts" restart_all
check_equal "take no descriptors" "$(ls "/proc/$(cut -d' ' -f1 "/proc/$DAEMON/task/$DAEMON/children")/fd" | wc -l)" "$BEFORE"

# Another core finds the groups of the one before it.
mkdir -p "$GROUP/app.slice/nobody.service"
check "start two" ctl start a.service t@2.service
ESCAPED=
rm -f "$DIR/escaped"
check "and one that gets away" ctl start escapes.service
wait_for '^[0-9]+$' cat "$DIR/escaped"
ESCAPED=$(cat "$DIR/escaped")
CORE=$(cat "/proc/$DAEMON/task/$DAEMON/children" | cut -d' ' -f1)
A=$(pid_of a.service)
kill -9 "$CORE"
check "with another core" wait_for "MainPID=$A" ctl show -p MainPID a.service
check "empty ones that nobody needs it removes" gone nobody.service
check_prints "it has its group" "ControlGroup=/${GROUP##*/}/app.slice/a.service" ctl show -p ControlGroup a.service
check "stop" ctl stop a.service t@2.service
check "the groups are gone" gone a.service
check "that of an instance, too" gone app-t.slice/t@2.service
ctl stop escapes.service >/dev/null 2>&1
check_exit "what got away is dead" 1 kill -0 "$ESCAPED"
check "and its group gone" gone escapes.service

# A slice that a file names later is for the next start.
unit moves.service <<'U'
[Service]
ExecStart=/bin/sh -c '(setsid env -i /bin/sleep 1000 &); exec /bin/sleep 1000'
U
check "start" ctl start moves.service
wait_for '^2$' grep -c . "$GROUP/app.slice/moves.service/cgroup.procs"
unit moves.service.d/slice.conf <<<$'[Service]\nSlice=moved.slice'
check "another slice" ctl daemon-reload
find_core
check "core is killed" kill_core KILL
check_equal "the group is known" "$(ctl show -P ControlGroup moves.service)" "/${GROUP##*/}/app.slice/moves.service"
check "stop" ctl stop moves.service
check_equal "ends all that is in it" "$(cat "$GROUP/app.slice/moves.service/cgroup.procs" 2>/dev/null)" ""
check "start" ctl start moves.service
check_equal "it is in the other slice now" "$(group_of "$(pid_of moves.service)")" "/${GROUP##*/}/moved.slice/moves.service"
check "stop" ctl stop moves.service
check "the daemon ends" stop_daemon
check_exit "and leaves nothing but its leaf" 1 test -d "$GROUP/app.slice"

# Beside systemd, which has not marked the group as delegated.
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system
start_daemon_in_group
check_prints "a user manager takes a group that it can write" "Control groups of units are in $GROUP" cat "$DIR/log"
check "services start" ctl start a.service
check_equal "in groups of their own" "$(group_of "$(pid_of a.service)")" "/${GROUP##*/}/app.slice/a.service"
check "the daemon ends" stop_daemon

# Where there are none.
mount -t tmpfs tmpfs /sys/fs/cgroup
start_daemon
check_prints "that there are none is said" 'Units have no control groups: there is no version 2 hierarchy at /sys/fs/cgroup' \
        cat "$DIR/log"
check "services start" ctl start a.service limited.service inside.service
check_prints "what is not applied is shown" 'not applied: .*MemoryMax= \(there is no version 2 hierarchy' ctl status limited.service
check_prints "there is no group" 'ControlGroup=$' ctl show -p ControlGroup a.service
check_prints "slices are there" 'ActiveState=active' ctl show -p ActiveState big-small.slice
check_prints "processes are found" "Processes: $(pid_of a.service)" ctl status a.service
check "stop" ctl stop a.service limited.service big.slice
check "the daemon ends" stop_daemon
umount /sys/fs/cgroup
start_daemon
check_prints "a group of others is not taken" 'Units have no control groups: .* is not ours: others run there, too' cat "$DIR/log"
check "services start" ctl start a.service
check "and stop" ctl stop a.service
check "the daemon ends" stop_daemon
sleep 1000 &
OTHER=$!
echo "$OTHER" >"$GROUP/cgroup.procs"
start_daemon_in_group
check_prints "nor one that it is started in with others" 'is not ours: others run there, too' cat "$DIR/log"
check_equal "which is not shown as its own" "$(ctl show -P ControlGroup)" ""
check "services start" ctl start a.service
if command -v busctl >/dev/null; then
        check_prints "nor as the group of their processes" "\"\" $(pid_of a.service) " busctl --address="unix:path=$JOBD_SOCKET" \
                call org.jobd1 /org/jobd1 org.jobd1.Manager GetUnitProcesses s a.service
fi
check "and stop" ctl stop a.service
check "the daemon ends" stop_daemon
kill "$OTHER"
MOUNT=${GROUP%/*}
mount --bind "$MOUNT" "$MOUNT" && mount -o remount,bind,ro "$MOUNT"
start_daemon
check_prints "one that cannot be written is none" "Units have no control groups: $MOUNT.* is not writable: Read-only" cat "$DIR/log"
check "services start" ctl start a.service
check "and stop" ctl stop a.service
umount "$MOUNT"
done_testing
