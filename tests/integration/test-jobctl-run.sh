#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# jobctl run: commands as services, as scopes, and as units that a timer or a path starts; exit statuses, messages, terminals.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

FILES=$XDG_RUNTIME_DIR/jobd/transient
start_daemon

# — services —
check "a command is run" ctl run --unit=one -p MemoryMax=50% -E 'A=b  c%d"\' -d sleep 1000
check_prints "its unit is said" '^Running as unit: two.service$' ctl run --unit=two.service --description="The second" sleep 1000
check_prints "it has the description" '^Description=The second$' ctl show -p Description two
check_prints "or that of its command" '^Description=.*/sleep 1000$' ctl show -p Description one
PID=$(ctl show -P MainPID one)
check_prints "it has the variable" '^A=b  c%d"\\$' sh -c "tr '\\0' '\\n' <'/proc/$PID/environ'"
check_equal "and the folder" "$(readlink "/proc/$PID/cwd")" "$(pwd -P)"
check_equal "and the property" "$(ctl cat one | grep MemoryMax)" "MemoryMax=50%"
kill_core KILL
check_equal "it survives a core" "$(ctl show -P MainPID one)" "$PID"
check "it stops" ctl stop one two
check_equal "nothing is left" "$(ls "$FILES")" ""
check_exit "it is waited for" 3 ctl run --wait sh -c 'exit 3'
check_prints "what came of it is said" '^Main processes terminated with: code=exited/status=4$' ctl run --wait sh -c 'exit 4'
check_prints "also of a signal" '^Main processes terminated with: code=killed/status=KILL$' \
        ctl run --wait sh -c 'kill -KILL 0'
check_exit "whose status is 255" 255 ctl run --wait sh -c 'kill -KILL 0'
check_exit "a oneshot is one too" 5 ctl run --wait --service-type=oneshot sh -c 'exit 5'
check_exit "what a unit calls a success" 0 ctl run --wait -p SuccessExitStatus=6 sh -c 'exit 6'
check_prints "quietly" '^$' ctl run --quiet --wait sh -c 'exit 7'
check_prints "as JSON" '"ok":false,"unit":"three.service","result":"exit-code","code":1,"status":8' \
        ctl run --json --unit=three --collect --wait sh -c 'exit 8'
check "it is not kept" wait_for 'No such file' ls "$FILES/three.service"

check "one that remains" ctl run -r --unit=four --service-type=oneshot true
check_prints "does" '^SubState=exited$' ctl show -p SubState four

# — what is wrong —
check_prints "an unknown property is named" 'service has no property Memorymx. Did you mean MemoryMax' \
        ctl run -p Memorymx=1G true
check_exit "that fails" 1 ctl run -p Foo=1 true
check_prints "so is a bad value" "^Failed to start transient service unit: TimeoutStopSec=: 'abc' is not a time span.*infinity'\\.\$" \
        ctl run -p TimeoutStopSec=abc true
check_exit "no assignment" 2 ctl run -p MemoryMax true
check_exit "no command" 2 ctl run
check_exit "an unknown option" 2 ctl run --bla true
check_exit "what does not go together" 2 ctl run --scope --remain-after-exit true
check_prints "no such program" '^Failed to find executable not-there: No such file' ctl run not-there
check_prints "a name that is taken" 'already loaded or has a fragment file' ctl run --unit=four true

# — what others start —
check_prints "a timer" '^Will run service as unit: t.service$' ctl run --unit=t --on-calendar='*-*-* 04:00:00' \
        --timer-property=Persistent=no --on-active=1h true
check_prints "is listed" 't.timer +t.service' ctl list-timers
check_prints "a bad expression" "OnCalendar=: 'dailyy' is not a calendar expression" ctl run --on-calendar=dailyy true
check "it stops" ctl stop t.timer
check "a path" ctl run --unit=p --path-property=PathExists="$DIR/now" touch "$DIR/done"
touch "$DIR/now"
check "starts it" wait_for "done" ls "$DIR"
check "it stops, too" ctl stop p.path

# — terminals —
if command -v script >/dev/null; then
        check_prints "it has a terminal" 'got hello' \
                sh -c "echo hello | script -qec \"'$BUILD/jobctl' run -q -t sh -c 'test -t 0 && read x; echo got \\\$x'\" /dev/null"
fi
if command -v script >/dev/null; then
        mkfifo "$DIR/keys"
        script -qec "sh -c '\"$BUILD/jobctl\" run -t --unit=typed cat; stty -a >\"$DIR/modes\"'" /dev/null <"$DIR/keys" >"$DIR/seen" 2>&1 &
        SCRIPT=$!
        exec 7>"$DIR/keys"
        check "whoever types is told how to leave" wait_for 'Press' cat "$DIR/seen"
        printf '\035\035\035' >&7
        check "and does" wait_for 'speed' cat "$DIR/modes"
        check_prints "the terminal is as it was" ' icanon' cat "$DIR/modes"
        exec 7>&-
        wait "$SCRIPT"
fi
check_prints "also where there is none" '^/dev/pts/[0-9]+' ctl run --pty -q tty
check_exit "and its exit status" 9 ctl run --pty -q sh -c 'exit 9'

# — pipes —
check_equal "it is part of a pipeline" "$(printf 'b\na\n' | ctl run --pipe --quiet sort | tr '\n' ' ')" "a b "
check_exit "with its exit status" 4 sh -c "'$BUILD/jobctl' run -P -q sh -c 'cat >/dev/null; exit 4' </dev/null | cat; \
        '$BUILD/jobctl' run -P -q sh -c 'exit 4'"
check_equal "and its messages" "$(ctl run --pipe --quiet sh -c 'echo wrong >&2' 2>&1 >/dev/null)" wrong
mkfifo "$DIR/in" "$DIR/out"
"$BUILD/jobctl" run --pipe --quiet --unit=piped cat <"$DIR/in" >"$DIR/out" &
exec 7>"$DIR/in" 8<"$DIR/out"
echo before >&7
read -r LINE <&8
check_equal "it reads and writes" "$LINE" before
kill_core KILL
echo after >&7
exec 7>&-
check_equal "also after a death of core, to the end" "$(cat <&8)" after
exec 8<&-
wait $!
check_equal "then it is over" "$?" 0
mkfifo "$DIR/go"
"$BUILD/jobctl" run --wait --collect --quiet --unit=late sh -c "read -r x <'$DIR/go'; exit 7" &
WAITER=$!
check "one who waits" wait_for '^running$' ctl show -P SubState late
kill -STOP "$WAITER"
kill_core KILL
echo >"$DIR/go"
check "and comes too late after a death of core" wait_for '^failed$' ctl show -P ActiveState late
kill -CONT "$WAITER"
wait "$WAITER"
check_equal "still learns how it ended" "$?" 7
check "then it is gone" wait_for 'No such file' ls "$FILES/late.service"
if command -v systemd-run >/dev/null; then
        stop_daemon
        start_daemon --systemd-compat
        export DBUS_SESSION_BUS_ADDRESS=unix:path=$JOBD_SOCKET
        check_equal "systemd-run can do that, too" "$(echo x | systemd-run --user --pipe --quiet --wait tr x y)" y
        check_exit "with exit statuses" 6 systemd-run --user --wait --quiet --pipe sh -c 'exit 6'
        check_equal "and scopes" "$(systemd-run --user --scope --quiet echo scoped)" scoped
        check_prints "and timers" '^Running timer as unit: s.timer$' systemd-run --user --unit=s --on-calendar=daily true
        check "properties of most types" systemd-run --user --wait -E A=b -p CPUSchedulingPolicy=batch -p UMask=0077 \
                -p LimitNOFILE=64:128 -p Nice=1 -p 'ExecStartPre=-/bin/false x "y z"' -p SuccessExitStatus='7 SIGUSR1' \
                -p KillSignal=SIGINT -p TimeoutStopSec=3 -p ConditionPathExists=/ -p CPUAffinity=0 sh -c 'exit 7'
fi
done_testing
