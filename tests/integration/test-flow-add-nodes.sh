#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Nodes for a run that runs: what waits for the node that adds them waits for them, too, whoever dies.
# S004-10, S004-16b
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

# node RUN/NODE: its state
node() {
        ctl flow show --json "${1%/*}" | python3 -c '
import json, sys

run = json.load(sys.stdin)
print(next((node["state"] for node in run["nodes"] if node["node"] == sys.argv[1]), "none"))' "${1#*/}"
}

ran() {
        sort "$RECORD" | tr '\n' ' '
}

release() {
        timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/$1"
}

# add RUN[/NODE] LINE…
add() {
        local to=$1
        shift
        printf '%s\n' "$@" | ctl flow add-nodes "$to" -
}

mkfifo "$DIR/go" "$DIR/part"
cat >"$DIR/split" <<S
#!/bin/sh
for i in 1 2 3; do
        echo '{"Node":"part-'\$i'","Exec":"/bin/sh -c \"echo part-'\$i' >>$RECORD\""}'
done >$DIR/lines
$BUILD/jobctl flow add-nodes "\$JOBD_RUN/\$JOBD_NODE" $DIR/lines
S
chmod +x "$DIR/split"
unit split.flow <<U
[Flow]
Environment=JOBD_SOCKET=$JOBD_SOCKET
[Node split]
Exec=$DIR/split
[Node join]
DependsOn=split
Exec=/bin/sh -c 'echo join after \$\$(wc -l <$RECORD) >>$RECORD'
U
# One node at a time, so many times
cat >"$DIR/mark" <<S
#!/bin/sh
echo "\$1" >>$RECORD
S
cat >"$DIR/one-by-one" <<S
#!/bin/sh
cd "\$(dirname "\$JOBD_CONTROL")" || exit
i=0
while [ \$((i += 1)) -le "\$1" ]; do
        echo '{"Node":"n'\$i'","Exec":"$DIR/mark n'\$i'"}' >f\$i
        echo add-nodes f\$i >>"\$JOBD_CONTROL"
done
S
chmod +x "$DIR/mark" "$DIR/one-by-one"
# grows NAME TIMES GROW-MAX
grows() {
        unit "$1.flow" <<U
[Flow]
MaxParallel=8
GrowMax=$3
[Node split]
Recover=retry
Exec=$DIR/one-by-one $2
[Node join]
DependsOn=split
Exec=/bin/sh -c 'echo join after \$\$(sort -u $RECORD | wc -l) of \$\$(wc -l <$RECORD) >>$RECORD'
U
}
# Each addition reads the whole definition, for which sanitized programs need a minute at a thousand.
MANY=1000
[ -z "${ASAN_OPTIONS-}" ] || MANY=100
grows thousand $MANY $MANY
grows fewer 10 9
unit gap.flow <<U
[Node scan]
Exec=/bin/sh -c 'read -r x <$DIR/go'
[Node other]
Exec=/bin/false
FailurePolicy=continue
[Node merge]
DependsOn=scan other
Exec=/bin/sh -c 'echo merge >>$RECORD'
[Node after]
DependsOn=scan
Exec=/bin/sh -c 'echo after >>$RECORD'
U
unit wait.flow <<U
[Flow]
GrowMax=4
CompensateOn=failure
FinalExec=/bin/sh -c 'echo final >>$RECORD'
[Node first]
Exec=/bin/sh -c 'echo first >>$RECORD'
Compensate=/bin/sh -c 'echo undo first >>$RECORD'
[Node a]
DependsOn=first
Exec=/bin/sh -c 'read -r x <$DIR/go; echo a >>$RECORD'
[Node join]
DependsOn=a
Exec=/bin/sh -c 'echo join >>$RECORD'
[Node end]
DependsOn=join
Exec=/bin/sh -c 'echo end >>$RECORD'
U
# What waits for the first success begins while the other parent runs.
unit first.flow <<U
[Flow]
[Node quick]
Exec=/bin/true
[Node slow]
Exec=/bin/sh -c 'read -r x <$DIR/go'
[Node first]
AnyOf=quick slow
Exec=/bin/sh -c 'read -r x <$DIR/part'
[Node behind]
DependsOn=quick
Exec=/bin/true
U
start_daemon

# — from a running node —
check "a node adds nodes while it runs" ctl flow start --wait split
check_equal "what waits for the node waits for them" "$(ran)" "join after 3 part-1 part-2 part-3 "
RUN=$(last_run split)
check_equal "they are nodes of the run" "$(node "$RUN/part-2")" SUCCEEDED
check_prints "and count" 'Nodes: 5 of 5 have ended' ctl flow show "$RUN"
check "another run has what the flow has" ctl flow start --wait --quiet split
check_exit "a run that has ended gets none" 4 add "$RUN/join" '{"Node":"late"}'

# — what is refused —
: >"$RECORD"
ctl flow start --quiet wait
RUN=$(last_run wait)
wait_for RUNNING node "$RUN/a"
PART='{"Node":"part","Exec":"/bin/sh -c \"read -r x <'$DIR'/part; echo part >>'$RECORD'\""}'
check_prints "a circle is refused" 'circle' add "$RUN/a" '{"Node":"x","DependsOn":"join"}'
check_prints "a parent that is not there" 'no such node' add "$RUN/a" '{"Node":"x","DependsOn":"nobody"}'
check_prints "a name that is taken" 'Line 1: end: There is a node of that name already' add "$RUN/a" '{"Node":"end"}'
check_prints "what is no name" 'Line 1: Node: This is not a name of a node' add "$RUN/a" '{"Node":"a b"}'
check_prints "what is no JSON" 'Line 1: ' add "$RUN/a" '{"Node"'
check_prints "what would be another section" 'There is no such setting' add "$RUN/a" '{"Node":"x","Exec=a\n[Node y]\nExec":"b"}'
check_prints "two lines in one value" 'a line break' add "$RUN/a" '{"Node":"x","Exec":"/bin/true\n[Node y]"}'
check_prints "a setting that there is not" 'Colour' add "$RUN/a" '{"Node":"x","Colour":"red"}'
check_prints "a node that has ended" 'Node first of run [0-9]+ is SUCCEEDED: what follows it is decided' add "$RUN/first" '{"Node":"x"}'
check_exit "a node that there is not" 5 add "$RUN/nobody" '{"Node":"x"}'
check_exit "a run that there is not" 5 add 4000 '{"Node":"x"}'
check_prints "more than GrowMax=" 'GrowMax= is 4' add "$RUN/a" '{"Node":"p1"}' '{"Node":"p2"}' '{"Node":"p3"}' '{"Node":"p4"}' '{"Node":"p5"}'
check_equal "which changes nothing" "$(node "$RUN/x") $(node "$RUN/p1")" "none none"

# — what is taken —
check "a node is added" add "$RUN/a" "$PART" '{"Node":"after","DependsOn":"part","Exec":"/bin/sh -c \"echo after >>'"$RECORD"'\""}'
kill_core KILL
# What lives may not have been read yet.
both() {
        echo "$(node "$RUN/part") $(node "$RUN/a")"
}
wait_for '^WAITING RUNNING$' both
report $? "it is there when core dies as soon as that was said"
check "the same again" add "$RUN/a" "$PART"
check_equal "changes nothing" "$(ctl flow show --json "$RUN" | python3 -c 'import json, sys; print(json.load(sys.stdin)["total"])')" 6
check_prints "why names what is waited for" 'a \(RUNNING\), after \(WAITING\)' ctl flow why "$RUN/join"
release go
wait_for RUNNING node "$RUN/part"
report $? "it runs when its parent has ended"
check_equal "and what waits, waits" "$(node "$RUN/join")" WAITING
check "a node adds more below itself" add "$RUN/part" '{"Node":"more","Exec":"/bin/sh -c \"echo more >>'"$RECORD"'\""}'
check "with one more that is the last" add "$RUN/part" '{"Node":"last"}'
check_prints "there is no fifth" 'GrowMax= is 4' add "$RUN/part" '{"Node":"fifth"}'
kill_core KILL
wait_for RUNNING node "$RUN/part"
release part
wait_for_state "$RUN" SUCCEEDED
report $? "the run ends"
check_equal "each command ran once, and the order holds" "$(tr '\n' ' ' <"$RECORD" | sed 's/after more/more after/')" "first a part more after join end final "

# — what is decided —
ctl flow start --quiet first
RUN=$(last_run first)
wait_for RUNNING node "$RUN/first"
wait_for SUCCEEDED node "$RUN/behind"
check_exit "below a node of which what waits has begun none is added" 4 add "$RUN/slow" '{"Node":"x"}'
check_prints "as is said" "Node first of run $RUN is RUNNING: it can wait for no node that is added\." echo "$OUT"
release part
wait_for SUCCEEDED node "$RUN/first"
check_prints "nor when that has ended" "Node first of run $RUN is SUCCEEDED: it can wait for no node" add "$RUN/slow" '{"Node":"x"}'
check_prints "nor one that depends on what has ended" "Node quick of run $RUN is SUCCEEDED: what follows it is decided" \
        add "$RUN" '{"Node":"x","DependsOn":"quick"}'
check_prints "also below another node" "Node behind of run $RUN is SUCCEEDED: what follows it is decided" \
        add "$RUN" '{"Node":"x","DependsOn":"slow behind"}'
check_equal "which changes nothing" "$(node "$RUN/x")" none
check "one that nothing waits for is added" add "$RUN" '{"Node":"x","DependsOn":"slow"}'
release go
wait_for SUCCEEDED node "$RUN/x"
report $? "and runs"
wait_for_state "$RUN" SUCCEEDED

# — what is left out —
: >"$RECORD"
ctl flow start --quiet gap
RUN=$(last_run gap)
wait_for RUNNING node "$RUN/scan"
wait_for SKIPPED node "$RUN/merge"
check "below a node whose child is SKIPPED nodes are added" \
        add "$RUN/scan" '{"Node":"x","Exec":"/bin/sh -c \"echo x >>'"$RECORD"'\""}'
release go
wait_for SUCCEEDED node "$RUN/x"
report $? "and run"
wait_for_state "$RUN" PARTIAL
check_equal "but the child does not, and what waits for the node beside it comes after" "$(tr '\n' ' ' <"$RECORD")" "x after "
check_equal "as it is" "$(node "$RUN/merge")" SKIPPED

# — what a failure undoes —
: >"$RECORD"
ctl flow start --quiet wait
RUN=$(last_run wait)
wait_for RUNNING node "$RUN/a"
check "a node that fails is added" add "$RUN/a" '{"Node":"bad","Exec":"/bin/false"}'
release go
wait_for_state "$RUN" FAILED
check_equal "what has succeeded is undone" "$(tr '\n' ' ' <"$RECORD")" "first a undo first final "
ctl flow start --quiet wait
RUN=$(last_run wait)
wait_for RUNNING node "$RUN/a"
check_equal "JSON has the number of the run" "$(printf '{"Node":"x"}\n' | ctl flow add-nodes --json "$RUN/a" - | tr -d ' \n')" "{\"id\":$RUN,\"below\":\"a\"}"
release go
wait_for_state "$RUN" SUCCEEDED
report $? "and this run ends, too"

# — a thousand times —
: >"$RECORD"
check "a node adds nodes one by one, up to GrowMax=" ctl flow start --wait thousand
check_equal "what waits for it waits for all of them" "$(tail -n 1 "$RECORD")" "join after $MANY of $MANY"
check_prints "none of them waits for those that come later" '^n[1-8]$' head -n 1 "$RECORD"
check_prints "and all are nodes of the run" "Nodes: $((MANY + 2)) of $((MANY + 2)) have ended" ctl flow show "$(last_run thousand)"
: >"$RECORD"
check "one more than GrowMax= is refused" ctl flow start --wait fewer
check_equal "and is neither executed nor waited for" "$(tail -n 1 "$RECORD")" "join after 9 of 9"
check_prints "which the log says" 'node split: add-nodes f10: .*GrowMax= is 9' cat "$DIR/log"
done_testing
