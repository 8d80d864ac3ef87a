#!/usr/bin/env bash
# Builds what runs as wasm in the browser: wasm, its JavaScript bindings, then wasm-opt. Two modules: the engine into
# www/src/engine, and what renders the templates of strangers, whose memory is bounded, into www/src/template-engine.
. "$(dirname "$0")/lib.sh"

toolchain=$(wasm_toolchain) || fail "the wasm32 target is missing; run scripts/wasm_target.sh."
wasm_opt=$REPO/www/node_modules/.bin/wasm-opt
wasm_folder=${CARGO_TARGET_DIR:-$REPO/target}/$WASM_TARGET/web

# All the memory that a template can take, as natively (src/cli/template_process.rs).
TEMPLATE_MEMORY_BYTES=134217728

cargo_web() {
  cd "$REPO"
  ${toolchain:+env RUSTUP_TOOLCHAIN="$toolchain"} cargo rustc --locked --lib --crate-type cdylib --profile web --target "$WASM_TARGET" "$@"
}
with_progress "compile the engine to wasm" cargo_web || fail "the engine did not compile to wasm; the log above says why."
with_progress "compile the template engine to wasm" \
  cargo_web --package lastbit-template --features worker -- -C "link-arg=--max-memory=$TEMPLATE_MEMORY_BYTES" \
  || fail "the template engine did not compile to wasm; the log above says why."

# bind NAME FOLDER: the rest, which runs only when the wasm, or this recipe, has changed.
bind() {
  local name=$1 folder=$REPO/www/src/$2 wasm=$wasm_folder/$1.wasm made_from new
  made_from=$(cat "$wasm" "$REPO/scripts/build_engine.sh" "$REPO/Cargo.lock" | sha256sum | cut -d' ' -f1)
  [ "$(cat "$folder/.made-from" 2>/dev/null)" = "$made_from" ] && return
  new=$(mktemp -d "$REPO/www/src/.engine.XXXXXX")
  # shellcheck disable=SC2064
  trap "rm -rf '$new'" EXIT
  with_progress "write JavaScript bindings for $name" wasm-bindgen --target web --out-dir "$new" "$wasm" \
    || fail "wasm-bindgen failed; the log above says why."
  # The features that rustc turns on for this target are named: the section that lists them may have been stripped.
  with_progress "optimise $name for size" "$wasm_opt" -Oz \
    --enable-bulk-memory --enable-multivalue --enable-mutable-globals --enable-nontrapping-float-to-int \
    --enable-reference-types --enable-sign-ext "$new/${name}_bg.wasm" -o "$new/optimised.wasm" \
    || fail "wasm-opt failed; the log above says why."
  mv "$new/optimised.wasm" "$new/${name}_bg.wasm"
  printf '%s\n' "$made_from" >"$new/.made-from"
  chmod a+rx "$new"
  rm -rf "$folder"
  mv "$new" "$folder"
  say "$name ready: $(gzip -c "$folder/${name}_bg.wasm" | wc -c | awk '{ printf "%.2f MB", $1 / 1e6 }') gzip"
}
bind lastbit engine
bind lastbit_template template-engine
