# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Sourced by the scripts of clients: each step is a command whose output and exit status are compared between two managers.

PATIENCE=30

# run_step NAME COMMAND…
run_step() {
        printf '@@ %s\n' "$1"
        shift
        timeout --foreground "$PATIENCE" "$@" </dev/null 2>&1 | sed -e '$a\'
        printf '@@ exit %s\n' "${PIPESTATUS[0]}"
}

# step COMMAND…: its own name is the step's.
step() {
        run_step "$*" "$@"
}

# step_sorted COMMAND…: the order of its lines means nothing.
step_sorted() {
        run_step "$* | sort" bash -o pipefail -c '"$@" 2>&1 | LC_ALL=C sort' sorted "$@"
}

# step_in TEXT COMMAND…: with that standard input
step_in() {
        run_step "$2… with input" bash -o pipefail -c 'text=$1; shift; printf %s "$text" | "$@"' input "$@"
}

# step_at_terminal TEXT: a line of shell, at a terminal of its own. What the terminal echoes of the end of its input is left out.
step_at_terminal() {
        run_step "$1 at a terminal" bash -o pipefail -c 'script -qec "$1" /dev/null | tr -d "\r\004\000" | sed "s/\^[@D]//g"' terminal "$1"
}

# wait_until COMMAND…: a set-up that is no step; the next step shows what is wrong when the time is over.
wait_until() {
        local end=$((SECONDS + PATIENCE))
        until "$@" >/dev/null 2>&1; do
                [ "$SECONDS" -lt "$end" ] || return 1
                sleep 0.02
        done
}

# state UNIT STATE: for wait_until
state() {
        [ "$(systemctl --user show -P ActiveState "$1")" = "$2" ]
}

sc() {
        step systemctl --user "$@"
}

# unit NAME <<EOF: writes a unit file of the user
unit() {
        mkdir -p "$(dirname ~/.config/systemd/user/"$1")"
        cat >~/.config/systemd/user/"$1"
}
