#!/usr/bin/env bash
# shellcheck disable=SC2317,SC2329
# Runs every test of the project on software adapters and adds up what the runners count. Runs all of them even when
# one fails, prints a table, and ends with the line "N passed, N failed". A runner that ran no test is a failure.
# test.sh [native] [swiftshader] [wasm] [page] [e2e]: only those; without arguments all.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/count.sh"
cd "$REPO"

RUNNERS=("$@")
[ $# -gt 0 ] || RUNNERS=(native swiftshader wasm page e2e)

export LASTBIT_MODEL=$MODEL
# For this run only, since two runs may go on at once: the logs that are counted, and the private folder that Mesa asks for.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$scratch}

chromium=$(command -v chromium) || fail "chromium is missing; run scripts/system_packages.sh."
chromedriver=$(command -v chromedriver) || fail "chromedriver is missing; run scripts/system_packages.sh."
lavapipe=$(compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' | head -n 1) || fail "Mesa's lavapipe driver is missing; run scripts/system_packages.sh."
swiftshader=$(compgen -G '/usr/lib*/chromium*/vk_swiftshader_icd.json' | head -n 1) || fail "no SwiftShader Vulkan driver beside $chromium; install Debian's chromium."

# The Vulkan loader sees this driver and no other, by its new name for the variable and by its old one.
on_driver() { export VK_DRIVER_FILES=$1 VK_ICD_FILENAMES=$1; }

# nextest where it is installed, cargo's own runner elsewhere; nextest leaves the documentation's examples to cargo.
if cargo nextest --version >/dev/null 2>&1; then
  cargo_tests() { cargo nextest run --locked --release --no-fail-fast "$@"; }
else
  cargo_tests() { cargo test --locked --release --no-fail-fast --lib --bins --tests "$@"; }
fi

run_native() {
  on_driver "$lavapipe"
  local status=0
  cargo_tests --workspace || status=$?
  cargo test --locked --release --workspace --doc || status=$?
  return "$status"
}

# Without those that no driver runs: the texts of the modules and of their layouts.
run_swiftshader() { on_driver "$swiftshader" && cargo_tests --test kernels -- --skip modules:: --skip layouts::; }

run_wasm() {
  local toolchain
  toolchain=$(wasm_toolchain) || fail "the wasm32 target is missing; run scripts/wasm_target.sh."
  # The runner's own limit for all of them is 20 s; SwiftShader takes minutes.
  env ${toolchain:+RUSTUP_TOOLCHAIN="$toolchain"} CHROMEDRIVER="$chromedriver" WASM_BINDGEN_TEST_TIMEOUT=1500 \
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=wasm-bindgen-test-runner \
    cargo test --locked --release --target "$WASM_TARGET" --test web
}

run_page() { NO_COLOR=1 npm --prefix www run test; }

run_e2e() { NO_COLOR=1 CHROMIUM=$chromium LASTBIT_MODELS=$(dirname "$MODEL") npm --prefix www run e2e; }

# NAME, what a person calls it, and the reader of its closing line.
describe() {
  case $1 in
    native) title="native, on lavapipe" count=count_rust ;;
    swiftshader) title="kernels, on SwiftShader" count=count_rust ;;
    wasm) title="wasm, in Chromium" count=count_rust ;;
    page) title="page, unit tests" count=count_plain ;;
    e2e) title="page, end to end" count=count_plain ;;
    *) fail "no test runner is called '$1'; there are native, swiftshader, wasm, page and e2e." ;;
  esac
}

total_passed=0 total_failed=0 status=0 table=()
for runner in "${RUNNERS[@]}"; do
  describe "$runner"
  log=$scratch/$runner.log
  printf '\n== %s\n' "$title"
  start=$SECONDS
  exit_status=0
  ("run_$runner") </dev/null 2>&1 | tee "$log" || exit_status=$?
  read -r passed failed < <("$count" "$log")
  verdict=ok
  if [ "$exit_status" -ne 0 ] && [ "$failed" -eq 0 ]; then
    # It broke off before it could count: that is one failure, not none.
    failed=1
    verdict="FAILED (exit status $exit_status)"
  elif [ "$failed" -gt 0 ]; then
    verdict=FAILED
  elif [ "$passed" -eq 0 ]; then
    failed=1
    verdict="FAILED (no test ran)"
  fi
  [ "$verdict" = ok ] || status=1
  total_passed=$((total_passed + passed))
  total_failed=$((total_failed + failed))
  table+=("$(printf '%-26s %5d passed %5d failed %5d s  %s' "$title" "$passed" "$failed" $((SECONDS - start)) "$verdict")")
done

printf '\n'
printf '%s\n' "${table[@]}"
printf '%d passed, %d failed\n' "$total_passed" "$total_failed"
exit "$status"
