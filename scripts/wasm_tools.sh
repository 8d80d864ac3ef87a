#!/usr/bin/env bash
# wasm_tools.sh bindgen|pack: installs wasm-bindgen in the version of Cargo.lock, or wasm-pack, into the cache.
. "$(dirname "$0")/lib.sh"

WASM_PACK_VERSION=0.15.1

# install VERSION CRATE PROGRAM: cargo puts the binaries in place only once all of them are built. An interrupted
# build is picked up where it stopped.
install() {
  local version=$1 crate=$2 program=$3
  has_version() { [ "$("$program" --version 2>/dev/null | awk '{print $2}')" = "$version" ]; }
  has_version && return
  one_at_a_time
  has_version && return
  # The ordinary toolchain: these programs run on this machine, not in the browser. Little optimisation: they run for
  # seconds, and compiling them takes minutes.
  with_progress "build $crate $version (3 to 5 minutes, once)" \
    env -u RUSTUP_TOOLCHAIN -u RUSTFLAGS CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=0 \
    nice cargo install "$crate" --version "=$version" --root "$TOOLS" --target-dir "$CACHE/build/$crate" --force \
    || fail "$crate $version did not build; the log above says why, 'cargo install $crate --version $version' shows it all."
  rm -rf "$CACHE/build/$crate"
  has_version || fail "$crate was installed to $TOOLS/bin but does not report version $version; delete $TOOLS and run make again."
}

bindgen_version() {
  awk '$0 == "name = \"wasm-bindgen\"" { getline; gsub(/version = |"/, ""); print; exit }' "$REPO/Cargo.lock"
}

case ${1:-} in
  bindgen) install "$(bindgen_version)" wasm-bindgen-cli wasm-bindgen ;;
  pack) install "$WASM_PACK_VERSION" wasm-pack wasm-pack ;;
  *) fail "usage: scripts/wasm_tools.sh bindgen|pack" ;;
esac
