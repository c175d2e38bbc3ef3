#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a person reads of a run that has failed, of its nodes, and of its next round.
# S002-17
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

last_run() {
        ctl flow list --no-legend "$@" | awk 'NR == 1 { print $1 }'
}

# write_edited COMMAND: a flow whose second node fails until the file "mended" is there
write_edited() {
        unit edited.flow <<U
[Node first]
Exec=/bin/true
[Node second]
DependsOn=first
Exec=/bin/sh -c '$1 test -e $DIR/mended'
[Node third]
DependsOn=second
Exec=/bin/true
U
}

write_edited ''
mkfifo "$DIR/go" "$DIR/never"
unit round.flow <<U
[Node above]
Exec=/bin/sh -c 'test ! -e $DIR/blocks || read word <$DIR/go'
[Node below]
DependsOn=above
Exec=/bin/true
U
unit running.flow <<U
[Flow]
Params=secret
[Node x]
Exec=/bin/sh -c 'read word <$DIR/go' %{param.secret} "two\nlines"
[Node y]
Script=read word <$DIR/go
U
unit order.flow <<'U'
[Flow]
Params=list:=[1,2]
[Node zero]
Exec=/bin/true
[Node one]
DependsOn=zero
Exec=/bin/true
[Node fan]
DependsOn=one
Foreach=param.list
Exec=/bin/true %{item}
ForeachParallel=1
[Node but]
DependsOn=fan
Exec=/bin/false
[Node after]
DependsOn=but
Exec=/bin/true
U
unit over.flow <<U
[Flow]
EndMode=kill
[Node slow]
Exec=/bin/sh -c 'echo begun >$DIR/go; read word <$DIR/never'
[Node ender]
Exec=/bin/sh -c 'read word <$DIR/go'
EndRun=failure
[Node after]
DependsOn=slow
Exec=/bin/true
U
unit single.flow <<U
[Flow]
MaxRuns=1
QueueTimeoutSec=100ms
[Node a]
Exec=/bin/sh -c 'read word <$DIR/never'
U
start_daemon

# — nodes stand in the order in which they began —
check_exit "a run fails" 1 ctl flow start --wait order
RUN=$(last_run order)
check_equal "its nodes are in their order, and one that has not begun is the last" \
        "$(ctl flow show --no-legend "$RUN" | awk '/^[a-z]+(\[[0-9]\])? +[A-Z]+/ { printf "%s ", $1 }')" \
        "zero one fan fan[0] fan[1] but after "
check_equal "as JSON, too" "$(ctl flow show --json "$RUN" | python3 -c '
import json, sys

print(*(node["node"] for node in json.load(sys.stdin)["nodes"]))')" "zero one fan fan[0] fan[1] but after"

# — a node that the end of the run has left out —
check_prints "the failure before it is named" '^after +SKIPPED +ended: the run had failed before its turn; the only node that has failed is but$' ctl flow show --full "$RUN"
check_prints "why says it, too" "^Node after of run order-$RUN is SKIPPED \(ended\): the run was over before its turn; the only node that has failed is but\.\$" ctl flow why "$RUN/after"
check_exit "a run is ended by a node" 1 ctl flow start --wait over
RUN=$(last_run over)
check_prints "a node that ran had its turn" '^slow +CANCELLED .* ended$' ctl flow show --full "$RUN"
check_prints "it waited for nothing" '^Node slow .* is CANCELLED \(ended\): the run was over;' ctl flow why "$RUN/slow"
check_prints "one below it had none" '^after +SKIPPED +ended: the run was over before its turn$' ctl flow show --full "$RUN"
check "a run begins" ctl flow start --quiet single
check_exit "another one waits for it too long" 12 ctl flow start --wait single
check_prints "that is why its node had no turn" '^a +SKIPPED +ended: the run has waited too long for its turn \(QueueTimeoutSec=\)$' \
        ctl flow show --full "$(last_run single)"
ctl flow cancel --quiet "$(ctl flow list --no-legend --state RUNNING single | awk '{ print $1 }')"

# — one node —
RUN=$(last_run order)
check_prints "its title is what it can be named by" "^order-$RUN/but\$" ctl flow show "$RUN/but"
check_prints "and it names the run" "^ +Run: $RUN of order\.flow\$" ctl flow show "order-$RUN/but"
check "a person decides about it when its run has ended" ctl flow resolve "$RUN/but" --as=success
wait_for '^SUCCEEDED$' run_state "$RUN"
report $? "so the run goes on"
check_prints "it still has the times of its attempt" '^ +Ended: ' ctl flow show "$RUN/but"

# — an attempt that runs —
check "a run begins" ctl flow start --quiet running secret=hidden
RUN=$(last_run running)
wait_for "Node x is RUNNING: attempt 1 runs \(pid [0-9]+\); it began [0-9a-z ]+ ago: /bin/sh -c read word <$DIR/go %\{param\.secret\} two\.\$" \
        ctl flow why "$RUN"
report $? "its command and its begin are told, in one line, without values of the run"
check_prints "of a script, too" 'Node y is RUNNING: attempt 1 runs .*; it began .* ago: Script=read word <' ctl flow why "$RUN"
check_prints "and of the flow" 'node x is RUNNING: attempt 1 runs .*; it began .* ago: /bin/sh -c read' ctl why running.flow
ctl flow cancel --quiet "$RUN"

# — another round —
check "a run succeeds" ctl flow start --quiet --wait round
RUN=$(last_run round)
check_prints "its nodes have ended" '^ +Ended: ' ctl flow show "$RUN/below"
touch "$DIR/blocks"
check "its first node is executed again" ctl flow rerun "$RUN/above"
wait_for '^ +State: RUNNING' ctl flow show "$RUN/above"
report $? "it runs"
check_lacks "and has not ended" 'Ended:|Exit:' ctl flow show "$RUN/above"
check_lacks "nor has its run" 'Ended:' ctl flow show "$RUN"
check_lacks "nor the node below" 'Started:|Ended:|Exit:' ctl flow show "$RUN/below"
check_prints "in the table, too" '^below +WAITING +parents$' ctl flow show "$RUN"
check_lacks "and as JSON" '"(started|ended|exit)"' ctl flow show --json "$RUN/below"
timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/go"
wait_for '^SUCCEEDED$' run_state "$RUN"
report $? "the round ends"
check_prints "with times of its own" '^ +Ended: ' ctl flow show "$RUN/below"

# — a run keeps its definition —
check_exit "a run fails" 1 ctl flow start --wait edited
RUN=$(last_run edited)
check_lacks "its retry goes on with the files as they are" 'have changed' ctl flow retry "$RUN"
wait_for '^FAILED$' run_state "$RUN"
check_prints "as JSON, too" '"outdated": *false' ctl flow retry --json "$RUN"
wait_for '^FAILED$' run_state "$RUN"
write_edited 'true;'
check_prints "a retry says that the files have changed" "files of edited.flow have changed since it was submitted, .* after 'jobctl daemon-reload', 'jobctl flow start edited.flow'" \
        ctl flow retry "$RUN"
wait_for '^FAILED$' run_state "$RUN"
check "also when they are loaded again" ctl daemon-reload
check_prints "as JSON" '"outdated": *true' ctl flow retry --json "$RUN/second"
wait_for '^FAILED$' run_state "$RUN"
check_prints "so does a rerun" "files of edited.flow have changed .* then; 'jobctl flow start edited.flow'" ctl flow rerun "$RUN/second"
wait_for '^FAILED$' run_state "$RUN"
check_exit "a run of the files as they are now fails" 1 ctl flow start --wait edited
check_lacks "and is not of before" 'have changed' ctl flow retry "$(last_run edited)"
wait_for '^FAILED$' run_state "$(last_run edited)"
rm "$UNITS/edited.flow"
check "the flow is deleted" ctl daemon-reload
check_prints "a retry says that its files have changed, and names no start" 'files of edited.flow have changed .* as they were then\.$' \
        ctl flow retry "$RUN"
done_testing
