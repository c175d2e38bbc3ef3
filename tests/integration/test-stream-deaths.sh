#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Streams while core, the store or all of jobd dies: pushes are not lost, no element is executed twice, and none before
# the one before it
# S000-26, S000-30, S000-33, S000-35, S000-38, S000-39
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/boots.sh"
. "$(dirname "$0")/stream.sh"

RECORD=$DIR/record

store() {
        awk '/^Name:/ { name = $2 } /^PPid:/ && name == "jobd-runstore" { split(FILENAME, part, "/"); print part[3] }' \
                /proc/[0-9]*/status 2>/dev/null
}

# begin STREAM COUNT GROUPS: pushes, in a process of its own; the answers are in $DIR/numbers
begin() {
        : >"$RECORD"
        : >"$DIR/numbers"
        flood "$1.stream" "$2" "$3" >"$DIR/numbers" 2>"$DIR/flood" &
        FLOOD=$!
}

# wait_for_elements COUNT: until so many have begun, or more
wait_for_elements() {
        local end=$((SECONDS + PATIENCE))
        until [ "$(wc -l <"$RECORD")" -ge "$1" ]; do
                [ "$SECONDS" -lt "$end" ] || return 1
                sleep 0.01
        done
}

# kill_store: and waits for the next one
kill_store() {
        local old
        old=$(store)
        kill -KILL "$old"
        wait_for "^[0-9]+\$" sh -c "ps -o pid= -C jobd-runstore | grep -v '^ *$old\$' | tr -d ' '"
}

# repeats COUNT: elements that were executed again; "lost" if one never was, "order" if one was before the one before it
repeats() {
        awk -v n="$1" '$2 < last[$1] { is_wrong = 1 } { last[$1] = $2; count += !seen[$2]++ }
                END { print is_wrong ? "order" : count == n ? NR - n : "lost" }' "$RECORD"
}

# end STREAM COUNT: waits for the end of the pushes and of their elements
end() {
        wait "$FLOOD"
        report $? "$1: all pushes are answered" "$(cat "$DIR/flood")"
        check_equal "$1: each with a number of its own" "$(cut -d' ' -f2 "$DIR/numbers" | sort -nu | wc -l)" "$2"
        wait_for '^0$' left "$1"
        report $? "$1: all elements are over"
}

# shellcheck disable=SC2317
left() {
        local elements
        elements=$(client elements "$1.stream") &&
                awk '$3 != "SUCCEEDED" && $3 != "SKIPPED" { n++ } END { print (NR > 1 ? n + 0 : "none") }' <<<"$elements"
}

for name in core store both refused; do
        # shellcheck disable=SC2016
        stream "$name" "echo \$JOBD_GROUP \$JOBD_SEQUENCE >>$RECORD; sleep 0.03"
done
# shellcheck disable=SC2016
stream careful "echo \$JOBD_GROUP \$JOBD_SEQUENCE >>$RECORD; sleep 0.03" Recover=pending
stream boot "echo \$JOBD_GROUP \$JOBD_SEQUENCE >>$RECORD; sleep 0.1"
stream lost "echo \$JOBD_GROUP \$JOBD_SEQUENCE >>$RECORD; until [ -e $DIR/go ]; do sleep 0.02; done" Recover=pending
stream once false Retry=1 RetryDelaySec=1h
# shellcheck disable=SC2016
stream broken "echo \$JOBD_GROUP \$JOBD_SEQUENCE >>$RECORD; until [ -e $DIR/go ]; do sleep 0.02; done"
stream pending "[ -e $DIR/go ] || exit 9; echo \$JOBD_GROUP \$JOBD_SEQUENCE >>$RECORD" PendingExitStatus=9
boot
start_daemon

begin core 40 4
for i in 1 2 3; do
        wait_for_elements $((i * 8))
        kill_core KILL
done
wait_for_elements 32
check "jobd is executed again" ctl daemon-reexec
end core 40
check_equal "core dies three times, and each element is executed once, in its order" "$(repeats 40)" 0
check_equal "a key that was pushed before that has its number" \
        "$(client push core.stream g0 k0 0)" "$(awk '$1 == "k0" { print $2 }' "$DIR/numbers")"

begin store 24 4
for i in 1 2; do
        wait_for_elements $((i * 8))
        kill_store
done
end store 24
check_equal "the store dies twice, and each is" "$(repeats 24)" 0

begin both 24 4
for i in 1 2; do
        wait_for_elements $((i * 9))
        OLD=$CORE
        kill -KILL "$(store)" "$CORE"
        next_core "$OLD"
done
end both 24
check_equal "both die twice, and none is lost, nor before its turn" "$(repeats 24 | tr '0-9' n | tr -s n)" n

begin careful 24 4
for i in 1 2; do
        wait_for_elements $((i * 9))
        OLD=$CORE
        kill -KILL "$(store)" "$CORE"
        next_core "$OLD"
        # What nobody can be sure of is for a person.
        for group in g0 g1 g2 g3; do
                client resolve careful.stream "$group" 0 skip >/dev/null
        done
done
end careful 24
[ "$(sort "$RECORD" | uniq -d | wc -l)" = 0 ]
report $? "Recover=pending: none is executed twice" "$(sort "$RECORD" | uniq -d)"

client push pending.stream a '' 1 >/dev/null
client push pending.stream a '' 2 >/dev/null
wait_for '^a PENDING 2 ' client groups pending.stream
kill_core KILL
wait_for '^a PENDING 2 ' client groups pending.stream
report $? "an element that waits for a person does so after the death of core"
touch "$DIR/go"
wait_for . client groups pending.stream
check "and is resolved" client resolve pending.stream a 0 skip
wait_for '^a IDLE 0 2 0$' client groups pending.stream
report $? "then its group goes on"
rm "$DIR/go"

client push once.stream a '' '' >/dev/null
wait_for '^1 a READY retry 1 ' client elements once.stream
kill_core KILL
wait_for '^1 a READY retry 1 ' client elements once.stream
report $? "a failure that was recorded counts once, though core dies"

begin boot 24 4
wait_for_elements 8
wait "$FLOOD"
cut_power
start_daemon
end boot 24
check_equal "power is lost, and no element is, nor executed before its turn" "$(repeats 24 | tr '0-9' n | tr -s n)" n
[ "$(repeats 24)" -le 4 ]
report $? "what was out alone is repeated" "$(repeats 24)"

begin lost 4 2
wait_for_elements 2
wait "$FLOOD"
cut_power
start_daemon
wait_for '^g1 PENDING 2' client groups lost.stream
report $? "Recover=pending: what was lost is for a person"
touch "$DIR/go"
check "who has it executed again" client resolve lost.stream g0 0 retry
check "or not" client resolve lost.stream g1 0 success
wait_for '^0$' left lost
report $? "and both groups go on"
check_equal "in their order" "$(awk '{ print $2 }' "$RECORD" | sort -n | uniq -c | awk '{ printf "%s:%s ", $2, $1 }')" "1:2 2:1 3:1 4:1 "

stop_daemon
mkdir "$DIR/programs"
cp "$BUILD/jobd" "$BUILD/jobd-runstore" "$BUILD/jobd-log" "$DIR/programs"
cp "$BUILD/tests/integration/jobd-core-forgetful" "$DIR/programs/jobd-core"
export REFUSE_BATCH=$DIR/refuse BREAK_BATCH=$DIR/break
BUILD=$DIR/programs start_daemon
begin refused 24 4
for i in 1 2; do
        wait_for_elements $((i * 8))
        touch "$REFUSE_BATCH"
        wait_for '^0$' sh -c "ls '$REFUSE_BATCH' 2>/dev/null | wc -l"
done
end refused 24
check_equal "batches are lost, and each element is executed once, in its order" "$(repeats 24)" 0

# The store refuses a batch with a push when core has sent the next one, which says that the element is at work.
rm -f "$DIR/go"
: >"$RECORD"
client groups broken.stream >/dev/null
client push broken.stream g0 first '' >/dev/null
wait_for_elements 1
RUN=$(ctl flow list --no-legend broken.stream | awk '{ print $1 }')
kill -STOP "$(store)"
touch "$BREAK_BATCH"
client open broken.stream 1 1 >"$DIR/answer" &
PUSH=$!
wait_for '^0$' sh -c "ls '$BREAK_BATCH' 2>/dev/null | wc -l"
touch "$DIR/go"
wait_for ' 1 element waits' ctl flow why "$RUN"
kill -CONT "$(store)"
wait "$PUSH"
check_prints "a push that the store has refused fails" 'may not have recorded the push' cat "$DIR/answer"
wait_for '^g0 IDLE 0 1 0$' client groups broken.stream
client push broken.stream g0 again '' >/dev/null
wait_for '^g0 IDLE 0 2 0$' client groups broken.stream
report $? "and its group goes on" "$(client groups broken.stream; client elements broken.stream)"
check_equal "without rows of what is lost" "$(client elements broken.stream | wc -l)" 2

# A run is cancelled while its elements have to be read again.
rm "$DIR/go"
client push broken.stream c '' '' >/dev/null
wait_for '^c ' cat "$RECORD"
kill -STOP "$(store)"
touch "$REFUSE_BATCH"
client open broken.stream 1 1 >"$DIR/answer" &
PUSH=$!
wait_for '^0$' sh -c "ls '$REFUSE_BATCH' 2>/dev/null | wc -l"
wait "$PUSH"
ctl flow cancel "$RUN" >/dev/null &
CANCEL=$!
wait_for '^inactive$' ctl is-active broken.stream
kill -CONT "$(store)"
wait "$CANCEL"
report $? "it is cancelled while it cannot be read"
# shellcheck disable=SC2317
broken_element() {
        python3 - "$DIR" "$RUN" <<'P'
import glob, sqlite3, sys
db = sqlite3.connect(glob.glob(sys.argv[1] + '/**/runs.db', recursive=True)[0])
print(*db.execute('SELECT state, exit, signal FROM element WHERE run = ? AND "group" = ?', (sys.argv[2], 'c')))
P
}
wait_for READY broken_element
report $? "and the end of what was executed is recorded" "$(broken_element)"

done_testing
