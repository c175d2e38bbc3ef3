#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The records of jobd are lost while its services run: the next core finds the services by their control groups, or without
# control groups by their environment, and starts none of them twice. The controls are a service that hides, and records that
# are not lost.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/group.sh"
STATE=$XDG_RUNTIME_DIR/jobd/state

unit simple.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit again.service <<'U'
[Service]
Restart=always
RestartSec=0
ExecStart=/bin/sleep 1000
U
unit daemon.service <<'U'
[Service]
Type=forking
ExecStart=/bin/sh -c 'setsid sleep 1000 & exit 0'
U
unit named.service <<U
[Service]
Type=forking
PIDFile=$DIR/named.pid
ExecStart=/bin/sh -c 'setsid sleep 1000 & setsid sleep 1000 & echo \$\$! >$DIR/named.pid'
U
unit two.service <<'U'
[Service]
Type=forking
GuessMainPID=no
ExecStart=/bin/sh -c 'setsid sleep 1000 & setsid sleep 1000 & exit 0'
U
unit hidden.service <<'U'
[Service]
ExecStart=/usr/bin/env -i /bin/sleep 1000
U
unit off.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit forger.service <<'U'
[Service]
Type=forking
ExecStart=/bin/sh -c 'setpriv --reuid=65534 env JOBD_UNIT=off.service setsid sleep 1000 & exit 0'
U
unit stopping.service <<U
[Service]
TimeoutStopSec=infinity
ExecStart=/bin/sleep 1000
ExecStop=/bin/sh -c 'read -r word <>$DIR/go'
U
mkfifo "$DIR/go"
ACTIVE='simple again daemon named two'

main_pid() {
        ctl show -P MainPID "$1"
}

is_gone() {
        ! kill -0 "$1" 2>/dev/null
}

sleepers() {
        awk '/^Name:/ && $2 == "sleep" { n++ } END { print n + 0 }' /proc/[0-9]*/status 2>/dev/null
}

# lose COMMAND…: core dies, and the command runs before the next one begins
lose() {
        local old=$CORE
        kill -STOP "$DAEMON"
        wait_for '^State:.T' cat "/proc/$DAEMON/status"
        kill -KILL "$CORE"
        wait_for '^State:.[ZX]|No such' cat "/proc/$CORE/status"
        "$@"
        kill -CONT "$DAEMON"
        next_core "$old"
        wait_for 'loaded unit' ctl list-units
}

damage() {
        printf 'This is no state of anything' | dd of="$STATE" bs=4096 seek=0 conv=notrunc 2>/dev/null
        rm -f "$STATE-wal" "$STATE-journal"
}

# damage_jobs: the units can be read, a job cannot
damage_jobs() {
        python3 - "$STATE" <<'P'
import sqlite3, sys
state = sqlite3.connect(sys.argv[1])
last = state.execute('SELECT max(number) FROM log').fetchone()[0]
# The record of job 1, with one byte.
state.execute('INSERT INTO log VALUES (?, ?)', (last + 1, bytes([2, 1, 1, 0xff])))
state.commit()
P
}

# is_found HOW: all that was there is there, and known
is_found() {
        for unit in $ACTIVE; do
                check_equal "$1: $unit.service is active" "$(ctl is-active $unit.service)" active
                check_equal "$1: $unit.service is known to have been found" "$(ctl show -P Found $unit.service)" "$2"
        done
        check_equal "$1: the main process of a simple service is known" "$(main_pid simple.service)" "$SIMPLE"
        check_equal "$1: that of a daemon is guessed" "$(main_pid daemon.service)" "$FORKED"
        check_equal "$1: or read from its file" "$(main_pid named.service)" "$NAMED"
        check_equal "$1: or not known" "$(main_pid two.service)" 0
        check_equal "$1: what did not run does not" "$(ctl is-active off.service)" inactive
}

start_all() {
        check "$1: start" ctl start simple again daemon named two hidden
        SIMPLE=$(main_pid simple.service)
        FORKED=$(main_pid daemon.service)
        NAMED=$(cat "$DIR/named.pid")
        check_equal "$1: the main process of a daemon is known" "$FORKED" "${FORKED##*[!0-9]}"
}

stop_all() {
        kill -9 "$SIMPLE"
        check "$1: its end is noticed" wait_for failed ctl is-active simple.service
        check_prints "$1: and how it was" '^ExecMainStatus=9$' ctl show -p ExecMainStatus simple.service
        AGAIN=$(main_pid again.service)
        kill -9 "$AGAIN"
        check "$1: one that is to be started again is" wait_for '^[1-9]' sh -c "'$BUILD/jobctl' show -P MainPID again.service | grep -vx '$AGAIN'"
        check_equal "$1: it was not found, but started" "$(ctl show -P Found again.service)" no
        check "$1: stop" ctl stop simple again daemon named two hidden
        check "$1: a daemon is gone" is_gone "$FORKED"
}

# trial HOW START: the same with control groups and without
trial() {
        "$2"
        start_all "$1"
        lose true
        is_found "$1, records there" no
        BEFORE=$(sleepers)
        lose damage
        is_found "$1, damaged" yes
        check_prints "$1: status says so" 'Found: running' ctl status simple.service
        check_prints "$1: so does the log" 'simple.service: Found running' cat "$DIR/log"
        check "$1: the damaged file is kept" [ -e "$STATE.1" ]
        check "$1: start of what runs" ctl start simple again daemon named two
        check_equal "$1: nothing runs twice" "$(sleepers)" "$BEFORE"
        lose true
        is_found "$1, the one after it" yes
        lose sh -c "rm -f '$STATE'*"
        is_found "$1, removed" yes

        # One that is about to stop, with nobody left who would tell it.
        check "$1: start" ctl start stopping.service
        ctl stop --no-block stopping.service
        check "$1: one is about to stop" wait_for deactivating ctl is-active stopping.service
        BEFORE=$(sleepers)
        lose damage_jobs
        is_found "$1, half damaged" yes
        check_prints "$1, half damaged: the log says so" 'A part of the state could be read' cat "$DIR/log"
        check_equal "$1, half damaged: what was about to stop runs" "$(ctl is-active stopping.service)" active
        check_equal "$1, half damaged: nothing runs twice" "$(sleepers)" "$BEFORE"
        ctl stop --no-block stopping.service
        # One line for each of its commands: the first stop's has gone on.
        exec 8<>"$DIR/go"
        printf 'a\nb\n' >&8
        check "$1, half damaged: it stops" wait_for inactive ctl is-active stopping.service
        exec 8>&-
        BEFORE=$(sleepers)
}

if [ -n "$GROUP" ]; then
        trial groups start_daemon_in_group
        check_equal "groups: one that hides is found" "$(ctl is-active hidden.service)" active
        check_equal "groups: its slice is active" "$(ctl is-active app.slice)" active
        stop_all groups
        check_equal "groups: nothing is left" "$(sleepers)" 0
        stop_daemon
else
        skip "groups" "there is no version 2 hierarchy of control groups that can be written"
fi

: >"$DIR/log"
FORGER=
setpriv --reuid=65534 true 2>/dev/null && FORGER=forger.service
forge() {
        start_daemon
        [ -z "$FORGER" ] || ctl start $FORGER
}
trial environment forge
if [ -n "$FORGER" ]; then
        check_prints "environment: who is of another user is not believed" 'off.service: .*does not run as it would' cat "$DIR/log"
        check_equal "environment: nor counts as it" "$(ctl is-active off.service)" inactive
else
        skip "environment: who is of another user is not believed" "there is only one user"
fi
check_equal "environment: control: one that hides is not found" "$(ctl is-active hidden.service)" inactive
check "environment: control: it can be started" ctl start hidden.service
# The unit is up when its process is made; the process is a sleeper only after it has executed sleep.
check "environment: control: and runs twice" wait_for "^$((BEFORE + 1))\$" sleepers
stop_all environment
done_testing
