#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The watchdog of runs, in a core that forgets each attempt once (forgetful_core.c): the run ends for all that, and it is said
# what was forgotten. In a core as it is nothing is. In the same core a batch is refused, as for want of memory: all of it is in
# the next one.
# S000-46, S002-19
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"
unit chain.flow <<U
[Node first]
Exec=/bin/sh -c 'echo first >>$RECORD'
[Node second]
DependsOn=first
Exec=/bin/sh -c 'echo second >>$RECORD'
U
# Its first batch has a row of the outbox, which alone would make the second one.
unit told.flow <<U
[Flow]
Notify=exec:/bin/true run
[Node only]
Exec=/bin/sh -c 'read line <$DIR/fifo; echo only >>$RECORD'
U
mkfifo "$DIR/fifo"

# said: what the watchdog has said
said() {
        grep -Eo 'Run [0-9]+, node [^.]*' "$DIR/log"
}

mkdir "$DIR/programs"
cp "$BUILD/jobd" "$BUILD/jobd-runstore" "$BUILD/jobd-log" "$DIR/programs"
cp "$BUILD/tests/integration/jobd-core-forgetful" "$DIR/programs/jobd-core"
export REFUSE_BATCH=$DIR/refuse
BUILD=$DIR/programs start_daemon
check "a run whose attempts were forgotten ends" timeout "$PATIENCE" "$BUILD/jobctl" flow start --wait chain
check_equal "each of its nodes has run once" "$(tr '\n' ' ' <"$RECORD")" 'first second '
check_equal "that is said with run and node" "$(said)" \
        "$(printf 'Run 1, node %s: its attempt was not to be spawned; it goes on now, but that is an error of jobd\n' first second)"
touch "$REFUSE_BATCH"
check "a run whose first batch is refused begins" timeout "$PATIENCE" "$BUILD/jobctl" flow start told
check "a batch was refused" [ ! -e "$REFUSE_BATCH" ]
kill_core KILL
echo go >"$DIR/fifo"
check "the next core knows it" wait_for SUCCEEDED ctl flow show 2
check_equal "with its node, once" "$(grep -c only "$RECORD")" 1
stop_daemon
report $? "the forgetful core ends"
unset REFUSE_BATCH
: >"$DIR/log"
start_daemon
check "a core as it is" ctl flow start --wait chain
check_equal "has nothing to say" "$(said)" ""
done_testing
