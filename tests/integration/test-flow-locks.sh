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

# ten runs of it: a hundred nodes with a lock of five slots, which end once there is the file "open", or when they are told to
cat >"$DIR/slot" <<S
#!/bin/sh
trap 'echo "e \$JOBD_RUN:\$1" >>$RECORD; exit 1' TERM
echo "b \$JOBD_RUN:\$1" >>$RECORD
until [ -e $DIR/open ]; do sleep 0.02; done
sleep 0.02
echo "e \$JOBD_RUN:\$1" >>$RECORD
S
chmod +x "$DIR/slot"
unit crowd.flow <<'U'
[Flow]
NodesFile=crowd.jsonl
MaxParallel=2000
MaxRuns=10
U
for ((i = 1; i <= 100; i++)); do
        printf '{"Node":"n%d","Lock":"crowded","LockSlots":5,"Idempotent":true,"Exec":"%s %d"}\n' "$i" "$DIR/slot" "$i"
done >"$UNITS/crowd.jsonl"

# holders: the runs whose nodes hold that lock, each as often as it does
holders() {
        ctl flow locks crowded --no-legend | awk '$3 == "held" { sub("/.*", "", $7); printf "%s ", $7 }'
}

# five_of RUN: until all five slots are held by nodes of it
five_of() {
        wait_for "^$1 $1 $1 $1 $1 \$" holders
}

# other_holder [RUN]: a run that has a slot, and is not that one
other_holder() {
        holders | tr ' ' '\n' | grep -vx "${1-}" | grep -m1 .
}

# wait_for_lines N: until so much has begun and ended
wait_for_lines() {
        wait_for '^yes$' sh -c "test \"\$(wc -l <$RECORD)\" -ge $1 && echo yes"
}

# as many that begin in one turn, and are told to end while core hears of them
unit sudden.flow <<'U'
[Flow]
NodesFile=sudden.jsonl
MaxParallel=100
U
for ((i = 1; i <= 100; i++)); do
        printf '{"Node":"n%d","Idempotent":true,"Exec":"%s %d"}\n' "$i" "$DIR/slot" "$i"
done >"$UNITS/sudden.jsonl"

# cancel_suddenly: a run is cancelled as soon as one of its commands has written that it has begun
cancel_suddenly() {
        : >"$RECORD"
        start sudden || return
        until [ -s "$RECORD" ]; do :; done
        ctl flow cancel --quiet "$RUN" && wait_for_state "$RUN" CANCELLED
}

# without_end: those that have begun, and did not get to end in order
without_end() {
        awk '$1 == "b" { on[$2] = 1 } $1 == "e" { delete on[$2] } END { for (i in on) print i }' "$RECORD"
}

unit keeper.flow <<U
[Node a]
Lock=printer tray
Exec=/bin/sh -c 'test -e $DIR/mended'
FailurePolicy=suspend
U
unit user.flow <<U
[Node a]
Lock=printer
Exec=$(hold printing)
U

unit each.flow <<'U'
[Flow]
Params=items:=[1,2]
[Node scan]
Foreach=param.items
Lock=scanner
LockSlots=2
Exec=/bin/false
FailurePolicy=suspend
U

# unlocks RUN: who has had nodes of it give up what
unlocks() {
        python3 - "$XDG_STATE_HOME/jobd/runs.db" "$1" <<'P'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(
        "SELECT node, operator, reqid, reason FROM event WHERE run = ? AND kind = 'verb' AND new = 'unlock'", (sys.argv[2],)):
    print(*row)
P
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

# — unlock —
check_exit "a run with a lock is left to a person" 11 ctl flow start --wait keeper
KEEPER=$(last_run)
start user
USER_RUN=$RUN
check_prints "another one waits for the lock" "the lock 'printer', which is held by $KEEPER/a" ctl flow why "$USER_RUN/a"
check_exit "who waits has none to give up" 4 ctl flow unlock "$USER_RUN/a"
check_prints "and it is said" "Node a of run $USER_RUN holds no lock\." echo "$OUT"
check_exit "nor one that it does not hold" 4 ctl flow unlock "$KEEPER/a" scanner
check_prints "by name" "Node a of run $KEEPER does not hold the lock 'scanner'" echo "$OUT"
check_exit "nor by the run" 4 ctl flow unlock "$KEEPER" scanner
check_prints "by name, too" "No node of run $KEEPER holds the lock 'scanner' while nothing of it runs" echo "$OUT"
check_exit "there is no such run" 5 ctl flow unlock 4000000
check_exit "nor such a node" 5 ctl flow unlock "$KEEPER/z"
check_exit "a run is to be named" 2 ctl flow unlock
check_exit "and no more than that and a lock" 2 ctl flow unlock "$KEEPER/a" printer tray
check_equal "nothing was given up" "$(unlocks "$KEEPER")" ""
check_prints "a person has the node give it up" "Node a of run $KEEPER has given up its locks\." \
        ctl --operator=anna --reqid=T-7 flow unlock "$KEEPER/a" printer
wait_for_node printing
report $? "the one that waits goes on"
check_equal "who has asked is recorded, and what was given up" "$(unlocks "$KEEPER")" "a anna T-7 printer, tray"
check_prints "the node waits for a person as before" 'PENDING' ctl flow show "$KEEPER"
check_exit "a node that runs keeps its lock" 4 ctl flow unlock "$USER_RUN/a"
check_prints "until it has ended" "is RUNNING: it keeps its locks \(printer\) until nothing of it runs" echo "$OUT"
kill_core KILL
wait_for "printer" ctl flow locks
check_equal "core dies, and what was given up is free" "$(ctl flow locks --no-legend | grep -c "$KEEPER/a")" 0
touch "$DIR/mended"
check "the node is tried again" ctl flow resolve "$KEEPER/a" --as=retry
wait_for "the lock 'printer', which is held by $USER_RUN/a" ctl flow why "$KEEPER/a"
report $? "it waits for its lock then"
release printing
wait_for_state "$KEEPER" SUCCEEDED
report $? "and takes it again"
rm "$DIR/mended"
check_exit "another run is left to a person" 11 ctl flow start --wait keeper
KEEPER=$(last_run)
check_equal "all nodes of a run can be meant, which programs are told" "$(ctl --json flow unlock "$KEEPER" | tr -d ' ')" \
        "{\"id\":$KEEPER,\"node\":null,\"lock\":null}"
kill_core KILL
check_equal "that is durable when it is said" "$(unlocks "$KEEPER" | wc -l)" 1
wait_for 'Nothing is held' ctl flow locks
report $? "and the locks are free"
check "the run is cancelled" ctl flow cancel "$KEEPER"
start holder
wait_for_node held
check_exit "the lock of a run is not given up" 4 ctl flow unlock "$RUN"
check_prints "as is said" "Run $RUN itself holds its locks \(db\), from its beginning until it has ended" echo "$OUT"
check "it is to end" ctl flow stop --quiet "$RUN"
check_exit "nor when the run ends" 4 ctl flow unlock "$RUN"
check_prints "which is said" "Run $RUN keeps its locks \(db\) until it has ended: it is STOPPING already" echo "$OUT"
release held
wait_for_state "$RUN" CANCELLED
check_exit "instances of Foreach= are left to a person" 11 ctl flow start --wait each
EACH=$(last_run)
check_exit "their node has no lock itself" 4 ctl flow unlock "$EACH/scan" scanner
check_prints "but is told who has" "Node scan of run $EACH has Foreach=: locks are held by its instances, as by scan\[0\]" echo "$OUT"
check_exit "nor has any of them another one" 4 ctl flow unlock "$EACH/scan" printer
check_prints "as is said" "none of its instances holds the lock 'printer'" echo "$OUT"
check "all of them give up" ctl flow unlock --quiet "$EACH"
check_exit "nobody has one then" 4 ctl flow unlock "$EACH/scan"
check_prints "and no other name is asked for" "none of its instances holds a lock" echo "$OUT"
check "it is cancelled" ctl flow cancel --quiet "$EACH"

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
check_prints "and no lock is left behind" 'Nothing is held' ctl flow locks
: >"$RECORD"
start many-9
wait_for_state "$RUN" SUCCEEDED
report "$(test "$(most)" -gt 5; echo $?)" "control: with nine slots more than five are seen" "$(most)"

# — a thousand, whose holders are cancelled and deleted —
: >"$RECORD"
CROWD=()
for ((i = 0; i < 10; i++)); do
        start crowd
        CROWD+=("$RUN")
done
five_of "${CROWD[0]}"
report $? "nodes of the first run have the five slots" "$(holders)"
check "it is cancelled" ctl flow cancel --quiet "${CROWD[0]}"
five_of "${CROWD[1]}"
report $? "those of the second have them then" "$(holders)"
kill_core KILL
five_of "${CROWD[1]}"
report $? "also when core has died" "$(holders)"
check "it is deleted" ctl flow delete --quiet --stop "${CROWD[1]}"
kill_core KILL
five_of "${CROWD[1]}"
report $? "as long as its commands run it has the slots" "$(holders)"
check_equal "and nobody else has begun" "$(grep -c '^b' "$RECORD")" 10
touch "$DIR/open"
wait_for_lines 300
kill_core KILL
# One that has a slot may have ended when the command comes.
cancel_holder() {
        local end=$((SECONDS + PATIENCE))
        until FIRST=$(other_holder) && ctl flow cancel --quiet "$FIRST"; do
                [ "$SECONDS" -lt "$end" ] || return 1
        done
}
cancel_holder
report $? "one that has slots is cancelled while the others go on"
wait_for '[0-9]' other_holder "$FIRST"
SECOND=$(other_holder "$FIRST")
check "another one is deleted" ctl flow delete --quiet --stop "$SECOND"
wait_for_lines 800
kill_core KILL
for run in "${CROWD[@]:2}"; do
        [ "$run" = "$FIRST" ] || [ "$run" = "$SECOND" ] || wait_for_state "$run" SUCCEEDED
done
report $? "the others succeed, though core dies twice more"
wait_for 'Nothing is held' ctl flow locks
report $? "no lock is left behind, by whatever run"
check_equal "each node of theirs ran" "$(awk -v not="${CROWD[0]} ${CROWD[1]} $FIRST $SECOND" '
        BEGIN { split(not, words); for (i in words) is_not[words[i]] }
        $1 == "e" { split($2, name, ":"); if (!(name[1] in is_not)) print $2 }' "$RECORD" | sort -u | wc -l)" 600
check_equal "five at a time" "$(most)" 5

# — commands whose process is on its way when they are to end —
rm "$DIR/open"
UNENDED=
for _ in $(seq 15); do
        cancel_suddenly || break
        UNENDED+=$(without_end)
done
report $? "runs are cancelled as soon as a command has begun"
check_equal "those that have begun end as they like" "$UNENDED" ""
done_testing
