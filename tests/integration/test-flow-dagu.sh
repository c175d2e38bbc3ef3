#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Flows that are imported from workflows of Dagu do what these say.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/library.sh"

RECORD=$DIR/record
: >"$RECORD"

# Parameters, outputs, computed variables, preconditions, failures that are passed over, repetition, and handlers.
cat >"$DIR/whole.yaml" <<Y
params:
  - WORD: plain
  - "second"
env:
  - BOTH: "\${WORD}+\`echo computed\` \"q\""
  - FIXED: flow
preconditions: test -d $DIR
handler_on:
  init:
    command: echo init \$WORD >>$RECORD
  success:
    command: echo success \$NUMBER >>$RECORD
  failure:
    command: echo failure \$WORD >>$RECORD
  exit:
    script: |
      #!/bin/bash
      echo "exit \$WORD \$NUMBER" >>$RECORD
steps:
  - id: number
    command: echo "4  2"
    output: NUMBER
  - id: fails
    command:
      - echo first >>$RECORD
      - exit 3
      - echo never >>$RECORD
    continue_on:
      failure: true
  - id: skipped
    preconditions:
      - condition: "\${WORD}"
        expected: "re:^other|none\$"
    command: echo skipped >>$RECORD
    continue_on: skipped
  - - name: left
      preconditions:
        - condition: \$NUMBER
          expected: "4  2"
        - condition: test -e $DIR/nothing
          negate: true
      command: 'echo "left \$NUMBER|\$BOTH|\$FIXED|\$2|\$WORD%" >>$RECORD'
      env:
        FIXED: own
    - name: right
      exec:
        command: $DIR/show
        args: ["it's", "\${NUMBER}", "a b"]
  - name: again
    command: echo again >>$RECORD; test "\$(grep -c again $RECORD)" -ge 3
    repeat_policy:
      repeat: until
      interval_sec: 1
      limit: 5
  - name: script
    command: python3 -u
    script: |
      import os
      open("$RECORD", "a").write("python " + os.environ["BOTH"] + "\n")
Y
printf '#!/bin/sh\nprintf "<%%s>" "$@" >>%s; echo >>%s\n' "$RECORD" "$RECORD" >"$DIR/show"
chmod 755 "$DIR/show"

cat >"$DIR/ends.yaml" <<Y
steps:
  - exit 4
  - echo behind >>$RECORD
handlerOn:
  success:
    command: echo good >>$RECORD
  failure:
    command: echo bad \$DAG_NAME >>$RECORD
Y
cat >"$DIR/gate.yaml" <<Y
type: graph
delaySec: 1
steps:
  - name: ask
    command: echo asked >>$RECORD
    approval:
      prompt: Is it good?
  - name: behind
    command: echo approved >>$RECORD
    depends: ask
Y
cat >"$DIR/unmet.yaml" <<Y
preconditions:
  - condition: test -e $DIR/nothing
steps:
  - echo unmet >>$RECORD
Y
for name in whole ends gate unmet; do
        check "$name is imported" ctl flow import --quiet --from=dagu --output="$UNITS" "$DIR/$name.yaml"
        check_equal "and $name is right" "$(ctl verify "$UNITS/$name.flow")" ""
done
start_daemon --unit-path "$UNITS"

# Of steps that do not wait for each other either may be first.
record() {
        sed '/^left/d; /^</d' "$RECORD"
        grep '^left' "$RECORD"
        grep '^<' "$RECORD"
        : >"$RECORD"
}

run_state() {
        ctl flow show "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["state"])'
}

check_exit "the whole runs, and one step fails" 10 ctl flow start --quiet --wait whole
check_equal "and does what the workflow says" "$(record)" 'init plain
first
again
again
again
python plain+computed "q"
success 4 2
exit plain 4  2
left 4  2|plain+computed "q"|own|second|plain%
<it'"'"'s><4  2><a b>'
check_prints "one step has failed" '^ *fails +FAILED' ctl flow show 1
check_equal "so the run is partial" "$(run_state 1)" PARTIAL
check_prints "one is skipped" '^ *skipped +SKIPPED' ctl flow show 1
check_exit "a parameter is given" 10 ctl flow start --quiet --wait whole WORD=none
check_equal "and reaches the commands and handlers" "$(record | grep -E 'none|skipped')" 'init none
skipped
python none+computed "q"
exit none 4  2
left 4  2|none+computed "q"|own|second|none%'

check_exit "a failure ends a chain" 1 ctl flow start --quiet --wait ends
check_equal "and has its handler" "$(cat "$RECORD")" "bad ends"
: >"$RECORD"
check "preconditions that are not met skip all" ctl flow start --quiet --wait unmet
check_equal "so nothing is done" "$(cat "$RECORD")" ""

check "one with an approval starts" ctl flow start --quiet gate
RUN=$(ctl flow list gate.flow | awk '$2 == "gate.flow" { print $1 }')
check "and waits for it" wait_for "jobctl flow approve $RUN/ask.approval" ctl flow why "$RUN/ask.approval"
check_equal "having done what is before" "$(cat "$RECORD")" "asked"
check "it is approved" ctl flow approve "$RUN/ask.approval"
check "and ends" wait_for '^SUCCEEDED$' run_state "$RUN"
check_equal "with what is behind" "$(cat "$RECORD")" "asked
approved"
done_testing
