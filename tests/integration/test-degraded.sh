#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# jobd with less than usual: as PID 1 of a pid namespace without /proc, with a /proc that hides processes, with a /sys that
# is empty or read-only, with few descriptors, with few processes. Each has a control that shows that it is so. What cannot
# be taken away here is skipped.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
export JOBD_SOCKET=$DIR/run/private
LOG=$DIR/log
NOBODY=65534

# can COMMAND: whether the shell command succeeds in namespaces like those of boot; if not, $REASON says why
can() {
        REASON=$(unshare --fork --pid --kill-child --mount --mount-proc sh -c "$1" 2>&1 </dev/null 9>&-)
}

# boot COMMAND OPTION…: jobd as PID 1, after the shell command there.
boot() {
        local before=$1
        shift
        : >"$LOG"
        unshare --fork --pid --kill-child --mount --mount-proc sh -c "$before"' "$@"' sh "$BUILD/jobd" --container --no-bus \
                --runtime-dir "$DIR/run" --unit-path "$UNITS" --no-default-dependencies "$@" </dev/null >>"$LOG" 2>&1 9>&- &
        BOX=$!
        wait_for '^' ls "$JOBD_SOCKET" && wait_for 'Startup finished' cat "$LOG"
}

# halt NAME: it ends with status 0, and is asked to only once
halt() {
        if ! signal_box TERM; then
                report 1 "$1: it ends in order" "it ended before: $(tail -n 5 "$LOG")"
        elif wait "$BOX"; then
                report 0 "$1: it ends in order"
        elif grep -q 'LeakSanitizer has encountered a fatal error' "$LOG"; then
                skip "$1: it ends in order" "a sanitized jobd looks for leaks by /proc"
        else
                report 1 "$1: it ends in order" "$(tail -n 5 "$LOG")"
        fi
        rm -rf "$DIR/run"
}

# once NAME REGEX: the log says it once, and status says it, too
once() {
        check_equal "$1: the log says it once" "$(grep -Ec -- "$2" "$LOG")" 1
        check_prints "$1: so does status" "$2" ctl status
}

# works NAME: a service starts, is seen, is restarted, dies, is reported, and stops; a oneshot finishes
works() {
        local pid
        check "$1: start" ctl start a.service once.service
        check_exit "$1: is active" 0 ctl is-active a.service
        check_prints "$1: status" 'active' ctl status a.service
        pid=$(ctl show -P MainPID a.service)
        check "$1: restart" ctl restart a.service
        [ "$(ctl show -P MainPID a.service)" != "$pid" ]
        report $? "$1: it is another process"
        check "$1: kill" ctl kill --signal KILL a.service
        check "$1: and that is noticed" wait_for '^failed' ctl is-active a.service
        check "$1: start again" ctl start a.service
        check "$1: stop" ctl stop a.service
}

unit a.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit once.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/sh -c '/bin/true & wait'
U
unit default.target <<<'[Unit]'
chmod 755 "$DIR" "$UNITS"

# No /proc.
NAME="without /proc"
if can 'mount -t tmpfs tmpfs /proc'; then
        boot 'mount -t tmpfs tmpfs /proc && echo "control: $(ls /proc | wc -l) entries" && exec'
        check_prints "$NAME: there is none (control)" '^control: 0 entries' cat "$LOG"
        once "$NAME" '/proc is not mounted'
        works "$NAME"
        halt "$NAME"
else
        skip "$NAME" "it cannot be hidden here: $REASON"
fi

# One that hides the processes of others.
NAME="with hidepid"
if ! has_users; then
        skip "$NAME" "only root has other users at hand"
elif can 'mount -t proc -o hidepid=2 proc /proc'; then
        mkdir -p "$DIR/run"
        chown "$NOBODY" "$DIR/run"
        boot "mount -t proc -o hidepid=2 proc /proc && { sleep 1000 & } && exec setpriv --reuid $NOBODY --regid $NOBODY \
                --clear-groups sh -c 'test -e /proc/2 || echo control: PID 2 is hidden; exec \"\$@\"' sh"
        check_prints "$NAME: it hides (control)" '^control: PID 2 is hidden' cat "$LOG"
        once "$NAME" 'mounted with hidepid'
        works "$NAME"
        halt "$NAME"
else
        skip "$NAME" "it cannot be mounted here: $REASON"
fi

# Nothing in /sys, and one that is read-only.
NAME="without control groups"
if can 'mount -t tmpfs tmpfs /sys'; then
        boot 'mount -t tmpfs tmpfs /sys && echo "control: $(ls /sys | wc -l) entries" && exec'
        check_prints "$NAME: there are none (control)" '^control: 0 entries' cat "$LOG"
        once "$NAME" 'Units have no control groups: '
        works "$NAME"
        halt "$NAME"
else
        skip "$NAME" "they cannot be hidden here: $REASON"
fi

NAME="with a read-only /sys"
READ_ONLY='mount --rbind /sys /sys && mount -o remount,bind,ro /sys && for f in /sys/fs/cgroup /sys/fs/cgroup/unified; do
                ! mountpoint -q $f || mount -o remount,bind,ro $f || exit 1; done'
if can "$READ_ONLY"; then
        boot "$READ_ONLY; mkdir /sys/fs/cgroup/jobd-test 2>/dev/null || echo 'control: read-only'; exec"
        check_prints "$NAME: it is (control)" '^control: read-only' cat "$LOG"
        once "$NAME" 'Units have no control groups: '
        works "$NAME"
        halt "$NAME"
else
        skip "$NAME" "it cannot be made read-only here: $REASON"
fi

# A hundred services with 64 descriptors.
NAME="with 64 descriptors"
names=$(seq -f 's%g.service' -s ' ' 100)
for name in $names; do
        unit "$name" <<<$'[Service]\nExecStart=/bin/sleep 1000'
done
unit default.target <<<"[Unit]
Wants=$names
After=$names"
boot 'ulimit -n 64; echo "control: $(ulimit -H -n) descriptors"; exec'
check_prints "$NAME: there are no more (control)" '^control: 64 descriptors' cat "$LOG"
check_equal "$NAME: all services run" "$(ctl list-units --type service --state active --no-legend --plain | wc -l)" 100
once "$NAME" 'limit of descriptors'
works "$NAME"
halt "$NAME"
rm -f "$UNITS"/s*.service

# A user with a limit of processes.
NAME="with few processes"
if has_users; then
        # The kernel counts the processes of a user on the whole machine. The folder's inode makes a user that no other test has.
        SOMEBODY=$((100000 + $(stat -c %i "$DIR") % 1000000))
        names=$(seq -f 's%g.service' -s ' ' 20)
        for name in $names; do
                unit "$name" <<<$'[Service]\nExecStart=/bin/sleep 1000'
        done
        unit default.target <<<"[Unit]
Wants=$names
After=$names"
        mkdir -p "$DIR/run"
        chown "$SOMEBODY" "$DIR/run"
        boot "exec setpriv --reuid $SOMEBODY --regid $SOMEBODY --clear-groups prlimit --nproc=12"
        n=$(ctl list-units --type service --state active --no-legend --plain | wc -l)
        [ "$n" -gt 0 ]
        report $? "$NAME: those that there is room for run" "$n run: $(cat "$LOG")"
        [ "$n" -lt 20 ]
        report $? "$NAME: there is not room for all (control)" "$n run of 20"
        once "$NAME" 'No more processes are allowed'
        FAILED_ONE=$(ctl list-units --type service --state failed --no-legend --plain --full | awk '{ print $1; exit }')
        check_prints "$NAME: one that does not says why" 'cannot make a process' ctl status "$FAILED_ONE"
        check "$NAME: when there is room again" ctl stop s1.service
        check "$NAME: it starts" ctl start "$FAILED_ONE"
        halt "$NAME"
else
        skip "$NAME" "only root has other users at hand"
fi
done_testing
