#!/usr/bin/env bash
# fuzz.sh SECONDS [TARGET...]: feeds each target (all of fuzz/fuzz_targets without a name) the seeds of the repository and what the fuzzer
# makes of them, for so many seconds each. Coverage counters need no nightly compiler; the sanitizers would, and there is no unsafe code.
# Ends with a table of inputs per target. An input that breaks a target lies in fuzz/artifacts then.
. "$(dirname "$0")/lib.sh"
cd "$REPO"

CARGO_FUZZ_VERSION=0.13.2
seconds=${1:?usage: scripts/fuzz.sh SECONDS [TARGET...]}
shift
targets=("$@")
[ $# -gt 0 ] || for file in fuzz/fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done

has_version() { [ "$(cargo fuzz --version 2>/dev/null | awk '{print $2}')" = "$CARGO_FUZZ_VERSION" ]; }
if ! has_version; then
  one_at_a_time
  has_version || with_progress "build cargo-fuzz $CARGO_FUZZ_VERSION (about a minute, once)" \
    nice cargo install cargo-fuzz --version "=$CARGO_FUZZ_VERSION" --locked --root "$TOOLS" --target-dir "$CACHE/build/cargo-fuzz" \
    || fail "cargo-fuzz $CARGO_FUZZ_VERSION did not build; the log above says why."
  rm -rf "$CACHE/build/cargo-fuzz"
fi

# What was found interesting is kept between runs, beside the other things that can be made again.
corpora=$CACHE/fuzz
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$REPO/target}/fuzz

# run TARGET FLAG...: one target, its log on the terminal.
run() {
  local target=$1
  shift
  mkdir -p "$corpora/$target"
  nice cargo fuzz run --sanitizer none "$target" "$corpora/$target" "fuzz/seeds/$target" -- \
    -max_total_time="$seconds" -print_final_stats=1 -timeout=20 "$@"
}

with_progress "build the fuzz targets (several minutes, once)" cargo fuzz build --sanitizer none \
  || fail "the fuzz targets did not build; the log above says why."
table=() status=0
for target in "${targets[@]}"; do
  log=$LOGS/fuzz-$target.log
  say "fuzz $target for $seconds s"
  verdict=ok
  run "$target" -max_len="$([ "$target" = reader_bytes ] && echo 4096 || echo 1024)" >"$log" 2>&1 || { verdict=FAILED status=1; tail -n 30 "$log"; }
  inputs=$(awk '/^stat::number_of_executed_units: / { print $2 }' "$log")
  table+=("$(printf '%-18s %12s inputs in %5d s  %s' "$target" "${inputs:-?}" "$seconds" "$verdict")")
done
printf '%s\n' "${table[@]}"
exit "$status"
