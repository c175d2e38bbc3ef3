#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Scripts of nodes, and the folder that the commands of a run share.
# S004-16, S004-25, S004-34
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"
RUNS=$XDG_STATE_HOME/jobd/runs

unit words.flow <<U
[Flow]
Params=text:required n:=7 'list:=[1,"two"]' none
[Node make]
Script=echo '{"a":[1,"two words"]}' >"\$JOBD_RESULT"
[Node show]
DependsOn=make
Script=# % and \$ are the shell's: %{param.text} %i
Script=for word in "\$JOBD_P_text" "\$JOBD_P_n" "\$JOBD_P_list" "[\$JOBD_P_none]"; do
Script=        printf '<%s>\n' "\$word" >>$RECORD
Script=done
Script=python3 -c 'import json; print(json.load(open("'"\$JOBD_INPUT"'"))["parents"][0]["result"]["a"][1])' >>$RECORD
Script=printf '%s%%{x}\n' "\${JOBD_DEP_make-none}" >>$RECORD
U
unit stops.flow <<U
[Flow]
[Node fails]
Script=echo before >>$RECORD
Script=false
Script=echo behind >>$RECORD
FailurePolicy=continue
[Node unset]
DependsOn=fails
Readiness=all-finished
Script=echo "\$nobody"
Script=echo behind >>$RECORD
FailurePolicy=continue
[Node status]
DependsOn=unset
Readiness=all-finished
Script=exit 7
FailurePolicy=continue
U
printf '%s\n' '{"Node":"lines","Script":["x=$JOBD_P_n","echo \"line $x\" >>'"$RECORD"'"]}' >"$DIR/nodes.jsonl"
unit lines.flow <<U
[Flow]
Params=n:=7
NodesFile=$DIR/nodes.jsonl
U
unit both.flow <<'U'
[Node a]
Script=true
Exec=/bin/true
U
unit other.flow <<'U'
[Node a]
Script=#!/usr/bin/python3
U
unit around.flow <<U
[Flow]
RunDirectory=yes
[Node a]
ExecStartPre=/bin/sh -c 'echo pre >\$JOBD_RUN_DIR/pre'
Script=cat "\$JOBD_RUN_DIR/pre" >>$RECORD
ExecStopPost=/bin/sh -c 'echo "post \$EXIT_STATUS" >>$RECORD; test -f "\$JOBD_RUN_DIR/pre"'
U
unit shared.flow <<U
[Flow]
Params=fails:=false
RunDirectory=yes
KeepRuns=2
[Node write]
Script=echo "of run \$JOBD_RUN" >"\$JOBD_RUN_DIR/note"
Script=mkdir "\$JOBD_RUN_DIR/deep"
Script=i=0; while [ \$i -lt 300 ]; do : >"\$JOBD_RUN_DIR/deep/\$i"; i=\$((i + 1)); done
[Node read]
DependsOn=write
Script=cat "\$JOBD_RUN_DIR/note" >>$RECORD
Script=stat -c '%a %U' "\$JOBD_RUN_DIR" >>$RECORD
Script=test "\$JOBD_P_fails" = false || test -f "\$JOBD_RUN_DIR/go"
U
unit without.flow <<U
[Node a]
Script=echo "<\${JOBD_RUN_DIR-none}>" >>$RECORD
U
unit confined.flow <<U
[Flow]
RunDirectory=yes
User=65534
Group=65534
ProtectSystem=strict
ProtectHome=yes
[Node write]
Exec=/bin/sh -c 'echo confined >\$JOBD_RUN_DIR/note'
[Node root]
DependsOn=write
User=0
Group=0
Exec=/bin/sh -c 'stat -c %%u:%%g:%%a \$JOBD_RUN_DIR >>\$JOBD_RUN_DIR/note'
[Node read]
DependsOn=root
Script=cat "\$JOBD_RUN_DIR/note" >"\$JOBD_RUN_DIR/copy"
Script=printf '"%s"' "\$(tr '\\n' ' ' <"\$JOBD_RUN_DIR/copy")" >"\$JOBD_RESULT"
U
recorded() {
        tr '\n' ' ' <"$RECORD"
        : >"$RECORD"
}
# of RUN NODE KEY: a value of the node's row
of() {
        ctl flow show "$1" --json | python3 -c '
import json, sys
nodes = {node["node"]: node for node in json.load(sys.stdin)["nodes"]}
print(nodes[sys.argv[1]].get(sys.argv[2], "-"))' "$2" "$3"
}
# started FLOW [WORD…]: the number of a run that has ended
started() {
        ctl flow start --wait --json "$@" | sed 's/.*"id":\([0-9]*\).*/\1/'
}

start_daemon

# — scripts —
check "a node runs a script" ctl flow start --wait words "text=two  words \$HOME"
# shellcheck disable=SC2016 # words, not variables
check_equal "parameters are variables, results are in the input, and nothing is replaced" "$(recorded)" \
        '<two  words $HOME> <7> <[1,"two"]> <[]> two words none%{x} '
run=$(started stops)
check_equal "a line that fails ends it" "$(recorded)$(of "$run" fails state)" 'before FAILED'
check_equal "and so does a variable that is not set" "$(of "$run" unset state)" FAILED
check_equal "its status is that of the node" "$(of "$run" status exit)" 7
check "a node of NodesFile= has a list of lines" ctl flow start --wait lines
check_equal "which is run" "$(recorded)" 'line 7 '
check_exit "a script and a command are one too many" 4 ctl flow start both
check_prints "which is said" 'Script=.*it has Exec=, too' ctl verify "$UNITS/both.flow"
check_prints "another interpreter is refused" "not by '#!/usr/bin/python3'; write Exec=FILE" \
        ctl verify "$UNITS/other.flow"
check "commands around a script" ctl flow start --wait around
check_equal "share its run's folder" "$(recorded)" 'pre post 0 '

# — the folder of a run —
first=$(started shared)
check_equal "a node finds what another one has left, in a folder of theirs alone" "$(recorded)" \
        "of run $first 700 $(id -un) "
check "the folder stays when the run has ended" test -f "$RUNS/$first/note"
check "one without it has none" ctl flow start --wait without
check_equal "and no variable" "$(recorded)" '<none> '
failed=$(started shared fails:=true)
recorded >/dev/null
check_equal "a run fails for want of a file" "$(of "$failed" read state)" FAILED
kill_core KILL
touch "$RUNS/$failed/go"
check "it is retried after a death of core" ctl flow retry "$failed/read"
read_state() {
        of "$failed" read state
}
wait_for '^SUCCEEDED$' read_state
report $? "and finds its folder as it was"
check_equal "with what is in it" "$(recorded | cut -d' ' -f1-3)" "of run $failed"
check "a run is deleted" ctl flow delete "$failed"
gone() {
        test -e "$RUNS/$1" && echo there || echo gone
}
wait_for '^gone$' gone "$failed"
report $? "its folder goes with it"
check "the other one is there" test -f "$RUNS/$first/note"
second=$(started shared)
third=$(started shared)
wait_for '^gone$' gone "$first"
report $? "what KeepRuns= does not keep loses its folder"
check_equal "what it keeps does not" "$(gone "$second") $(gone "$third")" 'there there'
left() {
        find "$RUNS" -name 299 | wc -l
}
wait_for '^2$' left
report $? "no file of the others is left"
if has_users; then
        # The user of the flow has to come as far as that.
        chmod 711 "$DIR" "$XDG_STATE_HOME" "$XDG_STATE_HOME/jobd" "$RUNS" "$XDG_RUNTIME_DIR"
        run=$(started confined)
        check_equal "the folder belongs to the user of the flow, also in a sandbox, whoever a node runs as" \
                "$(of "$run" read result)" '"confined 65534:65534:700 "'
else
        skip "the folder belongs to the user of the flow, also in a sandbox, whoever a node runs as" "no other users"
fi
done_testing
