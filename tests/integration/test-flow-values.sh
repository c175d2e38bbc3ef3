#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Values of runs: parameters, words of commands, conditions.
# S002-7, S002-9, S002-26, S004-2, S004-16, S004-18, S004-18a, S004-19, S004-25, S004-34, S004-39
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

# A word a line, each in brackets.
cat >"$DIR/words" <<W
#!/bin/sh
for word; do printf '<%s>\n' "\$word" >>$RECORD; done
W
chmod +x "$DIR/words"
unit words.flow <<U
[Flow]
Params=text:required n:=7 'list:=[1,"two"]' none
[Node show]
Exec=$DIR/words %{param.text} --n=%{param.n} %{param.list} %{param.list.1} [%{param.none}] %%{x} %{run.id} %{run.name} \$HOME
Environment=HOME=/there
U
unit plain.flow <<U
[Flow]
Params=mode=fast
[Node show]
Exec=$DIR/words %{param.mode}
U
unit choose.flow <<U
[Flow]
Params=n:=0 mode=slow
[Node begin]
Exec=/bin/true
[Node big]
DependsOn=begin
When=param.n > 10 and begin.state == "SUCCEEDED"
Exec=$DIR/words big
[Node named]
DependsOn=begin
When=param.mode in ["fast", "faster"]
Exec=$DIR/words named
[Node other]
DependsOn=begin
Otherwise=yes
Exec=$DIR/words other
[Node join]
DependsOn=big named other
Readiness=none-failed
Exec=$DIR/words join
U
unit timed.timer <<'U'
[Timer]
OnActiveSec=10ms
AccuracySec=1ms
Unit=timed.flow
U
unit timed.flow <<U
[Node show]
Exec=$DIR/words %{trigger.unit}
U

# recorded: what the commands of the last run were given; the record is empty then
recorded() {
        tr '\n' ' ' <"$RECORD"
        : >"$RECORD"
}

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

export SESSION="a b" NOTIFY_SOCKET="$DIR/nobody" LISTEN_FDS=0
start_daemon

# — words —
# shellcheck disable=SC2016
check "a run with parameters" ctl flow start --wait words 'text=a "b" $c %{d}'
# shellcheck disable=SC2016
check_equal "a word stays one word, and values are text" "$(recorded)" \
        '<a "b" $c %{d}> <--n=7> <[1,"two"]> <two> <[]> <%{x}> <1> <words-1> </there> '
check "typed values" ctl flow start --wait words text:=1e3 n:=-2 'list:={"1":"x y"}'
check_equal "are as they are written" "$(recorded)" \
        '<1e3> <--n=-2> <{"1":"x y"}> <x y> <[]> <%{x}> <2> <words-2> </there> '
check_prints "show has the parameters" '^ *list:=."1":"x y".$' ctl flow show 2
check_prints "as JSON" '"params":"\{\\"text\\":1e3' ctl flow show 2 --json
check "the unit's own start has the defaults" ctl start plain.flow
wait_for '<fast>' cat "$RECORD"
report $? "and so has its run"
: >"$RECORD"
check_exit "what is required has to be given" 2 ctl flow start words
check_prints "by name" "words.flow: .*'text'" printf '%s' "$OUT"
check_exit "a start of the unit fails without it" 1 ctl start words.flow
check_exit "what is not declared is refused" 2 ctl flow start plain mod=x
check_prints "with what was meant" "mode" printf '%s' "$OUT"
check_exit "what is no JSON, too" 2 ctl flow start plain 'mode:=fast'
check_exit "a flow that does not exist is not started" 5 ctl flow start nowhere
check_prints "by name" "nowhere.flow" printf '%s' "$OUT"
check_equal "nothing of it ran" "$(recorded)" ""

# — surroundings —
mkdir "$DIR/there"
cat >"$DIR/surroundings" <<W
#!/bin/sh
pwd >$DIR/surroundings.folder
tr '\\0' '\\n' </proc/self/environ >$DIR/surroundings.variables
W
chmod +x "$DIR/surroundings"
unit surroundings.flow <<U
[Node look]
Exec=$DIR/surroundings
WorkingDirectory=$DIR/there
Environment=OWN=1
U
ctl daemon-reload
SURROUNDINGS=$(ctl flow start --wait surroundings --json | sed 's/.*"id":\([0-9]*\).*/\1/' | head -n 1)
check_equal "a node runs in its folder" "$(cat "$DIR/surroundings.folder")" "$DIR/there"
# of_node NAME: the value of a variable that the node had
of_node() {
        sed -n "s/^$1=//p" "$DIR/surroundings.variables"
}
check_equal "with the variables that it sets" "$(of_node OWN)" 1
check_equal "knows its unit" "$(of_node JOBD_UNIT)" surroundings.flow
check_equal "its run" "$(of_node JOBD_RUN)" "$SURROUNDINGS"
check_equal "its name" "$(of_node JOBD_NODE)" look
check_equal "its attempt" "$(of_node JOBD_ATTEMPT)" 1
check_equal "and the key that all tries of it have" "$(of_node JOBD_ATTEMPT_KEY)" "$SURROUNDINGS/look/1"
check_equal "of the variables of jobd itself it has none" "$(of_node JOBD_SOCKET)$(of_node NOTIFY_SOCKET)$(of_node LISTEN_FDS)" ""
check_equal "those of the session it has, as services have" "$(of_node SESSION)" "a b"

# — conditions —
check "no condition holds" ctl flow start --wait choose
check_equal "the other branch runs" "$(recorded)" "<other> <join> "
check "one holds" ctl flow start --wait choose n:=11
check_equal "that branch runs" "$(recorded)" "<big> <join> "
ctl flow start --wait choose n:=11 mode=faster >/dev/null
check_equal "all that hold run" "$(recorded | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/^ //')" "<big> <join> <named> "
check_exit "a condition without a value fails its node" 1 ctl flow start --wait choose n=many
check_prints "and the log says why" "node big: When= has no value" cat "$DIR/log"
check_equal "nothing of it ran" "$(recorded)" ""

# — over a death of core —
unit late.flow <<U
[Flow]
Params=file:required
[Node wait]
Exec=/bin/sh -c 'read -r x <$DIR/go'
[Node show]
DependsOn=wait
When=param.file != "none"
Exec=$DIR/words %{param.file} %{wait.state}
U
mkfifo "$DIR/go"
ctl daemon-reload
LATE=$(ctl flow start late file='a b' --json | sed 's/.*"id":\([0-9]*\).*/\1/')
wait_for 'RUNNING' ctl flow show "$LATE"
kill_core KILL
echo go >"$DIR/go"
wait_for '^SUCCEEDED$' run_state "$LATE"
report $? "a run goes on with its parameters after the death of core"
check_equal "as it had them" "$(recorded)" "<a b> <SUCCEEDED> "

# — triggers —
ctl start timed.timer
wait_for '<timed.timer>' cat "$RECORD"
report $? "a run knows what has triggered it"
done_testing
