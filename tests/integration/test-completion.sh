#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Completion in bash, zsh and fish: all verbs and options, and units that suit a verb, of a daemon that runs.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
COMPLETIONS=$HERE/../../completions
export PATH=$BUILD:$PATH HOME=$DIR

unit quick.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
[Install]
WantedBy=default.target
U
unit idle.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit many@.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
# A run that stays, whose number has to be offered; the end of the daemon does not wait for it.
unit nap.flow <<'U'
[Flow]
Params=who
TimeoutStopSec=1
[Node a]
Exec=/bin/sleep 1000
U
unit doze.batch <<'U'
[Batch]
Items=1
TimeoutStopSec=1
Exec=/bin/sleep 1000
U
unit hum.stream <<'U'
[Stream]
Exec=/bin/true
U
start_daemon
ctl start quick.service

# Each prints what is offered at the end of a line, one candidate a line.
complete_bash() {
        # shellcheck disable=SC2016
        bash -c 'source "$1"; shift; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _jobctl
                printf "%s\n" "${COMPREPLY[@]}"' bash "$COMPLETIONS/jobctl.bash" "$@"
}

complete_zsh() {
        local IFS=' '
        zsh -f "$HERE/complete.zsh" "$COMPLETIONS" "$*"
}

# shellcheck disable=SC2016
complete_fish() {
        local IFS=' '
        fish --no-config -c 'source $argv[1]/jobctl.fish; complete -C $argv[2]' "$COMPLETIONS" "$*" | cut -f1
}

# offers NAME CANDIDATES WORD…: all of the candidates are offered
offers() {
        local name=$1 wanted=$2 found missing=
        shift 2
        found=$("$@" 2>&1)
        for word in $wanted; do
                grep -qxF -- "$word" <<<"$found" || missing="$missing $word"
        done
        [ -z "$missing" ]
        report $? "$name" "$* does not offer$missing, but: $(tr '\n' ' ' <<<"$found")"
}

VERBS=$(ctl help | sed -n '/^Options:/q; s/^  \([a-z][a-z-]*\) .*/\1/p')
OPTIONS=$(ctl help | sed -n '/^Options:/,$ s/.*\(--[a-z-]*\).*/\1/p' | grep -v -- '--$')
for SHELL_NAME in bash zsh fish; do
        if ! command -v "$SHELL_NAME" >/dev/null; then
                skip "$SHELL_NAME" "it is not here"
                continue
        fi
        offers "$SHELL_NAME: all verbs" "$VERBS" "complete_$SHELL_NAME" jobctl ''
        # Words that do not begin with the typed text are not offered.
        check_equal "$SHELL_NAME: verbs by their beginning" "$("complete_$SHELL_NAME" jobctl critical | tr '\n' ' ')" "critical-chain "
        offers "$SHELL_NAME: units" quick.service "complete_$SHELL_NAME" jobctl status qui
        offers "$SHELL_NAME: templates up to the instance" many@ "complete_$SHELL_NAME" jobctl start many
        check_equal "$SHELL_NAME: for stop only what runs" "$("complete_$SHELL_NAME" jobctl stop idl)" ""
        check_equal "$SHELL_NAME: for enable only what is not" "$("complete_$SHELL_NAME" jobctl enable qui)" quick.service
        check_equal "$SHELL_NAME: for disable nothing yet" "$("complete_$SHELL_NAME" jobctl disable qui)" ""
done
offers "bash: all options" "$OPTIONS" complete_bash jobctl --
FLOW_VERBS=$(ctl help flow | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
check_equal "help has the verbs of flow" "$(grep -cx 'import\|start\|why' <<<"$FLOW_VERBS")" 3
check "a run begins" ctl flow start nap who=all
RUN=$(ctl flow list --no-legend | awk '{ print $1 }')
check_equal "and has a number" "$(grep -cE '^[0-9]+$' <<<"$RUN")" 1
BATCH_VERBS=$(ctl help batch | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
check_equal "help has the verbs of batch" "$(grep -cx 'errors\|start\|proceed' <<<"$BATCH_VERBS")" 3
STREAM_VERBS=$(ctl help stream | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
check_equal "help has the verbs of stream" "$(grep -cx 'push\|list\|resolve' <<<"$STREAM_VERBS")" 3
check "a run of a batch begins" ctl batch start doze
OF_BATCH=$(ctl batch list --no-legend | awk '{ print $1 }')
! command -v fish >/dev/null || offers "fish: all options" "$OPTIONS" complete_fish jobctl --
! command -v zsh >/dev/null || offers "zsh: all options" "$OPTIONS" complete_zsh jobctl --
for SHELL_NAME in bash zsh fish; do
        command -v "$SHELL_NAME" >/dev/null || continue
        offers "$SHELL_NAME: verbs of flow" "$FLOW_VERBS" "complete_$SHELL_NAME" jobctl flow ''
        offers "$SHELL_NAME: flows" nap.flow "complete_$SHELL_NAME" jobctl flow start na
        offers "$SHELL_NAME: runs" "$RUN" "complete_$SHELL_NAME" jobctl flow show ''
        offers "$SHELL_NAME: verbs of batch" "$BATCH_VERBS" "complete_$SHELL_NAME" jobctl batch ''
        offers "$SHELL_NAME: batches" doze.batch "complete_$SHELL_NAME" jobctl batch start "do"
        offers "$SHELL_NAME: runs of batches" "$OF_BATCH" "complete_$SHELL_NAME" jobctl batch errors ''
        offers "$SHELL_NAME: verbs of stream" "$STREAM_VERBS" "complete_$SHELL_NAME" jobctl stream ''
        offers "$SHELL_NAME: streams" hum.stream "complete_$SHELL_NAME" jobctl stream push "hu"
        offers "$SHELL_NAME: options of run" "--on-calendar --scope --wait" "complete_$SHELL_NAME" jobctl run --
done
for word in pause cancel logs; do
        offers "bash: runs for $word" "$RUN" complete_bash jobctl flow "$word" ''
done
for word in pause proceed logs; do
        offers "bash: runs of batches for $word" "$OF_BATCH" complete_bash jobctl batch "$word" ''
done
done_testing
