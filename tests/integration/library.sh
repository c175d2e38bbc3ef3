# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Shared by the integration tests: TAP, a daemon in a folder of its own, and waiting for what a client prints. No test
# may depend on how fast a machine is: each waits for what it needs, and the limits only end a test that hangs.
# A test sources this with the build directory as its first argument and runs in namespaces of its own.

set -u
PATIENCE=${PATIENCE:-300}
BUILD=$1
START_READY=$2
DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobd-test.XXXXXX")
export XDG_RUNTIME_DIR=$DIR/runtime
export XDG_STATE_HOME=$DIR/state
export JOBD_SOCKET=$XDG_RUNTIME_DIR/jobd/private
unset DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS NO_COLOR JOBD_UNIT_PATH
UNITS=$DIR/units
TESTS=0
FAILED=0
mkdir -p "$XDG_RUNTIME_DIR" "$UNITS"
chmod 700 "$XDG_RUNTIME_DIR"

cleanup() {
        [ -f "$DIR/pid" ] && kill -9 "$(cat "$DIR/pid")" 2>/dev/null
        cd / && rm -rf "$DIR"
}
trap cleanup EXIT

# report RESULT NAME [DETAIL]
report() {
        TESTS=$((TESTS + 1))
        if [ "$1" = 0 ]; then
                printf 'ok %d - %s\n' "$TESTS" "$2"
        else
                FAILED=$((FAILED + 1))
                printf 'not ok %d - %s\n' "$TESTS" "$2"
                printf '%s\n' "${3-}" | sed 's/^/# /'
        fi
}

# skip NAME REASON
skip() {
        TESTS=$((TESTS + 1))
        printf 'ok %d - %s # SKIP %s\n' "$TESTS" "$1" "$2"
}

# has_users: a process may become that of any other user. Root may; root of a user namespace that a user has made may not.
has_users() {
        [ "$(id -u)" = 0 ] && [ "$(sed -n 's/^ *0 *0 *//p' /proc/self/uid_map)" = 4294967295 ]
}

# check NAME COMMAND…: the command succeeds.
check() {
        local name=$1 out
        shift
        out=$("$@" 2>&1)
        report $? "$name" "$* printed: $out"
}

# check_exit NAME STATUS COMMAND…: the command exits with that status; what it printed is in $OUT.
check_exit() {
        local name=$1 wanted=$2 status
        shift 2
        OUT=$("$@" 2>&1)
        status=$?
        [ "$status" = "$wanted" ]
        report $? "$name" "$* exited $status, not $wanted: $OUT"
}

# check_prints NAME REGEX COMMAND…: what the command prints matches; its status does not count.
check_prints() {
        local name=$1 wanted=$2
        shift 2
        OUT=$("$@" 2>&1)
        grep -Eq -- "$wanted" <<<"$OUT"
        report $? "$name" "$* did not print /$wanted/: $OUT"
}

check_lacks() {
        local name=$1 unwanted=$2
        shift 2
        OUT=$("$@" 2>&1)
        ! grep -Eq -- "$unwanted" <<<"$OUT"
        report $? "$name" "$* printed /$unwanted/: $OUT"
}

check_equal() {
        [ "$2" = "$3" ]
        report $? "$1" "got '$2', wanted '$3'"
}

# The last check of each test: the daemon ends when it is told to. A sanitized one looks for leaks then.
done_testing() {
        if [ -f "$DIR/pid" ] && alive 2>/dev/null; then
                stop_daemon
                report $? "the daemon ends when it is told to" "it is still there after $PATIENCE s"
        fi
        printf '1..%d\n' "$TESTS"
        if [ -s "$DIR/log" ] && [ "$FAILED" != 0 ]; then
                sed 's/^/# jobd: /' "$DIR/log" | tail -n 60
        fi
        [ "$FAILED" = 0 ]
        exit
}

# unit NAME <<EOF … : writes a unit file
unit() {
        mkdir -p "$(dirname "$UNITS/$1")"
        cat >"$UNITS/$1"
}

# start_daemon [OPTION…]
start_daemon() {
        "$START_READY" "$DIR/pid" "$DIR/log" "$BUILD/jobd" --user --unit-path "$UNITS" --default-unit none "$@" || {
                echo "Bail out! jobd does not start"
                exit 1
        }
        DAEMON=$(cat "$DIR/pid")
        find_core
}

# find_core: puts the pid of jobd-core, a child of the keeper that was started, into $CORE. A process that core is about to start
# has the same name until it executes its program; with two of that name, find_core fails.
find_core() {
        CORE=$(awk -v keeper="$DAEMON" '/^Name:/ { name = $2 } /^PPid:/ && $2 == keeper && name == "jobd-core" {
                split(FILENAME, part, "/"); print part[3] }' /proc/[0-9]*/status 2>/dev/null)
        [ -n "$CORE" ] && [ "$CORE" = "${CORE%%[!0-9]*}" ]
}

# kill_core SIGNAL: and waits for the next one
kill_core() {
        local old=$CORE
        kill "-$1" "$CORE"
        timeout "$PATIENCE" tail --pid="$old" -f /dev/null || return 1
        next_core "$old"
}

# next_core PID: until another core is there than that one
next_core() {
        local end=$((SECONDS + PATIENCE))
        until find_core && [ "$CORE" != "$1" ]; do
                [ "$SECONDS" -lt "$end" ] || return 1
                sleep 0.02
        done
}

alive() {
        kill -0 "$DAEMON" && [ "$(sed 's/.*) //' "/proc/$DAEMON/stat" | cut -c1)" != Z ]
}

# stop_daemon: asks it to end and waits for that
stop_daemon() {
        kill -TERM "$DAEMON"
        timeout "$PATIENCE" tail --pid="$DAEMON" -f /dev/null || return 1
        rm -f "$DIR/pid"
}

ctl() {
        "$BUILD/jobctl" "$@"
}

# wait_for REGEX COMMAND…: until what the command prints matches. If the jobd in $BOX, a child of the test, has ended, the
# command is tried once more, and no longer.
wait_for() {
        local wanted=$1 end=$((SECONDS + PATIENCE)) is_over=
        shift
        until grep -Eq -- "$wanted" <<<"$("$@" 2>&1)"; do
                [ -z "$is_over" ] && [ "$SECONDS" -lt "$end" ] || return 1
                [ -z "${BOX-}" ] || kill -0 "$BOX" 2>/dev/null || is_over=yes
                sleep 0.02
        done
}

# signal_box SIGNAL: to jobd, which is the only child of $BOX; false if that has ended
signal_box() {
        local init=
        read -r init 2>/dev/null <"/proc/$BOX/task/$BOX/children"
        [ -n "$init" ] && kill "-$1" "$init"
}

# wait_for_waiter PID: until that jobctl waits or listens, and so knows its jobs. It catches SIGTERM from then on; a shell
# that is about to become it may do so, too.
wait_for_waiter() {
        wait_for '^jobctl [0-9a-f]*[4567cdef][0-9a-f]{3}$' \
                awk '/^Name:/ { name = $2 } /^SigCgt:/ { print name, $2 }' "/proc/$1/status"
}

# wait_for_descriptors COUNT: until the daemon has no more than that, having seen that its clients are gone.
wait_for_descriptors() {
        local end=$((SECONDS + PATIENCE))
        until [ "$(ls "/proc/$CORE/fd" | wc -l)" -le "$1" ]; do
                [ "$SECONDS" -lt "$end" ] || return 1
                sleep 0.02
        done
}
