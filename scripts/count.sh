# shellcheck shell=bash
# Reads how many tests passed and failed from a runner's own closing lines. Sourced, not run.
# Each reader prints "PASSED FAILED", summed over every closing line in the log; a log without one gives "0 0".

plain_text() { sed -e 's/\x1b\[[0-9;]*[A-Za-z]//g' -e 's/\r$//' "$1"; }

# What cargo starts: nextest's closing lines and the ones of Rust's own test harness, both.
count_rust() {
  local passed failed more_passed more_failed
  read -r passed failed < <(count_nextest "$1")
  read -r more_passed more_failed < <(count_harness "$1")
  echo "$((passed + more_passed)) $((failed + more_failed))"
}

# "Summary [   1.2s] 12 tests run: 11 passed (1 slow), 1 failed, 0 skipped"; a time-out is a failure.
count_nextest() {
  plain_text "$1" | awk '
    /^ *Summary \[/ {
      sub(/.*tests? run: /, "")
      n = split($0, part, /, */)
      for (i = 1; i <= n; i++) {
        number = part[i] + 0
        if (part[i] ~ /passed/) passed += number
        else if (part[i] ~ /failed|timed out/) failed += number
      }
    }
    END { print passed + 0, failed + 0 }'
}

# "test result: ok. 3 passed; 0 failed; 0 ignored; …" of Rust's harness and of wasm-bindgen's runner.
count_harness() {
  plain_text "$1" | awk '
    /^test result: / {
      for (i = 2; i <= NF; i++) {
        if ($i ~ /^passed/) passed += $(i - 1)
        if ($i ~ /^failed/) failed += $(i - 1)
      }
    }
    END { print passed + 0, failed + 0 }'
}

# "N passed, N failed" alone on a line: the page's unit tests and the end-to-end run.
count_plain() {
  plain_text "$1" | awk '
    /^([A-Za-z0-9-]+: )?[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ {
      sub(/^[A-Za-z0-9-]+: /, "")
      passed += $1; failed += $3
    }
    END { print passed + 0, failed + 0 }'
}
