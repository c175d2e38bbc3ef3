#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Core is killed at each system call on the way of a call over a message bus: a question is answered all the same, and who has
# asked for a change has an answer, or is told that it may be done or not.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/bus.sh"

if ! strace -e trace=none true 2>/dev/null; then
        echo "1..0 # SKIP there is no strace, or it may not trace here"
        exit 0
fi
unit sleeper.service <<U
[Service]
ExecStart=/bin/sleep 1000
U

# killed_at SYSCALL COUNT WORD…: core is killed as it is about to make that system call, on the way of a call; the outcome is
# in $OUT, and whether the kill has hit adds to $HITS
killed_at() {
        local tracer old=$CORE
        strace -p "$CORE" -o "$DIR/trace" -e "trace=$1" -e "inject=$1:signal=KILL:when=$2" 2>"$DIR/strace" &
        tracer=$!
        wait_for attached cat "$DIR/strace"
        OUT=$(call "${@:3}" 2>&1)
        # A signal just before strace waits is lost on it.
        while kill -INT "$tracer" 2>/dev/null; do
                sleep 0.02
        done
        wait "$tracer"
        wait_for '^active' ctl is-active sleeper.service
        find_core
        [ "$CORE" = "$old" ] || HITS=$((HITS + 1))
}

# killed_everywhere NAME REGEX WORD…: the outcome of the call matches, wherever it is killed
killed_everywhere() {
        local name=$1 wanted=$2 wrong='' HITS=0 syscall n
        shift 2
        for syscall in recvfrom:5 recvmsg:6 pwrite64:6 sendmsg:3 sendto:4; do
                for ((n = 1; n <= ${syscall#*:}; n++)); do
                        killed_at "${syscall%:*}" "$n" "$@"
                        grep -Eq -- "$wanted" <<<"$OUT" || wrong+="at $syscall $n: $OUT; "
                done
        done
        check_equal "$name, wherever core is killed" "$wrong" ""
        check "with $HITS kills" [ "$HITS" -ge 8 ]
}
start_daemon --systemd-compat
check "the name is owned" wait_for '":' owner org.freedesktop.systemd1
check "a call is answered" call StartUnit ss sleeper.service replace
OWNER=$(owner org.freedesktop.systemd1)
SLEEPER='o "/org/freedesktop/systemd1/unit/sleeper_2eservice"'
killed_everywhere "a question is answered" "^$SLEEPER$" GetUnit s sleeper.service
killed_everywhere "a request is carried out, or its client told" \
        '^o "/org/freedesktop/systemd1/job/|jobd-core has ended while it carried out this call' StartUnit ss sleeper.service replace
check_equal "and the names have the same owner" "$(owner org.freedesktop.systemd1)" "$OWNER"
done_testing
