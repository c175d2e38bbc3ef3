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
        if isinstance(value, dict):
            where = "file"
            with open(value["file"]) as file:
                value = json.load(file)
        record.write("<%s %s %d>\n" % (parent["name"], where, len(value) + 2))
W
chmod +x "$DIR/make" "$DIR/words" "$DIR/text" "$DIR/sizes"

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
check_equal "and the cause" "$(of 7 behind cause)" '{"node":"first","attempt":1,"exit":3}'
done_testing
