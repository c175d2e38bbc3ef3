#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The verbs of streams: pushes of one element and of many, what is listed, what people do, and what is refused.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

# An element is what its data say: "wait" lasts until the file "go" is there, "ask" asks for a person until "good" is.
cat >"$DIR/element.sh" <<'S'
data=$(cat)
echo "$JOBD_GROUP $JOBD_SEQUENCE $data" >>"$1/done"
case $data in
        wait) until [ -e "$1/go" ]; do sleep 0.02; done ;;
        ask) [ -e "$1/good" ] || exit 65 ;;
        fail) exit 1 ;;
esac
S
unit orders.stream <<U
[Stream]
Exec=/bin/sh $DIR/element.sh $DIR
PendingExitStatus=65
Retry=0
U
unit small.stream <<U
[Stream]
Exec=/bin/sh $DIR/element.sh $DIR
MaxBacklog=2
U
unit quiet.stream <<'U'
[Stream]
Exec=/bin/true
U
unit kept.stream <<'U'
[Stream]
Exec=/bin/true
KeepRuns=1
MaxGroups=1
U
unit idle.stream <<'U'
[Stream]
Exec=/bin/true
U
unit other.flow <<'U'
[Node a]
Exec=/bin/true
U
start_daemon

# push STREAM DATA [OPTION…]
push() {
        local stream=$1 data=$2
        shift 2
        printf %s "$data" | ctl stream push "$stream" "$@"
}

# shellcheck disable=SC2317
group_line() {
        ctl stream list orders --no-legend | awk -v group="$1" '$1 == group'
}

# shellcheck disable=SC2317
run_of() {
        ctl stream list --no-legend --all | awk -v unit="$1" '$2 == unit { print $1, $3; exit }'
}

wait_for '^No streams have runs\.$' ctl stream list
report $? "no stream has a run at first"
check_equal "a push prints the number of the element" "$(push orders ok --group=anna)" 1
check_equal "and in JSON the stream, too" "$(push orders ok --group=anna --key=k1 --json)" '{"stream":"orders.stream","sequence":2}'
check_equal "a key that was used has its number" "$(push orders other --group=ben --key=k1)" 2
check_equal "each line is an element" "$(printf 'a b\n\nc' | ctl stream push orders.stream --group=carl --each-line)" \
        "3 elements were pushed to orders.stream: 3 to 5."
check_equal "a line may have a group and a key" "$(printf 'dora\tk2\tx\ty\n\t\t\n' | ctl stream push orders --tsv --json)" \
        '{"stream":"orders.stream","sequence":6}
{"stream":"orders.stream","sequence":7}'
check_equal "long lines are sent in several calls" \
        "$(head -c 9000000 /dev/zero | tr '\0' x | fold -w 900000 | ctl stream push quiet --each-line --group=long)" \
        "10 elements were pushed to quiet.stream: 1 to 10."
check_equal "no lines are no elements" "$(ctl stream push orders --each-line </dev/null)" "There were no lines."
wait_for '^7$' sh -c "wc -l <'$DIR/done'"
check_equal "commands get the data as they were" "$(grep -c -x -e 'dora 6 x	y' -e 'carl 3 a b' "$DIR/done")" 2
check_prints "all streams that have runs are listed" '^ *[0-9]+ +orders.stream +RUNNING' ctl stream list --no-legend
wait_for '^anna +IDLE +0 +2 +0 *$' group_line anna
report $? "a stream lists its groups"
check_prints "the default group, too" '^"" +IDLE +0 +1 +0' group_line '""'
check_prints "a group lists its elements" '^ *2 +SUCCEEDED +0 +0 .*k1' ctl stream show orders anna --no-legend
check_equal "with a key only the one with it" "$(ctl stream show orders anna --key=k1 --no-legend | wc -l)" 1
check_equal "in JSON each on a line" "$(ctl stream show orders anna --json | sed -n 's/.*"sequence":\([0-9]*\).*/\1/p' | tr '\n' ' ')" "1 2 "

# A person.
push orders fail --group=eve >/dev/null
eve=$(push orders ask --group=eve)
push orders ok --group=eve >/dev/null
wait_for "^eve +PENDING +2 +0 +1 +$eve\$" group_line eve
report $? "an element that asks for a person stops its group"
check_prints "which is listed by its state" '^eve ' ctl stream list orders --state=PENDING --no-legend
check_prints "show says what is to be done" 'eve +PENDING' ctl stream show orders
check_exit "an element that is not the head is not resolved" 4 ctl stream resolve orders eve 1 --as=retry
check_exit "nor a group that has nothing to do" 5 ctl stream resolve orders nobody --as=retry
check_exit "and not without saying how" 2 ctl stream resolve orders eve
touch "$DIR/good"
check_prints "a person has it tried again" "^Group 'eve' of orders.stream goes on" ctl stream resolve orders eve "$eve" --as=retry
wait_for '^eve +IDLE +0 +2 +1 *$' group_line eve
report $? "and the group goes on"
check_exit "there is nothing to resolve then" 5 ctl stream resolve orders eve --as=retry

# Pause, resume, cancel.
check_prints "a stream is paused" 'is paused' ctl stream pause orders
wait_for '^[0-9]+ PAUSED$' run_of orders.stream
report $? "its run is PAUSED then"
check_prints "pushes are taken" '^[0-9]+$' push orders ok --group=fay
check_prints "why says what it waits for" 'paused|PAUSED|resume' ctl stream why orders
check_equal "and nothing is executed" "$(grep -c '^fay' "$DIR/done")" 0
check_prints "it is resumed" 'goes on' ctl stream resume orders
wait_for '^fay +IDLE +0 +1 +0 *$' group_line fay
report $? "and executes what has come"
before=$(run_of orders.stream)
check_prints "it is cancelled" 'is cancelled' ctl stream cancel orders
wait_for "^${before% *} CANCELLED\$" run_of orders.stream
report $? "its run is CANCELLED then"
check_prints "and its groups can be looked at" '^anna ' ctl stream list orders --no-legend
check_prints "also by show" 'CANCELLED' ctl stream show orders
check_equal "the next push begins anew" "$(push orders ok --group=anna)" 1
wait_for '^[0-9]+ RUNNING$' run_of orders.stream
report $? "with another run"

# A run that is not kept goes with all of its elements, groups and keys.
rows_of() {
        python3 - "$XDG_STATE_HOME/jobd/runs.db" "$1" <<'P'
import sqlite3
import sys

store = sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True)
print(*(store.execute('SELECT count(*) FROM %s WHERE %s = ?' % (table, key), (sys.argv[2],)).fetchone()[0]
        for table, key in (('element', 'run'), ('stream_group', 'run'), ('stream_key', 'run'), ('run', 'id'))))
P
}

seq 450 | awk '{ printf "g%d\tk%d\t\n", $1 % 300, $1 }' | ctl stream push kept --tsv >/dev/null
ctl stream pause kept >/dev/null
first=$(run_of kept.stream)
first=${first% *}
check_prints "a run has rows of elements, groups and keys" '^450 [0-9]+ 450 1$' rows_of "$first"
ctl stream cancel kept >/dev/null
wait_for '^[0-9]+ CANCELLED$' run_of kept.stream
push kept "" >/dev/null
ctl stream cancel kept >/dev/null
wait_for '^0 0 0 0$' rows_of "$first"
report $? "which are deleted with it"

# What is refused.
push small wait --group=a >/dev/null
push small wait --group=b >/dev/null
check_exit "a push beyond MaxBacklog= is refused" 4 push small wait --group=c
touch "$DIR/go"
check_exit "a stream that is not there has no pushes" 5 push nowhere x
check_exit "nor has a flow" 2 push other.flow x
check_exit "a stream without a run has no groups to show" 5 ctl stream show idle
check_exit "a state of groups is one" 2 ctl stream list orders --state=READY
check_exit "and one of elements" 2 ctl stream show orders anna --state=IDLE
check_exit "a line with --tsv has two tabs" 2 sh -c "printf 'a\tb\n' | '$BUILD/jobctl' --user stream push orders --tsv"
check_exit "a key is of one element" 2 push orders x --each-line --key=k
if command -v busctl >/dev/null; then
        stream() {
                busctl --address="unix:path=$JOBD_SOCKET" call org.jobd1 /org/jobd1/unit/idle_2estream org.jobd1.Stream "$@" 2>&1
        }
        check_prints "a stream without a run has no processes" '^a\(sus\) 0$' stream GetProcesses
        check_prints "and takes none" 'itself, not to one below it' stream AttachProcesses sau /sub 1 "$$"
else
        skip "a stream without a run has no processes" "busctl is not installed"
fi
check_exit "there is no other verb" 2 ctl stream frobnicate
check_prints "whose list is in the help" '^  resolve ' ctl help stream
done_testing
