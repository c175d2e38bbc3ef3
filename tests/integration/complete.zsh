# SPDX-License-Identifier: LGPL-2.1-or-later
#
# complete.zsh FOLDER LINE: what zsh offers at the end of LINE, one candidate a line, with the functions of FOLDER.
#
# Completion works in an interactive shell only, so there is one behind a pseudo-terminal. What it offers goes through
# compadd, which writes it down here.
zmodload zsh/zpty zsh/zselect

export FOUND=$(mktemp) READY=$(mktemp -u) DONE=$(mktemp -u)

# await FILE LOOKS: until the file is there; what the shell prints meanwhile is taken off it, else it would stand still.
await() {
    local i
    for ((i = 0; i < $2; i++)); do
        [[ -e $1 ]] && return
        zpty -r -t shell >/dev/null
        zselect -t 2
    done
    return 1
}

complete() {
    : >$FOUND
    rm -f "$READY" "$DONE"
    zpty shell zsh -f -i
    zpty -w shell 'PROMPT=; unsetopt zle_bracketed_paste beep; LISTMAX=10000'
    zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
    zpty -w shell 'bindkey "^I" complete-word; zstyle ":completion:*" insert-tab false'
    zpty -w shell 'compadd() {
            local -a hits
            if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
            builtin compadd -A hits "$@"
            print -rl -- $hits >>$FOUND
            builtin compadd "$@"
    }'
    zpty -w shell 'finished() { : >$DONE }; comppostfuncs=(finished)'
    # A key that comes before the line editor does may be lost.
    zpty -w shell 'zle-line-init() { : >$READY }; zle -N zle-line-init'
    await $READY 1000 && request "$2"
    local result=$?
    zpty -d shell
    return $result
}

# On a busy machine the shell loses a key now and then, whatever it said before: the line is deleted then, and typed again.
request() {
    local i
    for ((i = 0; i < 20; i++)); do
        zpty -w -n shell $'\C-u'"$1"$'\t'
        await $DONE 150 && return
    done
    return 1
}

for attempt in 1 2 3; do
    complete "$@" && break
done
sort -u "$FOUND" | grep .
rm -f "$FOUND" "$READY" "$DONE"
