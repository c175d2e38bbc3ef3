#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What attempts want of units: they are started before, held as long, and what they cannot be without ends them. The holds
# outlive core.
# S004-5, S004-12, S004-20
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

count() {
        grep -c "^$1\$" "$RECORD"
}

# hold WORD: the command of a node that is written down, and lasts until it is released
hold() {
        [ -p "$DIR/$1" ] || mkfifo "$DIR/$1"
        printf "/bin/sh -c 'echo %s >>%s; read word <%s'" "$1" "$RECORD" "$DIR/$1"
}

release() {
        timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/$1"
}

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

wait_for_state() {
        wait_for "^$2\$" run_state "$1"
}

last_run() {
        ctl flow list --no-legend "$@" | awk 'NR == 1 { print $1 }'
}

printf '[Unit]\nStopWhenUnneeded=yes\n[Service]\nExecStart=/bin/sleep infinity\n' >"$UNITS/db.service"
printf '[Service]\nExecStart=/bin/sleep infinity\n' >"$UNITS/other.service"
printf '[Unit]\nConflicts=against.flow\n[Service]\nExecStart=/bin/sleep infinity\n' >"$UNITS/enemy.service"
printf '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/false\n' >"$UNITS/fails.service"
mkfifo "$DIR/slow"
printf '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sh -c "read word <%s"\n' "$DIR/slow" >"$UNITS/slow.service"
for name in holds requires after; do
        printf '[Node x]\nExec=%s\n' "$(hold "$name")" >"$UNITS/$name.flow"
done
echo 'RequiresUnit=db.service' >>"$UNITS/holds.flow"
echo 'RequiresUnit=slow.service' >>"$UNITS/requires.flow"
echo 'AfterUnit=slow.service' >>"$UNITS/after.flow"
printf '[Node x]\nExec=%s\nRequiresUnit=fails.service\n' "$(hold never)" >"$UNITS/broken.flow"
printf '[Node x]\nExec=/bin/true\nRequisiteUnit=other.service\n' >"$UNITS/requisite.flow"
printf '[Node x]\nExec=%s\nBindsToUnit=other.service\n' "$(hold bound)" >"$UNITS/binds.flow"
printf '[Node x]\nExec=/bin/true\nRequiresUnit=enemy.service\n' >"$UNITS/against.flow"
printf '[Node x]\nUnit=other.service\nRequiresUnit=db.service\nWaitFor=inactive\n' >"$UNITS/job.flow"
start_daemon

# — a unit is held as long as the attempt runs —
ctl start db.service
wait_for '^inactive$' ctl is-active db.service
report $? "control: a unit that nobody holds is stopped at once"
check_prints "because nothing needs it" 'nothing needs db.service any more' ctl why db.service
check "a node requires it" ctl flow start holds
RUN=$(last_run holds)
wait_for '^holds$' cat "$RECORD"
check_prints "it was started before the command" '^active$' ctl is-active db.service
check_prints "for the node" "requested because run $RUN, node x needs it" ctl why db.service
check_prints "why names the holder" "^Held by: run $RUN, node x\$" ctl why db.service
check_prints "as JSON" "\"held\": *\"run $RUN, node x\"" ctl why --json db.service
kill_core KILL
wait_for "Node x is RUNNING: attempt 1 runs" ctl flow why "$RUN"
check_prints "the hold outlives core" "^Held by: run $RUN, node x\$" ctl why db.service
kill_core KILL
kill_core KILL
check_prints "and is there before the runs are loaded" "^Held by: run $RUN" ctl why db.service
check_prints "so the unit is" '^active$' ctl is-active db.service
check_equal "and was started once" "$(grep -c 'Started db.service' "$DIR/log")" 2
release holds
wait_for_state "$RUN" SUCCEEDED
report $? "the command ends"
wait_for '^inactive$' ctl is-active db.service
report $? "and the unit with it"
check_lacks "nobody holds it" 'Held by' ctl why db.service

check "a node with a job requires units, too" ctl flow start job
RUN=$(last_run job)
wait_for "it waits until other.service is inactive" ctl flow why "$RUN"
check_prints "which are held" "^Held by: run $RUN, node x\$" ctl why db.service
ctl stop other.service
wait_for_state "$RUN" SUCCEEDED
wait_for '^inactive$' ctl is-active db.service
report $? "until the job has ended"

# — what is required and does not come —
check_exit "a unit that fails fails the node" 1 ctl flow start --wait broken
check_prints "which says so" 'node x: Job [0-9]+ \(start fails.service\) has ended: failed' cat "$DIR/log"
check_equal "its command does not run" "$(count never)" 0
check "a node waits for a unit that starts" ctl flow start requires
RUN=$(last_run requires)
wait_for "Node x is RUNNING: it waits for job [0-9]+ \(start slow.service\), which runs" ctl flow why "$RUN"
report $? "and says so"
kill_core KILL
wait_for "it waits for job [0-9]+ \(start slow.service\), which runs" ctl flow why "$RUN"
report $? "also after the death of core"
check "the run is cancelled" ctl flow cancel "$RUN"
wait_for_state "$RUN" CANCELLED
report $? "and ends"
check_equal "without its command" "$(count requires)" 0

# — AfterUnit=: a job that is there is waited for, and none is asked for —
check_prints "the job is still there" 'slow.service' ctl list-jobs --no-legend
check "a node waits for the job of a unit" ctl flow start after
RUN=$(last_run after)
wait_for "it waits for job [0-9]+ \(start slow.service\), which runs" ctl flow why "$RUN"
report $? "and says so"
release slow
wait_for '^after$' cat "$RECORD"
report $? "its command runs when that has ended"
release after
wait_for_state "$RUN" SUCCEEDED
ctl stop slow.service
check "without a job" ctl flow start after
release after
wait_for_state "$(last_run after)" SUCCEEDED
report $? "it does not wait"
check_equal "and asks for none" "$(ctl is-active slow.service)" inactive

# — RequisiteUnit=, BindsToUnit= —
check_exit "a unit that has to be active fails the node if it is not" 1 ctl flow start --wait requisite
check_prints "at once" 'node x: other.service, which it requires to be active, is inactive' cat "$DIR/log"
ctl start other.service
check "if it is, the command runs" ctl flow start --wait requisite
ctl stop other.service
check "a node is bound to a unit" ctl flow start binds
RUN=$(last_run binds)
wait_for '^bound$' cat "$RECORD"
check_prints "which is started" '^active$' ctl is-active other.service
ctl stop other.service
wait_for_state "$RUN" FAILED
report $? "its end is that of the node"
check_prints "which says so" 'node x: It ends, because other.service, which it is bound to, is gone' cat "$DIR/log"

# — a flow does not stop itself —
check_exit "a unit that the flow conflicts with is not started" 1 ctl flow start --wait against
check_prints "with the reason" 'WouldStopItself: to start enemy.service would stop against.flow' cat "$DIR/log"
check_equal "and is not there" "$(ctl is-active enemy.service)" inactive

printf '[Node x]\nRequiresUnit=db.service\n' >"$UNITS/nothing.flow"
printf '[Node x]\nExec=/bin/true\nRequiresUnit=db\n' >"$UNITS/bad.flow"
check_prints "a checkpoint needs no unit" 'nothing.flow:2: warning: RequiresUnit=: Node x: without Exec=, Script=, Unit= or Flow=' ctl verify "$UNITS/nothing.flow"
check_prints "a unit has a name" "bad.flow:3: error: RequiresUnit=: 'db' is not a unit name" ctl verify "$UNITS/bad.flow"
done_testing
