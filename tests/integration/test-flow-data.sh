#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Data of nodes in files, results that are kept no longer, and those that are a part of the run's; results of any size, as they
# are read; and what the store has of definitions and steps.
# S000-7, S000-17, S004-19, S004-34, S004-41, S004-44
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"
STORE=$XDG_STATE_HOME/jobd/runs.db

# A string of JSON that is a file of so many bytes.
cat >"$DIR/text" <<'W'
#!/usr/bin/python3
import os, sys
n = int(sys.argv[1])
with open(os.environ["JOBD_RESULT"], "w") as result:
    result.write('"' + "x" * (n - 2) + '"')
W
# What of the input a node says.
cat >"$DIR/see" <<W
#!/usr/bin/python3
import json, os, sys
with open(os.environ["JOBD_INPUT"]) as file:
    value = json.load(file)
for key in sys.argv[1].split("."):
    value = value[int(key) if isinstance(value, list) else key]
print(json.dumps(value), file=open("$RECORD", "a"))
W
chmod +x "$DIR/text" "$DIR/see"
# Calls a method of a run with the name of a node and a descriptor: what it answers, and what is in the file then.
cat >"$DIR/result.py" <<P
import os, socket, struct, sys
sys.path.insert(0, "$(dirname "$(realpath "$0")")")
from bus_client import call, pad, size_of_message, string
interface, method, run, node, kind = sys.argv[1:]
file = os.memfd_create("result") if kind == "memory" else os.open("/dev/zero", os.O_RDWR) if kind == "file" \\
    else os.pipe()[1]
bus = socket.socket(socket.AF_UNIX)
bus.connect(os.environ["JOBD_SOCKET"])
bus.sendall(b"\\0AUTH EXTERNAL\\r\\nDATA\\r\\nNEGOTIATE_UNIX_FD\\r\\nBEGIN\\r\\n")
while b"AGREE_UNIX_FD\\r\\n" not in (greeting := bus.recv(4096, socket.MSG_PEEK)):
    pass
bus.recv(greeting.index(b"AGREE_UNIX_FD\\r\\n") + 15)
message = call(7, method, pad(string(node), 4) + struct.pack("<I", 0), target=("/org/jobd1/run/" + run, interface),
               signature="sh", descriptors=1)
socket.send_fds(bus, [message], [file])
answer = b""
while size_of_message(answer) is None or len(answer) < size_of_message(answer):
    answer += bus.recv(65536)
if answer[1] == 2:
    n, = struct.unpack_from("<Q", answer, size_of_message(answer) - struct.unpack_from("<I", answer, 4)[0])
    print(n, os.pread(file, 100, 0).decode())
else:
    print("refused:", answer.decode(errors="replace"))
P

printf '%s\n' '{"table": "users",' ' "rows": [1, 2]}' >"$UNITS/own.json"
unit file.flow <<U
[Flow]
Params=table=none
[Node a]
DataFile=$UNITS/own.json
Inputs=table rows
Exec=$DIR/see context
U
unit missing.flow <<U
[Node a]
DataFile=$DIR/absent.json
Retry=3
Exec=/bin/sh -c 'echo ran >>$RECORD'
U
unit wrong.flow <<U
[Node a]
DataFile=$DIR/wrong.json
Exec=/bin/sh -c 'echo ran >>$RECORD'
U
unit lacks.flow <<U
[Node a]
DataFile=$UNITS/own.json
Inputs=columns
Exec=/bin/sh -c 'echo ran >>$RECORD'
U
unit dropped.flow <<U
[Flow]
MaxParallel=1
[Node big]
KeepResult=no
Exec=$DIR/text 100000
[Node small]
KeepResult=no
Script=echo 7 >"\$JOBD_RESULT"
[Node kept]
Script=echo 8 >"\$JOBD_RESULT"
[Node middle]
DependsOn=big small kept
Exec=$DIR/see parents.1.result
[Node last]
DependsOn=middle
When=small.result == 7
Script=read -r x <$DIR/go
Script=test "\$x" = well
U
unit saved.flow <<U
[Flow]
Params=fails:=false
[Node a]
Save=yes
Script=echo '{"rows":[1,2]}' >"\$JOBD_RESULT"
[Node b]
Exec=/bin/sh -c 'echo 2 >\$JOBD_RESULT'
[Node c]
Save=yes
Exec=$DIR/text 50000
[Node d]
Save=yes
Script=true
[Node e]
DependsOn=a b c d
Save=yes
Default="instead"
Script=test "\$JOBD_P_fails" = false
Script=echo 5 >"\$JOBD_RESULT"
U
unit sizes.flow <<U
[Node short]
Exec=$DIR/text 32768
[Node large]
Exec=$DIR/text 40000
[Node two]
ResultMax=8M
Exec=$DIR/text 2097152
[Node odd]
ResultMax=64M
Exec=$DIR/text 20000001
[Node full]
ResultMax=64M
Exec=$DIR/text 67108864
[Node none]
Exec=/bin/true
[Node waits]
DependsOn=short large two odd none
Exec=/bin/sh -c 'read -r x <$DIR/go'
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
# begun FLOW [WORD…]: the number of its run
begun() {
        ctl flow start --json "$@" | sed 's/.*"id":\([0-9]*\).*/\1/'
}
started() {
        begun --wait "$@"
}
# ask SQL: of the store
ask() {
        python3 -c '
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row, sep="|")' "$STORE" "$1"
}
mkfifo "$DIR/go"
go() {
        timeout "$PATIENCE" sh -c 'echo "$1" >"$2"' sh "$1" "$DIR/go"
}

start_daemon

# — data in files —
check "a node has its data in a file" ctl flow start --wait file
check_equal "which it is given, and which its inputs are looked for in first" "$(recorded)" \
        '{"data": {"table": "users", "rows": [1, 2]}, "inputs": {"table": "users", "rows": [1, 2]}} '
printf '{"table":"hosts","rows":[]}' >"$UNITS/own.json"
check "the file changes" ctl flow start --wait file
check_equal "and the next run has the new one" "$(recorded)" \
        '{"data": {"table": "hosts", "rows": []}, "inputs": {"table": "hosts", "rows": []}} '
run=$(started missing)
check_equal "a file that is not there fails the node, without another try" \
        "$(of "$run" a reason) $(of "$run" a attempts) $(recorded)" 'input-missing 1 '
check_prints "which is said" 'DataFile=.*/absent.json cannot be read: No such file' cat "$DIR/log"
echo '[1]' >"$DIR/wrong.json"
check_equal "so does one that has no object" "$(of "$(started wrong)" a reason)" input-missing
truncate -s 2M "$DIR/wrong.json"
check_equal "or is too large" "$(of "$(started wrong)" a reason)" input-missing
rm "$DIR/wrong.json" && mkfifo "$DIR/wrong.json"
check_equal "or is no file" "$(of "$(started wrong)" a reason)" input-missing
check_equal "or lacks what the node needs" "$(of "$(started lacks)" a reason)$(recorded)" input-missing

# — results that are kept no longer —
run=$(begun dropped)
middle() {
        of "$run" middle state
}
last() {
        of "$run" last state
}
wait_for '^SUCCEEDED$' middle
wait_for '^RUNNING$' last
check_equal "results are there as long as a node below may read them" \
        "$(recorded)$(of "$run" small result) $(of "$run" big source)" '7 7 own'
kill_core KILL
go badly
wait_for '^FAILED$' last
report $? "a node below fails"
check_equal "and may be executed again: results stay" "$(of "$run" small result) $(of "$run" kept result)" '7 8'
check "it is" ctl flow retry "$run/last"
wait_for '^RUNNING$' last
check_equal "they are there" "$(of "$run" small result)" 7
go well
wait_for '^SUCCEEDED$' last
report $? "all nodes below have succeeded"
source_of() {
        of "$run" "$1" source
}
wait_for '^dropped$' source_of small
check_equal "results are dropped then" "$(of "$run" small result) $(source_of small) $(of "$run" big blob) $(source_of big)" \
        '- dropped - dropped'
check_equal "but those that are to be kept" "$(of "$run" kept result) $(source_of kept)" '8 own'
check_exit "what is dropped cannot be read" 5 ctl flow result "$run/small"

# — results of runs —
run=$(started saved)
result_of() {
        ctl flow list --all --json saved | python3 -c '
import json, sys
for row in map(json.loads, sys.stdin):
    if row["id"] == int(sys.argv[1]):
        print(row.get("result", "-"), row.get("ret_stat"), row.get("cost", 0) > 0)' "$1"
}
check_equal "a run has the results that are saved" "$(result_of "$run")" \
        '{"a":{"rows":[1,2]},"c":{"bytes":50000},"d":null,"e":5} SUCCEEDED True'
check_prints "which are shown" '^ *Result: {"a":' ctl flow show "$run"
run=$(started saved fails:=true)
check_equal "a default, too" "$(result_of "$run" | sed 's/.*\("e":[^}]*\).*/\1/')" '"e":"instead"'

# — results of any size —
run=$(begun sizes)
waits() {
        of "$run" waits state
}
wait_for '^RUNNING$' waits
size() {
        ctl flow result "$1" | wc -c
}
check_equal "results of a run that lives are read, with a line break" \
        "$(size "$run/short") $(size "$run/large") $(size "$run/two") $(size "$run/odd")" '32769 40001 2097153 20000002'
check_equal "as they are" "$(ctl flow result "$run" odd | sha256sum)" \
        "$(python3 -c 'print("\"" + "x" * 19999999 + "\"")' | sha256sum)"
check_equal "what left nothing has null" "$(ctl flow result "$run/none")" null
check_exit "what has not ended has no result" 4 ctl flow result "$run/waits"
check_exit "nor has a node that is not there" 5 ctl flow result "$run/nobody"
check_exit "or a run" 5 ctl flow result 4711/a
check_exit "a run alone has none" 2 ctl flow result "$run"
check_equal "a client gives a file in memory, into which the result is written" \
        "$(python3 "$DIR/result.py" org.jobd1.Run Result "$run" large memory | cut -c1-12)" '40000 "xxxxx'
check_prints "no other file" 'InvalidArgs.*none of a file in memory' python3 "$DIR/result.py" org.jobd1.Run Result "$run" large file
check_prints "and no pipe, which nobody may read" 'InvalidArgs' python3 "$DIR/result.py" org.jobd1.Run Result "$run" large pipe
go on
sizes_run() {
        ctl flow list --all --json sizes
}
wait_for '"state":"SUCCEEDED"' sizes_run
check_equal "they are read of a run that has ended, too" "$(size "$run/large") $(size "$run/odd")" '40001 20000002'
check_equal "one of 64 MiB, too, which is the most that there is" "$(size "$run/full")" 67108865
unit most.flow <<U
[Node over]
ResultMax=64M
Exec=$DIR/text 67108865
U
unit more.flow <<'U'
[Node a]
ResultMax=65M
Exec=/bin/true
U
ctl daemon-reload
check_equal "more fails by name" "$(of "$(started most)" over reason)" result-too-large
check_prints "nor may ResultMax= be more" 'more.flow:2: error: ResultMax=: .*64M' ctl verify "$UNITS/more.flow"
stop_daemon
start_daemon
wait_for . ctl flow list
check_equal "and after a new start" "$(size "$run/two")" 2097153

# — definitions and steps as rows —
defined() {
        ask "SELECT count(*) FROM def_node n JOIN run r ON r.definition = n.hash WHERE r.id = $run"
}
wait_for '^7$' defined
report $? "the nodes of a definition are rows"
check_equal "and their edges" \
        "$(ask "SELECT group_concat(p.name || ' ' || e.kind) FROM def_edge e JOIN run r ON r.definition = e.hash
                JOIN def_node c ON c.hash = e.hash AND c.number = e.child JOIN def_node p ON p.hash = e.hash AND p.number = e.parent
                WHERE r.id = $run AND c.name = 'waits' ORDER BY p.number")" \
        'short DependsOn,large DependsOn,two DependsOn,odd DependsOn,none DependsOn'
check_equal "with what a node does" "$(ask "SELECT n.settings FROM def_node n JOIN run r ON r.definition = n.hash
        WHERE r.unit = 'file.flow' AND n.name = 'a' LIMIT 1")" \
        "{\"Exec\":[\"$DIR/see\",\"context\"],\"Inputs\":[\"table\",\"rows\"],\"DataFile\":\"$UNITS/own.json\"}"
before=$(ask 'SELECT count(*) FROM def_node')
check "another run of the same definition" ctl flow start --wait file --reqid=r-17
check_equal "adds none" "$(ask 'SELECT count(*) FROM def_node')" "$before"
check_equal "a step has its label, its request and how it has ended" \
        "$(ask "SELECT label, reqid, ret_stat FROM node WHERE reqid = 'r-17'") $(ask "SELECT ret_stat FROM node WHERE label = 'last'")" \
        'a|r-17|0 0'
check_equal "also one that has failed" "$(ask "SELECT DISTINCT node.ret_stat FROM node JOIN run ON run.id = node.run
        WHERE run.unit = 'missing.flow'")" input-missing

# — what a store has lost —
# forget SQL: what a store that removes the run, or part of its file, leaves
forget() {
        python3 - "$XDG_STATE_HOME/jobd/runs.db" "$1" <<'P'
import sqlite3, sys
with sqlite3.connect(sys.argv[1], timeout=60) as store:
    store.execute(sys.argv[2])
P
}
forget "DELETE FROM blob WHERE chunk = 40"
check_exit "a part of which the store has lost is not given as the whole" 1 ctl flow result "$run/full"
check_prints "which is said" 'does not have all of the result of node full: run .* was removed' echo "$OUT"
ctl flow result "$run/odd" >"$DIR/read" 2>"$DIR/said" &
READER=$!
forget "DELETE FROM run WHERE id = $run"
wait "$READER"
case "$?$(cat "$DIR/said")$(stat -c %s "$DIR/read")" in
020000002 | *"was removed"*0 | *"no run"*0 | *"no node"*0) true ;;
*) false ;;
esac
report $? "one whose run is removed meanwhile is read whole, or not at all" "$(cat "$DIR/said")"
done_testing
