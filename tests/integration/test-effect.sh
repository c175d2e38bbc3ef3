#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Each directive that confines or limits a service: its effect as seen from inside the service, and an invalid value, for
# which the unit is refused. The table is complete: a directive that doc/directives.md calls supported has a row, or stands
# below with the reason why it protects nothing. Each row has a control, the same service without the directive. If both
# look alike, the row shows nothing on this machine and is skipped.
#
# tools/boot-test runs this test in an emulated machine, which has the controllers, rights and security modules that a
# computer may lack; there each row must be shown (tests/boot/effects.py). EFFECT_ONLY, an expression, selects directives by
# name.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"
. "$(dirname "$0")/group.sh"
LIST=$(dirname "$0")/../../doc/directives.md
# Not the folders of whom the test belongs to.
export XDG_CACHE_HOME=$DIR/cache XDG_CONFIG_HOME=$DIR/config
ip link set lo up 2>/dev/null

# Not below /tmp, which is another one for those in a sandbox; only root may look into it without being told.
PLACE=/mnt
mount -t tmpfs -o mode=755 tmpfs "$PLACE"
mkdir -p "$PLACE"/{script,out,control,data,tools,root/{bin,lib,lib64,usr,proc,sys,dev,mnt,etc}}
chmod 1777 "$PLACE"/{out,control,data}
echo word >"$PLACE/data/word"
cp /bin/true "$PLACE/tools/true"
cp /bin/true "$PLACE/data/true"
echo "NAME=VALUE" >"$PLACE/root/marker"
# Namespaces that are there already.
unshare --ipc --net sh -c "echo \$\$ >$PLACE/holder; exec sleep 1000" &
HOLDER=$!
trap 'kill $HOLDER; [ -z "$GROUP" ] || remove_group; cleanup' EXIT
wait_for '[0-9]' cat "$PLACE/holder"
# $PLACE/ of the namespaces of this test
outer() {
        readlink "/proc/self/ns/$1"
}

N=0
NAMES=() VALUES=() EXPECTED=() BAD=() COUNTS=() LATER=() EARLY=() ENDING=() LIMITED=()
# row DIRECTIVE VALUE BAD-VALUE EXPECTED SCRIPT [LINE…]: further lines are there in the control, too
row() {
        N=$((N + 1))
        NAMES[N]=$1 VALUES[N]=$2 EXPECTED[N]=$4 BAD[N]=$3
        [[ $1 =~ ${EFFECT_ONLY:-.} ]] || return
        # Linux before 6.2 gives all that run all CPUs again when the controller comes to their groups: so that comes first.
        case ${PHASE-}$1 in
        Startup* | Allowed*) EARLY+=("$N") ;;
        ending*) ENDING+=("$N") ;;
        limited*) LIMITED+=("$N") ;;
        *) LATER+=("$N") ;;
        esac
        printf '%s\n' "$5" >"$PLACE/script/$N"
        local line more='' kind
        for line in "${@:6}"; do more+=$line$'\n'; done
        for kind in effect control; do
                {
                        printf '[Service]\nType=oneshot\nTimeoutStartSec=infinity\nExecStart=/bin/sh %s %%n\n' "$PLACE/script/$N"
                        printf 'StandardOutput=file:%s\n%s' "$PLACE/${kind/effect/out}/$N" "$more"
                        [ "$kind" = control ] || printf '%s=%s\n' "$1" "$2"
                } >"$UNITS/$kind-$N.service"
        done
        printf '[Service]\nExecStart=/bin/true\n%s=%s\n' "$1" "$3" >"$UNITS/bad-$N.service"
}
# counter …: of what is counted of each unit in any case, so that the control counts, too: what the script sees is that
# something is added
counter() {
        row "$@"
        COUNTS[N]=yes
}

# ending …: a row of how processes are ended, whose script asks for that; it waits by "hold", and has traps
# limited …: the same of how long something may take: the control takes longer, until it is killed
ending() {
        local PHASE=${PHASE-ending}
        row "${@:1:4}" "ctl() { JOBD_SOCKET=$JOBD_SOCKET $BUILD/jobctl \"\$@\" >/dev/null 2>&1; }
                hold() { exec 9<>$PLACE/data/hold; while :; do read -r some <&9; done; }
                $5" "${@:6}"
}
limited() {
        local PHASE=limited
        ending "$@"
}

capability() {
        printf 'perl -ne "/^%s:\\s+(\\S+)/ and print hex(\\$1) >> %d & 1" /proc/self/status' "$1" "$2"
}
denied() {
        printf '%s >/dev/null 2>&1 || echo denied' "$1"
}

# — users, groups and privileges —
row User nobody 'a:b' nobody 'id -un'
row Group nogroup 'a:b' nogroup 'id -gn'
row SupplementaryGroups daemon 'a:b' 'nogroup daemon' 'id -Gn' User=nobody Group=nogroup
row DynamicUser yes perhaps dynamic '[ "$(id -u)" -ge 61184 ] && echo dynamic'
mount -t tmpfs tmpfs /etc/pam.d
for kind in auth account session; do echo "$kind required pam_permit.so"; done >/etc/pam.d/effect
echo "session required pam_env.so envfile=$PLACE/root/marker" >>/etc/pam.d/effect
row PAMName effect a/b VALUE 'echo "$NAME"' User=nobody
# As tests/boot/effect.apparmor and effect.cil have it: what these forbid is not to be had.
LABEL='echo "$(tr -d "\0" </proc/self/attr/current)'
row AppArmorProfile jobd-effect - 'jobd-effect (enforce) denied' "$LABEL \$($(denied "cat $PLACE/data/word"))\""
row SELinuxContext system_u:system_r:effect_t:s0 - 'system_u:system_r:effect_t:s0 denied' "$LABEL \$($(denied "mkdir $PLACE/data/\$\$"))\""
row SmackProcessLabel effect - effect 'cat /proc/self/attr/current'
row UMask 0077 99 0077 umask
row AmbientCapabilities CAP_NET_RAW CAP_NOTHING 1 "$(capability CapEff 13)" User=nobody
row CapabilityBoundingSet CAP_KILL CAP_NOTHING 0000000000000020 'sed -n "s/CapBnd:.//p" /proc/self/status'
row SecureBits noroot all 1 'perl -e "print syscall(157, 27) & 1"'
row NoNewPrivileges yes perhaps 1 'sed -n "s/NoNewPrivs:.//p" /proc/self/status'
SESSION=$(perl -e 'print syscall(250, 0, -3, 0)')
row KeyringMode private own own "perl -e 'print syscall(250, 0, -3, 0) == $SESSION ? \"ours\" : \"own\"'" KeyringMode=inherit
row Personality x86 z80 i686 'uname -m'

# — system calls —
row SystemCallFilter '~mkdir mkdirat' '@no-such-group' denied "$(denied "mkdir $PLACE/data/new")" SystemCallErrorNumber=EACCES
row SystemCallErrorNumber EACCES ENOTHING 'Permission denied' "mkdir $PLACE/data/\$\$ 2>&1 | sed 's/.*: //'" \
        'SystemCallFilter=~mkdir mkdirat' SystemCallErrorNumber=ENOLCK
row SystemCallArchitectures native z80 2 'sed -n "s/Seccomp:.//p" /proc/self/status'
row SystemCallLog mkdir '@no-such-group' 2 'sed -n "s/Seccomp:.//p" /proc/self/status'
row LockPersonality yes perhaps denied "$(denied 'setarch -R true')"
row MemoryDenyWriteExecute yes perhaps -1 'perl -e "\$r = syscall(9, 0, 4096, 7, 34, -1, 0); print \$r < 0 ? -1 : 0"'
row RestrictAddressFamilies AF_UNIX AF_NOTHING denied "$(denied 'perl -MSocket -e "socket(S, AF_INET, SOCK_STREAM, 0) or exit 1"')"
row RestrictNamespaces yes nets denied "$(denied 'unshare --net true')"
row RestrictRealtime yes perhaps denied "$(denied 'chrt -f 1 true')"
row RestrictSUIDSGID yes perhaps denied "touch $PLACE/data/suid; $(denied "chmod u+s $PLACE/data/suid")"

# — namespaces and the file system —
row PrivateTmp yes perhaps '' 'ls -A /tmp'
row PrivateDevices yes perhaps denied "$(denied "mknod $PLACE/data/node-\$\$ c 1 3")"
row PrivateIPC yes perhaps other "[ \$(readlink /proc/self/ns/ipc) = '$(outer ipc)' ] || echo other"
row PrivateMounts yes perhaps other "[ \$(readlink /proc/self/ns/mnt) = '$(outer mnt)' ] || echo other"
row PrivateNetwork yes perhaps other "[ \$(readlink /proc/self/ns/net) = '$(outer net)' ] || echo other"
row PrivateUsers yes perhaps '0 0 1' 'tr -s " " </proc/self/uid_map | sed "s/^ //; 1q"'
row IPCNamespacePath "/proc/$HOLDER/ns/ipc" not/absolute same "[ \$(readlink /proc/self/ns/ipc) != '$(outer ipc)' ] && echo same"
row NetworkNamespacePath "/proc/$HOLDER/ns/net" not/absolute same "[ \$(readlink /proc/self/ns/net) != '$(outer net)' ] && echo same"
row ProcSubset pid few hidden 'test -e /proc/cpuinfo || echo hidden'
row ProtectProc invisible few hidden 'test -d /proc/1 || echo hidden' User=nobody
row ProtectClock yes perhaps 0 "$(capability CapBnd 25)"
row ProtectControlGroups yes perhaps denied 'test -w /sys/fs/cgroup || echo denied'
row ProtectHome yes mostly '' 'ls -A /root'
row ProtectHostname yes perhaps other "[ \$(readlink /proc/self/ns/uts) = '$(outer uts)' ] || echo other"
row ProtectKernelLogs yes perhaps 0 "$(capability CapBnd 34)"
row ProtectKernelModules yes perhaps 0 "$(capability CapBnd 16)"
row ProtectKernelTunables yes perhaps denied 'test -w /proc/sys/kernel/panic || echo denied'
row ProtectSystem strict mostly denied 'test -w /usr || echo denied'
row ReadOnlyPaths "$PLACE/data" not/absolute denied "test -w $PLACE/data || echo denied"
row ReadWritePaths "$PLACE/data" not/absolute written "touch $PLACE/data/rw 2>/dev/null && echo written" ProtectSystem=strict
row InaccessiblePaths "$PLACE/data" not/absolute denied "$(denied "cat $PLACE/data/word")"
row ExecPaths "$PLACE/tools" not/absolute runs "$PLACE/tools/true 2>/dev/null && echo runs" "NoExecPaths=$PLACE"
row NoExecPaths "$PLACE/data" not/absolute denied "$(denied "$PLACE/data/true")"
row BindPaths "$PLACE/data:/srv" not/absolute 'word written' "echo \$(cat /srv/word; touch /srv/new && echo written)" PrivateMounts=yes
row BindReadOnlyPaths "$PLACE/data:/srv" not/absolute 'word denied' "echo \$(cat /srv/word; test -w /srv || echo denied)" PrivateMounts=yes
row TemporaryFileSystem "$PLACE/data" not/absolute '' "ls -A $PLACE/data"
row MountFlags private few private 'grep -q " shared:" /proc/self/mountinfo || echo private' PrivateMounts=yes
ROOT="BindReadOnlyPaths=/bin /lib -/lib64 /usr $PLACE/script"
row RootDirectory "$PLACE/root" not/absolute NAME=VALUE 'cat /marker' "$ROOT"
row MountAPIVFS no perhaps none 'test -d /proc/1 || echo none' "RootDirectory=$PLACE/root" "$ROOT"

# — directories and credentials —
for kind in Runtime State Cache Logs Configuration; do
        variable=$(tr '[:lower:]' '[:upper:]' <<<"$kind")_DIRECTORY
        row "${kind}Directory" "effect-$kind" ../up "effect-$kind" "touch \"\$$variable/x\" && basename \"\$$variable\""
        row "${kind}DirectoryMode" 0710 9999 710 "stat -c %a \"\$$variable\"" "${kind}Directory=mode-%p"
done
row LoadCredential "word:$PLACE/data/word" 'a/b:/x' word 'cat "$CREDENTIALS_DIRECTORY/word"'
row SetCredential word:secret 'a/b:c' secret 'cat "$CREDENTIALS_DIRECTORY/word"'

# — limits of a process —
while read -r name label value bad; do
        row "Limit$name" "$value" "${bad:-plenty}" "$value $value" "sed -n 's/^${label//_/ }  *\\([0-9]*\\)  *\\([0-9]*\\).*/\\1 \\2/p' /proc/self/limits"
done <<'L'
AS Max_address_space 4294967296
CORE Max_core_file_size 4096
CPU Max_cpu_time 1000
DATA Max_data_size 4294967296
FSIZE Max_file_size 1048576
LOCKS Max_file_locks 100
MEMLOCK Max_locked_memory 65536
MSGQUEUE Max_msgqueue_size 8192
NICE Max_nice_priority 5
NOFILE Max_open_files 100
NPROC Max_processes 500
RSS Max_resident_set 1048576
RTPRIO Max_realtime_priority 3
RTTIME Max_realtime_timeout 5000000
SIGPENDING Max_pending_signals 200
STACK Max_stack_size 1048576
L
row Nice 5 99 5 nice
row OOMScoreAdjust 500 9999 500 'cat /proc/self/oom_score_adj'
row OOMScoreAdjust -500 -9999 -500 'cat /proc/self/oom_score_adj'
row CPUAffinity 0 first 0 'sed -n "s/Cpus_allowed_list:.//p" /proc/self/status'
row CPUSchedulingPolicy batch fast SCHED_BATCH 'chrt -p $$ | sed -n "s/.*policy: //p"'
row CPUSchedulingPriority 7 100 7 'chrt -p $$ | sed -n "s/.*priority: //p"' CPUSchedulingPolicy=fifo
row CPUSchedulingResetOnFork yes perhaps 'SCHED_BATCH|SCHED_RESET_ON_FORK' 'chrt -p $$ | sed -n "s/.*policy: //p"' CPUSchedulingPolicy=batch
row IOSchedulingClass idle fast idle 'ionice -p $$'
row IOSchedulingPriority 3 9 'best-effort: prio 3' 'ionice -p $$'
row NUMAPolicy bind near bind 'sed -n "1s/^[^ ]* \\([a-z]*\\).*/\\1/p" /proc/self/numa_maps' NUMAMask=0
row NUMAMask 0 first bind:0 'sed -n "1s/^[^ ]* \\([a-z]*:[0-9]*\\) .*/\\1/p" /proc/self/numa_maps' NUMAPolicy=bind
row TimerSlackNSec 1ms late 1000000 'cat /proc/$$/timerslack_ns'
row CoredumpFilter 0x31 everything 00000031 'cat /proc/self/coredump_filter'

# — its control group: with the controllers, in the emulated machine and where there are any —
OWN='"/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/'
[ -z "$GROUP" ] || OWN="\"${GROUP%/*}\$(sed -n s/^0:://p /proc/self/cgroup)/"
ATTRIBUTE="cat $OWN"
FIRST_OF_GROUP=$((N + 1))
# A controller that a neighbour wants is there for all of a slice.
ALONE='Slice=alone-%p.slice'
row AllowedCPUs 0 first 0 'sed -n "s/Cpus_allowed_list:.//p" /proc/self/status'
row AllowedMemoryNodes 0 first 0 "${ATTRIBUTE}cpuset.mems\""
row CPUWeight 50 plenty 50 "${ATTRIBUTE}cpu.weight\""
row StartupCPUWeight 70 plenty 70 "${ATTRIBUTE}cpu.weight\"" CPUWeight=50
row CPUQuota 50% half '50000 100000' "${ATTRIBUTE}cpu.max\""
row CPUQuotaPeriodSec 10ms late '5000 10000' "${ATTRIBUTE}cpu.max\"" CPUQuota=50%
row MemoryMax 512M plenty 536870912 "${ATTRIBUTE}memory.max\""
row MemoryHigh 256M plenty 268435456 "${ATTRIBUTE}memory.high\""
row MemoryLow 2M plenty 2097152 "${ATTRIBUTE}memory.low\""
row MemoryMin 1M plenty 1048576 "${ATTRIBUTE}memory.min\""
row MemorySwapMax 0 plenty 0 "${ATTRIBUTE}memory.swap.max\""
row MemoryZSwapMax 0 plenty 0 "${ATTRIBUTE}memory.zswap.max\""
row MemoryAccounting yes perhaps counted "test -e ${OWN}memory.current\" && echo counted" "$ALONE"
counter CPUAccounting yes perhaps counted "used() { sed -n 's/^usage_usec //p' ${OWN}cpu.stat\"; }
        before=\$(used); seq 20000 | sort >/dev/null; [ \"\$(used)\" -gt \"\$before\" ] && echo counted"
counter TasksAccounting yes perhaps counted "read before <${OWN}pids.current\"; sleep 1000 &
        read after <${OWN}pids.current\"; kill \$!; [ \"\$after\" = \$((before + 1)) ] && echo counted"
row TasksMax 20 plenty 20 "${ATTRIBUTE}pids.max\""
row IOWeight 60 plenty 'default 60' "${ATTRIBUTE}io.weight\""
row StartupIOWeight 80 plenty 'default 80' "${ATTRIBUTE}io.weight\"" IOWeight=60
row IODeviceWeight '/ 90' '/ plenty' 90 "sed -n 's/^[0-9].* //p' ${OWN}io.weight\"" IOWeight=60
row IODeviceLatencyTargetSec '/ 25ms' '/ soon' target=25000 "${ATTRIBUTE}io.latency\" | grep -o 'target=.*'"
row IOAccounting yes perhaps counted "test -e ${OWN}io.stat\" && echo counted" "$ALONE"
row Delegate yes perhaps handed "test -w ${OWN}cgroup.subtree_control\" && echo handed" User=nobody
row Delegate 'memory pids' perhaps memory "grep -ow memory ${OWN}cgroup.controllers\"" "$ALONE"
for kind in IOReadBandwidthMax:rbps IOWriteBandwidthMax:wbps IOReadIOPSMax:riops IOWriteIOPSMax:wiops; do
        row "${kind%:*}" '/ 1000000' '/ plenty' "${kind#*:}=1000000" "${ATTRIBUTE}io.max\" | grep -o '${kind#*:}=1000000'"
done
row Slice effect.slice x.service effect.slice 'grep -o "effect\.slice" /proc/self/cgroup'
row DevicePolicy strict most denied 'head -c 0 /dev/full 2>&- || echo denied' 'DeviceAllow=/dev/null rw'
row DeviceAllow '/dev/full r' '/dev/null rx' opens 'head -c 0 /dev/full 2>&- && echo opens' DevicePolicy=strict 'DeviceAllow=/dev/null rw'
row IPAddressDeny any 300.1.1.1 denied "$(denied 'bash -c "echo x >/dev/udp/127.0.0.1/9"')"
row IPAddressAllow 127.0.0.1 10.0.0.0/33 sent 'bash -c "echo x >/dev/udp/127.0.0.1/9" 2>/dev/null && echo sent' IPAddressDeny=any
LAST_OF_GROUP=$N

# — signals and time limits —
mkfifo "$PLACE/data/hold"
STOP='ctl --no-block stop "$1"; hold'
# Once only: as the last means, the signal is sent again.
USR1='trap "trap \"\" USR1; echo usr1; exit" USR1'
# A limit of the start counts the time until the program executes, for which an emulated machine needs more than 100 ms.
# The result and the signal that ended the unit, unless the test killed it.
OVER="ExecStopPost=/bin/sh $PLACE/script/over %n"
echo "[ -e $PLACE/data/over-\$1 ] || echo \"\$SERVICE_RESULT \$EXIT_STATUS\"" >"$PLACE/script/over"
ending KillSignal SIGUSR1 SIGNOTHING usr1 "$USR1; trap 'echo term; exit' TERM; $STOP"
ending KillMode mixed most main "(trap 'echo child; exit' TERM; : >$PLACE/data/\$1; hold) &
        until [ -e $PLACE/data/\$1 ]; do sleep 0.02; done; trap 'echo main; exit' TERM; $STOP"
ending SendSIGHUP yes perhaps hup "trap 'echo hup' HUP; trap 'ctl is-active \$1; exit' TERM; $STOP" KillMode=process
ending SendSIGKILL no perhaps spared "trap '' TERM; ctl --no-block stop \$1; until ctl is-failed \$1; do sleep 0.02; done; echo spared" \
        TimeoutStopSec=100ms
ending FinalKillSignal SIGUSR1 SIGNOTHING usr1 "trap '' TERM; $USR1; $STOP" TimeoutStopSec=100ms
ending RestartKillSignal SIGUSR1 SIGNOTHING usr1 "[ ! -e $PLACE/data/\$1 ] || exit 0; : >$PLACE/data/\$1
        $USR1; trap 'echo term; exit' TERM; ctl --no-block restart \$1; hold"
ending TimeoutStopFailureMode abort later abrt "trap '' TERM; trap 'echo abrt; exit' ABRT; $STOP" TimeoutStopSec=100ms \
        TimeoutAbortSec=infinity
ending TimeoutStartFailureMode kill later 'timeout KILL' hold "$OVER" TimeoutStartSec=2s
ending WatchdogSignal SIGUSR1 SIGNOTHING 'watchdog USR1' hold "$OVER" Type=simple WatchdogSec=100ms LimitCORE=0
limited WatchdogSec 100ms soon 'watchdog TERM' hold "$OVER" Type=simple WatchdogSignal=SIGTERM
limited RuntimeMaxSec 100ms soon 'timeout TERM' hold "$OVER" Type=simple
limited TimeoutStartSec 2s soon 'timeout TERM' hold "$OVER"
limited TimeoutStopSec 100ms soon usr1 "trap '' TERM; $USR1; $STOP" FinalKillSignal=SIGUSR1 TimeoutStopSec=infinity
limited TimeoutSec 2s soon usr1 "trap '' TERM; $USR1; $STOP" Type=simple FinalKillSignal=SIGUSR1 TimeoutSec=infinity
limited TimeoutAbortSec 100ms soon usr1 "trap '' TERM ABRT; $USR1; $STOP" FinalKillSignal=SIGUSR1 TimeoutStopSec=100ms \
        TimeoutStopFailureMode=abort TimeoutAbortSec=infinity

# — wishes: one that cannot be read is left out, and that is said; why that takes no protection away —
declare -A WISHES=(
        [CPUWeight]="it has the usual share" [StartupCPUWeight]="it has the usual share" [IOWeight]="it has the usual share"
        [StartupIOWeight]="it has the usual share" [IODeviceWeight]="it has the usual share"
        [CPUQuotaPeriodSec]="the quota holds, counted in the usual time"
        [MemoryLow]="it only gets less" [MemoryMin]="it only gets less" [Delegate]="it only gets less"
        [MemoryAccounting]="less is counted" [IOAccounting]="less is counted" [CPUAccounting]="it is counted anyhow"
        [TasksAccounting]="it is counted anyhow"
        [SendSIGHUP]="the other signals end it" [SendSIGKILL]="it is killed"
)

# — those that confine nothing, and why —
declare -A EXEMPT
exempt() {
        local name
        for name in "${@:2}"; do EXEMPT[$name]=$1; done
}
exempt "where it reads from and writes to" StandardInput StandardInputData StandardInputText StandardOutput StandardError
exempt "what a terminal is" TTYColumns TTYPath TTYReset TTYRows TTYVHangup TTYVTDisallocate
exempt "what is written down of what it says" LogExtraFields LogLevelMax LogRateLimitBurst LogRateLimitIntervalSec \
        SyslogFacility SyslogIdentifier SyslogLevel SyslogLevelPrefix
exempt "what it is told" Environment EnvironmentFile PassEnvironment UnsetEnvironment IgnoreSIGPIPE
exempt "where its program is looked for, and where it begins" WorkingDirectory ExecSearchPath
exempt "how long what it leaves behind lives" RuntimeDirectoryPreserve RemoveIPC
exempt "it makes a limit longer, by chance" RuntimeRandomizedExtraSec
exempt "nothing of it runs then" TimeoutCleanSec

# — the table is complete —
# By the tables that unit files are read by: that doc/directives.md is what they say is another test.
mapfile -t SUPPORTED < <(awk '
        /^## / { whole = /: (execution|killing|resource control)/; service = /^## \[Service\]$/ }
        (whole || (service && /^\| `(Runtime|Timeout|Watchdog)/)) && /\| supported \|/ && !/old name of/ {
                gsub(/[`=]/, "", $2); print $2 }' "$LIST" | sort)
check_equal "each directive that confines or limits is tried, and no other" \
        "$(printf '%s\n' "${NAMES[@]}" "${!EXEMPT[@]}" | sort -u)" "$(printf '%s\n' "${SUPPORTED[@]}")"
check_equal "each wish is tried, and none is exempt" \
        "$(printf '%s\n' "${!WISHES[@]}" | sort)" "$(printf '%s\n' "${!WISHES[@]}" | grep -Fx "$(printf '%s\n' "${NAMES[@]}")" | sort)"

# Startup…= hold while jobd starts up, so their rows start first, with the default unit.
{
        echo '[Unit]'
        for i in "${EARLY[@]}"; do echo "Wants=control-$i.service effect-$i.service"; done
} | unit early.target
if [ -n "$GROUP" ]; then
        start_daemon_in_group --default-unit early.target
else
        start_daemon --default-unit early.target
fi
# A unit that fails is reported below. A few start at a time. A unit that got no processor for seconds, as happens in an
# emulated machine on a busy computer, is started once more, alone.
ctl start early.target >"$DIR/started" 2>&1
for ((i = 0; i < ${#LATER[@]}; i += 4)); do
        SOME=("${LATER[@]:i:4}") SOME=("${SOME[@]/#/control-}" "${SOME[@]/#/effect-}")
        ctl start "${SOME[@]/%/.service}" >>"$DIR/started" 2>&1
done
for one in $(sed -n 's/^<.>\([^:]*\): .*Timer expired$/\1/p' "$DIR/log" | sort -u); do
        ctl start "$one" >>"$DIR/started" 2>&1
done

# The units under test end, and are waited for. By then their controls have run for longer than the limit, and are killed.
ENDS=("${ENDING[@]}" "${LIMITED[@]}")
state_of() {
        ctl show -P ActiveState "$1"
        ctl list-jobs --no-legend "$1"
}
for i in "${ENDS[@]}"; do
        ctl --no-block start "control-$i.service" "effect-$i.service" >>"$DIR/started" 2>&1
done
for i in "${ENDS[@]}"; do
        wait_for "^${EXPECTED[i]}\$" cat "$PLACE/out/$i"
done
for i in "${LIMITED[@]}"; do
        : >"$PLACE/data/over-control-$i.service"
        ctl kill --signal=KILL "control-$i.service" >>"$DIR/started" 2>&1
done
for one in "${ENDS[@]/#/control-}" "${ENDS[@]/#/effect-}"; do
        wait_for '^(failed|inactive)$' state_of "$one.service"
done

# shows ROW: 0, 1, or 2 if it would look the same without the directive
shows() {
        local seen control
        seen=$(cat "$PLACE/out/$1" 2>&1) control=$(cat "$PLACE/control/$1" 2>&1)
        PRINTED="# it prints '${seen//$'\n'/ }', without the directive '${control//$'\n'/ }'"
        [ "$control" != "${EXPECTED[$1]}" ] || [ -n "${COUNTS[$1]-}" ] || return 2
        [ "$seen" = "${EXPECTED[$1]}" ]
}

# is_foreign DIRECTIVE: it is for a security module that is not at work here, or does not know the label
is_foreign() {
        case $1 in
        AppArmorProfile) ! grep -qs '^jobd-effect ' /sys/kernel/security/apparmor/profiles ;;
        SELinuxContext) [ ! -e /sys/fs/selinux/context ] || ! printf %s "$2" 2>/dev/null >/sys/fs/selinux/context ;;
        SmackProcessLabel) [ ! -e /sys/fs/smackfs/load2 ] ;;
        *) false ;;
        esac
}

# is_barred DIRECTIVE VALUE ROW: nobody here may have that, or be the user that it is about
is_barred() {
        has_users || ! grep -Eq '^(User|Group|SupplementaryGroups|DynamicUser)=' "$UNITS/effect-$3.service" || return 0
        case $1 in
        CPUSchedulingPriority) ! chrt -f "$2" true 2>/dev/null ;;
        Limit*) ! prlimit "--$(tr '[:upper:]' '[:lower:]' <<<"${1#Limit}")=$2" true 2>/dev/null ;;
        OOMScoreAdjust) ! (echo "$2" >/proc/self/oom_score_adj) 2>/dev/null ;;
        PrivateUsers) ! unshare --user true 2>/dev/null ;;
        *) false ;;
        esac
}

# is_unequipped DIRECTIVE ROW: nothing is done without a control group, and without a controller the log names what would be set
is_unequipped() {
        local name=${1#Startup}
        WHY='there is no control group that can be written'
        [ -z "$GROUP" ] && [ "$2" -ge "$FIRST_OF_GROUP" ] && [ "$2" -le "$LAST_OF_GROUP" ] && return
        WHY='there is no controller to pass on'
        [ "$1" = Delegate ] && ! grep -qsw memory "$GROUP/cgroup.controllers" && return
        WHY=$(grep "effect-$2.service: Resource limits not applied" "$DIR/log")
        grep -q "${name%PeriodSec}=" <<<"$WHY"
}

for i in "${EARLY[@]}" "${LATER[@]}" "${ENDS[@]}"; do
        name="${NAMES[i]}=${VALUES[i]} has its effect"
        shows "$i"
        case $? in
        0) report 0 "$name" && echo "$PRINTED" ;;
        2) skip "$name" "here it is so without it" ;;
        *)
                if is_foreign "${NAMES[i]}" "${VALUES[i]}"; then
                        skip "$name" "this kernel has nothing of the kind"
                elif ctl show -P FailureReason "effect-$i.service" | grep -q "${NAMES[i]}=: .*not supported"; then
                        skip "$name" "the unit is not started, with a reason, and so never runs with less"
                elif is_barred "${NAMES[i]}" "${EXPECTED[i]%% *}" "$i"; then
                        skip "$name" "nobody here may have that"
                elif is_unequipped "${NAMES[i]}" "$i"; then
                        skip "$name" "not on this machine: $WHY"
                else
                        report 1 "$name" "it prints '$(cat "$PLACE/out/$i" 2>&1)', not '${EXPECTED[i]}'
$(ctl status "effect-$i.service" 2>&1)"
                fi
                ;;
        esac
done
[ -z "${EFFECT_ONLY-}" ] || N=0
for ((i = 1; i <= N; i++)); do
        if [ -n "${WISHES[${NAMES[i]}]-}" ]; then
                check_equal "${NAMES[i]}=${BAD[i]}: only the line is left out (${WISHES[${NAMES[i]}]})" \
                        "$(ctl show -P LoadState "bad-$i.service")" loaded
                check "${NAMES[i]}=${BAD[i]}: and that is said" grep -q "/bad-$i.service:3: ${NAMES[i]}: .*; \(the line is ignored\|it is ignored\)" "$DIR/log"
        else
                check_equal "${NAMES[i]}=${BAD[i]}: the unit is not run with less" \
                        "$(ctl show -P LoadState "bad-$i.service")" bad-setting
        fi
done
done_testing
