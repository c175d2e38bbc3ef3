#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Results of nodes: what an attempt leaves, who reads it, what stands in for it.
# S000-7, S002-7, S002-9, S002-17, S002-18, S002-21, S002-22, S004-19, S004-25, S004-34, S004-38
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

# A word a line, each in brackets.
cat >"$DIR/words" <<W
#!/bin/sh
for word; do printf '<%s>\n' "\$word" >>$RECORD; done
W
cat >"$DIR/make" <<'W'
#!/bin/sh
echo '{"a":{"b":[1,"two words"]},"n":5}' >$JOBD_RESULT
W
cat >"$DIR/give" <<'W'
#!/bin/sh
printf %s "$1" >$JOBD_RESULT
W
# A string of JSON that is a file of so many bytes.
cat >"$DIR/text" <<'W'
#!/usr/bin/python3
import os, sys
n = int(sys.argv[1])
with open(os.environ["JOBD_RESULT"], "w") as result:
    result.write('"' + "x" * (n - 2) + '"')
W
# The bytes of each parent's result, wherever it is.
cat >"$DIR/sizes" <<W
#!/usr/bin/python3
import json, os
with open(os.environ["JOBD_INPUT"]) as file:
    parents = json.load(file)["parents"]
with open("$RECORD", "a") as record:
    for parent in parents:
        value, where = parent["result"], "inline"
        if value is None:
            continue
        if isinstance(value, dict):
            where = "file"
            with open(value["file"]) as file:
                value = json.load(file)
        record.write("<%s %s %d>\n" % (parent["name"], where, len(value) + 2))
W
chmod +x "$DIR/give" "$DIR/make" "$DIR/words" "$DIR/text" "$DIR/sizes"

unit values.flow <<U
[Flow]
[Node make]
Exec=$DIR/make
[Node yes]
DependsOn=make
When=make.result.n > 4 and make.result.missing == null
Exec=$DIR/words %{make.result.a.b.1} %{make.result.a} %{make.result.none}
[Node no]
DependsOn=make
When=make.result.n > 5
Exec=$DIR/words no
[Node empty]
DependsOn=yes
Exec=/bin/true
[Node last]
DependsOn=empty
When=empty.result == null
Exec=$DIR/words last
U
unit sizes.flow <<U
[Flow]
[Node below]
Exec=$DIR/text 32767
[Node at]
Exec=$DIR/text 32768
[Node above]
Exec=$DIR/text 32769
[Node all]
Exec=$DIR/text 1048576
[Node read]
DependsOn=below at above all
Exec=$DIR/sizes
U
unit large.flow <<U
[Flow]
[Node over]
ResultMax=64K
Exec=$DIR/text 65537
U
# Its first try leaves a result and fails; the second leaves none.
unit stale.flow <<'U'
[Node a]
Retry=1
RetryDelaySec=0
Exec=/bin/sh -c 'test $$JOBD_ATTEMPT = 2 || { echo 1 >$$JOBD_RESULT; exit 1; }'
[Node b]
DependsOn=a
When=a.result == null
Exec=/bin/true
U
unit invalid.flow <<U
[Flow]
[Node bad]
Exec=/bin/sh -c 'echo {\$1 >\$JOBD_RESULT' x
U
unit outputs.flow <<U
[Flow]
Params=keys
[Node give]
Outputs=a b
Exec=/bin/sh -c 'echo "\$1" >\$JOBD_RESULT' x %{param.keys}
U
unit default.flow <<U
[Flow]
[Node first]
Exec=/bin/sh -c 'exit 3'
FailurePolicy=continue
[Node fails]
Exec=/bin/sh -c 'exit 4'
Default={"top":[7]}
[Node skipped]
DependsOn=first
Exec=/bin/true
Default="was skipped"
DefaultOn=skip
[Node behind]
DependsOn=skipped
Exec=/bin/true
[Node fails-later]
DependsOn=fails
Readiness=all-finished
Exec=/bin/sh -c 'exit 5'
FailurePolicy=continue
[Node several]
DependsOn=see-ok fails-later fails
Exec=/bin/true
Default=0
[Node see-ok]
Exec=/bin/true
[Node own]
Exec=/bin/sh -c 'echo 8 >\$JOBD_RESULT; exit 1'
Default=9
[Node late]
TimeoutSec=100ms
Exec=/bin/sh -c 'echo 1 >\$JOBD_RESULT; exec sleep 1000'
Default="was late"
DefaultOn=timeout
[Node see]
DependsOn=first fails skipped behind late
Readiness=all-finished
Exec=$DIR/words %{fails.result.top.0} %{skipped.result} %{late.result} %{behind.cause} %{fails.cause.exit}
U

unit inputs.flow <<U
[Flow]
Params=host=db size:=3
[Node far]
Outputs=where
Exec=$DIR/give '{"where":"far"}'
[Node near]
DependsOn=far
Outputs=path
Exec=$DIR/give '{"path":[1,2],"where":null}'
[Node take]
DependsOn=near
Inputs=own host path where far.where all_taskdata
Data={"own":true,"host":"mine"}
InputMode=stdin
Exec=/usr/bin/python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["context"]["inputs"]), file=open("$RECORD", "a"))'
[Node variables]
DependsOn=near take
InputMode=env
Exec=/bin/sh -c 'env | grep "^JOBD_[PD]" | sort >>$RECORD'
U
unit missing.flow <<U
[Flow]
Params=host
[Node take]
Inputs=host
Retry=3
Exec=$DIR/words ran
U
unit kept.flow <<U
[Flow]
[Node make]
Exec=/bin/sh -c 'echo "[\$JOBD_ATTEMPT]" >\$JOBD_RESULT; read -r x <$DIR/go-make'
[Node big]
Exec=/bin/sh -c '$DIR/text 200000; read -r x <$DIR/go-big'
[Node hold]
DependsOn=make big
Exec=/bin/sh -c 'read -r x <$DIR/go'
[Node read]
DependsOn=hold
Exec=$DIR/words %{make.result}
[Node sizes]
DependsOn=big read
When=big.result != null
Exec=$DIR/sizes
U
# What writes in time counts; what outlives the attempt does not.
unit writer.flow <<U
[Flow]
Params=when
KillMode=process
[Node write]
Exec=/bin/sh -c 'echo 17 >\$JOBD_RESULT; exec 3>>\$JOBD_RESULT; (read -r x <$DIR/late; echo ruined >&3; echo done >$DIR/written) & test \$1 = late || { echo go >$DIR/late; wait; }' x %{param.when}
[Node hold]
DependsOn=write
Exec=/bin/sh -c 'test \$1 = soon || { echo go >$DIR/late; read -r x <$DIR/go; }' x %{param.when}
[Node read]
DependsOn=hold
Exec=$DIR/words %{write.result}
U
# abandon NAME LINE…: what is abandoned has written before that, and writes again when it is let go.
abandon() {
        local name=$1
        shift
        unit "$name.flow" <<U
[Flow]
RunTimeoutSec=3s
TimeoutMode=abandon
[Node stays]
Exec=/bin/sh -c 'echo 1 >\$JOBD_RESULT; echo done >$DIR/begun; read -r x <$DIR/go; echo 2 >\$JOBD_RESULT; cp \$JOBD_RESULT $DIR/written'
$(printf '%s\n' "$@")
U
}
abandon abandon
abandon abandon-default 'Default="was late"' DefaultOn=timeout

recorded() {
        tr '\n' ' ' <"$RECORD"
        : >"$RECORD"
}

# of RUN NODE KEY: a value of the node's row, as jq -r has it
of() {
        ctl flow show "$1" --json | python3 -c '
import json, sys
nodes = {node["node"]: node for node in json.load(sys.stdin)["nodes"]}
value = nodes[sys.argv[1]].get(sys.argv[2], "-")
print("%s" % value if not isinstance(value, list) else bytes(value).hex())' "$2" "$3"
}

start_daemon

check "a run whose nodes have results" ctl flow start --wait values
check_equal "conditions and words read them" "$(recorded)" '<two words> <{"b":[1,"two words"]}> <> <last> '
check_equal "a node's row has its result" "$(of 1 make result)" '{"a":{"b":[1,"two words"]},"n":5}'
check_equal "and where it is from" "$(of 1 make source)" own
check_equal "what left nothing has none" "$(of 1 empty result)" -
check "results of many sizes" ctl flow start --wait sizes
check_equal "each is handed on whole" "$(recorded)" \
        '<below inline 32767> <at inline 32768> <above file 32769> <all file 1048576> '
check_equal "short ones are in the row" "$(of 2 at result | wc -c)" 32769
check_equal "large ones are not" "$(of 2 above result)" -
check_equal "but known by their hash" "$(of 2 above blob)" \
        "$(python3 -c 'print("\"" + "x" * 32767 + "\"", end="")' | sha256sum | cut -d' ' -f1)"
check_exit "one byte more than ResultMax= fails" 1 ctl flow start --wait large
check_equal "by name" "$(of 3 over reason)" result-too-large
check_exit "what is no JSON fails" 1 ctl flow start --wait invalid
check_equal "by name, too" "$(of 4 bad reason)" result-invalid
check "a result with all of Outputs=" ctl flow start --wait outputs 'keys={"b":null,"a":1,"c":2}'
check_exit "one that lacks a key fails" 1 ctl flow start --wait outputs 'keys={"a":1}'
check_equal "by the name of that" "$(of 6 give reason)" output-missing
ctl flow start --wait default >/dev/null
check_equal "a default stands in for failure, skip and lateness, and causes are handed down" "$(recorded)" \
        '<7> <was skipped> <was late> <{"node":"first","attempt":1,"exit":3}> <4> '
check_equal "its source is told" "$(of 7 fails source)" default
check_equal "with several parents it has the failure of the first that has failed" \
        "$(of 7 several state) $(of 7 several result) $(of 7 several cause)" \
        'SKIPPED 0 {"node":"fails","attempt":1,"exit":4}'
check_equal "a default does not replace a result that is there" "$(of 7 own state) $(of 7 own result)" 'FAILED 8'
check_equal "and the cause" "$(of 7 behind cause)" '{"node":"first","attempt":1,"exit":3}'

# — inputs —
check "a node with inputs runs" ctl flow start --wait inputs
check_equal "each is found where it is nearest" "$(head -1 "$RECORD")" \
        '{"own": true, "host": "mine", "path": [1, 2], "where": "far", "far.where": "far", "all_taskdata": [{"path": [1, 2], "where": null}]}'
check_equal "and is given as variables, too" "$(tail -n +2 "$RECORD" | tr '\n' ' ')" \
        'JOBD_DEP_near={"path":[1,2],"where":null} JOBD_DEP_take= JOBD_P_host=db JOBD_P_size=3 '
recorded >/dev/null
check_exit "one that nobody has given fails its node" 1 ctl flow start --wait missing
check_equal "by name, without another try" "$(of 9 take reason) $(of 9 take attempts)" 'input-missing 1'
check_equal "and nothing runs" "$(recorded)" ""

# — over deaths of core —
mkfifo "$DIR/go" "$DIR/go-make" "$DIR/go-big" "$DIR/late"
state_of() {
        of "$KEPT" "$1" state
}
KEPT=$(ctl flow start kept --json | sed 's/.*"id":\([0-9]*\).*/\1/')
wait_for '^RUNNING$' state_of big
wait_for '^RUNNING$' state_of make
kill_core KILL
printf 'a\n' >"$DIR/go-make"
printf 'a\n' >"$DIR/go-big"
wait_for '^RUNNING$' state_of hold
report $? "nodes end after a death of core"
check_equal "with the result that was left before" "$(of "$KEPT" make result)" '[1]'
kill_core KILL
printf 'a\n' >"$DIR/go"
wait_for '^SUCCEEDED$' state_of sizes
report $? "the run goes on after another one"
check_equal "and its results are read" "$(recorded)" '<[1]> <big file 200000> '

# — late writers —
check_exit "what is written before the end counts: it makes the result no JSON" 1 ctl flow start --wait writer when=soon
rm -f "$DIR/written"
LATE=$(ctl flow start writer when=late --json | sed 's/.*"id":\([0-9]*\).*/\1/')
wait_for 'done' cat "$DIR/written"
printf 'a\n' >"$DIR/go"
late_state() {
        of "$LATE" read state
}
wait_for '^SUCCEEDED$' late_state
report $? "a writer that outlives its attempt writes"
check_equal "and changes nothing" "$(recorded)$(of "$LATE" write result)" '<17> 17'
# What the node of an abandoned run has: its state, its result, and where that is from
stays() {
        echo "$(of "$ABANDONED" stays state) $(of "$ABANDONED" stays result) $(of "$ABANDONED" stays source)"
}
# late_writer FLOW RESULT [core]: it writes and ends after its run, perhaps after the death of core, too
late_writer() {
        rm -f "$DIR/begun" "$DIR/written"
        ABANDONED=$(ctl flow start "$1" --json | sed 's/.*"id":\([0-9]*\).*/\1/')
        check "$1: an attempt writes" wait_for 'done' cat "$DIR/begun"
        wait_for '^TIMEOUT ' stays
        check_equal "$1: an abandoned attempt has no result" "$(stays)" "TIMEOUT $2"
        [ -z "${3-}" ] || kill_core KILL
        check "its command is still there" timeout "$PATIENCE" sh -c "echo a >'$DIR/go'"
        wait_for '^ActiveState=(failed|inactive)$' ctl show -p ActiveState "$1.flow"
        check_equal "it writes one afterwards${3+, when core has died}" "$(cat "$DIR/written")" 2
        check_equal "which changes nothing" "$(stays)" "TIMEOUT $2"
}
late_writer abandon '- -'
late_writer abandon '- -' core
late_writer abandon-default '"was late" default'
late_writer abandon-default '"was late" default' core
kill_core KILL
check_equal "nor does the death of core" "$(stays)" 'TIMEOUT "was late" default'

# — tries —
check "a node whose second try leaves nothing" ctl flow start --wait stale
STALE=$(ctl flow list stale --no-legend --all | awk '{ print $1 }')
check_equal "has not the result of the first" "$(of "$STALE" a result) $(of "$STALE" a attempts) $(of "$STALE" b state)" '- 2 SUCCEEDED'

# — what people see —
check_prints "a node is shown with its result" '^ *Result: .*"n":5' ctl flow show 1/make
check_prints "one that has none with the cause" '^ *Cause: .*"node":"first"' ctl flow show 7/behind
check_exit "a node that is not there is none" 5 ctl flow show 1/nobody
done_testing
