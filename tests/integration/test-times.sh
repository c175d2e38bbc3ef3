#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# blame, critical-chain, graph, top.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unit slow.service <<'U'
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sleep 0.5
U
unit quick.service <<'U'
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
U
unit last.target <<'U'
[Unit]
Requires=slow.service quick.service
After=slow.service quick.service
U
unit busy.service <<'U'
[Service]
ExecStart=/bin/sh -c 'while :; do :; done'
U
unit idle.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
start_daemon
check "all are started" ctl start last.target
check_prints "blame names the slow one first" '^ +[0-9]+ms( [0-9]+us)? slow\.service$|^ +[0-9.]+s .*slow\.service$' \
        sh -c "'$BUILD/jobctl' blame | head -n 1"
check_prints "as JSON" '^\[\{"unit":"slow.service","took":[0-9]+' ctl blame --json
check_prints "the chain begins with the unit" '^last\.target @' ctl critical-chain last.target
check_prints "and goes on with what it waited for" '^(└─|`-)slow\.service @.* \+' ctl critical-chain last.target
check_lacks "not with what was ready before" 'quick' ctl critical-chain last.target
check_prints "as JSON" '^\[\{"unit":"last.target","at":[0-9]+,"took":[0-9]+\},\{"unit":"slow.service"' \
        ctl critical-chain --json last.target
check_exit "of what never was active there is none" 1 ctl critical-chain idle.service
check_prints "the graph has the requirement" '^	"last.target" -> "slow.service" \[color="black"\];$' ctl graph 'last*'
check_prints "and the order" '^	"last.target" -> "slow.service" \[color="green"\];$' ctl graph --after
check_lacks "with --after nothing else" 'black' ctl graph --after
check_prints "as JSON" '"from":"last.target","to":"slow.service","relation":"Requires"' ctl graph --json
check "services run" ctl start busy.service idle.service
check_prints "top has a row for each" '^idle\.service +1 +[0-9.]+ ' ctl top
check_prints "two rounds tell the share" '^busy\.service +1 +[0-9.]+ +[0-9]' ctl top -n 2
check_equal "the busy one is first" "$(ctl top -n2 --no-legend | awk 'NF { n++ } n == 3 { print $1; exit }')" busy.service
check_prints "as JSON" '"unit":"idle.service","tasks":1,"cpu-percent":[0-9]' ctl top --json
check_exit "a bad number is refused" 2 ctl top -n many
if [ -z "$(ctl show -P ControlGroup idle.service)" ]; then
        check_prints "status has the tasks of a unit without a control group" '^ +Tasks: 1$' ctl status idle.service
        check_prints "and its memory" '^ +Memory: [0-9.]+[KM]$' ctl status idle.service
        check_prints "as JSON" '"ProcessUsage":\{"tasks":1,"memory":[0-9]+,"cpu-nsec":[0-9]+\}' ctl status --json idle.service
else
        skip "status has the tasks of a unit without a control group" "there are control groups"
        skip "and its memory" "there are control groups"
        skip "as JSON" "there are control groups"
fi
done_testing
