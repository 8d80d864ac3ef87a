# shellcheck shell=bash disable=SC2034
# What every setup step shares: where kept things live, how a step speaks, how it fails, how it waits.
# Sourced, not run. A step that sources this stops at the first error and never leaves a half-installed state:
# whatever it makes is built under a temporary name on the same disk, verified, then renamed.
set -euo pipefail

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Kept between runs and between clones; safe to delete at any time, `make` brings it back.
CACHE=${LASTBIT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lastbit}
TOOLS=$CACHE/tools                       # cargo install --root: wasm-bindgen
MODELS=$CACHE/models
LOGS=$CACHE/logs
MODEL_NAME=SmolLM2-135M-Instruct.Q4_1.gguf
MODEL=${LASTBIT_MODEL:-$MODELS/$MODEL_NAME}
WASM_TARGET=wasm32-unknown-unknown
mkdir -p "$TOOLS/bin" "$MODELS" "$LOGS"
export PATH="$TOOLS/bin:$PATH"
export DEBIAN_FRONTEND=noninteractive

say() { printf '  %s\n' "$*"; }

# One sentence that says what went wrong and what to do; nothing after it runs.
fail() { printf '\nerror: %s\n' "$*" >&2; exit 1; }

# One step at a time per machine: two `make` runs at once take turns instead of breaking each other.
# The lock goes away with the process that holds it, so a killed run leaves none behind.
one_at_a_time() {
  command -v flock >/dev/null || fail "flock is missing; install util-linux."
  exec 9>"$CACHE/setup.lock"
  flock --nonblock 9 && return
  say "waiting for another run of the setup on this machine"
  flock 9
}

# A log's last line, without colours, short enough for one line of a terminal.
last_line() { tail -c 400 "$1" | tr '\r' '\n' | sed 's/\x1b\[[0-9;]*[A-Za-z]//g' | tail -n 1 | cut -c1-90; }

# with_progress WHAT COMMAND...: runs the command with its output in a log. After two seconds it shows the time
# that has passed (one line rewritten on a terminal, a line every 20 seconds elsewhere) and the log's last line.
# When the command fails, the log's end is printed and the exit status passed on for the caller's own sentence.
with_progress() {
  local what=$1 log start seconds last=0 pid status=0
  shift
  log=$LOGS/$(printf '%s' "$what" | tr -cs 'A-Za-z0-9.' '-' | cut -c1-60).log
  start=$SECONDS
  say "$what"
  # Job control gives the command a process group of its own, so that an interrupted run takes all of it along.
  # The lock's descriptor is closed for it: a program that it leaves running must not keep the lock.
  set -m
  "$@" >"$log" 2>&1 9>&- </dev/null &
  pid=$!
  set +m
  trap 'kill -- "-$pid" 2>/dev/null; exit 130' INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.5
    seconds=$((SECONDS - start))
    if [ -t 1 ] && [ "$seconds" -ge 2 ]; then
      printf '\r\033[K    %d s  %s' "$seconds" "$(last_line "$log")"
    elif [ $((seconds - last)) -ge 20 ]; then
      last=$seconds
      printf '    %d s  %s\n' "$seconds" "$(last_line "$log")"
    fi
  done
  wait "$pid" || status=$?
  trap - INT TERM
  [ -t 1 ] && printf '\r\033[K'
  seconds=$((SECONDS - start))
  if [ "$status" -ne 0 ]; then
    tail -n 25 "$log" >&2
    printf '    failed after %d s; the whole log is %s\n' "$seconds" "$log" >&2
  elif [ "$seconds" -ge 2 ]; then
    say "  done in $seconds s"
  fi
  return "$status"
}

# Runs a command as root: directly, or through sudo for a user that has it.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo env DEBIAN_FRONTEND="$DEBIAN_FRONTEND" "$@"
  else fail "installing system packages needs root; run 'make' as root or install sudo."
  fi
}

# Asks for the sudo password now, while the terminal is free, and not behind a progress line.
ready_root() {
  [ "$(id -u)" -eq 0 ] && return
  command -v sudo >/dev/null || fail "installing system packages needs root; run 'make' as root or install sudo."
  sudo -v || fail "sudo refused; run 'make' as root or as a user who may use sudo."
}

# apt_install WHY PACKAGE...: installs those Debian packages that are missing. Elsewhere it fails and names them.
apt_install() {
  local why=$1 package missing=()
  shift
  if ! command -v apt-get >/dev/null; then
    fail "$why is missing and this is no Debian-like system; install what Debian calls: $*"
  fi
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" = "install ok installed" ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  ready_root
  if [ -z "${package_list_refreshed:-}" ]; then
    with_progress "refresh the list of Debian packages" as_root apt-get -o DPkg::Lock::Timeout=300 update \
      || fail "apt-get update failed; check the network and the entries in /etc/apt, then run make again."
    package_list_refreshed=yes
  fi
  with_progress "install Debian packages for $why: ${missing[*]}" \
    as_root apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}" \
    || fail "apt-get could not install ${missing[*]}; run 'sudo apt-get install ${missing[*]}' to see why."
}

# The RUSTUP_TOOLCHAIN that can build for wasm32: empty where the ordinary toolchain has the target, `web` where
# Debian's newer Rust with a standard library built here takes its place, and status 1 where neither is ready.
# RUSTC_WEB_MARK names the compiler that the library was built with: a library of another compiler is no library.
WEB_RUSTC=/usr/bin/rustc
WEB_TARGET_DIR=/usr/lib/rustlib/$WASM_TARGET
RUSTC_WEB_MARK=$WEB_TARGET_DIR/lastbit-built-with
wasm_toolchain() {
  # On its own line, so that a missing rustc is a plain "no" here.
  local sysroot
  sysroot=$(cd "$REPO" && rustc --print sysroot 2>/dev/null) && [ -n "$(ls "$sysroot/lib/rustlib/$WASM_TARGET/lib"/libstd-*.rlib 2>/dev/null)" ] && return
  [ -f "$RUSTC_WEB_MARK" ] && [ "$("$WEB_RUSTC" -vV 2>/dev/null)" = "$(cat "$RUSTC_WEB_MARK")" ] && echo web
}
