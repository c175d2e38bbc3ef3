#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A run of 1,000 nodes, in the middle of which core executes itself anew, as another version, is killed, or dies with the store:
# no node fails, none runs twice. The control is a core that writes no state. A run of 20,000 nodes is cancelled, and core is
# killed while they end.
# S000-47a
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

NODES=1000
RECORD=$DIR/record

unit large.flow <<U
[Flow]
NodesFile=$DIR/nodes.jsonl
MaxParallel=16
U
{
        printf '{"Node":"first","Exec":"/bin/true"}\n'
        for ((i = 3; i <= NODES; i++)); do
                printf '{"Node":"n%d","DependsOn":["first"],"Exec":"/bin/sh -c '"'echo n%d >>%s'"'"}\n' "$i" "$i" "$RECORD"
        done
        printf '{"Node":"last","DependsOn":["n3","n%d"],"Exec":"/bin/true"}\n' "$NODES"
} >"$DIR/nodes.jsonl"

run_state() {
        ctl flow list --no-legend --all 2>/dev/null | awk -v id="$1" '$1 == id { print $3 }'
}

# States in which a run goes on no more
ENDS='^(SUCCEEDED|PARTIAL|FAILED|TIMEOUT|CANCELLED|SUSPENDED)$'

# wait_for_lines N: until so many nodes have run, or the run goes on no more
wait_for_lines() {
        local end=$((SECONDS + PATIENCE))
        until [ "$(wc -l <"$RECORD")" -ge "$1" ]; do
                [ "$SECONDS" -lt "$end" ] && ! grep -Eq "$ENDS" <<<"$(run_state "$RUN")" || return 1
        done
}

# upgrade: another version takes the place of the program of core, and of the process; next time it is the first one again
upgrade() {
        local old=$CORE
        cp "${VERSIONS[(HITS + 1) % 2]}" "$PROGRAMS/jobd-core.new" && mv "$PROGRAMS/jobd-core.new" "$PROGRAMS/jobd-core" || return 1
        ctl daemon-reexec || return 1
        find_core && [ "$CORE" = "$old" ]
}

# served: which versions have, in their order
served() {
        sed -n 's/^<6>jobd \([^ ]*\) serves in .*/\1/p' "$DIR/log"
}

kill_both() {
        pkill -KILL -x jobd-runstore
        kill_core KILL
}

# disturb COMMAND…: a run, with the command after each 150 nodes; what is wrong then is in $WRONG
disturb() {
        local n
        HITS=0
        : >"$RECORD"
        RUN=$(ctl flow start large | sed -n 's/^Run \([0-9]*\) .*/\1/p')
        for ((n = 150; n < NODES - 100; n += 150)); do
                wait_for_lines "$n" && "$@" && HITS=$((HITS + 1))
        done
        wait_for "$ENDS" run_state "$RUN"
        WRONG=$({
                run_state "$RUN" | grep -vx SUCCEEDED
                sort "$RECORD" | uniq -d | sed 's/$/ ran twice/'
                [ "$(sort -u "$RECORD" | wc -l)" = $((NODES - 2)) ] || echo "$(sort -u "$RECORD" | wc -l) nodes ran"
                ctl flow show "$RUN" | awk '/^NODE/ { is_node = 1; next } is_node && ($2 != "SUCCEEDED" || $3 != 1)'
                [ "$HITS" -ge 3 ] || echo "only $HITS times in the middle of it"
        } 2>&1 | head -n 10)
}

PROGRAMS=$DIR/programs
VERSIONS=("$BUILD/jobd-core" "$BUILD/tests/integration/jobd-core-next")
mkdir "$PROGRAMS"
for name in jobd jobd-core jobd-runstore jobd-log; do
        cp "$BUILD/$name" "$PROGRAMS"
done
BUILD=$PROGRAMS start_daemon
disturb upgrade
check_equal "core executes itself anew, as another version, $HITS times" "$WRONG" ""
check_equal "each time it is the other one" "$(served | uniq | wc -l) $(served | sort | uniq | wc -l)" "$((HITS + 1)) 2"
stop_daemon
start_daemon
disturb kill_core KILL
check_equal "core is killed $HITS times" "$WRONG" ""
disturb kill_both
check_equal "core and the store are killed $HITS times" "$WRONG" ""
stop_daemon

# cancel_large WHAT COMMAND…: a run of 20,000 nodes, of which one has begun, is cancelled, and the command follows at once
cancel_large() {
        local what=$1
        shift
        RUN=$(ctl flow start many | sed -n 's/^Run \([0-9]*\) .*/\1/p')
        wait_for RUNNING node_state first
        check "a run of $MANY nodes is cancelled" ctl flow cancel "$RUN"
        "$@"
        wait_for '^CANCELLED$' run_state "$RUN"
        check_equal "$what: all of its nodes have ended with it" "$(ctl flow show "$RUN" |
                awk '/^NODE/ { is_node = 1; next } is_node { n[$2]++ } END { print n["CANCELLED"], n["SKIPPED"], length(n) }')" \
                "1 $((MANY - 1)) 2"
}

node_state() {
        ctl flow show "$RUN" 2>/dev/null | awk -v node="$1" '$1 == node { print $2 }'
}

MANY=20000
unit many.flow <<U
[Flow]
NodesFile=$DIR/many.jsonl
U
{
        printf '{"Node":"first","Exec":"/bin/sleep 1000"}\n'
        for ((i = 2; i <= MANY; i++)); do
                printf '{"Node":"n%d","DependsOn":["first"],"Exec":"/bin/true"}\n' "$i"
        done
} >"$DIR/many.jsonl"
start_daemon
cancel_large "nothing happens" true
cancel_large "core is killed" kill_core KILL
cancel_large "core and the store are killed" kill_both
stop_daemon

start_daemon --no-state
disturb kill_core KILL
check "control: core that writes no state does not go on as if nothing had been" [ -n "$WRONG" ]
sed 's/^/# /' <<<"$WRONG"
ctl flow cancel "$RUN" >/dev/null
done_testing
