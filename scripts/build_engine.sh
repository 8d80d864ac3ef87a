#!/usr/bin/env bash
# Builds the engine for the browser into www/src/engine: wasm, its JavaScript bindings, then wasm-opt.
. "$(dirname "$0")/lib.sh"

toolchain=$(wasm_toolchain) || fail "the wasm32 target is missing; run scripts/wasm_target.sh."
engine=$REPO/www/src/engine
wasm_opt=$REPO/www/node_modules/.bin/wasm-opt

compile() {
  cd "$REPO"
  ${toolchain:+env RUSTUP_TOOLCHAIN="$toolchain"} cargo build --locked --lib --profile web --target "$WASM_TARGET"
}
with_progress "compile the engine to wasm" compile || fail "the engine did not compile to wasm; the log above says why."

# The rest runs only when the wasm, or this recipe, has changed.
wasm=${CARGO_TARGET_DIR:-$REPO/target}/$WASM_TARGET/web/lastbit.wasm
made_from=$(cat "$wasm" "$REPO/scripts/build_engine.sh" "$REPO/Cargo.lock" | sha256sum | cut -d' ' -f1)
[ "$(cat "$engine/.made-from" 2>/dev/null)" = "$made_from" ] && exit 0

new=$(mktemp -d "$REPO/www/src/.engine.XXXXXX")
trap 'rm -rf "$new"' EXIT
with_progress "write the engine's JavaScript bindings" wasm-bindgen --target web --out-dir "$new" "$wasm" \
  || fail "wasm-bindgen failed; the log above says why."
# The features that rustc turns on for this target are named: the section that lists them may have been stripped.
with_progress "optimise the wasm for size" "$wasm_opt" -Oz \
  --enable-bulk-memory --enable-multivalue --enable-mutable-globals --enable-nontrapping-float-to-int \
  --enable-reference-types --enable-sign-ext "$new/lastbit_bg.wasm" -o "$new/optimised.wasm" \
  || fail "wasm-opt failed; the log above says why."
mv "$new/optimised.wasm" "$new/lastbit_bg.wasm"
printf '%s\n' "$made_from" >"$new/.made-from"
chmod a+rx "$new"
rm -rf "$engine"
mv "$new" "$engine"
say "engine ready: $(gzip -c "$engine/lastbit_bg.wasm" | wc -c | awk '{ printf "%.2f MB", $1 / 1e6 }') gzip"
