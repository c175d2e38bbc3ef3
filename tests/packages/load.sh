# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Every unit file of the packages loads: the manager in the box says so. What verify says of them is right: that this
# machine lacks something is looked up there, and all else stands in expected-messages, where each line has been judged.

# The service, socket, timer and path files that a package of ours brings, sorted; links are other names of these.
list_units() {
        inside dpkg -L "${PACKAGES[@]}" | grep -E '^(/usr)?/lib/systemd/system/[^/]*\.(service|socket|timer|path)$' |
                while read -r path; do [ -f "$ROOT$path" ] && [ ! -L "$ROOT$path" ] && echo "${path##*/}"; done | sort -u
}

# A template is loaded by an instance of it.
loaded_name() {
        case $1 in
        *@.*) echo "${1%%@.*}@test.${1##*.}" ;;
        *) echo "$1" ;;
        esac
}

# What verify says of one, without the folder and the line, which other versions of a package have elsewhere.
messages_of() {
        inside /opt/jobd/jobctl verify --systemd-units "/lib/systemd/system/$1" 2>&1 | sed -E "s/^[^:]*(:[0-9]+)?: /$1: /"
}

has_program() {
        in_box sh -c 'command -v "$1" && [ ! -d "$1" ]' sh "$1" >/dev/null
}

has_unit() {
        in_box sh -c 'cd / && for folder in etc run lib usr/lib; do [ ! -e "$folder/systemd/system/$1" ] || exit 0; done; exit 1' \
                sh "$1"
}

# judge MESSAGE: one about what the machine lacks is right if it does; any other is for expected-messages.
judge() {
        local missing
        case $1 in
        *": There is no program "*" on this machine.")
                missing=${1##*": There is no program "}
                missing=${missing%" on this machine."}
                ! has_program "$missing"
                report $? "$missing is missing, as ${1%%:*} is told"
                ;;
        *": Unit "*" is not found; the unit starts without it." | *": Unit "*" is not found; there is nothing to start when "*)
                missing=${1##*": Unit "}
                missing=${missing%%" is not found;"*}
                ! has_unit "$missing"
                report $? "$missing is missing, as ${1%%:*} is told"
                ;;
        *": This kernel has no AppArmor; the unit runs without.")
                ! grep -q Y /sys/module/apparmor/parameters/enabled 2>/dev/null
                report $? "AppArmor is missing, as ${1%%:*} is told"
                ;;
        *)
                echo "$1" >>"$DIR/messages"
                ;;
        esac
}

# What depends on a device that jobd does not look for loads, and says at its start why it can't be.
check_device() {
        check_exit "what is bound to a device does not start" 5 jobctl_in_box start serial-getty@ttyS9.service
        check_prints "and says why" 'Unit dev-ttyS9.device not found.*BindsTo=dev-ttyS9.device' echo "$OUT"
}

N=0
: >"$DIR/messages"
for name in $(list_units); do
        N=$((N + 1))
        SAID=$(messages_of "$name")
        check_prints "$name loads" '^loaded$' jobctl_in_box show -P LoadState "$(loaded_name "$name")"
        while read -r message; do
                [ -z "$message" ] || judge "$message"
        done <<<"$SAID"
done
[ "$N" -ge 100 ]
report $? "there are over a hundred of them" "only $N"
LC_ALL=C sort -u "$DIR/messages" >"$DIR/messages.sorted"
DIFFERENCE=$(diff <(LC_ALL=C sort -u "$HERE/expected-messages") "$DIR/messages.sorted" 2>&1)
report $? "all messages are known, and all that are known are said" "$DIFFERENCE"
check_device
