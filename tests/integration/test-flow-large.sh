#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A run of 1,000 nodes, in the middle of which core executes itself anew, is killed, or dies with the store: no node fails, none
# runs twice. The control is a core that writes no state.
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

reexec() {
        local old=$CORE
        ctl daemon-reexec || return 1
        find_core && [ "$CORE" = "$old" ]
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

start_daemon
disturb reexec
check_equal "core executes itself anew $HITS times" "$WRONG" ""
disturb kill_core KILL
check_equal "core is killed $HITS times" "$WRONG" ""
disturb kill_both
check_equal "core and the store are killed $HITS times" "$WRONG" ""
stop_daemon

start_daemon --no-state
disturb kill_core KILL
check "control: core that writes no state does not go on as if nothing had been" [ -n "$WRONG" ]
sed 's/^/# /' <<<"$WRONG"
ctl flow cancel "$RUN" >/dev/null
done_testing
