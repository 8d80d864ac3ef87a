#!/usr/bin/env bash
# Installs wasm-bindgen, and the runner of the browser's tests that comes with it, in the version of Cargo.lock into the cache.
. "$(dirname "$0")/lib.sh"

version=$(awk '$0 == "name = \"wasm-bindgen\"" { getline; gsub(/version = |"/, ""); print; exit }' "$REPO/Cargo.lock")
has_version() { [ "$(wasm-bindgen --version 2>/dev/null | awk '{print $2}')" = "$version" ]; }
has_version && exit
one_at_a_time
has_version && exit

# Cargo puts the binaries in place only once all of them are built; an interrupted build is picked up where it stopped. The ordinary
# toolchain: these programs run on this machine, not in the browser. Little optimisation: they run for seconds, and compiling them
# takes minutes.
with_progress "build wasm-bindgen-cli $version (3 to 5 minutes, once)" \
  env -u RUSTUP_TOOLCHAIN -u RUSTFLAGS CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=0 \
  nice cargo install wasm-bindgen-cli --version "=$version" --root "$TOOLS" --target-dir "$CACHE/build/wasm-bindgen-cli" --force \
  || fail "wasm-bindgen-cli $version did not build; the log above says why, 'cargo install wasm-bindgen-cli --version $version' shows it all."
rm -rf "$CACHE/build/wasm-bindgen-cli"
has_version || fail "wasm-bindgen-cli was installed to $TOOLS/bin but does not report version $version; delete $TOOLS and run make again."
