#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A thousand starts and stops leave no descriptor, no zombie, and no memory.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

unit sleeper.service <<'U'
[Service]
ExecStart=/bin/sleep 1000
U
unit short.service <<'U'
[Service]
Type=oneshot
ExecStart=/bin/true
U
start_daemon

rounds() {
        local i
        for ((i = 0; i < $1; i++)); do
                ctl start sleeper.service short.service || return 1
                ctl stop sleeper.service || return 1
        done
}

zombies() {
        grep -l "^PPid:[[:space:]]*\($DAEMON\|$CORE\)$" /proc/[0-9]*/status 2>/dev/null | xargs -r grep -l '^State:.*Z' | wc -l
}

# memory: the pages that the manager has written to, in KiB; those of shared libraries do not count.
memory() {
        awk '/^Anonymous:/ { print $2 }' "/proc/$CORE/smaps_rollup"
}

# So many that the manager has all the requests that it remembers: their number has a bound (MANAGER_TOKENS_MAX).
check "600 rounds" rounds 600
wait_for '^0$' zombies
FDS=$(ls "/proc/$CORE/fd" | wc -l)
MEMORY=$(memory)
check "400 more" rounds 400
wait_for '^0$' zombies
check "no descriptor is left" wait_for_descriptors "$FDS"
check_equal "no zombie is left" "$(zombies)" 0
AFTER=$(memory)
# The records of the last jobs lie in a file, of which so much is kept in memory (src/store).
CACHE=128
echo "# memory after 600 rounds: $MEMORY KiB, after 1000: $AFTER KiB"
if grep -qa __asan_init "$BUILD/jobd-core"; then
        # AddressSanitizer keeps what was freed for a while, to find who still uses it.
        skip "memory is what it was, within 64 KiB and the cache" "the sanitizer's own memory grows"
else
        [ $((AFTER - MEMORY)) -le $((64 + CACHE)) ]
        report $? "memory is what it was, within 64 KiB and the cache" "$MEMORY KiB, then $AFTER KiB"
fi
check "the daemon is alive" alive
done_testing
