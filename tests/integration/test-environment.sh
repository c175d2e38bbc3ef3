#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Clients change the manager: the environment of the services that it starts, and its log level. Both outlive core.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unit shows.service <<U
[Service]
Type=oneshot
StartLimitBurst=0
ExecStart=/bin/sh -c '{ env; test \$\$SYSTEMD_EXEC_PID = \$\$\$\$ && echo own pid; } >$DIR/shown'
U
export LC_ALL=C
start_daemon

check_equal "what jobd has got is sorted" "$(ctl show-environment | LC_ALL=C sort -c 2>&1)" ""
check "variables are set" ctl set-environment COLOUR=red 'WORDS=two words' PATH=/bin:/usr/bin
check_prints "and shown" '^COLOUR=red$' ctl show-environment
check_prints "for a shell" "^WORDS=\\$'two words'$" ctl show-environment
check_prints "what was there is overridden" '^PATH=/bin:/usr/bin$' ctl show-environment
check_prints "as JSON" '"WORDS":"two words"' ctl show-environment --json
check "a process" ctl start shows.service
check "gets them" grep -qx 'WORDS=two words' "$DIR/shown"
check "the pid of the manager" grep -qx "MANAGERPID=$DAEMON" "$DIR/shown"
check "and its own" grep -qx "own pid" "$DIR/shown"
check "a variable is set as it is here" env COLOUR=blue "$BUILD/jobctl" import-environment COLOUR
check_prints "it has the new value" '^COLOUR=blue$' ctl show-environment
check "the log level is set" ctl log-level debug
check_equal "and told" "$(ctl log-level)" debug
kill_core KILL
check_prints "variables outlive core" '^COLOUR=blue$' ctl show-environment
check_equal "so does the log level" "$(ctl log-level)" debug
check "variables are taken away" ctl unset-environment COLOUR WORDS=other PATH
check_lacks "one by its name" COLOUR ctl show-environment
check_prints "not one that is another" WORDS ctl show-environment
check_prints "what was there before is there again" '^PATH=' ctl show-environment
check_exit "what is no assignment is refused" 1 ctl set-environment COLOUR
check_prints "and named" "'COLOUR' is no assignment" ctl set-environment COLOUR
check_exit "a bad name is refused" 1 ctl set-environment '1=2'
check_exit "so is more than there is room for" 1 ctl set-environment "BIG=$(head -c 70000 /dev/zero | tr '\0' x)"
check_exit "a level that there is not is refused" 1 ctl log-level loud
check_prints "and told which there are" 'err, warning, notice, info or debug' ctl log-level loud
check_exit "nothing to import is a mistake" 2 ctl import-environment
done_testing
