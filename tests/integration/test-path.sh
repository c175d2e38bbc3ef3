#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Path units, with the real daemon: they notice new and changed files, also while core is dead, and do not spin.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

for name in exists changed spool; do
        unit "$name.service" <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'rm -f $DIR/in/exists; rm -rf $DIR/spool/*; echo "\$TRIGGER_UNIT \$TRIGGER_PATH" >>$DIR/$name.runs'
U
done
unit exists.path <<U
[Path]
PathExists=$DIR/in/exists
U
unit changed.path <<U
[Path]
PathChanged=$DIR/changed
U
unit spool.path <<U
[Path]
DirectoryNotEmpty=$DIR/spool
MakeDirectory=yes
U
unit both.service <<'U'
[Service]
ExecStart=/bin/sleep infinity
U
unit both.path <<'U'
[Path]
PathExists=/
U
unit spins.service <<'U'
[Unit]
StartLimitIntervalSec=0
[Service]
Type=oneshot
ExecStart=/bin/true
U
unit spins.path <<'U'
[Path]
PathExists=/
TriggerLimitBurst=20
TriggerLimitIntervalSec=300
U
unit limited.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/true
U
unit limited.path <<'U'
[Path]
PathExists=/
U

runs() {
        cat "$DIR/$1.runs" 2>/dev/null | wc -l
}

start_daemon
check "path units start" ctl start exists.path changed.path spool.path
check_prints "they wait" '^waiting$' ctl show --value -p SubState exists.path
check_prints "they are listed with what they start" "$DIR/spool +DirectoryNotEmpty +spool\.path +spool\.service" ctl list-paths
check "a folder was made" test -d "$DIR/spool"
mkdir "$DIR/in"
touch "$DIR/in/exists"
check "what appears is seen" wait_for '^1$' runs exists
check_prints "it is told what has triggered it" "^exists\.path $DIR/in/exists$" cat "$DIR/exists.runs"
check "and is waited for again" wait_for '^waiting$' ctl show --value -p SubState exists.path
touch "$DIR/spool/mail"
check "a folder that is not empty is seen" wait_for '^1$' runs spool
echo 1 >"$DIR/changed"
check "a file that is new has changed" wait_for '^1$' runs changed
check "it is waited for again" wait_for '^waiting$' ctl show --value -p SubState changed.path
echo 2 >"$DIR/changed"
check "and so has one that was written" wait_for '^2$' runs changed
check "all wait again" wait_for '^waiting$' ctl show --value -p SubState changed.path

# A change while there is no core.
kill -STOP "$DAEMON"
kill -KILL "$CORE"
echo 3 >"$DIR/changed"
OLD=$CORE
kill -CONT "$DAEMON"
check "another core is there" next_core "$OLD"
check "what changed meanwhile is seen" wait_for '^3$' runs changed
touch "$DIR/in/exists"
check "what appears is seen" wait_for '^2$' runs exists
check_prints "it is shown" 'Paths=.*PathChanged' ctl show changed.path

# Conditions that stay true.
check "one whose path is always there starts" ctl start spins.path limited.path
check "it fails by its limit" wait_for '^trigger-limit-hit$' ctl show --value -p Result spins.path
check "another by that of its service" wait_for '^unit-start-limit-hit$' ctl show --value -p Result limited.path
check "one whose unit runs starts" ctl start both.path
check "its unit runs" wait_for '^active$' ctl show --value -p ActiveState both.service
check "both stop at once" ctl stop both.path both.service
check_prints "and nothing is started in between" '^inactive$' ctl show --value -p ActiveState both.service
check "they stop" ctl stop exists.path changed.path spool.path
done_testing
