# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# A node that needs a database: Debian's postgresql is started for it, held while it runs, and not longer.
# S004-5, S004-12

DATABASE=postgresql@15-main.service

mkdir -p "$ROOT/etc/jobd/system/$DATABASE.d"
printf '[Unit]\nStopWhenUnneeded=yes\n' >"$ROOT/etc/jobd/system/$DATABASE.d/unneeded.conf"
mkfifo -m 666 "$ROOT/var/tmp/report-goes-on"
install -m 666 /dev/null "$ROOT/var/tmp/report"
box_unit report.flow <<'U'
[Flow]
User=postgres
[Node report]
Exec=/bin/sh -c 'ask() { psql -At -c "select $$1" >>/var/tmp/report; }; ask "40 + 2" && read word </var/tmp/report-goes-on && ask "50 + 3"'
RequiresUnit=postgresql@15-main.service
U
# The same without it
sed '/RequiresUnit=/d; s/read word.*goes-on/true/' "$ROOT/etc/jobd/system/report.flow" | box_unit alone.flow

check "unit files are read again" jobctl_in_box daemon-reload
check_prints "control: without the database the report fails" 'FAILED' jobctl_in_box flow start --wait alone
check_equal "nobody has started it" "$(active "$DATABASE")" inactive
check "control: started, and needed by nobody" jobctl_in_box start "$DATABASE"
check "it is stopped at once" wait_for '^inactive' active "$DATABASE"
check "a report begins" jobctl_in_box flow start report
RUN=$(jobctl_in_box flow list --no-legend report.flow | awk 'NR == 1 { print $1 }')
check "it has asked the database" wait_for '^42$' cat "$ROOT/var/tmp/report"
check_equal "which runs" "$(active "$DATABASE")" active
check_prints "for the report" "^Held by: run $RUN, node report\$" jobctl_in_box why "$DATABASE"
PID=$(main_pid "$DATABASE")
check "the core is killed" kill_box_core
check "the hold is still there" wait_for "^Held by: run $RUN, node report\$" jobctl_in_box why "$DATABASE"
check_equal "and the database is the same one" "$(main_pid "$DATABASE")" "$PID"
check "the report goes on" timeout "$PATIENCE" sh -c 'echo go >"$1"' sh "$ROOT/var/tmp/report-goes-on"
check "the run has succeeded" wait_for 'SUCCEEDED' jobctl_in_box flow show "$RUN"
check_equal "with the database as long as it wanted it" "$(tr '\n' ' ' <"$ROOT/var/tmp/report")" "42 53 "
check "and then it is stopped" wait_for '^inactive' active "$DATABASE"
