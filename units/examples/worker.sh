#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A worker of the shell (jobd.batch(5)): writes each number into a file of the run.
tab=$(printf '\t')
printf 'hello\t1\t8\n'
while IFS=$tab read -r index length; do
        # With ItemsFile= the item itself follows its line; with Items= its length is 0.
        [ "$length" = 0 ] || head -c "$length" >/dev/null
        if echo "$index" >>"numbers-$JOBD_RUN"; then
                printf '%s\t0\t0\n' "$index"
        else
                printf '%s\t1\t0\n' "$index"
        fi
done
