#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The batches of units/examples do what they say, with workers in C, in Python and in the shell.
# S003-10
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

EXAMPLES=$(dirname "$(realpath "$0")")/../../units/examples
INSTALLED=/usr/share/doc/jobd/examples
for BATCH in primes collatz numbers; do
        check_lacks "$BATCH has nothing to complain about" 'error' ctl verify "$EXAMPLES/$BATCH.batch"
        sed "s,$INSTALLED,$EXAMPLES," "$EXAMPLES/$BATCH.batch" >"$UNITS/$BATCH.batch"
done
sed -i 's/^Items=.*/Items=2000/' "$UNITS"/{primes,collatz}.batch
start_daemon

# wait_for_end BATCH STATE
wait_for_end() {
        ctl batch start --wait "$1" >/dev/null 2>&1
        check_prints "$1 is $2" "State: $2" ctl batch show "$1.batch"
}

wait_for_end primes SUCCEEDED
wait_for_end collatz PARTIAL
check_prints "what a worker says about an item that has failed is shown" '^ *0 +1 +1 .*"0 never comes to 1"' ctl batch errors "$(ctl batch list --no-legend collatz.batch | awk '{ print $1 }')"
wait_for_end numbers SUCCEEDED
check_equal "each number is there" "$(sort -n "$XDG_STATE_HOME"/numbers/numbers-* | uniq | wc -l)" 1000

done_testing
