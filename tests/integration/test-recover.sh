#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# RestartOnDependency= over a death of core: a unit whose start failed with another's is started with that one, unless a
# client has requested the unit meanwhile. As in all tests here, the written state is compared with the memory of core.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unit db.service <<U
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'test -e $DIR/db'
U
unit gate.service <<U
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'read line <$DIR/gate'
U
unit web.service <<'U'
[Unit]
Requires=db.service
After=db.service gate.service
RestartOnDependency=yes
[Service]
ExecStart=/bin/sleep 1000
U
mkfifo "$DIR/gate"
start_daemon

check_exit "it fails with what it requires" 1 ctl start web.service
kill_core KILL
check_equal "after a death it is not active" "$(ctl is-active web.service)" inactive
touch "$DIR/db"
check "what it requires is started" ctl start db.service
check "and so is it" wait_for '^active' ctl is-active web.service
check "both are stopped" ctl stop web.service db.service

rm "$DIR/db"
check_exit "it fails again" 1 ctl start web.service
check "what it is to wait for begins" ctl start --no-block gate.service
check "it is asked for itself, and waits" ctl start --no-block --job-mode=ignore-requirements web.service
check_prints "that is seen" 'web\.service +start' ctl list-jobs
kill_core KILL
check_prints "after a death, too" 'web\.service +start' ctl list-jobs
check "the wish is taken back" ctl stop web.service
touch "$DIR/db"
check "what it requires is started again" ctl start db.service
check_lacks "it has no job" 'web\.service' ctl list-jobs
check_equal "and is not active" "$(ctl is-active web.service)" inactive
echo >"$DIR/gate"
done_testing
