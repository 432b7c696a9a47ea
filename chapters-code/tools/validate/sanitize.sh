#!/usr/bin/env bash
# Runs every kernel with a seeded bug, and its twin without the bug, under each tool of compute-sanitizer.
#
#   sanitize.sh PROGRAM RESULT.tsv [JOBS]
#
# PROGRAM is the release build of `validate`. A line of the result is: kernel, tool, how it ended,
# what the tool counted, and the first few things that it said. The tools' whole output is kept
# beside it, in RESULT.tsv.logs.tar.gz. COMPUTE_SANITIZER names the tool if it is not on the path, and
# COMMIT the commit of PROGRAM where this is not its checkout.
set -uo pipefail
[ $# -ge 2 ] || { sed -n '2,9p' "$0" >&2; exit 2; }
export program=$(realpath "$1") sanitizer=${COMPUTE_SANITIZER:-compute-sanitizer}
result=$2 jobs=${3:-8}
command -v "$sanitizer" >/dev/null || { echo "there is no $sanitizer" >&2; exit 1; }
logs=$(mktemp -d)
export logs
trap 'rm -rf "$logs"' EXIT
ulimit -c 0

# Newer versions look at uninitialised shared memory too, if asked.
export initcheck=
"$sanitizer" --help 2>&1 | grep -q -- --initcheck-address-space && initcheck='--initcheck-address-space all'

check() {
    local kernel=$1 tool=$2 log="$logs/$1.$2" options=
    case $tool in
        racecheck) options='--racecheck-report all' ;;
        initcheck) options=$initcheck ;;
    esac
    # shellcheck disable=SC2086 # the options are words
    timeout -s KILL 60 "$sanitizer" --tool "$tool" $options --print-limit 20 --error-exitcode 99 \
        "$program" seeded-bugs --device gpu --seconds 8 "$kernel" >"$log" 2>&1
    local status=$? ended
    case $status in
        0) ended=ok ;;
        99) ended=found ;;
        *) ended="status $status" ;;
    esac
    grep -q 'given up' "$log" && ended='never ended'
    local summary said
    summary=$(grep -oE '(ERROR|RACECHECK) SUMMARY: .*' "$log" | tail -1)
    said=$(grep -E '^========= [A-Z]' "$log" | grep -vE 'SUMMARY|COMPUTE-SANITIZER|Saved host|Host Frame|Device Frame|Target application|LEAK' |
        sed -E 's/^=+ //; s/0x[0-9a-f]+/ADDRESS/g' | awk '!seen[$0]++' | head -4 | paste -sd '|')
    printf '%s\t%s\t%s\t%s\t%s\n' "$kernel" "$tool" "$ended" "$summary" "$said" >"$log.row"
}
export -f check

{
    printf '# %s\n' "$("$sanitizer" --version 2>&1 | grep -i version | head -1)"
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1 | sed 's/^/# /'
    printf '# commit: %s\n' "${COMMIT:-$(git rev-parse HEAD 2>/dev/null || echo unknown)}"
    printf '# kernel\ttool\tended\tsummary\tsaid\n'
} >"$result"
"$program" seeded-bugs --list | while read -r kernel; do
    for tool in memcheck racecheck initcheck synccheck; do echo "$kernel $tool"; done
done | xargs -P "$jobs" -L 1 bash -c 'check "$1" "$2"' _
cat "$logs"/*.row | sort >>"$result"
rm -f "$logs"/*.row
tar -C "$logs" -czf "$result.logs.tar.gz" .
wc -l <"$result"
