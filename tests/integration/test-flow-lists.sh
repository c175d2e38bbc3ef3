#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Lists of locks and of runs: who holds what and who waits, and which runs a filter leaves, in pages.
# S004-16a, S004-31, S004-42
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

printf '[Engine]\nResources=cpu:4\n' >"$DIR/conf"
mkfifo "$DIR/held" "$DIR/eaten"
unit holder.flow <<U
[Flow]
Lock=db
MaxRuns=9
[Node a]
Exec=/bin/sh -c 'read word <$DIR/held'
U
unit waiter.flow <<'U'
[Flow]
Lock=db
MaxRuns=9
[Node a]
Exec=/bin/true
U
unit eater.flow <<U
[Node a]
Needs=cpu:3
Lock=table
LockSlots=2
Exec=/bin/sh -c 'read word <$DIR/eaten'
U
unit plain.flow <<'U'
[Node a]
Exec=/bin/true
U
unit bad.flow <<'U'
[Node a]
Exec=/bin/false
U

# pick FILTER: what jq makes of the list of locks
pick() {
        ctl flow locks --json | jq -sr "$1"
}

state() {
        ctl flow show --json "$1" | jq -r .state
}

start_daemon --config "$DIR/conf"
check_prints "at first nothing is held" '^Nothing is held' ctl flow locks
check "a run takes a lock" ctl flow start --quiet --name=first holder
wait_for '^held$' pick '.[] | select(.lock == "db") | .state'
check "another one wants it" ctl flow start --quiet --name=low --priority=low waiter
check "a third one, too" ctl flow start --quiet --name=high --priority=high waiter
wait_for '^3$' pick 'map(select(.lock == "db")) | length'
check_equal "the holder is first, then as they will be served" "first high low" \
        "$(pick 'map(select(.lock == "db").name) | join(" ")')"
check_equal "it holds a slot" 0 "$(pick '.[] | select(.name == "first").slot')"
check_equal "one waits with its priority" 192 "$(pick '.[] | select(.name == "high").priority')"
check_prints "since a time" '^[0-9]{16}$' pick '.[] | select(.name == "high").since'
check_prints "a table shows it" '^db +run +held +0 of 1 +1 +first' ctl flow locks
check_prints "and those that wait" '^db +run +waits +3 +high' ctl flow locks
check "a node takes a lock and a resource" ctl flow start --quiet --name=eater eater
wait_for '^3$' pick '.[] | select(.lock == "cpu").amount'
check_equal "of the resource there is so much" 4 "$(pick '.[] | select(.lock == "cpu").total')"
check_equal "the node is named" "4/a" "$(pick '.[] | select(.lock == "table") | "\(.run)/\(.node)"')"
check_equal "locks of nodes are another kind" node "$(pick '.[] | select(.lock == "table").kind')"
check_lacks "a lock is listed alone" table ctl flow locks db
check_prints "one that nobody has is not there" '^Nothing is held' ctl flow locks nothing
check_exit "two are too many" 2 ctl flow locks db table
kill_core KILL
wait_for '^3$' pick 'map(select(.lock == "db")) | length'
check_equal "after the death of core all is as it was" "first high low" \
        "$(pick 'map(select(.lock == "db").name) | join(" ")')"
timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/held"
timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/eaten"
for run in low high eater; do
        wait_for '^SUCCEEDED$' state "$run"
done
check_prints "at last nothing is held" '^Nothing is held' ctl flow locks

# — runs —
MIDDLE=$(date +%Y-%m-%d\ %H:%M:%S.%6N)
check "runs are made later" ctl flow start --quiet --wait --namespace=late plain
ctl flow start --quiet --wait --namespace=late bad
ctl flow start --quiet --wait plain
check_equal "since a time" "plain.flow bad.flow plain.flow" \
        "$(ctl flow list --json --since "$MIDDLE" | jq -sr 'map(.unit) | join(" ")')"
check_equal "and until then" "eater.flow waiter.flow waiter.flow holder.flow" \
        "$(ctl flow list --json --until "$MIDDLE" | jq -sr 'map(.unit) | join(" ")')"
check_equal "of a flow, in a state, of a namespace" 5 \
        "$(ctl flow list --json --since "$MIDDLE" --state=SUCCEEDED --namespace=late plain | jq -sr '.[].id')"
check_equal "of a type" 7 "$(ctl flow list --json --all --type=flow | jq -s length)"
check_equal "of another type there are none" 0 "$(ctl flow list --json --all --type=batch | jq -s length)"
check_exit "a state has to be one" 2 ctl flow list --state=RUNING
check_prints "which names them" "'RUNING' is not a state of runs; there are CREATED, QUEUED, .* and CANCELLED" ctl flow list --state=RUNING
check_equal "in any letters" "$(ctl flow list --json --all --state=succeeded | jq -s length)" \
        "$(ctl flow list --json --all --state=SUCCEEDED | jq -s length)"
check_exit "a flow has to be there" 5 ctl flow list nosuch
check_prints "which is said" 'There is no nosuch.flow' ctl flow list nosuch
check_exit "or be one" 2 ctl flow list app.service
check_exit "no run has such a node" 5 ctl flow logs 1/nosuch
check_prints "which is a document, too" '^\{"ok": *false, *"error": *"NoSuchNode"' sh -c "'$BUILD/jobctl' --json flow show 1/nosuch 2>/dev/null | tr -d '\n'"
check_prints "as is a file that cannot be imported" '^\{"ok": *false, *"error": *"ImportFailed"' sh -c "'$BUILD/jobctl' --json flow import --from=crontab /nosuch 2>/dev/null | tr -d '\n'"

# Nodes without a row in the store are more than an answer takes.
MANY=2500
unit many.flow <<U
[Flow]
NodesFile=$DIR/many
U
{
        printf '{"Node":"first","Exec":"/bin/sh -c '"'read word <%s'"'"}\n' "$DIR/held"
        for ((i = 1; i < MANY; i++)); do
                printf '{"Node":"n%d","DependsOn":"first"}\n' "$i"
        done
} >"$DIR/many"
# nodes FILTER: what jq makes of the nodes of the run
nodes() {
        ctl flow show --json many | jq -r ".nodes | $1"
}
check "a run has many nodes" ctl flow start --quiet --name=many many
wait_for '^RUNNING$' nodes '.[] | select(.node == "first").state'
check_equal "each is listed, once" "$MANY $MANY" "$(nodes '"\(length) \(map(.node) | unique | length)"')"
check_equal "all but one wait" "$((MANY - 1)) WAITING" "$(nodes 'map(select(.state == "WAITING")) | "\(length) \(.[0].state)"')"
check_prints "one of them is shown" 'WAITING' ctl flow show many/n1234
check_prints "as is the one that runs" 'RUNNING' ctl flow show many/first
if command -v busctl >/dev/null; then
        # page FILTERS… LIMIT CURSOR: an answer about its nodes
        page() {
                busctl --address="unix:path=$JOBD_SOCKET" --json=short call org.jobd1 \
                        "/org/jobd1/run/$(ctl flow show --json many | jq .id)" org.jobd1.Run Nodes 'a{sv}us' "$@" |
                        jq -r '.data | "\(.[0] | length) \(.[0][0].node.data) \(.[1])"'
        }
        # name_at N: the name of the Nth node in the order of names
        name_at() {
                { echo first && seq -f 'n%.0f' $((MANY - 1)); } | LC_ALL=C sort | sed -n "$1p"
        }
        check_equal "a page has no more than it may" "1000 first $(name_at 1000)" "$(page 0 0 '')"
        check_equal "nor than is asked for" "10 first $(name_at 10)" "$(page 0 10 '')"
        check_equal "the next one goes on behind it" "1000 $(name_at 1001) $(name_at 2000)" "$(page 0 0 "$(name_at 1000)")"
        check_equal "the last one says so" "500 $(name_at 2001) " "$(page 0 0 "$(name_at 2000)")"
        check_equal "one of a name is found at once" "1 n1234 " "$(page 1 node s n1234 0 '')"
        check_equal "also one with a row" "1 first " "$(page 1 node s first 0 '')"
        check_equal "of a state are all or none" "0 null " "$(page 1 state s FAILED 0 '')"
        check_equal "behind the last name is none" "0 null " "$(page 0 0 o)"
        check_prints "another cursor is none" "'/x' is not a cursor" sh -c \
                "busctl --address=unix:path='$JOBD_SOCKET' call org.jobd1 /org/jobd1/run/1 org.jobd1.Run Nodes 'a{sv}us' 0 0 /x 2>&1"
fi
timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/held"
wait_for '^SUCCEEDED$' state many
check_equal "in the end all have rows" "$MANY SUCCEEDED" "$(nodes '"\(length) \(map(.state) | unique | join(" "))"')"
check_exit "what means nothing for a run is refused" 2 ctl flow start --watch plain
check_prints "the help has a line for each" '^  resolve +RUN/NODE --as=OUTCOME +Decide' ctl help flow
check_prints "and for one" '^jobctl .* flow start FLOW' ctl flow start --help
check_exit "another one is none" 2 ctl help flow begin
check_exit "properties, too" 2 ctl flow start plain -p foo
check_exit "a time has to be one" 2 ctl flow list --since=whenever
check_prints "which the error says" "'whenever' is not a time for '--since'" echo "$OUT"
check_exit "one type at a time" 2 ctl flow list --type=flow,batch
check_prints "another word is none" "'flows' is not a type of runs; there are flow, batch and stream" ctl flow list --type=flows

# — nodes, page by page —
# Nodes a1 to a3 wait for z, which lasts until it is told, while b1 to b4 have ended.
mkfifo "$DIR/paged"
unit paged.flow <<U
[Flow]
MaxRuns=9
$(printf '[Node a%d]\nDependsOn=z\nExec=/bin/true\n' 1 2 3)
$(printf '[Node b%d]\nExec=/bin/true\n' 1 2 3 4)
[Node z]
Exec=/bin/sh -c 'read word <$DIR/paged'
U

# read_page LIMIT CURSOR [FILTER…]: a page of those of $RUN; their names are in $NAMES, and the next cursor is in $CURSOR
read_page() {
        local limit=$1 cursor=$2 page
        shift 2
        page=$(busctl --json=short --address="unix:path=$JOBD_SOCKET" call org.jobd1 "/org/jobd1/run/$RUN" org.jobd1.Run \
                Nodes 'a{sv}us' $(($# / 3)) "$@" "$limit" "$cursor") || return 1
        NAMES=$(jq -r '[.data[0][].node.data] | join(" ")' <<<"$page")
        CURSOR=$(jq -r '.data[1]' <<<"$page")
}

# rest LIMIT [FILTER…]: the names of all pages from $CURSOR on
rest() {
        local limit=$1 names=
        shift
        while [ -n "$CURSOR" ] && read_page "$limit" "$CURSOR" "$@"; do
                names+="$NAMES "
        done
        NAMES=$names
}

# begin_paged: a run in which z lasts, and nothing else runs
begin_paged() {
        ctl flow start --quiet paged
        RUN=$(ctl flow list --no-legend paged | awk 'NR == 1 { print $1 }')
        wait_for '^4$' sh -c "$BUILD/jobctl flow show --json $RUN | jq '[.nodes[] | select(.state == \"SUCCEEDED\")] | length'"
        wait_for 'z is RUNNING' ctl flow why "$RUN"
}

end_paged() {
        timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/paged"
        wait_for '^SUCCEEDED$' state "$RUN"
}

if command -v busctl >/dev/null; then
        ctl daemon-reload
        for limit in 1 2 3 5; do
                begin_paged
                read_page "$limit" ''
                FIRST=$NAMES
                end_paged
                rest "$limit"
                check_equal "pages of $limit have each node once, though all begin after the first page" \
                        "$FIRST ${NAMES% }" "a1 a2 a3 b1 b2 b3 b4 z"
        done
        begin_paged
        read_page 0 ''
        check_equal "a page without a limit has all, by their names" "$NAMES:$CURSOR" "a1 a2 a3 b1 b2 b3 b4 z:"
        read_page 2 '' state s WAITING
        FIRST=$NAMES
        rest 2 state s WAITING
        check_equal "so have those of a filter" "$FIRST ${NAMES% }" "a1 a2 a3"
        read_page 2 '' state s SUCCEEDED
        FIRST=$NAMES
        rest 2 state s SUCCEEDED
        check_equal "of one that rows of the store match, too" "$FIRST ${NAMES% }" "b1 b2 b3 b4"
        read_page 0 '' node s a2
        check_equal "a name is that of one node" "$NAMES:$CURSOR" "a2:"
        check_exit "a cursor of no answer is refused" 1 read_page 2 /7
        end_paged
        begin_paged
        # Both at once: the nodes are asked for before the store has rows of those that are skipped.
        check_equal "a node that was skipped in this moment is not missed" \
                "$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$0") python3 - "$JOBD_SOCKET" "$RUN" <<'P'
import struct, sys
from bus_client import Bus, call, string
path, run = sys.argv[1:]
target = '/org/jobd1/run/' + run, 'org.jobd1.Run'
bus = Bus(path)
bus.link.sendall(call(1, 'Skip', 'a1', target=target) + call(2, 'Skip', 'a3', target=target) +
                 call(3, 'Nodes', struct.pack('<III', 0, 0, 0), string(''), target=target, signature='a{sv}us'))
answer = b''
for _ in range(3):
    message = bus.reply()
    answer = message if string('b1') in message else answer
print(*(name for name in ('a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'b4', 'z') if string(name) in answer))
P
                )" "a1 a2 a3 b1 b2 b3 b4 z"
        end_paged
fi
done_testing
