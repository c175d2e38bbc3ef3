#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# edit and cat, with an editor that is a script.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unit a.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
start_daemon --unit-path "$UNITS:$XDG_RUNTIME_DIR/jobd/user"

# editor TEXT: one that writes this between the marks
editor() {
        # shellcheck disable=SC2016
        printf '#!/bin/sh\ncat "$1" >"%s/shown"\nsed -i "2a\\\\\\n%s" "$1"\n' "$DIR" "$1" >"$DIR/editor"
        chmod +x "$DIR/editor"
}
export TMPDIR=$DIR/tmp
mkdir "$TMPDIR"
export SYSTEMD_EDITOR=$DIR/editor

editor '[Unit]\\nDescription=By hand'
check "a drop-in is edited" ctl edit a.service
check_equal "what was written is taken" "$(cat "$UNITS/a.service.d/override.conf")" "[Unit]
Description=By hand"
check "the unit's file was shown below" grep -q '^# ExecStart=/bin/sleep 1000' "$DIR/shown"
check_prints "and was read" '^Description=By hand$' ctl show -p Description a.service
check_prints "cat shows both" "^# $UNITS/a.service.d/override.conf$" ctl cat a.service
editor ''
check "edited again" ctl edit a.service
check "what there was is shown" grep -qx 'Description=By hand' "$DIR/shown"
editor '[Service]\\nMemoryMax=plenty'
check_exit "what would break the unit is refused" 1 ctl edit --drop-in=limit a.service
check_prints "with file and line" "a.service.d/limit.conf:2: .*MemoryMax=: " ctl edit --drop-in=limit a.service
check "and not taken" test ! -e "$UNITS/a.service.d/limit.conf"
printf '#!/bin/sh\nexit 1\n' >"$DIR/editor"
check_exit "an editor that fails changes nothing" 1 ctl edit --drop-in=limit a.service
editor ''
check_prints "nothing is nothing" 'was canceled' ctl edit --drop-in=limit a.service
check "from standard input" sh -c "echo '[Unit]
Description=By pipe' | '$BUILD/jobctl' edit --stdin --runtime --drop-in=z a.service"
check_equal "until the next boot" "$(sed -n 2p "$XDG_RUNTIME_DIR/jobd/user/a.service.d/z.conf")" "Description=By pipe"
check_prints "it counts" '^Description=By pipe$' ctl show -p Description a.service
check "a unit that runs" ctl start a.service
check_exit "one that is not there fails the call" 1 sh -c "echo '[Unit]
Description=Before it' | '$BUILD/jobctl' edit --stdin --runtime --drop-in=z a.service nowhere.service"
check_prints "and what was installed before it counts" '^Description=Before it$' ctl show -p Description a.service
check "the whole file" sh -c "echo '[Service]
ExecStart=/bin/sleep 2000' | '$BUILD/jobctl' edit --stdin --full a.service"
check_prints "is another one" 'argv\[\]=/bin/sleep 2000' ctl show -p ExecStart a.service
check_exit "a unit that is not there" 1 ctl edit ghost.service
check_prints "is not made" 'edit --full --force' ctl edit ghost.service
check "unless by force" sh -c "echo '[Service]
ExecStart=/bin/true' | '$BUILD/jobctl' edit --stdin --full --force ghost.service"
check "then it can be started" ctl start ghost.service
check_exit "a bad name of a drop-in" 2 ctl edit --drop-in=../x a.service
check_exit "--full has none" 2 ctl edit --drop-in=x --full a.service
unset SYSTEMD_EDITOR
check_exit "no terminal, no editor" 2 ctl edit a.service </dev/null
check_equal "nothing is left behind" "$(find "$UNITS" "$TMPDIR" -name '.#*' -o -name 'jobctl-edit-*')" ""
check "revert" ctl revert a.service
check "drop-ins are gone" test ! -e "$UNITS/a.service.d"
check_prints "cat of what is built in" 'Description=Sockets' ctl cat sockets.target
done_testing
