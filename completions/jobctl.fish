# SPDX-License-Identifier: LGPL-2.1-or-later
# fish completion for jobctl
#
# Verbs, what they take, and options come from 'jobctl help', so a new one is completed as soon as it is there. What is
# known here is which units suit a verb.

set -g __jobctl_types start stop restart reload try-restart reload-or-restart try-reload-or-restart reload-or-start \
    try-reload verify-active nop isolate

# Options that take a value, as the help text has them.
function __jobctl_value_options
    set -l lines (jobctl help 2>/dev/null | string match -r '^ +.*--[a-z-]+=.*')
    string match -rg '^ *-([A-Za-z]), ' -- $lines
    string match -rg -- '--([a-z-]+)=' $lines
end

# The words that are neither options nor their values: the verb first.
function __jobctl_line
    set -l tokens (commandline -opc)
    set -l takes (__jobctl_value_options)
    set -l skip 0
    for token in $tokens[2..-1]
        if test $skip = 1
            set skip 0
        else if string match -qr '^-' -- $token
            contains -- (string trim -l -c - -- $token) $takes; and set skip 1
        else
            echo -- $token
        end
    end
end

# The manager that the line is about.
function __jobctl_ask
    set -l tokens (commandline -opc)
    set -l where
    for i in (seq 2 (count $tokens))
        switch $tokens[$i]
            case --user --system '--socket=*'
                set where $tokens[$i]
            case --socket
                set where --socket $tokens[(math $i + 1)]
        end
    end
    jobctl $where --quiet --plain --no-legend --full $argv 2>/dev/null
end

function __jobctl_needs_verb
    test (count (__jobctl_line)) = 0
end

function __jobctl_runs
    test "$(__jobctl_line)[1]" = run
end

function __jobctl_verbs
    jobctl help 2>/dev/null | sed '/^Options:/q' | string replace -rf '^  ([a-z][a-z-]*) .*  +([A-Z].*)$' '$1\t$2'
end

function __jobctl_loaded
    __jobctl_ask list-units --all $argv | string replace -r '^(\S+)\s+\S+\s+\S+\s+\S+\s*(.*)$' '$1\t$2'
end

function __jobctl_installed
    __jobctl_ask list-unit-files $argv | string replace -r '^(\S+).*' '$1' | string replace -r '^(.*@)\.[a-z]+$' '$1'
end

function __jobctl_jobs
    __jobctl_ask list-jobs | string replace -r '^\s*(\d+)\s+(.*)$' '$1\t$2'
end

# The units that suit a verb.
function __jobctl_units
    switch $argv[1]
        case stop restart try-restart reload try-reload-or-restart kill set-property top freeze
            __jobctl_ask list-units | string replace -r '^(\S+)\s+\S+\s+\S+\s+\S+\s*(.*)$' '$1\t$2'
        case reset-failed
            __jobctl_ask list-units --failed | string replace -r '^(\S+).*' '$1'
        case enable
            __jobctl_installed --state=disabled,linked,indirect,enabled-runtime
        case disable reenable
            __jobctl_installed --state=enabled,enabled-runtime,linked,linked-runtime,alias
        case unmask
            __jobctl_installed --state=masked,masked-runtime
        case is-enabled preset mask revert
            __jobctl_installed
        case list-timers
            __jobctl_loaded --type=timer
        case list-sockets
            __jobctl_loaded --type=socket
        case list-paths
            __jobctl_loaded --type=path
        case isolate set-default
            __jobctl_loaded --type=target
            __jobctl_installed --type=target
        case '*'
            __jobctl_loaded
            __jobctl_installed
    end
end

# TYPE:UNIT
function __jobctl_requests
    set -l current (commandline -ct)
    if string match -q '*:*' -- $current
        set -l type (string replace -r ':.*' '' -- $current)
        __jobctl_units $type | string replace -r '^' $type:
    else
        printf '%s:\n' $__jobctl_types
    end
end

function __jobctl_words
    set -l line (__jobctl_line)
    set -l verb $line[1]
    set -l takes (jobctl help $verb 2>/dev/null | head -n 1 | string replace -r '^jobctl \[OPTION…\] \S+ *' '')
    switch $verb
        case exec plan
            __jobctl_requests
            return
        case help
            __jobctl_verbs
            return
        case flow
            if test (count $line) -lt 2
                printf '%s\n' start plan list show result logs why retry rerun resolve skip approve pause resume stop cancel compensate add-nodes delete complete locks unlock alarms ack graph import
                return
            end
            switch $line[2]
                case import
                    __fish_complete_path (commandline -ct)
                case ack
                    __jobctl_ask flow alarms --no-legend | string replace -r '^ *(\S+).*' '$1'
                case start plan list alarms graph
                    __jobctl_ask list-unit-files --type=flow | string replace -r ' .*' ''
                case '*'
                    __jobctl_ask flow list | string replace -r '^ *(\S+).*' '$1'
            end
            return
        case batch
            if test (count $line) -lt 2
                printf '%s\n' start list show why logs errors retry-errors pause resume cancel proceed delete
                return
            end
            switch $line[2]
                case start list
                    __jobctl_ask list-unit-files --type=batch | string replace -r ' .*' ''
                case '*'
                    __jobctl_ask batch list | string replace -r '^ *(\S+).*' '$1'
            end
            return
        case stream
            if test (count $line) -lt 2
                printf '%s\n' push list show why resolve pause resume cancel
            else if test (count $line) -lt 3
                __jobctl_ask list-unit-files --type=stream | string replace -r ' .*' ''
            else if contains -- $line[2] show resolve
                __jobctl_ask stream list --no-legend $line[3] | string replace -r '^ *(\S+).*' '$1'
            end
            return
        case run
            __fish_complete_external_command
            __fish_complete_path (commandline -ct)
            return
        case log-level
            printf '%s\n' err warning notice info debug
        case import-environment
            set -nx
        case unset-environment
            __jobctl_ask show-environment | string replace -r '=.*' ''
        case set-property
            if test (count $line) -gt 1
                printf '%s=\n' MemoryMax MemoryHigh MemoryLow MemoryMin MemorySwapMax TasksMax CPUWeight CPUQuota IOWeight \
                    AllowedCPUs Description
                return
            end
    end
    string match -q '*JOB*' -- $takes; and __jobctl_jobs
    string match -qr 'UNIT|PATTERN|TARGET' -- $takes; and __jobctl_units $verb
    string match -qr 'PATH|FILE|DIRECTORY' -- $takes; and __fish_complete_path (commandline -ct)
    return 0
end

complete -c jobctl -f
complete -c jobctl -n __jobctl_needs_verb -a '(__jobctl_verbs)'
complete -c jobctl -n 'not __jobctl_needs_verb' -k -a '(__jobctl_words)'

# Each option of the help text: "  -p, --property=NAME,…      Text".
jobctl help 2>/dev/null | sed -n '/^Options:/,$p' | while read -l line
    set -l letter (string match -rg '^ *-([A-Za-z]), ' -- $line)
    set -l name (string match -rg -- '--([a-z-]+)[ =]' $line); or continue
    set -l options -c jobctl -l $name -d (string replace -r '^.*--\S+ +' '' -- $line)
    set -q letter[1]; and set -a options -s $letter
    if string match -qr -- "--$name=" $line
        set -a options -x
        switch $name
            case socket unit-path root
                set options (string match -v -- -x $options) -r -F
            case job-mode
                set -a options -a 'replace fail lenient replace-irreversibly isolate flush ignore-dependencies ignore-requirements restart-dependencies triggering'
            case type
                set -a options -a 'service target socket timer path slice scope mount flow batch stream'
            case state
                set -a options -a 'active inactive failed activating deactivating reloading loaded not-found masked running exited dead waiting enabled disabled static'
            case signal
                set -a options -a '(kill -l | string split " ")'
            case kill-whom
                set -a options -a 'all main control'
            case what
                set -a options -a 'runtime state cache logs configuration all'
            case preset-mode
                set -a options -a 'full enable-only disable-only'
            case graph
                set -a options -a 'dot svg'
            case from
                set -a options -a 'wfcommons crontab dagu'
            case output
                set -a options -a 'short iso cat json (__fish_complete_directories (commandline -ct))'
            case property
                set -a options -a '(__jobctl_ask show --all none.service | string replace -r "=.*" "")'
        end
    end
    complete $options
end

# Those of "run".
jobctl run --help 2>/dev/null | sed -n '/^Options:/,$p' | while read -l line
    set -l letter (string match -rg '^ *-([A-Za-z]), ' -- $line)
    set -l name (string match -rg -- '--([a-z-]+)[ =]' $line); or continue
    set -l options -c jobctl -n __jobctl_runs -l $name -d (string replace -r '^.*--\S+ +' '' -- $line)
    set -q letter[1]; and set -a options -s $letter
    string match -qr -- "--$name=" $line; and set -a options -r
    complete $options
end
