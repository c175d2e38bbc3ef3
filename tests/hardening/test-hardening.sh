#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   test-hardening.sh CHECK {NAME PROGRAM}… -- PROGRAM…
#   test-hardening.sh --skip REASON
#
# The controls first: each PROGRAM is built without what its NAME says, and CHECK must find that and nothing else.
set -u

if [ "$1" = --skip ]; then
    echo "1..0 # SKIP $2"
    exit
fi
if ! command -v readelf >/dev/null; then
    echo "1..0 # SKIP there is no readelf"
    exit
fi

check=$1
tests=0
failed=0
shift

# report RESULT NAME [DETAIL]
report() {
    tests=$((tests + 1))
    [ "$1" = 0 ] && echo "ok $tests - $2" && return
    failed=$((failed + 1))
    printf 'not ok %d - %s\n# %s\n' "$tests" "$2" "${3-}"
}

while [ "$1" != -- ]; do
    said=$("$check" "$2" 2>&1)
    if [ "$1" = nothing ]; then
        [ -z "$said" ]
        report $? "the control that lacks nothing passes" "$said"
    else
        [ "$said" = "$2: no $1" ]
        report $? "the control that lacks $1 fails" "${said:-it passes}"
    fi
    shift 2
done
shift
for program; do
    said=$("$check" "$program" 2>&1)
    report $? "${program##*/} is hardened" "$said"
done
echo "1..$tests"
[ "$failed" = 0 ]
