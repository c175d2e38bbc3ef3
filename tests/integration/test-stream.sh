#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Streams with real processes: the order of elements in a group, what they are given, their ends, and what a person does
# S000-3, S000-4, S000-21, S000-23, S000-26 to S000-39
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/stream.sh"

RECORD=$DIR/record
: >"$RECORD"

# seen WORD: what elements have written down with that word, in their order
seen() {
        awk -v word="$1" '$1 == word { print $2 }' "$RECORD" | tr '\n' ' '
}

# wait_for_seen WORD COUNT
wait_for_seen() {
        wait_for "^([^ ]+ ){$2}\$" seen "$1"
}

# shellcheck disable=SC2317
run_state() {
        ctl flow list --no-legend --all "$1" | awk 'NR == 1 { print $3 }'
}

# shellcheck disable=SC2016
stream order "echo order-\$JOBD_GROUP \$(cat) >>$RECORD" MaxGroups=4
# shellcheck disable=SC2016
stream given "echo given \$JOBD_STREAM/\$JOBD_GROUP/\$JOBD_KEY/\$JOBD_SEQUENCE/\$JOBD_ATTEMPT/\$1/\$2/\$(wc -c) >>$RECORD"
sed -i 's/^Exec=.*/& %{group} %{key}-%{sequence}/' "$UNITS/given.stream"
stream tries "echo tries \$JOBD_SEQUENCE >>$RECORD; [ \$JOBD_SEQUENCE != 1 ]" Retry=2
stream asks "echo asks \$JOBD_GROUP\$JOBD_SEQUENCE >>$RECORD; [ \$JOBD_GROUP != a ] || [ -e $DIR/good ] || exit 9" PendingExitStatus=9
stream suspends "echo suspends \$JOBD_SEQUENCE >>$RECORD; exit 1" Retry=0 FailurePolicy=suspend
stream hold "echo hold \$JOBD_GROUP >>$RECORD; until [ -e $DIR/go ]; do sleep 0.02; done" MaxGroups=2 MaxBacklog=6
stream prune true KeepDone=5
stream careful "echo careful \$JOBD_SEQUENCE >>$RECORD" Recover=pending
stream first true
stream alarm 'exit 9' PendingExitStatus=9
# shellcheck disable=SC2016
stream meets "echo meets-\$JOBD_GROUP \$JOBD_SEQUENCE >>$RECORD"
stream fails true
unit broken.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/false
U
printf '[Unit]\nRequires=broken.service\nAfter=broken.service\n' >>"$UNITS/fails.stream"
stream large "wc -c >>$DIR/large"
stream again "echo again \$JOBD_SEQUENCE >>$RECORD; [ -e $DIR/again ] || { >$DIR/again; exit 75; }" Retry=0 AgainSec=1ms
start_daemon

check_equal "an element gets a number" "$(client push order.stream a '' 1)" 1
check_equal "and so do more of them" "$(client many order.stream "$(seq 2 20 | awk '{ printf "%s\t\t%s\n", $1 % 2 ? "a" : "b", $1 }')")" "$(seq -s ' ' 2 20)"
wait_for_seen order-b 10
wait_for_seen order-a 10
check_equal "elements of a group are executed in order" "$(seen order-a):$(seen order-b)" "$(seq -s ' ' 1 2 20) :$(seq -s ' ' 2 2 20) "
check_prints "its unit is active" '^active$' ctl is-active order.stream
check_prints "the run lives" 'RUNNING' ctl flow list order.stream
wait_for '^a IDLE 0 10 0$' client groups order.stream
report $? "a group tells of its elements"
check_prints "and each element of itself" '^3 a SUCCEEDED - 0 3$' client elements order.stream a
check_equal "many calls at once get numbers of their own" "$(client open order.stream 300 7 | sort -nu | wc -l)" 300
wait_for '^([^ ]+ ){43}$' seen order-g0
check_equal "and are executed in order" "$(seen order-g0)" "$(seq -s ' ' 0 7 299) "

check_equal "first pushes that come at once are all taken" "$(client open first.stream 20 3 | sort -n | tr '\n' ' ')" "$(seq -s ' ' 20) "
check_equal "by one run" "$(ctl flow list --no-legend --all first.stream | wc -l)" 1

# Two clients push into groups that are new to the stream, with the same keys, and a third with others.
flood meets.stream 20 4 k >"$DIR/one" &
ONE=$!
flood meets.stream 20 4 k >"$DIR/two" &
TWO=$!
flood meets.stream 20 4 o >"$DIR/other"
wait $ONE $TWO
check_equal "two first pushes of a key at once are one element" "$(diff "$DIR/one" "$DIR/two")" ''
check_equal "and each key has a number of its own" "$(cat "$DIR/one" "$DIR/other" | awk '{ print $2 }' | sort -n | tr '\n' ' ')" "$(seq -s ' ' 40) "
wait_for_seen meets-g0 10
wait_for_seen meets-g1 10
wait_for_seen meets-g2 10
wait_for_seen meets-g3 10
report $? "which is executed once"
check_equal "in an order that all groups have" "$(awk '/^meets/ && $2 < last[$1] { print } { last[$1] = $2 }' "$RECORD")" ''

long=$(printf '汉%.0s' $(seq 100))
check_equal "a group has any name" "$(client push given.stream "$long" '键' 'data')" 1
wait_for_seen given 1
check_equal "the command is told of its element" "$(seen given)" "given.stream/$long/键/1/1/$long/键-1/4 "
check_equal "a key that was pushed has its number" "$(client push given.stream other '键' x)" 1
check_equal "and a new one another" "$(client push given.stream '' '' '')" 2
wait_for_seen given 2
check_equal "an element may have no data" "$(seen given | awk '{ print $2 }')" "given.stream///2/1//-2/0"
check_equal "two of a key in one call are one" "$(client many given.stream $'a\tk\t1\nb\tk\t2')" "3 3"
check_exit "a group has at most 100 characters" 1 client push given.stream "${long}x" '' ''
check_exit "a unit that does not start takes no element" 1 client push fails.stream a '' ''
check_prints "which is said" 'its unit has not started' client push fails.stream a '' ''
check_exit "a stream is one" 1 client push nothing.stream a '' ''

check_equal "an element that fails" "$(client push tries.stream a '' '')" 1
client push tries.stream a '' '' >/dev/null
wait_for_seen tries 4
check_equal "is tried again before the next one" "$(seen tries)" "1 1 1 2 "
wait_for '^a IDLE 0 1 1$' client groups tries.stream
report $? "and has failed then"
client push again.stream a '' '' >/dev/null
wait_for_seen again 2
wait_for '^a IDLE 0 1 0$' client groups again.stream
report $? "'not yet' takes no try"

for i in 1 2 3; do
        client push asks.stream a '' "$i" >/dev/null
done
wait_for '^a PENDING 3 0 0$' client groups asks.stream
report $? "an element that asks for a person stops its group"
client push asks.stream b '' 4 >/dev/null
wait_for '^b IDLE 0 1 0$' client groups asks.stream
report $? "and no other"
check_prints "there is an alarm" 'Element 1 of group .a. of asks.stream is PENDING' ctl flow alarms
check_exit "only its head is resolved" 1 client resolve asks.stream a 2 skip
check_exit "and only if that waits" 1 client resolve asks.stream b 0 skip
check "a person skips it" client resolve asks.stream a 1 skip
wait_for '^2 a PENDING' client elements asks.stream a
report $? "then the next one is executed"
check_prints "and the first is SKIPPED" '^1 a SKIPPED operator 0 1$' client elements asks.stream a
touch "$DIR/good"
check "it is executed again" client resolve asks.stream a 0 retry
wait_for '^a IDLE 0 3 0$' client groups asks.stream
report $? "and the group goes on"
check_equal "in its order" "$(seen asks)" "a1 b4 a2 a2 a3 "
client many alarm.stream $'a\t\t1\nb\t\t2\nc\t\t3\na\t\t4' >/dev/null
# shellcheck disable=SC2317
alarms() {
        ctl flow alarms | grep -c 'alarm.stream'
}
wait_for '3 groups wait for a person' ctl flow why alarm.stream
check_equal "many groups that wait are one alarm" "$(alarms)" 1
check_prints "which says so" 'of alarm.stream is PENDING.* So do 2 other groups' ctl flow alarms
check "one of them goes on" client resolve alarm.stream a 0 skip
wait_for '^4 a PENDING' client elements alarm.stream a
check_equal "and asks again without another" "$(alarms)" 1
client push suspends.stream a '' '' >/dev/null
wait_for '^a PENDING 1 0 0$' client groups suspends.stream
report $? "FailurePolicy=suspend asks for a person"
check "who lets it fail" client resolve suspends.stream a 0 failed
wait_for '^a IDLE 0 0 1$' client groups suspends.stream
report $? "for good"
client push careful.stream a '' '' >/dev/null
wait_for_seen careful 1
report $? "Recover=pending executes elements, too"

client push hold.stream a '' '' >/dev/null
client push hold.stream b '' '' >/dev/null
wait_for_seen hold 2
client push hold.stream c '' '' >/dev/null
client push hold.stream a '' '' >/dev/null
check_prints "MaxGroups= are at work" '2 of them are out; 1 group waits for a place' ctl flow why hold.stream
client push hold.stream c '' '' >/dev/null
client push hold.stream c k '' >/dev/null
check_exit "MaxBacklog= refuses more" 1 client push hold.stream d '' ''
check_equal "but not what is there" "$(client push hold.stream c k '')" 6
RUN=$(ctl flow list --no-legend hold.stream | awk '{ print $1 }')
check "a run is paused" ctl flow pause "$RUN"
touch "$DIR/go"
wait_for '^PAUSED$' run_state hold.stream
report $? "when what is out has ended"
check_equal "nothing more was begun" "$(seen hold)" "a b "
check_equal "a push is taken" "$(client push hold.stream d '' '')" 7
check "it goes on" ctl flow resume "$RUN"
wait_for_seen hold 7
wait_for '^c IDLE 0 3 0$' client groups hold.stream
report $? "with all of them"
rm "$DIR/go"
client push hold.stream a '' '' >/dev/null
wait_for_seen hold 8
client push hold.stream a '' '' >/dev/null
rm -f "$DIR/go"
check "its unit is stopped" ctl stop --no-block hold.stream
wait_for '^PAUSING$' run_state hold.stream
touch "$DIR/go"
wait_for '^inactive$' ctl is-active hold.stream
report $? "when what is out has ended"
check_equal "a push is taken all the same" "$(client push hold.stream a '' '')" 10
rm "$DIR/go"
check "it is started" ctl start hold.stream
wait_for_seen hold 9
report $? "and goes on"
check "it is cancelled" ctl flow cancel "$RUN"
wait_for '^CANCELLED$' run_state hold.stream
report $? "at once"
touch "$DIR/go"
check_equal "the next push makes another run" "$(client push hold.stream z '' '')" 1
wait_for_seen hold 10
check_equal "which has nothing of the one before" "$(seen hold | awk '{ print $NF }')" z

client many prune.stream "$(seq 320 | sed 's/^/a\t\t/')" >/dev/null
wait_for '^a IDLE 0 320 0$' client groups prune.stream
report $? "elements that are over are counted"
# shellcheck disable=SC2317
count_elements() {
        client elements prune.stream | wc -l
}
wait_for '^([0-9]|[0-9][0-9]|10[0-9])$' count_elements
report $? "and kept as KeepDone= says, but for some"

# more of them than a group has in memory, behind more that are over than the store gives at once
for i in 1 2; do
        client many order.stream "$(seq $((40 * i - 39)) $((40 * i)) | sed 's/^/n\t\t/')" >/dev/null
        wait_for "^n IDLE 0 $((40 * i)) 0\$" client groups order.stream
        report $? "a group that has slept is woken by many at once"
done
check_equal "and they are executed in order" "$(seen order-n)" "$(seq -s ' ' 80) "
head -c 300000 /dev/zero | tr '\0' x >"$DIR/line"
for _ in 1 2 3 4 5 6 7 8; do
        printf 'a\t\t%s\n' "$(cat "$DIR/line")"
done >"$DIR/lines"
client many large.stream "$(cat "$DIR/lines")" >/dev/null
wait_for '^a IDLE 0 8 0$' client groups large.stream
report $? "large elements are executed"
check_equal "with their data" "$(sort "$DIR/large" | uniq -c | tr -s ' ')" " 8 300000"

done_testing
