#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A run that was a node of another one is undone with it: in the reverse order of success, each success once, whoever dies, and
# over however many runs within runs. What cannot be undone, or is gone, waits for a person.
# S004-15, S004-20
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

wait_for_state() {
        wait_for "^$2\$" run_state "$1"
}

last_run() {
        ctl flow list --no-legend --all "$1" | awk 'NR == 1 { print $1 }'
}

# node RUN/NODE KEY: from its row
node() {
        ctl flow show --json "${1%/*}" | python3 -c '
import json, sys

run = json.load(sys.stdin)
node = next((node for node in run["nodes"] if node["node"] == sys.argv[1]), {})
print(node.get(sys.argv[2], ""))' "${1#*/}" "$2"
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

ran() {
        tr '\n' ' ' <"$RECORD"
}

# release STATUS: lets the command that waits end so
release() {
        timeout "$PATIENCE" sh -c 'echo "$2" >"$1"' sh "$DIR/undo" "$1"
}

mkfifo "$DIR/undo"
# step NAME [SETTING…]: a node that says its name, and how it is undone
step() {
        printf '[Node %s]\nExec=/bin/sh -c "echo %s$$1 >>%s" sh %%{param.word}\n' "$1" "$1" "$RECORD"
        printf 'Compensate=/bin/sh -c "echo undo-%s$$1 >>%s" sh %%{param.word}\n' "$1" "$RECORD"
        shift
        [ "$#" -eq 0 ] || printf '%s\n' "$@"
}
# head_of [SETTING…]: of a flow that is undone if it fails
head_of() {
        printf '%s\n' '[Flow]' 'MaxRuns=9' 'Params=word=' "$@"
}
bad() {
        printf '[Node bad]\nDependsOn=%s\nExec=/bin/false\n' "$1"
}
unit inner.flow <<U
$(head_of)
$(step p)
$(step q DependsOn=p)
U
unit middle.flow <<U
$(head_of)
$(step m)
[Node sub]
DependsOn=m
Flow=inner.flow
$(step n DependsOn=sub)
U
unit outer.flow <<U
$(head_of CompensateOn=failure)
$(step first)
[Node sub]
DependsOn=first
Flow=middle.flow
$(step "then" DependsOn=sub)
$(bad "then")
U
unit plain.flow <<U
[Node x]
Exec=/bin/true
U
unit nothing.flow <<U
$(head_of CompensateOn=failure)
[Node sub]
Flow=plain.flow
$(bad sub)
U
unit own.flow <<U
$(head_of CompensateOn=failure)
[Node sub]
Flow=inner.flow
Compensate=/bin/sh -c 'echo own >>$RECORD'
$(bad sub)
U
unit one.flow <<U
[Flow]
MaxRuns=9
Params=word=
[Node x]
Exec=/bin/sh -c 'echo do-\$\$1 >>$RECORD; [ \$\$1 != c ]' sh %{param.word}
Compensate=/bin/sh -c 'echo undo-\$\$1 >>$RECORD' sh %{param.word}
U
unit each.flow <<U
[Flow]
CompensateOn=failure
[Node list]
Foreach=["a","b","c"]
ForeachParallel=1
Flow=one.flow
SubParams=word=%{item}
FailurePolicy=continue
[Node bad]
DependsOn=list
Readiness=all-finished
Exec=/bin/false
U
unit slow.flow <<U
[Flow]
MaxRuns=9
[Node a]
Exec=/bin/true
Compensate=/bin/sh -c 'echo undo-a >>$RECORD'
[Node b]
DependsOn=a
Lock=disk
Exec=/bin/true
Compensate=/bin/sh -c 'echo undo-b >>$RECORD; read -r x <$DIR/undo; exit \$\$x'
U
unit slower.flow <<U
[Flow]
CompensateOn=failure
[Node before]
Exec=/bin/true
Compensate=/bin/sh -c 'echo undo-before >>$RECORD'
[Node sub]
DependsOn=before
Lock=disk
Flow=slow.flow
$(bad sub)
U
unit short.flow <<U
[Flow]
KeepRuns=0
[Node x]
Exec=/bin/true
Compensate=/bin/sh -c 'echo undo-x >>$RECORD'
U
unit keeps.flow <<U
[Node sub]
Flow=short.flow
U
mkfifo "$DIR/go"
unit knot.flow <<U
[Node x]
Lock=disk
Exec=/bin/true
Compensate=/bin/sh -c 'echo undo-x >>$RECORD'
[Node y]
DependsOn=x
Exec=/bin/true
Compensate=/bin/sh -c 'echo undo-y >>$RECORD; read -r x <$DIR/undo; exit \$\$x'
U
unit knots.flow <<U
[Flow]
CompensateOn=failure
[Node sub]
Lock=disk
Flow=knot.flow
[Node bad]
DependsOn=sub
Exec=/bin/sh -c 'read -r x <$DIR/go; exit 1'
U
unit leaf.flow <<U
[Node x]
Exec=/bin/sh -c '[ ! -e $DIR/broken ]'
FailurePolicy=suspend
Compensate=/bin/sh -c 'echo undo-leaf >>$RECORD'
U
unit branch.flow <<U
[Node deep]
Flow=leaf.flow
U
unit tree.flow <<U
[Node sub]
Flow=branch.flow
U
start_daemon

# — in which order —
check_exit "a run that fails is undone" 1 ctl flow start --wait outer
RUN=$(last_run outer)
MIDDLE=$(parts "$RUN")
INNER=$(parts "$MIDDLE")
check_equal "with its parts, and theirs, the last success first" "$(ran)" \
        "first m p q n then undo-then undo-n undo-q undo-p undo-m undo-first "
check_equal "the results of all stay" "$(run_state "$RUN") $(run_state "$MIDDLE") $(run_state "$INNER")" "FAILED SUCCEEDED SUCCEEDED"
check_prints "the compensation of the node is shown" '^sub@compensate +SUCCEEDED' ctl flow show "$RUN"
check_exit "nothing is left to undo" 4 ctl flow compensate "$RUN"
check_exit "in the part, neither" 4 ctl flow compensate "$MIDDLE"
: >"$RECORD"
check_exit "a retry" 0 ctl flow retry "$RUN"
wait_for 'undo-first' ran
wait_for_state "$RUN" FAILED
check_equal "has new parts, and undoes them" "$(ran)" "first m p q n then undo-then undo-n undo-q undo-p undo-m undo-first "
: >"$RECORD"
check_exit "a part that has nothing to undo" 1 ctl flow start --wait nothing
check_equal "is undone at once" "$(node "$(last_run nothing)/sub@compensate" state)" SUCCEEDED
check_exit "Compensate= of the node" 1 ctl flow start --wait own
check_equal "undoes it in place of that" "$(ran)" "p q own "
check_prints "a plan says what undoes a part" "a run of middle.flow \(undone by its run's own Compensate=\)" ctl flow plan --full outer

# — each item —
: >"$RECORD"
check_exit "a list of which an item fails" 1 ctl flow start --wait each
check_equal "is undone as far as it has come, the last item first" "$(ran)" "do-a do-b do-c undo-b undo-a "
check_equal "in one step" "$(node "$(last_run each)/list@compensate" state)" SUCCEEDED

# — a person —
: >"$RECORD"
ctl flow start --wait --quiet middle
RUN=$(last_run middle)
check "a run that has succeeded is undone by a person" ctl flow compensate "$RUN"
wait_for 'undo-m' ran
wait_for_state "$RUN" SUCCEEDED
check_equal "with its part" "$(ran)" "m p q n undo-n undo-q undo-p undo-m "
: >"$RECORD"
ctl flow start --wait --quiet middle
RUN=$(last_run middle)
ctl flow compensate --quiet "$(parts "$RUN")"
wait_for 'undo-p' ran
wait_for_state "$(parts "$RUN")" SUCCEEDED
ctl flow compensate --quiet "$RUN"
wait_for 'undo-m' ran
wait_for_state "$RUN" SUCCEEDED
check_equal "a part that was undone before is not undone twice" "$(ran)" "m p q n undo-q undo-p undo-n undo-m "

: >"$RECORD"
ctl flow start --wait --quiet middle
RUN=$(last_run middle)
check "a part is deleted" ctl flow delete "$(parts "$RUN")"
check "and its run compensated" ctl flow compensate "$RUN"
wait_for 'undo-m' ran
wait_for_state "$RUN" SUCCEEDED
check_equal "which undoes what the part has done all the same" "$(ran)" "m p q n undo-n undo-q undo-p undo-m "
: >"$RECORD"
ctl flow start --quiet knots
RUN=$(last_run knots)
wait_for RUNNING node "$RUN/bad" state
check "a part is undone by a person while its run goes on" ctl flow compensate "$(parts "$RUN")"
wait_for 'undo-y' ran
timeout "$PATIENCE" sh -c 'echo >"$1"' sh "$DIR/go"
wait_for RUNNING node "$RUN/sub@compensate" state
report $? "and then by the run, which takes the lock that both want"
release 0
wait_for 'undo-x' ran
wait_for_state "$RUN" FAILED
check_equal "as the part does from there" "$(ran)" "undo-y undo-x "

# — a part of a part goes on —
: >"$RECORD"
ctl flow start --wait --quiet tree
RUN=$(last_run tree)
BRANCH=$(parts "$RUN")
LEAF=$(parts "$BRANCH")
touch "$DIR/broken"
ctl flow rerun --quiet "$LEAF/x"
wait_for_state "$LEAF" SUSPENDED
report $? "a part is executed again, and waits for a person"
check "what is above it is undone" ctl flow compensate "$RUN"
wait_for_state "$RUN" SUSPENDED
report $? "and waits for the same person"
check_prints "whom it tells what for" \
        "at last that was refused: Run $BRANCH of branch.flow has run $LEAF of leaf.flow as a part, which still goes on" \
        ctl flow why "$RUN"
check_prints "as the refusal of a decision does" "run $LEAF of leaf.flow" ctl flow resolve "$RUN/sub@compensate" --as=success
rm "$DIR/broken"
check "who decides about the part" ctl flow resolve "$LEAF/x" --as=retry
wait_for 'undo-leaf' ran
wait_for_state "$RUN" SUCCEEDED
report $? "and all is undone"

# — core dies in the middle; the lock of the node is that of its run —
: >"$RECORD"
ctl flow start --quiet slower
RUN=$(last_run slower)
wait_for 'undo-b' ran
PART=$(parts "$RUN")
check_prints "why says what is undone" \
        "Node sub@compensate is RUNNING \(sub-run\): it waits for what run $PART of slow.flow has done to be undone, which is STOPPING" \
        ctl flow why "$RUN"
kill_core KILL
wait_for 'RUNNING' node "$RUN/sub@compensate" state
report $? "core dies, and it goes on"
kill_core KILL
release 0
wait_for 'undo-before' ran
wait_for_state "$RUN" FAILED
report $? "core dies again, and the run ends"
check_equal "each was undone once" "$(ran)" "undo-b undo-a undo-before "

# — what fails waits for a person —
: >"$RECORD"
ctl flow start --quiet slower
RUN=$(last_run slower)
wait_for 'undo-b' ran
PART=$(parts "$RUN")
release 1
wait_for_state "$RUN" SUSPENDED
report $? "a part that cannot be undone suspends the run, too"
check_equal "with its node" "$(node "$RUN/sub@compensate" state) $(node "$RUN/sub@compensate" reason)" "PENDING sub-run"
check_exit "whose decision is one about the part" 4 ctl flow resolve "$RUN/sub@compensate" --as=retry
check_prints "which is said" "run $PART of slow.flow, which it undoes, waits" printf '%s' "$OUT"
check_prints "and why names the part" \
        "it will be FAILED when run $PART of slow.flow, which node sub@compensate undoes, has gone on: see 'jobctl flow why $PART'" \
        ctl flow why "$RUN"
kill_core KILL
check_equal "so it stays when core has died" "$(run_state "$RUN") $(run_state "$PART")" "SUSPENDED SUSPENDED"
check "a person has it tried again" ctl flow resolve "$PART/b@compensate" --as=retry
release 0
wait_for_state "$RUN" FAILED
report $? "and the run ends"
check_equal "with the rest undone" "$(ran)" "undo-b undo-b undo-a undo-before "
: >"$RECORD"
ctl flow start --quiet slower
RUN=$(last_run slower)
wait_for 'undo-b' ran
PART=$(parts "$RUN")
release 1
wait_for_state "$RUN" SUSPENDED
ctl flow resolve --quiet "$PART/b@compensate" --as=failed
wait_for 'failed' node "$RUN/sub@compensate" reason
report $? "a part of which something stays waits for a person, too"
check_prints "which is said" "Not all that run $PART has done is undone" node "$RUN/sub@compensate" problem
check_equal "and the rest of the part is undone" "$(ran)" "undo-b undo-a "
check "the step is tried again" ctl flow resolve "$RUN/sub@compensate" --as=retry
release 0
wait_for_state "$RUN" FAILED
report $? "and undoes what has stayed"
check_equal "and only that" "$(ran)" "undo-b undo-a undo-b undo-before "
: >"$RECORD"
ctl flow start --quiet slower
RUN=$(last_run slower)
wait_for 'undo-b' ran
PART=$(parts "$RUN")
release 1
wait_for_state "$RUN" SUSPENDED
check "a cancel of the run" ctl flow cancel "$RUN"
wait_for_state "$RUN" FAILED
report $? "gives up what is left"
check_equal "in the part, too" "$(run_state "$PART") $(ran)" "SUCCEEDED undo-b "

# — what is gone —
ctl flow start --wait --quiet keeps
RUN=$(last_run keeps)
PART=$(parts "$RUN")
ctl flow start --wait --quiet short
wait_for '^0$' parts_n "$RUN"
: >"$RECORD"
check "a run whose part the store has no more" ctl flow compensate "$RUN"
wait_for_state "$RUN" SUSPENDED
report $? "waits for a person"
check_equal "as one that is lost" "$(node "$RUN/sub@compensate" state) $(node "$RUN/sub@compensate" reason)" "PENDING lost"
check_prints "whom it tells why" "The run that node sub was is not in the store of runs any more" node "$RUN/sub@compensate" problem
check "who decides" ctl flow resolve "$RUN/sub@compensate" --as=success
wait_for_state "$RUN" SUCCEEDED
check_equal "nothing was undone" "$(ran)" ""
done_testing
