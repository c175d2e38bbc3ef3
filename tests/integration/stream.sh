# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# A client of streams that stays, for tests with library.sh: a Python for each call would take most of their time

HERE=$(dirname "$0")
mkfifo "$DIR/calls" "$DIR/answers"
PYTHONUTF8=1 python3 "$HERE/stream_client.py" serve "org.jobd1.Manager ListGroups" "org.jobd1.Manager ListElements" \
        <"$DIR/calls" >"$DIR/answers" &
exec 7>"$DIR/calls" 8<"$DIR/answers"

# client VERB …: see stream_client.py
client() {
        local line
        printf '%s\x1f' "${@//$'\n'/$'\x1d'}" >&7
        printf '\n' >&7
        while IFS= read -r line <&8; do
                [ "${line#$'\x1e'}" = "$line" ] || return "${line#$'\x1e'}"
                printf '%s\n' "$line"
        done
        return 9
}

# flood STREAM COUNT GROUPS [WORD]: in a process of its own
flood() {
        PYTHONUTF8=1 python3 "$HERE/stream_client.py" flood "$@"
}

# stream NAME COMMAND [SETTING…]: the command is one of the shell, and has $JOBD_GROUP and its like
stream() {
        local name=$1 command=$2
        shift 2
        printf '%s\n' "$command" >"$DIR/$name.sh"
        unit "$name.stream" <<U
[Stream]
RetryDelaySec=1ms
RetryMaxDelaySec=1h
Exec=/bin/sh $DIR/$name.sh
$(printf '%s\n' "$@")
U
}
