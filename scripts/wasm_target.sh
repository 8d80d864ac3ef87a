#!/usr/bin/env bash
# Brings the standard library for wasm32: from rustup where it can download (way A); else from Debian's newer Rust,
# with the standard library built here once (way B).
. "$(dirname "$0")/lib.sh"

command -v cargo >/dev/null || fail "cargo is missing; install Rust from https://rustup.rs and run make again."
wasm_toolchain >/dev/null && exit 0
one_at_a_time
wasm_toolchain >/dev/null && exit 0

# Way A. Its failure is no error yet: some networks carry only package registries.
if command -v rustup >/dev/null; then
  with_progress "add the wasm32 target with rustup" rustup target add "$WASM_TARGET" 2>"$LOGS/rustup-target.txt" \
    && wasm_toolchain >/dev/null && exit 0
  say "rustup cannot download it here; building it from Debian's Rust sources instead (about two minutes, once)"
fi

# Way B.
command -v apt-get >/dev/null \
  || fail "the wasm32 target is missing and rustup could not add it; run 'rustup target add $WASM_TARGET' where the network allows."
apt_install "building for wasm32" rustc-web cargo-web rust-web-src

# The linker that rustup ships with its own toolchain, or Debian's.
linker_dir=/usr/lib/rustlib/$("$WEB_RUSTC" -vV | sed -n 's/^host: //p')/bin
if [ ! -x "$linker_dir/rust-lld" ]; then
  own=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/rust-lld
  if [ ! -x "$own" ]; then
    apt_install "linking wasm32" lld
    own=$(command -v lld)
  fi
  ready_root
  as_root mkdir -p "$linker_dir"
  as_root ln -sfn "$own" "$linker_dir/rust-lld"
fi

version=$("$WEB_RUSTC" -vV)
seed=$(mktemp -d "$CACHE/.wasm-std.XXXXXX")
trap 'rm -rf "$seed"' EXIT
mkdir -p "$seed/src"
printf '[package]\nname = "wasm-std-seed"\nversion = "0.0.0"\nedition = "2021"\n' >"$seed/Cargo.toml"
printf '#![no_std]\n' >"$seed/src/lib.rs"
build_std() {
  # Bitcode is embedded because the page's wasm is linked with LTO across the standard library.
  cd "$seed" && env -u RUSTUP_TOOLCHAIN RUSTC="$WEB_RUSTC" RUSTC_BOOTSTRAP=1 CARGO_PROFILE_RELEASE_OPT_LEVEL=3 \
    RUSTFLAGS=-Cembed-bitcode=yes CARGO_TARGET_DIR="$seed/target" \
    /usr/bin/cargo build --release -Zbuild-std=std,panic_abort,test --target "$WASM_TARGET"
}
with_progress "build the wasm32 standard library" build_std \
  || fail "the wasm32 standard library did not build; the log above says why (rust-web-src must match rustc-web)."

mkdir -p "$seed/$WASM_TARGET/lib"
for library in "$seed/target/$WASM_TARGET/release/deps"/*.rlib; do
  case $library in *wasm_std_seed*) ;; *) cp "$library" "$seed/$WASM_TARGET/lib/" ;; esac
done
printf '%s\n' "$version" >"$seed/$WASM_TARGET/$(basename "$RUSTC_WEB_MARK")"
chmod -R a+rX "$seed/$WASM_TARGET"
ready_root
as_root rm -rf "$WEB_TARGET_DIR.new"
as_root cp -r "$seed/$WASM_TARGET" "$WEB_TARGET_DIR.new"
as_root chown -R 0:0 "$WEB_TARGET_DIR.new"
as_root rm -rf "$WEB_TARGET_DIR"
as_root mv "$WEB_TARGET_DIR.new" "$WEB_TARGET_DIR"

# Cargo finds this compiler under the name `web`; it has the target in its sysroot.
if command -v rustup >/dev/null; then
  rustup toolchain link web /usr >/dev/null 2>&1 || fail "'rustup toolchain link web /usr' failed; run it to see why."
fi
# What was compiled against the library before this one cannot be linked with it.
rm -rf "${CARGO_TARGET_DIR:-$REPO/target}/$WASM_TARGET"
wasm_toolchain >/dev/null || fail "the wasm32 standard library was installed but is not found in $WEB_TARGET_DIR; delete that folder and run make again."
say "wasm32 standard library ready in $WEB_TARGET_DIR"
