#!/bin/sh
# Puts the conformance vectors to a reader in a step of a workflow. The inputs come from
# action.yml as CA3_..., so that no shell ever reads them as code.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 127
# shellcheck source-path=SCRIPTDIR source=../runner.sh
. "$here/../runner.sh"

reports=${CA3_REPORTS:-$temporary/ca3-conform}
json=$reports/ca3-conform.json
junit=$reports/ca3-conform.xml
badge=$reports/ca3-badge.json
text=$temporary/ca3-conform/ca3-conform.txt
errors=$temporary/ca3-conform/errors.txt
for file in "$json" "$junit" "$badge" "$text" "$errors"; do
    fresh "$file" || exit 2
done

# finish CODE: what the runner learns, and the end.
finish() {
    # The first member of that name is the verdict's; inside of a text, a quote has a
    # backslash before it.
    verdict=
    [ ! -f "$json" ] ||
        verdict=$(sed -n 's/^ *"standing": "\([a-z-]*\)".*/\1/p' "$json" | head -n 1)
    show "$errors"
    [ "$1" -eq 0 ] ||
        printf '::error title=ca3-conform::exit code %s, verdict %s: %s\n' \
            "$1" "${verdict:-none}" 'the log of this step says why'
    section "**CA3 reader: ${verdict:-nothing was judged}** (exit code $1)" "$text"
    section "What \`ca3-conform\` says besides (exit code $1)" "$errors"
    output exit-code "$1"
    output verdict "$verdict"
    output report "$(written "$json")"
    output junit "$(written "$junit")"
    output badge "$(written "$badge")"
    exit "$1"
}

if [ -z "${CA3_READER:-}" ]; then
    # The reader in the program would run in its place, and pass.
    echo "the input \`reader\` is empty: please give your reader's command" >"$errors"
    finish 2
fi
conform=$("$here/../../program.sh" ca3-conform levels/conform "$temporary/ca3" \
    "${CA3_VERSION:-}" 2>"$errors") || finish 127

set -- "--reader=$CA3_READER" --report text --report "text=$text" \
    --report "json=$json" --report "junit=$junit" --report "badge=$badge"
[ -z "${CA3_LEVEL:-}" ] || set -- "$@" "--level=$CA3_LEVEL"
[ -z "${CA3_KNOWN_FAILURES:-}" ] || set -- "$@" "--known-failures=$CA3_KNOWN_FAILURES"
# A line, an argument: blanks, quotes and dollars mean nothing.
while IFS= read -r line; do
    [ -z "$line" ] || set -- "$@" "$line"
done <<END
${CA3_ARGS:-}
END

# The report shows what a reader answered, which the runner might take for a command.
fence=$(fence)
printf '::stop-commands::%s\n' "$fence"
"$conform" "$@" 2>"$errors"
code=$?
printf '\n::%s::\n' "$fence"
finish "$code"
