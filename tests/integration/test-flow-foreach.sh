#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Foreach=: instances of a node for each item of a list, over deaths of core, and the list of their results.
# S004-5, S004-7, S004-16b, S004-18, S004-19a
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

cat >"$DIR/words" <<W
#!/bin/sh
for word; do printf '<%s>\n' "\$word" >>$RECORD; done
W
cat >"$DIR/give" <<'W'
#!/bin/sh
printf %s "$1" >$JOBD_RESULT
W
cat >"$DIR/scan" <<W
#!/bin/sh
printf '<%s %s %s>\n' "\$JOBD_NODE" "\$1" "\$2" >>$RECORD
printf '"%s"' "\$(printf %s "\$1" | tr -d '{}":[]')" >\$JOBD_RESULT
W
cat >"$DIR/long" <<'W'
#!/bin/sh
printf '"%s %040d"' "$1" 0 >$JOBD_RESULT
W
# The length of the list that the parent has left, wherever it is.
cat >"$DIR/length" <<W
#!/usr/bin/python3
import json, os
with open(os.environ["JOBD_INPUT"]) as file:
    parent = json.load(file)["parents"][0]
value, where = parent["result"], "inline"
if isinstance(value, dict):
    where = "file"
    with open(value["file"]) as file:
        value = json.load(file)
with open("$RECORD", "a") as record:
    record.write("<%s %d %s>\n" % (where, len(value), value[-1]))
W
chmod +x "$DIR/words" "$DIR/give" "$DIR/scan" "$DIR/long" "$DIR/length"
mkfifo "$DIR/gate" "$DIR/go-1" "$DIR/go-2" "$DIR/go-3" "$DIR/go-4" "$DIR/go-5" "$DIR/go-6"

unit list.flow <<U
[Flow]
[Node pull]
Exec=$DIR/give '{"shards":["a b","%%{c}",3,{"k":[1]}]}'
[Node scan]
DependsOn=pull
Foreach=pull.result.shards
Exec=$DIR/scan %{item} %{item.k.0}
[Node merge]
DependsOn=scan
When=scan.result.0 == "a b"
Exec=$DIR/words %{scan.result.2} %{scan.state}
U
unit none.flow <<U
[Flow]
Params=list:=[]
[Node each]
Foreach=param.list
Exec=$DIR/words %{item}
[Node after]
DependsOn=each
Exec=$DIR/words %{each.result}
U
unit some.flow <<U
[Flow]
Params=list:=[1,2,3,4]
[Node each]
Foreach=param.list
FailurePolicy=continue
Exec=/bin/sh -c 'test \$1 != 2 && echo \$1 >\$JOBD_RESULT' x %{item}
[Node most]
DependsOn=each
Readiness=at-least:75%
Exec=$DIR/words %{each.result}
[Node all]
DependsOn=each
Exec=$DIR/words never
[Node why]
DependsOn=each
Readiness=all-finished
Exec=$DIR/words %{each.cause}
U
unit standard.flow <<U
[Flow]
Params=list:=[1,2,3]
[Node each]
Foreach=param.list
Default="none"
Exec=/bin/sh -c 'test \$1 != 2 && echo \$1 >\$JOBD_RESULT' x %{item}
[Node see]
DependsOn=each
Readiness=all-finished
Exec=$DIR/words %{each.result}
U
unit bound.flow <<U
[Flow]
Params=list:=[1,2,3]
[Node each]
Foreach=param.list
ForeachMax=2
Exec=$DIR/words %{item}
U
unit parallel.flow <<U
[Flow]
Params=list:=[1,2,3,4,5,6]
MaxParallel=10
[Node each]
Foreach=param.list
ForeachParallel=2
Exec=/bin/sh -c 'echo begin >>$RECORD; read -r x <$DIR/go-\$1; echo end >>$RECORD' x %{item}
U
unit again.flow <<U
[Flow]
Params='list:=["x","y","z"]'
[Node each]
Foreach=param.list
Exec=/bin/sh -c 'test -e $DIR/ok -o \$1 != y && $DIR/words \$1' x %{item}
[Node after]
DependsOn=each
Exec=$DIR/words after
U
unit asks.flow <<U
[Flow]
Params=list:=[1,2,3]
[Node each]
Foreach=param.list
FailurePolicy=suspend
Exec=/bin/sh -c 'test \$1 != 2' x %{item}
U
unit dies.flow <<U
[Flow]
Params=n:=40
MaxParallel=4
[Node list]
Exec=/usr/bin/python3 -c 'import json, os; json.dump(list(range(40)), open(os.environ["JOBD_RESULT"], "w"))'
[Node each]
DependsOn=list
Foreach=list.result
Exec=/bin/sh -c 'echo \$1 >>$DIR/done; echo \$1 >\$JOBD_RESULT; test \$1 != 5 || read -r x <$DIR/gate' x %{item}
[Node after]
DependsOn=each
Exec=$DIR/words %{each.result.5} %{each.result.39}
U
unit large.flow <<U
[Flow]
MaxParallel=20
[Node list]
Exec=/usr/bin/python3 -c 'import json, os; json.dump(list(range(1000)), open(os.environ["JOBD_RESULT"], "w"))'
[Node each]
DependsOn=list
Foreach=list.result
Exec=$DIR/long %{item}
[Node after]
DependsOn=each
Exec=$DIR/length
U

unit call.flow <<U
[Flow]
MaxParallel=2
Params='list:=["x","y","z"]'
[Node each]
Foreach=param.list
Callback=yes
Save=yes
Exec=/bin/sh -c 'echo \$JOBD_TOKEN >$DIR/new-\$1 && mv $DIR/new-\$1 $DIR/token-\$1' x %{item}
[Node after]
DependsOn=each
Exec=$DIR/words %{each.result}
U
unit grown.flow <<U
[Flow]
Params=list:=[1,2]
[Node first]
Exec=/bin/sh -c 'read -r x <$DIR/gate'
[Node each]
DependsOn=first
Foreach=param.list
Callback=yes
Exec=/bin/sh -c 'echo \$JOBD_TOKEN >$DIR/new-\$1 && mv $DIR/new-\$1 $DIR/token-\$1' x %{item}
[Node after]
DependsOn=each
Exec=$DIR/words %{each.result}
U
# What a node may have beside Foreach= takes effect for each instance, or, as a gate and a condition, once.
cat >"$DIR/try" <<U
#!/bin/sh
echo begin >>$RECORD
[ "\$(ls $DIR/held)" = there ] || echo unheld >>$RECORD
grep -q '"context":{"data":{"k":1}' "\$JOBD_INPUT" || echo no data >>$RECORD
echo end >>$RECORD
if mkdir $DIR/tried-\$1 2>/dev/null; then exit 1; fi
printf '{"n":"%s%s"}' "\$JOBD_P_word" "\$1" >\$JOBD_RESULT
U
cat >"$DIR/told" <<U
#!/usr/bin/python3
import json, sys
o = json.load(sys.stdin)
print("told", o["node"]["name"], o["node"]["state"], o["node"]["result"], [p["name"] for p in o["parents"]], file=open("$DIR/events", "a"))
U
chmod +x "$DIR/try" "$DIR/told"
mkdir "$DIR/held"
unit held.service <<U
[Unit]
StopWhenUnneeded=yes
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/touch $DIR/held/there
ExecStop=/bin/rm $DIR/held/there
U
unit settings.flow <<U
[Flow]
Params=list:=[1,2,3] word=w
[Node first]
Exec=/bin/true
[Node each]
DependsOn=first
Foreach=param.list
When=first.state == "SUCCEEDED"
Gate=manual
Retry=1
RetryDelaySec=0
RequiresUnit=held.service
Lock=door
InputMode=env
Data={"k":1}
Outputs=n
TimeoutSec=1h
Idempotent=yes
OnResult=exec:$DIR/told
Exec=$DIR/try %{item}
[Node after]
DependsOn=each
OptionalDependsOn=first
Exec=$DIR/words %{each.result}
U
unit drop.flow <<U
[Flow]
[Node list]
KeepResult=no
Exec=$DIR/give '[1,2]'
[Node each]
DependsOn=list
Foreach=list.result
Exec=$DIR/words %{item}
[Node more]
DependsOn=each
Exec=$DIR/words %{list.result}
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
print(nodes.get(sys.argv[1], {}).get(sys.argv[2], "-"))' "$2" "$3"
}

last_run() {
        ctl flow list --no-legend "$@" | awk 'NR == 1 { print $1 }'
}

count() {
        grep -c "^$1" "$RECORD"
}

start_daemon

# — items and results —
check "a node runs for each item of a list" ctl flow start --wait list
check_equal "with the item in its words, each with a name" "$(sort "$RECORD" | tr '\n' ' ')" \
        '<3> <SUCCEEDED> <scan[0] a b > <scan[1] %{c} > <scan[2] 3 > <scan[3] {"k":[1]} 1> '
sed -i '/^<scan/d' "$RECORD"
check_equal "the node's result is the list of theirs" "$(recorded)" '<3> <SUCCEEDED> '
check_equal "which its row has" "$(of 1 scan result)" '["a b","%c","3","k1"]'
check_equal "and where it is from" "$(of 1 scan source) $(of 1 scan items)" 'items 4'
check_equal "instances are nodes" "$(of 1 'scan[3]' state)" SUCCEEDED
check_prints "they are shown" '^ *scan\[2\] +SUCCEEDED' ctl flow show 1
check_prints "each has its result" '^ *Result: *"3"' ctl flow show '1/scan[2]'
check "no items" ctl flow start --wait none
check_equal "are a success with an empty list" "$(recorded)" '<[]> '
check "what a caller gives is a list, too" ctl flow start --wait none 'list:=["p"]'
check_equal "of one item" "$(recorded)" '<p> <[null]> '
check_exit "what is no list fails its node" 1 ctl flow start --wait none 'list:=7'
check_equal "by name" "$(of 4 each reason)" expression
check_prints "and says why" 'node each: Foreach= has no value: The expression has to be an array, not a number \(param.list\)' cat "$DIR/log"
check_exit "a list that is too long does, too" 1 ctl flow start --wait bound
check_equal "by its name" "$(of "$(last_run bound)" each reason)" too-many
check_equal "and nothing runs" "$(recorded)" ""

# — failures —
check_exit "an instance that fails is tolerated" 10 ctl flow start --wait some
RUN=$(last_run some)
check_equal "children count instances: so many are enough" "$(grep -v cause "$RECORD" | sort | tr '\n' ' ')" \
        '<[1,null,3,4]> <{"node":"each[1]","attempt":1,"exit":1}> '
recorded >/dev/null
check_equal "others are skipped" "$(of "$RUN" all state)" SKIPPED
check_equal "the node has failed" "$(of "$RUN" each state)" FAILED
check_exit "Default= is that of each instance" 10 ctl flow start --wait standard
check_equal "in the list" "$(recorded)" '<[1,"none",3]> '
check_exit "a failure fails the run" 1 ctl flow start --wait again
RUN=$(last_run again)
recorded >/dev/null
: >"$DIR/ok"
check "a retry" ctl flow retry "$RUN"
wait_for 'SUCCEEDED' ctl flow list --no-legend again
report $? "succeeds"
check_equal "and is one of the instance that has failed" "$(recorded)" '<y> <after> '
check_equal "in a generation of its own" "$(of "$RUN" 'each[1]' generation) $(of "$RUN" 'each[0]' generation)" '2 1'
check "a rerun" ctl flow rerun "$RUN/each"
wait_for 'SUCCEEDED' ctl flow list --no-legend again
wait_for '<after>' cat "$RECORD"
check_equal "is one of all items" "$(sort "$RECORD" | tr '\n' ' ')" '<after> <x> <y> <z> '
recorded >/dev/null
check_exit "an instance may ask for a person" 11 ctl flow start --wait asks
RUN=$(last_run asks)
check_prints "why says so" '2 of 3 instances have ended, 0 run, 1 waits for a person' ctl flow why "$RUN/each"
check "who resolves it" ctl flow resolve "$RUN/each[1]" --as=success
wait_for 'SUCCEEDED' ctl flow list --no-legend asks
report $? "lets the run go on"

# — how many at a time —
check "ForeachParallel=" ctl flow start parallel
RUN=$(last_run parallel)
wait_for '^2$' count begin
wait_for '0 of 6 instances have ended, 2 run' ctl flow why "$RUN"
report $? "bounds how many run"
check_prints "why of one that waits names it" 'MaxParallel= or ForeachParallel= allows' ctl flow why "$RUN/each[5]"
for item in 1 2 3 4 5 6; do
        timeout "$PATIENCE" sh -c 'echo >"$1"' sh "$DIR/go-$item"
done
wait_for 'SUCCEEDED' ctl flow list --no-legend parallel
report $? "until all have run"
check_equal "two at a time" "$(awk '/begin/ { n++ } /end/ { n-- } n > most { most = n } END { print most }' "$RECORD")" 2
recorded >/dev/null

# — deaths of core —
check "a run with many items" ctl flow start dies
RUN=$(last_run dies)
done_lines() {
        wc -l <"$DIR/done" 2>/dev/null
}
wait_for '^([6-9]|[1-4][0-9])$' done_lines
kill_core KILL
wait_for '^40$' done_lines
kill_core KILL
wait_for "39 of 40 instances have ended, 1 run" ctl flow why "$RUN/each"
report $? "core knows the instances after its death"
timeout "$PATIENCE" sh -c 'echo >"$1"' sh "$DIR/gate"
wait_for 'SUCCEEDED' ctl flow list --no-legend dies
report $? "the run goes on"
check_equal "each instance ran once" "$(sort -n "$DIR/done" | uniq | wc -l) $(done_lines)" '40 40'
check_equal "no result is lost" "$(recorded)" '<5> <39> '
check_equal "nor after another death" "$(kill_core KILL; of "$RUN" 'each[39]' result)" 39

# — many —
check "a long list" ctl flow start --wait large
check_equal "has its results in a file" "$(recorded)" '<file 1000 999 0000000000000000000000000000000000000000> '

# — instances that others complete —
token() {
        cat "$DIR/token-$1"
}
check "instances wait to be completed" ctl flow start call
RUN=$(last_run call)
for item in x y z; do
        wait_for '.' token "$item"
done
wait_for "0 of 3 instances have ended, 3 run" ctl flow why "$RUN/each"
report $? "without a place, each with a token of its own"
wait_for 'callback' of "$RUN" 'each[1]' reason
check_exit "a token completes its instance" 0 ctl flow complete "$(token y)" '"of y"'
check_equal "and no other one" "$(of "$RUN" 'each[0]' state) $(of "$RUN" 'each[1]' state) $(of "$RUN" 'each[2]' state)" \
        'RUNNING SUCCEEDED RUNNING'
kill_core KILL
wait_for "1 of 3 instances have ended, 2 run" ctl flow why "$RUN/each"
report $? "which core knows after its death"
check_exit "so it does then" 0 ctl flow complete "$(token z)" '"of z"'
check_exit "the same again changes nothing" 0 ctl flow complete "$(token z)" '"of z"'
check_exit "nor does a token with the number of another" 5 ctl flow complete "$(token z | sed 's/\.[0-9]*/.0/')"
check_equal "each has its own result" "$(of "$RUN" 'each[1]' result) $(of "$RUN" 'each[2]' result)" '"of y" "of z"'
check_exit "the last one completes the node" 0 ctl flow complete "$(token x)" '"of x"'
wait_for 'SUCCEEDED' ctl flow list --no-legend call
report $? "and the run goes on"
check_equal "with the results in the order of the items" "$(recorded)" '<["of x","of y","of z"]> '
check_prints "Save= has the list" '^ *Result: \{"each":\["of x","of y","of z"\]\}' ctl flow show "$RUN"
check "a list whose node does not keep it" ctl flow start --wait drop
check_equal "is there as long as instances run" "$(sort "$RECORD" | tr '\n' ' ')" '<1> <2> <[1,2]> '
recorded >/dev/null
check_equal "and then dropped" "$(of "$(last_run drop)" list source)" dropped

# — other settings —
check "a node with a gate waits once" ctl flow start settings
RUN=$(last_run settings)
wait_for 'PENDING' of "$RUN" each state
check_equal "before there are instances" "$(of "$RUN" 'each[0]' state)" -
check "who approves it" ctl flow approve "$RUN/each"
wait_for 'SUCCEEDED' ctl flow list --no-legend settings
report $? "lets all of them run"
check_equal "each is retried, with its lock, its data, its unit and its result" "$(recorded)" \
        "$(yes 'begin end' | head -6 | tr '\n' ' ')<[{\"n\":\"w1\"},{\"n\":\"w2\"},{\"n\":\"w3\"}]> "
check_equal "so often" "$(of "$RUN" 'each[2]' attempts) $(of "$RUN" each attempts)" '2 0'
wait_for '^4$' grep -c '^told' "$DIR/events"
report $? "the end of each is told, and that of the node"
check_equal "with its parents as the flow has them" "$(sort "$DIR/events" | sed -n '1p;2p' | tr '\n' ' ')" \
        "told each SUCCEEDED [{'n': 'w1'}, {'n': 'w2'}, {'n': 'w3'}] ['first'] told each[0] SUCCEEDED {'n': 'w1'} ['first'] "

# — nodes that are added —
check "nodes may be added before a list is known" ctl flow start grown
RUN=$(last_run grown)
wait_for 'RUNNING' of "$RUN" first state
printf '{"Node":"more","Foreach":"param.list","Exec":"%s more%%{item}"}\n' "$DIR/words" >"$DIR/more"
check "below another node, also one with a list" ctl flow add-nodes "$RUN/first" "$DIR/more"
timeout "$PATIENCE" sh -c 'echo >"$1"' sh "$DIR/gate"
for item in 1 2; do
        wait_for "^$RUN\\." token "$item"
done
wait_for '<more1>' cat "$RECORD" && wait_for '<more2>' cat "$RECORD"
report $? "they run beside instances"
wait_for "0 of 2 instances have ended, 2 run" ctl flow why "$RUN/each"
sed -i s/more/late/ "$DIR/more"
check_exit "not when there are instances" 4 ctl flow add-nodes "$RUN/each" "$DIR/more"
check_prints "which is said" 'Run [0-9]+ of grown.flow has instances of a node with Foreach=, and takes no nodes any more' \
        ctl flow add-nodes "$RUN/each" "$DIR/more"
kill_core KILL
check_exit "instances of a run with such nodes are there after a death" 0 ctl flow complete "$(token 2)" 22
check_exit "each with its token" 0 ctl flow complete "$(token 1)" 11
wait_for 'SUCCEEDED' ctl flow list --no-legend grown
report $? "and the run goes on"
check_equal "with all of them" "$(sort "$RECORD" | tr '\n' ' ')" '<[11,22]> <more1> <more2> '
recorded >/dev/null
check_prints "a plan names the list" 'for each of list.result' ctl flow plan dies

# — what has no sense is refused —
printf '[Node x]\nForeach=param.list\nExec=/bin/true\n' >"$UNITS/unknown.flow"
printf '[Node x]\nForeach=[1,2]\n' >"$UNITS/nothing.flow"
printf '[Node x]\nForeach=item.list\nExec=/bin/true\n' >"$UNITS/self.flow"
printf '[Node x]\nForeach=%%{param.list}\nExec=/bin/true\n' >"$UNITS/braces.flow"
printf '[Node x]\nForeachParallel=2\nForeachMax=3\nExec=/bin/true\n' >"$UNITS/without.flow"
for setting in 'Script=true' 'Unit=a.service' 'SleepSec=5' 'SleepUntil=daily'; do
        printf '[Flow]\nParams=list:=[]\n[Node x]\nForeach=param.list\n%s\n' "$setting" >"$UNITS/other.flow"
        check_prints "a node with Foreach= and ${setting%%=*}= is refused" "other.flow:4: error: Foreach=: Node x: .*${setting%%=*}=" ctl verify "$UNITS/other.flow"
done
for setting in 'Compensate=/bin/true' 'KeepResult=no'; do
        printf '[Flow]\nParams=list:=[]\n[Node x]\nForeach=param.list\nExec=/bin/true\n%s\n' "$setting" >"$UNITS/other.flow"
        check_prints "so is one with ${setting%%=*}=" "other.flow:4: error: Foreach=: Node x: it has ${setting%%=*}=" ctl verify "$UNITS/other.flow"
done
rm "$UNITS/other.flow"
check_prints "a list has to be known" "unknown.flow:2: error: Foreach=: Params= of .Flow. has no parameter 'list'" ctl verify "$UNITS/unknown.flow"
check_prints "a node does something for each item" 'nothing.flow:2: error: Foreach=: Node x: it has neither Exec= nor Flow=' ctl verify "$UNITS/nothing.flow"
check_prints "there is no item before there is a list" 'self.flow:2: error: Foreach=: item.list has no value' ctl verify "$UNITS/self.flow"
check_prints "a list is written bare" 'braces.flow:2: error: Foreach=: .* a list is written bare' ctl verify "$UNITS/braces.flow"
check_prints "bounds need a list" 'without.flow:2: warning: ForeachParallel=: Node x: without Foreach= it has no effect' ctl verify "$UNITS/without.flow"
check_prints "all of them" 'without.flow:3: warning: ForeachMax=: Node x: without Foreach= it has no effect' ctl verify "$UNITS/without.flow"
done_testing
