#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# jobd run: a single unit, or a single command.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
cd "$DIR" || exit 1

run() {
        "$BUILD/jobd" --no-bus --unit-path "$UNITS" --runtime-dir "$DIR/run" run "$@"
}

unit before.service <<U
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'echo before'
ExecStop=/bin/sh -c 'echo after'
U
unit web.service <<'U'
[Unit]
Requires=before.service
After=before.service
[Service]
ExecStart=/bin/sh -c 'echo web; exit 5'
U

# Units.
check_exit "a unit's status is handed on, without its type" 5 run web
check_prints "what it needs was started before, and stopped after it" 'before web after' tr '\n' ' ' <<<"$(run web 2>/dev/null)"
check_exit "a unit that is not there" 1 run nothing.service
check_prints "is named" 'nothing.service' echo "$OUT"

# Commands: their words, and what they get of ours.
check_equal "standard input and output are the command's" "$(printf 'one\ntwo\n' | run --exec cat)" "$(printf 'one\ntwo')"
WORDS=('a b' '' '"q"' "it's" '100%' '$HOME' 'back\slash' $'line\nbreak' 'é' ';' '-v' '--help')
check_equal "its words arrive as they are" "$(run --exec printf '<%s>' "${WORDS[@]}")" "$(printf '<%s>' "${WORDS[@]}")"
check_equal "its working directory is ours" "$(run --exec pwd)" "$DIR"
check_equal "its environment is ours" "$(GREETING=hello run --exec sh -c 'echo $GREETING')" hello
check_equal "unless that is not wanted" "$(GREETING=hello run --inherit-environment=no --exec sh -c 'echo $GREETING')" ''
mkdir tools
printf '#!/bin/sh\necho mine\n' >tools/mine
chmod 755 tools/mine
check_equal "it is looked for in our PATH" "$(PATH=$DIR/tools:$PATH run --exec mine)" mine
check_equal "and from our working directory" "$(run --exec tools/mine)" mine
check_equal "it knows itself by the name that was typed" "$(run --exec sh -c 'cat /proc/$$/cmdline | tr "\0" " "')" \
        'sh -c cat /proc/$$/cmdline | tr "\0" " " '
check_equal "the log is silent" "$(run --exec true 2>&1)" ''

# How it ends.
for status in 0 1 3 255; do
        check_exit "exit $status" "$status" run --exec sh -c "exit $status"
done
check_exit "killed by SIGKILL" 137 run --exec sh -c 'kill -KILL $$'
check_exit "a command that is not there" 127 run --exec nothing-of-that-name
check_prints "is named" 'nothing-of-that-name' echo "$OUT"
check_exit "nor that file" 127 run --exec ./nothing
chmod 644 tools/mine
check_exit "one that cannot be executed" 126 run --exec tools/mine
check_exit "a folder" 126 run --exec ./tools
check_exit "no unit and no command" 2 run
check_exit "no command" 2 run --exec
check_exit "a wrong option" 2 run --nonsense
check_exit "an option of the command is the command's" 0 run --exec true --nonsense
check_prints "help" 'jobd .*run .*--exec COMMAND' "$BUILD/jobd" run --help

# begin OPTION…: a command that says that it has begun, and what it gets
begin() {
        : >out
        "$BUILD/jobd" --no-bus --unit-path "$UNITS" --runtime-dir "$DIR/run" run "$@" --exec \
                sh -c 'trap "echo told; exit 9" TERM; echo begun; sleep 1000 & wait' >out 2>&1 9>&- &
        PID=$!
        wait_for begun cat out
}

for case in TERM:0: INT:0: TERM:143:--signal-exit-status=signal INT:130:--signal-exit-status=signal; do
        IFS=: read -r name status option <<<"$case"
        begin ${option:+"$option"}
        kill "-$name" "$PID"
        wait "$PID"
        check_equal "SIG$name ends it with $status${option:+, }$option" "$?" "$status"
        check_prints "and the command is told" told cat out
done

begin
check_exit "its unit can be asked for" 0 "$BUILD/jobctl" --socket "$DIR/run/private" is-active run.service
check_exit "a second one has no place in the same folder" 1 run --exec true
kill "$PID"
wait "$PID"
check_equal "nothing is left of the command's unit" "$(ls "$DIR/run/command" 2>/dev/null)" ''
done_testing
