#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a run and its unit keep over deaths of core and of the store: the settings that the run was made with, how others have
# ended, and that a run which has ended is there
# S004-3, S004-7, S004-8
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

last_run() {
        ctl flow list --no-legend --all | awk 'NR == 1 { print $1 }'
}

# state RUN
# shellcheck disable=SC2317
state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

# release RUN WORD: its nodes end, well if that is the word
release() {
        echo "$2" >"$DIR/new" && mv "$DIR/new" "$DIR/go-$1"
}

store() {
        awk '/^Name:/ { name = $2 } /^PPid:/ && name == "jobd-runstore" { split(FILENAME, part, "/"); print part[3] }' \
                /proc/[0-9]*/status 2>/dev/null
}

# step NAME: a node that waits for release
cat >"$DIR/step" <<W
#!/bin/sh
echo \$\$ >$DIR/pid-\$1
echo "begin \$1" >>$RECORD
until [ -e $DIR/go-\$JOBD_RUN ]; do sleep 0.05; done
echo "end \$1" >>$RECORD
[ "\$(cat $DIR/go-\$JOBD_RUN)" = well ]
W
cat >"$DIR/leave" <<W
#!/bin/sh
echo "\$JOBD_TOKEN" >$DIR/left && mv $DIR/left $DIR/token
W
cat >"$DIR/late" <<W
#!/bin/sh
trap 'echo "{\"x\":5}" >"\$JOBD_RESULT"; exit 7' TERM
echo \$\$ >$DIR/pid-late
echo "begin late" >>$RECORD
while :; do sleep 0.05; done
W
chmod +x "$DIR/step" "$DIR/leave" "$DIR/late"

# settings MAXPARALLEL: the file
settings() {
        unit settings.flow <<U
[Flow]
MaxParallel=$1
[Node a]
Exec=$DIR/step a
[Node b]
Exec=$DIR/step b
U
}
settings 1
unit quick.flow <<U
[Node a]
Exec=/bin/true
U
unit called.flow <<U
[Node a]
Callback=yes
Exec=$DIR/leave
U
unit finished.flow <<U
[Flow]
StartMode=finished
MaxRuns=2
[Node a]
Exec=$DIR/step a
U
unit behind.service <<U
[Unit]
Requires=finished.flow
After=finished.flow
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
U
unit told.service <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo told >>$RECORD.told'
U
unit failing.flow <<U
[Unit]
OnFailure=told.service
[Node a]
Exec=$DIR/step failing
U
unit undone.flow <<U
[Unit]
OnFailure=told.service
[Node a]
Exec=/bin/true
Compensate=$DIR/step undo
[Node b]
DependsOn=a
Exec=/bin/false
U
unit stopped.flow <<U
[Node a]
SleepSec=1000
U
# Its stop waits for the store as long as that takes.
unit patient.flow <<U
[Flow]
TimeoutStopSec=infinity
[Node a]
SleepSec=1000
U
unit away.flow <<U
[Flow]
TimeoutStopSec=1s
[Node a]
Recover=retry
Exec=$DIR/step away
U
unit late.flow <<U
[Node a]
SuccessExitStatus=7
Exec=$DIR/late
U
unit dynamic.flow <<U
[Flow]
DynamicUser=yes
TimeoutStopSec=1s
[Node a]
Recover=retry
Exec=/bin/sleep 1000
U
unit hasty.flow <<U
[Flow]
TimeoutStopSec=1s
[Node a]
SleepSec=1000
U
unit accepted.flow <<U
[Flow]
MaxRuns=2
[Node a]
Exec=$DIR/step a
U
chmod 755 "$DIR"
start_daemon

# — the settings of a run are those that it was made with —

ctl flow start --quiet settings
RUN=$(last_run)
wait_for begin cat "$RECORD"
settings 9
check "the file has other settings" ctl daemon-reload
kill_core KILL
check_exit "core dies, and another run ends" 0 ctl flow start --wait quick
check_prints "one node waits for the other as before" 'MaxParallel=' ctl flow why "$RUN/b"
release "$RUN" well
wait_for SUCCEEDED state "$RUN"
check_equal "so they ran one after the other" "$(tr '\n' ' ' <"$RECORD")" "begin a end a begin b end b "

# — how runs have ended —

"$BUILD/jobctl" start behind.service >"$DIR/out" 2>&1 &
CLIENT=$!
wait_for finished ctl flow list --no-legend
FIRST=$(last_run)
ctl flow start --quiet finished
SECOND=$(last_run)
release "$FIRST" well
wait_for SUCCEEDED state "$FIRST"
kill_core KILL
ctl flow cancel --quiet "$SECOND"
wait_for '^(inactive|failed)$' ctl is-active finished.flow
check_equal "a success counts for the start, though core dies before all have ended" \
        "$(ctl is-active finished.flow)" inactive
wait "$CLIENT"
check_equal "and what is behind it is started" "$? $(cat "$DIR/out")" "0 "

ctl flow start --quiet accepted
FIRST=$(last_run)
ctl flow start --quiet accepted
SECOND=$(last_run)
release "$FIRST" badly
wait_for FAILED state "$FIRST"
kill_core KILL
release "$SECOND" well
wait_for SUCCEEDED state "$SECOND"
wait_for '^(inactive|failed)$' ctl is-active accepted.flow
check_equal "so does a failure for the unit" "$(ctl is-active accepted.flow)" failed

# — a run that has ended is there while the store comes back —

ctl flow start --quiet called
RUN=$(last_run)
wait_for . cat "$DIR/token"
TOKEN=$(cat "$DIR/token")
check_exit "a node is completed" 0 ctl flow complete "$TOKEN"
wait_for SUCCEEDED state "$RUN"

# complete_again: in the background; the store, whose pid is $STORE, does not answer yet
complete_again() {
        STORE=$(store)
        kill -STOP "$STORE"
        "$BUILD/jobctl" flow complete --quiet "$TOKEN" >"$DIR/out" 2>&1 &
        CLIENT=$!
        wait_for '\) S ' cat "/proc/$CLIENT/stat"
        # Each is answered behind what came before.
        for _ in 1 2 3 4 5; do
                ctl is-active quick.flow >/dev/null
        done
}

complete_again
kill -KILL "$STORE"
wait "$CLIENT"
check_equal "the same again, whose run the store does not live to tell of" "$? $(cat "$DIR/out")" "0 "
complete_again
kill_core KILL
kill -CONT "$STORE"
wait "$CLIENT"
check_equal "or core" "$? $(cat "$DIR/out")" "0 "
for i in 1 2 3 4 5; do
        kill -KILL "$(store)"
        check_exit "and while it comes back ($i)" 0 ctl flow complete "$TOKEN"
        wait_for . store
done
# — OnFailure= and OnSuccess= are told once —

ctl flow start --quiet failing
RUN=$(last_run)
wait_for 'begin failing' cat "$RECORD"
STORE=$(store)
kill -STOP "$STORE"
release "$RUN" badly
wait_for '^told' cat "$RECORD.told"
report $? "somebody is told of the end of a run, which the store has not recorded"
OLD=$CORE
kill -KILL "$CORE" "$STORE"
next_core "$OLD"
wait_for FAILED state "$RUN"
report $? "core and the store die, and it ends again"
wait_for '^$' ctl list-jobs --no-legend
check_equal "nobody is told twice" "$(grep -c told "$RECORD.told")" 1

ctl flow start --quiet undone
RUN=$(last_run)
wait_for '^2$' grep -c told "$RECORD.told"
report $? "another end is told"
wait_for FAILED state "$RUN"
ctl flow compensate --quiet "$RUN"
wait_for 'begin undo' cat "$RECORD"
kill_core KILL
release "$RUN" well
wait_for FAILED state "$RUN"
report $? "core dies while a person undoes that run, and it ends again"
wait_for '^$' ctl list-jobs --no-legend
check_equal "nobody is told of that end" "$(grep -c told "$RECORD.told")" 2

# — a stop of the unit stays done —

# dies_stopping: core and the store, as soon as a stop of stopped.flow is under way that the store has not recorded
dies_stopping() {
        STORE=$(store)
        OLD=$CORE
        kill -STOP "$STORE"
        "$BUILD/jobctl" stop stopped.flow >"$DIR/out" 2>&1 &
        CLIENT=$!
        wait_for '^(deactivating|inactive)$' ctl is-active stopped.flow
        kill -KILL "$OLD" "$STORE"
        next_core "$OLD"
}

ctl flow start --quiet stopped
RUN=$(last_run)
wait_for RUNNING state "$RUN"
dies_stopping
wait "$CLIENT"
check_equal "a stop ends well, though core and the store die before that is recorded" "$? $(cat "$DIR/out")" "0 "
wait_for PAUSED state "$RUN"
report $? "the run is held"
check_equal "and does not start its unit" "$(ctl is-active stopped.flow)" inactive
check_exit "until a person does" 0 ctl start stopped.flow
wait_for RUNNING state "$RUN"
report $? "when the run goes on"

# — what an end that nobody has decided has left —

# cancel_unrecorded: $RUN, whose command ends well for that; core and the store die before that is recorded
cancel_unrecorded() {
        wait_for 'begin late' cat "$RECORD"
        STORE=$(store)
        OLD=$CORE
        kill -STOP "$STORE"
        "$BUILD/jobctl" flow cancel "$RUN" >"$DIR/out" 2>&1 &
        CLIENT=$!
        wait_for gone sh -c "kill -0 $(cat "$DIR/pid-late") || echo gone"
        wait_for CANCELLED ctl flow why "$RUN"
        kill -KILL "$CLIENT"
        wait "$CLIENT" 2>/dev/null
        kill -KILL "$OLD" "$STORE"
        next_core "$OLD"
}

ctl flow start --quiet late
RUN=$(last_run)
cancel_unrecorded
wait_for SUCCEEDED state "$RUN"
report $? "a run goes on whose cancellation was not recorded"
check_equal "with the result of the command that has ended" "$(ctl flow result "$RUN/a")" '{"x":5}'

# — while the store is away —

ctl flow start --quiet away
RUN=$(last_run)
wait_for 'begin away' cat "$RECORD"
STORE=$(store)
kill -STOP "$STORE"
kill_core KILL
check_equal "core dies, and the store does not tell the next one of a run" "$(ctl is-active away.flow)" active
check_exit "a stop of its unit ends for all that" 0 ctl stop away.flow
check_equal "and is done" "$(ctl is-active away.flow)" inactive
wait_for gone sh -c "kill -0 $(cat "$DIR/pid-away") || echo gone"
report $? "without its processes, though nobody knows how the run was made"
kill_core KILL
check_equal "also for the next core" "$(ctl is-active away.flow)" inactive
kill -CONT "$STORE"
wait_for PAUSED state "$RUN"
report $? "the run is held when the store tells of it"
check_equal "and does not start its unit again" "$(ctl is-active away.flow)" inactive
check_lacks "its attempt has not ended by itself" "end away" cat "$RECORD"

# users: that are there by DynamicUser=
# shellcheck disable=SC2317
users() {
        find "$XDG_RUNTIME_DIR/jobd/dynamic-users" -type f | wc -l
}

if has_users; then
        ctl flow start --quiet dynamic
        RUN=$(last_run)
        wait_for RUNNING state "$RUN"
        STORE=$(store)
        kill -STOP "$STORE"
        kill_core KILL
        check_exit "a unit with a user of its own is stopped while the store is away" 0 ctl stop dynamic.flow
        check_equal "the user stays as long as the attempt does" "$(users)" 1
        kill -CONT "$STORE"
        wait_for '^0$' users
        report $? "and goes when the store has told how that ends"
        wait_for PAUSED state "$RUN"
else
        skip "the user of a flow" "only root can make one"
fi

ctl flow start --quiet hasty
RUN=$(last_run)
wait_for RUNNING state "$RUN"
STORE=$(store)
kill -STOP "$STORE"
check_exit "a stop that the store does not record ends, too" 0 ctl stop hasty.flow
OLD=$CORE
kill -KILL "$OLD" "$STORE"
next_core "$OLD"
wait_for PAUSED state "$RUN"
report $? "core and the store die, and the run is held"
check_equal "for a stop that is done" "$(ctl is-active hasty.flow)" inactive
check_exit "until a person starts the unit" 0 ctl start hasty.flow
wait_for RUNNING state "$RUN"
kill_core KILL
wait_for 'Node a .*is RUNNING' ctl flow why "$RUN/a"
check_equal "which the core after that knows" "$(state "$RUN") $(ctl is-active hasty.flow)" "RUNNING active"

ctl flow start --quiet patient
RUN=$(last_run)
wait_for RUNNING state "$RUN"
STORE=$(store)
kill -STOP "$STORE"
"$BUILD/jobctl" stop patient.flow >"$DIR/out" 2>&1 &
CLIENT=$!
wait_for deactivating ctl is-active patient.flow
report $? "a stop waits for the store"
stop_daemon
report $? "but the end of jobd does not"
kill -KILL "$STORE"
wait "$CLIENT"

# — a start that waits for the store, and a stop behind it —
unit named.flow <<'U'
[Flow]
RunName=the-one
[Node x]
Exec=/bin/true
U
start_daemon
ctl flow start --quiet --wait quick
STORE=$(store)
kill -STOP "$STORE"
ctl start --no-block named.flow
wait_for activating ctl is-active named.flow
check_exit "a start that waits for the store is stopped" 0 ctl stop named.flow
kill -CONT "$STORE"
ctl flow start --quiet --wait quick
check_equal "and makes no run when the store is back" "$(ctl flow list --no-legend --all named.flow)$(ctl is-active named.flow)" inactive
check_exit "a later one does" 0 ctl start named.flow
wait_for 'SUCCEEDED' ctl flow list --no-legend --all named.flow
report $? "and its run succeeds"
stop_daemon

# — the process above core dies, too: the exits of its children are nobody's —
unit orphan.flow <<U
[Node before]
ExecStartPre=$DIR/step before
Exec=/bin/true
[Node main]
Exec=$DIR/step main
U
start_daemon
: >"$RECORD"
ctl flow start --quiet orphan
RUN=$(last_run)
wait_for 'begin before' cat "$RECORD" && wait_for 'begin main' cat "$RECORD"
PIDS=("$(cat "$DIR/pid-before")" "$(cat "$DIR/pid-main")")
kill -KILL "$DAEMON"
timeout "$PATIENCE" tail --pid="$CORE" -f /dev/null
rm -f "$DIR/pid"
start_daemon
wait_for 'is RUNNING: attempt 1 runs' ctl flow why "$RUN/main"
report $? "jobd and core die, and the next jobd finds the commands"
release "$RUN" badly
for PID in "${PIDS[@]}"; do timeout "$PATIENCE" tail --pid="$PID" -f /dev/null; done
for NODE in main before; do
        wait_for 'is PENDING' ctl flow why "$RUN/$NODE"
        report $? "nobody knows how the command of node $NODE has ended: it waits for a person"
done
stop_daemon
done_testing
