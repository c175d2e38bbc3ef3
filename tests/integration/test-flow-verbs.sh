#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the manager answers to each verb in each state of a run: a refusal changes nothing and says why, and what has
# ended is deleted, what lives only if it is to be stopped, too. Who takes a verb, and what comes of it, is for
# tests/property/test_run_sequences.c.
# S000-18, S004-31, S004-42
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

# By state, in the order of these verbs: n is refused, y taken, s with --stop; - is not for this test, or has no token.
VERBS=(pause resume stop cancel compensate retry rerun resolve skip approve reject unlock add complete delete)
TABLE="
CREATED    n n - - n n n n n n n n - - s
QUEUED     n n - - n n n n n n n n - - s
RUNNING    - n - - n n n n n n n n - n s
PAUSING    n - - - n n n n n n n n - n s
PAUSED     n - - - n n n n n n n n - n s
SUSPENDED  n n - - n - n - - n n n - n s
STOPPING   n n - - n n n n n n n n n n s
SUCCEEDED  n n n n n n - n n n n n n n y
PARTIAL    n n n n n - - n n n n n n n y
FAILED     n n n n n - - n n n n n n n y
TIMEOUT    n n n n n - - n n n n n n - y
CANCELLED  n n n n n - - n n n n n n n y
"

mkfifo "$DIR/held" "$DIR/before"
# A node that another one completes first, so that there is a token, and then the one that is asked about
# flow NAME SETTINGS COMMAND [SETTINGS OF THE NODE]
flow() {
        unit "$1.flow" <<U
[Unit]
${5-}
[Flow]
$2
[Node t]
Callback=yes
Environment=JOBD_SOCKET=$JOBD_SOCKET
Exec=/bin/sh -c 'echo \$JOBD_TOKEN >$DIR/token-\$JOBD_RUN; exec $BUILD/jobctl flow complete --quiet'
[Node a]
DependsOn=t
Exec=$3
${4-}
[Node b]
DependsOn=a
Exec=/bin/true
U
}
unit slow.service <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'read word <$DIR/before'
U
HELD="/bin/sh -c 'read word <$DIR/held'"
flow created "" /bin/true "" "Requires=slow.service
After=slow.service"
flow held "MaxRuns=1" "$HELD"
flow drained "" "/bin/sh -c 'until test -e $DIR/\$JOBD_RUN; do sleep 0.05; done'"
flow suspended "FailurePolicy=suspend" /bin/false
flow good "" /bin/true
flow partial "" /bin/false FailurePolicy=continue
flow failed "" /bin/false
flow late "MaxRuns=20" "$HELD"
flow timeout "RunTimeoutSec=100ms" "$HELD"
echo '{"Node": "new", "Exec": "/bin/true"}' >"$DIR/nodes"

state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

# node RUN NODE: its state
# shellcheck disable=SC2317
node() {
        ctl flow show --json "$1" | jq -r --arg node "$2" '.nodes[] | select(.node == $node).state'
}

# start UNIT [OPTION…]: the number of its run is in $RUN then
start() {
        ctl flow start --quiet "$@" && RUN=$(ctl flow list --no-legend --all | awk 'NR == 1 { print $1 }')
}

# begin UNIT [OPTION…]: … and its node runs
begin() {
        start "$@" && wait_for '^RUNNING$' node "$RUN" a
}

# A run in each state: its number is in $RUN then.
reach() {
        case $1 in
        CREATED) start created ;;
        QUEUED) begin held && start held ;;
        RUNNING) begin late ;;
        PAUSING) begin late && ctl flow pause --quiet "$RUN" ;;
        PAUSED) begin drained && ctl flow pause --quiet "$RUN" && touch "$DIR/$RUN" ;;
        SUSPENDED) start suspended ;;
        STOPPING) begin late && ctl flow stop --quiet "$RUN" ;;
        SUCCEEDED) start good ;;
        PARTIAL) start partial ;;
        FAILED) start failed ;;
        TIMEOUT) start timeout ;;
        CANCELLED) begin late && ctl flow cancel --quiet "$RUN" ;;
        esac
        wait_for "^$1\$" state "$RUN"
}

# ask VERB
# shellcheck disable=SC2317
ask() {
        case $1 in
        rerun | skip | approve | unlock) ctl flow "$1" "$RUN/a" ;;
        retry) ctl flow retry "$RUN" a ;;
        reject) ctl flow approve --reject "$RUN/a" ;;
        resolve) ctl flow resolve "$RUN/a" --as=failed ;;
        add) ctl flow add-nodes "$RUN" "$DIR/nodes" ;;
        # Somebody has completed it in another way.
        complete) ctl flow complete --as=failed "$(cat "$DIR/token-$RUN")" ;;
        *) ctl flow "$1" "$RUN" ;;
        esac
}

# verbs_taken: what the store says that people have done to the run
verbs_taken() {
        python3 - "$XDG_STATE_HOME/jobd/runs.db" "$RUN" <<'P'
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
print(*store.execute("SELECT new FROM event WHERE run = ? AND kind = 'verb' ORDER BY id", sys.argv[2:]))
P
}

# check_refusal VERB STATE: with a sentence about the run or the node, and the run stays as it was $BEFORE
check_refusal() {
        local after
        check_exit "$1 is refused in $2" 4 ask "$1"
        grep -Eq "([Rr]un|Node) .*\b$RUN\b.*\.\$" <<<"$OUT"
        report $? "which a sentence says" "$OUT"
        after=$(ctl flow show --json "$RUN")
        check_equal "and changes nothing" "$after" "$BEFORE"
}

# check_deletion STATE [OPTION]
check_deletion() {
        check "a run that is $1 is deleted ${2-}" ctl flow delete --quiet ${2:+"$2"} "$RUN"
        check_lacks "then it is not listed" "^ *$RUN " ctl flow list --all
        check_exit "nor is it deleted again" 5 ask delete
}

start_daemon
N=0
while read -r STATE ANSWERS; do
        [ -n "$STATE" ] || continue
        reach "$STATE"
        report $? "there is a run that is $STATE" "it is $(state "$RUN")"
        read -ra ANSWERS <<<"$ANSWERS"
        BEFORE=$(ctl flow show --json "$RUN")
        TAKEN=$(verbs_taken)
        for i in "${!VERBS[@]}"; do
                case ${ANSWERS[i]} in
                n | s) check_refusal "${VERBS[i]}" "$STATE" ;;
                esac
        done
        check_equal "nobody has done anything to a run that is $STATE" "$(verbs_taken)" "$TAKEN"
        case ${ANSWERS[-1]} in
        s) check_deletion "$STATE" --stop ;;
        y) check_deletion "$STATE" ;;
        esac
        [ "${#ANSWERS[@]}" = "${#VERBS[@]}" ] && N=$((N + 1))
done <<<"$TABLE"
for RUN in $(seq "$RUN"); do
        ctl flow cancel --quiet "$RUN" 2>/dev/null
done
check_equal "each state has an answer to each verb" 12 "$N"

done_testing
