#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What runs are called and belong to: names, and what the request says; filters by them.
# S000-3, S004-31, S004-39, S004-41
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unit plain.flow <<'U'
[Node a]
Exec=/bin/true
U
unit named.flow <<'U'
[Flow]
Params=cluster:required
RunName=%p of %{param.cluster}
MaxRuns=9
[Node a]
Exec=/bin/true
U
unit counted.flow <<'U'
[Flow]
RunName=count.%{run.id}
[Node a]
Exec=/bin/true
U
unit held.flow <<U
[Node a]
Exec=/bin/sh -c 'read word <$DIR/held'
U
mkfifo "$DIR/held"
unit low.flow <<'U'
[Flow]
Priority=low
[Node a]
Exec=/bin/true
U
unit broken.flow <<'U'
[Flow]
RunName=%{a.state}
[Node a]
Exec=/bin/true
U
unit unknown.flow <<'U'
[Flow]
RunName=%{param.x}
[Node a]
Exec=/bin/true
U

# field RUN KEY
field() {
        ctl flow show --json "$1" | jq -r ".$2"
}

start_daemon

# — names —
check "a run has the name of its flow and its number" ctl flow start --quiet --wait plain
check_equal "which is told" plain-1 "$(field 1 name)"
check_equal "and finds it" 1 "$(field plain-1 id)"
check "a flow names its runs" ctl flow start --quiet --wait named cluster=red
check_equal "by their parameters" 'named of red' "$(field 2 name)"
check_equal "which finds the run" 2 "$(field 'named of red' id)"
check_exit "a name is given once" 4 ctl flow start named cluster=red
check_prints "which the error says" "Run 2 has the name 'named of red' already" echo "$OUT"
check "with other parameters there is another name" ctl flow start --quiet --wait named cluster=blue
check_equal "no number was taken by what was refused" 'named of blue' "$(field 3 name)"
check "a name may have the number" ctl flow start --quiet --wait counted
check_equal "which it is made of" count.4 "$(field 4 name)"
check "a run is named when it is started" ctl flow start --quiet --wait --name=first plain
check_equal "and found by that" 5 "$(field first id)"
check_exit "a name of another flow is taken, too" 4 ctl flow start --name=first named cluster=green
check_exit "and the default name of a run" 4 ctl flow start --name=plain-1 plain
check_exit "a name is no number" 2 ctl flow start --name=17 plain
check_prints "which the error says" "'17' is no name of a run: it is a number" echo "$OUT"
check_exit "it has no slash" 2 ctl flow start --name=a/b plain
check_exit "and no line break" 2 ctl flow start --name=$'a\nb' plain
check_exit "and at most 255 bytes" 2 ctl flow start --name="$(printf '%0256d' 0)x" plain
check_exit "nor is a parameter that makes none a name" 4 ctl flow start named cluster=blue
check_exit "a name that nobody has finds nothing" 5 ctl flow show nobody
check_exit "a name is for verbs, too" 4 ctl flow pause first
check_exit "nodes have no states in a name" 4 ctl flow start broken
check_prints "which is refused with its line" 'broken.flow:2: error: .*a.state has no value when a run gets its name' ctl verify "$UNITS/broken.flow"
check_prints "nor is there an unknown parameter" "unknown.flow:2: error: .*no parameter 'x'" ctl verify "$UNITS/unknown.flow"

# A run whose name the store does not have yet.
check "a run lives" ctl flow start --quiet --name=living held
check_exit "its name is taken" 4 ctl flow start --name=living plain
check_prints "it is explained by its name" 'Run living is RUNNING' ctl flow why living
check_prints "and a node of it" 'Node a of run living' ctl flow why living/a
kill_core KILL
check_exit "core has died, and the name is still taken" 4 ctl flow start --name=living plain
check_equal "and finds the run" RUNNING "$(field living state)"
timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/held"
wait_for '^SUCCEEDED$' field living state
check_exit "a run that has ended keeps its name" 4 ctl flow start --name=living plain

# — what a request says —
check "a request says what it is for" ctl flow start --quiet --wait --key=k1 --namespace=team --reqid=r-17 --operator=anna --priority=200 plain
RUN=$(ctl flow list --no-legend | awk 'NR == 1 { print $1 }')
for pair in key=k1 namespace=team reqid=r-17 operator=anna priority=200 kind=flow unit=plain.flow; do
        check_equal "${pair%%=*} is kept" "${pair#*=}" "$(field "$RUN" "${pair%%=*}")"
done
check_prints "the client, too" '^jobctl\[[0-9]+\]$' field "$RUN" client
check_equal "the same key is the same run" "Run $RUN of plain.flow." "$(ctl flow start --key=k1 --name=other plain)"
check_prints "show prints it" 'Request: r-17' ctl flow show "$RUN"
check_equal "without a priority it is that of the flow" 64 "$(ctl flow start --quiet --wait low; field "$((RUN + 1))" priority)"
check_equal "a priority may be a word" 192 "$(ctl flow start --quiet --wait --priority=high low; field "$((RUN + 2))" priority)"
check_exit "which has to be one" 2 ctl flow start --priority=urgent plain
check_exit "or a number up to 255" 2 ctl flow start --priority=256 plain
check_exit "an empty word is refused" 2 ctl flow start --namespace= plain
for filter in name=first key=k1 namespace=team reqid=r-17 operator=anna; do
        check_prints "runs are listed by ${filter%%=*}" '^1 run listed' ctl flow list --all "--$filter"
done
check_prints "and by several of them" '^No runs' ctl flow list --all --namespace=team --reqid=r-18
done_testing
