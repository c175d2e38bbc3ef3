#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The exit status of a container: each field of the tables in doc/containers.md, with jobd as PID 1 of a pid namespace. A
# word in a table that this test does not know is a failure, so neither can change without the other.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
TABLE=$(dirname "$0")/../../doc/containers.md
export JOBD_SOCKET=$DIR/run/private
FIFO=$DIR/fifo
LOG=$DIR/log
mkfifo "$FIFO"

# boot OPTION…: jobd as PID 1, in the background. $BOX is what to wait for; its only child is jobd.
boot() {
        : >"$LOG"
        unshare --fork --pid --kill-child --mount --mount-proc "$BUILD/jobd" --container --no-bus --runtime-dir "$DIR/run" \
                --unit-path "$UNITS" --no-default-dependencies "$@" </dev/null >>"$LOG" 2>&1 9>&- &
        BOX=$!
}

# box_status: waits until it has ended, and prints the status
box_status() {
        wait "$BOX"
        echo "$?"
}

logged() {
        wait_for "$1" cat "$LOG"
}


# goes_on: it has started what there is to start, the unit has ended, and it answers. Then it is ended.
goes_on() {
        local status=
        if logged 'Startup finished' && wait_for '^(inactive|failed|dead)' ctl is-active "$1"; then
                ctl is-active other.service >/dev/null 2>&1 && status='goes on'
        fi
        signal_box TERM
        box_status >/dev/null
        echo "${status:-has ended}"
}

# Each of these containers has a unit that tells when it is stopped.
unit other.service <<U
[Service]
ExecStart=/bin/sleep 1000
ExecStop=/bin/sh -c 'kill -0 \$MAINPID && echo other stops; if test -e $DIR/slow; then read line <$FIFO; fi; echo other is stopped'
TimeoutStopSec=infinity
U
unit default.target <<U
[Unit]
Wants=other.service app.service
After=other.service app.service
U

# how WORDS: the shell commands by which the unit ends
how() {
        case $1 in
                'exits with '*' after restarts') set -- $1; echo "exit $3" ;;
                'exits with '*) set -- $1; echo "exit $3" ;;
                'is killed by SIG'*) echo "kill -${1##* SIG} \$\$\$\$" ;;
                *) return 1 ;;
        esac
}

# restarts WORDS WAIT: settings of a unit that is restarted
restarts() {
        case $1 in
                *' after restarts') printf 'Restart=on-failure\nRestartSec=%s\nStartLimitBurst=3\n' "$2" ;;
        esac
}

# app TYPE COMMANDS RESTARTS
app() {
        unit app.service <<U
[Unit]
After=other.service
[Service]
Type=$1
ExecStart=/bin/sh -c '$2'
${3-}
U
}

# insist SIGNAL: until jobd has ended
insist() {
        while signal_box "$1"; do sleep 0.1; done
}

# field UNIT EXIT-ON COLUMN [OPTION…]: prints the status, or "goes on"
field() {
        local unit=$1 column=$3 ends options=()
        ends=$(how "$unit") || { echo "what is '$unit'?"; return; }
        case $2 in
                set) options=(--exit-on app.service) ;;
                'not set') ;;
                *) echo "what is '$2'?"; return ;;
        esac
        shift 3
        rm -f "$DIR/slow"
        case $column in
                'no SIGTERM')
                        app exec "$ends" "$(restarts "$unit" 0)"
                        boot "${options[@]}" "$@"
                        if [ ${#options[@]} = 0 ]; then goes_on app.service; else box_status; fi ;;
                'SIGTERM during its start')
                        case $unit in
                                *' after restarts')
                                        app exec "$ends" "$(restarts "$unit" 1000)"
                                        boot "${options[@]}" "$@"
                                        wait_for auto-restart ctl show -P SubState app.service ;;
                                *)
                                        app oneshot "trap \"$ends\" TERM; echo app begins; sleep 1000 & wait"
                                        boot "${options[@]}" "$@"
                                        logged 'app begins' ;;
                        esac
                        signal_box TERM
                        box_status ;;
                'SIGTERM while it runs')
                        app exec "trap \"$ends\" TERM; echo app begins; sleep 1000 & wait" "$(restarts "$unit" 0)"
                        boot "${options[@]}" "$@"
                        logged 'app begins'
                        signal_box TERM
                        box_status ;;
                'SIGTERM while all is stopped')
                        touch "$DIR/slow"
                        app exec "$ends" "$(restarts "$unit" 0)"
                        boot "${options[@]}" "$@"
                        if [ ${#options[@]} = 0 ]; then
                                logged 'Startup finished'
                                signal_box TERM
                        fi
                        logged 'other stops'
                        signal_box TERM
                        # A second signal within half a second counts as the first.
                        [ ${#options[@]} != 0 ] || insist TERM
                        if [ ${#options[@]} != 0 ]; then
                                logged 'Received SIGTERM'
                                echo >"$FIFO"
                        fi
                        box_status ;;
                *)
                        echo "what is '$column'?" ;;
        esac
}

# is_in_order COLUMN EXIT-ON: the other unit lived until it was stopped, and that was waited for, but by a second signal
is_in_order() {
        case "$1/$2" in
                'SIGTERM while all is stopped/not set') ! grep -q 'other is stopped' "$LOG" ;;
                *) grep -q 'other stops' "$LOG" && grep -q 'other is stopped' "$LOG" &&
                        ! grep -q 'in time' "$LOG" ;;
        esac
}

# try_field UNIT EXIT-ON COLUMN WANTED [OPTION…]
try_field() {
        local name="$1, exit-on $2, $3${5:+, }${5-}: $4" got
        got=$(field "$1" "$2" "$3" "${@:5}")
        [ "$got" = "$4" ]
        report $? "$name" "it is $got; log: $(cat "$LOG")"
        is_in_order "$3" "$2"
        report $? "$name: in order" "$(cat "$LOG")"
}

# rows HEADING: the rows of the table with that first line, fields without blanks around, separated by '|'
rows() {
        awk -v heading="$1" 'index($0, heading) == 1 { on = 1 } !/^\|/ { on = 0 } on' "$TABLE" |
                sed 's/^| *//; s/ *|$//; s/ *| */|/g' | grep -v '^--*'
}

mapfile -t LINES_ < <(rows '| the unit |')
IFS='|' read -ra COLUMNS_ <<<"${LINES_[0]}"
check_equal "the table has its eight rows" "${#LINES_[@]}" 9
check_equal "and six columns" "${#COLUMNS_[@]}" 6
for row in "${LINES_[@]:1}"; do
        IFS='|' read -ra fields <<<"$row"
        for ((i = 2; i < ${#COLUMNS_[@]}; i++)); do
                wanted=${fields[i]%% (*}
                try_field "${fields[0]}" "${fields[1]}" "${COLUMNS_[i]}" "$wanted"
                if [[ ${fields[i]} == *'('* ]]; then
                        wanted=${fields[i]#*(}
                        try_field "${fields[0]}" "${fields[1]}" "${COLUMNS_[i]}" "${wanted%)}" --signal-exit-status=signal
                fi
        done
done

# The control: what the test would say of a table with another number.
[ "$(field 'exits with 3' set 'no SIGTERM')" != 5 ]
report $? "a table with 5 for 3 would be found wrong"

# The same when core dies in between: what has ended while nobody looked is found.
rm -f "$DIR/slow"
app exec 'echo app begins; sleep 1000; exit 3'
for victims in core 'core and the unit'; do
        boot --exit-on app.service
        logged 'Startup finished'
        read -r init <"/proc/$BOX/task/$BOX/children"
        core=$(pgrep -P "$init")
        shell=$(pgrep -P "$core" -f 'echo app begins')
        if [ "$victims" = core ]; then
                kill -9 "$core"
                logged 'Taken over'
                pkill -TERM -P "$shell" -x sleep
                wait "$BOX"
                check_equal "$victims killed, then the unit exits with 3: 3" "$?" 3
        else
                kill -9 "$core" "$shell"
                wait "$BOX"
                check_equal "$victims killed: 137" "$?" 137
        fi
        check "$victims killed: in order" grep -q 'other is stopped' "$LOG"
done

# end WORDS: prints the status of a row of the second table
end() {
        local options=(--exit-on app.service) stays=
        rm -f "$DIR/slow"
        app exec 'sleep 1000'
        unit default.target <<<$'[Unit]\nWants=other.service\nAfter=other.service'
        case $1 in
                'a unit that the default unit requires exits with 3')
                        app exec 'exit 3'
                        options=()
                        unit default.target <<<$'[Unit]\nRequires=app.service\nWants=other.service\nAfter=other.service' ;;
                'a unit that a target requires that the default unit requires exits with 3')
                        app exec 'exit 3'
                        options=()
                        unit middle.target <<<$'[Unit]\nRequires=app.service'
                        unit default.target <<<$'[Unit]\nRequires=middle.target\nWants=other.service\nAfter=other.service' ;;
                'a unit that the default unit wants exits with 3')
                        app exec 'exit 3'
                        options=()
                        unit default.target <<<$'[Unit]\nWants=app.service other.service\nAfter=other.service'
                        stays=app.service ;;
                'a unit that the default unit requires is not there')
                        options=()
                        unit default.target <<<$'[Unit]\nRequires=missing.service' ;;
                'the unit of exit-on is not there')
                        options=(--exit-on missing.service) ;;
                'the unit of exit-on needs one that fails')
                        unit fails.service <<<$'[Service]\nType=oneshot\nExecStart=/bin/sh -c "exit 9"'
                        unit app.service <<<$'[Unit]\nRequires=fails.service\nAfter=fails.service\n[Service]\nExecStart=/bin/true' ;;
                'the unit of exit-on is skipped by its conditions')
                        unit app.service <<<$'[Unit]\nConditionPathExists=/nonexistent\n[Service]\nExecStart=/bin/sh -c "exit 9"' ;;
                'the unit of exit-on has a program that is not there')
                        unit app.service <<<$'[Service]\nExecStart=/nonexistent/program' ;;
                'the unit of exit-on does not stop in time and was asked to')
                        unit app.service <<<$'[Service]\nTimeoutStopSec=50ms\nExecStart=/bin/sh -c "trap : TERM; echo app begins; while :; do sleep 0.1; done"' ;;
                'somebody inside asks by jobctl exit' | *'exit 7' | SIGRTMIN+3*)
                        options=() ;;
                *'that exit-on began with 3')
                        touch "$DIR/slow"
                        app exec 'exit 3' ;;
        esac
        boot "${options[@]}"
        case $1 in
                'somebody inside asks by jobctl exit' | *'exit 7')
                        logged 'Startup finished'
                        # shellcheck disable=SC2086
                        ctl exit ${1##*exit} ;;
                SIGRTMIN+3*)
                        logged 'Startup finished'
                        signal_box RTMIN+3 ;;
                *'that exit-on began with 3')
                        logged 'other stops'
                        ctl exit 7 >>"$LOG" 2>&1
                        echo >"$FIFO" ;;
                *'was asked to')
                        logged 'app begins'
                        ctl stop --no-block app.service ;;
                'the unit of exit-on is stopped by jobctl')
                        logged 'Startup finished'
                        ctl stop --no-block app.service ;;
                'the unit of exit-on is restarted by jobctl')
                        logged 'Startup finished'
                        ctl restart app.service && ctl restart app.service && wait_for '^active' ctl is-active app.service &&
                                echo 'goes on'
                        signal_box TERM
                        box_status >/dev/null
                        return ;;
        esac
        if [ -n "$stays" ]; then goes_on "$stays"; else box_status; fi
}

end 'SIGRTMIN+3' >/dev/null
check "SIGRTMIN+3 stops all in order" grep -q 'other is stopped' "$LOG"
while IFS='|' read -r what wanted; do
        [ "$what" = 'what happens' ] && continue
        check_equal "$what: $wanted" "$(end "$what")" "$wanted"
done < <(rows '| what happens |')
done_testing
