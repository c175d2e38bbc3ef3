#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Locks and resources of runs and nodes with real processes: who has them, who waits, and that nothing is lost with core.
# S004-16a, S004-16e, S004-25a, S004-31
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

# hold WORD: a command that writes its pid to WORD.pid and lasts until somebody writes to the fifo WORD
hold() {
        mkfifo "$DIR/$1"
        printf "/bin/sh -c 'echo \$\$\$\$ >%s.new; mv %s.new %s.pid; read word <%s'" "$DIR/$1" "$DIR/$1" "$DIR/$1" "$DIR/$1"
}

# wait_for_node WORD: until the command hold WORD runs
wait_for_node() {
        wait_for '^[0-9]+$' cat "$DIR/$1.pid" && rm "$DIR/$1.pid"
}

# release WORD
release() {
        timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/$1"
}

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

# wait_for_state RUN STATE
wait_for_state() {
        wait_for "^$2\$" run_state "$1"
}

last_run() {
        ctl flow list --no-legend | awk 'NR == 1 { print $1 }'
}

# start UNIT: the number of its run is in $RUN then
start() {
        ctl flow start --quiet "$1" && RUN=$(last_run)
}

unit holder.flow <<U
[Flow]
Lock=db
[Node a]
Exec=$(hold held)
Recover=retry
U
unit waiter.flow <<'U'
[Flow]
Lock=db
[Node a]
Exec=/bin/true
U
unit impatient.flow <<'U'
[Flow]
Lock=db
QueueTimeoutSec=100ms
[Node a]
Exec=/bin/true
U
unit eater.flow <<U
[Node a]
Needs=cpu:2
Exec=$(hold eaten)
U
unit hungry.flow <<'U'
[Node a]
Needs=cpu:1
Exec=/bin/true
U
unit glutton.flow <<'U'
[Node a]
Needs=cpu:3
Exec=/bin/true
U
unit stuck.flow <<'U'
[Flow]
Needs=cpu:1
[Node a]
Needs=cpu:2
Exec=/bin/true
U

# many SLOTS: a thousand nodes that write down when they begin and end, with a lock of so many slots
many() {
        printf '[Flow]\nNodesFile=many-%s.jsonl\nMaxParallel=2000\n' "$1" | unit "many-$1.flow"
        for i in $(seq 1000); do
                printf '{"Node":"n%s","Lock":"five","LockSlots":%s,"Idempotent":true,' "$i" "$1"
                printf '"Exec":"/bin/sh -c '"'"'echo b %s >>%s; sleep 0.02; echo e %s >>%s'"'"'"}\n' "$i" "$RECORD" "$i" "$RECORD"
        done >"$UNITS/many-$1.jsonl"
}

# most: how many nodes were between their begin and end at the same time. What was begun twice counts once.
most() {
        awk '$1 == "b" && !($2 in on) { on[$2]; n++; if (n > m) m = n } $1 == "e" && ($2 in on) { delete on[$2]; n-- }
             END { print m + 0 }' "$RECORD"
}

many 5
many 9
printf '[Engine]\nResources=cpu:2\n' >"$DIR/conf"
start_daemon --config "$DIR/conf"

# — locks of runs —
start holder
wait_for_node held
HOLDER=$RUN
start waiter
WAITER=$RUN
check_equal "a run waits for its lock" "$(run_state "$WAITER")" QUEUED
check_prints "and why names the lock and its holder" "it waits for the lock 'db', which is held by $HOLDER" \
        ctl flow why "$WAITER"
check_prints "also for programs" '"why": *"lock"' ctl --json flow why "$WAITER"
start impatient
wait_for_state "$RUN" TIMEOUT
report $? "a run that may not wait for so long times out"
kill_core KILL
check_equal "the lock is held by the same run after the death of core" "$(run_state "$WAITER")" QUEUED
wait_for "which is held by $HOLDER" ctl flow why "$WAITER"
report $? "and it is said"
release held
wait_for_state "$WAITER" SUCCEEDED
report $? "the end of the holder lets the next run begin"
start holder
wait_for_node held
HOLDER=$RUN
start waiter
WAITER=$RUN
check "the holder is cancelled" ctl flow cancel "$HOLDER"
wait_for_state "$WAITER" SUCCEEDED
report $? "which gives up the lock, too"
start holder
wait_for_node held
HOLDER=$RUN
start waiter
WAITER=$RUN
check "the holder is deleted" ctl flow delete --stop "$HOLDER"
check_equal "it has the lock as long as its command runs" "$(run_state "$WAITER")" QUEUED
release held
wait_for_state "$WAITER" SUCCEEDED
report $? "and then the next run has it"

# — resources —
check_exit "what can never be had is refused" 4 ctl flow start glutton
check_prints "by name" "Node \"a\": 3 of the resource 'cpu' are wanted, and there are 2 in all. See Resources=" \
        ctl flow start glutton
start eater
wait_for_node eaten
EATER=$RUN
start hungry
check_prints "a node waits for its resource" "it waits for 1 of the resource 'cpu', of which 0 of 2 are free; some is held by $EATER/a" \
        ctl flow why "$RUN/a"
release eaten
wait_for_state "$RUN" SUCCEEDED
report $? "and gets it"
start stuck
wait_for_state "$RUN" SUSPENDED
report $? "a node that waits for what its own run has is left to a person"
check_prints "with the reason" deadlock ctl flow why "$RUN/a"
check "and can be cancelled" ctl flow cancel "$RUN"

# — a thousand that wait for one lock —
start many-5
for n in 200 700; do
        wait_for "^1\$" sh -c "test \"\$(wc -l <$RECORD)\" -ge $n && echo 1"
        kill_core KILL
done
wait_for_state "$RUN" SUCCEEDED
report $? "a thousand nodes share five slots, though core dies twice"
check_equal "each runs" "$(awk '$1 == "e" { print $2 }' "$RECORD" | sort -u | wc -l)" 1000
check_equal "and five at a time" "$(most)" 5
check_equal "in about their order" "$(awk '$1 == "b" && !($2 in seen) { seen[$2]; n++; d = n - $2; if (d < -50 || d > 50) print $2 }' \
        "$RECORD" | head -3)" ""
: >"$RECORD"
start many-9
wait_for_state "$RUN" SUCCEEDED
report "$(test "$(most)" -gt 5; echo $?)" "control: with nine slots more than five are seen" "$(most)"
start waiter
wait_for_state "$RUN" SUCCEEDED
report $? "and no lock is left behind"
done_testing
