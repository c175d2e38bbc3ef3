#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# More processes end than the keeper can note for a core that does not listen, and the ends of attempts are among those that it
# had to forget: then these are lost, which is said, and none runs twice without Retry=. The control is a keeper that could note
# all of them.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

# The keeper notes 16,384.
declare -A N=([few]=1000 [many]=17000 [again]=1000) ORPHANS
LEAVE_ORPHANS=$(realpath "$4")
RECORD=$DIR/record
mkfifo "$DIR/pending" "$DIR/retry"

for name in few many again; do
        unit "$name.service" <<U
[Service]
ExecStart=$LEAVE_ORPHANS ${N[$name]} $DIR/left-$name
U
done

# command WORD: writes WORD down, and lasts until somebody writes to the fifo
command() {
        printf "/bin/sh -c 'echo \$\$\$\$ >%s; echo %s >>%s; read word <%s'" "$DIR/$1.pid" "$1" "$RECORD" "$DIR/$1"
}

unit ring.flow <<U
[Node pending]
Exec=$(command pending)
[Node retry]
Exec=$(command retry)
Retry=1
RetryDelaySec=10ms
U

unit main.service <<'U'
[Service]
ExecStart=/bin/sleep infinity
U

run_state() {
        ctl flow list --no-legend --all | awk -v id="$1" '$1 == id { print $3 }'
}

wait_for_count() {
        wait_for "^$2\$" grep -c "^$1\$" "$RECORD"
}

release() {
        timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$DIR/$1"
}

# leave NAME: its orphans, and waits until the keeper has reaped them
leave() {
        kill -USR1 "${ORPHANS[$1]}"
        wait_for "^left-$1\$" ls "$DIR" && wait_for '^0$' zombies
}

zombies() {
        awk '/^State:.*Z/ { n++ } END { print n + 0 }' /proc/[0-9]*/status 2>/dev/null
}

# begin: a run whose attempts are children of the keeper, and a core that does not listen
begin() {
        : >"$RECORD"
        : >"$DIR/log"
        rm -f "$DIR"/left-*
        start_daemon
        for name in few many again; do
                ctl start "$name.service"
                ORPHANS[$name]=$(ctl show -P MainPID "$name.service")
        done
        ctl start main.service
        MAIN=$(ctl show -P MainPID main.service)
        RUN=$(ctl flow start ring | sed -n 's/^Run \([0-9]*\) .*/\1/p')
        wait_for_count pending 1 && wait_for_count retry 1
        kill_core KILL
        kill -STOP "$CORE"
        wait_for '^State:.T' cat "/proc/$CORE/status"
}

# end_attempts: and the process of a service
end_attempts() {
        local word
        kill -TERM "$MAIN"
        wait_for '^$' ps -o pid= -p "$MAIN"
        for word in pending retry; do
                release $word
                wait_for '^$' ps -o pid= -p "$(cat "$DIR/$word.pid")"
        done
}

# is_lost WHAT: of both attempts
is_lost() {
        wait_for '^failed$' ctl is-active main.service
        report $? "$1: a service whose process is gone has failed"
        wait_for_count retry 2
        report $? "$1: what may be repeated runs again"
        wait_for 'pending is PENDING \(lost\)' ctl flow why "$RUN"
        report $? "$1: the other node waits for a person"
        check_equal "$1: and has run once" "$(grep -c '^pending$' "$RECORD")" 1
        check_prints "$1: it is said that exits are unknown" 'More processes have ended than the keeper could record' cat "$DIR/log"
        check_prints "$1: and of which processes" "has ended unseen, and nobody knows how" cat "$DIR/log"
        check "$1: it is resolved" ctl flow resolve "$RUN/pending" --as=success
        release retry
        wait_for '^SUCCEEDED$' run_state "$RUN"
        report $? "$1: and the run ends"
        stop_daemon
}

begin
end_attempts
leave many
kill_core KILL
is_lost "death of core"

# What is on its way to core is not lost: a part of the orphans comes first.
begin
leave few
end_attempts
leave many
kill -CONT "$CORE"
is_lost "core that was stopped"

begin
leave few
end_attempts
leave again
kill -CONT "$CORE"
wait_for '^SUCCEEDED$' run_state "$RUN"
report $? "control: with fewer, core that was stopped knows how they ended"
stop_daemon
begin
end_attempts
leave few
kill_core KILL
wait_for '^SUCCEEDED$' run_state "$RUN"
report $? "control: so does the next core"
check_prints "control: a service has ended well" '^inactive$' ctl is-active main.service
check_lacks "control: nothing is lost" 'More processes have ended|nobody knows how' cat "$DIR/log"
done_testing
