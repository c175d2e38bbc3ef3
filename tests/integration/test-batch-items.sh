#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Items that are the lines of a file, or what a command prints: their texts, pages, errors, what is refused while a run goes
# on, and how it goes on after the death of core and the loss of power; with a process for each, and with workers.
# S003-8, S003-10, S003-13
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/boots.sh"

RECORD=$DIR/record
: >"$RECORD"

# batch NAME COMMAND [SETTING…]: the command is one of the shell; $1 is the text of the item
batch() {
        local name=$1 command=$2
        shift 2
        printf '%s\n' "$command" >"$DIR/$name.sh"
        unit "$name.batch" <<U
[Batch]
Parallel=2
ItemRetry=0
Exec=/bin/sh $DIR/$name.sh %{item}
$(printf '%s\n' "$@")
U
}

last_run() {
        ctl flow list --no-legend --all | awk 'NR == 1 { print $1 }'
}

# shellcheck disable=SC2317
run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

wait_for_state() {
        wait_for "^$1\$" run_state "$RUN"
}

# begin BATCH: a run of it, in $RUN, with an empty record
begin() {
        : >"$RECORD"
        check "a run of $1 begins" ctl batch start "$1"
        RUN=$(last_run)
}

# seen: what was written down, in its order, with commas
seen() {
        sort -n "$RECORD" | tr '\n' ,
}

# shellcheck disable=SC2317
count() {
        wc -l <"$RECORD"
}

# paused BATCH SENTENCE: a run of it is paused, and says why; its number is in $RUN
paused() {
        begin "$1"
        wait_for_state PAUSED
        report $? "it is paused"
        check_prints "with a reason" 'PAUSED \(items\)' ctl batch show "$RUN"
        check_prints "which the log has" "Run $RUN is paused, since its items cannot be read: $2" cat "$DIR/log"
}

RECORDS="echo \"\$JOBD_INDEX \$1 \$JOBD_ITEM\" >>$RECORD"
printf 'one\n\n  two "x" $HOME %%{item}\nünf\nlast' >"$DIR/lines"
batch file "$RECORDS" "ItemsFile=$DIR/lines"
printf 'a\nb\nc\nd\ne\n' >"$DIR/letters"
batch errors "$RECORDS; [ -e $DIR/good ] || [ \"\$1\" = a ] || [ \"\$1\" = c ] || [ \"\$1\" = e ]" "ItemsFile=$DIR/letters"
# Two pages of a file.
LINE=$(printf '%04000d' 0)
for i in $(seq 0 399); do
        echo "$i $LINE"
done >"$DIR/long"
batch long "echo \"\$JOBD_INDEX \$1\" >>$RECORD" "ItemsFile=$DIR/long" Parallel=4
# Pages of two, with the next item as a cursor.
cat >"$DIR/printer" <<U
echo "\$JOBD_CURSOR" >>$DIR/cursors
at=\${JOBD_CURSOR:-1}
[ \$at -lt 6 ] || exit 0
echo item-\$at
echo item-\$((at + 1))
echo cursor \$((at + 2))
U
batch pages "$RECORDS" "ItemsCommand=/bin/sh $DIR/printer"
batch ended "$RECORDS" "ItemsCommand=/bin/sh -c 'echo cursor x; echo %{param.word}; echo end'" Params=word
batch none "$RECORDS" "ItemsCommand=/bin/true"
batch missing "$RECORDS" "ItemsFile=$DIR/missing"
printf 'x\n%05000d\n' 0 >"$DIR/wide"
batch wide "$RECORDS" "ItemsFile=$DIR/wide"
printf 'x\n\xff\n' >"$DIR/bytes"
batch bytes "$RECORDS" "ItemsFile=$DIR/bytes"
batch stuck "$RECORDS" "ItemsCommand=/bin/sh -c 'echo x; echo cursor same'"
batch garbage "$RECORDS" "ItemsCommand=/bin/sh -c 'echo x; echo y'"
batch torn "$RECORDS" "ItemsCommand=/bin/sh -c 'printf x'"
batch fails "$RECORDS" "ItemsCommand=/bin/sh -c 'echo x; echo end; exit 3'"
batch slow "$RECORDS" "ItemsCommand=/bin/sleep 1000" PrepareTimeoutSec=100ms
batch much "$RECORDS" "ItemsCommand=/bin/sh -c 'yes; echo end'"
HOLDS="echo \$JOBD_INDEX \$1 >>$RECORD; until [ -e $DIR/go ]; do sleep 0.02; done"
batch holds "$HOLDS" "ItemsCommand=/bin/sh $DIR/printer" SyncItems=1
for i in $(seq 0 11); do
        echo "text-$i"
done >"$DIR/twelve"
batch dies "$HOLDS" "ItemsFile=$DIR/twelve"
batch waits "$HOLDS" "ItemsCommand=/bin/sh -c 'until [ -e $DIR/go ]; do sleep 0.02; done; echo x; echo end'"
# A worker: an item lasts until there is HOLD, if that is a file, and fails if its text is in a word of BAD.
cat >"$DIR/worker" <<U
bad=\$1 hold=\$2 tab=\$(printf '\\t')
printf 'hello\\t1\\t4\\n'
while IFS=\$tab read -r index length; do
        text=\$(head -c "\$length")
        echo "\$index \$text" >>$RECORD
        until [ -z "\$hold" ] || [ -e "\$hold" ]; do sleep 0.02; done
        case " \$bad " in
        *" \$text "*) [ -e $DIR/well ] && status=0 || status=1;;
        *) status=0;;
        esac
        printf '%s\\t%s\\t0\\n' "\$index" "\$status"
done
U
# pool NAME BAD HOLD [SETTING…]
pool() {
        batch "$1" : ItemMode=pool Exec= "Exec=/bin/sh $DIR/worker '$2' '$3'" "${@:4}"
}
pool pool-long "" "" "ItemsFile=$DIR/long" Window=64
cp "$DIR/long" "$DIR/cut"
pool cut "" "$DIR/go" "ItemsFile=$DIR/cut" Window=8
pool pool-errors "b d" "" "ItemsFile=$DIR/letters"
pool pool-pages "item-2 item-6" "$DIR/go" "ItemsCommand=/bin/sh $DIR/printer" Depth=1
boot
start_daemon

begin file
wait_for_state SUCCEEDED
report $? "lines of a file are items"
# shellcheck disable=SC2016
check_equal "with their texts" "$(seen)" '0 one one,1  ,2   two "x" $HOME %{item}   two "x" $HOME %{item},3 ünf ünf,4 last last,'
check_prints "which are counted" 'Items: 5 of 5 are over' ctl batch show "$RUN"

begin errors
wait_for_state PARTIAL
report $? "some fail"
check_prints "they are told with their texts" '^ *1 +1 +1 .* b +error$' ctl batch errors "$RUN"
check_prints "for programs" '"item":3,.*"text":"d"' ctl batch --json errors "$RUN"
touch "$DIR/good"
: >"$RECORD"
check_prints "they are issued again" "issues 2 items again" ctl batch retry-errors "$RUN"
wait_for_state SUCCEEDED
report $? "and mended"
check_equal "by their texts" "$(seen)" '1 b b,3 d d,'

begin long
wait_for_state SUCCEEDED
report $? "a file has several pages"
check_equal "each item was executed once, with its own text" "$(sort -n "$RECORD" | awk '$1 == $2 && $1 == NR - 1' | wc -l)" 400

begin pages
wait_for_state SUCCEEDED
report $? "a command prints items"
check_equal "page by page" "$(seen)" "0 item-1 item-1,1 item-2 item-2,2 item-3 item-3,3 item-4 item-4,4 item-5 item-5,5 item-6 item-6,"
check_equal "with the cursor of each" "$(tr '\n' , <"$DIR/cursors")" ",3,5,7,"
: >"$RECORD"
check "parameters are in its words" ctl batch start --wait ended word=w
check_equal "and the last line alone is for jobd" "$(seen)" "0 cursor x cursor x,1 w w,"
check "there may be none" ctl batch start --wait none

paused missing "ItemsFile=$DIR/missing: it has failed with exit status 1"
echo there >"$DIR/missing"
check_prints "why says it, too" 'its items cannot be read' ctl batch why "$RUN"
check "it goes on" ctl batch resume "$RUN"
wait_for_state SUCCEEDED
report $? "when the file is there"
paused wide 'ItemsFile=[^ ]*: item 1 has more than 4096 bytes'
paused bytes 'ItemsFile=[^ ]*: item 1 is no text in UTF-8'
paused stuck "ItemsCommand=: its cursor does not move: .* 'same'"
paused garbage "ItemsCommand=: its last line is neither 'cursor TEXT' nor 'end'"
paused torn 'ItemsCommand=: its last line has no end'
paused fails 'ItemsCommand=: it has failed with exit status 3'
check_equal "and nothing was issued" "$(count)" 0
paused slow 'ItemsCommand=: it has not ended in PrepareTimeoutSec='
paused much 'ItemsCommand=: it has failed|ItemsCommand=: it has printed more than 1 MiB'

begin holds
wait_for '^2$' count
check_prints "how many there are is not known yet" 'Items: 0 of [24] that are known are over' ctl batch show "$RUN"
check_prints "why says that" '0 of [24] items that are known are over' ctl batch why "$RUN"
check "a run is paused" ctl batch pause "$RUN"
touch "$DIR/go"
wait_for_state PAUSED
report $? "when what is out has ended"
: >"$DIR/cursors"
check "it goes on" ctl batch resume "$RUN"
wait_for_state SUCCEEDED
report $? "to its end"
check_equal "with the items that were not over" "$(seen)" "0 item-1,1 item-2,2 item-3,3 item-4,4 item-5,5 item-6,"
check_equal "it has read from there on" "$(head -n 1 "$DIR/cursors")" 3
rm "$DIR/go"

begin waits
wait_for_state RUNNING
check_prints "items are read" 'the next items are read' ctl batch why "$RUN"
kill_core KILL
touch "$DIR/go"
wait_for_state SUCCEEDED
report $? "core dies, and they are read again"
check_equal "each was executed once" "$(seen)" "0 x,"
rm "$DIR/go"

begin dies
wait_for '^2$' count
kill_core KILL
touch "$DIR/go"
wait_for_state SUCCEEDED
report $? "core dies, and the run goes on"
check_equal "each item was executed once" "$(awk '$2 == "text-" $1' "$RECORD" | sort -u | wc -l)-$(count)" 12-12
rm "$DIR/go"
begin dies
wait_for '^2$' count
cut_power
touch "$DIR/go"
start_daemon
wait_for_state SUCCEEDED
report $? "power is lost, and the run goes on"
check_equal "each item was executed" "$(awk '$2 == "text-" $1' "$RECORD" | sort -u | wc -l)" 12
rm "$DIR/go"

begin pool-long
wait_for_state SUCCEEDED
report $? "workers get the lines of a file"
check_equal "each once, with its own text" "$(sort -n "$RECORD" | awk '$1 == $2 && $1 == NR - 1' | wc -l)" 400
begin cut
wait_for '^[1-9]' count
report $? "items of a file are out"
truncate -s 100000 "$DIR/cut"
touch "$DIR/go"
wait_for_state PAUSED
report $? "the file is cut, and that is not taken for its end"
check_prints "which the log says, and what is to be done" \
        "Run $RUN is paused, .*ItemsFile=$DIR/cut: it ends before item 261, .* has to be put back as it was" cat "$DIR/log"
cp "$DIR/long" "$DIR/cut"
check "it is put back, and the run goes on" ctl batch resume "$RUN"
wait_for_state SUCCEEDED
report $? "to the end of the file"
check_equal "with all items, each once" "$(sort -nu "$RECORD" | wc -l)-$(count)" 400-400
rm "$DIR/go"

begin pool-errors
wait_for_state PARTIAL
report $? "workers fail with some"
check_prints "they are told with their texts" '^ *1 +1 +1 .* b +error$' ctl batch errors "$RUN"
touch "$DIR/well"
: >"$RECORD"
check_prints "they are issued again" "issues 2 items again" ctl batch retry-errors "$RUN"
wait_for_state SUCCEEDED
report $? "and mended"
check_equal "by their texts" "$(seen)" '1 b,3 d,'
rm "$DIR/well"
begin pool-pages
wait_for '^2$' count
check "jobd is executed again while workers have items" ctl daemon-reexec
touch "$DIR/go"
wait_for_state PARTIAL
report $? "pages are read again, and the run goes on"
check_equal "with the workers that it had" "$(seen)" "0 item-1,1 item-2,2 item-3,3 item-4,4 item-5,5 item-6,"
check_prints "an error that was out then has its text" '"item":1,.*"text":"item-2"' ctl batch --json errors "$RUN"
check_prints "as has a later one" '"item":5,.*"text":"item-6"' ctl batch --json errors "$RUN"
rm "$DIR/go"
begin pool-pages
wait_for '^2$' count
: >"$RECORD"
kill_core KILL
touch "$DIR/go"
wait_for_state PARTIAL
report $? "core dies, and its workers with it"
check_equal "each item was executed, by its text" "$(seen)" "0 item-1,1 item-2,2 item-3,3 item-4,4 item-5,5 item-6,"

done_testing
