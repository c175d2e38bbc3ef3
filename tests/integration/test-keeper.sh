#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The keeper, which must not die, and core, which may. ORPHANS is the number of processes that are left to the keeper (1000).
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
LEAVE_ORPHANS=$(realpath "$4")
ORPHANS=${ORPHANS:-1000}
# Signals of faults are sent from outside: they are no finding of a sanitizer.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0

unit sleeper.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit slow.service <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'until [ -e $DIR/go ]; do sleep 0.05; done'
U
unit notify.service <<U
[Service]
Type=notify
NotifyAccess=all
ExecStart=/bin/sh -c 'until [ -e $DIR/speak ]; do sleep 0.05; done; systemd-notify --ready; exec sleep 1000'
U
unit orphans.service <<U
[Service]
ExecStart=$LEAVE_ORPHANS $ORPHANS $DIR/left
U

main_pid() {
        ctl show -P MainPID "$1"
}

is_gone() {
        ! kill -0 "$1" 2>/dev/null
}

# How many processes have ended and were not reaped
zombies() {
        awk '/^State:.*Z/ { n++ } END { print n + 0 }' /proc/[0-9]*/status 2>/dev/null
}

# — what is said before anything is served —
check_exit "--help" 0 "$BUILD/jobd" --help
check_prints "is printed" '^Usage: jobd' echo "$OUT"
check_exit "--version" 0 "$BUILD/jobd" --version
check_exit "a wrong option" 2 "$BUILD/jobd" --nonsense
check_prints "is named" "Unknown option '--nonsense'" echo "$OUT"
check_exit "a folder that cannot be made" 1 "$BUILD/jobd" --user --runtime-dir /proc/nothing
check_exit "a core that is not there" 127 env JOBD_CORE=/nonexistent/core "$BUILD/jobd" --version

# — installed in one place, and moved to another —
FROM=$(grep -ao '\.\./[a-z0-9/._-]*/jobd-core' "$BUILD/jobd" | head -n1)
mkdir -p "$DIR/moved/bin" "$DIR/moved/bin/${FROM%/*}"
cp "$BUILD/jobd" "$DIR/moved/bin/"
cp "$BUILD/jobd-core" "$DIR/moved/bin/$FROM"
check_prints "jobd finds core where both were moved to" '^jobd ' "$DIR/moved/bin/jobd" --version

# — alone —
"$START_READY" "$DIR/pid" "$DIR/log" "$BUILD/jobd-core" --user --unit-path "$UNITS" --default-unit none
report $? "core serves without a keeper"
DAEMON=$(cat "$DIR/pid")
check "it starts units" ctl start sleeper.service
check_exit "and does not execute itself anew" 1 ctl daemon-reexec
check_prints "which nobody would watch over" 'has no keeper' echo "$OUT"
stop_daemon

# — it dies, and comes back —
start_daemon
check "core is a child of what was started" [ -n "$CORE" ]
for ((i = 0; i < 20; i++)); do
        kill_core KILL && ctl list-units >/dev/null && ctl start sleeper.service || break
done
check_equal "core is killed 20 times, and each time serves at once" "$i" 20
check "the socket stays" [ -S "$JOBD_SOCKET" ]
check_prints "the log tells how it ended" 'core ended by signal 9' cat "$DIR/log"
check_exit "meanwhile nobody else gets the folder" 1 "$BUILD/jobd" --user --unit-path "$UNITS" --default-unit none

# — it lives, and serves nobody —
stop_daemon
printf '[Manager]\nCoreWatchdogSec=1\n' >"$DIR/watched.conf"
start_daemon --config "$DIR/watched.conf"
check "with a watchdog: start" ctl start sleeper.service
PID=$(main_pid sleeper.service)
OLD=$CORE
kill -STOP "$CORE"
check "a core that is stopped for good is replaced" next_core "$OLD"
check_prints "the log tells why" 'core has not answered for' cat "$DIR/log"
check_equal "the services are as before" "$(main_pid sleeper.service)" "$PID"
stop_daemon
check_exit "a limit that is none" 2 "$BUILD/jobd" --user --config /dev/stdin <<<$'[Manager]\nCoreWatchdogSec=1ms'
check_prints "is named" "'1ms' is not a value for CoreWatchdogSec=" echo "$OUT"
start_daemon

# — memory runs out —
score() {
        cat "/proc/$1/oom_score_adj"
}
unit scored@.service <<U
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'cat /proc/self/oom_score_adj >>$DIR/scores'
U
unit disposable.service <<U
[Service]
OOMScoreAdjust=33
ExecStart=/bin/sleep 1000
U
MINE=$(score self)
SCORED=$(seq -f 'scored@%g.service' -s ' ' 100)
# scores NAME EXPECTED: of a hundred services that start at once
scores() {
        rm -f "$DIR/scores"
        check "$1: start" ctl restart $SCORED disposable.service
        check_equal "$1: services have the score that is theirs" "$(sort "$DIR/scores" | uniq -c | tr -s ' ')" " 100 $2"
        check_equal "$1: or one of their own" "$(score "$(main_pid disposable.service)")" 33
        check_equal "$1: a property tells" "$(ctl show -P OOMScoreAdjust sleeper.service)" "$2"
}
# successors EXPECTED SCORE-OF-CORE: this core, the next one, and one that is executed in its place
successors() {
        scores "the first core" "$1"
        check "the first core has its score again" wait_for "^$2\$" score "$CORE"
        kill_core KILL
        check_equal "so has the next one" "$(score "$CORE")" "$2"
        scores "the next core" "$1"
        check "daemon-reexec" ctl daemon-reexec
        find_core
        check "so has the one that core has executed" wait_for "^$2\$" score "$CORE"
        scores "the one that core has executed" "$1"
}
if sh -c 'echo -1000 >/proc/self/oom_score_adj' 2>/dev/null; then
        check_equal "the keeper is the last to be killed" "$(score "$DAEMON")" -1000
        successors "$MINE" -900
else
        skip "the keeper is the last to be killed" "the privilege for that is missing"
        scores "without the privilege" "$MINE"
fi
stop_daemon
printf '[Manager]\nDefaultOOMScoreAdjust=77\n' >"$DIR/scored.conf"
"$START_READY" "$DIR/pid" "$DIR/log" setpriv --bounding-set=-sys_resource "$BUILD/jobd" --user --unit-path "$UNITS" \
        --default-unit none --config "$DIR/scored.conf"
DAEMON=$(cat "$DIR/pid")
find_core
check_equal "without the privilege the keeper keeps its score" "$(score "$DAEMON")" "$MINE"
successors 77 "$MINE"
stop_daemon
start_daemon

# — signals —
for signal in {1..64}; do
        case $signal in
        2 | 9 | 15 | 19) continue ;;            # INT, KILL, TERM, STOP
        esac
        kill "-$signal" "$DAEMON"
done
check "signals to the keeper leave it alive" alive
check "and serving" ctl list-units
for signal in {1..64}; do
        case $signal in
        2 | 9 | 15 | 19) continue ;;
        4 | 5 | 6 | 7 | 8 | 11 | 31)            # a fault: ILL, TRAP, ABRT, BUS, FPE, SEGV, SYS
                kill_core "$signal" && ctl list-units >/dev/null || break ;;
        *)
                kill "-$signal" "$CORE" && ctl list-units >/dev/null || break ;;
        esac
done
check_equal "signals to core leave it serving, or to be started again" "$signal" 64
kill -STOP "$CORE"
"$BUILD/jobctl" list-units >"$DIR/waited" 2>&1 &
WAITER=$!
kill -CONT "$CORE"
wait "$WAITER"
check_equal "one that is stopped for a while goes on" $? 0

# — what was under way goes on —
check "start" ctl start sleeper.service
PID=$(main_pid sleeper.service)
FINISHED=$(ctl show -P FinishTimestampMonotonic)
check "the startup has ended" [ -n "$FINISHED" ]
"$BUILD/jobctl" start slow.service >"$DIR/waited" 2>&1 &
WAITER=$!
wait_for '^[1-9]' main_pid slow.service
SLOW=$(main_pid slow.service)
kill_core KILL
check_equal "a service has the same process" "$(main_pid sleeper.service)" "$PID"
check_equal "when the startup had ended is known" "$(ctl show -P FinishTimestampMonotonic)" "$FINISHED"
check_prints "a job is still running" 'slow\.service.*running' ctl jobs
check "daemon-reexec" ctl daemon-reexec
check_equal "a service has the same process" "$(main_pid sleeper.service)" "$PID"
check_prints "a job is still running" 'slow\.service.*running' ctl jobs
check_equal "with the same process" "$(main_pid slow.service)" "$SLOW"
touch "$DIR/go"
wait "$WAITER"
check_equal "and who waits hears of its end" $? 0
kill -STOP "$CORE"
kill -9 "$PID"
kill -KILL "$CORE"
timeout "$PATIENCE" tail --pid="$CORE" -f /dev/null
next_core "$CORE"
check "a service that is killed while core does not look has failed" wait_for failed ctl is-active sleeper.service
check_prints "by signal 9" '^ExecMainStatus=9$' ctl show -p ExecMainStatus sleeper.service

check_lacks "and that is known, not guessed" 'nobody knows how' cat "$DIR/log"
if command -v systemd-notify >/dev/null; then
        "$BUILD/jobctl" start notify.service >"$DIR/waited" 2>&1 &
        WAITER=$!
        wait_for '^[1-9]' main_pid notify.service
        kill -STOP "$CORE"
        touch "$DIR/speak"
        wait_for systemd-notify sh -c "cat /proc/[0-9]*/comm"
        kill_core KILL
        wait "$WAITER"
        check_equal "what a service says while nobody listens is heard" $? 0
else
        skip "what a service says while nobody listens is heard" "there is no systemd-notify"
fi

# — what is left to the keeper —
check "start" ctl start orphans.service sleeper.service
PID=$(main_pid orphans.service)
check_equal "a service has no signal blocked" \
        "$(awk '/^SigBlk/ { print $2 }' "/proc/$(main_pid sleeper.service)/status")" 0000000000000000
kill_core KILL
check_equal "a service outlives core" "$(sed 's/.*) //' "/proc/$PID/stat" | cut -d' ' -f2)" "$DAEMON"
kill -USR1 "$PID"
check "$ORPHANS orphans" wait_for '^left$' ls "$DIR"
check "are reaped" wait_for '^0$' zombies
check "and core serves" ctl list-units

# — sockets are there while core is not —
# connect_to SOCKET FILE: writes into FILE that it has connected, and then what it is answered
connect_to() {
        python3 - "$1" >"$2" 2>&1 <<'P'
import socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
print('connected', flush=True)
client.sendall(b'\0AUTH EXTERNAL ' + str(__import__('os').getuid()).encode().hex().encode() + b'\r\n')
print(client.recv(100).decode(), flush=True)
P
}

# while_dead SOCKET: a client that comes while core is dead, and stays so until it has connected
while_dead() {
        local old=$CORE waiter
        : >"$DIR/answer"
        kill -STOP "$DAEMON"
        wait_for '^State:.T' cat "/proc/$DAEMON/status"
        kill -KILL "$CORE"
        wait_for '^State:.[ZX]|No such' cat "/proc/$CORE/status"
        connect_to "$1" "$DIR/answer" &
        waiter=$!
        wait_for 'connected|refused|No such file' cat "$DIR/answer"
        kill -CONT "$DAEMON"
        next_core "$old" && wait "$waiter"
}

stop_daemon
start_daemon --systemd-compat
for socket in "$JOBD_SOCKET" "$XDG_RUNTIME_DIR/systemd/private"; do
        for ((i = 0; i < 3; i++)); do
                while_dead "$socket"
        done
        check_prints "$socket is served across a death of core" '^OK [0-9a-f]{32}' cat "$DIR/answer"
done
if command -v systemctl >/dev/null; then
        check "who comes by systemd's socket is spoken to as systemd speaks" systemctl --user start sleeper.service
        check_prints "and hears what it asks for" '^active' systemctl --user is-active sleeper.service
else
        skip "who comes by systemd's socket is spoken to as systemd speaks" "there is no systemctl"
fi
stop_daemon
check "no socket of systemd's is left" [ ! -e "$XDG_RUNTIME_DIR/systemd/private" ]
start_daemon
check "start" ctl start sleeper.service
PID=$(main_pid sleeper.service)

# — executed anew —
find_core
BEFORE=$CORE
check "daemon-reexec" ctl daemon-reexec
find_core
check_equal "it is the same process" "$CORE" "$BEFORE"
check "serves" ctl list-units
check_lacks "keeps no descriptor" '(deleted)' ls -l "/proc/$CORE/fd"
check "ends" stop_daemon
check "and leaves no socket" [ ! -e "$JOBD_SOCKET" ]
check "nor a service" is_gone "$PID"

cp "$BUILD/jobd-core" "$DIR/core"
JOBD_CORE=$DIR/core start_daemon
printf '#!/bin/sh\nexit 1\n' >"$DIR/new"
chmod +x "$DIR/new"
mv "$DIR/new" "$DIR/core"
check_exit "a new image that fails" 1 ctl daemon-reexec
check_equal "is told of" "$OUT" \
        "Failed to execute the manager anew: The new image did not become ready: the one before it goes on."
check_prints "also in the log" 'this is the one before it' cat "$DIR/log"
find_core
check "the old one serves" ctl list-units
rm "$DIR/core"
check_exit "one that is missing is no reason to end" 1 ctl daemon-reexec
check_prints "and is told of" 'jobd-core cannot be executed anew .No such file.*: it goes on as it is' echo "$OUT"
check_prints "also in the log" 'Cannot execute jobd-core anew' cat "$DIR/log"
check "and the old one serves" ctl list-units
stop_daemon

# — the keeper dies —
start_daemon
check "start" ctl start sleeper.service
PID=$(main_pid sleeper.service)
kill -9 "$DAEMON"
timeout "$PATIENCE" tail --pid="$CORE" -f /dev/null
report $? "without its keeper core ends"
check "the service goes on" kill -0 "$PID"
start_daemon
report $? "and the next one finds the folder free"
check_exit "and serves" 0 ctl list-units
kill "$PID"
stop_daemon

# A core that has lost its keeper before it could look for one: it waits for the file "go" first.
cat >"$DIR/late" <<S
#!/bin/bash
echo \$\$ >"$DIR/late-pid"
until [ -e "$DIR/go-late" ]; do sleep 0.02; done
exec "$BUILD/jobd-core" "\$@"
S
chmod +x "$DIR/late"
JOBD_CORE=$DIR/late "$BUILD/jobd" --user --unit-path "$UNITS" --default-unit none 2>"$DIR/late-log" &
KEEPER=$!
wait_for '^[0-9]+$' cat "$DIR/late-pid"
LATE=$(cat "$DIR/late-pid")
kill -9 "$KEEPER"
wait "$KEEPER" 2>/dev/null
touch "$DIR/go-late"
timeout 60 tail --pid="$LATE" -f /dev/null
report $? "a core whose keeper has died before it looked ends, too"
kill -9 "$LATE" 2>/dev/null
check_prints "and says why" 'The keeper has ended' cat "$DIR/late-log"
start_daemon
check "another jobd can take its place" ctl list-units
stop_daemon

# — as the first process of a container —
unit signals.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/bash -c 'for s in {1..64}; do case $s in 2|15|37|38) ;; *) kill -$s 1 ;; esac; done'
U
unshare --pid --fork --mount-proc --kill-child "$BUILD/jobd" --user --unit-path "$UNITS" --default-unit none 2>>"$DIR/log" &
OUTER=$!
wait_for 'loaded unit' ctl list-units
check "all signals from inside but those that end it" ctl start signals.service
check "leave PID 1 alive and serving" ctl list-units
pkill -TERM -P "$OUTER" jobd
wait "$OUTER"
check_equal "SIGTERM ends it" $? 0
done_testing
