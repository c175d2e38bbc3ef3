# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Every unit file of the packages loads, and each message is one that we know and hold to be right.

# The service, socket, timer and path files that a package of ours brings, sorted; links are other names of these.
list_units() {
        inside dpkg -L "${PACKAGES[@]}" | grep -E '^(/usr)?/lib/systemd/system/[^/]*\.(service|socket|timer|path)$' |
                while read -r path; do [ -f "$ROOT$path" ] && [ ! -L "$ROOT$path" ] && echo "${path##*/}"; done | sort -u
}

# What verify says of one, without the folder and the line.
messages_of() {
        inside /opt/jobd/jobctl verify --systemd-units "/lib/systemd/system/$1" 2>&1
}

N=0
for name in $(list_units); do
        N=$((N + 1))
        SAID=$(messages_of "$name")
        STATUS=$?
        [ "$STATUS" != 2 ] && [ "$STATUS" -lt 128 ]
        report $? "$name loads" "$SAID"
        sed "s/^/$name: /" <<<"$SAID" | grep -v ': $' >>"$DIR/messages"
done
[ "$N" -ge 100 ]
report $? "there are over a hundred of them" "only $N"
DIFFERENCE=$(diff "$HERE/expected-messages" "$DIR/messages" 2>&1)
report $? "all messages are known" "$DIFFERENCE"
