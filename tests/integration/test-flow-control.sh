#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What commands say while they run: $JOBD_CONTROL.
# S000-43a, S004-10
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

# node RUN/NODE: its state
node() {
        ctl flow show --json "${1%/*}" | python3 -c '
import json, sys

run = json.load(sys.stdin)
print(next((node["state"] for node in run["nodes"] if node["node"] == sys.argv[1]), "none"))' "${1#*/}"
}

last_run() {
        ctl flow list --no-legend --all "$1" | awk 'NR == 1 { print $1 }'
}

why() {
        ctl flow why "$1"
}

# why_value RUN/NODE KEY
why_value() {
        ctl flow why --json "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin).get(sys.argv[1], "none"))' "$2"
}

# tell NAME LINE…: what a command that listens is to say, word for word
tell() {
        local name=$1
        shift
        printf '%s\n' "$@" | timeout "$PATIENCE" sh -c 'cat >"$1"' sh "$DIR/$name"
}

# Says what it hears until it hears "end STATUS".
cat >"$DIR/speaker" <<S
#!/bin/sh
while :; do
        while read -r line; do
                case \$line in
                end*) exit \${line#end } ;;
                *) printf '%s\n' "\$line" >>"\$JOBD_CONTROL" ;;
                esac
        done <$DIR/\$1
done
S
chmod +x "$DIR/speaker"
mkfifo "$DIR/talk" "$DIR/nodes" "$DIR/ask"
unit talk.flow <<U
[Flow]
[Node talk]
Exec=$DIR/speaker talk
U
unit ask.flow <<U
[Flow]
[Node ask]
Exec=/bin/sh -c 'echo pending who has the key? >>\$\$JOBD_CONTROL; exit \$\$(cat $DIR/status)'
[Node after]
DependsOn=ask
Exec=/bin/sh -c 'echo after >>$RECORD'
U
unit again.flow <<U
[Flow]
[Node again]
AgainSec=1h
Exec=/bin/sh -c 'echo try >>$RECORD; [ \$\$(wc -l <$RECORD) -ge 3 ] && exit 0; echo again-after 0.2 >>\$\$JOBD_CONTROL; exit 75'
U
unit nodes.flow <<U
[Flow]
[Node split]
Exec=$DIR/speaker nodes
[Node join]
DependsOn=split
Exec=/bin/sh -c 'echo join >>$RECORD'
U
cat >"$DIR/splitter" <<S
#!/bin/sh
cd "\${JOBD_CONTROL%/*}" || exit 1
for i in 1 2 3; do
        echo '{"Node":"part-'\$i'","Exec":"/bin/sh -c \"echo part >>$RECORD\""}'
done >parts
echo add-nodes parts >>control
echo '{"Node":"more","Exec":"/bin/sh -c \"echo part >>$RECORD\""}' >more
echo add-nodes more >>control
S
chmod +x "$DIR/splitter"
unit own.flow <<U
[Flow]
[Node split]
Exec=$DIR/splitter
[Node join]
DependsOn=split
Exec=/bin/sh -c 'echo join >>$RECORD'
U
start_daemon

# — while a command runs —
check "a command that is to talk starts" ctl flow start talk
RUN=$(last_run talk)
wait_for RUNNING node "$RUN/talk"
tell talk 'progress 3/10' 'status copies the first part'
check "why says how far it is" wait_for ', 3 of 10: copies the first part' why "$RUN/talk"
check_equal "--json has the numbers" "$(why_value "$RUN/talk" progress)/$(why_value "$RUN/talk" progress_of)" 3/10
check_equal "and the text" "$(why_value "$RUN/talk" status)" "copies the first part"
tell talk 'progress 11/10' 'hello there' 'status copies the second part'
check "what follows a line that is none counts" wait_for '3 of 10: copies the second part' why "$RUN/talk"
check "a line that is none is told" wait_for "Run $RUN, node talk: Line 3 of .JOBD_CONTROL is ignored: '11/10' is no progress" cat "$DIR/log"
check "with its number" wait_for "Line 4 of .JOBD_CONTROL is ignored: it begins with 'hello'" cat "$DIR/log"
kill_core KILL
check "core knows it after its death" wait_for '3 of 10: copies the second part' why "$RUN/talk"
tell talk 'progress 4/10'
check "and hears more" wait_for ', 4 of 10' why "$RUN/talk"
tell talk 'end 0'
check "the node succeeds" wait_for SUCCEEDED node "$RUN/talk"

# A command that writes without an end is heard now and then, and core sleeps between.
unit flood.flow <<U
[Flow]
[Node flood]
Exec=/bin/sh -c 'i=0; while [ \$\$i -lt 2000 ]; do i=\$\$((i + 1)); echo progress \$\$i/2000 >>\$\$JOBD_CONTROL; done; read -r x <$DIR/go'
U
mkfifo "$DIR/go"
# ticks: the processor time of core; clock: the time; both in hundredths of a second
ticks() {
        awk '{ print $14 + $15 }' "/proc/$CORE/stat"
}
clock() {
        awk '{ print int($1 * 100) }' /proc/uptime
}
ctl daemon-reload
BEFORE=$(ticks) BEGUN=$(clock)
ctl flow start --quiet flood
RUN=$(last_run flood)
check "the last of many lines counts" wait_for ', 2000 of 2000' why "$RUN/flood"
check "and core does not spin meanwhile" test $((2 * ($(ticks) - BEFORE))) -lt $(($(clock) - BEGUN))
timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/go"
check "the node has succeeded" wait_for SUCCEEDED node "$RUN/flood"

# — a process that takes its time before it makes its folder —
if strace -e trace=none true 2>/dev/null; then
        strace -f -p "$CORE" -o /dev/null -e trace=mkdirat -e inject=mkdirat:delay_enter=700000 2>"$DIR/strace" &
        STRACE=$!
        wait_for attached cat "$DIR/strace"
        ctl flow start --quiet talk
        RUN=$(last_run talk)
        tell talk 'progress 1/2'
        check "what a command says is heard, however late it begins" wait_for ', 1 of 2' why "$RUN/talk"
        kill "$STRACE"
        wait "$STRACE" 2>/dev/null
        tell talk 'end 0'
        check "and its node succeeds" wait_for SUCCEEDED node "$RUN/talk"

        # One that is killed before it has made the folder, and whose failure does not count, leaves it to the next one.
        unit before.flow <<U
[Flow]
[Node before]
ExecStartPre=-/bin/true
Exec=/bin/sh -c 'cp \$\$JOBD_INPUT $DIR/copied'
U
        ctl daemon-reload
        # child: the pid of a process of core that executes nothing yet
        child() {
                local pid
                for pid in $(cat "/proc/$CORE/task/$CORE/children"); do
                        [ "$(readlink "/proc/$pid/exe")" != "$(readlink "/proc/$CORE/exe")" ] || echo "$pid"
                done
        }
        strace -f -p "$CORE" -o /dev/null -e trace=mkdirat -e inject=mkdirat:delay_enter=3000000 2>"$DIR/strace" &
        STRACE=$!
        wait_for attached cat "$DIR/strace"
        ctl flow start --quiet before
        RUN=$(last_run before)
        wait_for . child
        kill -KILL "$(child)"
        kill "$STRACE"
        wait "$STRACE" 2>/dev/null
        check "a command after one that was killed before it began succeeds" wait_for SUCCEEDED node "$RUN/before"
        check_prints "and has its input" '"event":"input"' cat "$DIR/copied"
else
        skip "what a command says is heard, however late it begins" "there is no strace, or it may not trace here"
fi

# — what folders are in is removed —
unit plain.flow <<U
[Flow]
[Node plain]
Exec=/bin/sh -c 'test -s \$\$JOBD_INPUT'
U
ctl daemon-reload
check "a flow runs" ctl flow start --quiet --wait plain
check "what folders of attempts are in is removed" rm -r "$XDG_RUNTIME_DIR/jobd/attempts"
check "it is made again for an attempt" ctl flow start --quiet --wait plain
check "and is there for the next one" ctl flow start --quiet --wait plain

# — pending —
echo 0 >"$DIR/status"
check "a command that asks for a person is started" ctl flow start --quiet ask
RUN=$(last_run ask)
check "a success is PENDING all the same" wait_for PENDING node "$RUN/ask"
check_prints "why says the reason" 'asked for a person: who has the key\?; a person has to resolve it' why "$RUN/ask"
check_equal "--json has it" "$(why_value "$RUN/ask" answer_reason)" "who has the key?"
check_prints "and so does an alarm" 'Node ask of run [0-9]+ of ask.flow is PENDING \(status: who has the key\?\)' ctl flow alarms
check_equal "what follows waits" "$(cat "$RECORD")" ""
kill_core KILL
check "it is after the death of core" wait_for PENDING node "$RUN/ask"
check "a person decides" ctl flow resolve "$RUN/ask" --as=success
check "and the run goes on" wait_for SUCCEEDED node "$RUN/after"
echo 3 >"$DIR/status"
ctl flow start --quiet ask
RUN=$(last_run ask)
check "a failure is PENDING, too" wait_for PENDING node "$RUN/ask"
ctl flow cancel "$RUN" >/dev/null

# — again —
: >"$RECORD"
check "a command says when it is to run again" ctl flow start --wait --quiet again
check_equal "in place of AgainSec=" "$(grep -c try "$RECORD")" 3

# — nodes —
: >"$RECORD"
check "a command adds nodes by a line" ctl flow start --wait --quiet own
check_equal "what waits for it waits for them" "$(tr '\n' ' ' <"$RECORD")" "part part part part join "
: >"$RECORD"
ctl flow start --quiet nodes
RUN=$(last_run nodes)
wait_for RUNNING node "$RUN/split"
tell nodes 'add-nodes ../lines' 'add-nodes nothing'
check "another folder is refused" wait_for "'../lines' is no name of a file beside" cat "$DIR/log"
check "a file that there is not is told" wait_for 'add-nodes nothing: No such file' cat "$DIR/log"
FOLDER=$(find "$DIR" -path "*/attempts/run-$RUN-*" -name input -printf '%h\n' | head -n 1)
echo "{\"Node\":\"part\",\"Exec\":\"/bin/sh -c 'echo part >>$RECORD'\"}" >"$FOLDER/lines"
echo '{"Node":"bad","DependsOn":"nobody"}' >"$FOLDER/bad"
tell nodes 'add-nodes bad' 'add-nodes lines'
check "what AddNodes refuses is told" wait_for 'add-nodes bad: .*no such node' cat "$DIR/log"
check "nodes are there while the command runs, and wait for it" wait_for WAITING node "$RUN/part"
kill_core KILL
check "after the death of core they are not added twice" wait_for 'RUNNING' node "$RUN/split"
tell nodes 'end 0'
check "and the run ends" wait_for SUCCEEDED node "$RUN/join"
check_equal "with each of them once" "$(tr '\n' ' ' <"$RECORD")" "part join "

stop_daemon
done_testing
