#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The file system of the state is full: services go on, the log says so once, and nothing is missing from the state: neither
# for a core that follows while there is no room, nor when there is room again. The control is one whose keeper, which holds
# what there is no room for, dies as well.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unit a.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit b.service <<'U'
[Unit]
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
U
unit c.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U

unit once.service <<U
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'echo once >>$DIR/said'
U
unit post.service <<U
[Service]
ExecStart=/bin/sleep 1000
ExecStopPost=/bin/sh -c 'echo post >>$DIR/said'
U
unit long.service <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'until [ -e $DIR/go ]; do sleep 0.02; done; echo long >>$DIR/said'
U
unit some@.service <<'U'
[Service]
ExecStart=/bin/sleep 1234
U
SOME=$(seq -f 'some@%g.service' -s ' ' 30)

# sleepers: how many processes of some@.service there are
sleepers() {
        cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -o 'sleep 123[4]' | wc -l
}

main_pid() {
        ctl show -P MainPID "$1"
}

if ! mount -t tmpfs -o size=2m,mode=0700 tmpfs "$XDG_RUNTIME_DIR" 2>/dev/null; then
        skip "a full file system" "nothing can be mounted here"
        done_testing
fi
trap 'umount -l "$XDG_RUNTIME_DIR"; cleanup' EXIT
start_daemon
check "with room a service starts" ctl start a.service
PID=$(main_pid a.service)

dd if=/dev/zero of="$XDG_RUNTIME_DIR/filler" bs=4k status=none 2>/dev/null
for ((i = 0; i < 200; i++)); do
        ctl restart b.service || break
done
check_equal "without room others start and stop" "$i" 200
check_prints "it is said" 'Cannot write the state to' cat "$DIR/log"
check_equal "once" "$(grep -c 'Cannot write the state to' "$DIR/log")" 1
check "a service for which there is no room in the file" ctl start c.service
OTHER=$(main_pid c.service)

# What happens without room is known to the next core, and to the one after it.
check "many services" ctl start $SOME
check "a oneshot that stays active" ctl start once.service
check "one with a command after its stop" ctl start post.service
check "which stops" ctl stop post.service
ctl start long.service >"$DIR/client" 2>&1 &
CLIENT=$!
check "one that takes its time" wait_for activating ctl is-active long.service
for ((i = 1; i <= 2; i++)); do
        kill_core KILL
        check_prints "core $i after it: knows what was there before" active ctl is-active a.service
        check_equal "core $i after it: the process is the same" "$(main_pid a.service)" "$PID"
        check_equal "core $i after it: knows what came since" "$(main_pid c.service)" "$OTHER"
        check "core $i after it: what runs need not start" ctl start $SOME once.service
        check_equal "core $i after it: and does not" "$(sleepers)" 30
        check_equal "core $i after it: what has stopped is" "$(ctl is-active post.service)" inactive
        check_equal "core $i after it: what was to be done is not done again" "$(sort "$DIR/said" | tr '\n' ' ')" "once post "
        check_prints "core $i after it: knows the job" 'long\.service.*running' ctl jobs
done
touch "$DIR/go"
wait "$CLIENT"
check_equal "a client that has waited since is told" "$?" 0
check_equal "what it has waited for was done once" "$(grep -c long "$DIR/said")" 1
check_prints "it is said where the state is" 'taken from memory' cat "$DIR/log"
check "the next image knows it, too" ctl daemon-reexec
check_equal "and the process" "$(main_pid c.service)" "$OTHER"
find_core

rm "$XDG_RUNTIME_DIR/filler"
check "there is room again" ctl restart b.service
check_prints "which is said" 'can be written to .* again' cat "$DIR/log"
kill_core KILL
check_equal "what was started before is taken over" "$(main_pid a.service)" "$PID"
check_equal "and what was started meanwhile" "$(main_pid c.service)" "$OTHER"
check "all stop" ctl stop a.service c.service $SOME
check_equal "nobody is forgotten" "$(sleepers)" 0

# Without the keeper's memory the file is behind, and the next jobd knows that.
check "start" ctl start a.service
dd if=/dev/zero of="$XDG_RUNTIME_DIR/filler" bs=4k status=none 2>/dev/null
for ((i = 0; i < 200; i++)); do
        ctl restart b.service || break
done
kill -9 "$DAEMON"
timeout "$PATIENCE" tail --pid="$CORE" -f /dev/null
rm "$XDG_RUNTIME_DIR/filler"
start_daemon
check_prints "control: without the keeper what there was no room for is lost" 'no room for the latest changes' cat "$DIR/log"
done_testing
