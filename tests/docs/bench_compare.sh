#!/usr/bin/env bash
# bench/compare as it is used, on a repository made here whose benchmarks are scripts: what it prints
# is known to the digit, and nothing is measured.
set -euo pipefail
bench=$(dirname "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_{AUTHOR,COMMITTER}_{NAME,EMAIL}=nobody
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE

fail() { echo "$*"; cat "$folder/said"; exit 1; }
# Runs a command whose output must have these lines, whatever the space between words.
says() {
  local expected=$1 line
  shift
  "$@" 2>&1 | sed -E 's/ +/ /g' >"$folder/said" || true
  while read -r line; do grep -qxF -e "$line" "$folder/said" || fail "no line '$line' from: $*"; done <<<"$expected"
}

# The statistics, on three rounds. More a second is better, less time is; one figure is new, and one
# is over nothing.
mkdir -p "$folder/figures"
row() { echo "[{\"kind\":\"place\",\"records\":0,\"per_second\":$1,\"p99_us\":$2,\"failed\":0${3:-}}]"; }
row 1000 10 >"$folder/figures/1.1.before.json"
row 1100 20 ',"grown":3,"share":-nan' >"$folder/figures/1.1.after.json"
row 2000 30 >"$folder/figures/1.2.before.json"
row 1000 15 ',"grown":3,"share":nan' >"$folder/figures/1.2.after.json"
row 1500 20 >"$folder/figures/1.3.before.json"
row 1350 20 ',"grown":4,"share":inf' >"$folder/figures/1.3.after.json"
says 'figure before after ratio low 25% 75% high
place records=0 per_second 1,500 1,100 0.733 0.500 0.700 1.000 1.100
place records=0 p99_us 20 20 1.000 0.500 0.750 1.500 2.000
place records=0 grown missing 3 – – – – –' "$bench/ratios.py" "$folder/figures"
[[ $(grep -c '^place' "$folder/said") == 3 ]] || fail "there are other figures"
"$bench/ratios.py" "$folder/figures" >/dev/null || fail "it fails on good figures"
says "there are no such figures in $folder/figures" "$bench/ratios.py" --only nothing "$folder/figures"
sed -i 's/"failed":0/"failed":7/' "$folder/figures/1.2.after.json"
says 'CALLS FAILED, the figures mean nothing: place records=0 failed: after' "$bench/ratios.py" "$folder/figures"
if "$bench/ratios.py" "$folder/figures" >/dev/null 2>&1; then fail "failed calls are no failure"; fi

# A repository: the benchmark of its first commit makes 100 a second, that of the second 200 and has
# a figure more; the third does not build.
mkdir -p "$folder/tree/bench"
cp "$bench/compare" "$bench/ratios.py" "$folder/tree/bench"
cd "$folder/tree"
git init -q
echo /build/ >.gitignore
cat >CMakePresets.json <<'END'
{"version": 6, "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}]}
END
benchmark() {
  printf '#!/bin/sh\n[ "$1" = --seconds ] || { echo "what is $1?"; exit 1; }\ntest -e bench/compare && echo "%s" >build/bench/engine.json\n' "${1//\"/\\\"}" >program
}
lists() { printf 'cmake_minimum_required(VERSION 3.25)\nproject(fake LANGUAGES NONE)\n%s\n' "$*" >CMakeLists.txt; }
target='COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/program holdfast_bench)'
commit() { git add -A && git commit -qm "$1" && git tag "$1"; }
benchmark '[{"kind":"place","per_second":100}]'; lists "add_custom_target(holdfast_bench $target"; chmod +x program; commit first
benchmark '[{"kind":"place","per_second":200,"p99_us":5}]'; commit second
lists 'add_custom_target(holdfast_bench COMMAND ${CMAKE_COMMAND} -E cat nothing-is-here)'; commit broken
lists 'message(FATAL_ERROR "no preset will do")'; commit unconfigurable
lists ''; commit without

compare() { bench/compare --rest 0 --rounds 2 "$@"; }
measured='-- holdfast_bench --seconds 1'
says 'usage: bench/compare [options] BEFORE AFTER [FIGURE…]' bench/compare --help
says 'place per_second 100 200 2.000 2.000 2.000 2.000 2.000
place p99_us missing 5 – – – – –' compare first second $measured
# Each side goes first in turns.
order=$(grep -o 'round [0-9] of 2, [a-z]*' "$folder/said" | sed 's/.*, //' | xargs)
[[ $order == 'before after after before' ]] || fail "the order was $order"
says 'place per_second 200 100 0.500 0.500 0.500 0.500 0.500' compare --only second second first $measured
[[ -z $(grep p99 "$folder/said") ]] || fail "--only is not heeded"

# The working tree, with what is not committed.
lists "add_custom_target(holdfast_bench $target"
benchmark '[{"kind":"place","per_second":300}]'
says 'place per_second 100 300 3.000 3.000 3.000 3.000 3.000' compare first . $measured
git checkout -q .

says '== after has no holdfast_bench: its figures are missing
place per_second 100 missing – – – – –' compare first without $measured
says "bench/compare: there is no commit 'nowhere'" compare first nowhere $measured
says "bench/compare: there is no figure 'nothing'; see --help" compare first second nothing
says "bench/compare: neither side has a benchmark 'nothing_bench'" compare first second -- nothing_bench
refused() { if compare "$@" >"$folder/said" 2>&1; then fail "this was not refused: $*"; fi; }
refused first broken $measured
grep -q 'nothing-is-here' "$folder/said" && grep -q 'does not build' "$folder/said" || fail "no log of the build"
refused first unconfigurable $measured
grep -q 'no preset will do' "$folder/said" && grep -q 'not be configured' "$folder/said" || fail "no log of CMake"
refused first second -- holdfast_bench --nothing
grep -q 'what is --nothing?' "$folder/said" || fail "what the benchmark said is not shown"
printf '#!/bin/sh\necho done\n' >program
lists "add_custom_target(holdfast_bench $target"
refused first . $measured
grep -q 'wrote no figures' "$folder/said" || fail "no figures were not missed"
[[ -z $(find build/compare -maxdepth 1 -name 'run.*') ]] || fail "a run's folder is left"
