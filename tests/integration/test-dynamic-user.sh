#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# DynamicUser=: the names and numbers of the users, their rights, that no two units share one, and that a unit keeps its user
# when core dies.
# shellcheck source=tests/integration/library.sh
. "$(dirname "$0")/library.sh"

if ! has_users; then
        skip "dynamic users" "only root can make them"
        done_testing
fi
chmod 755 "$DIR"
USERS=$XDG_RUNTIME_DIR/jobd/dynamic-users

property() {
        ctl show -P "$2" "$1"
}

# said NAME: what the unit has said of itself, once it has
said() {
        wait_for . cat "$DIR/said-$1" && cat "$DIR/said-$1"
}

# Each service reports its user through a FIFO that jobd opens, since it may write nowhere.
dynamic() {
        local name=$1
        shift
        {
                printf '[Service]\nDynamicUser=yes\nStandardOutput=truncate:%s\n' "$DIR/said-$name"
                printf '%s\n' "$@"
                printf '%s\n' 'ExecStart=/bin/sh -c '\''echo "$(id -u) $(id -g) $$USER $(id -G | wc -w)"; for x in /usr /var/tmp /tmp; do touch $x/of-us 2>/dev/null && echo "$x"; done; grep NoNewPrivs /proc/self/status; exec sleep 1000'\'
        } | unit "$name.service"
}

uid_of() {
        said "$1" | awk 'NR == 1 { print $1 }'
}

dynamic one
dynamic two User=other-name
dynamic three User=other-name
dynamic 4-odd
dynamic root User=root
dynamic linked StateDirectory=x:link
# Not below /tmp, which is another one for these.
mount -t tmpfs tmpfs /mnt
STATE=/mnt/state
export XDG_STATE_HOME=$STATE
unit keeps.service <<U
[Service]
DynamicUser=yes
StateDirectory=x y/z
StateDirectoryMode=0700
StandardOutput=truncate:$DIR/said-keeps
ExecStart=/bin/sh -c 'for x in $STATE/x $STATE/y/z; do echo kept >\$\$x/file; done; ls $STATE/private | xargs; echo \$STATE_DIRECTORY; id -u; exec sleep 1000'
U
start_daemon
check "a user for a unit" ctl start one.service
UID_ONE=$(uid_of one)
[ "${UID_ONE:-0}" -ge 61184 ] && [ "$UID_ONE" -le 65519 ]
report $? "has a number of the range" "it is '$UID_ONE'"
check_prints "and the unit's name, and one group" "^$UID_ONE $UID_ONE one 1\$" said one
check_equal "as is shown" "$(property one.service User) $(property one.service DynamicUser)" "one yes"
check_equal "which is written down" "$(cat "$USERS/$UID_ONE")" one
check_lacks "it can't write to the system" '^/usr$' said one
check_prints "but to a /tmp of its own" '^/tmp$' said one
check_exit "of which others know nothing" 1 test -e /tmp/of-us
check_prints "and gets no other privileges" 'NoNewPrivs:.*1' said one
check_equal "its sandbox is shown" "$(property one.service ProtectSystem) $(property one.service ProtectHome) $(property one.service PrivateTmp) $(property one.service RemoveIPC) $(property one.service RestrictSUIDSGID)" "strict read-only yes yes yes"
check "two units with one user" ctl start two.service three.service
check_equal "have one number" "$(uid_of two)" "$(uid_of three)"
check_prints "and name" ' other-name 1$' said two
[ "$(uid_of two)" != "$UID_ONE" ]
report $? "that is not the first one's"
check "a name that can't be a user's" ctl start 4-odd.service
check_prints "is another one" ' _du[0-9a-f]{16} 1$' said 4-odd
check "a user that is there already" ctl start root.service
check_prints "is that one" '^0 0 root ' said root
mkdir -p "$STATE/private/of-another"
check "directories that stay" ctl start keeps.service
check "and are seen by the unit" wait_for '^[0-9]+$' cat "$DIR/said-keeps"
check_prints "which knows where" "^$STATE/private/x:$STATE/private/y/z\$" cat "$DIR/said-keeps"
check_prints "and sees no others" '^x y$' cat "$DIR/said-keeps"
check_equal "they have their usual names" "$(cat "$STATE/x/file" "$STATE/y/z/file")" "kept
kept"
check_equal "lie where only root gets" "$(stat -c %a:%u "$STATE/private") $(readlink "$STATE/x") $(readlink "$STATE/y/z")" "700:0 private/x ../private/y/z"
check_equal "and are the unit's" "$(stat -c %a:%u "$STATE/private/x")" "700:$(tail -n 1 "$DIR/said-keeps")"
check "it ends" ctl stop keeps.service
check_equal "they stay" "$(cat "$STATE/x/file")" kept
check "they are removed" ctl clean --what=state keeps.service
check_exit "with their names" 1 test -e "$STATE/private/x" -o -L "$STATE/x"
check_exit "a link besides" 1 ctl start linked.service
check_prints "is not supported" 'link' cat "$DIR/log"

kill_core KILL
check_equal "after the core was killed the users are there" "$(ls "$USERS" | wc -l)" 3
check "and have their numbers still" ctl restart three.service
check_equal "the same ones" "$(uid_of two)" "$(uid_of three)"
UID_TWO=$(uid_of two)
check "one of two units is stopped" ctl stop two.service
check_equal "their user stays" "$(cat "$USERS/$UID_TWO")" other-name
check "both are" ctl stop three.service
check_exit "it is gone" 1 test -e "$USERS/$UID_TWO"
check "all are" ctl stop one.service 4-odd.service
unit mnt-none.mount <<U
[Mount]
What=tmpfs
Where=/mnt/none
Type=tmpfs
DynamicUser=yes
U
check_exit "a mount as such a user is not allowed" 1 ctl start mnt-none.mount
check_equal "nobody is left" "$(ls "$USERS")" ""
echo -n stranger >"$USERS/$UID_ONE"
check "a number that somebody has" ctl start one.service
[ "$(uid_of one)" -eq $((UID_ONE == 65519 ? 61184 : UID_ONE + 1)) ]
report $? "is nobody else's" "it is $(uid_of one)"
done_testing
