#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The file of the store of runs is damaged, of a later format, or cannot be written: it is set aside or refused by name, and
# units are untouched.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

STORE=$DIR/store
FILE=$STORE/runs.db
mkdir "$STORE" "$DIR/saved"
printf '[Engine]\nStore=sqlite:%s\n' "$FILE" >"$DIR/conf"
mkfifo "$DIR/go"

# end_all: before the folder is removed
end_all() {
        umount -l "$STORE" 2>/dev/null
        cleanup
}
trap end_all EXIT

unit a.flow <<'U'
[Node a]
Exec=/bin/true
[Node b]
DependsOn=a
Exec=/bin/true
U
unit held.flow <<U
[Node first]
Exec=/bin/sh -c 'echo first >>$DIR/record'
[Node held]
DependsOn=first
Exec=/bin/sh -c 'echo held >>$DIR/record; read -r word <$DIR/go'
[Node last]
DependsOn=held
Exec=/bin/sh -c 'echo last >>$DIR/record'
U
unit suspended.flow <<'U'
[Node a]
Exec=/bin/false
FailurePolicy=suspend
U
unit other.service <<'U'
[Service]
ExecStart=/bin/sleep infinity
U
unit timed.flow <<'U'
[Node a]
Exec=/bin/true
U
unit timed.timer <<'U'
[Timer]
OnActiveSec=0
Unit=timed.flow
U

start() {
        start_daemon --config "$DIR/conf"
}

# page TABLE-OR-INDEX: which one of the file it is
page() {
        python3 - "$DIR/saved/runs.db" "$1" <<'P'
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute('SELECT rootpage FROM sqlite_schema WHERE name = ?', sys.argv[2:]).fetchone()[0])
P
}

# overwrite FIRST [LAST]: pages with garbage
overwrite() {
        local n
        for n in $(seq "$1" "${2-$1}"); do
                head -c 4096 /dev/zero | tr '\0' Z | dd of="$FILE" bs=4096 seek=$((n - 1)) conv=notrunc 2>/dev/null
        done
}

units_are_untouched() {
        check "$1: a unit starts" timeout 20 "$BUILD/jobctl" start other.service
        check "$1: and stops" timeout 20 "$BUILD/jobctl" stop other.service
}

# trial WHAT COMMAND…: of an intact file; the command damages it, which is found when it is opened or used
trial() {
        local what=$1
        shift
        rm -rf "${STORE:?}"/*
        cp "$DIR/saved/"* "$STORE"
        "$@"
        : >"$DIR/log"
        start
        units_are_untouched "$what"
        check_exit "$what: a run succeeds" 0 timeout 60 "$BUILD/jobctl" flow start --wait a
        check_exit "$what: and is listed" 0 timeout 20 "$BUILD/jobctl" flow list
        check "$what: the file is kept by another name" [ -s "$FILE.damaged-1" ]
        check_prints "$what: which is told" "$FILE was damaged, and is called $FILE.damaged-1 now" cat "$DIR/log"
        check_lacks "$what: nothing is wrong any more" '^ *Runs:' ctl status
        stop_daemon
}

start
for _ in 1 2 3 4 5; do
        ctl flow start --wait --quiet a
done
ctl flow start --wait --quiet suspended
check_prints "a run waits for a person" 'SUSPENDED' ctl flow list suspended
stop_daemon
cp "$FILE" "$DIR/saved"

trial "no database" sh -c "echo This is none. >'$FILE'"
trial "half of it" truncate -s "$(($(stat -c %s "$FILE") / 2))" "$FILE"
trial "garbage in the middle" overwrite 3 "$(($(stat -c %s "$DIR/saved/runs.db") / 4096))"
# These are met by what reads: the runs that live, one of their definitions, their nodes.
for name in run run_state def node; do
        trial "garbage in $name" overwrite "$(page $name)"
done

# begin_held: a run, of which one node lasts until the fifo is written to
begin_held() {
        rm -rf "${STORE:?}"/* "$DIR/record"
        start
        ctl flow start --quiet held
        wait_for "^held\$" cat "$DIR/record"
}

# destroy COMMAND…: the file, and the store dies before it can write; then the command runs
destroy() {
        pkill -STOP -x jobd-runstore
        echo "This is none." >"$FILE"
        rm -f "$FILE-wal" "$FILE-shm"
        pkill -KILL -x jobd-runstore
        "$@"
}

begin_held
destroy true
units_are_untouched "a file that is lost while a run lives"
wait_for 'held.flow +RUNNING' ctl flow list
report $? "a file that is lost while a run lives: the run is in the next one"
timeout "$PATIENCE" sh -c 'echo >"$1"' sh "$DIR/go"
wait_for 'held.flow +SUCCEEDED +3/3' ctl flow list
report $? "a file that is lost while a run lives: the run ends"
check_equal "a file that is lost while a run lives: each node ran once" "$(tr '\n' ' ' <"$DIR/record")" "first held last "
wait_for '^inactive$' ctl is-active held.flow
report $? "a file that is lost while a run lives: its unit, too"
check "a file that is lost while a run lives: it is kept by another name" [ -s "$FILE.damaged-1" ]
stop_daemon

begin_held
destroy kill_core KILL
units_are_untouched "a file that is lost with core"
wait_for '^inactive$' ctl is-active held.flow
report $? "a file that is lost with core: nothing is left of the run"
check_prints "a file that is lost with core: which is said" 'The store knows no attempt' cat "$DIR/log"
check_exit "a file that is lost with core: another run succeeds" 0 timeout 60 "$BUILD/jobctl" flow start --wait a
stop_daemon

# refused WHAT REGEX: the store cannot be used
refused() {
        units_are_untouched "$1"
        check_exit "$1: no run is submitted" 15 timeout 60 "$BUILD/jobctl" flow start --wait a
        check_prints "$1: which names the file and why" "$2" echo "$OUT"
        check_exit "$1: a list says the same" 15 timeout 60 "$BUILD/jobctl" flow list
        check_prints "$1: with the reason" "$2" echo "$OUT"
        check_exit "$1: so does a verb" 15 timeout 60 "$BUILD/jobctl" flow pause 1
        check_exit "$1: a start of the unit fails" 1 timeout 60 "$BUILD/jobctl" start a.flow
        check_prints "$1: and the unit" '^failed$' ctl is-active a.flow
        check_prints "$1: the status of the manager tells" "Runs: .*$2" ctl status
        check "$1: a timer elapses" ctl start timed.timer
}

# usable WHAT: again
usable() {
        wait_for 'SUSPENDED' ctl flow list suspended
        report $? "$1: then the runs are there"
        check_exit "$1: another run succeeds" 0 timeout 60 "$BUILD/jobctl" flow start --wait a
        check_lacks "$1: nothing is wrong any more" '^ *Runs:' ctl status
        wait_for SUCCEEDED ctl flow list timed
        report $? "$1: what the timer has triggered ran"
        check "$1: it is forgotten" ctl stop timed.timer
}

rm -rf "${STORE:?}"/*
cp "$DIR/saved/"* "$STORE"
set_format() {
        python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version = " + sys.argv[2])' "$1" "$2"
}
set_format "$FILE" 77
cp "$FILE" "$DIR/later"
start
refused "a later format" "$FILE has format 77"
check "a later format: the file is as it was" cmp "$FILE" "$DIR/later"
cp "$DIR/saved/runs.db" "$FILE"
usable "an older file"

if mount --bind "$STORE" "$STORE" && mount -o remount,bind,ro "$STORE"; then
        stop_daemon
        start
        refused "a file system that cannot be written" "$FILE cannot be written: Read-only file system"
        mount -o remount,bind,rw "$STORE"
        usable "one that can be"
else
        skip "a file system that cannot be written" "nothing can be mounted here"
fi

# — a run whose definition is lost is left out; what it is made of is kept for who mends that —
stop_daemon
rm -rf "${STORE:?}"/*
printf '[Flow]\nKeepRuns=1\n[Node x]\nExec=/bin/true\n' >"$UNITS/part.flow"
printf '[Flow]\nTimeoutStopSec=1\n[Node x]\nFlow=part.flow\n[Node y]\nDependsOn=x\nExec=/bin/sleep infinity\n' >"$UNITS/whole.flow"
start
ctl flow start --quiet --wait part
ctl flow start --quiet whole
wait_for 'y is RUNNING' ctl flow why 2
check_prints "a run has a part, after one that is none" '^ *3 +part.flow +SUCCEEDED' ctl flow list --no-legend part
stop_daemon
python3 -c 'import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
store.execute("DELETE FROM def WHERE hash = (SELECT definition FROM run WHERE id = 2)")
store.commit()' "$FILE"
: >"$DIR/log"
start
wait_for 'Run 2 is left out' cat "$DIR/log"
report $? "a run without its definition is left out"
ctl flow start --quiet --wait part
ctl flow start --quiet --wait part
parts() {
        ctl flow list --no-legend part | awk '{ print $1 }' | sort -n | tr '\n' ' '
}
wait_for '^3 5 $' parts
report $? "of its flow those go that are no parts" "there are $(parts)"
pkill -x -f '/bin/sleep infinity'
done_testing
