#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   test-release.sh CHECK BUILD BUILDTYPE
#
# CHECK accepts a build folder if, and only if, it is that of a release: this one, whichever it is, and one that is none.
set -u

said=$("$1" "$2" 2>&1)
status=$?
if [ "$3" = release ]; then
    [ "$status" = 0 ] && [ -z "$said" ]
else
    [ "$status" = 1 ] && grep -q "buildtype is $3, not release" <<<"$said"
fi && echo "ok 1 - this build folder, of buildtype $3" || printf 'not ok 1 - this build folder\n# %s %s\n' "$status" "$said"

said=$("$1" "$(dirname "$0")" 2>&1) && echo "not ok 2 - a folder of other things is accepted" || {
    grep -q 'is no build folder' <<<"$said" && echo "ok 2 - a folder of other things is refused"
} || printf 'not ok 2 - a folder of other things\n# %s\n' "$said"
echo 1..2
