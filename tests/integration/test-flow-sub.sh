#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Nodes that are runs of other flows: the end of the run is that of the node, what a person does to the parent passes to it, and
# no death of core loses it or makes a second one.
# S000-42, S004-5, S004-12, S004-16, S004-18, S004-18a, S004-20
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

count() {
        grep -c "^$1\$" "$RECORD"
}

# release WORD: lets a command go on that reads from that fifo
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
        ctl flow list --no-legend --all "$@" | awk 'NR == 1 { print $1 }'
}

# node RUN/NODE KEY: from its row
node() {
        ctl flow show --json "${1%/*}" | python3 -c '
import json, sys

run = json.load(sys.stdin)
node = next((node for node in run["nodes"] if node["node"] == sys.argv[1]), {})
print(node.get(sys.argv[2], ""))' "${1#*/}" "$2"
}

# run_of RUN KEY: of the run itself
run_of() {
        ctl flow show --json "$1" | python3 -c '
import json, sys

print(json.load(sys.stdin).get(sys.argv[1], ""))' "$2"
}

# parts RUN: the runs that are parts of it, the first one first
parts() {
        ctl flow list --json --all | python3 -c '
import json, sys

runs = [json.loads(line) for line in sys.stdin]
print(*sorted(run["id"] for run in runs if run.get("parent") == int(sys.argv[1])))' "$1"
}

# parts_n RUN: how many
parts_n() {
        parts "$1" | wc -w
}

# part RUN: waits for its only part
part() {
        wait_for '^[0-9]+$' parts "$1"
        parts "$1"
}

# verbs RUN: that it has taken, and why
verbs() {
        "$BUILD/jobctl" flow show --json "$1" >/dev/null && python3 - "$XDG_STATE_HOME/jobd/runs.db" "$1" <<'P'
import sqlite3, sys
for row in sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True).execute(
        "SELECT new, reason FROM event WHERE run = ? AND kind = 'verb' ORDER BY id", (int(sys.argv[2]),)):
    print(*row, sep=', ')
P
}

mkfifo "$DIR/slow" "$DIR/turn"
unit say.flow <<U
[Flow]
Params=word:required n:=1
MaxRuns=10
[Node tell]
Exec=/bin/sh -c 'echo "\$0" >>$RECORD; echo "{\\\\"said\\\\":\\\\"\$0\\\\",\\\\"n\\\\":%{param.n}}" >"\$JOBD_RESULT"' %{param.word}
Save=yes
U
unit fail.flow <<U
[Node x]
Exec=/bin/sh -c 'echo fail >>$RECORD; exit 3'
U
unit some.flow <<U
[Node x]
Exec=/bin/false
FailurePolicy=continue
U
unit slow.flow <<U
[Flow]
MaxRuns=2
[Node x]
Exec=/bin/sh -c 'echo slow >>$RECORD; read word <$DIR/slow'
[Node y]
DependsOn=x
Exec=/bin/sh -c 'echo after >>$RECORD'
U
unit asks.flow <<U
[Flow]
MaxRuns=5
[Node x]
Exec=/bin/sh -c 'echo asks >>$RECORD; exit 1'
FailurePolicy=suspend
U
unit gate.flow <<U
[Node x]
Gate=manual
U
unit late.flow <<U
[Flow]
RunTimeoutSec=3
TimeoutMode=abandon
[Node x]
Flow=slow.flow
U
unit has.flow <<U
[Flow]
Needs=gpu:1
[Node x]
Flow=needs.flow
U
unit needs.flow <<U
[Flow]
Needs=gpu:1
[Node x]
Exec=/bin/true
U
unit turn.flow <<U
[Node x]
Exec=/bin/sh -c 'read word <$DIR/turn'
U
# whole NAME FLOW [SETTING…]: a flow whose only node is a run of another
whole() {
        local name=$1 flow=$2
        shift 2
        printf '[Flow]\nMaxRuns=5\n[Node x]\nFlow=%s\n' "$flow" >"$UNITS/$name.flow"
        [ "$#" -eq 0 ] || printf '%s\n' "$@" >>"$UNITS/$name.flow"
}

unit says.flow <<U
[Flow]
Params=word=hello
[Node first]
Exec=/bin/sh -c 'echo "{\\\\"n\\\\":[1,2]}" >"\$JOBD_RESULT"'
[Node x]
DependsOn=first
Flow=say.flow
SubParams=word=%{param.word} "n:=%{first.result.n}"
[Node after]
DependsOn=x
Exec=/bin/sh -c 'echo after-\$0-\$1 >>$RECORD' %{x.result.tell.said} %{x.result.tell.n.1}
U
whole fails fail.flow Retry=2 RetryDelaySec=0
whole somes some.flow
whole slows slow.flow
whole limited slow.flow TimeoutSec=200ms
whole missing no-such.flow
whole lacks say.flow
whole each say.flow 'Foreach=param.list' 'SubParams=word=%{item}'
sed -i "s/^\[Flow\]\$/&\nParams='list:=[\"a\",\"b\",\"c\"]'/" "$UNITS/each.flow"
whole outer slows.flow
whole waits asks.flow
whole above waits.flow
whole approved gate.flow
unit beside.flow <<U
[Node x]
Flow=gate.flow
[Node y]
Exec=/bin/sh -c 'echo beside >>$RECORD; read word <$DIR/slow'
Recover=fail
U
whole turns turn.flow
whole masked hidden.flow
ln -s /dev/null "$UNITS/hidden.flow"
printf '[Engine]\nResources=gpu:1\n' >"$DIR/conf"
start_daemon --config "$DIR/conf"

# — the end of a run is that of its node —
check "a node is a run of another flow" ctl flow start --wait says word=hey
RUN=$(last_run says)
PART=$(parts "$RUN")
check_equal "with the parameters that SubParams= gives" "$(count hey)-$(run_of "$PART" params)" '1-{"word":"hey","n":[1,2]}'
check_equal "its result, that Save= keeps, is the node's" "$(count after-hey-2)" 1
check_equal "the run knows its parent" "$(run_of "$PART" parent)/$(run_of "$PART" parent_node)" "$RUN/x"
check_prints "which is shown" "Part of: run $RUN, node x" ctl flow show "$PART"
check_prints "the list of runs has it" "SUCCEEDED .* part of $RUN/x\$" ctl flow list --no-legend --all say
check_prints "in JSON, too" "\"parent\":$RUN" ctl flow list --json --all say
check_exit "a run that fails fails its node" 1 ctl flow start --wait fails
RUN=$(last_run fails)
check_equal "each try is a run of its own" "$(parts "$RUN" | wc -w)-$(count fail)" 3-3
check_prints "the node names the last one" "Run $(parts "$RUN" | awk '{ print $3 }'), which it was, has ended: FAILED" node "$RUN/x" problem
check_exit "a run that is PARTIAL" 0 ctl flow start --wait somes
check_equal "is a success" "$(node "$(last_run somes)/x" state)-$(run_of "$(parts "$(last_run somes)")" state)" SUCCEEDED-PARTIAL
check_exit "a flow that is not there fails the node" 1 ctl flow start --wait missing
check_prints "which says so" 'no-such.flow' node "$(last_run missing)/x" problem
check_equal "and is not tried again" "$(node "$(last_run missing)/x" reason)" refused
check_exit "so does one that is masked" 1 ctl flow start --wait masked
check_prints "which says so, too" 'hidden.flow.*masked' node "$(last_run masked)/x" problem
check_exit "and one that lacks a parameter" 1 ctl flow start --wait lacks
check_prints "with its name" 'word' node "$(last_run lacks)/x" problem
check "each item has a run" ctl flow start --wait each
check_equal "with the item" "$(count a)$(count b)$(count c)" 111
check_equal "as instances of the node" "$(run_of "$(parts "$(last_run each)" | awk '{ print $2 }')" parent_node)" 'x[1]'

check_prints "a plan names the flow" 'a run of say.flow' ctl flow plan says

# — while it runs —
ctl flow start outer
RUN=$(last_run outer)
MIDDLE=$(part "$RUN")
INNER=$(part "$MIDDLE")
wait_for '^1$' count slow
wait_for "Node x is RUNNING \(sub-run\): it waits for run $MIDDLE of slows.flow, which is RUNNING: see 'jobctl flow why $MIDDLE'" ctl flow why "$RUN"
report $? "why of the node names the run"
check_prints "and why of the run its parent" "it is a part of run $MIDDLE, node x" ctl flow why "$INNER"
check_prints "in JSON, too" "\"parent\":$MIDDLE" ctl flow why --json "$INNER"
check "the run is paused" ctl flow pause "$RUN"
wait_for_state "$RUN" PAUSED
report $? "at once, though its parts run"
wait_for_state "$INNER" PAUSING
report $? "the pause passes down to the last one"
kill_core KILL
release slow
wait_for_state "$INNER" PAUSED
report $? "which is paused when its command has ended, after the death of core, too"
check_equal "and goes no further" "$(count after)" 0
check "the run is resumed" ctl flow resume "$RUN"
wait_for_state "$RUN" SUCCEEDED
report $? "and with it its parts"
check_equal "each command ran once" "$(count slow)-$(count after)" 1-1
check_equal "nobody was asked for anything" "$(ctl flow alarms --no-legend)" ""
check_equal "and there is one run of each" "$(parts "$RUN")-$(parts "$MIDDLE")" "$MIDDLE-$INNER"

: >"$RECORD"
ctl flow start outer
RUN=$(last_run outer)
MIDDLE=$(part "$RUN")
INNER=$(part "$MIDDLE")
wait_for '^1$' count slow
check "the run is stopped" ctl flow stop "$RUN"
wait_for_state "$INNER" STOPPING
report $? "so are its parts, of which what runs may end"
release slow
wait_for_state "$RUN" CANCELLED
report $? "it is CANCELLED when they are"
check_equal "and nothing new has begun" "$(count after)" 0

ctl flow start outer
RUN=$(last_run outer)
MIDDLE=$(part "$RUN")
INNER=$(part "$MIDDLE")
wait_for '^2$' count slow
check "the run is cancelled" ctl flow cancel "$RUN"
wait_for_state "$RUN" CANCELLED
report $? "it ends"
check_equal "when its parts have" "$(run_state "$MIDDLE")-$(run_state "$INNER")" CANCELLED-CANCELLED
check_prints "which say why" "cancel, as run $RUN, which it is a part of" verbs "$MIDDLE"

ctl flow start slows
RUN=$(last_run slows)
PART=$(part "$RUN")
wait_for '^3$' count slow
check "a part is cancelled" ctl flow cancel "$PART"
wait_for_state "$RUN" FAILED
report $? "which fails its run"
check_equal "its node is cancelled" "$(node "$RUN/x" state)-$(node "$RUN/x" reason)" CANCELLED-sub-run
check_exit "TimeoutSec= ends a part" 1 ctl flow start --wait limited
check_equal "its node has timed out" "$(node "$(last_run limited)/x" state)-$(run_state "$(parts "$(last_run limited)")")" TIMEOUT-CANCELLED

# — a part that waits for a person —
: >"$RECORD"
ctl flow start above
RUN=$(last_run above)
wait_for_state "$RUN" SUSPENDED
report $? "a run is suspended with the part of its part that waits for a person"
MIDDLE=$(parts "$RUN")
INNER=$(parts "$MIDDLE")
check_equal "so is the part between" "$(run_state "$MIDDLE")" SUSPENDED
check_equal "their nodes are PENDING" "$(node "$RUN/x" state)-$(node "$RUN/x" reason)" PENDING-sub-run
check_prints "why of the node names the part" "Node x is PENDING \\(sub-run\\): it waits for run $MIDDLE of waits.flow, which is SUSPENDED" ctl flow why "$RUN"
check_prints "so does an alarm" "pending +$RUN +x .*Node x of run $RUN of above.flow is PENDING \\(sub-run\\): run $MIDDLE of waits.flow, which it is, waits for a person" ctl flow alarms --full
check_prints "what is to be decided is decided of the part" "because run $MIDDLE of waits.flow, which it is, waits for a person: 'resolve as success' does not apply" ctl flow resolve "$RUN/x" --as=success
kill_core KILL
check_equal "a death of core changes nothing" "$(run_state "$RUN")-$(node "$RUN/x" state)-$(node "$RUN/x" reason)" SUSPENDED-PENDING-sub-run
check "a person resolves it" ctl flow resolve "$INNER/x" --as=success
wait_for_state "$RUN" SUCCEEDED
report $? "all that waited goes on"
check_equal "and nothing was done twice" "$(count asks)-$(node "$RUN/x" attempts)" 1-1

ctl flow start above
RUN=$(last_run above)
wait_for_state "$RUN" SUSPENDED
check "a run is cancelled whose part waits for a person" ctl flow cancel "$RUN"
wait_for_state "$RUN" CANCELLED
report $? "it ends"
check_equal "with all of its parts" "$(run_state "$(parts "$RUN")")-$(run_state "$(parts "$(parts "$RUN")")")" CANCELLED-CANCELLED

ctl flow start slows
RUN=$(last_run slows)
PART=$(part "$RUN")
wait_for '^1$' count slow
check "a part is paused by itself" ctl flow pause "$PART"
release slow
wait_for_state "$RUN" SUSPENDED
report $? "its run waits with it"
check_equal "which is no reason for an alarm" "$(ctl flow alarms --no-legend slows)" ""
check "the part is resumed" ctl flow resume "$PART"
wait_for_state "$RUN" SUCCEEDED
report $? "and its run goes on"
ctl flow start approved
RUN=$(last_run approved)
wait_for_state "$RUN" SUSPENDED
report $? "a run waits with a part that waits for an approval"
check_equal "which is none, either" "$(ctl flow alarms --no-legend approved)" ""
ctl flow approve "$(parts "$RUN")/x"
wait_for_state "$RUN" SUCCEEDED
report $? "until it has it"
ctl flow start beside
RUN=$(last_run beside)
wait_for '^1$' count beside
wait_for '^PENDING$' node "$RUN/x" state
kill_core KILL
release slow
wait_for_state "$RUN" SUSPENDED
report $? "a run waits with an approval alone after a death of core"
check_equal "which is no reason for an alarm, either" "$(ctl flow alarms --no-legend beside)" ""
ctl flow approve "$(parts "$RUN")/x"
wait_for_state "$RUN" SUCCEEDED
: >"$RECORD"

# — a deadline that leaves parts alone —
ctl flow start late
RUN=$(last_run late)
PART=$(part "$RUN")
wait_for_state "$RUN" TIMEOUT
report $? "TimeoutMode=abandon: the run is over"
check_equal "and its part goes on" "$(run_state "$PART")" RUNNING
check_prints "beside which no other is made" "has run $PART of slow.flow as a part, which still goes on" ctl flow retry "$RUN"
kill_core KILL
check_prints "after a death of core, too" "has run $PART of slow.flow as a part" ctl flow rerun "$RUN/x"
release slow
wait_for_state "$PART" SUCCEEDED
check "when it has ended the run is tried again" ctl flow retry "$RUN"
wait_for '^2$' parts_n "$RUN"
report $? "with another part"
PART=$(parts "$RUN" | awk '{ print $2 }')
ctl flow cancel "$PART"
wait_for_state "$PART" CANCELLED
: >"$RECORD"

# — resources of what is above —
ctl flow start has
RUN=$(last_run has)
PART=$(part "$RUN")
wait_for "wait.* for 1 of the resource 'gpu'.*held by $RUN, which run $PART is a part of, and which has it until its end" ctl flow why "$PART"
report $? "why names a wait for what is above the run"
ctl flow cancel "$RUN"
wait_for_state "$RUN" CANCELLED

# — MaxRuns= of the flow of the part —
ctl flow start turns
FIRST=$(last_run turns)
wait_for "which is RUNNING" ctl flow why "$FIRST"
ctl flow start turns
RUN=$(last_run turns)
PART=$(part "$RUN")
wait_for "it waits for run $PART of turn.flow, which is QUEUED" ctl flow why "$RUN"
report $? "a part may wait in the queue of its flow"
check_prints "and says for what" 'as many runs of the flow run as MaxRuns= allows' ctl flow why "$PART"
release turn
wait_for_state "$FIRST" SUCCEEDED
release turn
wait_for_state "$RUN" SUCCEEDED
report $? "it has its turn"

# — the unit —
: >"$RECORD"
ctl flow start slows
RUN=$(last_run slows)
PART=$(part "$RUN")
wait_for '^1$' count slow
check "the unit of the parent is stopped" ctl stop slows.flow
check_equal "the run is held" "$(run_state "$RUN")" PAUSED
check_equal "its part, of another unit, goes on" "$(run_state "$PART")" RUNNING
release slow
wait_for_state "$PART" SUCCEEDED
check "the unit is started again" ctl start slows.flow
wait_for_state "$RUN" SUCCEEDED
report $? "the end of the part was not missed"

# — no death loses a part, or makes two —
: >"$RECORD"
for n in 1 2 3 4 5 6; do
        ctl flow start says word="kill$n"
        # Before there is a part, and when there is.
        case $n in
        1 | 2) ;;
        *) wait_for '^[0-9]+$' parts "$(last_run says)" ;;
        esac
        kill_core KILL
done
for n in 1 2 3 4 5 6; do
        wait_for "^1\$" count "after-kill$n-2"
        report $? "run $n ends after the death of core"
        check_equal "its part ran once" "$(count "kill$n")" 1
done
for run in $(ctl flow list --no-legend --all says | awk '{ print $1 }' | head -n 6); do
        check_equal "and is one" "$(parts "$run" | wc -w)" 1
done

# — what has no sense is refused —
whole self self.flow
whole both say.flow Exec=/bin/true
whole bad-name say.service
whole bad-params say.flow 'SubParams=word'
printf '[Node x]\nExec=/bin/true\nSubParams=a=b\n' >"$UNITS/no-flow.flow"
whole ring ring2.flow
whole ring2 ring3.flow
whole ring3 ring.flow
ctl daemon-reload
check_prints "a run is no part of itself" 'self.flow:4: error: Flow=: Node x: a run would be a part of itself' ctl verify "$UNITS/self.flow"
check_prints "nor over others" 'ring.flow:4: error: Flow=: Node x: a run of ring.flow would be a part of itself: ring2.flow, ring3.flow, ring.flow' ctl verify "$UNITS/ring.flow"
check_exit "which ends such a run" 1 ctl flow start --wait ring
check_prints "that names the flows" 'A run of ring.flow would be a part of itself: ring.flow, ring2.flow, ring3.flow, ring.flow' node "$(last_run ring3)/x" problem
check_prints "a flow that is not there is told" 'missing.flow:4: warning: Flow=: Node x: no-such.flow is not there, so that the node fails' ctl verify "$UNITS/missing.flow"
check_prints "a node does one thing" 'both.flow:4: error: Flow=: Node x: it has Exec=, too' ctl verify "$UNITS/both.flow"
check_prints "a flow has a name" "bad-name.flow:4: error: Flow=: 'say.service' is not the name of a flow" ctl verify "$UNITS/bad-name.flow"
check_prints "parameters have a form" "bad-params.flow:5: error: SubParams=: 'word' is neither NAME=TEXT nor NAME:=JSON" ctl verify "$UNITS/bad-params.flow"
check_prints "and belong to a flow" 'no-flow.flow:3: error: SubParams=: Node x: it has no Flow=' ctl verify "$UNITS/no-flow.flow"
check_prints "a key of a part is given to nobody else" "begins with 'sub-run '" ctl flow start says --key='sub-run 1/x/1/1'

# — depth —
printf '[Node x]\nExec=/bin/true\n' >"$UNITS/deep17.flow"
for n in 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1; do
        whole "deep$n" "deep$((n + 1)).flow"
done
ctl daemon-reload
check_exit "runs are parts of each other up to a depth" 1 ctl flow start --wait deep1
check_prints "of 16" 'more than 16 runs' node "$(last_run deep16)/x" problem
check "which one less has" ctl flow start --wait deep2
done_testing
