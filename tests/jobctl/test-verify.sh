#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# jobctl verify, which needs no manager: what it can be given, what it prints, and how it exits.
#
#   test-verify.sh JOBCTL
set -u

jobctl=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mkdir -p path units/half.service.d
export JOBD_UNIT_PATH=$folder/path

n=0
# check NAME STATUS PATTERN ARGUMENT…: with these arguments verify exits so, and prints what matches ("": nothing)
check() {
    local name=$1 expected=$2 pattern=$3 said status verdict=ok
    shift 3
    said=$("$jobctl" "$@" 2>&1)
    status=$?
    if [ -n "$pattern" ]; then
        grep -q -- "$pattern" <<< "$said" || verdict="not ok"
    elif [ -n "$said" ]; then
        verdict="not ok"
    fi
    [ "$status" = "$expected" ] || verdict="not ok"
    n=$((n + 1))
    echo "$verdict $n - $name"
    [ "$verdict" = ok ] || printf '# exit status %s: %s\n' "$status" "$said" >&2
}

printf '[Service]\nExecStart=/bin/true\n' > units/good.service
printf '[Unit]\nAfter=good.service\nRequires=good.service\n[Service]\nExecStart=/bin/true\nRestrt=no\n' > units/half.service
printf '[Service]\nExecStart=/bin/true\nType=quick\n' > units/bad.service
printf '[Unit]\nDescripton=x\n' > units/half.service.d/10.conf
printf '[Unit]\nRequires=gone@%%i.service\n[Service]\nExecStart=/bin/echo %%i\n' > units/many@.service
printf '[Service]\nExecStart=/bin/true\nUser=a:b\n' > path/found.service
printf 'hello\n' > units/notes.txt
printf '[Service]\nExecStart=/bin/true\nWorkingDirectory=%%Y\nEnvironmentFile=-%%y.env\n' > units/project.service

printf '[Unit]\nRequires=a-b.slice init.scope\n[Service]\nExecStart=/bin/true\n' > path/placed.service
printf '[Unit]\nRequires=a--b.slice\n[Service]\nExecStart=/bin/true\n' > path/misplaced.service

printf '[Batch]\nItems=5\nExec=/bin/true %%%%{item}\n' > path/all.batch
printf '[Batch]\nItems=5\nExec=/bin/true\nRecover=fail\n' > path/strange.batch
printf '[Batch]\nItems=5\nExec=/bin/true\nBurst=2\n' > path/idle.batch

echo 1..22
check "a good file says nothing" 0 "" verify units/good.service
check "a warning has file, line, severity and setting" 0 'units/half.service:6: warning: Restrt=: .*did you mean Restart=' verify units/half.service
check "with --strict warnings count" 1 'Restrt=' --strict verify units/half.service
check "an error" 2 'bad.service:3: error: Type=: .quick. ' verify units/bad.service
check "of several, the worst counts" 2 'Restrt=' verify units/good.service units/half.service units/bad.service
check "a folder" 2 'bad.service:3: error' verify units
check "units beside the file are found" 0 'Restrt=' verify units/half.service
check "a drop-in" 0 '10.conf:2: warning: Descripton=' verify units/half.service.d/10.conf
check "a template, by an instance" 2 'many@.service:2: error: Requires=: Unit gone@instance.service is not found' verify units/many@.service
check "an instance of it" 2 'Unit gone@one.service is not found' verify units/many@one.service
check "a name on the search path" 2 'path/found.service:3: error: User=' verify found.service
check "units that need no file are there" 0 "" verify placed.service
check "but not a slice of a wrong name" 2 'Requires=: Unit a--b.slice is not found' verify misplaced.service
check "a batch" 0 "" verify all.batch
check "what a batch cannot have" 2 'strange.batch:4: error: Recover=: .fail. is not possible' verify path/strange.batch
check "what has no effect in a batch" 0 'idle.batch:4: warning: Burst=: Without Rate=' verify path/idle.batch
check "what is not there" 2 'units/none.service: error: No such file' verify units/none.service
check "what is no unit file" 2 'notes.txt: error: This is not the name of a unit file' verify units/notes.txt
check "--json" 2 '"severity": *"error".*"line": *3.*"setting": *"Type"' --json verify units/bad.service
check "the folder of a file that was typed with its folder" 0 "" verify units/project.service
cd units || exit 1
check "of one that was typed without" 0 "" verify project.service
check "of one in this folder" 0 "" verify ./project.service
