#!/usr/bin/env bash
# bench.sh [ARGUMENT...]: runs `lastbit bench` on the adapter that this machine has. A machine without any gets Mesa's
# software adapter, so that the ratios can be read anywhere.
. "$(dirname "$0")/lib.sh"
cd "$REPO"

[ "$(uname)" != Linux ] || compgen -G '/usr/share/vulkan/icd.d/*.json' >/dev/null || compgen -G '/etc/vulkan/icd.d/*.json' >/dev/null \
  || "$REPO/scripts/system_packages.sh" vulkan

export LASTBIT_MODEL=$MODEL
build() { cargo build --locked --release --bin lastbit; }
with_progress "compile lastbit" build || fail "lastbit did not compile; the log above says why."
exec "${CARGO_TARGET_DIR:-$REPO/target}/release/lastbit" bench "$@"
